// Surfaces of solids as triangles, for pictures and for other programs: they carry no mass and touch nothing.
#pragma once

#include <array>
#include <vector>

#include "marey/shape.h"
#include "marey/shape/mesh.h"

namespace marey {

struct Triangles {
  std::vector<Vec3<double>> vertices,
      normals;  // as many of one as of the other; an edge has a vertex for each of its sides
  std::vector<std::array<int, 3>> corners;  // counterclockwise seen from outside
};
// Of a round solid `around` vertices on each circle: their chords leave out 1 − cos(π/around) of the radius.
Triangles triangles_of(const Solid&, int around = 24);

// The surface of a hull with a ball swept over it: of points on the balls around its vertices the hull.
Mesh rounded_mesh(const ConvexHull&, double rounding);
// Unit normals at the corners of each triangle. Faces that meet at less than 40° count as one curved surface: the normals of
// those around a corner are averaged, weighted by their angles there.
std::vector<std::array<Vec3<double>, 3>> corner_normals(const Mesh&);
// The cosine of that angle.
double cosine_of_a_crease();
Vec3<double> triangle_normal(const Mesh&, const std::array<int, 3>& triangle);

}  // namespace marey
