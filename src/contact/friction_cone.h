// Coulomb's cone with moments: K = { y : |y_g| ≤ μ_g y_n for each group g }, and the nearest point of it.
//
// The nearest y to p has y_g = p_g shortened to min(|p_g|, μ_g y_n), so that y_n alone is to be found:
//   y_n − p_n = Σ_g μ_g (|p_g| − μ_g y_n)₊,   y_n ≥ 0                                                              (1)
// The right-hand side falls, in straight pieces that end at |p_g|/μ_g: with the groups in falling order of these, y_n is
//   (p_n + Σ_{g ≤ k} μ_g |p_g|) / (1 + Σ_{g ≤ k} μ_g²)                                                             (2)
// for the first k for which it is not below the next end.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/contact/cone_of_three.h"
#include "marey/contact/cone_problem.h"

namespace marey {

struct FrictionGroup {
  int first = 0, rows = 0;  // first: after the normal row, which is 0
  double coefficient = 0;   // μ_g
};
struct FrictionCone {
  int count = 0;
  std::array<FrictionGroup, 3> groups{};
};
// Of a contact, P being in its own units.
FrictionCone cone_of(const RowBlock&);

// The nearest y of the cone to p, and which groups lie on their bounds.
struct ConeProjection {
  double y_n = 0;
  std::array<bool, 3> at_bound{};
  std::array<double, 3> length{};  // |p_g|
};
ConeProjection project(const FrictionCone&, const double* p, double* y);

double length_of(const FrictionGroup&, const double* p);

}  // namespace marey
