// Steps with constraints take no memory: this program counts every call of operator new.
#include <gtest/gtest.h>

#include "marey/force/mass_flow.h"
#include "sim/world.h"
#include "support/allocations.h"
#include "support/floors.h"

namespace {

using namespace marey;

TEST(HeldConstraintsNoHeap, StepsOfConstraintsOfMostKinds) {
  ModelSpec spec;
  for (const char* name : {"a", "b", "c", "wheel"}) {
    LinkSpec link;
    link.name = name;
    link.joint = std::string(name) == "wheel" ? JointType::hinge : JointType::free;
    link.inertia = inertia_about_origin(1.0, {}, {0.02, 0.03, 0.04, 0, 0, 0});
    spec.links.push_back(link);
  }
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.q[6] = 0.5, scene.start.q[7 + 6] = 0.5, scene.start.q[14 + 4] = 1;
  const auto add = [&](const ConstraintKind& kind, int a, int b) {
    Constraint c;
    c.kind = kind, c.a.link = a, c.b.link = b;
    c.name = "c" + std::to_string(scene.constraints.size());
    scene.constraints.push_back(c);
  };
  add(LoopJoint{LoopJoint::Kind::weld}, 1, 2);
  add(FixedDistance{std::sqrt(1.25)}, 1, 3);
  add(OnPath{{}, spline_path({{1, 0, 0}, {1.2, 0.5, 0}, {1.1, 1, 0.3}}, false)}, 0, 3);
  add(Coupler{{{4, 1.0}}, spline_in_time({0, 1}, {0, 1})}, 0, 4);
  FloorContact c = floors::point({}, "floor");
  c.law.restitution = 0.5;
  scene.contacts = {c};
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  World world(scene);
  floors::run_until(world, 0.05);
  const long before = allocations;
  for (int i = 0; i < 600; ++i) world.step();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(world.contacts()->impacts(), 0);
}

// Nor do steps of particles: those that nobody but packs looks at, and those beside a figure.
TEST(HeldConstraintsNoHeap, StepsOfParticles) {
  for (const bool beside_a_figure : {false, true}) {
    ModelSpec spec;
    SpringNet springs;
    DamperNet dampers;
    for (int i = 0; i < 20; ++i) {
      LinkSpec link;
      link.name = std::to_string(i);
      link.joint = beside_a_figure && i == 0 ? JointType::free : JointType::point;
      link.inertia = inertia_about_origin(1.0, {}, {0.02, 0.03, 0.04, 0, 0, 0});
      spec.links.push_back(link);
      if (i > 0)
        springs.springs.push_back({{i, {}}, {i + 1, {}}, 10, 0.1}),
            dampers.dampers.push_back({{i, {}}, {i + 1, {}}, 1});
    }
    Scene scene;
    scene.model = freeze(spec);
    scene.start = neutral_state(scene.model);
    for (std::size_t i = 7; i < scene.start.q.size(); ++i) scene.start.q[i] = 0.01 * static_cast<double>(i * i % 17);
    scene.elements = {{"springs", springs}, {"dampers", dampers}, {"air", Drag{{1, 2, 5}, 0.1, 0.1}}};
    scene.solver = floors::fixed(Integrator::rk4, 1e-3);
    World world(scene);
    world.step();
    const long before = allocations;
    for (int i = 0; i < 100; ++i) world.step();
    EXPECT_EQ(allocations - before, 0);
  }
}

// Nor where masses change: at every instant, and what was made of them with them. Apart from figures, and in joint coordinates.
TEST(HeldConstraintsNoHeap, StepsOfMassesThatChange) {
  for (const bool apart : {false, true}) {
    ModelSpec spec;
    for (const char* name : {"body", "drop", "rain"}) {
      LinkSpec link;
      link.name = name;
      link.joint = std::string(name) == "body" ? JointType::free : JointType::point;
      link.inertia = inertia_about_origin(1.0, {}, {0.02, 0.03, 0.04, 0, 0, 0});
      spec.links.push_back(link);
    }
    Scene scene;
    scene.model = freeze(spec);
    scene.start = neutral_state(scene.model);
    scene.elements = {{"mist", MassFlow{{2, 3}, spline_in_time({0, 1, 2}, {1, 2, 4}), {0, 0, -1}, true}}};
    scene.solver = floors::fixed(Integrator::rk4, 1e-3);
    scene.solver.particles_apart = apart;
    World world(scene);
    world.step();
    const long before = allocations;
    for (int i = 0; i < 100; ++i) world.step();
    EXPECT_EQ(allocations - before, 0) << (apart ? "apart" : "in joint coordinates");
  }
}

}  // namespace
