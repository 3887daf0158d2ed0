// Dual against the complex step: for an analytic f, f'(x) = Im f(x + ih) / h without cancellation, here with
// h = 1e-100.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "marey/scalar.h"

namespace marey {
namespace {

using Complex = std::complex<double>;
constexpr double step = 1e-100;
constexpr double infinity = std::numeric_limits<double>::infinity();

Complex sine(Complex x) { return std::sin(x); }
Complex angle(Complex y, Complex x) { return 2.0 * std::atan(y / (std::sqrt(x * x + y * y) + x)); }

// Each function once on Dual and once on complex numbers, along the line x + 0.7 t, y - 1.3 t.
template <class OnDual, class OnComplex>
void expect_derivative(const char* name, OnDual on_dual, OnComplex on_complex) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> positive(0.1, 3.0);
  for (int k = 0; k < 100; ++k) {
    const double x = positive(random), y = positive(random);
    Dual<3> a(x), b(y);
    a.d[1] = 0.7;
    b.d[1] = -1.3;
    a.d[2] = 1.0;
    const Dual<3> result = on_dual(a, b);
    const Complex both = on_complex(Complex(x, 0.7 * step), Complex(y, -1.3 * step));
    const Complex first = on_complex(Complex(x, step), Complex(y, 0.0));
    const double bound = 1e-13 * (1.0 + std::abs(both.imag() / step) + std::abs(first.imag() / step));
    EXPECT_NEAR(result.value, both.real(), 1e-14 * (1.0 + std::abs(both.real()))) << name;
    EXPECT_EQ(result.d[0], 0.0) << name;
    EXPECT_NEAR(result.d[1], both.imag() / step, bound) << name << " at " << x << ", " << y;
    EXPECT_NEAR(result.d[2], first.imag() / step, bound) << name << " at " << x << ", " << y;
  }
}

TEST(Dual, ArithmeticAgainstTheComplexStep) {
  expect_derivative(
      "+", [](auto x, auto y) { return x + y; }, [](auto x, auto y) { return x + y; });
  expect_derivative(
      "-", [](auto x, auto y) { return x - y; }, [](auto x, auto y) { return x - y; });
  expect_derivative(
      "*", [](auto x, auto y) { return x * y; }, [](auto x, auto y) { return x * y; });
  expect_derivative(
      "/", [](auto x, auto y) { return x / y; }, [](auto x, auto y) { return x / y; });
  const auto constants = [](auto x, auto y) {
    return (2.0 * x + 1.0) * 0.5 - (3.0 - y) / 7.0 + 4.0 / (1.0 + x * y) - (-x) * (y - 2.0);
  };
  expect_derivative("constants", constants, constants);
  const auto in_place = [](auto x, auto y) {
    auto z = x;
    z += y;
    z *= x;
    z -= 2.0;
    z /= y;
    z *= 3.0;
    z += 1.0;
    z /= 4.0;
    z -= x;
    return +z;
  };
  expect_derivative("in place", in_place, in_place);
}

TEST(Dual, FunctionsAgainstTheComplexStep) {
  expect_derivative(
      "sqrt", [](auto x, auto y) { return sqrt(x * y); }, [](auto x, auto y) { return std::sqrt(x * y); });
  expect_derivative(
      "exp", [](auto x, auto y) { return exp(x - y); }, [](auto x, auto y) { return std::exp(x - y); });
  expect_derivative(
      "log", [](auto x, auto y) { return log(x + y); }, [](auto x, auto y) { return std::log(x + y); });
  expect_derivative(
      "sin", [](auto x, auto y) { return sin(x * y); }, [](auto x, auto y) { return sine(x * y); });
  expect_derivative(
      "cos", [](auto x, auto y) { return cos(x * y); }, [](auto x, auto y) { return std::cos(x * y); });
  expect_derivative(
      "atan2", [](auto x, auto y) { return atan2(y, x); }, [](auto x, auto y) { return angle(y, x); });
  expect_derivative(
      "atan2 of -y", [](auto x, auto y) { return atan2(x - 4.0, y); },
      [](auto x, auto y) { return angle(x - 4.0, y); });
  expect_derivative(
      "sincos",
      [](auto x, auto y) {
        sincos(x, x, y);
        return x * x * y;
      },
      [](auto x, auto) { return sine(x) * sine(x) * std::cos(x); });
}

TEST(Dual, BranchesCarryTheirOwnDerivative) {
  const Dual<2> x = Dual<2>::variable(2.0, 0), y = Dual<2>::variable(3.0, 1);
  EXPECT_EQ(min(x, y).d[0], 1.0);
  EXPECT_EQ(min(x, y).d[1], 0.0);
  EXPECT_EQ(max(x, y).d[0], 0.0);
  EXPECT_EQ(max(x, y).d[1], 1.0);
  EXPECT_EQ(max(x, 5.0).d[0], 0.0);
  EXPECT_EQ(max(x, 5.0).value, 5.0);
  EXPECT_EQ(abs(x).d[0], 1.0);
  EXPECT_EQ(abs(-x).d[0], 1.0);
  EXPECT_EQ(abs(-x).value, 2.0);
  EXPECT_EQ(select(x < y, x * x, y).d[0], 4.0);
  EXPECT_EQ(select(x > y, x * x, y).d[1], 1.0);
  EXPECT_TRUE(x <= 2.0 && x >= 2.0 && !(x < 2.0) && !(x > 2.0));
}

TEST(Dual, Corners) {
  const Dual<2> zero = Dual<2>::variable(0.0, 0);
  EXPECT_EQ(sqrt(zero).value, 0.0);
  EXPECT_EQ(sqrt(zero).d[0], infinity);
  EXPECT_EQ(sqrt(zero).d[1], 0.0);  // nothing moves along direction 1
  EXPECT_EQ(sqrt(-zero).d[0], -infinity);
  EXPECT_EQ(sqrt(zero * zero).d[0], 0.0);
  EXPECT_EQ(log(zero).d[1], 0.0);
  EXPECT_EQ(abs(zero).d[0], 1.0);
  EXPECT_TRUE(std::isnan(atan2(zero, Dual<2>(0.0)).d[0]));
  EXPECT_EQ(atan2(zero, Dual<2>(0.0)).d[1], 0.0);
  EXPECT_TRUE(std::isnan(sqrt(zero - 1.0).d[0]));
}

TEST(Dual, FiniteLooksAtDerivativesToo) {
  Dual<2> x(1.0);
  EXPECT_TRUE(all_finite(x));
  x.d[1] = infinity;
  EXPECT_FALSE(all_finite(x));
  EXPECT_FALSE(all_finite(Dual<2>(std::nan(""))));
  EXPECT_EQ(value_of(Dual<2>(4.0)), 4.0);
}

TEST(Dual, IsZeroWhenValueInitialised) {
  const Dual<3> x{};
  const std::vector<Dual<3>> many(5);
  EXPECT_EQ(x.value, 0.0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x.d[i] + many[4].d[i], 0.0);
}

// A dual of duals gives second derivatives: f = sin(x²), f'' = 2 cos(x²) - 4 x² sin(x²).
TEST(Dual, NestsForSecondDerivatives) {
  using Inner = Dual<1>;
  using Outer = Dual<1, Inner>;
  const double x = 0.8;
  const Outer f = sin(Outer::variable(Inner::variable(x, 0), 0) * Outer::variable(Inner::variable(x, 0), 0));
  EXPECT_NEAR(f.d[0].d[0], 2.0 * std::cos(x * x) - 4.0 * x * x * std::sin(x * x), 1e-14);
}

TEST(Dual, OfPacksAndOfExpressions) {
  using P = Pack<double, 8>;
  P x;
  for (int i = 0; i < 8; ++i) x.set(i, 0.3 * (i + 1));
  const auto f = [](auto z) { return sqrt(z) * exp(-z) + atan2(z, 2.0 + z) * abs(z - 1.0); };
  const Dual<2, P> packed = f(Dual<2, P>::variable(x, 1));
  ExprGraph graph;
  ExprScope scope(graph);
  const Dual<1, Expr> formula = f(Dual<1, Expr>::variable(Expr::variable("x"), 0));
  for (int i = 0; i < 8; ++i) {
    const Dual<1> plain = f(Dual<1>::variable(x[i], 0));
    const double derivative = evaluate(graph, std::vector<Expr>{formula.d[0]}, std::vector<double>{x[i]})[0];
    EXPECT_NEAR(packed.value[i], plain.value, 1e-14);
    EXPECT_NEAR(packed.d[1][i], plain.d[0], 1e-14);
    EXPECT_EQ(packed.d[0][i], 0.0);
    EXPECT_NEAR(derivative, plain.d[0], 1e-14);
  }
}

}  // namespace
}  // namespace marey
