// Cubic splines through points, over the length of chords.
//
// With knots s_i, h_i = s_{i+1} − s_i, δ_i = (C_{i+1} − C_i)/h_i and M_i = C″ at knot i,
//   h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (δ_i − δ_{i−1})                                       (1)
// with M = 0 at the ends of an open path, beyond which it goes on straight; a closed one has no ends.
// The system is dominated by its diagonal by a factor of two: each sweep of Gauss and Seidel halves the error.
#include "constraint/curves.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

using Vec = Vec3<double>;
constexpr int sweeps = 70;

}  // namespace

// ---- paths
SplinePath spline_path(std::vector<Vec> points, bool closed) {
  SplinePath path;
  path.points = std::move(points), path.closed = closed;
  const std::size_t n = path.points.size(), spans = closed ? n : n - 1;
  const auto point = [&](std::size_t i) { return path.points[i % n]; };
  path.knots.assign(1, 0.0);
  for (std::size_t i = 0; i < spans; ++i) path.knots.push_back(path.knots[i] + norm(point(i + 1) - point(i)));
  path.bending.assign(spans + 1, Vec{});
  const auto span = [&](std::size_t i) { return path.knots[i + 1] - path.knots[i]; };
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = closed ? 0 : 1; i < spans; ++i) {  // (1)
      const std::size_t before = i == 0 ? spans - 1 : i - 1;
      const double h = span(before), g = span(i);
      const Vec bend = 6.0 * ((1 / g) * (point(i + 1) - point(i)) - (1 / h) * (point(i) - point(before)));
      path.bending[i] = (0.5 / (h + g)) * (bend - h * path.bending[before] - g * path.bending[i + 1]);
      if (i == 0) path.bending[spans] = path.bending[0];
    }
  return path;
}

CurvePoint curve_at(const SplinePath& path, double s) {
  const std::vector<double>& k = path.knots;
  const std::size_t n = path.points.size(), spans = k.size() - 1;
  if (path.closed) s -= k.back() * std::floor(s / k.back());
  const std::size_t after = static_cast<std::size_t>(std::upper_bound(k.begin(), k.end(), s) - k.begin());
  const std::size_t i = std::min(after == 0 ? 0 : after - 1, spans - 1);
  const Vec &p = path.points[i], &q = path.points[(i + 1) % n], &M = path.bending[i], &N = path.bending[i + 1];
  const double h = k[i + 1] - k[i];
  const Vec d3 = (1 / h) * (N - M), d1 = (1 / h) * (q - p) - (h / 6) * (2.0 * M + N);
  const double x = path.closed ? s - k[i] : std::clamp(s, 0.0, k.back()) - k[i];
  CurvePoint out{p + x * (d1 + (x / 2) * (M + (x / 3) * d3)), d1 + x * (M + (x / 2) * d3), M + x * d3, d3};
  const double beyond = s - k[i] - x;
  if (beyond == 0) return out;
  return {out.C + beyond * out.d1, out.d1, {}, {}};
}

double nearest_on(const SplinePath& path, const Vec& x) {
  constexpr int looks = 6;
  double s = 0, least = forever;
  for (std::size_t i = 0; i + 1 < path.knots.size(); ++i)
    for (int j = 0; j <= looks; ++j) {
      const double at = path.knots[i] + (path.knots[i + 1] - path.knots[i]) * j / looks;
      const double distance = norm_squared(x - curve_at(path, at).C);
      if (distance < least) least = distance, s = at;
    }
  for (int round = 0; round < 30; ++round) {
    const CurvePoint c = curve_at(path, s);
    const Vec e = x - c.C;
    const double speed = dot(c.d1, c.d1), slope = speed - dot(e, c.d2),
                 step = dot(e, c.d1) / (slope > 0 ? slope : speed);
    s += step;
    if (std::abs(step) <= 1e-15 * path.knots.back()) break;
  }
  return s;
}

}  // namespace marey
