// A run that cannot go on says which element has brought it about.
#include <gtest/gtest.h>

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
    std::get<marey::JointFriction>(scene.elements.at(0).kind).coefficient = 1e308;
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
  std::get<marey::Push>(scene.elements.at(0).kind).schedule.conditions = {fast};
  recorded::Memory memory;
  const std::string said = marey::run(scene, memory).breakdown;
  EXPECT_NE(said.find("switches to and fro"), std::string::npos) << said;
  ASSERT_FALSE(memory.rows.empty());
  EXPECT_NEAR(memory.time(memory.rows.size() - 1), 1 / 9.81, 0.011);
}

}  // namespace
