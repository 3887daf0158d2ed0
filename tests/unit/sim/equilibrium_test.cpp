// Static equilibria against those that can be written down, and against a world that is to stay where it was put.
#include "marey/sim/equilibrium.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 2 s\n" + text, "still.yaml"); }
Equilibrium find(const Scene& s) { return find_equilibrium(s.model, s.elements, s.start); }

// The largest velocity and the way gone in half a second.
std::pair<double, double> stir(Scene scene) {
  Simulation world(scene);
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

// A torque alone turns a free body about its centre of mass, which stays: what is restless is the other one.
TEST(Equilibria, WhatIsRestlessIsACentreOfMass) {
  const Equilibrium e = find(scene_of(R"(gravity: 0
figures:
  spun: {links: {body: {mass: 2 kg, inertia: {sphere: 10 cm}, center_of_mass: [0, 0, 30 cm]}}}
  pushed: {at: [1 m, 0, 0], links: {body: {mass: 4 kg, inertia: {sphere: 10 cm}}}}
forces:
  - push: {link: spun.body, torque: [1 N m, 0, 0], force: [0, 0, 0]}
  - push: {link: pushed.body, force: [0.4 N, 0, 0]}
)"));
  EXPECT_FALSE(e.found);
  EXPECT_EQ(e.restless_link, 2);
  EXPECT_NEAR(e.restless, 0.1, 1e-9);
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

// ---- with constraints
Equilibrium find_held(const Scene& s) { return find_equilibrium(s.model, s.elements, s.constraints, s.start); }
void expect_stays(Scene scene, const Equilibrium& e) {
  ASSERT_TRUE(e.found) << describe(scene.model, e);
  scene.start = e.state;
  const auto [speed, way] = stir(scene);
  EXPECT_LT(speed, 1e-8);
  EXPECT_LT(way, 1e-8);
}

// A four-bar linkage hangs from two nails at (0, 0) and (d, 0): crank a, coupler b, rocker c, uniform rods that move in the xz
// plane. Its height of the centre of mass, written down in the crank's angle alone (the other joint is where two circles
// meet), is minimised by golden sections.
struct FourBar {
  double a, b, c, d, m_a, m_b, m_c;
  double height(double theta) const {
    const double x = a * std::cos(theta), z = a * std::sin(theta), dx = d - x, dz = -z, s = std::hypot(dx, dz);
    const double along = (b * b - c * c + s * s) / (2 * s), off = std::sqrt(b * b - along * along);
    const double lower = z + along * dz / s - off * std::abs(dx) / s;  // of the two joints the lower one
    return 0.5 * m_a * z + 0.5 * m_b * (z + lower) + 0.5 * m_c * lower;
  }
  double lowest(double from, double to) const {
    const double golden = 0.5 * (std::sqrt(5.0) - 1);
    while (to - from > 1e-9) {
      const double one = to - golden * (to - from), two = from + golden * (to - from);
      (height(one) < height(two) ? to : from) = height(one) < height(two) ? two : one;
    }
    return 0.5 * (from + to);
  }
};
std::string rod(const std::string& parent, const std::string& at, double length, double mass, double angle) {
  return "{" + (parent.empty() ? "" : "parent: " + parent + ", at: " + at + ", ") +
         "joint: {type: hinge, axis: -y}, mass: " + std::to_string(mass) +
         ", inertia: {diagonal: [0.01, 0.01, 0.01]}, " + "center_of_mass: [" + std::to_string(length / 2) +
         ", 0, 0], start: {angle: " + std::to_string(angle) + "}}";
}

TEST(Equilibria, AFourBarLinkageHangsLowest) {
  const FourBar bar{0.3, 0.7, 0.5, 0.6, 1, 3, 2};
  // About -y an angle lifts x towards z. The coupler's and the rocker's angles are given roughly.
  const std::string linkage =
      "figures:\n  l:\n    links:\n      crank: " + rod("", "", bar.a, bar.m_a, -0.6) +
      "\n      coupler: " + rod("crank", "[0.3, 0, 0]", bar.b, bar.m_b, 0.4) + "\n      rocker: {at: [0.6, 0, 0], " +
      rod("", "", bar.c, bar.m_c, -1.2).substr(1) +
      "\nconstraints:\n  - KIND: {a: l.rocker, b: l.coupler, at: [0.5, 0, 0], at_b: [0.7, 0, 0]AXIS}\n";
  const auto with = [&](const std::string& kind, const std::string& axis) {
    std::string text = linkage;
    text.replace(text.find("KIND"), 4, kind);
    return text.replace(text.find("AXIS"), 4, axis);
  };
  const double theta = bar.lowest(-2.2, -0.4);
  for (const bool redundant : {false, true}) {  // a hinge in space says three things twice
    const Scene scene =
        scene_of("start: equilibrium\n" + with(redundant ? "hinge" : "ball", redundant ? ", axis: y" : ""));
    std::printf("four-bar: crank at %.9f, by golden sections %.9f\n", scene.start.q[0], theta);
    EXPECT_NEAR(scene.start.q[0], theta, 1e-7);  // of a minimum, in a function of sixteen digits
    // The height is flat there.
    EXPECT_NEAR(bar.height(scene.start.q[0]), bar.height(theta), 1e-14);
    const double slope = (bar.height(scene.start.q[0] + 1e-5) - bar.height(scene.start.q[0] - 1e-5)) / 2e-5;
    EXPECT_NEAR(slope, 0, 1e-9);
    EXPECT_TRUE(scene.warnings.empty());
    const auto [speed, way] = stir(scene);
    EXPECT_LT(speed, 1e-8);
    EXPECT_LT(way, 1e-8);
  }
}

// A bead on a level ellipse, x²/a² + y²/b² = 1, pulled to a point outside by a spring: the nearest point of the ellipse, where
// the spring stands square to it. And upright on the top of a circle it can stay, and knows it is unstable.
TEST(Equilibria, ABeadOnARing) {
  const Scene scene = scene_of(R"(particles: {p: {mass: 2 kg, points: [{position: [0.4, 0, 1]}]}}
forces: [{spring: {link: p.1, to: [0.5, 0.6, 1], stiffness: 50 N/m, rest: 0}}]
constraints: [{path: {b: p.1, at: [0, 0, 1], ellipse: [0.4, 0.2]}}]
)");
  const Equilibrium e = find_held(scene);
  expect_stays(scene, e);
  const double x = e.state.q[0], y = e.state.q[1];
  EXPECT_NEAR(x * x / 0.16 + y * y / 0.04, 1, 1e-12);
  EXPECT_NEAR((0.5 - x) * y / 0.04 - (0.6 - y) * x / 0.16, 0, 1e-9);  // spring along the normal
  EXPECT_TRUE(e.stable);
  for (const double side : {0.5, -0.5}) {
    const std::string ring = "particles: {p: {mass: 2 kg, points: [{position: [0, 0, " + std::to_string(side) +
                             "]}]}}\nconstraints: [{path: {b: p.1, circle: 0.5, axis: y}}]\n";
    const Equilibrium top = find_held(scene_of(ring));
    EXPECT_TRUE(top.found);
    EXPECT_EQ(top.stable, side < 0);
    EXPECT_EQ(top.state.q[2], side);
  }
}

// A screw geared to a weight on a string, with a torsion spring: k θ = m g h, h the pitch over 2 π, and a drive that holds
// what it drives: of two equal pendulums the locked one stays.
TEST(Equilibria, GearsAndLocksBearTheirShare) {
  const Scene scene = scene_of(R"(start: equilibrium
figures:
  a:
    links:
      nut: {joint: {type: screw, axis: z, pitch: 10 cm}, mass: 2 kg, inertia: {diagonal: [0.03, 0.03, 0.03]}}
      wheel: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.01, 0.01, 0.01]}}
      held: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.01, 0.01, 0.01]}, center_of_mass: [1, 0, 0], start: {angle: 0.3}}
      loose: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.01, 0.01, 0.01]}, center_of_mass: [1, 0, 0], start: {angle: 0.3}}
torques: [{free_play: {joint: a.wheel, from: 0, to: 0, slope: 3}}]
constraints: [{couple: {joints: {a.nut: 2.5, a.wheel: -1}}}]
drives: [{joint: a.held, locked: true}]
)");
  const auto q = [&](const char* name) {
    return scene.start
        .q[static_cast<std::size_t>(scene.model.links[static_cast<std::size_t>(scene.model.find(name))].q)];
  };
  EXPECT_NEAR(q("a.nut"), -2 * g * 0.1 / (2 * pi) / (2.5 * 2.5 * 3), 1e-11);
  EXPECT_NEAR(q("a.wheel"), 2.5 * q("a.nut"), 1e-13);
  EXPECT_NEAR(q("a.held"), 0.3, 1e-13);
  EXPECT_NEAR(q("a.loose"), pi / 2, 1e-9);
  const auto [speed, way] = stir(scene);
  EXPECT_LT(speed, 1e-8);
  EXPECT_LT(way, 1e-8);
}

TEST(Equilibria, WhatMovesAtTheStartIsRefused) {
  const std::string pendulum =
      "start: equilibrium\nfigures: {f: {links: {rod: {joint: {type: hinge, axis: y}, mass: 1 kg, "
      "inertia: {sphere: 5 cm}}}}}\ndrives: [{joint: f.rod, ";
  for (const auto& [script, why] : {std::pair{"angle: 't'", "moves at the start"},
                                    std::pair{"acceleration: 5 rad/s^2", "'f.rod/drive' accelerates at the start"}})
    try {
      scene_of(pendulum + script + "}]\n");
      ADD_FAILURE() << script;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  for (const char* script : {"acceleration: 0 rad/s^2", "acceleration: '3*t'", "acceleration: 5 rad/s^2, from: 1 s"})
    EXPECT_NO_THROW(scene_of(pendulum + script + "}]\n")) << script;
}

}  // namespace
}  // namespace marey
