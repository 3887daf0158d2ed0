// Armstrong's slow band, done every ν-th step or spread over ν steps: the error it adds vanishes with the step, in second
// order, as its coefficients are those of the middle of the steps they are used in (src/plant/solver.cpp), and it leaves alone what
// does not depend on its coefficients' age.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/io/scene.h"
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
      EXPECT_NEAR(order, 2, 0.3);
      EXPECT_GT(fine, 1e-9) << "the slow band was not slow";
    }
}

// Where something happens at once, what went before says nothing about where the motion is going: coefficients are made anew there, and
// the error stays of second order. The edges of the spike lie on the grid of every step length here, but not on that of ν steps.
TEST(SlowBand, ErrorFallsAsFastWhereSomethingHappens) {
  figures::Figure f = figures::with_random_state(figures::human39(), 5);
  for (double& v : f.state.v) v *= 0.3;
  marey::Scene scene;
  scene.model = f.model, scene.start = f.state;
  marey::Push push;
  push.link = 5, push.force = {0, 300, 200}, push.torque = {3, 0, 1};
  push.schedule.from = 0.3 * 101 / 600, push.schedule.lasts = 0.3 * 100 / 600;
  scene.elements.push_back({"spike", push});
  for (const bool spread : {false, true}) {
    const auto error = [&](int steps) {
      const marey::State plain = run(scene, Integrator::semi_implicit, 1, false, 0.3, steps),
                         banded = run(scene, Integrator::semi_implicit, 4, spread, 0.3, steps);
      double worst = 0;
      for (std::size_t k = 0; k < plain.v.size(); ++k) worst = std::max(worst, std::abs(plain.v[k] - banded.v[k]));
      return worst;
    };
    const double coarse = error(2400), fine = error(4800), order = std::log2(coarse / fine);
    std::printf("nu = 4%s, with a spike: difference %.2e rad/s, order %.2f\n", spread ? ", spread" : "", fine, order);
    EXPECT_NEAR(order, 2, 0.35);
  }
}

// A7: what the slow band every other step does to the tip of the finger is less than what the method itself is off, for which the change
// with half the step is a measure (it is of first order, so that the error is twice that).
TEST(SlowBand, IsOffByLessThanTheMethodOnTheFinger) {
  const auto tip_path = [](int nu, double step) {
    marey::Scene scene = marey::load_scene(MAREY_SOURCE_DIR "/gallery/finger-tap.yaml");
    scene.solver.slow_band = nu, scene.solver.step = step;
    marey::Simulation world(scene);
    marey::Kinematics<double> k(scene.model);
    const int per_sample = static_cast<int>(std::lround(0.01 / step));
    std::vector<marey::Vec3<double>> path;
    while (world.time() < scene.duration - 1e-9) {
      for (int i = 0; i < per_sample; ++i) world.step();
      marey::forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
      path.push_back(k.X_WB[scene.model.find("finger.tip")].p);
    }
    return path;
  };
  const auto apart = [](const auto& a, const auto& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, norm(a[i] - b[i]));
    return worst;
  };
  const auto every = tip_path(1, 0.01);
  const double banded = apart(every, tip_path(2, 0.01)), halved = apart(every, tip_path(1, 0.005));
  std::printf("finger, slow band every 2nd step: the tip is off by %.3f mm; half the step changes it by %.3f mm\n",
              1e3 * banded, 1e3 * halved);
  EXPECT_LE(banded, halved);
}

}  // namespace
