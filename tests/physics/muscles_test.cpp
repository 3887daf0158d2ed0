// Muscles: torques with a memory of their own (src/force/kinds/muscle.cpp), against closed forms.
//
// A wheel of inertia J turns at −w₀ and stretches a muscle that pulls towards larger angles; Δ is the stretch.
//   S = S_max (1 − exp(−c Δ/S_max)),   ½ J w₀² = ½ J w² + S_max (Δ − (S_max/c)(1 − exp(−c Δ/S_max)))                (1)
// so that it comes back as fast as it came, and goes on so, since a muscle does not push.
// A muscle stretched at the constant rate u, whose control reads a bob that swings as ż = v₀ cos Ωt; it starts at t₀, reacts T later:
//   S = c u [(t − t₀) + a (∫ w − (t − t₀ − T)) from t₀ + T on],   w = cos Ω(t − T)/cos Ωt₀                          (2)
// The same without control, no faster than r, to S_max:  S = r t until S₁ = S_max (1 − r/(c u)), from then on
//   S = S_max − (S_max − S₁) exp(−c u (t − t₁)/S_max)                                                                (3)
// A mass m that falls on one without gravity, a = 1, S_max → ∞: with V = −ż, V̇ = −S/m and Ṡ = c V²/V₀, so that
//   ½ V̇² = c (V₀³ − V³)/(3 m V₀)   and where it stands still S = V₀ √(2 c m/3)                                      (4)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/world.h"
#include "support/recorded.h"

namespace marey::muscles_test {
namespace {

constexpr double J = 0.3, w_0 = 2, c = 20, most = 4;

Scene read(const std::string& text) { return parse_scene("marey: 1\ngravity: 0\n" + text, "muscles.yaml"); }

Scene wheel(const std::string& solver) {
  return read(
      fmt::format("duration: 1\nsolver: {}\nfigures: {{f: {{links: {{wheel: {{joint: {{type: hinge, axis: z}}, mass: 1 "
                  "kg, inertia: {{diagonal: [{}, {}, {}]}}, start: {{rate: {}}}}}}}}}}}\ntorques:\n  - muscle: {{name: "
                  "m, joint: f.wheel, towards: larger, stiffness: {}, most: {}}}\nrecord: {{every: 0.01}}\n",
                  solver, J, J, J, -w_0, c, most));
}

// (1), while it is stretched, and after it has become slack.
TEST(Muscles, AreSpringsThatOnlyPull) {
  recorded::Memory m;
  const RunSummary s = run(wheel("{integrator: rk4, step: 1 ms}"), m);
  bool slack = false;
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double angle = m.number("joint/f.wheel/angle", i), rate = m.number("joint/f.wheel/velocity", i);
    const double S = m.number("element/m/torque", i), stretch = std::max(-angle, 0.0);
    slack = slack || angle > 0.01;
    error = std::max(error, std::abs(S - most * (1 - std::exp(-c * stretch / most))));
    const double stored = most * (stretch - most / c * (1 - std::exp(-c * stretch / most)));
    energy = std::max(energy, std::abs(0.5 * J * (rate * rate - w_0 * w_0) + stored));
  }
  std::printf("a muscle as a spring: torque %.1e N m, energy %.1e J off\n", error, energy);
  EXPECT_TRUE(slack);
  EXPECT_LT(error, 1e-8 * most);  // rk4: (ω h)⁴/120 with ω = √(c/J) = 8, twice
  EXPECT_LT(energy, 1e-8);
  EXPECT_LT(s.ledger.energy_residual_relative, 1e-8);
  EXPECT_NEAR(m.number("joint/f.wheel/velocity", m.rows.size() - 1), w_0, 1e-8);
}

TEST(Muscles, KeepTheOrderOfTheMethodThroughTheirEvents) {
  const auto error = [](Integrator method, double h) {
    const Scene scene = wheel(fmt::format("{{integrator: {}, step: {:.17g}}}", name_of(method), h));
    World world(scene);
    while (world.time() < 1) world.step(1);
    return std::abs(world.state().v[0] - w_0);
  };
  for (const auto& [method, step] :
       {std::pair{Integrator::semi_implicit, 0.001}, {Integrator::midpoint, 0.0093}, {Integrator::rk4, 0.0136}}) {
    const double coarse = error(method, step), fine = error(method, step / 4), order = 0.5 * std::log2(coarse / fine);
    std::printf("%-13s steps of %.5f s: error %.1e, order %.2f\n", name_of(method), step / 4, fine, order);
    EXPECT_GT(order, order_of(method) - 0.35) << name_of(method);
  }
  for (const char* method : {"rk45", "adams", "bdf"}) {
    const Scene scene = wheel(fmt::format("{{integrator: {}, tolerance: 1e-8}}", method));
    World world(scene);
    while (world.time() < 1) world.step(1);
    EXPECT_NEAR(world.state().v[0], w_0, 1e-5) << method;
  }
}

// ---- reaction times
constexpr double u = 1.5, Omega = 5, v_0 = 0.7, t_0 = 0.123, T = 0.1, a = 0.5;

Scene controlled(const std::string& solver, double delay = T) {
  return read(fmt::format(
      "duration: 1\nsolver: {}\nfigures:\n  f: {{links: {{wheel: {{joint: {{type: hinge, axis: z}}, mass: 1 kg, "
      "inertia: "
      "{{sphere: 10 cm}}, start: {{rate: {}}}}}}}}}\n  g: {{links: {{bob: {{joint: {{type: slider, axis: z}}, mass: 2 "
      "kg, "
      "inertia: {{sphere: 10 cm}}, start: {{speed: {}}}}}}}}}\ntorques:\n  - free_play: {{joint: g.bob, from: 0 m, to: "
      "0 m, "
      "slope: {}}}\n  - muscle: {{name: m, joint: f.wheel, towards: larger, stiffness: {}, most: 1e11, control: {}, "
      "delay: {}, body: g.bob, from: {}}}\ndrives:\n  - {{joint: f.wheel, velocity: {}}}\nrecord: {{every: 0.037}}\n",
      solver, -u, -v_0, 2 * Omega * Omega, c, a, delay, t_0, -u));
}
double controlled_at(double t, double delay = T) {  // (2)
  if (t <= t_0) return 0;
  const double since = t - t_0 - delay;
  if (since <= 0) return c * u * (t - t_0);
  const double seen = (std::sin(Omega * (t - delay)) - std::sin(Omega * t_0)) / (Omega * std::cos(Omega * t_0));
  return c * u * ((t - t_0) + a * (seen - since));
}
double error_of(const std::string& solver, double delay = T) {
  recorded::Memory m;
  run(controlled(solver, delay), m);
  double error = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    error = std::max(error, std::abs(m.number("element/m/torque", i) - controlled_at(m.time(i), delay)));
  return error;
}

TEST(Muscles, ReactALittleLater) {
  for (const auto& [method, step] : {std::pair{Integrator::semi_implicit, 0.001},
                                     {Integrator::midpoint, 0.005},
                                     {Integrator::rk4, 0.01},
                                     {Integrator::rk4, 0.0136}}) {
    const auto error = [&, m = method](double h) {
      return error_of(fmt::format("{{integrator: {}, step: {:.17g}}}", name_of(m), h));
    };
    const double coarse = error(step), fine = error(step / 2), order = std::log2(coarse / fine);
    std::printf("%-13s steps of %.5f s: error %.1e N m, order %.2f\n", name_of(method), step / 2, fine, order);
    EXPECT_GT(order, order_of(method) - 0.3) << name_of(method) << ' ' << step;
  }
  for (const char* method : {"rk45", "adams", "bdf"})
    EXPECT_LT(error_of(fmt::format("{{integrator: {}, tolerance: 1e-8}}", method)), 1e-4) << method;
  const double coarse = error_of("{contact: stepping, step: 2 ms}"), fine = error_of("{contact: stepping, step: 1 ms}");
  std::printf("in steps of 1 ms: error %.1e N m, order %.2f\n", fine, std::log2(coarse / fine));
  EXPECT_LT(fine, 2e-2);
  EXPECT_GT(std::log2(coarse / fine), 0.7);
  EXPECT_LT(error_of("{integrator: rk4, step: 5 ms}", 0), 1e-5);
}

class MuscleCheckpoints : public ::testing::TestWithParam<const char*> {};
TEST_P(MuscleCheckpoints, GoOnBitForBit) {
  const Scene scene = controlled(GetParam());
  World whole(scene), resumed(scene);
  while (whole.time() < 0.19) whole.step(1);  // it has started, and has not reacted yet
  for (int i = 0; i < 2000 && !whole.may_save(); ++i) whole.step(1);
  ASSERT_TRUE(whole.may_save());
  const std::vector<std::byte> saved = whole.save();
  while (whole.time() < 1) whole.step(1);
  resumed.restore(saved);
  while (resumed.time() < 1) resumed.step(1);
  EXPECT_EQ(whole.state().q, resumed.state().q);
  EXPECT_EQ(whole.state().v, resumed.state().v);
  EXPECT_EQ(whole.state().z, resumed.state().z);
  EXPECT_TRUE(std::ranges::equal(whole.integrals(), resumed.integrals()));
}
INSTANTIATE_TEST_SUITE_P(Every, MuscleCheckpoints,
                         ::testing::Values("{integrator: semi_implicit, step: 3 ms}", "{integrator: rk4, step: 3 ms}",
                                           "{integrator: midpoint, step: 3 ms}", "{integrator: rk45, tolerance: 1e-7}",
                                           "{integrator: adams, tolerance: 1e-7}", "{integrator: bdf, tolerance: 1e-6}",
                                           "{contact: stepping, step: 3 ms}"));

// ---- bounds
TEST(Muscles, GrowNoFasterThanTheyCan) {  // (3)
  constexpr double rise = 0.4, rate = most / rise, until = 0.8;
  const Scene scene = read(fmt::format(
      "duration: 1.2\nsolver: {{integrator: rk4, step: 7 ms}}\nfigures:\n  f: {{links: {{wheel: {{joint: {{type: "
      "hinge, "
      "axis: z}}, mass: 1 kg, inertia: {{sphere: 10 cm}}, start: {{rate: {}}}}}}}}}\ntorques:\n  - muscle: {{name: m, "
      "joint: f.wheel, towards: larger, stiffness: {}, most: {}, rise: {}, until: {}, release: 50 ms}}\ndrives:\n  - "
      "{{joint: f.wheel, velocity: {}}}\nrecord: {{every: 0.01}}\n",
      -u, c, most, rise, until, -u));
  recorded::Memory m;
  run(scene, m);
  const double S_1 = most * (1 - rate / (c * u)), t_1 = S_1 / rate;
  ASSERT_GT(t_1, 0.1);
  const auto grown = [&](double t) {
    return t < t_1 ? rate * t : most - (most - S_1) * std::exp(-c * u * (t - t_1) / most);
  };
  double error = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.time(i), expected = t <= until ? grown(t) : grown(until) * std::exp(-(t - until) / 0.05);
    error = std::max(error, std::abs(m.number("element/m/torque", i) - expected));
  }
  std::printf("no faster than it can: %.1e N m off\n", error);
  EXPECT_LT(error, 2e-5);  // rk4: (h/50 ms)⁵/120 a step, of 4 N m
}

TEST(Muscles, StopWhoComesDown) {  // (4)
  constexpr double mass = 3, V = 4, stiff = 200;
  const Scene scene = read(fmt::format(
      "duration: 2\nsolver: {{integrator: rk45, tolerance: 1e-11}}\nfigures: {{f: {{links: {{mass: {{joint: {{type: "
      "slider, "
      "axis: z}}, mass: {}, inertia: {{sphere: 10 cm}}, start: {{slide: 1 m, speed: {}}}}}}}}}}}\ntorques:\n  - "
      "muscle: {{name: m, joint: f.mass, towards: larger, stiffness: {}, most: 1e12, control: 1, when: {{height_of: "
      "f.mass, below: 0.4}}}}\n",
      mass, -V, stiff));
  World world(scene);
  while (world.time() < 0.149) world.step(0.149);
  EXPECT_EQ(world.state().z[0], 0);
  double v_last = world.state().v[0], S_last = 0;
  while (world.state().v[0] < 0) v_last = world.state().v[0], S_last = world.state().z[0], world.step(2);
  const double part = v_last / (v_last - world.state().v[0]);
  const double S = S_last + part * (world.state().z[0] - S_last), expected = V * std::sqrt(2 * stiff * mass / 3);
  std::printf("where it stands still: %.6f N, expected %.6f N\n", S, expected);
  EXPECT_NEAR(S, expected, 1e-5 * expected);
}

// Relaxed until an angle is passed, active from there, frozen where another is passed, the muscle let go while it is frozen, and relaxed
// again, so that a small torque alone moves it: φ̈ = τ/J from rest.
TEST(Muscles, LeaveJointsActiveFrozenAndRelaxed) {
  const recorded::Memory m = recorded::run_text(
      "duration: 2\ngravity: 0\nsolver: {integrator: rk4, step: 1 ms}\nfigures: {f: {links: {wheel: {joint: {type: "
      "hinge, axis: "
      "z}, mass: 1 kg, inertia: {diagonal: [0.1, 0.1, 0.1]}, start: {rate: -2}}}}}\ntorques:\n  - muscle: {name: m, "
      "joint: f.wheel, "
      "towards: larger, stiffness: 2, most: 4, when: {angle_of: f.wheel, below: -0.2}, until: 1 s}\n  - torque: "
      "{joint: f.wheel, "
      "value: 0.05 N m, from: 1.5 s}\ndrives:\n  - {joint: f.wheel, locked: true, when: {angle_of: f.wheel, below: "
      "-0.35}, until: 1.4 "
      "s}\nrecord: {every: 10 ms}\n");
  const auto at = [&](double t) { return static_cast<std::size_t>(std::lround(t / 0.01)); };
  const auto angle = [&](double t) { return m.number("joint/f.wheel/angle", at(t)); };
  const auto torque = [&](double t) { return m.number("element/m/torque", at(t)); };
  EXPECT_NEAR(angle(0.09), -0.18, 1e-12);
  EXPECT_EQ(torque(0.09), 0);
  EXPECT_NEAR(torque(0.15), 4 * (1 - std::exp(-2 * (-0.2 - angle(0.15)) / 4)), 1e-9);
  EXPECT_NEAR(angle(0.9), -0.35, 1e-9);
  EXPECT_NEAR(torque(0.9), 4 * (1 - std::exp(-2 * 0.15 / 4)), 1e-9);
  EXPECT_EQ(torque(1.1), 0);
  EXPECT_NEAR(angle(1.45), -0.35, 1e-9);
  EXPECT_NEAR(angle(2), -0.35 + 0.5 * (0.05 / 0.1) * 0.25, 1e-9);
  EXPECT_LT(m.summary.ledger.energy_residual_relative, 1e-9);
}

TEST(Muscles, SayWhatTheyCannot) {
  const auto says = [](const std::string& body, const std::string& expected) {
    try {
      read(
          "duration: 1\nfigures: {f: {links: {wheel: {joint: {type: hinge, axis: z}, mass: 1 kg, inertia: {sphere: 10 "
          "cm}}}}}\ntorques:\n  - muscle: {joint: f.wheel, " +
          body + "}\n");
      ADD_FAILURE() << body << " was taken";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  };
  says("stiffness: 1, most: 1", "found no 'towards'");
  says("towards: up, stiffness: 1, most: 1", "expected smaller or larger");
  says("towards: larger, stiffness: 1, most: 1, delay: 0.1", "'delay'");
  says("towards: larger, stiffness: 1, most: 1, rise: 0", "'0'");
  says("towards: larger, stiffness: 1 N, most: 1", "a turning stiffness");
}

}  // namespace
}  // namespace marey::muscles_test
