// Functions of time, and how tables are joined.
//
// Knots t_i with values y_i, h_i = t_{i+1} − t_i, δ_i = (y_{i+1} − y_i)/h_i.
//
// Splines. With slopes m_i the second derivative of cubics is continuous when
//   m_{i−1}/h_{i−1} + 2 m_i (1/h_{i−1} + 1/h_i) + m_{i+1}/h_i = 3 (δ_{i−1}/h_{i−1} + δ_i/h_i),   m_0 = m_n = 0      (1)
// The system is dominated by its diagonal by a factor of two: each sweep of Gauss and Seidel halves the error.
//
// Smooth ones are polynomials of degree five with given value, slope m and second derivative b at both ends, so that two
// derivatives are continuous whatever m and b are. They begin as those of the spline, m = b = 0 at the two ends, which gives
// the spline itself in between. The derivative of a quintic over a stretch has, in Bernstein's basis, the coefficients
//   m_0,   m_0 + h b_0/4,   5 δ − (the other four),   m_1 − h b_1/4,   m_1                                            (2)
// (their mean is δ). Where all have the sign of δ the curve goes from one knot to the other without turning back, so that it
// never leaves the range between them. Where they have not, both knots are limited: half of 5 δ is left to each knot,
//   0 ≤ m,   0 ≤ m ± h b/4,   2 m ± h b/4 ≤ 5/2 δ      (+ to the right of the knot, − to the left; in the sign of δ)    (3)
// which m ≤ 5/4 of the lesser δ allows, with b in a range that contains 0; m = 0 where δ changes its sign, and b = 0, too,
// where one of them is 0. Two limited knots satisfy (2). Limiting one may spoil the stretch beyond it: then the next one is
// limited as well, and so on; there are only so many knots.
#include "marey/force/time_function.h"

#include <algorithm>
#include <cmath>

#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

constexpr int sweeps = 70;
constexpr int time_variable = 6;  // of formulas

// The knot after `time`: of a time at a knot, the next one.
std::size_t knot_after(const std::vector<double>& t, double time) {
  return static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
}

std::vector<double> spline_slopes(const std::vector<double>& t, const std::vector<double>& value) {
  std::vector<double> slope(t.size(), 0.0);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t i = 1; i + 1 < t.size(); ++i) {  // (1)
      const double a = 1 / (t[i] - t[i - 1]), b = 1 / (t[i + 1] - t[i]);
      const double rhs = 3 * (a * a * (value[i] - value[i - 1]) + b * b * (value[i + 1] - value[i]));
      slope[i] = (rhs - a * slope[i - 1] - b * slope[i + 1]) / (2 * (a + b));
    }
  return slope;
}

// ---- without overshoot
struct Stretch {
  double h, delta;
};
Stretch stretch(const TimeFunction& f, std::size_t i) {
  const double h = f.t[i + 1] - f.t[i];
  return {h, (f.value[i + 1] - f.value[i]) / h};
}

// (2)
bool turns_back(const TimeFunction& f, std::size_t i) {
  const auto [h, delta] = stretch(f, i);
  const double m_0 = f.slope[i], m_1 = f.slope[i + 1], n_0 = m_0 + h * f.bend[i] / 4, n_1 = m_1 - h * f.bend[i + 1] / 4;
  if (delta == 0) return m_0 != 0 || m_1 != 0 || n_0 != 0 || n_1 != 0;
  const double rounding = -1e-12 * std::abs(delta), sign = delta > 0 ? 1 : -1;
  const double middle = 5 * delta - m_0 - n_0 - n_1 - m_1;
  return std::min({sign * m_0, sign * n_0, sign * middle, sign * n_1, sign * m_1}) < rounding;
}

// (3) of a knot within the table. True: it was not so before.
bool limit(TimeFunction& f, std::size_t i) {
  const Stretch left = stretch(f, i - 1), right = stretch(f, i);
  const double sign = left.delta + right.delta > 0 ? 1 : -1;
  const double l = sign * left.delta, r = sign * right.delta;
  double m = 0, b = 0;
  if (l > 0 && r > 0) {
    m = std::clamp(sign * f.slope[i], 0.0, 1.25 * std::min(l, r));
    const double least = std::max(-m / right.h, (2 * m - 2.5 * l) / left.h);
    const double most = std::min(m / left.h, (2.5 * r - 2 * m) / right.h);
    b = sign * std::clamp(sign * f.bend[i], 4 * least, 4 * most);
    m *= sign;
  } else if (left.delta * right.delta < 0) {  // a peak: it bends back
    const double inward = left.delta > 0 ? -1 : 1;
    const double most = 10 * std::min(std::abs(left.delta) / left.h, std::abs(right.delta) / right.h);
    b = inward * std::clamp(inward * f.bend[i], 0.0, most);
  }
  const bool changed = m != f.slope[i] || b != f.bend[i];
  f.slope[i] = m, f.bend[i] = b;
  return changed;
}

void make_smooth(TimeFunction& f) {
  const std::size_t n = f.t.size();
  f.bend.assign(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const auto [h, delta] = stretch(f, i);
    f.bend[i] = 2 * (3 * delta - 2 * f.slope[i] - f.slope[i + 1]) / h;
  }
  const auto is_inside = [&](std::size_t i) { return i > 0 && i + 1 < n; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      if (!turns_back(f, i)) continue;
      for (const std::size_t knot : {i, i + 1}) changed = (is_inside(knot) && limit(f, knot)) || changed;
    }
  }
}

// ---- between two knots
TimeFunction::AtTime cubic(const TimeFunction& f, std::size_t i, double x) {
  const auto [h, d] = stretch(f, i);
  const double m = f.slope[i], c = (3 * d - 2 * m - f.slope[i + 1]) / h, e = (m + f.slope[i + 1] - 2 * d) / (h * h);
  return {f.value[i] + x * (m + x * (c + x * e)), m + x * (2 * c + x * 3 * e), 2 * c + 6 * e * x};
}

TimeFunction::AtTime quintic(const TimeFunction& f, std::size_t i, double time) {
  const auto [h, delta] = stretch(f, i);
  const double m = h * f.slope[i], b = h * h * f.bend[i] / 2;  // in terms of s = x/h, from 0 to 1
  const double D = h * delta - m - b, E = h * f.slope[i + 1] - m - 2 * b, F = h * h * (f.bend[i + 1] - f.bend[i]) / 2;
  const double c = 10 * D - 4 * E + F, d = -15 * D + 7 * E - 2 * F, e = 6 * D - 3 * E + F, s = (time - f.t[i]) / h;
  return {f.value[i] + s * (m + s * (b + s * (c + s * (d + s * e)))),
          (m + s * (2 * b + s * (3 * c + s * (4 * d + s * 5 * e)))) / h,
          (2 * b + s * (6 * c + s * (12 * d + s * 20 * e))) / (h * h)};
}

}  // namespace

double same_knot(double t) { return 1e-12 * (1 + std::abs(t)); }

TimeFunction constant_in_time(double value) {
  TimeFunction f;
  f.formula = constant_formula(value);
  return f;
}

double* constant_of(TimeFunction& f) {
  std::vector<Formula::Step>& program = f.formula.program;
  return !f.is_table() && program.size() == 1 && program[0].op == Formula::Op::number ? &program[0].value : nullptr;
}

bool is_constant(const TimeFunction& f) {
  if (f.is_table()) return std::ranges::all_of(f.value, [&](double x) { return x == f.value.front(); });
  return std::ranges::none_of(f.formula.program, [](const Formula::Step& s) { return s.op == Formula::Op::variable; });
}

TimeFunction curve_in_time(Join join, std::vector<double> t, std::vector<double> value) {
  TimeFunction f;
  f.join = join;
  if (join == Join::smooth || join == Join::spline) f.slope = spline_slopes(t, value);
  f.t = std::move(t), f.value = std::move(value);
  if (join == Join::smooth) make_smooth(f);
  return f;
}

TimeFunction::AtTime TimeFunction::at(double time, double since) const {
  if (t.empty()) {
    FormulaInput<Dual1> in{};
    in[time_variable] = Dual1::variable(time, 0);
    const FormulaSlopes<Dual1> f = evaluate_with_slopes(formula, in);
    return {f.value.value, f.rate.value, f.rate.d[0]};
  }
  const double close = same_knot(time);
  std::size_t after = knot_after(t, time + close);
  if (after > 0 && std::abs(time - t[after - 1]) <= close && since < t[after - 1] - close) --after;
  if (after == 0) return {value.front(), 0, 0};
  if (after == t.size()) return {value.back(), 0, 0};
  const std::size_t i = after - 1;
  switch (join) {
    case Join::smooth:
      return quintic(*this, i, time);
    case Join::spline:
      return cubic(*this, i, time - t[i]);
    case Join::linear: {
      const auto [h, delta] = stretch(*this, i);
      return {value[i] + delta * (time - t[i]), delta, 0};
    }
    case Join::hold:
      break;
  }
  return {value[i], 0, 0};
}

double next_knot(const TimeFunction& f, double t) {
  const std::size_t after = knot_after(f.t, t + same_knot(t));
  return after < f.t.size() ? f.t[after] : std::numeric_limits<double>::infinity();
}

double next_kink(const TimeFunction& f, double t) {
  const double next = next_knot(f, t);
  if (f.join == Join::linear || f.join == Join::hold || !std::isfinite(next)) return next;
  if (f.join == Join::smooth) return std::numeric_limits<double>::infinity();
  return next == f.t.front() ? next : f.t.back();
}

}  // namespace marey
