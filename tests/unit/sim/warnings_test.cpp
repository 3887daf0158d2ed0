// What is said before a run.
#include "sim/warnings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "support/recorded.h"

namespace {

using namespace marey;

// A box of 1.2 kg with its eight corners on ground that gives way.
Scene box_on(const std::string& ground, const std::string& solver, const std::string& name = ", name: sole") {
  return parse_scene(
      "marey: 1\nduration: 0.1 s\nsolver: {" + solver +
          "}\nfigures:\n  b: {links: {body: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1.2 kg, "
          "start: {position: [0, 0, 10 cm]}}}}\ncontacts:\n  - {link: b.body, friction: 0.5, compliant: {" +
          ground + "}" + name + "}\n",
      "test.yaml");
}

TEST(Warnings, GroundThatIsStiffByItsDamping) {
  const std::string stiff = "stiffness: 2000 N/m, damping: 20000 N s/m";
  const std::vector<std::string> said = warnings_before(box_on(stiff, "integrator: rk4, step: 1 ms"));
  ASSERT_EQ(said.size(), 1u) << "one for all corners";
  EXPECT_NE(said[0].find("the ground under 'sole', whose damping takes the figure's speed in"), std::string::npos)
      << said[0];
  EXPECT_TRUE(warnings_before(box_on(stiff, "integrator: bdf")).empty());
  EXPECT_TRUE(warnings_before(box_on("stiffness: 2000 N/m, damping: 20 N s/m", "integrator: rk4, step: 1 ms")).empty());
}

TEST(Warnings, GroundThatIsStiffByItsSpring) {
  const std::vector<std::string> said =
      warnings_before(box_on("stiffness: 2e7 N/m", "integrator: rk4, step: 1 ms", ""));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("the ground under 'b.body/floor', on which the figure swings in"), std::string::npos)
      << said[0];
}

// The corner of a cube of edge s: A = 1/m + 2 (s/2)²/J with J = m s²/6, so 4/m in every direction.
TEST(Warnings, TimesOfTheGround) {
  const Scene scene = box_on("stiffness: 3000 N/m, damping: 20 N s/m", "integrator: rk4");
  const GroundTimes times = ground_times(scene.model, scene.contacts[0], scene.start);
  EXPECT_NEAR(times.period, 2 * std::acos(-1.0) / std::sqrt(3000 * 4 / 1.2), 1e-12);
  EXPECT_NEAR(times.decay, 1 / (20 * 4 / 1.2), 1e-12);
}

TEST(Warnings, FloorsAlikeAreNamedTogether) {
  const std::vector<std::string> said = warnings_before(parse_scene(R"(marey: 1
duration: 1 s
particles:
  w: {mass: 1 kg, points: {a: {position: [0, 0, 0]}, b: {position: [1 m, 0, 0]}, c: {position: [2 m, 0, 0]}, d: {position: [3 m, 0, 0]}, e: {position: [4 m, 0, 0]}}}
contacts:
  - {link: w.*, compliant: {stiffness: 1e8 N/m}}
)",
                                                                    "test.yaml"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("'w.a/floor', 'w.b/floor', 'w.c/floor' and 2 more"), std::string::npos) << said[0];
}

TEST(Warnings, ADenseMatrixOfManyFreedoms) {
  const auto grid = [](const std::string& count, const std::string& integrator) {
    return parse_scene("marey: 1\nduration: 1 s\nsolver: {integrator: " + integrator +
                           "}\nparticles:\n  j: {grid: {count: [" + count +
                           "], spacing: 4 cm}, mass: 2 g, springs: {stiffness: 8 N/m}}\n",
                       "test.yaml");
  };
  const std::string said = warning_of_cost(grid("5, 5, 5", "bdf"));
  EXPECT_NE(said.find("375 degrees of freedom"), std::string::npos) << said;
  EXPECT_NE(said.find("rk45 or adams"), std::string::npos) << said;
  EXPECT_EQ(warnings_before(grid("5, 5, 5", "bdf")), std::vector<std::string>{said});
  EXPECT_EQ(warning_of_cost(grid("5, 5, 5", "adams")), "");
  EXPECT_EQ(warning_of_cost(grid("3, 3, 3", "bdf")), "");
}

// A run says again at its end what was said before it, by the reader of the scene and of the steps, and what it did.
TEST(Warnings, StandInTheSummary) {
  Scene scene = box_on("stiffness: 2e7 N/m", "integrator: rk4, step: 1 ms");
  scene.duration = 0.005;
  scene.warnings = {"the reader warns"};
  scene.notes = {"the reader notes"};
  recorded::Memory memory;
  const RunSummary summary = run(scene, memory);
  ASSERT_EQ(summary.warnings.size(), 2u);
  EXPECT_EQ(summary.warnings[0], "the reader warns");
  EXPECT_EQ(summary.warnings[1], warnings_before(scene).at(0));
  ASSERT_FALSE(summary.notes.empty());
  EXPECT_EQ(summary.notes[0], "the reader notes");
  EXPECT_EQ(summary.title, scene.title);
  EXPECT_GE(summary.steps, 5);
  EXPECT_EQ(summary.steps_this_time, summary.steps);
  EXPECT_NEAR(summary.realtime_factor * summary.wall, summary.simulated, 1e-12);
}

}  // namespace
