// Joints that are welded on the fly beside contacts, loops and drives; and the same arm without welds, in either coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/simulation.h"
#include "support/recorded.h"

namespace welds_beside_rows_test {

using namespace marey;
using recorded::Memory;

// An arm sinks until its hand lies on rough ground, with a rod to a pendulum beside it. Where joints are still they are
// welded; a push wakes them, lifts the hand, and it falls down again. With welds it is the same motion, to what stopping slow
// joints does, and the books close.
Memory at_rest(const std::string& duration, const std::string& weld) {
  return recorded::run_text("duration: " + duration + R"(
gravity: [0, 0, -9.81]
record: {every: 0.1 s}
solver: {integrator: rk4, step: 1 ms)" +
                            weld + R"(}
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 3 cm, length: 30 cm, along: x}}, mass: 2 kg}
      fore: {parent: upper, at: [30 cm, 0, 0], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}, mass: 1 kg}
  bell: {links: {body: {at: [0, 20 cm, 10 cm], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 3 cm, length: 30 cm, along: x}}, mass: 1 kg}}}
torques:
  - friction: {joint: arm.upper, coefficient: 2 N m s/rad}
  - friction: {joint: arm.fore, coefficient: 0.5 N m s/rad}
  - friction: {joint: bell.body, coefficient: 1 N m s/rad}
forces:
  - spike: {link: arm.fore, force: [0, 0, 60 N], lasts: 0.2 s, from: 3 s}
contacts:
  - {name: hand, link: arm.fore, at: [30 cm, 0, 0], floor: -30 cm, friction: 0.5, restitution: 0.2}
constraints:
  - rod: {name: string, a: arm.upper, at: [15 cm, 0, 0], b: bell.body, at_b: [15 cm, 0, 0]}
)");
}

TEST(WeldsBesideRows, LieOnAFloorWithALoopAndAreWokenByAnImpact) {
  const Memory right = at_rest("9 s", ""),
               welded = at_rest("9 s", ", weld: {below: 0.002 rad/s, for: 0.2 s, wake: 20 N m}");
  EXPECT_EQ(welded.summary.breakdown, "");
  EXPECT_GE(welded.summary.welds_made, 4);   // before the push and after it
  EXPECT_GE(welded.summary.welds_woken, 2);  // by the push or the impact
  EXPECT_GE(welded.summary.welded, 1);
  const std::size_t last = right.rows.size() - 1;
  EXPECT_EQ(right.rows.size(), welded.rows.size());
  for (const char* link : {"arm.upper", "arm.fore", "bell.body"})
    for (const std::size_t i : {last / 3 - 2, last})
      EXPECT_LE(recorded::angle_between(right.turn(fmt::format("link/{}/orientation", link), i),
                                        welded.turn(fmt::format("link/{}/orientation", link), i)),
                2e-3)  // rad: what creeps at 0.002 rad/s comes to rest within a second
          << link << " " << i;
  EXPECT_LE(welded.summary.ledger.energy_residual_relative, 1e-7);
  EXPECT_LE(welded.summary.ledger.linear_momentum_residual_relative, 1e-8);
  EXPECT_LE(welded.summary.ledger.angular_momentum_residual_relative, 1e-8);
}

// Two capsules in a row on the joint given, with whatever else the scene has.
Memory two_capsules(const std::string& solver, const std::string& start, const std::string& joint,
                    const std::string& rest) {
  return recorded::run_text(fmt::format(R"(
gravity: [0, 0, -9.81]
solver: {{step: 1 ms{}}}
figures:
  f:
    links:
      one: {{shape: {{capsule: {{radius: 3 cm, length: 30 cm, along: x}}}}, mass: 2 kg, start: {}}}
      two: {{parent: one, at: [30 cm, 0, 0], joint: {}, mass: 1 kg,
            shape: {{capsule: {{radius: 2 cm, from: [0, 0, 0], to: [30 cm, 5 cm, 0]}}}}}}
{})",
                                        solver, start, joint, rest));
}

// In free flight the joints of a body that does not turn are still, and are welded; when it comes down on one end they give
// way at once, as if they had never been.
TEST(WeldsBesideRows, AnImpactWakes) {
  const auto falls = [](const std::string& weld) {
    return two_capsules(weld, "{position: [0, 0, 30 cm], velocity: [0.5 m/s, 0, 0]}", "{type: hinge, axis: y}",
                        "duration: 0.35 s\nrecord: {every: 0.05 s}\n"
                        "contacts: [{name: end, link: f.two, at: [30 cm, 0, 0], friction: 0.3, restitution: 0.5}]\n");
  };
  const Memory right = falls(""), welded = falls(", weld: {below: 0.01 rad/s, for: 0.1 s, wake: 1 N m}");
  EXPECT_EQ(welded.summary.welds_made, 1);
  EXPECT_EQ(welded.summary.welds_woken, 1);
  const std::size_t last = right.rows.size() - 1;
  for (const char* link : {"f.one", "f.two"})
    EXPECT_LE(norm(right.vec(fmt::format("link/{}/velocity", link), last) -
                   welded.vec(fmt::format("link/{}/velocity", link), last)),
              1e-9);
  EXPECT_GT(std::abs(right.number("joint/f.two/angle", last)), 0.1);
}

// Joints held from the first step on: it swings as one body does, but for what that step has let the joint move.
TEST(WeldsBesideRows, SwingAsOneBody) {
  const auto swings = [](const std::string& joint, const std::string& weld) {
    return two_capsules(weld, "{}", joint,
                        "duration: 1 s\nrecord: {every: 0.1 s}\nconstraints: [ball: {name: hook, b: f.one}]\n");
  };
  const Memory right = swings("weld", ""),
               welded = swings("ball", ", weld: {below: 100 rad/s, for: 0.5 ms, wake: 1 MN m}");
  EXPECT_EQ(welded.summary.welds_made, 1);
  for (std::size_t i = 1; i < right.rows.size(); ++i)
    EXPECT_LE(norm(right.vec("link/f.two/position", i) - welded.vec("link/f.two/position", i)), 1e-4) << i;
  EXPECT_GT(norm(right.vec("link/f.two/position", 5) - right.vec("link/f.two/position", 0)), 0.2);
  EXPECT_LE(welded.summary.ledger.energy_residual_relative, 1e-6);
}

// What a weld stops is passed on to the hook by an impulse that is booked, and is no drift to be put right in silence.
TEST(WeldsBesideRows, PassOnWhatTheyStop) {
  for (const char* integrator : {"rk4", "semi_implicit"}) {
    const Memory m =
        two_capsules(fmt::format(", integrator: {}, weld: {{below: 100 rad/s, for: 50 ms, wake: 1 MN m}}", integrator),
                     "{}", "{type: hinge, axis: y}",
                     "duration: 0.2 s\nrecord: {every: 0.1 s}\nconstraints: [ball: {name: hook, b: f.one}]\n");
    EXPECT_EQ(m.summary.welds_made, 1);
    // Semi-implicit steps miss 3.3e-3 and 6.4e-4 by themselves (half of it at half the step); the hook's work is 2.3e-3.
    EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 5e-3) << integrator;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-3) << integrator;
  }
}

// What holds the roots carries what the floor and the rod do, in either coordinates.
TEST(WithoutWelds, ReactionsOfRootsInMaximalCoordinates) {
  const Memory right = at_rest("1 s", ""), other = at_rest("1 s", ", dynamics: multipliers");
  const std::size_t last = right.rows.size() - 1;
  EXPECT_EQ(other.summary.breakdown, "");
  EXPECT_GT(norm(right.vec("contact/hand/force", last)), 1);
  for (const char* link : {"arm.upper", "arm.fore", "bell.body"})
    EXPECT_LE(norm(right.vec(fmt::format("link/{}/position", link), last) -
                   other.vec(fmt::format("link/{}/position", link), last)),
              1e-9);
  for (const Memory* m : {&right, &other}) {
    EXPECT_LE(m->summary.ledger.energy_residual_relative, 1e-8);
    EXPECT_LE(m->summary.ledger.linear_momentum_residual_relative, 1e-9);
    EXPECT_LE(m->summary.ledger.angular_momentum_residual_relative, 1e-9);
  }
}

}  // namespace welds_beside_rows_test
