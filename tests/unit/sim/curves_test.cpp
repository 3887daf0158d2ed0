// Steps as curves, in a world: of what acted in the step, whatever has happened since; and asking for them leaves no trace.
#include <gtest/gtest.h>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/figures.h"

namespace marey {
namespace {

// A ball of 2 kg, pushed by 6 N along x for a while.
Scene pushed(double until) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nsolver: {integrator: rk4, step: 10 ms}\nfigures: {ball: {links: {body: "
      "{mass: 2 kg, inertia: {sphere: 10 cm}}}}}\n",
      "ball.yaml");
  scene.takes_inputs = true;
  Push push;
  push.link = 1, push.force = {6, 0, 0}, push.schedule.until = until;
  scene.elements.push_back({"push", push});
  return scene;
}

std::vector<double> row_of(const Simulation& s, double t) {
  const std::span<const double> row = s.row_at(t);
  return {row.begin(), row.end()};
}

// v = 3 t, x = 1.5 t², to rounding: a cubic has them exactly, unless its end is of what acts after it.
TEST(CurvesOfWorlds, AreOfWhatActedInTheStep) {
  constexpr double end = 0.025;
  const Scene scene = pushed(end);
  const System system(scene);
  const std::size_t x = system.columns_of("link/ball.body/position").first;
  const std::size_t v = system.columns_of("link/ball.body/velocity").first;
  Simulation s(scene);
  while (s.time() < end) s.step();
  ASSERT_EQ(s.time(), end);
  const double t = 0.0225;
  EXPECT_NEAR(row_of(s, t)[v], 3 * t, 1e-15);
  EXPECT_NEAR(row_of(s, t)[x], 1.5 * t * t, 1e-16);
}

// What comes from outside comes after the step.
TEST(CurvesOfWorlds, KnowNothingOfInputsThatCameLater) {
  const Scene scene = pushed(forever);
  Simulation asked(scene), late(scene);
  for (Simulation* s : {&asked, &late})
    for (int k = 0; k < 3; ++k) s->step();
  const double t = 0.0275;
  const std::vector<double> before = row_of(asked, t);
  for (Simulation* s : {&asked, &late}) {
    s->set("push", "force/x", -40);
    s->push(1, {0, 0, 50}, {}, {});
  }
  EXPECT_EQ(row_of(asked, t), before);
  EXPECT_EQ(row_of(late, t), before);
}

class Tracks : public ::testing::TestWithParam<std::tuple<const char*, Dynamics, Integrator, double>> {};

void expect_no_tracks(const Scene& scene) {
  Simulation asked(scene), silent(scene);
  for (int k = 0; k < 25; ++k) {
    const double began = asked.time();
    asked.step(), silent.step();
    ASSERT_EQ(asked.time(), silent.time());
    row_of(asked, 0.4 * began + 0.6 * asked.time());
    if (k % 7 == 3 && asked.may_save()) asked.save();
    ASSERT_EQ(asked.state().q, silent.state().q) << k;
    ASSERT_EQ(asked.state().v, silent.state().v) << k;
  }
  EXPECT_EQ(asked.evaluations(), silent.evaluations());
  EXPECT_EQ(asked.ledger().energy_residual, silent.ledger().energy_residual);
  if (asked.may_save()) {
    EXPECT_EQ(asked.save().bytes, silent.save().bytes);
  }
}

TEST_P(Tracks, NoneIsLeftByAsking) {
  const auto [name, dynamics, integrator, reuse] = GetParam();
  Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/" + std::string(name) + ".yaml");
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator, scene.solver.reuse = reuse;
  expect_no_tracks(scene);
}

// Constraints that contacts may meet have rows with J, others have none.
TEST_P(Tracks, NoneIsLeftByAskingWhereAFloorIsFarBelow) {
  const auto [name, dynamics, integrator, reuse] = GetParam();
  Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/" + std::string(name) + ".yaml");
  if (scene.constraints.empty()) return;
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator, scene.solver.reuse = reuse;
  FloorContact& floor = scene.contacts.emplace_back();
  floor.link = 1, floor.plane.offset = -1000, floor.name = "far below";
  expect_no_tracks(scene);
}

// Two boxes tied by a rod, dropped on a floor: events, impacts, contacts and rows.
TEST(CurvesOfWorlds, LeaveNoTraceWhereContactsAndConstraintsMeet) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 1 s
solver: {integrator: semi_implicit, step: 1 ms}
figures:
  left: {links: {box: {mass: 1 kg, shape: {box: [20 cm, 20 cm, 20 cm]}, start: {position: [0, 0, 0.2], turned: {axis: x, angle: 20 deg}}}}}
  right: {links: {box: {mass: 2 kg, shape: {box: [20 cm, 20 cm, 20 cm]}, start: {position: [0.5, 0, 0.25], turned: {axis: y, angle: 10 deg}}}}}
contacts:
  - {link: [left.box, right.box], at: corners, friction: 0.3}
constraints:
  - rod: {a: left.box, b: right.box}
)",
                                  "boxes.yaml");
  Simulation asked(scene), silent(scene);
  while (silent.time() < 0.6) {
    const double began = asked.time();
    asked.step(), silent.step();
    row_of(asked, 0.5 * began + 0.5 * asked.time());
    row_of(asked, asked.time());
    ASSERT_EQ(asked.state().q, silent.state().q) << asked.time();
    ASSERT_EQ(asked.state().v, silent.state().v) << asked.time();
  }
  EXPECT_EQ(asked.evaluations(), silent.evaluations());
}

std::vector<std::tuple<const char*, Dynamics, Integrator, double>> tracked_cases() {
  std::vector<std::tuple<const char*, Dynamics, Integrator, double>> all;
  for (const Integrator i : all_integrators()) all.emplace_back("four-bar", Dynamics::aba, i, 0.0);
  for (const Dynamics d : {Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers})
    all.emplace_back("bar-in-both-hands", d, Integrator::rk4, 0.0);
  all.emplace_back("bar-in-both-hands", Dynamics::crba, Integrator::rk4, 0.05);
  all.emplace_back("late-reflex", Dynamics::aba, Integrator::rk4, 0.0);
  all.emplace_back("falls-asleep", Dynamics::aba, Integrator::rk4, 0.0);
  all.emplace_back("finger-tap", Dynamics::aba, Integrator::rk4, 0.0);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Various, Tracks, ::testing::ValuesIn(tracked_cases()));

}  // namespace
}  // namespace marey
