// What the files of the derivatives share: lanes, and the solve with many right-hand sides.
#pragma once

#include "marey/dynamics/derivatives.h"
#include "marey/scalar/pack.h"

namespace marey {

using Lanes4 = Pack<double, 4>;
using Lanes8 = Pack<double, 8>;

// Strips of columns in which right-hand sides are solved: as many of three registers as fit, the rest of one.
inline constexpr int wide_strip = 24, narrow_strip = 8;
inline int strip_width(int from, int stride) { return stride - from >= wide_strip ? wide_strip : narrow_strip; }

inline std::span<const int> path_of(const DerivativesWorkspace& ws, std::size_t group) {
  const std::size_t from = static_cast<std::size_t>(ws.path_start[group]);
  return {ws.path.data() + from, static_cast<std::size_t>(ws.path_start[group + 1]) - from};
}

// M = Lᵀ D L in place, and Y = D⁻¹-weighted solution of M Y = X; X is overwritten by L⁻ᵀ X. `touched` may be null.
void factor_inertia(DerivativesWorkspace&);
void solve_columns(const DerivativesWorkspace&, int stride, const unsigned char* touched, double* X, double* Y);

}  // namespace marey
