// Depths of overlapping meshes: between what the balls that they approximate say, those of their convex hulls where they
// are nearly convex, and enough to part them; several patches where they are concave.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "marey/shape/hull.h"
#include "support/sanitized.h"
#include "unit/shape/some_colliders.h"

namespace marey::mesh_depth_test {
namespace {

using samples::V;
using samples::X;

// The surface of a cube blown up to a ball: its squares are bent along one diagonal, inwards as often as outwards, so it is
// not convex.
Mesh blown_up_cube(double r, int n) {
  Mesh mesh = solids::fine_box({1, 1, 1}, n);
  for (V& v : mesh.vertices) v = (r / norm(v)) * v;
  return closed_mesh(mesh);
}
// The largest ball about the origin inside it.
double inner_radius(const MeshSolid& solid) {
  double r = 1e300;
  for (size_t t = 0; t < solid.mesh.triangles.size(); ++t)
    r = std::min(r, dot(solid.normals[t], solid.mesh.vertices[index(solid.mesh.triangles[t][0])]));
  return r;
}
// Points spread over an ellipsoid, as the mesh of their hull.
Mesh round_hull(const V& radii, int points) {
  std::vector<V> p;
  for (int k = 0; k < points; ++k) {
    const double z = 1 - 2 * (k + 0.5) / points, s = std::sqrt(1 - z * z), f = 2.399963229728653 * k;
    p.push_back({radii.x * s * std::cos(f), radii.y * s * std::sin(f), radii.z * z});
  }
  return closed_mesh(mesh_of(hull_of_points(p)));
}
double depth_of(const std::vector<Manifold>& all) {
  double depth = 0;
  for (const Manifold& m : all)
    for (int k = 0; k < m.count; ++k) depth = std::max(depth, -m.points[index(k)].gap);
  return depth;
}
std::string told(const std::vector<Manifold>& all) {
  std::string out;
  for (const Manifold& m : all) {
    out += "\n n " + std::to_string(m.normal_W.x) + " " + std::to_string(m.normal_W.y) + " " +
           std::to_string(m.normal_W.z);
    for (int k = 0; k < m.count; ++k) out += " " + std::to_string(m.points[index(k)].gap);
  }
  return out;
}

// A mesh with its vertices on a ball of radius r holds one of radius q: two of them are less deep than the balls around
// them and deeper than those within, however fine they are; likewise one of them and a ball.
TEST(MeshDepth, OfBallsIsBetweenThoseAroundAndWithin) {
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const int n : {4, 8, 16, every(2) == 1 ? 58 : 20}) {
    const auto solid = mesh_solid(blown_up_cube(0.5, n));
    const double r = 0.5, q = inner_radius(*solid);
    ASSERT_EQ(solid->hull, nullptr);
    const V way = (1 / std::sqrt(14.0)) * V{1, 2, 3};
    const Mat3<double> turn = rotation_about((1 / std::sqrt(0.35)) * V{0.3, 0.5, 0.1}, 0.7);
    for (const double deep : {0.05, 0.1, 0.2, 0.3, 0.45, 0.6}) {
      const X X_WB{turn, (2 * r - deep) * way};
      find_manifolds(collider_of(solid), {}, collider_of(solid), X_WB, 0, scratch, found);
      EXPECT_EQ(found.size(), 1u) << told(found);
      EXPECT_LE(depth_of(found), deep + 1e-12) << n;
      EXPECT_GE(depth_of(found), deep - 2 * (r - q)) << n;
      EXPECT_GE(dot(found.at(0).normal_W, way), 1 - 8 * (r - q)) << n << " " << deep;
      find_manifolds(collider_of(solid), {}, collider_of(convex_sphere(r)), X_WB, 0, scratch, found);
      EXPECT_LE(depth_of(found), deep + 1e-12) << n;
      EXPECT_GE(depth_of(found), deep - (r - q)) << n;
      EXPECT_LE(distance_between(collider_of(solid), {}, collider_of(solid), X_WB, scratch).distance.distance,
                2 * (r - q) - deep);
    }
  }
}

// Convex meshes, taken for what they are and triangle by triangle.
TEST(MeshDepth, OfConvexMeshesIsThatOfTheirHulls) {
  samples::Chance chance(91);
  QueryScratch scratch;
  std::vector<Manifold> found;
  int tried = 0, off = 0, parted = 0;
  for (int n = 0; n < 800 / every(20); ++n) {
    const auto some = [&] {
      if (n % 2)
        return mesh_solid(round_hull({chance.number(0.3, 1), chance.number(0.3, 1), chance.number(0.3, 1)}, 80));
      const V half{chance.number(0.3, 1), chance.number(0.3, 1), chance.number(0.3, 1)};
      return mesh_solid(solids::fine_box(half, 1 + chance.below(3)));
    };
    const auto a = some(), b = some();
    ASSERT_TRUE(a->hull && b->hull);
    const X X_WA{chance.turn(), {}};
    X X_WB{n % 5 ? chance.turn() : X_WA.R * chance.square_turn(), {}};
    X_WB.p = chance.number(0.3, 0.9) * (a->reach + b->reach) * chance.direction();
    const Distance d = distance_between(a->hull->convex, X_WA, b->hull->convex, X_WB);
    const double size = std::min(a->reach, b->reach);
    if (d.distance > -1e-6 || d.distance < -0.3 * size) continue;
    ++tried;
    EXPECT_NEAR(distance_between(collider_of(a), X_WA, collider_of(b), X_WB, scratch).distance.distance, d.distance,
                1e-12);
    find_manifolds(collider_of(solids::unknowing(a)), X_WA, collider_of(solids::unknowing(b)), X_WB, 0, scratch, found);
    ASSERT_FALSE(found.empty());
    off += std::abs(depth_of(found) + d.distance) > 1e-6 * size;
    // Moved along the normal by the depth they are apart: the depth suffices.
    X clear = X_WB;
    clear.p += depth_of(found) * found[0].normal_W;
    if (found.size() == 1)
      parted += distance_between(a->hull->convex, X_WA, b->hull->convex, clear).distance >= -1e-6 * size;
    if (found.size() > 1) ++parted;
  }
  EXPECT_GT(tried, 100 / every(20));
  EXPECT_LE(off, 2 * tried / 100) << tried;
  EXPECT_GE(parted, 98 * tried / 100) << tried;
}

TEST(MeshDepth, OfAMeshInAConvexSolidIsThatOfItsHull) {
  samples::Chance chance(92);
  QueryScratch scratch;
  std::vector<Manifold> found;
  int tried = 0, off = 0;
  for (int n = 0; n < 1400 / every(20); ++n) {
    const auto a =
        n % 2 ? mesh_solid(round_hull({chance.number(0.3, 1), chance.number(0.3, 1), chance.number(0.3, 1)}, 80))
              : mesh_solid(solids::fine_box({chance.number(0.3, 1), chance.number(0.3, 1), 0.5}, 2));
    const Convex b = samples::random_convex(chance, samples::kind_number(1 + n % 7));
    const X X_WA{chance.turn(), {}},
        X_WB{chance.turn(), chance.number(0.3, 0.9) * (a->reach + reach(b)) * chance.direction()};
    const Distance d = distance_between(a->hull->convex, X_WA, b, X_WB);
    const double size = std::min(a->reach, reach(b));
    if (d.distance > -1e-6 || d.distance < -0.3 * size) continue;
    ++tried;
    find_manifolds(collider_of(solids::unknowing(a)), X_WA, collider_of(b), X_WB, 0, scratch, found);
    off += std::abs(depth_of(found) + d.distance) > 1e-2 * size;
  }
  EXPECT_GT(tried, 100 / every(20));
  EXPECT_LE(off, 3 * tried / 100) << tried;
}

// A square ring, one cell thick, on a peg that is too wide by 2 cm: four walls, each 1 cm deep. A peg that is
// wide enough for one wall alone touches that.
TEST(MeshDepth, ARingOnAPegHasAPatchForEachWall) {
  solids::Cells cells(3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) cells.flip(i, j, 0);
  cells.flip(1, 1, 0);
  ASSERT_FALSE(cells.full(1, 1, 0));
  solids::Chance still(1);
  const auto ring = mesh_solid(closed_mesh(solids::tetrahedra_of(cells, still, 0).surface()));
  ASSERT_EQ(ring->hull, nullptr);
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const Collider& peg : {collider_of(convex_box({1.02, 1.02, 4})),
                              collider_of(solids::unknowing(mesh_solid(solids::fine_box({0.51, 0.51, 2}, 1)))),
                              collider_of(mesh_solid(solids::fine_box({0.51, 0.51, 2}, 4)))}) {
    find_manifolds(collider_of(ring), {}, peg, {Mat3<double>::identity(), {1.5, 1.5, 0.5}}, 0, scratch, found);
    V sum;
    std::array<int, 4> points{};  // of the walls at +x, −x, +y, −y
    for (const Manifold& m : found) {
      sum += m.normal_W;
      EXPECT_NEAR(std::abs(m.normal_W.x) + std::abs(m.normal_W.y), 1, 1e-9) << told(found);
      const bool x = std::abs(m.normal_W.x) > 0.5, back = m.normal_W.x + m.normal_W.y < 0;
      points[(x ? 0u : 2u) + (back ? 1u : 0u)] += m.count;
      for (int k = 0; k < m.count; ++k) EXPECT_NEAR(m.points[index(k)].gap, -0.01, 1e-9) << told(found);
    }
    for (const int count : points) EXPECT_EQ(count, 4) << told(found);
    EXPECT_LE(norm(sum), 1e-9);
    find_manifolds(collider_of(ring), {}, peg, {Mat3<double>::identity(), {1.53, 1.5, 3.5}}, 0, scratch, found);
    EXPECT_TRUE(found.empty()) << told(found);
  }
}

// A block on a floor of small triangles, sunk in with the tip of a bottom that slopes by a few hundredths: the triangles at the
// rim lean by so little that they make patches, each as deep as a small triangle rises. The tip is deeper, and counts.
TEST(MeshDepth, PatchesAtTheRimDoNotHideADeeperTip) {
  QueryScratch scratch;
  std::vector<Manifold> found;
  const auto floor = solids::unknowing(mesh_solid(solids::fine_box({2, 2, 0.5}, 20)));
  for (const double slope : {0.02, 0.05, 0.08})
    for (const double part : {0.25, 0.5, 0.9}) {
      Mesh block = solids::fine_box({1, 1, 0.5}, 10);
      for (V& v : block.vertices)
        if (v.z < -0.49) v.z -= slope * (1 - std::max(std::abs(v.x), std::abs(v.y)));
      const Collider b = collider_of(solids::unknowing(mesh_solid(closed_mesh(block))));
      const double sunk = part * slope;
      const X X_WB{rotation_about(V{0, 0, 1}, 0.3), {0.013, 0.027, 1 + slope - sunk}};
      find_manifolds(collider_of(floor), {}, b, X_WB, 0, scratch, found);
      EXPECT_NEAR(depth_of(found), sunk, 1e-9) << slope << " " << part << told(found);
      EXPECT_EQ(found.size(), 1u);
    }
}

// A ball sinks into a valley of fine triangles: depth and height go together, without a leap where triangles begin to
// be smaller than the overlap.
TEST(MeshDepth, GrowsAsTheSolidsSink) {
  const auto ball = mesh_solid(blown_up_cube(0.5, 12));
  const auto floor = solids::unknowing(mesh_solid(solids::fine_box({2, 2, 1}, 24)));
  const double q = inner_radius(*ball);
  QueryScratch scratch;
  std::vector<Manifold> found;
  double last = 0;
  for (int k = 1; k <= 90; ++k) {
    const double deep = 0.005 * k;
    find_manifolds(collider_of(floor), {}, collider_of(ball),
                   {rotation_about(V{1, 0, 0}, 0.3), {0.13, 0.21, 1.5 - deep}}, 0, scratch, found);
    EXPECT_LE(depth_of(found), deep + 1e-9) << k;
    EXPECT_GE(depth_of(found), deep - (0.5 - q) - 1e-9) << k;
    EXPECT_NEAR(depth_of(found) - last, k == 1 ? depth_of(found) - last : 0.005, 2e-4) << k << told(found);
    last = depth_of(found);
  }
}

}  // namespace
}  // namespace marey::mesh_depth_test
