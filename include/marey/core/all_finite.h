// Whether all numbers are finite, and none is NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace marey {

// By the bits of their exponents and without an early exit, so that a compiler can check many at once.
inline bool all_finite(std::span<const double> numbers) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  std::uint64_t broken = 0;
  for (const double x : numbers)
    broken |= static_cast<std::uint64_t>((std::bit_cast<std::uint64_t>(x) & exponent) == exponent);
  return broken == 0;
}

}  // namespace marey
