// A loose body's own motion, beside its closed form: what it keeps, however long the times are, and how near it comes.
#include "sim/tumbling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/closed_form/torque_free.h"
#include "marey/integrate.h"
#include "marey/integrate/turn.h"
#include "marey/io/scene.h"
#include "marey/shape.h"

namespace marey {
namespace tumbling_test {

// Three different moments, in turned axes, about a centre of mass beside the origin.
struct Thrown {
  Scene scene = parse_scene(
      "marey: 1\nduration: 1 s\nfigures: {a: {links: {b: {mass: 2 kg, center_of_mass: [3 cm, -5 cm, 2 cm], inertia: "
      "{diagonal: [0.02, 0.05, "
      "0.06]}, start: {position: [1, 2, 3], velocity: [0.4, -0.3, 2], turned: {axis: [1, 2, -1], angle: 40 deg}, "
      "spin: [20, 7, -11]}}}}}\n",
      "test.yaml");
  Tumbling tumbling{scene.model, scene.model, {}};
  std::vector<double> q = scene.start.q, v = scene.start.v;

  Inertia<double> inertia() const { return scene.model.params.links[1].I; }
  Quaternion<double> attitude() const { return {q[0], q[1], q[2], q[3]}; }
  Vec3<double> spin() const { return {v[0], v[1], v[2]}; }
  void go(double s) {
    ASSERT_TRUE(tumbling.choose(q, v, 1));
    tumbling.drift(s, q, v, q, v);
  }
  Totals<double> sums() const {
    Kinematics<double> k(scene.model);
    forward_kinematics<double>(scene.model, scene.model.params, q, v, k);
    return totals(scene.model, scene.model.params, k);
  }
};
double angle_between(const Quaternion<double>& a, const Quaternion<double>& b) {
  return norm(rotation_of_quaternion(conjugate(a) * b));
}

TEST(Tumbling, KeepsEnergyAndMomentaHoweverLongItsTimes) {
  for (const double s : {0.001, 0.01, 0.1, 1.0, 20.0}) {  // 0.02 rad to 500 rad at once
    Thrown body;
    const Totals<double> start = body.sums();
    for (int k = 0; k < 500; ++k) body.go(s);
    const Totals<double> end = body.sums();
    EXPECT_NEAR(end.kinetic, start.kinetic, 1e-11 * start.kinetic) << s;
    EXPECT_LT(norm(end.momentum.f - start.momentum.f), 1e-11 * norm(start.momentum.f)) << s;
    // about the world's origin, from which it has gone far
    EXPECT_LT(norm(end.momentum.n - start.momentum.n), 1e-11 * (500 * s + 1) * norm(start.momentum.f)) << s;
    EXPECT_LT(norm(end.first_moment - start.first_moment - 500 * s * start.momentum.f),
              1e-11 * (500 * s + 1) * norm(start.momentum.f));
  }
}

TEST(Tumbling, IsOfSecondOrder) {
  const double whole = 2;  // s: 47 rad
  double last = 0;
  for (const double s : {0.002, 0.001, 0.0005}) {
    Thrown body;
    const TorqueFree exact(central_inertia(body.inertia()), body.attitude(), body.spin());
    for (int k = 0; k < std::lround(whole / s); ++k) body.go(s);
    const double error = angle_between(body.attitude(), exact.attitude(whole));
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.1) << s;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

// 11.7 rad at once: it goes by parts.
TEST(Tumbling, LongTimesAreDivided) {
  Thrown body;
  const TorqueFree exact(central_inertia(body.inertia()), body.attitude(), body.spin());
  for (int k = 0; k < 4; ++k) body.go(0.5);
  EXPECT_LT(angle_between(body.attitude(), exact.attitude(2)), 0.02);
  EXPECT_LT(norm(body.spin() - exact.angular_velocity(2)), 0.02 * norm(body.spin()));
}

// What is taken from v̇ is what the plain recursion finds without any forces.
TEST(Tumbling, TakesWhatABodyDoesByItself) {
  Thrown body;
  body.scene.model.params.gravity = {};
  std::vector<double> none(6), vdot(6);
  AbaWorkspace<double> ws(body.scene.model);
  aba<double>(body.scene.model, body.scene.model.params, body.q, body.v, {none, {}}, ws, vdot);
  double most = 0;
  for (const double a : vdot) most = std::max(most, std::abs(a));
  ASSERT_GT(most, 50);
  ASSERT_TRUE(body.tumbling.choose(body.q, body.v, 1));
  body.tumbling.take_own(body.q, body.v, vdot);
  for (const double a : vdot) EXPECT_NEAR(a, 0, 1e-13 * most);
}

TEST(Tumbling, MeanVelocitiesLeadThere) {
  Thrown body;
  ASSERT_TRUE(body.tumbling.choose(body.q, body.v, 1));
  std::vector<double> q = body.q, v = body.v, xi(6), there = body.q;
  body.tumbling.drift(0.05, body.q, body.v, q, v);
  body.tumbling.mean_velocities(0.05, body.q, q, v);
  for (std::size_t k = 0; k < 6; ++k) xi[k] = 0.05 * v[k];
  advance<double>(body.scene.model, body.q, xi, Turn::exponential, there);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(there[k], q[k], 1e-14);
}

// By how fast ω turns in its axes: a ball never, a slow body not.
TEST(Tumbling, ChoosesWhatTurnsFast) {
  Thrown body;
  EXPECT_TRUE(body.tumbling.choose(body.q, body.v, 3e-3));
  EXPECT_FALSE(body.tumbling.choose(body.q, body.v, 2e-3));
  const Scene others = parse_scene(
      "marey: 1\nduration: 1 s\nfigures:\n  ball: {links: {b: {shape: {sphere: 5 cm}, mass: 1 kg, start: {spin: [900, "
      "0, 0]}}}}\n"
      "  arm: {links: {b: {shape: {box: [1 cm, 2 cm, 9 cm]}, mass: 1 kg, start: {spin: [900, 30, 0]}}, "
      "c: {parent: b, joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}}}\n",
      "test.yaml");
  Tumbling tumbling(others.model, others.model, {});
  EXPECT_FALSE(tumbling.choose(others.start.q, others.start.v, 5e-5));
}

}  // namespace tumbling_test
}  // namespace marey
