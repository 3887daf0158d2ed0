// Throw, circle and thrown rod, simulated, against the printed formulas: R (2.8), (2.9), (3.24).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "marey/closed_form.h"
#include "support/recorded.h"

namespace marey {
namespace {

using recorded::Memory, recorded::run_text;
using V = Vec3<double>;

// A stone that does not turn and one that does: their centres draw the parabola of (2.8).
TEST(SimpleMotions, AThrowDrawsTheParabolaOf2_8) {
  for (const double degrees : {20.0, 45.0, 80.0}) {
    const double alpha = degrees * std::acos(-1) / 180, speed = 12;
    Scene scene = parse_scene(R"(marey: 1
duration: 2
solver: {integrator: rk4, step: 10 ms}
particles: {stone: {mass: 1 kg, points: [{position: [0, 0, 0]}]}}
figures: {brick: {links: {body: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 3 kg, start: {spin: [1, 4, 2]}}}}}
record: {every: 0.1}
)",
                              "throw.yaml");
    const V v{speed * std::cos(alpha), 0, speed * std::sin(alpha)};
    const auto set_velocity = [&](const char* name, int shift) {
      const LinkTopology& link = scene.model.links[static_cast<std::size_t>(scene.model.find(name))];
      for (int k = 0; k < 3; ++k) scene.start.v[static_cast<std::size_t>(link.v + shift + k)] = v[k];
    };
    set_velocity("stone.1", 0);
    set_velocity("brick.body", 3);
    Memory m;
    run(scene, m);
    for (const char* link : {"link/stone.1/position", "link/brick.body/position"})
      for (std::size_t i = 0; i < m.rows.size(); ++i) {
        const V p = m.vec(link, i);
        EXPECT_NEAR(p.z, throw_height(p.x, speed, alpha, 9.81), 1e-11) << link << " at " << degrees;
        EXPECT_LE(norm(p - throw_motion({}, v, {0, 0, -9.81}, m.time(i)).r), 1e-11) << link;
      }
  }
}

// A mass on an arm, kept on its circle by the joint; and a bead kept there by a force towards the middle. The joint
// pulls with m v²/r.
TEST(SimpleMotions, TheCircleOf2_9) {
  const Memory m = run_text(R"(duration: 10
gravity: 0
solver: {integrator: rk4, step: 2 ms}
figures:
  arm:
    links:
      bob: {joint: {type: hinge, axis: z}, mass: 2 kg, center_of_mass: [1.5, 0, 0], inertia: point, start: {rate: 3}}
particles: {bead: {mass: 2 kg, points: [{position: [1.5, 0, 0], velocity: [0, 4.5, 0]}]}}
forces: [{field: {links: bead.1, force: ['-m*9*x', '-m*9*y', '0']}}]
record: {every: 0.25}
)");
  EXPECT_TRUE(m.summary.ledger.closed);
  double arm = 0, bead = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const PathPoint exact = circular_motion(1.5, 3, m.time(i));
    const V p = m.vec("link/bead.1/position", i), v = m.vec("link/bead.1/velocity", i);
    const Mat3<double> R = rotation(m.turn("link/arm.bob/orientation", i));
    bead = std::max({bead, norm(p - exact.r), norm(v - exact.v), norm(m.vec("link/bead.1/acceleration", i) - exact.a)});
    arm = std::max(arm, norm(R * V{1.5, 0, 0} - exact.r));
    EXPECT_NEAR(angular_velocity_about_origin(p, v).z, 3, 1e-9);
    EXPECT_LE(norm(m.vec("joint/arm.bob/force", i) - 2.0 * exact.a), 1e-10);
  }
  std::printf("circle: bead %.1e, arm %.1e\n", bead, arm);
  EXPECT_LE(bead, 1e-7);
  EXPECT_LE(arm, 1e-11);
}

// A slender rod thrown turning across its axis; one that does not turn about its axis turns as the thin rod of the
// print, whatever its thickness. tan α and cos β are measured from the axis alone.
TEST(SimpleMotions, TheThrownRodOf3_24) {
  const Memory m = run_text(R"(duration: 3
solver: {integrator: adams, tolerance: 1e-13}
figures:
  rod:
    links:
      body:
        shape: {cylinder: {radius: 1 cm, length: 1 m}}
        mass: 1 kg
        start: {position: [0, 0, 2], velocity: [2, 1, 14], turned: {axis: [0.3, 1, 0], angle: 0.7}}
record: {every: 0.02}
)");
  // Nothing turns it yet: set it turning across its axis, the same text otherwise.
  Scene scene = m.header.scene;
  scene.start.v[0] = 2.5, scene.start.v[1] = -4, scene.start.v[2] = 0;
  Memory thrown;
  const RunSummary summary = run(scene, thrown);
  EXPECT_TRUE(summary.ledger.closed);
  const auto axis = [&](std::size_t i) { return rotation(thrown.turn("link/rod.body/orientation", i)) * V{0, 0, 1}; };
  const RodState start{thrown.vec("link/rod.body/position", 0), thrown.vec("link/rod.body/velocity", 0), axis(0),
                       thrown.vec("link/rod.body/spin", 0)};
  const RodSpin spin = rod_spin(start);
  double tan_alpha = 0, cos_beta = 0, flight = 0, lowest = 4;
  for (std::size_t i = 0; i < thrown.rows.size(); ++i) {
    const double t = thrown.time(i), phase = spin.omega * (t - spin.t_min);
    const V a = axis(i);
    cos_beta = std::max(cos_beta, std::abs(a.z - std::cos(phase) * std::cos(spin.beta_min)));
    // tan α = tan ωt / sin β_min, written without its poles: sin α cos ωt sin β_min = cos α sin ωt
    const double alpha = spin.sense * (std::atan2(a.y, a.x) - spin.alpha_min);
    tan_alpha = std::max(tan_alpha, std::abs(std::sin(alpha) * std::cos(phase) * std::sin(spin.beta_min) -
                                             std::cos(alpha) * std::sin(phase)));
    const RodState flown = rod_flight(start, 9.81, t);
    flight = std::max({flight, norm(thrown.vec("link/rod.body/position", i) - flown.r_c), norm(a - flown.axis)});
    lowest = std::min(lowest, std::acos(a.z));
  }
  std::printf("rod: cos beta %.1e, tan alpha %.1e, flight %.1e; beta_min %.6f, seen %.6f\n", cos_beta, tan_alpha,
              flight, spin.beta_min, lowest);
  EXPECT_NEAR(spin.omega, std::hypot(2.5, 4), 1e-12);
  EXPECT_LE(cos_beta, 1e-10);
  EXPECT_LE(tan_alpha, 1e-10);
  EXPECT_LE(flight, 1e-10);
  EXPECT_GE(lowest, spin.beta_min - 1e-9);
}

}  // namespace
}  // namespace marey
