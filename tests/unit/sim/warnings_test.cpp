// What is said before a run.
#include "sim/warnings.h"

#include <fmt/format.h>
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

// A floor's warning is of its worst point, wherever that stands in the list: for the centre of the cube A = 1/m, for a
// corner 4/m.
TEST(Warnings, OfAFloorTheWorstPoint) {
  Scene scene = box_on("stiffness: 2e7 N/m", "integrator: rk4, step: 1 ms");
  const FloorContact corner = scene.contacts[0];
  FloorContact centre = corner;
  centre.point_B = {};
  const double tau = 2 * std::acos(-1.0);
  EXPECT_NEAR(ground_times(scene.model, centre, scene.start).period, tau / std::sqrt(2e7 / 1.2), 1e-12);
  scene.contacts = {corner};
  const std::vector<std::string> worst = warnings_before(scene);
  ASSERT_EQ(worst.size(), 1u);
  EXPECT_NE(worst[0].find("swings in 0.0007695 s: a step of at most 7.7e-05 s is advised"), std::string::npos)
      << worst[0];
  scene.contacts = {centre, corner, centre};
  EXPECT_EQ(warnings_before(scene), worst);
  scene.contacts = {corner, centre};
  EXPECT_EQ(warnings_before(scene), worst);
  scene.contacts = {centre};
  EXPECT_NE(warnings_before(scene), worst);
  // Another floor, with another reason, has a warning of its own; floors alike share one.
  centre.group = "other";
  scene.contacts = {corner, centre};
  ASSERT_EQ(warnings_before(scene).size(), 2u);
  EXPECT_EQ(warnings_before(scene)[0], worst[0]);
  EXPECT_NE(warnings_before(scene)[1].find("under 'other', on which the figure swings in 0.001539 s"),
            std::string::npos)
      << warnings_before(scene)[1];
  FloorContact alike = corner;
  alike.group = "alike";
  scene.contacts = {corner, centre, alike};
  ASSERT_EQ(warnings_before(scene).size(), 2u);
  EXPECT_NE(warnings_before(scene)[0].find("under 'sole' and 'alike', on which"), std::string::npos);
  FloorContact rigid = corner;
  rigid.compliant = false;
  scene.contacts = {rigid};
  EXPECT_TRUE(warnings_before(scene).empty());
}

TEST(Warnings, GroundWithoutAPeriodOrADecay) {
  Scene scene = box_on("stiffness: 3000 N/m, damping: 20 N s/m", "integrator: rk4");
  FloorContact c = scene.contacts[0];
  c.ground.exponent = 1.5;
  EXPECT_EQ(ground_times(scene.model, c, scene.start).period, forever);
  EXPECT_NEAR(ground_times(scene.model, c, scene.start).decay, 1 / (20 * 4 / 1.2), 1e-12);
  c = scene.contacts[0], c.ground.damping = 0;
  EXPECT_LT(ground_times(scene.model, c, scene.start).period, 1);
  EXPECT_EQ(ground_times(scene.model, c, scene.start).decay, forever);
  c = scene.contacts[0], c.compliant = false;
  EXPECT_EQ(ground_times(scene.model, c, scene.start).period, forever);
  EXPECT_EQ(ground_times(scene.model, c, scene.start).decay, forever);
  // Below the centre the point is as easy to move sideways as friction lets it: 1/m upwards, 1/m + z²/J along the plane.
  c = scene.contacts[0], c.point_B = {0, 0, -0.1};
  const double J = 1.2 * 0.04 / 6;
  EXPECT_NEAR(ground_times(scene.model, c, scene.start).decay, 1 / (20 * (1 / 1.2 + 0.01 / J)), 1e-12);
  c.friction_static = c.friction_kinetic = 0;
  EXPECT_NEAR(ground_times(scene.model, c, scene.start).decay, 1.2 / 20, 1e-12);
}

// Of the two directions along the plane the easier one counts: 1/m + z²/J, with J about y for a push along x and about x
// for one along y.
TEST(Warnings, DampingAlongTheEasierDirection) {
  for (const bool along_x : {true, false}) {
    ModelSpec spec;
    LinkSpec link;
    link.name = "body", link.joint = JointType::free;
    const double easy = 0.01, hard = 0.015;
    link.inertia = inertia_about_origin(2.0, {}, {along_x ? hard : easy, along_x ? easy : hard, 0.012, 0, 0, 0});
    spec.links = {link};
    const Model model = freeze(spec);
    FloorContact c;
    c.link = 1, c.point_B = {0, 0, -0.1}, c.friction_static = 0.5;
    c.compliant = true, c.ground = {1000, 1, 20, 0};
    EXPECT_NEAR(ground_times(model, c, neutral_state(model)).decay, 1 / (20 * (0.5 + 0.01 / easy)), 1e-12) << along_x;
  }
}

// A point that the joint cannot move along the normal: there is nothing to swing.
TEST(Warnings, GroundUnderAPointThatCannotMove) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "arm", link.joint = JointType::slider, link.axis = {1, 0, 0}, link.inertia.m = 1;
  spec.links = {link};
  const Model model = freeze(spec);
  FloorContact c;
  c.link = 1, c.compliant = true, c.ground = {1e8, 1, 1e6, 0};
  const GroundTimes times = ground_times(model, c, neutral_state(model));
  EXPECT_EQ(times.period, forever);
  EXPECT_EQ(times.decay, forever);
}

// A plate whose corners touch together: each alone would let pass a step with which the books do not close.
TEST(Warnings, GroundIsAsStiffAsAllItsPoints) {
  const std::string text =
      "marey: 1\nduration: 1 s\nsolver: {step: STEP}\nrecord: {every: 0.1 s, channels: [energy]}\n"
      "figures: {box: {links: {b: {shape: {box: [40 cm, 40 cm, 4 cm]}, mass: 2 kg, start: {position: [0, 0, 10 cm], "
      "turned: {axis: x, angle: 10 deg}}}}}}\n"
      "contacts: [{link: box.b, at: corners, friction: 0.5, compliant: {stiffness: 50 kN/m}}]\n";
  const auto with_step = [&](double h) {
    std::string own = text;
    own.replace(own.find("STEP"), 4, std::to_string(1e3 * h) + " ms");
    return parse_scene(own, "test.yaml");
  };
  const Scene scene = with_step(1e-4);
  const double alone = 0.1 * ground_times(scene.model, scene.contacts[0], scene.start).period,
               advised = 0.1 * ground_period(scene.model, scene.contacts, scene.start);
  const auto closed = [&](double h) {
    Simulation s(with_step(h));
    s.run_until(1);
    return s.ledger().closed;
  };
  EXPECT_FALSE(closed(alone));
  EXPECT_TRUE(closed(advised));
  EXPECT_GT(advised, 0.3 * alone);
  EXPECT_NE(warnings_before(with_step(3 * alone))[0].find(fmt::format("at most {:.3g} s is advised", advised)),
            std::string::npos);
  EXPECT_TRUE(warnings_before(with_step(0.99 * advised)).empty());
  ASSERT_EQ(warnings_before(with_step(1.01 * advised)).size(), 1u);
  EXPECT_NE(warnings_before(with_step(1.01 * advised))[0].find("on all points of which together"), std::string::npos);
  // One point of a mass alone: its own period.
  Scene single = scene;
  single.contacts.resize(1), single.contacts[0].friction_static = 0;
  EXPECT_NEAR(ground_period(single.model, single.contacts, single.start),
              ground_times(single.model, single.contacts[0], single.start).period, 1e-9);
}

}  // namespace
