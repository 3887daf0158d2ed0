// Kinds of convex solids: support points are on the solid and farthest, boxes in the world are the smallest, and what is no
// convex polyhedron is refused by its reason.
#include "marey/shape/convex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "marey/core.h"
#include "support/convex_samples.h"

namespace marey {
namespace {

using samples::Chance;
using V = Vec3<double>;

TEST(ConvexTest, SupportPointsAreOnTheSolidAndFarthest) {
  Chance chance(41);
  for (int i = 1; i < convex_kind_count; ++i)
    for (int k = 0; k < 50; ++k) {
      const Convex c = samples::random_convex(chance, samples::kind_number(i));
      const V d = chance.number(0.1, 10) * chance.direction();
      const double h = samples::plain_extent(c, d), size = reach(c) * norm(d);
      const V x = support(c, d), core = x - (c.margin / norm(d)) * d;
      EXPECT_NEAR(support_value(c, d), h, 1e-14 * size) << name_of(c.kind);
      EXPECT_NEAR(dot(d, x), h, 1e-14 * size) << name_of(c.kind);
      EXPECT_LE(samples::outside_core(c, core), 1e-14 * reach(c)) << name_of(c.kind);
      EXPECT_LE(norm(x), reach(c) * (1 + 1e-14)) << name_of(c.kind);
    }
}

// Of a hull of some tens of vertices only those are looked at that can be farthest in an octant of directions: never one too
// few, for directions on its borders as well, and of flat, long and rounded ones.
TEST(ConvexTest, OctantsHoldEveryVertexThatCanBeFarthest) {
  Chance chance(47);
  for (int k = 0; k < 40; ++k) {
    const V radii{chance.number(0.01, 1), chance.number(0.01, 1), chance.number(0.01, 1)};
    const auto hull =
        k % 4 == 0 ? samples::prism(9 + k, radii.x, radii.z) : samples::random_hull(chance, 17 + 3 * (k % 20), radii);
    ASSERT_FALSE(hull->packed.empty());
    std::size_t most = 0;
    for (const ConvexHull::Octant& octant : hull->octants) most = std::max<std::size_t>(most, 8 * octant.count);
    if (hull->vertices.size() >= 64 && k % 4 != 0) {
      EXPECT_LE(most, hull->vertices.size() / 2);
    }
    const Convex c = convex_hull(hull);
    for (int m = 0; m < 400; ++m) {
      V d = chance.direction();
      for (int i = 0; i < 3; ++i)
        if (chance.below(4) == 0) d[i] = chance.below(2) ? 0.0 : -0.0;
      if (m % 5 == 0)
        d = hull->faces[static_cast<std::size_t>(chance.below(static_cast<int>(hull->faces.size())))].normal;
      if (norm(d) == 0) continue;
      double farthest = -HUGE_VAL;
      for (const V& x : hull->vertices) farthest = std::max(farthest, dot(d, x));
      EXPECT_NEAR(dot(d, support(c, d)), farthest, 1e-15 * hull->reach * norm(d)) << k << ", " << m;
    }
  }
}

TEST(ConvexTest, BoundsInTheWorldAreTheSmallest) {
  Chance chance(42);
  for (int i = 1; i < convex_kind_count; ++i)
    for (int k = 0; k < 20; ++k) {
      const Convex c = samples::random_convex(chance, samples::kind_number(i));
      const Transform<double> X_WS{chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
      const Bounds b = bounds_in_world(c, X_WS);
      for (int axis = 0; axis < 3; ++axis) {
        V e;
        e[axis] = 1;
        const double high = X_WS.p[axis] + samples::plain_extent(c, transpose_times(X_WS.R, e));
        const double low = X_WS.p[axis] - samples::plain_extent(c, transpose_times(X_WS.R, -e));
        EXPECT_NEAR(b.high[axis], high, 1e-14 * (reach(c) + norm(X_WS.p)));
        EXPECT_NEAR(b.low[axis], low, 1e-14 * (reach(c) + norm(X_WS.p)));
      }
    }
  const Bounds half = bounds_in_world(convex_plane(), {Mat3<double>::identity(), {1, 2, 3}});
  EXPECT_EQ(half.high.z, 3);
  EXPECT_EQ(half.low.z, -HUGE_VAL);
  EXPECT_EQ(half.high.x, HUGE_VAL);
}

TEST(ConvexTest, HullsAreJoinedAsTheyShould) {
  const auto hull = samples::prism(5, 1, 2);
  EXPECT_EQ(hull->vertices.size(), 10u);
  EXPECT_EQ(hull->faces.size(), 7u);
  EXPECT_EQ(hull->edges.size(), 15u);
  for (size_t k = 0; k < hull->loops.size(); ++k) {
    const ConvexHull::Edge& e = hull->edges[static_cast<size_t>(hull->loop_edges[k])];
    EXPECT_TRUE(hull->loops[k] == e.from || hull->loops[k] == e.to);
  }
  for (const ConvexHull::Edge& e : hull->edges) {  // seen from outside, left is left of the edge
    const V along = hull->vertices[static_cast<size_t>(e.to)] - hull->vertices[static_cast<size_t>(e.from)];
    const V &l = hull->faces[static_cast<size_t>(e.left)].normal, &r = hull->faces[static_cast<size_t>(e.right)].normal;
    EXPECT_GT(dot(along, cross(l, r)), 0) << e.from << " " << e.to;
  }
  EXPECT_EQ(hull->neighbors.size(), 30u);
}

std::string complaint(std::vector<V> vertices, const std::vector<std::vector<int>>& loops) {
  try {
    make_convex_hull(std::move(vertices), loops);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ConvexTest, WhatIsNotConvexIsRefused) {
  const std::vector<V> four{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<std::vector<int>> faces{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const auto tells = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(complaint(four, faces), "");
  EXPECT_TRUE(tells(complaint({four[0], four[1], four[2]}, faces), "fewer than four"));
  EXPECT_TRUE(tells(complaint({four[0], four[1], four[2], {0, 0, std::nan("")}}, faces), "not finite"));
  EXPECT_TRUE(tells(complaint(four, {faces[0], faces[1], faces[2]}), "open at the edge"));
  EXPECT_TRUE(tells(complaint(four, {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}}), "outside face"));  // inside out
  EXPECT_TRUE(tells(complaint(four, {faces[0], faces[0], faces[2], faces[3]}), "twice the same way"));
  EXPECT_TRUE(tells(complaint(four, {{0, 2, 7}, faces[1], faces[2], faces[3]}), "not there"));
  EXPECT_TRUE(tells(complaint(four, {{0, 2}, faces[1], faces[2], faces[3]}), "fewer than three"));
  EXPECT_TRUE(tells(complaint({four[0], four[1], four[2], {0.2, 0.2, 0}}, faces), "no volume") ||
              tells(complaint({four[0], four[1], four[2], {0.2, 0.2, 0}}, faces), "outside"));
  EXPECT_TRUE(tells(complaint({four[0], four[1], four[0], four[3]}, faces), "no area"));
  EXPECT_THROW(convex_sphere(0), Error);
  EXPECT_THROW(convex_box({1, -1, 1}), Error);
  EXPECT_THROW(convex_box({1, 1, 1}, -0.1), Error);
  EXPECT_THROW(convex_cylinder(1, std::nan("")), Error);
}

}  // namespace
}  // namespace marey
