// Contacts by sweeps (accuracy: fast): closed forms, what the tight solver finds, and what sweeps leave unsolved.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/contact/stepped_contacts.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/simulation_parts.h"
#include "support/random_runs.h"
#include "support/random_scenes_in_steps.h"

namespace marey {
namespace stepping_fast_test {

constexpr double g = 9.81;

std::string head(const std::string& solver, double friction) {
  return "marey: 1\nduration: 100 s\nsolver: {contact: stepping, " + solver +
         "}\nscenery: {floor: {plane: 0}}\ncollide: all\nmaterials: {default: {friction: " + std::to_string(friction) +
         "}}\n";
}
Scene cubes(const std::string& solver, int high, double friction = 0.5) {
  return parse_scene(head(solver, friction) + "figures: {cube: {at: [0, 0, 10 cm], copies: {count: [1, 1, " +
                         std::to_string(high) +
                         "], spacing: 20 cm}, links: {b: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}}}}\n",
                     "test.yaml");
}
const SteppedContacts& contacts(Simulation& s) { return *s.parts().world.stepped(); }
const StepCertificate& largest(Simulation& s) { return contacts(s).sums().largest; }

TEST(SteppingFast, ABlockOnAnInclineSlidesOrSticks) {
  for (const double angle : {0.3, 0.5}) {  // atan μ = 0.38
    const double mu = 0.4, a = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));
    Scene scene = cubes("step: 2 ms, accuracy: fast", 1, mu);
    scene.model.params.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
    Simulation s(scene);
    s.run_until(1);
    EXPECT_NEAR(s.values("link/cube-1-1-1.b/velocity")[0], a, 1e-7) << angle;
    EXPECT_NEAR(s.values("link/cube-1-1-1.b/position")[0], 0.5 * a, 1e-7) << angle;
    EXPECT_GT(contacts(s).sums().swept, 490) << angle;
  }
}

// Slip that takes most work: against friction, in whatever direction, though along the rod the contact is far heavier than across.
TEST(SteppingFast, FrictionIsAgainstTheSlip) {
  Simulation s(
      parse_scene(head("step: 1 ms, accuracy: fast", 0.3) +
                      "figures: {rod: {links: {b: {shape: {box: [100 cm, 4 cm, 4 cm]}, mass: 1 kg, start: {position: "
                      "[0, 0, 2 cm], velocity: [1 m/s, 0.7 m/s, 0], spin: [0, 0, 6 rad/s]}}}}}\n",
                  "test.yaml"));
  int seen = 0;
  for (int k = 0; k < 200; ++k) {
    s.step();
    for (const TouchingPoint& c : contacts(s).points()) {
      const Vec3<double> P = c.force_W;
      const double t1 = dot(P, c.axes_W[1]), t2 = dot(P, c.axes_W[2]), slip = std::hypot(c.u[1], c.u[2]);
      if (!(slip > 0.1 && dot(P, c.axes_W[0]) > 0.1)) continue;
      ++seen;
      const double across = std::abs(t1 * c.u[2] - t2 * c.u[1]);
      EXPECT_LE(across, 1e-4 * slip * std::hypot(t1, t2)) << k;
      EXPECT_LT(t1 * c.u[1] + t2 * c.u[2], 0) << k;
    }
  }
  EXPECT_GT(seen, 300);
}

// Where the answer is unique both find it, loose bodies and figures alike: within what the sweeps leave unsolved.
TEST(SteppingFast, OneStepIsThatOfTheTightSolver) {
  struct Case {
    const char* file;
    double t, most;
  };
  for (const auto& [file, t, most] :
       {Case{"/gallery/limp-human-lies.yaml", 0.45, 1e-5}, Case{"/gallery/limp-human-lies.yaml", 2, 1e-6},
        Case{"/gallery/dominoes.yaml", 0.3, 1e-2}}) {
    Scene tight = load_scene(std::string(MAREY_SOURCE_DIR) + file), fast = tight;
    fast.solver.accuracy = ContactAccuracy::fast;
    Simulation a(tight), b(fast);
    a.run_until(t);
    SavedState saved = a.save();
    saved.system = b.system().fingerprint();
    b.restore(saved);
    a.step(), b.step();
    double apart = 0;
    for (int i = 1; i < tight.model.nlink(); ++i)
      apart = std::max({apart, norm(a.velocity(i).v - b.velocity(i).v), 0.1 * norm(a.velocity(i).w - b.velocity(i).w)});
    std::printf("%s at %g s: %.1e m/s apart\n", file, t, apart);
    EXPECT_LE(apart, most) << file << " " << t;
  }
}

// Figures on each other, a body among them, and points with friction of turning and rolling: every way of a block through its trees.
TEST(SteppingFast, FiguresThatTouchAreAsByTheTightSolver) {
  for (const char* friction : {"friction: 0.5", "friction: 0.5, torsion: 2 cm, rolling: 1 cm"}) {
    const std::string text =
        "marey: 1\nduration: 3 s\nsolver: {contact: stepping, step: 2 ms}\nscenery: {floor: {plane: 0}}\ncollide: all\n"
        "materials: {default: {" +
        std::string(friction) +
        "}}\n"
        "bodies: {ball: {at: [10 cm, 5 cm, 90 cm], shape: {sphere: 12 cm}, mass: 3 kg}}\nfigures:\n  f:\n"
        "    at: [0, 0, 20 cm]\n    copies: {count: [1, 1, 3], spacing: 24 cm, random: {seed: 2, turned: 40 deg}}\n"
        "    links:\n      trunk: {shape: {capsule: {radius: 8 cm, length: 50 cm, along: x}}, mass: 8 kg}\n"
        "      arm: {parent: trunk, joint: ball, friction: 1 N m s/rad, at: [50 cm, 0, 0], shape: {capsule: {radius: 5 "
        "cm, "
        "length: 30 cm, along: y}}, mass: 2 kg}\n"
        "      hand: {parent: arm, joint: {type: hinge, axis: z}, friction: 0.3 N m s/rad, at: [0, 35 cm, 0], shape: "
        "{sphere: 7 "
        "cm}, mass: 0.5 kg}\n"
        "      leg: {parent: trunk, joint: {type: hinge, axis: y}, friction: 2 N m s/rad, at: [-8 cm, 0, 0], shape: "
        "{capsule: "
        "{radius: 6 cm, length: 40 cm, along: -x}}, mass: 5 kg}\n";
    const Scene tight = parse_scene(text, "test.yaml");
    Scene fast = tight;
    fast.solver.accuracy = ContactAccuracy::fast;
    Simulation a(tight), b(fast);
    int points = 0;
    for (const double t : {0.3, 0.6, 1.5}) {
      a.run_until(t);
      SavedState saved = a.save();
      saved.system = b.system().fingerprint();
      b.restore(saved);
      Simulation next(tight);
      next.restore(a.save());
      next.step(), b.step();
      ASSERT_GT(contacts(b).certificate().swept, 0) << t;
      points = std::max(points, contacts(b).certificate().swept);
      double apart = 0;
      for (int i = 1; i < tight.model.nlink(); ++i)
        apart = std::max(
            {apart, norm(next.velocity(i).v - b.velocity(i).v), 0.1 * norm(next.velocity(i).w - b.velocity(i).w)});
      // Sweeps end where none changes a velocity by more than 1e-4 of those in the island; of an error each leaves 0.99 at most.
      double scale = tight.solver.step * 9.81;
      for (const TouchingPoint& c : contacts(b).points())
        for (const double u : c.u_minus) scale = std::max(scale, std::abs(u));
      std::printf("%s at %g s: %.1e m/s apart, of %.1e\n", friction, t, apart, scale);
      EXPECT_LE(apart, 1e-2 * scale) << friction << " " << t;
      EXPECT_LE(contacts(b).certificate().natural_map, 1e-2) << friction << " " << t;
    }
    EXPECT_GE(points, 8);
  }
}

// A stack of twenty, whose load has to be found first, sinks and leans in five seconds by less than 5 mm: after that it stands (60 s: 1 mm).
TEST(SteppingFast, AStackStands) {
  Simulation s(cubes("step: 2 ms, accuracy: fast", 20));
  s.step();
  EXPECT_LE(s.value("contacts/natural_map"), 1e-2);  // from nothing; without (5) 0.085
  s.run_until(5);
  const auto top = s.values("link/cube-1-1-20.b/position");
  EXPECT_NEAR(top[0], 0, 5e-3);
  EXPECT_NEAR(top[1], 0, 5e-3);
  EXPECT_NEAR(top[2], 3.9, 20 * 4e-5);  // each may overlap by what is left alone
  EXPECT_LE(contacts(s).sums().percentile_95(), 2e-2);
  EXPECT_EQ(contacts(s).sums().swept, 2500);  // by sweeps, not by the matrix that a worse answer would go to
  EXPECT_LE(s.value("contacts/natural_map"), 1e-2);
  EXPECT_LE(largest(s).penetration, 1e-3);
  EXPECT_LE(largest(s).cone_excess, 4 * 0x1p-52);
  EXPECT_LE(largest(s).momentum, 1e-13);
}
TEST(SteppingFast, AMillionTimesHeavierOnTop) {
  for (const double ratio : {1e2, 1e6}) {
    Scene scene = cubes("step: 2 ms, accuracy: fast", 4);
    Inertia<double>& I = scene.model.params.links.back().I;
    I = {ratio * I.m, ratio * I.h, ratio * I.J};
    Simulation s(scene);
    s.run_until(1);
    const auto top = s.values("link/cube-1-1-4.b/position");
    EXPECT_NEAR(top[2], 0.7, 1e-4) << ratio;
    EXPECT_LT(norm(s.velocity(4).v), 1e-2) << ratio;
    EXPECT_LE(largest(s).natural_map, 0.1) << ratio;  // more is solved by the matrix
  }
}

// 252 cubes side by side and on top of each other: more than a matrix would be made for. The books close, and nothing is lost.
TEST(SteppingFast, AHeapIsSweptWhateverIsAskedFor) {
  for (const char* accuracy : {"auto", "tight"}) {
    Scene scene = parse_scene(
        head(std::string("step: 4 ms, accuracy: ") + accuracy, 0.5) +
            "figures: {cube: {at: [0, 0, 10 cm], copies: {count: [7, 6, 6], spacing: 20 cm}, links: {b: {shape: "
            "{box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}}}}\n",
        "test.yaml");
    Simulation s(scene);
    s.run_until(0.06);
    EXPECT_EQ(contacts(s).sums().swept, 15) << accuracy;
    EXPECT_LE(largest(s).momentum, 1e-13) << accuracy;
    EXPECT_LE(largest(s).cone_excess, 4 * 0x1p-52) << accuracy;
    EXPECT_LE(largest(s).penetration, 1e-3) << accuracy;
    EXPECT_LE(std::abs(s.ledger().energy_residual), 1e-9) << accuracy;
    EXPECT_LE(contacts(s).sums().percentile_95(), 0.1) << accuracy;
  }
}
// Figures with joints, limits, friction, pushes and drives on floors, stairs and each other, in every way of dynamics.
TEST(SteppingFast, ScenesByChanceReachTheirEnd) {
  const auto swept_scene = [](unsigned seed) {
    std::string text = random_scene_in_steps(seed);
    return text.insert(text.find("contact: stepping") + 17, ", accuracy: fast");
  };
  const auto look = [](unsigned, const RunSummary& s) {
    ASSERT_TRUE(s.certificate);
    EXPECT_LE(s.certificate->natural_map, 2e-4);  // twice where sweeps end
    EXPECT_LE(s.certificate->cone_excess, 1e-15);
    EXPECT_LE(s.certificate->momentum, 1e-12);
    EXPECT_LE(s.certificate->penetration, 3e-4);  // what is left alone, and a step
  };
  EXPECT_EQ(count_open(20, swept_scene, look), 0);
}

TEST(SteppingFast, GoesOnFromACheckpointBitForBit) {
  const auto system = std::make_shared<const System>(cubes("step: 2 ms, accuracy: fast", 6));
  Simulation whole(system), resumed(system);
  whole.run_until(0.1);
  const SavedState saved = whole.save();
  whole.run_until(0.2);
  resumed.run_until(0.05);
  resumed.restore(saved);
  resumed.run_until(0.2);
  EXPECT_EQ(resumed.state().q, whole.state().q);
  EXPECT_EQ(resumed.state().v, whole.state().v);
}
TEST(SteppingFast, AutoIsTightWhereThereAreFew) {
  Simulation tight(cubes("step: 2 ms", 3)), by_size(cubes("step: 2 ms, accuracy: auto", 3));
  tight.run_until(0.1), by_size.run_until(0.1);
  EXPECT_EQ(contacts(by_size).sums().swept, 0);
  EXPECT_EQ(tight.state().q, by_size.state().q);
}

}  // namespace stepping_fast_test
}  // namespace marey
