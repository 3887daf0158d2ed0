// Surfaces of triangles, ready to be drawn: of meshes, and of hulls with their rounding.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "marey/shape.h"
#include "marey/shape/mesh.h"

namespace marey::render {

struct Surface {
  Mesh mesh;  // about the middle of its bounding box, which is So of what is drawn
  BoxTree tree;
  Vec3<double> middle;  // of the bounding box, in the frame of the solid
  std::vector<std::array<Vec3<double>, 3>>
      normals;                                     // [triangles][corners]: averaged over neighbours in a smooth surface
  std::vector<std::array<Vec3<double>, 2>> edges;  // where faces meet at an angle; of a rounded hull those within
  std::vector<Vec3<double>> corners;               // of its convex hull
  double reach = 0;                                // of the farthest corner from the middle
  std::shared_ptr<const void> made_from;           // kept, so that nobody else gets its address
};

// Made once for as long as somebody draws it.
std::shared_ptr<const Surface> surface_of(const Hull&);
std::shared_ptr<const Surface> surface_of(const Polyhedron&);

// Normal at the place where a ray met a triangle.
Vec3<double> smooth_normal(const Surface&, int triangle, const Vec3<double>& at);

}  // namespace marey::render
