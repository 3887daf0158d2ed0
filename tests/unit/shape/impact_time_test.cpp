// Rays, casts along a line, and times of impact of solids that spin and fly in curves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "marey/shape/cast.h"
#include "support/convex_samples.h"
#include "support/sanitized.h"

namespace marey {
namespace {

using samples::Chance;
using samples::Placed;
using V = Vec3<double>;
using X = Transform<double>;

TEST(RayCast, MeetsSolidsWhereTheirEquationsSay) {
  const Convex ball = convex_sphere(0.5), cube = convex_box({1, 2, 3}), egg = convex_ellipsoid({1, 2, 3}),
               can = convex_cylinder(1, 2), cone = convex_cone(1, 2), floor = convex_plane();
  const X at{Mat3<double>::identity(), {0, 0, 0}};
  const auto t = [&](const Convex& c, const V& from, const V& way) {
    return ray_cast(c, at, from, way, 100).value().t;
  };
  EXPECT_NEAR(t(ball, {-3, 0, 0}, {1, 0, 0}), 2.5, 1e-12);
  EXPECT_NEAR(t(ball, {-3, 0, 0.3}, {2, 0, 0}), 1.3, 1e-12);  // √(0.25 − 0.09) = 0.4
  EXPECT_NEAR(t(cube, {-3, 0.9, 1.4}, {1, 0, 0}), 2.5, 1e-12);
  EXPECT_NEAR(t(egg, {0, 0, 9}, {0, 0, -1}), 6, 1e-12);
  EXPECT_NEAR(t(egg, {-3, 1, 0}, {1, 0, 0}), 3 - std::sqrt(0.75), 1e-11);
  EXPECT_NEAR(t(can, {-3, 0.6, 0}, {1, 0, 0}), 2.2, 1e-11);
  EXPECT_NEAR(t(cone, {-3, 0, 0}, {1, 0, 0}), 2.5, 1e-11);  // half way up it is half as wide
  EXPECT_NEAR(t(floor, {0, 0, 2}, {1, 0, -1}), 2, 1e-12);
  EXPECT_FALSE(ray_cast(ball, at, {-3, 0, 0.6}, {1, 0, 0}, 100));
  EXPECT_FALSE(ray_cast(ball, at, {-3, 0, 0}, {-1, 0, 0}, 100));
  EXPECT_FALSE(ray_cast(ball, at, {-3, 0, 0}, {1, 0, 0}, 2.4));
  EXPECT_EQ(ray_cast(cube, at, {0, 0, 0}, {1, 0, 0}, 1).value().t, 0);  // from inside
  const Hit hit = ray_cast(cube, at, {-3, 0.9, 1.4}, {1, 0, 0}, 100).value();
  EXPECT_NEAR(hit.normal_W.x, -1, 1e-12);
  EXPECT_NEAR(norm(hit.point_W - V{-0.5, 0.9, 1.4}), 0, 1e-11);
}

TEST(ShapeCast, StopsWhereTheDistanceIsTheGapAndNotEarlier) {
  Chance chance(21);
  int hits = 0;
  for (int i = 0; i < convex_kind_count; ++i)
    for (int j = 1; j < convex_kind_count; ++j)
      for (int k = 0; k < 20 / every(10); ++k) {
        const Placed p = samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j));
        const V way = chance.number(0, 4) * p.size * chance.direction();
        const double gap = chance.below(2) ? 0 : 0.01 * p.size;
        const auto at = [&](double t) {
          return distance_between(p.a, p.X_WA, p.b, {p.X_WB.R, p.X_WB.p + t * way}).distance;
        };
        if (at(0) <= gap) continue;
        const std::optional<Hit> hit = shape_cast(p.b, p.X_WB, way, p.a, p.X_WA, gap);
        const double last = hit ? hit->t : 1;
        hits += hit ? 1 : 0;
        if (hit) {
          EXPECT_NEAR(at(hit->t) / p.size, gap / p.size, 1e-11) << name_of(p.a.kind) << name_of(p.b.kind);
        }
        for (int m = 0; m < 20; ++m) EXPECT_GT(at(last * m / 20), gap - 1e-12 * p.size);
      }
  EXPECT_GT(hits, 100 / every(10));
}

// A solid that spins at a constant rate about its own origin and flies in a parabola.
struct Shot {
  V start, speed, fall, spin;
  Mat3<double> R0;
  X pose(double t) const {
    const double rate = norm(spin);
    const Mat3<double> R = rate > 0 ? rotation_about((1 / rate) * spin, rate * t) * R0 : R0;
    return {R, start + t * speed + (0.5 * t * t) * fall};
  }
  double bound(double t0, double t1, double radius) const {
    // |v₀ + g t| is convex in t, so largest at an end.
    return std::max(norm(speed + t0 * fall), norm(speed + t1 * fall)) + norm(spin) * radius;
  }
};

struct Thrown {
  Convex solid, plate;
  Shot shot;
  X X_WP;
  double until;
};
Thrown random_shot(Chance& chance) {
  static constexpr ConvexKind kinds[] = {ConvexKind::sphere,   ConvexKind::capsule, ConvexKind::box,
                                         ConvexKind::cylinder, ConvexKind::cone,    ConvexKind::ellipsoid,
                                         ConvexKind::hull};
  Thrown s;
  do {  // a hull of a few points may not hold its own origin, and then be carried past
    s.solid = samples::random_convex(chance, kinds[chance.below(7)]);
  } while (samples::outside_core(s.solid, {}) > 0);
  s.plate = convex_box({20, 20, std::pow(10, chance.number(-3, -1))});  // 1 mm to 10 cm
  s.X_WP = {chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
  const double speed = std::pow(10, chance.number(0, std::log10(300.0)));
  const V n = s.X_WP.R * V{0, 0, 1}, aim = s.X_WP * V{chance.number(-3, 3), chance.number(-3, 3), 0};
  V way = chance.direction();
  if (dot(way, n) > 0) way = -way;
  way = way - 0.5 * n;
  way = (1 / norm(way)) * way;
  // At time T it would be at `aim`, in the middle of the plate: it hits, at some time before.
  const V g{0, 0, -9.81};
  const double T = chance.number(5, 15) / speed;
  s.shot = {aim - T * speed * way - (0.5 * T * T) * g, speed * way, g, chance.number(0, 100) * chance.direction(),
            chance.turn()};
  s.until = T;
  return s;
}
std::optional<Impact> impact_of(const Thrown& s) {
  const auto pose = [&](double t) { return s.shot.pose(t); };
  const auto bound = [&](double t0, double t1, double r) { return s.shot.bound(t0, t1, r); };
  const auto still = [&](double) { return s.X_WP; };
  const auto no_speed = [](double, double, double) { return 0.0; };
  return impact_time(s.solid, {pose, bound}, s.plate, {still, no_speed}, 0, s.until);
}

TEST(ImpactTime, ShotsAtPlatesNeverMiss) {
  // The shots fly through the plate, so that each must be found: at a time at which the gap is at most 1e-9 m and before
  // which a march of 500 points finds no contact, on every twentieth.
  Chance chance(22);
  const int shots = 10000 / every(50);
  int missed = 0, steps = 0;
  for (int k = 0; k < shots; ++k) {
    const Thrown s = random_shot(chance);
    const std::optional<Impact> impact = impact_of(s);
    missed += impact ? 0 : 1;
    if (!impact) continue;
    steps += impact->steps;
    EXPECT_LE(impact->distance.distance, 1e-9) << name_of(s.solid.kind);
    if (impact->t == 0) continue;
    EXPECT_GT(impact->distance.distance, -1e-12) << name_of(s.solid.kind);
    if (k % 20 != 0) continue;
    for (int m = 0; m < 500; ++m)
      ASSERT_GT(distance_between(s.solid, s.shot.pose(impact->t * m / 500), s.plate, s.X_WP).distance, 0);
  }
  EXPECT_EQ(missed, 0);
  RecordProperty("steps_per_shot", std::to_string(steps / shots));
}

TEST(ImpactTime, IsRightToANanosecondWhereTheyApproachByAMetrePerSecond) {
  // A gap of at most 1e-9 m that closes at v is gone 1e-9/v later; v is measured over the 1e-8 s before.
  Chance chance(23);
  int fast = 0;
  for (int k = 0; k < 500 / every(25); ++k) {
    const Thrown s = random_shot(chance);
    const std::optional<Impact> impact = impact_of(s);
    if (!impact || impact->t == 0) continue;
    const auto gap = [&](double t) { return distance_between(s.solid, s.shot.pose(t), s.plate, s.X_WP).distance; };
    const double before = gap(impact->t - 1e-8), closing = (before - impact->distance.distance) / 1e-8;
    if (closing < 1) continue;
    ++fast;
    EXPECT_LE(gap(impact->t + 1e-9 / closing * 1.01 + 1e-15), 1e-12)
        << name_of(s.solid.kind) << " closing at " << closing;
  }
  EXPECT_GT(fast, 300 / every(25));
}

TEST(ImpactTime, OfABarThatTurnsIsInClosedForm) {
  // A bar of half length 1 turns at ω about its middle, 0.5 above a floor: its end (a ball of radius 0.1) touches when
  // sin ωt = 0.4.
  const Convex bar = convex_capsule(0.1, 2), floor = convex_plane();
  const double rate = 3;
  const auto pose = [&](double t) {
    return X{rotation_about(V{1, 0, 0}, 1.5707963267948966 + rate * t), V{0, 0, 0.5}};
  };
  const auto bound = [&](double, double, double r) { return rate * r; };
  const auto still = [](double) { return X{}; };
  const auto no_speed = [](double, double, double) { return 0.0; };
  const Impact impact = impact_time(bar, {pose, bound}, floor, {still, no_speed}, 0, 10).value();
  EXPECT_NEAR(impact.t, std::asin(0.4) / rate, 1e-9);
  EXPECT_FALSE(impact_time(bar, {pose, bound}, floor, {still, no_speed}, 0, 0.1));
  // Two frames that turn alike never meet, though every point of them is fast: the search must end.
  const auto beside = [&](double t) { return pose(t) * X{Mat3<double>::identity(), {3, 0, 0}}; };
  EXPECT_FALSE(impact_time(bar, {pose, bound}, bar, {beside, bound}, 0, 1));
}

}  // namespace
}  // namespace marey
