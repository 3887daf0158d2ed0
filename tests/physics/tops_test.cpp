// Turning bodies, simulated, against their motion in closed form: free of torque for a thousand turns, symmetric and
// free, heavy with a fixed point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "marey/closed_form.h"
#include "sim/world.h"
#include "support/recorded.h"

namespace marey {
namespace tops_test {

using recorded::angle_between, recorded::Memory, recorded::run_text;
using V = Vec3<double>;
using Q = Quaternion<double>;
constexpr double turn = 2 * std::numbers::pi;

std::string text(const V& a) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a.x, a.y, a.z); }

// ------------------------------------------------------------------------------------------------- free of torque
struct FreeBody {
  const char* name;
  V moments, w;
};
const Q pose = normalized(Q{0.4, -0.3, 0.7, 0.2});

// A free body; w in body axes, as the closed form takes it.
Scene free_body(const FreeBody& body, const std::string& solver, double duration) {
  Scene scene = parse_scene(
      fmt::format("marey: 1\nduration: {:.17g}\ngravity: 0\nsolver: {}\nfigures: {{f: {{links: {{body: {{mass: 2 kg, "
                  "inertia: {{diagonal: {}}}}}}}}}}}\nrecord: {{every: {:.17g}}}\n",
                  duration, solver, text(body.moments), duration / 50),
      "body.yaml");
  scene.start.q = {pose.w, pose.x, pose.y, pose.z, 0, 0, 0};
  scene.start.v = {body.w.x, body.w.y, body.w.z, 0.3, -0.2, 0.1};
  return scene;
}
// The largest error of the attitude at the recorded times.
double worst_attitude(const Scene& scene, const FreeBody& body, RunSummary* summary = nullptr) {
  Memory m;
  const RunSummary s = run(scene, m);
  EXPECT_EQ(s.breakdown, "");
  EXPECT_LE(s.ledger.energy_residual_relative, has_fixed_step(scene.solver.integrator) ? 1e-3 : 1e-9);
  EXPECT_LE(s.ledger.angular_momentum_residual_relative, has_fixed_step(scene.solver.integrator) ? 1e-3 : 1e-9);
  if (summary) *summary = s;
  const TorqueFree exact(body.moments, pose, body.w);
  double worst = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    worst = std::max(worst, angle_between(m.turn("link/f.body/orientation", i), exact.attitude(m.time(i))));
  return worst;
}

TEST(FreeBodies, AThousandTurnsWithAttitude) {
  const FreeBody bodies[] = {
      {"about the largest", {1, 2, 2.6}, {0.3, 0.4, 2}},
      {"about the smallest", {1, 2, 2.6}, {2, 0.4, 0.5}},
  };
  for (const FreeBody& body : bodies) {
    RunSummary s;
    const double error =
        worst_attitude(free_body(body, "{integrator: rk45, tolerance: 1e-14}", 1000 * turn / norm(body.w)), body, &s);
    std::printf("%-20s 1000 turns: %.1e rad, %lld evaluations, %.2f s\n", body.name, error, s.evaluations, s.wall);
    EXPECT_LE(error, 1e-8) << body.name;
  }
}

// The flip: spin about the middle axis, a little off. Each flip magnifies what is wrong by as much as the start was off.
TEST(FreeBodies, FlipWhenTheClosedFormDoes) {
  const FreeBody body{"flip", {1, 2, 3}, {1e-3, 2, 1e-3}};
  const double period = TorqueFree(body.moments, pose, body.w).period();
  const double error = worst_attitude(free_body(body, "{integrator: rk45, tolerance: 1e-12}", 2 * period), body);
  std::printf("four flips: %.1e rad\n", error);
  EXPECT_LE(error, 1e-7);
}

TEST(FreeBodies, FixedStepsFallWithTheirOrder) {
  const FreeBody body{"about the smallest", {1, 2, 2.6}, {2, 0.4, 0.5}};
  for (const Integrator method : {Integrator::semi_implicit, Integrator::midpoint, Integrator::rk4}) {
    const double duration = turn / norm(body.w);
    const auto error = [&](int steps) {
      return worst_attitude(
          free_body(body, fmt::format("{{integrator: {}, step: {:.17g}}}", name_of(method), duration / steps),
                    duration),
          body);
    };
    const int steps = order_of(method) == 1 ? 4000 : 200;
    const double coarse = error(steps), fine = error(2 * steps), order = std::log2(coarse / fine);
    std::printf("%-13s error %.1e rad, order %.2f\n", name_of(method), fine, order);
    EXPECT_NEAR(order, order_of(method), 0.1) << name_of(method);
  }
}

// A body whose frame sits neither at its centre of mass nor along its principal axes, thrown: (20)(21) in any frame. Its
// centre flies on a parabola, and about it the body turns as a free one with the moments there.
TEST(FreeBodies, InAnyFrameOfTheBody) {
  const Memory m = run_text(R"(duration: 20
solver: {integrator: rk45, tolerance: 1e-12}
figures:
  f:
    links:
      body:
        mass: 2 kg
        center_of_mass: [0.3, -0.2, 0.5]
        inertia: {matrix: [[1.2, 0.3, -0.2], [0.3, 1.9, 0.25], [-0.2, 0.25, 1.5]]}
        start: {position: [1, 2, 3], velocity: [0.5, 0, 4], turned: {axis: [1, 2, 0], angle: 1}, spin: [1, -2, 0.5]}
record: {every: 0.5}
)");
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-10);
  EXPECT_LE(m.summary.ledger.angular_momentum_residual_relative, 1e-10);
  const V c{0.3, -0.2, 0.5};
  const Q start = m.turn("link/f.body/orientation", 0);
  const Mat3<double> R = rotation(start);
  const V spin{1, -2, 0.5}, r = m.vec("link/f.body/position", 0) + R * c,
                            v = m.vec("link/f.body/velocity", 0) + cross(spin, R * c);
  const TorqueFree exact(Sym3<double>{1.2, 1.9, 1.5, 0.3, -0.2, 0.25}, start, transpose_times(R, spin));
  double turned = 0, moved = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Q at = m.turn("link/f.body/orientation", i);
    turned = std::max(turned, angle_between(at, exact.attitude(m.time(i))));
    moved = std::max(moved, norm(m.vec("link/f.body/position", i) + rotation(at) * c -
                                 throw_motion(r, v, {0, 0, -9.81}, m.time(i)).r));
  }
  std::printf("body in a frame of its own: %.1e rad, %.1e m\n", turned, moved);
  EXPECT_LE(turned, 1e-9);
  EXPECT_LE(moved, 1e-8);  // of two kilometres of fall
}

// --------------------------------------------------------------------------------------------- symmetric, no forces
// The angle by which b is further round `axis` than a.
double angle_about(const V& axis, const V& a, const V& b) {
  const V u = a - (dot(a, axis) / norm_squared(axis)) * axis, w = b - (dot(b, axis) / norm_squared(axis)) * axis;
  return std::atan2(dot(cross(u, w), axis) / norm(axis), dot(u, w));
}

TEST(SymmetricTops, GoRoundTheirMomentumAtLOverA) {
  for (const double along : {0.4, 1.7}) {
    const FreeBody body{"top", {1, 1, along}, {0.6, -0.2, 3}};
    Scene scene = free_body(body, "{integrator: adams, tolerance: 1e-12}", 5);
    Memory m;
    run(scene, m);
    const FreePrecession expected = free_precession({1, along, 0}, body.w);
    const V L = TorqueFree(body.moments, pose, body.w).angular_momentum();
    double rounds = 0;
    V before;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const V axis = rotation(m.turn("link/f.body/orientation", i)) * V{0, 0, 1};
      EXPECT_NEAR(std::acos(dot(axis, L) / norm(L)), expected.nutation, 1e-9);
      if (i > 0) rounds += angle_about(L, before, axis);
      before = axis;
    }
    std::printf("C/A = %.1f: precession %.10f rad/s, expected %.10f\n", along, rounds / 5, expected.precession);
    EXPECT_NEAR(rounds / 5, expected.precession, 1e-9);
  }
}

// -------------------------------------------------------------------------------------------------------- heavy tops
struct Spun {
  const char* name;
  double tilt;
  V w;  // in body axes
};
// A disc of 500 g on a shaft, its centre 6 cm above the point on which it turns.
constexpr double mass = 0.5, distance = 0.06, disc_across = 2e-4, disc_along = 3.6e-4, g = 9.81;
const SymmetricTop top{disc_across + mass * distance * distance, disc_along, mass* g* distance};

Memory spin_top(const Spun& s, double duration, double every) {
  Scene scene = parse_scene(
      fmt::format(
          "marey: 1\nduration: {}\nsolver: {{integrator: rk45, tolerance: 1e-11}}\nfigures: {{f: {{links: {{top: "
          "{{joint: ball, mass: {}, center_of_mass: [0, 0, {}], inertia: {{diagonal: [{}, {}, {}]}}}}}}}}}}\n"
          "record: {{every: {}}}\n",
          duration, mass, distance, disc_across, disc_across, disc_along, every),
      "top.yaml");
  const Q q = quaternion_of(EulerZyz{0, s.tilt, 0});
  scene.start.q = {q.w, q.x, q.y, q.z};
  scene.start.v = {s.w.x, s.w.y, s.w.z};
  Memory m;
  m.summary = run(scene, m);
  EXPECT_TRUE(m.summary.ledger.closed) << s.name;
  return m;
}
HeavyTop closed_form(const Spun& s) { return {top, quaternion_of(EulerZyz{0, s.tilt, 0}), s.w}; }

const Spun spun[] = {
    {"let go: cusps", 0.5, {0, 0, 220}},        {"pushed on: waves", 0.5, {-1.6, 0, 220}},
    {"pushed back: loops", 0.5, {4, 0, 220}},   {"slow, swinging far", 0.8, {0, 0.5, 70}},
    {"through the vertical", 0.4, {0, 12, 60}}, {"hanging", 2.8, {0.5, 0.2, 40}},
};

TEST(HeavyTops, PrecessAndNutateAsTheClosedFormDoes) {
  for (const Spun& s : spun) {
    const HeavyTop exact = closed_form(s);
    const Memory m = spin_top(s, 3, 0.01);
    double turned = 0, rate = 0, smallest = 4, largest = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const Q at = m.turn("link/f.top/orientation", i);
      turned = std::max(turned, angle_between(at, exact.attitude(m.time(i))));
      const V w = transpose_times(rotation(at), m.vec("link/f.top/spin", i));
      rate = std::max(rate, norm(w - exact.angular_velocity(m.time(i))) / norm(s.w));
      const double beta = euler_zyz(rotation(at)).beta;
      smallest = std::min(smallest, beta), largest = std::max(largest, beta);
    }
    std::printf("%-22s %.1e rad, %.1e of its spin; nutation from %.4f to %.4f\n", s.name, turned, rate, smallest,
                largest);
    EXPECT_LE(turned, 1e-7) << s.name;
    EXPECT_LE(rate, 1e-8) << s.name;
    EXPECT_GE(smallest, exact.smallest_nutation() - 1e-8) << s.name;
    EXPECT_LE(largest, exact.largest_nutation() + 1e-8) << s.name;
  }
}

// From one lowest dip of the axis to the next: the period of the nutation, and how far the top has gone round
// meanwhile. Found on the simulated motion alone, where β̇ changes its sign.
TEST(HeavyTops, HaveTheNutationPeriodAndThePrecessionOfTheClosedForm) {
  const Spun s = spun[2];
  const HeavyTop exact = closed_form(s);
  Scene scene = spin_top(s, 0.001, 0.001).header.scene;
  scene.start.v = {s.w.x, s.w.y, s.w.z};
  World world(scene);
  State now = scene.start;
  const std::vector<double>&q = now.q, &v = now.v;
  const auto angles = [&](double t) {
    world.at(t, now, {});
    return euler_zyz(rotation(Q{q[0], q[1], q[2], q[3]}));
  };
  const auto dipping = [&](double t) {
    const EulerZyz e = angles(t);
    return euler_rates_from_body(e, {v[0], v[1], v[2]})->y;
  };
  std::vector<double> instants, rounds;
  double alpha = 0, last_alpha = 0, before = -1;
  while (instants.size() < 6 && world.time() < 10) {
    const double begin = world.time();
    world.step(10);
    const double now = dipping(world.time()), a = angles(world.time()).alpha;
    alpha += std::remainder(a - last_alpha, turn), last_alpha = a;
    if (before > 0 && now <= 0) {
      double low = begin, high = world.time();
      for (int i = 0; i < 60; ++i) {
        const double middle = std::midpoint(low, high);
        (dipping(middle) > 0 ? low : high) = middle;
      }
      instants.push_back(high);
      rounds.push_back(alpha + std::remainder(angles(high).alpha - a, turn));
    }
    before = now;
  }
  ASSERT_EQ(instants.size(), 6u);
  const double period = (instants[5] - instants[0]) / 5, round = (rounds[5] - rounds[0]) / 5;
  std::printf("nutation period %.10f s (%.10f), precession in it %.10f rad (%.10f)\n", period, exact.nutation_period(),
              round, exact.precession_per_nutation());
  EXPECT_NEAR(period, exact.nutation_period(), 1e-9 * period);
  EXPECT_NEAR(round, exact.precession_per_nutation(), 1e-8);
}

TEST(HeavyTops, PrecessSteadilyAtBothRates) {
  const double beta = 0.5, w_z = 220;
  const auto steady = steady_precession(top, beta, w_z);
  ASSERT_TRUE(steady);
  for (const double rate : {steady->slow, steady->fast}) {
    // Angular velocity across the axis: α̇ about the vertical, seen in the body at γ = 0.
    const Memory m = spin_top({"steady", beta, {-rate * std::sin(beta), 0, w_z}}, 0.5, 0.01);
    double round = 0, before = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const EulerZyz e = euler_zyz(rotation(m.turn("link/f.top/orientation", i)));
      EXPECT_NEAR(e.beta, beta, 1e-8);
      round += std::remainder(e.alpha - before - rate * 0.01, turn) + rate * 0.01, before = e.alpha;
      if (i == 0) round = 0;
    }
    std::printf("steady precession %.8f rad/s, expected %.8f\n", round / 0.5, rate);
    EXPECT_NEAR(round / 0.5, rate, 1e-7 * rate);
  }
}

}  // namespace tops_test
}  // namespace marey
