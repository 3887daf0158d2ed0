// Stiff elements in fixed steps (contact: stepping): springs and dampers between links, limits in joints beside constraints, in reduced
// and maximal coordinates. Steps are implicit midpoints, and of one spring these have a closed form.
//
// Two bodies on a line, joined by a spring and a damper, with x what it is stretched by and μ the reduced mass: ẍ = −(k x + d ẋ)/μ. A step
//   x⁺ = x + ½h (v + v⁺)      v⁺ = v − h/μ (k ½(x + x⁺) + d ½(v + v⁺))                                               (1)
// is linear in x and v, and done here by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace stepping_stiff_test {

struct Stretch {
  double x = 0, v = 0;
};
// (1): v⁺ (1 + ½h d/μ + ¼h² k/μ) = v (1 − ½h d/μ − ¼h² k/μ) − h k x/μ
Stretch after_step(const Stretch& s, double k, double d, double mu, double h) {
  const double c = 0.5 * h * d / mu + 0.25 * h * h * k / mu;
  const double v = ((1 - c) * s.v - h * k / mu * s.x) / (1 + c);
  return {s.x + 0.5 * h * (s.v + v), v};
}

std::string head(const std::string& dynamics, const std::string& more = "") {
  return "marey: 1\nduration: 10 s\ngravity: [0, 0, 0]\nsolver: {contact: stepping, step: 2 ms, dynamics: " + dynamics +
         more + "}\nscenery: {floor: {plane: {normal: z, height: -10 m}}}\ncollide: all\n";
}
// 1 kg and 2 kg, 30 cm apart, moving apart.
std::string two_balls(const std::string& velocity_of_a = "-0.4") {
  return "figures:\n"
         "  a: {links: {b: {shape: {sphere: 5 cm}, mass: 1 kg, start: {position: [0, 0, 0], velocity: [0, 0, " +
         velocity_of_a +
         "]}}}}\n"
         "  b: {links: {b: {shape: {sphere: 5 cm}, mass: 2 kg, start: {position: [0, 0, 30 cm], velocity: [0, 0, "
         "0.6]}}}}\n";
}
double z(const Simulation& s, const std::string& link) { return s.values("link/" + link + "/position")[2]; }

class SteppingStiffIn : public testing::TestWithParam<const char*> {};

// ω h = 2.8, where explicit steps blow up.
TEST_P(SteppingStiffIn, AStiffSpringIsThatOfTheMidpointRule) {
  const double k = 1.3e6, d = 300, mu = 2.0 / 3, h = 2e-3;
  Simulation s(parse_scene(head(GetParam()) + two_balls() +
                               "forces: [spring: {link: a.b, to: b.b, stiffness: 1.3e6 N/m, damping: 300 N s/m}]\n",
                           "test.yaml"));
  Stretch by_hand{0, 1};
  for (int step = 1; step <= 200; ++step) {
    s.step();
    by_hand = after_step(by_hand, k, d, mu, h);
    ASSERT_NEAR(z(s, "b.b") - z(s, "a.b") - 0.3, by_hand.x, 1e-12) << step;
  }
  EXPECT_NEAR((z(s, "a.b") + 2 * z(s, "b.b")) / 3, 0.2 + 0.4 * 0.8 / 3, 1e-12);  // the centre of mass goes on
  EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-12);
}

// Beside a constraint that has nothing to do with it, and one that holds a ball: then only the other moves.
TEST_P(SteppingStiffIn, ConstraintsHoldWhileSpringsAreStiff) {
  const double k = 1.3e6, h = 2e-3;
  const std::string text = head(GetParam()) + two_balls("0") +
                           "forces: [spring: {link: a.b, to: b.b, stiffness: 1.3e6 N/m}]\n"
                           "constraints: [ball: {b: a.b}]\n";
  Simulation s(parse_scene(text, "test.yaml"));
  Stretch by_hand{0, 0.6};
  for (int step = 1; step <= 200; ++step) {
    s.step();
    by_hand = after_step(by_hand, k, 0, 2, h);
    ASSERT_NEAR(z(s, "b.b") - 0.3, by_hand.x, 1e-11) << step;
    ASSERT_NEAR(z(s, "a.b"), 0, 1e-11) << step;
  }
  EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 1e-9);
}

// A frame of two legs and a rod between them, whose hinges have stiff limits: at 2 ms with the rod as at a tenth of that, and without any
// explosion; of second order.
TEST_P(SteppingStiffIn, StiffLimitsBesideARod) {
  const std::string text = head(GetParam()) + R"(figures:
  r:
    links:
      root: {shape: {box: [40 cm, 20 cm, 10 cm]}, mass: 5 kg, start: {position: [0, 0, 60 cm], spin: [0, 1, 0]}}
      l: {parent: root, joint: {type: hinge, axis: y}, at: [15 cm, 0, -5 cm], start: {angle: 3 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
      m: {parent: root, joint: {type: hinge, axis: y}, at: [-15 cm, 0, -5 cm], start: {angle: 3 deg}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}, mass: 0.5 kg}
torques: [free_play: {joint: [r.l, r.m], from: -1 deg, to: 1 deg, slope: 3000 N m/rad, friction: 3 N m s/rad}]
constraints: [rod: {a: r.l, at: [0, 0, -25 cm], b: r.m, at_b: [0, 0, -25 cm]}]
)";
  const auto angle_after = [&](double h) {
    Scene scene = parse_scene(text, "test.yaml");
    scene.solver.step = h;
    Simulation s(scene);
    s.run_until(0.1);
    EXPECT_LT(std::abs(s.ledger().energy_residual_relative), 2e-3) << h;
    EXPECT_LT(s.ledger().angular_momentum_residual_relative, 50 * h * h) << h;
    return s.values("joint/r.l/angle")[0];
  };
  const double exact = angle_after(2.5e-5), coarse = angle_after(2e-3) - exact, fine = angle_after(1e-3) - exact,
               finest = angle_after(5e-4) - exact;
  EXPECT_LT(std::abs(coarse), 2e-3);
  EXPECT_LT(std::abs(finest), 0.4 * std::abs(fine) + 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Each, SteppingStiffIn, testing::Values("aba", "multipliers"));

// Two cubes of 10 g whose corners a spring of 1e6 N/m joins, in flight and on a floor, at a hundred times the step that follows it: where Newton's
// method does not settle, parts of the step are taken, and nothing flies off.
TEST(SteppingStiff, TenseSpringsBesideTheCentreDivideTheStep) {
  Simulation s(
      parse_scene("marey: 1\nduration: 0.5 s\nsolver: {contact: stepping, step: 1 ms}\ncollide: all\nscenery: {floor: "
                  "{plane: {normal: z, "
                  "height: -30 cm}}}\nfigures:\n  a: {links: {b: {shape: {box: [2 cm, 2 cm, 2 cm]}, mass: 10 g}}}\n  "
                  "c: {links: {b: "
                  "{shape: {box: [2 cm, 2 cm, 2 cm]}, mass: 10 g, start: {position: [5 cm, 0, 3 cm], velocity: [2, 1, "
                  "3]}}}}\nforces: "
                  "[spring: {link: a.b, point: [1 cm, 1 cm, 1 cm], to: c.b, to_point: [-1 cm, 1 cm, 0], stiffness: 1e6 "
                  "N/m, damping: 1 "
                  "N s/m}]\n",
                  "test.yaml"));
  int steps = 0;
  for (; s.time() < 0.5 - 1e-9; ++steps) {
    s.step();
    ASSERT_LT(s.value("energy/total"), 2 * 0.073) << s.time();
    ASSERT_LT(steps, 20'000);
  }
  EXPECT_GT(steps, 600);
}

// A body that lies on the floor and is pulled onto it by stiff springs: nothing creeps, and the floor carries what the springs ask.
TEST(SteppingStiff, ABlockTiedToTheFloorStays) {
  Simulation s(parse_scene(
      "marey: 1\nduration: 10 s\nsolver: {contact: stepping, step: 2 ms}\nscenery: {floor: {plane: 0}}\ncollide: all\n"
      "figures: {a: {links: {b: {shape: {box: [20 cm, 20 cm, 10 cm]}, mass: 1 kg, start: {position: [0, 0, 5 cm]}}}}}\n"
      "forces: [spring: {link: a.b, to: [0, 0, -50 cm], stiffness: 1e6 N/m, rest: 54.9 cm, damping: 100 N s/m}]\n",
      "test.yaml"));
  s.run_until(1);
  EXPECT_NEAR(z(s, "a.b"), 0.05, 1e-9);
  EXPECT_NEAR(s.values("touch/a.b/force")[2], 9.81 + 1e6 * 1e-3, 1e-4);
}

}  // namespace stepping_stiff_test
}  // namespace marey
