// Euler angles z-y′-z″ and x-y′-z″; see euler_angles.h.
//
// Source: Ruder et al. 1991 (2.12), (2.13), (3.20); Wilhelms 1987 for x-y′-z″. With s, c for sine and cosine:
//
// z-y′-z″: the third column of R is (sβ cα, sβ sα, cβ), the third row (−sβ cγ, sβ sγ, cβ). The axes of α̇, β̇, γ̇ are
//   in W: (0, 0, 1), (−sα, cα, 0), (sβ cα, sβ sα, cβ)                                                    (2.12)
//   in B: (−sβ cγ, sβ sγ, cβ), (sγ, cγ, 0), (0, 0, 1)                                                    (2.13)
//   α̇ = (−ω_ξ cγ + ω_η sγ)/sβ     β̇ = ω_ξ sγ + ω_η cγ     γ̇ = ω_ζ − α̇ cβ                               (3.20)
//   The print has the other sign before ω_η in (3.20a).
// x-y′-z″: the first row of R is (cβ cγ, −cβ sγ, sβ), the third column (sβ, −sα cβ, cα cβ). The axes of α̇, β̇, γ̇ are
//   in W: (1, 0, 0), (0, cα, sα), (sβ, −sα cβ, cα cβ)                                                        (1)
//   in B: (cβ cγ, −cβ sγ, sβ), (sγ, cγ, 0), (0, 0, 1)                                                        (2)
//
// Angles from R: α from the third column. Then γ from the second row of R_1(α)ᵀ R, which is (sγ, cγ, 0) in both orders
// and well defined at any tilt; so that R is met to round-off even where α itself is not.
#include "marey/closed_form/euler_angles.h"

#include <cmath>
#include <numbers>

namespace marey {
namespace {

using V = Vec3<double>;
using Q = Quaternion<double>;

Q with_positive_w(const Q& q) { return q.w < 0 ? Q{-q.w, -q.x, -q.y, -q.z} : q; }

constexpr V ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};

}  // namespace

Mat3<double> rotation(const EulerZyz& e) {
  return rotation_about(ez, e.alpha) * rotation_about(ey, e.beta) * rotation_about(ez, e.gamma);
}

Mat3<double> rotation(const EulerXyz& e) {
  return rotation_about(ex, e.alpha) * rotation_about(ey, e.beta) * rotation_about(ez, e.gamma);
}

Q quaternion_of(const EulerZyz& e) {
  return with_positive_w(quaternion_about(ez, e.alpha) * quaternion_about(ey, e.beta) * quaternion_about(ez, e.gamma));
}

Q quaternion_of(const EulerXyz& e) {
  return with_positive_w(quaternion_about(ex, e.alpha) * quaternion_about(ey, e.beta) * quaternion_about(ez, e.gamma));
}

EulerZyz euler_zyz(const Mat3<double>& R) {
  const double sine = std::hypot(R.xz, R.yz), beta = std::atan2(sine, R.zz);
  if (sine <= euler_singular) return {std::atan2(-R.xy, R.yy), beta, 0};
  const double alpha = std::atan2(R.yz, R.xz), c = std::cos(alpha), s = std::sin(alpha);
  return {alpha, beta, std::atan2(c * R.yx - s * R.xx, c * R.yy - s * R.xy)};
}

EulerZyz next_zyz(const EulerZyz& before, const Mat3<double>& R) {
  constexpr double pi = std::numbers::pi;
  const auto nearest = [](double angle, double to, double period) {
    return angle + period * std::round((to - angle) / period);
  };
  const double sine = std::hypot(R.xz, R.yz), tilt = std::atan2(sine, R.zz);
  EulerZyz e = before;
  if (sine > euler_pole) {
    const double azimuth = std::atan2(R.yz, R.xz);
    e.alpha = nearest(azimuth, before.alpha, pi);
    e.beta = nearest(std::cos(e.alpha - azimuth) < 0 ? -tilt : tilt, before.beta, 2 * pi);
  } else {
    const double one = nearest(tilt, before.beta, 2 * pi), other = nearest(-tilt, before.beta, 2 * pi);
    e.beta = std::abs(one - before.beta) <= std::abs(other - before.beta) ? one : other;
  }
  const double c = std::cos(e.alpha), s = std::sin(e.alpha), side = std::cos(e.beta) < 0 ? -1 : 1;
  const double gamma = std::atan2(c * R.yx - s * R.xx, c * R.yy - s * R.xy);
  e.gamma = nearest(gamma, before.gamma + side * (before.alpha - e.alpha), 2 * pi);
  return e;
}

EulerXyz euler_xyz(const Mat3<double>& R) {
  const double cosine = std::hypot(R.yz, R.zz), beta = std::atan2(R.xz, cosine);
  if (cosine <= euler_singular) return {std::atan2(R.zy, R.yy), beta, 0};
  const double alpha = std::atan2(-R.yz, R.zz), c = std::cos(alpha), s = std::sin(alpha);
  return {alpha, beta, std::atan2(c * R.yx + s * R.zx, c * R.yy + s * R.zy)};
}

V angular_velocity_body(const EulerZyz& e, const V& r) {  // (2.13)
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sc = std::sin(e.gamma), cc = std::cos(e.gamma);
  return {-r.x * sb * cc + r.y * sc, r.x * sb * sc + r.y * cc, r.x * cb + r.z};
}

V angular_velocity_world(const EulerZyz& e, const V& r) {  // (2.12)
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sa = std::sin(e.alpha), ca = std::cos(e.alpha);
  return {-r.y * sa + r.z * sb * ca, r.y * ca + r.z * sb * sa, r.x + r.z * cb};
}

V angular_velocity_body(const EulerXyz& e, const V& r) {  // (2)
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sc = std::sin(e.gamma), cc = std::cos(e.gamma);
  return {r.x * cb * cc + r.y * sc, -r.x * cb * sc + r.y * cc, r.x * sb + r.z};
}

V angular_velocity_world(const EulerXyz& e, const V& r) {  // (1)
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sa = std::sin(e.alpha), ca = std::cos(e.alpha);
  return {r.x + r.z * sb, r.y * ca - r.z * sa * cb, r.y * sa + r.z * ca * cb};
}

std::optional<V> euler_rates_from_body(const EulerZyz& e, const V& w) {  // (3.20)
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sc = std::sin(e.gamma), cc = std::cos(e.gamma);
  if (std::abs(sb) <= euler_singular) return std::nullopt;
  const double alpha = (-w.x * cc + w.y * sc) / sb;
  return V{alpha, w.x * sc + w.y * cc, w.z - alpha * cb};
}

std::optional<V> euler_rates_from_world(const EulerZyz& e, const V& w) {  // (2.12), solved
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sa = std::sin(e.alpha), ca = std::cos(e.alpha);
  if (std::abs(sb) <= euler_singular) return std::nullopt;
  const double gamma = (w.x * ca + w.y * sa) / sb;
  return V{w.z - gamma * cb, -w.x * sa + w.y * ca, gamma};
}

std::optional<V> euler_rates_from_body(const EulerXyz& e, const V& w) {  // (2), solved
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sc = std::sin(e.gamma), cc = std::cos(e.gamma);
  if (std::abs(cb) <= euler_singular) return std::nullopt;
  const double alpha = (w.x * cc - w.y * sc) / cb;
  return V{alpha, w.x * sc + w.y * cc, w.z - alpha * sb};
}

std::optional<V> euler_rates_from_world(const EulerXyz& e, const V& w) {  // (1), solved
  const double sb = std::sin(e.beta), cb = std::cos(e.beta), sa = std::sin(e.alpha), ca = std::cos(e.alpha);
  if (std::abs(cb) <= euler_singular) return std::nullopt;
  const double gamma = (-w.y * sa + w.z * ca) / cb;
  return V{w.x - gamma * sb, w.y * ca + w.z * sa, gamma};
}

}  // namespace marey
