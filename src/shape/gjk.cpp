// Distance of two convex cores by the method of Gilbert, Johnson and Keerthi (IEEE J. Robotics and Automation 4 (1988)
// 193–203), derived here from its two bounds. D is convex, u a point of it. With w the point of D farthest along −u,
//
//   u/|u| · w  ≤  distance of D from the origin  ≤  |u|                                                            (1)
//
// the left side because all of D lies beyond the plane through w across u. A simplex of up to four points of D is kept;
// u is its point nearest to the origin (2), w is added, points that u does not need are dropped. |u| falls in every
// step; where it does not, rounding is all that is left, and (1) says how much. For polyhedra the number of steps is
// finite, since no simplex comes twice.
//
// (2) With e = b − a for two points: λ_b = −a · e / e². With e = b − a, f = c − a, N = e × f for three:
//   λ_b = a · (N × f)/N²,   λ_c = a · (e × N)/N²,   u = (a · N/N²) N
// Differences come first, so that a small simplex far away loses no more digits than it must. With rounding r in all
// points, the direction of u is right to r/|u|, that of N to r |e|/|N|: near each other the second is better, and (1)
// needs it, far from each other the first. Likewise u is made orthogonal to e once more where e is longer than u.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "shape/minkowski.h"

namespace marey {
namespace {

constexpr int gjk_steps = 96;
constexpr double gjk_gap = 2e-15;  // of the size: where (1) is as tight as rounding lets it be
constexpr double gjk_round =
    1e-13;  // of the size: where it is tight enough between round cores, which come there by steps
// A foot that is outside a triangle of size e by λ e is nearer than the triangle by (λ e)²/2|u|. With λ² e = 4e-16 |u| that is
// rounding, but not for the direction: |u| = 1e-9 is steered by weights of 1e-16, whose signs mean nothing.
constexpr double gjk_over = 4e-16;
// A triangle that is no sliver, with a height of 1e-6 of its size and of its distance, has its weights to 1e-4: rounding of N is
// 1e-16 · 1e6 of N, and 1e6 times that of a weight. Those above 1e-3 are above 0 then.
constexpr double gjk_fat = 1e-12, gjk_inside = 1e-3;
constexpr double gjk_clear = 1e-24;  // of the size to the sixth: squares of volumes, 1e4 times their rounding
constexpr double gjk_loose = 2e-13;  // of the size: where it is tried once more
constexpr double gjk_touch = 4e-15;  // of the size: below this u has no direction

// The nearest point of one to four points: which of them, their weights, the square of its length and its direction.
struct Nearest {
  double squared = std::numeric_limits<double>::infinity();
  int count = 0;
  Places which;  // ascending
  double lambda[3] = {};
  Vec3<double> direction;

  MAREY_INLINE void set(double new_squared, int i, const Vec3<double>& u) {
    squared = new_squared, count = 1, direction = u;
    which.put(0, i), lambda[0] = 1;
  }
  MAREY_INLINE void set(double new_squared, int i, int j, double li, double lj, const Vec3<double>& u) {
    squared = new_squared, count = 2, direction = u;
    which.put(0, i), which.put(1, j), lambda[0] = li, lambda[1] = lj;
  }
  MAREY_INLINE void set(double new_squared, int i, int j, int k, double li, double lj, double lk,
                        const Vec3<double>& u) {
    squared = new_squared, count = 3, direction = u;
    which.put(0, i), which.put(1, j), which.put(2, k), lambda[0] = li, lambda[1] = lj, lambda[2] = lk;
  }
};

void try_point(const Simplex& s, int i, Nearest& best) {
  const Vec3<double>& a = s.point(i).w;
  const double squared = norm_squared(a);
  if (squared < best.squared) best.set(squared, i, a);
}

void try_segment(const Simplex& s, int i, int j, Nearest& best) {
  const Vec3<double>&a = s.point(i).w, &b = s.point(j).w;
  const Vec3<double> e = b - a;
  const double ee = norm_squared(e), t = -dot(a, e);
  if (t <= 0) return try_point(s, i, best);
  if (t >= ee) return try_point(s, j, best);
  const double l = t / ee;
  const Vec3<double> u = a + l * e;
  const double squared = norm_squared(u);
  if (!(squared < best.squared)) return;
  best.set(squared, i, j, 1 - l, l, squared < ee ? u - (dot(u, e) / ee) * e : u);
}

// The sides beyond which the foot is.
void try_borders(const Simplex& s, int i, int j, int k, double la, double lb, double lc, Nearest& best) {
  if (la <= 0) try_segment(s, j, k, best);
  if (lb <= 0) try_segment(s, i, k, best);
  if (lc <= 0) try_segment(s, i, j, best);
}

// The foot a + λ_b e + λ_c f in the plane of a triangle, without what is left of it along the triangle; per = 1/N².
MAREY_INLINE Vec3<double> refined_foot(const Vec3<double>& a, const Vec3<double>& e, const Vec3<double>& f, double per,
                                       double& lb, double& lc) {
  const double ee = norm_squared(e), ff = norm_squared(f), ef = dot(e, f);
  Vec3<double> u = a + lb * e + lc * f;
  for (int round = 0; round < 2; ++round) {
    const double ue = dot(u, e), uf = dot(u, f);
    lb += (ef * uf - ff * ue) * per, lc += (ef * ue - ee * uf) * per;
    u = a + lb * e + lc * f;
  }
  return u;
}

void try_triangle(const Simplex& s, int i, int j, int k, Nearest& best) {
  const Vec3<double>& a = s.point(i).w;
  const Vec3<double> e = s.point(j).w - a, f = s.point(k).w - a, N = cross(e, f);
  const double NN = norm_squared(N);
  const double ee = norm_squared(e), ff = norm_squared(f);
  double la = -1, lb = -1, lc = -1;
  if (NN > 1e-26 * ee * ff) {
    const double per = 1 / NN;
    lb = dot(a, cross(N, f)) * per, lc = dot(a, cross(e, N)) * per, la = 1 - lb - lc;
    // Most feet are outside by far more than rounding, which is about 1e-16 |a| |e|/|N|: those need no refinement.
    const double outside = std::min({la, lb, lc});
    if (outside < 0 && outside * outside * NN > 1e-24 * norm_squared(a) * (ee + ff))
      return try_borders(s, i, j, k, la, lb, lc, best);
    if (s.of_polyhedra && outside > gjk_inside && NN > gjk_fat * (ee + ff) * (ee + ff + norm_squared(a))) {
      const double aN = dot(a, N), high = aN * aN * per;
      if (high * (ee + ff) < 0.5 * NN) {  // place_apart_witnesses() will look closer
        if (high < best.squared) best.set(high, i, j, k, la, lb, lc, aN < 0 ? -N : N);
        return;
      }
    }
    const Vec3<double> u = refined_foot(a, e, f, per, lb, lc);
    la = 1 - lb - lc;
    const double least = std::min({la, lb, lc}), uu = norm_squared(u);
    if (least > 0 || least * least * std::sqrt(ee + ff) < gjk_over * std::sqrt(uu)) {
      const bool broad = uu * (ee + ff) < NN;
      if (uu < best.squared) best.set(uu, i, j, k, la, lb, lc, broad ? (dot(a, N) < 0 ? -N : N) : u);
      return;
    }
  }
  try_borders(s, i, j, k, la, lb, lc, best);
}

// Whether the origin is in the tetrahedron; else the nearest point of the faces that have it on their outer side. A flat one
// can seem to hold an origin that is far away: where a plane is known to be between, `apart`, it does not, and all faces are
// tried.
//
// Where nothing is near zero, all four sides are known from the products of three edges e_i = p_i − p_0, a = p_0:
//   a · (e_i × e_j) for three faces,  V = e_1 · (e_2 × e_3),  and for the fourth the sum of the three, with V
bool try_tetrahedron(const Simplex& s, bool apart, Nearest& best) {
  static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  bool inside = true;
  if (s.of_polyhedra) {
    const Vec3<double>& a = s.point(0).w;
    const Vec3<double> e1 = s.point(1).w - a, e2 = s.point(2).w - a, e3 = s.point(3).w - a;
    const Vec3<double> c12 = cross(e1, e2), c13 = cross(e1, e3), c23 = cross(e2, e3);
    const double V = dot(e3, c12), o12 = dot(a, c12), o13 = -dot(a, c13), o23 = dot(a, c23);
    const double sides[4] = {-o12, -o13, -o23, V + o12 + o13 + o23};  // with V's sign: the origin is on the inner side
    const double q = norm_squared(a) + norm_squared(e1) + norm_squared(e2) + norm_squared(e3);
    const double least =
        std::min({V * V, sides[0] * sides[0], sides[1] * sides[1], sides[2] * sides[2], sides[3] * sides[3]});
    if (least > gjk_clear * q * q * q) {
      for (int k = 0; k < 4; ++k) {
        if (sides[k] * V > 0) continue;
        inside = false;
        try_triangle(s, faces[k][0], faces[k][1], faces[k][2], best);
      }
      if (!inside || !apart) return inside;
    }
  }
  for (const auto& f : faces) {
    const Vec3<double>& a = s.point(f[0]).w;
    const Vec3<double> N = cross(s.point(f[1]).w - a, s.point(f[2]).w - a), h = s.point(f[3]).w - a;
    const double other = dot(h, N), origin = -dot(a, N);
    const bool flat = !(other * other > 1e-28 * norm_squared(N) * norm_squared(h));
    if (!flat && origin * other >= 0 && (s.of_polyhedra || !apart)) continue;
    inside = false;
    try_triangle(s, f[0], f[1], f[2], best);
  }
  if (!inside || !apart) return inside;
  for (const auto& f : faces) try_triangle(s, f[0], f[1], f[2], best);
  return false;
}

// Leaves in the simplex what its nearest point needs. False: the origin is inside.
bool reduce_to_nearest(Simplex& s, bool apart, Nearest& best) {
  best.squared = std::numeric_limits<double>::infinity(), best.count = 0;
  if (s.count == 1) try_point(s, 0, best);
  if (s.count == 2) try_segment(s, 0, 1, best);
  if (s.count == 3) try_triangle(s, 0, 1, 2, best);
  if (s.count == 4 && try_tetrahedron(s, apart, best)) return false;
  const Places at = s.at;
  for (int k = 0; k < best.count; ++k) {
    s.at.put(k, at[best.which[k]]);
    s.lambda[index(k)] = best.lambda[k];
  }
  s.count = best.count;
  return true;
}

bool holds(const Simplex& s, const DifferencePoint& q) {
  for (int k = 0; k < s.count; ++k)
    if (same_point(s.point(k), q)) return true;
  return false;
}

// How far the first three directions are from the one between the centres: near each other, solids of some tens of vertices
// then show the three that the nearest points are among, or nearly; measured, 0.2 to 0.3 needs the fewest steps.
constexpr double gjk_tilt = 0.25;

// The simplex of last time, where its vertices are now; else a point along the last normal, or along the centres, and of two
// polyhedra three points about the latter. In the first places.
void start_simplex(const CorePair& pair, const PairCache* cache, Simplex& s) {
  DifferencePoints& points = *s.points;
  for (int k = 0; k < 3; ++k) s.at.put(k, k);
  if (cache && cache->count > 0 && cache->vertex_a[0] >= 0 && cache->vertex_b[0] >= 0) {
    s.count = std::min(cache->count, 3);
    for (int k = 0; k < s.count; ++k) {
      DifferencePoint& q = points[k];
      q.vertex_a = cache->vertex_a[index(k)], q.vertex_b = cache->vertex_b[index(k)];
      q.x = core_vertex(pair.a, q.vertex_a), q.y = pair.X_AB * core_vertex(pair.b, q.vertex_b);
      q.w = q.y - q.x;
    }
    return;
  }
  const bool known = cache && cache->count > 0;
  Vec3<double> d = known ? cache->normal_A : pair.X_AB * core_center(pair.b) - core_center(pair.a);
  if (norm_squared(d) == 0) d = {1, 0, 0};
  s.count = 1;
  if (known || !has_many_faces(pair.a.kind) || !has_many_faces(pair.b.kind))
    return put_difference_support(pair, -d, -1, -1, points[0]);
  const double length = norm(d), half = 0.5 * gjk_tilt * length, high = 1.7320508075688772 * half;
  Vec3<double> t1, t2;
  across((1 / length) * d, t1, t2);
  put_difference_support(pair, (2 * half) * t1 - d, -1, -1, points[0]);
  for (const double side : {high, -high}) {
    put_difference_support(pair, side * t2 - half * t1 - d, -1, -1, points[s.count]);
    if (!holds(s, points[s.count])) ++s.count;
  }
}

// Σ λ x, Σ λ y; a weight that was let pass below 0 counts as 0.
void place_apart_witnesses(Separation& out) {
  double sum = 0;
  if (out.simplex.of_polyhedra && out.simplex.count == 3) {
    std::array<double, 4>& lambda = out.simplex.lambda;
    const Vec3<double>& a = out.simplex.point(0).w;
    const Vec3<double> e = out.simplex.point(1).w - a, f = out.simplex.point(2).w - a;
    refined_foot(a, e, f, 1 / norm_squared(cross(e, f)), lambda[1], lambda[2]);
    lambda[0] = 1 - lambda[1] - lambda[2];
  }
  for (int k = 0; k < out.simplex.count; ++k) {
    const double lambda = std::max(out.simplex.lambda[index(k)], 0.0);
    sum += lambda;
    out.x += lambda * out.simplex.point(k).x;
    out.y += lambda * out.simplex.point(k).y;
  }
  out.x = (1 / sum) * out.x, out.y = (1 / sum) * out.y;
}

// From a simplex, which it uses up, until the bounds (1) meet or nothing falls any more. `out`: the best so far.
void descend(const CorePair& pair, Simplex& s, Separation& out) {
  Nearest nearest;
  const double touch = gjk_touch * pair.size;
  const bool polyhedra = is_polyhedral(pair.a.kind) && is_polyhedral(pair.b.kind);
  s.of_polyhedra = out.simplex.of_polyhedra = polyhedra;
  const double tight = (polyhedra ? gjk_gap : gjk_round) * pair.size;
  double last = std::numeric_limits<double>::infinity();
  int idle = 0;
  for (int step = 0; step < gjk_steps && idle < 3; ++step) {
    if (!reduce_to_nearest(s, out.lower > touch, nearest) || nearest.squared <= touch * touch) {
      out.overlap = true, out.simplex.count = s.count, out.simplex.at = s.at;
      return;
    }
    const double upper = std::sqrt(nearest.squared);
    const Vec3<double> normal = unit(nearest.direction);
    const DifferencePoint& last_w = s.point(s.count - 1);
    const int place = std::countr_one(s.used() | out.simplex.used());
    DifferencePoint& w = (*s.points)[place];
    put_difference_support(pair, polyhedra ? -nearest.direction : -normal, last_w.vertex_a, last_w.vertex_b, w);
    const double lower = dot(normal, w.w);
    const bool tighter = upper - lower < out.upper - out.lower;
    idle = nearest.squared < last || tighter ? 0 : idle + 1;
    last = std::min(last, nearest.squared);
    if (tighter) {
      out.upper = upper, out.lower = lower, out.normal = normal;
      out.simplex.count = s.count, out.simplex.at = s.at;
      for (int k = 0; k < s.count; ++k) out.simplex.lambda[index(k)] = s.lambda[index(k)];
    }
    if (upper - lower <= tight || holds(s, w)) return;
    s.at.put(s.count++, place);
  }
}

// The normal of the face, if the core has any, that faces most along d.
bool face_along(const Convex& c, const Vec3<double>& d, Vec3<double>& normal) {
  if (c.kind == ConvexKind::cylinder || c.kind == ConvexKind::cone) {
    normal = {0, 0, d.z < 0 ? -1.0 : 1.0};
  } else if (c.kind == ConvexKind::box) {
    const double x = std::abs(d.x), y = std::abs(d.y), z = std::abs(d.z);
    const int i = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
    normal = {}, normal[i] = d[i] < 0 ? -1 : 1;
  } else if (c.kind == ConvexKind::hull && !c.hull->faces.empty()) {  // a cloud of points has none
    const int v = core_support(c, d).vertex;
    double most = -2;
    for (int k = c.hull->neighbor_first[index(v)]; k < c.hull->neighbor_first[index(v) + 1]; ++k) {
      const Vec3<double>& n = c.hull->faces[index(c.hull->ring_faces[index(k)])].normal;
      if (dot(n, d) > most) most = dot(n, d), normal = n;
    }
  } else if (c.kind == ConvexKind::triangle) {
    const std::array<Vec3<double>, 3>& x = *c.triangle;
    normal = unit(cross(x[1] - x[0], x[2] - x[0]));
    if (dot(normal, d) < 0) normal = -normal;
  } else {
    return false;
  }
  return true;
}

// Whether a point of a triangle's plane is in it.
bool in_triangle(const std::array<Vec3<double>, 3>& x, const Vec3<double>& p) {
  const Vec3<double> N = cross(x[1] - x[0], x[2] - x[0]);
  for (std::size_t k = 0; k < 3; ++k)
    if (dot(N, cross(x[(k + 1) % 3] - x[k], p - x[k])) < 0) return false;
  return true;
}

// Whether a point in S is in the core, or above it by rounding.
bool in_core(const Convex& c, const Vec3<double>& x, double rounding) {
  const Vec3<double>& h = c.half;
  const double z = std::abs(x.z) - h.z, r = std::sqrt(x.x * x.x + x.y * x.y);
  if (c.kind == ConvexKind::box)
    return std::abs(x.x) - h.x <= rounding && std::abs(x.y) - h.y <= rounding && z <= rounding;
  if (c.kind == ConvexKind::cylinder) return r - h.x <= rounding && z <= rounding;
  if (c.kind == ConvexKind::cone) return r - 0.5 * h.x * (1 - x.z / h.z) <= rounding && z <= rounding;
  if (c.kind == ConvexKind::triangle) return in_triangle(*c.triangle, x);
  if (c.kind != ConvexKind::hull) return false;
  return std::ranges::all_of(c.hull->faces,
                             [&](const ConvexHull::Face& f) { return dot(f.normal, x) - f.offset <= rounding; });
}

// Where something round, or a vertex, is nearest to a face, the foot often is on a border of the simplex, and its direction
// is lost in rounding; that of the face is not. With y the other's point farthest against its normal n, the height of y
// above the face is a lower bound; if the foot x of y is in the face, it is the distance.
bool try_faces(const CorePair& pair, Separation& out) {
  for (int k = 0; k < 2; ++k) {
    Vec3<double> n;
    const bool is_a = k == 0;
    const Convex& c = is_a ? pair.a : pair.b;
    if (!face_along(c, is_a ? out.normal : -transpose_times(pair.X_AB.R, out.normal), n)) continue;
    if (!is_a) n = -(pair.X_AB.R * n);
    const DifferencePoint q = difference_support(pair, -n);
    const double lower = dot(n, q.w);
    if (!(lower > out.lower) || lower <= gjk_touch * pair.size) continue;
    out.lower = lower, out.normal = n;
    const Vec3<double> foot = is_a ? q.y - lower * n : q.x + lower * n;
    const Vec3<double> foot_S = is_a ? foot : transpose_times(pair.X_AB.R, foot - pair.X_AB.p);
    if (!in_core(c, foot_S, 1e-15 * pair.size)) continue;
    out.upper = lower;
    out.x = is_a ? foot : q.x, out.y = is_a ? q.y : foot;
    return true;
  }
  return false;
}

}  // namespace

namespace {

bool is_packed(const Convex& c) { return c.kind == ConvexKind::hull && !c.hull->packed.empty(); }

MAREY_INLINE void put_difference(const CorePair& pair, const CorePoint& x, const CorePoint& y, DifferencePoint& out) {
  const Vec3<double> y_A = pair.X_AB * y.p;
  out.x = x.p, out.y = y_A, out.w = y_A - x.p;
  out.vertex_a = x.vertex, out.vertex_b = y.vertex;
}

}  // namespace

void put_difference_support(const CorePair& pair, const Vec3<double>& d, int hint_a, int hint_b, DifferencePoint& out) {
  const Vec3<double> d_B = transpose_times(pair.X_AB.R, d);
  if (is_packed(pair.a) && is_packed(pair.b)) {  // what takes most of the time of most queries: nothing in between
    const ConvexHull &a = *pair.a.hull, &b = *pair.b.hull;
    const int at_a = farthest_place(a, -d), at_b = farthest_place(b, d_B);
    return put_difference(pair, packed_point(a, at_a), packed_point(b, at_b), out);
  }
  put_difference(pair, core_support(pair.a, -d, hint_a), core_support(pair.b, d_B, hint_b), out);
}

Separation separation_of_cores(const CorePair& pair, const PairCache* cache, DifferencePoints& room) {
  Separation out(room);
  out.upper = std::numeric_limits<double>::infinity(), out.lower = -out.upper;
  Simplex start(room);
  start_simplex(pair, cache, start);
  descend(pair, start, out);
  const auto loose = [&] { return !out.overlap && out.upper - out.lower > gjk_loose * pair.size; };
  if (loose() && try_faces(pair, out)) return out;
  // Round cores can leave a sliver, whose plane is lost in rounding: once more, from where it was or beside it.
  for (int k = 0; k < 24 && loose(); ++k) {
    Simplex fresh(room);
    fresh.count = k % 2 == 0 ? 3 : 1;
    const Vec3<double> s = some_normal_of(out.normal), t = cross(out.normal, s);
    const double beside = std::pow(10.0, -8 + k % 7);
    unsigned used = out.simplex.used();
    for (int m = 0; m < fresh.count; ++m) {
      const double angle = 2.0943951023931953 * m + k;
      const Vec3<double> aside = std::cos(angle) * s + std::sin(angle) * t;
      const int place = std::countr_one(used);
      put_difference_support(pair, beside * aside - out.normal, -1, -1, room[place]);
      fresh.at.put(m, place), used |= 1u << place;
    }
    descend(pair, fresh, out);
  }
  if (!out.overlap) place_apart_witnesses(out);
  return out;
}

}  // namespace marey
