// The scale of a contact: the largest eigenvalue of its matrix, of matrices made with eigenvalues that are known.
#include "contact/cone_measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "marey/spatial.h"

namespace marey {
namespace cone_measure_test {

using Nine = std::array<double, 9>;

Nine with_eigenvalues(const std::array<double, 3>& e, std::mt19937& random) {
  std::normal_distribution<double> any;
  const Mat3<double> R = rotation(normalized(Quaternion<double>{any(random), any(random), any(random), any(random)}));
  const double rows[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
  Nine a{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) a[3 * i + j] += rows[i][k] * e[k] * rows[j][k];
  return a;
}

TEST(ConeMeasure, TheLargestEigenvalueOfThreeRows) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, 1), power(-6, 6);
  for (int k = 0; k < 20000; ++k) {
    const double size = std::pow(10, power(random));
    std::array<double, 3> e{part(random), std::pow(part(random), 4), std::pow(part(random), 8)};
    if (k % 3 == 0) e[2] = 0;
    const double most = *std::ranges::max_element(e);
    for (double& x : e) x *= size / most;
    std::array<double, 3> sorted = e;
    std::ranges::sort(sorted);
    const double apart = (sorted[2] - sorted[1]) / sorted[2];
    Nine a = with_eigenvalues(e, random);
    EXPECT_NEAR(largest_eigenvalue(a.data(), 3) / size, 1, apart > 0.01 ? 1e-13 : 3e-8) << k << ' ' << apart;
  }
}

TEST(ConeMeasure, EqualEigenvalues) {
  std::mt19937 random(8);
  for (const std::array<double, 3>& e :
       {std::array{2.0, 2.0, 2.0}, std::array{2.0, 2.0, 0.0}, std::array{2.0, 0.0, 0.0}, std::array{2.0, 2.0, 1.999999},
        std::array{2.0, 2.0 - 1e-14, 1.0}}) {
    Nine a = with_eigenvalues(e, random);
    EXPECT_NEAR(largest_eigenvalue(a.data(), 3), 2, 6e-8);
  }
  Nine none{}, unit{3, 0, 0, 0, 3, 0, 0, 0, 3};
  EXPECT_EQ(largest_eigenvalue(none.data(), 3), 0);
  EXPECT_EQ(largest_eigenvalue(unit.data(), 3), 3);
}

}  // namespace cone_measure_test
}  // namespace marey
