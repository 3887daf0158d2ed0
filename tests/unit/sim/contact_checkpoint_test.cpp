// A world with contacts restored from a checkpoint goes on bit for bit: in every mode, with every method.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "support/floors.h"
#include "support/integrators.h"

namespace marey {
namespace {

// A box that falls on two corners, rocks, slides and lies; its ground may give way.
Scene box(bool compliant) {
  Scene scene = floors::body(Box{{0.4, 0.3, 0.2}}, 3);
  scene.start.q[6] = 0.35;
  scene.start.v[1] = 0.8, scene.start.v[3] = 1.5;
  for (const double x : {-0.2, 0.2})
    for (const double y : {-0.15, 0.15})
      for (const double z : {-0.1, 0.1}) {
        FloorContact corner = floors::point({x, y, z}, "corner " + std::to_string(scene.contacts.size()));
        corner.friction_static = 0.6, corner.friction_kinetic = corner.law.friction = 0.4;
        corner.law.restitution = 0.3;
        corner.compliant = compliant;
        corner.ground = {2e4, 1.5, 60};
        scene.contacts.push_back(corner);
      }
  return scene;
}

// Whatever stands in a checkpoint, restoring it and telling of its contacts reads nothing that is not there: each of its
// numbers in turn is replaced by ones that no checkpoint holds. (The sanitized build sees to the reading.)
TEST(DamagedCheckpoints, AreRefusedOrHarmless) {
  const Scene scene = box(false);
  World world(scene);
  while (world.time() < 0.4) world.step(0.4);
  ASSERT_FALSE(world.contacts()->notes().empty());
  const std::vector<std::byte> sound = world.save();
  int refused = 0;
  for (std::size_t at = 0; at + sizeof(double) <= sound.size(); at += sizeof(double))
    for (const double wrong : {-1.0, 0.5, 1e6, 1e300, std::nan("")}) {
      std::vector<std::byte> damaged = sound;
      std::memcpy(damaged.data() + at, &wrong, sizeof wrong);
      World resumed(scene);
      try {
        resumed.restore(damaged);
        for (const ContactNote& note : resumed.contacts()->notes()) text_of(note, scene.contacts);
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
        ++refused;
      }
    }
  EXPECT_GT(refused, 0);
}

class ContactCheckpoints : public ::testing::TestWithParam<std::tuple<Integrator, bool>> {};

TEST_P(ContactCheckpoints, GoOnBitForBit) {
  const auto [method, compliant] = GetParam();
  Scene scene = box(compliant);
  // Friction under the load of an impact turns fast: the midpoint rule's equations want a shorter step for it.
  const double step = compliant && method == Integrator::midpoint ? 1e-4 : 1e-3;
  scene.solver = has_fixed_step(method) ? floors::fixed(method, step) : floors::adaptive(method, 1e-7);
  constexpr double end = 0.8;
  World whole(scene);
  std::vector<std::vector<std::byte>> saved;
  std::set<std::string> modes_seen, modes;
  while (whole.time() < end) {
    whole.step(end);
    std::string now;
    for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
      const ContactPhase& p = whole.contacts()->phase(i);
      modes_seen.insert(name_of(p.mode));
      now += static_cast<char>('0' + static_cast<int>(p.mode)) + std::to_string(static_cast<int>(p.stage));
    }
    if (whole.may_save() && modes.insert(now).second && saved.size() < 40) saved.push_back(whole.save());
  }
  EXPECT_GE(saved.size(), 4u);
  EXPECT_TRUE(modes_seen.count("free") && modes_seen.count("slide") && modes_seen.count("stick"));
  for (std::size_t k = 0; k < saved.size(); k += std::max<std::size_t>(1, saved.size() / 4)) {
    World resumed(scene);
    resumed.restore(saved[k]);
    while (resumed.time() < end) resumed.step(end);
    EXPECT_EQ(whole.save(), resumed.save());
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ContactCheckpoints,
                         ::testing::Combine(::testing::ValuesIn(integrators::all()), ::testing::Bool()));

// What holds a root answers to the impacts of what hangs on it.
TEST(ContactsOfHeldFigures, CloseTheirBooks) {
  ModelSpec spec;
  LinkSpec upper, lower;
  upper.name = "upper", upper.joint = JointType::hinge, upper.axis = {0, 1, 0};
  upper.X_PF.p = {0, 0, 1};
  upper.inertia = shape_inertia({Capsule{0.02, 0.5}, {Mat3<double>::identity(), {0, 0, -0.25}}}, 1);
  lower = upper;
  lower.name = "lower", lower.parent = "upper", lower.X_PF.p = {0, 0, -0.5};
  spec.links = {upper, lower};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q = {1.2, 0.5};
  FloorContact tip;
  tip.link = scene.model.find("lower"), tip.point_B = {0, 0, -0.5}, tip.name = "tip";
  tip.plane.offset = 0.15;
  tip.friction_static = tip.friction_kinetic = tip.law.friction = 0.2;
  tip.law.restitution = 0.4;
  scene.contacts = {tip};
  scene.elements = {{"friction", JointFriction{1, 0.02}}};
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::crba, Dynamics::dense}) {
    scene.solver = floors::adaptive(Integrator::rk45, 1e-10);
    scene.solver.dynamics = dynamics;
    World world(scene);
    floors::run_until(world, 3);
    const Ledger books = floors::ledger(world, scene, 1e-8);
    EXPECT_GT(world.contacts()->impacts(), 5);
    EXPECT_TRUE(books.closed) << books.energy_residual_relative << ' ' << books.linear_momentum_residual_relative << ' '
                              << books.angular_momentum_residual_relative;
  }
}

}  // namespace
}  // namespace marey
