// The torque-free body in closed form against an extrapolation integrator in extended precision, and against itself:
// conservation in space, the differential equation, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "marey/closed_form.h"
#include "marey/core.h"
#include "marey/shape.h"
#include "support/sanitized.h"
#include "unit/dynamics/closed_gbs.h"

namespace marey {
namespace closed_torque_free_test {

using V = Vec3<double>;
using Q = Quaternion<double>;
constexpr double turn = 2 * std::numbers::pi;
const Q start = normalized(Q{0.4, -0.3, 0.7, 0.2});

struct Case {
  const char* name;
  V moments, w;
};
const std::vector<Case> cases = {
    {"about the largest", {1, 2, 2.6}, {0.3, 0.4, 2}},
    {"about the smallest", {1, 2, 2.6}, {2, 0.4, 0.5}},
    {"against the largest", {1, 2, 2.6}, {0.3, 0.4, -2}},
    {"against the smallest", {1, 2, 2.6}, {-2, -0.4, 0.5}},
    {"order 132", {1, 2.6, 2}, {0.3, 2, 0.4}},
    {"order 213", {2, 1, 2.6}, {0.4, -1.5, 1}},
    {"order 231", {2, 2.6, 1}, {0.5, -2, 0.7}},
    {"order 312", {2.6, 1, 2}, {-2, 0.4, 0.7}},
    {"order 321", {2.6, 2, 1}, {-0.4, 1, 2}},
    {"flip of the middle axis", {1, 2, 3}, {1e-3, 2, 1e-3}},
    {"flip, other side", {1, 2, 3}, {1e-2, 2, 1e-4}},
    {"wobble of the largest", {1, 2, 3}, {1e-7, 1e-7, 2}},
    {"wobble of the smallest", {1, 2, 3}, {2, -1e-7, 1e-7}},
    {"needle, tumbling", {0.01, 1, 1.003}, {0.3, 0.7, 2}},
    {"needle, spinning", {0.01, 1, 1.003}, {20, 0.7, 0.2}},
    {"plate", {1, 1.2, 2.19}, {1, 1, -1}},
    {"symmetric, flat", {1, 1, 1.8}, {0.7, -0.3, 2}},
    {"symmetric, flat, about x", {1.8, 1, 1}, {2, 0.3, -0.5}},
    {"symmetric, long", {1, 3, 3}, {2, 1, 0.5}},
    {"symmetric, long, about y", {3, 1, 3}, {1, -1, 0.5}},
    {"nearly symmetric", {1, 1 + 1e-9, 2}, {0.7, 0.5, 1.5}},
    {"nearly symmetric, long", {1, 2, 2 + 1e-9}, {0.7, 0.5, 1.5}},
    {"nearly a sphere", {1, 1 + 1e-6, 1 + 3e-6}, {0.7, 0.5, 1.5}},
    {"sphere", {2, 2, 2}, {0.7, 0.5, 1.5}},
    {"steady about the middle", {1, 2, 3}, {0, 2, 0}},
    {"steady across a symmetric one", {1, 2, 2}, {0, 2, 0.3}},
    {"at rest", {1, 2, 3}, {0, 0, 0}},
};

// y = (quaternion of R_WB, w_B)
Reals<7> rates(const Vec3<long double>& I, const Reals<7>& y) {
  const auto& [w, x, yy, z, a, b, c] = y;
  return {(-x * a - yy * b - z * c) / 2, (w * a + yy * c - z * b) / 2, (w * b + z * a - x * c) / 2,
          (w * c + x * b - yy * a) / 2,  (I.y - I.z) / I.x * b * c,    (I.z - I.x) / I.y * c * a,
          (I.x - I.y) / I.z * a * b};
}
Reals<7> integrated(const Case& k, long double t_end, long double H) {
  const long double n = std::sqrt((long double)start.w * start.w + (long double)start.x * start.x +
                                  (long double)start.y * start.y + (long double)start.z * start.z);
  const Reals<7> y{start.w / n, start.x / n, start.y / n, start.z / n, k.w.x, k.w.y, k.w.z};
  const Vec3<long double> I{k.moments.x, k.moments.y, k.moments.z};
  return gbs([&](long double, const Reals<7>& s) { return rates(I, s); }, 0, y, t_end, H);
}
Q quaternion(const Reals<7>& y) { return {double(y[0]), double(y[1]), double(y[2]), double(y[3])}; }

// The angle between two attitudes.
double angle_between(const Q& a, const Q& b) {
  const Q d = conjugate(a) * b;
  return 2 * std::atan2(std::hypot(d.x, d.y, d.z), std::abs(d.w));
}

// 300 turns. The oracle's own error is below the tolerance, seen by lengthening its step: order 14, so 1.4 times the
// step is 100 times its error.
TEST(TorqueFree, agrees_with_an_integration_over_hundreds_of_turns) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const TorqueFree body(k.moments, start, k.w);
    const double speed = std::max(norm(k.w), 0.1), t_end = 300.0 / every(10) * turn / speed, H = 0.25 / speed;
    const Reals<7> fine = integrated(k, t_end, H), coarse = integrated(k, t_end, 1.4L * H);
    const Q q = body.attitude(t_end);
    const V w = body.angular_velocity(t_end);
    // At every flip the oracle's round-off moves on to the next one, magnified.
    const double tolerance = std::string(k.name).starts_with("flip") ? 1e-11 : 3e-13;
    EXPECT_LT(angle_between(quaternion(fine), quaternion(coarse)), tolerance);
    EXPECT_LT(angle_between(quaternion(fine), q), tolerance);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(w[i], double(fine[4 + i]), tolerance * speed);
    EXPECT_NEAR(norm_squared(q), 1, 1e-15);
    EXPECT_GE(q.w, 0);
  }
}

TEST(TorqueFree, agrees_with_an_integration_over_a_thousand_turns) {
  for (const Case& k : {cases[0], cases[1]}) {
    SCOPED_TRACE(k.name);
    const double t_end = 1000.0 / every(10) * turn / norm(k.w);
    const Q integral = quaternion(integrated(k, t_end, 0.25 / norm(k.w)));
    EXPECT_LT(angle_between(integral, TorqueFree(k.moments, start, k.w).attitude(t_end)), 1e-12);
  }
}

// R L_B is constant in space, and so is the energy, at many instants of 1,000 turns and backwards in time.
TEST(TorqueFree, keeps_its_angular_momentum_in_space_and_its_energy) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const TorqueFree body(k.moments, start, k.w);
    const V L = body.angular_momentum();
    const double scale = norm(L) + 1e-300, unit = turn / std::max(norm(k.w), 0.1);
    for (double t = -1000 * unit; t < 1000 * unit; t += 13.37 * unit) {
      const V w = body.angular_velocity(t), L_B{k.moments.x * w.x, k.moments.y * w.y, k.moments.z * w.z};
      EXPECT_LT(norm(rotation(body.attitude(t)) * L_B - L), 3e-15 * scale) << t;
      EXPECT_NEAR(0.5 * dot(L_B, w), body.kinetic_energy(), 3e-15 * body.kinetic_energy()) << t;
    }
  }
}

// At t = 0 it is what it was given.
TEST(TorqueFree, starts_where_it_is_told) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const TorqueFree body(k.moments, start, k.w);
    EXPECT_LT(angle_between(body.attitude(0), start), 3e-15);
    EXPECT_LT(norm(body.angular_velocity(0) - k.w), 1e-15 * (norm(k.w) + 1e-300) + 1e-300);
  }
}

// I₂ = 2 between 1 and 9/4: with ω₁ : ω₃ = 3 : 4 the start lies on the separatrix exactly.
TEST(TorqueFree, on_the_separatrix_swings_to_the_middle_axis_once) {
  for (const double s1 : {-1.0, 1.0}) {
    for (const double s3 : {-1.0, 1.0}) {
      const V moments{1, 2, 2.25}, w{0.75 * s1, 0.4, s3};
      const TorqueFree body(moments, start, w);
      EXPECT_TRUE(std::isinf(body.period()));
      EXPECT_TRUE(std::isnan(body.precession_per_period()));
      const Case k{"separatrix", moments, w};
      for (const double t : {-5.0, 2.0, 12.0}) {
        const Reals<7> y = integrated(k, t, 0.1);
        EXPECT_LT(angle_between(quaternion(y), body.attitude(t)), 1e-12);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(body.angular_velocity(t)[i], double(y[4 + i]), 1e-13);
      }
      // tanh and sech: ω₁ : ω₃ keeps its ratio, and ω₂ ends at ±L/I₂ for good.
      const double end = norm(body.angular_momentum()) / 2;
      EXPECT_NEAR(body.angular_velocity(3).x / body.angular_velocity(3).z, w.x / w.z, 1e-14);
      EXPECT_NEAR(std::abs(body.angular_velocity(1e4).y), end, 1e-14);
      EXPECT_NEAR(body.angular_velocity(1e4).y, -body.angular_velocity(-1e4).y, 1e-14);
      EXPECT_NEAR(
          norm(rotation(body.attitude(1e4)) * V{0, 2 * body.angular_velocity(1e4).y, 0} - body.angular_momentum()), 0,
          1e-14);
    }
  }
}

// A hair beside the separatrix the motion follows it at first, and turns over after ~ log of the distance.
TEST(TorqueFree, close_to_the_separatrix_turns_over_late) {
  const V moments{1, 2, 2.25};
  double last = 0;
  for (const double off : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    for (const double side : {-1.0, 1.0}) {
      const Case k{"near", moments, {0.75 * (1 + side * off), 0.4, 1}};
      const TorqueFree body(k.moments, start, k.w);
      EXPECT_GT(body.period(), last);
      const double t = 1.3 * body.period();
      const Reals<7> y = integrated(k, t, 0.1);
      // The distance from the separatrix grows to order 1 and back: errors of the oracle grow by 1/off.
      EXPECT_LT(angle_between(quaternion(y), body.attitude(t)), 1e-13 + 1e-17 / off) << off << ' ' << side;
    }
    last = TorqueFree(moments, start, {0.75 * (1 + off), 0.4, 1}).period();
  }
}

TEST(TorqueFree, repeats_after_its_period_turned_about_the_momentum) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const TorqueFree body(k.moments, start, k.w);
    const double T = body.period();
    if (T == 0) {
      EXPECT_TRUE(std::isnan(body.precession_per_period()));
      EXPECT_LT(norm(body.angular_velocity(7) - k.w), 1e-15);
      continue;
    }
    const V w0 = body.angular_velocity(0.7), w1 = body.angular_velocity(0.7 + T),
            half = body.angular_velocity(0.7 + T / 2);
    EXPECT_LT(norm(w1 - w0), 1e-14 * norm(w0) * (1 + T));
    EXPECT_GT(norm(half - w0), 1e-9 * norm(w0));  // and not after half of it
    const V axis = (1 / norm(body.angular_momentum())) * body.angular_momentum();
    const Q expected = quaternion_about(axis, body.precession_per_period()) * body.attitude(0.7);
    EXPECT_LT(angle_between(expected, body.attitude(0.7 + T)), 1e-14 * (1 + T * norm(w0)));
  }
}

// ψ̇ lies between L/I_a and L/I_b, so the whole turns are counted right, too.
TEST(TorqueFree, precession_per_period_counts_whole_turns) {
  for (const Case& k : cases) {
    const TorqueFree body(k.moments, start, k.w);
    if (body.period() == 0) continue;
    const double angle = body.precession_per_period(), LT = norm(body.angular_momentum()) * body.period();
    EXPECT_LT(angle, LT / std::min({k.moments.x, k.moments.y, k.moments.z}) + 1e-9) << k.name;
    EXPECT_GT(angle, LT / std::max({k.moments.x, k.moments.y, k.moments.z}) - 1e-9) << k.name;
  }
}

// The symmetric body: R (2.13) with constant β: ω_ζ constant, the others turn with (1 − C/A) ω_ζ, precession at L/A.
TEST(TorqueFree, of_a_symmetric_body_is_the_elementary_one) {
  const V I{1.3, 1.3, 2.1}, w{0.5, 0, 1.7};
  const TorqueFree body(I, Q{}, w);
  const double rate = (I.x - I.z) / I.x * w.z;
  EXPECT_NEAR(body.period(), turn / std::abs(rate), 1e-14);
  for (const double t : {0.3, 4.0, 1e3}) {
    const V now = body.angular_velocity(t);
    EXPECT_NEAR(now.x, 0.5 * std::cos(rate * t), 1e-12);
    EXPECT_NEAR(now.y, -0.5 * std::sin(rate * t), 1e-12);
    EXPECT_NEAR(now.z, 1.7, 1e-15);
  }
  const double L = norm(body.angular_momentum());
  EXPECT_NEAR(body.precession_per_period(), L / I.x * body.period(), 1e-13);
}

// Any axes: the inertia matrix and the state turned into a skew frame describe the same motion of the body in space.
TEST(TorqueFree, takes_a_general_inertia_matrix) {
  std::mt19937 engine(3);
  std::normal_distribution<double> n;
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const Q R_BP = normalized(Q{n(engine), n(engine), n(engine), n(engine)});
    const Sym3<double> J = congruence(rotation(R_BP), Sym3<double>::diagonal(k.moments.x, k.moments.y, k.moments.z));
    const TorqueFree plain(k.moments, start * R_BP, k.w), skew(J, start, rotation(R_BP) * k.w);
    // Spin about the middle axis, turned into skew axes, is off by round-off and turns over in time: look before that.
    const double speed = norm(k.w) + 0.1,
                 t = (std::string(k.name) == "steady about the middle" ? 1 : 20) * turn / speed;
    // Nearly equal moments, and starts near the separatrix, magnify the round-off of J.
    const bool delicate = std::string(k.name).starts_with("nearly") || std::string(k.name).starts_with("flip");
    const double tolerance = delicate ? 1e-9 : 2e-12;
    EXPECT_LT(angle_between(plain.attitude(t), skew.attitude(t) * R_BP), tolerance);
    EXPECT_LT(norm(rotation(R_BP) * plain.angular_velocity(t) - skew.angular_velocity(t)), tolerance * speed);
    EXPECT_LT(norm(plain.angular_momentum() - skew.angular_momentum()), 1e-14);
    EXPECT_NEAR(plain.kinetic_energy(), skew.kinetic_energy(), 1e-14 * (1 + skew.kinetic_energy()));
  }
}

TEST(TorqueFree, refuses_what_is_no_body) {
  EXPECT_THROW(TorqueFree(V{0, 1, 1}, start, V{1, 0, 0}), Error);
  EXPECT_THROW(TorqueFree(V{-1, 1, 1}, start, V{1, 0, 0}), Error);
  EXPECT_THROW(TorqueFree(V{1, 1, NAN}, start, V{1, 0, 0}), Error);
  EXPECT_THROW(TorqueFree(V{1, 1, 1}, Q{0, 0, 0, 0}, V{1, 0, 0}), Error);
  EXPECT_THROW(TorqueFree(V{1, 1, 1}, start, V{NAN, 0, 0}), Error);
}

// Euler's equations, both ways, against d(J ω)/dt in space by central differences of R J Rᵀ ω.
TEST(EulerEquations, are_the_change_of_angular_momentum_in_space) {
  const V I{1, 2, 2.6}, w{0.3, -0.7, 1.1}, torque{0.2, 0.5, -0.4};
  const V wdot = euler_acceleration(I, w, torque);
  EXPECT_LT(norm(euler_torque(I, w, wdot) - torque), 1e-15);
  const auto momentum = [&](double h) {  // to second order in h
    const V mean = w + (h / 2) * wdot, now = w + h * wdot;
    const Mat3<double> R = rotation_about((1 / norm(mean)) * mean, h * norm(mean));
    return R * V{I.x * now.x, I.y * now.y, I.z * now.z};
  };
  const double h = 1e-5;
  EXPECT_LT(norm((0.5 / h) * (momentum(h) - momentum(-h)) - torque), 1e-9);
  const V free = euler_acceleration(I, w);
  EXPECT_NEAR(free.x * I.x, (I.y - I.z) * w.y * w.z, 1e-15);
}

}  // namespace closed_torque_free_test
}  // namespace marey
