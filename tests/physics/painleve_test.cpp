// Painlevé's rod: a rod slides on its end over a floor so rough that friction can turn it into the floor faster than the
// floor can lift it. With the rod at φ to the floor and leaning so that its end is pushed ahead of it, the effective normal
// inertia of a uniform rod is Λ m = 1 + 3 cos² φ − 3 μ sin φ cos φ, which μ > 4/3 can make negative.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/floors.h"

namespace marey {
namespace painleve_test {

const floors::RodShape shape{1, 1};

// On its lower end, which slides with `slip` along x and does not leave the floor.
Scene on_its_end(double phi, double phidot, double slip, double friction) {
  PlaneRod at;
  at.phi = phi, at.phidot = phidot;
  // lower end: r_c − l/2 (cos φ, sin φ)
  at.z = 0.5 * std::sin(phi), at.zdot = 0.5 * std::cos(phi) * phidot;
  at.xdot = slip - 0.5 * std::sin(phi) * phidot;
  Scene scene = floors::rod(shape, at);
  floors::set_law(scene, ImpactKind::coulomb, 0, friction);
  scene.duration = 0.5;
  return scene;
}
double inertia(double phi, double friction, double direction) {
  return 1 + 3 * std::cos(phi) * std::cos(phi) + 3 * direction * friction * std::sin(phi) * std::cos(phi);
}
struct Nothing : Sink {
  void begin(const MotionHeader&) override {}
  void frame(std::span<const double>) override {}
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
};

TEST(Painleve, ARodThatNoForceCanHoldIsStoppedByAnImpulse) {
  // Λ < 0 and the end pressed down: with a slow turn, a_free,n < 0.
  double phi = 1.0;
  const double friction = 3;
  const double direction = inertia(phi, friction, 1) < 0 ? 1 : -1;
  ASSERT_LT(inertia(phi, friction, direction), 0);
  Scene scene = on_its_end(phi, 0, 2 * direction, friction);
  scene.solver = floors::adaptive(Integrator::rk45, 1e-10);
  World world(scene);
  ASSERT_EQ(world.contacts()->notes().size(), 1u);
  EXPECT_EQ(world.contacts()->notes()[0].kind, ContactNote::Kind::inconsistent);
  EXPECT_EQ(world.contacts()->notes()[0].t, 0);
  EXPECT_EQ(scene.contacts[static_cast<std::size_t>(world.contacts()->notes()[0].contact)].name, "lower");
  floors::run_until(world, 0.5);
  const Ledger books = floors::ledger(world, scene, 1e-8);
  std::printf("work of the end %.6f J, residual %.1e\n", books.work_in[1].second, books.energy_residual_relative);
  EXPECT_LT(books.work_in[1].second, 0);
  EXPECT_TRUE(books.closed);
  Nothing nothing;
  const RunSummary summary = run(scene, nothing);
  EXPECT_EQ(summary.breakdown, "");
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_NE(summary.warnings[0].find("Painlevé"), std::string::npos) << summary.warnings[0];
  EXPECT_NE(summary.warnings[0].find("'lower'"), std::string::npos) << summary.warnings[0];
}

// With a quick turn the end is thrown up: it may lift off or stay, and lifts off.
TEST(Painleve, WhereTwoMotionsArePossibleItLiftsOff) {
  const double phi = 1.0, friction = 3, direction = inertia(phi, friction, 1) < 0 ? 1 : -1;
  Scene scene = on_its_end(phi, 8, 10 * direction, friction);
  scene.solver = floors::adaptive(Integrator::rk45, 1e-10);
  World world(scene);
  ASSERT_EQ(world.contacts()->notes().size(), 1u);
  EXPECT_EQ(world.contacts()->notes()[0].kind, ContactNote::Kind::indeterminate);
  EXPECT_EQ(world.contacts()->phase(1).mode, Mode::free);
}

// A rod that starts well and slides into it: something is found, and the run goes on.
TEST(Painleve, ARunIntoItGoesOn) {
  for (const double friction : {1.5, 2.0, 3.0})
    for (const double phi : {0.3, 0.9, 1.3})
      for (const double phidot : {-2.0, 0.0, 2.0})
        for (const double slip : {-4.0, 4.0}) {
          Scene scene = on_its_end(phi, phidot, slip, friction);
          scene.solver = floors::adaptive(Integrator::rk45, 1e-9);
          World world(scene);
          ASSERT_NO_THROW(floors::run_until(world, 0.6)) << friction << ' ' << phi << ' ' << phidot << ' ' << slip;
          const Ledger books = floors::ledger(world, scene, 1e-6);
          EXPECT_TRUE(books.closed) << friction << ' ' << phi << ' ' << phidot << ' ' << slip << ": "
                                    << books.energy_residual_relative << ' ' << books.linear_momentum_residual_relative;
          EXPECT_GT(world.contacts()->motion(0).gap, -1e-8);
          EXPECT_GT(world.contacts()->motion(1).gap, -1e-8);
          EXPECT_LT(books.energy_end, books.energy_start);
        }
}

}  // namespace painleve_test
}  // namespace marey
