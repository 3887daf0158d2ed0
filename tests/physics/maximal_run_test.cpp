// Runs in maximal coordinates against the same runs in joint coordinates.
//
// Both integrate the same motion with the same method, so that they differ by the method's own error: each is compared with
// a fine run of the other kind. Without stabilisation joints drift apart with the order p of the method, |g| ~ hᵖ; with
// projection they stay together to round-off; with Baumgarte's rule errors stay at β⁻² of what each step leaves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "sim/world.h"
#include "support/figures.h"
#include "support/recorded.h"

namespace {

using marey::Dynamics, marey::Integrator, marey::Scene, marey::Stabilisation;

// A branching figure with every kind of joint in motion, on a hinge.
Scene swinging(Integrator integrator, double step) {
  Scene scene;
  scene.title = "swinging";
  scene.duration = 0.4;
  marey::ModelSpec spec;
  using marey::JointType;
  const auto add = [&](const char* name, const char* parent, JointType joint) {
    marey::LinkSpec link =
        figures::rod_link(name, parent, joint, {0, 0.02, parent == std::string("world") ? 0 : -0.3}, 0.5, 0.3, 0.03);
    link.axis = {1, 0.2, 0};
    spec.links.push_back(link);
  };
  add("upper", "world", JointType::hinge);
  add("fore", "upper", JointType::ball);
  add("hand", "fore", JointType::hinge);
  add("bead", "upper", JointType::slider);
  add("plate", "fore", JointType::weld);
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  for (std::size_t i = 0; i < scene.start.v.size(); ++i) scene.start.v[i] = 1 + 0.3 * static_cast<double>(i);
  scene.solver.integrator = integrator;
  scene.solver.step = step;
  scene.solver.dynamics = Dynamics::multipliers;
  scene.record.every = 0.1;
  return scene;
}

recorded::Memory run(const Scene& scene) {
  recorded::Memory memory;
  memory.summary = marey::run(scene, memory);
  return memory;
}

// The largest difference of all channels that both runs have, in the last frame, on the scale of 1 and the number itself.
double difference(const recorded::Memory& a, const recorded::Memory& b) {
  const std::size_t last = std::min(a.rows.size(), b.rows.size()) - 1;
  double worst = 0;
  for (const marey::Channel& c : b.header.channels) {
    if (c.name.find("residual") != std::string::npos) continue;
    const auto x = a.at(c.name, last), y = b.at(c.name, last);
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - y[k]) / (1 + std::abs(y[k])));
  }
  return worst;
}

recorded::Memory exact() {
  Scene scene = swinging(Integrator::rk4, 2.5e-4);
  scene.solver.dynamics = Dynamics::aba;
  return run(scene);
}

TEST(MaximalRun, EveryIntegratorShowsTheSameMotionAndClosesItsBooks) {
  const recorded::Memory right = exact();
  struct Case {
    Integrator integrator;
    double step, bound;
  };
  for (const Case& c : {Case{Integrator::rk4, 1e-3, 1e-8},
                        {Integrator::rk45, 0.1, 1e-6},
                        {Integrator::adams, 0.1, 1e-5},
                        {Integrator::bdf, 0.1, 1e-5},
                        {Integrator::midpoint, 1e-3, 1e-3},
                        {Integrator::euler, 1e-4, 1e-2},
                        {Integrator::euler_second, 1e-4, 1e-2},
                        {Integrator::semi_implicit, 1e-4, 1e-2}}) {
    Scene scene = swinging(c.integrator, c.step);
    if (!has_fixed_step(c.integrator)) scene.solver.tolerance = 1e-8;
    const recorded::Memory got = run(scene);
    ASSERT_TRUE(got.summary.breakdown.empty()) << got.summary.breakdown;
    const double off = difference(got, right);
    double drift = 0;
    for (std::size_t f = 0; f < got.rows.size(); ++f) drift = std::max(drift, got.number("drift/position", f));
    std::printf("%-13s off by %.2e (bound %.0e), drift %.1e, energy residual %.1e\n", name_of(c.integrator), off,
                c.bound, drift, got.summary.ledger.energy_residual_relative);
    EXPECT_LE(off, c.bound) << name_of(c.integrator);
    EXPECT_LE(drift, 1e-6) << name_of(c.integrator);
    const bool first_order = marey::order_of(c.integrator) == 1;
    EXPECT_LE(got.summary.ledger.energy_residual_relative, first_order ? 1e-3 : 1e-6) << name_of(c.integrator);
    EXPECT_LE(got.summary.ledger.linear_momentum_residual_relative, first_order ? 1e-3 : 1e-6);
    EXPECT_LE(got.summary.ledger.angular_momentum_residual_relative, first_order ? 1e-3 : 1e-6);
  }
}

// Two rods in line go round a hinge for 36 radians. In joint coordinates semi-implicit steps keep their energy to round-off;
// rows that answer J v̇ + J̇ v = 0 at the old place would gain (h ω)² in every step, 40 % in all.
TEST(MaximalRun, SemiImplicitStepsPumpNoEnergyIntoWhatGoesRound) {
  const auto gained = [](double step) {
    Scene scene;
    scene.duration = 3;
    marey::ModelSpec spec;
    spec.gravity = {};
    for (const char* name : {"a", "b"}) {
      spec.links.push_back(figures::rod_link(name, name[0] == 'a' ? "world" : "a", marey::JointType::hinge,
                                             {0, 0, name[0] == 'a' ? 0 : -0.3}, 0.5, 0.3, 0.03));
      spec.links.back().axis = {0, 1, 0};
    }
    scene.model = marey::freeze(spec);
    scene.start = marey::neutral_state(scene.model);
    scene.start.v[0] = 12;
    scene.record.every = 0.1;
    scene.solver = {.dynamics = Dynamics::multipliers, .integrator = Integrator::semi_implicit, .step = step};
    const recorded::Memory got = run(scene);
    EXPECT_TRUE(got.summary.breakdown.empty()) << got.summary.breakdown;
    return got.number("energy/total", got.rows.size() - 1) / got.number("energy/total", 0) - 1;
  };
  const double coarse = gained(1e-3), fine = gained(5e-4);
  std::printf("gained %.2e of the energy, %.2e with half the step\n", coarse, fine);
  EXPECT_LE(std::abs(coarse), 1e-2);
  EXPECT_LE(std::abs(fine), 5e-3);
}

double drift_of(Integrator integrator, Stabilisation way, double step, double time = 0.05) {
  Scene scene = swinging(integrator, step);
  scene.solver.stabilisation = way;
  scene.solver.stabilisation_time = time;
  const recorded::Memory got = run(scene);
  return got.number("drift/position", got.rows.size() - 1);
}

TEST(MaximalRun, DriftFallsWithTheOrderOfTheMethod) {
  for (const auto& [integrator, step] : {std::pair{Integrator::euler, 1e-3}, {Integrator::rk4, 1e-2}}) {
    const double coarse = drift_of(integrator, Stabilisation::none, step),
                 fine = drift_of(integrator, Stabilisation::none, step / 2), order = std::log2(coarse / fine);
    std::printf("%-6s without stabilisation: |g| %.2e, order %.2f\n", name_of(integrator), fine, order);
    EXPECT_NEAR(order, marey::order_of(integrator), 0.35);
    EXPECT_GT(fine, 1e-10);
    const double held = drift_of(integrator, Stabilisation::projection, step);
    EXPECT_LE(held, 1e-13);
    std::printf("       projection |g| %.2e\n", held);
  }
  const double left = drift_of(Integrator::euler, Stabilisation::none, 1e-3),
               faded = drift_of(Integrator::euler, Stabilisation::baumgarte, 1e-3, 0.02);
  std::printf("baumgarte %.2e of %.2e\n", faded, left);
  EXPECT_LE(faded, 0.25 * left);
}

TEST(MaximalRun, FreeFlightKeepsItsMomentum) {
  Scene scene;
  scene.duration = 0.5;
  marey::ModelSpec spec = figures::human39();
  spec.gravity = {};
  scene.model = marey::freeze(spec);
  const figures::Figure f = figures::with_random_state(spec, 3);
  scene.start = f.state;
  for (double& v : scene.start.v) v *= 0.3;
  scene.solver = {.dynamics = Dynamics::multipliers, .integrator = Integrator::rk4, .step = 2e-3};
  const recorded::Memory got = run(scene);
  const std::size_t last = got.rows.size() - 1;
  const auto change = [&](const char* name) {
    return norm(got.vec(name, last) - got.vec(name, 0)) / norm(got.vec(name, 0));
  };
  std::printf("momentum changed by %.2e (bound 1e-12), angular momentum by %.2e (bound 1e-11)\n",
              change("momentum/linear"), change("momentum/angular"));
  EXPECT_LE(change("momentum/linear"), 1e-12);
  EXPECT_LE(change("momentum/angular"), 1e-11);
}

// A hinge that goes round and round: its angle is the one of a run in joint coordinates, turns and all.
TEST(MaximalRun, HingesCountTheirTurns) {
  Scene scene = swinging(Integrator::rk4, 1e-3);
  scene.duration = 1;
  scene.start.v[0] = 40;
  const recorded::Memory one = run(scene);
  scene.solver.dynamics = Dynamics::aba;
  const recorded::Memory two = run(scene);
  const std::string channel = "joint/upper/angle";
  EXPECT_GT(std::abs(two.number(channel, two.rows.size() - 1)), 20);
  for (std::size_t f = 0; f < one.rows.size(); ++f) EXPECT_NEAR(one.number(channel, f), two.number(channel, f), 1e-4);
}

// Constraints beside the joints: a loop to the world, said twice, and a hand on a measured path; against joint coordinates.
Scene with_hand(Integrator integrator, double step) {
  Scene scene = swinging(integrator, step);
  std::fill(scene.start.v.begin(), scene.start.v.end(), 0.0);
  return scene;
}
marey::Vec3<double> place_of(const Scene& scene, int link, const marey::Vec3<double>& p_B) {
  marey::Kinematics<double> k(scene.model);
  marey::forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  return k.X_WB[static_cast<std::size_t>(link)] * p_B;
}
marey::Constraint held_hand(const Scene& scene, const char* name) {
  marey::Constraint c;
  c.name = name;
  c.b.link = scene.model.find("hand");
  c.b.X_LC.p = {0, 0, -0.3};
  c.a.X_LC.p = place_of(scene, c.b.link, c.b.X_LC.p);
  c.kind = marey::LoopJoint{marey::LoopJoint::Kind::on_plane};
  return c;
}
// Points as a camera would give them, every 0.1 s.
marey::Constraint measured_path(const Scene& scene) {
  marey::Constraint c = held_hand(scene, "camera");
  const std::vector<double> t{0, 0.1, 0.2, 0.3, 0.4, 0.5};
  marey::Drive drive;
  drive.place = {marey::spline_in_time(t, {0, 0.01, 0.04, 0.08, 0.1, 0.1}),
                 marey::spline_in_time(t, {0, 0.005, 0.02, 0.05, 0.06, 0.06}),
                 marey::spline_in_time(t, {0, 0.002, 0.015, 0.03, 0.05, 0.05})};
  c.kind = drive;
  return c;
}

void agrees_with_joint_coordinates(Scene scene, const char* what) {
  const recorded::Memory one = run(scene);
  scene.solver.dynamics = Dynamics::aba;
  const recorded::Memory two = run(scene);
  ASSERT_TRUE(one.summary.breakdown.empty()) << one.summary.breakdown;
  double drift = 0;
  for (std::size_t f = 0; f < one.rows.size(); ++f) drift = std::max(drift, one.number("drift/position", f));
  const double off = difference(one, two);
  std::printf("%s: off by %.2e (bound 1e-6), drift %.1e, energy residual %.1e\n", what, off, drift,
              one.summary.ledger.energy_residual_relative);
  EXPECT_LE(off, 1e-6) << what;
  EXPECT_LE(drift, 1e-12) << what;
  EXPECT_LE(one.summary.ledger.energy_residual_relative, 1e-7) << what;
  EXPECT_LE(one.summary.ledger.linear_momentum_residual_relative, 1e-7) << what;
  EXPECT_LE(one.summary.ledger.angular_momentum_residual_relative, 1e-7) << what;
}

TEST(MaximalRun, LoopsAndMeasuredPaths) {
  Scene loop = with_hand(Integrator::rk4, 1e-3);
  loop.constraints = {held_hand(loop, "table"), held_hand(loop, "the same table")};
  agrees_with_joint_coordinates(loop, "a hand on a table, said twice");
  Scene path = with_hand(Integrator::rk4, 1e-3);
  path.constraints = {measured_path(path)};
  agrees_with_joint_coordinates(path, "a hand on a measured path");
}

// A hand pulled farther than the figure reaches: no run goes on as if it were held.
TEST(MaximalRun, APathBeyondReachEndsTheRun) {
  Scene scene = with_hand(Integrator::rk4, 1e-3);
  scene.constraints = {measured_path(scene)};
  scene.constraints[0].kind.get_if<marey::Drive>()->place->at(2) = marey::spline_in_time({0, 0.4}, {0, -1.5});
  const recorded::Memory got = run(scene);
  EXPECT_NE(got.summary.breakdown.find("can no longer be held"), std::string::npos) << got.summary.breakdown;
  EXPECT_GT(got.summary.constraint_error, 0);
}

// The one to blame is named, wherever it stands beside one that is held with ease.
TEST(MaximalRun, TheConstraintThatCannotBeHeldIsNamed) {
  for (const bool first : {true, false}) {
    Scene scene = with_hand(Integrator::rk4, 1e-3);
    marey::Constraint camera = measured_path(scene), beam = held_hand(scene, "beam");
    camera.kind.get_if<marey::Drive>()->place->at(2) = marey::spline_in_time({0, 0.4}, {0, -1.5});
    beam.kind = marey::FixedDistance{3};
    beam.a.X_LC.p = beam.a.X_LC.p + marey::Vec3<double>{0, 3, 0};
    scene.constraints = first ? std::vector{camera, beam} : std::vector{beam, camera};
    const recorded::Memory got = run(scene);
    EXPECT_NE(got.summary.breakdown.find("the constraint 'camera' can no longer be held"), std::string::npos)
        << got.summary.breakdown;
  }
}

// How far a step leaves constraints off, before they are put right, falls with h²: Euler's rule errs by ½ h² v̇ in a step.
// Left alone, it piles up.
TEST(MaximalRun, WhatConstraintsDriftByIsCounted) {
  const auto drifted = [](double step, Stabilisation way) {
    Scene scene = with_hand(Integrator::euler, step);
    scene.constraints = {measured_path(scene)};
    scene.solver.stabilisation = way;
    const recorded::Memory got = run(scene);
    EXPECT_EQ(got.summary.breakdown, "");
    return got.summary;
  };
  const marey::RunSummary coarse = drifted(1e-3, Stabilisation::projection),
                          fine = drifted(5e-4, Stabilisation::projection);
  std::printf("|g| a step leaves %.2e, %.2e with half the step; energy changed by %.2e J, %.2e J\n",
              coarse.constraint_error, fine.constraint_error, coarse.constraint_drift, fine.constraint_drift);
  EXPECT_NEAR(std::log2(coarse.constraint_error / fine.constraint_error), 2, 0.2);
  EXPECT_NE(coarse.constraint_drift, 0);
  EXPECT_GT(drifted(1e-3, Stabilisation::none).constraint_error, 10 * coarse.constraint_error);
  EXPECT_EQ(drifted(1e-3, Stabilisation::none).constraint_drift, 0);
}

TEST(MaximalRun, ACheckpointGoesOnBitForBit) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::rk45}) {
    const Scene scene = swinging(integrator, integrator == Integrator::rk4 ? 1e-3 : 0.02);
    marey::World whole(scene), part(scene);
    while (whole.steps() < 20) whole.step(scene.duration);
    const std::vector<std::byte> bytes = whole.save();
    part.restore(bytes);
    EXPECT_EQ(part.state().q, whole.state().q);
    EXPECT_EQ(part.state().v, whole.state().v);
    EXPECT_EQ(part.drift_at(part.time()).position, whole.drift_at(whole.time()).position);
    EXPECT_EQ(part.drift_at(part.time()).rate, whole.drift_at(whole.time()).rate);
    for (int i = 0; i < 20; ++i) whole.step(scene.duration), part.step(scene.duration);
    EXPECT_EQ(part.state().q, whole.state().q);
    EXPECT_EQ(part.state().v, whole.state().v);
  }
}

TEST(MaximalRun, RefusesWhatItDoesNotKnow) {
  Scene scene = swinging(Integrator::midpoint, 1e-3);
  marey::ModelSpec spec;
  marey::LinkSpec bead;
  bead.name = "bead", bead.joint = marey::JointType::point, bead.inertia = {1, {}, {}};
  spec.links = {bead};
  scene.model = marey::freeze(spec);
  EXPECT_NE(refusal(scene.model, scene.solver).find("moments of inertia"), std::string::npos);
  scene.solver.integrator = Integrator::rk4;
  EXPECT_EQ(refusal(scene.model, scene.solver), "");
}

}  // namespace
