// Shared by both kinds of Newton's attraction. Towards a point at r, with s the softening,
//   V = −μ/√(r² + s²),   f = −μ r/(r² + s²)^{3/2}
#pragma once

#include <cmath>

#include "marey/scalar.h"
#include "marey/spatial.h"

namespace marey {

// 1/√(r² + s²)
template <class T>
T inverse_distance(const Vec3<T>& r, double softening) {
  return T(1) / sqrt(norm_squared(r) + T(softening * softening));
}

// ω² of a circular orbit of this radius.
inline double rate_of_circle_squared(double strength, const Vec3<double>& r, double softening) {
  const double d = std::sqrt(norm_squared(r) + softening * softening);
  return d > 0 ? strength / (d * d * d) : 0;
}

}  // namespace marey
