// Symmetric tops in closed form against an extrapolation integrator in extended precision, quadrature of the nutation,
// the torque-free solution, and the elementary limits.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "marey/closed_form.h"
#include "marey/core.h"
#include "support/sanitized.h"
#include "unit/dynamics/closed_gbs.h"

namespace marey {
namespace closed_top_test {

using V = Vec3<double>;
using Q = Quaternion<double>;
constexpr double pi = std::numbers::pi;

struct Case {
  const char* name;
  SymmetricTop top;
  Q R_WB0;
  V w;
};
const SymmetricTop flat{1, 1.6, 0.8}, slim{1, 0.2, 2};
const Q tilted = quaternion_of(EulerZyz{0.4, 0.7, -0.3}), low = quaternion_of(EulerZyz{-1, 2.3, 0.5});
const std::vector<Case> cases = {
    {"fast, cusps", flat, tilted, {0, 0, 6}},
    {"fast, loops", flat, tilted, {-1.5, 0.4, 6}},
    {"fast, waves", flat, tilted, {0.5, 0.3, 6}},
    {"backwards", flat, tilted, {0.5, 0.3, -6}},
    {"slow", flat, tilted, {0.5, -0.3, 0.7}},
    {"slim, falling", slim, tilted, {0.1, 0.2, 3}},
    {"hanging low", slim, low, {0.1, 1.2, 3}},
    {"spherical pendulum", slim, low, {1.1, 0.6, 0}},
    {"plane pendulum", slim, quaternion_of(EulerZyz{0.3, 2, 0}), {0, 0.7, 0}},
    {"plane pendulum, over the top", slim, quaternion_of(EulerZyz{0, 2, 0}), {0, -5, 0}},
    {"plane pendulum, falling", slim, quaternion_of(EulerZyz{0, 2, 0}), {0, 0.7, 0}},
    {"plane pendulum, rising", slim, quaternion_of(EulerZyz{0, 3, 0}), {0, -2.4, 0}},
    {"spherical pendulum, past both poles", slim, quaternion_of(EulerZyz{0, 2, 0}), {1e-7, -5, 0}},
    {"top, past the upright", flat, tilted, {-1.1499137, -1, 3}},
    {"plane pendulum, from below", slim, Q{0, 0, 1, 0}, {0, 1, 0}},
    {"plane pendulum, from above", slim, Q{1, 0, 0, 0}, {0.4, 0.3, 0}},
    {"through the upright", flat, Q{0.8, 0, 0, 0.6}, {0.4, 0.3, 2}},
    {"through the upright, pushed hard", flat, Q{0.8, 0, 0, 0.6}, {4, -3, 2}},
    {"through the downright", slim, Q{0, 0.6, 0.8, 0}, {0.4, 0.3, 2}},
    {"close to the upright", flat, quaternion_of(EulerZyz{0.3, 1e-6, 0.2}), {0.4, 0.3, 2}},
    {"close to the upright, asleep", flat, quaternion_of(EulerZyz{0.3, 1e-6, 0.2}), {1e-6, 0, 4}},
    {"close to the downright", slim, quaternion_of(EulerZyz{0.3, pi - 1e-6, 0.2}), {0.4, 0.3, 2}},
    {"without weight", {1, 1.6, 0}, tilted, {0.5, 0.3, 2}},
    {"without weight, slim", {1, 0.2, 0}, tilted, {0.5, 0.3, -2}},
    {"without weight, spinning", {1, 0.2, 0}, tilted, {0, 0, 2}},
    {"almost without weight", {1, 1.6, 1e-9}, tilted, {0.5, 0.3, 2}},
    {"let go", slim, tilted, {0, 0, 0}},
    {"hardly moving", flat, tilted, {1e-9, 2e-9, 6}},
    {"asleep", flat, Q{0.8, 0, 0, 0.6}, {0, 0, 4}},
    {"hanging", slim, Q{0, 0.6, 0.8, 0}, {0, 0, 4}},
    {"hanging at rest", slim, Q{0, 0.6, 0.8, 0}, {0, 0, 0}},
};

// y = (quaternion of R_WB, w_B); the torque of the weight is M (e_y, −e_x, 0), e the vertical in B.
Reals<7> rates(const SymmetricTop& top, const Reals<7>& s) {
  const auto& [w, x, y, z, a, b, c] = s;
  const long double A = top.across, C = top.along, M = top.weight_moment, n = w * w + x * x + y * y + z * z;
  const long double ex = 2 * (x * z - w * y) / n, ey = 2 * (y * z + w * x) / n;
  return {(-x * a - y * b - z * c) / 2,
          (w * a + y * c - z * b) / 2,
          (w * b + z * a - x * c) / 2,
          (w * c + x * b - y * a) / 2,
          ((A - C) * b * c + M * ey) / A,
          ((C - A) * c * a - M * ex) / A,
          0};
}
Reals<7> integrated(const Case& k, long double t_end, long double H) {
  const auto& q = k.R_WB0;
  const long double n =
      std::sqrt((long double)q.w * q.w + (long double)q.x * q.x + (long double)q.y * q.y + (long double)q.z * q.z);
  const Reals<7> y{q.w / n, q.x / n, q.y / n, q.z / n, k.w.x, k.w.y, k.w.z};
  return gbs([&](long double, const Reals<7>& s) { return rates(k.top, s); }, 0, y, t_end, H);
}
Q quaternion(const Reals<7>& y) { return {double(y[0]), double(y[1]), double(y[2]), double(y[3])}; }
double angle_between(const Q& a, const Q& b) {
  const Q d = conjugate(a) * b;
  return 2 * std::atan2(std::hypot(d.x, d.y, d.z), std::abs(d.w));
}
double energy(const SymmetricTop& top, const Q& q, const V& w) {
  return 0.5 * (top.across * (w.x * w.x + w.y * w.y) + top.along * w.z * w.z) + top.weight_moment * rotation(q).zz;
}
double vertical_momentum(const SymmetricTop& top, const Q& q, const V& w) {
  return (rotation(q) * V{top.across * w.x, top.across * w.y, top.along * w.z}).z;
}

TEST(HeavyTop, agrees_with_an_integration_over_a_hundred_seconds) {
  const int end = 100 / every(10);
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const HeavyTop top(k.top, k.R_WB0, k.w);
    const Reals<7> fine = integrated(k, end, 0.04L), coarse = integrated(k, end, 0.056L);
    const double tolerance = 1e-12;
    EXPECT_LT(angle_between(quaternion(fine), quaternion(coarse)), tolerance);
    EXPECT_LT(angle_between(quaternion(fine), top.attitude(end)), tolerance);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(top.angular_velocity(end)[i], double(fine[4 + i]), 3 * tolerance);
    EXPECT_GE(top.attitude(end).w, 0);
  }
}

TEST(HeavyTop, starts_where_it_is_told) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const HeavyTop top(k.top, k.R_WB0, k.w);
    EXPECT_LT(angle_between(top.attitude(0), k.R_WB0), 1e-14);
    EXPECT_LT(norm(top.angular_velocity(0) - k.w), 3e-14);
  }
}

TEST(HeavyTop, keeps_energy_and_vertical_momentum_forwards_and_backwards) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const HeavyTop top(k.top, k.R_WB0, k.w);
    const double E = energy(k.top, k.R_WB0, k.w), L = vertical_momentum(k.top, k.R_WB0, k.w);
    for (double t = -3000; t < 3000; t += 77.7) {
      const Q q = top.attitude(t);
      const V w = top.angular_velocity(t);
      EXPECT_NEAR(energy(k.top, q, w), E, 3e-14 * (1 + std::abs(E))) << t;
      EXPECT_NEAR(vertical_momentum(k.top, q, w), L, 3e-14 * (1 + std::abs(L))) << t;
    }
  }
}

// The angles build the attitude, change smoothly, and their rates are those of the angular velocity.
TEST(HeavyTop, has_angles_that_count_their_turns) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const HeavyTop top(k.top, k.R_WB0, k.w);
    const double h = 1e-4;
    for (double t = -20; t < 20; t += 0.831) {
      const EulerZyz e = top.angles(t), before = top.angles(t - h), after = top.angles(t + h);
      EXPECT_LT(angle_between(quaternion_of(e), top.attitude(t)), 1e-13);
      if (std::abs(std::sin(e.beta)) < 0.05) continue;
      const V measured{(after.alpha - before.alpha) / (2 * h), (after.beta - before.beta) / (2 * h),
                       (after.gamma - before.gamma) / (2 * h)};
      const V rates = *euler_rates_from_body(e, top.angular_velocity(t));
      EXPECT_LT(norm(measured - rates), 1e-3) << t;
    }
  }
}

// Nutation by quadrature: with z = z₁ + (z₂ − z₁) sin² θ, the period is ∫ 2 dθ/√(b (z₃ − z)), and the trapezoidal rule
// on a periodic function converges at once. The precession in it is the same sum with (1) of closed_top.cpp.
TEST(HeavyTop, nutation_is_that_of_the_quadrature) {
  for (const Case& k : cases) {
    const HeavyTop top(k.top, k.R_WB0, k.w);
    // Without weight, or close to the poles, where (1) has narrow peaks, the sum below would be a poor oracle.
    const std::string name = k.name;
    if (top.nutation_period() == 0 || k.top.weight_moment < 1e-3 || name.find("right") != name.npos ||
        name.find("past") != name.npos || name.starts_with("plane"))
      continue;
    SCOPED_TRACE(k.name);
    const double A = k.top.across, b = 2 * k.top.weight_moment / A, S = k.top.along * k.w.z / A;
    const double P = vertical_momentum(k.top, k.R_WB0, k.w) / A, z0 = rotation(k.R_WB0).zz;
    const double a = k.w.x * k.w.x + k.w.y * k.w.y + b * z0;
    const double z1 = std::cos(top.largest_nutation()), z2 = std::cos(top.smallest_nutation());
    const auto f = [&](double z) { return (a - b * z) * (1 - z * z) - (P - S * z) * (P - S * z); };
    EXPECT_NEAR(f(z1), 0, 1e-13 * (1 + S * S));
    EXPECT_NEAR(f(z2), 0, 1e-13 * (1 + S * S));
    EXPECT_GE(f((z1 + z2) / 2), -1e-13 * (1 + S * S));
    const double z3 = (a + S * S) / b - z1 - z2;
    double period = 0, precession = 0;
    const int n = 4000;
    for (int i = 0; i < n; ++i) {
      const double s = std::sin((i + 0.5) * pi / n), z = z1 + (z2 - z1) * s * s;
      const double dt = 2 * pi / n / std::sqrt(b * (z3 - z));
      period += dt, precession += dt * (P - S * z) / (1 - z * z);
    }
    EXPECT_NEAR(top.nutation_period(), period, 1e-12 * (1 + period));
    EXPECT_NEAR(top.precession_per_nutation(), precession, 1e-11 * (1 + std::abs(precession)));
  }
}

TEST(HeavyTop, without_weight_is_the_torque_free_one) {
  for (const double C : {0.3, 1.7}) {
    const SymmetricTop shape{1, C, 0};
    const V w{0.5, 0.3, 2};
    const HeavyTop top(shape, tilted, w);
    const TorqueFree body(V{1, 1, C}, tilted, w);
    for (const double t : {-3.0, 10.0, 2000.0}) {
      EXPECT_LT(angle_between(top.attitude(t), body.attitude(t)), 3e-15 * (1 + std::abs(t)));
      EXPECT_LT(norm(top.angular_velocity(t) - body.angular_velocity(t)), 3e-15 * (1 + std::abs(t)));
    }
    // R (2.13): about the angular momentum the nutation is constant and both rates are.
    const FreePrecession p = free_precession(shape, w);
    const V L = body.angular_momentum(), axis = rotation(body.attitude(7)) * V{0, 0, 1};
    EXPECT_NEAR(dot(L, axis) / norm(L), std::cos(p.nutation), 1e-14);
    const V expected = angular_velocity_body(EulerZyz{0, p.nutation, std::atan2(w.y, -w.x)}, {p.precession, 0, p.spin});
    EXPECT_LT(norm(expected - w), 1e-15);
  }
}

// Started with a steady rate, the axis keeps its tilt and goes round evenly.
TEST(HeavyTop, precesses_steadily_at_both_rates) {
  for (const double beta : {0.3, 1.2, 2.6}) {
    for (const double spin : {7.0, -7.0}) {
      const auto rates = steady_precession(flat, beta, spin);
      ASSERT_TRUE(rates);
      EXPECT_LE(std::abs(rates->slow), std::abs(rates->fast));
      for (const double rate : {rates->slow, rates->fast}) {
        const EulerZyz e{0.2, beta, 0};
        V w = angular_velocity_body(e, {rate, 0, 0});
        w.z = spin;
        const HeavyTop top(flat, quaternion_of(e), w);
        EXPECT_NEAR(top.smallest_nutation(), beta, 1e-7);
        EXPECT_NEAR(top.largest_nutation(), beta, 1e-7);
        EXPECT_NEAR(top.angles(10).alpha - top.angles(0).alpha, 10 * rate, 1e-6);
        EXPECT_NEAR(top.angles(10).beta, beta, 1e-7);
      }
    }
  }
  EXPECT_FALSE(steady_precession(flat, 0.3, 0.5));  // too slow
  EXPECT_FALSE(steady_precession(flat, 0.3, 0));
  const auto conical = steady_precession(flat, 2.0, 0);  // a conical pendulum goes round either way
  ASSERT_TRUE(conical);
  EXPECT_NEAR(conical->slow * conical->slow, -0.8 / std::cos(2.0), 1e-15);
  EXPECT_NEAR(conical->slow, -conical->fast, 1e-15);
  // The fast top: slow ≈ m g l/(C ω), fast ≈ C ω/(A cos β).
  const auto fast = steady_precession(flat, 0.3, 1e4);
  EXPECT_NEAR(fast->slow / (0.8 / 1.6e4), 1, 1e-7);
  EXPECT_NEAR(fast->fast / (1.6e4 / std::cos(0.3)), 1, 1e-7);
}

// A push of 1e-6 stays small above the sleeping spin, and throws the top over below it.
TEST(HeavyTop, sleeps_above_its_spin_and_falls_below) {
  const double limit = sleeping_spin(flat);
  EXPECT_NEAR(limit, 2 * std::sqrt(0.8) / 1.6, 1e-15);
  const HeavyTop asleep(flat, Q{}, {1e-6, 0, 1.01 * limit}), falling(flat, Q{}, {1e-6, 0, 0.99 * limit});
  EXPECT_LT(asleep.largest_nutation(), 2e-5);
  EXPECT_GT(falling.largest_nutation(), 0.2);
  EXPECT_EQ(HeavyTop(flat, Q{}, {0, 0, 0.5 * limit}).largest_nutation(), 0);  // untouched, it stands on its point
}

// A pendulum that has just the energy to stand upside down: β = 4 atan e^{−u} above, sn = tanh.
TEST(HeavyTop, on_the_separatrix_takes_forever) {
  const SymmetricTop rod{1, 0.5, 1};
  const HeavyTop top(rod, Q{0, 0, 1, 0}, {0, 2, 0});  // from below, with ½ A ω² = 2 M
  EXPECT_TRUE(std::isinf(top.nutation_period()));
  EXPECT_TRUE(std::isnan(top.precession_per_nutation()));
  for (const double t : {-30.0, -2.0, 0.5, 3.0, 12.0}) {
    EXPECT_NEAR(rotation(top.attitude(t)).zz, -1 + 2 * std::tanh(t) * std::tanh(t), 1e-15);
    EXPECT_NEAR(norm(top.angular_velocity(t)), 2 / std::cosh(t), 1e-14);
  }
  // The same from half way up, where the start is on it only up to the round-off of a unit quaternion.
  const HeavyTop rising({1, 0.5, 25}, Q{3, 0, 4, 0}, {0, -8, 0});
  EXPECT_TRUE(std::isinf(rising.nutation_period()));
  for (const double t : {-3.0, 0.0, 0.2, 20.0})
    EXPECT_NEAR(rising.angles(t).beta, 2 * std::atan2(1, std::sinh(std::atanh(0.6) + 5 * t)), 1e-14);
}

TEST(HeavyTop, refuses_what_is_no_top) {
  EXPECT_THROW(HeavyTop({0, 1, 1}, Q{}, V{}), Error);
  EXPECT_THROW(HeavyTop({1, 0, 1}, Q{}, V{}), Error);
  EXPECT_THROW(HeavyTop({1, 1, -1}, Q{}, V{}), Error);
  EXPECT_THROW(HeavyTop({1, 1, 1}, Q{0, 0, 0, 0}, V{}), Error);
  EXPECT_THROW(HeavyTop({1, 1, 1}, Q{}, V{NAN, 0, 0}), Error);
}

}  // namespace closed_top_test
}  // namespace marey
