// Two boxes that touch in a point or two: a vertex or an edge on a face, or two edges that cross; most contacts of boxes in the air
// are of this kind, and need no polygons. All in A. What it takes for a part to be a vertex or an edge is that of patch.h; whatever
// is near a border (of a face, at the end of an edge, at a small angle) is left to the general way, which answers alike.
//
// On a face. The vertex v that is farthest down is at the separation, and must be above the face. Where v is the end of an edge that
// faces the face, with the direction d in the axes of its box, the other end u is higher by 2 h_l |d_l|, l being the edge's
// axis; it counts as well, or, if it is beyond the border of the face, the point where the edge passes over that.
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
bool shows_no_face(const Vec3<double>& d) { return largest_of(d) < 0.99; }  // cos 0.1 = 0.995

// A box f with a face, across its axis i, and a box e with a vertex or an edge above it.
class OnFace {
 public:
  OnFace(const CorePair& pair, const BoxAxis& best, const Vec3<double>& n_B)
      : pair_(pair),
        n_(best.normal),
        a_has_face_(best.axis < 3),
        i_(a_has_face_ ? best.axis : best.axis - 3),
        f_(a_has_face_ ? pair.a : pair.b),
        e_(a_has_face_ ? pair.b : pair.a),
        backwards_((a_has_face_ ? n_[i_] : -n_B[i_]) < 0),
        d_E_(a_has_face_ ? -n_B : n_),
        gap_(best.separation),
        border_(1e-6 * pair.size) {}

  // False: not plain.
  bool find(double within, Manifold& out) {
    if (!shows_no_face(d_E_)) return false;
    const double least = smallest_of(d_E_);
    const int v = signs_of(d_E_);
    const Vec3<double> x = core_vertex(e_, v);
    const Vec3<double> v_A = a_has_face_ ? pair_.X_AB * x : x;
    const Vec3<double> v_F = a_has_face_ ? v_A : transpose_times(pair_.X_AB.R, v_A - pair_.X_AB.p);
    for (int k = 0; k < 3; ++k)
      if (k != i_ && std::abs(v_F[k]) > f_.half[k] - border_) return false;
    out.count = 0;
    const Feature face{FeatureKind::face, 2 * i_ + (backwards_ ? 1 : 0)};
    add(v_A, gap_, face, {FeatureKind::vertex, v}, within, out);
    return least > 0.1 || (least < 0.0998 && add_other_end(v, v_A, v_F, face, within, out));  // sin 0.1 = 0.09983
  }

 private:
  void add(const Vec3<double>& x, double gap, const Feature& on_f, const Feature& on_e, double within, Manifold& out) {
    const double apart = gap - pair_.a.margin - pair_.b.margin;
    if (apart > within) return;
    const double up = (a_has_face_ ? -0.5 : 0.5) * gap + 0.5 * (pair_.a.margin - pair_.b.margin);
    out.points[index(out.count++)] = {x + up * n_, apart, a_has_face_ ? on_f : on_e, a_has_face_ ? on_e : on_f};
  }
  bool add_other_end(int v, const Vec3<double>& v_A, const Vec3<double>& v_F, const Feature& face, double within,
                     Manifold& out) {
    const double size[3] = {std::abs(d_E_.x), std::abs(d_E_.y), std::abs(d_E_.z)};
    const int l = size[0] <= size[1] ? (size[0] <= size[2] ? 0 : 2) : (size[1] <= size[2] ? 1 : 2);
    const double way = (v >> l & 1 ? 2 : -2) * e_.half[l], rise = 2 * e_.half[l] * size[l];
    const Mat3<double>& R = pair_.X_AB.R;
    const Vec3<double> to_u_F = a_has_face_ ? Vec3<double>{way * R(0, l), way * R(1, l), way * R(2, l)}
                                            : Vec3<double>{way * R(l, 0), way * R(l, 1), way * R(l, 2)};
    Vec3<double> to_u_A = to_u_F;
    if (!a_has_face_) to_u_A = {}, to_u_A[l] = way;
    double part = 1;
    int side = -1;
    for (int k = 0; k < 3; ++k) {
      const double u = v_F[k] + to_u_F[k], beyond = std::abs(u) - f_.half[k];
      if (k == i_ || beyond < -border_) continue;
      if (beyond < border_) return false;
      const double here = (std::copysign(f_.half[k], u) - v_F[k]) / to_u_F[k];
      if (here < part) part = here, side = k;
    }
    if (side < 0) {
      const bool first = v >> l & 1;  // as the ends of an edge are ordered
      add(v_A + to_u_A, gap_ + rise, face, {FeatureKind::vertex, v ^ 1 << l}, within, out);
      if (first && out.count == 2) std::swap(out.points[0], out.points[1]);
      return true;
    }
    const int along = 3 - i_ - side;
    if (std::abs(v_F[along] + part * to_u_F[along]) > f_.half[along] - border_) return false;
    const int corner = (backwards_ ? 1 << i_ : 0) | (to_u_F[side] < 0 ? 1 << side : 0);
    add(v_A + part * to_u_A, gap_ + part * rise, {FeatureKind::edge, box_edge(along, corner)},
        {FeatureKind::edge, box_edge(l, v)}, within, out);
    return true;
  }

  const CorePair& pair_;
  const Vec3<double>& n_;
  bool a_has_face_;
  int i_;
  const Convex &f_, &e_;
  bool backwards_;
  Vec3<double> d_E_;
  double gap_, border_;
};

bool crossing_edges(const CorePair& pair, const BoxAxis& best, const Vec3<double>& n_B, Manifold& out) {
  const Vec3<double>& n = best.normal;
  const double border = 1e-6 * pair.size;
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
  Vec3<double> x = c;
  x[i] = s;
  out.count = 1;
  out.points[0] = {0.5 * (x + k + t * f) + (0.5 * (pair.a.margin - pair.b.margin)) * n,
                   best.separation - pair.a.margin - pair.b.margin,
                   {FeatureKind::edge, box_edge(i, v)},
                   {FeatureKind::edge, box_edge(j, w)}};
  return true;
}

}  // namespace

bool plain_box_contacts(const CorePair& pair, const BoxAxis& best, double within, Manifold& in_A) {
  const Vec3<double> n_B = transpose_times(pair.X_AB.R, best.normal);
  return best.axis < 6 ? OnFace(pair, best, n_B).find(within, in_A) : crossing_edges(pair, best, n_B, in_A);
}

}  // namespace marey
