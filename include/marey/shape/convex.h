// Convex solids as queries about distance and contact see them: a core, which has closed support functions, and a
// margin, the radius of a ball swept over the core.
//
//   solid = core ⊕ ball(margin)      h_solid(d) = h_core(d) + margin |d|
//
// with h(d) = max d · x the support function. A sphere is a point with a margin, a capsule a segment with a margin; any
// other kind has margin 0 unless it is rounded on purpose. Frames: S is the solid's own, as in shape.h.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "marey/shape.h"
#include "marey/shape/bounds.h"

namespace marey {

// A convex polyhedron with volume. Faces that lie in one plane are one face. make_convex_hull() fills all of it from
// `vertices` and the loops of the faces, and refuses what is not convex and closed.
struct ConvexHull {
  struct Face {
    Vec3<double> normal;       // outwards, of unit length
    double offset = 0;         // the solid is where normal · x ≤ offset
    int first = 0, count = 0;  // its vertices are loops[first … first + count), counter-clockwise seen from outside
  };
  struct Edge {
    int from = 0, to = 0;     // vertices
    int left = 0, right = 0;  // faces: the loop of `left` runs from → to, that of `right` to → from
  };
  std::vector<Vec3<double>> vertices;
  std::vector<Face> faces;
  std::vector<int> loops;               // vertices of the faces, one face after the other
  std::vector<int> loop_edges;          // the edge from loops[k] to the next vertex of its face
  std::vector<Edge> edges;              // each once, from < to, sorted by (from, to)
  std::vector<int> neighbor_first;      // [vertices + 1] where a vertex's neighbours begin
  std::vector<int> neighbors;           // vertices joined to it by an edge, counter-clockwise seen from outside
  std::vector<int> ring_faces;          // beside neighbors: the face between that neighbour and the next
  std::vector<int> ring_edges;          // beside neighbors: the edge to it
  std::vector<Vec3<double>> ring_ways;  // beside neighbors: the unit vector to it
  std::array<int, 8> corner{};          // a vertex farthest along (±1, ±1, ±1), bits 0, 1, 2 for negative x, y, z
  Vec3<double> center;                  // mean of the vertices
  double reach = 0;                     // largest distance of a vertex from the origin of S
  // The vertices again, eight at a time: for each octant of directions (bits as in `corner`) those that can be farthest along
  // one of them, the last repeated to the end. Empty where there are so many vertices that climbing from neighbour to
  // neighbour finds the farthest one sooner than looking at them all.
  struct alignas(64) Eight {
    double x[8], y[8], z[8];
  };
  struct Octant {
    int first = 0, count = 0;  // of packed
  };
  std::vector<Eight> packed;
  std::vector<int> packed_vertices;  // [8 packed] which they are
  std::array<Octant, 8> octants{};

  std::span<const int> loop(const Face& f) const {
    return std::span(loops).subspan(static_cast<std::size_t>(f.first), static_cast<std::size_t>(f.count));
  }
};
// Loops are counter-clockwise seen from outside. Throws Error(bad_input) with the reason: an open or crossed surface, a
// face that is bent or not convex, a vertex outside a face's plane, no volume, numbers that are not finite.
ConvexHull make_convex_hull(std::vector<Vec3<double>> vertices, const std::vector<std::vector<int>>& loops);

// A triangle, which has no inside, is what queries about meshes take apart; it is not counted among the solids.
enum class ConvexKind : unsigned char { plane, sphere, capsule, box, cylinder, cone, ellipsoid, hull, triangle };
inline constexpr int convex_kind_count = 8;
const char* name_of(ConvexKind);

struct Convex {
  ConvexKind kind = ConvexKind::sphere;
  // box: half the edges; ellipsoid: radii; cylinder, cone: radius, radius, half the length; capsule: 0, 0, half the
  // length of its segment; else 0
  Vec3<double> half;
  double margin = 0;
  std::shared_ptr<const ConvexHull> hull;                 // of kind hull
  const std::array<Vec3<double>, 3>* triangle = nullptr;  // of kind triangle: its corners, which belong to the caller
};
// The half space z ≤ 0 of S.
Convex convex_plane();
Convex convex_sphere(double radius);
Convex convex_capsule(double radius, double length);  // length of the cylindrical part
Convex convex_box(const Vec3<double>& size, double margin = 0);
Convex convex_cylinder(double radius, double length, double margin = 0);
// The base is at z = −length/2, the tip at z = +length/2.
Convex convex_cone(double radius, double length, double margin = 0);
Convex convex_ellipsoid(const Vec3<double>& radii, double margin = 0);
Convex convex_hull(std::shared_ptr<const ConvexHull>, double margin = 0);
Convex convex_of(const Solid&);

// A point of the solid that is farthest along d, which may have any length but 0. In S. A plane has one only along its
// normal.
Vec3<double> support(const Convex&, const Vec3<double>& d_S);
// max d · x over the solid.
double support_value(const Convex&, const Vec3<double>& d_S);
// The radius of a ball about So that holds the solid; infinite for a plane.
double reach(const Convex&);

// The smallest one that holds the solid (planes: infinite in all directions in which they are).
Bounds bounds_in_world(const Convex&, const Transform<double>& X_WS);

}  // namespace marey
