// A3: the force in a hinge by Armstrong's (31), recorded beside the one that Newton and Euler find. With both bands in every step the two
// differ by round-off, bounded as in tests/oracle/reactions_test.cpp; with a slow band by what its coefficients are off.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/limbs.h"
#include "support/recorded.h"

namespace hinge_force_test {

using namespace marey;
using recorded::Memory;

// A trunk that tumbles with two limbs on it, and whatever else.
Memory run_with(const std::string& solver, const std::string& more) {
  return recorded::run_text(fmt::format(R"(
duration: 200 ms
solver: {}
record: {{every: 5 ms}}
{}{})",
                                        solver, limbs::tumbling({"2 cm", "300 g"}), more));
}

// The largest check of all frames, and the largest force of a joint.
struct Check {
  double worst = 0, force = 0;
};
Check check_of(const Memory& m) {
  Check c;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    double here = 0;
    for (const char* joint : {"arm", "hand", "leg"}) {
      const Vec3<double> f = m.vec(fmt::format("joint/f.{}/force", joint), i),
                         again = m.vec(fmt::format("joint/f.{}/force_31", joint), i);
      here = std::max(here, norm(f - again)), c.force = std::max(c.force, norm(f));
    }
    EXPECT_NEAR(m.number("solver/hinge_check", i), here, 1e-15 * (1 + c.force));  // the same sum, in another place
    c.worst = std::max(c.worst, here);
  }
  return c;
}

TEST(HingeForce, AgreesToRoundOffWhateverActs) {
  const char* const others[] = {
      "",
      "torques: [{free_play: {joint: f.*, angle: {swing: z}, from: 0, to: 10 deg, slope: 9 N m/rad, friction: 0.1}}]\n"
      "forces: [{spike: {link: f.hand, force: [5 N, 0, 9 N], torque: [0, 0.3 N m, 0], from: 50 ms, lasts: 62 ms}}]\n",
      "contacts:\n  - {link: f.leg, name: heel, at: [-6 cm, 0, -43 cm], friction: 0.6, restitution: 0.3}\n",
      "constraints: [rod: {name: loop, a: f.hand, at: [0, 0, -15 cm], b: f.leg, at_b: [0, 0, -20 cm]}]\n"
      "start: projected\n",
      "drives: [{joint: f.arm, freedom: y, acceleration: 3 rad/s^2}]\n"
      "torques: [{reflex: {joint: f.leg, angle: {twist: y}, stiffness: 3 N m/rad, delay: 15 ms}}]\n"};
  for (const char* integrator : {"rk4, step: 1 ms", "semi_implicit, step: 1 ms", "rk45, tolerance: 1e-7"})
    for (const char* more : others) {
      SCOPED_TRACE(fmt::format("{}: {}", integrator, more));
      const Check c = check_of(run_with(fmt::format("{{dynamics: armstrong, integrator: {}}}", integrator), more));
      EXPECT_GT(c.force, 5);  // N: there is something to agree on
      EXPECT_LE(c.worst, 1e-10 * c.force);
    }
}

TEST(HingeForce, AgreesWhileJointsAreWelded) {
  const Memory m = run_with(
      "{dynamics: armstrong, integrator: rk4, step: 1 ms, weld: {below: 30 rad/s, for: 20 ms, wake: 20 N m}}", "");
  EXPECT_GT(m.number("solver/welded", m.rows.size() - 1), 0);
  const Check c = check_of(m);
  EXPECT_GT(c.force, 5);
  EXPECT_LE(c.worst, 1e-10 * c.force);
}

// With a slow band the recursion goes on with coefficients that are off by the step: the check shows it, in first order.
TEST(HingeForce, ShowsWhatASlowBandCosts) {
  const auto worst = [](const char* step) {
    return check_of(
               run_with(fmt::format("{{dynamics: armstrong, integrator: semi_implicit, slow_band: 2, step: {}}}", step),
                        ""))
        .worst;
  };
  const double coarse = worst("0.5 ms"), fine = worst("0.25 ms"), order = std::log2(coarse / fine);
  std::printf("hinge check with a slow band: %.2e N, %.2e N at half the step, order %.2f\n", coarse, fine, order);
  EXPECT_GT(fine, 1e-4);
  EXPECT_NEAR(order, 1, 0.3);
}

TEST(HingeForce, BelongsToArmstrong) {
  const Memory m = run_with("{dynamics: aba, integrator: rk4, step: 1 ms}", "");
  for (const Channel& c : m.header.channels) {
    EXPECT_FALSE(c.name.ends_with("force_31"));
    EXPECT_NE(c.name, "solver/hinge_check");
  }
}

}  // namespace hinge_force_test
