// Symmetric tops: steady motions, and Lagrange's heavy top in closed form.
//
// Source: Ruder et al. 1991 (2.12)(2.13) for the angles, z-y′-z″; H9 shows such tops. Derived here.
//
// Symbols: A, C moments across and along the axis; M = m g l; z = cos β; b = 2M/A; S = C ω_ζ/A, P = (angular momentum
// about the vertical)/A, both constant; k = ω_ξ² + ω_η². e is the vertical in B, the third row of R_WB.
//
//   α̇ = (P − S z)/(1 − z²)     γ̇ = ω_ζ − α̇ z                                                                     (1)
//   ż² = f(z) = (a − b z)(1 − z²) − (P − S z)²,   a = k + b z constant (energy)                                   (2)
// f has roots z₁ ≤ z₂ ≤ 1 ≤ z₃, and z moves between z₁ and z₂:
//   z = z₁ + (z₂ − z₁) sn² u,  u = u₀ + w t,  w² = W/4,  W = b (z₃ − z₁),  m = b (z₂ − z₁)/W                      (3)
// Without weight b = 0, z₃ is at infinity, and W is finite: nothing breaks down.
//
// Attitude: R_WB = Rz(α) Ry(β) Rz(γ) has the quaternion (c cos σ, s sin δ, s cos δ, c sin σ), c, s = cos, sin of β/2,
// σ = (γ + α)/2, δ = (γ − α)/2. By partial fractions of (1) the two angles come apart:
//   2 σ̇ = ω_ζ − S + (P + S)/(1 + z)     2 δ̇ = ω_ζ − S − (P − S)/(1 − z)                                           (4)
//   1 − z = y₁ (1 − n sn²),  n = (z₂ − z₁)/y₁;   1 + z = e₁ (1 + h sn²),  h = (z₂ − z₁)/e₁;   y = 1 − z, e = 1 + z  (5)
// so each is one integral of the third kind. α = σ − δ, γ = σ + δ.
// Where P = S the axis may go through the upright: then y₂ = 0 and s = √(y₁/2) cn u, with its sign; P − S = 0 takes the
// integral out of (4). Likewise P = −S, e₁ = 0, c = √(e₂/2) sn u for an axis that goes through the downright.
//
// Angular velocity by (2.13) from
//   α̇ sin β = (P − S) c/(2s) + (P + S) s/(2c)     β̇ = −(z₂ − z₁) w dn · (sn/c)(cn/s)                              (6)
//
// Roots. In x = z − z₀, f = ż₀² + f₁ x + f₂ x² + b x³ with, for g = e_x ω_x + e_y ω_y = P − S z₀, q = 1 − z₀²,
//   f₁ = −b q − 2 z₀ k₀ + 2 S g      f₂ = 2 b z₀ − k₀ − S²                                                        (7)
// The root farther from z₀ (x₂ if f₁ > 0, else x₁) is found in a bracket, in x, or in y or e where it is near the
// vertical; the nearer one and x₃ from the quadratic that is left. Then, since f(1) = −(P − S)², f(−1) = −(P + S)²:
//   b y² − s₁ y − (P − S)²/y₁ = 0,  s₁ = b (2 + x₁) − k₀ − S²: y₂ and y₃;  b (z₃ − z₂) = √(s₁² + 4 b (P − S)²/y₁)  (8)
//   b e₁² + W e₁ − (P + S)²/e₂ = 0                                                                                (9)
// give what is small near the vertical to all its digits.
#include "marey/closed_form/top.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "marey/closed_form/elliptic.h"
#include "marey/core.h"

namespace marey {
namespace {

using closed::Elliptic;
using closed::Real;

constexpr Real epsilon = std::numeric_limits<Real>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Real square(Real x) { return x * x; }

// The root of f between low and high, where f(low) and f(high) have different signs: halving, in the end to the last
// bit. Halving of the exponent first, so that a root near 0 gets all its digits.
template <class F>
Real root_between(const F& f, Real low, Real high) {
  const bool rising = f(high) > 0;
  for (int i = 0; i < 400; ++i) {
    const bool wide = low >= 0 && high > 0 && (low == 0 ? high > 1e-300L : high > 4 * low);
    Real middle = (low + high) / 2;
    if (wide) middle = low == 0 ? high * 1e-3L : std::sqrt(low) * std::sqrt(high);
    if (middle <= low || middle >= high) break;
    ((f(middle) > 0) == rising ? high : low) = middle;
  }
  return (low + high) / 2;
}

// Roots of b x² + B x + c = 0 for b ≥ 0: the one nearer to zero (the other is beyond z₃, or infinite).
Real near_root(Real b, Real B, Real c) {
  const Real root = std::sqrt(std::max(Real(0), B * B - 4 * b * c));
  if (B <= 0) return c == 0 ? 0 : 2 * c / (-B + root);
  return (-B - root) / (2 * b);  // both terms of one sign: the negative root
}

}  // namespace

FreePrecession free_precession(const SymmetricTop& top, const Vec3<double>& w) {
  const double across = top.across * std::hypot(w.x, w.y), along = top.along * w.z;
  return {std::atan2(across, along), std::hypot(across, along) / top.across, (1 - top.along / top.across) * w.z};
}

// A cos β Ω² − C ω_ζ Ω + M = 0, from α̈ = β̇ = β̈ = 0 in the equation of β.
std::optional<SteadyPrecession> steady_precession(const SymmetricTop& top, double beta, double w_z) {
  const double cosine = std::cos(beta), spin = top.along * w_z;
  const double quarter = spin * spin - 4 * top.across * top.weight_moment * cosine;
  if (!(quarter >= 0)) return std::nullopt;
  const double q = (spin + std::copysign(std::sqrt(quarter), spin)) / 2;
  if (q == 0) return std::nullopt;
  return SteadyPrecession{top.weight_moment / q, q / (top.across * cosine)};
}

double sleeping_spin(const SymmetricTop& top) { return 2 * std::sqrt(top.across * top.weight_moment) / top.along; }

struct HeavyTop::Solution {
  Real spin = 0;                 // ω_ζ
  Real b = 0, S = 0;             // see the symbols above
  Real P_minus = 0, P_plus = 0;  // P − S, P + S
  Real z0 = 0, k0 = 0, g0 = 0, zdot0 = 0, f1 = 0, f2 = 0;
  Real y0 = 0, e0 = 0;  // 1 − z₀, 1 + z₀

  bool steady = false;  // upright or hanging, and turning about its axis alone: R_WB0 Rz(ω_ζ t)
  Quaternion<Real> q0;
  Real x1 = 0, x2 = 0, y1 = 0, y2 = 0, e1 = 0, e2 = 0, W = 1, w = 0, u0 = 0;
  Elliptic elliptic{0, 1};
  Real sigma0 = 0, delta0 = 0, Q_plus0 = 0, Q_minus0 = 0;

  Solution(const SymmetricTop&, const Quaternion<double>&, const Vec3<double>&);
  Real f_of_x(Real x) const { return zdot0 * zdot0 + x * (f1 + x * (f2 + b * x)); }
  void find_roots();
  Real upper_root() const;
  Real lower_root() const;
  void find_start(const Vec3<double>& w_B);

  // Along the motion, at one instant.
  struct Instant {
    Elliptic::Phase p;
    Real c, s;              // cosine and sine of β/2
    Real sn_by_c, cn_by_s;  // sn/c and cn/s, finite where both vanish
    Real sigma, delta;
  };
  Instant at(Real t) const;
  Real Q_plus(const Elliptic::Phase& p) const {  // ∫ dt/(1 − z)
    return P_minus == 0 ? 0 : elliptic.integral_third(p, -(x2 - x1) / y1, y2 / y1) / (w * y1);
  }
  Real Q_minus(const Elliptic::Phase& p) const {  // ∫ dt/(1 + z)
    return P_plus == 0 ? 0 : elliptic.integral_third(p, (x2 - x1) / e1, e2 / e1) / (w * e1);
  }
};

HeavyTop::Solution::Solution(const SymmetricTop& top, const Quaternion<double>& R_WB0, const Vec3<double>& w_B) {
  const Real A = top.across;
  q0 = normalized(Quaternion<Real>{R_WB0.w, R_WB0.x, R_WB0.y, R_WB0.z});
  // The vertical in B, by half angles: exact where the axis is vertical.
  const Vec3<Real> e{2 * (q0.x * q0.z - q0.w * q0.y), 2 * (q0.y * q0.z + q0.w * q0.x), 0};
  y0 = 2 * (q0.x * q0.x + q0.y * q0.y), e0 = 2 * (q0.w * q0.w + q0.z * q0.z);
  z0 = y0 < e0 ? 1 - y0 : e0 - 1;
  spin = w_B.z, S = top.along * spin / A, b = 2 * Real(top.weight_moment) / A;
  k0 = square(w_B.x) + square(w_B.y);
  g0 = e.x * w_B.x + e.y * w_B.y, zdot0 = e.x * w_B.y - e.y * w_B.x;
  P_minus = g0 - S * y0, P_plus = g0 + S * e0;
  f1 = -b * y0 * e0 - 2 * z0 * k0 + 2 * S * g0, f2 = 2 * b * z0 - k0 - S * S;  // (7)
  const bool vertical = y0 == 0 || e0 == 0;
  steady = k0 == 0 && (vertical || b == 0);
  if (steady) return;
  find_roots();
  find_start(w_B);
}

// x₂, the root above z₀, when it is the farther one.
Real HeavyTop::Solution::upper_root() const {
  if (f_of_x(y0 / 2) <= 0) return root_between([this](Real x) { return f_of_x(x); }, 0, y0 / 2);
  // Near the upright: f = −(P − S)² + y g(y).
  const Real a_b = k0 - b * y0;
  const auto g = [&](Real y) { return (a_b + b * y) * (2 - y) - 2 * S * P_minus - S * S * y; };
  if (P_minus == 0) return y0 - (g(0) >= 0 ? 0 : root_between(g, 0, y0 / 2));
  return y0 - root_between([&](Real y) { return y * g(y) - square(P_minus); }, 0, y0 / 2);
}

// x₁, the root below z₀, when it is the farther one.
Real HeavyTop::Solution::lower_root() const {
  if (f_of_x(-e0 / 2) <= 0) return -root_between([this](Real x) { return f_of_x(-x); }, 0, e0 / 2);
  if (P_plus == 0) return -e0;
  // Near the downright: f = −(P + S)² + e g(e).
  const Real a_b = k0 + b * e0;
  const auto g = [&](Real e) { return (a_b - b * e) * (2 - e) + 2 * S * P_plus - S * S * e; };
  return root_between([&](Real e) { return e * g(e) - square(P_plus); }, 0, e0 / 2) - e0;
}

void HeavyTop::Solution::find_roots() {
  const Real zz = zdot0 * zdot0;
  if (zz == 0) {
    const Real other = near_root(b, f2, f1);
    x1 = std::min(Real(0), other), x2 = std::max(Real(0), other);
  } else if (f1 > 0) {
    x2 = upper_root();
    x1 = near_root(b, f2 + b * x2, -zz / x2);
  } else {
    x1 = lower_root();
    x2 = near_root(b, f2 + b * x1, -zz / x1);
  }
  x1 = std::max(x1, -e0), x2 = std::min(x2, y0);
  y1 = y0 - x1, e2 = e0 + x2;

  // (8)
  const Real s1 = b * (2 + x1) - k0 - S * S, rest = square(P_minus) / y1, root = std::sqrt(s1 * s1 + 4 * b * rest);
  const bool on_separatrix = root <= 32 * epsilon * (2 * b + k0 + S * S);
  y2 = y0 - x2;
  if (y2 < y0 / 2) y2 = s1 > 0 ? (s1 + root) / (2 * b) : rest == 0 ? 0 : 2 * rest / (root - s1);
  if (on_separatrix) y2 = 0;
  if (y2 < y0 / 2) x2 = y0 - y2;

  W = -f2 - b * (2 * x1 + x2);
  e1 = e0 + x1;
  if (e1 < e0 / 2) {  // (9)
    const Real product = square(P_plus) / e2;
    e1 = product == 0 ? 0 : 2 * product / (W + std::sqrt(W * W + 4 * b * product));
  }
  w = std::sqrt(W) / 2;
  elliptic = Elliptic(std::min(Real(1), b * (x2 - x1) / W), on_separatrix ? 0 : std::min(Real(1), root / W));
}

// u₀, and the constants of the two angles.
void HeavyTop::Solution::find_start(const Vec3<double>& w_B) {
  const Real sine = std::sqrt(-x1), cosine = std::sqrt(x2);
  u0 = elliptic.argument(zdot0 < 0 ? -sine : sine, cosine);
  const Elliptic::Phase p = elliptic.at(u0);
  Q_plus0 = Q_plus(p), Q_minus0 = Q_minus(p);
  // Where s or c is 0 at the start, its angle is that of the derivative: q̇ = ½ q (0, ω), and s falls, c grows.
  const Quaternion<Real> v = q0 * Quaternion<Real>{0, w_B.x, w_B.y, w_B.z};
  delta0 = y0 == 0 ? std::atan2(-v.x, -v.y) : std::atan2(q0.x, q0.y);
  sigma0 = e0 == 0 ? std::atan2(v.z, v.w) : std::atan2(q0.z, q0.w);
  // Where c = √(e₂/2) sn u starts negative, the quaternion is its absolute value turned by half a turn of σ.
  if (e1 == 0 && e0 != 0 && p.sn < 0) sigma0 += std::numbers::pi_v<Real>;
}

HeavyTop::Solution::Instant HeavyTop::Solution::at(Real t) const {
  Instant i;
  i.p = elliptic.at(u0 + w * t);
  const Real dz = x2 - x1;
  const bool upright = y2 == 0 && P_minus == 0, downright = e1 == 0;
  i.s = upright ? std::sqrt(y1 / 2) * i.p.cn : std::sqrt((y2 + dz * square(i.p.c)) / 2);
  i.c = downright ? std::sqrt(e2 / 2) * i.p.sn : std::sqrt((e1 + dz * square(i.p.s)) / 2);
  i.cn_by_s = upright ? std::sqrt(2 / y1) : i.p.cn / i.s;
  i.sn_by_c = downright ? std::sqrt(2 / e2) : i.p.sn / i.c;
  i.sigma = sigma0 + ((spin - S) * t + P_plus * (Q_minus(i.p) - Q_minus0)) / 2;  // (4)
  i.delta = delta0 + ((spin - S) * t - P_minus * (Q_plus(i.p) - Q_plus0)) / 2;
  return i;
}

HeavyTop::HeavyTop(const SymmetricTop& top, const Quaternion<double>& R_WB0, const Vec3<double>& w_B0) {
  if (!(top.across > 0 && top.along > 0 && top.weight_moment >= 0) ||
      !std::isfinite(top.across + top.along + top.weight_moment))
    throw Error(ErrorKind::bad_input,
                "heavy top: its moments of inertia are to be positive, its weight moment not negative");
  if (!(norm_squared(R_WB0) > 0) || !std::isfinite(norm_squared(R_WB0)) || !std::isfinite(w_B0.x + w_B0.y + w_B0.z))
    throw Error(ErrorKind::bad_input, "heavy top: its attitude and angular velocity at the start are not numbers");
  solution_ = std::make_shared<const Solution>(top, R_WB0, w_B0);
}

Quaternion<double> HeavyTop::attitude(double t) const {
  const Solution& s = *solution_;
  Quaternion<Real> q;
  if (s.steady) {
    q = s.q0 * quaternion_about(Vec3<Real>{0, 0, 1}, s.spin * t);
  } else {
    const Solution::Instant i = s.at(t);
    q = normalized(Quaternion<Real>{i.c * std::cos(i.sigma), i.s * std::sin(i.delta), i.s * std::cos(i.delta),
                                    i.c * std::sin(i.sigma)});
  }
  const double sign = q.w < 0 ? -1 : 1;
  return {sign * double(q.w), sign * double(q.x), sign * double(q.y), sign * double(q.z)};
}

Vec3<double> HeavyTop::angular_velocity(double t) const {
  const Solution& s = *solution_;
  if (s.steady) return {0, 0, double(s.spin)};
  const Solution::Instant i = s.at(t);
  Real tilt = 0;  // α̇ sin β, (6)
  if (s.P_minus != 0) tilt += s.P_minus * i.c / (2 * i.s);
  if (s.P_plus != 0) tilt += s.P_plus * i.s / (2 * i.c);
  const Real beta_rate = -(s.x2 - s.x1) * s.w * i.p.d * i.sn_by_c * i.cn_by_s, gamma = i.sigma + i.delta;
  return {double(-tilt * std::cos(gamma) + beta_rate * std::sin(gamma)),
          double(tilt * std::sin(gamma) + beta_rate * std::cos(gamma)), double(s.spin)};
}

EulerZyz HeavyTop::angles(double t) const {
  const Solution& s = *solution_;
  if (s.steady) {
    const EulerZyz e =
        euler_zyz(rotation(Quaternion<double>{double(s.q0.w), double(s.q0.x), double(s.q0.y), double(s.q0.z)}));
    return {e.alpha, e.beta, e.gamma + double(s.spin * t)};
  }
  const Solution::Instant i = s.at(t);
  return {double(i.sigma - i.delta), double(2 * std::atan2(i.s, i.c)), double(i.sigma + i.delta)};
}

double HeavyTop::smallest_nutation() const {
  const Solution& s = *solution_;
  return double(s.steady ? 2 * std::atan2(std::sqrt(s.y0), std::sqrt(s.e0))
                         : 2 * std::atan2(std::sqrt(s.y2), std::sqrt(s.e2)));
}

double HeavyTop::largest_nutation() const {
  const Solution& s = *solution_;
  return double(s.steady ? 2 * std::atan2(std::sqrt(s.y0), std::sqrt(s.e0))
                         : 2 * std::atan2(std::sqrt(s.y1), std::sqrt(s.e1)));
}

double HeavyTop::nutation_period() const {
  const Solution& s = *solution_;
  return s.steady ? 0 : double(2 * s.elliptic.K() / s.w);
}

double HeavyTop::precession_per_nutation() const {
  const Solution& s = *solution_;
  if (s.steady || std::isinf(s.elliptic.K())) return nan;
  const Elliptic::Phase p = s.elliptic.at(s.u0 + 2 * s.elliptic.K());
  return double((s.P_plus * (s.Q_minus(p) - s.Q_minus0) + s.P_minus * (s.Q_plus(p) - s.Q_plus0)) / 2);
}

}  // namespace marey
