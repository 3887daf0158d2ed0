// Points and surfaces on floors, located in time: what rolls, what holds together, and what finds no rest.
//
// A ball that is thrown along a floor slides for 2 v₀/(7 μ g), and then rolls with 5/7 v₀. A body of moment of inertia I about
// its axis rolls down a slope with g sin θ/(1 + I/(m r²)). A block is held as long as the push is below μ m g, though the corners
// behind have little load and would slip, each by itself, long before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "support/recorded.h"
#include "support/sanitized.h"

namespace marey {
namespace floors_together_test {

using recorded::Memory;
using recorded::run_text;
constexpr double g = 9.81;

TEST(FloorsTogether, ABallSlidesAndThenRollsOn) {
  const double v = 7, mu = 0.2;
  for (const char* method : {"rk4, step: 1 ms", "midpoint, step: 1 ms", "rk45, tolerance: 1e-9",
                             "adams, tolerance: 1e-9", "bdf, tolerance: 1e-9"})
    for (const char* dynamics : {"aba", "multipliers"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, dynamics));
      const Memory m = run_text(fmt::format(R"(title: b
duration: 1.2 s
gravity: [0, 0, -{}]
solver: {{integrator: {}, dynamics: {}}}
record: {{every: 0.1 s}}
figures: {{ball: {{links: {{body: {{shape: {{sphere: 11 cm}}, mass: 7 kg, start: {{position: [0, 0, 11 cm], velocity: [{}, 0, 0]}}}}}}}}}}
contacts: [{{link: ball.body, friction: {}}}]
)",
                                            g, method, dynamics, v, mu));
      const double slides = 2 * v / (7 * mu * g);
      for (std::size_t k = 0; k < m.rows.size(); ++k) {
        const double t = m.time(k), expected = t < slides ? v - mu * g * t : 5 * v / 7;
        EXPECT_NEAR(m.vec("link/ball.body/velocity", k).x, expected, 1e-6) << t;
      }
      const std::size_t last = m.rows.size() - 1;
      EXPECT_EQ(m.number("contact/ball.body/floor/mode", last), static_cast<double>(Mode::stick));
      EXPECT_NEAR(m.number("contact/ball.body/floor/work", last), -0.5 * 7 * v * v * 2 / 7, 1e-5);
      EXPECT_TRUE(m.summary.ledger.closed);
    }
}

// A capsule on its side, and a cylinder with the rims of both ends: friction at rest does no work on what rolls.
TEST(FloorsTogether, WhatIsRoundRollsDownASlope) {
  struct Case {
    const char *shape, *lies;
    double radius, ratio;  // I/(m r²)
  };
  for (const Case& c :
       {Case{"cylinder: {radius: 10 cm, length: 30 cm, along: y}", "", 0.1, 0.5}, Case{"sphere: 10 cm", "", 0.1, 0.4},
        Case{"cylinder: {radius: 10 cm, length: 30 cm, along: y}", ", radius: 10 cm", 0.1, 0.5}}) {
    SCOPED_TRACE(c.shape);
    const double slope = 0.3;
    const Memory m = run_text(fmt::format(R"(title: b
duration: 1 s
gravity: [{}, 0, {}]
solver: {{integrator: rk4, step: 1 ms}}
figures: {{f: {{links: {{body: {{shape: {{{}}}, inertia: {{{}}}, mass: 2 kg, at: [0, 0, 10 cm]}}}}}}}}
contacts: [{{link: f.body, friction: 0.6{}}}]
)",
                                          g * std::sin(slope), -g * std::cos(slope), c.shape, c.shape, c.lies));
    const double a = g * std::sin(slope) / (1 + c.ratio);
    const std::size_t last = m.rows.size() - 1;
    const Vec3<double> start = m.vec("link/f.body/position", 0), end = m.vec("link/f.body/position", last);
    EXPECT_NEAR(end.x - start.x, 0.5 * a, 1e-9);
    EXPECT_NEAR(end.z, start.z, 1e-12);
    EXPECT_NEAR(m.vec("link/f.body/spin", last).y, a / c.radius, 1e-8);
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-10);
  }
}

// A coin that leans rolls in a curve: nothing slips, so that its energy stays, and its rim stays on the floor.
TEST(FloorsTogether, ALeaningCoinKeepsItsEnergy) {
  const auto run_at = [](double step) {
    return run_text(fmt::format(R"(title: b
duration: 1 s
solver: {{integrator: rk4, step: {} ms}}
figures:
  f: {{links: {{coin: {{shape: {{cylinder: {{radius: 20 cm, length: 1 mm, along: y}}}}, mass: 1 kg,
                     start: {{position: [0, 0, 195 mm], turned: {{axis: x, angle: 15 deg}}, velocity: [2, 0, 0], spin: [0, 10.2, 0]}}}}}}}}
contacts: [{{link: f.coin, friction: 2}}]
)",
                                step));
  };
  const Memory coarse = run_at(2), fine = run_at(1);
  const std::size_t last = fine.rows.size() - 1;
  const double apart = norm(coarse.vec("link/f.coin/position", last) - fine.vec("link/f.coin/position", last));
  std::printf("coin: %.2e m between steps of 2 and 1 ms, energy off by %.1e\n", apart,
              fine.summary.ledger.energy_residual_relative);
  EXPECT_GT(std::abs(fine.vec("link/f.coin/position", last).y), 0.1);  // a curve
  EXPECT_LE(apart, 1e-5);
  EXPECT_LE(fine.summary.ledger.energy_residual_relative, 1e-8);
}

TEST(FloorsTogether, ADiscThatLiesDownIsNamed) {
  const Memory m = run_text(R"(title: b
duration: 5 s
solver: {integrator: rk4, step: 1 ms}
figures: {f: {links: {coin: {shape: {cylinder: {radius: 20 cm, length: 1 mm, along: z}}, mass: 1 kg,
                            start: {position: [0, 0, 3 cm], turned: {axis: x, angle: 5 deg}}}}}}
contacts: [{link: f.coin, friction: 0.5}]
)");
  EXPECT_NE(m.summary.breakdown.find("f.coin/floor"), std::string::npos) << m.summary.breakdown;
  EXPECT_NE(m.summary.breakdown.find("lies flat"), std::string::npos) << m.summary.breakdown;
}

std::string pushed_block(double push, const std::string& method) {
  return fmt::format(R"(title: b
duration: 0.5 s
gravity: [0, 0, -{}]
solver: {{integrator: {}}}
figures: {{f: {{links: {{block: {{shape: {{box: [40 cm, 40 cm, 50 cm]}}, mass: 10 kg, at: [0, 0, 25 cm]}}}}}}}}
contacts: [{{link: f.block, friction: 0.5}}]
forces: [{{push: {{link: f.block, force: [{}, 0, 0], from: 0.1 s, until: 9 s}}}}]
)",
                     g, method, push);
}

// At 0.9 of what it takes the moment of the push is 0.9 of what lifts the corners behind: these carry a twentieth of the weight, and
// friction shared alike would be nine times what they can hold.
TEST(FloorsTogether, ABlockIsHeldUntilAllOfItsFrictionIsUsed) {
  const double most = 0.5 * 10 * g;
  for (const char* method :
       {"rk4, step: 1 ms", "semi_implicit, step: 1 ms", "rk45, tolerance: 1e-8", "bdf, tolerance: 1e-8"}) {
    SCOPED_TRACE(method);
    const Memory held = run_text(pushed_block(0.75 * most, method));
    const std::size_t last = held.rows.size() - 1;
    EXPECT_NEAR(held.vec("link/f.block/position", last).x, 0, 1e-12);
    Vec3<double> sum;
    for (const int corner : {1, 3, 5, 7}) {
      const std::string base = fmt::format("contact/f.block/floor {}/", corner);
      const Vec3<double> force = held.vec(base + "force", last);
      EXPECT_LE(std::hypot(force.x, force.y), 0.5 * force.z * (1 + 1e-9)) << corner;
      EXPECT_EQ(held.number(base + "mode", last), static_cast<double>(Mode::stick)) << corner;
      sum += force;
    }
    EXPECT_NEAR(sum.x, -0.75 * most, 1e-6);
    // Alike on both sides.
    for (const int corner : {1, 5}) {
      const Vec3<double> left = held.vec(fmt::format("contact/f.block/floor {}/force", corner), last),
                         right = held.vec(fmt::format("contact/f.block/floor {}/force", corner + 2), last);
      EXPECT_NEAR(left.x, right.x, 1e-6) << corner;
      EXPECT_NEAR(left.y, -right.y, 1e-6) << corner;
      EXPECT_NEAR(left.z, right.z, 1e-6) << corner;
    }
  }
  const Memory slides = run_text(pushed_block(1.2 * most, "rk4, step: 1 ms"));
  EXPECT_TRUE(slides.summary.ledger.closed);
  EXPECT_GT(slides.vec("link/f.block/position", slides.rows.size() - 1).x, 1e-3);
}

// Hinges about y let each foot go fore and aft and up, and not aside: four feet hold the frame fourfold, and when it rolls it presses
// them apart.
std::string robot(const std::string& solver) {
  std::string links = "      trunk: {shape: {box: [60 cm, 28 cm, 12 cm]}, mass: 18 kg}\n", feet, legs;
  for (const char* end : {"front", "hind"})
    for (const char* side : {"left", "right"}) {
      const std::string leg = fmt::format("{}_{}", end, side);
      links += fmt::format(
          "      {0}_thigh: {{parent: trunk, joint: {{type: hinge, axis: y}}, at: [{1} cm, {2} cm, 0], shape: "
          "{{capsule: "
          "{{radius: 3 cm, length: 22 cm, along: -z}}}}, mass: 1.2 kg, start: {{angle: 30 deg}}}}\n"
          "      {0}_shank: {{parent: {0}_thigh, joint: {{type: hinge, axis: y}}, at: [0, 0, -24 cm], shape: "
          "{{capsule: "
          "{{radius: 2.5 cm, length: 24 cm, along: -z}}}}, mass: 0.6 kg, start: {{angle: -60 deg}}}}\n",
          leg, end[0] == 'f' ? 24 : -24, side[0] == 'l' ? 16 : -16);
      feet += fmt::format("{}r.{}_shank", feet.empty() ? "" : ", ", leg);
      legs += fmt::format("{}r.{}_thigh", legs.empty() ? "" : ", ", leg);
    }
  return fmt::format(R"(title: r
duration: 0.9 s
solver: {{{0}}}
record: {{every: 50 ms}}
figures:
  r:
    at: [0, 0, 44.07 cm]
    links:
{1}torques:
  - free_play: {{joint: [{2}], from: 29 deg, to: 31 deg, slope: 400 N m/rad, friction: 4 N m s/rad}}
  - free_play: {{joint: [{3}], from: -61 deg, to: -59 deg, slope: 400 N m/rad, friction: 4 N m s/rad}}
forces: [{{push: {{link: r.trunk, force: [0, 60 N, 0], from: 0.5 s, until: 0.7 s}}}}]
contacts: [{{link: [{3}], at: [0, 0, -24 cm], radius: 2.5 cm, friction: 0.7}}]
)",
                     solver, links, legs, feet);
}

TEST(FloorsTogether, ARobotOnFourFeetIsPushed) {
  const Memory steps = run_text(robot("contact: stepping, step: 0.5 ms"));
  ASSERT_EQ(steps.summary.breakdown, "");
  const std::size_t last = steps.rows.size() - 1;
  for (const char* method : {"integrator: rk4, step: 1 ms", "integrator: rk4, step: 0.5 ms",
                             "integrator: semi_implicit, step: 0.5 ms", "integrator: rk45, tolerance: 1e-6"}) {
    if (sanitized && std::string(method).find("rk45") != std::string::npos) continue;
    SCOPED_TRACE(method);
    const Memory m = run_text(robot(method));
    ASSERT_EQ(m.summary.breakdown, "");
    EXPECT_TRUE(m.summary.ledger.closed) << m.summary.ledger.energy_residual_relative;
    const double apart = norm(m.vec("link/r.trunk/position", last) - steps.vec("link/r.trunk/position", last));
    std::printf("%s: %lld events, %.2e m from what steps give, energy off by %.1e\n", method, m.summary.events, apart,
                m.summary.ledger.energy_residual_relative);
    EXPECT_LE(apart, 2e-3);
    for (const char* leg : {"front_left", "front_right", "hind_left", "hind_right"})
      EXPECT_GE(m.number(fmt::format("contact/r.{}_shank/floor/gap", leg), last), -4e-7) << leg;  // 1e-6 of its size
  }
}

}  // namespace floors_together_test
}  // namespace marey
