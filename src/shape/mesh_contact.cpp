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
// Deep. Triangles that overlap b by more than they are large can all fail (1). Then the normals of the facets that overlap
// are tried: the patch of b that faces the facet must lie over it; the least depth counts, and what is at most
// twice as deep. If there is none, the mean of the facets' normals decides (H6). Of two patches found like this that push
// in opposite directions the less deep one counts.
//
// Inside. What crosses no triangle may be wholly inside: its depth is what it takes to pull it out over the point of the
// surface nearest to its middle.
#include "shape/mesh_contact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace marey {
namespace {

const double patch_cos = std::cos(patch_tilt);
constexpr double outward_angle = 1e-5;  // what rounding and round solids leave of a normal's direction
constexpr double outward_place = 1e-6;  // and of a place, over the size: a witness this near to an edge is on it
constexpr int deep_patch = -1;          // a mark in Manifold::part_a until all are found
constexpr int most_deep_normals = 32;   // of facets, where all are small

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

// What a feature of triangle t is called on the mesh; `inner`: it is inside a facet.
Feature name_on_mesh(const MeshSolid& mesh, int t, const Feature& f, bool& inner) {
  inner = false;
  const Feature face{FeatureKind::face, mesh.facet[index(t)]};
  if (f.kind == FeatureKind::vertex) {
    const int v = mesh.mesh.triangles[index(t)][index(f.index)];
    inner = mesh.flat_vertex[index(v)];
    return inner ? face : Feature{FeatureKind::vertex, v};
  }
  if (f.kind != FeatureKind::edge) return face;
  const int side = 3 * t + f.index;
  inner = mesh.flat[index(side)];
  return inner ? face : Feature{FeatureKind::edge, std::min(side, mesh.beyond[index(side)])};
}

class MeshContact {
 public:
  MeshContact(const MeshSolid& a, const Transform<double>& X_WA, const Other& b, const Transform<double>& X_WB,
              double within, QueryScratch::Memory& memory, std::vector<Manifold>& out)
      : a_(a),
        b_(b),
        X_WA_(X_WA),
        X_AB_{transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)},
        within_(within),
        margin_(b.convex ? b.convex->margin : 0),
        m_(memory),
        out_(out) {}

  void find() {
    m_.near.clear();
    m_.touched_a.assign(a_.piece_vertex.size(), 0);
    m_.touched_b.assign(b_.mesh ? b_.mesh->piece_vertex.size() : 1, 0);
    first_ = out_.size();
    find_near();
    if (!m_.near.empty()) {
      join();
      for (std::size_t from = 0, to = 0; from < m_.near.size(); from = to) {
        while (to < m_.near.size() && m_.near[to].group == m_.near[from].group) ++to;
        add_patches(std::span(m_.near).subspan(from, to - from));
      }
    }
    add_wholly_inside();
    settle();
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
    // The deepest first: patches take their normals from the front.
    std::sort(m_.near.begin(), m_.near.end(), [](const NearPair& p, const NearPair& q) {
      if (p.group != q.group) return p.group < q.group;
      if (p.distance.distance != q.distance.distance) return p.distance.distance < q.distance.distance;
      return p.t != q.t ? p.t < q.t : p.u < q.u;
    });
  }

  // ---- patches
  void add_patches(Pairs group) {
    bool any = false;
    int patches = 0;
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (!group[k].outward || group[k].patch >= 0) continue;
      any = add_patch(group, k, patches++) || any;
    }
    if (any || !(group.front().distance.distance <= 0)) return;
    add_deep_patches(group);
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
    return put_manifold(n, least > 0 ? least + margin_ : -Bounds::infinity);
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

  // Makes a manifold of the corners; none of them shall have a gap of the cores below `least`.
  bool put_manifold(const Vec3<double>& n, double least) {
    std::size_t kept = 0;
    for (Corner c : m_.corners) {
      if (c.height_b - c.height_a < least) c.height_b = c.height_a + least;
      if (c.height_b - c.height_a - margin_ > within_) continue;
      const bool known = std::any_of(m_.corners.begin(), m_.corners.begin() + static_cast<long>(kept),
                                     [&](const Corner& other) { return same_corner(other, c); });
      if (!known) m_.corners[kept++] = c;
    }
    m_.corners.resize(kept);
    if (kept == 0) return false;
    if (kept > corner_limit) thin_out();
    const int count = reduce_to_four(m_.corners, size_, thick_);
    sort_by_name(std::span(m_.corners).first(index(count)));  // so that the points keep their order, too
    Vec3<double> t1, t2;
    across(n, t1, t2);
    Manifold made;
    made.normal_W = X_WA_.R * n, made.count = count;
    for (int k = 0; k < count; ++k) {
      const Corner& c = m_.corners[index(k)];
      const double height = 0.5 * (c.height_a + c.height_b - margin_);
      made.points[index(k)] = {X_WA_ * (c.s * t1 + c.t * t2 + height * n), c.height_b - c.height_a - margin_, c.a, c.b};
    }
    out_.push_back(made);
    return true;
  }
  // Two triangles find it, at the border between them.
  bool same_corner(const Corner& p, const Corner& q) const {
    const double ds = p.s - q.s, dt = p.t - q.t, near = 4 * thick_;
    return ds * ds + dt * dt <= near * near && std::abs(p.height_b - p.height_a - q.height_b + q.height_a) <= near;
  }
  // The deepest, and the farthest in 32 directions.
  void thin_out() {
    std::vector<Corner>& all = m_.corners;
    const auto bring = [&](std::size_t to, auto measure) {
      std::size_t best = to;
      for (std::size_t k = to; k < all.size(); ++k)
        if (measure(all[k]) > measure(all[best])) best = k;
      std::swap(all[to], all[best]);
    };
    bring(0, [](const Corner& c) { return c.height_a - c.height_b; });
    for (int k = 0; k < 32; ++k) {
      const double angle = 0.19634954084936207 * k, x = std::cos(angle), y = std::sin(angle);
      bring(index(k + 1), [&](const Corner& c) { return x * c.s + y * c.t; });
    }
    all.resize(33);
  }

  // ---- where (1) admits nothing
  void add_deep_patches(Pairs group) {
    const std::size_t before = out_.size();
    Vec3<double> sum;
    int facet_a = -1, facet_b = -1, tried = 0;
    const auto count_in = [&](const Vec3<double>& n) {
      sum += n;
      if (tried++ < most_deep_normals) try_deep(group, n, before);
    };
    for (const NearPair& p : group) {  // the deepest first
      if (p.distance.distance > 0) continue;
      if (a_.facet[index(p.t)] != facet_a) facet_a = a_.facet[index(p.t)], count_in(a_.normals[index(p.t)]);
      if (p.u < 0 || b_.mesh->facet[index(p.u)] == facet_b) continue;
      facet_b = b_.mesh->facet[index(p.u)];
      count_in(-(X_AB_.R * b_.mesh->normals[index(p.u)]));
    }
    if (out_.size() > before) return keep_shallow(before);
    // The mean of the facets; where they cancel each other (a plate that is pierced), the first of them.
    const Vec3<double> n = norm(sum) > 1e-3 ? unit(sum) : a_.normals[index(group.front().t)];
    add_mean_patch(group, n);
  }
  void try_deep(Pairs group, const Vec3<double>& n, std::size_t before) {
    for (std::size_t k = before; k < out_.size(); ++k)
      if (dot(out_[k].normal_W, X_WA_.R * n) > 1 - 1e-9) return;
    m_.corners.clear();
    size_ = reach(TriangleCore(a_, group.front().t).convex());
    if (b_.mesh) size_ = std::max(size_, reach(TriangleCore(*b_.mesh, group.front().u).convex()));
    if (b_.convex && b_.convex->kind != ConvexKind::plane) size_ = std::max(size_, reach(*b_.convex));
    thick_ = 1e-9 * size_;
    for (const NearPair& p : group)
      if (faces_either(p, n)) clip(p, n, false);
    const bool overlap =
        std::ranges::any_of(m_.corners, [&](const Corner& c) { return c.height_b - c.height_a - margin_ <= 0; });
    if (overlap) put_manifold(n, -Bounds::infinity);
  }
  bool faces_either(const NearPair& p, const Vec3<double>& n) const {
    return dot(n, a_.normals[index(p.t)]) >= patch_cos ||
           (p.u >= 0 && dot(n, X_AB_.R * b_.mesh->normals[index(p.u)]) <= -patch_cos);
  }
  static double depth_of(const Manifold& m) {
    double depth = 0;
    for (int k = 0; k < m.count; ++k) depth = std::max(depth, -m.points[index(k)].gap);
    return depth;
  }
  // The least deep of those added since, and what is at most twice as deep; of nearly equal normals one.
  void keep_shallow(std::size_t before) {
    const auto from = out_.begin() + static_cast<long>(before);
    std::sort(from, out_.end(), [](const Manifold& p, const Manifold& q) { return depth_of(p) < depth_of(q); });
    const double least = depth_of(*from);
    for (auto m = from; m != out_.end(); ++m)
      out_.erase(std::remove_if(m + 1, out_.end(),
                                [&](const Manifold& p) { return dot(p.normal_W, m->normal_W) >= patch_cos; }),
                 out_.end());
    out_.erase(std::remove_if(from, out_.end(), [&](const Manifold& m) { return depth_of(m) > 2 * least; }),
               out_.end());
    for (std::size_t k = before; k < out_.size(); ++k) out_[k].part_a = deep_patch;
  }
  // One point in the middle of what overlaps, as deep as the deepest pair.
  void add_mean_patch(Pairs group, const Vec3<double>& n) {
    Vec3<double> middle;
    double count = 0;
    for (const NearPair& p : group)
      if (p.distance.distance <= 0) middle += 0.5 * (p.distance.point_a_W + p.distance.point_b_W), ++count;
    const double gap = group.front().distance.distance;
    put_point(n, (1 / count) * middle - (0.5 * gap) * n, gap, {FeatureKind::face, a_.facet[index(group.front().t)]},
              group.front().u < 0 ? Feature{FeatureKind::round, 0}
                                  : Feature{FeatureKind::face, b_.mesh->facet[index(group.front().u)]});
    out_.back().part_a = deep_patch;
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

  // Of deep patches that push against each other, or against others, the less deep one counts.
  void settle() {
    const auto from = out_.begin() + static_cast<long>(first_);
    for (auto deep = from; deep != out_.end(); ++deep)
      if (deep->part_a == deep_patch && std::any_of(from, out_.end(), [&](const Manifold& other) {
            const double depth = depth_of(other);
            return dot(other.normal_W, deep->normal_W) < -1e-9 && depth > 0 && depth < depth_of(*deep);
          }))
        deep->part_b = deep_patch;
    out_.erase(std::remove_if(from, out_.end(), [](const Manifold& m) { return m.part_b == deep_patch; }), out_.end());
    for (std::size_t k = first_; k < out_.size(); ++k) out_[k].part_a = 0;
  }

  const MeshSolid& a_;
  const Other& b_;
  const Transform<double>& X_WA_;
  Transform<double> X_AB_;
  double within_, margin_;
  QueryScratch::Memory& m_;
  std::vector<Manifold>& out_;
  std::size_t first_ = 0;
  double size_ = 0, thick_ = 0;
  Corner witness_{};
  bool has_witness_ = false;
};

}  // namespace

void add_mesh_manifolds(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                        const Transform<double>& X_WB, double within, QueryScratch::Memory& memory,
                        std::vector<Manifold>& out) {
  MeshContact(a, X_WA, b, X_WB, within, memory, out).find();
}

}  // namespace marey
