// Figures that follow files: a motion that was exported and is followed again is the same motion; what cannot be followed is
// refused where it stands.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "marey/io/animation.h"
#include "marey/io/inverse.h"
#include "marey/io/scene.h"
#include "motion_fake.h"
#include "support/trouble.h"

namespace marey::scene_script_test {
namespace {

using ::trouble::contents;

Motion run_of(const Scene& scene, const std::string& file) {
  {
    MotionFile motion(file);
    run(scene, motion);
  }
  return read_motion(file);
}
void put(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

double farthest_apart(const Motion& a, const Motion& b, const std::string& pattern) {
  double most = 0;
  for (const ColumnIndex& c : columns_like(a, pattern)) {
    const std::vector<double> x = a.column(column_name(a.channels[c.channel], c.column)),
                              y = b.column(column_name(a.channels[c.channel], c.column));
    for (std::size_t f = 0; f < std::min(x.size(), y.size()); ++f) most = std::max(most, std::abs(x[f] - y[f]));
  }
  return most;
}

const std::string two_links = R"(marey: 1
duration: 0.6 s
gravity: 0
figures:
  f:
    at: [1, 2, 3]
    turned: {axis: y, angle: 20 deg}
    SCRIPT
    links:
      trunk: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 2 kg, start: {position: [10 cm, 0, 0], velocity: [0.2, 0.1, 0.3], spin: [1, 2, -3]}}
      arm: {parent: trunk, joint: ball, at: [0, 12 cm, 10 cm], shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 1 kg,
            start: {turned: {axis: [1, 2, 3], angle: 80 deg}, spin: [4, -5, 2]}}
      hand: {parent: arm, joint: {type: hinge, axis: [1, 0, 1]}, at: [0, 0, -32 cm], shape: {box: [4 cm, 4 cm, 10 cm]}, mass: 0.3 kg,
             start: {angle: 170 deg, rate: 3 rad/s}}
record: {per_second: 100}
)";
std::string with_script(const std::string& script) {
  std::string text = two_links;
  return text.replace(text.find("SCRIPT"), 6, script);
}

// A free fall of three bodies, exported and followed: what holds them at it is nothing but the error of curves through 100 frames
// per second, h⁴ of the fourth derivative, and what integrating an angular velocity adds to it.
TEST(SceneScripts, WhatWasExportedIsFollowed) {
  const fake::Folder folder;
  const Motion free =
      run_of(parse_scene(with_script("{}").replace(with_script("{}").find("    {}\n"), 7, ""), folder / "free.yaml"),
             folder / "free.h5");
  for (const UpAxis up : {UpAxis::y, UpAxis::z}) {
    AnimationRequest r{folder / "m.bvh"};
    r.per_second = 100, r.scale = 100, r.up = up, r.existing = Existing::replace;
    export_animation(free.file, r);
    const std::string script =
        up == UpAxis::y ? "script: {bvh: m.bvh, scale: 0.01}" : "script: {bvh: m.bvh, scale: 0.01, up: z}";
    const Scene scene = parse_scene(with_script(script), folder / "f.yaml");
    EXPECT_EQ(scene.constraints.size(), 6u + 3 + 1);
    const Motion followed = run_of(scene, folder / (up == UpAxis::y ? "y.h5" : "z.h5"));
    ASSERT_EQ(followed.frames, free.frames);
    EXPECT_LT(farthest_apart(free, followed, "link/*/position"), 2e-6);
    EXPECT_LT(farthest_apart(free, followed, "link/*/orientation"), 1e-5);
    // The end condition of a natural spline is felt in the first and last frames alone.
    EXPECT_LT(farthest_apart(free, followed, "link/*/velocity"), 0.05);
    EXPECT_LT(std::abs(followed.column("energy/residual").back()), 1e-6);
  }
}

// Once more at a coarser rate: four times the time between frames, the error of the curves with its fourth power in the middle.
TEST(SceneScripts, CurvesConverge) {
  const fake::Folder folder;
  const Motion free =
      run_of(parse_scene(with_script("{}").replace(with_script("{}").find("    {}\n"), 7, ""), folder / "free.yaml"),
             folder / "free.h5");
  std::array<double, 2> off{};
  for (const int i : {0, 1}) {
    AnimationRequest r{folder / "m.bvh"};
    r.per_second = i == 0 ? 25 : 50, r.existing = Existing::replace;
    export_animation(free.file, r);
    const Motion followed = run_of(parse_scene(with_script("script: {bvh: m.bvh}"), folder / "f.yaml"),
                                   folder / ("f" + std::to_string(i) + ".h5"));
    const std::vector<double> x = free.column("link/f.arm/orientation.x"),
                              y = followed.column("link/f.arm/orientation.x");
    for (std::size_t f = 20; f <= 40; ++f)
      off[static_cast<std::size_t>(i)] = std::max(off[static_cast<std::size_t>(i)], std::abs(x[f] - y[f]));
  }
  EXPECT_GT(off[0] / off[1], 6) << off[0] << " " << off[1];
}

// What the drives did is what inverse dynamics finds, in the joints.
TEST(SceneScripts, TorquesAreThoseOfTheDrives) {
  const fake::Folder folder;
  put(folder / "k.csv", "frame,hand [deg]\n0,10\n12,60\n24,-20\n36,40\n");
  const Scene scene = parse_scene(with_script("script: {keyframes: k.csv, per_second: 60}"), folder / "f.yaml");
  ASSERT_EQ(scene.constraints.size(), 1u);
  EXPECT_EQ(scene.constraints[0].name, "f.hand/script angle");
  const Motion motion = run_of(scene, folder / "f.h5");
  const std::vector<double> angle = motion.column("joint/f.hand/angle");
  const std::vector<double> keys{10, 60, -20, 40};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(angle[20 * k] * 180 / std::numbers::pi, keys[k], 1e-9) << k;
  const Motion torques = inverse_dynamics(motion);
  const std::vector<double> found = torques.column("joint/f.hand/torque"),
                            did = motion.column("constraint/f.hand/script angle/multiplier");
  ASSERT_EQ(found.size(), did.size());
  double largest = 0;
  for (std::size_t f = 0; f + 1 < did.size(); ++f) {
    EXPECT_NEAR(found[f], did[f], 1e-9) << f;
    largest = std::max(largest, std::abs(did[f]));
  }
  EXPECT_GT(largest, 0.01);
}

TEST(SceneScripts, KeyframesOfBallsAndRoots) {
  const fake::Folder folder;
  put(folder / "k.csv",
      "\"time [s]\",arm.x [deg],arm.y [deg],arm.z [deg],trunk.place.x [cm],trunk.place.y [cm],trunk.place.z\n"
      "0,0,0,0,10,0,0\n\n0.3,30,90,20,20,5,0.1\n0.6,60,180,-40,10,10,0\n");
  const Scene scene = parse_scene(with_script("script: {keyframes: k.csv}"), folder / "f.yaml");
  const Motion motion = run_of(scene, folder / "f.h5");
  // The middle one, in which y is at a right angle.
  const auto attitude = [&](const char* link) {
    const auto q = motion.at(motion.find(std::string("link/") + link + "/orientation"), 30);
    return rotation(Quaternion<double>{q[0], q[1], q[2], q[3]});
  };
  const auto turn = [](Vec3<double> u, double degrees) { return rotation_about(u, degrees * std::numbers::pi / 180); };
  const Mat3<double> R = turn({1, 0, 0}, 30) * turn({0, 1, 0}, 90) * turn({0, 0, 1}, 20);
  const Mat3<double> found = transpose(attitude("f.trunk")) * attitude("f.arm");
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(found(i, j), R(i, j), 1e-5);
  const auto p = motion.at(motion.find("link/f.trunk/position"), 30);
  const Vec3<double> expected = Vec3<double>{1, 2, 3} + turn({0, 1, 0}, 20) * Vec3<double>{0.2, 0.05, 0.1};
  EXPECT_LT(norm(Vec3<double>{p[0], p[1], p[2]} - expected), 1e-9);
}

// With contact in steps, and let go on the way.
TEST(SceneScripts, InStepsAndUntilATime) {
  const fake::Folder folder;
  put(folder / "k.csv", "time [s],hand [deg]\n0,10\n0.2,60\n0.6,-20\n");
  std::string text = with_script("script: {keyframes: k.csv, until: 0.2 s}");
  text += "solver: {contact: stepping, step: 1 ms}\nscenery: {floor: {plane: -5 m}}\ncollide: all\n";
  const Motion motion = run_of(parse_scene(text, folder / "f.yaml"), folder / "f.h5");
  EXPECT_NEAR(motion.column("joint/f.hand/angle")[20] * 180 / std::numbers::pi, 60, 1e-3);
  EXPECT_EQ(motion.column("constraint/f.hand/script angle/holds").back(), 0);
}

// A time is read in the unit of its heading.
TEST(SceneScripts, TimesHaveUnits) {
  const fake::Folder folder;
  put(folder / "k.csv", "time [ms],hand [deg]\n0,10\n200,60\n600,-20\n");
  const Motion motion =
      run_of(parse_scene(with_script("script: {keyframes: k.csv}"), folder / "f.yaml"), folder / "f.h5");
  EXPECT_NEAR(motion.column("joint/f.hand/angle")[20] * 180 / std::numbers::pi, 60, 1e-9);
}

// The file goes along in the motion.
TEST(SceneScripts, MotionsHoldTheirFiles) {
  const fake::Folder folder;
  put(folder / "k.csv", "time,hand\n0,0.1\n0.6,0.5\n");
  const Motion motion =
      run_of(parse_scene(with_script("script: {keyframes: k.csv}"), folder / "f.yaml"), folder / "f.h5");
  std::filesystem::remove(folder / "k.csv");
  EXPECT_EQ(scene_of(motion).constraints.size(), 1u);
}

TEST(SceneScripts, AreRefusedWhereTheyStand) {
  const fake::Folder folder;
  put(folder / "m.bvh",
      "HIERARCHY\nROOT trunk\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\nMOTION\nFrames: 1\n"
      "Frame Time: 0.1\n0 0 0\n");
  put(folder / "bad.bvh", "HIERARCHY\nROOT trunk\n{\nOFFSET 0 0\n}\n");
  put(folder / "k.csv", "frame,hand [deg],hand.x\n0,1,2\n1,1,2\n");
  put(folder / "n.csv", "time,hand [kg]\n0,1\n1,1\n");
  put(folder / "t.csv", "time,arm.x,arm.y\n0,1,2\n0,1,2\n");
  put(folder / "a.csv", "time,arm.x,arm.y\n0,1,2\n1,1,2\n");
  put(folder / "m.csv", "time [m],hand\n0,1\n1,2\n");
  put(folder / "u.csv", "frame [s],hand\n0,1\n1,2\n");
  put(folder / "late.csv", "frame,hand\n1,1\n2,2\n");
  put(folder / "one.csv", "time,hand\n0,1\n");
  const auto complaint = [&](const std::string& script) {
    return ::trouble::of(ErrorKind::bad_input,
                         [&] { (void)parse_scene(with_script("script: " + script), folder / "f.yaml"); });
  };
  const auto expect = [&](const std::string& script, const std::string& place, const std::string& words) {
    const std::string found = complaint(script);
    EXPECT_NE(found.find(place), std::string::npos) << found;
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  expect("{}", "f.yaml:8:13", "expected bvh or keyframes");
  expect("{bvh: none.bvh}", "f.yaml:8:19", "none.bvh");
  expect("{bvh: bad.bvh}", "bad.bvh:5:1", "expected a number, of three of an OFFSET");
  expect("{bvh: m.bvh, map: {arm: trunk, leg: trunk}}", "f.yaml:8:44", "found 'leg', which is no link of 'f'");
  expect("{bvh: m.bvh, map: {arm: truk}}", "f.yaml:8:37", "did you mean 'trunk'");
  expect("{bvh: m.bvh, pose: {arm: {axis: x, angle: 90 deg}}}", "f.yaml:8:33", "follows no joint of the file");
  expect("{bvh: m.bvh, per_second: 3}", "f.yaml:8:26", "per_second");
  expect("{keyframes: k.csv}", "f.yaml:8:25", "expected per_second");
  expect("{keyframes: k.csv, per_second: 24}", "f.yaml:8:25", "found the column 'hand.x' for a hinge joint");
  expect("{keyframes: n.csv}", "n.csv:1:6", "expected a unit of angles or lengths");
  expect("{keyframes: t.csv}", "t.csv:3:1", "expected times from 0 on that ascend");
  expect("{keyframes: m.csv}", "m.csv:1:1: found 'time [m]'", "expected a unit of time");
  expect("{keyframes: u.csv}", "u.csv:1:1", "expected frame without a unit");
  expect("{keyframes: late.csv, per_second: 24}", "late.csv:2:1: found '1'", "expected 0 first");
  expect("{keyframes: one.csv}", "one.csv:3:1", "expected two lines of numbers or more");
  expect("{keyframes: a.csv}", "f.yaml:8:25", "found 2 of three columns of 'arm'");
  expect("{keyframes: k.csv, map: {arm: x}, per_second: 1}", "f.yaml", "");
}

}  // namespace
}  // namespace marey::scene_script_test
