// Armstrong's slow band, done every ν-th step or spread over ν steps: the error it adds vanishes with the step, in first
// order, and it leaves alone what does not depend on its coefficients' age.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/simulation.h"
#include "support/figures.h"
#include "support/solvers.h"

namespace {

using marey::Dynamics, marey::Integrator;

marey::State run(marey::Scene scene, Integrator method, int nu, bool spread, double duration, int steps) {
  scene.solver = {Dynamics::armstrong, method, duration / steps, nu, spread};
  marey::Simulation world(scene);
  for (int i = 0; i < steps; ++i) world.step();
  return world.state();
}

// The two bands one after the other are the recursion as a whole.
TEST(SlowBand, BandsTogetherAreTheWholeRecursion) {
  const figures::Figure f = figures::with_random_state(figures::human39(), 3);
  const auto in = figures::input_of<double>(f);
  const std::vector<double> whole = figures::accelerations(Dynamics::armstrong, f.model, in);
  marey::ArmstrongWorkspace<double> ws(f.model);
  std::vector<double> vdot(in.v.size());
  const int last = f.model.nlink() - 1;
  marey::armstrong_kinematics<double>(f.model, in.params, in.q, in.v, ws);
  for (const auto& [from, to] : {std::pair{last, 8}, {7, 7}, {6, 1}})
    marey::armstrong_slow_band<double>(f.model, in.params, from, to, ws);
  for (int again = 0; again < 2; ++again) {  // the fast band leaves the slow one's coefficients as they are
    marey::armstrong_fast_band<double>(f.model, in.params, {in.tau, in.F_Bo_W}, ws, vdot);
    for (std::size_t k = 0; k < vdot.size(); ++k) EXPECT_NEAR(vdot[k], whole[k], 1e-11 * (1 + std::abs(whole[k])));
  }
}

// A figure that hangs straight and falls from rest: nothing turns, and every version falls as the discrete law says,
// z = −½ g T² (1 ± 1/n) for n steps.
TEST(SlowBand, AFigureAtRestFallsAsFarForEveryNu) {
  marey::Scene scene;
  scene.model = marey::freeze(figures::human39());
  scene.start = marey::neutral_state(scene.model);
  const double T = 0.5;
  const int n = 60;
  const auto height = [&](Integrator method, int nu, bool spread) {
    return run(scene, method, nu, spread, T, n).q[static_cast<std::size_t>(scene.model.links[1].q) + 6];
  };
  for (const int nu : {1, 2, 3, 5}) {
    EXPECT_NEAR(height(Integrator::semi_implicit, nu, false), -0.5 * 9.81 * T * T * (1 + 1.0 / n), 1e-12) << nu;
    EXPECT_NEAR(height(Integrator::euler, nu, false), -0.5 * 9.81 * T * T * (1 - 1.0 / n), 1e-12) << nu;
    if (nu > 1) {
      EXPECT_NEAR(height(Integrator::semi_implicit, nu, true), -0.5 * 9.81 * T * T * (1 + 1.0 / n), 1e-12) << nu;
    }
  }
}

TEST(SlowBand, ErrorFallsWithTheStep) {
  figures::Figure f = figures::with_random_state(figures::human39(), 9);
  for (double& v : f.state.v) v *= 0.5;
  marey::Scene scene;
  scene.model = f.model, scene.start = f.state;
  for (int i = 2; i < f.model.nlink(); ++i)
    scene.elements.push_back({"friction " + std::to_string(i), marey::JointFriction{i, 0.2}});
  const auto error = [&](int nu, bool spread, int steps) {
    const marey::State plain = run(scene, Integrator::semi_implicit, 1, false, 0.3, steps),
                       banded = run(scene, Integrator::semi_implicit, nu, spread, 0.3, steps);
    double worst = 0;
    for (std::size_t k = 0; k < plain.v.size(); ++k) worst = std::max(worst, std::abs(plain.v[k] - banded.v[k]));
    return worst;
  };
  for (const int nu : {2, 4})
    for (const bool spread : {false, true}) {
      const double coarse = error(nu, spread, 1200), fine = error(nu, spread, 2400), order = std::log2(coarse / fine);
      std::printf("nu = %d%s: difference %.2e rad/s, order %.2f\n", nu, spread ? ", spread" : "", fine, order);
      EXPECT_NEAR(order, 1, 0.3);
      EXPECT_GT(fine, 1e-9) << "the slow band was not slow";
    }
}

}  // namespace
