// Bodies of several parts in a world that goes on in small steps: a plane that parted all parts of two is asked first, as that of two parts
// (collision_world_steps.cpp). It can only say "still apart", beyond any doubt of rounding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/contact/collision_world.h"

namespace marey {

namespace {

// Along n in the frame of the body; infinite where a part is not convex.
double support_of(const Collider& body, const Vec3<double>& n) {
  double most = -std::numeric_limits<double>::infinity();
  for (const ColliderPart& part : body.parts) {
    const Convex* convex = std::get_if<Convex>(&part.geometry);
    if (convex == nullptr) return std::numeric_limits<double>::infinity();
    most = std::max(most, dot(n, part.X_SP.p) + support_value(*convex, transpose_times(part.X_SP.R, n)));
  }
  return most;
}
// Whether a plane across n, in the frame of a, is farther than `within` between the two.
bool are_parted(const Collider& a, const Transform<double>& X_WA, const Collider& b, const Transform<double>& X_WB,
                const Vec3<double>& n, double within) {
  const Vec3<double> n_W = X_WA.R * n, apart = X_WB.p - X_WA.p;
  const double along = dot(n_W, apart), wide = support_of(a, n) + support_of(b, -transpose_times(X_WB.R, n_W));
  const double doubt = 1e-12 * (norm(apart) + a.reach + b.reach + norm(X_WA.p) + norm(X_WB.p));
  return along - wide > within + doubt;
}

}  // namespace

// Of the planes that part two of their parts one may part the bodies; its normal is in the frame of a then.
void CollisionWorld::fresh_manifolds_of_parts(std::size_t pair, double within, Scratch& scratch,
                                              std::vector<Manifold>& out) {
  const Pair& p = near_[pair];
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  Neighbour& known = neighbours_[neighbour_of_[pair]];
  if (known.parted && are_parted(a.collider, a.X_WB, b.collider, b.X_WB, known.normal_A, within)) return out.clear();
  scratch.parting.entries.clear();
  find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch.queries, out, &scratch.parting);
  known.parted = false;
  if (!out.empty()) return;
  for (const ColliderCache::Entry& entry : scratch.parting.entries) {
    if (!entry.cache.beyond) continue;
    known.normal_A = a.collider.parts[static_cast<std::size_t>(entry.part_a)].X_SP.R * entry.cache.normal_A;
    known.parted = are_parted(a.collider, a.X_WB, b.collider, b.X_WB, known.normal_A, within);
    if (known.parted) return;
  }
}

}  // namespace marey
