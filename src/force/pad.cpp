// Curves between measured points: monotone cubics. Source: F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17 (1980) 238–246, with the
// slopes of J. Butland (harmonic means), which need no correction.
#include "force/pad.h"

#include <algorithm>

namespace marey {
namespace {

// Of the parabola through the first (or last) three points, as far as it rises with them.
double slope_at_end(double h0, double h1, double d0, double d1) {
  const double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  return m > 1e-12 * d0 ? std::min(m, 3 * d0) : 0;  // what is left of 0 by rounding is 0
}

}  // namespace

Pad::Curve pad_curve(std::vector<double> depth, std::vector<double> force) {
  Pad::Curve c{std::move(depth), std::move(force), {}};
  const std::size_t n = c.depth.size();
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i)
    h[i] = c.depth[i + 1] - c.depth[i], d[i] = (c.force[i + 1] - c.force[i]) / h[i];
  c.slope.assign(n, d.front());
  if (n == 2) return c;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double w0 = 2 * h[i] + h[i - 1], w1 = h[i] + 2 * h[i - 1];
    c.slope[i] = d[i - 1] > 0 && d[i] > 0 ? (w0 + w1) / (w0 / d[i - 1] + w1 / d[i]) : 0;
  }
  c.slope.front() = slope_at_end(h[0], h[1], d[0], d[1]);
  c.slope.back() = slope_at_end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  return c;
}

OnCurve on_curve(const Pad::Curve& c, double depth) {
  OnCurve out;
  for (std::size_t i = 0; i + 1 < c.depth.size(); ++i) {
    const double h = c.depth[i + 1] - c.depth[i], t = std::min((depth - c.depth[i]) / h, 1.0), u = 1 - t;
    const double f0 = c.force[i], f1 = c.force[i + 1], m0 = c.slope[i] * h, m1 = c.slope[i + 1] * h;
    out.energy += h * (f0 * (t - t * t * t + 0.5 * t * t * t * t) + m0 * t * t * (0.5 - 2 * t / 3 + 0.25 * t * t) +
                       f1 * t * t * t * (1 - 0.5 * t) - m1 * t * t * t * (1.0 / 3 - 0.25 * t));
    if (t < 1) {
      out.force = f0 * (1 + 2 * t) * u * u + m0 * t * u * u + f1 * t * t * (3 - 2 * t) - m1 * t * t * u;
      out.slope = (6 * t * u * (f1 - f0) + m0 * u * (1 - 3 * t) - m1 * t * (2 - 3 * t)) / h;
      return out;
    }
  }
  const double beyond = depth - c.depth.back();
  out.slope = c.slope.back();
  out.force = c.force.back() + out.slope * beyond;
  out.energy += beyond * (c.force.back() + 0.5 * out.slope * beyond);
  return out;
}

PadNow pad_at(const Pad& pad, double depth) {
  if (depth <= 0) return {0, 0, 0, has_curves(pad) ? 0 : pad.damping, 0};
  if (!has_curves(pad)) {
    const double force = pad.stiffness * std::pow(depth, pad.exponent);
    return {force, pad.exponent * force / depth, force * depth / (pad.exponent + 1), pad.damping, 0};
  }
  const OnCurve at_rest = on_curve(pad.at_rest, depth);
  if (pad.in_motion.depth.empty()) return {at_rest.force, at_rest.slope, at_rest.energy, pad.damping, 0};
  const OnCurve in_motion = on_curve(pad.in_motion, depth);
  return {at_rest.force, at_rest.slope, at_rest.energy, (in_motion.force - at_rest.force) / pad.speed,
          (in_motion.slope - at_rest.slope) / pad.speed};
}

}  // namespace marey
