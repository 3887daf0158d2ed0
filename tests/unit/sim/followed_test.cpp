// Path lengths, curvatures and Euler angles along whole motions (R19, R2), against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/closed_form.h"
#include "marey/core/same_bits.h"
#include "marey/simulation.h"
#include "support/integrators.h"
#include "support/recorded.h"

namespace marey {
namespace followed_test {

using recorded::Memory, recorded::run_text;
using V = Vec3<double>;
constexpr double pi = std::numbers::pi, g = 9.81;

std::string solver(const std::string& integrator, double step, const std::string& more = "") {
  const bool fixed = has_fixed_step(integrator_from(integrator, "integrator"));
  return "solver: {integrator: " + integrator + (fixed ? ", step: " + std::to_string(step) : ", tolerance: 1e-10") +
         more + "}\n";
}

// ------------------------------------------------------------------------------------- paths
// ∫ √(c² + u²) du/g of a throw, u = g t − v_z.
double arc_of_throw(double c, double up, double t) {
  const auto F = [c](double u) { return 0.5 * (u * std::hypot(u, c) + c * c * std::asinh(u / c)); };
  return (F(g * t - up) - F(-up)) / g;
}

// v is linear in time, which every method meets to rounding; adams and bdf to their tolerance in a step.
TEST(Followed, TheArcOfAThrowUnderEveryMethod) {
  for (const Integrator integrator : all_integrators()) {
    const std::string method = name_of(integrator);
    const Memory m =
        run_text("duration: 1.2 s\n" + solver(method, 0.05) +
                 "particles: {stone: {mass: 1 kg, points: {a: {position: [0, 0, 0], velocity: [3, 0, 5]}}}}\n"
                 "record: {every: 0.03 s, paths: stone.*}\n");
    const double bound = has_long_memory(integrator) ? 1e-7 : 1e-11;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const double t = m.time(i), speed = std::hypot(3, 5 - g * t);
      ASSERT_NEAR(m.number("link/stone.a/path_length", i), arc_of_throw(3, 5, t), bound) << method << " " << t;
      ASSERT_NEAR(m.number("link/stone.a/curvature", i), 3 * g / (speed * speed * speed), 100 * bound) << method;
      ASSERT_NEAR(m.number("link/stone.a/radius_of_curvature", i), speed * speed * speed / (3 * g), 100 * bound)
          << method;
    }
  }
}

// Up and down again on one line: |v| has a corner at the top, within a step. What is left of it is 1e-12 of a step's path.
TEST(Followed, AStoneThatTurnsBack) {
  const Memory m =
      run_text("duration: 1 s\n" + solver("rk4", 0.07) +
               "particles: {stone: {mass: 1 kg, points: {a: {position: [0, 0, 0], velocity: [0, 0, 4]}}}}\n"
               "record: {every: 0.04 s, paths: stone.a}\n");
  const double top = 4 / g;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.time(i), high = 0.5 * g * top * top, down = 0.5 * g * (t - top) * (t - top);
    EXPECT_NEAR(m.number("link/stone.a/path_length", i), t < top ? high - down : high + down, 1e-11) << t;
    EXPECT_NEAR(m.number("link/stone.a/curvature", i), 0, 1e-12);
    EXPECT_TRUE(std::isinf(m.number("link/stone.a/radius_of_curvature", i)));
  }
}

// A circle in x and y, of radius 0.5 m at 4 rad/s, and along z at 1 m/s: v = √5 m/s, curvature 0.5·16/5.
Memory helix(const std::string& method, double step) {
  return run_text("duration: 1 s\ngravity: 0\n" + solver(method, step) +
                  "particles: {bead: {mass: 2 kg, points: {a: {position: [0.5, 0, 0], velocity: [0, 2, 1]}}}}\n"
                  "forces: [{field: {links: bead.a, force: ['-m*w*vy', 'm*w*vx', '0'], constants: {w: 4}}}]\n"
                  "record: {every: 0.1 s, paths: bead.a}\n");
}
TEST(Followed, AHelixAtTheOrderOfTheMethod) {
  const auto error = [](const Memory& m) {
    return std::abs(m.number("link/bead.a/path_length", m.rows.size() - 1) - std::sqrt(5.0));
  };
  // The speed of rk4 decays by (ωh)⁶/144 in a step, and its curve between is of fourth order: what is left is h⁴ at least.
  // The speed of the midpoint rule stays, and its curve is the chord's: h².
  const struct {
    const char* method;
    double step, order;
  } cases[] = {{"euler", 1e-3, 1}, {"semi_implicit", 1e-3, 1}, {"midpoint", 1e-2, 2}, {"rk4", 5e-2, 4}};
  for (const auto& c : cases) {
    const double coarse = error(helix(c.method, c.step)), fine = error(helix(c.method, c.step / 2));
    std::printf("%s: %.2e and %.2e, order %.2f\n", c.method, coarse, fine, std::log2(coarse / fine));
    EXPECT_GT(std::log2(coarse / fine), c.order - 0.2) << c.method;
  }
  for (const Integrator integrator : integrators::adaptive()) {
    const char* const method = name_of(integrator);
    const Memory m = helix(method, 0);
    const double bound = 1e-7;  // a thousand times the tolerance: hundreds of steps, each with its own error
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      EXPECT_NEAR(m.number("link/bead.a/path_length", i), std::sqrt(5.0) * m.time(i), bound) << method;
      EXPECT_NEAR(m.number("link/bead.a/curvature", i), 8.0 / 5, 100 * bound) << method;
      EXPECT_NEAR(m.number("link/bead.a/radius_of_curvature", i), 5.0 / 8, 100 * bound) << method;
    }
  }
}

// The end of a pendulum goes to and fro: R θ on the way, counted from turn to turn. Its link is welded to the bar, or hinged
// and held; by every algorithm, in joint coordinates and in maximal ones.
TEST(Followed, TheEndOfAPendulumByEverySolver) {
  for (const std::string more :
       {", dynamics: aba", ", dynamics: crba", ", dynamics: dense", ", dynamics: multipliers"}) {
    const Memory m = run_text(
        "duration: 4 s\n" + solver("rk45", 0, more) +
        "figures: {arm: {links: {bar: {joint: {type: hinge, axis: y}, shape: {sphere: {radius: 5 cm, center: [0, 0, "
        "-0.8]}}, mass: 2 kg, start: {angle: 2}},\n"
        "  tip: {parent: bar, joint: weld, at: [0, 0, -1], shape: {sphere: 3 cm}, mass: 1 kg}}}}\n"
        "record: {every: 0.05 s, paths: arm.tip}\n");
    const double I = 2 * (0.8 * 0.8 + 0.4 * 0.0025) + 1 * (1 + 0.4 * 0.0009), M = g * (2 * 0.8 + 1);
    const Pendulum exact(M / I, 2, 0);
    for (std::size_t i = 1; i < m.rows.size(); ++i) {
      const double t = m.time(i), turns = std::floor(2 * t / exact.period());
      const double from = std::fmod(turns, 2) == 0 ? 2 : -2, rate = exact.rate(t);
      EXPECT_NEAR(m.number("link/arm.tip/path_length", i), 4 * turns + std::abs(exact.angle(t) - from), 1e-7)
          << more << t;
      if (std::abs(rate) > 0.1) {
        EXPECT_NEAR(m.number("link/arm.tip/curvature", i), 1, 1e-6) << more;
      }
    }
  }
}

// Bounces: the speed jumps where steps end. h (1 + e²)/(1 − e²) when it lies, e = 1/2, h = 1 m.
TEST(Followed, ABallThatBouncesUntilItLies) {
  for (const std::string method : {"rk4", "rk45", "adams"}) {
    const Memory m =
        run_text("duration: 2 s\n" + solver(method, 0.01) +
                 "particles: {ball: {mass: 1 kg, points: {a: {position: [0, 0, 1]}}}}\n"
                 "contacts: [{link: ball.a, at: joint, restitution: 0.5}]\nrecord: {every: 0.1 s, paths: ball.a}\n");
    EXPECT_NEAR(m.number("link/ball.a/path_length", m.rows.size() - 1), 1.25 / 0.75, 1e-6) << method;
  }
}

// ------------------------------------------------------------------------------------- Euler angles
const char* const tops =
    "figures:\n  a: {links: {top: {joint: ball, shape: &s [{cylinder: {radius: 5 cm, length: 2 cm, center: [0, 0, 6 "
    "cm]}, mass: "
    "400 g}, {cylinder: {radius: 4 mm, length: 13 cm, along: z}, mass: 30 g}], start: {turned: &t {axis: y, angle: 30 "
    "deg}, spin: "
    "[60, 0, 103.923048]}}}}\n"
    "  b: {links: {top: {joint: ball, shape: *s, start: {turned: *t, spin: [61.6924114, 0, 102.945934]}}}}\n";

// Twice a second, of tops that turn nineteen times a second: turns are counted on the way, not by the record.
TEST(Followed, AnglesOfHeavyTopsCountTheirTurns) {
  for (const std::string method : {"rk45", "rk4", "adams"}) {
    const Memory m = run_text("duration: 2 s\n" + solver(method, 1e-4) + tops +
                              "record: {every: 0.5 s, euler_zyz: [a.top, b.top]}\n");
    for (int i = 1; i <= 2; ++i) {
      const Inertia<double>& I = m.header.scene.model.params.links[static_cast<std::size_t>(i)].I;
      const State& s = m.header.scene.start;
      const std::size_t q = 4 * static_cast<std::size_t>(i - 1), v = 3 * static_cast<std::size_t>(i - 1);
      const HeavyTop exact({I.J.xx, I.J.zz, g * I.h.z}, {s.q[q], s.q[q + 1], s.q[q + 2], s.q[q + 3]},
                           {s.v[v], s.v[v + 1], s.v[v + 2]});
      const EulerZyz start = exact.angles(0);
      const std::string channel = std::string("link/") + (i == 1 ? "a" : "b") + ".top/euler_zyz";
      for (std::size_t k = 0; k < m.rows.size(); ++k) {
        const EulerZyz e = exact.angles(m.time(k));
        const V found = m.vec(channel, k), first = m.vec(channel, 0);
        // 240 rad of spin by steps of 12 mrad or a tolerance of 1e-10: what is asked is the turns, and the angles well.
        EXPECT_NEAR(found.x - first.x, e.alpha - start.alpha, 1e-4) << method << " " << m.time(k);
        EXPECT_NEAR(found.y, e.beta, 1e-5) << method;
        EXPECT_NEAR(found.z - first.z, e.gamma - start.gamma, 1e-3) << method;
      }
    }
  }
}

// A ball that spins evenly about an axis of its own, which leans by 0.5 rad: its velocities are constant, and rk4 goes on exactly
// however long its steps. In each of 0.05 s the ball turns by 2.5 rad; half a turn is the most that the curve of a step can hold.
const std::string spinning =
    "start: {turned: {axis: y, angle: 0.5}, spin: [23.97127693021015, 0, 43.87912809451864]}}}}}\n";
TEST(Followed, TurnsWithinLongStepsAreCounted) {
  const Memory m = run_text("duration: 2 s\n" + solver("rk4", 0.05) +
                            "figures: {ball: {links: {body: {shape: {sphere: 10 cm}, mass: 1 kg, " + spinning +
                            "record: {every: 0.5 s, euler_zyz: ball.body}\n");
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const V e = m.vec("link/ball.body/euler_zyz", i);
    EXPECT_NEAR(e.x, 0, 1e-12) << m.time(i);
    EXPECT_NEAR(e.y, 0.5, 1e-12) << m.time(i);
    EXPECT_NEAR(e.z, 50 * m.time(i), 1e-10) << m.time(i);
  }
}

// Of a disc such steps make nonsense: it spins faster and faster, until millions of turns go into a step. Nobody waits for them.
TEST(Followed, DoesNotWaitForAMotionThatBreaksDown) {
  const Memory m =
      run_text("duration: 2 s\n" + solver("rk4", 0.1) +
               "figures: {disc: {links: {body: {shape: {cylinder: {radius: 10 cm, length: 2 cm, along: z}}, "
               "mass: 1 kg, " +
               spinning + "record: {every: 0.5 s, paths: disc.body, euler_zyz: disc.body}\n");
  EXPECT_TRUE(!m.summary.breakdown.empty() || !m.summary.ledger.closed);
}

// A rod that turns in a plane, whose axis passes the vertical at a distance of b: (3.24). Exactly through it, β goes on through
// zero; past it at a thousandth, α swings by half a turn within a millisecond and β turns back. Steps of 20 ms or of 1 ms, and
// chosen ones as long as the whole flight, agree on which it is.
TEST(Followed, PassesThePoleTheSameWithAnyStep) {
  for (const double b : {0.0, 1e-3, -1e-6}) {
    for (const auto& [method, step] : {std::pair{"rk4", 0.02}, std::pair{"rk4", 0.001}, std::pair{"rk45", 0.0}}) {
      // The spin leans out of the level by b; at the start the axis is 0.7 rad before its nearest to the vertical.
      char spin[100], turned[200];
      std::snprintf(spin, sizeof spin, "[0, %.17g, %.17g]", 3 * std::cos(b), 3 * std::sin(b));
      const double c = std::cos(-0.7), s = std::sin(-0.7);
      // u₀ = (0, −sin b, cos b), u₁ = n × u₀ = (1, 0, 0): u = c u₀ + s u₁.
      const V u{s, -c * std::sin(b), c * std::cos(b)}, across = cross(V{0, 0, 1}, u);
      std::snprintf(turned, sizeof turned, "{axis: [%.17g, %.17g, 0], angle: %.17g}", across.x / norm(across),
                    across.y / norm(across), std::atan2(norm(across), u.z));
      const Memory m =
          run_text("duration: 0.9 s\ngravity: 0\n" + solver(method, step) +
                   "figures: {rod: {links: {bar: {shape: {capsule: {radius: 1 cm, length: 60 cm, center: [0, 0, 0]}}, "
                   "mass: 0.5 kg, start: {turned: " +
                   turned + ", spin: " + spin +
                   "}}}}}\n"
                   "record: {every: 0.1 s, euler_zyz: rod.bar}\n");
      const V first = m.vec("link/rod.bar/euler_zyz", 0), last = m.vec("link/rod.bar/euler_zyz", m.rows.size() - 1);
      const double end = 3 * 0.9 - 0.7;
      if (b == 0) {
        EXPECT_NEAR(last.x, first.x, 1e-6) << method;
        EXPECT_NEAR(last.y, -end, 1e-6) << method << step;
      } else {
        const double side = b > 0 ? 1 : -1;  // (3.24), from t = 0 at β_min
        const double swept = std::atan2(std::sin(end), std::cos(end) * std::sin(std::abs(b))) +
                             std::atan2(std::sin(0.7), std::cos(0.7) * std::sin(std::abs(b)));
        EXPECT_NEAR(last.x - first.x, side * swept, 1e-5) << method << step << " " << b;
        EXPECT_NEAR(last.y, std::acos(std::cos(end) * std::cos(b)), 1e-6) << method << step;
      }
    }
  }
}

TEST(Followed, RatesAreTheDerivativesAndNoneAtThePole) {
  const Memory m =
      run_text("duration: 0.2 s\n" + solver("rk45", 0) + tops + "record: {every: 10 us, euler_zyz: a.top}\n");
  for (std::size_t i = 1000; i + 1 < m.rows.size(); i += 3000) {
    const V quotient = (1 / (m.time(i + 1) - m.time(i - 1))) *
                       (m.vec("link/a.top/euler_zyz", i + 1) - m.vec("link/a.top/euler_zyz", i - 1));
    // h² times the third derivative, of a nodding of about 10 rad/s at 100 rad/s; and the tolerance over h.
    EXPECT_LT(norm(quotient - m.vec("link/a.top/euler_zyz_rate", i)), 1e-10 * 1e5 + 1e-9 / 1e-5);
  }
  const Memory asleep = run_text(
      "duration: 0.5 s\n" + solver("rk4", 1e-3) +
      "figures: {a: {links: {top: {joint: ball, shape: {cylinder: {radius: 5 cm, length: 6 cm, along: z}}, mass: 1 kg, "
      "start: {spin: [0, 0, 120]}}}}}\nrecord: {every: 0.1 s, euler_zyz: a.top}\n");
  const V end = asleep.vec("link/a.top/euler_zyz", asleep.rows.size() - 1);
  EXPECT_EQ(end.x, 0);
  EXPECT_EQ(end.y, 0);
  EXPECT_NEAR(end.z, 60, 1e-9);
  EXPECT_TRUE(std::isnan(asleep.vec("link/a.top/euler_zyz_rate", 2).x));
}

// ------------------------------------------------------------------------------------- beside the run
const char* const company =
    "particles: {stone: {mass: 1 kg, points: {a: {position: [0, 0, 1], velocity: [1, 0, 2]}}}}\n"
    "forces: [{drag: {links: stone.a, quadratic: 0.05}}]\n"
    "contacts: [{link: stone.a, at: joint, restitution: 0.7}]\n";

// Whoever asks changes nothing: the motion is the same to the last bit.
TEST(Followed, LooksOnWithoutATrace) {
  for (const Integrator integrator : all_integrators()) {
    const std::string method = name_of(integrator);
    const std::string scene = "duration: 0.8 s\n" + solver(method, 2e-3) + tops + company;
    const Memory with =
                     run_text(scene + "record: {every: 50 ms, paths: [stone.a, b.top], euler_zyz: [a.top, b.top]}\n"),
                 without = run_text(scene + "record: {every: 50 ms}\n");
    ASSERT_EQ(with.rows.size(), without.rows.size());
    for (std::size_t i = 0; i < with.rows.size(); ++i)
      for (const char* channel :
           {"link/stone.a/position", "link/a.top/orientation", "joint/b.top/velocity", "energy/residual"})
        ASSERT_TRUE(same_bits(with.at(channel, i), without.at(channel, i))) << method << " " << channel << " " << i;
  }
}

// And with all that a scene may have: joints welded on the fly, delays, a slow band, maximal coordinates, loops, ground, masses
// that change, factors that are used again.
TEST(Followed, LooksOnWithoutATraceInTheGallery) {
  const auto with_solver = [](Scene scene, Dynamics dynamics) {
    scene.solver.dynamics = dynamics;
    return scene;
  };
  const auto with_reuse = [&](const Scene& plain) {
    Scene scene = with_solver(plain, Dynamics::crba);
    scene.solver.reuse = 0.3;
    return scene;
  };
  const auto gallery = [](const std::string& name, double duration) {
    SceneOverrides options;
    options.duration = duration;
    return load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml", options);
  };
  for (const Scene& scene :
       {gallery("falls-asleep", 3), gallery("late-reflex", 1.5), gallery("finger-tap-slow-band", 0.5),
        gallery("slider-crank", 0.5), gallery("rod-compliant", 1), gallery("limp-figure", 0.3), gallery("raindrops", 1),
        gallery("rocket", 30), with_reuse(gallery("n-pendulum", 0.5)),
        with_solver(gallery("raindrops", 1), Dynamics::crba),
        with_solver(gallery("compound-pendulum", 1), Dynamics::multipliers)}) {
    Scene asked = scene;
    asked.record.euler_zyz.clear();
    const auto turns = [&](int i) { return scene.model.links[static_cast<std::size_t>(i)].joint != JointType::point; };
    for (int i = 1; i < scene.model.nlink(); ++i) {
      asked.record.paths.push_back(i);
      if (turns(i)) asked.record.euler_zyz.push_back(i);
    }
    Memory without, with;
    const RunSummary a = run(scene, without), b = run(asked, with);
    EXPECT_EQ(a.steps, b.steps) << scene.title;
    ASSERT_EQ(without.rows.size(), with.rows.size());
    for (std::size_t k = 0; k < with.rows.size(); ++k)
      for (const Channel& c : without.header.channels)
        ASSERT_TRUE(same_bits(without.at(c.name, k), with.at(c.name, k))) << scene.title << " " << c.name << " " << k;
    // The angles are those of the recorded attitudes, and no path is shorter than the straight line.
    for (int i = 1; i < scene.model.nlink(); ++i) {
      const std::string base = "link/" + scene.model.names[static_cast<std::size_t>(i)] + "/";
      for (std::size_t k = 0; k < with.rows.size(); ++k) {
        if (turns(i)) {
          const V e = with.vec(base + "euler_zyz", k);
          EXPECT_LT(recorded::angle_between(quaternion_of(EulerZyz{e.x, e.y, e.z}), with.turn(base + "orientation", k)),
                    1e-8)
              << scene.title << " " << base << k;
        }
        if (order_of(scene.solver.integrator) < 2)
          continue;  // whose places do not follow from their velocities so well
        // Where steps are chosen, place and velocity agree to a tolerance for each of them.
        const double far = norm(with.vec(base + "position", k) - with.vec(base + "position", 0)),
                     each = has_fixed_step(scene.solver.integrator) ? 0 : scene.solver.tolerance * (1 + far);
        EXPECT_GE(with.number(base + "path_length", k) + 1e-9 + each * static_cast<double>(a.steps), far)
            << scene.title << " " << base << k;
      }
    }
  }
}

TEST(Followed, GoesOnBitForBitFromACheckpoint) {
  for (const Integrator integrator : integrators::without_long_memory()) {
    const std::string method = name_of(integrator);
    const Scene scene = parse_scene("marey: 1\nduration: 1 s\n" + solver(method, 2e-3) + tops + company +
                                        "record: {every: 50 ms, paths: [stone.a, b.top], euler_zyz: [a.top, b.top]}\n",
                                    "test.yaml");
    Simulation straight(scene), resumed(scene);
    straight.run_until(0.4);
    const SavedState saved = straight.save();
    straight.run_until(1);
    resumed.run_until(0.1);
    resumed.restore(saved);
    resumed.run_until(1);
    const std::span<const double> a = straight.row(), b = resumed.row();
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(same_bits(a, b)) << method;
    EXPECT_GT(straight.value("link/stone.a/path_length"), 1);
  }
}

}  // namespace followed_test
}  // namespace marey
