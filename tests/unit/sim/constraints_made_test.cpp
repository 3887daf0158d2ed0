// Constraints that are made and broken during a run, and those that cannot be held.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "unit/sim/held_figures.h"

namespace constraints_made_test {

using namespace held;

// ---- made and broken
TEST(ConstraintsMade, AWeldMadeOnTheWayKeepsMomentumAndTakesEnergy) {
  Scene scene = scene_of({body("a", JointType::free), body("b", JointType::free)}, {});
  scene.start.q[7 + 4] = 1;  // a metre apart
  scene.start.v[3] = 2, scene.start.v[6 + 3] = -1, scene.start.v[6 + 2] = 3;
  scene.constraints = {loop(Kind::weld, 1, 2)};
  scene.constraints[0].from = 0.25, scene.constraints[0].until = 0.75;
  World world(scene);
  const Balance before = world.balance(world.state());
  floors::run_until(world, 0.2505);
  const Balance after = world.balance(world.state());
  EXPECT_NEAR(norm(after.momentum.f - before.momentum.f), 0, 1e-12);
  EXPECT_NEAR(norm(after.momentum.n - before.momentum.n), 0, 1e-11);
  EXPECT_LT(after.energy, before.energy - 0.5);
  const Ledger l = ledger(world, scene, 1e-9);
  EXPECT_TRUE(l.closed) << l.energy_residual_relative << ' ' << l.angular_momentum_residual_relative;
  EXPECT_NEAR(work_of(l, "weld"), after.energy - before.energy, 1e-10);
  // Joined, they turn as one.
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
  EXPECT_NEAR(norm(k.V_WB[1].w - k.V_WB[2].w), 0, 1e-11);
  const Transform<double> X_ab = inverse(k.X_WB[1]) * k.X_WB[2];
  floors::run_until(world, 0.7);
  forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
  EXPECT_NEAR(norm((inverse(k.X_WB[1]) * k.X_WB[2]).p - X_ab.p), 0, 1e-11);
  floors::run_until(world, 1);
  forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
  EXPECT_GT(norm((inverse(k.X_WB[1]) * k.X_WB[2]).p - X_ab.p), 1e-3);  // let go
  EXPECT_TRUE(ledger(world, scene, 1e-8).closed);
}

// Two equal masses that meet head on and stay together lose all their energy of approach.
TEST(ConstraintsMade, ACatchIsMadeWhenItsConditionHolds) {
  Scene scene = scene_of({body("a", JointType::point), body("b", JointType::point)}, {});
  scene.start.q[3 + 2] = 2;
  scene.start.v[3 + 2] = -1;
  Constraint c = loop(Kind::ball, 1, 2);
  Condition near_by;
  near_by.link = 2, near_by.quantity = Condition::Quantity::height, near_by.above = false, near_by.threshold = 0.5;
  c.when = near_by;
  scene.constraints = {c};
  World world(scene);
  floors::run_until(world, 1.4);
  EXPECT_FALSE(world.constraints()->active(0));
  floors::run_until(world, 2);
  EXPECT_TRUE(world.constraints()->active(0));
  EXPECT_NEAR(world.state().v[2], -0.5, 1e-12);
  EXPECT_NEAR(world.state().v[5], -0.5, 1e-12);
  EXPECT_NEAR(world.state().q[5], 0.5 - 0.5 * 0.5, 1e-9);
  EXPECT_NEAR(work_of(ledger(world, scene), "ball"), -0.25 * 1.5, 1e-10);
}

TEST(ConstraintsMade, AMadeWeldSurvivesACheckpointBitForBit) {
  Scene scene = scene_of({body("a", JointType::free), body("b", JointType::free)});
  scene.start.q[7 + 4] = 1;
  scene.start.v[3] = 2, scene.start.v[6 + 2] = 3;
  scene.constraints = {loop(Kind::weld, 1, 2)};
  scene.constraints[0].from = 0.05;
  World through(scene), first(scene), second(scene);
  floors::run_until(through, 0.2);
  floors::run_until(first, 0.1);
  second.restore(first.save());
  floors::run_until(second, 0.2);
  EXPECT_EQ(through.state().q, second.state().q);
  EXPECT_EQ(through.state().v, second.state().v);
}

// ---- what cannot be
TEST(ConstraintsMade, AStartThatBreaksAConstraintIsRefusedAndCanBePutRight) {
  Scene scene = held_pendulum();
  scene.start.q[5] += 0.05;
  scene.start.v[5] += 0.3;
  try {
    World world(scene);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(e.what()).find("hinge"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("off by 0.04"), std::string::npos) << e.what();  // 0.05, in the link's axes
  }
  const ConstraintProjection p = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
  EXPECT_TRUE(p.found) << p.left;
  EXPECT_NEAR(p.before, 0.05, 0.01);
  scene.start = p.state;
  World world(scene);
  floors::run_until(world, 0.1);
  EXPECT_TRUE(ledger(world, scene, 1e-6).closed);
}

// Two bodies are at one place when a rod is to be made between them: it would have no direction.
TEST(ConstraintsMade, ARodMadeBetweenPointsThatMeetIsNamed) {
  for (const double apart : {0.0, 1e-3}) {
    Scene scene = scene_of({body("a", JointType::point), body("b", JointType::point)}, {});
    scene.start.q[0] = 0.5, scene.start.q[4] = apart, scene.start.v[0] = -1;  // at x = 0 after half a second
    Constraint c;
    c.name = "strut", c.kind = FixedDistance{0.5};
    c.a.link = 1, c.b.link = 2, c.from = 0.5;
    scene.constraints = {c};
    World world(scene);
    std::string says;
    try {
      floors::run_until(world, 1);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::cannot_go_on);
      says = e.what();
    }
    EXPECT_EQ(says.empty(), apart > 0) << says;
    if (apart == 0) {
      EXPECT_NE(says.find("'strut'"), std::string::npos) << says;
      EXPECT_NE(says.find("t = 0.5 s"), std::string::npos) << says;
    }
  }
}

TEST(ConstraintsMade, ADriveBeyondReachEndsTheRun) {
  Scene scene = scene_of({body("arm", JointType::hinge)});
  Constraint c;
  c.name = "pull";
  Drive drive;
  drive.place = {spline_in_time({0, 1}, {0.5, 0.9}), constant_in_time(0), constant_in_time(0)};
  c.kind = drive;
  c.b = {1, {Mat3<double>::identity(), {0.5, 0, 0}}};
  scene.constraints = {c};
  World world(scene);
  try {
    floors::run_until(world, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::cannot_go_on);
    EXPECT_NE(std::string(e.what()).find("pull"), std::string::npos);
  }
}

// One error that is no number among others that are small.
TEST(ConstraintsMade, WhatIsNoNumberDoesNotLookHeld) {
  for (const bool first : {true, false}) {
    Scene scene = scene_of({body("a", JointType::hinge), body("b", JointType::hinge)});
    for (const int i : {1, 2}) {
      Constraint c;
      c.name = "held " + std::to_string(i);
      c.kind = Coupler{{{i, 1.0}}, constant_in_time((i == 1) == first ? NAN : 0.0)};
      scene.constraints.push_back(c);
    }
    HeldConstraints held(scene.model, scene.constraints, scene.solver, scene.model);
    Kinematics<double> k(scene.model);
    forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
    held.measure({scene.model, 0, scene.start.q, scene.start.v, k.X_WB, k.V_WB});
    EXPECT_TRUE(std::isnan(held.largest_error()));
    EXPECT_TRUE(std::isnan(held.error_of(first ? 0 : 1)));
    EXPECT_TRUE(held.drifted(1e-12));
    try {
      World world(scene);
      FAIL();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(first ? "'held 1'" : "'held 2'"), std::string::npos) << e.what();
    }
    scene.solver.dynamics = Dynamics::multipliers;
    EXPECT_THROW(World{scene}, Error);
  }
}

TEST(ConstraintsMade, MidpointWithAGivenAccelerationIsRefusedByName) {
  Scene scene = held_pendulum();
  scene.solver.integrator = Integrator::midpoint;
  EXPECT_EQ(refusal_of_constraints(scene.model, scene.constraints, scene.solver), "");
  Coupler given{{{1, 1.0}}, constant_in_time(0.0)};
  given.level = Coupler::Level::acceleration;
  scene.constraints[0].kind = given;
  const std::string why = refusal_of_constraints(scene.model, scene.constraints, scene.solver);
  EXPECT_NE(why.find("midpoint"), std::string::npos);
  EXPECT_NE(why.find("rk4"), std::string::npos);
}

}  // namespace constraints_made_test
