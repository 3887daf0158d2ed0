// Paths that meet themselves.
#pragma once

#include <optional>

#include "marey/constraint.h"

namespace marey {

// A point at which two stretches of the path meet, or none.
std::optional<Vec3<double>> where_it_crosses(const SplinePath&);

}  // namespace marey
