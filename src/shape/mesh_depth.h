// How deep a region is that two solids, one of them a mesh, have in common.
#pragma once

#include "shape/mesh_contact.h"

namespace marey {

// The largest distance of a vertex of one mesh, inside the other, from the other's surface: the region is at least that deep.
// Stops as soon as it is above `enough`.
double depth_of_vertices(const OverlapRegion&, const MeshSolid& a, const MeshSolid& b, const Transform<double>& X_AB,
                         double enough);

// Appends the manifold of a region: one normal, up to four columns along it.
void add_region_manifold(const OverlapRegion&, const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                         const Transform<double>& X_AB, QueryScratch::Memory&, std::vector<Manifold>& out);

}  // namespace marey
