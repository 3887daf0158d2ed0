// Rays, casts and times of impact of meshes and compounds: where a cast ends the distance is the gap and before it larger;
// rays against every triangle; a spinning mesh against a floor in closed form; shots at a thin mesh plate.
#include <gtest/gtest.h>

#include <cmath>

#include "support/mesh_brute.h"
#include "support/sanitized.h"
#include "unit/shape/some_colliders.h"

namespace marey::collider_cast_test {
namespace {

using samples::V;
using samples::X;

TEST(ColliderCast, ARayMeetsTheFirstOfAllTriangles) {
  solids::Chance chance(81);
  int met = 0, inside = 0;
  for (int n = 0; n < 30 / every(5); ++n) {
    const auto solid = mesh_solid(closed_mesh(solids::random_solid(chance).surface()));
    const X pose{chance.turn(), chance.vec(2)};
    const Collider c = compound({{solid, pose}, {convex_sphere(0.3), {Mat3<double>::identity(), chance.vec(3)}}});
    const X X_WB{chance.turn(), chance.vec(1)};
    const auto triangles = brute::triangles_of(solid->mesh, X_WB * pose);
    const V center = X_WB * c.parts[1].X_SP.p;
    for (int k = 0; k < 100; ++k) {
      const V o = X_WB * (pose * chance.vec(4)), d = chance.vec(3);
      const std::optional<Hit> hit = ray_cast(c, X_WB, o, d, 2);
      double first = 1e300;
      for (const auto& t : triangles) {  // by its plane
        const V normal = cross(t[1] - t[0], t[2] - t[0]);
        const double at = dot(normal, t[0] - o) / dot(normal, d);
        if (at >= 0 && brute::point_triangle(o + at * d, t) < 1e-9) first = std::min(first, at);
      }
      const double b = dot(o - center, d), q = b * b - dot(d, d) * (dot(o - center, o - center) - 0.09);
      if (q > 0 && b < 0) first = std::min(first, std::max(0.0, (-b - std::sqrt(q)) / dot(d, d)));
      const bool in = brute::winding(triangles, o) > 0.5 || norm(o - center) < 0.3;
      if (in) first = 0;
      ASSERT_EQ(hit.has_value(), first <= 2) << n << " " << k;
      if (!hit) continue;
      ++met, inside += in;
      EXPECT_NEAR(hit->t, first, 1e-9);
      if (in) {
        EXPECT_EQ(norm(hit->normal_W), 0);
      } else {
        EXPECT_LT(dot(hit->normal_W, d), 1e-9);
      }
    }
  }
  EXPECT_GT(met, 200 / every(5));
  EXPECT_GT(inside, 50 / every(5));
}

TEST(ColliderCast, EndsWhereTheDistanceIsTheGap) {
  samples::Chance chance(82);
  solids::Chance mesh_chance(82);
  QueryScratch scratch;
  int met = 0;
  for (int i = 0; i < solids::collider_kind_count; ++i)
    for (int j = 0; j < solids::collider_kind_count; ++j) {
      if (i < convex_kind_count && j < convex_kind_count) continue;
      for (int k = 0; k < 4; ++k) {
        const Collider a = solids::some_collider(chance, mesh_chance, i),
                       b = solids::some_collider(chance, mesh_chance, j);
        const X X_WA{chance.turn(), 5.0 * chance.direction()}, X_WB{chance.turn(), 0.3 * chance.direction()};
        const V way = 1.5 * (X_WB.p - X_WA.p);
        const double gap = k % 2 == 0 ? 0 : 0.01;
        const std::optional<Hit> hit = shape_cast(a, X_WA, way, b, X_WB, scratch, gap);
        const auto distance = [&](double t) {
          return distance_between(a, {X_WA.R, X_WA.p + t * way}, b, X_WB, scratch).distance.distance;
        };
        const double end = hit ? hit->t : 1;
        for (int m = 0; m < 10; ++m) {
          if (end > 0) {
            EXPECT_GT(distance(end * m / 10), gap) << i << " " << j;
          }
        }
        if (!hit || hit->t == 0) continue;
        ++met;
        EXPECT_NEAR(distance(hit->t), gap, 1e-9) << i << " " << j;
        EXPECT_NEAR(norm(hit->normal_W), 1, 1e-9);
        EXPECT_LT(dot(hit->normal_W, way), 0);
        // The touching point is on b: a point of no size is there at once.
        const Distance on_b =
            distance_between(collider_of(convex_sphere(1e-6)), {X_WA.R, hit->point_W}, b, X_WB, scratch).distance;
        EXPECT_NEAR(on_b.distance, -1e-6, 1e-8) << i << " " << j;
      }
    }
  EXPECT_GT(met, 60);
}

TEST(ColliderCast, ATurningMeshMeetsTheFloorInClosedForm) {
  // A bar with the half length 1 and a square section turns at ω about its middle, 0.5 above a floor: its lower corner is
  // there when √(1 + h²) sin(ωt + atan h) = 0.5, with h half its thickness.
  const double h = 0.1, rate = 3;
  const Collider bar = collider_of(mesh_solid(closed_mesh(solids::box({-1, -h, -h}, {1, h, h}))));
  const Collider floor = collider_of(mesh_solid(closed_mesh(solids::box({-5, -5, -1}, {5, 5, 0}))));
  const auto pose = [&](double t) { return X{rotation_about(V{0, 1, 0}, rate * t), V{0.2, 0.1, 0.5}}; };
  const auto bound = [&](double, double, double r) { return rate * r; };
  const auto still = [](double) { return X{}; };
  const auto no_speed = [](double, double, double) { return 0.0; };
  QueryScratch scratch;
  const double expected = (std::asin(0.5 / std::sqrt(1 + h * h)) - std::atan(h)) / rate;
  for (const Collider& ground : {collider_of(convex_plane()), floor}) {
    const Impact impact = impact_time(bar, {pose, bound}, ground, {still, no_speed}, 0, 10, scratch).value();
    EXPECT_NEAR(impact.t, expected, 1e-9);
    EXPECT_FALSE(impact_time(bar, {pose, bound}, ground, {still, no_speed}, 0, expected - 1e-3, scratch));
  }
}

TEST(ColliderCast, SweptBoundsHoldWhatIsSwept) {
  samples::Chance chance(84);
  solids::Chance mesh_chance(84);
  for (int k = 0; k < 50; ++k) {
    const Collider c = solids::some_collider(chance, mesh_chance, 1 + k % 9);
    const V way = chance.number(0, 100) * chance.direction(), axis = chance.direction();
    const double spin = chance.number(0, 50), until = 0.01;
    const auto pose = [&](double t) { return X{rotation_about(axis, spin * t), t * way}; };
    const auto bound = [&](double, double, double r) { return norm(way) + spin * r; };
    const Bounds swept = swept_bounds(c, {pose, bound}, 0, until);
    for (int m = 0; m <= 100; ++m)
      EXPECT_TRUE(contains(widened(swept, 1e-12), bounds_in_world(c, pose(until * m / 100))));
    EXPECT_LT(swept.high.x - swept.low.x, 2 * c.reach + 2 * until * (norm(way) + spin * c.reach));
  }
}

TEST(ColliderCast, NoShotAtAThinMeshIsMissed) {
  const Collider plate = collider_of(mesh_solid(closed_mesh(solids::box({-1, -1, -0.0005}, {1, 1, 0.0005}))));
  solids::Chance chance(83);
  QueryScratch scratch;
  for (int n = 0; n < 200 / every(20); ++n) {
    const double speed = chance(10, 300), spin = chance(0, 100), size = chance(0.01, 0.1);
    const Collider shot =
        n % 2 ? collider_of(mesh_solid(closed_mesh(solids::box({-size, -size, -size}, {size, size, size}))))
              : compound({{convex_sphere(size), {Mat3<double>::identity(), {size, 0, 0}}},
                          {convex_box({size, size, size}), {}}});
    const V from{chance(-0.5, 0.5), chance(-0.5, 0.5), 1}, to{chance(-0.5, 0.5), chance(-0.5, 0.5), -1};
    const V way = speed / norm(to - from) * (to - from), axis = (1 / norm(to)) * to;
    const auto pose = [&](double t) { return X{rotation_about(axis, spin * t), from + t * way}; };
    const auto bound = [&](double, double, double r) { return speed + spin * r; };
    const auto still = [](double) { return X{}; };
    const auto no_speed = [](double, double, double) { return 0.0; };
    const double end = norm(to - from) / speed;
    const std::optional<Impact> impact = impact_time(shot, {pose, bound}, plate, {still, no_speed}, 0, end, scratch);
    ASSERT_TRUE(impact) << n;
    EXPECT_LE(impact->distance.distance, 1e-9);
    EXPECT_GT(impact->distance.distance, -1e-12);
    EXPECT_GT(impact->t, 0);
    EXPECT_LT(impact->t, end);
  }
}

}  // namespace
}  // namespace marey::collider_cast_test
