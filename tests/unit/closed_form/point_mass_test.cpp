// Throw, circle, path and bouncing ball: derivatives by differences, the printed equations, event by event simulation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "marey/closed_form.h"
#include "marey/core.h"

namespace marey {
namespace closed_point_mass_test {

using V = Vec3<double>;
constexpr double pi = std::numbers::pi, g = 9.81;

template <class Motion>
void expect_derivatives(const Motion& motion, double t) {
  const double h = 1e-4;
  const PathPoint before = motion(t - h), now = motion(t), after = motion(t + h);
  EXPECT_LT(norm((0.5 / h) * (after.r - before.r) - now.v), 1e-6);
  EXPECT_LT(norm((0.5 / h) * (after.v - before.v) - now.a), 1e-6);
}

TEST(Throw, has_the_derivatives_it_says) {
  const auto motion = [](double t) { return throw_motion({1, 2, 3}, {4, -5, 6}, {0.1, 0, -g}, t); };
  expect_derivatives(motion, 0.7);
  EXPECT_EQ(motion(0).r.y, 2);
  EXPECT_EQ(motion(0).v.z, 6);
}

TEST(Throw, follows_the_parabola_of_2_8) {
  const double speed = 12, alpha = 0.9;
  const V v0{speed * std::cos(alpha), 0, speed * std::sin(alpha)};
  for (double t = 0; t < 3; t += 0.1) {
    const V r = throw_motion({}, v0, {0, 0, -g}, t).r;
    EXPECT_NEAR(throw_height(r.x, speed, alpha, g), r.z, 1e-13);
    EXPECT_LE(r.z, throw_apex(speed, alpha, g) + 1e-13);
  }
  const double T = throw_duration(speed, alpha, g);
  EXPECT_NEAR(throw_motion({}, v0, {0, 0, -g}, T).r.z, 0, 1e-14);
  EXPECT_NEAR(throw_motion({}, v0, {0, 0, -g}, T).r.x, throw_range(speed, alpha, g), 1e-13);
  EXPECT_NEAR(throw_motion({}, v0, {0, 0, -g}, T / 2).r.z, throw_apex(speed, alpha, g), 1e-14);
}

TEST(Throw, inverse_hits_the_target) {
  const double speed = 15;
  for (const auto& [x, z] : {std::pair{5.0, 2.0}, {18.0, 1.0}, {3.0, -40.0}, {1e-3, 5.0}, {20.0, 0.0}}) {
    const auto angles = throw_angles(x, z, speed, g);
    ASSERT_TRUE(angles) << x << ' ' << z;
    EXPECT_NEAR(throw_height(x, speed, angles->flat, g), z, 1e-9 * (1 + std::abs(z)));
    EXPECT_NEAR(throw_height(x, speed, angles->steep, g), z, 1e-9 * (1 + std::abs(z)));
    EXPECT_LT(angles->flat, angles->steep);
  }
  EXPECT_FALSE(throw_angles(23, 0, speed, g));  // the farthest is v²/g = 22.9
  EXPECT_TRUE(throw_angles(22.9, 0, speed, g));
  EXPECT_NEAR(throw_angles(22.93577, 0, speed, g)->flat, pi / 4, 1e-2);
  const V r0{1, 2, 3}, r1{-4, 0, 7}, gravity{0, 0, -g};
  EXPECT_LT(norm(throw_motion(r0, throw_velocity(r0, r1, gravity, 2.5), gravity, 2.5).r - r1), 1e-14);
}

TEST(Circle, has_the_derivatives_it_says_and_turns_at_omega) {
  const auto motion = [](double t) { return circular_motion(1.5, -2, t, 0.3); };
  expect_derivatives(motion, 0.9);
  const PathPoint m = motion(4);
  EXPECT_NEAR(angular_velocity_about_origin(m.r, m.v).z, -2, 1e-15);
  EXPECT_NEAR(dot(m.r, m.v), 0, 1e-15);
  EXPECT_NEAR(motion(0).r.x, 1.5 * std::cos(0.3), 1e-15);
  EXPECT_LT(norm(m.a + 4.0 * m.r), 1e-15);  // centripetal
}

TEST(Path, of_a_circle_has_its_radius) {
  const PathPoint m = circular_motion(1.5, -2, 4);
  const PathFrame f = path_frame(m.v, m.a);
  EXPECT_NEAR(f.radius, 1.5, 1e-15);
  EXPECT_NEAR(f.tangential, 0, 1e-15);
  EXPECT_NEAR(f.normal_acceleration, 1.5 * 4, 1e-14);
  EXPECT_LT(norm(f.normal + (1 / 1.5) * m.r), 1e-15);
}

// A helix of growing speed: v̇ and the curvature r/(r² + p²) known from geometry, whatever the speed.
TEST(Path, of_a_helix_has_its_curvature_at_any_speed) {
  const double r = 0.7, p = 0.3, s = 1.3, ds = 0.4, dds = -2.2;  // parameter and its derivatives
  const V v = ds * V{-r * std::sin(s), r * std::cos(s), p};
  const V a = dds * V{-r * std::sin(s), r * std::cos(s), p} + ds * ds * V{-r * std::cos(s), -r * std::sin(s), 0};
  const PathFrame f = path_frame(v, a);
  EXPECT_NEAR(f.radius, (r * r + p * p) / r, 1e-15);
  EXPECT_NEAR(f.tangential, dds * std::hypot(r, p), 1e-15);
  EXPECT_LT(norm(f.tangential * f.tangent + f.normal_acceleration * f.normal - a), 1e-15);
  EXPECT_NEAR(dot(f.tangent, f.normal), 0, 1e-15);
  EXPECT_NEAR(f.normal_acceleration, norm_squared(v) / f.radius, 1e-15);
}

TEST(Path, straight_or_at_rest_has_no_curvature) {
  const PathFrame straight = path_frame({1, 2, 2}, {-2, -4, -4});
  EXPECT_TRUE(std::isinf(straight.radius));
  EXPECT_EQ(straight.tangential, -6);
  EXPECT_EQ(norm(straight.normal), 0);
  const PathFrame released = path_frame({}, {0, 0, -g});
  EXPECT_EQ(released.tangent.z, -1);
  EXPECT_EQ(released.tangential, g);
  EXPECT_EQ(norm(path_frame({}, {}).tangent), 0);
}

// Against flights one after the other.
TEST(BouncingBall, bounces_when_a_simulation_does) {
  for (const double e : {1.0, 0.99, 0.8, 0.3}) {
    for (const double v0 : {2.0, 0.0, -3.0}) {
      const double h = 1.3;
      const BouncingBall ball(h, v0, g, e);
      long double t = (v0 + std::sqrt(v0 * v0 + 2.0L * g * h)) / g, u = std::sqrt(v0 * v0 + 2.0L * g * h);
      double lost = 0;
      for (int n = 0; n < 30; ++n) {
        EXPECT_NEAR(ball.bounce(n), double(t), 1e-14 * double(1 + t)) << n;
        EXPECT_NEAR(ball.impact_speed(n), double(u), 1e-14 * double(u));
        EXPECT_NEAR(ball.energy_lost(n), lost, 1e-13);
        if (n < 12) {
          const double T = double(t), flight = double(2 * u * e / g);
          EXPECT_EQ(ball.bounces_until(T + 0.01 * flight), n + 1);
          EXPECT_EQ(ball.bounces_until(T - 1e-9), n);
          EXPECT_EQ(ball.bounces_until(ball.bounce(n)), n + 1);
          EXPECT_EQ(ball.bounces_until(std::nextafter(ball.bounce(n), 0)), n);
          EXPECT_NEAR(ball.velocity(T + 0.01 * flight), double(u * e) * 0.98, 1e-12);
          EXPECT_NEAR(ball.height(T + 0.5 * flight), double(u * u * e * e / (2 * g)), 1e-12);
        }
        lost += double(u * u * (1 - (long double)e * e) / 2);
        u *= e, t += 2 * u / g;
      }
    }
  }
}

TEST(BouncingBall, flies_before_its_first_bounce) {
  const BouncingBall ball(1.3, 2, g, 0.5);
  for (const double t : {0.0, 0.1, 0.5}) {
    EXPECT_EQ(ball.bounces_until(t), 0);
    EXPECT_NEAR(ball.height(t), 1.3 + 2 * t - g / 2 * t * t, 1e-15);
    EXPECT_NEAR(ball.velocity(t), 2 - g * t, 1e-15);
  }
}

TEST(BouncingBall, comes_to_rest_at_the_accumulation_of_its_bounces) {
  const BouncingBall ball(1, 0, g, 0.5);
  const double t0 = std::sqrt(2 / g);
  EXPECT_NEAR(ball.rest(), 3 * t0, 1e-15);  // t₀ + 2 t₀ (½ + ¼ + …)
  EXPECT_NEAR(ball.bounce(60), ball.rest(), 1e-15);
  EXPECT_LT(ball.bounce(40), ball.rest());
  EXPECT_EQ(ball.height(ball.rest()), 0);
  EXPECT_EQ(ball.velocity(10), 0);
  EXPECT_EQ(ball.bounces_until(10), std::numeric_limits<int>::max());
  EXPECT_NEAR(ball.energy_lost(60), g, 1e-14);  // all of it
  EXPECT_TRUE(std::isinf(BouncingBall(1, 0, g, 1).rest()));
  const BouncingBall dead(1, 0, g, 0);
  EXPECT_EQ(dead.rest(), dead.bounce(0));
  EXPECT_EQ(dead.height(5), 0);
  const BouncingBall lying(0, 0, g, 1);
  EXPECT_EQ(lying.rest(), 0);
  EXPECT_EQ(lying.height(3), 0);
}

TEST(BouncingBall, refuses_what_cannot_bounce) {
  EXPECT_THROW(BouncingBall(-1, 0, g, 0.5), Error);
  EXPECT_THROW(BouncingBall(1, 0, 0, 0.5), Error);
  EXPECT_THROW(BouncingBall(1, 0, g, 1.1), Error);
  EXPECT_THROW(BouncingBall(1, NAN, g, 0.5), Error);
}

}  // namespace closed_point_mass_test
}  // namespace marey
