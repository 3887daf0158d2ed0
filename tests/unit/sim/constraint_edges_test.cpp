// Constraints at their edges: starts that are a little off, let go by the clock, checkpoints of what was made on the way or
// is damaged; and what is said of projections and equilibria.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "marey/contact/projection.h"
#include "marey/plant/reduced_plant.h"
#include "marey/sim/equilibrium.h"
#include "sim/delay_memory.h"
#include "support/floors.h"

namespace constraint_edges_test {

using namespace marey;

// A particle in free fall or without weight, on a rod of 1 m about the origin.
Scene on_a_rod(const Vec3<double>& at, const Vec3<double>& velocity) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "bob", link.joint = JointType::point, link.inertia.m = 2;
  spec.links = {link}, spec.gravity = {};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q = {at.x, at.y, at.z};
  scene.start.v = {velocity.x, velocity.y, velocity.z};
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  Constraint c;
  c.name = "rod", c.kind = FixedDistance{1}, c.a.link = 0, c.b.link = 1;
  scene.constraints = {c};
  return scene;
}
double distance_from_origin(const World& world) {
  const std::vector<double>& q = world.state().q;
  return std::hypot(q[0], q[1], q[2]);
}
std::string refused(const Scene& scene) {
  try {
    World world(scene);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return {};
}

TEST(ConstraintEdges, VelocitiesThatBreakAConstraintAreRefused) {
  EXPECT_EQ(refused(on_a_rod({1, 0, 0}, {0.25, 3, 0})),
            "the velocities at the start break a constraint by 0.25 (m/s or rad/s); expected velocities that the "
            "constraints allow, or start: projected");
  EXPECT_EQ(refused(on_a_rod({1, 0, 0}, {0, 3, 0})), "");
  EXPECT_EQ(refused(on_a_rod({1, 0, 0}, {0.9e-7, 3, 0})), "");
  EXPECT_NE(refused(on_a_rod({1, 0, 0}, {1.1e-7, 3, 0})), "");
  EXPECT_EQ(refused(on_a_rod({1.5, 0, 0}, {})),
            "the constraint 'rod' does not hold at the start: it is off by 0.5 (m or rad); expected a start that it "
            "allows, or start: projected");
}

TEST(ConstraintEdges, AStartALittleOffIsPutRight) {
  const Scene scene = on_a_rod({1 + 5e-8, 0, 0}, {});
  World world(scene);
  EXPECT_NEAR(distance_from_origin(world), 1, 1e-13);
  const Scene exact = on_a_rod({0, 1, 0}, {2, 0, 0});
  World untouched(exact);
  EXPECT_EQ(untouched.state().q, exact.start.q);
  EXPECT_EQ(untouched.state().v, exact.start.v);
}

TEST(ConstraintEdges, InMaximalCoordinatesAStartThatIsOffIsRefused) {
  Scene scene = floors::body(Sphere{0.1}, 1);
  Constraint c;
  c.name = "rod", c.kind = FixedDistance{1}, c.a.link = 0, c.b.link = 1;
  scene.constraints = {c};
  scene.solver.dynamics = Dynamics::multipliers;
  scene.start.q[4] = 1.5;
  EXPECT_EQ(refused(scene),
            "the constraint 'rod' does not hold at the start: it is off by 0.5 (m or rad); expected a start that it "
            "allows, or start: projected");
  scene.start.q[4] = 1;
  EXPECT_EQ(refused(scene), "");
}

// Half a turn in 0.05 s, and then straight on, from an instant that is not on the grid of steps.
TEST(ConstraintEdges, LetGoByTheClock) {
  Scene scene = on_a_rod({1, 0, 0}, {0, 10, 0});
  scene.constraints[0].until = 0.0505;
  World world(scene);
  Kinematics<double> kinematics(scene.model);
  bool met = false;
  while (world.time() < 0.1) {
    world.step(0.1);
    met = met || world.time() == 0.0505;
    EXPECT_EQ(world.constraints()->active(0), world.time() < 0.0505) << world.time();
  }
  EXPECT_TRUE(met);
  EXPECT_EQ(world.events(), 1);
  forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, kinematics);
  EXPECT_EQ(norm(world.constraints()->wrench_on_a(0, kinematics).f), 0);
  EXPECT_EQ(world.constraints()->multiplier(0), 0);
  EXPECT_EQ(world.constraints()->error_of(0), 0);
  const double way = 10 * (0.1 - 0.0505), angle = 0.505;
  EXPECT_NEAR(world.state().q[0], std::cos(angle) - way * std::sin(angle), 1e-7);
  EXPECT_NEAR(world.state().q[1], std::sin(angle) + way * std::cos(angle), 1e-7);
}

// A rod made on the way keeps the length it found, a lock the coordinate, also after a checkpoint. No law but their own
// holds the bob at 0.7 m.
TEST(ConstraintEdges, WhatWasMadeOnTheWaySurvivesACheckpoint) {
  Scene rod = on_a_rod({0.7, 0, 0}, {0, 1, 0});
  rod.constraints[0].from = 0.01;
  Scene lock = on_a_rod({0.7, 0, 0}, {0, 1, 0.5});
  Coupler coupler;
  coupler.terms = {{1, 1, 2, {}}};
  coupler.sum = constant_in_time(5), coupler.from_where_it_is = true;
  lock.constraints[0].kind = coupler, lock.constraints[0].from = 0.01;
  for (const Scene& scene : {rod, lock}) {
    World whole(scene), resumed(scene);
    floors::run_until(whole, 0.02);
    EXPECT_TRUE(whole.constraints()->active(0));
    resumed.restore(whole.save());
    floors::run_until(whole, 0.05);
    floors::run_until(resumed, 0.05);
    EXPECT_EQ(whole.save(), resumed.save());
    EXPECT_NEAR(resumed.constraints()->largest_error(), 0, 1e-12);
  }
  World turning(rod), falling(lock);
  floors::run_until(turning, 0.05);
  EXPECT_NEAR(distance_from_origin(turning), std::hypot(0.7, 0.01), 1e-12);
  floors::run_until(falling, 0.05);
  EXPECT_NEAR(falling.state().q[2], 0.005, 1e-12);  // 0.5 m/s for 0.01 s
}

// Whatever stands in a checkpoint, ranks that cannot be are refused.
TEST(ConstraintEdges, DamagedCheckpointsAreRefusedOrHarmless) {
  const Scene scene = on_a_rod({1, 0, 0}, {0, 1, 0});
  World world(scene);
  floors::run_until(world, 0.01);
  const std::vector<std::byte> sound = world.save();
  int low = 0, high = 0, none = 0;
  for (std::size_t at = 0; at + sizeof(double) <= sound.size(); at += sizeof(double))
    for (const double wrong : {-2.0, 7.0, std::nan("")}) {
      std::vector<std::byte> damaged = sound;
      std::memcpy(damaged.data() + at, &wrong, sizeof wrong);
      World resumed(scene);
      try {
        resumed.restore(damaged);
      } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "the checkpoint is damaged: it speaks of constraints that cannot be");
        ++(std::isnan(wrong) ? none : wrong < 0 ? low : high);
      }
    }
  EXPECT_EQ(low, 1);
  EXPECT_EQ(high, 1);
  EXPECT_EQ(none, 1);
}

TEST(ConstraintEdges, ProjectionsOnConstraintsAreDescribed) {
  ConstraintProjection p;
  p.left = 0.25;
  EXPECT_EQ(describe(p), "no pose near the given one that all constraints allow: one is still off by 0.25 (m or rad)");
  p.found = true;
  EXPECT_EQ(describe(p), "the constraints asked for no change");
  p.before = 0.5;
  EXPECT_EQ(describe(p), "put where the constraints allow, which were off by 0.5 (m or rad)");
  p.slowed = 2;
  EXPECT_EQ(describe(p),
            "put where the constraints allow, which were off by 0.5 (m or rad); velocities that broke them by up to 2 "
            "(m/s or rad/s) put right");
  p.before = 0;
  EXPECT_EQ(describe(p), "velocities that broke them by up to 2 (m/s or rad/s) put right");
}

TEST(ConstraintEdges, ProjectionsOnFloorsAreDescribed) {
  const Scene scene = floors::ball(0, 0, 0);
  Projection p;
  p.left = 0.25;
  EXPECT_EQ(describe(scene.model, p),
            "no pose near the given one that is above all floors: a point is still 0.25 m below its own");
  p.found = true;
  EXPECT_EQ(describe(scene.model, p), "the floors asked for no change");
  p.slowed = 2;
  EXPECT_EQ(describe(scene.model, p), "velocities of up to 2 m/s into the floor taken away");
  p.deepest = 0.5, p.moved = 0.75, p.moved_link = 1;
  EXPECT_EQ(
      describe(scene.model, p),
      "raised on the floor from 0.5 m below it ('body' moved by 0.75 m); velocities of up to 2 m/s into the floor "
      "taken away");
  p.slowed = 0;
  EXPECT_EQ(describe(scene.model, p), "raised on the floor from 0.5 m below it ('body' moved by 0.75 m)");
}

TEST(ConstraintEdges, AProjectionLeavesOutGroundThatGivesWay) {
  Scene scene = floors::ball(-0.02, -1, 0);
  const Projection rigid = project_on_floors(scene.model, scene.contacts, scene.start);
  EXPECT_NEAR(rigid.state.q[6], 0.1, 1e-12);
  EXPECT_NEAR(rigid.moved, 0.02, 1e-12);
  scene.contacts[0].compliant = true, scene.contacts[0].ground.stiffness = 100;
  const Projection soft = project_on_floors(scene.model, scene.contacts, scene.start);
  EXPECT_TRUE(soft.found);
  EXPECT_EQ(soft.state.q, scene.start.q);
  EXPECT_EQ(soft.state.v, scene.start.v);
  EXPECT_EQ(describe(scene.model, soft), "the floors asked for no change");
}

TEST(ConstraintEdges, EquilibriaAreDescribed) {
  const Scene scene = floors::ball(0, 0, 0);
  Equilibrium e;
  e.rounds = 7, e.moved = 0.5, e.moved_link = e.turned_link = e.restless_link = 1, e.restless = 9.81;
  EXPECT_EQ(describe(scene.model, e),
            "no equilibrium near the given pose: after 7 rounds and a way of 0.5 m, 'body' would still be driven on "
            "with 9.81 m/s^2; expected something that holds it, such as a joint to the world, a support or a spring");
  e.found = e.stable = true;
  EXPECT_EQ(describe(scene.model, e), "the equilibrium was found in 7 rounds: 'body' moved by 0.5 m");
  e.turned = std::acos(-1.0) / 4;
  EXPECT_EQ(describe(scene.model, e),
            "the equilibrium was found in 7 rounds: 'body' moved by 0.5 m, 'body' turned by 45 deg");
  e.moved = 0;
  EXPECT_EQ(describe(scene.model, e), "the equilibrium was found in 7 rounds: 'body' turned by 45 deg");
  e.turned = 0, e.stable = false;
  EXPECT_EQ(describe(scene.model, e),
            "the equilibrium was found in 7 rounds: it was there already; it is unstable, and the slightest push ends "
            "it");
}

// Kinks come back one delay later, five times, and then are too weak; a checkpoint keeps those that there are, or none.
TEST(ConstraintEdges, KinksOfDelays) {
  const Scene scene = floors::ball(0, 0, 0);
  ReducedPlant plant(scene.model, scene.solver);
  DelayMemory memory(plant, {0.1, 0.25}, scene.start);
  EXPECT_EQ(memory.longest_step({}), 0.1);
  EXPECT_EQ(memory.next_kink(0), 0.1);
  EXPECT_EQ(memory.next_kink(0.1), 0.25);
  EXPECT_EQ(memory.next_kink(0.25), forever);
  DelayMemory single(plant, {0.125}, scene.start);
  for (int echo = 1; echo <= 5; ++echo) {
    DelayMemory copy(plant, {0.125}, scene.start);
    copy.restore(single.save());
    EXPECT_EQ(copy.next_kink(0.125 * (echo - 1)), 0.125 * echo);
    single.mark(0.125 * echo);
  }
  EXPECT_EQ(single.next_kink(0), forever);
  DelayMemory copy(plant, {0.125}, scene.start);
  copy.restore(single.save());
  EXPECT_EQ(copy.next_kink(0), forever);
  single.mark(1);  // something new
  EXPECT_EQ(single.next_kink(1), 1.125);
  std::vector<std::byte> bytes = single.save();
  EXPECT_THROW(copy.restore(std::span(bytes).first(7)), Error);
  const std::size_t many = bytes.size();
  std::memcpy(bytes.data(), &many, sizeof many);
  EXPECT_THROW(copy.restore(bytes), Error);
}

}  // namespace constraint_edges_test
