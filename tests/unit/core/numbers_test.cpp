// Sums and questions over lists of numbers, of every length that a register may be left over with.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "marey/core/all_finite.h"
#include "marey/core/inner_product.h"
#include "marey/core/same_bits.h"

namespace marey {
namespace {

TEST(Numbers, OneThatIsNotFiniteIsFoundWhereverItIs) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::max();
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<double> x(n, -largest);
    EXPECT_TRUE(all_finite(x));
    for (std::size_t k = 0; k < n; ++k)
      for (const double bad : {infinite, -infinite, std::nan("")}) {
        x[k] = bad;
        EXPECT_FALSE(all_finite(x)) << n << ' ' << k;
        x[k] = -5e-324;
      }
  }
}

// Of whole numbers there is no rounding: Σ k (k + 1) = n (n² − 1)/3 over k < n.
TEST(Numbers, InnerProductsTakeEveryEntryOnce) {
  for (int n = 0; n < 40; ++n) {
    std::vector<double> x, y;
    for (int k = 0; k < n; ++k) x.push_back(k), y.push_back(k + 1);
    EXPECT_EQ(inner_product(x, y), n * (n * n - 1) / 3);
  }
}

TEST(Numbers, TheSameBitsAreMoreThanTheSameNumber) {
  EXPECT_TRUE(same_bits({}, {}));
  EXPECT_TRUE(same_bits(std::vector{1.0, std::nan("")}, std::vector{1.0, std::nan("")}));
  EXPECT_FALSE(same_bits(std::vector{0.0}, std::vector{-0.0}));
  EXPECT_FALSE(same_bits(std::vector{1.0, 2.0}, std::vector{1.0}));
  EXPECT_FALSE(same_bits(std::vector{1.0, 2.0}, std::vector{1.0, std::nextafter(2.0, 3.0)}));
}

}  // namespace
}  // namespace marey
