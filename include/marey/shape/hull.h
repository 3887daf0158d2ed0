// Convex hulls of points, and what they weigh, with their edges and corners rounded if wished.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/shape/convex.h"
#include "marey/shape/mesh.h"

namespace marey {

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
// and lie within; faces in one plane, to round-off, are one polygon. Vertices are in the order of the points they were among.
// Throws InvalidHull.
ConvexHull hull_of_points(std::span<const Vec3<double>> points);

// The faces as triangles.
Mesh mesh_of(const ConvexHull&);
// Of the homogeneous solid of all that is within `rounding` of the hull (a margin, in queries). Throws InvalidHull where the
// rounding is no radius.
SolidMass solid_mass(const ConvexHull&, double density, double rounding = 0);

}  // namespace marey
