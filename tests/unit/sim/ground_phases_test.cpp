// Phases of ground that gives way: points that start in it and leave, that it takes hold of again, and grips that give way
// at rest.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "sim/delay_memory.h"
#include "support/figures.h"
#include "support/floors.h"

namespace ground_phases_test {

using namespace marey;
using Stage = ContactPhase::Stage;
constexpr double g = 9.81;

// A ball of 0.5 kg whose centre is `depth` below the level at which it touches, and rises.
Scene rising(double depth, double speed, const CompliantGround& ground) {
  Scene scene = floors::ball(-depth, speed, 0);
  scene.contacts[0].compliant = true, scene.contacts[0].ground = ground;
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  return scene;
}

// Faster than the ground can follow: it flies as if there were none, comes out and falls back on it.
TEST(GroundPhases, AStartThatOutrunsTheGround) {
  const Scene scene = rising(0.01, 2, {100, 1, 10, 0});
  World world(scene);
  const FloorContacts& contacts = *world.contacts();
  EXPECT_EQ(contacts.phase(0).mode, Mode::free);
  EXPECT_EQ(contacts.phase(0).stage, Stage::released);
  const double out = (2 - std::sqrt(4 - 2 * g * 0.01)) / g, back = (2 + std::sqrt(4 - 2 * g * 0.01)) / g;
  while (contacts.phase(0).stage == Stage::released) world.step(1);
  EXPECT_NEAR(world.time(), out, 1e-12);
  EXPECT_EQ(contacts.phase(0).mode, Mode::free);
  EXPECT_NEAR(world.state().v[5], 2 - g * out, 1e-12);
  while (contacts.phase(0).mode == Mode::free) world.step(1);
  EXPECT_NEAR(world.time(), back, 1e-12);
  EXPECT_NEAR(world.state().v[5], 2 - g * back, 1e-12);
  EXPECT_EQ(world.events(), 2);
  EXPECT_TRUE(floors::ledger(world, scene).closed);
}

// Slowed down by gravity while it is still in the ground, which takes hold of it where a z + d ż = 0 again:
//   100 (0.1 − 0.6 t + g t²/2) − 20 (0.6 − g t) = 0
TEST(GroundPhases, AStartThatTheGroundCatchesUpWith) {
  const Scene scene = rising(0.1, 0.6, {100, 1, 20, 0});
  World world(scene);
  const FloorContacts& contacts = *world.contacts();
  EXPECT_EQ(contacts.phase(0).stage, Stage::released);
  while (contacts.phase(0).mode == Mode::free) world.step(1);
  const double a = 50 * g, b = 20 * g - 60, c = -2;
  EXPECT_NEAR(world.time(), (-b + std::sqrt(b * b - 4 * a * c)) / (2 * a), 1e-12);
  EXPECT_EQ(contacts.phase(0).mode, Mode::slide);  // no friction
  EXPECT_EQ(world.events(), 1);
  floors::run_until(world, 0.3);
  // What the spring held at the start was the ground's own; what it took over is in the account.
  EXPECT_TRUE(floors::ledger(world, scene, 1e-6).closed);
}

// Where the ground presses from the start it does so at once; above it, it does not.
TEST(GroundPhases, StartsInTheGroundAndAboveIt) {
  Scene scene = rising(0.01, 0, {100, 1, 10, 0});
  EXPECT_EQ(World(scene).contacts()->phase(0).mode, Mode::slide);
  scene.contacts[0].friction_static = scene.contacts[0].friction_kinetic = 0.5;
  EXPECT_EQ(World(scene).contacts()->phase(0).mode, Mode::stick);
  scene.start.v[3] = 1e-3, scene.start.v[4] = -1e-3;
  World sliding(scene);
  EXPECT_EQ(sliding.contacts()->phase(0).mode, Mode::slide);
  EXPECT_NEAR(sliding.contacts()->phase(0).direction[0], std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(sliding.contacts()->phase(0).direction[1], -std::sqrt(0.5), 1e-12);
  const Scene above = rising(-1e-6, 0, {100, 1, 10, 0});
  World flying(above);
  EXPECT_EQ(flying.contacts()->phase(0).mode, Mode::free);
  EXPECT_EQ(flying.contacts()->phase(0).stage, Stage::plain);
}

// A ball that sticks, held aside by a force F against the ground that gives way along the plane, while its load is taken
// away: where μ_s N = F it begins to slip, from rest, the way F pulls.
TEST(GroundPhases, AGripThatGivesWayAtRestSlipsAlongThePull) {
  constexpr double k = 1e4, m = 0.5, F = 1;
  for (const auto& [x, y] : {std::pair{1.0, 0.0}, std::pair{-0.6, 0.8}}) {
    Scene scene = rising(m * g / k, 0, {k, 1, 0, k});
    scene.contacts[0].friction_static = 0.5, scene.contacts[0].friction_kinetic = 0.25;
    Push pull;
    pull.link = 1, pull.force = {F * x, F * y, 0};
    constexpr int time = 6;  // among formula_variable_names
    Field lift;
    lift.links = {1};
    lift.force[2].program = {
        {Formula::Op::number, 0, 20}, {Formula::Op::variable, time, 0}, {Formula::Op::multiply, 0, 0}};
    scene.elements = {{"pull", pull}, {"lift", lift}};
    World world(scene);
    std::vector<std::byte> bytes = world.save();
    const std::size_t at = 8 * (7 + 7 + 6 + world.sources().modes_of(0).size() + world.sources().modes_of(1).size() +
                                world.layout().count()) +
                           sizeof(LedgerState);
    ContactPhase phase;
    std::memcpy(&phase, bytes.data() + at, sizeof phase);
    ASSERT_EQ(phase.mode, Mode::stick);
    phase.anchor = {-F * x / k, -F * y / k};  // the ground is bent as far as balances the pull
    std::memcpy(bytes.data() + at, &phase, sizeof phase);
    world.restore(bytes);
    while (world.contacts()->phase(0).mode == Mode::stick && world.time() < 0.3) world.step(0.3);
    const ContactPhase& slip = world.contacts()->phase(0);
    ASSERT_EQ(slip.mode, Mode::slide);
    EXPECT_EQ(slip.stage, Stage::fresh);
    EXPECT_NEAR(slip.direction[0], x, 1e-9);
    EXPECT_NEAR(slip.direction[1], y, 1e-9);
    // N = m g − 20 t, but for a swing of the ball on its spring of 20 N/s × √(m/k) at most.
    EXPECT_NEAR(world.time(), (m * g - F / 0.5) / 20, std::sqrt(m / k));
    world.step(0.3), world.step(0.3);
    EXPECT_GT(world.state().v[3] * x + world.state().v[4] * y, 0);
    EXPECT_NEAR(world.state().v[3] * y - world.state().v[4] * x, 0, 1e-9);
  }
}

// ---- welds beside delays
Scene welded_chain() {
  Scene scene;
  ModelSpec spec = figures::chain(2);
  spec.gravity = {};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.solver.weld = WeldOptions{0.01, 0.1, 0.1};
  return scene;
}

// A weld is an event as any other: one delay later the forces have a kink, where a step has to end.
TEST(GroundPhases, AWeldIsRememberedOneDelayLong) {
  Scene scene = welded_chain();
  Reflex reflex;
  reflex.link = 1, reflex.delay = 0.03, reflex.damping = 1e-6;
  reflex.angle.kind = NamedAngle::Kind::twist;
  if (scene.model.links[1].joint == JointType::hinge) reflex.angle = {};
  scene.elements = {{"reflex", reflex}};
  World world(scene);
  while (world.welds()->count() == 0 && world.time() < 0.5) world.step(1);
  ASSERT_GT(world.welds()->count(), 0);
  EXPECT_NEAR(world.time(), 0.1, 1e-9);
  const auto* past = dynamic_cast<const DelayMemory*>(world.past());
  ASSERT_NE(past, nullptr);
  // 0.12 s is the fourth echo of the start.
  EXPECT_NEAR(past->next_kink(0.121), world.time() + 0.03, 1e-12);
  EXPECT_EQ(past->next_kink(0.131), forever);
}

// Chosen steps, however long they could be, end in time to see that nothing has moved.
TEST(GroundPhases, WeldsAreLookedForBetweenChosenSteps) {
  Scene scene = welded_chain();
  scene.solver.integrator = Integrator::rk45, scene.solver.step = forever;
  World world(scene);
  while (world.welds()->count() == 0 && world.time() < 5) world.step(5);
  EXPECT_GT(world.welds()->count(), 0);
  EXPECT_GE(world.time(), 0.1);
  EXPECT_LE(world.time(), 0.2);
}

}  // namespace ground_phases_test
