// Motions, torques and pushes that are given by tables: their works by every method, closed forms, impulses at knots.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/recorded.h"

namespace tables_test {

using recorded::Memory;

std::string solver(const char* integrator, double tolerance) {
  return fmt::format("solver: {{integrator: {}, tolerance: {}}}\n", integrator, tolerance);
}
std::string fixed(const char* integrator, double step) {
  return fmt::format("solver: {{integrator: {}, step: {} s}}\n", integrator, step);
}

constexpr const char* arm = R"(
figures:
  arm:
    links:
      upper:
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 4 cm, length: 40 cm, along: x}}
        mass: 3 kg
      lower:
        parent: upper
        at: [40 cm, 0, 0]
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 3 cm, length: 30 cm, along: x}}
        mass: 2 kg
)";
constexpr const char* flyer = R"(
gravity: 0
figures:
  flyer:
    links:
      trunk:
        shape: {ellipsoid: {radii: [10 cm, 15 cm, 30 cm]}}
        mass: 30 kg
      leg:
        parent: trunk
        at: [0, 0, -30 cm]
        joint: {type: hinge, axis: y}
        shape: {capsule: {radius: 6 cm, length: 70 cm, along: -z}}
        mass: 10 kg
)";

// Knots that no step meets by itself.
struct Scripted {
  const char* name;
  std::string text;
};
const std::vector<Scripted>& scripted() {
  static const std::vector<Scripted> scenes{{"both joints follow", std::string(arm) + R"(
drives:
  - {name: first, joint: arm.upper, angle: [[0 s, 0], [0.5171 s, 40 deg], [0.913 s, 40 deg], [1.37 s, -60 deg]]}
  - {name: second, joint: arm.lower, angle: [[0 s, 0], [0.3117 s, 60 deg], [1.1 s, 10 deg]]})"},
                                            {"the upper one swings", std::string(arm) + R"(
drives: [{name: first, joint: arm.lower, angle: [[0.1 s, 0], [0.3117 s, 60 deg], [1.1 s, 10 deg]], curve: spline}])"},
                                            {"a kick in flight", std::string(flyer) + R"(
drives: [{name: first, joint: flyer.leg, angle: [[0.0731 s, 0], [0.3117 s, 80 deg], [1.1 s, -20 deg]]}])"},
                                            {"by velocity", std::string(flyer) + R"(
drives: [{name: first, joint: flyer.leg, velocity: [[0 s, 0], [0.317 s, 4 rad/s], [0.5173 s, -3 rad/s], [1 s, 0]]}])"},
                                            {"in straight lines", std::string(arm) + R"(
drives:
  - {name: first, joint: arm.lower, angle: [[0.1 s, 0], [0.3117 s, 60 deg], [0.7177 s, 20 deg], [1.1 s, 30 deg]], curve: linear})"}};
  return scenes;
}

struct Work {
  double in_all = 0;
  double size = 0;  // the most that was in it at a time, and a joule at least
};
Work work_of(const Scripted& scene, const std::string& how) {
  const Memory m = recorded::run_text(how + "duration: 1.5 s\nrecord: {per_second: 10}\n" + scene.text);
  Work work{0, 1};
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    work.in_all = m.number("constraint/first/work", i);
    work.size = std::max(work.size, std::abs(work.in_all));
  }
  return work;
}

TEST(Tables, WorksOfDrivesAreThoseOfAnyMethod) {
  for (const Scripted& scene : scripted()) {
    const Work exact = work_of(scene, solver("rk45", 1e-12));
    for (const char* method : {"rk45", "adams", "bdf"})
      for (const double tolerance : {1e-6, 1e-8})
        EXPECT_NEAR(work_of(scene, solver(method, tolerance)).in_all, exact.in_all, 100 * tolerance * exact.size)
            << scene.name << ", " << method << ", " << tolerance;
  }
}

TEST(Tables, WorksOfDrivesConvergeAtTheOrderOfFixedSteps) {
  for (const Scripted& scene : scripted()) {
    const double exact = work_of(scene, solver("rk45", 1e-13)).in_all;
    const double coarse = work_of(scene, fixed("rk4", 0.02)).in_all - exact;
    const double fine = work_of(scene, fixed("rk4", 0.01)).in_all - exact;
    EXPECT_GT(std::abs(coarse / fine), 11) << scene.name << ": " << coarse << ", " << fine;
  }
}

// No method that chooses its steps leaps over a knot.
TEST(Tables, StepsEndAtTheKnotsOfScripts) {
  for (const char* method : {"rk45", "adams", "bdf"})
    for (const char* curve : {"smooth", "spline", "linear"}) {
      marey::Simulation simulation(marey::parse_scene(
          "marey: 1\nduration: 1.2 s\n" + solver(method, 1e-4) + flyer +
              fmt::format("drives: [{{joint: flyer.leg, angle: [[0.0731 s, 0], [0.3117 s, 1 deg], [1.1 s, -2 deg]], "
                          "curve: {}}}]\n",
                          curve),
          "f.yaml"));
      std::vector<double> ends;
      while (simulation.time() < 1.2) simulation.step(), ends.push_back(simulation.time());
      for (const double knot : {0.0731, 0.3117, 1.1})
        EXPECT_TRUE(std::ranges::any_of(ends, [&](double t) { return std::abs(t - knot) < 1e-11; }))
            << method << ", " << curve << ": " << knot;
    }
}

// A sledge that is moved at a constant velocity has no error, whatever the step; the work of what pushes it meanwhile has.
TEST(Tables, WorksHaveTheirOwnSayInTheStep) {
  const std::string sledge = R"(duration: 2 s
gravity: 0
figures: {sledge: {links: {body: {joint: {type: slider, axis: x}, mass: 2 kg, inertia: {diagonal: [1 kg m^2, 1 kg m^2, 1 kg m^2]}, start: {speed: 1 m/s}}}}}
drives: [{name: tow, joint: sledge.body, velocity: 1 m/s}]
forces: [{push: {name: wind, link: sledge.body, force: ['100*sin(20*t)', 0, 0]}}]
)";
  // Each step's error is at most thirty times the tolerance, and they add up.
  const double exact = 5 * (1 - std::cos(40.0)), size = 10;
  for (const char* method : {"rk45", "adams", "bdf"})
    for (const double tolerance : {1e-5, 1e-8}) {
      const Memory m = recorded::run_text(solver(method, tolerance) + sledge);
      const std::size_t end = m.rows.size() - 1;
      EXPECT_NEAR(m.number("element/wind/work", end), exact, 200 * tolerance * size) << method << ", " << tolerance;
      EXPECT_NEAR(m.number("constraint/tow/work", end), -exact, 200 * tolerance * size) << method << ", " << tolerance;
    }
}

constexpr const char* wheel = R"(
gravity: 0
figures:
  wheel:
    links:
      disc:
        joint: {type: hinge, axis: z}
        mass: 2 kg
        inertia: {diagonal: [0.25 kg m^2, 0.25 kg m^2, 0.5 kg m^2]}
)";

// A straight line of an angle is a constant velocity: at each knot an impulse, whose work is the jump of ½ I ω².
TEST(Tables, StraightScriptsBookTheirImpulses) {
  for (const std::string& how :
       {solver("rk45", 1e-9), solver("adams", 1e-9), fixed("rk4", 0.01), fixed("semi_implicit", 0.01),
        fixed("midpoint", 0.01), std::string("solver: {dynamics: multipliers, integrator: rk4, step: 10 ms}\n")}) {
    const Memory m = recorded::run_text(how + "duration: 1 s\nrecord: {per_second: 100}\n" + wheel + R"(
drives: [{name: turn, joint: wheel.disc, angle: [[0.2 s, 0], [0.4 s, 1 rad], [0.6 s, -1 rad]], curve: linear}])");
    const auto at = [&](double t) { return static_cast<std::size_t>(std::lround(100 * t)); };
    EXPECT_NEAR(m.number("joint/wheel.disc/velocity", at(0.3)), 5, 1e-7) << how;
    EXPECT_NEAR(m.number("joint/wheel.disc/velocity", at(0.5)), -10, 1e-7) << how;
    EXPECT_NEAR(m.number("joint/wheel.disc/velocity", at(0.7)), 0, 1e-7) << how;
    EXPECT_NEAR(m.number("constraint/turn/work", at(0.3)), 6.25, 1e-6) << how;
    EXPECT_NEAR(m.number("constraint/turn/work", at(0.5)), 25, 1e-6) << how;
    EXPECT_NEAR(m.number("constraint/turn/work", at(0.7)), 0, 1e-6) << how;
    EXPECT_NEAR(m.number("energy/residual", at(1)), 0, 1e-6) << how;
  }
}

// I ω = ∫ T dt; rk4 integrates the cubics that come of straight lines exactly, if its steps end at the knots.
TEST(Tables, TorquesFollowTheirTables) {
  const char* table = "[[0.1033 s, 0 N m], [0.3077 s, 2 N m], [0.5 s, -1 N m]]";
  struct Case {
    const char* curve;
    double impulse;  // N m s, up to 0.7 s
  };
  const double a = 0.3077 - 0.1033, b = 0.5 - 0.3077, rest = 0.2;
  for (const Case& c : {Case{"linear", a + b / 2 - rest}, Case{"hold", 2 * b - rest}})
    for (const std::string& how : {fixed("rk4", 0.01), solver("rk45", 1e-10)}) {
      const Memory m =
          recorded::run_text(how + "duration: 0.7 s\n" + wheel +
                             fmt::format("torques: [{{torque: {{name: motor, joint: wheel.disc, value: {}, "
                                         "curve: {}}}}}]",
                                         table, c.curve));
      const std::size_t end = m.rows.size() - 1;
      const double rate = m.number("joint/wheel.disc/velocity", end);
      EXPECT_NEAR(rate, c.impulse / 0.5, 1e-9) << c.curve << ", " << how;
      EXPECT_NEAR(m.number("element/motor/work", end), 0.25 * rate * rate, 1e-9) << c.curve << ", " << how;
    }
}

TEST(Tables, TorquesInJointsGiveNoMomentum) {
  const Memory m = recorded::run_text(solver("rk45", 1e-12) + "duration: 1 s\n" + flyer + R"(
torques:
  - torque: {name: kick, joint: flyer.leg, value: '8*sin(3*t)'}
  - torque: {name: back, joint: flyer.leg, value: [[0 s, 0 N m], [0.4 s, 3 N m]], curve: smooth, from: 0.1 s, until: 0.9 s})");
  const std::size_t end = m.rows.size() - 1;
  EXPECT_GT(std::abs(m.number("joint/flyer.leg/velocity", end)), 0.5);
  EXPECT_NEAR(norm(m.vec("momentum/angular", end)), 0, 1e-9);
  EXPECT_NEAR(norm(m.vec("momentum/linear", end)), 0, 1e-9);
  EXPECT_NEAR(m.number("energy/residual", end), 0, 1e-9);
}

TEST(Tables, PushesFollowTablesAndFormulas) {
  const std::string ball = R"(
gravity: 0
figures: {ball: {links: {ball: {shape: {sphere: {radius: 5 cm}}, mass: 2 kg}}}}
)";
  for (const std::string& how : {fixed("rk4", 0.01), solver("rk45", 1e-10), solver("bdf", 1e-10)}) {
    const Memory m = recorded::run_text(how + "duration: 1 s\n" + ball + R"(
forces:
  - push: {link: ball.ball, force: [[0.1033 s, [0, 0, 0]], [0.3077 s, [4 N, 0, 2 N]], [0.5 s, [0, 0, 1 N]]]}
  - push: {link: ball.ball, force: ['3*t', 0, '-a*t^2'], constants: {a: 6}})");
    const std::size_t end = m.rows.size() - 1;
    const marey::Vec3<double> v = m.vec("link/ball.ball/velocity", end);
    const double a = 0.3077 - 0.1033, b = 0.5 - 0.3077;
    EXPECT_NEAR(v.x, (2 * (a + b) + 1.5) / 2, 1e-8) << how;
    EXPECT_NEAR(v.z, (a + 1.5 * b + 0.5 - 2) / 2, 1e-8) << how;
    EXPECT_NEAR(m.number("energy/residual", end), 0, 1e-7) << how;
  }
}

// A figure in flight that moves its limbs has next to no momentum, but limbs that have: its books are as closed as theirs.
TEST(Tables, ManyScriptsFromRestKeepTheirBooksClosed) {
  std::string links, drives;
  for (int i = 0; i < 16; ++i) {
    links += fmt::format("      l{}:\n", i);
    if (i > 0)
      links += fmt::format("        parent: l{}\n        at: [20 cm, 0, 0]\n        joint: {{type: hinge, axis: {}}}\n",
                           i - 1, "xyz"[i % 3]);
    links += "        shape: {capsule: {radius: 3 cm, length: 20 cm, along: x}}\n        mass: 1 kg\n";
    if (i > 0)
      drives += fmt::format("  - {{joint: snake.l{}, angle: [[0 s, 0], [{} s, {} deg], [1.5 s, {} deg]]}}\n", i,
                            0.5 + 0.03 * i, 20 + 3 * i, -10 - i);
  }
  for (const std::string& how : {fixed("rk4", 0.005), solver("rk45", 1e-6)}) {
    const Memory m = recorded::run_text(how + "duration: 2 s\ngravity: 0\nfigures:\n  snake:\n    links:\n" + links +
                                        "drives:\n" + drives);
    EXPECT_TRUE(m.summary.ledger.closed) << how << m.summary.ledger.linear_momentum_residual_relative << ", "
                                         << m.summary.ledger.angular_momentum_residual_relative;
    EXPECT_LT(norm(m.vec("momentum/linear", m.rows.size() - 1)), 1e-3);
  }
}

// A script that stands still, and then turns back: a method that looks at the end of its first step alone, half way to the next knot where
// the acceleration is zero again, would see nothing of it. There the angle is half of the way, by the symmetry of the smooth curve.
TEST(Tables, NoMethodLeapsOverAMotionThatBeginsAgain) {
  for (const char* method : {"rk45", "adams", "bdf"})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const Memory m =
          recorded::run_text("duration: 0.8 s\nrecord: {every: 0.8 s}\n" + solver(method, tolerance) + arm +
                             "drives: [{joint: [arm.upper, arm.lower], angle: [[0 s, 0], [0.4 s, 0.8], [0.6 s, 0.8], "
                             "[1 s, 0]], until: 0.8 "
                             "s}]\n");
      for (const char* joint : {"joint/arm.upper/angle", "joint/arm.lower/angle"})
        EXPECT_NEAR(m.number(joint, m.rows.size() - 1), 0.4, 100 * tolerance) << method << " " << tolerance;
    }
}

}  // namespace tables_test
