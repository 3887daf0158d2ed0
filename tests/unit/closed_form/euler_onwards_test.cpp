// Euler angles that go on without jumps: what they describe, and how they pass the pole.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "marey/closed_form.h"

namespace marey {
namespace euler_onwards_test {

constexpr double pi = std::numbers::pi;

double off(const Mat3<double>& A, const Mat3<double>& B) {
  double most = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(A(i, j) - B(i, j)));
  return most;
}

// From any angles before, what comes next is the rotation itself: to rounding, of angles of up to ten turns.
TEST(EulerOnwards, DescribeTheRotation) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(-20, 20);
  for (int i = 0; i < 1000; ++i) {
    const EulerZyz before{any(engine), any(engine), any(engine)}, there{any(engine), any(engine), any(engine)};
    const EulerZyz e = next_zyz(before, rotation(there));
    EXPECT_LT(off(rotation(e), rotation(there)), 1e-13);
    EXPECT_LE(std::abs(e.alpha - before.alpha), pi / 2 + 1e-12);
  }
}

// Smooth angles, whatever their turns and the sign of β, are followed by exactly these.
TEST(EulerOnwards, FollowSmoothAngles) {
  EulerZyz e{0.3, 1, -2};
  for (int i = 1; i <= 4000; ++i) {
    const double t = 0.01 * i;
    const EulerZyz exact{0.3 - 7 * t, 1 + 0.4 * std::sin(t), -2 + 11 * t};
    e = next_zyz(e, rotation(exact));
    ASSERT_NEAR(e.alpha, exact.alpha, 1e-12);
    ASSERT_NEAR(e.beta, exact.beta, 1e-12);
    ASSERT_NEAR(e.gamma, exact.gamma, 1e-11);
  }
}

// Straight through the vertical, and on over the other side, again and again: β grows evenly, α stays.
TEST(EulerOnwards, GoStraightThroughThePoles) {
  EulerZyz e{0.7, -0.5, 0.2};
  for (int i = 1; i <= 1000; ++i) {
    const EulerZyz exact{0.7, -0.5 + 0.05 * i, 0.2 + 0.03 * i};  // i = 10: at the pole
    e = next_zyz(e, rotation(exact));
    ASSERT_NEAR(e.alpha, exact.alpha, 1e-9) << i;
    ASSERT_NEAR(e.beta, exact.beta, 1e-12) << i;
    ASSERT_NEAR(e.gamma, exact.gamma, 1e-9) << i;
  }
}

// Upright, only α + γ means anything; upside down γ − α.
TEST(EulerOnwards, LeaveTheTurnToGammaAtThePole) {
  EulerZyz up{1, 0, 2}, down{1, pi, 2};
  for (int i = 1; i <= 500; ++i) {
    up = next_zyz(up, rotation(EulerZyz{0, 0, 3 + 0.3 * i}));
    down = next_zyz(down, rotation(EulerZyz{0, pi, 1 + 0.3 * i}));
  }
  EXPECT_EQ(up.alpha, 1);
  EXPECT_NEAR(up.gamma, 2 + 150, 1e-10);
  EXPECT_EQ(down.alpha, 1);
  EXPECT_NEAR(down.gamma, 2 + 150, 1e-10);
  EXPECT_NEAR(down.beta, pi, 1e-10);
}

}  // namespace euler_onwards_test
}  // namespace marey
