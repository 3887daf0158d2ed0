// make_convex_hull() for who knows how thick faces are.
#pragma once

#include <vector>

#include "marey/shape/convex.h"

namespace marey {

// How far vertices may be above or below their faces, m; below 0: what make_convex_hull() takes.
ConvexHull join_hull(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops, double thickness);

}  // namespace marey
