// Integrators against motions known in closed form, and the order in which their error falls.
//
// Free symmetric top, moments (A, A, C): with λ = (C − A)/A ω₃ and H the fixed angular momentum,
//   ω_B(t) = (ω⊥ cos λt, ω⊥ sin λt, ω₃),   R_WB(t) = Rot(H/|H|, |H| t/A) R_WB(0) Rot(e₃, −λt)                      (1)
// Free top with moments A > B > C from ω = (a, 0, c), 2 E B < H²: Jacobi's elliptic functions of κt with parameter m,
//   ω_B(t) = (a dn, s sn, c cn)                                                                                     (2)
// Compound pendulum from rest at the angle φ₀: its period is T = 4 K(k)/ω₀, k = sin(φ₀/2), ω₀² = m g d/J                 (3)
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "marey/integrate.h"
#include "support/figures.h"
#include "support/plain_figure.h"

namespace {

using marey::Integrator, marey::JointType;
using oracle::inner, oracle::M3, oracle::times, oracle::V3;

constexpr Integrator methods[] = {Integrator::euler, Integrator::semi_implicit, Integrator::rk4};

// Runs `steps` steps of length h with aba.
marey::State run(const marey::Model& model, marey::State s, Integrator method, double h, int steps) {
  marey::AbaWorkspace<double> ws(model);
  marey::Stepper<double> stepper(model, method, 0);
  for (int i = 0; i < steps; ++i)
    stepper.step(i * h, h, s.q, s.v, {},
                 [&](double, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                     std::span<double>) { marey::aba<double>(model, model.params, q, v, {}, ws, vdot); });
  return s;
}

// log₂ of the factor by which the error falls when the step is halved.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

// Each method's error at 4 step lengths: the last two must show the order, and the motion must be near the exact one.
template <class Error>
void falls_with_the_order(const char* what, const Error& error) {
  for (Integrator method : methods) {
    const int p = marey::order_of(method);
    const double coarse = error(method, p == 4 ? 100 : 4000), fine = error(method, p == 4 ? 200 : 8000);
    std::printf("%-32s %-13s error %.2e, order %.2f\n", what, name_of(method), fine, order(coarse, fine));
    EXPECT_NEAR(order(coarse, fine), p, 0.25) << what << ' ' << name_of(method);
    EXPECT_LT(fine, p == 4 ? 1e-5 : 2e-2) << what << ' ' << name_of(method);
  }
}

// ------------------------------------------------------------------------------------------------------ free tops
marey::Model top(double A, double B, double C) {
  marey::ModelSpec spec;
  spec.gravity = {0, 0, 0};
  marey::LinkSpec body;
  body.name = "top", body.joint = JointType::ball;
  body.inertia = figures::body(2, {0, 0, 0}, {A, B, C}, marey::Mat3<double>::identity());
  spec.links = {body};
  return marey::freeze(spec);
}

TEST(Integrators, FollowTheFreeSymmetricTop) {
  const double A = 0.31, C = 0.12, w3 = 7, across = 2.5, lambda = (C - A) / A * w3, duration = 1;
  const marey::Model model = top(A, A, C);
  const auto turn = figures::Random(3).turn();
  const M3 R0 = oracle::rotation_of(turn.w, turn.x, turn.y, turn.z);
  const V3 H = times(R0, V3{A * across, 0, C * w3});
  const double h = std::sqrt(inner(H, H));
  const M3 R = times(oracle::rotation_of(oracle::scaled(1 / h, H), h * duration / A),
                     times(R0, oracle::rotation_of(V3{0, 0, 1}, -lambda * duration)));  // (1)
  const V3 w{across * std::cos(lambda * duration), across * std::sin(lambda * duration), w3};
  falls_with_the_order("symmetric top", [&](Integrator method, int steps) {
    const marey::State end =
        run(model, {0, {turn.w, turn.x, turn.y, turn.z}, {across, 0, w3}}, method, duration / steps, steps);
    const M3 got = oracle::rotation_of(end.q[0], end.q[1], end.q[2], end.q[3]);
    double error = 0;
    for (int i = 0; i < 3; ++i) {
      error = std::max(error, std::abs(end.v[i] - w[i]) / w3);
      for (int j = 0; j < 3; ++j) error = std::max(error, std::abs(got[i][j] - R[i][j]));
    }
    return error;
  });
}

// Jacobi's sn, cn, dn by the arithmetic–geometric mean (Abramowitz & Stegun 16.4), m = k².
std::array<double, 3> jacobi(double u, double m) {
  double a[16] = {1}, c[16] = {std::sqrt(m)}, b = std::sqrt(1 - m);
  int n = 0;
  for (; n < 15 && std::abs(c[n]) > 1e-17; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phi = std::ldexp(a[n] * u, n);
  for (; n > 0; --n) phi = (phi + std::asin(c[n] * std::sin(phi) / a[n])) / 2;
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - m * sn * sn)};
}

// Inserting (2) into A ω̇₁ = (B − C) ω₂ω₃ and its two sisters, with sn′ = cn dn, cn′ = −sn dn, dn′ = −m sn cn:
//   −a m κ A = (B − C) s c,   s κ B = (C − A) a c,   −c κ C = (A − B) a s
// hence κ² = (A − C)(A − B) a²/(B C) from the last two, s from the second, m from the first.
TEST(Integrators, FollowTheFreeTopOfEllipticFunctions) {
  const double A = 0.5, B = 0.35, C = 0.2, a = 3, c = 2, duration = 2;
  const double kappa = a * std::sqrt((A - C) * (A - B) / (B * C)), s = (C - A) * a * c / (kappa * B);
  const double m = -(B - C) * s * c / (a * kappa * A);
  ASSERT_GT(m, 0);
  ASSERT_LT(m, 1);
  const auto [sn, cn, dn] = jacobi(kappa * duration, m);
  const V3 w{a * dn, s * sn, c * cn};
  const marey::Model model = top(A, B, C);
  falls_with_the_order("top of elliptic functions", [&](Integrator method, int steps) {
    const marey::State end = run(model, {0, {1, 0, 0, 0}, {a, 0, c}}, method, duration / steps, steps);
    double error = 0;
    for (int i = 0; i < 3; ++i) error = std::max(error, std::abs(end.v[i] - w[i]) / a);
    return error;
  });
}

// ------------------------------------------------------------------------------------------- the compound pendulum
TEST(Integrators, SwingAPendulumBackAfterItsPeriod) {
  marey::ModelSpec spec;
  marey::LinkSpec rod = figures::rod_link("rod", "world", JointType::hinge, {0, 0, 0}, 1.2, 0.8, 0.02);
  rod.axis = {0, 1, 0};
  spec.links = {rod};
  const marey::Model model = marey::freeze(spec);
  const double phi = 1.9, w0 = std::sqrt(1.2 * 9.81 * 0.4 / rod.inertia.J.yy);
  const double period = 4 * std::comp_ellint_1(std::sin(phi / 2)) / w0;  // (3)
  falls_with_the_order("pendulum's period", [&](Integrator method, int steps) {
    // After a quarter of a period the rod hangs straight; after all of it the error of a turning point would be squared.
    return std::abs(run(model, {0, {phi}, {0}}, method, period / 4 / steps, steps).q[0]);
  });
}

// Over 100 periods semi-implicit Euler swings about the right energy (it conserves a neighbouring one exactly), RK4 loses a
// little, and explicit Euler gains without end.
TEST(Integrators, RankByTheirEnergyError) {
  marey::ModelSpec spec;
  marey::LinkSpec rod = figures::rod_link("rod", "world", JointType::hinge, {0, 0, 0}, 1.2, 0.8, 0.02);
  rod.axis = {0, 1, 0};
  spec.links = {rod};
  const marey::Model model = marey::freeze(spec);
  const double phi = 1.2, mgd = 1.2 * 9.81 * 0.4, J = rod.inertia.J.yy;
  const double period = 4 * std::comp_ellint_1(std::sin(phi / 2)) / std::sqrt(mgd / J);
  const auto error = [&](Integrator method, int periods) {
    const marey::State end = run(model, {0, {phi}, {0}}, method, period / 200, 200 * periods);
    const double energy = J / 2 * end.v[0] * end.v[0] - mgd * std::cos(end.q[0]);
    return std::abs(energy + mgd * std::cos(phi)) / mgd;
  };
  EXPECT_LT(error(Integrator::rk4, 100), 1e-5);
  EXPECT_LT(error(Integrator::semi_implicit, 100), 0.02);
  EXPECT_GT(error(Integrator::euler, 10), 0.1);
}

TEST(Integrators, KeepRotationsRotations) {
  const figures::Figure f = figures::with_random_state(figures::human39(), 2);
  for (Integrator method : methods) {
    const marey::State end = run(f.model, f.state, method, 1e-3, 300);
    for (const marey::LinkTopology& link : f.model.links) {
      if (link.joint != JointType::ball && link.joint != JointType::free) continue;
      double square = 0;
      for (int k = 0; k < 4; ++k) square += end.q[link.q + k] * end.q[link.q + k];
      EXPECT_NEAR(square, 1, 4e-16 * 2) << name_of(method);
    }
  }
}

}  // namespace
