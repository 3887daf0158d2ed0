#include "marey/rows/row_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "marey/core/inner_product.h"

namespace marey {
namespace {

// Parts of the largest pivot. A is quadratic in how far a mechanism is from standing in line: 1e-9 is 30 micrometres per
// metre. Nearer to it the multipliers, which grow as one over that distance times the error of a stage, do more harm than a
// row that is let go for a stage and put right after the step. Between the two the rank stays what it was.
constexpr double rank_low = 1e-9, rank_high = 1e-7;
// Parts of the largest diagonal entry: Cholesky's pivots that leave no doubt.
constexpr double surely_full = 1e-5;
// Part of the way to the root: a shorter lever may be the rounding of places, or the drift of a joint in maximal coordinates.
// B_ii falls with its fourth power, to the rank's bound at 6e-8.
constexpr double short_lever = 1e-5;

}  // namespace

double row_weight(const Row& row) {
  if (row.reach == 0) return 1;  // not known
  if (row.whole == 0) return 0;
  const double length = std::sqrt(inner_product(row.J, row.J));
  const double sure = std::min(1.0, length / (short_lever * row.reach));
  return length / row.whole * sure * sure;
}

RowSystem::RowSystem(int capacity)
    : scale_(static_cast<std::size_t>(capacity)),
      scaled_(scale_.size() * scale_.size()),
      rhs_(scale_.size()),
      column_(scale_.size()),
      L_(scaled_.size()),
      factors_(capacity) {}

int RowSystem::factor_weighed(int size, std::span<const double> A, int before) {
  const std::size_t n = static_cast<std::size_t>(size);
  scale(size, A, A, n + 1);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, scaled_[k * n + k]);
  by_cholesky_ = cholesky(n, largest);
  if (by_cholesky_) return size;
  return factors_.factor(size, std::span(scaled_).first(n * n), rank_low, rank_high, before < 0 ? size : before);
}

void RowSystem::scale(int size, std::span<const double> A, std::span<const double> diagonal, std::size_t stride) {
  n_ = size;
  const std::size_t n = static_cast<std::size_t>(size);
  assert(n <= scale_.size() && A.size() == n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double A_ii = diagonal[i * stride];
    scale_[i] = A_ii > 0 ? scale_[i] / std::sqrt(A_ii) : 0;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scaled_[i * n + j] = scale_[i] * scale_[j] * A[i * n + j];
}

// Column by column, each taken out of the rest; what is 0 is passed over, so that rows which hardly meet cost little.
bool RowSystem::cholesky(std::size_t n, double largest) {
  std::copy_n(scaled_.begin(), n * n, L_.begin());
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = L_[k * n + k];
    if (!(pivot > surely_full * largest)) return false;
    const double inverse = L_[k * n + k] = 1 / std::sqrt(pivot);
    for (std::size_t i = k + 1; i < n; ++i) column_[i] = L_[i * n + k] *= inverse;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = column_[i];
      if (factor == 0) continue;
      double* row = L_.data() + i * n;
      for (std::size_t j = k + 1; j <= i; ++j) row[j] -= factor * column_[j];
    }
  }
  return true;
}

void RowSystem::solve(std::span<const double> b, std::span<double> lambda) {
  const std::size_t n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i) rhs_[i] = scale_[i] * b[i];
  if (by_cholesky_) {
    for (std::size_t j = 0; j < n; ++j) {
      lambda[j] = rhs_[j] * L_[j * n + j];
      for (std::size_t i = j + 1; i < n; ++i) rhs_[i] -= L_[i * n + j] * lambda[j];
    }
    for (std::size_t i = n; i-- > 0;) {
      lambda[i] *= L_[i * n + i];
      for (std::size_t j = 0; j < i; ++j) lambda[j] -= L_[i * n + j] * lambda[i];
    }
  } else {
    factors_.solve(std::span(rhs_).first(n), lambda.first(n));
  }
  for (std::size_t i = 0; i < n; ++i) lambda[i] *= scale_[i];
}

}  // namespace marey
