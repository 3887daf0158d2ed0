// BVH files as they come: five odd dialects, and what contradicts itself.
#include "marey/io/bvh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fuzz/bvh_rounds.h"
#include "marey/core.h"
#include "marey/core/index.h"
#include "support/trouble.h"

namespace marey::bvh_test {
namespace {

using Vec = Vec3<double>;
constexpr double degree = std::numbers::pi / 180;

std::string complaint(const std::string& text) {
  return ::trouble::of(ErrorKind::bad_input, [&] { (void)parse_bvh(text, "m.bvh"); });
}
void expect_near(const Vec& a, const Vec& b) { EXPECT_LT(norm(a - b), 1e-12) << a.x << " " << a.y << " " << a.z; }

// A hip with a leg: R(Z 90) of the hip brings its knee from −y to +x, R(X 90) of the knee the foot from −y to −z, which the hip
// leaves where it is.
TEST(BvhDialects, PlainFilesAreReadAsTheirMakersDescribeThem) {
  const BvhMotion m = parse_bvh(fuzz::plain_bvh, "m.bvh");
  ASSERT_EQ(m.joints.size(), 2u);
  EXPECT_EQ(m.joints[0].name, "Hips");
  EXPECT_EQ(m.joints[1].parent, 0);
  EXPECT_EQ(m.frames, 2);
  EXPECT_EQ(m.frame_time, 0.04);
  const std::vector<Transform<double>> X = m.poses(1);
  expect_near(X[0].p, {1, 2, 3});
  expect_near(X[1].p, {1 + 4, 2, 3});
  expect_near(X[1] * *m.joints[1].end, {1 + 4, 2, 3 - 5});
}

// 1: small letters, braces on the line of the name, no line of its own for anything.
TEST(BvhDialects, SmallLettersAndBracesAnywhere) {
  const BvhMotion m = parse_bvh(
      "hierarchy root Hips\n{offset 0 0 0 channels 3 zrotation xrotation yrotation joint Knee\n{offset 0 -4 0 channels "
      "1 "
      "Xrotation end site\n{offset 0 -5 0}}} motion frames: 1 frame time: 0.1\n90 0 0 90",
      "m.bvh");
  expect_near(m.poses(0)[1] * *m.joints[1].end, {4, 0, -5});
}

// 2: six channels everywhere, turns before places, in other orders; the places of joints stand for their offsets.
TEST(BvhDialects, ChannelsInAnyOrder) {
  const BvhMotion m = parse_bvh(
      "HIERARCHY\nROOT Hips\n{\nOFFSET 7 7 7\nCHANNELS 6 Yrotation Xrotation Zrotation Zposition Yposition Xposition\n"
      "JOINT Knee\n{\nOFFSET 0 -4 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation\n}\n}\n"
      "MOTION\nFrames: 1\nFrame Time: 0.1\n30 20 10 3 2 1  0 -4.5 0 40 50 60\n",
      "m.bvh");
  const std::vector<Transform<double>> X = m.poses(0);
  const auto turn = [](int axis, double angle) {
    Vec u;
    u[axis] = 1;
    return rotation_about(u, angle * degree);
  };
  expect_near(X[0].p, {1, 2, 3});
  const Mat3<double> R = turn(1, 30) * turn(0, 20) * turn(2, 10);
  expect_near(X[0].R * Vec{1, 2, 3}, R * Vec{1, 2, 3});
  expect_near(X[1].p, Vec{1, 2, 3} + R * Vec{0, -4.5, 0});
  expect_near(X[1].R * Vec{1, 2, 3}, R * (turn(0, 40) * (turn(1, 50) * (turn(2, 60) * Vec{1, 2, 3}))));
}

// 3: names with spaces and colons, ends with names or in one word, several roots, joints without channels.
TEST(BvhDialects, NamesWithSpacesAndSeveralRoots) {
  const BvhMotion m = parse_bvh(
      "HIERARCHY\nROOT mixamorig:Hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Xposition Yposition Zposition\n JOINT Left Up Leg "
      "\n {\n"
      "  OFFSET 1 0 0\n  CHANNELS 0\n  EndSite LeftToe\n  {\n   OFFSET 0 1 0\n  }\n }\n}\nROOT Prop {\n OFFSET 0 0 "
      "5\n}\n"
      "MOTION\nFrames: 1\nFrame Time: .05\n 1 2 3\n",
      "m.bvh");
  ASSERT_EQ(m.joints.size(), 3u);
  EXPECT_EQ(m.joints[0].name, "mixamorig:Hips");
  EXPECT_EQ(m.joints[1].name, "Left Up Leg");
  EXPECT_EQ(m.joints[2].name, "Prop");
  EXPECT_EQ(m.joints[2].parent, -1);
  expect_near(m.poses(0)[1].p, {2, 2, 3});
  expect_near(m.poses(0)[2].p, {0, 0, 5});
}

// 4: a byte order mark, carriage returns, tabs, numbers as Fortran and C print them, labels glued to their numbers.
TEST(BvhDialects, BytesOfOtherSystems) {
  const BvhMotion m = parse_bvh(
      "\xEF\xBB\xBFHIERARCHY\r\nROOT Hips\r\n{\r\n\tOFFSET\t+0.0\t1.e1 -1E-1\r\n\tCHANNELS 1 "
      "Zrotation\r\n}\r\n\r\nMOTION\r\n"
      "Frames:2\r\nFrameTime:3.3333E-02\r\n+45.\r\n-45.\r\n\r\n",
      "m.bvh");
  expect_near(m.joints[0].offset, {0, 10, -0.1});
  EXPECT_EQ(m.frame_time, 0.033333);
  EXPECT_EQ(m.values, (std::vector<double>{45, -45}));
}

// 5: a frame goes on over several lines, several are in one, and the last has no end.
TEST(BvhDialects, FramesThatKnowNoLines) {
  const BvhMotion m = parse_bvh(
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 0 "
      "0\n}\n}\nMOTION\n"
      "Frames : 3\nFrame  Time : 1\n1\n2\n\n3 4 5 6 7\n8 9",
      "m.bvh");
  EXPECT_EQ(m.frames, 3);
  EXPECT_EQ(m.values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(BvhBad, SaysWhereAndWhatWasExpected) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = fuzz::plain_bvh;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_EQ(complaint(""), "m.bvh:1:1: found its end; expected 'HIERARCHY'");
  EXPECT_EQ(complaint("marey: 1\n"), "m.bvh:1:1: found 'marey:'; expected 'HIERARCHY'");
  EXPECT_EQ(complaint("HIERARCHY\nMOTION\n"),
            "m.bvh:2:1: found 'MOTION'; expected ROOT: a motion of nothing has no joints");
  EXPECT_EQ(complaint(with("OFFSET 0 -4 0", "OFFSET 0 -4")),
            "m.bvh:9:5: found 'CHANNELS'; expected a number, of three of an OFFSET");
  EXPECT_EQ(complaint(with("OFFSET 0 -4 0", "OFFSET 0 -4,5 0")),
            "m.bvh:8:14: found '-4,5'; expected a number, of three of an OFFSET");
  EXPECT_EQ(complaint(with("CHANNELS 3", "CHANNELS 7")),
            "m.bvh:9:14: found '7'; expected the number of channels, from 0 to 6");
  EXPECT_EQ(complaint(with("CHANNELS 3", "CHANNELS 2")),
            "m.bvh:9:36: found 'Zrotation'; expected OFFSET, CHANNELS, JOINT, End Site or }");
  EXPECT_EQ(complaint(with("Yrotation Zrotation", "Xrotation Zrotation")),
            "m.bvh:9:26: found 'Xrotation'; expected each channel once");
  EXPECT_EQ(
      complaint(with("Yrotation Zrotation", "Wrotation Zrotation")),
      "m.bvh:9:26: found 'Wrotation'; expected Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation");
  EXPECT_EQ(complaint(with("Frames: 2", "Frames: 0")),
            "m.bvh:17:9: found '0'; expected a whole number of frames, from 1");
  EXPECT_EQ(complaint(with("Frames: 2", "Frames: 3")),
            "m.bvh:21:1: found its end; expected 3 frames of 9 numbers, of which 18 are there");
  EXPECT_EQ(complaint(with("Frames: 2", "Frames: 1")),
            "m.bvh:20:1: found '1'; expected the end, after 1 frames of 9 numbers");
  EXPECT_EQ(complaint(with("0.04", "0")), "m.bvh:18:13: found '0'; expected a time above zero, in seconds");
  EXPECT_EQ(complaint(with("0.04", "nan")), "m.bvh:18:13: found 'nan'; expected seconds from frame to frame");
  EXPECT_EQ(complaint(with("1 2 3 90", "1 2 x 90")), "m.bvh:20:5: found 'x'; expected a number of a frame");
  EXPECT_EQ(complaint(with("JOINT Knee", "JOINT")),
            "m.bvh:6:8: found the end of the line; expected the name of a joint");
  EXPECT_EQ(complaint(with("JOINT Knee\n", "JOINT Knee\n{")),
            "m.bvh:7:4: found '{'; expected OFFSET, CHANNELS, JOINT, End Site or }");
  EXPECT_EQ(complaint(with("JOINT Knee", "JOINT Hips")),
            "m.bvh:6:9: found 'Hips'; expected a name that no other joint has");
  EXPECT_EQ(complaint("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 20000000\nFrame Time: 0.1\n"),
            "m.bvh:8:9: found '20000000'; expected 1 frame, as no joint has CHANNELS");
  EXPECT_EQ(complaint(fuzz::plain_bvh.substr(0, 60)),
            "m.bvh:5:24: found its end; expected Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation");
}

// Deeper than any stack.
TEST(BvhBad, DepthIsNoTrouble) {
  std::string text = "HIERARCHY\nROOT a\n";
  for (int i = 0; i < 200'000; ++i) text += "{ OFFSET 0 0 0 JOINT a" + std::to_string(i) + "\n";
  EXPECT_NE(complaint(text).find("at most 1000 joints one below another"), std::string::npos);
}

}  // namespace
}  // namespace marey::bvh_test
