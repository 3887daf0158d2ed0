// Outlines of solids in the picture.
#pragma once

#include <vector>

#include "render/camera.h"

namespace marey::render {

using Polygon = std::vector<Point2>;

// Smallest convex polygon around points, counter-clockwise as (x right, y up) (Andrew's monotone chain).
Polygon convex_hull(std::vector<Point2> points);

// Points in W whose outline, seen from the eye, is that of the solid: corners of a box, rims of a cylinder, circles of
// a capsule's balls and of an ellipsoid where the line of sight touches them; `around` points per circle.
std::vector<Vec> outline_points(const Prim&, const Vec& eye, int around);
Polygon outline(const Camera&, const Prim&);

// The flat faces of a box or a cylinder that face the eye.
struct Face {
  Polygon polygon;
  Vec normal;  // in W
};
std::vector<Face> visible_faces(const Camera&, const Prim&);

}  // namespace marey::render
