// x · y, quickly.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace marey {

// In eight parallel sums, which a compiler can keep in one register, and none of which has to wait for another.
inline double inner_product(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += x[k + l] * y[k + l];
  for (std::size_t l = 0; k < n; ++k, ++l) sums[l] += x[k] * y[k];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace marey
