// Multipliers of drives, scripts and couplings are in the unit of what acts in their joint.
#include <gtest/gtest.h>

#include "marey/io/motion.h"
#include "support/recorded.h"

namespace channel_units_test {
namespace {

const char* const figure = R"(title: units
duration: 20 ms
gravity: 0
solver: {integrator: rk4, step: 10 ms}
figures:
  f:
    links:
      wheel: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}
      cog: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}
      rack: {joint: {type: slider, axis: x}, shape: {sphere: 5 cm}, mass: 1 kg}
      sled: {joint: {type: slider, axis: x}, shape: {sphere: 5 cm}, mass: 1 kg}
      ball: {joint: ball, shape: {sphere: {radius: 5 cm, center: [0, 0, 10 cm]}}, mass: 1 kg}
      bolt: {joint: {type: screw, axis: z, pitch: 1 mm}, shape: {sphere: 5 cm}, mass: 1 kg}
      pipe: {joint: {type: cylindrical, axis: z}, shape: {sphere: 5 cm}, mass: 1 kg}
      dot: {joint: point, mass: 1 kg}
      body: {shape: {sphere: 5 cm}, mass: 1 kg}
)";

std::string unit_of(const std::string& constraint, const std::string& quantity = "multiplier") {
  const recorded::Memory m = recorded::run_text(figure + constraint);
  for (const marey::Channel& c : m.header.channels)
    if (c.name == "constraint/it/" + quantity) return marey::unit_of(c, 0);
  return "no such channel";
}
std::string follow(const std::string& of) { return unit_of("constraints: [{follow: {name: it, " + of + "}}]\n"); }
std::string drive(const std::string& of) { return unit_of("drives: [{name: it, " + of + "}]\n"); }
std::string couple(const std::string& joints, const std::string& quantity = "multiplier") {
  return unit_of("constraints: [{couple: {name: it, joints: {" + joints + "}}}]\n", quantity);
}

TEST(ChannelUnits, OfAScriptAreThoseOfItsJoint) {
  EXPECT_EQ(follow("joint: f.wheel, angle: 0"), "N m");
  EXPECT_EQ(follow("joint: f.rack, slide: 0"), "N");
  EXPECT_EQ(follow("joint: f.ball, which: {twist: z}, angle: 0"), "N m");
  EXPECT_EQ(follow("joint: f.bolt, angle: 0"), "N m");
  EXPECT_EQ(follow("joint: f.pipe, coordinate: slide, slide: 0"), "N");
  EXPECT_EQ(follow("joint: f.pipe, coordinate: angle, angle: 0"), "N m");
  EXPECT_EQ(follow("joint: f.dot, coordinate: y, slide: 0"), "N");
  EXPECT_EQ(follow("joint: f.body, coordinate: z, slide: 0"), "N");
  EXPECT_EQ(follow("joint: f.body, which: {euler: x}, angle: 0"), "N m");
}

TEST(ChannelUnits, OfADriveAreThoseOfItsJoint) {
  EXPECT_EQ(drive("joint: f.wheel, velocity: 0"), "N m");
  EXPECT_EQ(drive("joint: f.rack, acceleration: 1"), "N");
  EXPECT_EQ(drive("joint: f.sled, locked: true"), "N");
  EXPECT_EQ(drive("joint: f.body, freedom: x, velocity: 0"), "N m");
}

// Where angles and lengths are coupled: λ is dual to the sum, which is what the joint with the factor 1 is.
TEST(ChannelUnits, OfACouplingAreThoseOfItsSum) {
  EXPECT_EQ(couple("f.wheel: 1, f.cog: -2"), "N m");
  EXPECT_EQ(couple("f.rack: 3, f.sled: -2"), "N");
  EXPECT_EQ(couple("f.wheel: 0.05, f.rack: -1"), "N");
  EXPECT_EQ(couple("f.rack: 20, f.wheel: -1"), "N m");
  EXPECT_EQ(couple("f.wheel: 0.05, f.rack: -3"), "N m");
  EXPECT_EQ(couple("f.wheel: 1, f.cog: -2", "error"), "rad");
  EXPECT_EQ(couple("f.rack: 3, f.sled: -2", "error"), "m");
}

// In the number as well: a rack of 1 kg is pushed with 1 N, and a wheel of radius r on it turns: λ × the wheel's factor is its
// moment J α, λ × the rack's what it lacks in force.
TEST(ChannelUnits, TheNumberIsOfThatUnit) {
  const recorded::Memory m = recorded::run_text(std::string(figure) + R"(
constraints: [{couple: {name: it, joints: {f.rack: 1, f.wheel: -0.05}}}]
forces: [{push: {link: f.rack, force: [1 N, 0, 0]}}]
)");
  const double J = 0.4 * 0.05 * 0.05, r = 0.05, a = 1 / (1 + J / (r * r));
  EXPECT_NEAR(m.number("constraint/it/multiplier", 0), -(1 - a), 1e-13);  // N: roundings of numbers near 1
}

TEST(ChannelUnits, ASliderSlides) {
  const recorded::Memory m = recorded::run_text(figure);
  EXPECT_NO_THROW((void)m.at("joint/f.rack/slide", 0));
  EXPECT_NO_THROW((void)m.at("joint/f.wheel/angle", 0));
}

}  // namespace
}  // namespace channel_units_test
