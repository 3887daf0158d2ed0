// Two points and the line between them.
#pragma once

#include "marey/core/index.h"
#include "marey/force.h"
#include "marey/force/cast.h"
#include "marey/scalar.h"

namespace marey {

// p_BoQ_W. A particle has its point at its origin, and needs no rotation.
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

inline constexpr double meeting = 1e-30;  // m²: points closer than this have met; a float can still hold it
template <class T>
T squared_length(const Vec3<T>& d) {
  return max(norm_squared(d), T(meeting));
}

}  // namespace marey
