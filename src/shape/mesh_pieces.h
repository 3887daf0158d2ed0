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
Vec3<double> nearest_on_triangle(const std::array<Vec3<double>, 3>& x, const Vec3<double>& p);

}  // namespace marey
