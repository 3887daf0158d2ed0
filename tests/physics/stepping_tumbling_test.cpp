// Small long bodies that turn by up to radians within a step (contact: stepping), in free flight and thrown at walls; and figures of several
// links whirled about. Nothing gains energy, momenta stay, and free flight is that of the closed form.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/closed_form/torque_free.h"
#include "marey/contact/stepped_contacts.h"
#include "marey/integrate/turn.h"
#include "marey/io/scene.h"
#include "marey/shape.h"
#include "marey/simulation.h"
#include "sim/simulation_parts.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_tumbling_test {

constexpr double h = 1e-3;

std::string head(const std::string& dynamics, const std::string& more = "") {
  return "marey: 1\nduration: 100 s\ngravity: 0\nsolver: {contact: stepping, step: 1 ms, dynamics: " + dynamics +
         "}\ncollide: all\n" + more;
}
// A splinter with three different moments, beside its origin; `spin` of any direction.
std::string splinter(double spin, const std::string& velocity = "[0, 0, 0]") {
  return fmt::format(
      "figures: {{s: {{links: {{b: {{shape: {{box: {{size: [1 cm, 3 cm, 12 cm], center: [0, 1 cm, 5 cm]}}}}, mass: 0.1 "
      "kg, start: {{velocity: {}, spin: [{:.17g}, {:.17g}, {:.17g}]}}}}}}}}}}\n",
      velocity, 0.3 * spin, -0.8 * spin, std::sqrt(1 - 0.73) * spin);
}
// Of a closed room with walls 1 m from its middle.
std::string room(double e, double friction) {
  std::string text = fmt::format("materials: {{default: {{restitution: {}, friction: {}}}}}\nscenery:\n", e, friction);
  for (const char* axis : {"x", "y", "z"}) {
    text += fmt::format("  {0}1: {{plane: {{normal: {0}, height: -1 m}}}}\n", axis);
    text += fmt::format("  {0}2: {{plane: {{normal: [{1}, {2}, {3}], height: -1 m}}}}\n", axis, *axis == 'x' ? -1 : 0,
                        *axis == 'y' ? -1 : 0, *axis == 'z' ? -1 : 0);
  }
  return text;
}
Simulation simulation(const std::string& text) { return Simulation(parse_scene(text, "test.yaml")); }
double energy(const Simulation& s) { return s.values("energy/total")[0]; }
Vec3<double> vector_of(const Simulation& s, const std::string& channel) {
  const auto x = s.values(channel);
  return {x[0], x[1], x[2]};
}

class SteppingTumblingIn : public testing::TestWithParam<const char*> {};

// h ω from 0.3 to 3.
TEST_P(SteppingTumblingIn, FreeFlightKeepsEnergyAndMomenta) {
  for (const double turn : {0.3, 0.6, 1.0, 2.0, 3.0}) {
    Simulation s = simulation(head(GetParam()) + splinter(turn / h, "[1, 2, -3]"));
    const double start = energy(s);
    const Vec3<double> linear = vector_of(s, "momentum/linear"), angular = vector_of(s, "momentum/angular");
    for (int k = 0; k < 1000; ++k) {
      s.step();
      ASSERT_NEAR(energy(s), start, 1e-10 * start) << turn << " " << k;
    }
    EXPECT_LT(norm(vector_of(s, "momentum/linear") - linear), 1e-10 * norm(linear)) << turn;
    EXPECT_LT(norm(vector_of(s, "momentum/angular") - angular), 1e-9 * norm(angular)) << turn;
    EXPECT_TRUE(s.ledger().closed);
  }
}

// 60 rad, in steps of 0.1 rad to 3 rad: what parts of steps leave.
TEST_P(SteppingTumblingIn, FreeFlightIsThatOfTheClosedForm) {
  for (const double turn : {0.1, 0.3, 1.0, 3.0}) {
    const Scene scene = parse_scene(head(GetParam()) + splinter(turn / h), "test.yaml");
    Simulation s{Scene(scene)};
    const double* q = scene.start.q.data();
    const double* v = scene.start.v.data();
    const TorqueFree exact(central_inertia(scene.model.params.links[1].I), Quaternion<double>{q[0], q[1], q[2], q[3]},
                           {v[0], v[1], v[2]});
    s.run_until(60 * h / turn);
    const auto x = s.values("link/s.b/orientation");
    const Quaternion<double> now{x[0], x[1], x[2], x[3]};
    EXPECT_LT(norm(rotation_of_quaternion(conjugate(now) * exact.attitude(s.time()))), 0.03) << turn;
  }
}

// At 50 m/s from wall to wall, for a second. Without friction and losses it keeps what it has, but for what touches without striking.
TEST_P(SteppingTumblingIn, BouncingFromWallToWallNeverGains) {
  struct Case {
    double e, friction;
  };
  for (const auto& [e, friction] : {Case{1, 0}, Case{1, 0.3}, Case{0.7, 0.3}, Case{0.5, 1}}) {
    Simulation s = simulation(head(GetParam(), room(e, friction)) + splinter(30, "[50, 31, -22]"));
    const double start = energy(s);
    double last = start, touched = 0;  // lost by points that bear a load without having struck
    for (int k = 0; k < 1000; ++k) {
      s.step();
      const auto points = s.parts().world.stepped()->points();
      if (std::ranges::any_of(points, [](const TouchingPoint& c) { return !c.strikes && norm(c.force_W) > 0; }))
        touched += last - energy(s);
      ASSERT_LT(energy(s), last + 1e-6 * start) << e << " " << friction << " " << k;
      ASSERT_LT(energy(s), start * (1 + 1e-9)) << e << " " << friction << " " << k;
      last = energy(s);
    }
    if (friction == 0) {
      EXPECT_GT(last + touched, (1 - 1e-5) * start);
    }
    EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-5) << e << " " << friction;
    EXPECT_LT(s.ledger().angular_momentum_residual_relative, 1e-4) << e << " " << friction;
  }
}
INSTANTIATE_TEST_SUITE_P(Each, SteppingTumblingIn, testing::Values("aba", "multipliers"));

// ---- figures of three links
std::string chain(double spin, const std::string& joint, const std::string& velocity) {
  std::string text = fmt::format(
      "figures:\n  f:\n    links:\n      l0: {{shape: {{box: [2 cm, 3 cm, 10 cm]}}, mass: 0.2 kg, start: {{spin: [{}, "
      "{}, "
      "{}], velocity: {}}}}}\n",
      0.6 * spin, 0.3 * spin, 0.74 * spin, velocity);
  for (const int i : {1, 2})
    text += fmt::format(
        "      l{}: {{parent: l{}, at: [0, 0, {} cm], joint: {}, shape: {{box: {{size: [2 cm, 3 cm, 10 cm], center: "
        "[0, 0, "
        "6 cm]}}}}, mass: 0.2 kg}}\n",
        i, i - 1, i == 1 ? 6 : 12, joint);
  return text;
}

// Up to 3 rad a step, in which the rounds of all else would fly off within ten steps. What is left is that of Runge and Kutta's method.
TEST(SteppingTumbling, FiguresWhirledAboutKeepEnergyAndMomenta) {
  for (const double spin : {100.0, 300.0, 1000.0, 3000.0})
    for (const std::string joint : {"ball", "{type: hinge, axis: x}"}) {
      Simulation s = simulation(head("aba") + chain(spin, joint, "[0, 0, 0]"));
      const double start = energy(s);
      const Vec3<double> angular = vector_of(s, "momentum/angular");
      s.run_until(0.3);
      EXPECT_NEAR(energy(s), start, 1e-5 * start) << spin << joint;
      EXPECT_LT(norm(vector_of(s, "momentum/angular") - angular), 1e-3 * norm(angular)) << spin << joint;
    }
}

// Thrown at walls at 50 m/s: nobody gains, and the account closes.
TEST(SteppingTumbling, FiguresBouncingFromWallToWallNeverGain) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Simulation s = simulation(head("aba", room(e, 0.4)) + chain(100, "ball", "[50, 31, -22]"));
    const double start = energy(s);
    for (int k = 0; k < 500; ++k) {
      s.step();
      ASSERT_LT(energy(s), start * (1 + 1e-6)) << e << " " << k;
    }
    EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-3) << e;
  }
}

// On the world a figure does not go its own way: the run says what is wrong, and which step would do.
TEST(SteppingTumbling, WhatIsWhirledOnTheWorldIsNamed) {
  const std::string arm =
      "figures: {f: {links: {a: {joint: ball, shape: {box: {size: [2 cm, 3 cm, 10 cm], center: [0, 0, 6 cm]}}, mass: "
      "0.2 "
      "kg, start: {spin: [180, 90, 220]}}}}}\n";
  std::string text = head("aba") + arm;
  text.replace(text.find("100 s"), 5, "0.1 s");
  recorded::Memory memory;
  const RunSummary summary = run(parse_scene(text, "test.yaml"), memory);
  const auto named = [](const std::string& w) { return w.find("'f.a' turns by 0.") != w.npos; };
  EXPECT_TRUE(std::ranges::any_of(summary.warnings, named));

  for (const double turn :
       {1.5, 2.5}) {  // a loose body keeps what it has, and is named where nobody can say what it meets
    std::string loose = head("aba") + splinter(turn / h);
    loose.replace(loose.find("100 s"), 5, "10 ms");
    const RunSummary of_loose = run(parse_scene(loose, "test.yaml"), memory);
    const auto is_named = [](const std::string& w) { return w.find("'s.b' turns by ") != w.npos; };
    EXPECT_EQ(std::ranges::any_of(of_loose.warnings, is_named), turn > 2);
  }
}

}  // namespace stepping_tumbling_test
}  // namespace marey
