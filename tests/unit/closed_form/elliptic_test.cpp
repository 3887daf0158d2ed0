// Jacobi's functions and the third-kind integral against quadrature, from the circle to the separatrix.
//
// Oracle: with tan φ = sinh x the integrals are smooth in x for every modulus,
//   du = dφ/Δ = sech x dx / √(sech² x + m1 tanh² x),   sn u = tanh x,
// and Gauss's rule, on panels of width 1/2 and finer where 1/(1 + n sn²) is narrow, gives them to round-off, without
// AGM, Landen or Carlson.
#include "marey/closed_form/elliptic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

namespace marey::closed {
namespace {

const Real moduli1[] = {1, 0.999L, 0.6L, 0.1L, 1e-3L, 1e-8L, 1e-16L, 1e-25L};  // m1
constexpr double digits = 1e-15;                                               // of extended precision, with room

struct Oracle {
  Real u = 0, sn2 = 0, third = 0;
};

Oracle quadrature(Real m1, Real n, Real x_end) {
  Oracle sum;
  const auto du = [&](Real x) {
    const Real c = 1 / std::cosh(x), s = std::tanh(x);
    return c / std::sqrt(c * c + m1 * s * s);
  };
  using Rule = boost::math::quadrature::gauss<Real, 25>;
  const auto sn2 = [](Real x) { return std::tanh(x) * std::tanh(x); };
  Real a = 0, width = 0.3L / std::sqrt(1 + std::abs(n));
  while (a != x_end) {
    const Real b = std::abs(x_end - a) <= width ? x_end : a + std::copysign(width, x_end);
    sum.u += Rule::integrate(du, a, b);
    sum.sn2 += Rule::integrate([&](Real x) { return du(x) * sn2(x) / (1 + n * sn2(x)); }, a, b);
    sum.third += Rule::integrate([&](Real x) { return du(x) / (1 + n * sn2(x)); }, a, b);
    a = b, width = std::min(0.5L, width * 1.5L);
  }
  return sum;
}

TEST(Elliptic, invert_the_first_kind_integral) {
  for (const Real m1 : moduli1) {
    const Elliptic e(1 - m1, m1);
    for (const Real x : {-2.5L, -0.7L, -1e-6L, 0.0L, 0.3L, 1.0L, 3.0L}) {
      const Real u = quadrature(m1, 0, x).u;
      const Elliptic::Phase p = e.at(u);
      EXPECT_NEAR(p.sn, std::tanh(x), digits) << m1 << ' ' << x;
      EXPECT_NEAR(p.cn, 1 / std::cosh(x), digits) << m1 << ' ' << x;
      EXPECT_NEAR(p.d * p.d, p.cn * p.cn + m1 * p.sn * p.sn, digits);
      EXPECT_NEAR(e.argument(std::tanh(x), 1 / std::cosh(x)), u, digits * (1 + std::abs(u)));
    }
  }
}

TEST(Elliptic, argument_finds_all_four_quarters) {
  for (const Real m1 : moduli1) {
    const Elliptic e(1 - m1, m1);
    for (const Real part : {-1.9L, -1.3L, -0.6L, 0.2L, 0.9L, 1.5L, 2.0L}) {
      const Elliptic::Phase p = e.at(part * e.K());
      // Between 0 and K near the separatrix, cn ≈ m1^¼ has lost a quarter of the digits that m1 has lost, and u with
      // it.
      EXPECT_NEAR(e.argument(p.sn, p.cn) / e.K(), part, 1e-15 + 3e-21 / std::sqrt(double(m1))) << m1;
    }
  }
}

TEST(Elliptic, have_the_quarter_period_of_the_quadrature) {
  for (const Real m1 : moduli1) EXPECT_NEAR(Elliptic(1 - m1, m1).K(), quadrature(m1, 0, 100).u, 2e-15) << m1;
  EXPECT_EQ(Elliptic(1, 0).K(), std::numeric_limits<Real>::infinity());
}

TEST(Elliptic, third_kind_is_that_of_the_quadrature) {
  for (const Real m1 : moduli1) {
    for (const Real n : {-0.999L, -0.5L, 0.0L, 1e-3L, 0.7L, 5.0L, 1e4L, 1e8L}) {
      const Elliptic e(1 - m1, m1);
      for (const Real x : {-2.5L, 1e-5L, 0.4L, 1.0L, 3.0L}) {
        const Oracle o = quadrature(m1, n, x);
        const Elliptic::Phase p = e.at(e.argument(std::tanh(x), 1 / std::cosh(x)));
        EXPECT_NEAR(e.integral_sn2(p, n, 1 + n) / o.sn2, 1, 3e-14) << m1 << ' ' << n << ' ' << x;
        EXPECT_NEAR(e.integral_third(p, n, 1 + n) / o.third, 1, 3e-14) << m1 << ' ' << n << ' ' << x;
      }
    }
  }
}

TEST(Elliptic, a_thousand_half_periods_are_a_thousand_times_one) {
  for (const Real m1 : moduli1) {
    const Elliptic e(1 - m1, m1);
    for (const Real n : {-0.5L, 0.7L, 1e4L}) {
      const Oracle whole = quadrature(m1, n, 100);  // to K
      const Real u = 2001 * e.K();
      EXPECT_NEAR(e.integral_third(e.at(u), n, 1 + n) / whole.third / 2001, 1, 3e-14) << m1 << ' ' << n;
      EXPECT_NEAR(e.integral_sn2(e.at(u), n, 1 + n) / whole.sn2 / 2001, 1, 3e-14) << m1 << ' ' << n;
    }
  }
}

// Nothing jumps where the half periods are counted, and the derivative is the integrand on both sides.
TEST(Elliptic, third_kind_goes_on_smoothly_over_half_periods) {
  for (const Real m1 : {0.6L, 1e-3L, 1e-16L}) {
    const Elliptic e(1 - m1, m1);
    for (const Real n : {-0.5L, 0.7L, 1e4L}) {
      for (Real u = -4 * e.K(); u < 4 * e.K(); u += e.K() / 16) {
        const Real h = 1e-4L / std::sqrt(1 + std::abs(n));
        const Real slope =
            (e.integral_third(e.at(u + h), n, 1 + n) - e.integral_third(e.at(u - h), n, 1 + n)) / (2 * h);
        const Elliptic::Phase p = e.at(u);
        EXPECT_NEAR(slope, 1 / (1 + n * p.sn * p.sn), 1e-7) << m1 << ' ' << n << ' ' << u;
      }
    }
  }
}

TEST(Elliptic, on_the_separatrix_are_hyperbolic) {
  const Elliptic e(1, 0);
  for (const Real n : {-0.5L, 0.0L, 0.7L, 1e4L}) {
    for (const Real u : {-3.0L, 0.2L, 2.0L, 40.0L}) {
      const Oracle o = quadrature(0, n, u);  // here u = x
      const Elliptic::Phase p = e.at(u);
      EXPECT_NEAR(e.argument(p.sn, p.cn), u, 1e-14);
      EXPECT_NEAR(e.integral_sn2(p, n, 1 + n), o.sn2, 1e-14 * (1 + std::abs(u)));
      EXPECT_NEAR(e.integral_third(p, n, 1 + n), o.third, 1e-14 * (1 + std::abs(u)));
    }
  }
}

}  // namespace
}  // namespace marey::closed
