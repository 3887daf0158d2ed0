// Gears that push each other by their teeth: ratios, what bearings carry, carriers that move, and the same by a coupler.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/recorded.h"

namespace gears_test {

using recorded::Memory;

// A pinion of 3 cm and a wheel of 6 cm on a housing, which is fixed, or in flight.
std::string gearbox(const char* housing, const std::string& between, const char* axis_b = "z") {
  return fmt::format(R"(
gravity: 0
duration: 0.4 s
solver: {{integrator: rk4, step: 1 ms}}
figures:
  box:
    links:
      housing: {{{}, mass: 2 kg, inertia: {{diagonal: [0.02 kg m^2, 0.03 kg m^2, 0.04 kg m^2]}}}}
      pinion:
        parent: housing
        joint: {{type: hinge, axis: z}}
        mass: 0.2 kg
        inertia: {{diagonal: [5e-5 kg m^2, 5e-5 kg m^2, 1e-4 kg m^2]}}
      wheel:
        parent: housing
        at: [5.4 cm, 7.2 cm, 2 cm]
        joint: {{type: hinge, axis: {}}}
        mass: 0.8 kg
        inertia: {{diagonal: [1e-3 kg m^2, 1e-3 kg m^2, 2e-3 kg m^2]}}
{})",
                     housing, axis_b, between);
}
constexpr const char* fixed = "joint: weld";
constexpr const char* in_flight = "start: {spin: [1 rad/s, 2 rad/s, -3 rad/s], velocity: [0.3 m/s, 0, 0]}";
constexpr const char* motor = R"(
torques: [{torque: {name: motor, joint: box.pinion, value: 0.2 N m}}]
)";

// a as a torque on the pinion, r_a = 3 cm: F r_a turns it back, F r_b turns the wheel on.
TEST(Gears, PushEachOtherAndTheirBearings) {
  const Memory m = recorded::run_text(
      gearbox(fixed, "constraints: [{gears: {name: mesh, a: box.pinion, b: box.wheel, teeth: [20, 40]}}]") + motor);
  const std::size_t end = m.rows.size() - 1;
  const double acceleration = 0.2 / (1e-4 + 2e-3 / 4), tooth = 2e-3 * (acceleration / 2) / 0.06;
  EXPECT_NEAR(m.number("joint/box.pinion/acceleration", end), acceleration, 1e-8);
  EXPECT_NEAR(m.number("joint/box.wheel/acceleration", end), -acceleration / 2, 1e-8);
  const marey::Vec3<double> force = m.vec("constraint/mesh/force", end);
  EXPECT_NEAR(norm(force), tooth, 1e-8);
  EXPECT_NEAR(dot(force, marey::Vec3<double>{0.6, 0.8, 0}), 0, 1e-8) << "along the tangent";
  EXPECT_NEAR(norm(m.vec("joint/box.pinion/force", end)), tooth, 1e-8) << "the bearing carries it";
  EXPECT_NEAR(norm(m.vec("joint/box.wheel/force", end)), tooth, 1e-8);
  EXPECT_NEAR(m.number("constraint/mesh/work", end), 0, 1e-9);
}

// 0.2 N m at 3 cm is 6.67 N: held fast, the wheel takes it all.
TEST(Gears, CarryTheTorqueOverTheRadius) {
  const Memory m =
      recorded::run_text(gearbox(fixed,
                                 "constraints: [{gears: {name: mesh, a: box.pinion, b: box.wheel, teeth: [20, 40]}}]\n"
                                 "drives: [{joint: box.wheel, locked: true}]") +
                         motor);
  EXPECT_NEAR(norm(m.vec("joint/box.pinion/force", m.rows.size() - 1)), 0.2 / 0.03, 1e-9);
}

// On a housing in flight the motion is that of a coupler of the angles, whatever the teeth do to the bearings.
TEST(Gears, MoveAsACouplerDoes) {
  struct Case {
    const char *teeth, *couple, *axis;
  };
  for (const Case& c : {Case{"teeth: [20, 40]", "{box.pinion: 1, box.wheel: 2}", "z"},
                        Case{"teeth: [20, 40]", "{box.pinion: 1, box.wheel: -2}", "-z"},
                        Case{"teeth: [20, 50], internal: true", "{box.pinion: 2, box.wheel: -5}", "z"},
                        Case{"teeth: [50, 20], internal: true", "{box.pinion: 5, box.wheel: 2}", "-z"}}) {
    const auto run = [&](const std::string& constraint) {
      return recorded::run_text(gearbox(in_flight, "constraints: [" + constraint + "]", c.axis) + motor);
    };
    const Memory teeth = run(fmt::format("{{gears: {{name: mesh, a: box.pinion, b: box.wheel, {}}}}}", c.teeth));
    const Memory angles = run(fmt::format("{{couple: {{name: mesh, joints: {}}}}}", c.couple));
    for (std::size_t i = 0; i < teeth.rows.size(); ++i) {
      EXPECT_NEAR(norm(teeth.vec("link/box.wheel/position", i) - angles.vec("link/box.wheel/position", i)), 0, 1e-9);
      EXPECT_NEAR(teeth.number("joint/box.wheel/velocity", i), angles.number("joint/box.wheel/velocity", i), 1e-7)
          << c.teeth;
    }
    EXPECT_TRUE(teeth.summary.ledger.closed);
    EXPECT_LT(std::abs(teeth.summary.ledger.energy_residual_relative), 1e-8);
  }
}

}  // namespace gears_test
