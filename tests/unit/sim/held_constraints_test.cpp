// Constraints in a running world: against the same figure built without them, closed forms, and the books. Those that are made
// and broken: constraints_made_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "unit/sim/held_figures.h"

namespace held_constraints_test {

using namespace held;

TEST(HeldConstraints, EveryIntegratorHoldsAHingeAsTheTreeDoes) {
  struct Case {
    SolverOptions solver;
    double near;
  };
  const Case cases[] = {
      {floors::fixed(Integrator::rk4, 1e-3), 1e-8},          {floors::fixed(Integrator::euler, 1e-4), 2e-2},
      {floors::fixed(Integrator::euler_second, 1e-4), 2e-2}, {floors::fixed(Integrator::semi_implicit, 1e-4), 2e-2},
      {floors::adaptive(Integrator::rk45, 1e-10), 1e-8},     {floors::adaptive(Integrator::adams, 1e-10), 1e-6},
      {floors::adaptive(Integrator::bdf, 1e-9), 1e-5}};
  for (const Case& c : cases) {
    Scene tree = double_pendulum(), held = held_pendulum();
    tree.solver = floors::adaptive(Integrator::rk45, 1e-12);
    held.solver = c.solver;
    World a(tree), b(held);
    floors::run_until(a, 0.5), floors::run_until(b, 0.5);
    const char* name = name_of(c.solver.integrator);
    EXPECT_NEAR(a.state().q[0], b.state().q[0], c.near) << name;
    const double* q = b.state().q.data();
    const double angle = 2 * std::atan2(q[3], q[1]);
    EXPECT_NEAR(std::remainder(a.state().q[0] + a.state().q[1] - angle, 2 * std::numbers::pi), 0, c.near) << name;
    EXPECT_NEAR(a.state().v[0], b.state().v[0], 20 * c.near) << name;
  }
}

// A pendulum held by rows goes round at 12 rad/s, without weight. Answered as a whole at the old place, the rows' bias would
// put (h ω)² of the energy in with every step.
// A bob on a rod goes round at constant speed. Half of the rows' bias is answered along the rod where a step begins, the other half
// along the rod where it ends: else a step of h gains (ω h)²/2 of the energy, and not next to nothing.
TEST(HeldConstraints, SemiImplicitStepsOfABobOnARodKeepItsSpeed) {
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::crba, Dynamics::multipliers}) {
    SceneOverrides options;
    options.dynamics = dynamics;
    Simulation simulation(parse_scene(R"(marey: 1
duration: 3 s
gravity: 0
solver: {integrator: semi_implicit, step: 1 ms}
figures: {bob: {links: {ball: {shape: {sphere: {radius: 2 cm}}, mass: 1 kg,
  start: {position: [1 m, 0, 0], velocity: [0, 1 m/s, 0]}}}}}
constraints: [rod: {name: rod, a: world, b: bob.ball}]
)",
                                      "bob.yaml", options));
    const double before = simulation.kinetic_energy();
    simulation.run_until(3);
    EXPECT_NEAR(simulation.kinetic_energy() / before, 1, 1e-8) << static_cast<int>(dynamics);
  }
}

TEST(HeldConstraints, SemiImplicitStepsPumpNoEnergyIntoWhatGoesRound) {
  const auto gained = [](double step) {
    Scene scene = held_pendulum();
    scene.model.params.gravity = {};
    scene.start.v[0] = scene.start.v[2] = 12;
    for (std::size_t k = 4; k < 7; ++k) scene.start.v[k] *= 12;
    scene.solver = floors::fixed(Integrator::semi_implicit, step);
    World world(scene);
    const double before = world.balance(world.state()).energy;
    floors::run_until(world, 3);
    EXPECT_GT(world.constraints()->drift_error(), 0);
    return world.balance(world.state()).energy / before - 1;
  };
  const double coarse = gained(1e-3), fine = gained(5e-4);
  std::printf("gained %.2e of the energy, %.2e with half the step\n", coarse, fine);
  EXPECT_LE(std::abs(coarse), 2e-2);
  EXPECT_LE(std::abs(fine), 1e-2);
}

TEST(HeldConstraints, EveryDynamicsDoes) {
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::crba, Dynamics::dense}) {
    Scene tree = double_pendulum(), held = held_pendulum();
    held.solver.dynamics = dynamics;
    World a(tree), b(held);
    floors::run_until(a, 0.3), floors::run_until(b, 0.3);
    EXPECT_NEAR(a.state().q[0], b.state().q[0], 1e-9) << name_of(dynamics);
  }
}

TEST(HeldConstraints, BooksCloseAndTheWorldsImpulseIsCounted) {
  Scene scene = held_pendulum();
  World world(scene);
  floors::run_until(world, 1);
  const Ledger l = ledger(world, scene, 1e-7);
  EXPECT_TRUE(l.closed) << l.energy_residual_relative << ' ' << l.linear_momentum_residual_relative << ' '
                        << l.angular_momentum_residual_relative;
  EXPECT_NEAR(work_of(l, "hinge"), 0, 1e-7);
  // The same body held by the world itself: the constraint's impulse comes from outside.
  Scene hung = scene_of({body("only", JointType::free)});
  hung.constraints = {loop(Kind::ball, 0, 1)};
  hung.start.v[2] = 4;
  World top(hung);
  floors::run_until(top, 1);
  const Ledger of_top = ledger(top, hung, 1e-7);
  EXPECT_TRUE(of_top.closed) << of_top.energy_residual_relative << ' ' << of_top.linear_momentum_residual_relative
                             << ' ' << of_top.angular_momentum_residual_relative;
  EXPECT_GT(norm(top.balance(top.state()).momentum.f), 0.1);
}

// λ is the force through the joint it stands for.
TEST(HeldConstraints, MultipliersAreJointForces) {
  Scene tree = double_pendulum(), held = held_pendulum();
  Kinematics<double> k(held.model);
  World world(held);
  const State& s = world.state();
  forward_kinematics<double>(held.model, held.model.params, s.q, s.v, k);
  AbaWorkspace<double> aba_ws(tree.model);
  std::vector<double> zero(2), vdot(2), tau(2);
  aba<double>(tree.model, tree.model.params, tree.start.q, tree.start.v, {zero, {}}, aba_ws, vdot);
  RneaWorkspace<double> ws(tree.model);
  rnea<double>(tree.model, tree.model.params, tree.start.q, tree.start.v, vdot, {}, ws, tau);
  ReducedPlant plant(held.model, held.solver);
  std::vector<double> none(7), free(7);
  const Instant<double> now = plant.place(0, s.q, s.v, {}, nullptr);
  plant.accelerate({none, {}}, free);
  HeldConstraints& constraints = *world.constraints();
  constraints.compute_rows(now, plant);
  constraints.add_to(free);
  const Wrench<double> F = constraints.wrench_on_a(0, k);  // on the first by the second
  const Vec f = k.X_WB[2].R * ws.links[2].F.f, n = k.X_WB[2].R * ws.links[2].F.n;
  EXPECT_NEAR(norm(F.f + f), 0, 1e-10 * norm(f));
  EXPECT_NEAR(norm(F.n + n), 0, 1e-10 * (1 + norm(n)));
  EXPECT_NEAR(free[0], vdot[0], 1e-10);
}

// Two bodies in empty space: what is recorded of a is what acts on a, and together with what acts on b it is no wrench.
TEST(HeldConstraints, TheRecordedWrenchIsTheOneOnA) {
  std::vector<ConstraintKind> kinds{FixedDistance{0.5}, OnSurface{{0.3, 0.4, 0.5}}, Rolling{Rolling::Body::disc, 0.2}};
  for (const Kind kind : {Kind::ball, Kind::hinge, Kind::slider, Kind::weld, Kind::cylindrical, Kind::planar,
                          Kind::on_line, Kind::on_plane})
    kinds.emplace_back(LoopJoint{kind});
  for (std::size_t which = 0; which < kinds.size(); ++which) {
    Scene scene = scene_of({body("first", JointType::free), body("second", JointType::free)}, {});
    const Transform<double> X_a{rotation_about(Vec{1, 0, 0}, 0.4), {0.1, 0.2, -0.1}};
    Constraint c;
    c.name = "tie", c.kind = kinds[which], c.a = {1, X_a};
    const Quaternion<double> turn = quaternion_about(Vec{0, 1, 0}, 0.7);
    scene.start.q = {1, 0, 0, 0, 0.3, 0, 0.1, turn.w, turn.x, turn.y, turn.z, 0.8, 0.1, -0.4};
    scene.start.v = {1, 2, 3, -1, 0.5, 1, 2, -1, 1.5, 0.3, 1, -0.7};
    c.b = {2, {rotation_about(Vec{0, 0, 1}, 0.3), {0.05, 0.1, 0.2}}};
    Kinematics<double> k(scene.model);
    forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
    const Instant<double> now{scene.model, 0, scene.start.q, scene.start.v, k.X_WB, k.V_WB};
    scene.constraints = {taken_as_is(c, now)};
    const ConstraintProjection p = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
    ASSERT_TRUE(p.found) << which;
    scene.start = p.state;
    World world(scene);
    std::vector<double> vdot(12);
    const Forces<double> forces = world.everything_that_acts(vdot);
    forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
    const Vec point = k.X_WB[2] * scene.constraints[0].b.X_LC.p;
    const Wrench<double> on_a = shifted(forces.F_Bo_W[1], k.X_WB[1].p - point),
                         on_b = shifted(forces.F_Bo_W[2], k.X_WB[2].p - point),
                         recorded = world.constraints()->wrench_on_a(0, k);
    const double size = norm(on_a.f) + norm(on_a.n);
    EXPECT_GT(size, 0.1) << which;
    EXPECT_LT(norm(recorded.f - on_a.f) + norm(recorded.n - on_a.n), 1e-12 * size) << which;
    EXPECT_LT(norm(on_b.f + on_a.f) + norm(on_b.n + on_a.n), 1e-12 * size) << which;
  }
}

// ---- drives
TEST(HeldConstraints, ADriveDoesTheWorkThatLiftsAndSpeedsUp) {
  Scene scene = scene_of({body("arm", JointType::hinge)});
  Constraint c;
  c.name = "motor";
  c.kind = Coupler{{{1, 1.0}}, spline_in_time({0, 1}, {0, -1})};
  scene.constraints = {c};
  World world(scene);
  const double before = floors::energy(world);
  floors::run_until(world, 1.2);
  EXPECT_NEAR(world.state().q[0], -1, 1e-10);
  EXPECT_NEAR(world.state().v[0], 0, 1e-10);
  const Ledger l = ledger(world, scene, 1e-9);
  EXPECT_TRUE(l.closed) << l.energy_residual_relative;
  EXPECT_NEAR(work_of(l, "motor"), floors::energy(world) - before, 1e-9);
  EXPECT_GT(work_of(l, "motor"), 1);
}

TEST(HeldConstraints, AMovingPointCarriesABody) {
  Scene scene = scene_of({body("load", JointType::free)});
  Drive drive;
  TimeFunction z = constant_in_time(0), x;
  using Op = Formula::Op;  // 0.2 sin(4 t)
  x.formula.program = {{Op::variable, 6, 0}, {Op::number, 0, 4},   {Op::multiply, 0, 0},
                       {Op::sin, 0, 0},      {Op::number, 0, 0.2}, {Op::multiply, 0, 0}};
  drive.place = {x, z, z};
  Constraint c;
  c.name = "hand";
  c.kind = drive;
  c.b = {1, {}};
  scene.constraints = {c};
  scene.start.v[3] = 0.8;
  World world(scene);
  floors::run_until(world, 1);
  EXPECT_NEAR(world.state().q[4], 0.2 * std::sin(4.0), 1e-11);
  EXPECT_NEAR(world.state().v[3], 0.8 * std::cos(4.0), 1e-10);
  const Ledger l = ledger(world, scene, 1e-7);
  EXPECT_TRUE(l.closed) << l.energy_residual_relative << ' ' << l.linear_momentum_residual_relative;
  EXPECT_GT(std::abs(work_of(l, "hand")), 0.01);
}

// ---- rolling
// A ball on a slope has the acceleration 5/7 g sin α, a disc on its edge 2/3 g sin α.
TEST(HeldConstraints, RollingDownASlope) {
  for (const Rolling::Body what : {Rolling::Body::sphere, Rolling::Body::disc}) {
    const bool sphere = what == Rolling::Body::sphere;
    LinkSpec link = body("body", JointType::free);
    const double m = 2, r = 0.3, J = (sphere ? 0.4 : 0.5) * m * r * r, across = sphere ? J : J / 2;
    link.inertia = inertia_about_origin(m, {}, Sym3<double>{across, J, across, 0, 0, 0});
    const double slope = 0.4;
    Scene scene = scene_of({link}, {9.81 * std::sin(slope), 0, -9.81 * std::cos(slope)});
    scene.start.q[6] = r;
    Constraint c;
    c.name = "roll";
    c.kind = Rolling{what, r};
    c.b = {1, {z_along_y, {}}};
    scene.constraints = {c};
    World world(scene);
    floors::run_until(world, 1);
    const double a = (sphere ? 5.0 / 7 : 2.0 / 3) * 9.81 * std::sin(slope);
    EXPECT_NEAR(world.state().q[4], a / 2, 1e-10);
    EXPECT_NEAR(world.state().v[3], a, 1e-10);
    EXPECT_NEAR(world.state().v[1], a / r, 1e-9);
    EXPECT_NEAR(world.state().q[6], r, 1e-12);
    EXPECT_TRUE(ledger(world, scene, 1e-8).closed);
  }
}

// ---- with floors
// Two bodies welded by a constraint strike the floor as one body does.
TEST(HeldConstraints, AWeldedPairStrikesAFloorAsOneBody) {
  for (const double friction : {0.0, 0.4}) {
    LinkSpec whole = body("whole", JointType::free), half = body("half", JointType::free), other = half;
    half.inertia = inertia_about_origin(1.0, {}, {0.01, 0.02, 0.02, 0, 0, 0});
    other.inertia = inertia_about_origin(0.7, {0.2, 0, 0}, {0.01, 0.02, 0.02, 0, 0, 0});
    whole.inertia = half.inertia;
    whole.inertia += other.inertia;
    other.name = "other";
    Scene one = scene_of({whole}), two = scene_of({half, other});
    const Quaternion<double> turn = quaternion_about(Vec{0, 1, 0}, 0.3);
    for (Scene* scene : {&one, &two}) {
      for (int b = 0; b < (scene == &one ? 1 : 2); ++b) {
        const double q[] = {turn.w, turn.x, turn.y, turn.z, 0, 0, 0.5};
        const double v[] = {0, 1, 0, 1, 0, 0};
        std::copy(q, q + 7, scene->start.q.begin() + 7 * b);
        std::copy(v, v + 6, scene->start.v.begin() + 6 * b);
      }
      for (int end = 0; end < 2; ++end) {
        FloorContact c = floors::point({end == 0 ? -0.3 : 0.4, 0, -0.1}, end == 0 ? "left" : "right");
        c.link = scene == &one ? 1 : 1 + end;
        c.law.restitution = 0.5, c.law.friction = friction;
        c.friction_static = c.friction_kinetic = friction;
        scene->contacts.push_back(c);
      }
    }
    two.constraints = {loop(Kind::weld, 1, 2)};
    World a(one), b(two);
    floors::run_until(a, 0.8), floors::run_until(b, 0.8);
    EXPECT_GT(a.contacts()->impacts(), 1);
    EXPECT_EQ(a.contacts()->impacts(), b.contacts()->impacts());
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(a.state().q[i], b.state().q[i], 1e-7) << i;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.state().v[i], b.state().v[i], 1e-6) << i;
    const Ledger l = ledger(b, two, 1e-6), of_one = ledger(a, one, 1e-6);
    EXPECT_TRUE(l.closed) << l.energy_residual_relative << ' ' << l.linear_momentum_residual_relative << ' '
                          << l.angular_momentum_residual_relative;
    EXPECT_NEAR(work_of(l, "left") + work_of(l, "right"), work_of(of_one, "left") + work_of(of_one, "right"), 1e-6);
  }
}

// ---- drift
TEST(HeldConstraints, ConstraintsDoNotDriftAndSayingTheSameTwiceHurtsNobody) {
  Scene scene = held_pendulum();
  scene.constraints.push_back(scene.constraints[0]);
  scene.constraints[1].name = "again";
  World world(scene);
  double worst = 0;
  while (world.time() < 3) {
    world.step(3);
    Kinematics<double> k(scene.model);
    forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
    world.constraints()->measure({scene.model, world.time(), world.state().q, world.state().v, k.X_WB, k.V_WB});
    worst = std::max({worst, world.constraints()->largest_error(), world.constraints()->largest_rate()});
  }
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(std::abs(world.constraints()->drift_energy()), 1e-6);
  EXPECT_TRUE(ledger(world, scene, 1e-6).closed);
}

// ---- closed forms
// A bead on a rod, on a wire circle, on a sphere and on a smooth curve through points of that circle swings as a pendulum.
TEST(HeldConstraints, BeadsSwingAsAPendulum) {
  LinkSpec bob = body("bob", JointType::hinge);
  bob.inertia = inertia_about_origin(1.0, {0.5, 0, 0}, {1e-9, 1e-9, 1e-9, 0, 0, 0});
  Scene pendulum = scene_of({bob});
  pendulum.start.v = {2};
  World reference(pendulum);
  floors::run_until(reference, 0.7);
  const Vec end = rotation_about(Vec{0, 1, 0}, reference.state().q[0]) * Vec{0.5, 0, 0};
  std::vector<Vec> points;
  for (int i = 0; i < 90; ++i)
    points.push_back({0.5 * std::cos(std::numbers::pi * i / 45), 0, 0.5 * std::sin(std::numbers::pi * i / 45)});
  const std::pair<ConstraintKind, double> kinds[] = {{FixedDistance{0.5}, 1e-7},
                                                     {OnPath{{0.5, 0.5}, {}}, 1e-7},
                                                     {OnSurface{{0.5, 0.5, 0.5}}, 1e-7},
                                                     {OnPath{{}, spline_path(points, true)}, 1e-5}};
  for (const auto& [kind, near] : kinds) {
    LinkSpec bead = body("bead", JointType::point);
    bead.inertia = inertia_about_origin(1.0, {}, {});
    Scene scene = scene_of({bead});
    scene.start.q = {0.5, 0, 0};
    scene.start.v = {0, 0, -1};
    Constraint c;
    c.name = "wire";
    c.kind = kind;
    if (const OnPath* path = kind.get_if<OnPath>(); path != nullptr && !path->spline) c.a.X_LC.R = z_along_y;
    c.b.link = 1;
    scene.constraints = {c};
    World world(scene);
    floors::run_until(world, 0.7);
    EXPECT_NEAR(world.state().q[0], end.x, near) << word_of(c);
    EXPECT_NEAR(world.state().q[1], 0, 1e-12) << word_of(c);
    EXPECT_NEAR(world.state().q[2], end.z, near) << word_of(c);
    EXPECT_TRUE(ledger(world, scene, 1e-6).closed) << word_of(c);
  }
}

// Two wheels in gear, ω₁ = 3 ω₂ backwards: τ on the first gives it the acceleration τ/(J₁ + J₂/9).
TEST(HeldConstraints, GearsShareATorque) {
  LinkSpec first = body("first", JointType::hinge), second = body("second", JointType::hinge);
  first.inertia = inertia_about_origin(1.0, {}, {0.1, 0.2, 0.1, 0, 0, 0});
  second.inertia = inertia_about_origin(3.0, {}, {0.6, 0.9, 0.6, 0, 0, 0});
  Scene scene = scene_of({first, second});
  Push motor;
  motor.link = 1, motor.torque = {0, 0.5, 0};
  scene.elements = {{"motor", motor}};
  Constraint c;
  c.name = "gear";
  c.kind = Coupler{{{1, 1.0}, {2, 3.0}}, constant_in_time(0)};
  scene.constraints = {c};
  World world(scene);
  floors::run_until(world, 1);
  const double a = 0.5 / (0.2 + 0.9 / 9);
  EXPECT_NEAR(world.state().v[0], a, 1e-10);
  EXPECT_NEAR(world.state().v[1], -a / 3, 1e-10);
  EXPECT_TRUE(ledger(world, scene, 1e-9).closed);
}

// ---- standing in line
// A parallelogram whose bars all lie in one line at the start, where its loop says nothing about one motion: it goes on
// as it came, and so does one that stops there at the end of a step.
TEST(HeldConstraints, AParallelogramMayStartInLine) {
  std::vector<LinkSpec> links{body("crank", JointType::hinge), body("rocker", JointType::hinge),
                              body("coupler", JointType::hinge, "crank")};
  for (LinkSpec& link : links)
    link.inertia = inertia_about_origin(1.0, {0.5, 0, 0}, {1e-3, 1.0 / 12, 1.0 / 12, 0, 0, 0});
  links[1].X_PF.p = {1, 0, 0}, links[2].X_PF.p = {1, 0, 0};
  for (const double start : {0.0, 1e-9, 1e-6, -0.01}) {
    Scene scene = scene_of(links, {});
    scene.start.q = {start, start, -start};
    scene.start.v = {10, 10, -10};
    scene.constraints = {loop(Kind::hinge, 2, 3, {z_along_y, {1, 0, 0}}, {z_along_y, {1, 0, 0}})};
    World world(scene);
    const double before = floors::energy(world);
    floors::run_until(world, 2);
    EXPECT_NEAR(floors::energy(world), before, 1e-8 * before) << start;
    EXPECT_NEAR(world.state().q[0], start + 20, 1e-6) << start;  // no force, and the couplers keep parallel
    EXPECT_NEAR(world.state().q[1], start + 20, 1e-6) << start;
    const Ledger l = ledger(world, scene, 1e-6);
    EXPECT_TRUE(l.closed) << start << ": " << l.energy_residual_relative << ' ' << l.linear_momentum_residual_relative
                          << ' ' << l.angular_momentum_residual_relative;
  }
}

}  // namespace held_constraints_test
