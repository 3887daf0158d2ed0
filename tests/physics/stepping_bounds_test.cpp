// Stops and motors of joints in steps, against closed forms: a flywheel on a hinge of the world, a pendulum, a slide.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace stepping_bounds_test {

// A wheel of I = 0.02 kg m² about y, on the world; `start` of its angle. Without gravity.
std::string wheel(const std::string& start, const std::string& torques, const std::string& solver = "step: 1 ms") {
  return "marey: 1\nduration: 10 s\ngravity: [0, 0, 0]\nsolver: {" + solver +
         "}\nfigures: {w: {links: {wheel: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.02, 0.02, "
         "0.02]}, start: " +
         start + "}}}}\ntorques: [" + torques + "]\n";
}
double angle(const Simulation& s, const std::string& joint = "w.wheel") {
  return s.values("joint/" + joint + "/angle")[0];
}
double rate(const Simulation& s, const std::string& joint = "w.wheel") {
  return s.values("joint/" + joint + "/velocity")[0];
}
Simulation simulation(const std::string& text) { return Simulation(parse_scene(text, "test.yaml")); }

class SteppingBoundsIn : public testing::TestWithParam<const char*> {
 protected:
  static std::string solver() { return std::string("step: 1 ms, dynamics: ") + GetParam(); }
};

// At 2 rad/s from 0 to 0.5 rad: it is there after 0.25 s, and comes back with e of its rate.
TEST_P(SteppingBoundsIn, AStopGivesBackItsPartOfTheRate) {
  for (const double e : {0.0, 0.4, 1.0}) {
    Simulation s = simulation(
        wheel("{rate: 2}", "stop: {joint: w.wheel, to: 0.5, restitution: " + std::to_string(e) + "}", solver()));
    s.run_until(0.4);
    EXPECT_NEAR(rate(s), -2 * e, 1e-9) << e;
    EXPECT_NEAR(angle(s), 0.5 - 2 * e * 0.15, 2.1e-3) << e;  // the instant is known to a step
    EXPECT_LE(angle(s), 0.5 + 1e-12);
    EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-9) << e;
    EXPECT_LT(s.ledger().angular_momentum_residual_relative, 1e-9) << e;
  }
}

// A torque presses the wheel on its stop: it stays there. Turned round, the torque takes it away, with no pull: τ t/I.
TEST_P(SteppingBoundsIn, AStopHoldsAndLetsGo) {
  Simulation s =
      simulation(wheel("{}",
                       "stop: {joint: w.wheel, to: 0}, torque: {joint: w.wheel, value: [[0 s, 1 N m], [0.1 s, 1 N m], "
                       "[0.1001 s, -1 N m], [1 s, -1 N m]]}",
                       solver()));
  s.run_until(0.1);
  EXPECT_NEAR(angle(s), 0, 1e-12);
  EXPECT_NEAR(rate(s), 0, 1e-12);
  s.run_until(0.3);
  EXPECT_NEAR(rate(s), -(0.3 - 0.10005) / 0.02, 1e-2 * 0.2 / 0.02);
  EXPECT_LT(rate(s), -9);
}

// The range between two stops, bouncing without loss, for ever: energy stays, and nothing gets out.
TEST_P(SteppingBoundsIn, BetweenTwoStops) {
  Simulation s =
      simulation(wheel("{rate: 3}", "stop: {joint: w.wheel, from: -0.2, to: 0.3, restitution: 1}", solver()));
  for (int k = 1; k <= 200; ++k) {
    s.run_until(0.01 * k);
    ASSERT_LE(angle(s), 0.3 + 1e-9);
    ASSERT_GE(angle(s), -0.2 - 1e-9);
    ASSERT_NEAR(std::abs(rate(s)), 3, 1e-9);
  }
}

// Strong enough, it follows; its work is the change of the kinetic energy.
TEST_P(SteppingBoundsIn, AMotorFollowsItsScript) {
  Simulation s =
      simulation(wheel("{}", "motor: {joint: w.wheel, angle: '0.3*(1 - cos(4*t))', most: 5 N m, name: m}", solver()));
  for (int k = 1; k <= 10; ++k) {
    s.run_until(0.05 * k);
    EXPECT_NEAR(angle(s), 0.3 * (1 - std::cos(4 * 0.05 * k)), 2e-6);
  }
  EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-9);
}

// Too weak for a rate at once: τ t/I until it has it. Then it stays.
TEST_P(SteppingBoundsIn, AWeakMotorPullsWithAllItHas) {
  Simulation s = simulation(wheel("{}", "motor: {joint: w.wheel, velocity: 10, most: 0.1 N m}", solver()));
  s.run_until(1);
  EXPECT_NEAR(rate(s), 0.1 * 1 / 0.02, 1e-9);
  EXPECT_NEAR(angle(s), 0.5 * 0.1 / 0.02, 1e-9);
  s.run_until(2.5);
  EXPECT_NEAR(rate(s), 10, 1e-9);
}

// From far away it comes to its target and stays there, without swinging beyond it by more than a little.
TEST_P(SteppingBoundsIn, AWeakMotorArrives) {
  Simulation s = simulation(wheel("{}", "motor: {joint: w.wheel, angle: 1, most: 0.2 N m}", solver()));
  double most = 0;
  for (int k = 1; k <= 300; ++k) s.run_until(0.01 * k), most = std::max(most, angle(s));
  EXPECT_NEAR(angle(s), 1, 1e-6);
  EXPECT_NEAR(rate(s), 0, 1e-6);
  EXPECT_LT(most, 1.02);
}

INSTANTIATE_TEST_SUITE_P(Each, SteppingBoundsIn, testing::Values("aba", "multipliers"));

// 1 kg at 0.5 m on a hinge: 4.905 N m hold it level. A motor of 5 N m does, one of 4.8 lets it sink.
TEST(SteppingBounds, AMotorHoldsWhatItCan) {
  const auto after = [](const std::string& most) {
    Simulation s = simulation(
        "marey: 1\nduration: 10 s\nsolver: {step: 1 ms}\nfigures: {p: {links: {rod: {joint: {type: hinge, axis: y}, "
        "mass: 1 "
        "kg, inertia: {diagonal: [0.01, 0.01, 0.01]}, center_of_mass: [50 cm, 0, 0]}}}}\ntorques: [motor: {joint: "
        "p.rod, angle: 0, "
        "most: " +
        most + "}]\n");
    s.run_until(0.5);
    return angle(s, "p.rod");
  };
  EXPECT_NEAR(after("5 N m"), 0, 1e-9);
  EXPECT_GT(std::abs(after("4.8 N m")), 0.01);
}

// What holds it is a torque in its joint: the weight's moment, and of a wheel that is pressed on its stop all that presses.
TEST(SteppingBounds, TheirTorquesAreThoseOfTheJoint) {
  Simulation s = simulation(wheel("{}", "stop: {joint: w.wheel, to: 0}, torque: {joint: w.wheel, value: 0.7 N m}"));
  s.run_until(0.1);
  EXPECT_NEAR(s.values("joint/w.wheel/moment")[1], 0, 1e-9);
  EXPECT_NEAR(s.values("joint/w.wheel/velocity")[0], 0, 1e-12);
}

// What an element does is recorded by its own name: a weak motor pulls with all it has, its power is that times the rate, and powers add
// up to its work.
TEST(SteppingBounds, TorqueAndPowerOfEachAreRecorded) {
  Simulation s = simulation(wheel("{}", "motor: {joint: w.wheel, velocity: 10, most: 0.1 N m, name: m}"));
  double work = 0;
  for (int k = 0; k < 300; ++k) {
    const double before = rate(s);
    s.step();
    ASSERT_NEAR(s.value("element/m/torque"), 0.1, 1e-12) << k;
    ASSERT_NEAR(s.value("element/m/power"), 0.1 * 0.5 * (before + rate(s)), 1e-12) << k;
    work += 1e-3 * s.value("element/m/power");
  }
  EXPECT_NEAR(s.value("element/m/work"), work, 1e-12);
  EXPECT_NEAR(work, 0.5 * 0.02 * rate(s) * rate(s), 1e-12);

  Simulation pressed = simulation(wheel(
      "{}", "stop: {joint: w.wheel, to: 0, name: s}, motor: {joint: w.wheel, velocity: 1, most: 0.7 N m, name: m}"));
  pressed.run_until(0.1);
  EXPECT_NEAR(pressed.value("element/s/torque"), -0.7, 1e-9);
  EXPECT_NEAR(pressed.value("element/m/torque"), 0.7, 1e-9);
  EXPECT_NEAR(pressed.value("element/s/power"), 0, 1e-9);

  Simulation slide = simulation(
      "marey: 1\nduration: 10 s\nsolver: {step: 1 ms}\nfigures: {p: {links: {lift: {joint: {type: slider, axis: z}, "
      "mass: 2 kg, inertia: {diagonal: [0.01, 0.01, 0.01]}}}}}\ntorques: [motor: {joint: p.lift, slide: 0, most: 30 N, "
      "name: m}]\n");
  slide.run_until(0.1);
  EXPECT_NEAR(slide.value("element/m/force"), 2 * 9.81, 1e-9);
}

// From 0.1 s until 0.3 s: I ω = most (t − 0.1 s), and then it turns on.
TEST(SteppingBounds, AMotorActsFromOneTimeUntilAnother) {
  Simulation s = simulation(
      wheel("{}", "motor: {joint: w.wheel, velocity: 100, most: 0.1 N m, from: 0.1005 s, until: 0.3 s, name: m}"));
  s.run_until(0.1005);
  EXPECT_EQ(rate(s), 0);
  s.run_until(0.2);
  EXPECT_NEAR(rate(s), 0.0995 * 0.1 / 0.02, 1e-9);
  s.run_until(0.5);
  EXPECT_NEAR(rate(s), 0.1995 * 0.1 / 0.02, 1e-9);
  EXPECT_EQ(s.value("element/m/torque"), 0);
}

// A drive takes over where the motor ends.
TEST(SteppingBounds, AMotorBeforeADrive) {
  Simulation s = simulation(wheel("{}", "motor: {joint: w.wheel, velocity: 1, most: 5 N m, until: 0.2 s}") +
                            "drives: [{joint: w.wheel, velocity: 2, from: 0.2 s}]\n");
  s.run_until(0.1);
  EXPECT_NEAR(rate(s), 1, 1e-9);
  s.run_until(0.3);
  EXPECT_NEAR(rate(s), 2, 1e-9);
}

// It bounces a few times, each as e of the one before, and then lies on the stop for good, though the motor presses.
TEST(SteppingBounds, WhatAMotorPressesOnAStopRests) {
  Simulation s = simulation(wheel("{rate: 2}",
                                  "stop: {joint: w.wheel, to: 0.1, restitution: 0.6, name: s}, motor: {joint: w.wheel, "
                                  "velocity: 5, most: 1 N m, name: m}"));
  s.run_until(0.06);
  EXPECT_LT(rate(s), -0.5);  // it came back
  s.run_until(1);
  for (int k = 0; k < 100; ++k) {
    s.step();
    ASSERT_NEAR(rate(s), 0, 1e-9) << k;
    ASSERT_NEAR(s.value("element/s/torque"), -1, 1e-6) << k;
  }
  EXPECT_NEAR(angle(s), 0.1, 1e-6);
}

TEST(SteppingBounds, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& text) {
    try {
      Simulation s = simulation(text);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(wheel("{angle: 60 deg}", "stop: {joint: w.wheel, to: 20 deg}")).find("beyond its stop"),
            std::string::npos);
  EXPECT_NE(refused(wheel("{}", "stop: {joint: w.wheel, to: 20 deg}") + "drives: [{joint: w.wheel, angle: 't'}]\n")
                .find("are of the same joint"),
            std::string::npos);
  // of two ranges that do not meet, made in code as well
  EXPECT_NE(refused(wheel("{}", "stop: {joint: w.wheel, to: 0.1, name: a}, stop: {joint: w.wheel, from: 0.2, name: b}"))
                .find("the stops 'a' and 'b'"),
            std::string::npos);
  Scene scene = parse_scene(
      wheel("{}", "stop: {joint: w.wheel, to: 0.1, name: a}, stop: {joint: w.wheel, to: 0.2, name: b}"), "test.yaml");
  scene.elements[1].kind.get_if<JointStop>()->from = 0.15;
  EXPECT_THROW(Simulation{scene}, Error);
}

// The gripper of the gallery: open against its stops with all the strength of its motors, closed on the box, the box lifted and let fall; and
// closed on nothing, as far as its stops.
TEST(SteppingBounds, AGripperLiftsABox) {
  Simulation s(load_scene(MAREY_SOURCE_DIR "/gallery/gripper.yaml"));
  const double deg = std::acos(-1.0) / 180;
  const auto height = [&] { return s.values("link/box.body/position")[2]; };
  s.run_until(0.8);
  EXPECT_NEAR(angle(s, "gripper.left"), 25 * deg, 1e-6);
  EXPECT_NEAR(s.value("element/left_stop/torque"), -1.5, 0.1);  // beside the weight of the finger
  s.run_until(2.4);
  EXPECT_NEAR(height(), 0.05 + 0.23, 0.01);
  EXPECT_NEAR(s.value("element/left_motor/torque"), -1.5, 1e-9);
  EXPECT_EQ(s.value("element/left_stop/torque"), 0);
  EXPECT_NEAR(s.value("element/lift/force"), (1.5 + 2 * 0.2 + 0.5) * 9.81, 0.1);
  s.run_until(3.2);
  EXPECT_NEAR(height(), 0.05, 1e-4);
  s.run_until(5);
  EXPECT_NEAR(angle(s, "gripper.left"), -12 * deg, 1e-6);
  EXPECT_NEAR(angle(s, "gripper.right"), 12 * deg, 1e-6);
  EXPECT_TRUE(s.ledger().closed);
}

// A box on legs with stops stands on them: the floor carries its weight, and what the stops take is booked.
TEST(SteppingBounds, StandingOnLegsThatGoNoFarther) {
  Simulation s = simulation(R"(marey: 1
duration: 10 s
solver: {step: 1 ms}
figures:
  r:
    links:
      root: {shape: {box: [40 cm, 20 cm, 10 cm]}, mass: 5 kg, start: {position: [0, 0, 40 cm]}}
      fl: {parent: root, joint: {type: hinge, axis: y}, at: [15 cm, 8 cm, -5 cm], start: {angle: -10 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
      fr: {parent: root, joint: {type: hinge, axis: y}, at: [15 cm, -8 cm, -5 cm], start: {angle: -10 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
      bl: {parent: root, joint: {type: hinge, axis: y}, at: [-15 cm, 8 cm, -5 cm], start: {angle: 10 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
      br: {parent: root, joint: {type: hinge, axis: y}, at: [-15 cm, -8 cm, -5 cm], start: {angle: 10 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
scenery: {floor: {plane: 0}}
materials: {default: {friction: 0.05}}
collide: all
torques:
  - stop: {joint: [r.fl, r.fr], from: -20 deg, to: 0}
  - stop: {joint: [r.bl, r.br], from: 0, to: 20 deg}
)");
  s.run_until(1.5);
  EXPECT_NEAR(angle(s, "r.fl"), -20 * std::acos(-1.0) / 180, 1e-6);
  EXPECT_NEAR(angle(s, "r.bl"), 20 * std::acos(-1.0) / 180, 1e-6);
  double carried = 0;
  for (const char* leg : {"fl", "fr", "bl", "br"}) carried += s.values(std::string("touch/r.") + leg + "/force")[2];
  EXPECT_NEAR(carried, 7 * 9.81, 1e-3);
  EXPECT_LT(s.value("contacts/natural_map"), 1e-8);
}

}  // namespace stepping_bounds_test
}  // namespace marey
