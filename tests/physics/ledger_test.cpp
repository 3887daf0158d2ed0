// The books: what energy and momentum lack at the end of a run is the integrator's own error, and falls with its order.
//
// Residuals (see src/sim/ledger.h) of one and the same motion of duration T, with steps h and h/2: the observed order is
// log₂ r(h)/r(h/2), at least p − 0.3 where the residual is above round-off (1e-12 of the scale the ledger divides by).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "marey/simulation.h"
#include "support/figures.h"

namespace ledger_test {

using marey::Dynamics, marey::Integrator, marey::JointType, marey::Scene;

constexpr Integrator methods[] = {Integrator::euler, Integrator::semi_implicit, Integrator::rk4};

marey::TimeTable constant(double x) { return {{0}, {x}}; }

marey::Scene scene_of(const marey::ModelSpec& spec, std::uint64_t seed, double speed) {
  figures::Figure f = figures::with_random_state(spec, seed);
  Scene scene;
  scene.model = f.model, scene.start = f.state;
  for (double& v : scene.start.v) v *= speed;
  return scene;
}

// ----------------------------------------------------------------------------------------------------- the scenes
Scene pendulum() {  // hinge and ball under a fixed point: the world pushes back
  marey::ModelSpec spec = figures::chain(3);
  spec.links[0].joint = JointType::hinge;
  spec.links[0].axis = {0, 1, 0};
  Scene scene = scene_of(spec, 4, 0.5);
  scene.elements = {
      {"friction", marey::JointFriction{1, 0.4}}};  // on the root: booked as the element's, not the world's
  return scene;
}
Scene tumbling_human() { return scene_of(figures::human39(), 5, 0.5); }
// Springs beyond their free play (so that no kink is crossed, nor the Euler angle's pole), one of them moved in time;
// friction; support; pushes.
Scene busy_human() {
  Scene scene = scene_of(figures::human39(), 6, 0.5);
  scene.start = marey::neutral_state(scene.model);
  figures::Random random(7);
  for (double& v : scene.start.v) v = random.normal();
  const auto link = [&](const char* name) { return scene.model.find(name); };
  using marey::NamedAngle;
  const NamedAngle bend{NamedAngle::Kind::euler_y, {}};
  scene.elements = {
      {"knee", marey::FreePlay{link("left shank"), bend, constant(1.2), constant(1.4), constant(2), constant(2)}},
      {"moved knee",
       marey::FreePlay{link("right shank"), bend, {{0, 10}, {1.2, 1}}, constant(1.4), constant(2), constant(2)}},
      {"elbow friction", marey::JointFriction{link("left forearm"), 0.3}},
      {"hip friction", marey::JointFriction{link("right thigh"), 0.8}},
      {"held", marey::SupportSpring{link("pelvis"), {0, 0.05, 0.1}, {0.2, 0, 0.4}, 900, 30, {}}},
      {"damped", marey::SupportDamper{link("pelvis"), {0, 0, 0.1}, 40, 3}},
      {"rocket", marey::Push{link("head"), {0, 0.1, 0.2}, {20, -5, 3}, {0.5, 1, 0}, true, {}}},
      {"wind", marey::Push{link("thorax"), {0, 0, 0.2}, {8, 4, 0}, {0, 0, 2}, false, {}}}};
  return scene;
}
// All joint types, several roots, friction on each.
// All joints, hanging on the world by one that turns, so that the world pushes back, and away from the origin.
Scene mixed_tree() {
  Scene scene;
  const auto hangs = [](const Scene& s) {
    const JointType root = s.model.nlink() > 1 ? s.model.links[1].joint : JointType::free;
    return (root == JointType::hinge || root == JointType::ball) && norm(s.model.params.links[1].l) > 0.1;
  };
  for (unsigned seed = 21; !hangs(scene); ++seed)
    scene = scene_of(figures::random_spec(seed, {9, figures::Tree::random, figures::Joints::any, 10}), 8, 0.3);
  for (int i = 1; i < scene.model.nlink(); ++i)
    if (scene.model.links[i].joint != JointType::free && scene.model.links[i].joint != JointType::weld)
      scene.elements.push_back({"friction " + scene.model.names[i], marey::JointFriction{i, 0.05}});
  scene.elements.push_back(
      {"push", marey::Push{scene.model.nlink() - 1, {0.1, 0, 0}, {1, 2, 3}, {0, 0, 0.1}, true, {}}});
  return scene;
}

// --------------------------------------------------------------------------------------------------------- running
marey::Ledger run(Scene scene, Dynamics dynamics, Integrator method, double step, int steps) {
  scene.solver = {dynamics, method, step, 1, false};
  marey::Simulation world(scene);
  for (int i = 0; i < steps; ++i) world.step();
  return world.ledger();
}

void expect_order(const char* scene, const char* what, Integrator method, double coarse, double fine) {
  const double p = std::log2(coarse / fine);
  std::printf("%-16s %-14s %-17s residual %.2e, order %.2f\n", scene, name_of(method), what, fine, p);
  if (fine > 1e-12) {
    EXPECT_GE(p, marey::order_of(method) - 0.3) << scene << ' ' << what << ' ' << name_of(method);
  }
}

void residuals_fall_with_the_order(const char* name, const Scene& scene, double duration) {
  for (Integrator method : methods) {
    const int steps = method == Integrator::rk4 ? 200 : 2000;
    const marey::Ledger coarse = run(scene, Dynamics::aba, method, duration / steps, steps);
    const marey::Ledger fine = run(scene, Dynamics::aba, method, duration / steps / 2, 2 * steps);
    expect_order(name, "energy", method, coarse.energy_residual_relative, fine.energy_residual_relative);
    expect_order(name, "linear momentum", method, coarse.linear_momentum_residual_relative,
                 fine.linear_momentum_residual_relative);
    expect_order(name, "angular momentum", method, coarse.angular_momentum_residual_relative,
                 fine.angular_momentum_residual_relative);
    if (method == Integrator::rk4) {
      EXPECT_TRUE(fine.closed) << name;
    }
  }
}
TEST(Ledger, PendulumWithWorldReactions) { residuals_fall_with_the_order("pendulum", pendulum(), 0.5); }
TEST(Ledger, TumblingHuman) { residuals_fall_with_the_order("tumbling human", tumbling_human(), 0.4); }
TEST(Ledger, HumanWithEveryElement) { residuals_fall_with_the_order("busy human", busy_human(), 0.3); }
TEST(Ledger, TreeOfAllJoints) { residuals_fall_with_the_order("mixed tree", mixed_tree(), 0.2); }

TEST(Ledger, IsTheSameForEverySolver) {
  const Scene scene = busy_human();
  const marey::Ledger one = run(scene, Dynamics::aba, Integrator::rk4, 1e-3, 100);
  for (Dynamics other : {Dynamics::armstrong, Dynamics::crba, Dynamics::dense}) {
    const marey::Ledger two = run(scene, other, Integrator::rk4, 1e-3, 100);
    EXPECT_NEAR(two.energy_end, one.energy_end, 1e-9 * one.energy_largest) << name_of(other);
    for (std::size_t e = 0; e < one.work_in.size(); ++e)
      EXPECT_NEAR(two.work_in[e].second, one.work_in[e].second, 1e-9 * one.energy_largest) << one.work_in[e].first;
  }
}

TEST(Ledger, ClosesForAFreeHumanOverAHundredThousandSteps) {
  const marey::Ledger ledger = run(tumbling_human(), Dynamics::armstrong, Integrator::rk4, 1e-3, 100000);
  std::printf("100,000 steps: energy %.2e, linear momentum %.2e, angular momentum %.2e\n",
              ledger.energy_residual_relative, ledger.linear_momentum_residual_relative,
              ledger.angular_momentum_residual_relative);
  EXPECT_TRUE(ledger.closed);
}

// Spikes, friction and torque functions with their kinks, at a step of a millisecond.
TEST(Ledger, ClosesThroughSpikesAndFreePlay) {
  Scene scene = busy_human();
  for (int i = 2; i < scene.model.nlink(); ++i) {
    const std::string name = scene.model.names[i];
    const marey::Vec3<double> z{0, 0, 1};
    scene.elements.push_back(
        {"twist " + name,
         marey::FreePlay{
             i, {marey::NamedAngle::Kind::twist, z}, constant(-0.05), constant(0.05), constant(20), constant(20)}});
    scene.elements.push_back({"swing " + name, marey::FreePlay{i,  // keeps the twist away from its pole at a swing of π
                                                               {marey::NamedAngle::Kind::swing, z},
                                                               constant(-1),
                                                               constant(0.6),
                                                               constant(0),
                                                               constant(80)}});
    scene.elements.push_back({"friction " + name, marey::JointFriction{i, 0.1}});
  }
  marey::Schedule spikes;
  spikes.from = 0.1, spikes.lasts = 0.0111, spikes.every = 0.2;
  scene.elements.push_back(
      {"spike", marey::Push{scene.model.find("left forearm"), {0, 0, -0.3}, {0, 0, 300}, {}, false, spikes}});
  const marey::Ledger ledger = run(scene, Dynamics::armstrong, Integrator::rk4, 1e-3, 1000);
  std::printf("spikes and free play: energy %.2e, linear %.2e, angular %.2e\n", ledger.energy_residual_relative,
              ledger.linear_momentum_residual_relative, ledger.angular_momentum_residual_relative);
  EXPECT_TRUE(ledger.closed);
  for (const auto& [name, work] : ledger.work_in)
    if (name.find("friction") != std::string::npos) {
      EXPECT_LE(work, 0) << name;
    }
}

}  // namespace ledger_test
