// Keys that do nothing are no errors; that they do nothing is said, with the place.
#include <gtest/gtest.h>

#include "marey/io/scene.h"

namespace marey {
namespace scene_remarks_test {
namespace {

using Lines = std::vector<std::string>;

const std::string head = R"(marey: 1
duration: 1 s
figures:
  f:
    links:
      arm: {joint: {type: hinge, axis: y}, shape: {sphere: {radius: 5 cm, center: [0, 0, -20 cm]}}, mass: 1 kg}
      rail: {joint: {type: slider, axis: x}, shape: {sphere: 5 cm}, mass: 1 kg}
      post: {joint: weld, shape: {sphere: 5 cm}, mass: 1 kg}
      stone: {shape: {sphere: 5 cm}, mass: 1 kg, start: {position: [0, 0, 2 m]}}
)";
Lines said(const std::string& more) { return parse_scene(head + more, "f.yaml").remarks; }

TEST(SceneRemarks, NothingIsSaidOfWhatActs) {
  EXPECT_EQ(said(""), Lines{});
  EXPECT_EQ(
      said("forces: [{push: {link: f.stone, point: [0, 0, 1 cm], force: ['a*sin(w*t)', 0, 0], constants: {a: 1, w: 2}, "
           "from: 0.5 s}}]\n"),
      Lines{});
  EXPECT_EQ(said("contacts: [{link: f.stone, restitution: 0.5, rule: newton}]\n"), Lines{});
}

TEST(SceneRemarks, ConstantsThatNoFormulaReads) {
  EXPECT_EQ(said("forces:\n  - push: {link: f.stone, force: ['a*t', 0, 0], constants: {a: 1, b: 2}}\n"),
            Lines{"f.yaml:11:67: the constant 'b' has no effect: no formula beside it reads it"});
  EXPECT_EQ(said("drives:\n  - {joint: f.arm, angle: 'a1*t^3', constants: {a1: 1, a: 2}}\n"),
            Lines{"f.yaml:11:56: the constant 'a' has no effect: no formula beside it reads it"});
}

TEST(SceneRemarks, MaterialsThatGiveWayOrDoNot) {
  const auto material = [](const std::string& of_default, const std::string& more = "") {
    return said("scenery: {floor: {plane: 0}}\ncollide: all\nmaterials:\n  default: {" + of_default + "}\n" + more);
  };
  EXPECT_EQ(material("stiffness: 1e4 N/m, damping: 3 N s/m"), Lines{});
  EXPECT_EQ(material("restitution: 0.5"), Lines{});
  EXPECT_EQ(
      material("stiffness: 1e4 N/m, restitution: 0.5"),
      Lines{"f.yaml:13:33: 'restitution' has no effect on what gives way, which bounces by its stiffness and damping"});
  EXPECT_EQ(
      material("damping: 3 N s/m"),
      Lines{"f.yaml:13:13: 'damping' has no effect: nothing gives way, since no material has a stiffness or sinks"});
  EXPECT_EQ(material("sinks: 1 mm", "gravity: 0\n"),
            Lines{"f.yaml:13:13: 'sinks' has no effect without gravity: nothing has a weight to sink by"});
}

TEST(SceneRemarks, CollideWhereNothingCanTouch) {
  EXPECT_EQ(said("collide: all\n"),
            Lines{"f.yaml:10:10: 'collide' has no effect: it lets no two bodies touch, of which one at least moves"});
  EXPECT_EQ(said("collide: {self: f}\n"), Lines{});
}

TEST(SceneRemarks, AFreePlayWithoutSlopes) {
  EXPECT_EQ(said("torques:\n  - free_play: {joint: f.arm, from: 1, to: 2, slope: 0}\n"),
            Lines{"f.yaml:11:5: a free play with slopes of 0 has no effect"});
}

TEST(SceneRemarks, WhatBeginsTooLate) {
  EXPECT_EQ(said("forces:\n  - push: {link: f.stone, force: [1 N, 0, 0], from: 1 s}\n"),
            Lines{"f.yaml:11:47: what begins at 1 s never acts: the scene lasts 1 s"});
  EXPECT_EQ(said("drives:\n  - {joint: f.arm, locked: true, from: 2 s}\n"),
            Lines{"f.yaml:11:34: what begins at 2 s never acts: the scene lasts 1 s"});
}

// The zone of free play has a `from`, too, and a run may be longer than its scene says.
TEST(SceneRemarks, FromIsNotAlwaysATimeNorTheDurationTheScenes) {
  EXPECT_EQ(said("torques:\n  - free_play: {joint: f.arm, from: 1, to: 2, slope: 1 N m/rad}\n"), Lines{});
  const std::string late = head + "forces:\n  - push: {link: f.stone, force: [1 N, 0, 0], from: 2 s}\n";
  SceneOverrides longer;
  longer.duration = 5;
  EXPECT_EQ(parse_scene(late, "f.yaml", longer).remarks, Lines{});
  longer.duration = 1.5;
  EXPECT_EQ(parse_scene(late, "f.yaml", longer).remarks.size(), 1u);
}

TEST(SceneRemarks, PointsWhereNothingActs) {
  EXPECT_EQ(said("forces:\n  - push: {link: f.stone, point: [0, 0, 1 cm], torque: [1 N m, 0, 0]}\n"),
            Lines{"f.yaml:11:27: 'point' has no effect without a force: a torque is the same everywhere"});
  EXPECT_EQ(said("forces:\n  - push: {link: f.post, force: [1 N, 0, 0]}\n"),
            Lines{"f.yaml:11:12: what pushes 'f.post' has no effect: the link is fixed to the world"});
}

TEST(SceneRemarks, LawsOfContactsThatAreNeverAsked) {
  EXPECT_EQ(said("contacts:\n  - {link: f.stone, rule: newton}\n"),
            Lines{"f.yaml:11:21: 'rule' has no effect without restitution: whatever it relates is 0"});
  EXPECT_EQ(
      said("contacts:\n  - {link: f.stone, compliant: {stiffness: 1 kN/m, tangential: 1 kN/m}}\n"),
      Lines{"f.yaml:11:52: 'tangential' has no effect without friction: nothing holds the point along the floor"});
}

TEST(SceneRemarks, WhatIsTakenOverWhenItIsMade) {
  EXPECT_EQ(
      said("constraints:\n  - rod: {b: f.stone, length: 3 m, from: 0.5 s}\n"),
      Lines{"f.yaml:11:23: 'length' has no effect on a constraint that is made during the run: it takes over what it "
            "then finds"});
}

TEST(SceneRemarks, NothingThatChangesAndNothingThatActs) {
  EXPECT_EQ(said("torques:\n  - torque: {joint: f.arm, value: 0}\n"),
            Lines{"f.yaml:11:28: a torque of 0 has no effect"});
  EXPECT_EQ(said("torques:\n  - torque: {joint: f.arm, value: [[0 s, 0], [1 s, 0]]}\n"),
            Lines{"f.yaml:11:28: a torque of 0 has no effect"});
  EXPECT_EQ(said("torques:\n  - torque: {joint: f.arm, value: 'sin(t)'}\n"), Lines{});
  EXPECT_EQ(said("forces:\n  - push: {link: f.stone, force: [0, 0, 0]}\n"),
            Lines{"f.yaml:11:27: a force of 0 has no effect"});
  EXPECT_EQ(said("forces:\n  - push: {link: f.stone, force: ['t', 0, 0]}\n"), Lines{});
  const std::string dust = "particles: {dust: {mass: 1 kg, points: [{position: [0, 0, 0]}]}}\nforces:\n  - mass_flow: ";
  EXPECT_EQ(said(dust + "{links: dust.1, mass: 1 kg}\n"),
            Lines{"f.yaml:12:32: 'mass_flow' has no effect: the mass stays 1 kg"});
  EXPECT_EQ(said(dust + "{links: dust.1, mass: [[0 s, 1 kg], [1 s, 1 kg]]}\n"),
            Lines{"f.yaml:12:32: 'mass_flow' has no effect: the mass stays 1 kg"});
  EXPECT_EQ(said(dust + "{links: dust.1, mass: '1 + t'}\n"), Lines{});
}

TEST(SceneRemarks, CopiesThatDoNotDiffer) {
  const auto of = [](const std::string& copies) {
    return parse_scene("marey: 1\nduration: 1 s\nfigures:\n  g:\n    copies: {" + copies +
                           "}\n    links: {b: {shape: {sphere: 5 cm}, mass: 1 kg}}\n",
                       "f.yaml")
        .remarks;
  };
  EXPECT_EQ(of("count: 2, spacing: [1 m, 0, 0], random: {seed: 3}"),
            Lines{"f.yaml:5:54: 'random' has no effect with a seed alone: nothing says by how much copies may differ"});
  EXPECT_EQ(of("count: 1, spacing: [1 m, 0, 0], turned_by: {axis: z, angle: 10 deg}"),
            Lines{"f.yaml:5:46: 'turned_by' has no effect on a single copy: there is none before it"});
  EXPECT_EQ(of("count: 2, spacing: [1 m, 0, 0], turned_by: {axis: z, angle: 10 deg}, random: {seed: 3, place: 1 cm}"),
            Lines{});
}

// A spec made in code has paths and no lines.
TEST(SceneRemarks, OfAValueMadeInCodeHaveItsPath) {
  SceneSpec spec = parse_spec(head, "f.yaml");
  spec.add("contacts", Value::map({{"link", "f.stone"}, {"rule", "newton"}}));
  EXPECT_EQ(build(spec).remarks,
            Lines{"contacts/0/rule: 'rule' has no effect without restitution: whatever it relates is 0"});
}

// What is read again from a motion was said when it was run.
TEST(SceneRemarks, OfARecordedSceneAreNotRepeated) {
  EXPECT_EQ(build_recorded(parse_spec(head + "contacts: [{link: f.stone, rule: newton}]\n", "f.yaml")).remarks,
            Lines{});
}

}  // namespace
}  // namespace scene_remarks_test
}  // namespace marey
