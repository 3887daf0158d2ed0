// Corners of scenes that are taken: what each word of them becomes, in numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "marey/io/scene.h"

namespace marey {
namespace scene_details_test {
namespace {

using Vec = Vec3<double>;
using Names = std::vector<std::string>;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 1 s\n" + text, "f.yaml"); }
Scene link_scene(const std::string& links, const std::string& more = "") {
  return scene_of("figures: {f: {links: {" + links + "}}}\n" + more);
}
std::string refused(const std::string& text) {
  try {
    scene_of(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "";
}

void expect_near(const Vec& a, const Vec& b) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-14) << k;
}

Names names_of(const Scene& s) {
  Names names;
  for (const Element& e : s.elements) names.push_back(e.name);
  return names;
}
template <class E>
const E& element(const Scene& s, const std::string& name) {
  for (const Element& e : s.elements)
    if (e.name == name) return *e.kind.get_if<E>();
  throw std::runtime_error("no element " + name);
}
const LinkParams<double>& params(const Scene& s, const std::string& link) {
  return s.model.params.links[static_cast<std::size_t>(s.model.find(link))];
}

// ---- contacts
TEST(SceneDetails, ContactsAreAtTheEndsOfWhatIsLong) {
  const Scene s = link_scene(
      "a: {at: [0, 0, 9], mass: 1, shape: [{box: [1, 1, 1]}, {cylinder: {radius: 1, length: 4, along: x}}]}, "
      "b: {at: [0, 0, 9], mass: 1, shape: [{box: [2, 4, 6]}, {capsule: {radius: 0.5, length: 2, along: y}}]}, "
      "c: {at: [0, 0, 9], mass: 1, shape: {sphere: {radius: 2, center: [0, 0, 1]}}}, "
      "d: {at: [0, 0, 9], mass: 1, inertia: {sphere: 1}}",
      "contacts: [{link: f.a, at: ends}, {link: f.b, at: ends}, {link: f.b, at: corners}, {link: f.c, at: center}, "
      "{link: f.c}, {link: f.d}, {link: f.c, at: joint}, {link: f.c, clearance: 0.25}, {link: f.c, at: [1, 2, 3]}, "
      "{link: f.c, at: [1, 2, 3], radius: 0.75}, {link: f.c, compliant: {stiffness: 9}}]\n");
  ASSERT_EQ(s.contacts.size(), 20u);
  std::size_t i = 0;
  using Kind = ContactSurface::Kind;
  const auto expect = [&](const char* name, const char* group, const Vec& point, double radius = 0,
                          Kind kind = Kind::point, double clearance = 0) {
    const FloorContact& c = s.contacts[i++];
    EXPECT_EQ(c.surface.kind, kind) << name;
    EXPECT_EQ(c.surface.radius, radius) << name;
    EXPECT_EQ(c.name, name);
    EXPECT_EQ(c.group, group);
    expect_near(c.point_B, point);
    EXPECT_EQ(c.clearance, clearance);
    EXPECT_EQ(c.plane.offset, clearance);
  };
  expect("f.a/floor 1", "f.a/floor", {0, 0, 0}, 1, Kind::rim);
  expect("f.a/floor 2", "f.a/floor", {4, 0, 0}, 1, Kind::rim);
  expect("f.b/floor 1", "f.b/floor", {0, 0, 0}, 0.5, Kind::ball);
  expect("f.b/floor 2", "f.b/floor", {0, 2, 0}, 0.5, Kind::ball);
  int n = 1;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-2.0, 2.0})
      for (const double z : {-3.0, 3.0}) {
        const std::string taken = n < 3 ? " 2" : "";  // as the ends above
        expect(("f.b/floor " + std::to_string(n++) + taken).c_str(), "f.b/floor 2", {x, y, z});
      }
  expect("f.c/floor", "", {0, 0, 1}, 2, Kind::ball);
  expect("f.c/floor 2", "", {0, 0, 1}, 2, Kind::ball);
  expect("f.d/floor", "", {0, 0, 0});
  expect("f.c/floor 3", "", {0, 0, 0});
  expect("f.c/floor 4", "", {0, 0, 1}, 0, Kind::point, 0.25);
  expect("f.c/floor 5", "", {1, 2, 3});
  expect("f.c/floor 6", "", {1, 2, 3}, 0.75, Kind::ball);
  expect("f.c/floor 7", "", {0, 0, 1}, 0, Kind::point, 2);  // ground that gives way holds points
}

// The first shape that has points is taken, not the first shape.
TEST(SceneDetails, ContactsPassShapesWithoutPoints) {
  const Scene s = link_scene(
      "a: {at: [0, 0, 9], mass: 1, shape: [{ellipsoid: {radii: [1, 2, 3]}}, {sphere: {radius: 2, center: [0, 1, 0]}}]}",
      "contacts: [{link: f.a}]\n");
  ASSERT_EQ(s.contacts.size(), 1u);
  expect_near(s.contacts[0].point_B, {0, 1, 0});
  EXPECT_EQ(s.contacts[0].surface.radius, 2);
}

TEST(SceneDetails, ThreeHundredContactsAndConstraintsAreTaken) {
  std::string contacts = "contacts:\n", constraints = "constraints:\n";
  for (int i = 0; i < 300; ++i) {
    contacts += "  - {link: f.a, floor: {height: -1 m}}\n";
    constraints += "  - ball: {a: f.a, b: f.b, from: 99 s}\n";
  }
  const std::string a = "a: {mass: 1, shape: {sphere: 1 cm}}, b: {mass: 1, shape: {sphere: 1 cm}}";
  EXPECT_EQ(link_scene(a, contacts).contacts.size(), 300u);
  EXPECT_EQ(link_scene(a, constraints).constraints.size(), 300u);
}

// ---- torques and forces
TEST(SceneDetails, ALiftIsAForceOrTheWeight) {
  const Scene s = scene_of(
      "gravity: [0, 3, -4]\nfigures:\n"
      "  f: {links: {a: {mass: 2, inertia: {sphere: 1}, support: {point: [1, 0, 0], lift: 10 N}}}}\n"
      "  g: {links: {a: {mass: 2, inertia: {sphere: 1}, support: {lift: weight}}, b: {mass: 3, inertia: {sphere: "
      "1}}}}\n");
  const Push& lift = element<Push>(s, "f.a/lift");
  expect_near(lift.force, {0, -6, 8});
  expect_near(lift.point_B, {1, 0, 0});
  expect_near(lift.torque, {});
  expect_near(element<Push>(s, "g.a/lift").force, {0, -15, 20});
  EXPECT_EQ(names_of(s), (Names{"f.a/lift", "g.a/lift"}));
}

TEST(SceneDetails, SupportsAreOfWhatIsGiven) {
  const auto supported = [](const std::string& support) {
    return names_of(link_scene("a: {mass: 1, inertia: {sphere: 1}, support: {" + support + "}}"));
  };
  EXPECT_EQ(supported("stiffness: 1"), Names{"f.a/support"});
  EXPECT_EQ(supported("turning_stiffness: 1"), Names{"f.a/support"});
  EXPECT_EQ(supported("damping: 1"), Names{"f.a/support_damping"});
  EXPECT_EQ(supported("turning_damping: 1"), Names{"f.a/support_damping"});
  EXPECT_EQ(supported("stiffness: 1, damping: 0"), Names{"f.a/support"});
}

const std::string joints =
    "hinge: {joint: {type: hinge, axis: y}, mass: 1, inertia: {sphere: 1}, start: {angle: 0.5}}, "
    "rail: {joint: {type: slider, axis: y}, mass: 1, inertia: {sphere: 1}, start: {slide: 3 m}}, "
    "nut: {joint: {type: screw, axis: z, pitch: 5 mm}, mass: 1, inertia: {sphere: 1}}, "
    "bolt: {joint: {type: cylindrical, axis: z}, mass: 1, inertia: {sphere: 1}, start: {coordinates: {slide: 2 m}}}";

TEST(SceneDetails, AReflexMayOnlyDamp) {
  const Scene s = link_scene(joints,
                             "torques:\n  - reflex: {joint: f.hinge, damping: 2, delay: 0.1 s}\n"
                             "  - reflex: {joint: f.hinge, stiffness: 3, target: 0.25, delay: 0.2 s}\n"
                             "  - reflex: {joint: f.bolt, coordinate: slide, stiffness: 4 N/m, delay: 0.1 s}\n"
                             "  - reflex: {joint: f.nut, damping: 5 N m s/rad, delay: 0.1 s}\n");
  EXPECT_EQ(names_of(s), (Names{"f.hinge/reflex", "f.hinge/reflex 2", "f.bolt/reflex", "f.nut/reflex"}));
  const Reflex &damps = element<Reflex>(s, "f.hinge/reflex"), &pulls = element<Reflex>(s, "f.hinge/reflex 2"),
               &slides = element<Reflex>(s, "f.bolt/reflex"), &turns = element<Reflex>(s, "f.nut/reflex");
  EXPECT_EQ(damps.stiffness, 0);
  EXPECT_EQ(damps.damping, 2);
  EXPECT_EQ(damps.target, 0.5);
  EXPECT_EQ(damps.delay, 0.1);
  EXPECT_EQ(pulls.stiffness, 3);
  EXPECT_EQ(pulls.damping, 0);
  EXPECT_EQ(pulls.target, 0.25);
  EXPECT_EQ(slides.angle.coordinate, 1);
  EXPECT_EQ(slides.target, 2);
  EXPECT_EQ(turns.angle.coordinate, 0);
  EXPECT_EQ(turns.damping, 5);
}

TEST(SceneDetails, CoordinatesNameWhatPlaysAndRubs) {
  const Scene s = link_scene(
      joints,
      "torques:\n"
      "  - free_play: {joint: f.bolt, coordinate: slide, from: 0, to: 1 m, slope: 2 N/m, friction: 3 N s/m}\n"
      "  - free_play: {joint: f.nut, from: 0, to: 1, slope: 2}\n"
      "  - free_play: {joint: f.rail, coordinate: 1, from: 0, to: 1 cm, slope: 2 N/m}\n"
      "  - friction: {joint: f.bolt, coordinate: angle, coefficient: 4 N m s/rad}\n"
      "  - friction: {joint: f.hinge, coefficient: 5 N m s/rad}\n");
  EXPECT_EQ(element<FreePlay>(s, "f.bolt/free_play").angle.coordinate, 1);
  EXPECT_EQ(element<FreePlay>(s, "f.nut/free_play").angle.coordinate, 0);
  EXPECT_EQ(element<FreePlay>(s, "f.rail/free_play").to.at(0), 0.01);
  std::vector<std::pair<double, int>> rubs;
  for (const Element& e : s.elements)
    if (const JointFriction* f = e.kind.get_if<JointFriction>()) rubs.emplace_back(f->coefficient, f->freedom);
  EXPECT_EQ(rubs, (std::vector<std::pair<double, int>>{{3, 1}, {4, 0}, {5, -1}}));
}

// A slider has one coordinate, as a hinge has: none need be named.
TEST(SceneDetails, ASliderSaysItsOnlyCoordinateItself) {
  const auto made = [](const std::string& coordinate) {
    return link_scene(
        joints, fmt::format("torques:\n"
                            "  - torque: {{joint: f.rail{0}, value: 2 N}}\n"
                            "  - free_play: {{joint: f.rail{0}, from: 0, to: 1 cm, slope: 2 N/m, friction: 3 N s/m}}\n"
                            "  - reflex: {{joint: f.rail{0}, stiffness: 4 N/m, delay: 0.1 s}}\n"
                            "forces:\n"
                            "  - spike: {{link: f.nut, force: [1 N, 0, 0], lasts: 0.1 s, every: 1 s, when: {{angle_of: "
                            "f.rail{0}, above: 4 cm}}}}\n",
                            coordinate));
  };
  const Scene s = made(""), named = made(", coordinate: slide");
  EXPECT_EQ(names_of(s), names_of(named));
  EXPECT_EQ(element<FreePlay>(s, "f.rail/free_play").to.at(0), 0.01);
  EXPECT_EQ(element<FreePlay>(s, "f.rail/free_play").angle.coordinate, 0);
  EXPECT_EQ(element<Reflex>(s, "f.rail/reflex").target, 3);
  EXPECT_EQ(element<Reflex>(s, "f.rail/reflex").stiffness, 4);
  EXPECT_THROW(made(", angle: {twist: x}"), Error);
}

const std::string pair = "a: {mass: 1, shape: {sphere: 1 cm}}, b: {at: [0, 3, 4], mass: 1, shape: {sphere: 1 cm}}";

TEST(SceneDetails, SpringsAndDampersStandAlone) {
  const Scene s = link_scene(pair,
                             "forces:\n  - spring: {link: f.a, to: f.b, stiffness: 0, damping: 2}\n"
                             "  - spring: {link: f.a, to: f.b, stiffness: 3}\n"
                             "  - spring: {link: f.a, to: [0, 0, 2 m], stiffness: 3, rest: 1 m, damping: 4}\n");
  EXPECT_EQ(names_of(s), (Names{"f.a/spring", "f.a/spring 2", "f.a/spring 3", "f.a/spring/damping"}));
  EXPECT_EQ(element<DamperNet>(s, "f.a/spring").dampers[0].damping, 2);
  EXPECT_EQ(element<SpringNet>(s, "f.a/spring 2").springs[0].rest, 5);
  EXPECT_EQ(element<SpringNet>(s, "f.a/spring 2").springs[0].b.link, s.model.find("f.b"));
  EXPECT_EQ(element<SpringNet>(s, "f.a/spring 3").springs[0].rest, 1);
  EXPECT_EQ(element<SpringNet>(s, "f.a/spring 3").springs[0].b.link, 0);
  EXPECT_EQ(element<SpringNet>(s, "f.a/spring 3").springs[0].stiffness, 3);
  EXPECT_EQ(element<DamperNet>(s, "f.a/spring/damping").dampers[0].damping, 4);
}

TEST(SceneDetails, AttractionIsTowardsAPointOrLinks) {
  const Scene s = link_scene(pair,
                             "forces:\n  - attraction: {links: f.a, to: [f.b], softening: 1 m}\n"
                             "  - attraction: {links: f.*, softening: 2 m, constant: 3}\n"
                             "  - attraction: {links: f.b, to: [+1, -2, .5], strength: 4}\n"
                             "  - drag: {links: f.b, quadratic: 4}\n  - drag: {links: f.*, linear: 5}\n");
  const int a = s.model.find("f.a"), b = s.model.find("f.b");
  EXPECT_EQ(names_of(s), (Names{"attraction", "attraction 2", "attraction 3", "drag", "drag 2"}));
  const auto& first = element<MutualAttraction>(s, "attraction");
  EXPECT_EQ(first.links, std::vector<int>{a});
  EXPECT_EQ(first.others, std::vector<int>{b});
  EXPECT_EQ(first.constant, 6.67430e-11);  // CODATA 2018
  EXPECT_EQ(first.softening, 1);
  EXPECT_EQ(element<MutualAttraction>(s, "attraction 2").links, (std::vector<int>{a, b}));
  EXPECT_EQ(element<MutualAttraction>(s, "attraction 2").constant, 3);
  expect_near(element<Attraction>(s, "attraction 3").center_W, {1, -2, 0.5});
  EXPECT_EQ(element<Attraction>(s, "attraction 3").strength, 4);
  EXPECT_EQ(element<Drag>(s, "drag").quadratic, 4);
  EXPECT_EQ(element<Drag>(s, "drag").linear, 0);
  EXPECT_EQ(element<Drag>(s, "drag 2").linear, 5);
}

TEST(SceneDetails, AFrameHasThePartsOfItsMotion) {
  const auto parts = [](const std::string& frame) { return names_of(link_scene(pair, "frame: {" + frame + "}\n")); };
  EXPECT_EQ(parts("acceleration: [0, 0, 1]"), Names{"frame/acceleration"});
  EXPECT_EQ(parts("angular_velocity: [0, 0, 1]"), (Names{"frame/coriolis", "frame/centrifugal"}));
  EXPECT_EQ(parts("angular_velocity: [1, 0, 0], acceleration: [0, 0, 0]"),
            (Names{"frame/coriolis", "frame/centrifugal"}));
  EXPECT_EQ(parts("angular_velocity: ['sin(t)', 0, 0]"), (Names{"frame/coriolis", "frame/centrifugal", "frame/euler"}));
  const Names all{"frame/acceleration", "frame/coriolis", "frame/centrifugal", "frame/euler"};
  EXPECT_EQ(parts("angular_acceleration: [0, 2, 0], acceleration: [0, '1', 0]"), all);
  const Scene s = link_scene(pair, "frame: {angular_velocity: [1, 2, '3*t'], angular_acceleration: [0, 4, 5]}\n");
  const TimeVector::AtTime turning = element<MovingFrame>(s, "frame/euler").motion.at(2);
  expect_near(turning.value, {1, 10, 16});
  expect_near(turning.rate, {0, 4, 8});
}

// A force is compared with its potential where both are numbers; some places where they are not do not matter.
TEST(SceneDetails, AFieldMayBeNoNumberHereAndThere) {
  const Scene s = link_scene("a: {at: [1, 0, 0], mass: 1, shape: {sphere: 1 cm}}",
                             "forces: [{field: {links: f.a, force: ['-1/x', 0, 0], potential: 'log(x)'}}]\n");
  EXPECT_EQ(names_of(s), Names{"field"});
}

// ---- figures, joints, shapes
TEST(SceneDetails, AChainOfOneLinkIsItsFirstAndItsLast) {
  const Scene s = scene_of(
      "figures: {r: {chain: {links: 1, spacing: [0, 0, -1], link: {joint: ball, mass: 1, inertia: {sphere: 1}}, "
      "first: {at: [5, 0, 0], mass: 2, joint: {type: hinge, axis: y}}, last: {mass: 3}}}}\n");
  EXPECT_EQ(s.model.nlink(), 2);
  EXPECT_EQ(params(s, "r.1").I.m, 3);
  EXPECT_EQ(s.model.links[1].joint, JointType::hinge);
  expect_near(params(s, "r.1").l, {5, 0, 0});
}

TEST(SceneDetails, APlaneHasAFirstDirection) {
  const auto along = [](const std::string& joint) {
    const Scene s = link_scene("a: {joint: {type: planar, " + joint + "}, mass: 1, inertia: {sphere: 1}, " +
                               "start: {coordinates: {1: 1 m}}}");
    Kinematics<double> k(s.model);
    forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
    return k.X_WB[1].p;
  };
  expect_near(along("axis: z"), {1, 0, 0});
  expect_near(along("axis: x"), {0, 1, 0});
  expect_near(along("axis: y"), {0, 0, 1});
  expect_near(along("axis: z, along: y"), {0, 1, 0});
  // Of equal parts: z before x before y. The direction is that part of the axis that lies in the plane.
  const double r = std::sqrt(0.5);
  expect_near(along("axis: [1, 0, 1]"), {r, 0, -r});
  expect_near(along("axis: [0, 1, 1]"), {1, 0, 0});
  expect_near(along("axis: [1, 1, 0]"), {-r, r, 0});
}

TEST(SceneDetails, FunctionsOfCustomJointsMayBeConstants) {
  const Scene s = link_scene(
      "a: {joint: {type: custom, coordinates: {c: length}, angles: {about_z: 90 deg}, displacements: {along_x: {slope: "
      "2}, along_y: {constant: 3 m}, along_z: [{constant: 1 m, polynomial: [4]}, 5 m]}}, mass: 1, inertia: {sphere: "
      "1}, start: {coordinates: {c: 0.5}}}");
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  expect_near(k.X_WB[1].p, {1, 3, 10});
  expect_near(k.X_WB[1].R * Vec{1, 0, 0}, {0, 1, 0});
}

TEST(SceneDetails, ShapesWithMassesOfTheirOwnMayHaveAnInertia) {
  const Scene s = link_scene(
      "a: {shape: [{sphere: 1, mass: 2}, {sphere: {radius: 1, center: [3, 0, 0]}, mass: 4}], inertia: {diagonal: [5, "
      "6, "
      "7]}}, "
      "p: {joint: point, mass: 8}");
  EXPECT_NEAR(params(s, "f.a").I.m, 6, 1e-14);
  // About the middle of the two, which are of one density for that.
  expect_near(params(s, "f.a").I.h, {9, 0, 0});
  EXPECT_NEAR(params(s, "f.a").I.J.xx, 5, 1e-13);
  EXPECT_NEAR(params(s, "f.a").I.J.zz, 7 + 6 * 1.5 * 1.5, 1e-13);
  EXPECT_EQ(params(s, "f.p").I.m, 8);
  expect_near(params(s, "f.p").I.h, {});
}

// ---- values
TEST(SceneDetails, AxesAndTurnsInEveryForm) {
  const auto axis = [](const std::string& a) {
    return params(link_scene("a: {joint: {type: hinge, axis: " + a + "}, mass: 1, inertia: {sphere: 1}}"), "f.a").axis;
  };
  expect_near(axis("+x"), {1, 0, 0});
  expect_near(axis("-x"), {-1, 0, 0});
  expect_near(axis("-y"), {0, -1, 0});
  expect_near(axis("-z"), {0, 0, -1});
  expect_near(axis("[0, 3, -4]"), {0, 0.6, -0.8});
  const auto turned = [](const std::string& t) {
    return params(link_scene("a: {turned: " + t + ", mass: 1, inertia: {sphere: 1}}"), "f.a").R_PF * Vec{1, 2, 3};
  };
  expect_near(turned("[90 deg, 0, 0]"), {1, -3, 2});
  expect_near(turned("{euler: [90 deg, 0, 90 deg]}"), {-2, -3, 1});  // Rx(90°) Rz(90°)
  expect_near(turned("{euler: [0, 90 deg, 0]}"), {3, 2, -1});
  expect_near(turned("{axis: -z, angle: 90 deg}"), {2, -1, 3});
  expect_near(turned("[1.009, 0, 0, 0]"), {1, 2, 3});
  EXPECT_EQ(refused("figures: {f: {links: {a: {mass: 1, inertia: {matrix: [[1, 1e-9, 0], [0, 1, 0], [0, 0, 1]]}}}}}\n"),
            "");
}

// ---- starts
TEST(SceneDetails, ABallMayRollFlat) {
  const std::string rolls = "constraints: [{roll: {b: f.a, sphere: 1 m}}]\n";
  const Scene s = link_scene("a: {mass: 1, shape: {sphere: 1 m}, start: {position: [0, 0, 1 m]}}", rolls);
  EXPECT_EQ(s.constraints.size(), 1u);
}

TEST(SceneDetails, AStartIsPutOnFloorsAndConstraints) {
  const Scene s = scene_of(
      "start: projected\n"
      "figures: {f: {links: {a: {mass: 1, shape: {sphere: 10 cm}, start: {position: [0, 0, -1 m]}}, "
      "b: {mass: 1, shape: {sphere: 10 cm}, start: {position: [3 m, 0, 1 m]}}}}}\n"
      "contacts: [{link: f.*}]\nconstraints: [{rod: {a: f.a, b: f.b, length: 2 m}}]\n");
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  const auto place = [&](const char* link) { return k.X_WB[static_cast<std::size_t>(s.model.find(link))].p; };
  EXPECT_NEAR(norm(place("f.a") - place("f.b")), 2, 1e-9);
  EXPECT_GE(place("f.a").z, 0.1 - 1e-9);
  EXPECT_GE(place("f.b").z, 0.1 - 1e-9);
  // √(3² + 2²) m apart in place of 2 m.
  EXPECT_EQ(s.notes, Names{"start: put where floors and constraints allow, which were off by 1.61"});
}

TEST(SceneDetails, DrivesOneAfterAnotherDoNotOverlap) {
  const std::string hinge =
      "a: {joint: {type: hinge, axis: y}, mass: 1, inertia: {sphere: 1}}, "
      "b: {joint: {type: hinge, axis: y}, mass: 1, inertia: {sphere: 1}}";
  const auto drives = [&](const std::string& list) {
    Names names;
    for (const Constraint& c : link_scene(hinge, "drives: [" + list + "]\n").constraints) names.push_back(c.name);
    return names;
  };
  const Names two{"f.a/drive", "f.a/drive 2"};
  EXPECT_EQ(drives("{joint: f.a, velocity: 0, until: 0.5 s}, {joint: f.a, velocity: 0, from: 0.5 s}"), two);
  EXPECT_EQ(drives("{joint: f.a, velocity: 0, from: 0.5 s}, {joint: f.a, velocity: 0, until: 0.5 s}"), two);
  EXPECT_EQ(drives("{joint: f.a, velocity: 0}, {joint: f.b, velocity: 0}"), (Names{"f.a/drive", "f.b/drive"}));
}

// ---- listing
TEST(SceneDetails, ScenesAreListedByTheirHeads) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "marey-scene-heads";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder.yaml");
  std::ofstream(folder / "c.yaml") << "marey: 1\ntitle: No end of line";
  std::ofstream(folder / "b.yml") << "marey: 1\nsource: A7\nfigures: {x\n";  // what follows the head is not looked at
  std::ofstream(folder / "a.yaml") << "marey: 1\ntitle: Particles\nparticles: {x\n";
  std::ofstream(folder / "d.yaml") << "marey: 1\ntitle: Long\n" << std::string(20'000, '#') << "\nfigures: {a: 1}\n";
  std::ofstream(folder / "e.txt") << "marey: 1\n";
  const std::vector<SceneListing> all = list_scenes(folder.string());
  const auto listed = [&](std::size_t i, const char* name, const char* title, const char* source) {
    EXPECT_EQ(all[i].name, name);
    EXPECT_EQ(all[i].title, title);
    EXPECT_EQ(all[i].source, source);
    EXPECT_EQ(all[i].problem, "");
    EXPECT_EQ(std::filesystem::path(all[i].file).stem(), name);
  };
  ASSERT_EQ(all.size(), 4u);
  listed(0, "a", "Particles", "");
  listed(1, "b", "b", "A7");
  listed(2, "c", "No end of line", "");
  listed(3, "d", "Long", "");
  const auto said = [](const std::string& name) {
    try {
      list_scenes(name);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string file = (folder / "c.yaml").string(), none = (folder / "none").string();
  EXPECT_EQ(said(file), file + ": there is no such folder of scenes");
  EXPECT_EQ(said(none), none + ": there is no such folder of scenes");
  std::filesystem::remove_all(folder);
}

// So light that a stiffness over the mass is no number any more: there is something to say, and nobody to name.
TEST(SceneDetails, BeyondAllMeasureNobodyIsToBlame) {
  const Scene scene = link_scene(
      "a: {joint: {type: hinge, axis: y}, shape: {sphere: {radius: 5 cm, center: [0, 0, 1 m]}}, mass: 1e-200 kg}, "
      "b: {joint: {type: hinge, axis: y}, shape: {sphere: {radius: 5 cm, center: [0, 0, 1 m]}}, mass: 1e-200 kg}",
      "torques:\n"
      "  - reflex: {joint: f.a, target: 0, stiffness: 1000 N m/rad, damping: 350 N m s/rad, delay: 0.1 s}\n"
      "  - reflex: {joint: f.b, target: 0, stiffness: 1000 N m/rad, damping: 350 N m s/rad, delay: 0.28 s}\n");
  const std::vector<std::string> said = warnings_before(scene);
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said[0].find("what acts"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace scene_details_test
}  // namespace marey
