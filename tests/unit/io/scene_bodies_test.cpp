// Loose bodies in a line each: the same scenes as figures of one free link, written out.
#include <gtest/gtest.h>

#include "marey/dynamics.h"
#include "marey/io/scene.h"

namespace marey::scene_bodies_test {
namespace {

using Vec = Vec3<double>;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 1 s\n" + text, "f.yaml"); }
std::string message_of(const std::string& text) {
  try {
    scene_of(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "taken";
}

TEST(SceneBodies, AreFiguresOfOneFreeLink) {
  const std::string copies =
      "copies: {count: [3, 2], spacing: 50 cm, center: [0, 0, 1], random: {seed: 7, turned: 90 "
      "deg, place: 5 cm, spin: 1 rad/s}}, ";
  const Scene bodies = scene_of("bodies: {box: {at: [1, 2, 3], " + copies +
                                "shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 2 kg, material: wood}}\n"
                                "materials: {wood: {friction: 0.3}}\n"),
              figures = scene_of("figures: {box: {at: [1, 2, 3], " + copies +
                                 "links: {body: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 2 kg, material: wood}}}}\n"
                                 "materials: {wood: {friction: 0.3}}\n");
  ASSERT_EQ(bodies.model.nlink(), 7);
  EXPECT_EQ(bodies.model.names, figures.model.names);
  EXPECT_EQ(bodies.model.names[1], "box-1-1.body");
  EXPECT_EQ(bodies.start.q, figures.start.q);
  EXPECT_EQ(bodies.start.v, figures.start.v);
  EXPECT_EQ(bodies.model.params.links[3].I.m, figures.model.params.links[3].I.m);
}

// Velocities are in the axes of the world, however the body is turned.
TEST(SceneBodies, StartWhereAndAsTheySay) {
  const Scene s = scene_of(
      "bodies: {ball: {at: [1, 2, 3], turned: {axis: z, angle: 90 deg}, velocity: [4, 0, 0], spin: [0, 5, 0], shape: "
      "{sphere: 10 cm}, density: 2000 kg/m^3}, other: {shape: {sphere: 1 m}}}\n");
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  const auto ball = static_cast<std::size_t>(s.model.find("ball.body"));
  EXPECT_NEAR(norm(k.X_WB[ball].p - Vec{1, 2, 3}), 0, 1e-14);
  EXPECT_NEAR(norm(k.X_WB[ball].R * Vec{1, 0, 0} - Vec{0, 1, 0}), 0, 1e-14);
  EXPECT_NEAR(norm(k.V_WB[ball].v - Vec{4, 0, 0}), 0, 1e-14);
  EXPECT_NEAR(norm(k.V_WB[ball].w - Vec{0, 5, 0}), 0, 1e-14);
  EXPECT_GE(s.model.find("other.body"), 1);
}

TEST(SceneBodies, StandBesideFiguresAndAlone) {
  EXPECT_EQ(scene_of("figures: {f: {links: {a: {shape: {sphere: 1 m}}}}}\nbodies: {b: {shape: {sphere: 1 m}}}\n")
                .model.nlink(),
            3);
}

TEST(SceneBodies, WhatTheyAreNotIsSaid) {
  const auto says = [](const std::string& text, const std::string& expected) {
    EXPECT_NE(message_of(text).find(expected), std::string::npos) << message_of(text);
  };
  says("bodies: {}\n",
       "f.yaml:3:9: found an empty map; expected at least one body by its name: {name: {shape: {...}}}");
  says("bodies: {b: {mass: 1 kg}}\n", "found no 'shape' in body");
  says("bodies: {b: {shape: {sphere: 1 m}, joint: hinge}}\n", "f.yaml:3:36: found the unknown key 'joint' in body");
  says("bodies: {b: {shape: {sphere: 1 m}, velocty: [1, 0, 0]}}\n", "did you mean 'velocity'?");
  says("bodies: {b: {shape: {sphere: 1 m}, spin: [1, 0]}}\n", "f.yaml:3:42: ");
  says("figures: {b: {links: {a: {shape: {sphere: 1 m}}}}}\nbodies: {b: {shape: {sphere: 1 m}}}\n",
       "f.yaml:4:10: found 'b' a second time among figures, bodies and their copies; expected another name");
  says("bodies: {b-1: {shape: {sphere: 1 m}}, b: {copies: {count: 2, spacing: [1, 0, 0]}, shape: {sphere: 1 m}}}\n",
       "found 'b-1' a second time");
  says("title: none\n", "found no 'figures' in scene; expected figures, bodies or particles");
}

}  // namespace
}  // namespace marey::scene_bodies_test
