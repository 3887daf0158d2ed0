// A pinhole camera, and how it finds its place.
#pragma once

#include <functional>
#include <vector>

#include "render/solid_rays.h"

namespace marey::render {

struct Point2 {
  double x = 0, y = 0;  // pixels, from the upper left corner; y down
};

// Axes in W, right-handed as (right, up, −forward). A point at depth z along `forward` appears at centre + focal
// (right, −up) / z.
struct Camera {
  Vec eye, right, up, forward;
  double focal = 1;  // pixels
  Point2 centre;     // pixels
};

// Direction only; looking at the motion from azimuth and elevation (rad).
Camera looking_from(double azimuth, double elevation, int width, int height);

double depth(const Camera&, const Vec& p_W);
Point2 project(const Camera&, const Vec& p_W);
// Direction through a pixel, with unit depth.
Vec ray_through(const Camera&, double x, double y);

struct Box2 {
  double x0 = 1e300, y0 = 1e300, x1 = -1e300, y1 = -1e300;
  void add(const Box2& b);
};
// Bounds of a ball in the picture, exact; for a solid, those of the balls that contain it.
Box2 bounds(const Camera&, const Ball&);
Box2 bounds(const Camera&, const Prim&);

struct Margins {
  double left, right, top, bottom;  // pixels
};
// Moves the eye to the nearest place from which everything lies within the margins. `reach` gives the largest
// n · x over all points to be shown, for any n. The answer is exact: each side of the frustum is one plane,
// and a plane touches the points at their support in its direction.
void fit(Camera&, int width, int height, const Margins&, const std::function<double(const Vec&)>& reach);

}  // namespace marey::render
