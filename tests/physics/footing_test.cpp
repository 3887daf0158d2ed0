// Ground for feet (src/force/kinds/footing.cpp), against closed forms.
//
// Beams, with ξ = x/L (Timoshenko): hinged at both ends, a load F at ξ₀ ≤ ½ bends by, at ξ ≥ ξ₀,
//   w = (F L³/EI) ξ₀ (1 − ξ) (1 − ξ₀² − (1 − ξ)²)/6                                                                  (1)
// and clamped at 0, at ξ ≤ ξ₀,
//   w = (F L³/EI) ξ² (3ξ₀ − ξ)/6                                                                                     (2)
// The sum over n modes φ_k(ξ) φ_k(ξ₀) F L³/(EI β_k⁴) is short of that by at most 2 (4) Σ_{k>n} β_k⁻⁴, and in (1) by less than
// 2/(3π⁴ (n − ½)³).
// A mass that falls freely from h on a pad a z^b comes down to  a z^(b+1)/(b + 1) = m g (h + z).                     (3)
// A block that slides stops after v₀²/(2 μ g).                                                                      (4)
// An inverted pendulum of inertia J, held at its foot by T_G = −k φ, swings with ω² = (k − m g l)/J, and falls if it needs more than the
// load times the lever.                                                                                            (5)
#include "marey/force/footing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "sim/world.h"
#include "support/recorded.h"

namespace marey::footing_test {
namespace {

constexpr double g = 9.81;

Scene read(const std::string& text) { return parse_scene("marey: 1\n" + text, "footing.yaml"); }
Scene falling(const std::string& footing, const std::string& solver = "{integrator: rk45, tolerance: 1e-9}",
              double duration = 0.6, const std::string& start = "", const std::string& rest = "") {
  return read(
      fmt::format("duration: {}\nsolver: {}\nfigures: {{f: {{links: {{mass: {{joint: point, mass: 3 kg, start: "
                  "{{position: [0.2, 0, 0.5]"
                  "{}}}}}}}}}}}\nforces:\n  - footing: {{name: floor, links: f.mass, heel: [0, 0, 0], {}}}\n{}record: "
                  "{{every: 2 ms}}\n",
                  duration, solver, start, footing, rest));
}

// ---- beams
TEST(Beams, HaveTheirModes) {
  for (const Plank::Held held : {Plank::Held::both_ends, Plank::Held::one_end}) {
    Plank plank;
    plank.held = held, plank.length = 3, plank.mass = 20, plank.stiffness = 1, plank.modes = 8;
    const std::vector<BeamMode> modes = modes_of(plank);
    if (held == Plank::Held::one_end) {
      const double printed[] = {1.875104069, 4.694091133, 7.854757438, 10.99554073, 14.13716839};
      for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(modes[k].beta, printed[k], 1e-8);
    }
    // orthonormal, by Simpson's rule; and the slope is that of the shape
    constexpr int n = 4000;
    for (std::size_t i = 0; i < modes.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k <= n; ++k) {
          const double xi = static_cast<double>(k) / n, weight = k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2;
          sum += weight * modes[i].shape(xi) * modes[j].shape(xi) / (3 * n);
        }
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-9) << i << ' ' << j;
      }
    for (const BeamMode& mode : modes)
      EXPECT_NEAR(mode.slope(0.37), (mode.shape(0.37 + 1e-6) - mode.shape(0.37 - 1e-6)) / 2e-6, 1e-6 * mode.beta);
  }
}

// (1), (2): the sum over modes comes to the formula as the rest of the series does.
TEST(Beams, BendUnderALoadAsTheyShould) {
  for (const Plank::Held held : {Plank::Held::both_ends, Plank::Held::one_end}) {
    const bool both = held == Plank::Held::both_ends;
    Plank plank;
    plank.held = held, plank.length = 2, plank.mass = 10, plank.stiffness = both ? 48 : 3,
    plank.modes = 8;  // EI/L³ = 1
    const std::vector<BeamMode> modes = modes_of(plank);
    for (const double at : {0.5, 0.3})
      for (const double xi : both ? std::vector{0.5, 0.8} : std::vector{at, 0.1}) {
        double sum = 0, rest = both ? 2 / (3 * std::pow(std::numbers::pi, 4) * std::pow(8.5 - 0.5, 3)) : 0;
        for (const BeamMode& mode : modes)
          sum += mode.shape(xi) * mode.shape(at) / (plank.mass * mode.frequency * mode.frequency);
        if (!both) rest = 4 / (3 * std::pow(std::numbers::pi, 4) * std::pow(7.5, 3));
        const double w = both ? at * (1 - xi) * (1 - at * at - (1 - xi) * (1 - xi)) / 6 : xi * xi * (3 * at - xi) / 6;
        EXPECT_NEAR(sum, w, rest) << at << ' ' << xi;
        EXPECT_LT(rest, 0.05 * w);
      }
  }
}

// A weight that lies on the plank: each mode by its share; frequencies of the plank once it has been left alone.
TEST(Footings, PlanksSinkUnderWhatLiesOnThem) {
  const std::string plank =
      "pad: {stiffness: 50 kN/m, damping: 300 N s/m}, plank: {middle: [0.1, 0, 0.3], length: 2 m, mass: 8 kg, "
      "stiffness: 4 kN/m, damping: 0.4, modes: 4}";
  const Scene scene = falling(plank, "{integrator: bdf, tolerance: 1e-10}", 6);
  World world(scene);
  while (world.time() < 6) world.step(6);
  Plank same;
  same.length = 2, same.mass = 8, same.stiffness = 4000, same.modes = 4;
  double w = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const BeamMode mode = modes_of(same)[k];
    const double expected = -3 * g * mode.shape(0.55) / (8 * mode.frequency * mode.frequency);
    EXPECT_NEAR(world.state().z[k], expected, 1e-7);
    w += expected * mode.shape(0.55);
  }
  EXPECT_NEAR(world.state().q[2], 0.3 + w - 3 * g / 50e3, 1e-7);
}

// Thrown off again by an undamped plank, the mass leaves it swinging: every mode with its own frequency, and the energy is all there.
TEST(Footings, PlanksSwingOnByThemselves) {
  const Scene scene = falling(
      "pad: {stiffness: 80 kN/m}, friction: 0, plank: {length: 2 m, mass: 8 kg, stiffness: 20 kN/m, modes: 2, middle: "
      "[0.1, 0, 0.3]}",
      "{integrator: rk45, tolerance: 1e-11}", 0.5);
  recorded::Memory m;
  const RunSummary s = run(scene, m);
  Plank same;
  same.length = 2, same.mass = 8, same.stiffness = 20000, same.modes = 2;
  const std::vector<BeamMode> modes = modes_of(same);
  std::size_t flies = 0;  // the first frame after it has been on the plank, and is off it for good
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    if (m.vec("element/floor/force", i).z != 0) flies = i + 1;
  ASSERT_GT(flies, 50u);
  ASSERT_LT(flies + 20, m.rows.size());
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string q = fmt::format("element/floor/bend_{}", k + 1),
                      rate = fmt::format("element/floor/bend_rate_{}", k + 1);
    const double w = modes[k].frequency, q0 = m.number(q, flies), v0 = m.number(rate, flies);
    for (std::size_t i = flies; i < m.rows.size(); ++i) {
      const double t = m.time(i) - m.time(flies);
      EXPECT_NEAR(m.number(q, i), q0 * std::cos(w * t) + v0 / w * std::sin(w * t), 1e-8);
    }
  }
  std::printf("plank, undamped: account %.1e\n", s.ledger.energy_residual_relative);
  EXPECT_LT(s.ledger.energy_residual_relative, 1e-8);
  EXPECT_NEAR(s.ledger.work_in.at(0).second, 0, 1e-8);  // nothing is lost
}

// ---- pads
TEST(Footings, PadsGiveWayByTheirLaw) {  // (3)
  for (const double b : {1.0, 1.5, 3.0}) {
    const double stiff = 20e3 * std::pow(0.02, 1 - b);
    recorded::Memory m;
    const RunSummary s = run(falling(fmt::format("pad: {{stiffness: {:.17g}, exponent: {}}}", stiff, b),
                                     "{integrator: rk45, tolerance: 1e-11}"),
                             m);
    // the lowest place, by the parabola through the three lowest frames
    std::size_t low = 0;
    const auto height = [&](std::size_t i) { return m.vec("link/f.mass/position", i).z; };
    for (std::size_t i = 0; i < m.rows.size(); ++i)
      if (height(i) < height(low)) low = i;
    const double rise = 0.5 * (height(low + 1) - height(low - 1)),
                 bend = height(low + 1) - 2 * height(low) + height(low - 1);
    const double lowest = height(low) - 0.5 * rise * rise / bend;
    double z = 0.02;
    for (int i = 0; i < 50; ++i)
      z -= (stiff * std::pow(z, b + 1) / (b + 1) - 3 * g * (0.5 + z)) / (stiff * std::pow(z, b) - 3 * g);
    EXPECT_NEAR(-lowest, z, 2e-5) << b;  // frames are 1 ms apart, at 2 m/s
    EXPECT_LT(s.ledger.energy_residual_relative, 1e-8);
  }
}

// Without damping the load ends with the depth, and has no sign to switch by.
TEST(Footings, PadsWithoutDampingLeaveTheGround) {
  recorded::Memory m;
  const RunSummary s = run(
      falling("pad: {stiffness: 10 kN/m, damping: 0}, friction: 0.5", "{integrator: rk45, tolerance: 1e-9}", 1.6), m);
  EXPECT_GE(s.events, 4);  // down, up, down, up
  EXPECT_LE(s.ledger.energy_residual_relative, 1e-7);
}

// Pressed in as fast as the dynamic curve was measured the pad has that force, and the static one when it stands.
TEST(Footings, PadsHaveTheirTwoCurves) {
  const auto pressed = [](double speed, double depth) {
    const Scene scene =
        read(fmt::format("duration: 1\nsolver: {{integrator: rk4, step: 1 ms}}\nfigures: {{f: {{links: {{mass: "
                         "{{joint: {{type: slider, axis: "
                         "z}}, mass: 3 kg, inertia: {{sphere: 3 cm}}, start: {{slide: 1 mm, speed: "
                         "{}}}}}}}}}}}\nforces:\n  - footing: "
                         "{{name: heel, links: f.mass, heel: [0, 0, 0], pad: {{static: [[0 mm, 0 N], [5 mm, 300 N], "
                         "[10 mm, 1200 N]], dynamic: "
                         "[[0 mm, 0 N], [5 mm, 900 N], [10 mm, 2400 N]], speed: 0.5 m/s}}}}\ndrives:\n  - {{joint: "
                         "f.mass, slide: '{} - "
                         "{}*t'}}\nrecord: {{every: 1 ms}}\n",
                         -speed, speed > 0 ? 1e-3 : -depth, speed));
    recorded::Memory m;
    Scene timed = scene;
    timed.duration = speed > 0 ? (depth + 1e-3) / speed : 0.05;
    run(timed, m);
    return m.vec("element/heel/force", m.rows.size() - 1).z;
  };
  EXPECT_NEAR(pressed(0.5, 5e-3), 900, 1e-6);
  EXPECT_NEAR(pressed(0.5, 10e-3), 2400, 1e-6);
  EXPECT_NEAR(pressed(0.25, 5e-3), 600, 1e-6);
}

// ---- friction
TEST(Footings, RubAsTheyShould) {  // (4)
  recorded::Memory m;
  const RunSummary s = run(
      falling("height: 0.5, pad: {stiffness: 200 kN/m, damping: 500 N s/m}, friction: 0.5, sliding: 0.5, give: 0.1 mm",
              "{integrator: bdf, tolerance: 1e-8}", 0.7, ", velocity: [2, 1, 0]"),
      m);
  const Vec3<double> end = m.vec("link/f.mass/position", m.rows.size() - 1) - Vec3<double>{0.2, 0, 0};
  EXPECT_NEAR(std::hypot(end.x, end.y), 5 / (2 * 0.5 * g), 2e-3);
  EXPECT_NEAR(end.x, 2 * end.y, 1e-6);
  EXPECT_LT(s.ledger.energy_residual_relative, 1e-5);
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Vec3<double> F = m.vec("element/floor/force", i);
    EXPECT_LE(std::hypot(F.x, F.y), 0.5 * F.z * (1 + 1e-9));
  }
}

// Bristles follow a fast slip no faster than steps can.
TEST(Footings, RubWhatSlidesFastInFixedSteps) {
  for (const char* solver : {"{integrator: rk4, step: 1 ms}", "{contact: stepping, step: 0.5 ms}"}) {
    recorded::Memory m;
    const RunSummary s = run(falling("height: 0.5, pad: {stiffness: 20 kN/m, damping: 200 N s/m}, friction: 0.5",
                                     solver, 3, ", velocity: [12, 0, 0]"),
                             m);
    const double way = m.vec("link/f.mass/position", m.rows.size() - 1).x - 0.2;
    std::printf("%s: slides %.4f m\n", solver, way);
    EXPECT_NEAR(way, 144 / (2 * 0.5 * g), 0.05) << solver;
    EXPECT_TRUE(s.ledger.closed) << solver;
  }
}

// ---- T_G
constexpr double length = 0.9, inertia = 70 * length * length + 12, holds = 70 * g * length + inertia * 9;

Scene pendulum(double lever, double rate, double push = 0) {
  return read(
      fmt::format("duration: 2\nsolver: {{integrator: bdf, tolerance: 1e-9}}\nfigures: {{f: {{links: {{body: {{joint: "
                  "{{type: planar, "
                  "axis: x}}, mass: 70 kg, center_of_mass: [0, 0, {}], inertia: {{diagonal: [12, 12, 1]}}, start: "
                  "{{coordinates: {{across: {}}}, "
                  "rates: {{angle: {}}}}}}}}}}}}}\nforces:\n  - footing: {{name: floor, links: f.body, heel: [0, 0, "
                  "0], pad: {{stiffness: "
                  "40 MN/m, damping: 40 kN s/m}}, friction: 2, give: 0.01 mm, torque: {{lever: {}, stiffness: {}}}}}\n "
                  " - push: {{link: "
                  "f.body, point: [0, 0, {}], force: [0, {}, 0]}}\nrecord: {{every: 5 ms}}\n",
                  length, -70 * g / 40e6, rate, lever, holds, length, push));
}

TEST(Footings, HoldAFootByItsSole) {  // (5)
  recorded::Memory m;
  run(pendulum(0.1, 0.002), m);
  double error = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    error = std::max(error, std::abs(m.at("joint/f.body/coordinate", i).back() - 0.002 / 3 * std::sin(3 * m.time(i))));
  std::printf("held by its sole: %.1e of %.1e rad off\n", error, 0.002 / 3);
  EXPECT_LT(error, 0.01 * 0.002 / 3);
  const auto leans = [](double lever) {
    recorded::Memory last;
    run(pendulum(lever, 0, 5), last);
    return std::abs(last.at("joint/f.body/coordinate", last.rows.size() - 1).back());
  };
  EXPECT_LT(leans(0.1), 2.1 * 5 * length / (inertia * 9));  // sways about where it stands
  EXPECT_GT(leans(0.005), 0.3);                             // 3.4 N m do not hold 4.5
}

// ---- two feet, and how it goes on
const std::string walker =
    "figures: {f: {links: {trunk: {joint: free, mass: 20 kg, inertia: {sphere: 30 cm}, start: {position: [0.1, 0, "
    "0.75], spin: "
    "[0.3, 0.2, 0], velocity: [0.5, 0, 0]}}, left: {parent: trunk, joint: {type: hinge, axis: y}, at: [0, 20 cm, 0], "
    "mass: 4 kg, "
    "center_of_mass: [0, 0, -20 cm], inertia: {sphere: 15 cm}, friction: 3}, right: {parent: trunk, joint: {type: "
    "hinge, axis: y}, "
    "at: [0, -20 cm, 0], mass: 4 kg, center_of_mass: [0, 0, -20 cm], inertia: {sphere: 15 cm}, friction: 3, start: "
    "{angle: 20 "
    "deg}}}}}\nforces:\n  - footing: {name: board, links: [f.left, f.right], heel: [-5 cm, 0, -60 cm], toes: [12 cm, "
    "0, -60 cm], "
    "pad: {static: [[0 mm, 0 N], [5 mm, 300 N], [15 mm, 3 kN]], dynamic: [[0 mm, 0 N], [5 mm, 900 N], [15 mm, 6 kN]], "
    "speed: 1 "
    "m/s}, friction: 0.8, sliding: 0.5, plank: {length: 2.4 m, mass: 25 kg, stiffness: 20 kN/m, damping: 0.03}}\n";

TEST(Footings, KeepTheirAccountUnderTwoFeet) {
  double at_end = 0;
  for (const char* solver : {"{integrator: rk45, tolerance: 1e-9}", "{integrator: bdf, tolerance: 1e-9}",
                             "{dynamics: multipliers, integrator: rk45, tolerance: 1e-9}"}) {
    recorded::Memory m;
    const RunSummary s = run(read(fmt::format("duration: 0.5\nsolver: {}\n", solver) + walker), m);
    double both = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) both = std::max(both, m.vec("element/board/force", i).z);
    const double x = m.vec("link/f.trunk/position", m.rows.size() - 1).x;
    const auto board = std::ranges::find(s.ledger.work_in, "board", [](const auto& w) { return w.first; });
    ASSERT_NE(board, s.ledger.work_in.end());
    const double lost = board->second;
    std::printf("%s: energy %.1e, momenta %.1e %.1e, at %.9f m, up to %.0f N, lost %.1f J\n", solver,
                s.ledger.energy_residual_relative, s.ledger.linear_momentum_residual_relative,
                s.ledger.angular_momentum_residual_relative, x, both, lost);
    EXPECT_GT(both, 28 * g);
    EXPECT_LT(lost, -10);  // of the 41 J of its fall
    EXPECT_LT(s.ledger.energy_residual_relative, 1e-6);
    EXPECT_LT(s.ledger.linear_momentum_residual_relative, 1e-6);
    EXPECT_LT(s.ledger.angular_momentum_residual_relative, 1e-6);
    if (at_end != 0) EXPECT_NEAR(x, at_end, 1e-5);
    at_end = x;
  }
}

TEST(Footings, GoOnInStepsAndWithFixedOnes) {
  recorded::Memory exact;
  run(read("duration: 0.5\nsolver: {integrator: rk45, tolerance: 1e-10}\n" + walker), exact);
  const double x = exact.vec("link/f.trunk/position", exact.rows.size() - 1).x;
  const auto off = [&](const std::string& solver) {
    recorded::Memory m;
    const RunSummary s = run(read(fmt::format("duration: 0.5\nsolver: {}\n", solver) + walker), m);
    const double error = std::abs(m.vec("link/f.trunk/position", m.rows.size() - 1).x - x);
    std::printf("%s: %.1e m off, energy %.1e\n", solver.c_str(), error, s.ledger.energy_residual_relative);
    return error;
  };
  EXPECT_LT(off("{integrator: rk4, step: 0.25 ms}"), 1e-5);
  EXPECT_LT(off("{integrator: semi_implicit, step: 0.1 ms}"), 2e-3);
  EXPECT_LT(off("{contact: stepping, step: 0.25 ms}"), 1e-3);
}

class FootingCheckpoints : public ::testing::TestWithParam<const char*> {};
TEST_P(FootingCheckpoints, GoOnBitForBit) {
  const Scene scene = read(fmt::format("duration: 0.4\nsolver: {}\n", GetParam()) + walker);
  World whole(scene), resumed(scene);
  while (whole.time() < 0.13) whole.step(0.4);
  for (int i = 0; i < 5000 && !whole.may_save(); ++i) whole.step(0.4);
  ASSERT_TRUE(whole.may_save());
  const std::vector<std::byte> saved = whole.save();
  while (whole.time() < 0.4) whole.step(0.4);
  resumed.restore(saved);
  while (resumed.time() < 0.4) resumed.step(0.4);
  EXPECT_EQ(whole.state().q, resumed.state().q);
  EXPECT_EQ(whole.state().v, resumed.state().v);
  EXPECT_EQ(whole.state().z, resumed.state().z);
  EXPECT_TRUE(std::ranges::equal(whole.integrals(), resumed.integrals()));
}
INSTANTIATE_TEST_SUITE_P(Every, FootingCheckpoints,
                         ::testing::Values("{integrator: rk4, step: 0.5 ms}", "{integrator: rk45, tolerance: 1e-7}",
                                           "{integrator: bdf, tolerance: 1e-6}", "{contact: stepping, step: 0.5 ms}"));

TEST(Footings, SayWhatTheyCannot) {
  const auto says = [](const std::string& footing, const std::string& expected) {
    try {
      falling(footing);
      ADD_FAILURE() << footing << " was taken";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  };
  says("pad: {}", "expected stiffness, or static");
  says("pad: {static: [[1 mm, 0 N], [2 mm, 1 N]]}", "from [0, 0] on");
  says("pad: {static: [[0 mm, 0 N], [2 mm, 1 N], [1 mm, 2 N]]}", "more than the 0.002 m before it");
  says("pad: {static: [[0 mm, 0 N], [2 mm, 5 N]], dynamic: [[0 mm, 0 N], [2 mm, 4 N]], speed: 1}",
       "nowhere below the static one");
  says("pad: {static: [[0 mm, 0 N], [2 mm, 5 N]], dynamic: [[0 mm, 0 N], [2 mm, 6 N]]}", "found no 'speed'");
  says("pad: {stiffness: 1}, friction: 0.3, sliding: 0.4", "no more than the friction");
  says("pad: {stiffness: 1}, plank: {length: 1, mass: 1, stiffness: 1, along: z}", "a level axis");
  says("pad: {stiffness: 1}, plank: {length: 1, mass: 1, stiffness: 1, modes: 9}", "from 1 to 8");
  says("pad: {stiffness: 1}, height: 1, plank: {length: 1, mass: 1, stiffness: 1}", "'height'");
  try {
    read("duration: 1\nstart: equilibrium\n" + walker);
    ADD_FAILURE() << "an equilibrium on a footing was taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("the footing 'board' with start: equilibrium"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace marey::footing_test
