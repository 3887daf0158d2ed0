// Fitting. With the eye at −d forward + a right + b up (from some origin), a point (x, y, z) in camera axes
// lies left of the right side of the frustum when x − a ≤ k (z + d), k = tangent of that side's angle. So
//   a + k_r d ≥ A = max(x − k_r z),   −a + k_l d ≥ B = max(−x − k_l z), (1)
// both hold first at d = (A + B)/(k_r + k_l), and for larger d the slack in a is split evenly. Likewise for y.
#include "render/camera.h"

#include <algorithm>
#include <cmath>

namespace marey::render {
namespace {

struct Span {
  double upper, lower;  // A, B of (1)
  double k_upper, k_lower;
  double distance() const { return (upper + lower) / (k_upper + k_lower); }
  double middle(double d) const { return 0.5 * ((upper - k_upper * d) + (k_lower * d - lower)); }
};

}  // namespace

Camera looking_from(double azimuth, double elevation, int width, int height) {
  const double ca = std::cos(azimuth), sa = std::sin(azimuth), ce = std::cos(elevation), se = std::sin(elevation);
  Camera c;
  c.forward = {-ca * ce, -sa * ce, -se};
  c.right = {-sa, ca, 0};
  c.up = cross(c.right, c.forward);
  constexpr double half_view = 0.245;  // rad, across the longer edge: a long lens, little distortion
  c.focal = 0.5 * std::max(width, height) / std::tan(half_view);
  c.centre = {0.5 * width, 0.5 * height};
  return c;
}

double depth(const Camera& c, const Vec& p) { return dot(c.forward, p - c.eye); }

Point2 project(const Camera& c, const Vec& p) {
  const Vec r = p - c.eye;
  const double s = c.focal / dot(c.forward, r);
  return {c.centre.x + s * dot(c.right, r), c.centre.y - s * dot(c.up, r)};
}

Vec ray_through(const Camera& c, double x, double y) {
  return c.forward + ((x - c.centre.x) / c.focal) * c.right - ((y - c.centre.y) / c.focal) * c.up;
}

void Box2::add(const Box2& b) {
  x0 = std::min(x0, b.x0), y0 = std::min(y0, b.y0), x1 = std::max(x1, b.x1), y1 = std::max(y1, b.y1);
}

Box2 bounds(const Camera& c, const Ball& ball) {
  const Vec r = ball.centre - c.eye;
  const double z = dot(c.forward, r), radius = ball.radius;
  if (z <= radius) return {-1e6, -1e6, 1e6, 1e6};  // around the eye: anywhere
  // Tangents from the eye to the ball's cross-section in the plane of `axis` and forward.
  const auto range = [&](double x, double& low, double& high) {
    const double root = radius * std::sqrt(x * x + z * z - radius * radius), below = z * z - radius * radius;
    low = (x * z - root) / below, high = (x * z + root) / below;
  };
  double xl, xh, yl, yh;
  range(dot(c.right, r), xl, xh);
  range(-dot(c.up, r), yl, yh);
  return {c.centre.x + c.focal * xl, c.centre.y + c.focal * yl, c.centre.x + c.focal * xh, c.centre.y + c.focal * yh};
}

Box2 bounds(const Camera& c, const Prim& prim) {
  std::vector<Ball> balls;
  append_balls(prim, balls);
  Box2 box;
  for (const Ball& b : balls) box.add(bounds(c, b));
  return box;
}

void fit(Camera& c, int width, int height, const Margins& m, const std::function<double(const Vec&)>& reach) {
  const auto span = [&](const Vec& axis, double k_upper, double k_lower) {
    return Span{reach(axis - k_upper * c.forward), reach(-axis - k_lower * c.forward), k_upper, k_lower};
  };
  const Span x = span(c.right, (width - m.right - c.centre.x) / c.focal, (c.centre.x - m.left) / c.focal);
  const Span y = span(c.up, (c.centre.y - m.top) / c.focal, (height - m.bottom - c.centre.y) / c.focal);
  // Never inside what is shown: the eye stays in front of the nearest point.
  const double nearest = -reach(-c.forward), farthest = reach(c.forward);
  const double clear = -nearest + 0.05 * (farthest - nearest) + 1e-6;
  const double d = std::max({x.distance(), y.distance(), clear});
  c.eye = x.middle(d) * c.right + y.middle(d) * c.up - d * c.forward;
}

}  // namespace marey::render
