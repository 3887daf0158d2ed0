// Constraints as scenes write them: what is left open is as it is at the start.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"

namespace marey {
namespace {

const std::string figures = R"(
duration: 1 s
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, to: [50 cm, 0, 0]}}, mass: 1 kg, start: {angle: 30 deg}}
      lower: {parent: upper, at: [50 cm, 0, 0], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, to: [40 cm, 0, 0]}}, mass: 1 kg, start: {angle: 40 deg}}
      block: {joint: {type: slider, axis: x}, shape: {box: [1 cm, 1 cm, 1 cm]}, mass: 1 kg, start: {slide: 20 cm}}
  loose: {links: {body: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [1 m, 2 m, 3 m], turned: [10 deg, 20 deg, 30 deg]}}}}
constraints:
)";
Scene parse(const std::string& constraints, const std::string& top = "") {
  return parse_scene("marey: 1\n" + top + figures + constraints, "test.yaml");
}
double largest_error(const Scene& scene) {
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  double most = 0;
  for (const Constraint& c : scene.constraints) {
    std::vector<ConstraintRow> rows(static_cast<std::size_t>(row_count(c)));
    constraint_rows(c, {scene.model, 0, scene.start.q, scene.start.v, k.X_WB, k.V_WB}, rows);
    for (const ConstraintRow& row : rows) most = std::max(most, std::abs(row.value));
  }
  return most;
}

TEST(SceneConstraints, WhatIsLeftOpenHoldsAtTheStart) {
  const Scene scene = parse(R"(
  - ball: {a: arm.lower, b: loose.body, at: [40 cm, 0, 0]}
  - hinge: {a: arm.lower, b: loose.body, at: [40 cm, 0, 0], axis: [1, 2, 3]}
  - slider: {b: loose.body, axis: x}
  - weld: {a: loose.body, b: arm.lower}
  - cylindrical: {a: arm.upper, b: loose.body, axis: y}
  - planar: {b: loose.body, axis: [1, 1, 0]}
  - on_line: {b: loose.body, axis: x}
  - on_plane: {b: loose.body}
  - rod: {a: arm.lower, b: loose.body}
  - couple: {joints: {arm.upper: 2, arm.lower: -1}}
  - drive: {b: loose.body, angle: '1 + t^3', axis: [0, 1, 1]}
)");
  EXPECT_LT(largest_error(scene), 1e-13);
  EXPECT_EQ(scene.constraints[0].name, "loose.body/ball");
  EXPECT_EQ(scene.constraints[3].name, "arm.lower/weld");
  EXPECT_EQ(scene.constraints[9].name, "arm.upper/couple");
}

TEST(SceneConstraints, GivenPlacesAreKept) {
  const Scene scene = parse(R"(
  - hinge: {name: pin, a: arm.lower, b: loose.body, at: [40 cm, 0, 0], at_b: [0, 0, 10 cm], axis: y, axis_b: x, from: 1 s, until: 2 s}
  - rod: {b: loose.body, at: [1 m, 0, 0], length: 2 m, from: 1 s}
  - path: {b: loose.body, ellipse: [20 cm, 10 cm], axis: x, from: 1 s}
  - follow: {joint: arm.block, slide: [[0 s, 20 cm], [1 s, 30 cm]]}
  - roll: {b: loose.body, disc: 10 cm, axis_b: y, from: 1 s}
  - couple: {joints: {arm.upper: 2, arm.block: 5}, sum: 'k*t', constants: {k: 4}, from: 1 s}
)");
  const Constraint& pin = scene.constraints[0];
  EXPECT_EQ(pin.name, "pin");
  EXPECT_EQ(pin.a.link, scene.model.find("arm.lower"));
  EXPECT_DOUBLE_EQ(pin.a.X_LC.p.x, 0.4);
  EXPECT_DOUBLE_EQ(pin.b.X_LC.p.z, 0.1);
  EXPECT_NEAR(norm(pin.a.X_LC.R * Vec3<double>{0, 0, 1} - Vec3<double>{0, 1, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(pin.b.X_LC.R * Vec3<double>{0, 0, 1} - Vec3<double>{1, 0, 0}), 0, 1e-15);
  EXPECT_EQ(pin.from, 1);
  EXPECT_EQ(pin.until, 2);
  EXPECT_EQ(scene.constraints[1].kind.get_if<FixedDistance>()->length, 2);
  EXPECT_EQ(scene.constraints[2].kind.get_if<OnPath>()->radii[1], 0.1);
  EXPECT_NEAR(scene.constraints[3].kind.get_if<Coupler>()->sum.at(0.5).value, 0.25, 1e-15);
  EXPECT_EQ(scene.constraints[4].kind.get_if<Rolling>()->body, Rolling::Body::disc);
  EXPECT_NEAR(norm(scene.constraints[4].b.X_LC.R * Vec3<double>{0, 0, 1} - Vec3<double>{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(scene.constraints[5].kind.get_if<Coupler>()->sum.at(0.5).value, 2);
  EXPECT_EQ(scene.constraints[5].kind.get_if<Coupler>()->sum.at(0.5).rate, 4);
}

// Turns of a helix pass beside each other, a loop that is closed meets itself nowhere else; both are taken.
TEST(SceneConstraints, PathsThatComeNearThemselvesAreTaken) {
  std::string helix, ring;
  for (int i = 0; i < 40; ++i) {
    const double a = 0.5 * i;
    helix += fmt::format("{}[{} m, {} m, {} mm]", i ? ", " : "", std::cos(a), std::sin(a), 2 * i);
    if (i < 12) ring += fmt::format("{}[{} m, {} m, 0]", i ? ", " : "", std::cos(M_PI / 6 * i), std::sin(M_PI / 6 * i));
  }
  for (const std::string& points : {"points: [" + helix + "]", "closed: true, points: [" + ring + "]"})
    EXPECT_EQ(parse("  - path: {b: loose.body, " + points + ", from: 1 s}\n").constraints.size(), 1U);
  std::string flat = helix;  // all turns in one plane
  for (int i = 39; i >= 0; --i)
    flat.replace(flat.find(fmt::format(" {} mm", 2 * i)), fmt::format(" {} mm", 2 * i).size(), " 0");
  EXPECT_THROW(parse("  - path: {b: loose.body, points: [" + flat + "], from: 1 s}\n"), Error);
}

// Out and back on one line, by much or by little; out and back on an arc; a loop that comes in again on its own way.
TEST(SceneConstraints, PathsThatRunBackOverThemselvesAreRefused) {
  std::string arc, again;
  for (int i = 0; i <= 12; ++i) {
    const double a = 0.2 * std::min(i, 12 - i);
    arc += fmt::format("{}[{} m, {} m, 0]", i ? ", " : "", std::cos(a), std::sin(a));
  }
  // Round a circle one time and a half; the second round on the first.
  for (int i = 0; i <= 36; ++i)
    again += fmt::format("{}[{} m, {} m, 0]", i ? ", " : "", std::cos(M_PI / 12 * i), std::sin(M_PI / 12 * i));
  for (const std::string& points :
       {std::string("[0, 0, 0], [2 m, 0, 0], [0.5 m, 0, 0]"), std::string("[0, 0, 0], [2 m, 0, 0], [1.9 m, 0, 0]"),
        std::string("[0, 0, 0], [1 m, 2 m, 3 m], [0.9 m, 1.8 m, 2.7 m], [3 m, 2 m, 1 m]"), arc, again})
    EXPECT_THROW(parse("  - path: {b: loose.body, points: [" + points + "], from: 1 s}\n"), Error) << points;
  // A line goes on, and a hairpin has room in its bend.
  for (const std::string& points :
       {std::string("[0, 0, 0], [2 m, 0, 0], [2.1 m, 0, 0], [3 m, 0, 0]"),
        std::string("[0, 0, 0], [2 m, 0, 0], [2.01 m, 5 mm, 0], [2 m, 1 cm, 0], [0, 1 cm, 0]")})
    EXPECT_NO_THROW(parse("  - path: {b: loose.body, points: [" + points + "], from: 1 s}\n")) << points;
}

TEST(SceneConstraints, CoordinatesAreFoundByTheirNames) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 1 s
figures:
  f:
    links:
      root: {joint: free, shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [1 m, 2 m, 3 m], turned: [10 deg, 20 deg, 30 deg]}}
      cross: {parent: root, joint: {type: universal, axes: [x, y]}, shape: {sphere: 10 cm}, mass: 1 kg, start: {coordinates: {second: 40 deg}}}
      bit: {parent: root, joint: {type: cylindrical, axis: z}, shape: {sphere: 10 cm}, mass: 1 kg, start: {coordinates: {slide: 5 cm}}}
      nut: {parent: root, joint: {type: screw, axis: z, pitch: 1 cm}, shape: {sphere: 10 cm}, mass: 1 kg, start: {coordinates: {angle: 20 deg}}}
constraints:
  - couple: {joints: {f.cross: {second: 2, first: 1}, f.nut: -3}}
  - couple: {joints: {f.bit: {slide: 1}}, sum: 5 cm}
  - couple: {joints: {f.cross: {second: 2}}, sum: 80 deg}
  - couple: {joints: {f.root: {which: {euler: y}, factor: 2}, f.bit: {2: 1}}}
  - follow: {joint: f.root, coordinate: y, slide: 2 m}
  - follow: {joint: f.nut, angle: 20 deg}
  - follow: {joint: f.root, which: {euler: z}, angle: 30 deg}
drives:
  - {joint: f.cross, coordinate: first, locked: true}
  - {joint: f.root, coordinate: z, velocity: 3 cm/s, from: 0.1 s}
  - {joint: f.root, freedom: z, velocity: 3 deg/s, from: 0.1 s}
)",
                                  "test.yaml");
  EXPECT_LT(largest_error(scene), 1e-13);
  const auto coupler = [&](std::size_t i) { return *scene.constraints[i].kind.get_if<Coupler>(); };
  ASSERT_EQ(coupler(0).terms.size(), 3u);
  EXPECT_EQ(coupler(0).terms[0].freedom, 1);
  EXPECT_EQ(coupler(0).terms[0].factor, 2);
  EXPECT_EQ(coupler(0).terms[2].link, scene.model.find("f.nut"));
  EXPECT_EQ(coupler(3).terms[0].angle.kind, NamedAngle::Kind::euler_y);
  EXPECT_EQ(coupler(3).terms[1].freedom, 1);
  EXPECT_EQ(coupler(4).terms[0].freedom, 4);
  EXPECT_EQ(coupler(8).terms[0].freedom, 5);
  EXPECT_EQ(coupler(8).sum.at(0).value, 0.03);
  EXPECT_EQ(coupler(9).terms[0].freedom, 2);
}

struct Nowhere : Sink {
  void begin(const MotionHeader&) override {}
  void frame(std::span<const double>) override {}
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
};

TEST(SceneConstraints, AStartIsRefusedOrPutRight) {
  const std::string loop = "  - ball: {b: arm.lower, at: [60 cm, 0, -50 cm], at_b: [40 cm, 0, 0]}\n";
  Nowhere sink;
  const auto said = [](auto&& what) {
    try {
      what();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string why = said([&] { parse(loop); });
  EXPECT_EQ(why.rfind("test.yaml:12:11: ", 0), 0U) << why;
  EXPECT_NE(why.find("start: projected"), std::string::npos) << why;
  const Scene projected = parse(loop, "start: projected\n");
  Scene moved = projected;  // by a program, which has no lines
  moved.start.q[0] += 0.1;
  EXPECT_NE(said([&] { run(moved, sink); }).find("start: projected"), std::string::npos);
  EXPECT_LT(largest_error(projected), 1e-12);
  ASSERT_FALSE(projected.notes.empty());
  EXPECT_TRUE(run(projected, sink).breakdown.empty());
  EXPECT_THROW(parse("  - ball: {b: arm.lower, at: [9 m, 0, 0], at_b: [40 cm, 0, 0]}\n", "start: projected\n"), Error);
}

// On a floor and in a loop at once.
TEST(SceneConstraints, AStartIsPutOnFloorsAndConstraints) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 100 ms
start: projected
figures:
  pair:
    links:
      left: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 5 cm]}}
      right: {shape: {sphere: 10 cm}, mass: 2 kg, start: {position: [1.1 m, 0, 20 cm]}}
contacts:
  - {link: pair.left}
constraints:
  - rod: {a: pair.left, b: pair.right, length: 1 m}
)",
                                  "test.yaml");
  EXPECT_LT(largest_error(scene), 1e-11);
  EXPECT_GT(scene.start.q[6], 0.1 - 1e-9);
  Nowhere sink;
  EXPECT_TRUE(run(scene, sink).ledger.closed);
}

}  // namespace
}  // namespace marey
