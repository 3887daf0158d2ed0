// Whether two lists of numbers are the same to the bit.
#pragma once

#include <cstring>
#include <span>

namespace marey {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace marey
