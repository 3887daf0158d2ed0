// Depth of two overlapping cores: the distance of the origin, inside D = b − a, from the surface of D. (D: minkowski.h;
// after van den Bergen, Collision Detection in Interactive 3D Environments (2004) §4.3.8, derived from the bounds.)
//
// Let P be a polytope with vertices in D, and its faces m · x ≤ d. P is part of D, and D lies below its own supporting
// planes, so that
//   min over faces of d  ≤  depth  ≤  h(m)   for every direction m                                                 (1)
// The face with the least d is taken again and again, the point w of D farthest along its m is added to P. Once h(m) = d
// there, both sides of (1) are equal and the depth is exact: for polyhedra after finitely many steps. Nothing in this
// needs the origin inside P: where it is not, the least d is negative, and P grows there first.
//
// Where the nearest surface is round and everywhere equally near (a ball in the middle of a cylinder) P would have to
// become all of it; then the number of points ends the search, and so do slivers, which round surfaces leave of P. The best
// direction found is refined then: by where they meet once they are parted along it, and by the least h over smaller and
// smaller steps around it. h(m) is a depth that suffices in any case.
#include <algorithm>
#include <cmath>
#include <limits>

#include "shape/minkowski.h"
#include "shape/room.h"

namespace marey {
namespace {

constexpr int polytope_points = 160;
constexpr int polytope_faces = 4 * polytope_points;
constexpr double polytope_gap = 1e-14;     // of the size: when (1) counts as an equation, of polyhedra
constexpr double polytope_curved = 1e-13;  // of the size: the same where a core is round

// The plane m · x = d as N · x = D with N = |N| m, which needs no root: of most faces nobody asks for m. What they are
// compared by is d |d| = D |D|/N². Made field by field: a whole one, made elsewhere and copied at once, is read before its
// parts have arrived.
struct PolytopeFace {
  int v[3];
  int beyond[3];   // the face beyond the edge v[i] → v[i+1]
  Vec3<double> N;  // of a sliver: 0
  double D, NN;
  bool alive;

  Vec3<double> m() const { return (1 / std::sqrt(NN)) * N; }
};
constexpr int after(int i) { return i == 2 ? 0 : i + 1; }

class Polytope {
 public:
  explicit Polytope(const CorePair& pair) : pair_(pair), above_squared_(1e-30 * pair.size * pair.size) {}

  bool start(const Simplex& s) {
    if (s.count == 4) {
      for (int k = 0; k < 4; ++k) points_[k] = s.point(k);
      if (make_tetrahedron()) return true;
    }
    return span() && make_tetrahedron();
  }
  // The face with the least d; −1: none.
  int nearest() const {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int f = 0; f < face_count_; ++f) {  // without a jump: which way it would go is anybody's guess
      const bool nearer = near_[f] < least;
      best = nearer ? f : best, least = nearer ? near_[f] : least;
    }
    return best;
  }
  int face_count() const { return face_count_; }
  const PolytopeFace& face(int f) const { return faces_[f]; }
  // d |d| of a face that is alive, else infinite.
  double signed_square(int f) const { return near_[f]; }
  const DifferencePoint& point(int p) const { return points_[p]; }
  // Where the next point is to be written before it is added.
  DifferencePoint& next() { return points_[point_count_]; }

  // Adds next(), which face f sees. False: rounding has left no closed horizon, or there is no room.
  bool add(int f) {
    if (point_count_ >= polytope_points) return false;
    const int w = point_count_++;
    horizon_count_ = 0;
    remove(f);
    for (const int neighbor : faces_[f].beyond) look(neighbor, f, points_[w].w);
    return horizon_count_ >= 3 && face_count_ + horizon_count_ <= polytope_faces && close(w);
  }

 private:
  struct Rim {
    int face, edge;
  };
  void remove(int f) {
    faces_[f].alive = false;
    near_[f] = std::numeric_limits<double>::infinity();
  }
  // Removes what sees w, reached over the border of the face `from`; notes the borders of what does not.
  void look(int f, int from, const Vec3<double>& w) {
    PolytopeFace& face = faces_[f];
    if (!face.alive) return;
    int edge = 0;
    while (edge < 2 && face.beyond[edge] != from) ++edge;
    const double above = dot(face.N, w) - face.D;
    if (!(above > 0 && above * above > above_squared_ * face.NN)) {
      if (horizon_count_ < polytope_points) horizon_[horizon_count_++] = {f, edge};
      return;
    }
    remove(f);
    look(face.beyond[after(edge)], f, w);
    look(face.beyond[after(after(edge))], f, w);
  }
  bool close(int w) {
    const int first = face_count_;
    std::fill(starting_.begin(), starting_.begin() + point_count_, -1);
    for (int k = 0; k < horizon_count_; ++k) {
      const Rim& rim = horizon_[k];
      PolytopeFace& old = faces_[rim.face];
      const int q = old.v[rim.edge], p = old.v[after(rim.edge)];
      if (starting_[p] >= 0) return false;
      starting_[p] = face_count_;
      PolytopeFace& made = faces_[face_count_];
      made.v[0] = p, made.v[1] = q, made.v[2] = w;
      made.beyond[0] = rim.face;
      old.beyond[rim.edge] = face_count_++;
      near_[face_count_ - 1] = set_plane(made);
    }
    for (int f = first; f < face_count_; ++f) {  // the border q → w is w → p of the face that starts in q
      PolytopeFace& made = faces_[f];
      const int next = starting_[made.v[1]];
      if (next < 0) return false;
      made.beyond[1] = next, faces_[next].beyond[2] = f;
    }
    return true;
  }
  // Returns d |d|.
  double set_plane(PolytopeFace& f) const {
    const Vec3<double>& a = points_[f.v[0]].w;
    const Vec3<double> e = points_[f.v[1]].w - a, g = points_[f.v[2]].w - a, N = cross(e, g);
    const double NN = norm_squared(N);
    f.alive = true;
    if (!(NN > 1e-28 * norm_squared(e) * norm_squared(g)) || NN == 0) {  // a sliver: nothing sees it, nobody asks it
      f.N = {}, f.D = 0, f.NN = 1;
      return std::numeric_limits<double>::infinity();
    }
    const double D = dot(N, a);
    f.N = N, f.D = D, f.NN = NN;
    return D * std::abs(D) / NN;
  }
  // Four points that span D: farthest apart along an axis, farthest from their line, farthest from their plane.
  bool span() {
    static constexpr double unit_axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double widest = 0;
    for (const auto& axis : unit_axes) {
      const Vec3<double> d{axis[0], axis[1], axis[2]};
      const DifferencePoint p = difference_support(pair_, d), q = difference_support(pair_, -d);
      const double width = norm(p.w - q.w);
      if (width > widest) widest = width, points_[0] = p, points_[1] = q;
    }
    if (!(widest > 0)) return false;
    const Vec3<double> line = unit(points_[1].w - points_[0].w), side = some_normal_of(line);
    double farthest = 0;
    for (int k = 0; k < 6; ++k) {
      const double angle = 1.0471975511965976 * k;
      const DifferencePoint p = difference_support(pair_, std::cos(angle) * side + std::sin(angle) * cross(line, side));
      const double from = norm(cross(line, p.w - points_[0].w));
      if (from > farthest) farthest = from, points_[2] = p;
    }
    const Vec3<double> N = cross(points_[1].w - points_[0].w, points_[2].w - points_[0].w);
    if (!(norm(N) > 0)) return false;
    const Vec3<double> m = unit(N);
    const DifferencePoint up = difference_support(pair_, m), down = difference_support(pair_, -m);
    points_[3] = dot(m, up.w - points_[0].w) > dot(m, points_[0].w - down.w) ? up : down;
    return true;
  }
  bool make_tetrahedron() {
    const Vec3<double>& a = points_[0].w;
    const Vec3<double> e = points_[1].w - a, f = points_[2].w - a, g = points_[3].w - a, N = cross(e, f);
    const double volume = dot(N, g);
    if (!(std::abs(volume) > 1e-12 * norm(N) * pair_.size)) return false;
    // So that the first face is counter-clockwise seen from outside.
    static constexpr int v[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                       {{0, 2, 1}, {0, 3, 2}, {2, 3, 1}, {1, 3, 0}}};
    static constexpr int beyond[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    point_count_ = face_count_ = 4;
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 3; ++i) faces_[k].v[i] = v[volume > 0 ? 1 : 0][k][i], faces_[k].beyond[i] = beyond[k][i];
      near_[k] = set_plane(faces_[k]);
    }
    return true;
  }

  const CorePair& pair_;
  double above_squared_;
  int point_count_ = 0, face_count_ = 0, horizon_count_ = 0;
  Room<DifferencePoint, polytope_points + 1> points_;
  Room<PolytopeFace, polytope_faces> faces_;
  Room<double, polytope_faces> near_;  // d |d| of the faces that are alive, else infinite
  Room<Rim, polytope_points> horizon_;
  Room<int, polytope_points> starting_;
};

double extent_along(const CorePair& pair, const Vec3<double>& m) {
  return core_support_value(pair.b, transpose_times(pair.X_AB.R, m)) + core_support_value(pair.a, -m) +
         dot(pair.X_AB.p, m);
}

// b moved along −m until it is clear of a by L: the normal of what is between them then is nearer to that of the least h. Where D
// is curved with the radius ρ, an error of m shrinks by (h + L)/(ρ + L) each time; ρ ≥ h where h is least.
void refine_by_parting(const CorePair& pair, Vec3<double>& m, double& h) {
  const double L = 0.1 * pair.size;
  for (int k = 0; k < 32; ++k) {
    const CorePair parted{pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p - (h + L) * m}, pair.size};
    DifferencePoints points;
    const Separation apart = separation_of_cores(parted, nullptr, points);
    if (apart.overlap) return;
    const double value = extent_along(pair, -apart.normal), last = h;
    if (!(value < h)) return;
    h = value, m = -apart.normal;
    if (last - h <= 1e-15 * pair.size) return;
  }
}

// The least h within smaller and smaller steps around m.
void refine_direction(const CorePair& pair, Vec3<double>& m, double& h) {
  double step = 0.1;
  for (int k = 0; k < 200 && step > 1e-9; ++k) {
    const Vec3<double> s = some_normal_of(m), t = cross(m, s);
    bool better = false;
    for (int j = 0; j < 8; ++j) {
      const double angle = 0.7853981633974483 * j;
      const Vec3<double> trial = unit(m + step * (std::cos(angle) * s + std::sin(angle) * t));
      const double value = extent_along(pair, trial);
      if (value < h) h = value, m = trial, better = true;
    }
    if (!better) step *= 0.4;
  }
}

// Weights of the foot of the origin in the plane of a triangle; the least of them: below 0 it is outside.
double foot_weights(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, double (&lambda)[3]) {
  const Vec3<double> e = b - a, f = c - a, N = cross(e, f);
  const double NN = norm_squared(N);
  lambda[1] = dot(a, cross(N, f)) / NN, lambda[2] = dot(a, cross(e, N)) / NN;
  lambda[0] = 1 - lambda[1] - lambda[2];
  return std::min({lambda[0], lambda[1], lambda[2]});
}

// The faces of P that lie in one face of D are equally near; the foot is in one of them. False: none, by rounding.
bool place_deep_witnesses(const Polytope& polytope, const CorePair& pair, Penetration& out) {
  double best = -1e300;
  const double close = 1e-12 * pair.size, near = (out.upper + close) * std::abs(out.upper + close);
  for (int f = 0; f < polytope.face_count(); ++f) {
    if (polytope.signed_square(f) > near) continue;
    const PolytopeFace& face = polytope.face(f);
    if (std::abs(out.upper) * norm(face.m() + out.normal) > close) continue;
    const DifferencePoint &p = polytope.point(face.v[0]), &q = polytope.point(face.v[1]),
                          &r = polytope.point(face.v[2]);
    double lambda[3], sum = 0;
    const double least = foot_weights(p.w, q.w, r.w, lambda);
    if (!(least > best)) continue;
    best = least;
    for (double& l : lambda) l = std::max(l, 0.0), sum += l;
    out.x = (1 / sum) * (lambda[0] * p.x + lambda[1] * q.x + lambda[2] * r.x);
    out.y = (1 / sum) * (lambda[0] * p.y + lambda[1] * q.y + lambda[2] * r.y);
    out.face_a = {p.vertex_a, q.vertex_a, r.vertex_a}, out.face_b = {p.vertex_b, q.vertex_b, r.vertex_b};
    if (least >= 0) break;
  }
  return best > -1e-9;
}

// Witnesses where the faces of P are too small or too coarse for them: b is moved along the normal until it is clear of a, by L. The
// depth that this takes is known, and the points that are nearest then are those that met. Of a round surface and a vertex L
// apart a distance to ε is a place to √(2 L ε), and a normal that is off by φ puts them L φ beside each other: L is small.
void place_by_parting(const CorePair& pair, Penetration& out) {
  constexpr double parting = 1e-5;  // of the size
  const Vec3<double> shift = (out.upper + parting * pair.size) * out.normal;
  const CorePair parted{pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}, pair.size};
  DifferencePoints points;
  const Separation apart = separation_of_cores(parted, nullptr, points);
  out.x = apart.x, out.y = apart.y - shift;
}

}  // namespace

Penetration penetration_of_cores(const CorePair& pair, const Simplex& simplex) {
  Polytope polytope(pair);
  Penetration out;
  out.upper = std::numeric_limits<double>::infinity();
  if (!polytope.start(simplex)) {  // D is flat: along its normal nothing overlaps
    const DifferencePoint p = difference_support(pair, {0, 0, 1});
    out.normal = {0, 0, -1}, out.upper = dot(Vec3<double>{0, 0, 1}, p.w), out.x = p.x, out.y = p.y;
    return out;
  }
  const bool polyhedra = is_polyhedral(pair.a.kind) && is_polyhedral(pair.b.kind);
  const double gap = (polyhedra ? polytope_gap : polytope_curved) * pair.size;
  bool certain = false;
  for (int step = 0; step < polytope_points && !certain; ++step) {
    const int f = polytope.nearest();
    if (f < 0) break;
    const PolytopeFace& face = polytope.face(f);
    const Vec3<double> m = face.m();
    const DifferencePoint &v = polytope.point(face.v[0]), &w = polytope.next();
    put_difference_support(pair, polyhedra ? face.N : m, v.vertex_a, v.vertex_b, polytope.next());
    const double h = dot(m, w.w), d = dot(m, v.w);
    out.lower = d;
    if (h < out.upper) {
      out.upper = h, out.normal = -m, out.x = w.x, out.y = w.y;
      out.vertex_a = w.vertex_a, out.vertex_b = w.vertex_b;
    }
    certain = h - d <= gap;
    if (!certain && !polytope.add(f)) break;
  }
  if (certain && polyhedra && place_deep_witnesses(polytope, pair, out)) return out;
  if (!certain) {
    Vec3<double> m = -out.normal;
    refine_by_parting(pair, m, out.upper);
    refine_direction(pair, m, out.upper);
    out.normal = -m;
  }
  place_by_parting(pair, out);
  return out;
}

}  // namespace marey
