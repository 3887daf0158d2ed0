#include "render/lighting.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "marey/shape/ray_slabs.h"
#include "render/backdrop.h"

namespace marey::render {
namespace {

// Points spread evenly over the unit disc.
Point2 sunflower(int i, int n) {
  const double r = std::sqrt((i + 0.5) / n), a = i * std::numbers::pi * (3 - std::sqrt(5.0));
  return {r * std::cos(a), r * std::sin(a)};
}

// Whether something is in the way within a given distance.
bool blocked(const Crowd& crowd, const Vec& from, const Vec& direction, double within) {
  constexpr double found = -1;  // no box costs less: the walk is over
  const RaySlabs slabs(from, direction);
  bool is_blocked = false;
  crowd.tree.walk_nearest(
      within, [&](const Bounds& box) { return slabs.entry(box); },
      [&](int i) {
        if (is_blocked) return found;
        const Prim& p = (*crowd.prims)[static_cast<std::size_t>(i)];
        const double t = hit(p, transpose_times(p.X_WS.R, from - p.X_WS.p), transpose_times(p.X_WS.R, direction));
        is_blocked = t > 0 && t < within;
        return is_blocked ? found : within;
      });
  return is_blocked;
}

// A direction given relative to z, rotated to be relative to n.
Vec about(const Vec& n, const Vec& d) {
  const double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
  const Vec u{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, v{b, sign + n.y * n.y * a, -n.y};
  return d.x * u + d.y * v + d.z * n;
}

}  // namespace

Lights set_lights(const Camera& camera, int samples_per_pixel) {
  Lights lights;
  const Vec towards{-camera.forward.x, -camera.forward.y, 0};
  const double flat = norm(towards);
  const Vec front = flat > 1e-9 ? (1 / flat) * towards : Vec{};
  const Vec key = Vec{0, 0, 0.8} - 0.42 * camera.right + 0.42 * front;
  lights.key = (1 / norm(key)) * key;
  Vec side = cross(lights.key, camera.right);
  side = (1 / norm(side)) * side;
  const Vec other = cross(lights.key, side);
  for (int i = 0; i < samples_per_pixel; ++i) {
    const Point2 p = sunflower(i, samples_per_pixel);
    const Vec d = lights.key + 0.22 * p.x * side + 0.22 * p.y * other;
    lights.key_fan.push_back((1 / norm(d)) * d);
    lights.sky_fan.push_back({p.x, p.y, std::sqrt(std::max(0.0, 1 - p.x * p.x - p.y * p.y))});
  }
  return lights;
}

Crowd crowd_of(const std::vector<Prim>& prims) {
  std::vector<Bounds> boxes;
  boxes.reserve(prims.size());
  for (const Prim& p : prims) boxes.push_back(bounds_in_W(p));
  return {&prims, BoxTree(boxes)};
}

Colour lit(const Lights& lights, const Crowd& crowd, const Colour& colour, const Vec& p_W, const Vec& n, double facing,
           double scale, int sample) {
  const Vec from = p_W + 1e-4 * scale * n;
  const double lambert = dot(n, lights.key);
  double key = smooth(-0.25, 1.0, lambert);  // wrapped around: soft at the edge of the light
  if (lambert > 0 && blocked(crowd, from, lights.key_fan[sample], 1e300)) key *= 0.3;
  const double open = blocked(crowd, from, about(n, lights.sky_fan[sample]), 0.16 * scale) ? 0.4 : 1.0;
  const double sky = 0.75 + 0.25 * n.z;
  const double outline = 1 - 0.5 * std::pow(1 - facing, 4);
  return (outline * (0.42 * sky * open + 0.64 * key)) * colour;
}

}  // namespace marey::render
