// Bodies thrown at random onto floors: whatever they do there, the run goes on, nothing sinks in, and the books close.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/floors.h"
#include "support/random_figure.h"

namespace marey {
namespace {

void add_corners(Scene& scene, int link, const Vec3<double>& size, const FloorContact& like) {
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) {
        FloorContact c = like;
        c.link = link;
        c.point_B = {x * size.x, y * size.y, z * size.z};
        c.name = "corner " + std::to_string(scene.contacts.size());
        scene.contacts.push_back(c);
      }
}

FloorContact random_floor(figures::Random& random, bool compliant) {
  FloorContact c;
  c.friction_kinetic = c.law.friction = random.between(0, 1) < 0.3 ? 0 : random.between(0, 0.9);
  c.friction_static = c.friction_kinetic * random.between(1, 1.4);
  c.law.restitution = random.between(0, 1) < 0.3 ? 0 : random.between(0, 0.8);
  c.compliant = compliant;
  c.ground.stiffness = std::pow(10.0, random.between(3, 5));
  c.ground.exponent = random.between(0, 1) < 0.5 ? 1 : 1.5;
  c.ground.damping = random.between(0, 1) < 0.3 ? 0 : random.between(1, 50);
  return c;
}

// A box with a turn and a spin, its lowest corner above the floor; with `arm`, a second box on a hinge.
Scene thrown(std::uint64_t seed, bool compliant, bool arm) {
  figures::Random random(seed);
  ModelSpec spec;
  LinkSpec box, limb;
  const Vec3<double> size{0.4, 0.3, 0.2}, small{0.3, 0.1, 0.1};
  box.name = "box", box.joint = JointType::free, box.inertia = solid_inertia(Box{size}, 3);
  limb.name = "limb", limb.parent = "box", limb.joint = JointType::hinge, limb.axis = {0, 1, 0};
  limb.X_PF.p = {0.35, 0, 0}, limb.inertia = solid_inertia(Box{small}, 1);
  spec.links = {box};
  if (arm) spec.links.push_back(limb);
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  Quaternion<double> turn{random.normal(), random.normal(), random.normal(), random.normal()};
  turn = normalized(turn);
  const double q[] = {turn.w, turn.x, turn.y, turn.z, 0, 0, 0.8};
  std::copy(q, q + 7, scene.start.q.begin());
  for (int i = 0; i < 6; ++i) scene.start.v[static_cast<std::size_t>(i)] = (i < 3 ? 2 : 0.8) * random.normal();
  const FloorContact floor = random_floor(random, compliant);
  add_corners(scene, scene.model.find("box"), size, floor);
  if (arm) {
    add_corners(scene, scene.model.find("limb"), small, floor);
    scene.elements.push_back({"friction", JointFriction{scene.model.find("limb"), 0.05}});
  }
  return scene;
}

class ThrownBodies : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(ThrownBodies, ComeDownInOrder) {
  const auto [compliant, arm] = GetParam();
  long long impacts = 0, events = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Scene scene = thrown(seed, compliant, arm);
    // Hertz's exponent is not smooth where the ground is touched: a tenth of the tolerance closes the books as well.
    scene.solver = floors::adaptive(Integrator::rk45, compliant ? 1e-9 : 1e-8);
    World world(scene);
    try {
      floors::run_until(world, 2.5);
    } catch (const Error& e) {
      ADD_FAILURE() << "seed " << seed << " at " << world.time() << " s: " << e.what();
      continue;
    }
    impacts += world.contacts()->impacts(), events += world.events();
    const Ledger books = floors::ledger(world, scene, 1e-6);
    worst = std::max({worst, books.energy_residual_relative, books.linear_momentum_residual_relative,
                      books.angular_momentum_residual_relative});
    EXPECT_TRUE(books.closed) << "seed " << seed << ": " << books.energy_residual_relative << ' '
                              << books.linear_momentum_residual_relative << ' '
                              << books.angular_momentum_residual_relative;
    EXPECT_LE(books.energy_end, books.energy_start + 1e-6);
    if (compliant) continue;
    for (std::size_t i = 0; i < scene.contacts.size(); ++i) EXPECT_GT(world.contacts()->motion(i).gap, -1e-7) << seed;
  }
  std::printf("%lld impacts, %lld events, worst residual %.1e\n", impacts, events, worst);
}

INSTANTIATE_TEST_SUITE_P(All, ThrownBodies, ::testing::Combine(::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace marey
