// Joints that go over between script and forces in the middle of a flight.
//
// A drive acts between a link and its parent alone: it changes neither the linear nor the angular momentum of the
// figure, also at the instant at which it takes hold and velocities jump. Without gravity both are constants of the motion
// (bound 1e-12 of their size), whatever is switched; what the drive puts in closes the account.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/simulation.h"
#include "support/recorded.h"

namespace drives_test {

using marey::Vec3;
using recorded::Memory;

// A trunk in flight with an arm of two parts on hinges, and a head on a ball joint.
std::string flight(const std::string& drives) {
  return R"(title: A figure in flight
duration: 2 s
gravity: 0
solver: {integrator: rk4, step: 2 ms}
figures:
  f:
    links:
      trunk: {joint: free, mass: 10 kg, shape: {box: [20 cm, 30 cm, 50 cm]},
              start: {spin: [0.5 rad/s, 1 rad/s, -0.7 rad/s], velocity: [1 m/s, 0.2 m/s, 0.4 m/s]}}
      upper: {parent: trunk, joint: {type: hinge, axis: y}, at: [0, 20 cm, 20 cm], mass: 2 kg,
              start: {angle: 20 deg, rate: 1.5 rad/s}, shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}}
      lower: {parent: upper, joint: {type: hinge, axis: [1, 1, 0]}, at: [0, 0, -30 cm], mass: 1.5 kg,
              start: {angle: -30 deg, rate: -2 rad/s}, shape: {capsule: {radius: 3 cm, length: 25 cm, along: -z}}}
      head: {parent: trunk, joint: ball, at: [0, 0, 25 cm], mass: 4 kg, shape: {sphere: {radius: 10 cm, center: [0, 0, 12 cm]}},
             start: {spin: [1 rad/s, 2 rad/s, 3 rad/s]}}
record: {every: 10 ms}
)" + ("drives:\n" + drives);
}
Memory fly(const std::string& drives) { return recorded::run_text(flight(drives)); }

double largest_change(const Memory& m, const std::string& channel) {
  const Vec3<double> first = m.vec(channel, 0);
  double worst = 0;
  for (std::size_t f = 0; f < m.rows.size(); ++f) worst = std::max(worst, marey::norm(m.vec(channel, f) - first));
  return worst / marey::norm(first);
}
void expect_conserved(const Memory& m) {
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8);
  EXPECT_TRUE(m.summary.ledger.closed);
  EXPECT_NEAR(m.time(m.rows.size() - 1), 2, 1e-9);
}
std::size_t frame_at(const Memory& m, double t) {
  std::size_t f = 0;
  while (m.time(f) < t - 1e-9) ++f;
  return f;
}

TEST(Drives, ScriptAndForcesTakeTurnsInFlight) {
  const Memory m =
      fly(R"(  - {name: script, joint: f.lower, angle: '0.5*sin(4*t)', blend: 200 ms, from: 0.5 s, until: 1.1 s}
  - {name: brake, joint: f.upper, locked: true, from: 0.8 s, until: 1.4 s}
  - {name: motor, joint: f.lower, velocity: '1 + 2*t', from: 1.5 s}
  - {name: push, joint: f.head, freedom: y, acceleration: 3 rad/s^2, from: 0.3 s, until: 1 s}
)");
  expect_conserved(m);
  // What is left is the integrator's, with four switches or with none; that the switches themselves lose nothing is the
  // next test's matter.
  EXPECT_LE(largest_change(m, "momentum/linear"), 1e-7);
  EXPECT_LE(largest_change(m, "momentum/angular"), 1e-7);
  for (std::size_t f = 0; f < m.rows.size(); ++f) {
    const double t = m.time(f);
    const auto within = [t](double from, double until) { return t > from + 1e-9 && t < until - 1e-9; };
    if (within(0.7, 1.1)) {
      EXPECT_NEAR(m.number("joint/f.lower/angle", f), 0.5 * std::sin(4 * t), 1e-7) << t;
    }
    if (within(0.8, 1.4)) {
      EXPECT_NEAR(m.number("joint/f.upper/angle", f), m.number("joint/f.upper/angle", frame_at(m, 0.81)), 1e-7) << t;
    }
    if (within(1.5, 3)) {
      EXPECT_NEAR(m.number("joint/f.lower/velocity", f), 1 + 2 * t, 1e-9) << t;
    }
    if (within(0.3, 1)) {
      EXPECT_NEAR(m.at("joint/f.head/acceleration", f)[1], 3, 1e-8) << t;
    }
  }
  // The drive's torque is recorded while it holds, and is zero outside.
  EXPECT_GT(std::abs(m.number("constraint/script/multiplier", frame_at(m, 0.9))), 1e-3);
  EXPECT_EQ(m.number("constraint/script/multiplier", frame_at(m, 1.3)), 0);
}

// Up to the switch a run is the same with and without it, the integrator's error included: the difference of the momenta
// just after it is the switch's own.
TEST(Drives, TakingHoldKeepsTheMomenta) {
  const Memory free = fly("  - {joint: f.upper, locked: true, from: 1.9999 s}\n");
  for (const std::string drive :
       {"joint: f.upper, locked: true", "joint: f.lower, velocity: 5 rad/s", "joint: f.lower, angle: '0.5*sin(4*t)'",
        "joint: f.head, freedom: y, velocity: -1 rad/s", "joint: f.head, freedom: x, locked: true"}) {
    const Memory m = fly("  - {name: it, " + drive + ", from: 1 s, until: 1.0001 s}\n");
    const std::size_t f = frame_at(m, 1.0);
    for (const char* channel : {"momentum/linear", "momentum/angular"})
      EXPECT_LE(marey::norm(m.vec(channel, f) - free.vec(channel, f)), 1e-12 * marey::norm(free.vec(channel, f)))
          << drive << ", " << channel;
    // It did take hold: velocities jumped, and the impulse's work is in the account.
    const double jump = m.number("energy/total", f) - free.number("energy/total", f);
    EXPECT_GT(std::abs(jump), 1e-4) << drive;
    EXPECT_NEAR(m.number("constraint/it/work", f), jump, 1e-9) << drive;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8) << drive;
  }
}

// Blended in from the start, a joint goes on as `start` says: neither its place nor its rate jumps, and after the blend it is where
// its script is. With the script's amplitude and the differences d and d′ at the start, v̇ is at most 8 + 5.78 d/T² + 3.95 d′/T.
TEST(Drives, BlendedInFromTheStartNothingJumps) {
  const double d = M_PI / 6, rate = 4, T = 0.4, most = 8 + 5.78 * d / (T * T) + 3.95 * rate / T;
  for (const char* integrator : {"rk4, step: 2 ms", "rk45, tolerance: 1e-8", "midpoint, step: 2 ms"}) {
    std::string text = flight("  - {name: script, joint: f.lower, angle: '0.5*sin(4*t)', blend: 400 ms}\n");
    text.replace(text.find("rk4, step: 2 ms"), 15, integrator);
    const Memory m = recorded::run_text(text);
    EXPECT_EQ(m.summary.breakdown, "");
    // Of order 2, midpoint's books are off by (h ω)² of the works, with rates of 4 to 10 rad/s over 2 ms.
    EXPECT_LE(m.summary.ledger.energy_residual_relative, integrator[0] == 'm' ? 1e-4 : 1e-8) << integrator;
    EXPECT_LE(largest_change(m, "momentum/angular"), 1e-5) << integrator;
    EXPECT_NEAR(m.number("joint/f.lower/angle", 0), -d, 1e-12);
    EXPECT_NEAR(m.number("joint/f.lower/velocity", 0), -2, 1e-12);
    EXPECT_NEAR(m.number("constraint/script/work", 0), 0, 1e-12);
    for (std::size_t f = 1; f < m.rows.size(); ++f) {
      EXPECT_LE(std::abs(m.number("joint/f.lower/velocity", f) - m.number("joint/f.lower/velocity", f - 1)),
                0.01 * most);
      if (m.time(f) > T + 1e-9) {
        EXPECT_NEAR(m.number("joint/f.lower/angle", f), 0.5 * std::sin(4 * m.time(f)), 1e-6) << integrator;
      }
    }
  }
}

// A drive keeps where it took over: what is resumed in the middle of a blend goes on bit for bit.
TEST(Drives, GoOnFromACheckpointBitForBit) {
  for (const auto& [from, broken_off] : {std::pair{", from: 0.5 s", 0.7}, {"", 0.2}}) {
    const marey::Scene scene = marey::parse_scene(
        "marey: 1\n" + flight(std::string("  - {joint: f.lower, angle: '0.5*sin(4*t)', blend: 400 ms") + from + "}\n"),
        "test.yaml");
    marey::Simulation whole(scene);
    while (whole.time() < broken_off) whole.step();
    const marey::SavedState saved = whole.save();
    marey::Simulation resumed(scene);
    resumed.restore(saved);
    while (whole.time() < 1.2) whole.step();
    while (resumed.time() < 1.2) resumed.step();
    EXPECT_EQ(whole.save().bytes, resumed.save().bytes) << from;
  }
}

// What goes through a joint holds what drives it: a cab of 100 kg that is lifted with 1 m/s².
TEST(Drives, AreAmongWhatTheJointCarries) {
  const recorded::Memory m = recorded::run_text(R"(duration: 0.5 s
figures: {lift: {links: {cab: {joint: {type: slider, axis: z}, shape: {box: [1 m, 1 m, 2 m]}, mass: 100 kg}}}}
drives:
  - {joint: lift.cab, acceleration: 1 m/s^2}
)");
  for (std::size_t i = 0; i < m.rows.size(); i += 5)
    EXPECT_NEAR(m.vec("joint/lift.cab/force", i).z, 100 * (9.81 + 1), 1e-8) << i;
}

TEST(Drives, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& drive, const std::string& why) {
    try {
      fly("  - " + drive + "\n");
      ADD_FAILURE() << drive;
    } catch (const marey::Error& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  refused("{joint: f.upper, slide: 1 cm}", "which hangs on a hinge joint; expected 'angle'");
  refused("{joint: f.head, angle: 1}", "freedom");
  refused("{joint: f.head, freedom: w, velocity: 1}", "x, y or z");
  refused("{joint: f.head, freedom: x, angle: 1}", "velocity, acceleration or locked");
  refused("{joint: f.upper}", "expected angle, slide, velocity, acceleration or locked");
  refused("{joint: f.upper, locked: false}", "true");
  refused("{joint: f.upper, velocity: 1, blend: 1 s}", "blended");
  refused("{joint: f.upper, angle: 50 deg}", "");  // it does not start there
}

}  // namespace drives_test
