// The gallery's rods of R 3.3: the thrown one as (3.24) is printed, and fig. 3.6, one ground of three dampings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/closed_form.h"
#include "marey/shape.h"
#include "marey/simulation.h"
#include "support/recorded.h"

namespace marey {
namespace rods_gallery_test {

using recorded::Memory;
using V = Vec3<double>;
constexpr double pi = std::numbers::pi, g = 9.81;

Scene gallery(const std::string& name) { return load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml"); }

// ------------------------------------------------------------------------------------- the thrown rod
// One turn a second and 25 degrees from the vertical at the start, where t = 0 in (3.24).
TEST(RodsGallery, TheThrownRodHasThePrintedAngles) {
  Memory m;
  m.summary = run(gallery("rod-thrown"), m);
  EXPECT_TRUE(m.summary.ledger.closed);
  const double least = 25 * pi / 180;
  double lowest = 10;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.time(i), wt = 2 * pi * t;
    const V e = m.vec("link/rod.bar/euler_zyz", i);
    EXPECT_NEAR(std::cos(e.y), std::cos(wt) * std::cos(least), 1e-7) << t;                                 // (3.24b)
    EXPECT_NEAR(std::sin(e.x) * std::cos(wt) * std::sin(least), std::cos(e.x) * std::sin(wt), 1e-7) << t;  // (3.24a)
    EXPECT_NEAR(std::remainder(e.x - m.number("closed_form/rod/rod.bar/alpha", i), 2 * pi), 0, 1e-7) << t;
    EXPECT_NEAR(e.y, m.number("closed_form/rod/rod.bar/beta", i), 1e-7) << t;
    EXPECT_NEAR(e.x, std::atan2(std::sin(wt), std::cos(wt) * std::sin(least)) + (wt > pi ? 2 * pi : 0), 1e-6) << t;
    EXPECT_LT(norm(m.vec("link/rod.bar/position", i) - V{0, -1.5 + 3 * t, 0.4 + 4.9 * t - g * t * t / 2}),
              1e-11);  // (3.23)
    lowest = std::min(lowest, m.vec("link/rod.bar/position", i).z - 0.3 * std::abs(std::cos(e.y)));
  }
  EXPECT_GT(lowest, 0.05);  // it does not go through the ground that is drawn
}

// ------------------------------------------------------------------------------------- fig. 3.6
// Restitution of a spring with a damper that lets go when its force ends, with z = (u/w) e^(−bt) sin wt and 2 b = d/m,
// b² + w² = k/m: the force vanishes where tan wt = −2 b w/(w² − b²), and there ż = −u e^(−bt). Overdamped, w = i W.
double restitution(double k, double d, double mass) {
  const double b = d / (2 * mass), square = k / mass - b * b;
  if (square > 0) {
    const double w = std::sqrt(square);
    return std::exp(-b / w * (pi - std::atan2(2 * b * w, square - b * b)));
  }
  const double W = std::sqrt(-square);
  return std::pow((b + W) / (b - W), -b / W);
}

// A rod at its first touch, and after it: the impulse P upwards at the end that strikes.
struct Struck {
  double t = 0, e = 0;
  RodState before, after;
};
Struck first_impact(const Scene& scene, int link, double stiffness, double damping) {
  const Inertia<double>& I = scene.model.params.links[static_cast<std::size_t>(link)].I;
  const double A = central_inertia(I).xx, half = 0.3;
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  const std::size_t i = static_cast<std::size_t>(link);
  const RodState start{k.X_WB[i].p, k.V_WB[i].v, k.X_WB[i].R * V{0, 0, 1}, k.V_WB[i].w};
  const auto low = [&](double t) {
    const RodState s = rod_flight(start, g, t);
    return s.r_c.z - half * std::abs(s.axis.z) - 0.01;
  };
  double a = 0, b = 1;
  for (int n = 0; n < 100; ++n) (low(0.5 * (a + b)) > 0 ? a : b) = 0.5 * (a + b);
  Struck s;
  s.t = a, s.before = s.after = rod_flight(start, g, a);
  const V r = (s.before.axis.z > 0 ? -half : half) * s.before.axis, u = s.before.v_c + cross(s.before.w, r);
  const V f{0, 0, 1};
  const double mass = 1 / ((1 / I.m) * f + (1 / A) * cross(cross(r, f), r)).z;
  s.e = restitution(stiffness, damping, mass);
  const V P = (-(1 + s.e) * u.z * mass) * f;
  s.after.v_c += (1 / I.m) * P, s.after.w += (1 / A) * cross(r, P);
  return s;
}

const char* const rods[] = {"elastic", "damped", "dead"};
const double dampings[] = {0, 8, 150};

// The ground as in the gallery, and a hundred times and ten thousand times as stiff with the same ratio of damping; without
// friction, which turns round within the impact and leaves no closed form. What the impact of no duration leaves out goes with
// the duration, 10 ms ∝ 1/√stiffness: the rod turns on by 10 rad/s and falls on by g, 0.1 rad and 0.1 m/s of about 3, in each of
// the two velocities that are added up.
TEST(RodsGallery, EachDampingThrowsTheRodBackByItsRestitution) {
  for (int i = 0; i < 3; ++i) {
    double before = 0;
    for (const double stiffer : {1.0, 100.0, 1e4}) {
      Scene scene = gallery("rod-three-grounds");
      scene.solver.integrator = Integrator::rk45, scene.solver.tolerance = 1e-10;
      for (FloorContact& c : scene.contacts) {
        c.ground.stiffness *= stiffer, c.ground.damping *= std::sqrt(stiffer);
        c.friction_static = c.friction_kinetic = 0;
      }
      const Struck s = first_impact(scene, i + 1, 20e3 * stiffer, dampings[i] * std::sqrt(stiffer));
      const double quiet =
          s.t + 0.02 / std::sqrt(stiffer);  // when the ground has let go of them all: π √(m/k) is 10 ms
      scene.duration = 1;
      Simulation run(scene);
      run.run_until(s.t);
      EXPECT_LT(norm(run.pose(i + 1).p - s.before.r_c), 1e-8);
      EXPECT_LT(norm(run.velocity(i + 1).w - s.before.w), 1e-7);
      run.run_until(quiet);
      const RodState after = rod_flight(s.after, g, quiet - s.t);
      const double off = norm(run.velocity(i + 1).v - after.v_c) / norm(s.after.v_c - s.before.v_c) +
                         norm(run.velocity(i + 1).w - after.w) / norm(s.after.w - s.before.w);
      std::printf("%-8s %6.0f times as stiff: e = %.4f, off by %.2e\n", rods[i], stiffer, s.e, off);
      EXPECT_LT(off, 0.4 / std::sqrt(stiffer));
      if (before > 0) {
        EXPECT_NEAR(std::log10(before / off), 1, 0.25) << rods[i];
      }
      before = off;
    }
  }
}

// From top to bottom of the figure: less is given back, less height is reached again, and the last one comes to lie.
TEST(RodsGallery, FromTopToBottomTheGroundTakesMore) {
  Memory m;
  const Scene scene = gallery("rod-three-grounds");
  m.summary = run(scene, m);
  EXPECT_TRUE(m.summary.ledger.closed);
  double lost[3], height[3] = {};
  for (int i = 0; i < 3; ++i) {
    const Struck s = first_impact(scene, i + 1, 20e3, dampings[i]);
    const std::string link = std::string("link/") + rods[i] + ".bar/";
    for (std::size_t k = 0; k < m.rows.size(); ++k) {
      EXPECT_NEAR(m.vec(link + "position", k).y, 1.7 * (1 - i), 1e-9);  // in its plane
      if (m.time(k) > s.t + 0.1) height[i] = std::max(height[i], m.vec(link + "position", k).z);
    }
    lost[i] = 0;
    for (const auto& [name, work] : m.summary.ledger.work_in)
      if (name.find(rods[i]) != std::string::npos) lost[i] -= work;
    std::printf("%-8s: %.3f J lost, up again to %.3f m\n", rods[i], lost[i], height[i]);
  }
  EXPECT_LT(lost[0], lost[1]);
  EXPECT_LT(lost[1], lost[2]);
  EXPECT_GT(height[0], height[1] + 0.05);
  EXPECT_GT(height[1], height[2] + 0.05);
  EXPECT_LT(m.vec("link/dead.bar/velocity", m.rows.size() - 1).z, 0.01);
  EXPECT_NEAR(m.vec("link/dead.bar/position", m.rows.size() - 1).z, 0.01, 0.002);
}

}  // namespace rods_gallery_test
}  // namespace marey
