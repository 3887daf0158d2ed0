// The distance of a mesh from a convex solid or another mesh: the least of all its triangles, by their boxes.
#include <algorithm>
#include <cmath>

#include "shape/mesh_contact.h"

namespace marey {
namespace {

// How far a box is above the plane z = 0 of P, at least.
double above_plane(const Bounds& box, const Transform<double>& X_PA) {
  const Vec3<double> middle = 0.5 * (box.low + box.high), half = 0.5 * (box.high - box.low);
  const Mat3<double>& R = X_PA.R;
  return (X_PA * middle).z - std::abs(R(2, 0)) * half.x - std::abs(R(2, 1)) * half.y - std::abs(R(2, 2)) * half.z;
}

// Nearest of the triangles of a to one convex b; `below`: only nearer ones matter. In A.
void nearest_of_triangles(const MeshSolid& a, const Convex& b, const Transform<double>& X_AB, Distance& best) {
  const bool plane = b.kind == ConvexKind::plane;
  const Bounds box_b = plane ? Bounds{} : bounds_in_world(b, X_AB);
  const Transform<double> X_BA = inverse(X_AB);
  a.tree.walk_nearest(
      best.distance,
      [&](const Bounds& box) { return plane ? above_plane(box, X_BA) : between(box, box_b) - 1e-12 * a.reach; },
      [&](int t) {
        const Distance d = triangle_distance(TriangleCore(a, t), b, X_AB);
        if (d.distance < best.distance) best = d;
        return best.distance;
      });
}

}  // namespace

Bounds turned(const Bounds& box, const Transform<double>& X) {
  const Vec3<double> middle = X * (0.5 * (box.low + box.high)), half = 0.5 * (box.high - box.low);
  Vec3<double> wide;
  for (int i = 0; i < 3; ++i)
    wide[i] = std::abs(X.R(i, 0)) * half.x + std::abs(X.R(i, 1)) * half.y + std::abs(X.R(i, 2)) * half.z;
  return {middle - wide, middle + wide};
}
double between(const Bounds& a, const Bounds& b) {
  double squared = 0;
  for (int i = 0; i < 3; ++i) {
    const double d = std::max({a.low[i] - b.high[i], b.low[i] - a.high[i], 0.0});
    squared += d * d;
  }
  return std::sqrt(squared);
}

Distance triangle_distance(const TriangleCore& t, const Convex& b, const Transform<double>& X_AB) {
  Distance d = distance_in_A(pair_with(t, b, X_AB), nullptr);
  d.point_a_W += t.middle(), d.point_b_W += t.middle();
  if (b.kind != ConvexKind::triangle || d.distance > 0) return d;
  // Triangles in one plane have no thickness to leave each other through: their depth is 0, along the plane's normal.
  const auto normal_of = [](const Convex& c) {
    return unit(cross((*c.triangle)[1] - (*c.triangle)[0], (*c.triangle)[2] - (*c.triangle)[0]));
  };
  const Vec3<double> n = normal_of(t.convex()), m = X_AB.R * normal_of(b);
  if (norm(cross(n, m)) > 1e-9) return d;
  d.normal_W = n, d.distance = 0, d.point_b_W = d.point_a_W;
  return d;
}

Distance surface_distance(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                          const Transform<double>& X_WB, double below) {
  const Transform<double> X_AB{transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)};
  Distance best;
  best.distance = below;
  if (b.convex) {
    nearest_of_triangles(a, *b.convex, X_AB, best);
  } else {
    const Bounds box_a = turned(a.tree.bounds(), inverse(X_AB));
    const double blur = 1e-12 * (a.reach + b.mesh->reach);
    b.mesh->tree.walk_nearest(
        best.distance, [&](const Bounds& box) { return between(box, box_a) - blur; },
        [&](int u) {
          const TriangleCore core(*b.mesh, u);
          nearest_of_triangles(a, core.convex(), {X_AB.R, X_AB * core.middle()}, best);
          return best.distance;
        });
  }
  best.normal_W = X_WA.R * best.normal_W;
  best.point_a_W = X_WA * best.point_a_W, best.point_b_W = X_WA * best.point_b_W;
  return best;
}

bool one_holds_the_other(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                         const Transform<double>& X_WB) {
  const Transform<double> X_AB{transpose(X_WA.R) * X_WB.R, transpose_times(X_WA.R, X_WB.p - X_WA.p)};
  if (b.convex) return b.convex->kind != ConvexKind::plane && is_inside(a, X_AB * core_center(*b.convex));
  const Transform<double> X_BA = inverse(X_AB);
  const auto holds_piece = [](const MeshSolid& outer, const Transform<double>& X, const MeshSolid& inner) {
    return std::ranges::any_of(inner.piece_vertex,
                               [&](int v) { return is_inside(outer, X * inner.mesh.vertices[index(v)]); });
  };
  return holds_piece(a, X_AB, *b.mesh) || holds_piece(*b.mesh, X_BA, a);
}

}  // namespace marey
