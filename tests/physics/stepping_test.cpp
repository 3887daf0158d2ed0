// What touches, in fixed steps (contact: stepping), against closed forms. Many of them are those of the step itself: with a force
// that is constant the midpoint rule makes no error, and where something stops within a step the error of its place is known.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_test {

constexpr double g = 9.81;

Scene scene_of(const std::string& text) { return parse_scene(text, "test.yaml"); }
std::string head(const std::string& solver, const std::string& more = "") {
  return "marey: 1\nduration: 100 s\nsolver: {contact: stepping, " + solver +
         "}\nscenery: {floor: {plane: 0}}\ncollide: all\n" + more;
}
// A block of 1 kg, 20 cm × 20 cm × 10 cm, on the floor.
std::string block(const std::string& velocity = "[0, 0, 0]", const std::string& name = "block") {
  return "figures: {" + name +
         ": {links: {b: {shape: {box: [20 cm, 20 cm, 10 cm]}, mass: 1 kg, start: {position: [0, 0, 5 cm], velocity: " +
         velocity + "}}}}}\n";
}
double value(const Simulation& s, const char* channel, std::size_t column) { return s.values(channel)[column]; }
double worst(const Simulation& s) { return s.value("contacts/natural_map"); }

// ---- one block
TEST(Stepping, ABlockOnAnInclineSlidesByGravityLessFriction) {
  const double angle = 0.5, mu = 0.4;
  Scene scene = scene_of(head("step: 2 ms", "materials: {default: {friction: 0.4}}\n") + block());
  scene.model.params.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
  Simulation s(scene);
  s.run_until(1);
  const double a = g * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(value(s, "link/block.b/velocity", 0), a, 1e-10);
  EXPECT_NEAR(value(s, "link/block.b/position", 0), 0.5 * a, 1e-10);
  EXPECT_NEAR(value(s, "link/block.b/position", 2), 0.05, 1e-12);
}

TEST(Stepping, BelowTheAngleOfFrictionItStaysWhereItIs) {
  const double mu = 0.4;
  for (const double part : {0.5, 0.99, 0.9999}) {
    Scene scene = scene_of(head("step: 2 ms", "materials: {default: {friction: 0.4}}\n") + block());
    const double angle = std::atan(part * mu);
    scene.model.params.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
    Simulation s(scene);
    s.run_until(1);
    EXPECT_NEAR(value(s, "link/block.b/position", 0), 0, 1e-11) << part;
  }
}

// The last step ends at rest: it goes ½h v instead of v²/(2 μ g), v < μ g h, and errs by at most μ g h²/8.
TEST(Stepping, ASlidingBlockStopsWhereItsEnergyEnds) {
  const double mu = 0.3, v = 2;
  for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
    Scene scene = scene_of(head("step: 1 ms", "materials: {default: {friction: 0.3}}\n") + block("[2 m/s, 0, 0]"));
    scene.solver.step = h;
    Simulation s(scene);
    s.run_until(1.5);
    EXPECT_NEAR(value(s, "link/block.b/position", 0), v * v / (2 * mu * g), mu * g * h * h / 8 + 1e-12) << h;
    EXPECT_NEAR(value(s, "link/block.b/velocity", 0), 0, 1e-12) << h;
    EXPECT_NEAR(s.ledger().energy_residual, 0, 1e-12);
  }
}

TEST(Stepping, AtRestItIsStaticFrictionThatHolds) {
  // Pulled with 0.45 of its weight: held by 0.5 at rest; once it moves, 0.4 does not stop it.
  const std::string text = head("step: 1 ms", "materials: {default: {friction: {static: 0.5, kinetic: 0.4}}}\n");
  Scene still = scene_of(text + block()), moving = scene_of(text + block("[10 cm/s, 0, 0]"));
  for (Scene* scene : {&still, &moving}) scene->model.params.gravity = {0.45 * g, 0, -g};
  Simulation a(still), b(moving);
  a.run_until(0.5), b.run_until(0.5);
  EXPECT_NEAR(value(a, "link/block.b/position", 0), 0, 1e-11);
  EXPECT_NEAR(value(b, "link/block.b/velocity", 0), 0.1 + 0.05 * g * 0.5, 1e-10);
}

// About the line of contact its angular momentum stays: v + (2/5) r ω = v₀.
TEST(Stepping, ABowlingBallRollsWithFiveSevenths) {
  Simulation s(
      scene_of(head("step: 1 ms", "materials: {default: {friction: 0.2}}\n") +
               "figures: {ball: {links: {b: {shape: {sphere: 10 cm}, mass: 6 kg, start: {position: [0, 0, 10 cm], "
               "velocity: [5 m/s, 0, 0]}}}}}\n"));
  s.run_until(2.0 * 5 / (7 * 0.2 * g) - 2e-3);
  EXPECT_GT(value(s, "link/ball.b/velocity", 0), 5.0 * 5 / 7 + 1e-3);  // not yet
  s.run_until(1.5);
  EXPECT_NEAR(value(s, "link/ball.b/velocity", 0), 5.0 * 5 / 7, 1e-10);
  EXPECT_NEAR(value(s, "link/ball.b/spin", 1), 5.0 * 5 / 7 / 0.1, 1e-9);
}

// M = ρ N holds against rolling: a = −ρ g/(r (1 + 2/5)), by the equations of a ball that rolls.
TEST(Stepping, RollingFrictionBrakesARollingBall) {
  Simulation s(
      scene_of(head("step: 1 ms", "materials: {default: {friction: 0.5, rolling: 2 mm}}\n") +
               "figures: {ball: {links: {b: {shape: {sphere: 10 cm}, mass: 6 kg, start: {position: [0, 0, 10 cm], "
               "velocity: [1 m/s, 0, 0], spin: [0, 10 rad/s, 0]}}}}}\n"));
  s.run_until(1);
  EXPECT_NEAR(value(s, "link/ball.b/velocity", 0), 1 - 0.002 * g / (0.1 * 1.4), 1e-9);
}

TEST(Stepping, ABallBouncesWithItsRestitution) {
  Scene scene =
      scene_of(head("step: 0.5 ms", "materials: {default: {restitution: 0.8}}\n") +
               "figures: {ball: {links: {b: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 1.1]}}}}}\n");
  Simulation s(scene);
  const double fall = std::sqrt(2 / g);
  s.run_until(fall * 1.8);  // at the top of its first bounce: 0.64 m, within what it falls in a step at the impact
  EXPECT_NEAR(value(s, "link/ball.b/position", 2), 0.1 + 0.64, 2 * 0.5e-3 * g * fall);
  EXPECT_TRUE(s.ledger().closed);
}

// It falls from 1 cm: the step in which it arrives ends with a gap of zero, by (2) of marey/contact/stepped_contacts.h.
// Restitution 1 keeps all energy, beside a floor that carries and does no work but by rounding.
TEST(Stepping, ABounceOnAFloorLosesNothing) {
  for (const char* mass : {"0.4", "1", "5"})
    for (const char* gravity : {"0", "9.81"}) {
      Simulation s(scene_of(
          head("step: 1 ms", "materials: {default: {friction: 0, restitution: 1}}\ngravity: " + std::string(gravity)) +
          "\nfigures: {ball: {links: {b: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [-0.9, 0.013, 10 cm], "
          "velocity: [1 m/s, 0.1 m/s, 0]}}}}, block: {links: {b: {shape: {box: [1 m, 1 m, 20 cm]}, mass: " +
          mass + " kg, start: {position: [0.07, 0.013, 10 cm]}}}}}\n"));
      const double before = s.value("energy/kinetic");
      s.run_until(1);
      EXPECT_GT(value(s, "link/block.b/velocity", 0), 0.1);
      EXPECT_NEAR(s.value("energy/kinetic"), before, 1e-12) << mass << ", " << gravity;
    }
}

TEST(Stepping, AFallingBlockComesDownToItsFloor) {
  for (const double height : {0.0600, 0.0601, 0.0602, 0.0603}) {
    Scene scene = scene_of(head("step: 1 ms") + block());
    scene.start.q[static_cast<std::size_t>(scene.model.links[1].q) + 6] = height;
    Simulation s(scene);
    ASSERT_NEAR(s.pose(1).p.z, height, 1e-15);
    bool arrived = false;
    while (s.time() < 0.1) {
      s.step();
      ASSERT_GE(s.pose(1).p.z, 0.05 - 1e-12);
      if (arrived || s.velocity(1).v.z < -0.99 * g * s.time()) continue;
      arrived = true;
      EXPECT_NEAR(s.pose(1).p.z, 0.05, 1e-12) << height;
    }
    EXPECT_NEAR(s.pose(1).p.z, 0.05, 1e-12) << height;
  }
}

// Two spinning balls meet in free space, with friction, and while their gap is open still: no moment comes from nowhere.
TEST(Stepping, WhatTouchesKeepsAngularMomentum) {
  Simulation s(
      scene_of("marey: 1\nduration: 1 s\ngravity: 0\nsolver: {contact: stepping, step: 5 ms}\ncollide: all\n"
               "figures: {a: {links: {b: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 0], velocity: "
               "[3 m/s, 0, 0], spin: "
               "[0, 0, 20 rad/s]}}}}, c: {links: {b: {shape: {sphere: 10 cm}, mass: 2 kg, start: {position: [40.9 cm, "
               "7 cm, 1 cm], spin: [9 rad/s, 0, 0]}}}}}\n"));
  while (s.time() < 0.2) s.step();
  EXPECT_GT(norm(s.velocity(2).v), 0.5);  // it was hit
  EXPECT_LT(s.ledger().angular_momentum_residual_relative, 1e-14);
  EXPECT_LT(s.ledger().linear_momentum_residual_relative, 1e-14);
}

// ---- how exact
TEST(Stepping, FreeFlightIsOfSecondOrder) {
  const std::string body =
      "figures: {rod: {links: {b: {shape: {box: [40 cm, 10 cm, 4 cm]}, mass: 1 kg, start: {position: [0, 0, 50], "
      "velocity: "
      "[1 m/s, 0, 3 m/s], spin: [1 rad/s, 5 rad/s, 0.3 rad/s]}}, l: {parent: b, joint: {type: hinge, axis: y}, at: [20 "
      "cm, 0, 0], "
      "shape: {box: {size: [30 cm, 4 cm, 4 cm], along: x}}, mass: 0.5 kg, start: {rate: 3 rad/s}}}}}\n";
  const auto place = [&](double h) {
    Scene scene = scene_of(head("step: 1 ms") + body);
    scene.solver.step = h;
    Simulation s(scene);
    s.run_until(0.5);
    return std::array{value(s, "link/rod.l/position", 0), value(s, "link/rod.l/position", 2),
                      value(s, "joint/rod.l/angle", 0)};
  };
  const auto exact = place(1.0 / 16384), coarse = place(1.0 / 256), fine = place(1.0 / 512);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(std::log2((coarse[k] - exact[k]) / (fine[k] - exact[k])), 2, 0.1) << k;
}

// Viscous friction d of a joint with the inertia I about it: a step of the midpoint rule gives (1 − x/2)/(1 + x/2), x = h d/I,
// however large x is. An explicit step would blow up from x = 2 on.
TEST(Stepping, FrictionOfAJointIsTakenImplicitly) {
  Scene scene = scene_of(
      "marey: 1\nduration: 1 s\ngravity: 0\nsolver: {contact: stepping, step: 2 ms}\n"
      "figures: {w: {links: {b: {joint: {type: hinge, axis: z}, inertia: {diagonal: [1 kg m^2, 1 kg m^2, 0.02 kg "
      "m^2]}, mass: 1 kg, friction: 60 N m s/rad, start: {rate: 1 rad/s}}}}}\n");
  Simulation s(scene);
  const double x = 2e-3 * 60 / 0.02, factor = (1 - x / 2) / (1 + x / 2);
  for (int k = 1; k <= 20; ++k) {
    s.step();
    EXPECT_NEAR(value(s, "joint/w.b/velocity", 0), std::pow(factor, k), 1e-12) << k;
  }
  EXPECT_TRUE(s.ledger().closed);
}

TEST(Stepping, AStackStays) {
  Simulation s(scene_of(head("step: 10 ms") + "figures: {c: {at: [0, 0, 10 cm], copies: {count: [1, 1, 8], spacing: 20 "
                                              "cm}, links: {b: {shape: {box: [20 cm, 20 "
                                              "cm, 20 cm]}, mass: 1 kg}}}}\n"));
  double most = 0;
  while (s.time() < 1) s.step(), most = std::max(most, worst(s));
  EXPECT_LE(most, 1e-8);
  for (int i = 1; i <= 8; ++i) {
    const Vec3<double> p = s.pose(i).p;
    EXPECT_LT(norm(p - Vec3<double>{0, 0, 0.2 * i - 0.1}), 1e-9) << i;
  }
}

TEST(Stepping, AMillionToOne) {
  Simulation s(scene_of(head("step: 2 ms") +
                        "figures: {light: {at: [0, 0, 10 cm], links: {b: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 "
                        "kg}}}, heavy: {at: [0, "
                        "0, 30 cm], links: {b: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1e6 kg}}}}\n"));
  double most = 0;
  while (s.time() < 0.5) s.step(), most = std::max(most, worst(s));
  EXPECT_LE(most, 1e-8);
  EXPECT_NEAR(s.pose(1).p.z, 0.1, 1e-7);
  EXPECT_NEAR(s.pose(2).p.z, 0.3, 1e-7);
}

// Shapes that begin in each other are put apart without getting any speed by it.
TEST(Stepping, OverlapAtTheStartDoesNotExplode) {
  Simulation s(scene_of(head("step: 2 ms") +
                        "figures: {a: {at: [0, 0, 8 cm], links: {b: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 "
                        "kg}}}, b: {at: [2 cm, 0, "
                        "22 cm], links: {b: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}}}}\n"));
  double fastest = 0;
  while (s.time() < 1) s.step(), fastest = std::max(fastest, s.kinetic_energy());
  EXPECT_LT(fastest, 1e-3);
  EXPECT_NEAR(s.pose(1).p.z, 0.1, 1e-6);
  EXPECT_NEAR(s.pose(2).p.z, 0.3, 1e-6);
  EXPECT_TRUE(s.ledger().closed);
}

// ---- sharing
TEST(Stepping, FourCornersCarryAlike) {
  Simulation s(scene_of(
      "marey: 1\nduration: 1 s\nsolver: {contact: stepping, step: 1 ms}\n"
      "figures: {p: {at: [0, 0, 1 cm], links: {b: {shape: {box: [40 cm, 40 cm, 2 cm]}, mass: 4 kg}}}}\n"
      "contacts: [{link: p.b, at: [[20 cm, 20 cm, -1 cm], [-20 cm, 20 cm, -1 cm], [20 cm, -20 cm, -1 cm], [-20 cm, "
      "-20 cm, -1 cm]], floor: 0, friction: 0.5}]\n"));
  s.run_until(0.1);
  int corners = 0;
  for (const Channel& c : s.system().channels()) {
    if (!c.name.starts_with("contact/") || !c.name.ends_with("/force")) continue;
    const std::span<const double> f = s.values(c.name);
    EXPECT_NEAR(f[2], g, 1e-9) << c.name;
    EXPECT_NEAR(std::hypot(f[0], f[1]), 0, 1e-9) << c.name;
    ++corners;
  }
  EXPECT_EQ(corners, 4);
}

// ---- in a run
TEST(Stepping, ASavedStateGoesOnBitForBit) {
  const auto system = std::make_shared<const System>(load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml"));
  Simulation a(system), b(system);
  a.run_until(0.5);
  const SavedState saved = a.save();
  a.run_until(0.7);
  b.restore(saved);
  b.run_until(0.7);
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
  EXPECT_EQ(a.ledger().energy_residual, b.ledger().energy_residual);
}

// Both coordinates solve the same equations, each with an error of its own: they come together as steps get shorter.
TEST(Stepping, OfBodiesAndOfJointsItIsTheSameFall) {
  const auto fall = [](Dynamics dynamics, double h) {
    Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml");
    scene.elements.clear();  // with them joints are taken implicitly, bodies are not
    scene.solver.dynamics = dynamics, scene.solver.step = h;
    Simulation s(scene);
    s.run_until(0.45);  // through the first impacts
    EXPECT_GT(s.value("contacts/points"), 0);
    EXPECT_TRUE(s.ledger().closed);
    return s.pose(1).p;
  };
  const auto apart = [&](double h) { return norm(fall(Dynamics::aba, h) - fall(Dynamics::multipliers, h)); };
  const double coarse = apart(1e-3), fine = apart(0.25e-3);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, 0.3 * coarse);
}

// Two equal blocks side by side, one named before the other and one after: nothing depends on the order.
TEST(Stepping, TheOrderOfBodiesDoesNotMatter) {
  const auto fall = [](const std::string& first, const std::string& second) {
    Simulation s(scene_of(
        head("step: 1 ms") + "figures: {" + first +
        ": {links: {b: {shape: {box: [30 cm, 20 cm, 10 cm]}, mass: 1 kg, start: {position: [0, 0, 5 cm]}}}}, " +
        second +
        ": {links: {b: {shape: {box: [10 cm, 20 cm, 10 cm]}, mass: 3 kg, start: {position: [12 cm, 0, 30 cm], turned: "
        "{axis: "
        "y, angle: 20 deg}}}}}}\n"));
    s.run_until(0.25);
    return s.pose(s.system().model().find("b.b")).p;
  };
  const Vec3<double> one = fall("a", "b"), other = fall("z", "b");
  EXPECT_LT(norm(one - other), 1e-6);
}

// A drive holds what it is told while its figure stands on a floor, and books close.
TEST(Stepping, DrivesAndContactsTogether) {
  Simulation s(load_scene(MAREY_SOURCE_DIR "/gallery/plate-with-mast.yaml"));
  while (s.time() < 1.5) {
    s.step();
    ASSERT_NEAR(value(s, "joint/rig.mast/angle", 0), 0.12 * s.time() * std::sin(6 * s.time()), 1e-9);
  }
  EXPECT_LT(s.ledger().energy_residual_relative, 1e-5);
}

// A wall of four hundred cubes would take gigabytes for its matrices: that is said before they are made, and what was recorded stays.
TEST(Stepping, AHeapTooLargeIsRefusedByName) {
  recorded::Memory memory;
  const RunSummary s = run(load_scene(MAREY_SOURCE_DIR "/tests/fuzz/corpus/wall-of-400-cubes.yaml"), memory);
  EXPECT_NE(s.breakdown.find("hold each other in one heap"), std::string::npos) << s.breakdown;
  EXPECT_NE(s.breakdown.find("cube-1-1-1.body"), std::string::npos) << s.breakdown;
  EXPECT_EQ(memory.rows.size(), 1u);
}

}  // namespace stepping_test
}  // namespace marey
