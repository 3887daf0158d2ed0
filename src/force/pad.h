// What gives way below a foot (Pad of marey/force/footing.h): its two parts, and the energy that the first one stores.
#pragma once

#include <cmath>

#include "marey/force/footing.h"
#include "marey/scalar.h"

namespace marey {

// Of a curve at a depth ≥ 0: the force, its slope and its integral. Between knots h apart, with t from 0 to 1 and slopes m, the cubic
//   f = f₀ (1 + 2t)(1 − t)² + m₀ h t (1 − t)² + f₁ t² (3 − 2t) − m₁ h t² (1 − t)                                     (1)
struct OnCurve {
  double force = 0, slope = 0, energy = 0;
};
OnCurve on_curve(const Pad::Curve&, double depth);

inline bool has_curves(const Pad& pad) { return !pad.at_rest.depth.empty(); }

struct PadNow {
  double force = 0, slope = 0, energy = 0;  // static
  double damping = 0, damping_slope = 0;
};
PadNow pad_at(const Pad&, double depth);

// f(x) for a scalar x, of a number and its slope there.
inline double along_slope(double value, double, const double&) { return value; }
template <class T>
T along_slope(double value, double slope, const T& x) {
  return T(value) + T(slope) * (x - T(value_of(x)));
}

}  // namespace marey
