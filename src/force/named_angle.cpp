// The named angles of a joint and their gradients.
//
// A torque function on a ball joint acts through one angle θ of R_FB. With w = w_FB_B, the joint's velocity,
// θ̇ = g · w defines the gradient g, in B, and a torque −V′(θ) g is minus the derivative of V(θ).
//
// Symbols: q = (s, u) the quaternion of R_FB, of any length; n = s² + u·u; a the unit axis in F. From
// q̇ = ½ q (0, w):
//   ṡ = −½ u·w,   u̇ = ½ (s w + u × w)                                                                   (1)
//
// Twist about a: with p = u·a, the turn about a that is nearest to R_FB is (s, p a), so θ = 2 atan2(p, s). By
// (1) ṗ = ½ (s a + a×u)·w, and θ̇ = 2 (s ṗ − p ṡ)/(s² + p²):
//   g = (s² a + s a×u + p u) / (s² + p²)                                                                 (2)
// (s, u) and (−s, −u) are the same rotation; the one with s ≥ 0 is taken, so that −π ≤ θ ≤ π.
//
// Swing of a: the angle between a and R_FB a. With u⊥ = u − p a, m = |u⊥|, c = √(s² + p²): θ = 2 atan2(m, c),
// 0 ≤ θ ≤ π. By (1) c ċ = −½ (s u⊥ − p a×u⊥)·w = −m ṁ, hence θ̇ = 2 (c ṁ − m ċ)/n is
//   g = (s u⊥ − p a×u⊥) / (m c),   |g| = 1                                                               (3)
//
// Euler angles, R_FB = Rx(α) Ry(β) Rz(γ): with R = R_FB the first row is (cos β cos γ, −cos β sin γ, sin β),
// so γ = atan2(−R_xy, R_xx), β = atan2(R_xz, k), α = atan2(−R_yz, R_zz), k = cos β = √(R_xx² + R_xy²). In B
// the axes of α̇, β̇, γ̇ are (cos β cos γ, −cos β sin γ, sin β), (sin γ, cos γ, 0) and (0, 0, 1); solved for the
// rates,
//   g_α = (R_xx, R_xy, 0)/k²,   g_β = (−R_xy, R_xx, 0)/k,   g_γ = (−R_xz R_xx, −R_xz R_xy, k²)/k²        (4)
//
// Second derivatives along turns with constant w, in which q̈ = −¼ |w|² q; H is symmetric, and w·H w = θ̈:
//   twist    c² θ̇ = 2 (s ṗ − p ṡ) has no second derivative of its own, so that θ̈ = −θ̇ d(c²)/dt / c²:
//            H = −½ (g kᵀ + k gᵀ),   k = (p (s a + a×u) − s u)/c²                                        (5)
//   swing    R_FB a goes along a circle. Across its way from a, along n = a × g, a great circle bends away by cot θ; a turn that has a
//            part about a itself bends the way of R_FB a along −n:
//            H = cot θ n nᵀ − ½ (a nᵀ + n aᵀ)                                                           (6)
//
// Where an angle has no gradient, in a zone that is far smaller than any step, the gradient is zero, so that
// the torque is too and nothing becomes NaN:
//   twist    where swing = π (s² + p² ≤ 1e-12 n, half a swing within 1e-6 rad): angle 0
//   swing    at 0 and at π (m² or c² ≤ 1e-16 n, within 2e-8 rad): the angle stays right
//   Euler    at β = ±π/2 (k² ≤ 1e-12): α = γ = 0; β stays right
// Near these places the gradients of twist, α and γ grow like the inverse distance: a torque function on them
// is as badly behaved there as the angle itself, and another angle should be chosen.
#include <cmath>

#include "marey/force.h"
#include "marey/force/attitude_angle.h"
#include "marey/force/cast.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

template <class T>
Vec3<T> zero_where(const Mask<T>& mask, const Vec3<T>& a) {
  return {select(mask, T(0), a.x), select(mask, T(0), a.y), select(mask, T(0), a.z)};
}

template <class T>
AngleAndGradient<T> twist_angle(const Quaternion<T>& q, const Vec3<T>& a) {
  const Mask<T> turned = q.w < T(0);
  const T s = select(turned, -q.w, q.w);
  const Vec3<T> u = select(turned, T(-1), T(1)) * Vec3<T>{q.x, q.y, q.z};
  const T p = dot(u, a), cc = s * s + p * p;
  const Mask<T> lost = cc <= T(1e-12) * norm_squared(q);
  const T safe_cc = select(lost, T(1), cc);
  const Vec3<T> g = (T(1) / safe_cc) * (s * s * a + s * cross(a, u) + p * u);  // (2)
  return {T(2) * atan2(select(lost, T(0), p), select(lost, T(1), s)), zero_where(lost, g)};
}

template <class T>
AngleAndGradient<T> swing_angle(const Quaternion<T>& q, const Vec3<T>& a) {
  const Vec3<T> u{q.x, q.y, q.z};
  const T s = q.w, p = dot(u, a), nn = norm_squared(q);
  const Vec3<T> across = u - p * a;
  const T mm = norm_squared(across), cc = s * s + p * p, tiny = T(1e-16) * nn;
  const Mask<T> none = mm <= tiny, full = cc <= tiny;
  // √ only of what is away from zero: its slope at zero is infinite.
  const T m = select(none, T(0), sqrt(select(none, T(1), mm)));
  const T c = select(full, T(0), sqrt(select(full, T(1), cc)));
  const T mc = select(none | full, T(1), m * c);
  const Vec3<T> g = (T(1) / mc) * (s * across - p * cross(a, across));  // (3)
  return {T(2) * atan2(m, c), zero_where(none | full, g)};
}

template <class T>
AngleAndGradient<T> euler_angle(NamedAngle::Kind kind, const Mat3<T>& R) {
  const T kk = R.xx * R.xx + R.xy * R.xy;
  const Mask<T> locked = kk <= T(1e-12);
  const T safe_kk = select(locked, T(1), kk), k = select(locked, T(0), sqrt(safe_kk)), by_kk = T(1) / safe_kk;
  const auto turn = [&](const T& sine, const T& cosine) {
    return atan2(select(locked, T(0), sine), select(locked, T(1), cosine));
  };
  switch (kind) {  // (4)
    case NamedAngle::Kind::euler_x:
      return {turn(-R.yz, R.zz), zero_where(locked, Vec3<T>{R.xx * by_kk, R.xy * by_kk, T(0)})};
    case NamedAngle::Kind::euler_y: {
      const T by_k = k * by_kk;
      return {atan2(R.xz, k), zero_where(locked, Vec3<T>{-R.xy * by_k, R.xx * by_k, T(0)})};
    }
    default: {
      const T f = -R.xz * by_kk;
      return {turn(-R.xy, R.xx), zero_where(locked, Vec3<T>{f * R.xx, f * R.xy, T(1)})};
    }
  }
}

}  // namespace

template <class T>
AngleAndGradient<T> angle_of_attitude(const NamedAngle& angle, const Quaternion<T>& q) {
  using Kind = NamedAngle::Kind;
  const auto unit_axis = [&] {
    const double nn = norm_squared(angle.axis);
    return cast<T>(nn == 1 ? angle.axis : (1 / std::sqrt(nn)) * angle.axis);
  };
  switch (angle.kind) {
    case Kind::coordinate:
      return {T(0), {T(0), T(0), T(0)}};  // a ball has no single coordinate; refusal() says so
    case Kind::twist:
      return twist_angle(q, unit_axis());
    case Kind::swing:
      return swing_angle(q, unit_axis());
    default:
      return euler_angle(angle.kind, rotation(q));
  }
}

namespace {

// ½ (a bᵀ + b aᵀ)
Sym3<double> symmetric_product(const Vec3<double>& a, const Vec3<double>& b) {
  return {a.x * b.x,
          a.y * b.y,
          a.z * b.z,
          0.5 * (a.x * b.y + a.y * b.x),
          0.5 * (a.x * b.z + a.z * b.x),
          0.5 * (a.y * b.z + a.z * b.y)};
}

}  // namespace

bool curvature_of_attitude(const NamedAngle& angle, const Quaternion<double>& q, const Vec3<double>& g,
                           Sym3<double>& H) {
  const bool twist = angle.kind == NamedAngle::Kind::twist;
  if ((!twist && angle.kind != NamedAngle::Kind::swing) || norm_squared(g) == 0) return false;
  const Vec3<double> a = (1 / norm(angle.axis)) * angle.axis, u{q.x, q.y, q.z};
  const double s = q.w, p = dot(u, a), cc = s * s + p * p;
  if (twist) {
    H = -1.0 * symmetric_product(g, (1 / cc) * (p * (s * a + cross(a, u)) - s * u));  // (5)
    return true;
  }
  const Vec3<double> n = cross(a, g);
  const double mm = norm_squared(u - p * a);
  H = (cc - mm) / (2 * std::sqrt(mm * cc)) * symmetric_product(n, n) - symmetric_product(a, n);  // (6)
  return true;
}

template <class T>
AngleAndGradient<T> named_angle(const NamedAngle& angle, const Instant<T>& at, int link) {
  const LinkTopology& joint = at.model.links[static_cast<std::size_t>(link)];
  const std::size_t i = static_cast<std::size_t>(joint.q);
  switch (joint.joint) {
    case JointType::hinge:
    case JointType::slider:
      return {at.q[i], {T(1), T(0), T(0)}};
    case JointType::universal:
    case JointType::cylindrical:
    case JointType::planar:
    case JointType::screw:
    case JointType::custom:
      return {at.q[i + static_cast<std::size_t>(angle.coordinate)], {T(1), T(0), T(0)}, angle.coordinate};
    case JointType::ball:
    case JointType::free:
    case JointType::ellipsoid:
      return angle_of_attitude(angle, Quaternion<T>{at.q[i], at.q[i + 1], at.q[i + 2], at.q[i + 3]});
    case JointType::point:
    case JointType::weld:
      break;
  }
  return {T(0), {T(0), T(0), T(0)}};
}

#define MAREY_INSTANTIATE(T)                                                               \
  template AngleAndGradient<T> angle_of_attitude(const NamedAngle&, const Quaternion<T>&); \
  template AngleAndGradient<T> named_angle(const NamedAngle&, const Instant<T>&, int);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
