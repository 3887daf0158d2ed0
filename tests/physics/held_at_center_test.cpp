// A5: a figure held at its centre of mass. Whatever its limbs do, the centre of mass moves as one particle on a damped spring,
//   m c̈ = −k (c − target) − d ċ + lift + m g
// whose motion is known, and the angular momentum about it stays what it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/integrate.h"
#include "support/limbs.h"
#include "support/recorded.h"

namespace held_at_center_test {

using namespace marey;
using recorded::Memory;
using V = Vec3<double>;

constexpr double k = 400, d = 30, lift = 50, m = 4 + 1 + 0.5 + 2, duration = 0.5;
const V target{0.1, -0.2, 0.9};

std::string text_of(const std::string& solver, const std::string& hold, const std::string& more = "") {
  return fmt::format(R"(
duration: {}
solver: {}
record: {{every: 0.25 s}}
{}forces:
  - hold: {{links: f.*, {}}}
torques:
  - free_play: {{joint: f.*, angle: {{swing: z}}, from: 0, to: 0, slope: 2 N m/rad, friction: 0.02 N m s/rad}}
{})",
                     duration, solver, limbs::tumbling({"4 cm", "500 g"}), hold, more);
}
const std::string held = "to: [10 cm, -20 cm, 90 cm], stiffness: 400 N/m, damping: 30 N s/m, lift: 50 N";

// The centre of mass at the end, from where it was and how it moved at the start.
V oscillator(const V& start, const V& velocity, double t) {
  const double gamma = d / (2 * m), omega = std::sqrt(k / m - gamma * gamma);
  const V rest = target + V{0, 0, (lift - m * 9.81) / k}, A = start - rest, B = (1 / omega) * (velocity + gamma * A);
  return rest + std::exp(-gamma * t) * (std::cos(omega * t) * A + std::sin(omega * t) * B);
}
double error(const Memory& r) {
  const std::size_t end = r.rows.size() - 1;
  return norm(r.vec("center_of_mass/position", end) -
              oscillator(r.vec("center_of_mass/position", 0), (1 / m) * r.vec("momentum/linear", 0), r.time(end)));
}
V spin_of(const Memory& r, std::size_t i) {  // angular momentum about the centre of mass
  return r.vec("momentum/angular", i) - cross(r.vec("center_of_mass/position", i), r.vec("momentum/linear", i));
}

TEST(HeldAtCenter, MovesAsOneParticleWithEveryMethod) {
  for (const Integrator integrator : all_integrators()) {
    const auto at = [&](double step) {
      const std::string how = has_fixed_step(integrator) ? fmt::format("step: {}", step) : "tolerance: 1e-8";
      return recorded::run_text(text_of(fmt::format("{{integrator: {}, {}}}", name_of(integrator), how), held));
    };
    const Memory r = at(1e-3);
    const double coarse = error(r);
    std::printf("%s: %.2e m off", name_of(integrator), coarse);
    // Of the energy: within a hundred tolerances with chosen steps; of first order, (½ h ω² t) of the whole.
    EXPECT_LE(r.summary.ledger.energy_residual_relative, order_of(integrator) == 1 ? 3e-2 : 1e-5);
    EXPECT_LE(r.summary.ledger.linear_momentum_residual_relative, order_of(integrator) == 1 ? 1e-3 : 1e-6);
    if (!has_fixed_step(integrator) || order_of(integrator) > 2) {
      std::printf("\n");
      EXPECT_LE(coarse, 100 * 1e-8);  // with ω h = 0.007, rk4 is off by (ω h)⁴ t ω / 120, far less
      EXPECT_LE(norm(spin_of(r, r.rows.size() - 1) - spin_of(r, 0)), 1e-6 * norm(spin_of(r, 0)));
    } else {
      const double order = std::log2(coarse / error(at(0.5e-3)));
      std::printf(", order %.2f\n", order);
      EXPECT_NEAR(order, order_of(integrator), 0.25);
    }
  }
}

TEST(HeldAtCenter, IsTheSameMotionWithEverySolver) {
  for (const char* integrator : {"rk4", "semi_implicit", "midpoint"})
    for (const char* more : {"", "contacts: [{link: f.leg, at: [0, 0, -44 cm], friction: 0.5, floor: -5 cm}]\n",
                             "constraints: [rod: {a: f.hand, at: [0, 0, -15 cm], b: f.leg, at_b: [0, 0, -20 cm]}]\n"
                             "start: projected\n"}) {
      if (integrator == std::string("midpoint") && *more != 0) continue;
      const auto with = [&](const char* dynamics) {
        return recorded::run_text(
            text_of(fmt::format("{{dynamics: {}, integrator: {}, step: 1 ms}}", dynamics, integrator), held, more));
      };
      const Memory right = with("aba");
      const std::size_t end = right.rows.size() - 1;
      for (const char* dynamics : {"armstrong", "crba", "dense", "multipliers"}) {
        // Bodies that are put back on their joints take other half steps than joints do: of the order of the method.
        const bool other_steps = std::string(dynamics) == "multipliers" && std::string(integrator) != "rk4";
        const Memory other = with(dynamics);
        SCOPED_TRACE(fmt::format("{}, {}, {}", integrator, dynamics, more));
        for (const char* link : {"trunk", "arm", "hand", "leg"})
          EXPECT_LE(norm(right.vec(fmt::format("link/f.{}/position", link), end) -
                         other.vec(fmt::format("link/f.{}/position", link), end)),
                    other_steps ? 3e-2 : 1e-8);
      }
    }
}

// Welds stop joints at once, and delayed torques put energy in: both act between links, and the centre of mass does not feel them.
TEST(HeldAtCenter, DoesNotFeelWeldsAndReflexes) {
  const Memory r = recorded::run_text(text_of(
      "{integrator: rk4, step: 1 ms, weld: {below: 30 rad/s, for: 20 ms, wake: 50 N m}}", held,
      "  - reflex: {joint: f.leg, angle: {twist: y}, stiffness: 9 N m/rad, damping: 0.1 N m s/rad, delay: 15 ms}\n"));
  EXPECT_GT(r.number("solver/welded", r.rows.size() - 1), 0);
  EXPECT_LE(error(r), 1e-8);
  EXPECT_LE(norm(spin_of(r, r.rows.size() - 1) - spin_of(r, 0)), 1e-6 * norm(spin_of(r, 0)));
}

// Gravity is taken off every link, not only off their sum.
TEST(HeldAtCenter, ALiftOfTheWeightIsNoGravity) {
  const char* const solver = "{integrator: rk4, step: 1 ms}";
  const Memory lifted = recorded::run_text(text_of(solver, "lift: weight")),
               weightless = recorded::run_text(text_of(solver, "damping: 0", "gravity: 0\n"));
  const std::size_t end = lifted.rows.size() - 1;
  for (const char* link : {"trunk", "arm", "hand", "leg"})
    EXPECT_LE(norm(lifted.vec(fmt::format("link/f.{}/position", link), end) -
                   weightless.vec(fmt::format("link/f.{}/position", link), end)),
              1e-12);
}

// Two on which the same belt is: their common centre of mass is held, and what one does the other feels.
TEST(HeldAtCenter, OfPartOfAFigureFeelsItsOwnMassAlone) {
  const Memory r = recorded::run_text(R"(
duration: 0.4 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
record: {every: 0.2 s}
particles:
  p:
    points:
      - {position: [0, 0, 0], mass: 1, velocity: [1, 0, 0]}
      - {position: [1, 0, 0], mass: 3, velocity: [0, 2, 0]}
      - {position: [5, 0, 0], mass: 2, velocity: [0, 0, 1]}
forces: [hold: {links: [p.1, p.2], stiffness: 36 N/m, name: belt}]
)");
  const double omega = 3, t = 0.4;  // √(36/4)
  const V c = 0.25 * (r.vec("link/p.1/position", 2) + 3.0 * r.vec("link/p.2/position", 2)), v{0.25, 1.5, 0};
  EXPECT_LE(norm(c - V{0.75, 0, 0} - (std::sin(omega * t) / omega) * v), 1e-9);
  EXPECT_LE(norm(r.vec("link/p.2/position", 2) - r.vec("link/p.1/position", 2) - V{1 - t, 2 * t, 0}), 1e-9);
  EXPECT_LE(norm(r.vec("link/p.3/position", 2) - V{5, 0, t}), 1e-12);
  EXPECT_LE(r.summary.ledger.energy_residual_relative, 1e-9);
}

}  // namespace held_at_center_test
