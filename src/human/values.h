// Numbers as values of a scene.
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "marey/spatial.h"
#include "marey/spec.h"

namespace marey {

// Seven digits, for what is seen and touched. What lies in the middle of two such numbers, as sums of given lengths do, goes outward whatever
// rounding has left of it.
inline Value brief(double x) {
  constexpr double outward = 1 + 1e-13;
  return Value(fmt::format("{:.7g}", std::abs(x) < 1e-9 ? 0.0 : outward * x));
}
inline Value value_of(const Vec3<double>& a) { return Value::list({brief(a.x), brief(a.y), brief(a.z)}); }
inline Value exact(const Vec3<double>& a) { return Value::list({Value(a.x), Value(a.y), Value(a.z)}); }

}  // namespace marey
