// Colliders: their parts, and questions about two of them as questions about two parts each.
#include "marey/shape/collider.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "marey/core.h"
#include "shape/collider_parts.h"

namespace marey {
namespace {

bool is_plane(const ColliderGeometry& g) {
  const Convex* convex = std::get_if<Convex>(&g);
  return convex && convex->kind == ConvexKind::plane;
}
double reach_of(const ColliderGeometry& g) {
  const Convex* convex = std::get_if<Convex>(&g);
  return convex ? reach(*convex) : std::get<std::shared_ptr<const MeshSolid>>(g)->reach;
}

// Whether b is the mesh to start from: a is none, or comes second by an order of their own, so that of two meshes it does not
// matter which is called a: by size, and of two that are alike by where they are in each other's frames.
bool starts_from_b(const PairOfParts& p) {
  if (convex_of_part(p.a)) return true;
  if (convex_of_part(p.b)) return false;
  const MeshSolid &a = mesh_of_part(p.a), &b = mesh_of_part(p.b);
  if (a.mesh.triangles.size() != b.mesh.triangles.size()) return a.mesh.triangles.size() < b.mesh.triangles.size();
  if (a.reach != b.reach) return a.reach < b.reach;
  const Vec3<double> d = p.X_WB.p - p.X_WA.p, in_a = transpose_times(p.X_WA.R, d), in_b = transpose_times(p.X_WB.R, -d);
  for (int i = 0; i < 3; ++i)
    if (std::abs(in_a[i] - in_b[i]) > 1e-9 * a.reach) return in_a[i] < in_b[i];
  return false;
}

// Features of meshes that were taken for convex polyhedra get the names that they have on the mesh.
void name_as_meshes(const PairOfParts& p, Manifold& m) {
  for (int k = 0; k < m.count; ++k) {
    ManifoldPoint& point = m.points[index(k)];
    if (!convex_of_part(p.a)) point.a = name_on_mesh(*mesh_of_part(p.a).hull, point.a);
    if (!convex_of_part(p.b)) point.b = name_on_mesh(*mesh_of_part(p.b).hull, point.b);
  }
}

// One convex pair or one with a mesh, appended; the normal goes from a to b.
void add_part_manifolds(const PairOfParts& p, double within, QueryScratch::Memory& memory, PairCache* cache,
                        std::vector<Manifold>& out) {
  const std::size_t before = out.size();
  const Convex *a = convex_form_of_part(p.a), *b = convex_form_of_part(p.b);
  if (a && b) {
    out.emplace_back();
    find_manifold(*a, p.X_WA, *b, p.X_WB, within, out.back(), cache);
    name_as_meshes(p, out.back());
    if (out.back().count == 0) out.pop_back();
  } else if (!starts_from_b(p)) {
    add_mesh_manifolds(mesh_of_part(p.a), p.X_WA, other_of_part(p.b), p.X_WB, within, memory, out);
  } else {
    add_mesh_manifolds(mesh_of_part(p.b), p.X_WB, other_of_part(p.a), p.X_WA, within, memory, out);
    for (std::size_t k = before; k < out.size(); ++k) {
      out[k].normal_W = -out[k].normal_W;
      for (ManifoldPoint& point : out[k].points) std::swap(point.a, point.b);
    }
  }
  for (std::size_t k = before; k < out.size(); ++k) out[k].part_a = p.part_a, out[k].part_b = p.part_b;
}

// The deepest point of what was found.
Distance deepest_of(std::span<const Manifold> found) {
  Distance out;
  out.distance = Bounds::infinity;
  for (const Manifold& m : found)
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[index(k)];
      if (!(p.gap < out.distance)) continue;
      out.distance = p.gap, out.normal_W = m.normal_W;
      out.point_a_W = p.point_W - (0.5 * p.gap) * m.normal_W, out.point_b_W = p.point_W + (0.5 * p.gap) * m.normal_W;
    }
  return out;
}

void turn_round(Distance& d) {
  d.normal_W = -d.normal_W;
  std::swap(d.point_a_W, d.point_b_W);
}

// With a mesh on one side at least; `below`: only less is of interest.
Distance mesh_distance(const PairOfParts& p, double below, QueryScratch::Memory& memory) {
  const bool turned = starts_from_b(p);
  const ColliderPart &first = turned ? p.b : p.a, &second = turned ? p.a : p.b;
  const Transform<double>&X1 = turned ? p.X_WB : p.X_WA, &X2 = turned ? p.X_WA : p.X_WB;
  const MeshSolid& mesh = mesh_of_part(first);
  Distance d = surface_distance(mesh, X1, other_of_part(second), X2, std::max(below, 0.0));
  if (d.distance <= 0 || one_holds_the_other(mesh, X1, other_of_part(second), X2)) {
    memory.found.clear();
    add_mesh_manifolds(mesh, X1, other_of_part(second), X2, 0, memory, memory.found);
    const Distance deep = deepest_of(memory.found);
    if (deep.distance < Bounds::infinity) d = deep;
  }
  if (turned) turn_round(d);
  return d;
}

}  // namespace

double part_gap_bound(const PairOfParts& p) {
  if (is_plane(p.a.geometry) || is_plane(p.b.geometry)) return -Bounds::infinity;
  return between(part_bounds(p.a.geometry, p.X_WA), part_bounds(p.b.geometry, p.X_WB));
}

Bounds part_bounds(const ColliderGeometry& g, const Transform<double>& X) {
  if (const Convex* convex = std::get_if<Convex>(&g)) return bounds_in_world(*convex, X);
  return turned(std::get<std::shared_ptr<const MeshSolid>>(g)->tree.bounds(), X);
}

Collider compound(std::vector<ColliderPart> parts) {
  if (parts.empty()) throw Error(ErrorKind::bad_input, "a compound without parts; expected at least one");
  Collider made;
  std::vector<Bounds> boxes;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool plane = is_plane(parts[k].geometry);
    (plane ? made.unbounded : made.bounded).push_back(static_cast<int>(k));
    if (!plane) boxes.push_back(part_bounds(parts[k].geometry, parts[k].X_SP));
    made.reach = std::max(made.reach, norm(parts[k].X_SP.p) + reach_of(parts[k].geometry));
  }
  if (!boxes.empty()) made.tree = BoxTree(boxes);
  made.parts = std::move(parts);
  return made;
}
Collider collider_of(const Convex& convex) { return compound({{convex, {}}}); }
Collider collider_of(std::shared_ptr<const MeshSolid> mesh) { return compound({{std::move(mesh), {}}}); }
Collider compound_of(std::span<const Collider> colliders, std::span<const Transform<double>> X_SC) {
  std::vector<ColliderPart> parts;
  for (std::size_t k = 0; k < colliders.size(); ++k)
    for (const ColliderPart& part : colliders[k].parts) parts.push_back({part.geometry, X_SC[k] * part.X_SP});
  return compound(std::move(parts));
}

Bounds bounds_in_world(const Collider& c, const Transform<double>& X_WS) {
  Bounds all;
  for (const ColliderPart& part : c.parts) all.add(part_bounds(part.geometry, X_WS * part.X_SP));
  return all;
}

// Between two poses, s apart in time, no point is farther than s/2 times its speed from where it is in one of them.
Bounds swept_bounds(const Collider& c, const MotionOfShape& motion, double t0, double t1) {
  constexpr int pieces = 4;
  Bounds all = bounds_in_world(c, motion.pose(t0));
  if (!std::isfinite(c.reach) || !(t1 > t0)) return all;
  const double step = (t1 - t0) / pieces;
  for (int k = 0; k < pieces; ++k) {
    const double from = t0 + k * step, to = k + 1 == pieces ? t1 : t0 + (k + 1) * step;
    const double by = 0.5 * (to - from) * motion.speed_bound(from, to, c.reach);
    all.add(widened(bounds_in_world(c, motion.pose(from)), by));
    all.add(widened(bounds_in_world(c, motion.pose(to)), by));
  }
  return all;
}

QueryScratch::QueryScratch() : memory_(std::make_unique<Memory>()) {}
QueryScratch::~QueryScratch() = default;
QueryScratch::QueryScratch(QueryScratch&&) noexcept = default;
QueryScratch& QueryScratch::operator=(QueryScratch&&) noexcept = default;

PairCache& ColliderCache::of(int part_a, int part_b) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), std::pair(part_a, part_b),
      [](const Entry& e, const std::pair<int, int>& key) { return std::pair(e.part_a, e.part_b) < key; });
  if (at != entries.end() && at->part_a == part_a && at->part_b == part_b) return at->cache;
  return entries.insert(at, {part_a, part_b, {}})->cache;
}

void find_manifolds(const Collider& a, const Transform<double>& X_WA, const Collider& b, const Transform<double>& X_WB,
                    double within, QueryScratch& scratch, std::vector<Manifold>& out, ColliderCache* cache) {
  out.clear();
  for_near_parts(a, X_WA, b, X_WB, within, [&](const PairOfParts& p) {
    PairCache* known = cache ? &cache->of(p.part_a, p.part_b) : nullptr;
    add_part_manifolds(p, within, scratch.memory(), known, out);
  });
  if (a.parts.size() == 1 && b.parts.size() == 1) return;
  // By insertion: they are few, and a stable sort would ask for memory.
  const auto before = [](const Manifold& p, const Manifold& q) {
    return p.part_a != q.part_a ? p.part_a < q.part_a : p.part_b < q.part_b;
  };
  for (auto next = out.begin(); next != out.end(); ++next)
    std::rotate(std::upper_bound(out.begin(), next, *next, before), next, next + 1);
}

ColliderDistance distance_between(const Collider& a, const Transform<double>& X_WA, const Collider& b,
                                  const Transform<double>& X_WB, QueryScratch& scratch, ColliderCache* cache) {
  ColliderDistance best;
  best.distance.distance = Bounds::infinity;
  const bool alone = a.parts.size() == 1 && b.parts.size() == 1;
  for (int i = 0; i < static_cast<int>(a.parts.size()); ++i)
    for (int j = 0; j < static_cast<int>(b.parts.size()); ++j) {
      const PairOfParts p = pair_of_parts(a, X_WA, i, b, X_WB, j);
      if (!alone && part_gap_bound(p) > std::max(best.distance.distance, 0.0)) continue;
      const Convex *ca = convex_form_of_part(p.a), *cb = convex_form_of_part(p.b);
      const Distance d = ca && cb ? distance_between(*ca, p.X_WA, *cb, p.X_WB, cache ? &cache->of(i, j) : nullptr)
                                  : mesh_distance(p, best.distance.distance, scratch.memory());
      if (d.distance < best.distance.distance) best = {d, i, j};
    }
  return best;
}

}  // namespace marey
