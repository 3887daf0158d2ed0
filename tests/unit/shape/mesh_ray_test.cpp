// Trees of boxes and rays against meshes, each against looking at everything; no memory is asked for on the way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/shape/box_tree.h"
#include "marey/shape/mesh.h"
#include "unit/shape/solids.h"

namespace marey::mesh_ray_test {
namespace {

using solids::Chance;
using solids::V;

Bounds around(const V& p, const V& q) {
  Bounds b;
  b.add(p), b.add(q);
  return b;
}
std::vector<Bounds> random_boxes(Chance& chance, int n, double size) {
  std::vector<Bounds> boxes;
  for (int i = 0; i < n; ++i) {
    const V p = chance.vec();
    boxes.push_back(around(p, p + chance.vec(size)));
  }
  return boxes;
}

// Every item is in one leaf, every box holds those below, and no walk is deeper than its stack.
void expect_sound(const BoxTree& tree, const std::vector<Bounds>& items) {
  std::vector<int> seen(items.size(), 0);
  const auto nodes = tree.nodes();
  std::vector<int> level(nodes.size(), 0);
  int deepest = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    deepest = std::max(deepest, level[i]);
    if (nodes[i].count == 0) {
      for (const std::size_t child : {i + 1, static_cast<std::size_t>(nodes[i].at)}) {
        ASSERT_LT(child, nodes.size());
        level[child] = level[i] + 1;
        EXPECT_TRUE(contains(nodes[i].box, nodes[child].box));
      }
    }
    for (int k = 0; k < nodes[i].count; ++k) {
      const std::size_t item = static_cast<std::size_t>(tree.order()[static_cast<std::size_t>(nodes[i].at + k)]);
      ++seen[item];
      EXPECT_TRUE(contains(nodes[i].box, items[item]));
    }
  }
  for (const int count : seen) EXPECT_EQ(count, 1);
  EXPECT_LT(deepest, BoxTree::most_levels);
}

TEST(MeshBoxTree, FindsWhatOverlaps) {
  Chance chance(11);
  for (const int n : {1, 2, 4, 5, 17, 300, 3000}) {
    std::vector<Bounds> items = random_boxes(chance, n, 0.1);
    BoxTree tree(items);
    expect_sound(tree, items);
    for (int pass = 0; pass < 2; ++pass) {
      for (int query = 0; query < 50; ++query) {
        const V p = chance.vec();
        const Bounds box = around(p, p + chance.vec(0.2));
        std::vector<int> found;
        tree.overlapping(box, [&](int i) {
          if (overlap(items[static_cast<std::size_t>(i)], box)) found.push_back(i);
        });
        std::sort(found.begin(), found.end());
        std::vector<int> expected;
        for (int i = 0; i < n; ++i)
          if (overlap(items[static_cast<std::size_t>(i)], box)) expected.push_back(i);
        ASSERT_EQ(found, expected);
      }
      items = random_boxes(chance, n, 0.1);  // all of them elsewhere: the tree is refitted, worse but right
      tree.refit(items);
      expect_sound(tree, items);
    }
  }
}

// Items that no plane divides well: all in one place, each half as far away as the one before, one on top of another.
TEST(MeshBoxTree, IsNeverDeeperThanItsStack) {
  std::vector<Bounds> same(5000, around({0, 0, 0}, {1, 1, 1})), halves, nested;
  for (int i = 0; i < 1000; ++i) {
    const double x = std::ldexp(1.0, -i);
    halves.push_back(around({x, 0, 0}, {x, 0, 0}));
    nested.push_back(around({-x, -x, -x}, {x, x, x}));
  }
  expect_sound(BoxTree(same), same);
  expect_sound(BoxTree(halves), halves);
  expect_sound(BoxTree(nested), nested);
  const BoxTree nothing(std::vector<Bounds>{});
  EXPECT_TRUE(nothing.empty());
  nothing.overlapping(around({0, 0, 0}, {1, 1, 1}), [](int) { FAIL(); });
}

// The nearest of many points, without looking at more than a few of them; and at none where nothing can matter.
TEST(MeshBoxTree, FindsTheNearestAndLooksAtFew) {
  Chance chance(15);
  std::vector<V> points;
  std::vector<Bounds> items;
  for (int i = 0; i < 20000; ++i) points.push_back(chance.vec()), items.push_back(around(points.back(), points.back()));
  const BoxTree tree(items);
  const auto distance_to_box = [](const V& p, const Bounds& b) {
    V d;
    for (int i = 0; i < 3; ++i) d[i] = std::max({b.low[i] - p[i], 0.0, p[i] - b.high[i]});
    return norm(d);
  };
  long looked_at = 0;
  for (int query = 0; query < 100; ++query) {
    const V p = chance.vec(1.2);
    double best = Bounds::infinity, expected = Bounds::infinity;
    tree.walk_nearest(
        best, [&](const Bounds& b) { return distance_to_box(p, b); },
        [&](int i) {
          ++looked_at;
          return best = std::min(best, norm(points[static_cast<std::size_t>(i)] - p));
        });
    for (const V& q : points) expected = std::min(expected, norm(q - p));
    ASSERT_EQ(best, expected);
  }
  // A leaf holds at most four; around a place there are about 27 cells of the size of a leaf, and fewer that are nearer than
  // the best. A walk that prunes nothing looks at 20,000.
  EXPECT_LT(looked_at, 100 * 4 * 27);
  tree.walk_nearest(
      Bounds::infinity, [](const Bounds&) { return Bounds::infinity; },
      [](int) {
        ADD_FAILURE() << "was looked at";
        return 0.0;
      });
}

// Möller & Trumbore in long double: an independent way to t.
bool met_by(const Mesh& mesh, const Ray& ray, std::size_t triangle, long double& t, long double& margin) {
  using L = Vec3<long double>;
  const auto to_long = [](const V& a) { return L{a.x, a.y, a.z}; };
  const auto& c = mesh.triangles[triangle];
  const L a = to_long(mesh.vertices[static_cast<std::size_t>(c[0])]),
          b = to_long(mesh.vertices[static_cast<std::size_t>(c[1])]),
          d = to_long(mesh.vertices[static_cast<std::size_t>(c[2])]), o = to_long(ray.origin),
          w = to_long(ray.direction);
  const L p = cross(w, d - a);
  const long double det = dot(b - a, p), u = dot(o - a, p) / det;
  const L q = cross(o - a, b - a);
  const long double v = dot(w, q) / det;
  t = dot(d - a, q) / det;
  margin = std::min({u, v, 1 - u - v, t, static_cast<long double>(ray.reach) - t});
  return margin >= 0;
}

TEST(MeshRay, AgreesWithLookingAtEveryTriangle) {
  Chance chance(12);
  int hits = 0, misses = 0;
  for (int n = 0; n < 20; ++n) {
    const Mesh mesh = solids::random_solid(chance).surface();
    const BoxTree tree = box_tree(mesh);
    for (int k = 0; k < 300; ++k) {
      const V from = V{2, 2, 2} + chance.vec(4), to = V{1.5, 1.5, 1.5} + chance.vec(2);
      const Ray ray{from, to - from, k % 3 == 0 ? chance(0, 2) : Bounds::infinity};
      long double first = std::numeric_limits<long double>::infinity(), narrow = first;
      for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        long double t = 0, margin = 0;
        if (met_by(mesh, ray, i, t, margin)) first = std::min(first, t);
        narrow = std::min(narrow, std::abs(margin));
      }
      if (narrow < 1e-12L) continue;  // along an edge: either answer is right
      RayHit hit;
      const bool met = cast_ray(mesh, tree, ray, hit);
      ASSERT_EQ(met, std::isfinite(first)) << n << " " << k;
      (met ? hits : misses) += 1;
      if (!met) continue;
      // t is as exact as the distance is large compared to the triangle's height seen along the ray.
      EXPECT_NEAR(hit.t, static_cast<double>(first), 1e-9 * (1 + static_cast<double>(first)));
      EXPECT_NEAR(norm(hit.normal), 1, 1e-14);
    }
  }
  EXPECT_GT(hits, 2000);
  EXPECT_GT(misses, 1000);
}

// A ray at a vertex, along an edge, or between faces in one plane never slips through a closed surface; from inside it
// always comes out.
TEST(MeshRay, NothingSlipsThrough) {
  Chance chance(13);
  for (int n = 0; n < 40; ++n) {
    const double shake = n % 2 == 0 ? 0 : 0.1;
    solids::Cells cells(3);
    for (int i = 0; i < 27; ++i) cells.flip(i / 9, i / 3 % 3, i % 3);
    solids::TetrahedralSolid solid = solids::tetrahedra_of(cells, chance, shake);
    ASSERT_EQ(solid.tetrahedra.size(), 27U * 6);
    if (n % 4 > 1) {
      const Transform<double> X{chance.turn(), 100.0 * chance.vec()};
      for (V& v : solid.vertices) v = X * v;
    }
    const Mesh mesh = closed_mesh(solid.surface());
    const BoxTree tree = box_tree(mesh);
    const V inside = solid_mass(mesh, 1).center;
    for (int k = 0; k < 300; ++k) {
      const auto& corners =
          mesh.triangles[static_cast<std::size_t>(chance.below(static_cast<int>(mesh.triangles.size())))];
      const V a = mesh.vertices[static_cast<std::size_t>(corners[0])],
              b = mesh.vertices[static_cast<std::size_t>(corners[1])];
      const double share = std::array{0.0, 0.5, chance(0, 1)}[static_cast<std::size_t>(k % 3)];
      const V target = a + share * (b - a);
      RayHit out, in;
      ASSERT_TRUE(cast_ray(mesh, tree, {inside, target - inside}, out)) << n << " " << k;
      EXPECT_NEAR(out.t, 1, 1e-9);
      EXPECT_GT(dot(out.normal, target - inside), 0);
      const V far = inside + 5.0 * (target - inside);
      ASSERT_TRUE(cast_ray(mesh, tree, {far, inside - far}, in)) << n << " " << k;
      EXPECT_LT(dot(in.normal, inside - far), 0);
    }
  }
}

TEST(MeshRay, KnowsItsEnds) {
  const Mesh mesh = closed_mesh(solids::box());
  const BoxTree tree = box_tree(mesh);
  RayHit hit;
  ASSERT_TRUE(cast_ray(mesh, tree, {{0.5, 0.25, 3}, {0, 0, -2}}, hit));
  EXPECT_DOUBLE_EQ(hit.t, 1);
  EXPECT_EQ(hit.normal.z, 1);
  EXPECT_FALSE(cast_ray(mesh, tree, {{0.5, 0.25, 3}, {0, 0, -2}, 0.999}, hit));
  EXPECT_TRUE(cast_ray(mesh, tree, {{0.5, 0.25, 3}, {0, 0, -2}, 1}, hit));
  EXPECT_FALSE(cast_ray(mesh, tree, {{0.5, 0.25, 3}, {0, 0, 2}}, hit));  // away from it
  EXPECT_TRUE(cast_ray(mesh, tree, {{0.5, 0.25, 1}, {0, 0, 1}}, hit));   // from the surface
  EXPECT_EQ(hit.t, 0);
  EXPECT_FALSE(cast_ray(mesh, tree, {{0.5, 0.25, 1}, {0, 0, 0}}, hit));   // no direction
  EXPECT_FALSE(cast_ray(mesh, tree, {{1.5, 0.25, 3}, {0, 0, -2}}, hit));  // past it
  EXPECT_TRUE(cast_ray(mesh, tree, {{-1, 0, 0}, {1, 0, 0}}, hit));        // along an edge
}

}  // namespace
}  // namespace marey::mesh_ray_test
