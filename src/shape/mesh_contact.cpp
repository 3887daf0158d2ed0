// Where a mesh touches a convex solid or another mesh: patches of triangles, one normal each.
//
// Near pairs. For every triangle t of a within `within` of b (of each triangle u of b, where b is a mesh) the signed
// distance and its normal n are those of two convex sets. The place x on t may be in the middle of t, on an edge or at a
// vertex. The pair counts only if no way along the surface from x leads nearer:
//
//   n · v ≤ 0  for all directions v along the surface at x, n outwards                                            (1)
//
// which are the sides of the two triangles at an edge, the edges at a vertex, and nothing but n = n_t inside a triangle.
// Where (1) fails, a neighbour is nearer and has its own pair: the neighbouring faces decide (Hahn 1988, H6), and edges
// between triangles in one plane give no normals of their own. The same holds for −n on b, if that is a mesh.
//
// Patches. Pairs that share a vertex, on each mesh, hang together. Among those, the deepest that (1) admits gives a
// normal; all admitted ones within 0.1 rad of it, and all triangles that face it as much, are its patch: the corners of what
// each has in common with b, seen along the normal (clip.h), less those inside a facet, reduced to four.
//
// Deep. Triangles that overlap b by more than they are large can all fail (1), and between two small ones there is never more
// depth than their size. The distance of an inside vertex from the other's surface is a depth that no patch of its region
// can have less of: where patches are less deep than that, to a tenth, or there is none, the region itself decides, and
// has one normal (mesh_depth.cpp). Groups of pairs that are borders of one region are one.
//
// Inside. What crosses no triangle may be wholly inside: its depth is what it takes to pull it out over the point of the
// surface nearest to its middle.
#include "shape/mesh_contact.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "shape/mesh_depth.h"

namespace marey {
namespace {

const double patch_cos = std::cos(patch_tilt);
constexpr double outward_angle = 1e-5;  // what rounding and round solids leave of a normal's direction
constexpr double outward_place = 1e-6;  // and of a place, over the size: a witness this near to an edge is on it
constexpr double deep_part = 0.9;       // of the depth of the vertices inside: patches that are less deep are none

// (1) for a place x on triangle t.
bool is_outward(const MeshSolid& mesh, int t, const Vec3<double>& x, const Vec3<double>& n) {
  const Vec3<double>& own = mesh.normals[index(t)];
  if (dot(n, own) > 0 && norm(cross(n, own)) <= outward_angle) return true;
  const std::array<Vec3<double>, 3> p = corners_of(mesh, t);
  const double near = outward_place * std::max({norm(p[1] - p[0]), norm(p[2] - p[1]), norm(p[0] - p[2])});
  for (std::size_t k = 0; k < 3; ++k) {
    if (norm(x - p[k]) > near) continue;
    const int v = mesh.mesh.triangles[index(t)][k];
    bool out = false;
    for (const int s : sides_at(mesh, v)) {
      const int w = mesh.mesh.triangles[index(s / 3)][index((s + 1) % 3)];
      const Vec3<double> e = mesh.mesh.vertices[index(w)] - p[k];
      if (dot(n, e) > outward_angle * norm(e)) return false;
      out = out || dot(n, mesh.normals[index(s / 3)]) > 0;
    }
    return out;
  }
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> e = unit(p[index((k + 1) % 3)] - p[index(k)]);
    if (norm(cross(e, x - p[index(k)])) > near) continue;
    const Vec3<double>& beside = mesh.normals[index(mesh.beyond[index(3 * t + k)] / 3)];
    // Into t and into the triangle beyond: across the edge, in their planes.
    return dot(n, cross(own, e)) <= outward_angle && dot(n, cross(beside, -e)) <= outward_angle &&
           dot(n, own + beside) > 0;
  }
  return false;
}

// The pose to 2⁻⁴⁰ of the size. A search for the least depth takes one way or another by the last digits of its numbers, and
// where it ends its own last digits differ: this way they are the same wherever in the world the two are.
Transform<double> on_grid(const Transform<double>& X, double size) {
  const double turn = 0x1p-40, step = std::ldexp(turn, std::ilogb(size));
  Transform<double> out = X;
  for (int i = 0; i < 3; ++i) {
    out.p[i] = step * std::nearbyint(X.p[i] / step);
    for (int j = 0; j < 3; ++j) out.R(i, j) = turn * std::nearbyint(X.R(i, j) / turn);
  }
  return out;
}

class MeshContact {
 public:
  MeshContact(const MeshSolid& a, const Transform<double>& X_WA, const Other& b, const Transform<double>& X_WB,
              double within, QueryScratch::Memory& memory, std::vector<Manifold>& out)
      : a_(a),
        b_(b),
        X_WA_(X_WA),
        X_AB_{transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)},
        X_deep_(on_grid(X_AB_, a.reach)),
        within_(within),
        margin_(b.convex ? b.convex->margin : 0),
        m_(memory),
        out_(out) {}

  void find() {
    m_.near.clear();
    m_.touched_a.assign(a_.piece_vertex.size(), 0);
    m_.touched_b.assign(b_.mesh ? b_.mesh->piece_vertex.size() : 1, 0);
    find_near();
    if (!m_.near.empty()) {
      join();
      if (b_.mesh) m_.regions.find(a_, b_, X_deep_, m_.near), join_by_regions();
      for (std::size_t from = 0, to = 0; from < m_.near.size(); from = to) {
        while (to < m_.near.size() && m_.near[to].group == m_.near[from].group) ++to;
        add_patches(std::span(m_.near).subspan(from, to - from));
      }
    }
    add_wholly_inside();
  }

 private:
  using Pairs = std::span<NearPair>;

  // ---- near pairs
  void find_near() {
    if (b_.convex) return near_convex(*b_.convex, X_AB_, -1);
    const Bounds box_a = widened(turned(a_.tree.bounds(), inverse(X_AB_)), blur());
    b_.mesh->tree.overlapping(box_a, [&](int u) {
      const TriangleCore core(*b_.mesh, u);
      near_convex(core.convex(), {X_AB_.R, X_AB_ * core.middle()}, u);
    });
  }
  double blur() const { return std::max(within_, 0.0) + 1e-12 * (a_.reach + norm(X_AB_.p)); }
  void near_convex(const Convex& b, const Transform<double>& X_AB, int u) {
    const auto look = [&](int t) {
      if (b.kind != ConvexKind::plane && plainly_apart(t, b, X_AB, u)) return;
      const Distance d = triangle_distance(TriangleCore(a_, t), b, X_AB);
      if (!(d.distance <= within_)) return;
      NearPair p{t, u, d, false, false, -1, -1};
      p.outward = is_outward(a_, t, d.point_a_W, d.normal_W) && (u < 0 || admitted_by_b(p, d.normal_W));
      if (!p.outward && d.distance <= 0) lean(p);
      m_.near.push_back(p);
      if (d.distance > 0) return;
      m_.touched_a[index(a_.piece[index(a_.mesh.triangles[index(t)][0])])] = 1;
      m_.touched_b[u < 0 ? 0 : index(b_.mesh->piece[index(b_.mesh->mesh.triangles[index(u)][0])])] = 1;
    };
    if (b.kind != ConvexKind::plane) return a_.tree.overlapping(widened(bounds_in_world(b, X_AB), blur()), look);
    const Vec3<double> up{X_AB.R.xz, X_AB.R.yz, X_AB.R.zz};
    const double height = dot(up, X_AB.p) + blur();
    a_.tree.walk(
        [&](const Bounds& box) {
          const Vec3<double> low{up.x > 0 ? box.low.x : box.high.x, up.y > 0 ? box.low.y : box.high.y,
                                 up.z > 0 ? box.low.z : box.high.z};
          return dot(up, low) <= height;
        },
        look);
  }

  // Whether all of b is on one side of the triangle's plane, farther than `within`; or the triangle of that of u.
  bool plainly_apart(int t, const Convex& b, const Transform<double>& X_AB, int u) const {
    const std::array<Vec3<double>, 3> x = corners_of(a_, t);
    const double far = blur();
    const Vec3<double>& n = a_.normals[index(t)];
    const Vec3<double> n_B = transpose_times(X_AB.R, n);
    const double height = dot(n, X_AB.p - x[0]);
    if (height - support_value(b, -n_B) > far || height + support_value(b, n_B) < -far) return true;
    if (u < 0) return false;
    const Vec3<double> m = X_AB_.R * b_.mesh->normals[index(u)], y = X_AB * (*b.triangle)[0];
    const double h[3] = {dot(m, x[0] - y), dot(m, x[1] - y), dot(m, x[2] - y)};
    return std::min({h[0], h[1], h[2]}) > far || std::max({h[0], h[1], h[2]}) < -far;
  }

  // Where triangles are pierced the shortest way out may be over a side of theirs that is none of the surface: across that
  // side and an edge of b, a little off the normal of the triangle, which then decides.
  void lean(NearPair& p) const {
    const Vec3<double> n = p.distance.normal_W, own = a_.normals[index(p.t)];
    const bool a_faces = dot(n, own) >= patch_cos;
    if (p.u < 0) {
      if (!a_faces) return;
      p.distance.normal_W = own;
    } else {  // the other one must face it as well, or admit it
      const Vec3<double> other = -(X_AB_.R * b_.mesh->normals[index(p.u)]);
      const bool b_faces = dot(n, other) >= patch_cos;
      const bool own_will = a_faces && (b_faces || admitted_by_b(p, own));
      const bool other_will = b_faces && (a_faces || is_outward(a_, p.t, p.distance.point_a_W, other));
      if (!own_will && !other_will) return;
      p.distance.normal_W = own_will && (!other_will || dot(n, own) > dot(n, other)) ? own : other;
    }
    p.outward = p.leaning = true;
  }
  bool admitted_by_b(const NearPair& p, const Vec3<double>& n) const {
    return is_outward(*b_.mesh, p.u, transpose_times(X_AB_.R, p.distance.point_b_W - X_AB_.p),
                      -transpose_times(X_AB_.R, n));
  }

  // Pairs with a vertex of a and one of b in common get the same group; near_ is sorted by groups, then by numbers.
  int root(int k) {
    while (m_.order[index(k)] != k) k = m_.order[index(k)] = m_.order[index(m_.order[index(k)])];
    return k;
  }
  void join() {
    std::sort(m_.near.begin(), m_.near.end(),
              [](const NearPair& p, const NearPair& q) { return p.t != q.t ? p.t < q.t : p.u < q.u; });
    m_.keys.clear();
    for (std::size_t k = 0; k < m_.near.size(); ++k)
      for (const int v : a_.mesh.triangles[index(m_.near[k].t)])
        for (int i = 0; i < (m_.near[k].u < 0 ? 1 : 3); ++i) {
          const int w = m_.near[k].u < 0 ? 0 : b_.mesh->mesh.triangles[index(m_.near[k].u)][index(i)];
          m_.keys.push_back({static_cast<long>(v) << 32 | w, static_cast<int>(k)});
        }
    std::sort(m_.keys.begin(), m_.keys.end(), [](const auto& p, const auto& q) {
      return p.corners != q.corners ? p.corners < q.corners : p.pair < q.pair;
    });
    m_.order.resize(m_.near.size());
    std::iota(m_.order.begin(), m_.order.end(), 0);
    for (std::size_t k = 1; k < m_.keys.size(); ++k) {
      if (m_.keys[k].corners != m_.keys[k - 1].corners) continue;
      const int p = root(m_.keys[k].pair), q = root(m_.keys[k - 1].pair);
      m_.order[index(std::max(p, q))] = std::min(p, q);
    }
    for (std::size_t k = 0; k < m_.near.size(); ++k) m_.near[k].group = root(static_cast<int>(k));
    sort_groups();
  }
  // The deepest first: patches take their normals from the front.
  void sort_groups() {
    std::sort(m_.near.begin(), m_.near.end(), [](const NearPair& p, const NearPair& q) {
      if (p.group != q.group) return p.group < q.group;
      if (p.distance.distance != q.distance.distance) return p.distance.distance < q.distance.distance;
      return p.t != q.t ? p.t < q.t : p.u < q.u;
    });
  }
  // Groups that are borders of one region are one.
  void join_by_regions() {
    std::iota(m_.order.begin(), m_.order.end(), 0);
    bool any = false;
    for (std::size_t k = 0; k < m_.near.size(); ++k) {
      if (m_.near[k].distance.distance > 0) continue;
      const int p = root(m_.near[k].group), q = root(m_.near[index(m_.regions.region_of(static_cast<int>(k)))].group);
      m_.order[index(std::max(p, q))] = std::min(p, q);
      any = any || p != q;
    }
    if (!any) return;
    m_.regions.rename_groups([&](int group) { return root(group); });
    for (NearPair& p : m_.near) p.group = root(p.group);
    sort_groups();
  }

  // ---- patches
  void add_patches(Pairs group) {
    const std::size_t before = out_.size();
    int patches = 0;
    for (std::size_t k = 0; k < group.size(); ++k)
      if (group[k].outward && group[k].patch < 0) add_patch(group, k, patches++);
    if (group.front().distance.distance > 0) return;
    if (!deep_enough(group, before)) add_regions(group.front().group, before);
    if (out_.size() == before) add_mean_patch(group);
  }

  // False: there is nothing in common, seen along its normal.
  bool add_patch(Pairs group, std::size_t first, int patch) {
    const Vec3<double> n = group[first].distance.normal_W;
    m_.corners.clear();
    has_witness_ = false;
    for (NearPair& p : group) {
      const bool mine = p.outward && p.patch < 0 && dot(n, p.distance.normal_W) >= patch_cos;
      if (mine) p.patch = patch;
      if (mine || faces(p, n)) clip(p, n, &p == &group[first]);
    }
    add_witness();
    const double least = group.front().distance.distance;
    PatchCorners corners{m_.corners, size_, thick_};
    return corners.put_manifold(n, least > 0 ? least + margin_ : -Bounds::infinity, within_, margin_, X_WA_, out_);
  }
  bool faces(const NearPair& p, const Vec3<double>& n) const {
    if (dot(n, a_.normals[index(p.t)]) < patch_cos) return false;
    return p.u < 0 || dot(n, X_AB_.R * b_.mesh->normals[index(p.u)]) <= -patch_cos;
  }

  // Adds what triangle and b have in common along n to the corners.
  void clip(const NearPair& p, const Vec3<double>& n, bool with_witness) {
    const TriangleCore t(a_, p.t);
    if (p.u < 0) return clip(p, pair_with(t, *b_.convex, X_AB_), t.middle(), n, with_witness);
    const TriangleCore u(*b_.mesh, p.u);
    clip(p, pair_with(t, u.convex(), {X_AB_.R, X_AB_ * u.middle()}), t.middle(), n, with_witness);
  }
  void clip(const NearPair& p, const CorePair& pair, const Vec3<double>& middle, const Vec3<double>& n,
            bool with_witness) {
    Clip clip(pair, n);
    clip.find();
    if (with_witness && !p.leaning)
      clip.add_witness(p.distance.point_a_W - middle, p.distance.point_b_W - middle, p.distance.distance);
    if (with_witness) size_ = clip.scale(), thick_ = clip.thick();
    const double s = dot(clip.across1(), middle), t = dot(clip.across2(), middle), height = dot(n, middle);
    for (int k = 0; k < clip.count(); ++k) {
      Corner c = clip.corner(k);
      c.s += s, c.t += t, c.height_a += height, c.height_b += height;
      const bool real = rename(p, c);
      if (real) m_.corners.push_back(c);
      if (with_witness && !p.leaning && (k == 0 || c.height_b - c.height_a < witness_.height_b - witness_.height_a))
        witness_ = c;
    }
    has_witness_ = has_witness_ || (with_witness && !p.leaning && clip.count() > 0);
  }
  // The deepest corner of the deepest pair, should no other be as deep: it may be inside a facet.
  void add_witness() {
    const double gap = witness_.height_b - witness_.height_a + 1e-9 * size_;
    if (has_witness_ &&
        std::ranges::none_of(m_.corners, [&](const Corner& c) { return c.height_b - c.height_a <= gap; }))
      m_.corners.push_back(witness_);
  }
  // False: the corner is inside a facet, and none of the patch.
  bool rename(const NearPair& p, Corner& c) const {
    bool inner_a = false, inner_b = false;
    c.a = name_on_mesh(a_, p.t, c.a, inner_a);
    if (p.u >= 0) c.b = name_on_mesh(*b_.mesh, p.u, c.b, inner_b);
    return (!inner_a || c.b.kind == FeatureKind::vertex) && (!inner_b || c.a.kind == FeatureKind::vertex);
  }

  // ---- deep
  static double depth_of(const Manifold& m) {
    double depth = 0;
    for (int k = 0; k < m.count; ++k) depth = std::max(depth, -m.points[index(k)].gap);
    return depth;
  }
  // Whether what was found for the group, from out_[before] on, is as deep as the vertices inside are.
  bool deep_enough(Pairs group, std::size_t before) const {
    if (out_.size() == before) return false;
    double depth = 1e-9 * a_.reach;  // as good as touching
    for (std::size_t k = before; k < out_.size(); ++k) depth = std::max(depth, depth_of(out_[k]));
    if (b_.convex) return !any_vertex_deeper(group, depth / deep_part);
    return std::ranges::none_of(m_.regions.regions(), [&](const OverlapRegion& region) {
      return region.group == group.front().group &&
             depth < deep_part * depth_of_vertices(region, a_, *b_.mesh, X_deep_, depth / deep_part);
    });
  }
  // All triangles around a vertex inside a convex b are among those that it touches: it is looked at with the first.
  bool any_vertex_deeper(Pairs group, double depth) const {
    const Convex point{ConvexKind::sphere, {}, 0, nullptr, nullptr};
    return std::ranges::any_of(group, [&](const NearPair& p) {
      if (p.distance.distance > 0) return false;
      return std::ranges::any_of(a_.mesh.triangles[index(p.t)], [&](int v) {
        if (a_.flat_vertex[index(v)] || sides_at(a_, v)[0] / 3 != p.t) return false;
        const Transform<double> X_AV{Mat3<double>::identity(), a_.mesh.vertices[index(v)]};
        return -distance_between(point, X_AV, *b_.convex, X_deep_).distance > depth;
      });
    });
  }
  // Instead of the patches that overlap one for each region.
  void add_regions(int group, std::size_t before) {
    if (b_.convex && !std::exchange(has_regions_, true)) m_.regions.find(a_, b_, X_deep_, m_.near);
    const auto from = out_.begin() + static_cast<long>(before);
    out_.erase(std::remove_if(from, out_.end(), [](const Manifold& m) { return depth_of(m) > 0; }), out_.end());
    for (const OverlapRegion& region : m_.regions.regions())
      if (region.group == group) add_region_manifold(region, a_, X_WA_, b_, X_deep_, m_, out_);
  }
  // They touch, and neither a normal nor a region says how: one point in the middle, across the facets' mean (H6).
  void add_mean_patch(Pairs group) {
    Vec3<double> middle, sum;
    double count = 0;
    for (const NearPair& p : group) {
      if (p.distance.distance > 0) continue;
      middle += 0.5 * (p.distance.point_a_W + p.distance.point_b_W), ++count;
      sum += a_.normals[index(p.t)];
      if (p.u >= 0) sum -= X_AB_.R * b_.mesh->normals[index(p.u)];
    }
    const NearPair& first = group.front();
    const Vec3<double> n = norm(sum) > 1e-3 ? unit(sum) : a_.normals[index(first.t)];
    const double gap = first.distance.distance;
    put_point(
        n, (1 / count) * middle - (0.5 * gap) * n, gap, {FeatureKind::face, a_.facet[index(first.t)]},
        first.u < 0 ? Feature{FeatureKind::round, 0} : Feature{FeatureKind::face, b_.mesh->facet[index(first.u)]});
  }
  // x on a; the gap along n.
  void put_point(const Vec3<double>& n, const Vec3<double>& x, double gap, const Feature& a, const Feature& b) {
    Manifold made;
    made.normal_W = X_WA_.R * n, made.count = 1;
    made.points[0] = {X_WA_ * (x + (0.5 * gap) * n), gap, a, b};
    out_.push_back(made);
  }

  // ---- inside
  void add_wholly_inside() {
    if (b_.convex) {
      if (b_.convex->kind == ConvexKind::plane || m_.touched_b[0]) return;
      const Vec3<double> c = X_AB_ * core_center(*b_.convex);
      if (!is_inside(a_, c)) return;
      const Vec3<double> n = way_out(a_, c);
      put_inside(a_, c, n, dot(n, X_AB_.p - c) - support_value(*b_.convex, -transpose_times(X_AB_.R, n)),
                 {FeatureKind::round, 0}, false);
      return;
    }
    inside_pieces(a_, *b_.mesh, X_AB_, m_.touched_b, false);
    inside_pieces(*b_.mesh, a_, inverse(X_AB_), m_.touched_a, true);
  }
  // In the frame O of the outer mesh.
  void inside_pieces(const MeshSolid& outer, const MeshSolid& inner, const Transform<double>& X_OI,
                     const std::vector<char>& touched, bool a_is_inner) {
    for (std::size_t k = 0; k < inner.piece_vertex.size(); ++k) {
      if (touched[k]) continue;
      const int v = inner.piece_vertex[k];
      const Vec3<double> c = X_OI * inner.mesh.vertices[index(v)];
      if (!is_inside(outer, c)) continue;
      const Vec3<double> n = way_out(outer, c), n_I = transpose_times(X_OI.R, n);
      double low = 0;
      for (std::size_t w = 0; w < inner.piece.size(); ++w)
        if (inner.piece[w] == static_cast<int>(k))
          low = std::min(low, dot(n_I, inner.mesh.vertices[w] - inner.mesh.vertices[index(v)]));
      put_inside(outer, c, n, low, {FeatureKind::vertex, v}, a_is_inner);
    }
  }
  static Vec3<double> way_out(const MeshSolid& outer, const Vec3<double>& c) {
    const MeshPoint x = nearest_on_surface(outer, c);
    return x.distance > 1e-9 * outer.reach ? unit(x.p - c) : outer.normals[index(x.triangle)];
  }
  // `low`: how far the inner one reaches below its middle c along n, negative.
  void put_inside(const MeshSolid& outer, const Vec3<double>& c, const Vec3<double>& n, double low,
                  const Feature& inner, bool a_is_inner) {
    const MeshPoint x = nearest_on_surface(outer, c);
    const Feature face{FeatureKind::face, outer.facet[index(x.triangle)]};
    const double gap = low - x.distance;
    if (!a_is_inner) return put_point(n, x.p, gap, face, inner);
    const Vec3<double> n_A = X_AB_.R * n, x_A = X_AB_ * x.p;  // out of b: the normal from a to b is −n
    put_point(-n_A, x_A + gap * n_A, gap, inner, face);
  }

  const MeshSolid& a_;
  const Other& b_;
  const Transform<double>& X_WA_;
  Transform<double> X_AB_, X_deep_;
  double within_, margin_;
  QueryScratch::Memory& m_;
  std::vector<Manifold>& out_;
  double size_ = 0, thick_ = 0;
  Corner witness_{};
  bool has_witness_ = false, has_regions_ = false;
};

}  // namespace

void add_mesh_manifolds(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                        const Transform<double>& X_WB, double within, QueryScratch::Memory& memory,
                        std::vector<Manifold>& out) {
  MeshContact(a, X_WA, b, X_WB, within, memory, out).find();
}

}  // namespace marey
