// Joints in scenes: what is read, and where what is wrong is pointed out.
#include <gtest/gtest.h>

#include <numbers>

#include "marey/io/motion.h"
#include "marey/io/scene.h"
#include "sim/recorder.h"

namespace marey {
namespace {

constexpr double degree = std::numbers::pi / 180;

Scene scene_of(const std::string& joint, const std::string& more = "", const std::string& torques = "") {
  return parse_scene("marey: 1\nduration: 1 s\nfigures:\n  f:\n    links:\n      a:\n        joint: " + joint +
                         "\n        shape: {box: [1 cm, 2 cm, 3 cm]}\n        mass: 1 kg\n" + more + torques,
                     "s.yaml");
}
void expect_refusal(const std::string& joint, const std::string& words, const std::string& more = "",
                    const std::string& torques = "") {
  try {
    scene_of(joint, more, torques);
    ADD_FAILURE() << "taken: " << joint << more << torques;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(SceneJoints, AreReadWithTheirCoordinates) {
  const Scene u = scene_of("{type: universal, axes: [x, y]}",
                           "        start: {coordinates: {first: 10 deg, 2: 20 deg}, rates: {second: 1}}\n");
  EXPECT_DOUBLE_EQ(u.start.q[0], 10 * degree);
  EXPECT_DOUBLE_EQ(u.start.q[1], 20 * degree);
  EXPECT_EQ(u.start.v[1], 1);
  const Scene c = scene_of("{type: cylindrical, axis: z}", "        start: {coordinates: {slide: 2 cm}}\n");
  EXPECT_DOUBLE_EQ(c.start.q[1], 0.02);
  const Scene p = scene_of("{type: planar, axis: y}", "        start: {rates: {across: 2 m/s}}\n");
  EXPECT_EQ(p.start.v[1], 2);
  EXPECT_EQ(p.model.params.general[0].axes[3].z, 1);  // y is followed by z
  const Scene s = scene_of("{type: screw, axis: z, pitch: 5 mm}");
  EXPECT_EQ(s.model.nv, 1);
  const Scene e = scene_of("{type: ellipsoid, radii: [1 cm, 2 cm, 3 cm]}");
  EXPECT_EQ(e.model.nq, 4);
}

TEST(SceneJoints, ElementsNameACoordinate) {
  const Scene s =
      scene_of("{type: planar, axis: z}", "",
               "torques:\n  - free_play: {joint: f.a, coordinate: across, from: 0, to: 1 cm, slope: 3 N/m, "
               "friction: 2 N s/m}\n  - reflex: {joint: f.a, coordinate: 3, stiffness: 1 N m/rad, delay: 0.1 s}\n"
               "  - friction: {joint: f.a, coordinate: along, coefficient: 4 N s/m}\n");
  ASSERT_EQ(s.elements.size(), 4u);
  EXPECT_EQ(s.elements[0].kind.get_if<FreePlay>()->angle.coordinate, 1);
  EXPECT_EQ(s.elements[1].kind.get_if<JointFriction>()->freedom, 1);
  EXPECT_EQ(s.elements[2].kind.get_if<Reflex>()->angle.coordinate, 2);
  EXPECT_EQ(s.elements[3].kind.get_if<JointFriction>()->freedom, 0);
  EXPECT_EQ(s.elements[3].kind.get_if<JointFriction>()->coefficient, 4);
  const Scene slider =
      scene_of("{type: slider, axis: x}", "",
               "torques:\n  - free_play: {joint: f.a, coordinate: slide, from: 0, to: 1 cm, slope: 3 N/m}\n");
  EXPECT_DOUBLE_EQ(slider.elements[0].kind.get_if<FreePlay>()->to.at(0), 0.01);
}

TEST(SceneJoints, RefusalsPointAtThePlace) {
  expect_refusal("universal", "s.yaml:7:16: found 'universal'; expected two axes too: {type: universal, axes: [x, y]}");
  expect_refusal("{type: universal, axes: [x, -x]}", "two axes that are not parallel");
  expect_refusal("{type: planar, axis: z, along: z}", "a direction in the plane");
  expect_refusal("{type: screw, axis: z}", "axis and pitch too");
  expect_refusal("{type: ellipsoid, radii: [1 cm, 0, 1 cm]}", "s.yaml:7:");
  expect_refusal("{type: hinge, axis: z, pitch: 5 mm}", "'pitch'");
  expect_refusal("{type: custom, coordinates: [u]}", "found the coordinate 'u' in no function");
  expect_refusal("{type: custom, coordinates: [u, u], angles: {about_x: {slope: 1}}}", "no other coordinate");
  expect_refusal("{type: custom, coordinates: [u, v], angles: {about_x: {slope: 1}}}", "expected of: its coordinate");
  expect_refusal("{type: custom, coordinates: [u], angles: {about_x: {of: w, slope: 1}}}",
                 "found the unknown coordinate 'w'");
  expect_refusal("{type: custom, coordinates: [u], angles: {about_x: {table: [[0, 0], [0, 1]]}}}", "more than the 0");
  expect_refusal("{type: custom, coordinates: [u], angles: {about_x: {table: [[0, 0], [1, 3 cm]]}}}", "an angle");
  expect_refusal("{type: custom, coordinates: [u], angles: {about_x: [{slope: 1}, {slope: 2}]}}", "second function");
  expect_refusal("{type: custom, coordinates: [u], angles: {about_x: {slope: 1, table: [[0, 0], [1, 1]]}}}", "table");
}

TEST(SceneJoints, ConditionsHaveTheUnitOfTheirCoordinate) {
  const auto spike = [](const std::string& condition) {
    return "forces:\n  - spike: {link: f.a, force: [1 N, 0, 0], lasts: 0.1 s, every: 1 s, when: {angle_of: f.a, " +
           condition + "}}\n";
  };
  const auto threshold = [&](const std::string& joint, const std::string& condition) {
    const Scene s = scene_of(joint, "", spike(condition));
    return s.elements.at(0).kind.get_if<Push>()->schedule.conditions.at(0).threshold;
  };
  EXPECT_DOUBLE_EQ(threshold("{type: hinge, axis: x}", "above: 5 deg"), 5 * degree);
  EXPECT_DOUBLE_EQ(threshold("{type: planar, axis: z}", "coordinate: across, above: 5 cm"), 0.05);
  EXPECT_DOUBLE_EQ(threshold("{type: planar, axis: z}", "coordinate: angle, above: 5 deg"), 5 * degree);
  expect_refusal("{type: planar, axis: z}", "found an angle (deg); expected a length", "",
                 spike("coordinate: across, above: 5 deg"));
  expect_refusal("{type: hinge, axis: x}", "found a length (cm); expected an angle", "", spike("above: 5 cm"));
}

TEST(SceneJoints, RefusesForcesOnNoCoordinate) {
  const std::string planar = "{type: planar, axis: z}";
  const auto free_play = [](const std::string& keys) {
    return "torques:\n  - free_play: {joint: f.a, " + keys + ", from: 0, to: 1, slope: 1}\n";
  };
  expect_refusal(planar, "which has several; expected coordinate: along, across or angle", "",
                 free_play("angle: coordinate"));
  expect_refusal(planar, "expected coordinate: along, across or angle", "", free_play("angle: {twist: x}"));
  expect_refusal(planar, "found the unknown coordinate 'acros'; did you mean 'across'?", "",
                 free_play("coordinate: acros"));
  expect_refusal("ball", "which has none that adds up", "", free_play("coordinate: x"));
  expect_refusal(planar, "which turns and slides", "        friction: 1\n");
  expect_refusal(planar, "a second time", "",
                 "torques:\n  - friction: {joint: f.a, coordinate: 1, coefficient: 1}\n"
                 "  - friction: {joint: f.a, coordinate: along, coefficient: 1}\n");
}

// Columns of one channel may be angles and lengths: each has the unit of its own freedom.
TEST(SceneJoints, EveryColumnHasTheUnitOfItsFreedom) {
  const std::string custom =
      "{type: custom, coordinates: {a: angle, b: length, c: angle}, angles: {about_x: {of: a, slope: 1}, about_z: {of: "
      "c, slope: "
      "1}}, displacements: {along_x: {of: b, slope: 1}}}";
  for (const std::string& joint :
       {std::string("{type: planar, axis: y}"), std::string("{type: cylindrical, axis: z}"),
        std::string("{type: universal, axes: [x, y]}"), std::string("{type: screw, axis: z, pitch: 1 cm}"),
        std::string("{type: slider, axis: x}"), std::string("{type: hinge, axis: x}"), std::string("ball"),
        std::string("free"), custom}) {
    SCOPED_TRACE(joint);
    Scene scene;
    ASSERT_NO_THROW(scene = scene_of(joint, ""));
    const int link = scene.model.nlink() - 1;
    const std::vector<JointCoordinate> freedoms = freedoms_of(scene.model, link);
    int found = 0;
    for (const Channel& c : channels_of(scene)) {
      if (c.name != "joint/" + scene.model.names[static_cast<std::size_t>(link)] + "/velocity") continue;
      for (std::size_t k = 0; k < freedoms.size(); ++k, ++found)
        EXPECT_EQ(unit_of(c, k), freedoms[k].is_length ? "m/s" : "rad/s") << k;
    }
    EXPECT_EQ(found, static_cast<int>(freedoms.size()));
  }
}
}  // namespace
}  // namespace marey
