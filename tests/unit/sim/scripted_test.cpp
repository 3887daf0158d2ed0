// Scenes that are moved by scripts alone: places, velocities and accelerations against those written out by hand, and against the derivatives of one
// another; markers; and what the same scripts do with dynamics.
#include "marey/sim/scripted.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/sim/channel_names.h"
#include "marey/simulation.h"
#include "support/recorded.h"
#include "support/trouble.h"

namespace scripted_test {

using namespace marey;

// Columns by name, "link/tip/position.x".
struct Columns {
  explicit Columns(const Scene& scene) { memory.summary = run(scene, memory); }
  std::size_t frames() const { return memory.rows.size(); }
  std::vector<double> column(const std::string& name) const {
    std::size_t at = 0;
    for (const Channel& c : memory.header.channels)
      for (std::size_t k = 0; k < c.columns.size(); ++k, ++at) {
        if (column_name(c, k) != name) continue;
        std::vector<double> all;
        for (const std::vector<double>& row : memory.rows) all.push_back(row[at]);
        return all;
      }
    throw Error(ErrorKind::bad_input, "no column " + name);
  }
  recorded::Memory memory;
};

// Two hinges about y, of lengths a and b, on a slider along x; a point of the last link.
const std::string arm = R"(marey: 1
duration: 2 s
solver: {DYNAMICS}
figures:
  arm:
    at: [0, 0, 1 m]
    links:
      cart: {joint: {type: slider, axis: x}, shape: {box: [10 cm, 10 cm, 10 cm]}, mass: 1 kg}
      upper: {parent: cart, joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 40 cm, along: -z}}, mass: 1 kg}
      lower: {parent: upper, at: [0, 0, -40 cm], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 1 kg}
drives:
  - {name: cart, joint: arm.cart, slide: '0.2*sin(3*t)'}
  - {name: upper, joint: arm.upper, angle: '0.7*sin(2*t)'}
  - {name: lower, joint: arm.lower, angle: '0.3 - 0.3*cos(5*t)'}
markers:
  tip: {link: arm.lower, point: [0, 0, -30 cm]}
  skin: {link: arm.lower, point: [0, 0, -30 cm], against: arm.upper}
record: {every: 50 ms}
)";
std::string arm_with(const std::string& dynamics) {
  std::string text = arm;
  return text.replace(text.find("DYNAMICS"), 8, dynamics);
}

// Jets of second order: f, f', f''.
struct Jet {
  double v, d, a;
};
Jet operator+(const Jet& p, const Jet& q) { return {p.v + q.v, p.d + q.d, p.a + q.a}; }
Jet operator*(double s, const Jet& p) { return {s * p.v, s * p.d, s * p.a}; }
Jet sine(const Jet& p) { return {std::sin(p.v), std::cos(p.v) * p.d, std::cos(p.v) * p.a - std::sin(p.v) * p.d * p.d}; }
Jet cosine(const Jet& p) {
  return {std::cos(p.v), -std::sin(p.v) * p.d, -std::sin(p.v) * p.a - std::cos(p.v) * p.d * p.d};
}

TEST(Scripted, PlacesVelocitiesAndAccelerationsAreTheScripts) {
  const Columns m(parse_scene(arm_with("dynamics: none"), "arm.yaml"));
  ASSERT_EQ(m.frames(), 41u);
  const auto column = [&](const char* name) { return m.column(name); };
  const auto x = column("marker/tip/position.x"), z = column("marker/tip/position.z"),
             vx = column("marker/tip/velocity.x"), vz = column("marker/tip/velocity.z"),
             ax = column("marker/tip/acceleration.x"), az = column("marker/tip/acceleration.z"),
             angle = column("joint/arm.lower/angle"), rate = column("joint/arm.lower/velocity"),
             bend = column("joint/arm.lower/acceleration"), skin = column("marker/skin/displacement.x"),
             turning = column("link/arm.lower/angular_acceleration.y"), elbow = column("link/arm.lower/acceleration.x");
  for (std::size_t k = 0; k < m.frames(); ++k) {
    const double t = 0.05 * static_cast<double>(k);
    const Jet s{0.2 * std::sin(3 * t), 0.6 * std::cos(3 * t), -1.8 * std::sin(3 * t)},
        a{0.7 * std::sin(2 * t), 1.4 * std::cos(2 * t), -2.8 * std::sin(2 * t)},
        b{0.3 - 0.3 * std::cos(5 * t), 1.5 * std::sin(5 * t), 7.5 * std::cos(5 * t)};
    const Jet X = s + (-0.4) * sine(a) + (-0.3) * sine(a + b),
              Z = Jet{1, 0, 0} + (-0.4) * cosine(a) + (-0.3) * cosine(a + b);
    EXPECT_NEAR(x[k], X.v, 1e-15 * 4);
    EXPECT_NEAR(z[k], Z.v, 1e-15 * 4);
    EXPECT_NEAR(vx[k], X.d, 1e-14);
    EXPECT_NEAR(vz[k], Z.d, 1e-14);
    EXPECT_NEAR(ax[k], X.a, 1e-13);
    EXPECT_NEAR(az[k], Z.a, 1e-13);
    EXPECT_NEAR(angle[k], b.v, 1e-15);
    EXPECT_NEAR(rate[k], b.d, 1e-15);
    EXPECT_NEAR(bend[k], b.a, 1e-14);
    EXPECT_NEAR(turning[k], a.a + b.a, 1e-13);
    EXPECT_NEAR(elbow[k], s.a - 0.4 * sine(a).a, 1e-13);
    // In the frame of the upper arm, from where it was at the start: the lower one was straight.
    EXPECT_NEAR(skin[k], -0.3 * std::sin(b.v), 1e-14);
  }
  EXPECT_THROW(m.column("joint/arm.lower/moment.y"), Error);
  EXPECT_THROW(m.column("energy/potential"), Error);
}

// With dynamics the same scripts lead to the same motion, but for what integrating costs.
TEST(Scripted, IsWhatDynamicsWithTheSameScriptsDoes) {
  std::string moving = arm_with("step: 2 ms");
  moving.insert(moving.find("links:\n      cart: {") + std::string("links:\n      cart: {").size(),
                "start: {speed: 0.6 m/s}, ");
  moving.insert(moving.find("upper: {parent: cart, ") + std::string("upper: {parent: cart, ").size(),
                "start: {rate: 1.4 rad/s}, ");
  const Columns exact(parse_scene(arm_with("dynamics: none"), "arm.yaml")), run(parse_scene(moving, "arm.yaml"));
  for (const char* name :
       {"marker/tip/position.x", "marker/tip/velocity.z", "marker/tip/acceleration.x", "marker/skin/displacement.z",
        "link/arm.lower/orientation.w", "momentum/linear.x", "energy/kinetic"}) {
    const auto a = exact.column(name), b = run.column(name);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-8) << name << " " << k;
  }
}

// Attitudes by Euler angles and by a twist: rates are the derivatives of the attitude, accelerations those of the rates.
TEST(Scripted, AttitudesTurnAsTheirAnglesSay) {
  for (const char* drives :
       {"  - {joint: b.body, which: {euler: x}, angle: '0.3 + sin(t)'}\n  - {joint: b.body, which: {euler: y}, angle: "
        "'0.8*cos(2*t)'}\n  - {joint: b.body, which: {euler: z}, angle: '3*t'}\n  - {joint: b.body, coordinate: "
        "z, slide: '1 + t^2'}\n",
        "  - {joint: b.body, which: {twist: [1, 2, 2]}, angle: '0.3 + sin(3*t)'}\n",
        "  - {joint: b.body, which: {euler: y}, angle: '0.5*sin(3*t)'}\n"}) {
    SCOPED_TRACE(drives);
    const Scene scene = parse_scene(
        std::string(
            "marey: 1\nduration: 2 s\nsolver: {dynamics: none}\nfigures:\n  b: {links: {body: {shape: {sphere: 5 cm}, "
            "mass: 1 kg, start: {turned: [0.2, 0.3, 0.4]}}}}\ndrives:\n") +
            drives,
        "b.yaml");
    const ScriptedMotion motion(scene);
    State s = scene.start, before = s, after = s;
    std::vector<double> vdot, unused;
    const double h = 1e-5;
    for (double t = 0.1; t < 2; t += 0.37) {
      motion.at(t, s, vdot), motion.at(t - h, before, unused), motion.at(t + h, after, unused);
      const auto q = [](const State& of) { return Quaternion<double>{of.q[0], of.q[1], of.q[2], of.q[3]}; };
      const Quaternion<double> turn = conjugate(q(before)) * q(after);  // ≈ (1, h w)
      const double w[3] = {turn.x / h, turn.y / h, turn.z / h};
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(s.v[k], (turn.w < 0 ? -1 : 1) * w[k], 1e-8);
        EXPECT_NEAR(vdot[k], (after.v[k] - before.v[k]) / (2 * h), 1e-8);
      }
      EXPECT_NEAR(s.v[5], (after.q[6] - before.q[6]) / (2 * h), 1e-8);
    }
    motion.at(0, s, vdot);
    for (std::size_t k = 0; k < s.q.size(); ++k)
      EXPECT_NEAR(scene.start.q[k], s.q[k], 1e-15) << "the start is the scripts'";
  }
}

TEST(Scripted, MarkersOfMotionsWithForces) {
  const Columns m(parse_scene(R"(marey: 1
duration: 0.5 s
gravity: 9.81
solver: {step: 1 ms}
figures:
  b: {links: {body: {shape: {sphere: 5 cm}, mass: 1 kg, start: {position: [0, 0, 2 m], velocity: [1, 0, 0], spin: [0, 4 rad/s, 0]}}}}
markers:
  side: {link: b.body, point: [5 cm, 0, 0]}
record: {every: 100 ms}
)",
                              "b.yaml"));
  const auto x = m.column("marker/side/position.x"), dz = m.column("marker/side/displacement.z"),
             vz = m.column("marker/side/velocity.z"), az = m.column("marker/side/acceleration.z");
  for (std::size_t k = 0; k < m.frames(); ++k) {
    const double t = 0.1 * static_cast<double>(k), c = std::cos(4 * t), s = std::sin(4 * t);
    EXPECT_NEAR(x[k], t + 0.05 * c, 1e-11);
    EXPECT_NEAR(dz[k], -0.5 * 9.81 * t * t - 0.05 * s, 1e-11);
    EXPECT_NEAR(vz[k], -9.81 * t - 0.2 * c, 1e-10);
    EXPECT_NEAR(az[k], -9.81 + 0.8 * s, 1e-9);
  }
}

TEST(Scripted, SaysThatThereIsNothingToVerify) {
  recorded::Memory memory;
  RunHooks hooks;
  hooks.verify = true;
  const RunSummary s = run(parse_scene(arm_with("dynamics: none"), "arm.yaml"), memory, hooks);
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_NE(s.warnings[0].find("nothing to verify"), std::string::npos) << s.warnings[0];
}

TEST(ScriptedRefuses, WhatScriptsAloneCannotDo) {
  const auto refused = [](std::string text, const std::string& what, const std::string& by) {
    if (!what.empty()) text.replace(text.find(what), what.size(), by);
    return trouble::of(ErrorKind::bad_input, [&] { parse_scene(text, "arm.yaml"); });
  };
  const std::string text = arm_with("dynamics: none"),
                    first = "  - {name: cart, joint: arm.cart, slide: '0.2*sin(3*t)'}";
  const std::string at = "arm.yaml:3:20: found a scene that cannot be moved by scripts alone: ";
  const auto expect = [&](const std::string& said, const std::string& why) {
    EXPECT_EQ(said.substr(0, at.size() + why.size()), at + why) << said;
  };
  expect(refused(text, first, "  - {name: cart, joint: arm.cart, slide: '0.2*sin(3*t)', from: 1 s}"),
         "'cart' does not hold from the start");
  expect(refused(text, first, "  - {name: cart, joint: arm.cart, velocity: 1 m/s}"),
         "'cart' is no script of a joint's coordinate");
  expect(refused(text, first, "  - {name: cart, joint: arm.cart, slide: 1 m, blend: 0.1 s}"), "'cart' has a 'blend'");
  expect(refused(text, "drives:", "constraints:\n  - rod: {a: arm.cart, b: arm.lower, length: 1 m}\ndrives:"),
         "'arm.lower/rod' is no script");
  std::string none = text;
  none.erase(none.find("drives:"), none.find("markers:") - none.find("drives:"));
  expect(refused(none, "", ""), "dynamics: none moves joints by their scripts, and there is none");
  expect(refused(text, "every: 50 ms", "every: 50 ms, paths: arm.lower"), "without dynamics neither paths");
  EXPECT_NE(refused(text, "skin: {link: arm.lower", "skin: {link: arm.lover")
                .find("found the unknown link 'arm.lover'; did you mean 'arm.lower'"),
            std::string::npos);
  const Scene scene = parse_scene(text, "arm.yaml");
  EXPECT_NE(trouble::of(ErrorKind::bad_input, [&] { Simulation s(scene); }).find("has no steps"), std::string::npos);
}

}  // namespace scripted_test
