// Whole turns of joints in maximal coordinates: a pose does not say how many there were, however far a step goes.
//
// Oracles: the closed form of what spins freely or hangs on a torsion spring, θ = θ₀ + ω t and θ = A sin(ω t); joint
// coordinates, which count turns by themselves, to the error of the methods; and that a step after which turns cannot be told
// ends the run by name. A turn lost is 6.28 rad: no bound here comes near it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "marey/simulation.h"
#include "support/recorded.h"

namespace whole_turns_test {

using recorded::Memory, recorded::run_text;

std::string solver(const char* dynamics, const char* integrator, const char* more = "") {
  return fmt::format("solver: {{dynamics: {}, integrator: {}{}}}\n", dynamics, integrator, more);
}

// The largest difference of a channel between two runs that recorded at the same times.
double apart(const Memory& a, const Memory& b, const std::string& channel) {
  double worst = a.rows.size() == b.rows.size() ? 0 : INFINITY;
  for (std::size_t f = 0; f < std::min(a.rows.size(), b.rows.size()); ++f)
    for (std::size_t k = 0; k < a.at(channel, f).size(); ++k)
      worst = std::max(worst, std::abs(a.at(channel, f)[k] - b.at(channel, f)[k]));
  return worst;
}

// A wheel, and a wheel on its axle that goes round the other way, seen from it twice as fast.
constexpr const char* wheels = R"(
gravity: 0
duration: 4 s
record: {every: 0.25 s}
figures:
  mill:
    links:
      wheel:
        joint: {type: hinge, axis: [1, 2, 0.5]}
        mass: 1 kg
        inertia: {diagonal: [0.02 kg m^2, 0.02 kg m^2, 0.02 kg m^2]}
        start: {angle: 400 deg, rate: 12 rad/s}
      counter:
        parent: wheel
        joint: {type: hinge, axis: [1, 2, 0.5]}
        mass: 1 kg
        inertia: {diagonal: [0.01 kg m^2, 0.01 kg m^2, 0.01 kg m^2]}
        start: {rate: -24 rad/s}
)";

// θ = θ₀ + ω t at every recorded instant, within steps and at their ends, whatever the method.
TEST(WholeTurns, AFreeHingeCountsThemUnderEveryMethod) {
  for (const char* method : {"rk45", "adams", "bdf", "rk45, tolerance: 1e-2", "rk45, tolerance: 1e-10",
                             "rk4, step: 0.4 s", "rk4, step: 10 ms", "euler_second, step: 0.3 s",
                             "semi_implicit, step: 0.3 s", "midpoint, step: 0.05 s", "euler, step: 2 ms"}) {
    const Memory m = run_text(wheels + solver("multipliers", method));
    ASSERT_TRUE(m.summary.breakdown.empty()) << method << ": " << m.summary.breakdown;
    double worst = 0;
    for (std::size_t f = 0; f < m.rows.size(); ++f) {
      worst = std::max(worst, std::abs(m.number("joint/mill.wheel/angle", f) - (400 * M_PI / 180 + 12 * m.time(f))));
      worst = std::max(worst, std::abs(m.number("joint/mill.counter/angle", f) + 24 * m.time(f)));
    }
    // Spins about fixed axes are exact, but for Euler's turn, which lags by (h ω)³/12 of each step: (h ω)² ω t/12. Adams and
    // BDF turn the numbers of quaternions, to about their tolerance (0.1 per step and turn).
    const double bound = std::string_view(method).starts_with("euler,") ? std::pow(0.024, 2) * 24 * 4 / 12 * 1.1
                         : method[0] == 'a' || method[0] == 'b'         ? 1e-3
                                                                        : 1e-9;
    std::printf("%-24s off by %.1e rad (bound %.0e)\n", method, worst, bound);
    EXPECT_LE(worst, bound) << method;
  }
}

// A torsion spring lets the wheel swing by 20 rad to either side: the force depends on the turn, in trial evaluations too, and a
// step spans a good part of a swing. A = ω₀ √(J/k).
TEST(WholeTurns, ASpringOverSeveralTurns) {
  const double k = 0.5, rate = 100, w = std::sqrt(k / 0.02);
  for (const char* method : {"rk45", "rk45, tolerance: 1e-3", "adams", "bdf", "rk4, step: 20 ms"}) {
    const Memory m = run_text(fmt::format(R"(
gravity: 0
duration: 3 s
record: {{every: 0.1 s}}
torques: [{{free_play: {{joint: mill.wheel, from: 0 deg, to: 0 deg, slope: {} N m/rad}}}}]
figures:
  mill:
    links:
      wheel:
        joint: {{type: hinge, axis: [1, 2, 0.5]}}
        mass: 1 kg
        inertia: {{diagonal: [0.02 kg m^2, 0.02 kg m^2, 0.02 kg m^2]}}
        start: {{rate: {} rad/s}}
)",
                                          k, rate) +
                              solver("multipliers", method));
    ASSERT_TRUE(m.summary.breakdown.empty()) << method << ": " << m.summary.breakdown;
    double worst = 0;
    for (std::size_t f = 0; f < m.rows.size(); ++f)
      worst = std::max(worst, std::abs(m.number("joint/mill.wheel/angle", f) - rate / w * std::sin(w * m.time(f))));
    // Tolerances are per step of what is 20 rad and 100 rad/s large, and 15 rad of phase go by; rk4 lags by
    // (h w)⁴/120 of its phase.
    const double bound = std::string_view(method).find("1e-3") != std::string_view::npos ? 1 : 0.02;
    std::printf("%-24s off by %.1e rad (bound %.0e)\n", method, worst, bound);
    EXPECT_LE(worst, bound) << method;
  }
}

// Every joint that turns, fast, beside joint coordinates.
TEST(WholeTurns, EveryJointCountsAsJointCoordinatesDo) {
  struct Case {
    const char *joint, *start;
  };
  for (const Case& c :
       {Case{"{type: hinge, axis: z}", "{rate: 30 rad/s}"},
        Case{"{type: cylindrical, axis: z}", "{rates: {angle: 30 rad/s, slide: 0.2 m/s}}"},
        Case{"{type: planar, axis: z}", "{rates: {along: 0.1 m/s, across: 0.2 m/s, angle: 30 rad/s}}"},
        Case{"{type: universal, axes: [z, y]}", "{rates: {first: 30 rad/s}}"},
        Case{"{type: screw, axis: z, pitch: 3 mm}", "{rates: {angle: 30 rad/s}}"},
        Case{"{type: custom, coordinates: [turn], angles: {about_z: {slope: 1}}}", "{rates: {turn: 30 rad/s}}"}}) {
    const std::string scene = fmt::format(R"(
gravity: 0
duration: 3 s
record: {{every: 0.1 s}}
figures:
  mill:
    links:
      base: {{joint: weld, mass: 1 kg, inertia: {{diagonal: [1, 1, 1]}}}}
      wheel:
        parent: base
        joint: {}
        mass: 1 kg
        inertia: {{diagonal: [0.02 kg m^2, 0.02 kg m^2, 0.03 kg m^2]}}
        start: {}
)",
                                          c.joint, c.start);
    const Memory a = run_text(scene + solver("aba", "rk45, tolerance: 1e-8"));
    for (const char* method :
         {"rk45, tolerance: 1e-8", "adams, tolerance: 1e-8", "bdf, tolerance: 1e-7", "rk4, step: 0.09 s"}) {
      const Memory b = run_text(scene + solver("multipliers", method));
      ASSERT_TRUE(b.summary.breakdown.empty()) << c.joint << method << ": " << b.summary.breakdown;
      int compared = 0;
      for (const marey::Channel& channel : a.header.channels) {
        if (channel.name != "joint/mill.wheel/angle" && channel.name != "joint/mill.wheel/coordinate") continue;
        EXPECT_LE(apart(a, b, channel.name), 1e-4) << c.joint << " " << method << " " << channel.name;
        ++compared;
      }
      EXPECT_GE(compared, 1) << c.joint;
    }
  }
}

// Random mills: three wheels on skew shafts, with stops far out, a drive, gears or a couple, and some friction.
std::string random_mill(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  std::string text = "gravity: 0\nduration: 2 s\nrecord: {every: 0.1 s}\nfigures:\n  mill:\n    links:\n";
  const double a_x = between(-1, 1), a_y = between(-1, 1), a_z = between(0.2, 1);
  const std::string axis = fmt::format("[{:.3f}, {:.3f}, {:.3f}]", a_x, a_y, a_z);
  const bool driven = seed % 2 == 0, coupled = seed % 3 == 0;
  const double fast = std::round(between(15, 40));
  for (int i = 0; i < 3; ++i)
    text += fmt::format(
        "      w{}: {{at: [{} cm, 0, 0], joint: {{type: hinge, axis: {}}}, mass: 1 kg, inertia: {{diagonal: [0.02 kg "
        "m^2, 0.02 kg m^2, "
        "0.02 kg m^2]}}, friction: {:.4f} N m s/rad, start: {{rate: {:.3f} rad/s}}}}\n",
        i, 10 * i, axis, between(0, 0.002),
        i == 0 && driven    ? 12
        : i == 1 && coupled ? -2 * fast
                            : fast);
  const double from = between(-9, -4), to = between(7, 30), slope = between(0.5, 3);
  text += fmt::format(
      "torques:\n  - free_play: {{joint: mill.w2, from: {:.2f} rad, to: {:.2f} rad, slope: {:.2f} N m/rad}}\n", from,
      to, slope);
  if (driven) text += "drives: [{joint: mill.w0, angle: '12*t + 0.5*t^2'}]\n";
  if (coupled && driven)
    text += "constraints: [{gears: {name: mesh, a: mill.w1, b: mill.w2, teeth: [20, 40]}}]\n";
  else if (coupled)
    text += "constraints: [{couple: {name: mesh, joints: {mill.w1: 1, mill.w2: 2}}}]\n";
  return text;
}

TEST(WholeTurns, StopsDrivesAndGearsAreThoseOfJointCoordinates) {
  double furthest = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const std::string scene = random_mill(seed);
    const Memory a = run_text(scene + solver("aba", "rk45, tolerance: 1e-8"));
    for (const char* method : {"rk45", "adams", "bdf"}) {
      const Memory b = run_text(scene + solver("multipliers", fmt::format("{}, tolerance: 1e-7", method).c_str()));
      ASSERT_TRUE(b.summary.breakdown.empty()) << seed << method << b.summary.breakdown;
      for (int i = 0; i < 3; ++i) {
        const std::string angle = fmt::format("joint/mill.w{}/angle", i);
        EXPECT_LE(apart(a, b, angle), 1e-2) << seed << " " << method << " " << angle << "\n" << scene;
        furthest = std::max(furthest, std::abs(a.number(angle, a.rows.size() - 1)));
      }
      EXPECT_NEAR(a.summary.ledger.energy_residual_relative, b.summary.ledger.energy_residual_relative, 1e-4);
    }
  }
  EXPECT_GE(furthest, 6 * M_PI);
}

// A step so long that what it has turned cannot be told: said, not guessed. Euler's turn is 2 atan(h ω/2), never half a turn.
TEST(WholeTurns, WhereTheyCannotBeToldTheRunEnds) {
  const Memory m = run_text(wheels + solver("multipliers", "euler, step: 0.3 s"));
  EXPECT_NE(m.summary.breakdown.find("turns"), std::string::npos) << m.summary.breakdown;
  EXPECT_NE(m.summary.breakdown.find("mill."), std::string::npos) << m.summary.breakdown;
  EXPECT_NE(m.summary.breakdown.find("step"), std::string::npos) << m.summary.breakdown;
}

// Broken off and gone on with, bit for bit; and a delayed reflex that looks back over several turns.
TEST(WholeTurns, SurviveACheckpointAndAreKnownOfThePast) {
  const std::string late =
      std::string(wheels) +
      "torques: [{reflex: {joint: mill.wheel, target: 100 rad, stiffness: 1 mN m/rad, delay: 0.7 s}}]\n";
  const Memory a = run_text(late + solver("aba", "rk45, tolerance: 1e-9"));
  const Memory b = run_text(late + solver("multipliers", "rk45, tolerance: 1e-9"));
  EXPECT_LE(apart(a, b, "joint/mill.wheel/angle"), 1e-6);
  const marey::Scene scene = marey::parse_scene("marey: 1\n" + late + solver("multipliers", "rk45"), "test.yaml");
  marey::Simulation whole(scene), first(scene), second(scene);
  whole.run_until(4);
  while (first.time() < 1.5) first.step(4);
  second.restore(first.save());
  second.run_until(4);
  EXPECT_EQ(whole.state().q, second.state().q);
}

}  // namespace whole_turns_test
