// Convex hulls of points: polygons, what lies beside what, and a rounding of edges and corners if wished.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/shape/convex.h"
#include "marey/shape/mesh.h"

namespace marey {

// The core is a convex polyhedron; the hull is all that is within `rounding` of it. Face f has the sides first[f] …
// first[f + 1] − 1; side k goes from the vertex corners[k] to that of the next side of its face.
struct PointHull {
  std::vector<Vec3<double>> vertices;  // in the frame S of the shape, in the order of the points they were among
  std::vector<int> corners;            // [sides] vertices; counterclockwise seen from outside
  std::vector<int> first;              // [faces + 1]
  std::vector<int> face_of;            // [sides]
  std::vector<int> opposite;           // [sides] the same edge, as a side of the face beyond it
  std::vector<Vec3<double>> normals;   // [faces] unit, outwards
  std::vector<double> offsets;         // [faces] normal · r for the outermost corner of the face
  std::vector<int> beside;             // for all vertices, one after another: those at the other ends of their edges
  std::vector<int> first_beside;       // [vertices + 1]
  double rounding = 0;                 // m

  int face_count() const { return static_cast<int>(first.size()) - 1; }
  int edge_count() const { return static_cast<int>(corners.size()) / 2; }
  std::span<const int> face(int f) const {
    return std::span(corners).subspan(index(first[index(f)]), index(first[index(f) + 1] - first[index(f)]));
  }
  int next(int side) const {
    const int f = face_of[index(side)];
    return side + 1 == first[index(f) + 1] ? first[index(f)] : side + 1;
  }
};

enum class HullReason {
  too_few_points,  // fewer than four that differ
  not_finite,
  out_of_range,
  bad_rounding,  // a radius that is negative or no number
  collinear,     // all points in a line
  coplanar,      // all points in a plane
  too_thin,      // not quite in a plane, but too nearly so for qhull
};
const char* name_of(HullReason);

class InvalidHull : public Error {
 public:
  InvalidHull(HullReason reason, const std::string& message) : Error(ErrorKind::bad_input, message), reason_(reason) {}
  HullReason reason() const { return reason_; }

 private:
  HullReason reason_;
};

// By qhull (Barber, Dobkin, Huhdanpaa: The quickhull algorithm for convex hulls, ACM TOMS 22, 1996). Points may be repeated
// and lie within; faces in one plane, to round-off, are one polygon. Throws InvalidHull.
PointHull hull_of_points(std::span<const Vec3<double>> points, double rounding = 0);

// As queries about distance and contact take it, without the rounding, which is a margin there.
ConvexHull convex_hull_of(const PointHull&);
// The faces as triangles (without the rounding).
Mesh mesh_of(const PointHull&);
// Of the homogeneous solid, with its rounding.
SolidMass solid_mass(const PointHull&, double density);

}  // namespace marey
