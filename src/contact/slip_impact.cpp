#include "contact/slip_impact.h"

#include <algorithm>
#include <cmath>

namespace marey {

namespace {
double dot2(const std::array<double, 2>& a, const std::array<double, 2>& b) { return a[0] * b[0] + a[1] * b[1]; }
constexpr int most_stretches = 1000, most_steps = 100000;
constexpr double least_gain = 1e-9;  // as a part of what cancels in it
}  // namespace

SlipImpact::SlipImpact(std::span<const double, 9> A, std::span<const double, 3> u_minus, double friction,
                       double restitution, Hypothesis hypothesis)
    : mu_(friction), e_(restitution), hypothesis_(hypothesis) {
  std::copy(A.begin(), A.end(), A_.begin());
  std::copy(u_minus.begin(), u_minus.end(), u_minus_.begin());
  u = u_minus_;
  size_ = std::max({A_[0], A_[4], A_[8]});
  slip_floor_ = 1e-14 * (std::abs(u[0]) + slip());
  // A point that can move along one direction alone comes to rest with all of its velocity at once, to rounding.
  rest_floor_ = 1e-11 * (std::abs(u[0]) + slip());
}

double SlipImpact::slip() const { return std::hypot(u[1], u[2]); }
SlipImpact::Pair SlipImpact::times_tt(const Pair& s) const {
  return {A_[4] * s[0] + A_[5] * s[1], A_[7] * s[0] + A_[8] * s[1]};
}
// Where a point cannot move but along one direction (the end of a bar on a hinge), a grip holds all of it: what is left of
// the sum is rounding, and no impulse would bring the point away.
double SlipImpact::normal_gain(const Pair& dP_t) const {
  const double by_friction = A_[1] * dP_t[0] + A_[2] * dP_t[1], gain = A_[0] + by_friction;
  return std::abs(gain) > least_gain * (A_[0] + std::abs(by_friction)) ? gain : 0;
}

// A_tt may be singular when a mechanism cannot move across its plane; A_tn is then zero there as well.
SlipImpact::Pair SlipImpact::sticking() const {
  const double det = A_[4] * A_[8] - A_[5] * A_[7], trace = A_[4] + A_[8];
  if (det > 1e-13 * trace * trace)
    return {-(A_[8] * A_[1] - A_[5] * A_[2]) / det, -(A_[4] * A_[2] - A_[7] * A_[1]) / det};
  if (trace == 0) return {0, 0};
  // One direction d alone moves: A_tt = trace d dᵀ.
  const bool first = A_[4] >= A_[8];
  Pair d = first ? Pair{A_[4], A_[7]} : Pair{A_[5], A_[8]};
  const double l = std::hypot(d[0], d[1]);
  d = {d[0] / l, d[1] / l};
  const double f = -(d[0] * A_[1] + d[1] * A_[2]) / trace;
  return {f * d[0], f * d[1]};
}

// (3): (μ A_tt + k) s = A_tn with |s| = 1. |s| falls with k, from above 1 at k = 0 to below 1 at k = |A_tn|.
SlipImpact::Pair SlipImpact::slip_again() const {
  const auto direction = [&](double k) -> Pair {
    const double a = mu_ * A_[4] + k, b = mu_ * A_[5], c = mu_ * A_[8] + k, det = a * c - b * b;
    return {(c * A_[1] - b * A_[2]) / det, (a * A_[2] - b * A_[1]) / det};
  };
  double low = 0, high = std::hypot(A_[1], A_[2]);
  for (int i = 0; i < 200; ++i) {
    const double k = 0.5 * (low + high);
    if (k <= low || k >= high) break;
    const Pair s = direction(k);
    (dot2(s, s) > 1 ? low : high) = k;
  }
  const Pair s = direction(high);
  const double l = std::hypot(s[0], s[1]);
  return {s[0] / l, s[1] / l};
}

// ---- stages
// What restitution has still to give, in the quantity of the hypothesis.
double SlipImpact::still_to_do() const {
  switch (hypothesis_) {
    case Hypothesis::newton:
      return -e_ * u_minus_[0] - u[0];
    case Hypothesis::poisson:
      return e_ * P_taken_ - P_given_;
    case Hypothesis::stronge:
      return e_ * e_ * W_taken_ - W_given_;
  }
  return 0;
}

void SlipImpact::add(double p, const Pair& P_t, double W) {
  P[0] += p, P[1] += P_t[0], P[2] += P_t[1];
  (stage_ == Stage::compression ? P_taken_ : P_given_) += p;
  if (stage_ == Stage::compression) {
    W_taken_ -= W;
  } else {
    W_given_ += W;
  }
  for (std::size_t i = 0; i < 3; ++i)
    u[i] = u_minus_[i] + A_[3 * i] * P[0] + A_[3 * i + 1] * P[1] + A_[3 * i + 2] * P[2];
}

void SlipImpact::end_stage(bool pressed_back) {
  if (stage_ == Stage::compression) {
    stage_ = e_ > 0 ? Stage::restitution : Stage::done;
    u[0] = 0;
  } else if (pressed_back) {
    stage_ = Stage::compression;
    course |= course_recompressed;
  } else {
    stage_ = Stage::done;
  }
}

// ---- stretches on a line
// The p at which the stage ends when u_n grows by `gain` per p; unbounded if it does not.
double SlipImpact::to_stage_end(double gain, bool& pressed_back) const {
  pressed_back = false;
  if (stage_ == Stage::compression) return gain > 0 ? std::max(0.0, -u[0] / gain) : unbounded;
  const double rest = std::max(0.0, still_to_do());
  const double back = gain < 0 ? std::max(0.0, u[0] / -gain) : unbounded;  // u_n = 0 again
  double p = unbounded;
  if (hypothesis_ == Hypothesis::newton) p = gain > 0 ? rest / gain : unbounded;
  if (hypothesis_ == Hypothesis::poisson) p = rest;
  if (hypothesis_ == Hypothesis::stronge) {  // u_n p + gain p²/2 = rest
    const double root = u[0] * u[0] + 2 * gain * rest;
    const double below = root >= 0 ? u[0] + std::sqrt(root) : 0;
    p = below > 0 ? 2 * rest / below : unbounded;
  }
  pressed_back = back < p;
  return std::min(p, back);
}

bool SlipImpact::straight(const Pair& dP_t, double longest) {
  bool pressed_back = false;
  const double gain = normal_gain(dP_t), end = to_stage_end(gain, pressed_back), p = std::min(end, longest);
  if (!std::isfinite(p)) {  // nothing would ever end this: the point is jammed, and stays where it is
    stage_ = Stage::done;
    return false;
  }
  add(p, {dP_t[0] * p, dP_t[1] * p}, (u[0] + 0.5 * gain * p) * p);
  if (end <= longest) end_stage(pressed_back);
  return p >= longest;
}

// Slip has come to rest: what rounding left of it is taken out by an impulse that small.
void SlipImpact::come_to_rest() {
  at_rest_ = true;
  course |= course_stopped;
  const double det = A_[4] * A_[8] - A_[5] * A_[7], trace = A_[4] + A_[8];
  if (det > 1e-13 * trace * trace) {
    P[1] -= (A_[8] * u[1] - A_[5] * u[2]) / det;
    P[2] -= (A_[4] * u[2] - A_[7] * u[1]) / det;
  }
  u[1] = u[2] = 0;
}

// ---- stretches that turn
SlipImpact::Turning SlipImpact::rate(const Turning& x) const {
  const Pair u_t{x.y[0], x.y[1]}, g = times_tt(u_t);
  const double w = std::hypot(u_t[0], u_t[1]);
  return {{w * A_[3] - mu_ * g[0], w * A_[6] - mu_ * g[1], w, -mu_ * u_t[0], -mu_ * u_t[1], turning_normal(x) * w}};
}

double SlipImpact::turning_normal(const Turning& x) const {
  return u[0] + A_[0] * x.y[2] + A_[1] * x.y[3] + A_[2] * x.y[4];
}

SlipImpact::Turning SlipImpact::step(const Turning& x, double h, double* error) const {
  static constexpr double a[6][6] = {{1.0 / 5, 0, 0, 0, 0, 0},
                                     {3.0 / 40, 9.0 / 40, 0, 0, 0, 0},
                                     {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0},
                                     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0},
                                     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0},
                                     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double b[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  std::array<Turning, 7> k;
  k[0] = rate(x);
  Turning z;
  for (std::size_t s = 0; s < 6; ++s) {
    z = x;
    for (std::size_t j = 0; j <= s; ++j)
      for (std::size_t i = 0; i < 6; ++i) z.y[i] += h * a[s][j] * k[j].y[i];
    k[s + 1] = rate(z);
  }
  if (error) {
    // Velocities against the slip itself, which sets the scale of all rates in (4).
    double d[6] = {};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t s = 0; s < 7; ++s) d[i] += h * b[s] * k[s].y[i];
    const double w = std::hypot(x.y[0], x.y[1]) + 1e-300, speed = w + std::abs(turning_normal(x));
    *error = std::hypot(d[0], d[1]) / w + size_ * (std::abs(d[2]) + std::abs(d[3]) + std::abs(d[4])) / speed +
             size_ * std::abs(d[5]) / (speed * speed);
  }
  return z;
}

// Positive until the stage ends.
double SlipImpact::stage_function(const Turning& x, bool& pressed_back) const {
  const double u_n = turning_normal(x);
  pressed_back = false;
  if (stage_ == Stage::compression) return -u_n;
  double rest = 0;
  if (hypothesis_ == Hypothesis::newton) rest = -e_ * u_minus_[0] - u_n;
  if (hypothesis_ == Hypothesis::poisson) rest = e_ * P_taken_ - P_given_ - x.y[2];
  if (hypothesis_ == Hypothesis::stronge) rest = e_ * e_ * W_taken_ - W_given_ - x.y[5];
  pressed_back = u_n <= 0 && rest > 0;
  return pressed_back ? u_n : rest;
}

// Until the slip is straight or at rest, or the stage ends.
void SlipImpact::turn() {
  Turning x{{u[1], u[2], 0, 0, 0, 0}};
  double h = 0.1 / ((1 + mu_) * size_);
  const double w_start = slip();
  bool ended = false, pressed_back = false;
  for (int n = 0; n < most_steps && !ended; ++n) {
    double error = 0;
    Turning next = step(x, h, &error);
    if (!(error <= 1e-13)) {
      h *= std::max(0.2, 0.9 * std::pow(1e-13 / error, 0.2));
      continue;
    }
    ended = stage_function(next, pressed_back) <= 0;
    if (ended) {
      double low = 0, high = h;
      for (double middle = 0.5 * h; middle > low && middle < high; middle = 0.5 * (low + high))
        (stage_function(step(x, middle, nullptr), pressed_back) > 0 ? low : high) = middle;
      next = step(x, high, nullptr);
      stage_function(next, pressed_back);
    }
    x = next;
    h *= std::min(4.0, 0.9 * std::pow(1e-13 / std::max(error, 1e-17), 0.2));
    const double w = std::hypot(x.y[0], x.y[1]);
    if (w <= 1e-13 * w_start) break;
    const Pair s{x.y[0] / w, x.y[1] / w}, g = times_tt(s);
    const double across = s[0] * (A_[6] - mu_ * g[1]) - s[1] * (A_[3] - mu_ * g[0]);
    if (std::abs(across) <= 1e-14 * size_) break;
  }
  add(x.y[2], {x.y[3], x.y[4]}, x.y[5]);
  if (ended) end_stage(pressed_back);
  u[1] = x.y[0], u[2] = x.y[1];
  if (slip() <= 1e-13 * w_start) come_to_rest();
}

void SlipImpact::slide() {
  course |= course_slid;
  const double w = slip();
  const Pair s{u[1] / w, u[2] / w}, g = times_tt(s);
  const Pair change{A_[3] - mu_ * g[0], A_[6] - mu_ * g[1]};
  const double across = s[0] * change[1] - s[1] * change[0], along = dot2(s, change);
  if (std::abs(across) > 1e-14 * size_) return turn();
  if (straight({-mu_ * s[0], -mu_ * s[1]}, along < 0 ? w / -along : unbounded)) come_to_rest();
}

bool SlipImpact::run(bool without_collision) {
  at_rest_ = slip() <= slip_floor_;
  if (without_collision) {
    const double w = slip();
    if (at_rest_ || normal_gain({-mu_ * u[1] / w, -mu_ * u[2] / w}) >= 0) return true;
  } else if (u[0] >= 0) {
    return true;
  }
  int stretches = 0;
  for (; stage_ != Stage::done && stretches < most_stretches; ++stretches) {
    if (mu_ == 0) {
      if (!at_rest_) course |= course_slid;
      straight({0, 0}, unbounded);
      continue;
    }
    if (!at_rest_ && stage_ == Stage::restitution && slip() <= rest_floor_) come_to_rest();
    if (!at_rest_) {
      slide();
      continue;
    }
    const Pair f = sticking();
    if (std::hypot(f[0], f[1]) <= mu_) {
      course |= course_stuck;
      straight(f, unbounded);
    } else {
      course |= (course & course_stopped) != 0 ? course_slid | course_reversed : course_slid;
      const Pair s = slip_again();
      straight({-mu_ * s[0], -mu_ * s[1]}, unbounded);
    }
  }
  for (std::size_t i = 0; i < 3; ++i)
    u[i] = u_minus_[i] + A_[3 * i] * P[0] + A_[3 * i + 1] * P[1] + A_[3 * i + 2] * P[2];
  return stage_ == Stage::done && stretches < most_stretches;
}

}  // namespace marey
