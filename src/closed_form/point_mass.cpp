// Point masses: throw, circle, path, bouncing ball.
//
// Source: Ruder et al. 1991, 2.1. In 3.1.1 the print calls F = m ω² r "centrifugal"; the force that keeps a mass on its
// circle is centripetal, −m ω² r, as (2.9c) has it.
//
// Throw angles: (2.8) at (x, z) is quadratic in τ = tan α: g x² τ²/(2 v²) − x τ + z + g x²/(2 v²) = 0, so with v² = 2gs
//   τ = (v² ± √(v⁴ − g (g x² + 2 z v²)))/(g x)                                                                   (1)
// The flat one as z and x see it, without cancellation: product of the roots = 1 + 2 z v²/(g x²).
//
// Path: a_t = (a·v)/v, a_n = |v × a|/v, ρ = v²/a_n = v³/|v × a|, e_n = (v × a) × v/|…|                           (2)
//
// Bouncing ball: u = √(v0² + 2 g h) the speed of the first impact, at t₀ = (v0 + u)/g. After bounce n it flies for
// 2 u e^{n+1}/g, so
//   t_n = t₀ + (2u/g) (e + … + eⁿ),     t_∞ = t₀ + (2u/g) e/(1 − e)                                              (3)
// The number of bounces until t follows from eⁿ = 1 − (t − t₀)(1 − e) g/(2 u e), corrected by a comparison with (3).
#include "marey/closed_form/point_mass.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/core.h"

namespace marey {
namespace {

using V = Vec3<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

PathPoint throw_motion(const V& r0, const V& v0, const V& g, double t) {
  return {r0 + t * (v0 + (t / 2) * g), v0 + t * g, g};
}

PathPoint circular_motion(double radius, double omega, double t, double phase) {
  const double c = radius * std::cos(phase + omega * t), s = radius * std::sin(phase + omega * t);
  const V r{c, s, 0};
  return {r, {-omega * s, omega * c, 0}, (-omega * omega) * r};
}

double throw_height(double x, double speed, double alpha, double g) {
  const double level = speed * std::cos(alpha);
  return x * std::tan(alpha) - g * x * x / (2 * level * level);
}

double throw_range(double speed, double alpha, double g) { return speed * speed * std::sin(2 * alpha) / g; }

double throw_apex(double speed, double alpha, double g) {
  const double up = std::max(0.0, speed * std::sin(alpha));
  return up * up / (2 * g);
}

double throw_duration(double speed, double alpha, double g) { return std::max(0.0, 2 * speed * std::sin(alpha) / g); }

std::optional<ThrowAngles> throw_angles(double x, double z, double speed, double g) {
  const double vv = speed * speed, inner = vv * vv - g * (g * x * x + 2 * z * vv);
  if (!(inner >= 0)) return std::nullopt;
  const double steep = vv + std::sqrt(inner);  // (1), times g x
  return ThrowAngles{std::atan2(g * x * x + 2 * z * vv, x * steep), std::atan2(steep, g * x)};
}

V throw_velocity(const V& r0, const V& r1, const V& g, double t) { return (1 / t) * (r1 - r0) - (t / 2) * g; }

V angular_velocity_about_origin(const V& r, const V& v) { return (1 / norm_squared(r)) * cross(r, v); }

PathFrame path_frame(const V& v, const V& a) {  // (2)
  PathFrame f;
  f.radius = infinity;
  const double speed = norm(v), acceleration = norm(a);
  if (speed == 0) {
    if (acceleration > 0) f.tangent = (1 / acceleration) * a;
    f.tangential = acceleration;
    return f;
  }
  f.tangent = (1 / speed) * v;
  f.tangential = dot(a, f.tangent);
  const V across = cross(f.tangent, a);
  f.normal_acceleration = norm(across);
  if (f.normal_acceleration == 0) return f;
  f.normal = (1 / f.normal_acceleration) * cross(across, f.tangent);
  f.radius = speed * speed / f.normal_acceleration;
  return f;
}

// ---- bouncing ball
BouncingBall::BouncingBall(double height, double v0, double g, double restitution)
    : start_height_(height), start_velocity_(v0), g_(g), e_(restitution) {
  if (!(height >= 0 && g > 0 && restitution >= 0 && restitution <= 1) || !std::isfinite(height + v0 + g))
    throw Error(ErrorKind::bad_input, "bouncing ball: height ≥ 0, g > 0 and 0 ≤ restitution ≤ 1 are expected");
  speed_ = std::sqrt(v0 * v0 + 2 * g * height);
  // t₀ without cancellation for a ball thrown down.
  first_ = v0 >= 0 ? (v0 + speed_) / g : 2 * height / (speed_ - v0);
}

double BouncingBall::bounce(int n) const {  // (3)
  const double sum = e_ == 1 ? n : e_ * -std::expm1(n * std::log(e_)) / (1 - e_);
  return n == 0 || e_ == 0 ? first_ : first_ + 2 * speed_ / g_ * sum;
}

double BouncingBall::impact_speed(int n) const { return speed_ * std::pow(e_, n); }

double BouncingBall::rest() const {  // (3)
  if (speed_ == 0) return first_;
  return e_ == 1 ? infinity : first_ + 2 * speed_ / g_ * e_ / (1 - e_);
}

int BouncingBall::bounces_until(double t) const {
  constexpr int forever = std::numeric_limits<int>::max();
  if (t < first_) return 0;
  if (t >= rest()) return forever;
  const double flights = (t - first_) * g_ / (2 * speed_);  // e + … + eⁿ ≤ flights
  const double guess = e_ == 1 ? flights : std::log1p(-flights * (1 - e_) / e_) / std::log(e_);
  if (!(guess < 1e9)) return forever;
  int n = std::max(0, static_cast<int>(guess));
  while (n > 0 && bounce(n) > t) --n;
  while (bounce(n + 1) <= t && bounce(n + 1) > bounce(n)) ++n;
  return n + 1;
}

double BouncingBall::height(double t) const {
  const int n = bounces_until(t);
  if (n == 0) return start_height_ + t * (start_velocity_ - g_ * t / 2);
  if (n == std::numeric_limits<int>::max()) return 0;
  const double since = t - bounce(n - 1);
  return std::max(0.0, since * (impact_speed(n) - g_ * since / 2));
}

double BouncingBall::velocity(double t) const {
  const int n = bounces_until(t);
  if (n == 0) return start_velocity_ - g_ * t;
  if (n == std::numeric_limits<int>::max()) return 0;
  return impact_speed(n) - g_ * (t - bounce(n - 1));
}

double BouncingBall::energy_lost(int n) const {
  const double kept = std::pow(e_, n);
  return speed_ * speed_ / 2 * (1 - kept) * (1 + kept);
}

}  // namespace marey
