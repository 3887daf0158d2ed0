// No direction along a floor is better than another: what happens in a scene that is turned is what happened, turned.
// And along every direction the ground that gives way is the damped oscillator it is said to be.
#include <gtest/gtest.h>

#include <cmath>

#include "support/floors.h"

namespace marey {
namespace turned_floor_test {

using Vec = Vec3<double>;
constexpr double g = 9.81;

// A lopsided box that comes down on its corners, turning and sliding; everything in the world turned by R.
Scene tumbling(const Mat3<double>& R, bool compliant) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "box", link.joint = JointType::free;
  link.inertia = inertia_about_origin(2.0, {0.02, -0.01, 0.03}, {0.03, 0.05, 0.06, 0.004, 0.002, -0.003});
  spec.links = {link};
  spec.gravity = R * Vec{0, 0, -g};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  const Quaternion<double> turn =
      quaternion_of(R * rotation_about(Vec{1, 0, 0}, 0.2) * rotation_about(Vec{0, 1, 0}, 0.1));
  const Vec p = R * Vec{0.1, 0.2, 0.17}, v = R * Vec{0.6, 0.5, -0.2};
  scene.start.q = {turn.w, turn.x, turn.y, turn.z, p.x, p.y, p.z};
  scene.start.v = {0.5, -0.3, 1.5, v.x, v.y, v.z};
  for (int i = 0; i < 4; ++i) {
    FloorContact c =
        floors::point({i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.15 : -0.15, -0.1}, "corner " + std::to_string(i));
    c.plane.normal_W = R * Vec{0, 0, 1};
    c.plane.offset = 0.01;
    c.friction_static = 0.5, c.friction_kinetic = c.law.friction = 0.4, c.law.restitution = 0.3;
    c.compliant = compliant;
    c.ground = {5e3, 1.5, 40, 0};
    scene.contacts.push_back(c);
  }
  scene.solver = floors::fixed(Integrator::rk4, 2e-4);
  return scene;
}

// Events turn rounding into differences in time, and slip that stops into differences in place: what is left after a
// dozen of them is far above rounding (1e-15) and far below anything that depends on the axes.
TEST(TurnedFloor, TheMotionTurnsWithTheScene) {
  const Mat3<double> plain = Mat3<double>::identity();
  for (const bool compliant : {false, true}) {
    Scene reference = tumbling(plain, compliant);
    World first(reference);
    // On soft ground the corners soon stick and slip by turns, more often than two runs can be expected to agree on.
    const double until = compliant ? 0.16 : 0.5;
    floors::run_until(first, until);
    EXPECT_GT(first.events(), 3) << compliant;
    for (const Mat3<double>& R :
         {rotation_about(Vec{0, 0, 1}, std::acos(0.0)), rotation_about(Vec{0, 0, 1}, 0.7),
          rotation_about(Vec{0, 0, 1}, 3.9), rotation_about(Vec{1, 0, 0}, 0.4) * rotation_about(Vec{0, 0, 1}, 1.1),
          rotation_about(Vec{0, 1, 0}, 1.5) * rotation_about(Vec{0, 0, 1}, -2.0)}) {
      Scene scene = tumbling(R, compliant);
      World world(scene);
      floors::run_until(world, until);
      const State &a = first.state(), &b = world.state();
      EXPECT_EQ(first.events(), world.events()) << compliant;
      const Vec p = R * Vec{a.q[4], a.q[5], a.q[6]}, v = R * Vec{a.v[3], a.v[4], a.v[5]};
      EXPECT_LE(norm(p - Vec{b.q[4], b.q[5], b.q[6]}), 1e-7) << compliant;
      EXPECT_LE(norm(v - Vec{b.v[3], b.v[4], b.v[5]}), 1e-6) << compliant;
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.v[k], b.v[k], 1e-6) << compliant << ' ' << k;
      const Ledger here = floors::ledger(first, reference), there = floors::ledger(world, scene);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(here.work_in[i].second, there.work_in[i].second, 1e-6) << compliant << ' ' << i;
    }
  }
}

// A sled of mass m, as deep in the ground as its weight presses it.
struct Sled {
  double m = 0.8, stiffness = 2e4, damping = 15, along = 3e3;
  Scene scene(const Vec& pull, double mu) const {
    ModelSpec spec;
    LinkSpec link;
    link.name = "sled", link.joint = JointType::point;
    link.inertia = inertia_about_origin(m, {}, {1, 1, 1, 0, 0, 0});
    spec.links = {link};
    spec.gravity = pull + Vec{0, 0, -g};
    Scene scene;
    scene.model = freeze(spec);
    scene.start = neutral_state(scene.model);
    scene.start.q[2] = -m * g / stiffness;
    FloorContact c = floors::point({}, "sole");
    c.compliant = true, c.ground = {stiffness, 1, damping, along};
    c.friction_static = c.friction_kinetic = mu;
    scene.contacts = {c};
    scene.solver = floors::fixed(Integrator::rk4, 1e-4);
    return scene;
  }
};
const double headings[] = {0, std::acos(0.0), 0.6, 2.2, 4.1, 5.5};

// Held by the ground and drawn along it by the acceleration f from rest, with ζ = d/2m, ω² = k_t/m − ζ²:
//   x = x∞ (1 − e^{−ζt} (cos ωt + (ζ/ω) sin ωt)),  x∞ = m f/k_t;  in the end ½ k_t x∞² of the work k_t x∞² is lost.
// RK4 is off by ω t (ω h)⁴/120 = 1e-10 of it.
TEST(TurnedFloor, HeldByTheGroundItOscillatesAndIsDamped) {
  const Sled sled;
  const double f = 3, zeta = sled.damping / (2 * sled.m), omega = std::sqrt(sled.along / sled.m - zeta * zeta);
  const double far = sled.m * f / sled.along;
  for (const double heading : headings) {
    const Vec ahead{std::cos(heading), std::sin(heading), 0}, aside = cross(Vec{0, 0, 1}, ahead);
    Scene scene = sled.scene(f * ahead, 5);
    World world(scene);
    EXPECT_EQ(world.contacts()->phase(0).mode, Mode::stick);
    for (const double t : {0.03, 0.06, 0.1, 0.2}) {
      floors::run_until(world, t);
      const Vec x{world.state().q[0], world.state().q[1], 0};
      const double phase = omega * t, decay = std::exp(-zeta * t);
      EXPECT_NEAR(dot(x, ahead), far * (1 - decay * (std::cos(phase) + zeta / omega * std::sin(phase))), 1e-9 * far)
          << heading << ' ' << t;
      EXPECT_NEAR(dot(x, aside), 0, 1e-9 * far) << heading << ' ' << t;
      EXPECT_NEAR(world.state().q[2], scene.start.q[2], 1e-12);
    }
    floors::run_until(world, 2);  // e^{−2ζt} = 5e-17
    const Ledger books = floors::ledger(world, scene);
    EXPECT_NEAR(books.work_in[0].second, -0.5 * sled.along * far * far, 1e-8 * sled.along * far * far) << heading;
    EXPECT_TRUE(books.closed) << books.energy_residual_relative;
  }
}

// Sliding over it: the brake is μ m g against the slip, wherever it goes; it stops after v/(μ g) and v²/(2 μ g). Friction
// turns smoothly below 1e-5 m/s, which costs as much time as that takes to brake, and no place to speak of.
TEST(TurnedFloor, SlidingOverSoftGroundBrakesAgainstTheSlip) {
  const Sled sled;
  const double mu = 0.35, v = 0.9, stop = v / (mu * g);
  for (const double heading : headings) {
    const Vec ahead{std::cos(heading), std::sin(heading), 0};
    Scene scene = sled.scene({}, mu);
    for (int k = 0; k < 2; ++k) scene.start.v[static_cast<std::size_t>(k)] = v * ahead[k];
    World world(scene);
    EXPECT_EQ(world.contacts()->phase(0).mode, Mode::slide);
    std::vector<double> vdot(3);
    world.everything_that_acts(vdot);
    const Vec force = world.contacts()->force_W(0);
    EXPECT_LE(norm(force - sled.m * g * (Vec{0, 0, 1} - mu * ahead)), 1e-9) << heading;
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(vdot[static_cast<std::size_t>(k)], -mu * g * ahead[k], 1e-9);
    floors::run_until(world, 0.5 * stop);
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(world.state().q[static_cast<std::size_t>(k)], 0.375 * v * v / (mu * g) * ahead[k], 1e-9) << heading;
    floors::run_until(world, stop + 0.01);
    EXPECT_EQ(world.contacts()->phase(0).mode, Mode::stick) << heading;
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(world.state().q[static_cast<std::size_t>(k)], 0.5 * v * v / (mu * g) * ahead[k], 1e-6) << heading;
    const Ledger books = floors::ledger(world, scene);
    EXPECT_NEAR(books.work_in[0].second, -0.5 * sled.m * v * v, 1e-8) << heading;
  }
}

}  // namespace turned_floor_test
}  // namespace marey
