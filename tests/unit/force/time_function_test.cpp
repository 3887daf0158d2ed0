// Functions of time: how tables are joined.
#include "marey/force/time_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/random_figure.h"

namespace time_function_test {

using marey::curve_in_time;
using marey::Join;
using marey::TimeFunction;
using Numbers = std::vector<double>;

struct Table {
  Numbers t, value;
};
// Some neighbours equal, some nearly, times and values of many sizes.
Table random_table(figures::Random& random) {
  Table table;
  const int n = 2 + static_cast<int>(random.between(0, 9));
  double t = random.between(-1, 1), y = random.normal();
  for (int i = 0; i < n; ++i) {
    table.t.push_back(t), table.value.push_back(y);
    t += std::pow(10.0, random.between(-2, 1));
    if (random.between(0, 1) > 0.25) y += random.normal() * std::pow(10.0, random.between(-3, 2));
  }
  return table;
}

TEST(TimeFunction, SmoothOnesStayBetweenTheirKnots) {
  figures::Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Table table = random_table(random);
    const TimeFunction f = curve_in_time(Join::smooth, table.t, table.value);
    for (std::size_t i = 0; i + 1 < table.t.size(); ++i) {
      const double a = table.value[i], b = table.value[i + 1], low = std::min(a, b), high = std::max(a, b);
      const double rounding = 1e-13 * (std::abs(a) + std::abs(b));
      double before = a;
      for (int k = 1; k < 200; ++k) {
        const double y = f.at(table.t[i] + (table.t[i + 1] - table.t[i]) * k / 200).value;
        ASSERT_GE(y, low - rounding);
        ASSERT_LE(y, high + rounding);
        ASSERT_GE((y - before) * (b - a), -rounding * std::abs(b - a)) << "turns back";
        before = y;
      }
    }
  }
}

TEST(TimeFunction, SmoothOnesHaveTwoDerivatives) {
  figures::Random random(4);
  for (int round = 0; round < 300; ++round) {
    const Table table = random_table(random);
    const TimeFunction f = curve_in_time(Join::smooth, table.t, table.value);
    for (std::size_t i = 0; i < table.t.size(); ++i) {
      const double t = table.t[i];
      const TimeFunction::AtTime left = f.at(t, t - 1), right = f.at(t);
      const double h = i + 1 < table.t.size() ? table.t[i + 1] - t : t - table.t[i - 1];
      const double size = 1e-10 * (1 + std::abs(table.value[i]));
      EXPECT_NEAR(left.value, table.value[i], size);
      EXPECT_NEAR(right.value, table.value[i], size);
      EXPECT_NEAR(left.rate, right.rate, 1e-9 * (1 + std::abs(right.rate)) + size / h);
      EXPECT_NEAR(left.acceleration, right.acceleration, 1e-8 * (1 + std::abs(right.acceleration)) + size / (h * h));
    }
    // Within a stretch they are the derivatives of each other.
    for (const double part : {0.2, 0.5, 0.9}) {
      const double t = table.t[0] + part * (table.t[1] - table.t[0]), d = 1e-5 * (table.t[1] - table.t[0]);
      const double scale = std::abs(table.value[1] - table.value[0]) / (table.t[1] - table.t[0]);
      EXPECT_NEAR((f.at(t + d).value - f.at(t - d).value) / (2 * d), f.at(t).rate, 1e-6 * scale);
      EXPECT_NEAR((f.at(t + d).rate - f.at(t - d).rate) / (2 * d), f.at(t).acceleration,
                  1e-6 * scale / (table.t[1] - table.t[0]));
    }
  }
}

// Where a spline does not overshoot, the smooth curve is the spline: measured motions keep their accelerations.
TEST(TimeFunction, SmoothOnesAreSplinesWhereTheseBehave) {
  Numbers t, y;
  for (int i = 0; i <= 60; ++i) t.push_back(0.05 * i), y.push_back(std::exp(-t.back()) + t.back());
  const TimeFunction smooth = curve_in_time(Join::smooth, t, y), spline = curve_in_time(Join::spline, t, y);
  for (double x = 0.5; x < 2.5; x += 0.013) {
    EXPECT_NEAR(smooth.at(x).value, spline.at(x).value, 1e-12);
    EXPECT_NEAR(smooth.at(x).acceleration, spline.at(x).acceleration, 1e-9);
  }
}

TEST(TimeFunction, EqualKeysStandStill) {
  const Numbers t{0, 1, 2, 3}, y{0, 90, 90, 0};
  const TimeFunction smooth = curve_in_time(Join::smooth, t, y), spline = curve_in_time(Join::spline, t, y);
  double highest = 0;
  for (double x = 1; x <= 2; x += 0.01) {
    EXPECT_EQ(smooth.at(x, x).value, 90);
    highest = std::max(highest, spline.at(x).value);
  }
  EXPECT_GT(highest, 100);
}

TEST(TimeFunction, StepsSeeTheSideOnWhichTheyLie) {
  const Numbers t{1, 2, 4}, y{0, 3, -1};
  const TimeFunction linear = curve_in_time(Join::linear, t, y), hold = curve_in_time(Join::hold, t, y);
  EXPECT_EQ(linear.at(2, 1.5).rate, 3);
  EXPECT_EQ(linear.at(2, 2).rate, -2);
  EXPECT_EQ(linear.at(1, 0.5).rate, 0);
  EXPECT_EQ(linear.at(4, 3).rate, -2);
  EXPECT_EQ(linear.at(4, 4).rate, 0);
  EXPECT_EQ(linear.at(3).value, 1);
  EXPECT_EQ(hold.at(2, 1.5).value, 0);
  EXPECT_EQ(hold.at(2, 2).value, 3);
  EXPECT_EQ(hold.at(4, 3).value, 3);
  EXPECT_EQ(hold.at(4, 4).value, -1);
  EXPECT_EQ(hold.at(0.5).value, 0);
  EXPECT_EQ(hold.at(9).rate, 0);
}

TEST(TimeFunction, KnotsAndKinks) {
  const Numbers t{1, 2, 4}, y{0, 3, -1};
  const double never = std::numeric_limits<double>::infinity();
  for (const Join join : {Join::smooth, Join::spline, Join::linear, Join::hold}) {
    const TimeFunction f = curve_in_time(join, t, y);
    EXPECT_EQ(next_knot(f, 0), 1);
    EXPECT_EQ(next_knot(f, 1), 2);
    EXPECT_EQ(next_knot(f, 2 - 1e-14), 4);
    EXPECT_EQ(next_knot(f, 4), never);
    EXPECT_EQ(next_kink(f, 1), join == Join::smooth ? never : join == Join::spline ? 4 : 2);
  }
  EXPECT_EQ(next_knot(marey::constant_in_time(3), 0), never);
}

}  // namespace time_function_test
