// Mechanisms of the gallery: what each is known to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/recorded.h"

namespace {

using namespace marey;
using recorded::Memory;

const double pi = std::acos(-1.0);

Scene gallery(const std::string& name) {
  return load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
}
Memory run_scene(const Scene& scene) {
  Memory memory;
  memory.summary = run(scene, memory);
  return memory;
}
// Books closed, and no constraint off by more than a millionth of the size at any frame.
Memory run_held(const std::string& name, double size) {
  const Memory m = run_scene(gallery(name));
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_TRUE(m.summary.ledger.closed) << name << ' ' << m.summary.ledger.energy_residual_relative;
  double worst = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) worst = std::max(worst, m.number("constraints/error", i));
  EXPECT_LT(worst, 1e-6 * size) << name;
  EXPECT_LT(m.summary.constraint_error, 1e-6 * size) << name;
  return m;
}

// Freudenstein's equation of the four-bar: with the angles θ of the crank and ψ of the rocker from the frame,
//   K₁ cos ψ − K₂ cos θ + K₃ = cos(θ − ψ),  K₁ = d/a, K₂ = d/c, K₃ = (a² − b² + c² + d²)/(2 a c)
TEST(Mechanisms, TheFourBarSatisfiesFreudenstein) {
  const Memory m = run_held("four-bar", 0.5);
  const double a = 0.15, b = 0.45, c = 0.35, d = 0.5;
  double least = 10, most = -10;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double theta = m.number("joint/linkage.crank/angle", i), psi = m.number("joint/linkage.rocker/angle", i);
    EXPECT_NEAR(d / a * std::cos(psi) - d / c * std::cos(theta) + (a * a - b * b + c * c + d * d) / (2 * a * c),
                std::cos(theta - psi), 1e-7);  // frames between steps
    least = std::min(least, psi), most = std::max(most, psi);
  }
  EXPECT_GT(std::abs(m.number("joint/linkage.crank/angle", m.rows.size() - 1)), 4 * pi);  // it goes round
  EXPECT_LT(most - least, pi);                                                            // it does not
}

// x = a cos θ + √(b² − a² sin² θ); the motor's work is the change of the energy.
TEST(Mechanisms, TheSliderCrankFollowsItsMotor) {
  const Memory m = run_held("slider-crank", 0.3);
  const double a = 0.1, b = 0.3;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double theta = -pi / 2 - 15 * m.time(i);
    EXPECT_NEAR(m.number("joint/engine.crank/angle", i), theta, 1e-9);
    EXPECT_NEAR(m.number("joint/engine.piston/slide", i),
                a * std::cos(theta) + std::sqrt(b * b - a * a * std::sin(theta) * std::sin(theta)), 1e-9);
    EXPECT_NEAR(m.number("constraint/motor/work", i), m.number("energy/total", i) - m.number("energy/total", 0), 1e-5);
  }
}

// All cranks stay parallel: three of them and two couplers are one pendulum, 3 θ̈ = 3.5 g cos θ (θ from x downwards). Twice a
// turn all bars lie in line.
TEST(Mechanisms, TheDoubleFourBarPassesItsSingularPositions) {
  const Memory m = run_held("double-four-bar", 1);
  double theta = -pi / 2, omega = 1, t = 0;
  const auto f = [](double x) { return 3.5 * 9.81 / 3 * std::cos(x); };
  int passed = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    for (const double h = 1e-4; t < m.time(i) - 1e-9;) {
      const double s = std::min(h, m.time(i) - t), before = std::floor(theta / pi);
      const double k1 = omega, l1 = f(theta), k2 = omega + s / 2 * l1, l2 = f(theta + s / 2 * k1),
                   k3 = omega + s / 2 * l2, l3 = f(theta + s / 2 * k2), k4 = omega + s * l3, l4 = f(theta + s * k3);
      theta += s / 6 * (k1 + 2 * k2 + 2 * k3 + k4), omega += s / 6 * (l1 + 2 * l2 + 2 * l3 + l4), t += s;
      if (std::floor(theta / pi) != before) ++passed;
    }
    for (const char* crank : {"first", "second", "third"})
      EXPECT_NEAR(m.number(std::string("joint/bars.") + crank + "/angle", i), theta, 2e-6) << crank << " at " << t;
  }
  EXPECT_GE(passed, 10);
}

// By counting Bricard's loop has no freedom; it moves, and only potential and kinetic energy change.
TEST(Mechanisms, BricardsMoves) {
  const Memory m = run_held("bricard", 1);
  double lowest = 10, highest = -10;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double z = m.vec("center_of_mass/position", i).z;
    lowest = std::min(lowest, z), highest = std::max(highest, z);
    EXPECT_NEAR(m.number("energy/total", i), m.number("energy/total", 0), 1e-4);
  }
  EXPECT_GT(highest - lowest, 0.05);
}

// The edge does no work, and the centre stays at the height that the lean asks for.
TEST(Mechanisms, TheCoinRollsWithoutSlip) {
  const Memory m = run_held("rolling-disc", 0.2);
  bool turned_back = false;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const auto q = m.turn("link/coin.disc/orientation", i);
    const Vec3<double> axis = rotation(q) * Vec3<double>{0, 0, 1}, p = m.vec("link/coin.disc/position", i),
                       v = m.vec("link/coin.disc/velocity", i), w = m.vec("link/coin.disc/spin", i);
    EXPECT_NEAR(p.z, 0.2 * std::sqrt(1 - axis.z * axis.z), 1e-9);
    Vec3<double> down{axis.z * axis.x, axis.z * axis.y, axis.z * axis.z - 1};
    down = (0.2 / norm(down)) * down;
    EXPECT_LT(norm(v + cross(w, down)), 1e-8);
    EXPECT_NEAR(m.number("energy/total", i), m.number("energy/total", 0), 1e-6);
    turned_back = turned_back || v.x < -0.1;
  }
  EXPECT_TRUE(turned_back);
}

// Nothing from outside: momentum stays, and so does the energy, while both hands stay on the bar.
TEST(Mechanisms, ABarInBothHands) {
  const Memory m = run_held("bar-in-both-hands", 1.7);
  const std::size_t last = m.rows.size() - 1;
  EXPECT_NEAR(norm(m.vec("momentum/linear", last) - m.vec("momentum/linear", 0)), 0, 1e-6);
  EXPECT_NEAR(norm(m.vec("momentum/angular", last) - m.vec("momentum/angular", 0)), 0, 1e-6);
  EXPECT_NEAR(m.number("energy/total", last), m.number("energy/total", 0), 1e-5);
  EXPECT_GT(m.number("constraint/right hand/force_magnitude", last), 1e-3);
}

}  // namespace
