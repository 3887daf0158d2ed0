// A world restored from a checkpoint goes on bit for bit, whatever outlives a step: switches, account, band coefficients.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/sim.h"
#include "sim/world.h"
#include "support/figures.h"
#include "support/integrators.h"

namespace marey {
namespace {

Scene busy_scene(Dynamics dynamics, Integrator integrator, int slow_band, bool spread) {
  Scene scene;
  scene.model = freeze(figures::human39());
  scene.start = neutral_state(scene.model);
  for (int i = 0; i < scene.model.nv; ++i) scene.start.v[i] = 0.1 * ((i * 7) % 5 - 2);
  scene.solver = {dynamics, integrator, 1e-3, slow_band, spread};
  const int arm = scene.model.nlink() - 1;
  scene.elements.push_back({"friction", JointFriction{arm, 0.3}});
  Push spike;
  spike.link = arm;
  spike.force = {3, 0, 1};
  spike.schedule = {0.0101, 0.0133, 0.03, forever, {}};
  scene.elements.push_back({"spike", spike});
  Push latched = spike;
  latched.schedule = {0, 0.02, 0, forever, {Condition{}}};
  latched.schedule.conditions[0].link = arm;
  latched.schedule.conditions[0].threshold = 10;
  scene.elements.push_back({"latched", latched});
  return scene;
}

class Checkpoints : public ::testing::TestWithParam<std::tuple<Dynamics, Integrator, int, bool>> {};

TEST_P(Checkpoints, GoOnBitForBit) {
  const auto [dynamics, integrator, nu, spread] = GetParam();
  const Scene scene = busy_scene(dynamics, integrator, nu, spread);
  ASSERT_EQ(refusal(scene.model, scene.solver), "");
  World whole(scene), resumed(scene);
  constexpr double end = 5;
  for (int i = 0; i < 17 || !whole.may_save(); ++i) whole.step(end);  // CVODES forgets its past every so many steps
  const std::vector<std::byte> saved = whole.save();
  for (int i = 0; i < 40; ++i) whole.step(end);
  ASSERT_LT(whole.time(), end);
  resumed.restore(saved);
  EXPECT_EQ(resumed.steps(), whole.steps() - 40);
  for (int i = 0; i < 40; ++i) resumed.step(end);
  EXPECT_EQ(whole.save(), resumed.save());
  EXPECT_NE(whole.save(), saved);
}

INSTANTIATE_TEST_SUITE_P(Every, Checkpoints,
                         ::testing::Values(std::tuple(Dynamics::armstrong, Integrator::semi_implicit, 1, false),
                                           std::tuple(Dynamics::armstrong, Integrator::semi_implicit, 3, false),
                                           std::tuple(Dynamics::armstrong, Integrator::euler, 3, true),
                                           std::tuple(Dynamics::crba, Integrator::euler, 1, false)));
INSTANTIATE_TEST_SUITE_P(Methods, Checkpoints,
                         ::testing::Combine(::testing::Values(Dynamics::aba), ::testing::ValuesIn(integrators::all()),
                                            ::testing::Values(1), ::testing::Values(false)));

// The factors in use are older than the checkpoint, and the first guess is that of the step before it.
class ReusedFactors : public ::testing::TestWithParam<Integrator> {};

TEST_P(ReusedFactors, GoOnBitForBit) {
  Scene scene = busy_scene(Dynamics::crba, GetParam(), 1, false);
  scene.solver.reuse = 0.05;
  World whole(scene), resumed(scene);
  for (int i = 0; i < 17; ++i) whole.step();
  while (!whole.may_save()) whole.step();
  const std::vector<std::byte> saved = whole.save();
  const long long made_before = whole.solver()->factorisations();
  for (int i = 0; i < 40; ++i) whole.step();
  resumed.restore(saved);
  for (int i = 0; i < 40; ++i) resumed.step();
  EXPECT_EQ(whole.save(), resumed.save());
  EXPECT_GT(made_before, 0);
  EXPECT_LT(whole.solver()->factorisations() * 4, whole.evaluations());
}

INSTANTIATE_TEST_SUITE_P(Every, ReusedFactors, ::testing::ValuesIn(integrators::all()));

TEST(CheckpointOfAnotherScene, IsRefused) {
  const Scene one = busy_scene(Dynamics::armstrong, Integrator::semi_implicit, 1, false);
  const Scene other = busy_scene(Dynamics::armstrong, Integrator::semi_implicit, 3, false);
  World a(one), b(other);
  EXPECT_THROW(b.restore(a.save()), Error);
  EXPECT_THROW(a.restore(b.save()), Error);
}

TEST(Refusals, NameTheAlternative) {
  ModelSpec spec = figures::human39();
  spec.links[3].joint = JointType::hinge;
  const Model hinged = freeze(spec), human = freeze(figures::human39());
  SolverOptions options;
  options.dynamics = Dynamics::armstrong;
  EXPECT_NE(refusal(hinged, options).find("use dynamics: aba"), std::string::npos);
  EXPECT_EQ(refusal(human, options), "");
  options.slow_band = 2;
  options.integrator = Integrator::rk4;
  EXPECT_NE(refusal(human, options).find("semi_implicit"), std::string::npos);
  options = {};
  options.slow_band = 2;
  EXPECT_NE(refusal(human, options).find("armstrong"), std::string::npos);
  options.slow_band = 0;
  EXPECT_NE(refusal(human, options), "");
  options = {};
  options.reuse = 0.05;
  EXPECT_NE(refusal(human, options).find("dynamics: crba"), std::string::npos);
  options.dynamics = Dynamics::crba;
  EXPECT_EQ(refusal(human, options), "");
  for (const double bad : {-0.1, 0.6, std::nan("")}) {
    options.reuse = bad;
    EXPECT_NE(refusal(human, options), "") << bad;
  }
}

}  // namespace
}  // namespace marey
