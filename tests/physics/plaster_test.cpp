// A weld across a joint that is there already: three of its six rows say what the joint says, and one of them may be a
// force along its own lever, which moves nothing.
#include <gtest/gtest.h>

#include "support/recorded.h"

namespace {

std::string arm(const std::string& elbow, const std::string& constraint, const std::string& solver = "") {
  return "title: plaster\nduration: 1 s\n" + solver + R"(
figures:
  f:
    at: [0, 0, 1 m]
    links:
      one: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, to: [30 cm, 0, 0]}}, mass: 1 kg}
      two: {parent: one, at: [30 cm, 0, 0], )" +
         elbow + R"(, shape: {capsule: {radius: 1 cm, to: [30 cm, 0, 0]}}, mass: 1 kg}
constraints:
  - )" + constraint +
         "\n";
}

TEST(Plaster, HoldsAnElbowWhereverItIsPut) {
  const std::string ball = "joint: ball, start: {turned: {axis: y, angle: 50 deg}}";
  const std::string hinge = "joint: {type: hinge, axis: y}, start: {angle: 50 deg}";
  for (const std::string& elbow : {ball, hinge})
    for (const char* at : {"", ", at: [29 cm, 0, 0]", ", at: [30 cm, 0, 0]", ", at: [10 cm, 5 cm, 3 cm]"})
      for (const char* from : {"", ", from: 0.3 s"}) {
        const std::string weld = std::string("weld: {name: plaster, a: f.one, b: f.two") + at + from + "}";
        const recorded::Memory m = recorded::run_text(arm(elbow, weld));
        ASSERT_EQ(m.summary.breakdown, "") << elbow << weld;
        EXPECT_TRUE(m.summary.ledger.closed) << elbow << weld;
        const std::size_t last = m.rows.size() - 1, held = from[0] == 0 ? 0 : 20;
        const auto between = [&](std::size_t k) {
          return conjugate(m.turn("link/f.one/orientation", k)) * m.turn("link/f.two/orientation", k);
        };
        EXPECT_LT(recorded::angle_between(between(held), between(last)), 1e-7) << elbow << weld;
      }
}

TEST(Plaster, HoldsInMaximalCoordinates) {
  const std::string ball = "joint: ball, start: {turned: {axis: y, angle: 50 deg}}";
  const std::string hinge = "joint: {type: hinge, axis: y}, start: {angle: 50 deg}";
  for (const std::string& elbow : {ball, hinge})
    for (const char* at : {"", ", at: [29 cm, 0, 0]", ", at: [30 cm, 0, 0]", ", at: [10 cm, 5 cm, 3 cm]"}) {
      const std::string weld = std::string("weld: {name: plaster, a: f.one, b: f.two") + at + "}";
      const recorded::Memory m = recorded::run_text(arm(
          elbow, weld, "solver: {dynamics: multipliers, stabilisation: projection, integrator: rk4, step: 1 ms}\n"));
      ASSERT_EQ(m.summary.breakdown, "") << elbow << weld;
      EXPECT_TRUE(m.summary.ledger.closed) << elbow << weld;
      const auto between = [&](std::size_t k) {
        return conjugate(m.turn("link/f.one/orientation", k)) * m.turn("link/f.two/orientation", k);
      };
      EXPECT_LT(recorded::angle_between(between(0), between(m.rows.size() - 1)), 1e-7) << elbow << weld;
    }
}

// The two bars are one stiff piece, which hangs with its centre of mass below the hinge and stays there.
TEST(Plaster, HoldsInEquilibrium) {
  const std::string hinge = "joint: {type: hinge, axis: y}, start: {angle: 50 deg}";
  for (const char* at : {"", ", at: [29 cm, 0, 0]", ", at: [30 cm, 0, 0]"}) {
    const recorded::Memory m = recorded::run_text(
        arm(hinge, std::string("weld: {name: plaster, a: f.one, b: f.two") + at + "}", "start: equilibrium\n"));
    ASSERT_EQ(m.summary.breakdown, "") << at;
    const std::size_t last = m.rows.size() - 1;
    EXPECT_NEAR(m.vec("center_of_mass/position", 0).x, 0, 1e-8) << at;
    EXPECT_LT(m.vec("center_of_mass/position", 0).z, 0.9) << at;
    EXPECT_NEAR(m.number("joint/f.two/angle", 0), 50 * std::acos(-1.0) / 180, 1e-7) << at;
    EXPECT_NEAR(m.number("joint/f.one/angle", last), m.number("joint/f.one/angle", 0), 1e-7) << at;
  }
}

// Forces between neighbours move nothing further in: a lever of a centimetre counts whole, 40 m from the root.
TEST(SmallLoops, HoldFarFromTheirRoot) {
  for (const char* dynamics : {"aba", "multipliers"}) {
    const recorded::Memory m = recorded::run_text(
        std::string("duration: 50 ms\nsolver: {integrator: rk4, step: 1 ms, dynamics: ") + dynamics + R"(}
figures:
  rope:
    at: [0, 0, 100 m]
    chain:
      links: 200
      spacing: [0, 0, -20 cm]
      link: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, length: 20 cm, along: -z}}, mass: 100 g}
constraints:
  - rod: {name: tip, a: rope.199, b: rope.200, at: [1 cm, 0, -10 cm], at_b: [1 cm, 0, -10 cm]}
drives:
  - {joint: rope.1, locked: true}
forces:
  - push: {link: rope.200, force: [0.3 N, 0, 0], point: [0, 0, -20 cm]}
)");
    ASSERT_EQ(m.summary.breakdown, "") << dynamics;
    const std::size_t last = m.rows.size() - 1;
    EXPECT_LT(m.number("constraint/tip/error", last), 1e-10) << dynamics;
    EXPECT_GT(m.number("constraint/tip/force_magnitude", last), 1) << dynamics;
    EXPECT_LT(std::abs(m.number("joint/rope.200/angle", last)), 1e-8) << dynamics;
  }
}

}  // namespace
