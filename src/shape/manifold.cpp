// Manifolds: the parts of the two surfaces that face each other, seen along the normal, and what they have in common.
//
// All in the axes of A. With n the normal and t₁, t₂ across it, a point x has the place (x·t₁, x·t₂) and the height x·n.
// The patches (patch.h) of a along n and of b along −n become convex polygons, segments or points in the plane. The
// corners of their intersection are
//   vertices of a inside b's polygon (vertex–face), vertices of b inside a's (face–vertex), crossings of edges (edge–edge)
// which treats both alike, so that swapping changes nothing. At each the gap is the difference of the heights of the two
// surfaces, less the margins. Along the normal of the signed distance the deepest of them is the witness; where rounding or
// a round surface hides it, the witness itself is added. Of more than four points those stay that span most: the deepest
// (where all are equally deep, to 1e-6 of the size: an end of the longest diagonal), the one farthest from it, and the farthest from this line
// on either side.
//
// Boxes: the best of their 15 axes is the normal if they overlap; if they are apart, it is as soon as two points of
// the manifold are really that near each other, since nothing can be nearer than the axis says. So the axis of the step before
// is tried alone first. Overlapping, it stays the best while they move by less than what another axis lacks (box_axes.cpp).
#include "marey/shape/manifold.h"

#include <cmath>

#include "shape/clip.h"

namespace marey {
namespace {

void put_out(const Clip& clip, const Transform<double>& X_WA, const Vec3<double>& n, Manifold& out) {
  out.normal_W = X_WA.R * n;
  out.count = clip.count();
  for (int k = 0; k < clip.count(); ++k) {
    const Corner& c = clip.corner(k);
    out.points[index(k)] = {X_WA * clip.middle(c), clip.gap(c), c.a, c.b};
  }
}

// Whether a plane across the normal of last time is still between them, farther than `within` beyond any doubt: so that nothing but time
// depends on it.
bool still_beyond(const CorePair& pair, double within, const PairCache* cache) {
  if (!cache || !cache->beyond) return false;
  const Vec3<double>& n = cache->normal_A;
  const double extent = core_support_value(pair.a, n) + core_support_value(pair.b, -transpose_times(pair.X_AB.R, n));
  return dot(n, pair.X_AB.p) - extent - pair.a.margin - pair.b.margin > within + 1e-12 * pair.size;
}
void remember_beyond(bool beyond, const Vec3<double>& n, PairCache* cache) {
  if (!cache) return;
  cache->beyond = beyond;
  if (beyond) cache->normal_A = n;
}

// Two boxes by their axes alone. False: their nearest points are not where an axis says.
bool plain_box_manifold(const CorePair& pair, const BoxAxis& best, const Transform<double>& X_WA, double within,
                        Manifold& out) {
  if (!plain_box_contacts(pair, best, within, out)) return out.count = 0, false;
  out.normal_W = X_WA.R * best.normal;
  for (int k = 0; k < out.count; ++k) out.points[index(k)].point_W = X_WA * out.points[index(k)].point_W;
  return true;
}
// Apart, along the axis of last time: points of the two that are as near each other as it says prove that no other axis
// says more.
bool still_plain(const CorePair& pair, const BoxAxis& last, const Transform<double>& X_WA, double within,
                 Manifold& out) {
  return last.separation > 1e-12 * pair.size && last.separation - pair.a.margin - pair.b.margin <= within &&
         plain_box_manifold(pair, last, X_WA, within, out);
}
// The axis is the best: what it says is remembered. Overlapping, and best for the second time: also how far that goes.
void remember_axis(const CorePair& pair, const BoxAxis& best, PairCache& cache) {
  const bool again = best.separation <= 0 && cache.box_axis == best.axis;
  cache.box_axis = best.axis, cache.box_room = again ? room_of_axis(pair, best) : 0;
  if (again) cache.box_pose = pair.X_AB;
}
bool along_axis(const CorePair& pair, const BoxAxis& best, const Transform<double>& X_WA, double within,
                Manifold& out) {
  if (plain_box_manifold(pair, best, X_WA, within, out)) return true;
  Clip clip(pair, best.normal);
  clip.find();
  const double distance = best.separation - pair.a.margin - pair.b.margin;
  if (clip.count() == 0 || std::abs(clip.deepest() - distance) > 1e-12 * pair.size) return false;
  clip.keep_within(within);
  clip.reduce();
  put_out(clip, X_WA, best.normal, out);
  return true;
}
bool box_manifold(const CorePair& pair, const Transform<double>& X_WA, double within, Manifold& out, PairCache* cache) {
  if (cache && cache->box_axis >= 0) {
    const BoxAxis last = box_axis(pair, cache->box_axis);
    if (last.separation > 0) {
      if (still_plain(pair, last, X_WA, within, out)) return true;
    } else if (motion_of_boxes(pair, cache->box_pose) < cache->box_room) {
      return along_axis(pair, last, X_WA, within, out);
    }
  }
  const BoxAxis best = best_box_axis(pair);
  const double distance = best.separation - pair.a.margin - pair.b.margin;
  remember_beyond(distance > within, best.normal, cache);
  if (cache) remember_axis(pair, best, *cache);
  return distance > within || along_axis(pair, best, X_WA, within, out);
}

void find_in_order(const CorePair& pair, const Transform<double>& X_WA, double within, Manifold& out,
                   PairCache* cache) {
  if (still_beyond(pair, within, cache)) return;
  if (pair.a.kind == ConvexKind::box && pair.b.kind == ConvexKind::box && box_manifold(pair, X_WA, within, out, cache))
    return;
  PairCache fresh;
  PairCache& known = cache ? *cache : fresh;
  const Distance d = distance_in_A(pair, &known);
  const bool finite_kinds = pair.a.kind != ConvexKind::plane && pair.b.kind != ConvexKind::plane;
  remember_beyond(finite_kinds && d.distance > within, d.normal_W, cache);
  if (!(d.distance <= within) || !std::isfinite(d.distance)) return;
  // The vertices that met, or that were farthest last: where the facing parts are, or beside it.
  const auto hint = [](const Convex& c, int vertex) { return c.kind == ConvexKind::hull ? vertex : -1; };
  const bool by_number = finite_kinds && is_polyhedral(pair.a.kind) && is_polyhedral(pair.b.kind);
  Clip clip(pair, d.normal_W, by_number ? hint(pair.a, known.vertex_a[0]) : -1,
            by_number ? hint(pair.b, known.vertex_b[0]) : -1);
  clip.find();
  clip.add_witness(d.point_a_W, d.point_b_W, d.distance);
  clip.keep_within(within);
  clip.reduce();
  put_out(clip, X_WA, d.normal_W, out);
}

// ---- a plane and what is round: a point, or the two ends of a segment
bool is_round(ConvexKind kind) {
  return kind == ConvexKind::sphere || kind == ConvexKind::capsule || kind == ConvexKind::ellipsoid;
}

// As Clip has it of patches, without looking along the normal: with n the plane's, a point p of the core has the height n · (p − Po), and the gap
// less the margin. `plane_first`: it is a.
void find_on_plane(const Transform<double>& X_WP, const Convex& solid, const Transform<double>& X_WS, double within,
                   bool plane_first, Manifold& out) {
  const Vec3<double> n{X_WP.R.xz, X_WP.R.yz, X_WP.R.zz};
  Patch patch;
  facing_patch(solid, transpose_times(X_WS.R, -n), patch);
  out.normal_W = plane_first ? n : -n;
  const Feature face{FeatureKind::face, 0};
  for (int k = 0; k < patch.count; ++k) {
    const Vec3<double> p = X_WS * patch.points[k];
    const double gap = dot(n, p - X_WP.p) - solid.margin;
    if (!(gap <= within) || !std::isfinite(gap)) continue;
    const Feature& own = patch.at[k];
    out.points[index(out.count++)] = {p - (solid.margin + 0.5 * gap) * n, gap, plane_first ? face : own,
                                      plane_first ? own : face};
  }
}

}  // namespace

void find_manifold(const Convex& a, const Transform<double>& X_WA, const Convex& b, const Transform<double>& X_WB,
                   double within, Manifold& out, PairCache* cache) {
  out.count = 0;
  if ((a.kind == ConvexKind::plane && is_round(b.kind)) || (b.kind == ConvexKind::plane && is_round(a.kind))) {
    if (cache) cache->beyond = false;
    if (a.kind == ConvexKind::plane) return find_on_plane(X_WA, b, X_WB, within, true, out);
    return find_on_plane(X_WB, a, X_WA, within, false, out);
  }
  const CorePair pair = core_pair(a, X_WA, b, X_WB);
  if (is_turned_round(pair)) {
    find_in_order(core_pair(b, X_WB, a, X_WA), X_WB, within, out, nullptr);
    out.normal_W = -out.normal_W;
    for (ManifoldPoint& p : out.points) std::swap(p.a, p.b);
    return;
  }
  find_in_order(pair, X_WA, within, out, cache);
}

}  // namespace marey
