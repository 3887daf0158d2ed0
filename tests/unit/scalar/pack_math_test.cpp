// The functions of a Pack against the C library in more digits: double for float, long double for double.
// Errors are counted in units in the last place of the exact result; the bounds are those stated in
// pack_math.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "marey/scalar/pack.h"

namespace marey {
namespace {

template <class P>
class PackMath : public testing::Test {
 public:
  using T = typename ScalarTraits<P>::Real;
  using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  static constexpr int n = ScalarTraits<P>::lanes;

  static Exact error_in_ulp(T found, Exact exact) {
    using Limits = std::numeric_limits<T>;
    const T rounded = static_cast<T>(exact);
    if (std::isnan(exact) || std::isinf(rounded) || exact == 0)
      return found == rounded || (std::isnan(found) && std::isnan(exact)) ? 0 : 1e30;
    int exponent;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, Limits::min_exponent);
    return std::fabs((found - exact) / std::ldexp(Exact(1), exponent - Limits::digits));
  }

  // The largest error of `function` over `rounds` packs drawn by `draw`.
  template <class Draw, class Function, class Reference>
  void expect_within(double ulp, int rounds, Draw draw, Function function, Reference reference) {
    Exact worst = 0;
    T at = 0, other = 0;
    for (int k = 0; k < rounds; ++k) {
      P x, y;
      for (int i = 0; i < n; ++i) {
        x.set(i, draw(random_));
        y.set(i, draw(random_));
      }
      const P found = function(x, y);
      for (int i = 0; i < n; ++i) {
        const Exact e = error_in_ulp(found[i], reference(Exact(x[i]), Exact(y[i])));
        if (e > worst) worst = e, at = x[i], other = y[i];
      }
    }
    EXPECT_LE(worst, ulp) << "at " << at << ", " << other;
    this->RecordProperty("worst_ulp", std::to_string(worst));
  }

  // Random signs, and magnitudes spread evenly over the exponents.
  static auto magnitudes(double least, double most) {
    return [=](std::mt19937_64& r) {
      const double a = std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(r));
      return static_cast<T>(r() & 1 ? a : -a);
    };
  }
  static auto uniform(double least, double most) {
    return [=](std::mt19937_64& r) { return static_cast<T>(std::uniform_real_distribution<double>(least, most)(r)); };
  }
  // Any pattern of bits: subnormal numbers, infinities and NaN among them.
  static T any(std::mt19937_64& r) {
    using Word = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(static_cast<Word>(r()));
  }

 private:
  std::mt19937_64 random_{11};
};

using Packs = testing::Types<Pack<float, 16>, Pack<double, 8>, Pack<float, 4>>;
TYPED_TEST_SUITE(PackMath, Packs);

TYPED_TEST(PackMath, SineAndCosine) {
  using E = typename TestFixture::Exact;
  using T = typename TestFixture::T;
  const auto sine = [](auto x, auto) { return sin(x); };
  const auto cosine = [](auto x, auto) { return cos(x); };
  const auto exact_sine = [](E x, E) { return std::sin(x); };
  const auto exact_cosine = [](E x, E) { return std::cos(x); };
  // The numbers nearest to multiples of π/2, where the reduction loses most.
  const auto zeros = [](std::mt19937_64& r) {
    const int k = std::uniform_int_distribution<int>(-6366, 6366)(r), away = static_cast<int>(r() % 5) - 2;
    T x = static_cast<T>(k * 1.57079632679489661923132169163975144L);
    for (int i = 0; i < std::abs(away); ++i) x = std::nextafter(x, T(away) * 1e6f);
    return x;
  };
  this->expect_within(0.95, 20000, this->uniform(-4, 4), sine, exact_sine);
  this->expect_within(0.95, 20000, this->uniform(-4, 4), cosine, exact_cosine);
  this->expect_within(0.95, 20000, this->magnitudes(1e-30, 1e4), sine, exact_sine);
  this->expect_within(0.95, 20000, this->magnitudes(1e-30, 1e4), cosine, exact_cosine);
  this->expect_within(0.95, 20000, zeros, sine, exact_sine);
  this->expect_within(0.95, 20000, zeros, cosine, exact_cosine);
  this->expect_within(1.0, 20000, this->any, sine, exact_sine);
  this->expect_within(1.0, 20000, this->any, cosine, exact_cosine);
  this->expect_within(1.0, 20000, this->magnitudes(1e3, 1e7), sine, exact_sine);  // across `reach`
}

TYPED_TEST(PackMath, SineAndCosineTogetherAndInPlace) {
  TypeParam x, s, c;
  for (int i = 0; i < TestFixture::n; ++i) x.set(i, 1.3f * (i - 2));
  sincos(x, s, c);
  TypeParam in_place = x, other;
  sincos(in_place, in_place, other);
  TypeParam far = x * 1e6, far_cosine;
  const TypeParam far_angle = far;
  sincos(far, far, far_cosine);
  for (int i = 0; i < TestFixture::n; ++i) {
    EXPECT_EQ(s[i], sin(x)[i]);
    EXPECT_EQ(c[i], cos(x)[i]);
    EXPECT_EQ(in_place[i], s[i]);
    EXPECT_EQ(other[i], c[i]);
    EXPECT_EQ(far[i], marey::sin(far_angle[i]));
    EXPECT_EQ(far_cosine[i], marey::cos(far_angle[i]));
  }
}

TYPED_TEST(PackMath, Exponential) {
  using E = typename TestFixture::Exact;
  const auto function = [](auto x, auto) { return exp(x); };
  const auto exact = [](E x, E) { return std::exp(x); };
  this->expect_within(1.05, 20000, this->uniform(-2, 2), function, exact);
  this->expect_within(1.05, 20000, this->uniform(-110, 95), function, exact);
  this->expect_within(1.05, 20000, this->uniform(-760, 720), function, exact);
  this->expect_within(1.05, 20000, this->any, function, exact);
}

TYPED_TEST(PackMath, Logarithm) {
  using E = typename TestFixture::Exact;
  const auto function = [](auto x, auto) { return log(x); };
  const auto exact = [](E x, E) { return std::log(x); };
  this->expect_within(1.0, 20000, this->uniform(0.5, 2), function, exact);
  this->expect_within(1.0, 20000, this->magnitudes(1e-30, 1e30), function, exact);
  this->expect_within(1.0, 20000, this->any, function, exact);
}

TYPED_TEST(PackMath, Arctangent) {
  using E = typename TestFixture::Exact;
  const auto function = [](auto y, auto x) { return atan2(y, x); };
  const auto exact = [](E y, E x) { return std::atan2(y, x); };
  this->expect_within(2.0, 20000, this->uniform(-1, 1), function, exact);
  this->expect_within(2.0, 20000, this->magnitudes(1e-6, 1e6), function, exact);
  this->expect_within(2.0, 20000, this->any, function, exact);
}

TYPED_TEST(PackMath, SpecialValues) {
  using T = typename TestFixture::T;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T values[] = {T(0), T(-0.0), T(1), T(-1), infinity, -infinity, nan, std::numeric_limits<T>::denorm_min()};
  const auto same = [](T a, T b) {
    if (std::isnan(b)) return std::isnan(a);
    if (std::isinf(b) || b == 0) return a == b && std::signbit(a) == std::signbit(b);
    return TestFixture::error_in_ulp(a, b) <= 2;
  };
  for (T a : values) {
    EXPECT_TRUE(same(exp(TypeParam(a))[0], std::exp(a))) << "exp " << a;
    EXPECT_TRUE(same(log(TypeParam(a))[0], std::log(a))) << "log " << a;
    EXPECT_TRUE(same(cos(TypeParam(a))[0], std::cos(a))) << "cos " << a;
    if (!std::signbit(a)) {
      EXPECT_TRUE(same(sin(TypeParam(a))[0], std::sin(a))) << "sin " << a;
    }
    for (T b : values)
      EXPECT_TRUE(same(atan2(TypeParam(a), TypeParam(b))[0], std::atan2(a, b))) << "atan2 " << a << " " << b;
  }
}

}  // namespace
}  // namespace marey
