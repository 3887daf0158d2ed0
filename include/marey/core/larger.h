// The larger of two numbers, and what is no number if one of them is none: in a search for the worst error a NaN must not
// look small, as it does to std::max(worst, NaN).
#pragma once

#include <cmath>

namespace marey {

inline double larger_or_nan(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace marey
