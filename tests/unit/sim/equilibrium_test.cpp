// Static equilibria against those that can be written down, and against a world that is to stay where it was put.
#include "sim/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "marey/io/scene.h"
#include "sim/world.h"

namespace marey {
namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 2 s\n" + text, "still.yaml"); }
Equilibrium find(const Scene& s) { return find_equilibrium(s.model, s.elements, s.start); }

// The largest velocity and the way gone in half a second.
std::pair<double, double> stir(Scene scene) {
  World world(scene);
  double fastest = 0, way = 0;
  while (world.time() < 0.5) {
    world.step(0.5);
    for (const double v : world.state().v) fastest = std::max(fastest, std::abs(v));
  }
  for (std::size_t i = 0; i < scene.start.q.size(); ++i)
    way = std::max(way, std::abs(world.state().q[i] - scene.start.q[i]));
  return {fastest, way};
}

// A rod of 1 kg and 1 m on a hinge with a torsion spring k about θ = 0, upright: k θ = ½ m g l sin θ has, beside the
// upright pose, a bent one when k < ½ m g l.
std::string bent_rod(double k, double start) {
  return "figures: {f: {links: {rod: {joint: {type: hinge, axis: y}, shape: {cylinder: {radius: 1 cm, length: 1 m, "
         "along: "
         "z}}, mass: 1 kg, start: {angle: " +
         std::to_string(start) +
         "}}}}}\ntorques: [{free_play: {joint: f.rod, from: 0, to: 0, slope: " + std::to_string(k) + "}}]\n";
}

TEST(Equilibria, ARodBucklesUnderItsWeight) {
  for (const double start : {0.05, 1.0, 2.5, -0.3}) {
    const double k = 3;
    const Equilibrium e = find(scene_of(bent_rod(k, start)));
    ASSERT_TRUE(e.found);
    EXPECT_TRUE(e.stable);
    const double theta = e.state.q[0];
    std::printf("from %5.2f: bent to %.12f in %d rounds\n", start, theta, e.rounds);
    EXPECT_NEAR(k * theta, 0.5 * g * std::sin(theta), 1e-12);
    EXPECT_GT(theta * start, 0);  // to the side to which it leaned
    EXPECT_NEAR(e.turned, std::abs(theta - start), 1e-12);
    EXPECT_LT(e.rounds, 30);
  }
}

TEST(Equilibria, UprightIsOneTooAndKnowsThatItIsUnstable) {
  const Equilibrium soft = find(scene_of(bent_rod(3, 0))), stiff = find(scene_of(bent_rod(6, 0)));
  EXPECT_TRUE(soft.found);
  EXPECT_FALSE(soft.stable);
  EXPECT_TRUE(stiff.found);
  EXPECT_TRUE(stiff.stable);
  const Scene scene = scene_of(bent_rod(3, 0));
  EXPECT_NE(describe(scene.model, soft).find("unstable"), std::string::npos);
}

// Ball joints, drawn out level: the rope ends up hanging, whatever turns about its own axis it has.
TEST(Equilibria, ARopeHangs) {
  Scene scene = scene_of(R"(figures:
  rope:
    chain:
      links: 8
      spacing: [0, 0, -10 cm]
      link: {joint: ball, shape: {capsule: {radius: 6 mm, length: 10 cm, along: -z}}, mass: 20 g}
      first: {start: {turned: {axis: [0.2, 1, 0], angle: 80 deg}}}
)");
  const Equilibrium e = find(scene);
  ASSERT_TRUE(e.found) << describe(scene.model, e);
  EXPECT_TRUE(e.stable);
  scene.start = e.state;
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, e.state.q, e.state.v, k);
  std::printf("rope: %d rounds, end %.1e m beside the nail\n", e.rounds, std::hypot(k.X_WB[8].p.x, k.X_WB[8].p.y));
  EXPECT_LT(e.rounds, 60);
  EXPECT_NEAR(k.X_WB[8].p.z, -0.7, 1e-12);
  EXPECT_LT(std::hypot(k.X_WB[8].p.x, k.X_WB[8].p.y), 1e-9);
  EXPECT_NEAR(e.moved, 2 * 0.7 * std::sin(80 * pi / 360), 1e-9);
  EXPECT_EQ(scene.model.names[static_cast<std::size_t>(e.moved_link)], "rope.8");
}

// A mass on two springs of rest length 0 hangs m g/(2 k) below the middle.
TEST(Equilibria, AMassOnSpringsSagsByItsWeight) {
  const Scene scene = scene_of(R"(particles: {p: {mass: 2 kg, points: [{position: [0.4, 0.3, 1]}]}}
forces:
  - spring: {link: p.1, to: [1, 0, 2], stiffness: 50 N/m, rest: 0}
  - spring: {link: p.1, to: [-1, 0, 2], stiffness: 50 N/m, rest: 0, damping: 3 N s/m}
)");
  const Equilibrium e = find(scene);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[0], 0, 1e-13);
  EXPECT_NEAR(e.state.q[1], 0, 1e-13);
  EXPECT_NEAR(e.state.q[2], 2 - 2 * g / 100, 1e-13);
}

// A free box on a support that holds it beside its centre: it turns until the force goes through the centre.
TEST(Equilibria, AFreeBodyOnASupport) {
  Scene scene = scene_of(R"(figures:
  box:
    links:
      body:
        shape: {box: [20 cm, 30 cm, 40 cm]}
        mass: 3 kg
        support: {point: [10 cm, 5 cm, 20 cm], to: [0, 0, 1 m], stiffness: 300 N/m, damping: 5 N s/m}
)");
  const Equilibrium e = find(scene);
  ASSERT_TRUE(e.found) << describe(scene.model, e);
  EXPECT_TRUE(e.stable);
  // The centre hangs straight below the point, the spring as much longer as the weight asks.
  EXPECT_NEAR(e.state.q[4], 0, 1e-9);
  EXPECT_NEAR(e.state.q[5], 0, 1e-9);
  EXPECT_NEAR(e.state.q[6], 1 - 3 * g / 300 - std::sqrt(0.01 + 0.0025 + 0.04), 1e-12);
  scene.start = e.state;
  const auto [speed, way] = stir(scene);
  EXPECT_LT(speed, 1e-9);
  EXPECT_LT(way, 1e-9);
}

// Supports, friction, torque functions and a push that acts from the start: nothing moves for half a second.
TEST(Equilibria, AFingerStaysWhereItWasPut) {
  Scene scene = scene_of(R"(figures:
  finger:
    links:
      root: {mass: 2 kg, inertia: {sphere: 3 cm}, support: {to: [0, 0, 12 cm], stiffness: 400 N/m, damping: 40 N s/m, turning_stiffness: 5 N m/rad}}
      first: {parent: root, joint: ball, shape: {capsule: {radius: 8 mm, length: 4 cm, along: x}}, mass: 20 g}
      second: {parent: first, joint: {type: hinge, axis: y}, at: [4 cm, 0, 0], shape: {capsule: {radius: 7 mm, length: 3 cm, along: x}}, mass: 15 g, friction: 1 mN m s/rad}
torques:
  - free_play: {joint: finger.first, angle: {swing: x}, from: 0, to: 20 deg, slope: 0.4 N m/rad}
  - free_play: {joint: finger.second, from: -5 deg, to: 40 deg, slope: 0.2 N m/rad}
  - reflex: {joint: finger.second, stiffness: 0.05 N m/rad, delay: 50 ms}
forces: [{push: {link: finger.second, point: [3 cm, 0, 0], force: [0, 0.05 N, 0.1 N]}}]
)");
  const Equilibrium e = find(scene);
  ASSERT_TRUE(e.found) << describe(scene.model, e);
  std::printf("finger: %s\n", describe(scene.model, e).c_str());
  scene.start = e.state;
  const auto [speed, way] = stir(scene);
  EXPECT_LT(speed, 1e-8);
  EXPECT_LT(way, 1e-8);
}

TEST(Equilibria, NothingHoldsAFreeBody) {
  const Scene scene = scene_of(
      "figures: {a: {links: {pole: {joint: weld, mass: 1 kg, inertia: {sphere: 1 cm}}}}, ball: {links: {body: {mass: 1 "
      "kg, "
      "inertia: {sphere: 5 cm}}}}}\n");
  const Equilibrium e = find(scene);
  EXPECT_FALSE(e.found);
  EXPECT_NEAR(e.restless, g, 1e-9);
  const std::string why = describe(scene.model, e);
  EXPECT_NE(why.find("'ball.body'"), std::string::npos) << why;
  EXPECT_NE(why.find("9.81 m/s^2"), std::string::npos) << why;
}

TEST(Equilibria, WithoutForcesAnyPoseWillDo) {
  const Scene scene = scene_of("gravity: 0\nfigures: {ball: {links: {body: {mass: 1 kg, inertia: {sphere: 5 cm}}}}}\n");
  const Equilibrium e = find(scene);
  EXPECT_TRUE(e.found);
  EXPECT_EQ(e.moved, 0);
  EXPECT_EQ(e.rounds, 0);
  EXPECT_NE(describe(scene.model, e).find("there already"), std::string::npos);
}

TEST(Equilibria, ASceneStartsInOneByName) {
  const Scene scene = scene_of("start: equilibrium\n" + bent_rod(3, 0.4));
  EXPECT_NEAR(3 * scene.start.q[0], 0.5 * g * std::sin(scene.start.q[0]), 1e-12);
  EXPECT_EQ(scene.start.v[0], 0);
  EXPECT_TRUE(scene.warnings.empty());
  ASSERT_EQ(scene.notes.size(), 1u);
  EXPECT_NE(scene.notes[0].find("'f.rod' turned by"), std::string::npos) << scene.notes[0];
  EXPECT_EQ(scene_of("start: equilibrium\n" + bent_rod(3, 0)).warnings.size(), 1u);  // unstable
}

}  // namespace
}  // namespace marey
