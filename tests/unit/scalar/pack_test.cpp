// Pack: arithmetic is that of the lanes, and a mask can be used in select only.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "marey/scalar.h"

namespace marey {
namespace pack_test {

template <class P>
class PackOf : public testing::Test {
 public:
  using T = typename ScalarTraits<P>::Real;
  static constexpr int n = ScalarTraits<P>::lanes;

  P random_pack() {
    std::uniform_real_distribution<T> u(T(-3), T(3));
    P p;
    for (int i = 0; i < n; ++i) p.set(i, u(random_));
    return p;
  }

 private:
  std::mt19937 random_{3};
};

using Packs = testing::Types<Pack<float, 16>, Pack<double, 8>, Pack<float, 8>, Pack<double, 4>, Pack<float, 4>,
                             Pack<double, 2>, Pack<float, 2>>;
TYPED_TEST_SUITE(PackOf, Packs);

TYPED_TEST(PackOf, ArithmeticIsThatOfTheLanes) {
  using T = typename TestFixture::T;
  const TypeParam a = this->random_pack(), b = this->random_pack();
  TypeParam c = a;
  c += b;
  c -= 2.0;
  c *= a;
  c /= b;
  for (int i = 0; i < TestFixture::n; ++i) {
    EXPECT_EQ((a + b)[i], a[i] + b[i]);
    EXPECT_EQ((a - b)[i], a[i] - b[i]);
    EXPECT_EQ((a * b)[i], a[i] * b[i]);
    EXPECT_EQ((a / b)[i], a[i] / b[i]);
    EXPECT_EQ((-a)[i], -a[i]);
    EXPECT_EQ((2.0 * a)[i], T(2) * a[i]);
    EXPECT_EQ((1 - a)[i], T(1) - a[i]);
    EXPECT_EQ((a / 4.0)[i], a[i] / T(4));
    EXPECT_NEAR(c[i], (a[i] + b[i] - T(2)) * a[i] / b[i], std::numeric_limits<T>::epsilon() * 20 * abs(a[i] / b[i]));
    EXPECT_EQ(abs(a)[i], std::fabs(a[i]));
    EXPECT_EQ(sqrt(abs(a))[i], std::sqrt(std::fabs(a[i])));
    EXPECT_EQ(min(a, b)[i], min(a[i], b[i]));
    EXPECT_EQ(max(a, b)[i], max(a[i], b[i]));
    EXPECT_EQ(max(a, 0.0)[i], max(a[i], T(0)));
    EXPECT_EQ(lane(a, i), a[i]);
  }
  EXPECT_EQ(value_of(a), a[0]);
}

TYPED_TEST(PackOf, SelectsLaneByLane) {
  const TypeParam a = this->random_pack(), b = this->random_pack();
  for (int i = 0; i < TestFixture::n; ++i) {
    EXPECT_EQ(select(a < b, a, b)[i], a[i] < b[i] ? a[i] : b[i]);
    EXPECT_EQ(select(a <= b, a, b)[i], a[i] <= b[i] ? a[i] : b[i]);
    EXPECT_EQ(select(a > 0.5, a, 1.0)[i], a[i] > 0.5 ? a[i] : 1.0);
    EXPECT_EQ(select(a >= b, a, b)[i], a[i] >= b[i] ? a[i] : b[i]);
    EXPECT_EQ(select(a <= a, 1.0, b)[i], 1.0);
    EXPECT_EQ(select((a < b) & (a > 0.0), a, b)[i], a[i] < b[i] && a[i] > 0 ? a[i] : b[i]);
    EXPECT_EQ(select((a < b) | (a > 0.0), a, b)[i], a[i] < b[i] || a[i] > 0 ? a[i] : b[i]);
    EXPECT_EQ(select(!(a < b), a, b)[i], !(a[i] < b[i]) ? a[i] : b[i]);
    EXPECT_EQ(select(a < b, 1.0, 2.0)[i], a[i] < b[i] ? 1 : 2);
    EXPECT_EQ(select(true, a, b)[i], a[i]);
    EXPECT_EQ(select(false, a, b)[i], b[i]);
    EXPECT_EQ((a < b)[i], a[i] < b[i]);
  }
}

TYPED_TEST(PackOf, LoadsAndStoresAnywhere) {
  using T = typename TestFixture::T;
  constexpr int n = TestFixture::n;
  T from[n + 1], to[n + 2] = {};
  for (int i = 0; i <= n; ++i) from[i] = T(i * i);
  const TypeParam p = TypeParam::load(from + 1);
  p.store(to + 1);
  EXPECT_EQ(to[0], T(0));
  EXPECT_EQ(to[n + 1], T(0));
  for (int i = 1; i <= n; ++i) EXPECT_EQ(to[i], from[i]);
}

TYPED_TEST(PackOf, StartsAtZeroAndBroadcasts) {
  const TypeParam zero{}, negative(-0.0), seven = 7;
  const std::vector<TypeParam> many(3);
  for (int i = 0; i < TestFixture::n; ++i) {
    EXPECT_EQ(zero[i], 0);
    EXPECT_EQ(many[2][i], 0);
    EXPECT_EQ(seven[i], 7);
    EXPECT_TRUE(std::signbit(negative[i]));
  }
}

TYPED_TEST(PackOf, OneBadLaneIsSeen) {
  using T = typename TestFixture::T;
  EXPECT_TRUE(all_finite(this->random_pack()));
  EXPECT_TRUE(all_finite(TypeParam(std::numeric_limits<T>::max())));
  for (int i = 0; i < TestFixture::n; ++i)
    for (T bad : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                  std::numeric_limits<T>::quiet_NaN()}) {
      TypeParam p = this->random_pack();
      p.set(i, bad);
      EXPECT_FALSE(all_finite(p)) << "lane " << i;
    }
}

TYPED_TEST(PackOf, TiesAndNaNGoAsForOneNumber) {
  using T = typename TestFixture::T;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(min(TypeParam(nan), TypeParam(1.0))[0], T(1));
  EXPECT_TRUE(std::isnan(min(TypeParam(1.0), TypeParam(nan))[0]));
  EXPECT_EQ(max(TypeParam(nan), TypeParam(1.0))[0], T(1));
  EXPECT_TRUE(std::isnan(max(TypeParam(1.0), TypeParam(nan))[0]));
  EXPECT_TRUE(std::signbit(min(TypeParam(0.0), TypeParam(-0.0))[0]));
}

template <class M>
concept Branches = requires(M m) {
  m ? 1 : 2;
};
template <class M>
concept Shortcuts = requires(M m) {
  m&& m;
};
template <class X>
concept BranchesOnComparison = requires(X x) {
  x < x ? 1 : 2;
};

// The whole point of the masks: `if (x < y)` is for double, float and Dual, and does not compile for Pack and
// Expr.
TEST(Masks, DoNotBecomeBool) {
  EXPECT_TRUE(Branches<bool> && BranchesOnComparison<double> && BranchesOnComparison<Dual<2>>);
  EXPECT_FALSE((Branches<PackMask<float, 16>>));
  EXPECT_FALSE((Shortcuts<PackMask<double, 8>>));
  EXPECT_FALSE((BranchesOnComparison<Pack<float, 16>>));
  EXPECT_FALSE((BranchesOnComparison<Pack<double, 8>>));
  EXPECT_FALSE((BranchesOnComparison<Dual<2, Pack<double, 8>>>));
  EXPECT_FALSE(Branches<ExprMask> || Shortcuts<ExprMask> || BranchesOnComparison<Expr>);
  EXPECT_FALSE((std::is_constructible_v<bool, PackMask<float, 16>> || std::is_constructible_v<bool, ExprMask>));
  EXPECT_FALSE((std::is_constructible_v<double, Pack<double, 8>> || std::is_constructible_v<double, Expr>));
}

}  // namespace pack_test
}  // namespace marey
