// Two boxes that touch in one point: a vertex on a face, or two edges that cross; most contacts of boxes in the air are of this
// kind, and need no polygons. All in A. What it takes for a part to be a vertex or an edge is that of patch.h; whatever is
// near a border (of a face, at the end of an edge, at a small angle) is left to the general way, which answers alike.
//
// Edges x = c + s e, y = k + t f with unit directions, r = k − c, g = e · f: the nearest points of their lines are at
//   t = (g r·e − r·f)/(1 − g²),   s = r·e + g t
#include <algorithm>
#include <cmath>

#include "shape/patch.h"

namespace marey {
namespace {

int signs_of(const Vec3<double>& d) { return (d.x < 0 ? 1 : 0) + (d.y < 0 ? 2 : 0) + (d.z < 0 ? 4 : 0); }
double largest_of(const Vec3<double>& d) { return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}); }
double smallest_of(const Vec3<double>& d) { return std::min({std::abs(d.x), std::abs(d.y), std::abs(d.z)}); }
bool shows_no_face(const Vec3<double>& d) { return largest_of(d) < 0.99; }                       // cos 0.1 = 0.995
bool shows_a_vertex(const Vec3<double>& d) { return shows_no_face(d) && smallest_of(d) > 0.1; }  // sin 0.1 < 0.1

// Whether p, in the frame of the box, is above the middle of its face across `axis`, not next to its border.
bool above_face(const Convex& box, int axis, const Vec3<double>& p, double border) {
  for (int k = 0; k < 3; ++k)
    if (k != axis && std::abs(p[k]) > box.half[k] - border) return false;
  return true;
}

}  // namespace

bool single_box_contact(const CorePair& pair, const BoxAxis& best, ManifoldPoint& in_A) {
  const Vec3<double>& n = best.normal;
  const Vec3<double> n_B = transpose_times(pair.X_AB.R, n);
  const double border = 1e-6 * pair.size;
  Vec3<double> x, y;  // on the cores
  if (best.axis < 3) {
    if (!shows_a_vertex(n_B)) return false;
    const int v = signs_of(-n_B);
    y = pair.X_AB * core_vertex(pair.b, v), x = y - best.separation * n;
    if (!above_face(pair.a, best.axis, y, border)) return false;
    in_A.a = {FeatureKind::face, 2 * best.axis + (n[best.axis] < 0 ? 1 : 0)}, in_A.b = {FeatureKind::vertex, v};
  } else if (best.axis < 6) {
    if (!shows_a_vertex(n)) return false;
    const int v = signs_of(n), j = best.axis - 3;
    x = core_vertex(pair.a, v), y = x + best.separation * n;
    if (!above_face(pair.b, j, transpose_times(pair.X_AB.R, x - pair.X_AB.p), border)) return false;
    in_A.a = {FeatureKind::vertex, v}, in_A.b = {FeatureKind::face, 2 * j + (n_B[j] > 0 ? 1 : 0)};
  } else {
    const int i = (best.axis - 6) / 3, j = (best.axis - 6) % 3;
    const double g = pair.X_AB.R(i, j);
    if (!shows_no_face(n) || !shows_no_face(n_B) || std::abs(g) > 0.99) return false;
    const int v = signs_of(n) & ~(1 << i), w = signs_of(-n_B) & ~(1 << j);
    Vec3<double> c = core_vertex(pair.a, v), k = core_vertex(pair.b, w);
    c[i] = 0, k[j] = 0;
    k = pair.X_AB * k;
    const Vec3<double> f{pair.X_AB.R(0, j), pair.X_AB.R(1, j), pair.X_AB.R(2, j)}, r = k - c;
    const double rf = dot(r, f), t = (g * r[i] - rf) / (1 - g * g), s = r[i] + g * t;
    if (std::abs(s) > pair.a.half[i] - border || std::abs(t) > pair.b.half[j] - border) return false;
    x = c, x[i] = s, y = k + t * f;
    in_A.a = {FeatureKind::edge, box_edge(i, v)}, in_A.b = {FeatureKind::edge, box_edge(j, w)};
  }
  in_A.gap = best.separation - pair.a.margin - pair.b.margin;
  in_A.point_W = 0.5 * (x + y) + (0.5 * (pair.a.margin - pair.b.margin)) * n;
  return true;
}

}  // namespace marey
