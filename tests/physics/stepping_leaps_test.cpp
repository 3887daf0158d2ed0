// Fast bodies and thin ones in fixed steps (contact: stepping): within a step of 1 ms a shot goes up to 30 cm, and plates are of 1 mm.
// Nothing passes through, and all else is as if steps were short.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/chance.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_leaps_test {

constexpr double h = 1e-3;

Scene scene_of(const std::string& text) { return parse_scene(text, "test.yaml"); }
std::string head(double e, double friction, const std::string& gravity = "0", const std::string& solver = "") {
  return fmt::format(
      "marey: 1\nduration: 20 ms\ngravity: {}\nsolver: {{contact: stepping, step: 1 ms{}}}\ncollide: all\n"
      "materials: {{default: {{restitution: {:.17g}, friction: {}}}}}\nrecord: {{every: 1 ms}}\n",
      gravity, solver, e, friction);
}
Vec3<double> unit(const Vec3<double>& a) { return (1 / norm(a)) * a; }
std::string vec(const Vec3<double>& a) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a.x, a.y, a.z); }
bool warns(const RunSummary& s) {
  return std::ranges::any_of(s.warnings, [](const std::string& w) { return w.find("pass through") != w.npos; });
}
RunSummary summary_of(const Scene& scene) {
  recorded::Memory memory;
  return run(scene, memory);
}
long long nominal_steps(const Simulation& s) { return std::llround(s.time() / h); }

// ---- shots by chance
// A plate of 2 m × 2 m, in the frame of which a body comes from z > 0.
struct Shot : Chance {
  explicit Shot(unsigned seed, const std::string& solver = "") : Chance(seed) {
    free_plate = whole(0, 1) == 1;
    const double thick = std::pow(10.0, number(-3, -2));
    const double speed = std::pow(10.0, number(1, 2.477));
    const Vec3<double> axis = unit(Vec3<double>{number(-1, 1), number(-1, 1), number(-1, 1)});
    const double angle = number(0, 3);
    X_WP = {rotation_about(axis, angle), {number(-1, 1), number(-1, 1), number(-1, 1)}};
    const Vec3<double> hit{number(-0.3, 0.3), number(-0.3, 0.3), 0};
    const Vec3<double> way = unit(Vec3<double>{number(-0.5, 0.5), number(-0.5, 0.5), -1});
    const double before = number(0.2, 0.2 + 2 * speed * h);
    const Vec3<double> p_W = X_WP.p + X_WP.R * (hit - before * way), v_W = X_WP.R * (speed * way);
    const std::string form = shape();
    // A long body that also turns about its axis has gyroscopic forces, which are no matter of contacts.
    const Vec3<double> spin{number(-200, 200), number(-200, 200), is_long ? 0 : number(-200, 200)};
    const std::string turned = fmt::format("turned: {{axis: {}, angle: {:.17g}}}", vec(axis), angle);
    const std::string body = fmt::format(
        "shot: {{links: {{b: {{shape: {}, mass: {:.3f}, start: {{position: {}, velocity: {}, spin: {}}}}}}}}}", form,
        number(0.05, 2), vec(p_W), vec(v_W), vec(spin));
    const std::string size = fmt::format("[2 m, 2 m, {:.17g}]", thick);
    text = head(whole(0, 2) == 0 ? 0 : number(0, 1), friction, free_plate ? "0" : "9.81", solver);
    if (free_plate)
      text += fmt::format(
          "figures:\n  {}\n  plate: {{links: {{b: {{shape: {{box: {}}}, mass: {:.3f}, start: {{position: {}, "
          "{}}}}}}}}}\n",
          body, size, number(0.3, 5), vec(X_WP.p), turned);
    else
      text += fmt::format("figures:\n  {}\nscenery: {{plate: {{shape: {{box: {{size: {}, center: {}, {}}}}}}}}}\n",
                          body, size, vec(X_WP.p), turned);
  }
  // Friction makes long bodies spin about their axis, far faster than steps can tell, and box-shaped ones turn about all of theirs.
  std::string shape() {
    const int kind = whole(0, 4);
    friction = kind < 3 ? 0.3 : 0, is_long = kind >= 3, tumbles = kind == 1;
    switch (kind) {
      case 0:
        return fmt::format("{{sphere: {:.4f}}}", number(0.002, 0.05));
      case 1: {
        const double x = number(0.005, 0.1), y = number(0.005, 0.1), z = number(0.005, 0.1);
        return fmt::format("{{box: [{:.4f}, {:.4f}, {:.4f}]}}", x, y, z);
      }
      case 2: {
        const double edge = number(0.005, 0.1);
        return fmt::format("{{box: [{0:.4f}, {0:.4f}, {0:.4f}]}}", edge);
      }
      default: {  // of 4 a rod
        const double radius = kind == 3 ? number(0.003, 0.03) : number(0.001, 0.004);
        const double length = kind == 3 ? number(0.02, 0.1) : number(0.1, 0.3);
        return fmt::format("{{capsule: {{radius: {:.4f}, length: {:.4f}, center: [0, 0, 0]}}}}", radius, length);
      }
    }
  }
  // The middle of the shot in the plate's frame.
  Vec3<double> in_plate(const Simulation& s) const {
    const Model& model = s.system().model();
    const Transform<double> X = free_plate ? s.pose(model.find("plate.b")) : X_WP;
    return transpose_times(X.R, s.pose(model.find("shot.b")).p - X.p);
  }
  // A body with three moments of inertia that turns by a radian in a step is lost to these steps, whatever it hits.
  bool turns_too_fast(const Simulation& s) const {
    return tumbles && norm(s.velocity(s.system().model().find("shot.b")).w) * h > 0.5;
  }
  static bool beside(const Vec3<double>& p) { return std::max(std::abs(p.x), std::abs(p.y)) > 0.9; }

  std::string text;
  bool free_plate = false;
  double friction = 0;
  bool is_long = false, tumbles = false;
  Transform<double> X_WP;
};

TEST(SteppingLeaps, NoShotGetsThrough) {
  long long most_extra = 0, all_extra = 0;
  int hit = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Shot shot(seed);
    SCOPED_TRACE(fmt::format("shot {}:\n{}", seed, shot.text));
    Simulation s(scene_of(shot.text));
    const int link = s.system().model().find("shot.b");
    const Vec3<double> momentum = [&] {
      const auto p = s.values("momentum/linear");
      return Vec3<double>{p[0], p[1], p[2]};
    }();
    const double size = norm(momentum);
    bool was_hit = false;
    while (s.time() < 20 * h && !Shot::beside(shot.in_plate(s)) && !shot.turns_too_fast(s)) {
      const double speed = norm(s.velocity(link).v);
      s.step();
      was_hit = was_hit || std::abs(norm(s.velocity(link).v) - speed) > 0.01 * speed;
      const Vec3<double> p = shot.in_plate(s);
      ASSERT_TRUE(p.z > 0 || Shot::beside(p)) << "at t = " << s.time() << " s it is at z = " << p.z;
    }
    hit += was_hit;
    const Ledger books = s.ledger();
    EXPECT_TRUE(books.closed);
    EXPECT_LT(books.energy_residual_relative, shot.tumbles ? 2e-4 : 1e-7);
    EXPECT_LT(books.linear_momentum_residual_relative, 1e-10);
    if (shot.free_plate) {
      const auto p = s.values("momentum/linear");
      EXPECT_LT(norm(Vec3<double>{p[0], p[1], p[2]} - momentum), 1e-11 * size);
    }
    const long long extra = s.steps() - nominal_steps(s);
    EXPECT_LE(extra, 30);
    most_extra = std::max(most_extra, extra), all_extra += extra;
  }
  EXPECT_GT(hit, 190);
  std::printf("extra steps: %lld at most, %.1f on average; %d hit\n", most_extra, static_cast<double>(all_extra) / 200,
              hit);
  EXPECT_LE(all_extra, 200 * 6);
}

// ---- one ball
// Towards a plate of 1 mm at x = 0, from x > 0.
std::string ball(double x, double v, const std::string& more = "") {
  return fmt::format(
      "figures: {{ball: {{links: {{b: {{shape: {{sphere: 1 cm}}, mass: 0.1 kg, start: {{position: [{:.17g}, 0, 0], "
      "velocity: [{:.17g}, 0, 0]}}}}}}}}{}}}\n",
      x, -v, more);
}
const std::string plate = "scenery: {plate: {shape: {box: [1 mm, 1 m, 1 m]}}}\n";

TEST(SteppingLeaps, ABallComesBackWithItsRestitution) {
  for (const double e : {0.0, 0.2, 0.7, 1.0})
    for (const double v : {10.0, 30.0, 100.0, 300.0})
      for (const double x : {0.0106, 0.02, 0.033, 0.05, 0.0812, 0.1, 0.2345}) {
        Simulation s(scene_of(head(e, 0) + ball(x, v) + plate));
        const double there = (x - 0.0105) / v;
        s.run_until(std::ceil(there / h + 1) * h);
        EXPECT_NEAR(s.velocity(1).v.x, e * v, 1e-9 * v) << e << ", " << v << ", " << x;
        // It has turned where the plate is, but for the gap at which two are said to touch.
        EXPECT_NEAR(s.pose(1).p.x, 0.0105 + e * v * (s.time() - there), 1e-7) << e << ", " << v << ", " << x;
        EXPECT_LT(s.ledger().energy_residual_relative, 1e-12);
        EXPECT_LE(s.steps() - nominal_steps(s), 2);
      }
}

// Closely along a plate, and closely past its edge, where the nearest points are ahead of it: nothing there to be slowed by.
TEST(SteppingLeaps, AShotThatMissesIsLeftAlone) {
  for (const double gap : {1e-4, 1e-3, 1e-2})
    for (const double v : {10.0, 100.0, 300.0})
      for (const bool edge : {false, true}) {
        const std::string lane =
            fmt::format("scenery: {{plate: {{shape: {{box: {{size: [{}], center: [0, 0, {:.17g}]}}}}}}}}\n",
                        edge ? "1 mm, 1 m, 1 m" : "1 m, 1 m, 1 mm", -0.01 - gap - (edge ? 0.5 : 0.5e-3));
        Simulation s(scene_of(head(0.5, 0.3) + ball(1, v) + lane));
        s.run_until(std::ceil(2 / v / h) * h);
        EXPECT_NEAR(s.pose(1).p.x, 1 - v * s.time(), 1e-12);
        EXPECT_EQ(s.velocity(1).v.x, -v) << gap << ", " << v << ", " << edge;
        EXPECT_EQ(s.velocity(1).v.z, 0);
        EXPECT_EQ(s.steps(), nominal_steps(s));
      }
}

TEST(SteppingLeaps, WarnsOnlyWhereSomethingMayHaveLeapt) {
  EXPECT_FALSE(warns(summary_of(scene_of(head(0.5, 0.3) + ball(0.1, 200) + plate))));
  // Between two plates, to and fro three hundred times within a step.
  const RunSummary s =
      summary_of(scene_of(head(1, 0) + ball(0, 300) +
                          "scenery: {a: {shape: {box: {size: [1 mm, 1 m, 1 m], center: [-1.1 cm, 0, 0]}}}, "
                          "b: {shape: {box: {size: [1 mm, 1 m, 1 m], center: [1.1 cm, 0, 0]}}}}\n"));
  EXPECT_TRUE(warns(s));
  EXPECT_LE(s.steps, 20 * 70);  // it goes on
  EXPECT_TRUE(s.ledger.closed);
}

TEST(SteppingLeaps, AShotGoesOnBitForBitFromAnyStep) {
  int early = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Shot shot(seed);
    const auto system = std::make_shared<const System>(scene_of(shot.text));
    Simulation whole(system);
    std::vector<SavedState> saved;
    while (whole.time() < 10 * h && !shot.turns_too_fast(whole)) saved.push_back(whole.save()), whole.step();
    early += static_cast<int>(whole.steps() - nominal_steps(whole));
    for (const SavedState& from : saved) {
      Simulation later(system);
      later.restore(from);
      while (later.time() < whole.time()) later.step();
      ASSERT_EQ(later.state().q, whole.state().q) << seed << ", from " << from.t;
      ASSERT_EQ(later.state().v, whole.state().v) << seed << ", from " << from.t;
      ASSERT_EQ(later.steps(), whole.steps());
      ASSERT_EQ(later.ledger().energy_residual, whole.ledger().energy_residual);
    }
  }
  EXPECT_GT(early, 20);
}

// Where cuts are counted and used up, too.
TEST(SteppingLeaps, CountsGoOnFromCheckpoints) {
  const auto system = std::make_shared<const System>(
      scene_of(head(1, 0) + ball(0, 300) +
               "scenery: {a: {shape: {box: {size: [1 mm, 1 m, 1 m], center: [-1.1 cm, 0, 0]}}}, "
               "b: {shape: {box: {size: [1 mm, 1 m, 1 m], center: [1.1 cm, 0, 0]}}}}\n"));
  Simulation whole(system), later(system);
  for (int k = 0; k < 40; ++k) whole.step();
  ASSERT_LT(whole.time(), h);
  later.restore(whole.save());
  for (int k = 0; k < 100; ++k) {
    whole.step(), later.step();
    ASSERT_EQ(whole.time(), later.time()) << k;
    ASSERT_EQ(whole.state().v, later.state().v) << k;
  }
}

// ---- several bodies
// A ball into a row of plates: each is pushed on to the next, and all stay in their order.
TEST(SteppingLeaps, ARowOfPlatesKeepsItsOrder) {
  for (const double e : {0.0, 0.5, 1.0})
    for (const double v : {50.0, 300.0}) {
      std::string plates;
      for (int k = 0; k < 5; ++k)
        plates += fmt::format(
            ", p{}: {{links: {{b: {{shape: {{box: [1 mm, 20 cm, 20 cm]}}, mass: 0.3 kg, start: {{position: [{:.4f}, "
            "0, 0]}}}}}}}}",
            k, -0.004 * k);
      Simulation s(scene_of(head(e, 0.3) + ball(0.1, v, plates)));
      const Model& model = s.system().model();
      const double energy = s.value("energy/kinetic");
      while (s.time() < 15 * h) {
        s.step();
        double before = s.pose(model.find("ball.b")).p.x - 0.0105;
        for (int k = 0; k < 5; ++k) {
          const double x = s.pose(model.find(fmt::format("p{}.b", k))).p.x;
          ASSERT_LT(x, before + 1e-6) << e << ", " << v << ", plate " << k << " at " << s.time();
          before = x - 0.001;
        }
      }
      EXPECT_NEAR(s.values("momentum/linear")[0], -0.1 * v, 1e-10 * v);
      EXPECT_LT(s.ledger().energy_residual_relative, 1e-9);
      if (e == 1) EXPECT_NEAR(s.value("energy/kinetic"), energy, 1e-9 * energy);
      EXPECT_LE(s.steps() - nominal_steps(s), 100);
    }
}

// A stick on a hinge, and a flail of two, that swing at a plate: both in the coordinates of joints and in those of bodies.
TEST(SteppingLeaps, LimbsDoNotSwingThroughPlates) {
  for (const char* dynamics : {"aba", "multipliers"})
    for (const double spin : {100.0, 300.0, 700.0})
      for (const bool flail : {false, true}) {
        const std::string second =
            ", b: {parent: a, joint: {type: hinge, axis: z}, at: [20 cm, 0, 0], shape: {capsule: {radius: 3 mm, from: "
            "[0, 0, 0], "
            "to: [10 cm, 0, 0]}}, mass: 0.1 kg, start: {angle: 0.3 rad}}";
        Simulation s(scene_of(
            head(0.3, 0, "0", fmt::format(", dynamics: {}", dynamics)) +
            fmt::format(
                "figures: {{arm: {{links: {{a: {{joint: {{type: hinge, axis: z}}, shape: {{capsule: {{radius: 3 mm, "
                "from: "
                "[0, 0, 0], to: [20 cm, 0, 0]}}}}, mass: 0.3 kg, start: {{angle: 0, rate: {} rad/s}}}}{}}}}}}}\n",
                spin, flail ? second : "") +
            "scenery: {plate: {shape: {box: {size: [1 mm, 20 cm, 20 cm], center: [-5 cm, 18 cm, 0]}}}}\n"));
        while (s.time() < 20 * h) {
          s.step();
          const double angle = s.value("joint/arm.a/angle");
          // Its end is at 20 cm, the plate from y = 8 cm on at x = −5 cm.
          ASSERT_LT(angle, std::acos(-0.05 / 0.2) + 0.05)
              << dynamics << ", " << spin << ", " << flail << " at " << s.time();
        }
        EXPECT_GT(s.value("joint/arm.a/angle"), -20);
      }
}

// A wall of 2 mm that is no convex solid: an L of sheet as a mesh.
TEST(SteppingLeaps, NoShotGetsThroughAMesh) {
  const std::string sheet =
      "scenery: {sheet: {shape: {mesh: {points: [[0, -1, 0], [1, -1, 0], [1, -1, 0.002], [0.002, -1, 0.002], [0.002, "
      "-1, "
      "1], [0, -1, 1], [0, 1, 0], [1, 1, 0], [1, 1, 0.002], [0.002, 1, 0.002], [0.002, 1, 1], [0, 1, 1]], faces: [[1, "
      "2, "
      "3, 4, 5, 6], [12, 11, 10, 9, 8, 7], [1, 7, 8, 2], [2, 8, 9, 3], [3, 9, 10, 4], [4, 10, 11, 5], [5, 11, 12, 6], "
      "[6, "
      "12, "
      "7, 1]]}}}}\n";
  Chance chance(5);
  const auto number = [&](double low, double high) { return chance.number(low, high); };
  for (int k = 0; k < 20; ++k) {
    const Vec3<double> to{number(0.05, 0.5), number(-0.2, 0.2), 0.001}, from{number(0.1, 0.5), 0, number(0.2, 0.4)};
    const Vec3<double> v = number(20, 300) * unit(to - from);
    const std::string shot = fmt::format(
        "figures: {{shot: {{links: {{b: {{shape: {}, mass: 0.1 kg, start: {{position: {}, velocity: {}, spin: "
        "[100, 50, 0]}}}}}}}}}}\n",
        k % 2 == 0 ? "{sphere: 1 cm}" : "{box: [2 cm, 2 cm, 2 cm]}", vec(from), vec(v));
    Simulation s(scene_of(head(0.4, 0.2) + shot + sheet));
    while (s.time() < 15 * h) {
      s.step();
      const Vec3<double> p = s.pose(1).p;
      ASSERT_TRUE((p.x > 0.002 && p.z > 0.002) || p.x > 0.99 || p.z > 0.99 || std::abs(p.y) > 0.99)
          << k << " at " << s.time() << ": " << vec(p) << "\n"
          << shot;
    }
    EXPECT_TRUE(s.ledger().closed) << k;
  }
}

// ---- beside other things
// What happens by the clock within the step of a shot cuts that step at an instant of its own; books close all the same.
TEST(SteppingLeaps, InstantsWithinTheStepOfAShot) {
  for (const double until : {0.8951e-3, 0.895e-3, 0.8949e-3, 0.5e-3, 0.99e-3}) {
    Simulation s(
        scene_of(head(0.5, 0) + ball(0.1, 100) + plate +
                 fmt::format("forces: [push: {{link: ball.b, force: [1 N, 0, 0], until: {:.17g} s}}]\n", until)));
    s.run_until(3 * h);
    EXPECT_NEAR(s.velocity(1).v.x, 50, 0.02) << until;
    EXPECT_GT(s.pose(1).p.x, 0.1) << until;
    EXPECT_LT(s.ledger().energy_residual_relative, 1e-9) << until;
  }
}

// Conditions that are met within the step of a shot end it there, before, at and after the hit; none is lost, and no hit is.
TEST(SteppingLeaps, EventsWithinTheStepOfAShot) {
  for (const char* when :
       {"{distance_of: ball.b, above: 5 cm}", "{distance_of: ball.b, above: 8.9 cm}",
        "{speed_of: ball.b, below: 60 m/s}", "{speed_of: ball.b, below: 99 m/s}", "{touching: [ball.b, plate]}"}) {
    Scene scene =
        scene_of(head(0.5, 0) + ball(0.1, 100) + plate +
                 fmt::format("forces: [spike: {{link: ball.b, force: [0, 1 kN, 0], lasts: 1 ms, when: {}}}]\n", when));
    Simulation s(scene);
    s.run_until(5 * h);
    EXPECT_NEAR(s.velocity(1).v.x, 50, 1e-7) << when;
    EXPECT_NEAR(s.velocity(1).v.y, 10, 1e-9) << when;  // for 1 ms on 0.1 kg
    EXPECT_LT(s.ledger().energy_residual_relative, 1e-9) << when;
    EXPECT_LE(s.steps(), 40) << when;
    EXPECT_FALSE(warns(summary_of(scene))) << when;
  }
}

}  // namespace stepping_leaps_test
}  // namespace marey
