// Starts raised on their floors, against those that can be written down.
#include "marey/contact/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace projection_test {

Scene scene_of(const std::string& text) {
  return parse_scene("marey: 1\nduration: 1 s\nstart: projected\n" + text, "f.yaml");
}

TEST(Projections, ABallIsRaisedAndItsFallTakenAway) {
  const Scene s = scene_of(R"(
particles:
  p: {mass: 2 kg, points: [{position: [1, 2, -0.3], velocity: [3, 0, -4]}, {position: [0, 0, 1], velocity: [0, 0, -4]}]}
contacts: [{link: [p.1, p.2], clearance: 0}]
)");
  EXPECT_EQ(s.start.q[0], 1);
  EXPECT_EQ(s.start.q[1], 2);
  EXPECT_NEAR(s.start.q[2], 0, 1e-13);
  EXPECT_EQ(s.start.v[0], 3);
  EXPECT_NEAR(s.start.v[2], 0, 1e-13);
  EXPECT_EQ(s.start.q[5], 1);  // the other one is in the air
  EXPECT_EQ(s.start.v[5], -4);
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_NE(s.notes[0].find("from 0.3 m below"), std::string::npos) << s.notes[0];
  EXPECT_NE(s.notes[0].find("4 m/s"), std::string::npos) << s.notes[0];
}

// A rod with its end a little below the floor rises and turns as an impulse λ at that end would have it: the centre by
// λ/m, the turn by λ (l/2) cos φ/I.
TEST(Projections, ARodRisesAndTurnsByItsInertia) {
  const double phi = 0.3, I = 1.0 / 12, z = 0.5 * std::sin(phi) - 1e-4;
  char text[400];
  std::snprintf(
      text, sizeof text,
      "figures: {rod: {links: {body: {mass: 1 kg, inertia: {diagonal: [0.01, %.17g, %.17g]}, start: {position: [0, "
      "0, %.17g], turned: {axis: y, angle: -0.3}}}}}}\ncontacts: [{link: rod.body, at: [[-0.5, 0, 0]]}]\n",
      I, I, z);
  const Scene s = scene_of(text);
  const double lever = 0.5 * std::cos(phi), lambda = 1e-4 / (1 + lever * lever / I);
  EXPECT_NEAR(s.start.q[6] - z, lambda, 1e-3 * lambda);
  const double turned = 2 * std::atan2(-s.start.q[2], s.start.q[0]);
  EXPECT_NEAR(phi - turned, lambda * lever / I, 1e-3 * lambda);
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  EXPECT_NEAR((k.X_WB[1] * Vec3<double>{-0.5, 0, 0}).z, 0, 1e-12);
}

const char* const sunken_box = R"(
figures:
  box:
    links:
      body:
        shape: {box: [40 cm, 30 cm, 20 cm]}
        mass: 3 kg
        start: {position: [0, 0, 5 cm], turned: {axis: [1, 2, 0], angle: 10 deg}, velocity: [1, 0, -2], spin: [0.3, 1, 0]}
contacts: [{link: box.body, friction: 0.3}]
)";

// All corners end above the floor, none goes into it, and a run can begin.
TEST(Projections, ABoxComesOutWithAllItsCorners) {
  const Scene s = scene_of(sunken_box);
  ASSERT_EQ(s.contacts.size(), 8u);
  const Projection again = project_on_floors(s.model, s.contacts, s.start);
  EXPECT_LE(again.deepest, 1e-12);
  EXPECT_LE(again.slowed, 1e-9);
  std::printf("box: %s\n", s.notes[0].c_str());
  Simulation world(s);
  for (int i = 0; i < 50; ++i) world.step(1);
  for (const double x : world.state().q) EXPECT_TRUE(std::isfinite(x));
}

// Lying flat: four corners touch, one more than it takes.
TEST(Projections, MindNoRedundantPoints) {
  const Scene s = scene_of(R"(
figures:
  box: {links: {body: {shape: {box: [40 cm, 30 cm, 20 cm]}, mass: 3 kg, start: {position: [0, 0, 5 cm], velocity: [0, 0, -1]}}}}
contacts: [{link: box.body}]
)");
  EXPECT_NEAR(s.start.q[6], 0.1, 1e-12);
  EXPECT_NEAR(s.start.q[0], 1, 1e-12);
  EXPECT_NEAR(s.start.v[5], 0, 1e-12);
}

TEST(Projections, LeaveAloneWhatIsAllowed) {
  const Scene s = scene_of(R"(
figures: {ball: {links: {body: {shape: {sphere: 5 cm}, mass: 1 kg, start: {position: [0, 0, 5 cm], velocity: [1, 0, 2]}}}}}
contacts: [{link: ball.body}]
)");
  EXPECT_EQ(s.start.q[6], 0.05);
  EXPECT_EQ(s.start.v[5], 2);
  EXPECT_NE(s.notes[0].find("no change"), std::string::npos);
}

}  // namespace projection_test
}  // namespace marey
