// A run that cannot go on says which element has brought it about.
#include "sim/breakdown.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/floors.h"
#include "support/recorded.h"

namespace {

std::string breakdown_of(const std::string& integrator) {
  return recorded::run_text("title: edge\nduration: 1 s\ngravity: 0\nsolver: {integrator: " + integrator + R"(}
particles: {w: {mass: 1 kg, points: {a: {position: [1 m, 0, 0], velocity: [-4 m/s, 0, 0]}}}}
forces:
  - drag: {links: w.a, linear: 0.1 N s/m}
  - field: {name: edge, links: w.a, force: ['sqrt(x)', '0', '0']}
)")
      .summary.breakdown;
}

TEST(Breakdown, NamesTheElementWhoseForceIsNotFinite) {
  for (const char* integrator : {"rk4, step: 1 ms", "semi_implicit, step: 1 ms", "rk45, tolerance: 1e-6", "bdf"}) {
    const std::string said = breakdown_of(integrator);
    EXPECT_NE(said.find("the force of 'edge' on link 'w.a' is not finite there"), std::string::npos)
        << integrator << ": " << said;
    EXPECT_EQ(said.find("step of"), std::string::npos) << said;
  }
}

// Likewise on a custom joint, in any of its coordinates. No text may ask for such a friction; a program may.
TEST(Breakdown, NamesTheElementOnACustomJoint) {
  for (const std::string coordinate : {"swing", "slide"}) {
    const std::string text = R"(marey: 1
duration: 1 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
figures:
  f:
    links:
      arm:
        joint:
          type: custom
          coordinates: [swing, slide]
          angles: {about_x: {of: swing, slope: 1}}
          displacements: {along_z: {of: slide, slope: 1}}
        shape: {box: [1 cm, 2 cm, 3 cm]}
        mass: 1 kg
        start: {rates: {)" + coordinate +
                             ": 10}}\ntorques:\n  - friction: {name: glue, joint: f.arm, coordinate: " + coordinate +
                             ", coefficient: 1}\n";
    marey::Scene scene = marey::parse_scene(text, "test.yaml");
    scene.elements.at(0).kind.get_if<marey::JointFriction>()->coefficient = 1e308;
    recorded::Memory memory;
    const std::string said = marey::run(scene, memory).breakdown;
    EXPECT_NE(said.find("the force of 'glue' on link 'f.arm' is not finite there"), std::string::npos) << said;
  }
}

// A brake stronger than the weight, on while the stone falls faster than 1 m/s: as soon as it is on it goes off, and the
// other way round, and no time goes by. The run says so, and keeps what it has.
TEST(Breakdown, SwitchingToAndFroIsNoticed) {
  marey::Scene scene = marey::parse_scene(R"(marey: 1
duration: 1 s
record: {every: 10 ms}
solver: {integrator: rk4, step: 1 ms}
particles: {w: {mass: 1 kg, points: {stone: {position: [0, 0, 0]}}}}
forces:
  - push: {link: w.stone, force: [0, 0, 30 N]}
)",
                                          "test.yaml");
  marey::Condition fast;
  fast.quantity = marey::Condition::Quantity::speed, fast.link = 1, fast.above = true, fast.threshold = 1;
  scene.elements.at(0).kind.get_if<marey::Push>()->schedule.conditions = {fast};
  recorded::Memory memory;
  const std::string said = marey::run(scene, memory).breakdown;
  EXPECT_NE(said.find("switches to and fro"), std::string::npos) << said;
  ASSERT_FALSE(memory.rows.empty());
  EXPECT_NEAR(memory.time(memory.rows.size() - 1), 1 / 9.81, 0.011);
}

// A spring of 1e308 N/m on 10 g: its force is a number, the acceleration is none.
marey::Scene overstrung() {
  marey::Scene scene = floors::body(marey::Sphere{0.1}, 0.01);
  marey::SupportSpring spring;
  spring.link = 1, spring.stiffness = 1e308, spring.target_W = {1, 0, 0};
  scene.elements = {{"string", spring}};
  scene.solver = floors::fixed(marey::Integrator::semi_implicit, 0.002);
  return scene;
}

TEST(Breakdown, WithoutAnElementAtFaultTheStepIsBlamed) {
  const marey::Scene scene = overstrung();
  recorded::Memory memory;
  const marey::RunSummary summary = marey::run(scene, memory);
  EXPECT_EQ(summary.breakdown,
            "at t = 0.002 s the motion of link 'body' is no longer a number: the step of 0.002 s is too long for the "
            "forces that act, or the figure has come into a position where a joint moves no inertia");
  EXPECT_EQ(summary.steps, 1);
  EXPECT_EQ(memory.rows.size(), 1u);
  EXPECT_TRUE(memory.checkpoints.empty() || memory.checkpoints.back().t < summary.simulated);
}

TEST(Breakdown, OfChosenStepsBlamesTheForces) {
  marey::Scene scene = overstrung();
  scene.solver = floors::adaptive(marey::Integrator::rk45, 1e-6);
  const marey::World world(scene);
  EXPECT_EQ(marey::breakdown_text(scene, world, scene.start, 1),
            "at t = 0 s the motion of link 'body' is no longer a number: the forces grow beyond all bounds, or the "
            "figure has come into a position where a joint moves no inertia");
}

// What looks back in time is not judged by the state alone; the next element is.
TEST(Breakdown, AnElementWithADelayIsNotBlamed) {
  marey::ModelSpec spec;
  marey::LinkSpec link;
  link.name = "arm", link.joint = marey::JointType::hinge, link.inertia = marey::solid_inertia(marey::Sphere{0.1}, 1);
  spec.links = {link};
  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  scene.start.v[0] = 1;
  marey::Reflex reflex;
  reflex.link = 1, reflex.damping = marey::forever, reflex.delay = 0.1;
  scene.elements = {{"reflex", reflex}};
  const marey::World world(scene);
  EXPECT_EQ(marey::element_at_fault(scene, world, scene.start), "");
  scene.elements.push_back({"glue", marey::JointFriction{1, marey::forever}});
  const marey::World both(scene);
  EXPECT_EQ(marey::element_at_fault(scene, both, scene.start),
            "; the force of 'glue' on link 'arm' is not finite there");
}

// A sum of the account that is no number is named by its source; a checkpoint is where a test can put one.
std::string account_with(const marey::Scene& scene, std::size_t integral, double value) {
  marey::World world(scene);
  std::vector<std::byte> bytes = world.save();
  const std::size_t at = 7 + world.state().q.size() + world.state().v.size() + integral;  // after counts, t, q and v
  std::memcpy(bytes.data() + at * sizeof(double), &value, sizeof value);
  world.restore(bytes);
  EXPECT_EQ(std::isfinite(world.integrals()[integral]), std::isfinite(value));
  recorded::Memory memory;
  const marey::Checkpoint from{0, 1, bytes};
  const marey::RunSummary summary = marey::run(scene, memory, {}, &from);
  EXPECT_EQ(summary.breakdown, marey::account_text(scene, world));
  EXPECT_EQ(summary.steps, 0);
  EXPECT_TRUE(memory.checkpoints.empty());
  return summary.breakdown;
}

TEST(Breakdown, TheAccountNamesItsSourceAndTheFastestLink) {
  using namespace marey;
  ModelSpec spec;
  LinkSpec link;
  link.joint = JointType::free, link.inertia = solid_inertia(Sphere{0.1}, 2);
  for (const char* name : {"one", "two", "three"}) link.name = name, spec.links.push_back(link);
  spec.gravity = {0, 0, -10};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  for (std::size_t i = 0; i < 3; ++i) scene.start.q[7 * i + 6] = 1 + static_cast<double>(i);
  scene.start.v[3] = 1, scene.start.v[9] = 3, scene.start.v[15] = 2;
  Drag drag;
  drag.links = {1}, drag.linear = 0;
  scene.elements = {{"air", drag}, {"wind", drag}};
  const RateLayout layout(2);
  const std::string start = "at t = 0 s the account of energy and momentum is no longer finite: ";
  const std::string fastest =
      "; link 'two', at 2 m from the origin with 3 m/s and 0 rad/s, has a kinetic energy of 9 J, a potential one of 40 "
      "J "
      "and momenta of 6 N s and 12 N m s";
  EXPECT_EQ(account_with(scene, layout.power(0), forever), start + "the work of 'air' is inf J" + fastest);
  EXPECT_EQ(account_with(scene, layout.power(1), NAN), start + "the work of 'wind' is not a number" + fastest);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(account_with(scene, layout.outside(0) + k, NAN), start + "the impulse of 'air' is not finite" + fastest);
    EXPECT_EQ(account_with(scene, layout.outside(1) + k, forever),
              start + "the impulse of 'wind' is not finite" + fastest);
    EXPECT_EQ(account_with(scene, layout.gravity() + k, -forever),
              start + "the impulse of gravity is not finite" + fastest);
    EXPECT_EQ(account_with(scene, layout.world() + k, NAN),
              start + "the impulse that the world gives to the roots is not finite" + fastest);
  }
}

}  // namespace
