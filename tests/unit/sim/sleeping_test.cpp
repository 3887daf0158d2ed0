// Bodies that have come to rest sleep (marey/contact/sleeping.h): what wakes them, what becomes of energy and momenta, and that nothing of
// it depends on threads or on a checkpoint in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "marey/contact/stepped_contacts.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/simulation_parts.h"

namespace marey {
namespace sleeping_test {

constexpr double g = 9.81;

// Two stacks of three, a metre apart, and a ball that comes down on the first of them after 0.9 s, and drags its top box along.
std::string stacks(const std::string& solver) {
  return "marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 2 ms, " + solver +
         "}\nscenery: {floor: {plane: 0}}\ncollide: all\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
         "  box: {at: [0, 0, 10 cm], copies: {count: [2, 1, 3], spacing: [1 m, 1 m, 20 cm]}, shape: {box: [20 cm, 20 "
         "cm, "
         "20 cm]}, mass: 1 kg}\n"
         "  ball: {at: [-1.77 m, 0, 4.67 m], velocity: [2 m/s, 0, 0], shape: {sphere: 10 cm}, mass: 1 kg}\n";
}
Scene scene_of(const std::string& text) { return parse_scene(text, "test.yaml"); }
const StepCertificate& certificate(Simulation& s) { return s.parts().world.stepped()->certificate(); }
int link_of(const Simulation& s, const std::string& name) {
  const std::vector<std::string>& names = s.system().model().names;
  return static_cast<int>(std::ranges::find(names, name + ".body") - names.begin());
}

// The stack that is struck wakes; the other one keeps its place to the bit. What a step books of the sleepers' weight keeps the
// account of momenta closed, and the little they moved with is booked as lost.
TEST(Sleeping, WhatIsStruckWakesAndTheBooksClose) {
  for (const char* accuracy : {"accuracy: fast", "accuracy: tight"}) {
    Simulation s(scene_of(stacks(std::string(accuracy) + ", sleep: {below: 1 cm/s, for: 0.1 s}")));
    s.run_until(0.8);
    EXPECT_EQ(certificate(s).asleep, 6);
    EXPECT_EQ(certificate(s).points, 0);
    const int left = link_of(s, "box-1-1-3"), right = link_of(s, "box-2-1-3");
    ASSERT_LT(std::max(left, right), s.system().model().nlink());
    const Transform<double> X_left = s.pose(left), X_right = s.pose(right);
    s.run_until(0.96);
    EXPECT_EQ(certificate(s).asleep, 3);
    EXPECT_GT(norm(s.pose(left).p - X_left.p), 1e-4);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(s.pose(right).p[k], X_right.p[k]);
    const Ledger ledger = s.ledger();
    EXPECT_LE(std::abs(ledger.energy_residual), 1e-9);
    EXPECT_LE(ledger.linear_momentum_residual_relative, 1e-11);
    EXPECT_LE(ledger.angular_momentum_residual_relative, 1e-11);
    s.run_until(4);
    EXPECT_GE(certificate(s).asleep, 6) << "they come to rest again";
    EXPECT_LE(std::abs(s.ledger().energy_residual), 1e-9);
    EXPECT_LE(s.ledger().angular_momentum_residual_relative, 1e-11);
  }
}

// All of it: sleep, the hit, and the sleep after it.
TEST(Sleeping, IsTheSameOnAnyNumberOfThreadsAndAfterResume) {
  Scene scene = scene_of(stacks("accuracy: fast, sleep: {below: 1 cm/s, for: 0.1 s}"));
  ASSERT_TRUE(scene.solver.sleep.has_value());
  EXPECT_EQ(scene.solver.sleep->below, 0.01);
  EXPECT_EQ(scene.solver.sleep->lasts, 0.1);
  std::vector<State> ends;
  for (const int threads : {1, 2, 4}) {
    scene.solver.threads = threads;
    const auto system = std::make_shared<const System>(scene);
    Simulation whole(system);
    std::vector<SavedState> saved;
    for (int k = 0; k < 800; ++k) {
      if (k % 97 == 35 || k == 51 || k == 452) saved.push_back(whole.save());
      whole.step();
    }
    ends.push_back(whole.state());
    EXPECT_EQ(whole.state().q, ends[0].q) << threads;
    EXPECT_EQ(whole.state().v, ends[0].v) << threads;
    for (const SavedState& state : saved) {
      Simulation resumed(system);
      resumed.restore(state);
      while (resumed.steps() < whole.steps()) resumed.step();
      EXPECT_EQ(resumed.state().q, whole.state().q) << threads << ' ' << state.t;
      EXPECT_EQ(resumed.state().v, whole.state().v) << threads << ' ' << state.t;
    }
  }
}

// A push wakes in the step in which it begins: from then on v = F t/m, on ice.
TEST(Sleeping, APushWakesAtOnce) {
  Scene scene = scene_of(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 2 ms, sleep: {for: 20 ms}}\nscenery: {floor: "
      "{plane: 0}}\n"
      "collide: all\nmaterials: {default: {friction: 0}}\nbodies:\n"
      "  box: {at: [0, 0, 10 cm], turned: {axis: z, angle: 30 deg}, shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 2 "
      "kg}\n");
  scene.takes_inputs = true;
  Simulation s(scene);
  s.run_until(0.2);
  ASSERT_EQ(certificate(s).asleep, 1);
  s.push(1, {0.4, 0, 0}, {}, {});
  s.run_until(0.3);
  EXPECT_EQ(certificate(s).asleep, 0);
  EXPECT_NEAR(s.velocity(1).v.x, 0.4 * 0.1 / 2, 1e-12);
  EXPECT_NEAR(s.pose(1).p.x, 0.5 * (0.4 / 2) * 0.1 * 0.1, 1e-9);
}

// A box that a spring pulls less than friction holds it is slow for ever, and stays awake: its spring may let go.
TEST(Sleeping, WhatAnythingPushesStaysAwake) {
  Simulation s(
      scene_of("marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 2 ms, sleep: {for: 20 ms}}\nscenery: "
               "{floor: {plane: 0}}\n"
               "collide: all\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
               "  a: {at: [0, 0, 10 cm], shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 2 kg}\n"
               "  b: {at: [1 m, 0, 10 cm], shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 2 kg}\n"
               "forces:\n  - push: {name: wind, link: a.body, force: [1 N, 0, 0]}\n"));
  s.run_until(0.2);
  EXPECT_EQ(certificate(s).asleep, 1);
  EXPECT_LE(std::abs(s.ledger().energy_residual), 1e-12);
}

// Nothing flies asleep: a ball at the top of its throw is slow for longer than `for`.
TEST(Sleeping, NothingFliesAsleep) {
  Simulation s(scene_of(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 1 ms, sleep: {below: 1 m/s, for: 10 ms}}\nscenery: "
      "{floor: {plane: 0}}\ncollide: all\nbodies:\n"
      "  ball: {at: [0, 0, 1 m], velocity: [0, 0, 1 m/s], shape: {sphere: 10 cm}, mass: 1 kg}\n"));
  s.run_until(0.4);
  EXPECT_NEAR(s.velocity(1).v.z, 1 - g * 0.4, 1e-9);
}

Scene quiet_scene(const std::string& solver, const std::string& more) {
  return scene_of("marey: 1\nduration: 100 s\nsolver: {contact: stepping, " + solver +
                  "}\nscenery: {floor: {plane: 0}}\ncollide: all\n" + more);
}

// A ball that hardly falls, bounces and is slow at all times: it sleeps on the floor, not above it.
TEST(Sleeping, NothingSleepsAboveWhatCarriesIt) {
  Simulation s(quiet_scene("step: 5 ms, sleep: {}",
                           "gravity: [0, 0, -1 mm/s^2]\nmaterials: {default: {friction: 0.5, restitution: 0.9}}\n"
                           "bodies:\n  ball: {at: [0, 0, 11 cm], shape: {sphere: 10 cm}, mass: 1 kg}\n"));
  bool slept = false;
  for (int k = 0; k < 40000 && !slept; ++k) {
    s.step();
    slept = certificate(s).asleep > 0;
    if (!slept) continue;
    double force = 0;
    s.parts().world.stepped()->for_each_point([&](const TouchingPoint& c) { force += c.force_W.z; });
    EXPECT_NEAR(-force, 1e-3, 1e-4);  // on the floor; a tenth of the weight may be missing
  }
  EXPECT_TRUE(slept);
}

// A rod that is light, long and fastened to a heavy ball turns on ice: its tip is fast, though the ball hardly moves.
TEST(Sleeping, TheFarthestPointCounts) {
  Simulation s(quiet_scene(
      "step: 2 ms, sleep: {for: 20 ms}",
      "materials: {ice: {friction: 0}}\nbodies:\n"
      "  hammer: {at: [0, 0, 5 cm], spin: [0, 0, 0.1 rad/s], material: ice, shape: [{sphere: 5 cm, mass: 10 kg}, "
      "{capsule: {radius: 5 cm, length: 2 m, along: x}, mass: 10 g}]}\n"));
  s.run_until(0.3);
  EXPECT_EQ(certificate(s).asleep, 0);
  EXPECT_NEAR(s.velocity(1).w.z, 0.1, 1e-6);
}

// Points on floors go on showing what they carry.
TEST(Sleeping, FloorsShowTheLoadOfWhoSleeps) {
  Simulation s(
      scene_of("marey: 1\nduration: 2 s\nsolver: {contact: stepping, step: 1 ms, sleep: {for: 0.1 s}}\nfigures:\n"
               "  block: {links: {body: {shape: {box: [30 cm, 20 cm, 16 cm]}, mass: 2 kg, start: {position: [0, 0, 8 "
               "cm]}}}}\ncontacts:\n  - {name: floor, link: block.body, at: corners, friction: 0.5}\n"));
  s.run_until(0.5);
  ASSERT_EQ(certificate(s).asleep, 1);
  double load = 0;
  for (std::size_t i = 0; i < s.system().scene().contacts.size(); ++i) load += s.parts().world.stepped()->force_W(i).z;
  EXPECT_NEAR(load, 2 * g, 1e-9);
}

// A push dies away from a box that lies on a figure: what is judged to push is what acts, in a run that goes on as in one that never stopped.
TEST(Sleeping, OnAFigureGoesOnTheSameAfterResume) {
  const auto system = std::make_shared<const System>(quiet_scene(
      "step: 1 ms, sleep: {for: 0.1 s}",
      "materials: {default: {friction: 0.6}}\nfigures:\n  f:\n    links:\n"
      "      torso: {shape: {box: [40 cm, 40 cm, 20 cm]}, mass: 20 kg, start: {position: [0, 0, 10 cm]}}\n"
      "      arm: {parent: torso, joint: {type: hinge, axis: y}, at: [20 cm, 0, 0], shape: {capsule: {radius: 3 cm, "
      "length: 30 cm, along: x}}, mass: 1 kg}\n"
      "torques:\n  - free_play: {joint: f.arm, from: -60 deg, to: -30 deg, slope: 30 N m/rad, friction: 0.5 N m "
      "s/rad}\n"
      "bodies:\n  box: {at: [0, 0, 30 cm], shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}\n"
      "forces:\n  - push: {link: box.body, force: [\"0.3*exp(-20*t)\", 0, 0]}\n"));
  Simulation run(system);
  run.run_until(0.55);
  Simulation again(system);
  again.restore(run.save());
  for (int k = 0; k < 40; ++k) run.step(), again.step();
  EXPECT_EQ(again.state().q, run.state().q);
  const SavedState a = run.save(), b = again.save();
  const auto from = static_cast<std::ptrdiff_t>(3 * sizeof(long long));  // counts come first
  EXPECT_TRUE(std::equal(a.bytes.begin() + from, a.bytes.end(), b.bytes.begin() + from, b.bytes.end()));
}

// ---- figures
// Two figures of four links, a metre and a half apart, with friction and a spring in their joints; a ball comes down on the first of them after
// 1.6 s, or so.
std::string figures(const std::string& solver, const std::string& more = "") {
  return "marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 2 ms, " + solver +
         "}\nscenery: {floor: {plane: 0}}\ncollide: all\nmaterials: {default: {friction: 0.6}}\nfigures:\n  f:\n"
         "    at: [0, 0, 12 cm]\n    copies: {count: [2, 1, 1], spacing: 150 cm}\n    links:\n"
         "      trunk: {shape: {box: [40 cm, 24 cm, 16 cm]}, mass: 10 kg}\n"
         "      arm: {parent: trunk, joint: ball, friction: 1 N m s/rad, at: [20 cm, 8 cm, 0], shape: {capsule: "
         "{radius: 4 cm, "
         "length: 25 cm, along: x}}, mass: 1.5 kg}\n"
         "      hand: {parent: arm, joint: {type: hinge, axis: y}, friction: 0.3 N m s/rad, at: [25 cm, 0, 0], shape: "
         "{box: [12 "
         "cm, 8 cm, 4 cm]}, mass: 0.4 kg, start: {angle: 20 deg}}\n"
         "      leg: {parent: trunk, joint: {type: hinge, axis: y}, friction: 2 N m s/rad, at: [-20 cm, 0, 0], shape: "
         "{capsule: "
         "{radius: 5 cm, length: 40 cm, along: -x}}, mass: 4 kg, start: {angle: -15 deg}}\n" +
         more;
}
const char* const falling_ball =
    "bodies:\n  ball: {at: [-20 cm, 0, 12.85 m], velocity: [0.1 m/s, 0, 0], shape: {sphere: 10 cm}, mass: 1 kg}\n";
const char* const springs = "torques:\n  - free_play: {joint: f-*.leg, from: 20 deg, to: 60 deg, slope: 20 N m/rad}\n";

std::vector<double> coordinates_of(const Simulation& s, const std::string& figure) {
  std::vector<double> q;
  const Model& model = s.system().model();
  for (std::size_t i = 1; i < model.links.size(); ++i)
    if (model.names[i].starts_with(figure + "."))
      for (int k = 0; k < coordinate_count(model.links[i]); ++k)
        q.push_back(s.state().q[static_cast<std::size_t>(model.links[i].q + k)]);
  return q;
}

// What holds for loose bodies holds for figures: one that is struck wakes, the other one keeps its place to the bit. Of the account as much is missing as in the
// run in which nobody sleeps; momenta are closed to rounding.
TEST(SleepingFigures, WhatIsStruckWakesAndTheBooksClose) {
  for (const char* accuracy : {"accuracy: fast", "accuracy: tight"}) {
    const std::string options = accuracy;
    Simulation s(scene_of(figures(options + ", sleep: {below: 2 cm/s, for: 0.1 s}", falling_ball)));
    Simulation awake(scene_of(figures(options, falling_ball)));
    s.run_until(1.55);
    EXPECT_EQ(certificate(s).asleep, 2);
    EXPECT_EQ(certificate(s).points, 0);
    const std::vector<double> first = coordinates_of(s, "f-1-1-1"), second = coordinates_of(s, "f-2-1-1");
    s.run_until(1.7), awake.run_until(1.7);
    EXPECT_EQ(certificate(s).asleep, 1);
    EXPECT_NE(coordinates_of(s, "f-1-1-1"), first);
    EXPECT_EQ(coordinates_of(s, "f-2-1-1"), second);
    const double missing = std::abs(awake.ledger().energy_residual);
    std::printf("%s: %.1e J missing, %.1e without sleep\n", accuracy, s.ledger().energy_residual, missing);
    EXPECT_LE(std::abs(s.ledger().energy_residual), missing + 1e-4 * s.kinetic_energy() + 1e-3);
    // Figures that swing leave a little, of the order of the step squared: no more than if nobody slept.
    const auto closed = [&] {
      std::printf("momenta: %.1e, %.1e missing, %.1e, %.1e without sleep\n",
                  s.ledger().linear_momentum_residual_relative, s.ledger().angular_momentum_residual_relative,
                  awake.ledger().linear_momentum_residual_relative, awake.ledger().angular_momentum_residual_relative);
      EXPECT_LE(s.ledger().linear_momentum_residual_relative,
                2 * awake.ledger().linear_momentum_residual_relative + 1e-10);
      EXPECT_LE(s.ledger().angular_momentum_residual_relative,
                2 * awake.ledger().angular_momentum_residual_relative + 1e-10);
    };
    closed();
    s.run_until(6), awake.run_until(6);
    EXPECT_GE(certificate(s).asleep, 2) << "they come to rest again";
    closed();
  }
}

// While all sleep nothing changes, and the account stays as closed as it was: to the last digits.
TEST(SleepingFigures, WhileTheySleepNothingIsLost) {
  Simulation s(scene_of(figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}", springs)));
  s.run_until(1.5);
  ASSERT_EQ(certificate(s).asleep, 2);
  const State before = s.state();
  const Ledger at_first = s.ledger();
  s.run_until(11.5);
  EXPECT_EQ(s.state().q, before.q);
  EXPECT_EQ(s.state().v, before.v);
  EXPECT_NEAR(s.ledger().energy_residual, at_first.energy_residual, 1e-10);
  // Of the weight of ten seconds nothing is missing: what is, is of the fall, and the less the more has been given.
  EXPECT_LT(s.ledger().linear_momentum_residual_relative, at_first.linear_momentum_residual_relative);
  EXPECT_LT(s.ledger().angular_momentum_residual_relative, at_first.angular_momentum_residual_relative);
  double load = 0;
  s.parts().world.stepped()->for_each_point([&](const TouchingPoint& c) { load += std::abs(c.force_W.z); });
  EXPECT_NEAR(load, 2 * 15.9 * g, 0.1 * 2 * 15.9 * g);  // it goes on showing what it carries
}

TEST(SleepingFigures, AreTheSameOnAnyNumberOfThreadsAndAfterResume) {
  Scene scene =
      scene_of(figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}", std::string(falling_ball) + springs));
  std::vector<State> ends;
  for (const int threads : {1, 2, 4}) {
    scene.solver.threads = threads;
    const auto system = std::make_shared<const System>(scene);
    Simulation whole(system);
    std::vector<SavedState> saved;
    for (int k = 0; k < 900; ++k) {
      if (k % 149 == 35 || k == 452 || k == 799) saved.push_back(whole.save());
      whole.step();
    }
    ends.push_back(whole.state());
    EXPECT_EQ(whole.state().q, ends[0].q) << threads;
    EXPECT_EQ(whole.state().v, ends[0].v) << threads;
    if (threads == 4) continue;
    for (const SavedState& state : saved) {
      Simulation resumed(system);
      resumed.restore(state);
      while (resumed.steps() < whole.steps()) resumed.step();
      EXPECT_EQ(resumed.state().q, whole.state().q) << threads << ' ' << state.t;
      EXPECT_EQ(resumed.state().v, whole.state().v) << threads << ' ' << state.t;
    }
  }
}

// From outside on any of its links.
TEST(SleepingFigures, APushWakesAtOnce) {
  Scene scene = scene_of(figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}"));
  scene.takes_inputs = true;
  Simulation s(scene);
  s.run_until(1.5);
  ASSERT_EQ(certificate(s).asleep, 2);
  const std::vector<double> before = coordinates_of(s, "f-1-1-1");
  const auto& names = s.system().model().names;
  const int hand = static_cast<int>(std::ranges::find(names, "f-1-1-1.hand") - names.begin());
  s.push(hand, {0, 0, 20}, {}, {});
  s.step();
  EXPECT_EQ(certificate(s).asleep, 1);
  s.run_until(1.6);
  EXPECT_GT(s.velocity(hand).v.z, 0.05);
}

// What acts in a joint may hold a figure, and wakes it when it changes.
TEST(SleepingFigures, WhatChangesInAJointWakes) {
  Simulation s(
      scene_of(figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}",
                       "torques:\n  - motor: {joint: f-1-1-1.leg, angle: [[0 s, -15 deg], [2 s, -15 deg], [2.5 s, 40 "
                       "deg]], most: 60 N m}\n")));
  s.run_until(1.9);
  EXPECT_EQ(certificate(s).asleep, 1) << "a motor holds its joint, and what it holds does not sleep";
  Simulation spring(scene_of(
      figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}",
              "torques:\n  - torque: {joint: f-1-1-1.leg, value: [[0 s, -1 N m], [2 s, -1 N m], [2.1 s, -9 N m]]}\n")));
  spring.run_until(1.9);
  EXPECT_EQ(certificate(spring).asleep, 2);
  spring.run_until(2.1);
  EXPECT_EQ(certificate(spring).asleep, 1);
}

// A figure that a wind holds against friction is slow for ever, and stays awake.
TEST(SleepingFigures, WhatIsPushedFromOutsideStaysAwake) {
  Simulation s(scene_of(figures("accuracy: fast, sleep: {below: 2 cm/s, for: 0.1 s}",
                                "forces:\n  - push: {name: wind, link: f-1-1-1.trunk, force: [2 N, 0, 0]}\n")));
  int most = 0, steps = 0;
  for (s.run_until(1.5); s.time() < 2; ++steps) s.step(), most += certificate(s).asleep;
  EXPECT_EQ(most, steps);  // the other one sleeps in each of them
}

}  // namespace sleeping_test
}  // namespace marey
