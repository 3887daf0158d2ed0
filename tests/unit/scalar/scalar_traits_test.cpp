// double and float as scalars: which names templated code finds, and with which types.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "marey/scalar.h"

namespace marey {
namespace scalar_traits_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ScalarTraits, UnqualifiedNamesKeepTheType) {
  static_assert(std::is_same_v<decltype(sqrt(2.0f)), float>);
  static_assert(std::is_same_v<decltype(abs(2.0f)), float>);
  static_assert(std::is_same_v<decltype(atan2(1.0, 2.0)), double>);
  EXPECT_EQ(abs(-0.25), 0.25);  // not the integer abs
  EXPECT_EQ(abs(-0.25f), 0.25f);
  EXPECT_EQ(sqrt(2.25), 1.5);
  EXPECT_DOUBLE_EQ(exp(1.0), 2.718281828459045);
  EXPECT_DOUBLE_EQ(log(10.0), 2.302585092994046);
  EXPECT_DOUBLE_EQ(atan2(1.0, -1.0), 2.356194490192345);
  double s, c;
  sincos(0.5, s, c);
  EXPECT_DOUBLE_EQ(s, 0.479425538604203);
  EXPECT_DOUBLE_EQ(c, 0.8775825618903728);
  float sf, cf;
  sincos(0.5f, sf, cf);
  EXPECT_FLOAT_EQ(sf, 0.479425538604203f);
  EXPECT_FLOAT_EQ(cf, 0.8775825618903728f);
}

TEST(ScalarTraits, AConstantBesideAFloatIsAFloat) {
  static_assert(std::is_same_v<decltype(max(1.0f, 0.0)), float>);
  static_assert(std::is_same_v<decltype(min(0.0, 1.0f)), float>);
  static_assert(std::is_same_v<decltype(select(true, 1.0f, 0)), float>);
  static_assert(std::is_same_v<decltype(select(true, 1.0, 0)), double>);
  static_assert(std::is_same_v<decltype(min(3, 4)), int>);
  EXPECT_EQ(max(-1.5f, 0.0), 0.0f);
  EXPECT_EQ(min(2, 1.5), 1.5);
  EXPECT_EQ(select(1.0 < 2.0, 3.0, 4.0), 3.0);
  EXPECT_EQ(select((1.0 < 2.0) & !(2.0 < 1.0), 3.0, 4.0), 3.0);
}

TEST(ScalarTraits, TheSecondArgumentWinsWhenNothingIsSmaller) {
  EXPECT_TRUE(std::signbit(min(0.0, -0.0)));
  EXPECT_FALSE(std::signbit(max(-0.0, 0.0)));
  EXPECT_EQ(min(nan, 1.0), 1.0);
  EXPECT_TRUE(std::isnan(min(1.0, nan)));
  EXPECT_EQ(max(nan, 1.0), 1.0);
  EXPECT_TRUE(std::isnan(max(1.0, nan)));
}

TEST(ScalarTraits, Finite) {
  EXPECT_TRUE(isfinite(1e308));
  EXPECT_TRUE(all_finite(-1e38f));
  EXPECT_FALSE(isfinite(nan));
  EXPECT_FALSE(all_finite(infinity));
  EXPECT_FALSE(all_finite(-infinity));
  EXPECT_FALSE(all_finite(static_cast<float>(nan)));
  EXPECT_FALSE(isfinite(static_cast<float>(infinity)));
  EXPECT_FALSE(all_finite(static_cast<float>(-infinity)));
}

TEST(ScalarTraits, EveryScalarHasThem) {
  static_assert(Scalar<double> && Scalar<float> && Scalar<Dual<3>> && Scalar<Pack<float, 16>> && Scalar<Expr>);
  static_assert(!Scalar<int> && !Scalar<bool>);
  static_assert(std::is_same_v<ScalarTraits<Dual<3, float>>::Real, float>);
  static_assert(std::is_same_v<ScalarTraits<Dual<2, Pack<double, 8>>>::Mask, PackMask<double, 8>>);
  static_assert(std::is_same_v<ScalarTraits<Pack<float, 16>>::Real, float>);
  static_assert(ScalarTraits<Pack<float, 16>>::lanes == 16 && ScalarTraits<Pack<double, 8>>::lanes == 8);
  static_assert(ScalarTraits<double>::lanes == 1 && ScalarTraits<Expr>::lanes == 1);
  static_assert(std::is_trivially_copyable_v<Dual<3>> && std::is_trivially_default_constructible_v<Dual<3>>);
  static_assert(std::is_trivially_copyable_v<Pack<float, 16>> && sizeof(Pack<float, 16>) == 64);
  static_assert(alignof(Pack<double, 8>) >= 16);
}

}  // namespace scalar_traits_test
}  // namespace marey
