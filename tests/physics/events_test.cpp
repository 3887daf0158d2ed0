// What switches does not spoil the order of a method: spikes at any time, pushes by conditions, zones of free play.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/sim.h"
#include "marey/simulation.h"
#include "support/figures.h"

namespace marey {
namespace {

constexpr double end = 1.0;

// A double pendulum of hinges with everything that switches.
Scene switching_scene() {
  ModelSpec spec;
  for (int i = 0; i < 2; ++i) {
    LinkSpec link;
    link.name = i == 0 ? "upper" : "lower";
    if (i == 1) link.parent = "upper", link.X_PF.p = {0, 0, -1};
    link.joint = JointType::hinge;
    link.axis = {0, 1, 0};
    link.inertia = Inertia<double>{1, {0, 0, -0.5}, {0.35, 0.35, 0.01, 0, 0, 0}};
    spec.links.push_back(link);
  }
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q = {1.2, -0.4};
  FreePlay stop;
  stop.link = 2;
  stop.from = {{0}, {-0.3}}, stop.to = {{0, 0.37, 0.81}, {0.2, 0.5, 0.35}};
  stop.slope_below = {{0}, {40}}, stop.slope_above = {{0}, {55}};
  scene.elements.push_back({"stop", stop});
  Push spike;
  spike.link = 1, spike.point_B = {0, 0, -1}, spike.force = {6, 0, 2};
  spike.schedule = {0.2345, 0.1003, 0.31, forever, {}};
  scene.elements.push_back({"spike", spike});
  Push low = spike;
  low.link = 2, low.force = {-3, 0, 5};
  low.schedule = {0, forever, 0, forever, {Condition{}}};
  low.schedule.conditions[0].link = 2;
  low.schedule.conditions[0].point = {0, 0, -1};
  low.schedule.conditions[0].threshold = -1.6;
  scene.elements.push_back({"low", low});
  return scene;
}

State at_end(Integrator integrator, double step, double tolerance, long long* events = nullptr) {
  Scene scene = switching_scene();
  scene.solver = {Dynamics::aba, integrator, step, 1, false, tolerance};
  Simulation world(scene);
  while (world.time() < end) world.step(end);
  if (events != nullptr) *events = world.events();
  return world.state();
}

double distance(const State& a, const State& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) sum += std::pow(a.q[i] - b.q[i], 2) + std::pow(a.v[i] - b.v[i], 2);
  return std::sqrt(sum);
}

TEST(Events, EveryMethodKeepsItsOrder) {
  long long events = 0;
  const State reference = at_end(Integrator::rk45, forever, 1e-13, &events);
  EXPECT_GT(events, 8);
  for (const Integrator method :
       {Integrator::euler_second, Integrator::semi_implicit, Integrator::midpoint, Integrator::rk4}) {
    const double fine = order_of(method) == 1 ? 1.0 / 8000 : 1.0 / 400;
    const double coarse_error = distance(at_end(method, 2 * fine, 0), reference),
                 fine_error = distance(at_end(method, fine, 0), reference);
    EXPECT_NEAR(std::log2(coarse_error / fine_error), order_of(method), 0.25) << name_of(method);
  }
}

TEST(Events, ChosenStepsKeepTheirTolerance) {
  const State reference = at_end(Integrator::rk45, forever, 1e-13);
  for (const Integrator method : {Integrator::rk45, Integrator::adams, Integrator::bdf})
    for (const double tolerance : {1e-6, 1e-9})
      EXPECT_LT(distance(at_end(method, forever, tolerance), reference), 300 * tolerance) << name_of(method);
}

TEST(Events, FixedStepsReturnToTheirGrid) {
  Scene scene = switching_scene();
  scene.solver = {Dynamics::aba, Integrator::rk4, 0.01, 1, false};
  Simulation world(scene);
  int on_grid = 0, off_grid = 0;
  while (world.time() < end) {
    const double before = world.time();
    world.step(end);
    EXPECT_LE(world.time() - before, 0.01 * (1 + 1e-12));
    const double k = world.time() / 0.01;
    (std::abs(k - std::round(k)) < 1e-9 ? on_grid : off_grid) += 1;
  }
  EXPECT_EQ(on_grid, 100);
  EXPECT_GT(off_grid, 5);
}

}  // namespace
}  // namespace marey
