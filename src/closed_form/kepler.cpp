// Kepler's orbits by one formula for ellipse, parabola and hyperbola.
//
// Source: Ruder et al. 1991, 2.1 names the three laws; the universal variable is after Stumpff, Himmelsmechanik I
// (1959), and Battin, An Introduction to the Mathematics and Methods of Astrodynamics, ch. 4.
//
// Symbols: q distance at periapsis, e eccentricity, α = 1/a = (1 − e)/q, χ with dχ = √μ dt/r counted from the periapsis
// (ellipse: χ = √a E; parabola: √(2q) tan(ν/2); hyperbola: √−a H), c_k(z) = Σ (−z)ʲ/(2j + k)!, Stumpff's functions, at
// z = αχ².
//
//   √μ (t − t_p) = q χ + e χ³ c₃                      Kepler's equation, all three curves                          (1)
//   r = q + e χ² c₂,  x = q − χ² c₂,  y = √(q (1 + e)) χ c₁     in the orbit's axes O                              (2)
//   ẋ = −(√μ/r) χ c₁,  ẏ = (√μ/r) √(q (1 + e)) c₀                                                                 (3)
// The right side of (1) is a sum of positive terms, grows with the slope r, and is convex up to the apoapsis: from any
// point above the root Newton's method comes down to it without overshoot, and stops where round-off stops it. Above
// it lie
//   N/q,  (N/(e c₃min))^⅓ with c₃ ≥ 1/π² on half an ellipse, ≥ 1/6 else,  π/√α,  asinh(N |α|^{3/2}/(e − 1))/√|α|    (4)
//
// From a state: h = r × v, p = h²/μ, α = 2/r − v²/μ, e⃗ = v × h/μ − r/|r|, q = p/(1 + e); χ from (2) by the inverse of
// χ c₁ = y/√(q (1 + e)):  atan2(√α Y, 1 − α (q − x))/√α, Y, or asinh(√−α Y)/√−α                                    (5)
#include "marey/closed_form/kepler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "marey/closed_form/elliptic.h"
#include "marey/core.h"

namespace marey {
namespace {

using closed::Real;
using RealVec = Vec3<Real>;
constexpr Real pi = std::numbers::pi_v<Real>;
constexpr double infinity = std::numeric_limits<double>::infinity();

RealVec widened(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Vec3<double> narrowed(const RealVec& a) { return {double(a.x), double(a.y), double(a.z)}; }

struct Stumpff {
  Real c0, c1, c2, c3;
};

// c₂ and c₃ by their series where the closed forms would cancel.
Stumpff stumpff(Real z) {
  const Real s = std::sqrt(std::abs(z));
  Stumpff c =
      z >= 0 ? Stumpff{std::cos(s), s == 0 ? 1 : std::sin(s) / s, 0, 0} : Stumpff{std::cosh(s), std::sinh(s) / s, 0, 0};
  if (std::abs(z) > 4) {
    c.c2 = (1 - c.c0) / z, c.c3 = (1 - c.c1) / z;
    return c;
  }
  Real term2 = Real(1) / 2, term3 = Real(1) / 6;
  for (int j = 1; j < 20; ++j) {
    c.c2 += term2, c.c3 += term3;
    term2 *= -z / ((2 * j + 1) * (2 * j + 2));
    term3 *= -z / ((2 * j + 2) * (2 * j + 3));
  }
  return c;
}

// χ ≥ 0 from (1), for N ≥ 0, on an ellipse up to the apoapsis.
Real solve_universal(Real q, Real e, Real alpha, Real N) {
  if (N == 0) return 0;
  Real chi = alpha > 0 ? pi / std::sqrt(alpha) : std::numeric_limits<Real>::infinity();  // (4)
  if (q > 0) chi = std::min(chi, N / q);
  if (e > 0) chi = std::min(chi, std::cbrt(N / e * (alpha > 0 ? pi * pi : 6)));
  if (alpha < 0) {
    const Real root = std::sqrt(-alpha);
    chi = std::min(chi, std::asinh(N * root * root * root / (-alpha * q)) / root);
  }
  for (int i = 0; i < 200; ++i) {
    const Stumpff c = stumpff(alpha * chi * chi);
    const Real excess = chi * (q + e * chi * chi * c.c3) - N, slope = q + e * chi * chi * c.c2;
    const Real next = chi - excess / slope;
    // The start is above the root but for round-off, which may put it a hair below.
    if (!(next < chi) && i > 1) break;
    chi = next;
  }
  return chi;
}

Real universal_time(Real q, Real e, Real alpha, Real chi) {  // (1)
  return chi * (q + e * chi * chi * stumpff(alpha * chi * chi).c3);
}

void check(double mu, double p, double e) {
  if (!(mu > 0 && std::isfinite(mu))) throw Error(ErrorKind::bad_input, "Kepler orbit: mu is to be positive");
  if (!(p > 0 && std::isfinite(p)))
    throw Error(ErrorKind::bad_input, "Kepler orbit: it goes straight through the centre, or the state is not finite");
  if (!(e >= 0 && std::isfinite(e))) throw Error(ErrorKind::bad_input, "Kepler orbit: the eccentricity is to be ≥ 0");
}

}  // namespace

double eccentric_anomaly(double mean, double e) {
  const Real turns = std::round(Real(mean) / (2 * pi)), rest = Real(mean) - 2 * pi * turns;
  const Real E = solve_universal(1 - Real(e), e, 1, std::abs(rest));
  return double(2 * pi * turns + std::copysign(E, rest));
}

double hyperbolic_anomaly(double mean, double e) {
  return std::copysign(double(solve_universal(Real(e) - 1, e, -1, std::abs(Real(mean)))), mean);
}

double parabolic_anomaly(double mean) { return double(2 * std::sinh(std::asinh(1.5L * mean) / 3)); }

KeplerOrbit::KeplerOrbit(double mu, const KeplerElements& k) {
  check(mu, k.semi_latus_rectum, k.eccentricity);
  mu_ = mu, e_ = k.eccentricity;
  q_ = k.semi_latus_rectum / (1 + e_);
  alpha_ = (1 - e_) / q_;
  t_periapsis_ = k.time_of_periapsis;
  R_WO_ = rotation_about(RealVec{0, 0, 1}, Real(k.node)) * rotation_about(RealVec{1, 0, 0}, Real(k.inclination)) *
          rotation_about(RealVec{0, 0, 1}, Real(k.periapsis));
}

KeplerOrbit KeplerOrbit::from_state(double mu, const Vec3<double>& r_W, const Vec3<double>& v_W, double t) {
  const RealVec r = widened(r_W), v = widened(v_W), h = cross(r, v);
  const Real m = mu, distance = norm(r), p = norm_squared(h) / m;
  const RealVec to_periapsis = (1 / m) * cross(v, h) - (1 / distance) * r;
  KeplerOrbit o;
  o.mu_ = m, o.e_ = norm(to_periapsis);
  check(mu, double(p), double(o.e_));
  o.q_ = p / (1 + o.e_);
  o.alpha_ = 2 / distance - norm_squared(v) / m;
  const RealVec ez = (1 / norm(h)) * h;
  const RealVec along = o.e_ > 0 ? to_periapsis : r;  // a circle may start anywhere
  const RealVec across = cross(ez, along), ey = (1 / norm(across)) * across, ex = cross(ey, ez);
  o.R_WO_ = {ex.x, ey.x, ez.x, ex.y, ey.y, ez.y, ex.z, ey.z, ez.z};

  const Real x = dot(r, ex), Y = dot(r, ey) / std::sqrt(o.q_ * (1 + o.e_)),
             root = std::sqrt(std::abs(o.alpha_));  // (5)
  const Real chi = o.alpha_ > 0   ? std::atan2(root * Y, 1 - o.alpha_ * (o.q_ - x)) / root
                   : o.alpha_ < 0 ? std::asinh(root * Y) / root
                                  : Y;
  o.t_periapsis_ = t - universal_time(o.q_, o.e_, o.alpha_, chi) / std::sqrt(m);
  return o;
}

PathPoint KeplerOrbit::at(double t) const {
  Real since = t - t_periapsis_;
  if (alpha_ > 0) {
    const Real T = 2 * pi / (std::sqrt(mu_) * alpha_ * std::sqrt(alpha_));
    since -= T * std::round(since / T);
  }
  const Real chi = std::copysign(solve_universal(q_, e_, alpha_, std::sqrt(mu_) * std::abs(since)), since);
  const Stumpff c = stumpff(alpha_ * chi * chi);
  const Real r = q_ + e_ * chi * chi * c.c2, width = std::sqrt(q_ * (1 + e_)), rate = std::sqrt(mu_) / r;
  const RealVec r_O{q_ - chi * chi * c.c2, width * chi * c.c1, 0};  // (2)
  const RealVec v_O{-rate * chi * c.c1, rate * width * c.c0, 0};    // (3)
  const RealVec r_W = R_WO_ * r_O;
  return {narrowed(r_W), narrowed(R_WO_ * v_O), narrowed((-mu_ / (r * r * r)) * r_W)};
}

KeplerElements KeplerOrbit::elements() const {
  const auto& R = R_WO_;
  const Real sine = std::hypot(R.xz, R.yz);
  const Real node = sine <= 1e-15L ? 0 : std::atan2(R.xz, -R.yz), c = std::cos(node), s = std::sin(node);
  // The first row of Rz(node)ᵀ R is (cos ω, −sin ω, 0), at any inclination.
  const Real periapsis = std::atan2(-(c * R.xy + s * R.yy), c * R.xx + s * R.yx);
  return {double(q_ * (1 + e_)), double(e_),        double(std::atan2(sine, R.zz)),
          double(node),          double(periapsis), double(t_periapsis_)};
}

double KeplerOrbit::period() const {
  return alpha_ > 0 ? double(2 * pi / (std::sqrt(mu_) * alpha_ * std::sqrt(alpha_))) : infinity;
}

double KeplerOrbit::semi_major_axis() const { return alpha_ == 0 ? infinity : double(1 / alpha_); }

double KeplerOrbit::apoapsis_distance() const { return alpha_ > 0 ? double((1 + e_) / alpha_) : infinity; }

double KeplerOrbit::energy() const { return double(-mu_ * alpha_ / 2); }

Vec3<double> KeplerOrbit::angular_momentum() const {
  const Real h = std::sqrt(mu_ * q_ * (1 + e_));
  return narrowed(h * RealVec{R_WO_.xz, R_WO_.yz, R_WO_.zz});
}

}  // namespace marey
