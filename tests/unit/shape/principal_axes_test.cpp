// Principal axes: J a = λ a, right-handed, ascending, for random, equal, nearly equal and graded moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "marey/shape.h"

namespace marey {
namespace {

using V = Vec3<double>;

class PrincipalAxesTest : public testing::Test {
 protected:
  std::mt19937 engine{7};
  Mat3<double> turn() {
    std::normal_distribution<double> n;
    return rotation(Quaternion<double>{n(engine), n(engine), n(engine), n(engine)});
  }
  static V axis(const PrincipalAxes& p, int j) { return {p.R_BP(0, j), p.R_BP(1, j), p.R_BP(2, j)}; }

  // Orthonormal, right-handed, ascending, and J R = R diag(moments), all to round-off of the largest moment.
  static void expect_principal(const Sym3<double>& J, const PrincipalAxes& p) {
    const double scale = std::max({std::abs(p.moments.x), std::abs(p.moments.z), 1e-300});
    EXPECT_LE(p.moments.x, p.moments.y);
    EXPECT_LE(p.moments.y, p.moments.z);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(dot(axis(p, i), axis(p, j)), i == j, 1e-14);
      EXPECT_LT(norm(J * axis(p, i) - p.moments[i] * axis(p, i)), 3e-15 * scale);
    }
    EXPECT_NEAR(dot(cross(axis(p, 0), axis(p, 1)), axis(p, 2)), 1, 1e-14);
    EXPECT_NEAR((p.moments.x + p.moments.y + p.moments.z) / scale, (J.xx + J.yy + J.zz) / scale, 1e-14);
  }
};

TEST_F(PrincipalAxesTest, FindsTheMomentsItWasGiven) {
  for (const V& m : {V{1, 2, 2.5}, V{1, 1, 1}, V{1, 1, 2}, V{1, 2, 2}, V{1, 1 + 1e-9, 1 + 3e-9}, V{1e-9, 1, 1},
                     V{0, 1, 1}, V{0, 0, 0}, V{1e-20, 1e-20, 2e-20}, V{1e20, 1.5e20, 2e20}}) {
    for (int i = 0; i < 20; ++i) {
      const Sym3<double> J = congruence(turn(), Sym3<double>::diagonal(m.x, m.y, m.z));
      const PrincipalAxes p = principal_axes(J);
      expect_principal(J, p);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(p.moments[k], m[k], 3e-15 * m.z);
    }
  }
}

TEST_F(PrincipalAxesTest, RecoversTheAxesWhereTheMomentsDiffer) {
  for (int i = 0; i < 50; ++i) {
    const Mat3<double> R = turn();
    const PrincipalAxes p = principal_axes(congruence(R, Sym3<double>::diagonal(1, 2, 2.8)));
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(std::abs(dot(axis(p, k), V{R(0, k), R(1, k), R(2, k)})), 1, 1e-14);
    }
    // Of an axis and its opposite the one whose largest component is positive; the third follows from the other two.
    for (int k = 0; k < 2; ++k) {
      const V a = axis(p, k);
      EXPECT_EQ(std::max({a.x, a.y, a.z}), std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)})) << k;
    }
  }
}

TEST_F(PrincipalAxesTest, SortsADiagonalMatrixAndLeavesEqualMomentsInPlace) {
  const PrincipalAxes p = principal_axes(Sym3<double>::diagonal(3, 1, 2));
  expect_principal(Sym3<double>::diagonal(3, 1, 2), p);
  EXPECT_EQ(axis(p, 0).y, 1);
  EXPECT_EQ(axis(p, 1).z, 1);
  EXPECT_EQ(axis(p, 2).x, 1);
  const PrincipalAxes same = principal_axes(Sym3<double>::diagonal(2, 2, 2));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(same.R_BP(i, i), 1);
}

TEST_F(PrincipalAxesTest, OfABodyAreAboutItsCentreOfMass) {
  const Transform<double> X_BS{turn(), {0.3, -2, 1}};
  const PrincipalAxes p = principal_axes(shape_inertia({Box{{0.3, 0.2, 0.1}}, X_BS}, 12));
  EXPECT_NEAR(p.moments.x, 0.05, 1e-13);
  EXPECT_NEAR(p.moments.y, 0.10, 1e-13);
  EXPECT_NEAR(p.moments.z, 0.13, 1e-13);
  EXPECT_NEAR(std::abs(dot(axis(p, 0), X_BS.R * V{1, 0, 0})), 1, 1e-12);
}

TEST_F(PrincipalAxesTest, EnlargingALongAxisLeavesTheOthersAlone) {
  const Transform<double> X_BS{turn(), {0.1, 0.2, -0.3}};
  const Inertia<double> thin = shape_inertia({Capsule{0.01, 0.3}, X_BS}, 0.5);
  const V along = X_BS.R * V{0, 0, 1};
  const Inertia<double> larger = enlarged_about_axis(thin, 3.0 * along, 10);
  EXPECT_EQ(larger.m, thin.m);
  EXPECT_EQ(larger.h.x, thin.h.x);
  const Sym3<double> before = central_inertia(thin), after = central_inertia(larger);
  EXPECT_NEAR(dot(along, after * along) / dot(along, before * along), 10, 1e-10);
  for (const V& across : {X_BS.R * V{1, 0, 0}, X_BS.R * V{0, 1, 0}}) {
    EXPECT_NEAR(dot(across, after * across), dot(across, before * across), 1e-15);
    EXPECT_NEAR(dot(across, after * along), 0, 1e-15);
  }
}

}  // namespace
}  // namespace marey
