// The horizontal spread of all solids over all instants is an ellipse; the camera looks along its short axis,
// turned and raised more the rounder the ellipse is (a planar motion is seen almost flat). Of the two sides it
// takes the one from which time runs to the right, and it turns so that the newest instants come nearer.
#include "render/view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/backdrop.h"

namespace marey::render {
namespace {

constexpr double degree = std::numbers::pi / 180;

Vec mean_place(const Exposure& instant) {
  Vec sum;
  for (const Prim& p : instant.prims) sum += p.X_WS.p;
  return (1.0 / std::max<std::size_t>(1, instant.prims.size())) * sum;
}

double width_along(const Stage& stage, const Vec& n) {
  double high = -1e300, low = 1e300;
  for (const Exposure& i : stage.instants)
    for (const Prim& p : i.prims) high = std::max(high, reach(p, n)), low = std::min(low, -reach(p, -n));
  return high - low;
}

// Angle of the long axis of the spread, in (−π/2, π/2].
double long_axis(const Stage& stage) {
  Vec mean;
  double count = 0;
  for (const Exposure& i : stage.instants)
    for (const Prim& p : i.prims) mean += p.X_WS.p, count += 1;
  mean = (1 / std::max(1.0, count)) * mean;
  double xx = 0, yy = 0, xy = 0;
  std::vector<Ball> balls;
  for (const Exposure& i : stage.instants)
    for (const Prim& p : i.prims) append_balls(p, balls);
  for (const Ball& b : balls) {
    const Vec r = b.centre - mean;
    xx += r.x * r.x, yy += r.y * r.y, xy += r.x * r.y;
  }
  if (std::hypot(xx - yy, 2 * xy) < 1e-9 * (xx + yy) || xx + yy == 0) return 0;
  return 0.5 * std::atan2(2 * xy, xx - yy);
}

}  // namespace

Camera choose_view(const Stage& stage, const StrobeOptions& options) {
  const double along = long_axis(stage);
  const Vec u{std::cos(along), std::sin(along), 0}, across{-u.y, u.x, 0};
  const double wide = width_along(stage, u), thick = width_along(stage, across);
  const double tall = width_along(stage, {0, 0, 1});
  // Spread side by side, the instants make a frieze: flat.
  const double round = options.spread != 0 ? 0 : smooth(0.2, 0.75, thick / std::max({wide, 0.6 * tall, 1e-12}));

  const double going = dot(u, mean_place(stage.instants.back()) - mean_place(stage.instants.front()));
  // To the right of a camera at azimuth a lies a + 90°: a = along − 90° shows u to the right.
  const bool other_side = going < -0.05 * wide;
  const double turn = (6 + 26 * round) * degree;
  double azimuth = along - 90 * degree + (other_side ? 180 * degree : 0) + turn;
  if (options.azimuth) azimuth = *options.azimuth;
  const double elevation = options.elevation ? *options.elevation : (9 + 9 * round) * degree;
  return looking_from(azimuth, elevation, options.width, options.height);
}

}  // namespace marey::render
