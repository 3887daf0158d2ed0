// Two colliders as pairs of their parts.
#pragma once

#include <algorithm>
#include <cmath>

#include "shape/mesh_contact.h"

namespace marey {

struct PairOfParts {
  int part_a, part_b;
  const ColliderPart &a, &b;
  Transform<double> X_WA, X_WB;  // of the parts' own frames
};
inline PairOfParts pair_of_parts(const Collider& a, const Transform<double>& X_WA, int i, const Collider& b,
                                 const Transform<double>& X_WB, int j) {
  const ColliderPart &p = a.parts[index(i)], &q = b.parts[index(j)];
  return {i, j, p, q, X_WA * p.X_SP, X_WB * q.X_SP};
}
inline const Convex* convex_of_part(const ColliderPart& p) { return std::get_if<Convex>(&p.geometry); }
inline const MeshSolid& mesh_of_part(const ColliderPart& p) {
  return *std::get<std::shared_ptr<const MeshSolid>>(p.geometry);
}
// What is convex, written as such or as a mesh.
inline const Convex* convex_form_of_part(const ColliderPart& p) {
  if (const Convex* convex = convex_of_part(p)) return convex;
  const MeshSolid& mesh = mesh_of_part(p);
  return mesh.hull ? &mesh.hull->convex : nullptr;
}
inline Other other_of_part(const ColliderPart& p) {
  if (const Convex* convex = convex_of_part(p)) return {convex, nullptr};
  return {nullptr, &mesh_of_part(p)};
}
// In the axes of W.
Bounds part_bounds(const ColliderGeometry&, const Transform<double>& X_WP);
// No less than this is between them.
double part_gap_bound(const PairOfParts&);

// Whether part i of a, by a ball around it, is farther than `within` from part j of b, a plane, beyond any doubt of rounding.
inline bool is_far_from_plane(const Collider& a, const Transform<double>& X_WA, int i, const Collider& b,
                              const Transform<double>& X_WB, int j, double within) {
  const ColliderPart &p = a.parts[index(i)], &q = b.parts[index(j)];
  const Convex* solid = convex_of_part(p);
  if (solid == nullptr) return false;
  const auto size = [](const Vec3<double>& x) {
    return std::abs(x.x) + std::abs(x.y) + std::abs(x.z);
  };  // no less than |x|
  double ball = solid->margin;
  switch (solid->kind) {
    case ConvexKind::plane:
    case ConvexKind::hull:
    case ConvexKind::triangle:
      return false;
    case ConvexKind::ellipsoid:
      ball += std::max({solid->half.x, solid->half.y, solid->half.z});
      break;
    default:
      ball += size(solid->half);
  }
  const Vec3<double> n_B{q.X_SP.R.xz, q.X_SP.R.yz, q.X_SP.R.zz}, n = X_WB.R * n_B;
  const Vec3<double> from = X_WB * q.X_SP.p, to = X_WA * p.X_SP.p;
  return dot(n, to - from) - ball > within + 1e-12 * (size(from) + size(to));
}

// visit(PairOfParts) for all pairs of parts that may be within `within` of each other.
template <class Visit>
void for_near_parts(const Collider& a, const Transform<double>& X_WA, const Collider& b, const Transform<double>& X_WB,
                    double within, Visit visit) {
  const auto pair = [&](int i, int j) { visit(pair_of_parts(a, X_WA, i, b, X_WB, j)); };
  if (a.parts.size() == 1 && b.parts.size() == 1) return pair(0, 0);
  if (b.bounded.empty()) {  // planes, which most parts may be far from
    for (const std::vector<int>* parts : {&a.bounded, &a.unbounded})
      for (const int i : *parts)
        for (const int j : b.unbounded)
          if (!is_far_from_plane(a, X_WA, i, b, X_WB, j, within)) pair(i, j);
    return;
  }
  const Transform<double> X_BA{transpose(X_WB.R) * X_WA.R, transpose_times(X_WB.R, X_WA.p - X_WB.p)};
  const double blur = std::max(within, 0.0) + 1e-12 * norm(X_BA.p);
  for (const int i : a.bounded) {
    const Bounds box = widened(part_bounds(a.parts[index(i)].geometry, X_BA * a.parts[index(i)].X_SP), blur);
    b.tree.overlapping(box, [&](int k) { pair(i, b.bounded[index(k)]); });
    for (const int j : b.unbounded) pair(i, j);
  }
  for (const int i : a.unbounded)
    for (int j = 0; j < static_cast<int>(b.parts.size()); ++j) pair(i, j);
}

}  // namespace marey
