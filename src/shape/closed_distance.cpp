// Distances in closed form: a plane and anything, points and segments (spheres and capsules).
//
// Plane a (normal e_z of A, all in A): with d = R_ABᵀ e_z,  s = p_z − h_b(−d), the witness of b its point farthest along −d.
//
// Two segments p + s e, q + t f, |s| ≤ 1, |t| ≤ 1 (half lengths e, f; a point has e = 0): with r = p − q
//   minimise |r + s e − t f|²:  s = (b f·r − c e·r)/(a c − b²),  t = (a f·r − b e·r)/(a c − b²),  a = e², b = e·f, c = f²
// where both are within bounds; else one of them is at its bound and the other the foot there, clamped. Parallel ones have
// many solutions: the middle of the common stretch is taken, so that swapping the two changes nothing.
//
// Where the segments meet there is no direction between them: across both, e × f, to the side on which b's centre is;
// parallel, or with a point: across the segment, along x of the capsule; two points: along z of a.
#include <algorithm>
#include <cmath>
#include <limits>

#include "shape/minkowski.h"

namespace marey {
namespace {

struct SegmentPair {
  double s = 0, t = 0;  // in [−1, 1]
};

double within(double x) { return std::clamp(x, -1.0, 1.0); }

SegmentPair nearest_on_segments(const Vec3<double>& r, const Vec3<double>& e, const Vec3<double>& f) {
  const double a = norm_squared(e), b = dot(e, f), c = norm_squared(f), er = dot(e, r), fr = dot(f, r);
  if (a == 0 && c == 0) return {};
  if (a == 0) return {0, within(fr / c)};
  if (c == 0) return {within(-er / a), 0};
  const double det = norm_squared(cross(e, f));
  if (det <= 1e-24 * a * c) {  // parallel: the stretch of s for which a foot on the other exists
    const double mid = -er / a, half = std::abs(b) / a;
    const double low = std::max(-1.0, mid - half), high = std::min(1.0, mid + half);
    const double s = within(low <= high ? 0.5 * (low + high) : (mid > 0 ? 1.0 : -1.0));
    return {s, within((fr + s * b) / c)};
  }
  SegmentPair out{within((b * fr - c * er) / det), 0};
  out.t = (fr + out.s * b) / c;
  if (std::abs(out.t) > 1) out.t = within(out.t), out.s = within((out.t * b - er) / a);
  return out;
}

Vec3<double> axis_of(const Mat3<double>& R, int j) { return {R(0, j), R(1, j), R(2, j)}; }

// A direction where two cores that are points or segments meet.
Vec3<double> stated_normal(const CorePair& pair, const Vec3<double>& e, const Vec3<double>& f) {
  const bool a_long = norm_squared(e) > 0, b_long = norm_squared(f) > 0;
  if (!a_long && !b_long) return {0, 0, 1};
  const Vec3<double> N = cross(e, f);
  if (a_long && b_long && norm_squared(N) > 1e-24 * norm_squared(e) * norm_squared(f))
    return dot(N, pair.X_AB.p) < 0 ? unit(-N) : unit(N);
  return a_long ? Vec3<double>{1, 0, 0} : -axis_of(pair.X_AB.R, 0);
}

// The unit direction of u, between points that are free to move along their segments: across both. Near contact u has lost
// digits of its direction that they have not.
Vec3<double> direction_between(const Vec3<double>& u, const SegmentPair& at, const Vec3<double>& e,
                               const Vec3<double>& f) {
  const double ee = norm_squared(e), ff = norm_squared(f);
  const bool along_e = ee > 0 && std::abs(at.s)<1, along_f = ff> 0 && std::abs(at.t) < 1;
  if (along_e && along_f) {
    const Vec3<double> N = cross(e, f);
    if (norm_squared(N) > 1e-4 * ee * ff) return dot(N, u) < 0 ? unit(-N) : unit(N);
  }
  Vec3<double> n = unit(u);
  for (int round = 0; round < 2; ++round) {
    if (along_e) n -= (dot(n, e) / ee) * e;
    if (along_f) n -= (dot(n, f) / ff) * f;
  }
  return unit(n);
}

void segments(const CorePair& pair, Distance& out) {
  const Vec3<double> e{0, 0, pair.a.half.z}, f = pair.b.half.z * axis_of(pair.X_AB.R, 2), &q = pair.X_AB.p;
  const SegmentPair at = nearest_on_segments(-q, e, f);
  const Vec3<double> x = at.s * e, y = q + at.t * f, u = y - x;
  const double length = norm(u);
  out.normal_W = length > 1e-15 * pair.size ? direction_between(u, at, e, f) : stated_normal(pair, e, f);
  out.distance = length - pair.a.margin - pair.b.margin;
  out.point_a_W = x + pair.a.margin * out.normal_W;
  out.point_b_W = y - pair.b.margin * out.normal_W;
}

// The plane is z = 0 of P, the half space below it; all in P.
void plane_and(const Convex& b, const Transform<double>& X_PB, Distance& in_P) {
  const Vec3<double> down{-X_PB.R.zx, -X_PB.R.zy, -X_PB.R.zz};  // −e_z of the plane in B
  in_P.normal_W = {0, 0, 1};
  if (b.kind == ConvexKind::plane) {
    const bool facing = X_PB.R.zz < -1 + 1e-15;
    in_P.distance = facing ? X_PB.p.z : -std::numeric_limits<double>::infinity();
    in_P.point_a_W = {X_PB.p.x, X_PB.p.y, 0}, in_P.point_b_W = X_PB.p;
    return;
  }
  in_P.point_b_W = X_PB * core_support(b, down).p - Vec3<double>{0, 0, b.margin};
  in_P.distance = in_P.point_b_W.z;
  in_P.point_a_W = {in_P.point_b_W.x, in_P.point_b_W.y, 0};
}

bool is_thin(ConvexKind kind) { return kind == ConvexKind::sphere || kind == ConvexKind::capsule; }

}  // namespace

bool closed_distance(const CorePair& pair, Distance& in_A) {
  if (pair.a.kind == ConvexKind::plane) {
    plane_and(pair.b, pair.X_AB, in_A);
    return true;
  }
  if (pair.b.kind == ConvexKind::plane) {
    Distance in_B;
    plane_and(pair.a, inverse(pair.X_AB), in_B);
    in_A.distance = in_B.distance;
    in_A.normal_W = -(pair.X_AB.R * in_B.normal_W);
    in_A.point_a_W = pair.X_AB * in_B.point_b_W, in_A.point_b_W = pair.X_AB * in_B.point_a_W;
    return true;
  }
  if (!is_thin(pair.a.kind) || !is_thin(pair.b.kind)) return false;
  segments(pair, in_A);
  return true;
}

}  // namespace marey
