// Cubic splines: of a number over time, of a point over the length of chords.
//
// Over time, with slopes m_i at knots t_i, h_i = t_{i+1} − t_i and δ_i = (y_{i+1} − y_i)/h_i, the second derivative is
// continuous when
//   m_{i−1}/h_{i−1} + 2 m_i (1/h_{i−1} + 1/h_i) + m_{i+1}/h_i = 3 (δ_{i−1}/h_{i−1} + δ_i/h_i),   m_0 = m_n = 0      (1)
// Along a path, with M_i = C″ at knot i,
//   h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (δ_i − δ_{i−1})                                       (2)
// with M = 0 at the ends of an open path, beyond which it goes on straight; a closed one has no ends.
// Both systems are dominated by their diagonals by a factor of two: each sweep of Gauss and Seidel halves the error.
#include "constraint/curves.h"

#include <algorithm>
#include <cmath>

#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
constexpr int sweeps = 70;
constexpr int time_variable = 6;  // of formulas

}  // namespace

// ---- over time
TimeFunction constant_in_time(double value) {
  TimeFunction f;
  f.formula = constant_formula(value);
  return f;
}

TimeFunction spline_in_time(std::vector<double> t, std::vector<double> value) {
  TimeFunction f;
  const std::size_t n = t.size();
  f.slope.assign(n, 0.0);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 1; i + 1 < n; ++i) {  // (1)
      const double a = 1 / (t[i] - t[i - 1]), b = 1 / (t[i + 1] - t[i]);
      const double rhs = 3 * (a * a * (value[i] - value[i - 1]) + b * b * (value[i + 1] - value[i]));
      f.slope[i] = (rhs - a * f.slope[i - 1] - b * f.slope[i + 1]) / (2 * (a + b));
    }
  f.t = std::move(t), f.value = std::move(value);
  return f;
}

TimeFunction::AtTime TimeFunction::at(double time, double since) const {
  if (t.empty()) {
    FormulaInput<Dual1> in{};
    in[time_variable] = Dual1::variable(time, 0);
    const FormulaSlopes<Dual1> f = evaluate_with_slopes(formula, in);
    return {f.value.value, f.rate.value, f.rate.d[0]};
  }
  if (since < t.front() || time < t.front()) return {value.front(), 0, 0};
  if (since >= t.back() || time > t.back()) return {value.back(), 0, 0};
  const std::size_t after = static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
  const std::size_t i = std::min(after, t.size() - 1) - 1;
  const double h = t[i + 1] - t[i], x = time - t[i], d = (value[i + 1] - value[i]) / h;
  const double c = (3 * d - 2 * slope[i] - slope[i + 1]) / h, e = (slope[i] + slope[i + 1] - 2 * d) / (h * h);
  return {value[i] + x * (slope[i] + x * (c + x * e)), slope[i] + x * (2 * c + x * 3 * e), 2 * c + 6 * e * x};
}

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
    for (std::size_t i = closed ? 0 : 1; i < spans; ++i) {  // (2)
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
