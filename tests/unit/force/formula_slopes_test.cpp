// Every operation of formulas, for any argument it takes: its value against the standard library, its four derivatives
// against difference quotients, on both sides of each corner.
//
// The quotient (8 (f(h) − f(−h)) − (f(2h) − f(−2h)))/12h errs by h⁴ f⁽⁵⁾/30 and by the rounding 1.5 ε |f|/h. With h = 10⁻³
// and derivatives of at most 10⁴ |f| (what 1/a has at |a| = 0.5: 5!/a⁵ ≈ 4·10³ |f|) that is 10⁻⁹; the bound is ten times it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "marey/force/formula.h"

namespace marey {
namespace {

using Op = Formula::Op;
using Program = std::vector<Formula::Step>;

constexpr std::size_t derivative_of[] = {0, 1, 2, 6};  // x, y, z, t

// c + Σ kᵢ · variable: a different slope along each of x, y, z, t, and none but through them. At the place below it is `value`.
constexpr FormulaInput<double> place{0.7, -1.2, 2.1, 0.4, -0.3, 1.7, 0.9, 2.5};
Program argument(double value, const std::array<double, 4>& slopes) {
  double c = value;
  Program p;
  for (std::size_t k = 0; k < 4; ++k) c -= slopes[k] * place[derivative_of[k]];
  p.push_back({Op::number, 0, c});
  for (std::size_t k = 0; k < 4; ++k) {
    p.push_back({Op::number, 0, slopes[k]});
    p.push_back({Op::variable, static_cast<int>(derivative_of[k])});
    p.push_back({Op::multiply});
    p.push_back({Op::add});
  }
  return p;
}
constexpr std::array<double, 4> first_slopes{0.8, -0.5, 0.3, 1.1}, second_slopes{-0.4, 0.9, 1.2, -0.7};

std::array<double, 4> slopes_of(const Formula& f) {
  const FormulaSlopes<double> s = evaluate_with_slopes(f, place);
  EXPECT_NEAR(s.value, evaluate(f, place), 4e-15 * (1 + std::abs(s.value)));
  return {s.gradient.x, s.gradient.y, s.gradient.z, s.rate};
}
void expect_slopes_are_quotients(const Formula& f, const std::string& what) {
  const std::array<double, 4> slopes = slopes_of(f);
  const double size = 1 + std::abs(evaluate(f, place));
  for (std::size_t k = 0; k < 4; ++k) {
    const auto at = [&](double h) {
      FormulaInput<double> moved = place;
      moved[derivative_of[k]] += h;
      return evaluate(f, moved);
    };
    const double h = 1e-3, quotient = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(slopes[k], quotient, 1e-8 * size) << what << ", derivative " << k;
  }
}

struct One {
  const char* name;
  Op op;
  std::function<double(double)> value;
  std::vector<double> at;
};
const std::vector<One> functions_of_one{
    {"negate", Op::negate, [](double a) { return -a; }, {-1.3, 0.6}},
    {"sqrt", Op::sqrt, [](double a) { return std::sqrt(a); }, {0.5, 2.7}},
    {"sin", Op::sin, [](double a) { return std::sin(a); }, {-2.3, -0.4, 0.9, 4}},
    {"cos", Op::cos, [](double a) { return std::cos(a); }, {-2.3, -0.4, 0.9, 4}},
    {"tan", Op::tan, [](double a) { return std::tan(a); }, {-0.8, 0.5, 2.4, 3.5}},
    {"exp", Op::exp, [](double a) { return std::exp(a); }, {-1.4, 0.8}},
    {"log", Op::log, [](double a) { return std::log(a); }, {0.5, 2.6}},
    {"abs", Op::abs, [](double a) { return std::abs(a); }, {-1.7, -0.1, 0.1, 2.2}},
};

TEST(FormulaSlopes, OfFunctionsOfOneArgument) {
  for (const One& f : functions_of_one)
    for (const double a : f.at) {
      Formula formula{argument(a, first_slopes)};
      formula.program.push_back({f.op});
      const std::string what = std::string(f.name) + " of " + std::to_string(a);
      EXPECT_NEAR(evaluate(formula, place), f.value(a), 1e-14 * (1 + std::abs(f.value(a)))) << what;
      expect_slopes_are_quotients(formula, what);
    }
}

struct Two {
  const char* name;
  Op op;
  std::function<double(double, double)> value;
  std::vector<std::array<double, 2>> at;
};
const std::vector<Two> functions_of_two{
    {"add", Op::add, [](double a, double b) { return a + b; }, {{0.7, -1.9}}},
    {"subtract", Op::subtract, [](double a, double b) { return a - b; }, {{0.7, -1.9}}},
    {"multiply", Op::multiply, [](double a, double b) { return a * b; }, {{0.7, -1.9}, {-2, -0.6}}},
    {"divide", Op::divide, [](double a, double b) { return a / b; }, {{0.7, -1.9}, {-2, 0.6}, {1.5, 2}}},
    {"power", Op::power, [](double a, double b) { return std::pow(a, b); }, {{0.6, -1.9}, {2, 0.6}, {1.5, 2}}},
    // all four quarters
    {"atan2",
     Op::atan2,
     [](double a, double b) { return std::atan2(a, b); },
     {{0.7, 1.9}, {0.7, -1.9}, {-0.7, 1.9}, {-0.7, -1.9}, {2, 0.1}}},
    {"min", Op::min, [](double a, double b) { return std::min(a, b); }, {{0.3, 0.5}, {0.5, 0.3}, {-0.2, -0.4}}},
    {"max", Op::max, [](double a, double b) { return std::max(a, b); }, {{0.3, 0.5}, {0.5, 0.3}, {-0.2, -0.4}}},
};

TEST(FormulaSlopes, OfFunctionsOfTwoArguments) {
  for (const Two& f : functions_of_two)
    for (const auto& [a, b] : f.at) {
      Formula formula{argument(a, first_slopes)};
      const Program second = argument(b, second_slopes);
      formula.program.insert(formula.program.end(), second.begin(), second.end());
      formula.program.push_back({f.op});
      const std::string what = std::string(f.name) + " of " + std::to_string(a) + ", " + std::to_string(b);
      EXPECT_NEAR(evaluate(formula, place), f.value(a, b), 1e-14 * (1 + std::abs(f.value(a, b)))) << what;
      expect_slopes_are_quotients(formula, what);
    }
}

TEST(FormulaSlopes, OfWholePowers) {
  for (const double a : {-1.3, 0.8, 1.7})
    for (int n = -6; n <= 9; ++n) {
      Formula formula{argument(a, first_slopes)};
      formula.program.push_back({Op::whole_power, n});
      const std::string what = std::to_string(a) + " to the power of " + std::to_string(n);
      const double value = std::pow(a, n);
      EXPECT_NEAR(evaluate(formula, place), value, 1e-14 * (1 + std::abs(value))) << what;
      const std::array<double, 4> slopes = slopes_of(formula);
      for (std::size_t k = 0; k < 4; ++k) {
        const double exact = n * std::pow(a, n - 1) * first_slopes[k];
        EXPECT_NEAR(slopes[k], exact, 1e-13 * (1 + std::abs(exact))) << what;
      }
    }
}

// At a corner no quotient helps: a hair's breadth on either side of it the slope is that side's, to the bit.
TEST(FormulaSlopes, OnBothSidesOfACorner) {
  const auto slope_along_x = [](const Program& program, double x) {
    FormulaInput<double> in{};
    in[0] = x, in[1] = 0;
    const FormulaSlopes<double> s = evaluate_with_slopes({program}, in);
    EXPECT_EQ(s.gradient.z, 0);
    EXPECT_EQ(s.rate, 0);
    return s.gradient.x;
  };
  const Formula::Step x{Op::variable, 0}, y{Op::variable, 1}, three{Op::number, 0, 3}, times{Op::multiply};
  for (const double hair : {1e-300, 1e-12, 0.5}) {
    for (const double side : {-1.0, 1.0}) {
      EXPECT_EQ(slope_along_x({three, x, times, {Op::abs}}, side * hair), 3 * side);
      EXPECT_EQ(slope_along_x({three, x, times, y, {Op::min}}, side * hair), side < 0 ? 3 : 0);  // of 3x and y = 0
      EXPECT_EQ(slope_along_x({y, three, x, times, {Op::min}}, side * hair), side < 0 ? 3 : 0);
      EXPECT_EQ(slope_along_x({three, x, times, y, {Op::max}}, side * hair), side > 0 ? 3 : 0);
      EXPECT_EQ(slope_along_x({y, three, x, times, {Op::max}}, side * hair), side > 0 ? 3 : 0);
    }
  }
  // In the corner itself it is the slope of one of the sides, not something between them.
  EXPECT_EQ(std::abs(slope_along_x({x, {Op::abs}}, 0)), 1);
  for (const Op op : {Op::min, Op::max}) {
    const double s = slope_along_x({x, y, {op}}, 0);
    EXPECT_TRUE(s == 0 || s == 1) << s;
  }
}

// Velocities and the mass are read, and are not among what is derived by.
TEST(FormulaSlopes, EachVariableIsItself) {
  for (int i = 0; i < formula_variables; ++i) {
    const Formula formula{{{Op::variable, i}}};
    EXPECT_EQ(evaluate(formula, place), place[static_cast<std::size_t>(i)]);
    const std::array<double, 4> slopes = slopes_of(formula);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(slopes[k], static_cast<int>(derivative_of[k]) == i ? 1 : 0) << i;
  }
}

TEST(FormulaSlopes, OfAVectorOfTime) {
  const auto in_time = [](Op op, double rate) {
    return Formula{{{Op::number, 0, rate}, {Op::variable, 6}, {Op::multiply}, {op}}};
  };
  const TimeVector vector{{in_time(Op::sin, 2), in_time(Op::exp, -3), in_time(Op::abs, -4)}};
  for (const double t : {0.3, 1.7}) {
    const TimeVector::AtTime at = vector.at(t);
    EXPECT_NEAR(at.value.x, std::sin(2 * t), 1e-15);
    EXPECT_NEAR(at.value.y, std::exp(-3 * t), 1e-15);
    EXPECT_EQ(at.value.z, 4 * t);
    EXPECT_NEAR(at.rate.x, 2 * std::cos(2 * t), 1e-14);
    EXPECT_NEAR(at.rate.y, -3 * std::exp(-3 * t), 1e-14);
    EXPECT_EQ(at.rate.z, 4);
  }
}

}  // namespace
}  // namespace marey
