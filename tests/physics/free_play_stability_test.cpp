// A9: free play and friction absorb energy that a method adds by mistake, up to a bound (docs/theory/elements.md).
//
// A joint of inertia J with a spring J ω² beyond ±a and friction J λ, by explicit Euler with the step h. Where the spring acts a step
// is v ← v − h (ω² x + λ v), x ← x + h v with the old v: its eigenvalues z = 1 + h s, s² + λ s + ω² = 0, have
//   |z|² = 1 − h λ + h² ω²,   arg z = θ,   tan θ = h √(ω² − λ²/4)/(1 − h λ/2)
// so that a turn outside the zone, π/θ steps, multiplies the speed by g = |z|^(π/θ). The zone takes 2 a λ off it. A joint that starts in
// the middle with v₀ leaves with u = v₀ − a λ, and comes to rest if u is below u* = 2 a λ/(g − 1).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace free_play_stability_test {

using namespace marey;

constexpr double h = 1e-3, omega = 40, lambda = 0.8, a = 0.09, J = 0.01;

Scene joint(double zone, double rate) {
  return parse_scene(fmt::format(R"(marey: 1
duration: 60 s
gravity: 0
solver: {{integrator: euler, step: {}}}
figures: {{f: {{links: {{lever: {{joint: {{type: hinge, axis: z}}, mass: 1 kg, inertia: {{diagonal: [{}, {}, {}]}}, start: {{rate: {}}}}}}}}}}}
torques: [free_play: {{joint: f.lever, from: {}, to: {}, slope: {}, friction: {}}}]
)",
                                 h, J, J, J, rate, -zone, zone, J * omega * omega, J * lambda),
                     "lever.yaml");
}

// The speed it would have in the middle, after a time.
double speed_after(double seconds, double zone, double rate) {
  Simulation s(joint(zone, rate));
  s.run_until(seconds);
  const double x = std::abs(s.state().q[0]), beyond = std::max(0.0, x - zone);
  return std::hypot(s.state().v[0], omega * beyond);
}

TEST(FreePlayStability, WithoutAZoneTheSmallestMotionGrows) {
  const double growth = 0.5 * std::log(1 - h * lambda + h * h * omega * omega) / h;  // per second
  for (const double rate : {1e-6, 1.0}) {
    const double after = speed_after(10, 0, rate);
    EXPECT_NEAR(std::log(after / rate) / 10, growth, 0.01 * growth);
  }
  EXPECT_GT(growth, 0.39);
}

TEST(FreePlayStability, WithAZoneWhatIsBelowTheBoundComesToRest) {
  const std::complex<double> z =
      1.0 + h * std::complex<double>(-lambda / 2, std::sqrt(omega * omega - lambda * lambda / 4));
  const double g = std::pow(std::abs(z), std::acos(-1.0) / std::arg(z)), bound = 2 * a * lambda / (g - 1) + a * lambda;
  const auto comes_to_rest = [&](double rate) { return speed_after(30, a, rate) < rate; };
  double low = 0.5 * bound, high = 2 * bound;
  ASSERT_TRUE(comes_to_rest(low));
  ASSERT_FALSE(comes_to_rest(high));
  while (high - low > 0.01 * bound) (comes_to_rest(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  std::printf("g = %.5f: comes to rest below %.3f rad/s; found %.3f\n", g, bound, low);
  // A zone's ends are met within a step: that adds up to ½ (h ω)² to g − 1, to either side.
  EXPECT_NEAR(low, bound, (0.01 + 0.5 * h * h * omega * omega / (g - 1)) * bound);
  EXPECT_LT(speed_after(60, a, 0.7 * bound), 1e-3 * bound);  // at rest, in its zone
}

TEST(FreePlayStability, AZoneWithoutFrictionHelpsNothing) {
  Scene scene = joint(a, 0.5);
  std::erase_if(scene.elements, [](const Element& e) { return e.kind.get_if<JointFriction>() != nullptr; });
  Simulation s(scene);
  s.run_until(20);
  EXPECT_GT(std::abs(s.state().v[0]) + omega * std::abs(s.state().q[0]), 5 * 0.5);
}

// A person who hangs at rest where an angle is half a turn from the middle of its zone: rounding alone says on which side. It stays there.
TEST(FreePlayStability, WhatRestsOnAnEdgeDoesNotEndTheRun) {
  for (const char* held : {"chest: {support: {to: [0, 0, 1], stiffness: 5000 N/m, damping: 100 N s/m}}",
                           "left_shank: {support: {to: [0, 0, 1.5], stiffness: 20000 N/m, damping: 100 N s/m, "
                           "turning_stiffness: 50}}"}) {
    const Scene scene = parse_scene(
        fmt::format("marey: 1\nduration: 0.02\nstart: equilibrium\nsolver: {{integrator: rk4, step: 1 ms}}\nfigures: "
                    "{{adam: {{human: {{sex: male, mass: 75 kg, height: 1.8 m}}, links: {{{}}}}}}}\n",
                    held),
        "held.yaml");
    Simulation s(scene);
    s.run_until(0.02);
    for (const double v : s.state().v) EXPECT_LT(std::abs(v), 1e-9) << held;
  }
}

}  // namespace free_play_stability_test
