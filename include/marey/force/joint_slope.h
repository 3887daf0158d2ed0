// What the force of an element in a joint depends on.
#pragma once

#include <array>

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

// −∂τ/∂q of what depends on coordinates, as far as it is symmetric, in the freedoms of the joint from `first` on.
struct JointStiffness {
  int first = 0, rows = 0;
  std::array<double, 9> K{};  // [rows × rows]
};
// False: not known but by derivatives of its force.
bool stiffness_in_joint(const Element&, const Instant<double>&, std::span<const double> modes, JointStiffness&);

// A bound of the rates of an element's switches within a step that ends at an instant, by the velocities at both of its ends;
// infinite where there is none.
double fastest_switch(const Element&, const Instant<double>& end, std::span<const double> v_start, double h);

}  // namespace marey
