// Triangles of a mesh as queries take them.
#pragma once

#include <array>
#include <span>

#include "marey/core/index.h"
#include "marey/shape/collider.h"

namespace marey {

inline std::array<Vec3<double>, 3> corners_of(const MeshSolid& solid, int t) {
  const std::array<int, 3>& v = solid.mesh.triangles[index(t)];
  return {solid.mesh.vertices[index(v[0])], solid.mesh.vertices[index(v[1])], solid.mesh.vertices[index(v[2])]};
}
inline std::span<const int> sides_at(const MeshSolid& solid, int vertex) {
  const std::size_t from = index(solid.first_around[index(vertex)]), to = index(solid.first_around[index(vertex) + 1]);
  return std::span(solid.around).subspan(from, to - from);
}
// The convex form of a mesh that is filled but for it (mesh_hull.cpp); null where it is not convex.
std::shared_ptr<const MeshHull> convex_form(const MeshSolid&);
// A feature of the polyhedron by its name on the mesh.
Feature name_on_mesh(const MeshHull&, const Feature&);
Vec3<double> nearest_on_triangle(const std::array<Vec3<double>, 3>& x, const Vec3<double>& p);

}  // namespace marey
