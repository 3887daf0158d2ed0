// What the force of an element in a joint depends on.
#pragma once

#include "marey/force.h"

namespace marey {

// As long as its modes stay: on nothing of the joint; on one of its velocities, or each of them (−1), by a constant coefficient, as
// friction; on its coordinates; or on these and their velocities.
struct JointSlope {
  enum class Kind { none, friction, of_coordinates, of_both };
  Kind kind = Kind::none;
  double coefficient = 0;  // of friction
  int freedom = -1;        // likewise
};
JointSlope slope_in_joint(const Element&, std::span<const double> modes);

}  // namespace marey
