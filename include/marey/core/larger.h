// The larger of two numbers, or NaN if one of them is NaN: in a search for the worst error a NaN must not look small,
// as it does to std::max(worst, NaN).
#pragma once

#include <cmath>

namespace marey {

inline double larger_or_nan(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace marey
