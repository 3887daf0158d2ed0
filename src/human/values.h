// Numbers as values of a scene.
#pragma once

#include <fmt/core.h>

#include <cmath>

#include "marey/spatial.h"
#include "marey/spec.h"

namespace marey {

// Seven digits, for what is seen and touched.
inline Value brief(double x) { return Value(fmt::format("{:.7g}", std::abs(x) < 1e-9 ? 0.0 : x)); }
inline Value value_of(const Vec3<double>& a) { return Value::list({brief(a.x), brief(a.y), brief(a.z)}); }
inline Value exact(const Vec3<double>& a) { return Value::list({Value(a.x), Value(a.y), Value(a.z)}); }

}  // namespace marey
