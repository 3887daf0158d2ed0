// Regions that two solids have in common, from the curves in which their surfaces cross.
//
// Crossings. An edge of one mesh passes through a triangle of the other at x₀ + s (x₁ − x₀), into it where the edge runs
// against the triangle's normal. A convex solid holds one stretch of each edge, whose ends are found by casting. All of this
// is done once for each edge, from its lower side, so that both triangles there find the same.
//
// What hangs together. Pairs of triangles that meet at a crossing; crossings with a stretch of an edge inside
// between them; an inside vertex and the first crossing on each of its edges; inside vertices joined by an edge that nothing
// crosses. So vertices far from the curve are found by spreading from those beside it, which are looked at one by one: a
// vertex on the other's surface, inside by rounding, must not make its neighbours inside ones.
//
// Area. The part of a's surface inside b is bounded by the curve, and its area vector depends on nothing else (Stokes):
//
//   S = ∫ n dA = ½ ∮ x × dx      on triangle t the curve runs along n_t × n_u, with b's inside on its left             (1)
//
// The region's whole surface has none, so that b's part inside a has −S. Moving b by dx changes the common volume by
// −S · dx: S is the direction in which the solids part soonest. For a convex b the polygons that it cuts out of the
// triangles are summed instead, with straight lines between where it cuts their sides.
#include "shape/mesh_region.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shape/mesh_contact.h"

namespace marey {
namespace {

constexpr int most_around = 12;           // directions
constexpr std::ptrdiff_t few_pairs = 48;  // with more of them triangles are small

// Where the segment passes through the triangle: the part of it, −1 where it does not.
double passes_at(const Vec3<double>& p, const Vec3<double>& q, const std::array<Vec3<double>, 3>& x,
                 const Vec3<double>& n) {
  const double hp = dot(n, p - x[0]), hq = dot(n, q - x[0]);
  if ((hp > 0) == (hq > 0)) return -1;
  const double s = hp / (hp - hq);
  const Vec3<double> at = p + s * (q - p);
  for (std::size_t k = 0; k < 3; ++k)
    if (dot(n, cross(x[(k + 1) % 3] - x[k], at - x[k])) < 0) return -1;
  return s;
}

std::array<Vec3<double>, 3> placed(const std::array<Vec3<double>, 3>& x, const Transform<double>& X) {
  return {X * x[0], X * x[1], X * x[2]};
}

}  // namespace

const MeshSolid& RegionFinder::mesh(bool of_a) const { return of_a ? *a_ : *b_->mesh; }
Vec3<double> RegionFinder::place(bool of_a, int vertex) const {
  const Vec3<double>& x = mesh(of_a).mesh.vertices[index(vertex)];
  return of_a ? x : X_AB_ * x;
}
int RegionFinder::root(int k) {
  while (parent_[index(k)] != k) k = parent_[index(k)] = parent_[index(parent_[index(k)])];
  return k;
}
void RegionFinder::join(int p, int q) {
  p = root(p), q = root(q);
  parent_[index(std::max(p, q))] = std::min(p, q);
}

void RegionFinder::find(const MeshSolid& a, const Other& b, const Transform<double>& X_AB,
                        std::span<const NearPair> near) {
  a_ = &a, b_ = &b, X_AB_ = X_AB, near_ = near, has_origin_ = false;
  parent_.resize(near.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  areas_.clear(), rim_.clear(), regions_.clear();
  for (Side* side : {&side_a_, &side_b_}) side->crossings.clear(), side->inside.clear();
  make_room(side_a_, a);
  if (b.mesh) make_room(side_b_, *b.mesh);
  few_ = std::ranges::count_if(near, [](const NearPair& p) { return p.distance.distance <= 0; }) <= few_pairs;
  for (std::size_t k = 0; k < near.size(); ++k) {
    if (near[k].distance.distance > 0) continue;
    for (const int v : a.mesh.triangles[index(near[k].t)]) side_a_.near[index(v)] = 1;
    if (b.convex) {
      cross_convex(static_cast<int>(k));
      continue;
    }
    for (const int v : b.mesh->mesh.triangles[index(near[k].u)]) side_b_.near[index(v)] = 1;
    cross_meshes(static_cast<int>(k));
  }
  join_crossings(side_a_), seed(side_a_, true), spread(side_a_, true);
  if (b.mesh) join_crossings(side_b_), seed(side_b_, false), spread(side_b_, false);
  gather();
  unmark();
}
// Marks of vertices are all unset between queries, so that a large mesh costs no more than what is touched of it.
void RegionFinder::make_room(Side& side, const MeshSolid& mesh) {
  const std::size_t n = mesh.mesh.vertices.size();
  if (side.label.size() < n) side.label.resize(n, -1), side.near.resize(n, 0);
}
void RegionFinder::unmark() {
  for (Side* side : {&side_a_, &side_b_})
    for (const InsideVertex& v : side->inside) side->label[index(v.vertex)] = -1;
  for (const NearPair& p : near_) {
    for (const int v : a_->mesh.triangles[index(p.t)]) side_a_.near[index(v)] = 0;
    if (p.u < 0) continue;
    for (const int v : b_->mesh->mesh.triangles[index(p.u)]) side_b_.near[index(v)] = 0;
  }
}

// ---- crossings
void RegionFinder::cross_edges(int pair, bool of_a) {
  const NearPair& p = near_[index(pair)];
  const int mine = of_a ? p.t : p.u, other = of_a ? p.u : p.t;
  const std::array<Vec3<double>, 3> x = of_a ? placed(corners_of(*b_->mesh, other), X_AB_) : corners_of(*a_, other);
  const Vec3<double> n = of_a ? X_AB_.R * b_->mesh->normals[index(other)] : a_->normals[index(other)];
  const MeshSolid& m = mesh(of_a);
  for (int k = 0; k < 3; ++k) {
    const int edge = std::min(3 * mine + k, m.beyond[index(3 * mine + k)]);
    const std::array<int, 3>& v = m.mesh.triangles[index(edge / 3)];
    const Vec3<double> from = place(of_a, v[index(edge % 3)]), to = place(of_a, v[index((edge + 1) % 3)]);
    const double at = passes_at(from, to, x, n);
    if (at < 0) continue;
    (of_a ? side_a_ : side_b_).crossings.push_back({edge, other, at, pair, dot(n, to - from) < 0});
    rim_.push_back({from + at * (to - from), pair, p.t, p.u});
  }
}
void RegionFinder::cross_meshes(int pair) {
  const std::size_t first = rim_.size();
  cross_edges(pair, true), cross_edges(pair, false);
  if (rim_.size() < first + 2) return;
  const NearPair& p = near_[index(pair)];
  const Vec3<double> along = cross(a_->normals[index(p.t)], X_AB_.R * b_->mesh->normals[index(p.u)]);
  const auto [low, high] =
      std::minmax_element(rim_.begin() + static_cast<long>(first), rim_.end(),
                          [&](const RimPoint& x, const RimPoint& y) { return dot(along, x.p) < dot(along, y.p); });
  if (!has_origin_) origin_ = low->p, has_origin_ = true;
  areas_.push_back({pair, cross(low->p - origin_, high->p - origin_), high->p - low->p});  // (1)
}
void RegionFinder::cross_convex(int pair) {
  const int t = near_[index(pair)].t;
  std::array<Vec3<double>, 6> polygon;
  std::size_t count = 0;
  bool all_inside = true;
  for (int k = 0; k < 3; ++k) {
    const int side = 3 * t + k, edge = std::min(side, a_->beyond[index(side)]);
    const std::array<int, 3>& v = a_->mesh.triangles[index(edge / 3)];
    const Vec3<double> from = place(true, v[index(edge % 3)]), to = place(true, v[index((edge + 1) % 3)]);
    const auto in = ray_cast(*b_->convex, X_AB_, from, to - from, 1),
               back = ray_cast(*b_->convex, X_AB_, to, from - to, 1);
    all_inside = all_inside && in && back && in->t <= 0 && back->t <= 0;
    if (!in || !back) continue;
    const double enter = in->t, leave = 1 - back->t;
    const bool turned = edge != side;
    const Vec3<double> first = from + (turned ? leave : enter) * (to - from);
    const Vec3<double> last = from + (turned ? enter : leave) * (to - from);
    polygon[count++] = first, polygon[count++] = last;
    if (enter > 0) side_a_.crossings.push_back({edge, -1, enter, pair, true});
    if (leave < 1) side_a_.crossings.push_back({edge, -1, leave, pair, false});
    if (enter > 0 || turned) rim_.push_back({first, pair, t, -1});
    if (leave < 1 || turned) rim_.push_back({last, pair, t, -1});
    for (const auto& [inside, vertex] :
         {std::pair{enter <= 0, v[index(edge % 3)]}, std::pair{leave >= 1, v[index((edge + 1) % 3)]}})
      if (inside) mark(side_a_, vertex, pair);
  }
  Vec3<double> twice;
  for (std::size_t k = 1; k + 1 < count; ++k) twice += cross(polygon[k] - polygon[0], polygon[k + 1] - polygon[0]);
  if (few_ && !all_inside) {
    const Vec3<double> around = cut_around(near_[index(pair)], polygon, count);
    if (norm_squared(around) > norm_squared(twice)) twice = around;
  }
  areas_.push_back({pair, twice, {}});
}

// Of a triangle much larger than what b cuts out of it the sides say little: points of the cut's border all around its deepest
// point, in the triangle's plane. Twice the area between them.
Vec3<double> RegionFinder::cut_around(const NearPair& p, const std::array<Vec3<double>, 6>& chords, std::size_t count) {
  const std::array<Vec3<double>, 3> x = corners_of(*a_, p.t);
  const Vec3<double>& n = a_->normals[index(p.t)];
  Vec3<double> middle = count > 0 ? Vec3<double>{} : p.distance.point_a_W;
  for (std::size_t k = 0; k < count; ++k) middle += (1 / static_cast<double>(count)) * chords[k];
  middle -= dot(n, middle - x[0]) * n;
  const Vec3<double> s = unit(x[1] - x[0]), t = cross(n, s);
  const double far = b_->convex->kind == ConvexKind::plane ? 2 * a_->reach : 2.1 * reach(*b_->convex);
  Vec3<double> twice, last, first;
  for (int k = 0; k < most_around; ++k) {
    const double angle = 6.283185307179586 / most_around * k;
    const Vec3<double> d = std::cos(angle) * s + std::sin(angle) * t;
    double way = far;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3<double> inwards = cross(n, x[(i + 1) % 3] - x[i]);
      const double closing = -dot(inwards, d);
      if (closing > 0) way = std::min(way, std::max(0.0, dot(inwards, middle - x[i]) / closing));
    }
    const auto back = ray_cast(*b_->convex, X_AB_, middle + way * d, -d, way);
    const Vec3<double> at = middle + (back ? way - back->t : 0) * d;
    rim_.push_back({at, static_cast<int>(&p - near_.data()), p.t, -1});
    if (k == 0) first = at;
    if (k > 0) twice += cross(last - middle, at - middle);
    last = at;
  }
  return twice + cross(last - middle, first - middle);
}

// ---- what hangs together
void RegionFinder::join_crossings(Side& side) {
  std::sort(side.crossings.begin(), side.crossings.end());
  for (std::size_t k = 1; k < side.crossings.size(); ++k) {
    const Crossing &last = side.crossings[k - 1], &here = side.crossings[k];
    if (last.edge != here.edge) continue;
    if ((last.beyond == here.beyond && last.at == here.at) || (last.enters && !here.enters)) join(last.pair, here.pair);
  }
}
void RegionFinder::mark(Side& side, int vertex, int pair) {
  int& label = side.label[index(vertex)];
  if (label >= 0) return join(label, pair);
  label = pair;
  side.inside.push_back({vertex, pair});
}
// Whether a vertex is inside the other mesh. Crossings have said so; this keeps rounding at a grazed edge from
// spreading what is outside.
bool RegionFinder::holds(bool of_a, int vertex) const {
  if (of_a) return is_inside(*b_->mesh, transpose_times(X_AB_.R, a_->mesh.vertices[index(vertex)] - X_AB_.p));
  return is_inside(*a_, X_AB_ * b_->mesh->mesh.vertices[index(vertex)]);
}
// Ends of edges beside the first and the last crossing on them.
void RegionFinder::seed(Side& side, bool of_a) {
  if (b_->convex) return;
  const std::vector<Crossing>& all = side.crossings;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::array<int, 3>& v = mesh(of_a).mesh.triangles[index(all[k].edge / 3)];
    const auto look = [&](int vertex) {
      if (side.label[index(vertex)] >= 0 || holds(of_a, vertex)) mark(side, vertex, all[k].pair);
    };
    if ((k == 0 || all[k - 1].edge != all[k].edge) && !all[k].enters) look(v[index(all[k].edge % 3)]);
    if ((k + 1 == all.size() || all[k + 1].edge != all[k].edge) && all[k].enters) look(v[index((all[k].edge + 1) % 3)]);
  }
}
bool RegionFinder::is_crossed(const Side& side, int edge) const {
  const auto at = std::lower_bound(side.crossings.begin(), side.crossings.end(), edge,
                                   [](const Crossing& c, int e) { return c.edge < e; });
  return at != side.crossings.end() && at->edge == edge;
}
void RegionFinder::spread(Side& side, bool of_a) {
  const MeshSolid& m = mesh(of_a);
  for (std::size_t k = 0; k < side.inside.size(); ++k) {  // grows on the way
    const int v = side.inside[k].vertex, pair = side.inside[k].region;
    for (const int s : sides_at(m, v)) {
      const int w = m.mesh.triangles[index(s / 3)][index((s + 1) % 3)];
      if (is_crossed(side, std::min(s, m.beyond[index(s)]))) continue;
      // A triangle with a corner inside a convex b touches it, and its corners are known. Beside a triangle that touches the
      // other mesh nothing is taken for granted: where they only just touch, what crosses may have been missed.
      const bool known = side.label[index(w)] >= 0, beside = side.near[index(v)] || side.near[index(w)];
      if (!known && (b_->convex || (beside && !holds(of_a, w)))) continue;
      mark(side, w, pair);
    }
  }
}

// ---- regions
void RegionFinder::gather() {
  for (RimPoint& p : rim_) p.region = root(p.region);
  const auto by_region = [](const auto& p, const auto& q) { return p.region < q.region; };
  std::sort(rim_.begin(), rim_.end(), [&](const RimPoint& p, const RimPoint& q) {
    return p.region != q.region ? p.region < q.region : p.t != q.t ? p.t < q.t : p.u < q.u;
  });
  for (Side* side : {&side_a_, &side_b_}) {
    for (InsideVertex& v : side->inside) v.region = root(v.region);
    std::sort(side->inside.begin(), side->inside.end(), [](const InsideVertex& p, const InsideVertex& q) {
      return p.region != q.region ? p.region < q.region : p.vertex < q.vertex;
    });
  }
  for (AreaPart& part : areas_) part.pair = root(part.pair);
  std::sort(areas_.begin(), areas_.end(), [](const AreaPart& p, const AreaPart& q) { return p.pair < q.pair; });
  for (std::size_t from = 0, to = 0; from < areas_.size(); from = to) {
    OverlapRegion made;
    const int region = areas_[from].pair;
    while (to < areas_.size() && areas_[to].pair == region) ++to;
    const auto range = [&](const auto& all, auto key) {
      const auto [low, high] = std::equal_range(all.begin(), all.end(), key, by_region);
      return std::span(all).subspan(index(static_cast<int>(low - all.begin())), index(static_cast<int>(high - low)));
    };
    made.rim = range(std::as_const(rim_), RimPoint{{}, region, -1, -1});
    made.in_b = range(std::as_const(side_a_.inside), InsideVertex{-1, region});
    made.in_a = range(std::as_const(side_b_.inside), InsideVertex{-1, region});
    Vec3<double> middle;
    for (const RimPoint& p : made.rim) middle += (1 / static_cast<double>(made.rim.size())) * (p.p - origin_);
    for (std::size_t k = from; k < to; ++k) {
      const Vec3<double> part = 0.5 * (areas_[k].twice - cross(middle, areas_[k].step));
      made.area += part, made.total += norm(part);
    }
    made.group = near_[index(region)].group;
    regions_.push_back(made);
  }
}

}  // namespace marey
