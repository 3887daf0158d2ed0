// The account that a run prints: who did work, and where the energy of the others is.
#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;
using Account = program::InFolder;

constexpr const char* figure = R"(marey: 1
title: Two links
duration: 0.2 s
solver: {step: 1 ms}
figures:
  arm:
    at: [0, 0, 1 m]
    links:
      upper:
        joint: ball
        shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}
        mass: 1 kg
        start: {turned: {axis: y, angle: 60 deg}}
      lower:
        parent: upper
        joint: {type: hinge, axis: y}
        at: [0, 0, -30 cm]
        shape: {capsule: {radius: 2 cm, length: 30 cm, along: -z}}
        mass: 1 kg
)";

TEST_F(Account, ListsContacts) {
  for (const char* scene : {"bouncing-ball", "sliding-block"}) {
    const Outcome o = run({"run", scene});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(contains(o.out, "closed: each within")) << o.out;
    EXPECT_TRUE(contains(o.out, "    + ")) << o.out;
  }
}

TEST_F(Account, ListsOnlyWhatDidWork) {
  program::write(folder / "arm.yaml", std::string(figure) + R"(torques:
  - free_play: {joint: arm.upper, angle: {twist: z}, from: -5 deg, to: 5 deg, slope: 1 N m/rad}
  - free_play: {joint: arm.lower, from: -5 deg, to: 5 deg, slope: 1 N m/rad, friction: 0.1 N m s/rad}
forces:
  - spike: {link: arm.lower, force: [1 N, 0, 0], lasts: 10 ms, from: 10 s}
)");
  const Outcome o = run({"run", "arm.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "+ arm.lower/friction ")) << o.out;
  EXPECT_TRUE(contains(o.out, "(not listed: 2 springs and torque functions, with their energy in the potential)"))
      << o.out;
  EXPECT_TRUE(contains(o.out, "(not listed: 1 source that did no work)")) << o.out;
  EXPECT_FALSE(contains(o.out, "free_play")) << o.out;
  EXPECT_FALSE(contains(o.out, " 0 J")) << o.out;
}

// Three torque functions on one joint, all of them moved: each says what it acts on.
TEST_F(Account, CallsForcesWithPotentialsByWhatTheyAre) {
  program::write(folder / "sun.yaml", R"(marey: 1
duration: 0.1 s
gravity: 0
particles: {p: {mass: 1 kg, points: {a: {position: [1 m, 0, 0]}}}}
forces:
  - attraction: {links: p.a, to: [0, 0, 0], strength: 1 m^3/s^2}
)");
  const Outcome o = run({"run", "sun.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "(not listed: 1 force with a potential, which is in the energy)")) << o.out;
}

TEST_F(Account, SaysWhatSourcesActOn) {
  const std::string rest =
      ", from: [[0 s, -5 deg], [0.2 s, 20 deg]], to: [[0 s, 5 deg], [0.2 s, 30 deg]], slope: 1 N m/rad}\n";
  program::write(folder / "arm.yaml", std::string(figure) + "torques:\n" +
                                          "  - free_play: {joint: arm.upper, angle: {twist: z}" + rest +
                                          "  - free_play: {joint: arm.upper, angle: {euler: y}" + rest +
                                          "  - free_play: {name: curl, joint: arm.lower" + rest);
  const Outcome o = run({"run", "arm.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "+ arm.upper/free_play (twist z) ")) << o.out;
  EXPECT_TRUE(contains(o.out, "+ arm.upper/free_play 2 (euler y) ")) << o.out;
  EXPECT_TRUE(contains(o.out, "+ curl (arm.lower) ")) << o.out;
  EXPECT_FALSE(contains(o.out, "not listed")) << o.out;
}

// The hints at the end can be followed, and lead to something that moves.
TEST_F(Account, EndsWithHintsThatWork) {
  EXPECT_TRUE(contains(run({"run", "chain.yaml"}).out, "plot out/chain.h5 link/rope.3/position.z\n"));
  EXPECT_EQ(run({"plot", "out/chain.h5", "link/rope.3/position.z"}).status, 0);
  // The origin of a link on a hinge in the world stays where it is.
  EXPECT_TRUE(
      contains(run({"run", "compound-pendulum"}).out, "plot out/compound-pendulum.h5 joint/pendulum.bar/angle\n"));
  EXPECT_EQ(run({"plot", "out/compound-pendulum.h5", "joint/pendulum.bar/angle"}).status, 0);
}

TEST_F(Account, CountsInGoodEnglish) {
  EXPECT_TRUE(contains(run({"check", "compound-pendulum"}).out, "sound; 1 link, 1 degree of freedom, "));
  EXPECT_TRUE(contains(run({"check", "chain.yaml"}).out, "sound; 3 links, 9 degrees of freedom, "));
}

}  // namespace
}  // namespace marey
