// Small rotations and attitudes: the kernels behind advance(), on host and device.
//
// Attitude R(t) = R₀ exp(ξ̃), ξ in the axes of B. With the angular velocity w in B, R˙ = R w̃ gives
//   ξ̇ = w + ½ ξ × w + 1/12 ξ × (ξ × w) + O(ξ⁴)        w = ξ̇ − ½ ξ × ξ̇ + 1/6 ξ × (ξ × ξ̇) + O(ξ³)
// Unit quaternion of exp(ξ̃): (cos |ξ|/2, ½ ξ sinc |ξ|/2).
#pragma once

#include <cmath>

#include "marey/scalar/traits.h"
#include "marey/spatial.h"

namespace marey {

// The unit quaternion of a rotation from sin(x)/x and cos(x), x = |ξ|/2.
template <class T>
MAREY_KERNEL Quaternion<T> quaternion_of_half_angle(const Vec3<T>& xi, const T& sinc, const T& c) {
  const T s = T(0.5) * sinc;
  return {c, s * xi.x, s * xi.y, s * xi.z};
}
// sin x/x = 1 − x²/6 (1 − x²/20), cos x = 1 − x²/2 (1 − x²/12): exact to round-off below 1e-3 rad.
template <class T>
MAREY_KERNEL auto is_small_half_angle(const T& x2) {
  return x2 < T(1e-6);
}
template <class T>
MAREY_KERNEL T sinc_of_small(const T& x2) {
  return T(1) - x2 * (T(1.0 / 6) - x2 * T(1.0 / 120));
}
template <class T>
MAREY_KERNEL T cos_of_small(const T& x2) {
  return T(1) - x2 * (T(0.5) - x2 * T(1.0 / 24));
}
// Without dividing by a small number.
template <class T>
MAREY_KERNEL Quaternion<T> quaternion_of_rotation(const Vec3<T>& xi) {
  using std::cos, std::sin, std::sqrt;
  const T x2 = T(0.25) * norm_squared(xi);
  const auto small = is_small_half_angle(x2);
  if constexpr (std::is_same_v<T, double>)  // packs do not branch on their state
    if (small) return quaternion_of_half_angle(xi, sinc_of_small(x2), cos_of_small(x2));
  const T x = sqrt(select(small, T(1), x2));
  return quaternion_of_half_angle(xi, select(small, sinc_of_small(x2), sin(x) / x),
                                  select(small, cos_of_small(x2), cos(x)));
}

// The rotation vector of a unit quaternion, |ξ| ≤ π.
template <class T>
MAREY_KERNEL Vec3<T> rotation_of_quaternion(const Quaternion<T>& q) {
  using std::atan2, std::sqrt;
  const T sign = select(q.w < T(0), T(-1), T(1));
  const T s2 = q.x * q.x + q.y * q.y + q.z * q.z;
  const auto small = s2 < T(1e-12);
  const T s = sqrt(select(small, T(1), s2));
  // 2 asin(s)/s near 0 is 2 (1 + s²/6)
  const T factor = sign * select(small, T(2) + s2 * T(1.0 / 3), T(2) * atan2(s, sign * q.w) / s);
  return {factor * q.x, factor * q.y, factor * q.z};
}

// R (1 + ξ̃) orthonormalised is the rotation of (1, ξ/2) normalised: A (34)(35).
template <class T>
MAREY_KERNEL Quaternion<T> quaternion_of_first_order(const Vec3<T>& xi) {
  return {T(1), T(0.5) * xi.x, T(0.5) * xi.y, T(0.5) * xi.z};
}
template <class T>
MAREY_KERNEL Quaternion<T> turned_first_order(const Quaternion<T>& q, const Vec3<T>& xi) {
  return normalized(q * quaternion_of_first_order(xi));
}

template <class T>
MAREY_KERNEL Vec3<T> local_rate_of(const Vec3<T>& xi, const Vec3<T>& w) {
  const Vec3<T> a = cross(xi, w);
  return w + T(0.5) * a + T(1.0 / 12) * cross(xi, a);
}
// The same without truncation, for methods of higher order and long steps:
//   ξ̇ = w + ½ ξ × w + c ξ × (ξ × w),   c = (1 − x cot x)/(4x²),  x = |ξ|/2
inline Vec3<double> local_rate_exact(const Vec3<double>& xi, const Vec3<double>& w) {
  const double x2 = 0.25 * norm_squared(xi), x = std::sqrt(x2);
  // 1 − x cot x = x²/3 + x⁴/45 + 2x⁶/945 + x⁸/4725 + …: where the closed form would lose digits
  const double c = x2 < 0.01 ? 1.0 / 12 + x2 * (1.0 / 180 + x2 * (1.0 / 1890 + x2 * (1.0 / 18900 + x2 / 187110)))
                             : (1 - x / std::tan(x)) / (4 * x2);
  const Vec3<double> a = cross(xi, w);
  return w + 0.5 * a + c * cross(xi, a);
}
template <class T>
MAREY_KERNEL Vec3<T> angular_velocity_of(const Vec3<T>& xi, const Vec3<T>& xi_rate) {
  const Vec3<T> a = cross(xi, xi_rate);
  return xi_rate - T(0.5) * a + T(1.0 / 6) * cross(xi, a);
}

}  // namespace marey
