// Springs and dampers between points, alone or in nets.
//
// With Q_a, Q_b the points, d = p_QaQb_W, L = |d|, u = d/L:
//   V = ½ k (L − L₀)²,   f on a = k (L − L₀) u, on b its opposite                                         (1)
//   f on a = c L̇ u, L̇ = u · (velocity of Q_b − velocity of Q_a), power −c L̇²                             (2)
// Where L₀ = 0 the force is k d, smooth through L = 0. Otherwise the direction is lost when the points meet, and there
// is no force there.
#include "core/index.h"
#include "force/cast.h"
#include "force/kinds.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

constexpr double meeting = 1e-30;  // m²: closer points have met; a float can still hold it

// p_BoQ_W. A particle has its point at its origin, and needs no turning.
template <class T>
Vec3<T> arm(const Instant<T>& at, const Anchor& q) {
  if (q.point.x == 0 && q.point.y == 0 && q.point.z == 0) return {T(0), T(0), T(0)};
  return at.X_WB[index(q.link)].R * cast<T>(q.point);
}

template <class T>
struct Line {
  Vec3<T> r_a, r_b;  // p_BoQ_W of both
  Vec3<T> d;         // p_QaQb_W
};
template <class T>
Line<T> line(const Instant<T>& at, const Anchor& a, const Anchor& b) {
  Line<T> l{arm(at, a), arm(at, b), {}};
  l.d = (at.X_WB[index(b.link)].p + l.r_b) - (at.X_WB[index(a.link)].p + l.r_a);
  return l;
}
template <class T>
T squared(const Vec3<T>& d) {
  return max(norm_squared(d), T(meeting));
}

}  // namespace

template <class T>
void act(const SpringNet& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  for (const SpringNet::Spring& s : e.springs) {
    const Line<T> l = line(at, s.a, s.b);
    const T tension = s.rest == 0 ? T(s.stiffness) : T(s.stiffness) * (T(1) - T(s.rest) / sqrt(squared(l.d)));
    sum.pair(at, s.a.link, l.r_a, s.b.link, l.r_b, tension * l.d);  // (1)
  }
}

template <class T>
T energy(const SpringNet& e, const Instant<T>& at) {
  T V(0);
  for (const SpringNet::Spring& s : e.springs) {
    const T L2 = norm_squared(line(at, s.a, s.b).d);
    if (s.rest == 0) {
      V += T(0.5 * s.stiffness) * L2;
    } else {
      const T stretch = sqrt(max(L2, T(meeting))) - T(s.rest);
      V += T(0.5 * s.stiffness) * stretch * stretch;
    }
  }
  return V;
}

template <class T>
void act(const DamperNet& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  for (const DamperNet::Damper& s : e.dampers) {
    const Line<T> l = line(at, s.a, s.b);
    const Twist<T>&V_a = at.V_WB[index(s.a.link)], &V_b = at.V_WB[index(s.b.link)];
    const Vec3<T> v = (V_b.v + cross(V_b.w, l.r_b)) - (V_a.v + cross(V_a.w, l.r_a));
    sum.pair(at, s.a.link, l.r_a, s.b.link, l.r_b, (T(s.damping) * dot(l.d, v) / squared(l.d)) * l.d);  // (2)
  }
}

#define MAREY_INSTANTIATE(T)                                                                     \
  template void act(const SpringNet&, const Instant<T>&, std::span<const double>, ForceSum<T>&); \
  template T energy(const SpringNet&, const Instant<T>&);                                        \
  template void act(const DamperNet&, const Instant<T>&, std::span<const double>, ForceSum<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
