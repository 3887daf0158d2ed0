#include "marey/io/scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>
#include <string>

#include "io/scene/yaml.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/dynamics.h"
#include "marey/force/element_maker.h"
#include "marey/model/joint_forms.h"
#include "marey/scene/keys.h"
#include "support/large_scenes.h"
#include "support/sanitized.h"

namespace marey {

namespace scene_test {

constexpr double pi = std::numbers::pi;
const std::string root = MAREY_SOURCE_DIR;

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Scene scene_of(const std::string& links, const std::string& more = "") {
  return parse_scene("marey: 1\nduration: 1 s\nfigures:\n  f:\n    links:\n" + links + more, "f.yaml");
}

void expect_near(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_NEAR(a.x, b.x, 1e-14);
  EXPECT_NEAR(a.y, b.y, 1e-14);
  EXPECT_NEAR(a.z, b.z, 1e-14);
}

const LinkParams<double>& params(const Scene& scene, const std::string& link) {
  return scene.model.params.links[static_cast<std::size_t>(scene.model.find(link))];
}
const LinkTopology& topology(const Scene& scene, const std::string& link) {
  return scene.model.links[static_cast<std::size_t>(scene.model.find(link))];
}
const Shape& shape(const Scene& scene, const std::string& link, std::size_t i = 0) {
  return scene.model.shapes[static_cast<std::size_t>(scene.model.find(link))][i];
}

const Element& element(const Scene& scene, const std::string& name) {
  for (const Element& e : scene.elements)
    if (e.name == name) return e;
  throw std::runtime_error("no element called " + name);
}
template <class E>
const E& element_of(const Scene& scene, const std::string& name) {
  return *element(scene, name).kind.get_if<E>();
}

// The taste of the format that the design gives.
const std::string taste = R"(marey: 1
title: A finger taps on a table
source: A7
duration: 8 s
gravity: [0, 0, -9.81]
solver: {dynamics: armstrong, integrator: semi_implicit, slow_band: 1, step: 10 ms}
figures:
  finger:
    links:
      knuckle:  {mass: 2 kg, inertia: {sphere: 3 cm}, support: {to: [0, 0, 12 cm], stiffness: 400 N/m, damping: 40 N s/m}}
      proximal: {parent: knuckle, joint: ball, shape: {capsule: {radius: 8 mm, length: 4 cm}}, mass: 20 g}
torques:
  - free_play: {joint: finger.proximal, angle: {twist: y}, from: -5 deg, to: 40 deg, slope: 0.4 N m/rad, friction: 2 mN m s}
forces:
  - spike: {link: finger.proximal, force: [0, 0, -2 N], lasts: 0.11 s, every: 2 s, from: 2 s}
record: {every: 0.1 s}
)";

TEST(Scene, ReadsTheTasteOfTheDesign) {
  const Scene scene = parse_scene(taste, "taste.yaml");
  EXPECT_EQ(scene.file, "taste.yaml");
  EXPECT_EQ(scene.text, taste);
  EXPECT_EQ(scene.title, "A finger taps on a table");
  EXPECT_EQ(scene.source, "A7");
  EXPECT_DOUBLE_EQ(scene.duration, 8);
  EXPECT_DOUBLE_EQ(scene.solver.step, 0.01);
  EXPECT_EQ(scene.solver.dynamics, Dynamics::armstrong);
  EXPECT_EQ(scene.solver.integrator, Integrator::semi_implicit);
  EXPECT_DOUBLE_EQ(scene.record.every, 0.1);
  EXPECT_EQ(topology(scene, "finger.knuckle").joint, JointType::free);
  EXPECT_EQ(topology(scene, "finger.proximal").joint, JointType::ball);
  EXPECT_NEAR(params(scene, "finger.knuckle").I.J.xx, 0.4 * 2 * 0.03 * 0.03, 1e-16);
  const auto& spring = element_of<SupportSpring>(scene, "finger.knuckle/support");
  EXPECT_DOUBLE_EQ(spring.stiffness, 400);
  expect_near(spring.target_W, {0, 0, 0.12});
  EXPECT_DOUBLE_EQ(element_of<SupportDamper>(scene, "finger.knuckle/support_damping").damping, 40);
  const auto& play = element_of<FreePlay>(scene, "finger.proximal/free_play");
  EXPECT_EQ(play.angle.kind, NamedAngle::Kind::twist);
  expect_near(play.angle.axis, {0, 1, 0});
  EXPECT_DOUBLE_EQ(play.from.at(0), -5 * pi / 180);
  EXPECT_DOUBLE_EQ(play.to.at(7), 40 * pi / 180);
  EXPECT_DOUBLE_EQ(play.slope_below.at(0), 0.4);
  EXPECT_DOUBLE_EQ(element_of<JointFriction>(scene, "finger.proximal/friction").coefficient, 0.002);
  const auto& spike = element_of<Push>(scene, "finger.proximal/spike");
  EXPECT_DOUBLE_EQ(spike.schedule.from, 2);
  EXPECT_DOUBLE_EQ(spike.schedule.every, 2);
  EXPECT_DOUBLE_EQ(spike.schedule.lasts, 0.11);
  expect_near(spike.force, {0, 0, -2});
}

TEST(Scene, DefaultsAreThoseOfTheGuide) {
  const Scene scene = scene_of("      a: {mass: 1, inertia: {sphere: 1}}\n");
  EXPECT_EQ(scene.title, "f");
  EXPECT_EQ(scene.solver.dynamics, Dynamics::aba);
  EXPECT_EQ(scene.solver.integrator, Integrator::rk4);
  EXPECT_DOUBLE_EQ(scene.solver.step, 1e-3);
  EXPECT_DOUBLE_EQ(scene.record.every, 1.0 / 60);
  EXPECT_DOUBLE_EQ(closed_within(scene), 1e-3);
  expect_near(scene.model.params.gravity, {0, 0, -9.81});
  EXPECT_EQ(topology(scene, "f.a").joint, JointType::free);
  EXPECT_TRUE(scene.warnings.empty());
}

TEST(Scene, PlacesShapes) {
  const std::string mass = ", mass: 1}\n";
  const Scene s = scene_of(
      "      a: {shape: {capsule: {radius: 1, length: 4, along: x}}" + mass +
      "      b: {shape: {cylinder: {radius: 1, length: 4, along: -z, from: [1, 0, 0]}}" + mass +
      "      c: {shape: {capsule: {radius: 1, from: [1, 0, 0], to: [1, 3, 4]}}" + mass +
      "      d: {shape: {box: {size: [1, 2, 3], along: -y}}" + mass +
      "      e: {shape: {ellipsoid: {radii: [1, 2, 3], along: z}}" + mass +
      "      f: {shape: {capsule: {radius: 1, length: 4, along: y, center: [0, 0, 7]}}" + mass +
      "      g: {shape: {capsule: {radius: 1, length: 4}}" + mass +
      "      h: {shape: {cylinder: {radius: 1, length: 4, center: [1, 2, 3], turned: {axis: y, angle: 90 deg}}}" +
      mass);
  // The long axis is S's z; it goes from the joint towards the axis named.
  const Vec3<double> z{0, 0, 1};
  expect_near(shape(s, "f.a").X_BS.p, {2, 0, 0});
  expect_near(shape(s, "f.a").X_BS.R * z, {1, 0, 0});
  expect_near(shape(s, "f.b").X_BS.p, {1, 0, -2});
  expect_near(shape(s, "f.b").X_BS.R * z, {0, 0, -1});
  expect_near(shape(s, "f.c").X_BS.p, {1, 1.5, 2});
  expect_near(shape(s, "f.c").X_BS.R * z, {0, 0.6, 0.8});
  EXPECT_DOUBLE_EQ(std::get<Capsule>(shape(s, "f.c").solid).length, 5);
  expect_near(shape(s, "f.d").X_BS.p, {0, -1, 0});
  expect_near(shape(s, "f.e").X_BS.p, {0, 0, 3});
  expect_near(shape(s, "f.f").X_BS.p, {0, 0, 7});
  expect_near(shape(s, "f.f").X_BS.R * z, {0, 1, 0});
  expect_near(shape(s, "f.g").X_BS.p, {0, 0, 0});
  expect_near(shape(s, "f.h").X_BS.p, {1, 2, 3});
  expect_near(shape(s, "f.h").X_BS.R * z, {1, 0, 0});
  // The centre of mass is where the shape is.
  expect_near(params(s, "f.a").I.h, {2, 0, 0});
}

TEST(Scene, SharesMassByVolumeAndAddsShapes) {
  const Scene s = scene_of(
      "      a: {shape: [{box: [1, 1, 1]}, {box: {size: [1, 1, 3], center: [4, 0, 0]}}], mass: 8}\n"
      "      b: {shape: [{box: [1, 1, 1], mass: 2}, {box: {size: [1, 1, 3], center: [4, 0, 0]}, density: 2}]}\n"
      "      c: {shape: {box: [1, 1, 2]}, density: 10}\n");
  for (const char* link : {"f.a", "f.b"}) {
    const Inertia<double>& I = params(s, link).I;
    EXPECT_NEAR(I.m, 8, 1e-14);
    EXPECT_NEAR(I.h.x, 24, 1e-13);
    // Two boxes: m(b² + c²)/12 each, and the second by 4 off the axis.
    EXPECT_NEAR(I.J.zz, 2 * 2 / 12.0 + 6 * 2 / 12.0 + 6 * 16, 1e-12);
  }
  EXPECT_NEAR(params(s, "f.c").I.m, 20, 1e-14);
}

TEST(Scene, TakesInertiaInEveryForm) {
  const Scene s = scene_of(
      "      a: {mass: 2, inertia: {sphere: 0.5}, center_of_mass: [1, 0, 0]}\n"
      "      b: {mass: 2, inertia: {diagonal: [1, 2, 2.5]}}\n"
      "      c: {mass: 2, inertia: {matrix: [[2, -0.1, 0], [-0.1, 2, 0.2], [0, 0.2, 3]]}}\n"
      "      d: {joint: {type: hinge, axis: y}, mass: 2, inertia: point, center_of_mass: [0, 0, -3]}\n"
      "      e: {mass: 3, inertia: {box: {size: [1, 2, 3], along: z}}}\n"
      "      f: {shape: {sphere: 0.5}, inertia: {bounding_box: 1000 kg/m^3}}\n"
      "      g: {shape: {capsule: {radius: 0.1, length: 2, along: x}}, mass: 1, inertia: {sphere: 1}}\n"
      "      h: {mass: 1, inertia: {diagonal: [1, 1, 1]}, enlarge: {axis: z, factor: 1.5}}\n");
  EXPECT_NEAR(params(s, "f.a").I.J.xx, 0.4 * 2 * 0.25, 1e-15);
  EXPECT_NEAR(params(s, "f.a").I.J.zz, 0.4 * 2 * 0.25 + 2, 1e-15);
  EXPECT_DOUBLE_EQ(params(s, "f.b").I.J.zz, 2.5);
  EXPECT_DOUBLE_EQ(params(s, "f.c").I.J.xy, -0.1);
  EXPECT_DOUBLE_EQ(params(s, "f.c").I.J.yz, 0.2);
  EXPECT_NEAR(params(s, "f.d").I.J.yy, 18, 1e-14);
  expect_near(params(s, "f.e").I.h, {0, 0, 4.5});
  EXPECT_NEAR(params(s, "f.f").I.m, 1000, 1e-10);
  expect_near(params(s, "f.g").I.h, {1, 0, 0});
  EXPECT_NEAR(params(s, "f.g").I.J.xx, 0.4, 1e-14);
  EXPECT_NEAR(params(s, "f.h").I.J.zz, 1.5, 1e-14);
}

TEST(Scene, HangsLinksAndFigures) {
  const Scene s = parse_scene(
      "marey: 1\nduration: 1 s\nfigures:\n"
      "  b:\n    at: [1, 0, 0]\n    turned: {axis: z, angle: 90 deg}\n    links:\n"
      "      hand: {parent: arm, joint: ball, at: [2, 0, 0], mass: 1, inertia: {sphere: 1}}\n"
      "      arm: {joint: {type: hinge, axis: [0, 3, 0]}, at: [0, 0, 5], turned: [0, 0, 90 deg], mass: 1, inertia: "
      "{sphere: 1}}\n"
      "  c:\n    links:\n      hat: {parent: b.hand, joint: weld, mass: 1, inertia: {sphere: 1}}\n",
      "f.yaml");
  EXPECT_EQ(topology(s, "b.hand").parent, s.model.find("b.arm"));
  EXPECT_EQ(topology(s, "c.hat").parent, s.model.find("b.hand"));
  expect_near(params(s, "b.arm").l, {1, 0, 5});
  expect_near(params(s, "b.arm").R_PF * Vec3<double>{1, 0, 0}, {-1, 0, 0});
  expect_near(params(s, "b.arm").axis, {0, 1, 0});
  expect_near(params(s, "b.hand").l, {2, 0, 0});
}

TEST(Scene, StartsWhereItIsTold) {
  const Scene s = scene_of(
      "      a: {mass: 1, inertia: {sphere: 1}, start: {position: [1, 2, 3], turned: {axis: z, angle: 90 deg}, "
      "velocity: [4, "
      "5, 6], spin: [1, 0, 0]}}\n"
      "      b: {joint: {type: hinge, axis: x}, mass: 1, inertia: {sphere: 1}, start: {angle: 30 deg, rate: 2}}\n"
      "      c: {joint: {type: slider, axis: x}, mass: 1, inertia: {sphere: 1}, start: {slide: 3 cm, speed: 2}}\n"
      "      d: {joint: ball, mass: 1, inertia: {sphere: 1}, start: {turned: [0, 0, 0, 1], spin: [1, 2, 3]}}\n");
  const auto q = [&](const char* link, int i) { return s.start.q[static_cast<std::size_t>(topology(s, link).q + i)]; };
  const auto v = [&](const char* link, int i) { return s.start.v[static_cast<std::size_t>(topology(s, link).v + i)]; };
  EXPECT_NEAR(q("f.a", 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(q("f.a", 3), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(q("f.a", 4), 1);
  EXPECT_EQ(q("f.a", 6), 3);
  // x of the joint's frame is −y of the link, turned by 90° about z.
  EXPECT_NEAR(v("f.a", 0), 0, 1e-15);
  EXPECT_NEAR(v("f.a", 1), -1, 1e-15);
  EXPECT_EQ(v("f.a", 3), 4);
  EXPECT_NEAR(q("f.b", 0), pi / 6, 1e-15);
  EXPECT_EQ(v("f.b", 0), 2);
  EXPECT_NEAR(q("f.c", 0), 0.03, 1e-15);
  EXPECT_EQ(v("f.c", 0), 2);
  EXPECT_EQ(q("f.d", 3), 1);
  EXPECT_NEAR(v("f.d", 0), -1, 1e-15);
  EXPECT_NEAR(v("f.d", 2), 3, 1e-15);
}

TEST(Scene, ChainsRepeatTheirLink) {
  const Scene s = parse_scene(
      "marey: 1\nduration: 1 s\nfigures:\n  rope:\n    at: [0, 0, 2]\n    chain:\n      links: 5\n      spacing: [0, "
      "0, -1]\n"
      "      link: {joint: ball, mass: 1, inertia: {sphere: 1}, friction: 1 N m s}\n"
      "      first: {at: [1, 0, 0], joint: {type: hinge, axis: y}, start: {angle: 1}}\n"
      "      last: {mass: 7}\n",
      "f.yaml");
  EXPECT_EQ(s.model.nlink(), 6);
  EXPECT_EQ(topology(s, "rope.1").joint, JointType::hinge);
  EXPECT_EQ(topology(s, "rope.5").joint, JointType::ball);
  EXPECT_EQ(topology(s, "rope.3").parent, s.model.find("rope.2"));
  expect_near(params(s, "rope.1").l, {1, 0, 2});
  expect_near(params(s, "rope.4").l, {0, 0, -1});
  EXPECT_EQ(params(s, "rope.4").I.m, 1);
  EXPECT_EQ(params(s, "rope.5").I.m, 7);
  EXPECT_EQ(s.elements.size(), 5u);
  EXPECT_EQ(s.start.q[0], 1);
}

TEST(Scene, LongChainsAreQuick) {
  const Scene s = parse_scene(
      "marey: 1\nduration: 1 s\nfigures:\n  rope: {chain: {links: 100000, spacing: [0, 0, -1], link: {joint: ball, "
      "mass: 1, "
      "inertia: {sphere: 1}}}}\n",
      "f.yaml");
  EXPECT_EQ(s.model.nlink(), 100'001);
}

TEST(Scene, SupportsHoldWhereTheFigureStarts) {
  const Scene s = scene_of(
      "      a: {joint: {type: hinge, axis: y}, at: [0, 0, 1], mass: 1, inertia: {sphere: 1}, start: {angle: 90 deg}}\n"
      "      b: {parent: a, joint: ball, at: [1, 0, 0], mass: 2, inertia: {sphere: 1}, support: {point: [0, 0, 1], "
      "stiffness: "
      "1 N/m, turning_stiffness: 1 N m/rad, lift: weight}}\n");
  const auto& spring = element_of<SupportSpring>(s, "f.b/support");
  // Ry(90°): x goes down, z forwards. Bo is at (0, 0, 0), the point one further along x.
  expect_near(spring.target_W, {1, 0, 0});
  expect_near(rotation(spring.target_turn) * Vec3<double>{1, 0, 0}, {0, 0, -1});
  const auto& lift = element_of<Push>(s, "f.b/lift");
  expect_near(lift.force, {0, 0, 3 * 9.81});
  expect_near(lift.point_B, {0, 0, 1});
  EXPECT_FALSE(lift.body_axes);
}

TEST(Scene, TorquesReachManyJoints) {
  const std::string links =
      "      a: {mass: 1, inertia: {sphere: 1}}\n"
      "      b: {parent: a, joint: ball, mass: 1, inertia: {sphere: 1}}\n"
      "      c: {parent: b, joint: ball, mass: 1, inertia: {sphere: 1}}\n"
      "      d: {parent: c, joint: {type: hinge, axis: y}, mass: 1, inertia: {sphere: 1}}\n";
  const Scene s =
      scene_of(links,
               "torques:\n"
               "  - free_play: {joint: f.*, angle: {twist: x}, from: 0, to: 1, slope: 1 N m}\n"
               "  - free_play: {joint: f.*, from: -1, to: [[0 s, 0], [1 s, 2]], slope_below: 2, slope_above: 3}\n"
               "  - free_play: {name: stop, joint: [f.b, f.c], angle: {euler: z}, from: 0, to: 1, slope: 1}\n"
               "  - friction: {joint: f.*, coefficient: 2 N m s}\n");
  std::set<std::string> names;
  for (const Element& e : s.elements) names.insert(e.name);
  EXPECT_EQ(names, (std::set<std::string>{"f.b/free_play", "f.c/free_play", "f.d/free_play", "stop/f.b", "stop/f.c",
                                          "f.b/friction", "f.c/friction", "f.d/friction"}));
  const auto& d = element_of<FreePlay>(s, "f.d/free_play");
  EXPECT_EQ(d.angle.kind, NamedAngle::Kind::coordinate);
  EXPECT_DOUBLE_EQ(d.to.at(0.5), 1);
  EXPECT_DOUBLE_EQ(d.slope_below.at(0), 2);
  EXPECT_DOUBLE_EQ(d.slope_above.at(0), 3);
  EXPECT_EQ(element_of<FreePlay>(s, "stop/f.c").angle.kind, NamedAngle::Kind::euler_z);
}

TEST(Scene, ForcesKeepTheirSchedule) {
  const Scene s = load_scene(root + "/tests/unit/io/good/every-key.yaml");
  const auto& tap = element_of<Push>(s, "tap");
  EXPECT_TRUE(tap.body_axes);
  EXPECT_DOUBLE_EQ(tap.schedule.until, 1.5);
  ASSERT_EQ(tap.schedule.conditions.size(), 5u);
  EXPECT_EQ(tap.schedule.conditions[4].quantity, Condition::Quantity::touching);
  EXPECT_EQ(tap.schedule.conditions[4].names, (TouchingNames{"body", ""}));
  EXPECT_FALSE(tap.schedule.conditions[4].above);  // not
  EXPECT_EQ(tap.schedule.conditions[0].quantity, Condition::Quantity::height);
  EXPECT_TRUE(tap.schedule.conditions[0].above);
  EXPECT_DOUBLE_EQ(tap.schedule.conditions[0].threshold, 0.1);
  EXPECT_EQ(tap.schedule.conditions[1].quantity, Condition::Quantity::speed);
  EXPECT_FALSE(tap.schedule.conditions[1].above);
  EXPECT_EQ(tap.schedule.conditions[2].quantity, Condition::Quantity::distance_from_start);
  EXPECT_EQ(tap.schedule.conditions[3].quantity, Condition::Quantity::angle);
  EXPECT_NEAR(tap.schedule.conditions[3].threshold, pi / 2, 1e-15);
  const auto& wind = element_of<Push>(s, "wind");
  EXPECT_DOUBLE_EQ(wind.schedule.from, 1);
  EXPECT_DOUBLE_EQ(wind.schedule.lasts, 1);
  EXPECT_DOUBLE_EQ(s.record.every, 0.02);
  EXPECT_DOUBLE_EQ(closed_within(s), 1e-4);
}

TEST(Scene, OptionsOfTheCommandLineAreCheckedToo) {
  SceneOverrides o;
  o.duration = 3, o.step = 0.02, o.record_every = 0.5, o.dynamics = Dynamics::crba, o.integrator = Integrator::euler;
  const Scene scene = parse_scene(taste, "taste.yaml", o);
  EXPECT_EQ(scene.duration, 3);
  EXPECT_EQ(scene.solver.step, 0.02);
  EXPECT_EQ(scene.record.every, 0.5);
  EXPECT_EQ(scene.solver.dynamics, Dynamics::crba);
  EXPECT_EQ(scene.solver.integrator, Integrator::euler);
  const auto said = [&](const SceneOverrides& overrides) -> std::string {
    try {
      parse_scene(taste, "taste.yaml", overrides);
      return "";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      return e.what();
    }
  };
  SceneOverrides bad;
  bad.step = 9;
  EXPECT_EQ(said(bad).rfind("--step: found a step of 9 s", 0), 0u) << said(bad);
  bad = {}, bad.duration = -1;
  EXPECT_EQ(said(bad).rfind("--duration: ", 0), 0u) << said(bad);
  bad = {}, bad.slow_band = 2, bad.integrator = Integrator::rk4;
  EXPECT_EQ(said(bad).rfind("--slow-band: ", 0), 0u) << said(bad);
  EXPECT_DOUBLE_EQ(time_from("10 ms", "--step"), 0.01);
  EXPECT_THROW(time_from("10 cm", "--step"), Error);
  EXPECT_EQ(dynamics_from("crba", "--solver"), Dynamics::crba);
  EXPECT_EQ(integrator_from("euler", "--integrator"), Integrator::euler);
  try {
    dynamics_from("abba", "--solver");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()),
              "--solver: found 'abba'; did you mean 'aba'? expected armstrong, aba, crba, dense or multipliers");
  }
}

// ------------------------------------------------------------------------------------------ keys and their schema
TEST(SceneKeys, TheScenesOfEveryKeyHaveThemAll) {
  std::set<std::string> used;
  const auto visit = [&](const auto& self, const Value& node) -> void {
    for (const ValueEntry& e : node.entries) used.insert(e.key), self(self, *e.value);
    for (const ValuePtr& item : node.items) self(self, *item);
  };
  for (const char* name : {"every-key.yaml", "weld-keys.yaml", "multiplier-keys.yaml", "record-keys.yaml",
                           "record-keys-heavy.yaml", "shape-keys.yaml", "contact-keys.yaml", "human-keys.yaml",
                           "wobble-keys.yaml", "script-keys.yaml", "wants.yaml"}) {
    const std::string file = root + "/tests/unit/io/good/" + name;
    EXPECT_NO_THROW(load_scene(file)) << name;
    const YamlDocument document = parse_yaml(content_of(file), file);
    visit(visit, *document.root);
  }
  // Forces and torques have examples of their own, which element_forms_test builds.
  for (const ElementForms* forms : {&force_forms(), &torque_forms()})
    for (const ElementForm* form : forms->all)
      for (const char* example : form->examples) {
        used.insert(form->keys.name);
        visit(visit, *parse_yaml(example, "example").root);
      }
  for (const ConstraintForm* form : constraint_forms())
    for (const char* example : form->examples)
      used.insert(form->key), visit(visit, *parse_yaml(example, "example").root);
  for (const JointForm* form : joint_forms())
    for (const char* example : form->examples) visit(visit, *parse_yaml(example, "example").root);
  for (const KeyTable& table : scene_key_tables())
    for (const KeyInfo& info : table.keys) EXPECT_TRUE(used.count(info.key)) << table.name << ": " << info.key;
}

TEST(Scene, WeldsAreReadWithTheirUnits) {
  const Scene s = load_scene(root + "/tests/unit/io/good/weld-keys.yaml");
  ASSERT_TRUE(s.solver.weld.has_value());
  EXPECT_DOUBLE_EQ(s.solver.weld->below, 0.02);
  EXPECT_DOUBLE_EQ(s.solver.weld->lasts, 0.3);
  EXPECT_DOUBLE_EQ(s.solver.weld->wake, 0.2);
}

TEST(SceneKeys, TheShippedSchemaIsTheReaders) {
  EXPECT_TRUE(content_of(root + "/gallery/schema/marey-scene.schema.json") == scene_schema())
      << "the tables of keys or the kinds have changed: ./marey check --schema > "
         "gallery/schema/marey-scene.schema.json";
}

TEST(SceneKeys, TheShippedReferenceIsTheReaders) {
  EXPECT_TRUE(content_of(root + "/docs/guide/keys.md") == scene_reference())
      << "the tables of keys or the kinds have changed: ./marey check --reference > docs/guide/keys.md";
}

// One row each in the table of scenes.md, with what it says of itself; and no row of what there is not.
TEST(SceneKeys, TheGuideNamesEveryIntegrator) {
  const std::string guide = content_of(root + "/docs/guide/scenes.md"),
                    title = "Which integrator fits which motion:\n\n";
  const std::size_t begin = guide.find(title);
  ASSERT_NE(begin, std::string::npos);
  std::istringstream table(guide.substr(begin + title.size(), guide.find("\n\n", begin + title.size()) - begin));
  std::vector<std::string> rows, expected;
  for (std::string line; std::getline(table, line) && line.starts_with("|");)
    if (line.starts_with("| `")) rows.push_back(line);
  for (const Integrator i : all_integrators()) {
    const std::string row = fmt::format("| `{}` | ", name_of(i)), order = std::to_string(order_of(i));
    const auto found = std::ranges::find_if(rows, [&](const std::string& r) { return r.starts_with(row); });
    if (found == rows.end()) {
      ADD_FAILURE() << "docs/guide/scenes.md, '" << title.substr(0, title.size() - 3) << "', has no row of "
                    << name_of(i);
      continue;
    }
    EXPECT_EQ(found->starts_with(row + "fixed | " + order + " |"), has_fixed_step(i)) << *found;
    EXPECT_EQ(found->starts_with(row + "chosen"), !has_fixed_step(i)) << *found;
    EXPECT_NE(found->find(" " + order + " |"), std::string::npos) << *found << ": its order is " << order;
    rows.erase(found);
  }
  EXPECT_EQ(rows, std::vector<std::string>()) << "rows of what there is not";
}

TEST(SceneKeys, TheGuideNamesEveryKey) {
  const std::string guide = content_of(root + "/docs/guide/scenes.md") + content_of(root + "/docs/guide/keys.md");
  for (const KeyTable& table : scene_key_tables())
    for (const KeyInfo& info : table.keys)
      EXPECT_NE(guide.find("`" + std::string(info.key) + "`"), std::string::npos) << table.name << ": " << info.key;
}

TEST(SceneKeys, TheGuidesScenesAreTaken) {
  const std::string guide = content_of(root + "/docs/guide/scenes.md");
  int scenes = 0;
  for (std::size_t at = guide.find("```yaml\nmarey: 1\n"); at != std::string::npos;
       at = guide.find("```yaml\nmarey: 1\n", at + 1)) {
    const std::size_t begin = at + 8, end = guide.find("```", begin);
    EXPECT_NO_THROW(parse_scene(guide.substr(begin, end - begin), "guide.yaml"));
    ++scenes;
  }
  EXPECT_GE(scenes, 2);
}

// --------------------------------------------------------------------------------------------------------- gallery
TEST(SceneGallery, EverySceneLoadsAndIsListed) {
  const std::vector<SceneListing> scenes = list_scenes(root + "/gallery");
  std::vector<std::string> names;
  for (const SceneListing& listing : scenes) {
    names.push_back(listing.name);
    EXPECT_EQ(listing.problem, "") << listing.file;
    if (sanitized && is_large_scene(listing.name)) continue;
    const Scene scene = load_scene(listing.file);
    EXPECT_EQ(listing.title, scene.title);
    EXPECT_EQ(listing.source, scene.source);
    EXPECT_FALSE(scene.source.empty()) << listing.file;
    EXPECT_TRUE(scene.warnings.empty()) << listing.file;
    const Scene again = parse_scene(scene.text, scene.file);
    EXPECT_EQ(again.start.q, scene.start.q);
    EXPECT_EQ(again.elements.size(), scene.elements.size());
  }
  for (const char* name :
       {"compound-pendulum", "finger-tap", "finger-tap-slow-band", "hanging-chain", "limp-figure", "tumbling-human"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(SceneGallery, TheHumanHasTwelveLinksAndThirtyNineFreedoms) {
  const Scene s = load_scene(root + "/gallery/tumbling-human.yaml");
  EXPECT_EQ(s.model.nlink() - 1, 12);
  EXPECT_EQ(s.model.nv, 39);
  double mass = 0;
  for (std::size_t i = 1; i < s.model.links.size(); ++i) mass += s.model.params.links[i].I.m;
  EXPECT_NEAR(mass, 75, 1e-9);
}

TEST(SceneGallery, TheFingerIsThatOfThePrint) {
  const Scene s = load_scene(root + "/gallery/finger-tap.yaml");
  EXPECT_EQ(s.model.nlink() - 1, 5);
  EXPECT_DOUBLE_EQ(s.solver.step, 0.01);
  EXPECT_DOUBLE_EQ(s.duration, 8);
  EXPECT_DOUBLE_EQ(s.record.every, 0.1);
  const Inertia<double>&knuckle = params(s, "finger.knuckle").I, &middle = params(s, "finger.middle").I;
  EXPECT_NEAR(knuckle.m / middle.m, 100, 1e-9);
  EXPECT_NEAR(knuckle.J.xx / middle.J.xx, 100, 1);  // about the long axis; the others include the joint's distance
  const Schedule& spike = element_of<Push>(s, "finger.tip/spike").schedule;
  EXPECT_DOUBLE_EQ(spike.from, 2);
  EXPECT_DOUBLE_EQ(spike.every, 2);
  EXPECT_DOUBLE_EQ(spike.lasts, 0.11);
  EXPECT_EQ(load_scene(root + "/gallery/finger-tap-slow-band.yaml").solver.slow_band, 2);
}

TEST(SceneList, TellsWhatItCannotRead) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "marey-scene-list";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.yaml") << "figures: {a: {}}\nmarey: 1\ntitle: Figures first\n";
  std::ofstream(folder / "a.yml") << "marey: 1\ntitle: \"no end\n";
  std::ofstream(folder / "c.yaml") << "other: yaml\n";
  std::ofstream(folder / "d.txt") << "marey: 1\n";
  const std::vector<SceneListing> scenes = list_scenes(folder.string());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(scenes.size(), 2u);
  EXPECT_EQ(scenes[0].name, "a");
  EXPECT_NE(scenes[0].problem.find("never closed"), std::string::npos);
  EXPECT_EQ(scenes[1].title, "Figures first");
  EXPECT_THROW(list_scenes("/nowhere/at/all"), Error);
}

}  // namespace scene_test
}  // namespace marey
