// Baumgarte's rule: what is off its joints fades as its equation says.
//
//   ë + 2 β ė + β² e = 0,   e(t) = (e₀ + (ė₀ + β e₀) t) e^(−β t),   ė(t) = (ė₀ − β (ė₀ + β e₀) t) e^(−β t)         (1)
// for each error of each joint, whatever else moves. A figure at rest and without weight is put off its joints by `small`,
// in place and in velocity: second-order terms (joints that turn meanwhile, turns that are not vectors) are `small` times
// smaller, with factors of a few from levers and β.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/plant/maximal_plant.h"
#include "sim/world.h"
#include "support/random_figure.h"

namespace {

using namespace marey;

constexpr double small = 1e-6, beta = 8;

struct Errors {
  std::vector<Twist<double>> e, rate;
};
Errors errors_of(const Model& figure, std::span<const double> q, std::span<const double> v, State guess) {
  Kinematics<double> k(figure);
  maximal_kinematics(q, v, k);
  Errors out{std::vector<Twist<double>>(figure.links.size()), std::vector<Twist<double>>(figure.links.size())};
  joint_errors(figure, figure.params, k, guess.q, guess.v, out.e, out.rate);
  return out;
}

// Runs rk4 on what MaximalPlant answers; `starts` says what is off: places, velocities or both.
void expect_to_fade(const Scene& scene, unsigned seed, double off_place, double off_velocity) {
  const Model& figure = scene.model;
  MaximalPlant plant(scene.model, scene.start, scene.solver);
  State s = to_maximal(figure, scene.start);
  figures::Random random(seed);
  for (int i = 1; i < figure.nlink(); ++i) {
    double* q = s.q.data() + 7 * (i - 1);
    const Vec3<double> turn = random.normal3(off_place);
    const Quaternion<double> turned = normalized(Quaternion<double>{1, turn.x / 2, turn.y / 2, turn.z / 2} *
                                                 Quaternion<double>{q[0], q[1], q[2], q[3]});
    q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
    for (int k = 0; k < 3; ++k) q[4 + k] += off_place * random.normal();
    for (int k = 0; k < 6; ++k) s.v[static_cast<std::size_t>(6 * (i - 1) + k)] += off_velocity * random.normal();
  }
  const Errors before = errors_of(figure, s.q, s.v, scene.start);
  const std::vector<double> tau(static_cast<std::size_t>(figure.nv));
  const std::vector<Wrench<double>> F(figure.links.size());
  Stepper<double> stepper(plant.coordinates(), Integrator::rk4, 0);
  const auto rhs = [&](double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                       std::span<double>) {
    plant.place(t, q, v, {}, nullptr);
    plant.accelerate({tau, F}, vdot);
  };
  constexpr double h = 1e-3;
  double size = 0;  // of the errors at the start
  for (int i = 1; i < figure.nlink(); ++i)
    for (const Twist<double>& e : {before.e[static_cast<std::size_t>(i)], before.rate[static_cast<std::size_t>(i)]})
      size = std::max({size, norm(e.w), norm(e.v)});
  ASSERT_GT(size, 0.1 * small);
  for (int step = 1; step <= 300; ++step) {
    stepper.step(step * h, h, s.q, s.v, {}, rhs);
    if (step % 100 != 0) continue;
    const double t = step * h, fade = std::exp(-beta * t);
    const Errors now = errors_of(figure, s.q, s.v, scene.start);
    for (std::size_t i = 1; i < figure.links.size(); ++i) {
      const auto check = [&](const Vec3<double>& e_0, const Vec3<double>& rate_0, const Vec3<double>& e,
                             const Vec3<double>& rate, const char* what) {
        const Vec3<double> grow = rate_0 + beta * e_0;
        EXPECT_LT(norm(e - fade * (e_0 + t * grow)), 1e-3 * size)
            << what << " of a " << name_of(figure.links[i].joint) << " after " << t;
        EXPECT_LT(norm(rate - fade * (rate_0 - beta * t * grow)), 1e-3 * beta * size)
            << "rate of the " << what << " of a " << name_of(figure.links[i].joint) << " after " << t;
      };
      check(before.e[i].w, before.rate[i].w, now.e[i].w, now.rate[i].w, "turn");
      check(before.e[i].v, before.rate[i].v, now.e[i].v, now.rate[i].v, "shift");
    }
  }
}

Scene at_rest(const ModelSpec& spec, unsigned seed) {
  Scene scene;
  scene.model = freeze(spec);
  scene.start = figures::with_random_state(spec, seed).state;
  std::fill(scene.start.v.begin(), scene.start.v.end(), 0.0);
  scene.solver.dynamics = Dynamics::multipliers;
  scene.solver.integrator = Integrator::rk4;
  scene.solver.stabilisation = Stabilisation::baumgarte;
  scene.solver.stabilisation_time = 1 / beta;
  return scene;
}

TEST(Baumgarte, JointsOfEveryKindComeBackAsTheEquationSays) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    figures::Options options;
    options.links = 5, options.joints = figures::Joints::every, options.gravity = false, options.mass_ratio = 3;
    options.tree = seed % 2 == 0 ? figures::Tree::chain : figures::Tree::random;
    ModelSpec spec = figures::random_spec(seed, options);
    for (LinkSpec& link : spec.links)  // without particles: their moments of inertia make a turn count for nothing
      link.inertia = figures::body(1, {0.05, 0.1, -0.05}, {0.02, 0.03, 0.04}, Mat3<double>::identity());
    SCOPED_TRACE(seed);
    const Scene scene = at_rest(spec, seed);
    expect_to_fade(scene, seed, small, 0);
    expect_to_fade(scene, seed + 100, 0, small);
    expect_to_fade(scene, seed + 200, small, beta * small);
  }
}

// Of constraints beside the joints the same: a body in space whose point is to stay on a plane, off it by g₀ and leaving it
// with ġ₀. Its point moves along the normal alone, so that (1) is exact but for rk4's error, (β h)⁴/120 of it per β t.
TEST(Baumgarte, ConstraintsComeBackAsTheEquationSays) {
  Scene scene;
  scene.duration = 0.3;
  ModelSpec spec;
  spec.gravity = {};
  LinkSpec body;
  body.name = "body", body.joint = JointType::free;
  body.inertia = figures::body(2, {0, 0, 0}, {0.1, 0.2, 0.3}, Mat3<double>::identity());
  spec.links = {body};
  scene.model = freeze(spec);
  for (const auto& [g_0, rate_0] : {std::pair{8e-7, 0.0}, {0.0, 2e-6}, {-5e-7, 3e-6}, {6e-7, -9e-6}}) {
    scene.start = neutral_state(scene.model);
    scene.start.q[6] = g_0, scene.start.v[5] = rate_0;
    scene.start.v[3] = 0.4;  // along the plane it goes as it likes
    Constraint plane;
    plane.name = "plane", plane.kind = LoopJoint{LoopJoint::Kind::on_plane};
    plane.b.link = 1;
    scene.constraints = {plane};
    scene.solver = {.dynamics = Dynamics::multipliers, .integrator = Integrator::rk4, .step = 1e-3};
    scene.solver.stabilisation = Stabilisation::baumgarte;
    scene.solver.stabilisation_time = 1 / beta;
    World world(scene);
    for (int step = 1; step <= 300; ++step) {
      world.step();
      if (step % 100 != 0) continue;
      const double t = world.time(), fade = std::exp(-beta * t), grow = rate_0 + beta * g_0;
      EXPECT_NEAR(world.state().q[6], fade * (g_0 + grow * t), 1e-9 * small) << g_0 << ' ' << rate_0 << ' ' << t;
      EXPECT_NEAR(world.state().v[5], fade * (rate_0 - beta * grow * t), 1e-9 * beta * small) << g_0 << ' ' << rate_0;
      EXPECT_NEAR(world.state().q[4], 0.4 * t, 1e-14);
    }
  }
}

}  // namespace
