// make_convex_hull() for who knows how thick faces are, and a part of it.
#pragma once

#include <vector>

#include "marey/shape/convex.h"

namespace marey {

// How far vertices may be above or below their faces, m; below 0: what make_convex_hull() takes.
ConvexHull join_hull(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops, double thickness);

// Fill in ConvexHull::packed (src/shape/octants.cpp): for all octants all vertices, or for each its own. The first keeps its
// memory, and allocates nothing where as many fitted before.
void pack_all(ConvexHull&);
void pack_octants(ConvexHull&);

}  // namespace marey
