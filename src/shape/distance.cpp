// Signed distance of two convex solids from that of their cores. A ball of radius r swept over a convex set raises its
// support function by r, so that with s the signed distance of the cores
//
//   signed distance of the solids = s − margin_a − margin_b,  with the same normal
//
// whether the cores are apart (s from gjk.cpp, or in closed form) or overlap (−s the depth from expanding_polytope.cpp, or
// from the 15 axes of two boxes). Points: x on core a, y on core b, y − x = s n; the witnesses are x + margin_a n and
// y − margin_b n. All of it in the axes of A, so that places far from the world's origin lose no digits here.
#include "marey/shape/distance.h"

#include <algorithm>
#include <cmath>

#include "shape/minkowski.h"

namespace marey {
namespace {

void remember(const Separation& found, PairCache* cache) {
  if (!cache) return;
  cache->count = found.simplex.count, cache->normal_A = found.normal;
  bool by_number = true;
  for (int k = 0; k < found.simplex.count; ++k) {
    const DifferencePoint& q = found.simplex.point(k);
    cache->vertex_a[index(k)] = q.vertex_a, cache->vertex_b[index(k)] = q.vertex_b;
    by_number = by_number && q.vertex_a >= 0 && q.vertex_b >= 0;
  }
  if (!by_number) cache->vertex_a[0] = -1;
}

// The face that was nearest, to begin with next time: with any point behind it it holds the origin, and nothing is to be searched.
void remember_depth(const Penetration& deep, PairCache& cache) {
  cache.count = 0, cache.vertex_a[0] = deep.vertex_a, cache.vertex_b[0] = deep.vertex_b;
  if (deep.face_a[0] < 0 || deep.face_b[0] < 0) return;
  cache.count = 3, cache.normal_A = deep.normal;
  for (std::size_t k = 0; k < 3; ++k) cache.vertex_a[k] = deep.face_a[k], cache.vertex_b[k] = deep.face_b[k];
}

// Points x and y of the cores, a signed distance between them along the normal.
void put_witnesses(const CorePair& pair, const Vec3<double>& x, const Vec3<double>& y, double s, Distance& out) {
  const Vec3<double> middle = 0.5 * (x + y);
  out.distance = s - pair.a.margin - pair.b.margin;
  out.point_a_W = middle + (pair.a.margin - 0.5 * s) * out.normal_W;
  out.point_b_W = middle + (0.5 * s - pair.b.margin) * out.normal_W;
}

Distance general_distance(const CorePair& pair, PairCache* cache) {
  Distance out;
  DifferencePoints points;
  const Separation apart = separation_of_cores(pair, cache, points);
  if (!apart.overlap) {
    out.normal_W = apart.normal;
    out.slack = apart.upper - apart.lower;
    put_witnesses(pair, apart.x, apart.y, apart.upper, out);
    remember(apart, cache);
    return out;
  }
  const Penetration deep = penetration_of_cores(pair, apart.simplex);
  out.normal_W = deep.normal;
  out.slack = deep.upper - deep.lower;
  put_witnesses(pair, deep.x, deep.y, -deep.upper, out);
  if (cache) remember_depth(deep, *cache);
  return out;
}

}  // namespace

CorePair core_pair(const Convex& a, const Transform<double>& X_WA, const Convex& b, const Transform<double>& X_WB) {
  const Vec3<double> p = X_WB.p - X_WA.p;
  double size = 0;
  if (a.kind == ConvexKind::box && b.kind == ConvexKind::box && a.margin == 0 && b.margin == 0) {
    size = std::sqrt(std::max({norm_squared(p), norm_squared(a.half), norm_squared(b.half)}));  // one root, not three
  } else {
    size = norm(p);
    for (const Convex* c : {&a, &b})
      if (c->kind != ConvexKind::plane) size = std::max(size, reach(*c));
  }
  return {a, b, {transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, p)}, size};
}

Distance distance_in_A(const CorePair& pair, PairCache* cache) {
  Distance out;
  if (!closed_distance(pair, out)) out = general_distance(pair, cache);
  return out;
}

bool comes_second(const CorePair& pair) {
  const Convex &a = pair.a, &b = pair.b;
  if (a.kind != b.kind) return a.kind > b.kind;
  for (int i = 0; i < 3; ++i)
    if (a.half[i] != b.half[i]) return a.half[i] < b.half[i];
  if (a.margin != b.margin) return a.margin < b.margin;
  if (a.kind == ConvexKind::hull && a.hull->reach != b.hull->reach) return a.hull->reach < b.hull->reach;
  // R_AB and R_BA: each other's transpose. Alike to rounding, they are two poses that swapping leaves as they are.
  const Mat3<double>& R = pair.X_AB.R;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    if (std::abs(R(i, j) - R(j, i)) > 1e-9) return R(i, j) > R(j, i);
  }
  return false;
}

Distance distance_between(const Convex& a, const Transform<double>& X_WA, const Convex& b,
                          const Transform<double>& X_WB, PairCache* cache) {
  const CorePair pair = core_pair(a, X_WA, b, X_WB);
  if (is_turned_round(pair)) {
    Distance out = distance_in_A(core_pair(b, X_WB, a, X_WA), nullptr);
    out.normal_W = -(X_WB.R * out.normal_W);
    const Vec3<double> on_b = X_WB * out.point_a_W;
    out.point_a_W = X_WB * out.point_b_W, out.point_b_W = on_b;
    return out;
  }
  Distance out = distance_in_A(pair, cache);
  out.normal_W = X_WA.R * out.normal_W;
  out.point_a_W = X_WA * out.point_a_W, out.point_b_W = X_WA * out.point_b_W;
  return out;
}

}  // namespace marey
