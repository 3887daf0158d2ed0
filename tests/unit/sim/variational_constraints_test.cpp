// Constraints held by impulses at the ends of variational steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/simulation.h"
#include "support/recorded.h"
#include "support/sanitized.h"

namespace variational_constraints_test {

using namespace marey;
using recorded::Memory;

Memory by_midpoint(const std::string& scene, double step, double duration, int frames = 10) {
  return recorded::run_text(
      fmt::format("duration: {} s\nsolver: {{integrator: midpoint, step: {} s}}\nrecord: {{every: {} s}}\n"
                  "ledger: {{closed_within: 0.001}}\n{}",
                  duration, step, duration / frames, scene));
}

// Two links, pinned to each other and to the world by constraints alone.
const char* const pinned = R"(
gravity: [0, 0, -9.81]
figures:
  f:
    links:
      upper: {mass: 2 kg, inertia: {box: [4 cm, 4 cm, 60 cm]}, start: {position: [30 cm, 0, 0], turned: {axis: y, angle: 90 deg}}}
      lower: {mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}, start: {position: [80 cm, 0, 0], turned: {axis: y, angle: 90 deg}}}
constraints:
  - hinge: {name: shoulder, b: f.upper, at: [0, 0, 0], axis: y}
  - ball: {name: elbow, a: f.upper, at: [0, 0, 30 cm], b: f.lower}
)";

TEST(VariationalConstraints, HaveTheOrderOfTheMethod) {
  const Memory right = recorded::run_text(std::string("duration: 0.8 s\nsolver: {integrator: rk45, tolerance: 1e-11}\n"
                                                      "record: {every: 0.08 s}\n") +
                                          pinned);
  double error[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(pinned, halved ? 1e-3 : 2e-3, 0.8);
    ASSERT_EQ(m.summary.breakdown, "");
    error[halved] = norm(m.vec("link/f.lower/position", 10) - right.vec("link/f.lower/position", 10));
    EXPECT_LE(m.number("constraint/elbow/error", 10), 1e-12);
  }
  EXPECT_LE(error[1], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

// A symplectic method has no trend in its energy; rk4 with projection has one.
TEST(VariationalConstraints, EnergyDoesNotWander) {
  const double duration = sanitized ? 10 : 80;
  const Memory m = by_midpoint(pinned, 5e-3, duration, 400);
  ASSERT_EQ(m.summary.breakdown, "");
  double early = 0, late = 0, drift = 0;
  const std::size_t n = m.rows.size(), part = n / 2;
  for (std::size_t i = 0; i < part; ++i) {
    const double first = m.number("energy/residual", i), last = m.number("energy/residual", n - 1 - i);
    early += first * first / static_cast<double>(part), late += last * last / static_cast<double>(part);
    drift += (last - first) / static_cast<double>(part);
  }
  EXPECT_GT(early, 1e-12);
  if (sanitized) return;  // too short for a trend
  EXPECT_LE(std::sqrt(late), 1.5 * std::sqrt(early));
  EXPECT_LE(std::abs(drift), 0.5 * std::sqrt(early));
}

// Two bodies on a rod in free space turn about each other: momenta are kept to rounding, the rod's length too.
TEST(VariationalConstraints, KeepMomenta) {
  const Memory m = by_midpoint(R"(
gravity: [0, 0, 0]
figures:
  a: {links: {body: {mass: 2 kg, inertia: {sphere: 10 cm}, start: {velocity: [0, 1 m/s, 0.2 m/s], spin: [1, 2, 3]}}}}
  b: {links: {body: {mass: 1 kg, inertia: {box: [10 cm, 20 cm, 30 cm]}, start: {position: [1 m, 0, 0], velocity: [0, -2 m/s, 0], spin: [3, 0, -1]}}}}
constraints:
  - rod: {name: rod, a: a.body, at: [10 cm, 0, 0], b: b.body, at_b: [0, 5 cm, 0]}
start: projected
)",
                               2e-3, 4);
  ASSERT_EQ(m.summary.breakdown, "");
  for (const char* what : {"momentum/linear", "momentum/angular"})
    for (std::size_t i = 1; i < m.rows.size(); ++i) EXPECT_LE(norm(m.vec(what, i) - m.vec(what, 0)), 1e-11) << what;
  EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 1e-12);
}

// A crank that follows a function of time: its work is in the books, and closes them to the method's order.
TEST(VariationalConstraints, BookTheWorkOfDrives) {
  double left[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(R"(
gravity: [0, 0, -9.81]
figures: {f: {links: {
  crank: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}},
  rod: {parent: crank, at: [0, 0, 20 cm], joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 30 cm]}}}}}
constraints: [follow: {name: motor, joint: f.crank, angle: 'sin(3*t) - 3*t'}]
start: projected
)",
                                 halved ? 1e-3 : 2e-3, 1);
    ASSERT_EQ(m.summary.breakdown, "");
    double work = 0;
    for (const auto& [source, joules] : m.summary.ledger.work_in)
      if (source == "motor") work = joules;
    EXPECT_GT(std::abs(work), 0.1);
    left[halved] = m.summary.ledger.energy_residual_relative;
  }
  EXPECT_LE(left[1], 1e-4);
  EXPECT_NEAR(left[0] / left[1], 4, 1);
}

// Rows of velocities have no place to end at. Held at the ends of steps alone, places would be a step's half behind.
TEST(VariationalConstraints, VelocitiesAreHeldInTheMiddleOfSteps) {
  double off[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(R"(
gravity: [0, 0, 0]
figures: {f: {links: {
  crank: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}, start: {rate: 2 rad/s}},
  rod: {parent: crank, at: [0, 0, 20 cm], joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 30 cm]}}}}}
drives: [{joint: f.crank, velocity: '2 + 1.5*sin(3*t)'}]
)",
                                 halved ? 2.5e-3 : 5e-3, 1);
    ASSERT_EQ(m.summary.breakdown, "");
    const double angle = 2 + 0.5 * (1 - std::cos(3.0));
    const Vec3<double> p = m.vec("link/f.rod/position", m.rows.size() - 1);
    off[halved] = std::remainder(std::atan2(p.x, p.z) - angle, 2 * M_PI);
  }
  EXPECT_NEAR(off[1], 2.5e-3 * 2.5e-3 / 24 * 4.5 * (1 - std::cos(3.0)), 1e-9);  // of the midpoint rule
  EXPECT_NEAR(off[0] / off[1], 4, 0.5);
}

}  // namespace variational_constraints_test
