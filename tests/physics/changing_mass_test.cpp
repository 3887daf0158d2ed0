// Particles whose mass changes (W9), against closed forms; with c the speed of a jet, k = |ṁ| and m = m₀ ∓ k t:
//   rocket, jet downwards     v = c ln(m₀/m) − g t,  z = c [(m₀ − m) − m ln(m₀/m)]/k − ½ g t²        (1)  Tsiolkovsky 1903
//   drop that gathers mist at rest            m v = −g ∫ m dt = −g (m₀ t + ½ k t²)                   (2)
//   mass that leaves without a push (u = v)   moves as if the mass had stayed, with forces ∝ m       (3)
// Of (1), v̇ depends on time alone, so that what methods of fixed step make of it is known: with f = v̇
//   Euler's sums are off by ½ h [f(T) − f(0)] in size, Simpson's, which are rk4's, by h⁴/2880 [f‴(T) − f‴(0)]      (4)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/force/mass_flow.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/recorded.h"

namespace marey::changing_mass_test {
namespace {

using recorded::Memory;

constexpr double g = 9.81, c = 800, m0 = 100, k = 15, T = 5;

// Burns for 5 s, coasts for one.
std::string rocket(const std::string& solver, double duration = 6, double gravity = g) {
  return fmt::format(R"(marey: 1
duration: {} s
gravity: {}
solver: {}
record: {{every: 0.25 s}}
particles: {{rocket: {{points: {{body: {{position: [0, 0, 0], mass: 100 kg}}}}}}}}
forces: [{{mass_flow: {{links: rocket.body, mass: [[0 s, 100 kg], [5 s, 25 kg]], velocity: [0, 0, -800 m/s], relative: true, name: jet}}}}]
)",
                     duration, gravity, solver);
}
struct Flight {
  double m, v, z;
};
Flight flight(double t) {
  const double burnt = std::min(t, T), m = m0 - k * burnt, ln = std::log(m0 / m);
  const double z = c * ((m0 - m) - m * ln) / k, v = c * ln;
  return {m, v - g * t, z + v * (t - burnt) - 0.5 * g * t * t};
}

Memory recorded_run(const std::string& text, double closed = 1e-9) {
  Memory memory;
  const RunSummary s = run(parse_scene(text, "test.yaml"), memory);
  EXPECT_EQ(s.breakdown, "");
  EXPECT_TRUE(s.ledger.closed);
  EXPECT_LE(s.ledger.energy_residual_relative, closed);
  EXPECT_LE(s.ledger.linear_momentum_residual_relative, closed);
  EXPECT_LE(s.ledger.angular_momentum_residual_relative, closed);
  return memory;
}

// ------------------------------------------------------------------------------------------------ closed forms
TEST(ChangingMass, ARocketIsTsiolkovskys) {
  const Memory m = recorded_run(rocket("{integrator: rk45, tolerance: 1e-10}"));
  ASSERT_EQ(m.rows.size(), 25u);
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Flight f = flight(m.number("time", i));
    EXPECT_NEAR(m.number("link/rocket.body/mass", i), f.m, 1e-12 * m0);
    EXPECT_NEAR(m.vec("link/rocket.body/velocity", i).z, f.v, 1e-8 * c);  // 100 × the tolerance
    EXPECT_NEAR(m.vec("link/rocket.body/position", i).z, f.z, 1e-8 * c * T);
    // The momentum is that of what is left; the force on it, m v̇, is the thrust k c and its weight.
    EXPECT_NEAR(m.vec("momentum/linear", i).z, f.m * f.v, 1e-8 * m0 * c);
    const double thrust = m.number("time", i) < T - 1e-9 ? k * c : 0;
    if (std::abs(m.number("time", i) - T) > 1e-9) {
      EXPECT_NEAR(m.vec("link/rocket.body/acceleration", i).z, thrust / f.m - g, 1e-8 * c);
    }
  }
}

// The jet's work is what becomes of the fuel's energy, ½ k c² per second, less what the burnt fuel takes along.
TEST(ChangingMass, TheJetsWorkIsTheFuelsLessWhatItTakesAlong) {
  const Memory m = recorded_run(rocket("{integrator: rk45, tolerance: 1e-11}", 5, 0));
  // Without gravity: W = ∫ −k (u·v − ½ v²) dt with u = v − c, and T = ½ m v².
  const double v = flight(T).v + g * T, kinetic = 0.5 * (m0 - k * T) * v * v;
  EXPECT_NEAR(m.number("element/jet/work", m.rows.size() - 1), kinetic, 1e-8 * kinetic);
  const double power = -k * ((v - c) * v - 0.5 * v * v);
  EXPECT_NEAR(m.number("element/jet/power", m.rows.size() - 2) / power, 1, 0.2);  // a quarter of a second before
}

TEST(ChangingMass, ADropThatGathersMistAtRest) {
  const Memory m = recorded_run(R"(marey: 1
duration: 4 s
solver: {integrator: rk45, tolerance: 1e-10}
record: {every: 0.5 s}
particles: {drop: {points: [{position: [1, 2, 50], mass: 2 g}]}}
forces: [{mass_flow: {links: drop.1, mass: '0.002 + k*t', constants: {k: 0.001}, name: mist}}]
)");
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.number("time", i), mass = 0.002 + 0.001 * t;
    EXPECT_NEAR(m.vec("link/drop.1/velocity", i).z, -g * (0.002 * t + 0.0005 * t * t) / mass, 1e-8 * g * 4);  // (2)
    EXPECT_NEAR(m.number("link/drop.1/mass", i), mass, 1e-15);
  }
}

// What joins at a speed of its own: a sled in rain that comes along with u keeps u, whatever joins.
TEST(ChangingMass, WhatComesAlongDoesNotSlowDown) {
  const Memory m = recorded_run(R"(marey: 1
duration: 2 s
gravity: 0
solver: {integrator: rk4, step: 10 ms}
particles: {sled: {points: [{position: [0, 1, 0], mass: 1 kg, velocity: [3, -1, 2]}]}}
forces: [{mass_flow: {links: sled.1, mass: [[0 s, 1 kg], [2 s, 4 kg]], curve: smooth, velocity: [3, -1, 2]}}]
)");
  const std::size_t end = m.rows.size() - 1;
  EXPECT_NEAR(norm(m.vec("link/sled.1/velocity", end) - Vec3<double>{3, -1, 2}), 0, 1e-14);
  // The kinetic energy of 3 kg, and what Simpson's rule adds by (4): of f = ½ u² ṁ, with m = 1 + 3 (6 s⁵ − 15 s⁴ + 10 s³) and
  // s = t/2, f‴(2) − f‴(0) = 7 · 3/2 · 720/8.
  EXPECT_NEAR(m.number("energy/work", end), 0.5 * 3 * 14 + 1e-8 / 2880 * 945, 1e-12 * 42);
}

// The gallery's three rockets, which burn the same fuel in 20, 40 and 80 s: when it is gone they are equally fast, and not equally
// high. With B the time of burning, z = c B (1 − (m₁/(m₀ − m₁)) ln(m₀/m₁)) + c ln(m₀/m₁) (t − B) − ½ g t² by (1).
TEST(ChangingMass, TheGallerysRockets) {
  Memory m;
  run(load_scene(MAREY_SOURCE_DIR "/gallery/rocket.yaml"), m);
  const std::size_t end = m.rows.size() - 1;
  const double ln5 = std::log(5.0), jet = 2000, t = 90;
  for (const auto& [name, burns] : {std::pair{"quick", 20.0}, {"even", 40.0}, {"slow", 80.0}}) {
    const std::string link = std::string("link/rocket.") + name + "/";
    EXPECT_NEAR(m.number(link + "mass", end), 100, 1e-10);
    EXPECT_NEAR(m.vec(link + "velocity", end).z, jet * ln5 - g * t, 1e-7 * jet);  // 100 × the tolerance
    EXPECT_NEAR(m.vec(link + "position", end).z,
                jet * burns * (1 - ln5 / 4) + jet * ln5 * (t - burns) - 0.5 * g * t * t, 1e-7 * jet * t);
  }
}

// And its drops: m v = −g (m₀ t + ½ k t²) + k t u.
TEST(ChangingMass, TheGallerysDrops) {
  Memory m;
  run(load_scene(MAREY_SOURCE_DIR "/gallery/raindrops.yaml"), m);
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.number("time", i), gathered = t / (1 + t), fall = -g * (t + 0.5 * t * t) / (1 + t);
    EXPECT_NEAR(m.vec("link/drop.plain/velocity", i).z, -g * t, 1e-7 * g);
    EXPECT_NEAR(m.vec("link/drop.slow/velocity", i).z, fall, 1e-7 * g);
    EXPECT_NEAR(m.vec("link/drop.along/velocity", i).z, fall - 5 * gathered, 1e-7 * g);
  }
}

// --------------------------------------------------------------------------------------- with what else acts
// (3): on a rod, and with everything that the rod and a floor have to do with it in proportion to the mass.
TEST(ChangingMass, ALeakyPendulumSwingsAsAnother) {
  for (const char* dynamics : {"aba", "crba", "dense", "multipliers"}) {
    SCOPED_TRACE(dynamics);
    const auto pendulum = [&](const std::string& forces) {
      return fmt::format(R"(marey: 1
duration: 1.5 s
solver: {{dynamics: {}, integrator: rk4, step: 1 ms}}
record: {{every: 0.1 s}}
particles: {{bob: {{points: [{{position: [1, 0, 0], mass: 3 kg}}]}}}}
constraints: [{{rod: {{a: world, b: bob.1, name: rod}}}}]
{})",
                         dynamics, forces);
    };
    const Memory whole = recorded_run(pendulum("")),
                 leaky = recorded_run(
                     pendulum("forces: [{mass_flow: {links: bob.1, mass: '3*exp(-t)', relative: true, name: leak}}]"));
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
      const double share = std::exp(-whole.number("time", i));
      EXPECT_NEAR(norm(leaky.vec("link/bob.1/position", i) - whole.vec("link/bob.1/position", i)), 0, 1e-11);
      EXPECT_NEAR(norm(leaky.vec("constraint/rod/force", i) - share * whole.vec("constraint/rod/force", i)), 0, 1e-8);
    }
  }
}

// A heap that grows on the floor by what falls on it slowly: the floor carries its weight, and what it takes to stop the rest,
// ṁ w for a speed w of arrival.
TEST(ChangingMass, AFloorCarriesWhatGrowsOnIt) {
  for (const char* dynamics : {"aba", "multipliers"}) {
    const Memory m = recorded_run(fmt::format(R"(marey: 1
duration: 2 s
solver: {{dynamics: {}, integrator: rk4, step: 5 ms}}
record: {{every: 0.5 s}}
particles: {{heap: {{radius: 1 cm, points: [{{position: [0, 0, 1 cm], mass: 1 kg}}]}}}}
contacts: [{{link: heap.1, name: floor}}]
forces: [{{mass_flow: {{links: heap.1, mass: '1 + 2*t', velocity: [0, 0, -4 m/s]}}}}]
)",
                                              dynamics));
    for (std::size_t i = 0; i < m.rows.size(); ++i)
      EXPECT_NEAR(m.vec("contact/floor/force", i).z, (1 + 2 * m.number("time", i)) * g + 2 * 4, 1e-9);
  }
}

// Where potentials depend on masses, what joins brings its share of them: all kinds that do, in one account.
TEST(ChangingMass, PotentialsComeAlong) {
  const std::string text = R"(marey: 1
duration: 2 s
gravity: [0.3, 0, -1]
solver: {integrator: rk45, tolerance: 1e-11}
ledger: {closed_within: 1e-9}
frame: {angular_velocity: [0, 0, 0.4]}
particles:
  p:
    points:
      a: {position: [1, 0, 0.2], velocity: [0, 1, 0], mass: 2 kg}
      b: {position: [-1, 0.3, 0], velocity: [0, -0.8, 0], mass: 1 kg}
      d: {position: [0, 2, 1], mass: 1 kg}
forces:
  - attraction: {links: p.*, to: [0, 0, 5], strength: 3}
  - attraction: {links: p.*, constant: 1, softening: 0.1}
  - field: {links: [p.a, p.d], force: ['-m*x', '-2*m*m*y', 0], potential: 'm*x^2/2 + m*m*y^2'}
  - spring: {link: p.a, to: p.b, stiffness: 2 N/m, damping: 0.3 N s/m}
  - mass_flow: {links: p.a, mass: '2 + sin(t)', velocity: [1, 0, 2]}
  - mass_flow: {links: p.b, mass: [[0 s, 1 kg], [0.7 s, 0.4 kg], [2 s, 0.9 kg]], velocity: [0, 3, 1], relative: true}
)";
  const Memory m = recorded_run(text);
  const std::size_t end = m.rows.size() - 1;
  EXPECT_GT(std::abs(m.number("energy/work", end)), 0.1);
  EXPECT_LE(std::abs(m.number("energy/residual", end)), 1e-8);
}

// A spring at the common centre of mass, which is a quotient of masses, and several links in one flow.
TEST(ChangingMass, SpringsAtTheCommonCenterComeAlong) {
  const Memory m = recorded_run(R"(marey: 1
duration: 2 s
solver: {integrator: rk45, tolerance: 1e-13}
particles:
  p:
    points:
      a: {position: [1, 0, 0.2], velocity: [0, 1, 0], mass: 1 kg}
      b: {position: [-1, 0.3, 0], velocity: [0, -0.8, 0], mass: 1 kg}
      d: {position: [0, 2, 1], mass: 3 kg}
forces:
  - hold: {links: p.*, to: [0, 0, 1], stiffness: 40 N/m, damping: 2 N s/m}
  - attraction: {links: p.*, constant: 1, softening: 0.1}
  - mass_flow: {links: [p.a, p.b], mass: '1 + 0.6*sin(t)', velocity: [1, 0, 2]}
)");
  const std::size_t end = m.rows.size() - 1;
  EXPECT_GT(std::abs(m.number("energy/work", end)), 0.1);
  EXPECT_LE(std::abs(m.number("energy/residual", end)), 1e-11);
}

// -------------------------------------------------------------------------------------------- every way to run
constexpr Dynamics all_dynamics[] = {Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers};

TEST(ChangingMass, EveryFixedStepIsOffByWhatItMustBe) {
  const Scene given = parse_scene(rocket("{step: 5 ms}"), "test.yaml");
  const auto f = [](double t, int derivative) {  // of v̇ = k c/(m₀ − k t)
    const double m = m0 - k * t;
    return derivative == 0 ? k * c / m : 6 * c * std::pow(k / m, 4);
  };
  const double h = 0.005, euler = 0.5 * h * (f(T, 0) - f(0, 0)), simpson = std::pow(h, 4) / 2880 * (f(T, 3) - f(0, 3));
  for (const Dynamics dynamics : all_dynamics)
    for (const Integrator integrator :
         {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit, Integrator::rk4})
      for (const bool apart : {true, false}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name_of(dynamics), name_of(integrator), apart));
        Scene scene = given;
        scene.solver.dynamics = dynamics, scene.solver.integrator = integrator, scene.solver.particles_apart = apart;
        Simulation simulation(scene);
        simulation.run_until(T);
        const double off = simulation.state().v[2] - flight(T).v;
        const double expected = integrator == Integrator::rk4 ? simpson : -euler;
        // The next terms of (4) are smaller by (k h/m)²; and 1,000 roundings.
        EXPECT_NEAR(off, expected, 1e-3 * std::abs(expected) + 1e-12 * c);
        EXPECT_LE(simulation.ledger().linear_momentum_residual_relative, 1e-3);
      }
}

TEST(ChangingMass, EveryChosenStepKeepsItsTolerance) {
  const Scene given = parse_scene(rocket("{integrator: rk45, tolerance: 1e-8}"), "test.yaml");
  for (const Dynamics dynamics : all_dynamics)
    for (const Integrator integrator : {Integrator::rk45, Integrator::adams, Integrator::bdf}) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(dynamics), name_of(integrator)));
      Scene scene = given;
      scene.solver.dynamics = dynamics, scene.solver.integrator = integrator;
      Simulation simulation(scene);
      simulation.run_until(6);
      EXPECT_NEAR(simulation.velocity(1).v.z, flight(6).v, 100 * 1e-8 * c);
      EXPECT_NEAR(simulation.pose(1).p.z, flight(6).z, 100 * 1e-8 * c * T);
      EXPECT_TRUE(simulation.ledger().closed);
    }
}

TEST(ChangingMass, GoesOnFromACheckpointBitForBit) {
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers})
    for (const Integrator integrator : {Integrator::rk4, Integrator::rk45}) {
      Scene scene = parse_scene(rocket("{step: 10 ms}"), "test.yaml");
      scene.solver.dynamics = dynamics, scene.solver.integrator = integrator;
      const auto system = std::make_shared<const System>(scene);
      Simulation whole(system), resumed(system);
      whole.run_until(2.345);
      const SavedState saved = whole.save();
      whole.values("link/rocket.body/mass");  // looking leaves no trace
      whole.run_until(6);
      resumed.run_until(0.5);
      resumed.restore(saved);
      EXPECT_NEAR(resumed.value("link/rocket.body/mass"), m0 - k * 2.345, 1e-12 * m0);
      resumed.run_until(6);
      EXPECT_EQ(resumed.state().v, whole.state().v);
      EXPECT_EQ(resumed.state().q, whole.state().q);
      EXPECT_EQ(resumed.ledger().energy_residual, whole.ledger().energy_residual);
    }
}

// By hand: the jet twice as fast from 2 s on. Going back and doing it again is the same to the bit.
TEST(ChangingMass, AJetIsOpenedByHand) {
  Scene scene = parse_scene(rocket("{integrator: rk45, tolerance: 1e-10}"), "test.yaml");
  scene.takes_inputs = true;
  Simulation simulation(scene);
  simulation.run_until(2);
  const SavedState saved = simulation.save();
  double v[2];
  for (double& end : v) {
    simulation.restore(saved);
    simulation.set("jet", "velocity/z", -2 * c);
    simulation.run_until(T);
    end = simulation.velocity(1).v.z;
    EXPECT_TRUE(simulation.ledger().closed);
  }
  const double m2 = m0 - 2 * k, m5 = m0 - T * k;
  EXPECT_NEAR(v[0], c * std::log(m0 / m2) + 2 * c * std::log(m2 / m5) - g * T, 1e-8 * c);
  EXPECT_EQ(v[0], v[1]);
}

// The solvers agree on what the run does, with the masses of each instant.
TEST(ChangingMass, IsVerified) {
  Memory memory;
  RunHooks hooks;
  hooks.verify = true;
  const RunSummary s = run(parse_scene(rocket("{step: 10 ms}"), "test.yaml"), memory, hooks);
  ASSERT_TRUE(s.verification);
  EXPECT_TRUE(s.verification->agree);
  EXPECT_GE(s.verification->solvers.size(), 4u);
}

TEST(ChangingMass, TwoSimulationsOfASystemHaveTheirOwnMasses) {
  const auto system = std::make_shared<const System>(parse_scene(rocket("{step: 10 ms}"), "test.yaml"));
  Simulation a(system), b(system);
  a.run_until(4), b.run_until(1);
  EXPECT_NEAR(a.value("link/rocket.body/mass"), 40, 1e-12);
  EXPECT_NEAR(b.value("link/rocket.body/mass"), 85, 1e-12);
  EXPECT_EQ(system->model().params.links[1].I.m, 100);
}

// ---------------------------------------------------------------------------------------------- what is refused
std::string complaint(const std::string& text) {
  try {
    parse_scene(text, "f.yaml");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ChangingMass, CellsThatCannotSayWhy) {
  EXPECT_NE(complaint(rocket("{integrator: midpoint, step: 10 ms}")).find("momenta belong to masses that stay"),
            std::string::npos);
  EXPECT_NE(complaint(rocket("{weld: {below: 0.1}}")).find("merges links with the masses they have"),
            std::string::npos);
  EXPECT_NE(complaint(rocket("{dynamics: armstrong}")), "");
}

TEST(ChangingMass, AMassThatRunsOutEndsTheRun) {
  std::string text = rocket("{step: 10 ms}");
  const std::string table = "[[0 s, 100 kg], [5 s, 25 kg]]";
  text.replace(text.find(table), table.size(), "'100 - 40*t'");
  Memory memory;
  const RunSummary s = run(parse_scene(text, "test.yaml"), memory);
  EXPECT_NE(s.breakdown.find("from t = 2.5 s on nothing is left of the mass of 'rocket.body'"), std::string::npos)
      << s.breakdown;
  EXPECT_NEAR(s.simulated, 2.5, 0.02);
}

}  // namespace
}  // namespace marey::changing_mass_test
