// Welding on the fly in a running world: impulses, waking by force, the books, checkpoints. The smaller figure itself:
// reduced_figure_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/world.h"
#include "support/figures.h"
#include "support/integrators.h"
#include "unit/sim/random_start.h"

namespace welds_test {

using namespace marey;
using Vec = Vec3<double>;

// ---- worlds
Scene chain_scene(int n, const WeldOptions& weld) {
  Scene scene;
  ModelSpec spec = figures::chain(n, JointType::hinge);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge, link.axis = {0, 1, 0};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  for (int i = 0; i < n; ++i) scene.start.q[i] = 0.4 - 0.1 * i;
  for (int i = 0; i < n; ++i)
    scene.elements.push_back({"friction " + std::to_string(i), JointFriction{i + 1, 0.1 + 0.1 * i}});
  scene.solver.step = 2e-3;
  scene.solver.weld = weld;
  return scene;
}
Push push(int link, const Vec& force, double from, double lasts) {
  Push p;
  p.link = link, p.point_B = {0, 0, -0.2}, p.force = force;
  p.schedule.from = from, p.schedule.lasts = lasts;
  return p;
}
Ledger ledger(World& world, const Scene& scene) {
  return close_ledger(world.layout(), world.ledger(), world.balance(world.state()), world.integrals(), scene, 1e-5);
}
double work_of_welds(const Ledger& l) {
  EXPECT_EQ(l.work_in.back().first, "welds");
  return l.work_in.back().second;
}
void run_to(World& world, double t) {
  while (world.time() < t - 1e-9) world.step(t);
}

// Comes to rest link by link, is pushed, moves and comes to rest again: as without welds, within what a joint may still have
// done when it is welded, below × the time in which friction would have stopped it.
TEST(Welds, AChainComesToRestAndAPushWakesIt) {
  Scene scene = chain_scene(4, {1e-3, 0.2, 5e-3});
  scene.elements.clear();
  for (int i = 0; i < 4; ++i)
    scene.elements.push_back({"friction " + std::to_string(i), JointFriction{i + 1, std::ldexp(2, -i)}});
  scene.solver.step = 1e-3;
  Scene plain = scene;
  for (Scene* s : {&scene, &plain}) s->elements.push_back({"push", push(4, {0.8, 0, 0}, 8, 0.4)});
  plain.solver.weld.reset();
  World world(scene), reference(plain);
  std::set<int> counts;
  while (world.time() < 7.99) {
    world.step(7.99);
    counts.insert(world.welds()->count());
  }
  EXPECT_EQ(world.welds()->count(), 4);
  EXPECT_GE(counts.size(), 3u);  // not all at once
  run_to(world, 8.1);
  EXPECT_EQ(world.welds()->count(), 0);
  EXPECT_EQ(world.welds()->woken(), 4);
  run_to(world, 8.4), run_to(reference, 8.4);
  EXPECT_GT(std::abs(reference.state().q[3]), 0.05);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(world.state().q[i], reference.state().q[i], 4e-3) << i;
  run_to(world, 16), run_to(reference, 16);
  EXPECT_EQ(world.welds()->count(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(world.state().q[i], reference.state().q[i], 4e-3) << i;
  const Ledger l = ledger(world, scene);
  EXPECT_TRUE(l.closed) << l.energy_residual_relative << " " << l.linear_momentum_residual_relative << " "
                        << l.angular_momentum_residual_relative;
}

// One hinge at rest without weight, whose weld carries just the torque that is put on.
TEST(Welds, WakeByForceAndNotBySpeed) {
  for (const double torque : {0.09, 0.11}) {
    Scene scene = chain_scene(1, {0.01, 0.1, 0.1});
    scene.model.params.gravity = {};
    scene.start.q[0] = 0;
    Push turn = push(1, {}, 0.3, forever);
    turn.torque = {0, torque, 0};
    scene.elements.push_back({"turn", turn});
    World world(scene);
    run_to(world, 0.29);
    EXPECT_EQ(world.welds()->count(), 1);
    run_to(world, 0.5);
    EXPECT_EQ(world.welds()->count(), torque < 0.1 ? 1 : 0);
    EXPECT_EQ(world.state().q[0] == 0, torque < 0.1);
  }
}

// Honey in the joint: slower than the bound for as long as one likes, but gravity is at work.
TEST(Welds, ACreepingJointIsLeftAlone) {
  Scene scene = chain_scene(1, {0.5, 0.1, 0.1});
  scene.elements = {{"honey", JointFriction{1, 1}}};
  World world(scene);
  run_to(world, 1.5);
  EXPECT_LT(std::abs(world.state().v[0]), 0.5);
  EXPECT_EQ(world.welds()->made(), 0);
}

// ---- welds that are tried and given up: they would carry more than half of what wakes them
// Honey in the joints, which are tried again and again: the run is that without welds, to the bit, and so are its books.
TEST(Welds, GivenUpLeaveNoTrace) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit, Integrator::euler_second}) {
    Scene scene = chain_scene(3, {2, 0.05, 1e-3});
    scene.elements.clear();
    for (int i = 0; i < 3; ++i) scene.elements.push_back({"honey " + std::to_string(i), JointFriction{i + 1, 0.4}});
    scene.solver.integrator = integrator;
    scene.solver.step = 2e-4;
    Scene plain = scene;
    plain.solver.weld.reset();
    World world(scene), reference(plain);
    while (world.time() < 0.4) {
      world.step(), reference.step();
      // They were tried, or this says nothing: after each `lasts` the joints had been slow for that long.
      for (int i = 0; i < 3; ++i) ASSERT_LT(std::abs(reference.state().v[i]), 2);
      ASSERT_EQ(world.state().q, reference.state().q) << world.time();
      ASSERT_EQ(world.state().v, reference.state().v) << world.time();
    }
    EXPECT_EQ(world.welds()->count(), 0);
    EXPECT_EQ(world.welds()->made(), 0);
    EXPECT_EQ(world.welds()->most(), 0);
    EXPECT_EQ(world.events(), reference.events());
    const Ledger with = ledger(world, scene), without = ledger(reference, plain);
    EXPECT_EQ(work_of_welds(with), 0);
    EXPECT_EQ(with.energy_residual, without.energy_residual);
    EXPECT_EQ(with.linear_momentum_residual_relative, without.linear_momentum_residual_relative);
    EXPECT_EQ(with.angular_momentum_residual_relative, without.angular_momentum_residual_relative);
    for (std::size_t i = 0; i < without.work_in.size(); ++i)
      EXPECT_EQ(with.work_in[i].second, without.work_in[i].second) << without.work_in[i].first;
  }
}

// Beside a joint that is welded already: a turntable at rest carries a rod that creeps down. With the turntable's joint a
// weld from the start the rod does the same.
TEST(Welds, GivenUpBesideOneThatStays) {
  Scene scene = chain_scene(2, {0.9, 0.05, 0.02});
  ModelSpec spec = figures::chain(2, JointType::hinge);
  spec.links[0].axis = {0, 0, 1};
  spec.links[1].joint = JointType::hinge, spec.links[1].axis = {0, 1, 0};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q[1] = 0.9;
  scene.elements = {{"honey", JointFriction{2, 1}}};
  Scene rigid = scene;
  spec.links[0].joint = JointType::weld;
  rigid.model = freeze(spec);
  rigid.start = neutral_state(rigid.model);
  rigid.start.q[0] = 0.9;
  rigid.solver.weld.reset();
  World world(scene), reference(rigid);
  run_to(world, 0.6), run_to(reference, 0.6);
  ASSERT_EQ(world.welds()->count(), 1);
  EXPECT_EQ(world.welds()->made(), 1);
  EXPECT_EQ(world.welds()->woken(), 0);
  EXPECT_LT(reference.state().q[0], 0.85);
  EXPECT_EQ(world.state().q[0], 0);
  EXPECT_EQ(world.state().v[0], 0);
  EXPECT_NEAR(world.state().q[1], reference.state().q[0], 1e-13);  // 300 steps of some roundings each
  EXPECT_NEAR(world.state().v[1], reference.state().v[0], 1e-13);
  const Ledger l = ledger(world, scene), right = ledger(reference, rigid);
  EXPECT_EQ(work_of_welds(l), 0);
  EXPECT_NEAR(l.energy_residual_relative, right.energy_residual_relative, 1e-12);
  EXPECT_NEAR(l.linear_momentum_residual_relative, right.linear_momentum_residual_relative, 1e-12);
  EXPECT_NEAR(l.angular_momentum_residual_relative, right.angular_momentum_residual_relative, 1e-12);
}

// Several at once, of which some are given up: the impulse is that of the ones that stay. All momenta of the others are what
// they were, in their joints too; the energy that is gone is in the books.
TEST(Welds, GivenUpAmongOthersThatAreMade) {
  Scene scene;
  ModelSpec spec = figures::chain(4, JointType::free);
  spec.gravity = {};
  for (int i = 1; i < 4; ++i) spec.links[i].joint = JointType::hinge, spec.links[i].axis = {0.2 * i, 1, 0.1};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  for (int i = 0; i < 9; ++i) scene.start.v[i] = 0.02 * (1 + i % 4);
  for (int i = 0; i < 3; ++i) scene.start.q[7 + i] = 0.3 + 0.2 * i;
  // One joint is wound up against friction: it hardly moves, and a weld of it would have to hold the torque.
  FreePlay wound;
  wound.link = 3;
  wound.from = {{0}, {5}}, wound.to = {{0}, {6}};
  wound.slope_below = wound.slope_above = {{0}, {0.02}};
  scene.elements = {{"wound", wound}, {"honey", JointFriction{3, 0.5}}};
  scene.solver.step = 1e-3;
  scene.solver.weld = WeldOptions{0.5, 0.0105, 0.1};
  World world(scene);
  Params<double> weightless = scene.model.params;
  weightless.gravity = {};
  RneaWorkspace<double> workspace(scene.model);
  const std::vector<double> zero(static_cast<std::size_t>(scene.model.nv));
  State last = scene.start;
  std::vector<double> integrals(world.layout().count());
  while (world.welds()->made() == 0 && world.time() < 0.1) {
    world.step();
    world.at(world.time(), last, integrals);
  }
  ASSERT_EQ(world.welds()->made(), 2);
  ASSERT_EQ(world.welds()->count(), 2);
  EXPECT_EQ(world.welds()->most(), 2);
  std::vector<double> p(zero), after(zero);
  rnea<double>(scene.model, weightless, last.q, zero, last.v, {}, workspace, p);
  rnea<double>(scene.model, weightless, world.state().q, zero, world.state().v, {}, workspace, after);
  for (int k = 0; k < scene.model.nv; ++k) {
    const bool held = k == scene.model.links[2].v || k == scene.model.links[4].v;
    if (held)
      EXPECT_EQ(world.state().v[k], 0);
    else
      EXPECT_NEAR(after[k], p[k], 1e-14) << k;
  }
  EXPECT_NE(world.state().v[scene.model.links[3].v], 0);
  const double lost = world.balance(world.state()).kinetic - world.balance(last).kinetic;
  EXPECT_LT(lost, 0);
  EXPECT_NEAR(work_of_welds(ledger(world, scene)), lost, 1e-12 * std::abs(lost) + 1e-17);
}

// Free in space and turning: what stiffens takes energy, which is booked, and no momentum.
TEST(Welds, KeepMomentaAndBookEnergy) {
  Scene scene;
  ModelSpec spec = figures::human39();
  spec.gravity = {};
  scene.model = freeze(spec);
  scene.start = random_state(scene.model, 3);
  for (double& v : scene.start.v) v *= 0.3;
  for (int i = 2; i < scene.model.nlink(); ++i)
    scene.elements.push_back({"friction " + std::to_string(i), JointFriction{i, 0.1}});
  scene.solver.step = 2e-4;
  scene.solver.weld = WeldOptions{2, 0.05, 1e3};
  World world(scene);
  double largest = 0;
  State last = scene.start;
  std::vector<double> integrals(world.layout().count());
  while (world.time() < 0.2) {
    world.step();
    world.at(world.time(), last, integrals);  // before what happened at the end of the step
    const Balance before = world.balance(last), after = world.balance(world.state());
    largest = std::max({largest, norm(after.momentum.f - before.momentum.f) / norm(before.momentum.f),
                        norm(after.momentum.n - before.momentum.n) / norm(before.momentum.n)});
  }
  EXPECT_LT(largest, 1e-12);
  EXPECT_EQ(world.welds()->count(), 11);
  const Ledger l = ledger(world, scene);
  EXPECT_LT(work_of_welds(l), -1e-3 * l.energy_start);
  EXPECT_LT(l.energy_residual_relative, 1e-8);
  EXPECT_LT(l.angular_momentum_residual_relative, 1e-9);
}

// What is merged moves as one body, and nobody looks at its links; an element that does nothing but look at one makes no
// difference to the motion, to the books, and to what the welds carry.
TEST(Welds, MergedBodiesMoveAsTheirLinksWould) {
  const auto floating = [](bool looked_at) {
    Scene scene;
    scene.model = freeze(figures::human39());
    scene.start = random_state(scene.model, 5);
    for (double& v : scene.start.v) v *= 0.2;
    for (int i = 2; i < scene.model.nlink(); ++i)
      scene.elements.push_back({"friction " + std::to_string(i), JointFriction{i, 0.1}});
    FreePlay play;
    play.link = 3, play.angle.kind = NamedAngle::Kind::twist, play.angle.axis = {0, 0, 1};
    const auto constant = [](double x) {
      TimeTable table;
      table.t = {0, 1}, table.value = {x, 2 * x};
      return table;
    };
    play.from = constant(-0.05), play.to = constant(0.05), play.slope_below = play.slope_above = constant(2);
    scene.elements.push_back({"play", play});
    if (looked_at) scene.elements.push_back({"looks", Drag{{4}, 0, 0}});
    scene.solver.integrator = Integrator::rk4, scene.solver.step = 1e-3;
    scene.solver.weld = WeldOptions{3, 0.02, 1e3};
    return scene;
  };
  const Scene plain = floating(false), looked_at = floating(true);
  World a(plain), b(looked_at);
  run_to(a, 0.3), run_to(b, 0.3);
  EXPECT_EQ(a.welds()->count(), 11);
  EXPECT_EQ(b.welds()->count(), 11);
  for (std::size_t k = 0; k < a.state().v.size(); ++k) EXPECT_NEAR(a.state().v[k], b.state().v[k], 1e-12);
  for (std::size_t k = 0; k < a.state().q.size(); ++k) EXPECT_NEAR(a.state().q[k], b.state().q[k], 1e-12);
  for (std::size_t k = 0; k < a.welds()->carried().size(); ++k)
    EXPECT_NEAR(a.welds()->carried()[k], b.welds()->carried()[k], 1e-10);
  const Ledger l = ledger(a, plain), m = ledger(b, looked_at);
  for (std::size_t k = 0; k < l.work_in.size(); ++k) {
    const std::string& name = l.work_in[k].first;
    for (const auto& [other, work] : m.work_in)
      EXPECT_TRUE(other != name || std::abs(l.work_in[k].second - work) < 1e-11) << name;
  }
  EXPECT_LT(l.energy_residual_relative, 1e-8);
  EXPECT_LT(l.angular_momentum_residual_relative, 1e-9);
  EXPECT_LT(l.linear_momentum_residual_relative, 1e-9);
}

// Scripts on a figure some of whose other joints are welded: the recursion of the groups against rows.
TEST(Welds, GoWithScripts) {
  Scene scene;
  ModelSpec spec = figures::chain(8, JointType::hinge);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge, link.axis = {0, 1, 0.3};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q = {0.1, 0.2, -0.1, 0.3, 0, 0.1, 0, -0.2};
  for (const int link : {1, 3, 5, 6}) {
    Constraint c;
    Coupler coupler;
    coupler.terms = {{link, 1.0, 0, {}}};
    coupler.sum = spline_in_time({0, 0.2, 0.4}, {0, 0.3, -0.1});
    coupler.offset = scene.start.q[static_cast<std::size_t>(link - 1)];
    c.name = "script " + std::to_string(link), c.kind = coupler;
    scene.constraints.push_back(c);
  }
  for (const int i : {2, 4, 7, 8}) scene.elements.push_back({"friction " + std::to_string(i), JointFriction{i, 0.1}});
  scene.solver.integrator = Integrator::rk4, scene.solver.step = 1e-3;
  scene.solver.weld = WeldOptions{1e3, 0.05, 1e5};
  World held(scene), rows(scene);
  held.constraints()->hold_freedoms_from(1), rows.constraints()->hold_freedoms_from(ConstraintRows::never);
  run_to(held, 0.3), run_to(rows, 0.3);
  EXPECT_EQ(held.welds()->count(), 4);
  EXPECT_EQ(held.constraints()->rows().matrix_size(), 0);
  EXPECT_EQ(rows.constraints()->rows().matrix_size(), 4);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(held.state().v[k], rows.state().v[k], 1e-10);
  for (std::size_t k = 0; k < held.integrals().size(); ++k)
    EXPECT_NEAR(held.integrals()[k], rows.integrals()[k], 1e-9 * (1 + std::abs(rows.integrals()[k])));
}

// Roots that the world holds: its impulses are in the books, that of the weld included.
TEST(Welds, BookWhatTheWorldHolds) {
  Scene scene = chain_scene(3, {0.5, 0.02, 1e3});
  for (double& v : scene.start.v) v = 0.3;
  scene.solver.step = 5e-4;
  World world(scene);
  run_to(world, 0.5);
  EXPECT_EQ(world.welds()->count(), 3);
  const Ledger l = ledger(world, scene);
  EXPECT_LT(work_of_welds(l), -1e-3);
  EXPECT_LT(l.energy_residual_relative, 1e-9);
  EXPECT_LT(l.linear_momentum_residual_relative, 1e-9);
  EXPECT_LT(l.angular_momentum_residual_relative, 1e-9);
}

// To what acts belongs what the welds do: the whole figure under these forces moves as the run does.
TEST(Welds, WholeFigureAgreesUnderTheForcesOfTheWelds) {
  Scene scene = chain_scene(4, {0.5, 0.05, 1e3});
  scene.elements.push_back({"push", push(4, {0.5, 0, 0.2}, 0, forever)});
  World world(scene);
  while (world.welds()->count() < 2) world.step();
  std::vector<double> vdot(4), whole(4);
  const Forces<double> forces = world.everything_that_acts(vdot);
  AbaWorkspace<double> workspace(scene.model);
  aba<double>(scene.model, scene.model.params, world.state().q, world.state().v, forces, workspace, whole);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(whole[i], vdot[i], 1e-9);
  // And to one that has just come from a checkpoint, before it has made a step.
  World resumed(scene);
  resumed.restore(world.save());
  std::vector<double> vdot_resumed(4);
  const std::vector<double> tau(forces.tau.begin(), forces.tau.end());
  const Forces<double> again = resumed.everything_that_acts(vdot_resumed);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(vdot_resumed[i], vdot[i]);
    EXPECT_EQ(again.tau[i], tau[i]);
  }
}

class WeldCheckpoints : public ::testing::TestWithParam<Integrator> {};

// Saved with joints welded; a push wakes them later.
TEST_P(WeldCheckpoints, GoOnBitForBit) {
  Scene scene;
  ModelSpec spec = figures::chain(4);
  spec.gravity = {};
  scene.model = freeze(spec);
  scene.start = random_state(scene.model, 8);
  for (double& v : scene.start.v) v *= 0.05;
  scene.elements.push_back({"friction", JointFriction{2, 0.005}});
  scene.elements.push_back({"push", push(4, {2, 0.3, 0}, 0.5, 0.1)});
  scene.solver.integrator = GetParam();
  scene.solver.step = has_fixed_step(GetParam()) ? 2e-3 : 0.01;
  scene.solver.weld = WeldOptions{1, 0.1, 0.05};
  constexpr double end = 0.8;
  World whole(scene), resumed(scene);
  while ((whole.welds()->count() == 0 || !whole.may_save()) && whole.time() < 0.4) whole.step(end);
  const std::vector<std::byte> saved = whole.save();
  EXPECT_GT(whole.welds()->count(), 0);
  run_to(whole, end);
  resumed.restore(saved);
  EXPECT_GT(resumed.welds()->count(), 0);
  run_to(resumed, end);
  EXPECT_EQ(whole.save(), resumed.save());
  EXPECT_GT(whole.welds()->woken(), 0);
}
INSTANTIATE_TEST_SUITE_P(Methods, WeldCheckpoints, ::testing::ValuesIn(integrators::those([](Integrator i) {
                           SolverOptions o;
                           o.integrator = i, o.weld.emplace();
                           return refusal_of_welding(o).empty();
                         })));

struct LastRow : Sink {
  MotionHeader header;
  std::vector<double> row;
  void begin(const MotionHeader& h) override { header = h; }
  void frame(std::span<const double> r) override { row.assign(r.begin(), r.end()); }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
};

TEST(Welds, AreCountedAndRecorded) {
  Scene scene = chain_scene(2, {0.01, 0.1, 0.1});
  scene.model.params.gravity = {};
  scene.duration = 0.3;
  LastRow motion;
  const RunSummary summary = run(scene, motion);
  EXPECT_EQ(summary.welded, 2);
  EXPECT_EQ(summary.welds_made, 2);
  EXPECT_NE(to_json(summary).find("\"welds\":{\"welded\":2,\"most\":2,\"made\":2,\"woken\":0}"), std::string::npos);
  std::size_t at = 0, found = motion.row.size();
  for (const Channel& c : motion.header.channels) {
    if (c.name == "solver/welded") found = at;
    at += c.columns.size();
  }
  ASSERT_LT(found, motion.row.size());
  EXPECT_EQ(at, motion.row.size());
  EXPECT_EQ(motion.row[found], 2);
}

TEST(Welds, AreRefusedByName) {
  SolverOptions o;
  o.weld.emplace();
  EXPECT_EQ(refusal_of_welding(o), "");
  o.dynamics = Dynamics::multipliers;
  EXPECT_NE(refusal_of_welding(o).find("use dynamics: aba"), std::string::npos);
  o.dynamics = Dynamics::aba;
  o.integrator = Integrator::midpoint;
  EXPECT_NE(refusal_of_welding(o).find("use integrator"), std::string::npos);
}

// The recorder looks at the same welded figure as the world, at other instants.
TEST(Welds, WhatIsReadWithinStepsLeavesNoTrace) {
  for (const Integrator integrator : {Integrator::semi_implicit, Integrator::rk4, Integrator::rk45}) {
    SceneOverrides options;
    options.integrator = integrator;
    const auto system =
        std::make_shared<const System>(load_scene(MAREY_SOURCE_DIR "/gallery/falls-asleep.yaml", options));
    const std::size_t welded = system->columns_of("solver/welded").first;
    Simulation watched(system), alone(system);
    int most = 0;
    while (watched.time() < 2) {
      const double before = watched.time();
      watched.step(), alone.step();
      most = std::max(most, static_cast<int>(watched.row_at(before + 0.4 * (watched.time() - before))[welded]));
      ASSERT_EQ(watched.time(), alone.time());
    }
    EXPECT_GT(most, 0) << name_of(integrator);
    EXPECT_EQ(watched.state().q, alone.state().q) << name_of(integrator);
    EXPECT_EQ(watched.state().v, alone.state().v) << name_of(integrator);
    EXPECT_EQ(watched.ledger().energy_residual, alone.ledger().energy_residual) << name_of(integrator);
    EXPECT_EQ(watched.ledger().angular_momentum_residual_relative, alone.ledger().angular_momentum_residual_relative);
  }
}

}  // namespace welds_test
