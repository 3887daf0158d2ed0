// The pendulum: against its equation by difference quotients, the period by Gauss's mean, and the limits that are elementary.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/closed_form.h"
#include "marey/core.h"

namespace marey {
namespace closed_pendulum_test {

constexpr double pi = std::numbers::pi;

double mean_of_gauss(double a, double b) {
  for (int i = 0; i < 10; ++i) {
    const double m = (a + b) / 2;
    b = std::sqrt(a * b), a = m;
  }
  return a;
}

struct Start {
  double kappa, theta, rate;
};
const Start starts[] = {{9.81, 0.5, 0}, {9.81, 3.1, 0},  {4, -1, 2.5},    {4, 0.3, 5},    {4, 0.3, -7},    {2, 5, 0.1},
                        {2, -20, 3},    {1, 0, 1.99999}, {1, 0, 2.00001}, {1e-6, 1, 0.5}, {100, pi, 1e-6}, {0, 0.3, 2}};

// θ̈ = −κ sin θ to the error of the quotients: h² θ⁗/12 + rounding/h², with |θ⁗| ≤ κ θ̇² + κ² and |θ̇| ≤ √(θ̇₀² + 4 κ).
TEST(Pendulum, HasItsEquationAndItsStart) {
  for (const Start& s : starts) {
    const Pendulum p(s.kappa, s.theta, s.rate);
    EXPECT_NEAR(p.angle(0), s.theta, 1e-14 * (1 + std::abs(s.theta)));
    EXPECT_NEAR(p.rate(0), s.rate, 1e-14 * (1 + std::abs(s.rate)));
    const double fastest = s.rate * s.rate + 4 * s.kappa, h = 1e-3 / std::sqrt(1 + fastest);
    const double fourth = s.kappa * fastest + s.kappa * s.kappa;
    for (const double t : {0.1, 0.7, 2.3, 11.0}) {
      const double a = p.angle(t - h), b = p.angle(t), c = p.angle(t + h);
      const double rounding = 8 * 1e-16 * (1 + std::abs(b)) / (h * h);
      EXPECT_NEAR((a - 2 * b + c) / (h * h), -s.kappa * std::sin(b), h * h * fourth / 6 + rounding) << t;
      EXPECT_NEAR((c - a) / (2 * h), p.rate(t),
                  h * h * s.kappa * std::sqrt(fastest) / 3 + 1e-15 * (1 + std::abs(b)) / h);
      EXPECT_NEAR(p.rate(t) * p.rate(t) / 2 - s.kappa * std::cos(b), s.rate * s.rate / 2 - s.kappa * std::cos(s.theta),
                  1e-13 * (1 + fastest));
    }
  }
}

TEST(Pendulum, HasThePeriodOfGauss) {
  for (const double amplitude : {1e-6, 0.5, 2.0, 3.1, 3.1415}) {
    const Pendulum p(9.81, amplitude, 0);
    const double T = 2 * pi / std::sqrt(9.81) / mean_of_gauss(1, std::cos(amplitude / 2));
    EXPECT_NEAR(p.period(), T, 1e-13 * T);
    EXPECT_NEAR(p.angle(7 * T), amplitude, 1e-10);
    EXPECT_NEAR(p.angle(T / 2), -amplitude, 1e-10);
  }
  const Pendulum round(4, 0.4, 9);
  EXPECT_NEAR(round.angle(3 * round.period()) - 0.4, 6 * pi, 1e-12);
  EXPECT_NEAR(Pendulum(4, 0.4, -9).angle(3 * round.period()) - 0.4, -6 * pi, 1e-12);
}

TEST(Pendulum, GoesUpToTheTopForEver) {
  const Pendulum p(1, 0, 2);  // sin(θ/2) = tanh t
  for (const double t : {0.5, 2.0, 10.0}) EXPECT_NEAR(p.angle(t), 2 * std::asin(std::tanh(t)), 1e-7);
  EXPECT_TRUE(std::isinf(p.period()));
}

TEST(Pendulum, HangsStandsAndGoesOnWithoutGravity) {
  EXPECT_EQ(Pendulum(9, 0, 0).angle(5), 0);
  EXPECT_NEAR(Pendulum(9, 0, 0).period(), 2 * pi / 3, 1e-15);
  EXPECT_NEAR(Pendulum(9, 2 * pi, 0).angle(5), 2 * pi, 1e-12);
  EXPECT_EQ(Pendulum(0, 1, 3).angle(5), 16);
  EXPECT_THROW(Pendulum(-1, 0, 0), Error);
  EXPECT_THROW(Pendulum(1, std::nan(""), 0), Error);
}

}  // namespace closed_pendulum_test
}  // namespace marey
