// Constraints that cannot be held together on the way end the run with their names, the time, and what to change.
#include <gtest/gtest.h>

#include "marey/simulation.h"
#include "support/recorded.h"
#include "support/sanitized.h"
#include "support/trouble.h"

namespace contradictions_test {
namespace {

// Two bars of 1 m in line along x, and a place that their end is drawn to: it leaves their reach when 1.9 + t²/2 = 2.
std::string stretched(const std::string& solver) {
  return "title: stretched\nduration: 1 s\ngravity: 0\nsolver: " + solver + R"(
figures:
  arm:
    links:
      upper:
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 2 cm, length: 1 m, along: x}}
        mass: 1 kg
        start: {angle: 18.194872338766785 deg}
      lower:
        parent: upper
        at: [1 m, 0, 0]
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 2 cm, length: 1 m, along: x}}
        mass: 1 kg
        start: {angle: -36.38974467753357 deg}
constraints:
  - drive: {name: pull, b: arm.lower, at_b: [1 m, 0, 0], place: ['1.9 + 0.5*t^2', 0, 0]}
record: {every: 10 ms}
)";
}

void expect_all_in(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
}

TEST(Contradictions, BeyondReachIsSaidToBe) {
  for (const char* solver :
       {"{integrator: rk4, step: 1 ms}", "{integrator: semi_implicit, step: 1 ms}",
        "{integrator: rk45, tolerance: 1e-7}", "{dynamics: multipliers, integrator: rk4, step: 1 ms}",
        "{integrator: bdf, tolerance: 1e-7}", "{integrator: midpoint, step: 1 ms}"}) {
    const recorded::Memory m = recorded::run_text(stretched(solver));
    expect_all_in(m.summary.breakdown, {"at t = 0.4", "'pull'"});
    const double end = m.time(m.rows.size() - 1);
    EXPECT_NEAR(end, std::sqrt(0.2), 0.02) << solver << ": " << m.summary.breakdown;
  }
}

// A slider that follows a script, and a place that its link is to be at: they agree up to the third derivative at the start.
std::string at_odds(const std::string& solver) {
  return "title: at odds\nduration: 1 s\ngravity: 0\nsolver: " + solver + R"(
figures:
  f:
    links:
      sled: {joint: {type: slider, axis: x}, shape: {sphere: 5 cm}, mass: 1 kg}
      other: {joint: {type: slider, axis: x}, at: [0, 1 m, 0], shape: {sphere: 5 cm}, mass: 1 kg}
constraints:
  - follow: {name: script, joint: f.sled, slide: '0.1*t^3'}
  - drive: {name: rail, b: f.sled, place: ['0.2*t^3', 0, 0]}
  - follow: {name: bystander, joint: f.other, slide: '0.1*t'}
record: {every: 10 ms}
start: projected
)";
}

TEST(Contradictions, ThoseAtOddsAreNamedAndNoOthers) {
  for (const char* solver :
       {"{integrator: rk4, step: 1 ms}", "{integrator: semi_implicit, step: 1 ms}",
        "{dynamics: multipliers, integrator: rk4, step: 1 ms}", "{integrator: rk45, tolerance: 1e-7}"}) {
    const recorded::Memory m = recorded::run_text(at_odds(solver));
    expect_all_in(m.summary.breakdown,
                  {"at t = 0.0", "can no longer be held: it is off by", "contradict each other there",
                   "'script' and 'rail'", "End or change one of them before that time"});
    EXPECT_EQ(m.summary.breakdown.find("bystander"), std::string::npos) << m.summary.breakdown;
    EXPECT_FALSE(m.rows.empty());
  }
}

// An arm that hangs straight, its end pinned twice over: near by it can bend, but not be pulled straight and bent at once. Taking
// away one of the pins would mend nothing; the drive is named all the same.
TEST(Contradictions, WhatDrivesAgainstThemIsNamedToo) {
  const recorded::Memory m = recorded::run_text(R"(title: pinned
duration: 1 s
solver: {integrator: rk4, step: 1 ms}
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 1 kg}
      lower:
        parent: upper
        at: [0, 0, -30 cm]
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}
        mass: 1 kg
constraints:
  - ball: {name: pin, b: arm.lower, at: [0, 0, -60 cm], at_b: [0, 0, -30 cm]}
  - ball: {name: again, b: arm.lower, at: [0, 0, -60 cm], at_b: [0, 0, -30 cm]}
drives:
  - {name: motor, joint: arm.upper, angle: '0.1*t^3'}
)");
  expect_all_in(m.summary.breakdown,
                {"can no longer be held", "'pin', 'again' and 'motor' contradict each other there"});
}

// Two bars side by side, at the same rate, and two rods between them.
std::string side_by_side(const std::string& solver, const std::string& drives) {
  return "title: apart\nduration: 1 s\nsolver: " + solver + R"(
figures:
  m:
    links:
      a: {joint: {type: hinge, axis: y}, mass: 1 kg, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, start: {rate: 1 rad/s}}
      b: {at: [50 cm, 0, 0], joint: {type: hinge, axis: y}, mass: 1 kg, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}},
          start: {rate: 1 rad/s}}
constraints:
  - rod: {name: low, a: m.a, b: m.b, at: [0, 0, -30 cm], at_b: [0, 0, -30 cm]}
  - rod: {name: high, a: m.a, b: m.b, at: [0, 0, -20 cm], at_b: [0, 0, -20 cm]}
drives:
)" + drives;
}
constexpr const char* at_odds_with_rods = "'low', 'high', 'slow' and 'fast' contradict each other";

// They go round together, until they are to go at different rates. Methods that begin anew whenever velocities are put right would
// creep on from there for ever.
TEST(Contradictions, VelocitiesAtOddsEndTheRunAtOnce) {
  for (const char* solver : {"{integrator: bdf}", "{integrator: adams}", "{integrator: rk45}",
                             "{integrator: rk4, step: 1 ms}", "{dynamics: multipliers, integrator: bdf}"}) {
    const recorded::Memory m = recorded::run_text(side_by_side(solver, R"(
  - {name: slow, joint: m.a, velocity: 1 rad/s, from: 0.1 s}
  - {name: fast, joint: m.b, velocity: 2 rad/s, from: 0.1 s}
)"));
    expect_all_in(m.summary.breakdown, {"at t = 0.1 s", at_odds_with_rods, "End or change one of them before that"});
    EXPECT_GE(m.time(m.rows.size() - 1), 0.08) << solver;
  }
}

// Scenes that programs make are not looked at by `check`; nor are velocities put right without projection.
TEST(Contradictions, VelocitiesAtOddsAtTheStartAreRefusedByName) {
  marey::Scene scene = marey::parse_scene("marey: 1\n" + side_by_side("{integrator: bdf}", R"(
  - {name: slow, joint: m.a, velocity: 1 rad/s}
  - {name: fast, joint: m.b, velocity: 1 rad/s}
)"),
                                          "test.yaml");
  scene.constraints.back().kind.get_if<marey::Coupler>()->sum = marey::constant_in_time(2);
  for (const auto way :
       {marey::Stabilisation::projection, marey::Stabilisation::baumgarte, marey::Stabilisation::none}) {
    scene.solver.stabilisation = way;
    expect_all_in(trouble::of(marey::ErrorKind::bad_input, [&] { marey::Simulation unused(scene); }),
                  {at_odds_with_rods, "at the start"});
  }
}

TEST(Contradictions, AScriptThatEndsIsNamed) {
  for (const char* solver :
       {"{integrator: rk4, step: 1 ms}", "{integrator: rk45}", "{integrator: midpoint, step: 1 ms}"}) {
    const recorded::Memory m = recorded::run_text(std::string("title: ends\nduration: 1 s\nsolver: ") + solver + R"(
figures: {f: {links: {bar: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}}}}
drives: [{joint: f.bar, angle: '(0.25 - t^2)^2.5'}]
start: projected
)");
    expect_all_in(m.summary.breakdown, {"at t = 0.", "the script of 'f.bar/drive' is not finite there"});
  }
}

// Steps that get shorter and shorter come to no end; somebody has to say so.
TEST(Contradictions, TimeThatHardlyGoesOnEndsTheRun) {
  if (marey::sanitized) GTEST_SKIP() << "twenty thousand steps";
  const recorded::Memory m = recorded::run_text(stretched("{integrator: adams, tolerance: 1e-7}"));
  expect_all_in(m.summary.breakdown, {"at t = 0.4472", "'pull' takes the largest force there"});
}

// What says the same twice is no contradiction.
TEST(Contradictions, TheSameSaidTwiceIsNone) {
  const recorded::Memory m = recorded::run_text(R"(title: twice
duration: 0.2 s
solver: {integrator: rk4, step: 1 ms}
figures:
  f:
    links:
      a: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}
      b: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}
constraints:
  - couple: {joints: {f.a: 1, f.b: -2}}
  - follow: {joint: f.a, angle: '0.2*t^3'}
  - follow: {joint: f.b, angle: '0.1*t^3'}
)");
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_NEAR(m.number("joint/f.b/angle", m.rows.size() - 1), 0.1 * std::pow(m.time(m.rows.size() - 1), 3), 1e-12);
}

// One after the other is none either.
TEST(Contradictions, ScriptsThatTakeTurnsAreNone) {
  const recorded::Memory m = recorded::run_text(R"(title: turns
duration: 0.2 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
figures:
  f: {links: {a: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}}}
constraints:
  - follow: {joint: f.a, angle: 't^3', until: 0.1 s}
  - follow: {joint: f.a, angle: 't^3', from: 0.1 s}
)");
  EXPECT_EQ(m.summary.breakdown, "");
}

}  // namespace
}  // namespace contradictions_test
