// A ball that bounces infinitely often in finite time comes to rest at the right instant, and the run goes on.
//
// Closed form (dynamics/point_mass.h): t_∞ = t₀ + (2u/g) e/(1 − e).
#include <gtest/gtest.h>

#include <cstdio>

#include "support/floors.h"

namespace marey {
namespace {

double rest_instant(World& world) {
  for (const ContactNote& n : world.contacts()->notes())
    if (n.kind == ContactNote::Kind::rest) return n.t;
  return -1;
}

class BallOfEveryMethod : public ::testing::TestWithParam<SolverOptions> {};

TEST_P(BallOfEveryMethod, RestsAtTheRightInstantAndTheRunGoesOn) {
  for (const double e : {0.3, 0.7}) {
    // Methods that begin each flight at order one err by their tolerance; that is small where places are near zero.
    const bool multistep = GetParam().integrator == Integrator::adams || GetParam().integrator == Integrator::bdf;
    const double radius = multistep ? 0 : 0.1;
    Scene scene = floors::ball(0.8, 0.5, e, radius);
    scene.solver = GetParam();
    if (multistep) scene.solver.absolute_tolerance = scene.solver.integrator == Integrator::bdf ? 1e-14 : 1e-16;
    Push push;  // later it is thrown up again
    push.link = 1;
    push.force = {0, 0, 20};
    push.schedule.from = 4, push.schedule.lasts = 0.1;
    scene.elements.push_back({"push", push});
    const BouncingBall closed(0.8, 0.5, 9.81, e);
    World world(scene);
    floors::run_until(world, 3.5);
    const double rest = rest_instant(world);
    std::printf("%-12s e = %.1f: rests at %.12f s, error %.1e s, %lld impacts, %lld steps, %lld evaluations\n",
                name_of(scene.solver.integrator), e, rest, rest - closed.rest(), world.contacts()->impacts(),
                world.steps(), world.evaluations());
    EXPECT_NEAR(rest, closed.rest(), 1e-9);
    EXPECT_EQ(world.contacts()->phase(0).mode, Mode::slide);
    EXPECT_NEAR(world.state().q[6], radius, 1e-14);
    EXPECT_NEAR(world.state().v[5], 0, 1e-14);
    const Ledger books = floors::ledger(world, scene);
    EXPECT_NEAR(books.work_in[1].second, -0.5 * (9.81 * 0.8 + 0.125), 1e-6);
    floors::run_until(world, 4.1);
    EXPECT_NEAR(world.state().v[5], 0.1 * (20 / 0.5 - 9.81), 1e-9);
    EXPECT_EQ(world.contacts()->phase(0).mode, Mode::free);
    const double books_close = order_of(scene.solver.integrator) > 1 ? 1e-8 : 1e-2;
    EXPECT_TRUE(floors::ledger(world, scene, books_close).closed)
        << floors::ledger(world, scene).energy_residual_relative;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, BallOfEveryMethod,
    ::testing::Values(floors::fixed(Integrator::euler_second, 1e-3), floors::fixed(Integrator::rk4, 0.01),
                      floors::fixed(Integrator::midpoint, 0.01), floors::adaptive(Integrator::rk45, 1e-13),
                      floors::adaptive(Integrator::adams, 1e-13), floors::adaptive(Integrator::bdf, 1e-13)));

// Methods of first order come to rest where their own discrete ball does: the error falls with the step.
TEST(BouncingBallOfFirstOrder, RestsAsRightAsItsStep) {
  for (const Integrator method : {Integrator::euler, Integrator::semi_implicit}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      Scene scene = floors::ball(0.8, 0.5, 0.6);
      scene.solver = floors::fixed(method, k == 0 ? 1e-3 : 5e-4);
      World world(scene);
      floors::run_until(world, 3.5);
      error[k] = std::abs(rest_instant(world) - BouncingBall(0.8, 0.5, 9.81, 0.6).rest());
      EXPECT_NEAR(world.state().q[6], 0.1, 1e-12);
    }
    std::printf("%s: %.2e, %.2e\n", name_of(method), error[0], error[1]);
    EXPECT_NEAR(error[0] / error[1], 2, 0.8) << name_of(method);
  }
}

}  // namespace
}  // namespace marey
