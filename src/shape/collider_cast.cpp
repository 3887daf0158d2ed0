// Rays, casts and times of impact of colliders.
//
// A mesh is met by what its triangles are met by: the first of all casts against single triangles, which are exact
// (cast.cpp), unless what comes is inside from the start. Triangles are asked in the order in which the box of all that is
// swept meets theirs.
#include <algorithm>
#include <cmath>

#include "shape/collider_parts.h"
#include "shape/impact_search.h"

namespace marey {
namespace {

void keep_first(const std::optional<Hit>& hit, std::optional<Hit>& best) {
  if (hit && (!best || hit->t < best->t)) best = hit;
}

std::optional<Hit> ray_on_mesh(const MeshSolid& mesh, const Transform<double>& X_WP, const Vec3<double>& origin,
                               const Vec3<double>& direction, double longest) {
  const Vec3<double> from = transpose_times(X_WP.R, origin - X_WP.p), along = transpose_times(X_WP.R, direction);
  if (is_inside(mesh, from)) return Hit{0, origin, {}};
  RayHit hit;
  if (!cast_ray(mesh.mesh, mesh.tree, {from, along, longest}, hit)) return {};
  return Hit{hit.t, origin + hit.t * direction, X_WP.R * hit.normal};
}

// What is swept by a box on its way, in the frame of the way.
Bounds swept(const Bounds& box, const Vec3<double>& way, double by) {
  return widened(hull_of(box, {box.low + way, box.high + way}), by);
}

// The convex b moves along `way` (in A) towards the mesh a. `t`: as far as it may matter. In A, seen from what moves.
std::optional<Hit> cast_at_mesh(const MeshSolid& a, const Convex& b, Transform<double> X_AB, const Vec3<double>& way,
                                double gap) {
  std::optional<Hit> best;
  const bool plane = b.kind == ConvexKind::plane;
  const auto look = [&](int t) {
    const TriangleCore core(a, t);
    keep_first(shape_cast(b, X_AB, way, core.convex(), {Mat3<double>::identity(), core.middle()}, gap), best);
  };
  if (plane) {  // all of it is one side: what the plane meets first is met by the whole
    a.tree.walk([](const Bounds&) { return true; }, look);
    return best;
  }
  const Bounds box = bounds_in_world(b, X_AB), all = swept(box, way, gap + 1e-9 * a.reach);
  a.tree.overlapping(all, [&](int t) {
    const Bounds triangle = bounds_of(a.mesh, t);
    if (best && !overlap(triangle, swept(box, best->t * way, gap + 1e-9 * a.reach))) return;
    look(t);
  });
  return best;
}

std::optional<Hit> cast_parts(const PairOfParts& p, const Vec3<double>& way, double gap) {
  const Convex *a = convex_of_part(p.a), *b = convex_of_part(p.b);
  if (a && b) return shape_cast(*a, p.X_WA, way, *b, p.X_WB, gap);
  // One mesh stands still, the other comes; a convex one that stands still is met as if it came itself.
  const bool mesh_moves = b != nullptr;
  const MeshSolid& mesh = mesh_moves ? mesh_of_part(p.a) : mesh_of_part(p.b);
  const Transform<double>&X_WM = mesh_moves ? p.X_WA : p.X_WB, &X_WO = mesh_moves ? p.X_WB : p.X_WA;
  const Other other = other_of_part(mesh_moves ? p.b : p.a);
  const Vec3<double> way_M = (mesh_moves ? -1.0 : 1.0) * transpose_times(X_WM.R, way);
  const Transform<double> X_MO{transpose(X_WM.R) * X_WO.R, transpose_times(X_WM.R, X_WO.p - X_WM.p)};
  if (one_holds_the_other(mesh, X_WM, other, X_WO)) return Hit{0, X_WO.p, {}};
  std::optional<Hit> best;
  if (other.convex) {
    best = cast_at_mesh(mesh, *other.convex, X_MO, way_M, gap);
  } else {
    const Bounds reachable =
        swept(turned(mesh.tree.bounds(), inverse(X_MO)), -transpose_times(X_MO.R, way_M), gap + 1e-9 * mesh.reach);
    other.mesh->tree.overlapping(reachable, [&](int u) {
      const TriangleCore core(*other.mesh, u);
      keep_first(cast_at_mesh(mesh, core.convex(), {X_MO.R, X_MO * core.middle()}, way_M, gap), best);
    });
  }
  if (!best) return {};
  // In W; where the mesh itself moves, it is met at a point of its own that has moved along: the other's is beyond the gap.
  best->point_W = X_WM * best->point_W, best->normal_W = X_WM.R * best->normal_W;
  if (mesh_moves) best->point_W += best->t * way + gap * best->normal_W, best->normal_W = -best->normal_W;
  return best;
}

}  // namespace

std::optional<Hit> ray_cast(const Collider& b, const Transform<double>& X_WB, const Vec3<double>& origin,
                            const Vec3<double>& direction, double longest) {
  std::optional<Hit> best;
  for (const ColliderPart& part : b.parts) {
    const Transform<double> X = X_WB * part.X_SP;
    const double left = best ? best->t : longest;
    if (const Convex* convex = convex_of_part(part))
      keep_first(ray_cast(*convex, X, origin, direction, left), best);
    else
      keep_first(ray_on_mesh(mesh_of_part(part), X, origin, direction, left), best);
  }
  return best;
}

std::optional<Hit> shape_cast(const Collider& a, const Transform<double>& X_WA, const Vec3<double>& way,
                              const Collider& b, const Transform<double>& X_WB, QueryScratch&, double gap) {
  std::optional<Hit> best;
  for (int i = 0; i < static_cast<int>(a.parts.size()); ++i)
    for (int j = 0; j < static_cast<int>(b.parts.size()); ++j)
      keep_first(cast_parts(pair_of_parts(a, X_WA, i, b, X_WB, j), way, gap), best);
  return best;
}

std::optional<Impact> impact_time(const Collider& a, const MotionOfShape& motion_a, const Collider& b,
                                  const MotionOfShape& motion_b, double t0, double t1, QueryScratch& scratch,
                                  double gap) {
  ColliderCache& cache = scratch.memory().on_the_way;
  cache.entries.clear();
  return search_impact(a.reach, motion_a, b.reach, motion_b, t0, t1, gap,
                       [&](const Transform<double>& X_WA, const Transform<double>& X_WB) {
                         return distance_between(a, X_WA, b, X_WB, scratch, &cache).distance;
                       });
}

}  // namespace marey
