// Numbers that are given as functions of time: scripts of joints, forces and torques.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "marey/force/formula.h"

namespace marey {

// How a table is joined between its knots. Before the first and after the last one it is constant.
enum class Join {
  smooth,  // two continuous derivatives, never beyond the two knots between which it is; at rest at both ends
  spline,  // a cubic spline, at rest at both ends; it may swing beyond its knots
  linear,  // straight lines: the rate jumps at knots
  hold,    // each value until the next knot
};
inline constexpr std::array<const char*, 4> join_names{"smooth", "spline", "linear", "hold"};

// A formula in t, or a table.
struct TimeFunction {
  struct AtTime {
    double value = 0, rate = 0, acceleration = 0;
  };
  AtTime at(double t) const { return at(t, t); }
  // Knots end steps (next_knot). At a knot where the function or a derivative jumps, a step that began at `since`, before the
  // knot, sees the side on which it lies.
  AtTime at(double t, double since) const;
  bool is_table() const { return !t.empty(); }

  Formula formula;  // used where there are no knots
  Join join = Join::spline;
  std::vector<double> t, value, slope;
  std::vector<double> bend;  // the second derivative at each knot; of smooth ones alone
};
TimeFunction constant_in_time(double);
// Where the number of such a function is, if it is one; else null.
double* constant_of(TimeFunction&);
bool is_constant(const TimeFunction&);  // a formula that does not read t, or a table of one value
// Times ascend; at least two knots.
TimeFunction curve_in_time(Join, std::vector<double> t, std::vector<double> value);
inline TimeFunction spline_in_time(std::vector<double> t, std::vector<double> value) {
  return curve_in_time(Join::spline, std::move(t), std::move(value));
}

// The first knot after t; none: infinity. And the first at which one of the two derivatives, or the value, jumps.
double next_knot(const TimeFunction&, double t);
double next_kink(const TimeFunction&, double t);
// A knot this close to t is at t.
double same_knot(double t);

}  // namespace marey
