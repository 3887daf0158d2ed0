// What elements tell the step-size adviser (adviser.cpp): rows g with a constant, where g x is the rate of the angle or
// displacement through which an element acts.
#pragma once

#include <array>
#include <vector>

#include "marey/force.h"

namespace marey {

// One row g with its constant. Through a joint: g x = a · (three of the joint's velocities, from `first` on). On a link:
// g x = a · w_WB + b · v_WBo.
struct AdviserRow {
  int link;
  bool through_joint;
  Vec3<double> a, b;
  double k;
  int source;     // elements first, then gravity on link source − n
  int other = 0;  // a second link that the row reads with a_other, b_other; 0: none
  Vec3<double> a_other{}, b_other{};
  int first = 0;
};

struct AdviserRows {
  const Instant<double>& at;
  std::vector<AdviserRow> springs, dampers;
  int source = 0;  // whose rows these are

  // Displacements of a point and turns of its link, three directions each.
  void on_point(std::vector<AdviserRow>& rows, int link, const Vec3<double>& point_B, double k, double turning_k) const;
  void on_center(std::vector<AdviserRow>& rows, int link, double k) const { on_point(rows, link, com_B(link), k, 0); }
  // The same in one direction, u of length 1 in the axes of W.
  void on_center(std::vector<AdviserRow>& rows, int link, const Vec3<double>& u, double k) const;
  // Degrees of freedom of a joint: g x = gradient · (its velocities from `first` on).
  void in_joint(std::vector<AdviserRow>& rows, int link, const Vec3<double>& gradient, int first, double k) const;
  // The length between two points.
  void between(std::vector<AdviserRow>& rows, const Anchor& a, const Anchor& b, double k) const;
  // A named angle; where it has no gradient, its axis.
  void along_angle(std::vector<AdviserRow>& rows, int link, const NamedAngle&, double k) const;

  double mass(int link) const;
  Vec3<double> com_B(int link) const;
  Vec3<double> center(int link) const;
};

// Two unit vectors across a.
std::array<Vec3<double>, 2> across(const Vec3<double>& a);
// The axis an angle turns about at the neutral pose of its joint.
Vec3<double> axis_of(const Model&, int link, const NamedAngle&);
double largest(const TimeTable&);

inline constexpr Vec3<double> unit_vectors[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

}  // namespace marey
