// The normal and the depth of a region that two solids have in common, however small their triangles are.
//
// With A the part of a's surface inside b, B that of b's inside a, and their rim, the width of the region along a unit n is
//
//   δ(n) = max over A of n · x − min over B of n · y                                                                (1)
//
// the way that b has to go along n until its part is clear of a's. The normal is where δ is least, of all n within 45° of
// the area vector S (mesh_region.cpp). So that n does not lean towards where A merely ends at the rim, all of the triangles there
// count. The least δ is the penetration depth of the convex hulls of the two sets of points, and found as such
// (expanding_polytope.cpp); a cone of points far below a,
//
//   L (t − S/|S|)  for unit t all around S, L large                                                                 (2)
//
// makes δ as large as L for all n farther than 45° from S, and is below A for the others. For two convex meshes that overlap
// by less than they are large this is their penetration depth. A convex b is taken as it is.
//
// Columns. Along n each point x of A has the point y below it at which the column leaves b, each y of B the x above. Their
// lengths are the gaps of the manifold, negative; its points are the corners of the parts that face n (within
// patch_tilt), and the deepest column. Where an edge of a passes over one of b the deepest column is at no vertex: it is
// where they cross, seen along n.
//
// A peg that is too wide for its hole, a pierced plate: the areas cancel each other, and nothing says which way is out. Then
// the facets' normals are tried, with the parts that face them; the least δ counts, and what is at most twice as deep.
#include "shape/mesh_depth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shape/join_hull.h"

namespace marey {
namespace {

const double facing_cos = std::cos(patch_tilt);
constexpr double least_part = 0.05;  // of the sum of their sizes: areas that cancel each other beyond this say nothing
constexpr int cone_points = 12;      // (2)
constexpr double cone_length = 4;
constexpr double facing_at_all =
    0.1;                          // the sine of how much of a wall may lean towards a normal and yet not bear on it
constexpr int most_facets = 32;   // that are tried where areas cancel
constexpr int most_columns = 16;  // in as many directions, of each kind of point
constexpr double nudge = 1e-6;    // of the way to the middle: from the rim into the region

// A point of the region's surface on one of the solids, in A; a vertex of its mesh, or a triangle.
struct Extreme {
  Vec3<double> p;
  int vertex = -1, triangle = -1;
  double height = -Bounds::infinity;
};

class RegionDepth {
 public:
  RegionDepth(const OverlapRegion& region, const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
              const Transform<double>& X_AB, QueryScratch::Memory& memory, std::vector<Manifold>& out)
      : region_(region), a_(a), X_WA_(X_WA), b_(b), X_AB_(X_AB), m_(memory), out_(out) {}

  void add() {
    if (region_.rim.empty() && region_.in_b.empty()) return;
    measure();
    witness_ = middle_;
    if (norm(region_.area) <= least_part * region_.total) return add_facets();
    find_normal();
    add_columns();
  }

 private:
  void measure() {
    const auto count = static_cast<double>(region_.rim.size() + region_.in_b.size() + region_.in_a.size());
    const auto all = [&](auto visit) {
      for (const RimPoint& p : region_.rim) visit(p.p);
      for (const InsideVertex& v : region_.in_b) visit(on_a(v));
      for (const InsideVertex& v : region_.in_a) visit(on_b(v));
    };
    all([&](const Vec3<double>& p) { middle_ += (1 / count) * p; });
    all([&](const Vec3<double>& p) { size_ = std::max(size_, norm(p - middle_)); });
  }
  Vec3<double> on_a(const InsideVertex& v) const { return a_.mesh.vertices[index(v.vertex)]; }
  Vec3<double> on_b(const InsideVertex& v) const { return X_AB_ * b_.mesh->mesh.vertices[index(v.vertex)]; }

  // ---- (1)
  Extreme highest_of_a(const Vec3<double>& n) const {
    Extreme best;
    for (const InsideVertex& v : region_.in_b) keep_higher(on_a(v), n, v.vertex, -1, best);
    for (const RimPoint& p : region_.rim) keep_higher(p.p, n, -1, p.t, best);
    return best;
  }
  // Its height is along −n.
  Extreme lowest_of_b(const Vec3<double>& n) const {
    Extreme best;
    if (b_.convex) {
      const Vec3<double> y = X_AB_ * support(*b_.convex, -transpose_times(X_AB_.R, n));
      keep_higher(y, -n, -1, -1, best);
      return best;
    }
    for (const InsideVertex& v : region_.in_a) keep_higher(on_b(v), -n, v.vertex, -1, best);
    for (const RimPoint& p : region_.rim) keep_higher(p.p, -n, -1, p.u, best);
    return best;
  }
  static void keep_higher(const Vec3<double>& p, const Vec3<double>& n, int vertex, int triangle, Extreme& best) {
    const double height = dot(n, p);
    if (height > best.height) best = {p, vertex, triangle, height};
  }
  // Of points that are equally high, to rounding, the vertex with the least number, else the least triangle.
  Extreme first_of_a(const Vec3<double>& n) const {
    const double level = highest_of_a(n).height - 1e-7 * size_;
    for (const InsideVertex& v : region_.in_b)
      if (dot(n, on_a(v)) >= level) return {on_a(v), v.vertex, -1, dot(n, on_a(v))};
    for (const RimPoint& p : region_.rim)
      if (dot(n, p.p) >= level) return {p.p, -1, p.t, dot(n, p.p)};
    return {};
  }
  Extreme first_of_b(const Vec3<double>& n) const {
    if (b_.convex) return lowest_of_b(n);
    const double level = lowest_of_b(n).height - 1e-7 * size_;
    for (const InsideVertex& v : region_.in_a)
      if (-dot(n, on_b(v)) >= level) return {on_b(v), v.vertex, -1, -dot(n, on_b(v))};
    for (const RimPoint& p : region_.rim)
      if (-dot(n, p.p) >= level) return {p.p, -1, p.u, -dot(n, p.p)};
    return {};
  }
  double width(const Vec3<double>& n) const { return highest_of_a(n).height + lowest_of_b(n).height; }
  void find_normal() {
    n_ = unit(region_.area);
    const Distance d = distance_of_clouds();
    if (!(d.distance < 0)) return void(wide_ = width(n_));
    n_ = d.normal_W, witness_ = middle_ + 0.5 * (d.point_a_W + d.point_b_W);
    wide_ = width(n_);
    if (std::abs(wide_ + d.distance) <= 1e-6 * size_)
      wide_ = -d.distance;  // the same, but for what rounding leaves of n
  }
  // The points of (1) with the corners of the triangles at the rim, about the middle; and, below a, the cone (2).
  Distance distance_of_clouds() {
    PointCloud &a = m_.cloud_a, &b = m_.cloud_b;
    a.clear(), b.clear();
    const Vec3<double> n_B = b_.mesh ? transpose_times(X_AB_.R, n_) : Vec3<double>{};
    for (const InsideVertex& v : region_.in_b)
      if (any_faces(a_, v.vertex, n_)) a.add(on_a(v) - middle_);
    for (const InsideVertex& v : region_.in_a)
      if (any_faces(*b_.mesh, v.vertex, -n_B)) b.add(on_b(v) - middle_);
    int t = -1, u = -1;
    for (const RimPoint& p : region_.rim) {
      if (std::exchange(t, p.t) != p.t && dot(n_, a_.normals[index(p.t)]) > facing_at_all)
        for (const Vec3<double>& x : corners_of(a_, p.t)) a.add(x - middle_);
      if (p.u >= 0 && std::exchange(u, p.u) != p.u && dot(n_B, b_.mesh->normals[index(p.u)]) < -facing_at_all)
        for (const Vec3<double>& y : corners_of(*b_.mesh, p.u)) b.add(X_AB_ * y - middle_);
    }
    if (a.size() == 0 || (b_.mesh && b.size() == 0)) return {};
    const double L = cone_length * (a.reach() + width(n_));
    Vec3<double> s, r;
    across(n_, s, r);
    for (int k = 0; k < cone_points; ++k) {
      const double angle = 6.283185307179586 / cone_points * k;
      a.add(L * (std::cos(angle) * s + std::sin(angle) * r - n_));
    }
    a.close(), b.close();
    const Transform<double> X = b_.convex ? Transform<double>{X_AB_.R, X_AB_.p - middle_} : Transform<double>{};
    const Convex& other = b_.convex ? *b_.convex : b.convex();
    return distance_in_A(core_pair(a.convex(), {}, other, X), nullptr);
  }
  static bool any_faces(const MeshSolid& mesh, int vertex, const Vec3<double>& n) {
    return std::ranges::any_of(sides_at(mesh, vertex),
                               [&](int s) { return dot(n, mesh.normals[index(s / 3)]) > facing_at_all; });
  }
  // ---- areas that cancel each other
  struct Facing {
    Vec3<double> n;
    double width;
  };
  // A manifold for each facet along which the region is least wide, or at most twice as wide, by the parts that face it.
  void add_facets() {
    std::array<Facing, most_facets> tried;
    std::size_t count = 0;
    const auto look = [&](const Vec3<double>& n) {
      const double w = facing_width(n);
      if (!(w > 0 && w < Bounds::infinity)) return;
      for (std::size_t k = 0; k < count; ++k)
        if (dot(n, tried[k].n) >= facing_cos)
          return void(tried[k] = w < (1 - 1e-9) * tried[k].width ? Facing{n, w} : tried[k]);
      if (count < tried.size()) tried[count++] = {n, w};
    };
    int t = -1, u = -1;
    for (const RimPoint& p : region_.rim) {
      if (std::exchange(t, p.t) != p.t) look(a_.normals[index(p.t)]);
      if (p.u >= 0 && std::exchange(u, p.u) != p.u) look(-(X_AB_.R * b_.mesh->normals[index(p.u)]));
    }
    double least = Bounds::infinity;
    for (std::size_t k = 0; k < count; ++k) least = std::min(least, tried[k].width);
    for (std::size_t k = 0; k < count; ++k) {
      if (tried[k].width > 2 * least) continue;
      n_ = tried[k].n, wide_ = tried[k].width;
      add_columns();
    }
  }
  // (1) of what faces n, on a, and −n, on b; infinite where nothing does.
  double facing_width(const Vec3<double>& n) const {
    double high = -Bounds::infinity, low = b_.convex ? lowest_of_b(n).height : high;
    const Vec3<double> n_B = transpose_times(X_AB_.R, n);
    for (const InsideVertex& v : region_.in_b)
      if (any_faces(a_, v.vertex, n)) high = std::max(high, dot(n, on_a(v)));
    for (const InsideVertex& v : region_.in_a)
      if (any_faces(*b_.mesh, v.vertex, -n_B)) low = std::max(low, -dot(n, on_b(v)));
    for (const RimPoint& p : region_.rim) {
      if (dot(n, a_.normals[index(p.t)]) > facing_at_all) high = std::max(high, dot(n, p.p));
      if (p.u >= 0 && dot(n_B, b_.mesh->normals[index(p.u)]) < -facing_at_all) low = std::max(low, -dot(n, p.p));
    }
    return high > -Bounds::infinity && low > -Bounds::infinity ? high + low : Bounds::infinity;
  }
  // ---- columns
  void add_columns() {
    m_.corners.clear();
    across(n_, t1_, t2_);
    const Extreme x = first_of_a(n_), y = first_of_b(n_);
    if (x.vertex >= 0 && !a_.flat_vertex[index(x.vertex)]) column_below(x);
    if (y.vertex >= 0 && !b_.mesh->flat_vertex[index(y.vertex)]) column_above(y, name_of(*b_.mesh, y));
    const bool b_is_flat = b_.mesh || columns_at_convex() > 2;
    if (b_is_flat)
      spread_columns(
          region_.in_b, a_, n_,
          [&](const InsideVertex& v) {
            return Extreme{on_a(v), v.vertex, -1, 0};
          },
          [&](const Extreme& p) { column_below(p); });
    if (b_.mesh)
      spread_columns(
          region_.in_a, *b_.mesh, -transpose_times(X_AB_.R, n_),
          [&](const InsideVertex& v) {
            return Extreme{on_b(v), v.vertex, -1, 0};
          },
          [&](const Extreme& p) { column_above(p, name_of(*b_.mesh, p)); });
    if (b_is_flat) columns_at_rim();
    keep_within_width();
    PatchCorners patch{m_.corners, size_, 1e-9 * size_};
    patch.put_manifold(n_, -Bounds::infinity, 0, 0, X_WA_, out_);
  }
  // The corners of the part of a convex b that faces a. Returns how many there are: 1 or 2 where it is a point or an edge.
  int columns_at_convex() {
    if (b_.convex->kind == ConvexKind::plane) return 3;
    Patch patch;
    facing_patch(*b_.convex, -transpose_times(X_AB_.R, n_), patch);
    for (int k = 0; k < patch.count; ++k)
      column_above({X_AB_ * patch.points[k] - b_.convex->margin * n_, -1, -1, 0}, patch.at[k]);
    return patch.count;
  }
  // Vertices of the part that faces n, the farthest in some directions.
  template <class Point, class Column>
  void spread_columns(std::span<const InsideVertex> all, const MeshSolid& mesh, const Vec3<double>& n_own, Point point,
                      Column column) {
    std::array<Extreme, most_columns> far;
    for (const InsideVertex& v : all) {
      if (mesh.flat_vertex[index(v.vertex)]) continue;
      const std::span<const int> around = sides_at(mesh, v.vertex);
      if (std::ranges::none_of(around, [&](int s) { return dot(n_own, mesh.normals[index(s / 3)]) >= facing_cos; }))
        continue;
      keep_far(point(v), far);
    }
    for (const Extreme& x : far)
      if (x.height > -Bounds::infinity) column(x);
  }
  void keep_far(Extreme x, std::array<Extreme, most_columns>& far) const {
    const double s = dot(t1_, x.p - middle_), t = dot(t2_, x.p - middle_);
    for (std::size_t k = 0; k < far.size(); ++k) {
      const double angle = 6.283185307179586 / most_columns * static_cast<double>(k);
      x.height = std::cos(angle) * s + std::sin(angle) * t;
      if (x.height > far[k].height + 1e-9 * size_) far[k] = x;
    }
  }
  void columns_at_rim() {
    std::array<Extreme, most_columns> of_a, of_b;
    for (const RimPoint& p : region_.rim) {
      if (dot(n_, a_.normals[index(p.t)]) >= facing_cos) keep_far({p.p, -1, p.t, 0}, of_a);
      if (p.u >= 0 && dot(n_, X_AB_.R * b_.mesh->normals[index(p.u)]) <= -facing_cos) keep_far({p.p, -1, p.u, 0}, of_b);
    }
    for (const Extreme& x : of_a)
      if (x.triangle >= 0) column_below(x);
    for (const Extreme& y : of_b)
      if (y.triangle >= 0) column_above(y, name_of(*b_.mesh, y));
  }
  Vec3<double> nudged(const Extreme& x) const { return x.vertex >= 0 ? x.p : x.p + nudge * (middle_ - x.p); }
  Feature name_of(const MeshSolid& mesh, const Extreme& x) const {
    if (x.vertex < 0) return {FeatureKind::face, x.triangle < 0 ? 0 : mesh.facet[index(x.triangle)]};
    if (!mesh.flat_vertex[index(x.vertex)]) return {FeatureKind::vertex, x.vertex};
    return {FeatureKind::face, mesh.facet[index(sides_at(mesh, x.vertex)[0] / 3)]};
  }
  // From x on a down to where b ends.
  void column_below(const Extreme& x) {
    const Vec3<double> from = nudged(x);
    Corner c{dot(t1_, x.p), dot(t2_, x.p), dot(n_, x.p), 0, name_of(a_, x), {}};
    if (b_.mesh) {
      RayHit hit;
      const Ray ray{transpose_times(X_AB_.R, from - X_AB_.p), -transpose_times(X_AB_.R, n_)};
      if (!cast_ray(b_.mesh->mesh, b_.mesh->tree, ray, hit) || dot(hit.normal, ray.direction) <= 0) return;
      c.height_b = dot(n_, from) - hit.t, c.b = {FeatureKind::face, b_.mesh->facet[index(hit.triangle)]};
    } else {
      const double far =
          b_.convex->kind == ConvexKind::plane ? 2 * (a_.reach + norm(X_AB_.p)) : 2.1 * reach(*b_.convex);
      const auto hit = ray_cast(*b_.convex, X_AB_, from - far * n_, n_, far);
      if (!hit) return;
      c.height_b = dot(n_, from) - far + hit->t, c.b = name_of_convex();
    }
    m_.corners.push_back(c);
  }
  Feature name_of_convex() const {
    Patch patch;
    facing_patch(*b_.convex, -transpose_times(X_AB_.R, n_), patch);
    return patch.whole;
  }
  // From y on b up to where a ends.
  void column_above(const Extreme& y, const Feature& name) {
    const Vec3<double> from = nudged(y);
    if (b_.convex && !is_inside(a_, from)) return;
    RayHit hit;
    if (!cast_ray(a_.mesh, a_.tree, {from, n_}, hit) || dot(hit.normal, n_) <= 0) return;
    const Feature face{FeatureKind::face, a_.facet[index(hit.triangle)]};
    m_.corners.push_back({dot(t1_, y.p), dot(t2_, y.p), dot(n_, from) + hit.t, dot(n_, y.p), face, name});
  }
  // Columns longer than the region is wide have left it. Where none is as long, the one half way between its extreme points is.
  void keep_within_width() {
    const double level = 1e-6 * size_;
    std::erase_if(m_.corners, [&](const Corner& c) { return c.height_a - c.height_b > wide_ + level; });
    bool any = false;
    for (Corner& c : m_.corners) {
      if (c.height_a - c.height_b < wide_ - level) continue;
      any = true, c.height_b = c.height_a - wide_;
    }
    if (any) return;
    const Extreme x = first_of_a(n_), y = first_of_b(n_);
    const Vec3<double>&p = witness_, off = p - middle_;
    if (b_.convex && !m_.corners.empty() && norm(off - dot(n_, off) * n_) > size_)
      return;  // b goes on beside the region
    m_.corners.push_back({dot(t1_, p), dot(t2_, p), x.height, x.height - wide_, name_of(a_, x),
                          b_.mesh ? name_of(*b_.mesh, y) : name_of_convex()});
  }

  const OverlapRegion& region_;
  const MeshSolid& a_;
  const Transform<double>& X_WA_;
  const Other& b_;
  const Transform<double>& X_AB_;
  QueryScratch::Memory& m_;
  std::vector<Manifold>& out_;
  Vec3<double> middle_, n_, t1_, t2_, witness_;
  double size_ = 0, wide_ = 0;  // of the region; δ of its normal
};

}  // namespace

void PointCloud::close() {
  const std::size_t n = hull_->vertices.size();
  hull_->center = {}, hull_->reach = 0;
  for (const Vec3<double>& x : hull_->vertices) {
    hull_->center += (1 / static_cast<double>(n)) * x;
    hull_->reach = std::max(hull_->reach, norm(x));
  }
  pack_all(*hull_);
}

double depth_of_vertices(const OverlapRegion& region, const MeshSolid& a, const MeshSolid& b,
                         const Transform<double>& X_AB, double enough) {
  double deepest = 0;
  for (const InsideVertex& v : region.in_b) {
    if (deepest > enough) return deepest;
    if (a.flat_vertex[index(v.vertex)]) continue;
    const Vec3<double> x = a.mesh.vertices[index(v.vertex)];
    deepest = std::max(deepest, nearest_on_surface(b, transpose_times(X_AB.R, x - X_AB.p)).distance);
  }
  for (const InsideVertex& v : region.in_a) {
    if (deepest > enough) return deepest;
    if (b.flat_vertex[index(v.vertex)]) continue;
    deepest = std::max(deepest, nearest_on_surface(a, X_AB * b.mesh.vertices[index(v.vertex)]).distance);
  }
  return deepest;
}

void add_region_manifold(const OverlapRegion& region, const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                         const Transform<double>& X_AB, QueryScratch::Memory& memory, std::vector<Manifold>& out) {
  RegionDepth(region, a, X_WA, b, X_AB, memory, out).add();
}

}  // namespace marey
