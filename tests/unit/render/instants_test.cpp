// Which instants and which points: times, poses between frames, names of points, what options say.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pictures.h"

namespace marey {
namespace {

using pictures::Ending, pictures::ending_of, pictures::moving_body, pictures::shape_at;

PictureScene ten_seconds() {
  std::vector<Vec3<double>> places;
  for (int i = 0; i <= 10; ++i) places.push_back({double(i), 0, 1});
  return moving_body({shape_at(Capsule{0.1, 0.4}, {0, 0, -0.3})}, places);
}

TEST(Instants, EvenlySpacedWithBothEnds) {
  StrobeOptions o;
  o.count = 5;
  EXPECT_EQ(strobe_times(ten_seconds(), o), (std::vector<double>{0, 2.5, 5, 7.5, 10}));
  o.begin = 2, o.end = 4, o.count = 3;
  EXPECT_EQ(strobe_times(ten_seconds(), o), (std::vector<double>{2, 3, 4}));
  o.every = 0.5;
  EXPECT_EQ(strobe_times(ten_seconds(), o), (std::vector<double>{2, 2.5, 3, 3.5, 4}));
  o.at = {7, 1, 7};
  EXPECT_EQ(strobe_times(ten_seconds(), o), (std::vector<double>{1, 7}));
}

TEST(Instants, OutsideTheMotionIsRefused) {
  StrobeOptions o;
  o.at = {11};
  const Ending late = ending_of([&] { strobe_times(ten_seconds(), o); });
  EXPECT_EQ(late.kind, ErrorKind::bad_input);
  EXPECT_NE(late.says.find("from 0 s to 10 s"), std::string::npos) << late.says;
  o.at.clear(), o.begin = 20;
  EXPECT_EQ(ending_of([&] { strobe_times(ten_seconds(), o); }).kind, ErrorKind::bad_input);
  o.begin = 0, o.count = 0;
  EXPECT_EQ(ending_of([&] { strobe_times(ten_seconds(), o); }).kind, ErrorKind::bad_input);
  o.every = 1e-6;
  EXPECT_EQ(ending_of([&] { strobe_times(ten_seconds(), o); }).kind, ErrorKind::bad_input);
}

// The motion holds no orientation of a particle: it keeps the axes of its joint's frame.
TEST(Instants, ParticlesNeverTurn) {
  ModelSpec spec;
  LinkSpec grain;
  grain.name = "grain", grain.joint = JointType::point, grain.inertia = {1, {}, {}};
  grain.X_PF.R = rotation_about(Vec3<double>{1, 0, 0}, 0.3);
  spec.links = {grain};
  Motion motion;
  motion.channels = {{"time", "s", {""}, ""}, {"link/grain/position", "m", {"x", "y", "z"}, ""}};
  motion.values = {{0, 1}, {1, 2, 3, 4, 5, 6}};
  const PictureScene scene = picture_scene(freeze(spec), motion);
  ASSERT_EQ(scene.X_WB.size(), 2u);
  EXPECT_EQ(scene.X_WB[1][1].p.y, 5);
  EXPECT_EQ(scene.X_WB[1][1].R.zy, grain.X_PF.R.zy);
}

// Between two frames a quarter turn apart the joint of the second link stays on the first.
TEST(Instants, JointsStayClosedBetweenFrames) {
  PictureScene scene;
  scene.links = {{"world", 0, {}, {}}, {"a", 0, {}, {}}, {"b", 1, {}, {}}};
  const Vec3<double> y{0, 1, 0}, joint{0, 0, -1};
  for (const double angle : {0.0, std::numbers::pi / 2}) {
    std::vector<Transform<double>> X(3);
    X[1].R = rotation_about(y, angle);
    X[2] = X[1] * Transform<double>{rotation_about(y, 2 * angle), joint};
    scene.times.push_back(angle == 0 ? 0 : 2);
    scene.X_WB.push_back(X);
  }
  const auto X = poses_at(scene, 0.5);
  const Mat3<double> expected = rotation_about(y, std::numbers::pi / 8);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR((&X[1].R.xx)[i], (&expected.xx)[i], 1e-12);
  EXPECT_NEAR(norm(X[2].p - X[1] * joint), 0, 1e-12);
  EXPECT_NEAR(norm(poses_at(scene, -1)[2].p - scene.X_WB[0][2].p), 0, 1e-15);
  EXPECT_NEAR(norm(poses_at(scene, 9)[2].p - scene.X_WB[1][2].p), 0, 1e-15);
}

TEST(Instants, PointsOfLinksByName) {
  const PictureScene scene = ten_seconds();
  EXPECT_NEAR(trail_point(scene, "thing.body").p_BoQ_B.z, -0.6, 1e-12);
  EXPECT_NEAR(norm(trail_point(scene, "thing.body@origin").p_BoQ_B), 0, 0);
  const LinkPoint p = trail_point(scene, "thing.body@0.1,-2,3e-1");
  EXPECT_EQ(p.link, 1);
  EXPECT_NEAR(norm(p.p_BoQ_B - Vec3<double>{0.1, -2, 0.3}), 0, 1e-15);
  for (const char* bad : {"thing.body@", "thing.body@1,2", "thing.body@1,2,x", "nothing"})
    EXPECT_EQ(ending_of([&] { trail_point(scene, bad); }).kind, ErrorKind::bad_input) << bad;
  const Ending part = ending_of([&] { trail_point(scene, "body"); });
  EXPECT_NE(part.says.find("did you mean 'thing.body'"), std::string::npos) << part.says;
}

TEST(Instants, SizesAndDirectionsAsWritten) {
  StrobeOptions o;
  parse_picture_size("640x480", o);
  EXPECT_EQ(o.width, 640);
  EXPECT_EQ(o.height, 480);
  for (const char* bad : {"640", "0x10", "axb", "640x480x2", "99999x10", "10.5x20", ""})
    EXPECT_EQ(ending_of([&] { parse_picture_size(bad, o); }).kind, ErrorKind::bad_input) << bad;
  parse_picture_view("90,-30", o);
  EXPECT_NEAR(*o.azimuth, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(*o.elevation, -std::numbers::pi / 6, 1e-15);
  StrobeOptions half;
  parse_picture_view("45", half);
  EXPECT_TRUE(half.azimuth.has_value());
  EXPECT_FALSE(half.elevation.has_value());
  for (const char* bad : {"", "north", "1,2,3", "10,91"})
    EXPECT_EQ(ending_of([&] { parse_picture_view(bad, o); }).kind, ErrorKind::bad_input) << bad;
  // What is said may be typed again.
  EXPECT_NE(ending_of([&] { parse_picture_view("0,91", o); }).says.find("expected -90 to 90"), std::string::npos);
}

// Poses come from the channels of the links, geometry from the model.
TEST(Instants, SceneFromAMotion) {
  Model model;
  model.names = {"world", "arm"};
  model.links.resize(2);
  model.params.links.resize(2);
  model.params.links[1].I = {2.0, {0, 0, -1}, {}};
  model.shapes = {{}, {shape_at(Sphere{0.1}, {})}};
  Motion motion;
  motion.title = "One arm";
  motion.channels = {{"time", "s", {""}, ""},
                     {"link/arm/position", "m", {"x", "y", "z"}, ""},
                     {"link/arm/orientation", "", {"w", "x", "y", "z"}, ""}};
  const double c = std::sqrt(0.5);
  motion.values = {{0, 1}, {0, 0, 0, 1, 2, 3}, {1, 0, 0, 0, c, 0, 0, c}};
  const PictureScene scene = picture_scene(model, motion);
  EXPECT_EQ(scene.times, (std::vector<double>{0, 1}));
  EXPECT_NEAR(norm(scene.X_WB[1][1].p - Vec3<double>{1, 2, 3}), 0, 0);
  EXPECT_NEAR(scene.X_WB[1][1].R.yx, 1, 1e-15) << "a quarter turn about z takes x to y";
  EXPECT_NEAR(scene.links[1].p_BoBcm_B.z, -0.5, 1e-15);
  // Floors of contacts, each once, where they are and not where points stay above them.
  FloorContact sole;
  sole.plane.offset = 0.3, sole.clearance = 0.1;
  const PictureScene on_floors = picture_scene(model, motion, std::vector{sole, sole});
  ASSERT_EQ(on_floors.floors.size(), 1u);
  EXPECT_NEAR(on_floors.floors[0].height, 0.2, 1e-15);
  motion.channels.pop_back(), motion.values.pop_back();
  EXPECT_EQ(ending_of([&] { picture_scene(model, motion); }).kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace marey
