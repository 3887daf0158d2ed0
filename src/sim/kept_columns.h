// Columns of matrices that are kept (sim/kept_matrices.h), times numbers.
#pragma once

#include <cstddef>

#include "marey/scalar/pack.h"

namespace marey {

// Numbers of a column: whole eights.
inline std::size_t stride_of(std::size_t n) { return (n + 7) / 8 * 8; }

// y = Σ over k of column k × x_k, columns of `wide` eights one after another; y stays in registers, as two sums, none of which has to wait for the other.
template <std::size_t wide>
void multiply_columns(const double* columns, std::size_t count, const double* x, double* y) {
  using Lanes = Pack<double, 8>;
  constexpr std::size_t streams = wide <= 6 ? 2 : 1;
  Lanes sums[streams][wide];
  for (auto& stream : sums)
    for (Lanes& sum : stream) sum = Lanes(0.0);
  const auto add = [&](std::size_t k, Lanes(&stream)[wide]) {
    const Lanes x_k(x[k]);
    for (std::size_t j = 0; j < wide; ++j) stream[j] = stream[j] + Lanes::load(columns + (k * wide + j) * 8) * x_k;
  };
  std::size_t k = 0;
  for (; k + streams <= count; k += streams)
    for (std::size_t s = 0; s < streams; ++s) add(k + s, sums[s]);
  for (; k < count; ++k) add(k, sums[0]);
  for (std::size_t j = 0; j < wide; ++j) {
    Lanes sum = sums[0][j];
    for (std::size_t s = 1; s < streams; ++s) sum = sum + sums[s][j];
    sum.store(y + 8 * j);
  }
}

// The same for columns of `eights` eights, at most twelve.
template <std::size_t wide = 1>
void multiply_columns_of(std::size_t eights, const double* columns, std::size_t count, const double* x, double* y) {
  if constexpr (wide < 12)
    if (eights > wide) return multiply_columns_of<wide + 1>(eights, columns, count, x, y);
  multiply_columns<wide>(columns, count, x, y);
}

}  // namespace marey
