// Joints that follow scripts, by the recursion that holds their freedoms (marey/constraint/constraint_rows.h), against the same as rows,
// which is what everything else in the world knows, and against rnea of the motion that comes out.
//
// What the two ways may differ by is rounding, enlarged by the condition of M. Accelerations, forces and multipliers are
// compared with the largest of their kind.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "marey/io/scene.h"
#include "support/floors.h"
#include "support/random_figure.h"
#include "support/sizes.h"

namespace {

using namespace marey;
using figures::Random;
using Numbers = std::vector<double>;

// a sin(w t)
TimeFunction swinging(double a, double w) {
  using Op = Formula::Op;
  TimeFunction f;
  f.formula.program = {{Op::number, 0, a},   {Op::number, 0, w}, {Op::variable, 6, 0},
                       {Op::multiply, 0, 0}, {Op::sin, 0, 0},    {Op::multiply, 0, 0}};
  return f;
}

// From one on, whatever the world has found out about its rows.
void hold_anew(World& world) {
  world.constraints()->hold_freedoms_from(1);
  world.constraints()->freedoms_changed();
}

// One freedom of a joint follows a script of any level, from where it is and as fast as it starts.
void add_script(Random& random, int link, int freedom, Scene& scene) {
  const LinkTopology& joint = scene.model.links[static_cast<std::size_t>(link)];
  const bool has_coordinate = !has_attitude(joint.joint) || freedom >= 3;
  const double a = random.between(0.1, 1), w = random.between(1, 5);
  Coupler coupler;
  coupler.level = static_cast<Coupler::Level>(has_coordinate ? random.below(3) : 1 + random.below(2));
  const double factor = random.chance(0.5) ? 1 : random.between(-2, -0.5);
  coupler.terms = {{link, factor, freedom, {}}};
  coupler.sum = swinging(a, w);
  const std::size_t v = static_cast<std::size_t>(joint.v + freedom);
  if (coupler.level == Coupler::Level::velocity) scene.start.v[v] = 0;
  if (coupler.level == Coupler::Level::coordinate) {
    coupler.offset =
        factor *
        scene.start.q[static_cast<std::size_t>(joint.q + freedom + coordinate_count(joint) - freedom_count(joint))];
    scene.start.v[v] = a * w / factor;
  }
  Constraint c;
  c.name = "script " + std::to_string(scene.constraints.size());
  c.kind = coupler;
  scene.constraints.push_back(c);
}

void add_rod(Random& random, Scene& scene) {
  Constraint c;
  c.name = "rod " + std::to_string(scene.constraints.size());
  c.b.link = 1 + random.below(scene.model.nlink() - 1);
  c.a.X_LC.p = random.normal3(2), c.b.X_LC.p = random.normal3(0.3);
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  c.kind = FixedDistance{norm(k.X_WB[static_cast<std::size_t>(c.b.link)] * c.b.X_LC.p - c.a.X_LC.p)};
  scene.constraints.push_back(c);
}

// Null: a rod is where scripts leave it no freedom.
std::optional<Scene> scripted(int seed, double share, int rods) {
  Random random(static_cast<std::uint64_t>(seed));
  figures::Options options;
  options.links = 3 + random.below(12), options.mass_ratio = 10, options.joints = figures::Joints::every;
  options.tree = seed % 2 == 0 ? figures::Tree::chain : figures::Tree::random;
  const figures::Figure f = figures::random_figure(static_cast<std::uint64_t>(seed), options);
  Scene scene;
  scene.model = f.model, scene.start = f.state;
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  for (int i = 1; i < f.model.nlink(); ++i)
    for (int k = 0; k < freedom_count(f.model.links[static_cast<std::size_t>(i)]); ++k)
      if (random.chance(share)) add_script(random, i, k, scene);
  for (int k = 0; k < rods; ++k) add_rod(random, scene);
  const ConstraintProjection start = project_on_constraints(scene.model, scene.constraints, scene.solver, scene.start);
  scene.start = start.state;
  try {
    World world(scene);
  } catch (const Error&) {
    return {};
  }
  return scene;
}

struct Answer {
  Numbers vdot, lambda, left;  // left: of rnea's joint forces, when the drives' wrenches are among those that act
  int in_matrix = 0;
  std::size_t rows = 0;
};
Answer answer(World& world, const Scene& scene) {
  Answer out;
  out.vdot.resize(scene.start.v.size());
  const Forces<double> all = world.everything_that_acts(out.vdot);
  RneaWorkspace<double> ws(scene.model);
  out.left.resize(out.vdot.size());
  rnea<double>(scene.model, scene.model.params, world.state().q, world.state().v, out.vdot, all.F_Bo_W, ws, out.left);
  for (std::size_t k = 0; k < out.left.size(); ++k) out.left[k] -= all.tau[k];
  for (std::size_t i = 0; i < scene.constraints.size(); ++i) out.lambda.push_back(world.constraints()->multiplier(i));
  out.in_matrix = world.constraints()->rows().matrix_size();
  out.rows = world.constraints()->row_count_now();
  return out;
}

TEST(Scripts, AccelerationsAndForcesAreThoseOfRowsAndOfInverseDynamics) {
  double of_vdot = 0, of_lambda = 0, of_rnea = 0;
  int by_recursion = 0, with_others = 0, tried = 0;
  for (int seed = 0; seed < 90; ++seed) {
    const std::optional<Scene> made = scripted(seed, 0.15 + 0.3 * (seed % 3), seed % 5 == 0 ? 2 : seed % 2);
    if (!made || made->constraints.empty()) continue;
    const Scene& scene = *made;
    World world(scene), as_rows(scene);
    world.constraints()->hold_freedoms_from(1), as_rows.constraints()->hold_freedoms_from(ConstraintRows::never);
    const Answer a = answer(world, scene), b = answer(as_rows, scene);
    ASSERT_EQ(b.in_matrix, static_cast<int>(b.rows));
    of_vdot = std::max(of_vdot, largest_difference(a.vdot, b.vdot) / (1 + largest(b.vdot)));
    of_lambda = std::max(of_lambda, largest_difference(a.lambda, b.lambda) / (1 + largest(b.lambda)));
    of_rnea = std::max(of_rnea, largest(a.left) / (1 + largest(a.lambda)));
    ++tried;
    if (a.in_matrix == static_cast<int>(a.rows)) continue;
    ++by_recursion;
    if (a.in_matrix > 0) ++with_others;
  }
  std::printf("%d of %d by recursion, %d of them with rods; v: %.1e, forces: %.1e, rnea: %.1e\n", by_recursion, tried,
              with_others, of_vdot, of_lambda, of_rnea);
  EXPECT_GT(tried, 60);
  EXPECT_GT(by_recursion, tried / 2);
  EXPECT_GT(with_others, 10);
  EXPECT_LE(of_vdot, 1e-11);
  EXPECT_LE(of_lambda, 1e-11);
  EXPECT_LE(of_rnea, 1e-11);
}

// To the last digit: v̇ is the script's second derivative.
TEST(Scripts, AreFollowedAndNoMatrixIsMadeForThem) {
  Random random(3);
  Scene scene;
  ModelSpec spec;
  for (int i = 0; i < 200; ++i) {
    LinkSpec link;
    link.name = std::to_string(i), link.parent = i == 0 ? "world" : std::to_string(i - 1);
    link.joint = i % 3 == 0 ? JointType::slider : JointType::hinge;
    link.axis = {0.6, 0, 0.8}, link.X_PF.p = {0, 0, i == 0 ? 0.0 : -0.1};
    link.inertia = inertia_about_origin(0.1, {0, 0, -0.05}, {1e-3, 1e-3, 1e-4, 0, 0, 0});
    spec.links.push_back(link);
  }
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  for (int i = 1; i <= 200; ++i) add_script(random, i, 0, scene);
  World world(scene);
  for (int k = 0; k < 3; ++k) world.step();
  const Answer a = answer(world, scene);
  EXPECT_EQ(a.in_matrix, 0);
  EXPECT_EQ(a.rows, 200u);
  EXPECT_LE(largest(a.left), 1e-10 * largest(a.lambda));
  for (std::size_t i = 0; i < 200; ++i) {
    const Coupler& coupler = *scene.constraints[i].kind.get_if<Coupler>();
    const TimeFunction::AtTime sum = coupler.sum.at(world.time());
    const double wanted = coupler.level == Coupler::Level::coordinate ? sum.acceleration
                          : coupler.level == Coupler::Level::velocity ? sum.rate
                                                                      : sum.value;
    EXPECT_NEAR(a.vdot[i] * coupler.terms[0].factor, wanted, 1e-12);
  }
}

// A scene may have more of them than of constraints that are solved together.
TEST(Scripts, SceneOfManyIsReadAndRun) {
  std::string text = R"(marey: 1
duration: 1 s
solver: {integrator: rk4, step: 1 ms}
figures:
  c:
    chain:
      links: 320
      spacing: [0, 0, -10 cm]
      link: {joint: {type: hinge, axis: y}, mass: 0.1 kg, shape: {capsule: {radius: 1 cm, length: 8 cm, along: -z}}}
drives:
)";
  for (int i = 1; i <= 320; ++i) text += "  - {joint: c." + std::to_string(i) + ", angle: '0.02*(1 - cos(3*t))'}\n";
  const Scene scene = parse_scene(text, "many.yaml");
  World world(scene);
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_EQ(world.constraints()->rows().matrix_size(), 0);
  for (const double q : world.state().q) EXPECT_NEAR(q, 0.02 * (1 - std::cos(0.015)), 1e-12);
}

// What is driven twice, and a script where a loop leaves no freedom, are rows as ever: forces of least norm.
TEST(Scripts, WhatIsSaidTwiceStaysRows) {
  Scene twice = scripted(11, 0.5, 0).value();
  twice.constraints.push_back(twice.constraints.front());
  twice.constraints.back().name = "again";
  World world(twice);
  hold_anew(world);
  const Answer a = answer(world, twice);
  EXPECT_EQ(a.in_matrix, static_cast<int>(a.rows));
  EXPECT_NEAR(a.lambda.front(), a.lambda.back(), 1e-9 * (1 + largest(a.lambda)));
  EXPECT_LE(largest(a.left), 1e-9 * (1 + largest(a.lambda)));
}

// Two arms side by side with a rod across their ends: one script moves all, and the rod is a row of its own. A second script
// says what the rod says already, and nothing is held.
TEST(Scripts, WithinALoopThatLeavesNoFreedomTheyStayRows) {
  ModelSpec spec;
  for (const char* name : {"left", "right"}) {
    LinkSpec link;
    link.name = name, link.joint = JointType::hinge, link.axis = {0, 1, 0};
    link.X_PF.p = {name[0] == 'l' ? 0.0 : 0.7, 0, 0};
    link.inertia = inertia_about_origin(1.5, {0, 0, -0.2}, {0.02, 0.02, 0.001, 0, 0, 0});
    spec.links.push_back(link);
  }
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  Constraint script, rod;
  rod.name = "rod", rod.kind = FixedDistance{0.7};
  rod.a = {1, {Mat3<double>::identity(), {0, 0, -0.5}}}, rod.b = {2, {Mat3<double>::identity(), {0, 0, -0.5}}};
  script.name = "script", script.kind = Coupler{{{1, 1.0}}, swinging(0.4, 3)};
  scene.constraints = {rod, script};
  scene.start.v = {1.2, 1.2};
  World one(scene);
  hold_anew(one);
  floors::run_until(one, 0.3);
  EXPECT_EQ(answer(one, scene).in_matrix, 1);
  EXPECT_NEAR(one.state().q[1], 0.4 * std::sin(0.9), 1e-9);
  script.name = "again", script.kind = Coupler{{{2, 1.0}}, swinging(0.4, 3)};
  scene.constraints.push_back(script);
  World two(scene);
  hold_anew(two);
  floors::run_until(two, 0.3);
  const Answer a = answer(two, scene);
  EXPECT_EQ(a.in_matrix, 3);
  EXPECT_NEAR(two.state().q[1], 0.4 * std::sin(0.9), 1e-9);
  EXPECT_LE(largest(a.left), 1e-9);
}

// A locked arm, and a free one on it in line with the rod that holds its end: the free one cannot give way, but for rounding.
TEST(Scripts, WhereALoopStandsInLineTheyStayRows) {
  ModelSpec spec;
  for (const char* name : {"upper", "lower"}) {
    LinkSpec link;
    link.name = name, link.joint = JointType::hinge, link.axis = {0, 1, 0};
    if (name[0] == 'l') link.parent = "upper", link.X_PF.p = {0, 0, -0.5};
    link.inertia = inertia_about_origin(1.5, {0, 0, -0.2}, {0.02, 0.02, 0.001, 0, 0, 0});
    spec.links.push_back(link);
  }
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q = {0.3, 0.55};
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  Constraint lock, rod;
  rod.name = "rod", rod.kind = FixedDistance{0.7};
  rod.a.X_LC.p = k.X_WB[2] * Vec3<double>{0, 0, -1.13}, rod.b = {2, {Mat3<double>::identity(), {0, 0, -0.43}}};
  lock.name = "lock", lock.kind = Coupler{{{1, 1.0}}, constant_in_time(0.3)};
  scene.constraints = {rod, lock};
  World world(scene);
  hold_anew(world);
  const Answer a = answer(world, scene);
  EXPECT_EQ(a.in_matrix, 2);
  EXPECT_LE(largest(a.lambda), 100);
}

// ---- whole motions
// In flight and onto a floor: a ball's freedoms, a slider and hinges follow scripts that begin and end; a rod closes a loop.
std::string hopper(const std::string& solver) {
  return R"(marey: 1
duration: 1 s
solver: )" +
         solver + R"(
start: projected
figures:
  f:
    links:
      trunk: {joint: free, mass: 10 kg, shape: {box: [20 cm, 30 cm, 50 cm]},
              start: {position: [0, 0, 1 m], spin: [0.5 rad/s, 1 rad/s, -0.7 rad/s], velocity: [0.3 m/s, 0.2 m/s, 0.4 m/s]}}
      upper: {parent: trunk, at: [0, 20 cm, 20 cm], joint: {type: hinge, axis: y}, mass: 2 kg,
              shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}, start: {angle: 0.3 rad}}
      lower: {parent: upper, at: [0, 0, -30 cm], joint: {type: hinge, axis: [1, 1, 0]}, mass: 1.5 kg,
              shape: {capsule: {radius: 3 cm, length: 25 cm, along: -z}}, start: {angle: -30 deg}}
      leg: {parent: trunk, at: [0, 0, -25 cm], joint: {type: slider, axis: z}, mass: 3 kg,
            shape: {capsule: {radius: 4 cm, length: 40 cm, along: -z}}}
      foot: {parent: leg, at: [0, 0, -40 cm], joint: {type: universal, axes: [y, x]}, mass: 1 kg,
             shape: {box: {size: [20 cm, 9 cm, 6 cm], center: [3 cm, 0, -3 cm]}}}
      head: {parent: trunk, at: [0, 0, 25 cm], joint: ball, mass: 4 kg, shape: {sphere: {radius: 10 cm, center: [0, 0, 12 cm]}}}
      tail: {parent: trunk, at: [-10 cm, 0, -20 cm], joint: ball, mass: 1 kg, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -x}}}
      end: {parent: tail, at: [-30 cm, 0, 0], joint: ball, mass: 1 kg, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -x}}}
constraints:
  - rod: {name: string, a: f.end, b: f.trunk, at: [-30 cm, 0, 0], at_b: [-10 cm, 0, 40 cm]}
contacts:
  - {name: floor, link: f.foot, at: corners, restitution: 0.2, friction: 0.6}
drives:
  - {name: swing, joint: f.upper, angle: '0.3 + 0.5*(1 - cos(6*t))'}
  - {name: bend, joint: f.lower, angle: '0.5*sin(4*t)', blend: 100 ms, from: 0.1 s, until: 0.4 s}
  - {name: kick, joint: f.leg, slide: '0.1*(1 - cos(9*t))'}
  - {name: stiff, joint: f.foot, coordinate: first, locked: true, from: 0.15 s}
  - {name: nod, joint: f.head, freedom: y, velocity: '2*sin(5*t)'}
  - {name: shake, joint: f.head, freedom: z, acceleration: '3*cos(5*t)', from: 50 ms, until: 0.3 s}
)";
}

struct Motion {
  Numbers state, integrals;
  Ledger ledger;
  int least_in_matrix = 1000;
};
Motion motion(const Scene& scene, bool as_rows, double until) {
  World world(scene);
  world.constraints()->hold_freedoms_from(as_rows ? ConstraintRows::never : 1);
  Motion out;
  while (world.time() < until) {
    world.step(until);
    out.least_in_matrix = std::min(out.least_in_matrix, world.constraints()->rows().matrix_size());
  }
  out.state = world.state().q;
  out.state.insert(out.state.end(), world.state().v.begin(), world.state().v.end());
  out.integrals.assign(world.integrals().begin(), world.integrals().end());
  out.ledger = floors::ledger(world, scene, 1);
  EXPECT_GT(world.contacts()->impacts(), 0);
  return out;
}

// Onto the floor and off it again, by every method; the books as well: work of drives, impulses of what begins, what the floor
// gives. Methods that choose their steps choose others for other roundings, and are as near as they are right.
TEST(Scripts, MotionsAndBooksAreThoseOfRows) {
  const struct {
    const char* solver;
    double near;
  } cases[] = {
      {"{integrator: rk4, step: 1 ms}", 1e-8},
      {"{integrator: rk4, step: 1 ms, dynamics: crba}", 1e-8},
      {"{integrator: euler, step: 0.2 ms}", 1e-8},
      {"{integrator: euler_second, step: 0.2 ms}", 1e-8},
      {"{integrator: semi_implicit, step: 0.5 ms}", 1e-8},
      {"{integrator: rk45, tolerance: 1e-10}", 1e-6},
      {"{integrator: adams, tolerance: 1e-10}", 1e-6},
      {"{integrator: bdf, tolerance: 1e-9}", 1e-4},
  };
  for (const auto& c : cases) {
    const Scene scene = parse_scene(hopper(c.solver), "hopper.yaml");
    const Motion held = motion(scene, false, 0.45), rows = motion(scene, true, 0.45);
    const double off = largest_difference(held.state, rows.state),
                 booked = largest_difference(held.integrals, rows.integrals);
    std::printf("%-50s state %.1e, books %.1e, in the matrix %d and %d\n", c.solver, off, booked, held.least_in_matrix,
                rows.least_in_matrix);
    EXPECT_LE(off, c.near) << c.solver;
    EXPECT_LE(booked, 10 * c.near) << c.solver;
    EXPECT_EQ(held.least_in_matrix, 1) << c.solver;  // the rod
    EXPECT_GE(rows.least_in_matrix, 4) << c.solver;
    EXPECT_NEAR(held.ledger.energy_residual, rows.ledger.energy_residual, 10 * c.near) << c.solver;
  }
}

// The variational method holds constraints at the ends of its steps, while there is no floor.
TEST(Scripts, VariationalStepsAreThoseOfRows) {
  std::string text = hopper("{integrator: midpoint, step: 1 ms}");
  const auto leave_out = [&](const std::string& from, const std::string& until) {
    const std::size_t at = text.find(from);
    text.erase(at, text.find(until, at) - at);
  };
  leave_out("contacts:", "drives:");
  leave_out("  - {name: shake", "\n");
  const Scene scene = parse_scene(text, "hopper.yaml");
  World held(scene), rows(scene);
  held.constraints()->hold_freedoms_from(1), rows.constraints()->hold_freedoms_from(ConstraintRows::never);
  floors::run_until(held, 0.45), floors::run_until(rows, 0.45);
  EXPECT_EQ(held.constraints()->rows().matrix_size(), 1);
  EXPECT_LE(largest_difference(held.state().q, rows.state().q), 1e-9);
  EXPECT_LE(largest_difference(held.state().v, rows.state().v), 1e-8);
  EXPECT_LE(largest_difference(held.integrals(), rows.integrals()), 1e-7);
}

// From a checkpoint a run goes on bit for bit.
TEST(Scripts, GoOnFromACheckpointBitForBit) {
  const Scene scene = parse_scene(hopper("{integrator: rk4, step: 1 ms}"), "hopper.yaml");
  World one(scene), other(scene);
  one.constraints()->hold_freedoms_from(1), other.constraints()->hold_freedoms_from(1);
  floors::run_until(one, 0.2);
  other.restore(one.save());
  floors::run_until(one, 0.4), floors::run_until(other, 0.4);
  EXPECT_EQ(one.state().q, other.state().q);
  EXPECT_EQ(one.state().v, other.state().v);
}

}  // namespace
