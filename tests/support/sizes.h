// How large numbers are, and how far apart; what is no number is infinitely large.
#pragma once

#include <cmath>
#include <span>

namespace marey {

inline double largest(std::span<const double> x) {
  double most = 0;
  for (const double a : x) most = std::abs(a) <= most ? most : std::isnan(a) ? HUGE_VAL : std::abs(a);
  return most;
}

// HUGE_VAL, too, where they are not equally many.
inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double off = std::abs(a[k] - b[k]);
    most = off <= most ? most : std::isnan(off) ? HUGE_VAL : off;
  }
  return most;
}

}  // namespace marey
