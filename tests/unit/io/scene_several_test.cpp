// One entry for several links: pushes and drives by lists and patterns, as other forces take them; and what each is called.
#include <gtest/gtest.h>

#include "marey/io/scene.h"
#include "support/recorded.h"

namespace marey::scene_several_test {

using Names = std::vector<std::string>;

// A free trunk with two arms of two hinges each, and a tail on a ball.
const std::string diver = R"(marey: 1
duration: 0.3 s
figures:
  diver:
    links:
      trunk: {shape: {box: [20 cm, 30 cm, 60 cm]}, start: {position: [0, 0, 2 m], spin: [0, 1, 0]}}
      left: {parent: trunk, joint: {type: hinge, axis: y}, at: [0, 20 cm, 20 cm], shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}}
      right: {parent: trunk, joint: {type: hinge, axis: y}, at: [0, -20 cm, 20 cm], shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}}
      tail: {parent: trunk, joint: ball, at: [0, 0, -30 cm], shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}}
      rail: {parent: trunk, joint: {type: slider, axis: x}, shape: {sphere: 5 cm}}
)";
Scene scene_with(const std::string& more) { return parse_scene(diver + more, "test.yaml"); }
Names elements_of(const Scene& scene) {
  Names names;
  for (const Element& e : scene.elements) names.push_back(e.name);
  return names;
}
Names constraints_of(const Scene& scene) {
  Names names;
  for (const Constraint& c : scene.constraints) names.push_back(c.name);
  return names;
}
// The same motion, whoever wrote it.
void expect_same(const std::string& short_text, const std::string& long_text) {
  recorded::Memory a, b;
  run(scene_with(short_text), a), run(scene_with(long_text), b);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    for (const char* channel : {"link/diver.trunk/position", "joint/diver.left/angle", "joint/diver.tail/angle"}) {
      const std::span<const double> x = a.at(channel, k), y = b.at(channel, k);
      EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << channel << " in frame " << k;
    }
}

TEST(SceneSeveral, PushesOnEachLink) {
  EXPECT_EQ(elements_of(scene_with("forces: [{push: {link: [diver.left, diver.tail], force: [1 N, 0, 0]}}]\n")),
            (Names{"diver.left/push", "diver.tail/push"}));
  EXPECT_EQ(
      elements_of(scene_with("forces: [{spike: {name: gust, link: diver.*, force: [1 N, 0, 0], lasts: 0.1 s}}]\n")),
      (Names{"gust/diver.trunk", "gust/diver.left", "gust/diver.right", "gust/diver.tail", "gust/diver.rail"}));
  expect_same("forces: [{push: {link: ['diver.l*', diver.tail], force: ['sin(9*t)', 0, 1 N]}}]\n",
              "forces:\n  - push: {link: diver.left, force: ['sin(9*t)', 0, 1 N]}\n  - push: {link: diver.tail, force: "
              "['sin(9*t)', 0, 1 N]}\n");
}

// Of a pattern those joints that can do so; what is free in the world is not meant.
TEST(SceneSeveral, DrivesOfEachJoint) {
  EXPECT_EQ(constraints_of(scene_with("drives: [{joint: diver.*, angle: '0.1*t^3'}]\n")),
            (Names{"diver.left/drive", "diver.right/drive"}));
  EXPECT_EQ(constraints_of(scene_with("drives: [{name: stiff, joint: diver.*, locked: true}]\n")),
            (Names{"stiff diver.left", "stiff diver.right", "stiff diver.tail x", "stiff diver.tail y",
                   "stiff diver.tail z", "stiff diver.rail"}));
  EXPECT_EQ(constraints_of(scene_with("drives: [{joint: diver.*, freedom: x, velocity: 0}]\n")),
            (Names{"diver.tail/drive"}));
  EXPECT_EQ(constraints_of(scene_with("drives: [{joint: diver.*, slide: '0.1*t^3'}]\n")), (Names{"diver.rail/drive"}));
  expect_same("drives: [{joint: [diver.left, diver.right], angle: '0.5*t^3', until: 0.2 s}]\n",
              "drives: [{joint: diver.left, angle: '0.5*t^3', until: 0.2 s}, {joint: diver.right, angle: '0.5*t^3', "
              "until: 0.2 s}]\n");
}

// An error in one of several is at the place of the entry.
TEST(SceneSeveral, AreRefusedAtTheirPlace) {
  const auto said = [](const std::string& more) {
    try {
      scene_with(more);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(
      said("drives: [{joint: [diver.left, diver.lft], angle: 0}]\n").find("test.yaml:11:31: found the unknown link"),
      0u);
  EXPECT_EQ(said("drives: [{joint: diver.*, angle: 1}]\n").find("test.yaml:11:10: "), 0u)
      << said("drives: [{joint: diver.*, angle: 1}]\n");
  EXPECT_EQ(said("drives: [{joint: diver.*}]\n").find("test.yaml:11:10: "), 0u) << said("drives: [{joint: diver.*}]\n");
}

TEST(SceneSeveral, HoldsHaveTheNameOfTheirFigure) {
  EXPECT_EQ(elements_of(scene_with("forces: [{hold: {links: diver.*, stiffness: 10 N/m, damping: 1 N s/m}}, {hold: "
                                   "{links: diver.tail, damping: 1 N s/m}}]\n")),
            (Names{"diver/hold", "diver/hold_damping", "diver.tail/hold_damping"}));
  EXPECT_EQ(elements_of(scene_with("forces: [{hold: {links: [diver.*, dust.a], stiffness: 10 N/m}}]\nparticles: {dust: "
                                   "{mass: 1 g, points: {a: {position: [0, 0, 0]}}}}\n")),
            Names{"hold"});
}

// What is left of a mass is said with the instant at which nothing is, wherever the method looked.
TEST(SceneSeveral, AMassThatIsGoneSaysWhen) {
  for (const char* solver : {"{integrator: rk4, step: 7 ms}", "{integrator: rk45}", "{integrator: adams}",
                             "{integrator: semi_implicit, step: 7 ms}"}) {
    recorded::Memory memory;
    const RunSummary summary = run(parse_scene("marey: 1\nduration: 2 s\nsolver: " + std::string(solver) +
                                                   "\nparticles: {r: {mass: 1 kg, points: [{position: [0, 0, 0]}]}}\n"
                                                   "forces: [{mass_flow: {links: r.*, mass: '1 - t'}}]\n",
                                               "test.yaml"),
                                   memory);
    EXPECT_NE(summary.breakdown.find("from t = 1 s on nothing is left of the mass of 'r.1'"), std::string::npos)
        << solver << summary.breakdown;
  }
}

}  // namespace marey::scene_several_test
