// Inverse dynamics of a motion: what it finds is what the run applied, with contacts and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/io/inverse.h"
#include "support/recorded.h"
#include "support/sizes.h"

namespace marey {
namespace {

// A motion in memory as a file would give it.
Motion motion_of(const std::string& text) {
  const recorded::Memory memory = recorded::run_text(text);
  EXPECT_EQ(memory.summary.breakdown, "");
  Motion m;
  m.file = "test.h5";
  const Scene& scene = memory.header.scene;
  m.scene_text = scene.text, m.scene_file = scene.file, m.duration = scene.duration;
  m.solver = scene.solver, m.record = scene.record;
  m.channels = memory.header.channels;
  m.frames = memory.rows.size();
  m.values.resize(m.channels.size());
  for (const std::vector<double>& row : memory.rows) {
    std::size_t at = 0;
    for (std::size_t c = 0; c < m.channels.size(); ++c)
      for (std::size_t k = 0; k < m.channels[c].columns.size(); ++k) m.values[c].push_back(row[at++]);
  }
  return m;
}

const std::string arm = R"(title: An arm
duration: 0.4 s
solver: {integrator: rk4, step: 1 ms}
figures:
  arm:
    links:
      upper: {joint: ball, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}, mass: 2 kg, friction: 0.3 N m s/rad,
              start: {spin: [1 rad/s, -2 rad/s, 0.5 rad/s]}}
      lower: {parent: upper, at: [30 cm, 0, 0], joint: {type: hinge, axis: y}, friction: 0.1 N m s/rad,
              shape: {capsule: {radius: 2 cm, length: 25 cm, along: x}}, mass: 1 kg, start: {angle: 30 deg, rate: 3 rad/s}}
record: {every: 2 ms}
)";

TEST(InverseMotion, FindsWhatTheJointsApplied) {
  const Motion motion = motion_of(arm), exact = inverse_dynamics(motion), film = inverse_dynamics(motion, {true, true});
  ASSERT_EQ(exact.frames, motion.frames);
  ASSERT_EQ(film.frames, motion.frames - 4);
  EXPECT_EQ(film.time()[0], motion.time()[2]);
  for (const char* name : {"joint/arm.upper/", "joint/arm.lower/"}) {
    const std::string joint = name;
    const auto applied = motion.channel(joint + "applied"), found = exact.channel(joint + "torque");
    const auto filmed = film.channel(joint + "torque");
    ASSERT_EQ(applied.size(), found.size());
    const std::size_t width = found.size() / exact.frames;
    EXPECT_GT(largest(applied), 0.05);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], applied[i], 1e-9) << joint;
    // h⁴/30 of the sixth derivative of the coordinates: some 1e-5 here.
    for (std::size_t i = 0; i < filmed.size(); ++i) EXPECT_NEAR(filmed[i], applied[i + 2 * width], 1e-4) << joint;
    for (const char* what : {"force", "moment"}) {
      const auto a = motion.channel(joint + what), b = exact.channel(joint + what);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << joint << what;
    }
  }
}

// In steps, shapes against a floor: what touches is taken as acting from outside, with its moments.
TEST(InverseMotion, WhatTouchesInStepsActsFromOutside) {
  const Motion motion = motion_of(R"(title: A limb falls on a floor
duration: 0.5 s
solver: {contact: stepping, step: 1 ms}
materials: {default: {friction: 0.6, rolling: 3 mm, torsion: 3 mm}}
figures:
  limb:
    links:
      upper: {shape: {capsule: {radius: 4 cm, length: 30 cm, along: x}}, mass: 2 kg,
              start: {position: [0, 0, 30 cm], turned: {axis: y, angle: 20 deg}, spin: [3 rad/s, 1 rad/s, 0]}}
      lower: {parent: upper, at: [30 cm, 0, 0], joint: {type: hinge, axis: y}, friction: 0.1 N m s/rad,
              shape: {capsule: {radius: 4 cm, length: 25 cm, along: x}}, mass: 1 kg}
scenery: {floor: {plane: 0}}
collide: all
record: {every: 5 ms}
)");
  const Motion found = inverse_dynamics(motion);
  EXPECT_GT(largest(motion.channel("touch/limb.upper/force")), 10);
  EXPECT_GT(largest(motion.channel("touch/limb.lower/moment")), 0.1);
  const auto applied = motion.channel("joint/limb.lower/applied"), torque = found.channel("joint/limb.lower/torque");
  ASSERT_EQ(applied.size(), torque.size());
  for (std::size_t i = 0; i < torque.size(); ++i) EXPECT_NEAR(torque[i], applied[i], 1e-8) << i;
}

// The force on a rocket is its thrust, 15 kg/s × 800 m/s, whatever it still weighs; v̇ by differences is good to h⁴/90 of its fourth
// derivative, 24 c (k/m)⁵: far less than the roundings of heights over h².
TEST(InverseMotion, KnowsMassesThatChange) {
  const Motion motion = motion_of(R"(duration: 4 s
solver: {integrator: rk4, step: 10 ms}
record: {every: 20 ms}
particles: {rocket: {points: [{position: [0, 0, 0], mass: 100 kg}]}}
forces: [{mass_flow: {links: rocket.1, mass: '100 - 15*t', velocity: [0, 0, -800 m/s], relative: true}}]
)");
  const Motion film = inverse_dynamics(motion, {true, true});
  const auto force = film.channel("joint/rocket.1/torque");
  ASSERT_EQ(force.size(), 3 * film.frames);
  for (std::size_t f = 0; f < film.frames; ++f) EXPECT_NEAR(force[3 * f + 2], 12000, 0.1);
}

TEST(InverseMotion, KnowsGeneralJoints) {
  const Motion motion = motion_of(R"(title: A universal joint and a cylindrical one
duration: 0.2 s
figures:
  g:
    links:
      cross: {joint: {type: universal, axes: [y, z]}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}, mass: 2 kg, friction: 0.3 N m s/rad,
              start: {coordinates: {first: 10 deg, second: 5 deg}}}
      end: {parent: cross, at: [30 cm, 0, 0], joint: {type: cylindrical, axis: x}, start: {coordinates: {angle: 10 deg, slide: 1 cm}},
            shape: {capsule: {radius: 2 cm, length: 25 cm, along: x}}, mass: 1 kg}
record: {every: 2 ms}
)");
  const Motion exact = inverse_dynamics(motion);
  for (const std::string joint : {"joint/g.cross/", "joint/g.end/"})
    for (const auto& [found, recorded] : {std::pair{"torque", "applied"}, {"force", "force"}, {"moment", "moment"}}) {
      const auto a = motion.channel(joint + recorded), b = exact.channel(joint + found);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8) << joint << found;
    }
}

// A body that rests on the floor at three points: with the recorded contact forces nothing is left for its root; without
// them the root carries the weight.
TEST(InverseMotion, ContactsActFromOutside) {
  const Motion motion = motion_of(R"(title: A tripod
duration: 0.1 s
figures:
  t:
    links:
      body: {shape: {box: [20 cm, 20 cm, 10 cm]}, mass: 3 kg, start: {position: [0, 0, 5 cm]}}
contacts:
  - {link: t.body, at: [[10 cm, 0, -5 cm], [-5 cm, 8 cm, -5 cm], [-5 cm, -8 cm, -5 cm]], friction: 0.5}
record: {every: 10 ms}
)");
  const auto with = inverse_dynamics(motion), without = inverse_dynamics(motion, {false, false});
  EXPECT_LE(largest(with.channel("root/t.body/force")), 1e-7);
  EXPECT_LE(largest(with.channel("root/t.body/moment")), 1e-7);
  EXPECT_NEAR(without.column("root/t.body/force.z")[5], 3 * 9.81, 1e-6);
}

// A four-bar whose joints have friction, and a rod from it to a body on a slider made on the way: what the loops did is
// known, and what is left is what the joints did.
const std::string mechanism = R"(title: A mechanism
duration: 0.4 s
solver: {integrator: rk4, step: 1 ms}
start: projected
figures:
  bars:
    links:
      crank: {joint: {type: hinge, axis: y}, friction: 0.2 N m s/rad, shape: {capsule: {radius: 1 cm, to: [20 cm, 0, 0]}}, mass: 1 kg, start: {angle: -80 deg, rate: 5 rad/s}}
      coupler: {parent: crank, at: [20 cm, 0, 0], joint: {type: hinge, axis: y}, friction: 0.1 N m s/rad, shape: {capsule: {radius: 1 cm, to: [50 cm, 0, 0]}}, mass: 2 kg, start: {angle: 70 deg}}
      rocker: {at: [50 cm, 0, 0], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, to: [30 cm, 0, 0]}}, mass: 1.5 kg, start: {angle: -70 deg}}
  load: {links: {body: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 1 kg, start: {position: [20 cm, 30 cm, 50 cm], spin: [1 rad/s, 2 rad/s, 0]}}}}
constraints:
  - hinge: {a: bars.coupler, b: bars.rocker, at: [50 cm, 0, 0], at_b: [30 cm, 0, 0], axis: y}
  - rod: {a: bars.coupler, b: load.body, at: [10 cm, 0, 0], at_b: [5 cm, 0, 0]}
  - cylindrical: {a: bars.rocker, b: load.body, axis: [1, 2, 3], from: 0.11 s, until: 0.3 s}
record: {every: 4 ms}
)";

TEST(InverseMotion, ConstraintsActFromOutside) {
  Motion motion = motion_of(mechanism);
  ASSERT_EQ(constraint_forces_of(motion), ConstraintForces::known);
  const Motion own = inverse_dynamics(motion), all = inverse_dynamics(motion, {false, true, false});
  for (const char* name : {"joint/bars.crank/", "joint/bars.coupler/", "joint/bars.rocker/", "joint/load.body/"}) {
    const std::string joint = name;
    const auto applied = motion.channel(joint + "applied"), found = own.channel(joint + "torque");
    ASSERT_EQ(applied.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], applied[i], 1e-8) << joint << ' ' << i;
    EXPECT_GT(largest(all.channel(joint + "torque")), 1) << joint;
  }
  EXPECT_GT(largest(motion.channel("joint/bars.crank/applied")), 0.1);
  // A file that does not say where they acted.
  for (Channel& c : motion.channels)
    if (c.name.ends_with("/point")) c.name += "_lost";
  EXPECT_EQ(constraint_forces_of(motion), ConstraintForces::points_missing);
  const Motion as_before = inverse_dynamics(motion);
  EXPECT_TRUE(std::ranges::equal(as_before.channel("joint/bars.crank/torque"), all.channel("joint/bars.crank/torque")));
}

TEST(InverseMotion, SaysWhatIsMissing) {
  Motion motion = motion_of(arm);
  motion.frames = 4;
  const auto said = [&](const InverseOptions& options) {
    try {
      inverse_dynamics(motion, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(said({true, true}), "'test.h5' has 4 frames; expected at least 5 to differentiate");
  motion.frames = 5;
  EXPECT_EQ(said({true, true}), "");
  EXPECT_THROW((motion.frames = 4, inverse_dynamics(motion, {true, true})), Error);
  motion = motion_of(arm);
  motion.values[0][7] += 1e-4;
  EXPECT_THROW(inverse_dynamics(motion, {true, true}), Error);
  EXPECT_EQ(said({true, true}),
            "the frames of 'test.h5' are not equally far apart (at 0.0141 s); differentiating needs that");
  for (Channel& c : motion.channels)
    if (c.name == "joint/arm.lower/acceleration") c.name = "joint/arm.lower/something";
  EXPECT_THROW(inverse_dynamics(motion), Error);
  EXPECT_EQ(
      said({}),
      "'test.h5' does not hold the acceleration of the joint of 'arm.lower'; --differentiate finds it from the poses");
}

// Joints that shift or hold, particles, and a particle on a link that is turned: from the poses alone, and from what was
// recorded.
TEST(InverseMotion, KnowsSlidersWeldsAndParticles) {
  const Motion motion = motion_of(R"(title: Things that shift
duration: 0.1 s
solver: {integrator: rk4, step: 1 ms}
figures:
  f:
    links:
      cart: {joint: {type: slider, axis: [3, 0, 4]}, shape: {sphere: 10 cm}, mass: 2 kg, start: {slide: 20 cm, speed: 1 m/s}}
      load: {parent: cart, joint: weld, at: [0, 10 cm, 0], turned: [20 deg, 30 deg, 40 deg], shape: {sphere: 5 cm}, mass: 1 kg}
      bead: {parent: load, joint: point, mass: 0.5 kg, start: {position: [10 cm, 0, 5 cm], velocity: [0, 1 m/s, 0]}}
forces:
  - drag: {links: f.*, linear: 0.5 N s/m}
record: {every: 1 ms}
)");
  const Motion exact = inverse_dynamics(motion), film = inverse_dynamics(motion, {true, true});
  EXPECT_FALSE(exact.has("joint/f.load/torque"));
  EXPECT_EQ(exact.channels[exact.find("joint/f.cart/torque")].unit, "N");
  EXPECT_EQ(exact.channels[exact.find("joint/f.bead/torque")].unit, "N");
  EXPECT_EQ(exact.channels[exact.find("joint/f.bead/torque")].columns, (std::vector<std::string>{"x", "y", "z"}));
  for (const char* name : {"joint/f.cart/torque", "joint/f.bead/torque", "joint/f.load/force", "joint/f.load/moment"}) {
    const auto a = exact.channel(name), b = film.channel(name);
    const std::size_t width = a.size() / exact.frames;
    EXPECT_GT(largest(a), 1e-3) << name;
    // Rounding of a coordinate (1e-16 m) over h² is 1e-10 of an acceleration, and the fifth-order remainder is less.
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], a[i + 2 * width], 1e-6) << name << ' ' << i;
  }
}

// What moved a particle is found from how it was recorded to move, and from its places alone: here the air, −c v with
// v = v₀ exp(−c t/m).
TEST(InverseMotion, FindsWhatMovedAParticle) {
  const Motion motion = motion_of(R"(title: A grain in air
duration: 0.1 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
particles: {dust: {turned: [0, 0, 90 deg], points: {grain: {position: [1 m, 2 m, 3 m], velocity: [1 m/s, 0, 2 m/s], mass: 0.2 kg}}}}
forces:
  - drag: {links: dust.*, linear: 0.5 N s/m}
record: {every: 1 ms}
)");
  const Motion film = inverse_dynamics(motion, {true, true});
  const auto found = film.channel("joint/dust.grain/torque");
  EXPECT_EQ(film.channels[film.find("joint/dust.grain/torque")].unit, "N");
  for (std::size_t f = 0; f < film.frames; ++f) {
    const double left = std::exp(-0.5 / 0.2 * film.time()[f]);
    // Rounding: some eps · 3 m · 0.2 kg/h², 1e-10 N; h⁴/90 of the sixth derivative less than that.
    EXPECT_NEAR(found[3 * f], 0, 1e-8);
    EXPECT_NEAR(found[3 * f + 1], -0.5 * left, 1e-8);
    EXPECT_NEAR(found[3 * f + 2], -1.0 * left, 1e-8);
  }
  const Motion exact = inverse_dynamics(motion);
  ASSERT_EQ(exact.frames, motion.frames);
  const auto recorded = exact.channel("joint/dust.grain/torque");
  for (std::size_t f = 0; f < exact.frames; ++f) {
    const double left = std::exp(-0.5 / 0.2 * exact.time()[f]);  // rk4: (h c/m)⁴ of it
    EXPECT_NEAR(recorded[3 * f], 0, 1e-10);
    EXPECT_NEAR(recorded[3 * f + 1], -0.5 * left, 1e-10);
    EXPECT_NEAR(recorded[3 * f + 2], -1.0 * left, 1e-10);
  }
}

// What holds a figure at its centre of mass is not what its joints did, nor its root.
TEST(InverseMotion, HoldsActFromOutside) {
  const Motion motion = motion_of(R"(duration: 0.3 s
solver: {integrator: rk4, step: 1 ms}
record: {every: 10 ms}
figures:
  f:
    links:
      trunk: {shape: {box: [20 cm, 30 cm, 50 cm]}, mass: 20 kg, start: {spin: [1 rad/s, 2 rad/s, 0]}}
      leg: {parent: trunk, at: [0, 10 cm, -25 cm], joint: {type: hinge, axis: y}, friction: 2 N m s/rad, mass: 8 kg,
            shape: {capsule: {radius: 6 cm, length: 60 cm, along: -z}}, start: {angle: 40 deg}}
forces:
  - hold: {links: f.*, lift: weight, stiffness: 200 N/m, damping: 30 N s/m, to: [0, 0, 50 cm]}
)");
  const Motion found = inverse_dynamics(motion), as_muscles = inverse_dynamics(motion, {false, true, true, false});
  const auto applied = motion.channel("joint/f.leg/applied"), torque = found.channel("joint/f.leg/torque");
  for (std::size_t i = 0; i < torque.size(); ++i) EXPECT_NEAR(torque[i], applied[i], 1e-9);
  EXPECT_LE(largest(found.channel("joint/f.trunk/torque")), 1e-9) << "nothing pushes the root";
  EXPECT_GT(largest(as_muscles.channel("joint/f.trunk/torque")), 100);
  EXPECT_NEAR(motion.column("element/f/hold/force.z")[0] - 28 * 9.81,
              200 * (0.5 - motion.column("center_of_mass/position.z")[0]), 1e-9);
}

// What pushed a link is not what its joints did: without the pushes, the same as without them in the scene.
TEST(InverseMotion, PushesActFromOutside) {
  const Motion motion = motion_of(arm + R"(forces:
  - push: {link: arm.lower, point: [20 cm, 0, 0], force: ['30*sin(20*t)', 0, 5 N], torque: [0, 0.3 N m, 0]}
  - spike: {link: arm.upper, force: [0, 8 N, 0], axes: body, lasts: 50 ms, from: 0.1 s}
)");
  const Motion found = inverse_dynamics(motion), as_muscles = inverse_dynamics(motion, {false, true, true, false});
  double most = 0;
  for (const char* name : {"joint/arm.upper/", "joint/arm.lower/"}) {
    const std::string joint = name;
    const auto applied = motion.channel(joint + "applied"), torque = found.channel(joint + "torque"),
               by_muscles = as_muscles.channel(joint + "torque");
    for (std::size_t i = 0; i < torque.size(); ++i) {
      EXPECT_NEAR(torque[i], applied[i], 1e-9) << joint;
      most = std::max(most, std::abs(by_muscles[i] - applied[i]));
    }
  }
  EXPECT_GT(most, 1);
}

// A coupler pulls at joints, not at points of links; it is not among what acts from outside.
TEST(InverseMotion, CouplersAreLeftToTheJoints) {
  const Motion motion = motion_of(R"(title: Two wheels
duration: 0.1 s
figures:
  w:
    links:
      a: {joint: {type: hinge, axis: y}, shape: {sphere: {radius: 10 cm, center: [20 cm, 0, 0]}}, mass: 2 kg}
      b: {at: [0, 1 m, 0], joint: {type: hinge, axis: y}, shape: {sphere: 10 cm}, mass: 1 kg}
      c: {at: [0, 2 m, 0], joint: {type: hinge, axis: y}, shape: {sphere: {radius: 10 cm, center: [20 cm, 0, 0]}}, mass: 2 kg}
constraints:
  - couple: {joints: {w.a: 1, w.b: -2}}
  - ball: {b: w.c, at: [20 cm, 2 m, 0], at_b: [20 cm, 0, 0]}
record: {every: 10 ms}
)");
  const Motion own = inverse_dynamics(motion);
  // φ_a = 2 φ_b: of the weight's moment on a the coupler takes a part, and gives b twice what its inertia needs.
  const double I_a = 2 * (0.4 * 0.01 + 0.04), I_b = 0.4 * 0.01, n = 2 * 9.81 * 0.2;
  const double turning = n / (I_a + I_b / 4);  // of a, at the start
  EXPECT_NEAR(own.column("joint/w.a/torque")[0], I_a * turning - n, 1e-8);
  EXPECT_NEAR(own.column("joint/w.b/torque")[0], I_b * turning / 2, 1e-8);
  EXPECT_LE(largest(own.channel("joint/w.c/torque")), 1e-8);  // the world's end of the ball carries it all
}

}  // namespace
}  // namespace marey
