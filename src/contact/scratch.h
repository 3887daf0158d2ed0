// What the functions of contact.h need besides their arguments.
#pragma once

#include <vector>

#include "contact/cone.h"
#include "contact/touching.h"
#include "marey/contact.h"

namespace marey {

struct ContactWorkspace::Scratch {
  explicit Scratch(int m)
      : cones(m),
        touching(m),
        points(m),
        modes(m),
        kept(m),
        group(m),
        members(m),
        laws(m),
        reports(m),
        A(9 * m * m),
        u_minus(3 * m),
        b(3 * m),
        P(3 * m),
        P_c(3 * m),
        u_c(3 * m),
        u_plus(3 * m),
        a_free(3 * m),
        apart(m) {}

  ModeSolver cones;
  TouchingCones touching;
  std::vector<ConePoint> points;  // [m], as all below
  std::vector<ConeMode> modes, kept;
  std::vector<int> group, members;  // which contacts influence each other
  std::vector<ImpulseLaw> laws;
  std::vector<ImpactOfContact> reports;
  std::vector<double> A, u_minus, b, P, P_c, u_c, u_plus, a_free;
  struct Apart {  // contacts of one group, by themselves
    explicit Apart(int m) : A(9 * m * m), b(3 * m), lambda(3 * m), a(3 * m), ends(2 * m), points(m), modes(m) {}
    std::vector<double> A, b, lambda, a, ends;
    std::vector<ContactPoint> points;
    std::vector<ContactMode> modes;
  } apart;
};

// Puts each contact into the group of the contacts it influences; groups are named after their first member. Returns how many there are.
int find_groups(std::span<const double> A, int m, std::span<int> group);

}  // namespace marey
