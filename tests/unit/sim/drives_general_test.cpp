// Coordinates of every kind of joint driven, locked, geared and let go.
//
// Oracles: the script itself (bound 1e-10: after every step the state is put back on it to 1e-12); momenta, which no force
// between a link and its parent can change (1e-12 of their size); closed forms of a single coordinate,
// force = d/dt ∂T/∂q̇ − ∂T/∂q; the work of a drive, its force times the rate integrated by Simpson's rule over the record.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/recorded.h"

namespace {

using marey::Vec3;
using recorded::Memory;

// A trunk in flight with a joint of every general kind: a knee whose axis travels and an ankle; a shoulder blade that
// glides and an arm that slides in it; a nut; a plate.
std::string flight(const std::string& drives, const std::string& top = "solver: {integrator: rk4, step: 2 ms}",
                   const std::string& duration = "2 s") {
  return "title: A figure of general joints in flight\ngravity: 0\nduration: " + duration + "\n" + top +
         R"(
figures:
  f:
    links:
      trunk: {joint: free, mass: 10 kg, shape: {box: {size: [20 cm, 30 cm, 50 cm], center: [2 cm, 0, 5 cm]}},
              start: {spin: [0.5 rad/s, 1 rad/s, -0.7 rad/s], velocity: [1 m/s, 0.2 m/s, 0.4 m/s]}}
      shank: {parent: trunk, at: [0, 10 cm, -25 cm], mass: 3 kg, shape: {capsule: {radius: 4 cm, length: 40 cm, along: -z}},
              joint: {type: custom, coordinates: [bend], angles: {about_y: {slope: 1}, about_x: {polynomial: [0, 0, 0.2]}},
                      displacements: {along_x: {table: [[-1, 2 cm], [0, 0], [1, -3 cm], [2, 1 cm]]}, along_z: {polynomial: [0, 0, -0.05]}}},
              start: {coordinates: {bend: 0.3}, rates: {bend: 1 rad/s}}}
      foot: {parent: shank, at: [0, 0, -40 cm], mass: 1 kg, shape: {box: {size: [24 cm, 9 cm, 6 cm], center: [6 cm, 0, -3 cm]}},
             joint: {type: universal, axes: [y, [1, 0.3, 0.2]]}, start: {coordinates: {first: 0.2, second: -0.1}, rates: {first: -1, second: 0.7}}}
      blade: {parent: trunk, at: [0, 15 cm, 20 cm], mass: 1 kg, shape: {box: {size: [10 cm, 15 cm, 3 cm], center: [1 cm, 0, 2 cm]}},
              joint: {type: ellipsoid, radii: [8 cm, 10 cm, 12 cm]}, start: {turned: [0.3, 0.2, 0.1], spin: [1, -0.5, 0.8]}}
      arm: {parent: blade, at: [0, 5 cm, 5 cm], mass: 2 kg, shape: {capsule: {radius: 3 cm, length: 30 cm, along: y}},
            joint: {type: cylindrical, axis: [1, 0, 1]}, start: {coordinates: {slide: 2 cm, angle: 0.3}, rates: {slide: 0.2, angle: -1}}}
      nut: {parent: trunk, at: [5 cm, -15 cm, 10 cm], mass: 1.5 kg, shape: {cylinder: {radius: 10 cm, length: 5 cm, along: x}},
            joint: {type: screw, axis: [0, 1, 1], pitch: 12 cm}, start: {coordinates: {angle: 0.4}, rates: {angle: 2 rad/s}}}
      plate: {parent: trunk, at: [20 cm, 0, 0], mass: 2 kg, shape: {box: {size: [3 cm, 20 cm, 10 cm], center: [1 cm, 4 cm, 0]}},
              joint: {type: planar, axis: x, along: [0, 1, 1]}, start: {coordinates: {along: 3 cm, across: -2 cm, angle: 0.3}, rates: {along: 0.3, across: -0.1, angle: -1.5}}}
record: {every: 10 ms}
drives:
)" + drives;
}

std::size_t frame_at(const Memory& m, double t) {
  std::size_t f = 0;
  while (m.time(f) < t - 1e-9) ++f;
  return f;
}

struct Driven {
  const char* what;     // joint and coordinate
  const char* script;   // its keys
  const char* channel;  // and the column of its velocity
  std::size_t column;
};
const Driven of_every_kind[] = {
    {"joint: f.shank", "angle: '0.3 + 0.5*sin(3*t)'", "joint/f.shank/velocity", 0},
    {"joint: f.foot, coordinate: first", "angle: '0.4*t'", "joint/f.foot/velocity", 0},
    {"joint: f.foot, coordinate: second", "angle: '0.4*cos(2*t)'", "joint/f.foot/velocity", 1},
    {"joint: f.arm, coordinate: angle", "angle: '0.4*cos(2*t)'", "joint/f.arm/velocity", 0},
    {"joint: f.arm, coordinate: slide", "slide: '0.1*sin(2*t)'", "joint/f.arm/velocity", 1},
    {"joint: f.nut", "angle: 't^2'", "joint/f.nut/velocity", 0},
    {"joint: f.plate, coordinate: along", "slide: '0.1*cos(2*t)'", "joint/f.plate/velocity", 0},
    {"joint: f.plate, coordinate: 2", "slide: '0.1*sin(2*t)'", "joint/f.plate/velocity", 1},
    {"joint: f.plate, coordinate: angle", "angle: '0.4*t'", "joint/f.plate/velocity", 2},
};

// Up to the switch a run is the same with and without it: the difference of the momenta just after it is the switch's own.
TEST(GeneralDrives, TakingHoldAndLettingGoKeepTheMomenta) {
  const auto run_for_a_second = [](const std::string& drive) {
    return recorded::run_text(flight(drive, "solver: {integrator: rk4, step: 2 ms}", "1.04 s"));
  };
  const Memory free = run_for_a_second("  - {joint: f.shank, locked: true, from: 1.0399 s}\n");
  const auto expect_kept = [&](const std::string& drive, double least) {
    const Memory m = run_for_a_second("  - {name: it, " + drive + ", from: 1 s, until: 1.0001 s}\n");
    const std::size_t f = frame_at(m, 1.0);
    for (const char* channel : {"momentum/linear", "momentum/angular"})
      EXPECT_LE(marey::norm(m.vec(channel, f) - free.vec(channel, f)), 1e-12 * marey::norm(free.vec(channel, f)))
          << drive << ", " << channel;
    const double jump = m.number("energy/total", f) - free.number("energy/total", f);
    EXPECT_GT(std::abs(jump), least) << drive;
    EXPECT_NEAR(m.number("constraint/it/work", f), jump, 1e-11) << drive;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8) << drive;
    EXPECT_EQ(m.summary.breakdown, "") << drive;
  };
  for (const Driven& d : of_every_kind) {
    expect_kept(std::string(d.what) + ", locked: true", 1e-6);
    expect_kept(std::string(d.what) + ", " + d.script, 1e-6);
    expect_kept(std::string(d.what) + ", velocity: 3", 1e-5);
  }
  for (const char* axis : {"x", "y", "z"}) {
    expect_kept(std::string("joint: f.blade, locked: true, freedom: ") + axis, 1e-5);
    expect_kept(std::string("joint: f.blade, locked: true, which: {euler: ") + axis + "}", 1e-5);
  }
  expect_kept("joint: f.blade, which: {twist: z}, angle: '0.3*sin(t)'", 1e-5);
  expect_kept("joint: f.blade, which: {swing: z}, velocity: 2 rad/s", 1e-5);
}

// All of them at once for a while: what is scripted is where the script is, what has a velocity or acceleration has it.
TEST(GeneralDrives, ScriptsAreFollowed) {
  const Memory m = recorded::run_text(flight(R"(
  - {name: knee, joint: f.shank, angle: '0.3 + 0.5*sin(3*t)', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.foot, coordinate: first, velocity: '1 + t', from: 0.5 s, until: 1.5 s}
  - {joint: f.foot, coordinate: second, acceleration: -2 rad/s^2, from: 0.5 s, until: 1.5 s}
  - {joint: f.arm, coordinate: slide, slide: '0.1*sin(2*t)', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.arm, coordinate: angle, locked: true, from: 0.5 s, until: 1.5 s}
  - {joint: f.nut, angle: 't^2', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.plate, coordinate: along, slide: '0.1*cos(2*t)', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.plate, coordinate: across, acceleration: 0.5 m/s^2, from: 0.5 s, until: 1.5 s}
  - {joint: f.blade, which: {euler: x}, angle: '0.2 + 0.3*sin(2*t)', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.blade, which: {euler: y}, angle: '0.1 + 0.2*cos(2*t)', blend: 100 ms, from: 0.5 s, until: 1.5 s}
  - {joint: f.blade, which: {euler: z}, locked: true, from: 0.5 s, until: 1.5 s}
)",
                                             "solver: {integrator: rk4, step: 0.5 ms}"));
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8);
  const std::size_t begin = frame_at(m, 0.61), end = frame_at(m, 1.49);
  const auto& arm = "joint/f.arm/coordinate";
  const double locked = m.at(arm, begin)[0], turned = m.at("joint/f.blade/angle", begin)[2];
  for (std::size_t f = begin; f <= end; ++f) {
    const double t = m.time(f);
    EXPECT_NEAR(m.number("joint/f.shank/angle", f), 0.3 + 0.5 * std::sin(3 * t), 1e-10) << t;
    EXPECT_NEAR(m.number("joint/f.shank/velocity", f), 1.5 * std::cos(3 * t), 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.foot/velocity", f)[0], 1 + t, 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.foot/acceleration", f)[1], -2, 1e-9) << t;
    EXPECT_NEAR(m.at(arm, f)[1], 0.1 * std::sin(2 * t), 1e-10) << t;
    EXPECT_NEAR(m.at(arm, f)[0], locked, 1e-10) << t;
    EXPECT_NEAR(m.number("joint/f.nut/angle", f), t * t, 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.plate/coordinate", f)[0], 0.1 * std::cos(2 * t), 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.plate/acceleration", f)[1], 0.5, 1e-9) << t;
    EXPECT_NEAR(m.at("joint/f.blade/angle", f)[0], 0.2 + 0.3 * std::sin(2 * t), 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.blade/angle", f)[1], 0.1 + 0.2 * std::cos(2 * t), 1e-10) << t;
    EXPECT_NEAR(m.at("joint/f.blade/angle", f)[2], turned, 1e-10) << t;
  }
  // Before, between and after them the figure's momenta are what they were, up to the integrator.
  for (const char* channel : {"momentum/linear", "momentum/angular"})
    for (std::size_t f = 0; f < m.rows.size(); ++f)
      EXPECT_LE(marey::norm(m.vec(channel, f) - m.vec(channel, 0)), 1e-7 * marey::norm(m.vec(channel, 0))) << channel;
}

// One coordinate at a time, all the time: the drive's power is its force times the rate, and its integral the work booked.
TEST(GeneralDrives, WorkIsForceTimesRate) {
  for (const Driven& d : of_every_kind) {
    const Memory m = recorded::run_text(flight("  - {name: it, " + std::string(d.what) + ", " + d.script +
                                               ", blend: 1 s, from: 0.1 s, until: 1.9 s}\n"));
    const std::size_t begin = frame_at(m, 0.2), end = frame_at(m, 1.8);
    double work = 0;
    for (std::size_t f = begin; f <= end; ++f) {
      const double weight = f == begin || f == end ? 1 : (f - begin) % 2 == 1 ? 4 : 2;
      work += weight * m.number("constraint/it/multiplier", f) * m.at(d.channel, f)[d.column] * 0.01 / 3;
    }
    const double booked = m.number("constraint/it/work", end) - m.number("constraint/it/work", begin);
    const double gained = m.number("energy/total", end) - m.number("energy/total", begin);
    EXPECT_NEAR(work, booked, 1e-5 * (0.1 + std::abs(booked))) << d.what;
    EXPECT_NEAR(gained, booked, 1e-8 * m.number("energy/total", begin)) << d.what;  // of about 20 J, by the integrator
    EXPECT_GT(std::abs(booked), 1e-4) << d.what;
  }
}

// ---- closed forms
std::string single(const std::string& joint, const std::string& drive, const std::string& more = "") {
  return "duration: 1 s\nsolver: {integrator: rk4, step: 2 ms}\nrecord: {every: 10 ms}\nfigures: {a: {links: {b: "
         "{joint: {" +
         joint + "}, mass: 2 kg, inertia: {diagonal: [0.03, 0.03, 0.03]}}}}" + more +
         "}\ndrives:\n  - {name: it, joint: a.b, " + drive + "}\n";
}

// A planar pelvis of 2 kg: force = m ẍ. A screw: torque = (J + m h²) θ̈ + m g h, h the pitch over 2 π. A custom joint with
// x = c q² and an angle q: T = ½ (J + 4 m c² q²) q̇², torque = (J + 4 m c² q²) q̈ + 4 m c² q q̇².
TEST(GeneralDrives, ForcesAreThoseOfClosedForms) {
  constexpr double mass = 2, J = 0.03, g = 9.81;
  const auto expect = [&](const std::string& text, const auto& force) {
    const Memory m = recorded::run_text(text);
    EXPECT_EQ(m.summary.breakdown, "");
    for (std::size_t f = 1; f + 1 < m.rows.size(); ++f)
      EXPECT_NEAR(m.number("constraint/it/multiplier", f), force(m.time(f)), 1e-9) << text << m.time(f);
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8);
    EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 1e-8);
    EXPECT_LE(m.summary.ledger.angular_momentum_residual_relative, 1e-8);
  };
  expect(single("type: planar, axis: y, along: x", "coordinate: along, slide: '0.3*(1 - cos(2*t))'"),
         [](double t) { return mass * 1.2 * std::cos(2 * t); });
  const double h = 0.05 / (2 * std::numbers::pi);
  expect(single("type: screw, axis: z, pitch: 5 cm", "angle: '3*(1 - cos(2*t))'"),
         [&](double t) { return (J + mass * h * h) * 12 * std::cos(2 * t) + mass * g * h; });
  expect(single("type: custom, coordinates: [q], angles: {about_y: {slope: 1}}, displacements: {along_x: {polynomial: "
                "[0, 0, 0.4]}}",
                "angle: '0.8*(1 - cos(2*t))'"),
         [](double t) {
           const double q = 0.8 * (1 - std::cos(2 * t)), v = 1.6 * std::sin(2 * t), a = 3.2 * std::cos(2 * t);
           const double c = 4 * mass * 0.4 * 0.4;
           return (J + c * q * q) * a + c * q * v * v;
         });
}

// ---- gears
// A screw that sinks under its weight turns a wheel r times as fast: (J + m h² + r² J_w) θ̈ = −m g h, all the time.
TEST(GeneralDrives, AScrewTurnsAWheel) {
  const Memory m = recorded::run_text(R"(duration: 1 s
solver: {integrator: rk4, step: 10 ms}
record: {every: 50 ms}
figures:
  a:
    links:
      nut: {joint: {type: screw, axis: z, pitch: 10 cm}, mass: 2 kg, inertia: {diagonal: [0.03, 0.03, 0.03]}}
      wheel: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.01, 0.01, 0.01]}, start: {angle: 20 deg}}
constraints:
  - couple: {name: gear, joints: {a.nut: 2.5, a.wheel: -1}}
)");
  const double h = 0.1 / (2 * std::numbers::pi), a = -2 * 9.81 * h / (0.03 + 2 * h * h + 2.5 * 2.5 * 0.01);
  for (std::size_t f = 0; f < m.rows.size(); ++f) {
    const double t = m.time(f), theta = 0.5 * a * t * t;
    EXPECT_NEAR(m.number("joint/a.nut/angle", f), theta, 1e-11) << t;
    EXPECT_NEAR(m.number("joint/a.wheel/angle", f), 20 * std::numbers::pi / 180 + 2.5 * theta, 1e-11) << t;
    EXPECT_NEAR(m.number("constraint/gear/multiplier", f), -0.01 * 2.5 * a, 1e-10) << t;
  }
  EXPECT_NEAR(m.summary.ledger.energy_residual, 0, 1e-13);  // J, of half a joule that went from weight into turning
}

// First angle of a universal joint, two coordinates of one joint, and the twist of a shoulder, geared, in flight.
TEST(GeneralDrives, GearsOnEveryKindOfCoordinateKeepTheirSumAndTheEnergy) {
  std::string text = flight("  - {joint: f.nut, locked: true, from: 1.999 s}\n");
  text += R"(constraints:
  - couple: {name: leg, joints: {f.shank: 2, f.foot: {first: 1}}, from: 100 ms}
  - couple: {name: drill, joints: {f.arm: {angle: 0.05, slide: -1}}, from: 100 ms}
  - couple: {name: blade, joints: {f.blade: {which: {twist: z}, factor: 1}, f.plate: {along: 3}}, from: 200 ms}
)";
  const Memory m = recorded::run_text(text);
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8);
  const std::size_t first = frame_at(m, 0.21);
  const auto leg = [&](std::size_t f) {
    return 2 * m.number("joint/f.shank/angle", f) + m.at("joint/f.foot/coordinate", f)[0];
  };
  const auto drill = [&](std::size_t f) {
    return 0.05 * m.at("joint/f.arm/coordinate", f)[0] - m.at("joint/f.arm/coordinate", f)[1];
  };
  for (std::size_t f = first; f < m.rows.size(); ++f) {
    EXPECT_NEAR(leg(f), leg(first), 1e-10);
    EXPECT_NEAR(drill(f), drill(first), 1e-10);
    EXPECT_LE(m.number("constraint/blade/error", f), 1e-10);
  }
  // Only making them took energy: from then on a gear does no work.
  for (const char* gear : {"leg", "drill", "blade"}) {
    const std::string work = std::string("constraint/") + gear + "/work";
    EXPECT_NEAR(m.number(work, m.rows.size() - 2), m.number(work, first), 1e-9) << gear;
  }
  for (const char* channel : {"momentum/linear", "momentum/angular"})
    EXPECT_LE(marey::norm(m.vec(channel, m.rows.size() - 1) - m.vec(channel, 0)),
              1e-7 * marey::norm(m.vec(channel, 0)));
}

// ---- a root that is carried
// The origin of a lopsided body is taken at 0.2 s, carried along a curve and let go at 0.6 s. What takes it is the world:
// the impulse is the change of momentum, and the books close with it. Let go, the body keeps the momentum it has.
TEST(GeneralDrives, ARootIsCarriedAlongAPathAndLetGo) {
  const Memory m = recorded::run_text(R"(duration: 1 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
record: {every: 5 ms}
figures:
  f:
    links:
      body: {joint: free, mass: 4 kg, shape: {box: {size: [20 cm, 30 cm, 10 cm], center: [10 cm, 5 cm, 0]}}, start: {spin: [1, 2, 0.5], velocity: [0.5 m/s, 0, 0]}}
      tail: {parent: body, joint: ball, at: [20 cm, 0, 0], mass: 1 kg, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}}
drives:
  - {name: x, joint: f.body, coordinate: x, slide: '0.5*sin(3*t)', from: 0.2 s, until: 0.6 s}
  - {name: y, joint: f.body, coordinate: y, slide: '0.4*t^2', from: 0.2 s, until: 0.6 s}
  - {name: z, joint: f.body, coordinate: z, velocity: 1 m/s, from: 0.2 s, until: 0.6 s}
)");
  EXPECT_EQ(m.summary.breakdown, "");
  const auto place = [&](std::size_t f) { return m.vec("link/f.body/position", f); };
  const std::size_t taken = frame_at(m, 0.2), let_go = frame_at(m, 0.6);
  for (std::size_t f = taken; f <= let_go; ++f) {
    const double t = m.time(f);
    EXPECT_NEAR(place(f).x - place(taken).x, 0.5 * (std::sin(3 * t) - std::sin(0.6)), 1e-10) << t;
    EXPECT_NEAR(place(f).y - place(taken).y, 0.4 * (t * t - 0.04), 1e-10) << t;
    EXPECT_NEAR(place(f).z - place(taken).z, t - 0.2, 1e-9) << t;
  }
  const Vec3<double> before = m.vec("momentum/linear", taken - 1), after = m.vec("momentum/linear", taken);
  EXPECT_GT(marey::norm(after - before), 0.5);
  for (const char* channel : {"momentum/linear", "momentum/angular"})
    for (std::size_t f = let_go + 1; f < m.rows.size(); ++f)
      EXPECT_LE(marey::norm(m.vec(channel, f) - m.vec(channel, let_go)), 1e-9 * marey::norm(m.vec(channel, let_go)))
          << channel;
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8);
  EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 1e-9);
  EXPECT_LE(m.summary.ledger.angular_momentum_residual_relative, 1e-8);
}

// Lagrange multipliers in maximal coordinates move the same figure alike, and so do semi-implicit steps, to first order.
TEST(GeneralDrives, MultipliersAgree) {
  const std::string angles = R"(  - {joint: f.shank, angle: '0.3 + t'}
  - {joint: f.foot, coordinate: first, angle: '0.2 - t'}
  - {joint: f.arm, coordinate: slide, slide: '0.02 + 0.2*t'}
  - {joint: f.nut, angle: '0.4 + 2*t'}
  - {joint: f.plate, coordinate: along, slide: '0.03 + 0.3*t'}
)";
  const std::string rates = R"(  - {joint: f.shank, velocity: '1 + t'}
  - {joint: f.foot, coordinate: first, acceleration: 2 rad/s^2}
  - {joint: f.arm, coordinate: slide, acceleration: 0.3 m/s^2}
  - {joint: f.nut, acceleration: -3 rad/s^2}
  - {joint: f.plate, coordinate: along, velocity: '0.3 - 0.2*t'}
)";
  for (const std::string& drives : {angles, rates}) {
    const Memory right = recorded::run_text(flight(drives));
    const std::size_t f = frame_at(right, 1.0);
    const auto expect_alike = [&](const std::string& solver, double position, double velocity) {
      const Memory other = recorded::run_text(flight(drives, "solver: {" + solver + "}"));
      EXPECT_EQ(other.summary.breakdown, "");
      for (const char* link : {"trunk", "foot", "arm", "nut", "plate"}) {
        const std::string channel = std::string("link/f.") + link + "/position";
        EXPECT_LE(marey::norm(right.vec(channel, f) - other.vec(channel, f)), position) << solver << ", " << link;
      }
      for (const Driven& d : of_every_kind)
        EXPECT_NEAR(right.at(d.channel, f)[d.column], other.at(d.channel, f)[d.column], velocity)
            << solver << ", " << d.what;
    };
    expect_alike("dynamics: multipliers, integrator: rk4, step: 2 ms", 1e-7, 1e-6);
    expect_alike("dynamics: multipliers, integrator: semi_implicit, step: 1 ms", 5e-3, 2e-2);
    expect_alike("dynamics: aba, integrator: semi_implicit, step: 1 ms", 5e-3, 2e-2);
  }
}

// A joint that is locked whole is a weld: the link stays where it was in its parent.
TEST(GeneralDrives, AWholeJointIsLocked) {
  for (const std::string joint : {"foot", "blade", "arm", "plate"}) {
    const std::string parent = joint == "foot" ? "shank" : joint == "arm" ? "blade" : "trunk";
    const Memory m = recorded::run_text(flight("  - {name: it, joint: f." + joint + ", locked: true, from: 0.5 s}\n",
                                               "solver: {integrator: rk4, step: 1 ms}"));
    EXPECT_EQ(m.summary.breakdown, "");
    const auto pose = [&](const std::string& link, std::size_t f) {
      return marey::Transform<double>{marey::rotation(m.turn("link/f." + link + "/orientation", f)),
                                      m.vec("link/f." + link + "/position", f)};
    };
    const std::size_t first = frame_at(m, 0.51), last = m.rows.size() - 1;
    const marey::Transform<double> then = inverse(pose(parent, first)) * pose(joint, first),
                                   now = inverse(pose(parent, last)) * pose(joint, last);
    EXPECT_LE(marey::norm(then.p - now.p), 1e-10) << joint;
    EXPECT_LE(recorded::angle_between(quaternion_of(then.R), quaternion_of(now.R)), 1e-7) << joint;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-8) << joint;
  }
}

TEST(GeneralDrives, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& drive, const std::string& why) {
    try {
      recorded::run_text(flight("  - " + drive + "\n"));
      ADD_FAILURE() << drive;
    } catch (const marey::Error& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  refused("{joint: f.foot, angle: 1}", "expected coordinate: first or second");
  refused("{joint: f.foot, coordinate: third, angle: 1}", "first or second");
  refused("{joint: f.arm, coordinate: slide, angle: 1}", "expected 'slide', since the coordinate 'slide' is a length");
  refused("{joint: f.arm, coordinate: slide, slide: 10 deg, from: 1 s}", "a length");
  refused("{joint: f.arm, coordinate: angle, angle: 10 cm, from: 1 s}", "an angle");
  refused("{joint: f.arm, coordinate: slide, velocity: 10 deg/s, from: 1 s}", "a speed");
  refused("{joint: f.trunk, slide: 1 m}", "expected coordinate: x, y or z");
  refused("{joint: f.trunk, coordinate: x, angle: 1}", "expected 'slide', since");
  refused("{joint: f.blade, coordinate: x, angle: 1}", "twist");
  refused("{joint: f.blade, freedom: x, angle: 1}", "velocity, acceleration or locked");
  refused("{joint: f.nut, which: {twist: x}, angle: 1}", "expected coordinate");
  refused("{joint: f.nut, freedom: x, velocity: 1}", "expected 'coordinate'");
}

}  // namespace
