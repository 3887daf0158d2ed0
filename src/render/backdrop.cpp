#include "render/backdrop.h"

#include <algorithm>
#include <cmath>

namespace marey::render {

double smooth(double low, double high, double x) {
  const double s = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

Backdrop::Backdrop(const Stage& stage, const Vec& light, bool shadows, int threads)
    : stage_(stage), shown_(stage.ground.shown && stage.camera.eye.z > stage.ground.level) {
  if (shown_ && shadows) shadows_ = std::make_unique<ShadowMap>(stage, light, threads);
}

double Backdrop::depth(double x, double y) const {
  if (!shown_) return 1e300;
  const double fall = ray_through(stage_.camera, x, y).z;
  return fall < -1e-9 ? (stage_.ground.level - stage_.camera.eye.z) / fall : 1e300;
}

bool Backdrop::on_ground(double x, double y, Point2& out) const {
  const double t = depth(x, y);
  if (t > 1e12) return false;
  const Vec p = stage_.camera.eye + t * ray_through(stage_.camera, x, y);
  out = {p.x, p.y};
  return true;
}

Colour Backdrop::colour(double x, double y) const {
  const Theme& theme = *stage_.theme;
  Point2 p, right_of_p, below_p;
  if (!on_ground(x, y, p) || !on_ground(x + 1, y, right_of_p) || !on_ground(x, y + 1, below_p)) return theme.background;
  const Ground& g = stage_.ground;
  const double away = std::hypot(p.x - g.middle.x, p.y - g.middle.y) / g.radius;
  const double near = 1 - smooth(0.45, 2.0, away);
  if (near <= 0) return theme.background;
  Colour c = mix(theme.background, theme.ground, near);
  c = mix(c, theme.grid, near * grid_cover(p, right_of_p, below_p));
  if (shadows_) c = mix(c, theme.shadow, 0.9 * near * shadows_->at(p.x, p.y));
  return c;
}

// The fraction of a pixel covered by grid lines about one pixel wide; where lines crowd towards the horizon they fade.
double Backdrop::grid_cover(const Point2& p, const Point2& right_of_p, const Point2& below_p) const {
  const double s = stage_.ground.spacing, wide = 0.0011 * std::min(stage_.width, stage_.height);
  const auto lines = [&](double at, double foot) {
    const double cell = at / s, off = std::abs(cell - std::round(cell)) * s;
    const double crowd = smooth(0.08, 0.3, foot / s);
    return (1 - crowd) * std::min(1.0, wide) * std::clamp(0.5 * std::max(1.0, wide) + 0.5 - off / foot, 0.0, 1.0);
  };
  const double fx = std::hypot(right_of_p.x - p.x, below_p.x - p.x);
  const double fy = std::hypot(right_of_p.y - p.y, below_p.y - p.y);
  return std::max(lines(p.x, fx), lines(p.y, fy));
}

}  // namespace marey::render
