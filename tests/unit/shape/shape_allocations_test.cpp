// Queries about convex solids allocate nothing; the broad phase nothing once it has been as large as it gets.
#include <gtest/gtest.h>

#include <vector>

#include "marey/shape/box_tree.h"
#include "marey/shape/broad_phase.h"
#include "marey/shape/cast.h"
#include "marey/shape/manifold.h"
#include "marey/shape/mesh.h"
#include "support/allocations.h"
#include "support/convex_samples.h"
#include "support/sanitized.h"
#include "unit/shape/some_colliders.h"

namespace marey {
namespace {

using samples::Chance;
using samples::Placed;
using V = Vec3<double>;

TEST(ShapeAllocations, QueriesMakeNone) {
  Chance chance(51);
  std::vector<Placed> pairs;
  for (int i = 0; i < convex_kind_count; ++i)
    for (int j = 1; j < convex_kind_count; ++j)
      for (int k = 0; k < 20; ++k)
        pairs.push_back(samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j)));
  Manifold m;
  double sum = 0;
  const long before = allocations;
  for (const Placed& p : pairs) {
    PairCache cache;
    sum += distance_between(p.a, p.X_WA, p.b, p.X_WB, &cache).distance;
    find_manifold(p.a, p.X_WA, p.b, p.X_WB, 0.1, m, &cache);
    sum += bounds_in_world(p.b, p.X_WB).low.x;
    if (shape_cast(p.b, p.X_WB, {0, 0, -1}, p.a, p.X_WA)) sum += 1;
    if (ray_cast(p.b, p.X_WB, {9, 0, 0}, {-1, 0, 0}, 20)) sum += 1;
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_NE(sum, 0.5);
}

TEST(ShapeAllocations, TheBroadPhaseMakesNoneOnceItIsWarm) {
  Chance chance(52);
  BroadPhase broad;
  std::vector<Bounds> boxes;
  for (int k = 0; k < 500; ++k) {
    const V c{chance.number(-5, 5), chance.number(-5, 5), chance.number(-5, 5)};
    boxes.push_back(widened({c, c}, 0.5));
    broad.add(boxes.back());
  }
  const auto turn = [&](int step) {
    for (int k = 0; k < 500; ++k) {
      const double shift = 0.1 * ((k + step) % 3);
      broad.move(k, {boxes[static_cast<size_t>(k)].low + V{shift, 0, shift},
                     boxes[static_cast<size_t>(k)].high + V{shift, 0, shift}});
    }
    return broad.pairs().size();
  };
  for (int step = 0; step < 6; ++step) turn(step);
  const long before = allocations;
  for (int step = 0; step < 6; ++step) turn(step);
  EXPECT_EQ(allocations - before, 0);
}

TEST(ShapeAllocations, AsksForNoMemory) {
  solids::Chance chance(14);
  const Mesh mesh = solids::random_solid(chance).surface();
  std::vector<Bounds> boxes = bounds_of(mesh);
  BoxTree tree(boxes);
  const long before = allocations;
  int met = 0;
  for (int k = 0; k < 100; ++k) {
    RayHit hit;
    met += cast_ray(mesh, tree, {chance.vec(4), chance.vec()}, hit);
    tree.overlapping(boxes[0], [&](int) { ++met; });
    tree.refit(boxes);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(met, 100);
}

TEST(ShapeAllocations, CollidersMakeNoneOnceWarm) {
  Chance chance(75);
  solids::Chance mesh_chance(75);
  QueryScratch scratch;
  std::vector<Manifold> m;
  std::vector<Collider> colliders;
  for (int k = 1; k < 10; ++k) colliders.push_back(solids::some_collider(chance, mesh_chance, k));
  std::vector<ColliderCache> caches(colliders.size() * colliders.size());
  std::vector<Transform<double>> poses;
  for (int k = 0; k < 20 / every(4); ++k) poses.push_back({chance.turn(), chance.number(0, 2) * chance.direction()});
  double sum = 0;
  const auto falls = [](double t) { return Transform<double>{Mat3<double>::identity(), {0, 0, 4 - 10 * t}}; };
  const auto bound = [](double, double, double) { return 10.0; };
  const auto still = [](double) { return Transform<double>{}; };
  const auto no_speed = [](double, double, double) { return 0.0; };
  const auto all = [&] {
    size_t pair = 0;
    for (const Collider& a : colliders)
      for (const Collider& b : colliders) {
        ColliderCache& cache = caches[pair++];
        if (impact_time(a, {falls, bound}, b, {still, no_speed}, 0, 1, scratch)) sum += 1;
        for (const Transform<double>& pose : poses) {
          find_manifolds(a, {}, b, pose, 0.05, scratch, m, &cache);
          sum += distance_between(a, {}, b, pose, scratch, &cache).distance.distance;
          if (shape_cast(a, {}, {0, 0, 1}, b, pose, scratch)) sum += 1;
          if (ray_cast(b, pose, {5, 0, 0}, {-1, 0, 0}, 10)) sum += 1;
        }
      }
  };
  all();
  const long before = allocations;
  all();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_NE(sum, 0.5);
}

}  // namespace
}  // namespace marey
