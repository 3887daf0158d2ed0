// Solvers put side by side on the instants of a run.
#include "sim/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/floors.h"
#include "support/random_figure.h"
#include "support/sanitized.h"

namespace marey {
namespace {

Scene scene_of(std::uint64_t seed) {
  Scene scene;
  const figures::Figure f = figures::random_figure(seed, figures::options_of(static_cast<int>(seed)));
  scene.model = f.model, scene.start = f.state;
  scene.solver = floors::fixed(Integrator::rk4, 1e-4);
  return scene;
}

Verification verified(const Scene& scene, int steps) {
  World world(scene);
  Verifier verifier(scene);
  for (int i = 0; i < steps; ++i) {
    verifier.compare(world);
    world.step();
  }
  return verifier.result();
}

// Links that have drifted from their joints are no reason to doubt the solvers.
TEST(Verifier, AgreesInMaximalCoordinates) {
  for (std::uint64_t seed = 1; seed <= 12 / every(4); ++seed) {
    Scene scene = scene_of(seed);
    scene.solver.dynamics = Dynamics::multipliers;
    scene.solver.stabilisation = Stabilisation::none;
    scene.solver.step = 2e-3;
    EXPECT_TRUE(verified(scene, 40).agree) << "seed " << seed;
  }
}

TEST(Verifier, AgreesOnRandomFigures) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Scene scene = scene_of(seed);
    const Verification v = verified(scene, 5);
    EXPECT_EQ(v.instants, 5);
    EXPECT_GE(v.solvers.size(), 3u);
    EXPECT_TRUE(v.agree) << "seed " << seed;
  }
}

// A slender rod that turns about its own, skew axis: M is one number, κ(M) = 1, and yet each solver rounds that number out
// of moments 150 times as large.
TEST(Verifier, KnowsWhatAMomentOfInertiaIsMadeOf) {
  ModelSpec spec;
  spec.gravity = {};
  LinkSpec rod;
  rod.name = "rod", rod.joint = JointType::hinge, rod.axis = {1, 2, 3};
  const Vec3<double> u = (1 / norm(rod.axis)) * rod.axis;
  const double thin = 2e-4, thick = 0.03;
  rod.inertia = {1, {}, Sym3<double>::diagonal(thick, thick, thick)};
  rod.inertia.J -= (thick - thin) * Sym3<double>{u.x * u.x, u.y * u.y, u.z * u.z, u.x * u.y, u.x * u.z, u.y * u.z};
  spec.links = {rod};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.v[0] = 10;
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  const Verification v = verified(scene, 200);
  EXPECT_TRUE(v.agree);
  EXPECT_EQ(v.condition, 1);
  EXPECT_EQ(v.solvers.back().solver, "baraff");
}

TEST(Verifier, SeesASlowBand) {
  Scene scene = scene_of(1);
  for (std::uint64_t seed = 2; !armstrong_applies(scene.model) || scene.model.nv < 6; ++seed) {
    ASSERT_LT(seed, 500u);
    scene = scene_of(seed);
  }
  scene.solver = floors::fixed(Integrator::semi_implicit, 1e-3);
  scene.solver.dynamics = Dynamics::armstrong, scene.solver.slow_band = 4;
  World world(scene);
  Verifier verifier(scene);
  for (int i = 0; i < 4; ++i) {
    world.step();
    verifier.compare(world);
  }
  EXPECT_FALSE(verifier.result().agree);  // old coefficients are an approximation
}

// A body on three hinges of links without mass, the first and the last nearly in line: the least eigenvalue of M is rounding of
// the largest, of either sign. Where it is not above zero there is no unit in which accelerations could be said to agree.
TEST(Verifier, DoesNotVouchForWhatItCannotMeasure) {
  int unmeasured = 0;
  for (int i = 0; i < 40; ++i) {
    ModelSpec spec;
    LinkSpec link;
    link.joint = JointType::hinge;
    link.name = "first", link.axis = {0, 0, 1};
    spec.links.push_back(link);
    link.name = "second", link.parent = "first", link.axis = {1, 0, 0};
    spec.links.push_back(link);
    link.name = "body", link.parent = "second", link.axis = {0, 1, 0};
    link.inertia = inertia_about_origin(1.0 + 0.1 * i, {0.1, 0.2, 0.3}, {1, 2, 2.5, 0.1, 0.2, 0.1});
    spec.links.push_back(link);
    Scene scene;
    scene.model = freeze(spec);
    scene.start = neutral_state(scene.model);
    scene.start.q = {0.3, std::acos(0.0) + 1e-9 * i, 0.4};
    scene.solver = floors::fixed(Integrator::rk4, 1e-3);
    World world(scene);
    Verifier verifier(scene);
    verifier.compare(world);
    EXPECT_GT(verifier.result().condition, 1e12) << i;
    if (std::isfinite(verifier.result().condition)) continue;
    ++unmeasured;
    EXPECT_FALSE(verifier.result().agree) << i;
  }
  EXPECT_GT(unmeasured, 0);
}

// A resting box: the floor's forces are among what acts.
TEST(Verifier, CountsContactForces) {
  ModelSpec spec;
  LinkSpec box;
  box.name = "box", box.joint = JointType::free, box.inertia = solid_inertia(Box{{0.4, 0.3, 0.2}}, 3);
  spec.links = {box};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q[6] = 0.1;
  for (const double x : {-0.2, 0.2})
    for (const double y : {-0.15, 0.15}) {
      FloorContact c;
      c.link = 1, c.point_B = {x, y, -0.1}, c.name = "corner " + std::to_string(scene.contacts.size());
      scene.contacts.push_back(c);
    }
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  World world(scene);
  Verifier verifier(scene);
  world.step();
  verifier.compare(world);
  std::vector<double> vdot(6);
  const Forces<double> forces = world.everything_that_acts(vdot);
  EXPECT_NEAR(forces.F_Bo_W[1].f.z, 3 * 9.81, 1e-9);
  EXPECT_TRUE(verifier.result().agree);
}

}  // namespace
}  // namespace marey
