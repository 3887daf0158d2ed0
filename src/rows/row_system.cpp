#include "marey/rows/row_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "marey/core/inner_product.h"
#include "marey/scalar/pack.h"

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

// ---- numbers in fours
using Four = Pack<double, 4>;
constexpr std::size_t start_of_four(std::size_t k) { return k & ~std::size_t{3}; }
constexpr std::size_t in_fours(std::size_t count) { return start_of_four(count + 3); }

// y −= a x, from one number up to another, and beside them what is in the same fours: there x is 0, or y serves nobody.
void subtract(double* y, double a, const double* x, std::size_t from, std::size_t to) {
  const Four factor(a);
  for (std::size_t k = start_of_four(from); k < to; k += 4)
    (Four::load(y + k) - factor * Four::load(x + k)).store(y + k);
}

}  // namespace

double row_weight(const RowLengths& row) {
  if (row.whole == 0) return 0;
  const double sure = std::min(1.0, row.own / (short_lever * row.reach));
  return row.own / row.whole * sure * sure;
}

double row_weight(const Row& row) {
  if (row.reach == 0) return 1;  // not known
  return row_weight(RowLengths{std::sqrt(inner_product(row.J, row.J)), row.whole, row.reach});
}

RowSystem::RowSystem(int capacity)
    : scale_(static_cast<std::size_t>(capacity)),
      scaled_(scale_.size() * scale_.size()),
      L_(scale_.size() * in_fours(scale_.size())),
      columns_(L_),
      inverses_(scale_.size()),
      rhs_(in_fours(scale_.size())),
      half_(rhs_),
      factors_(capacity) {}

int RowSystem::factor_weighed(int size, std::span<const double> A, int before) {
  const std::size_t n = static_cast<std::size_t>(size);
  scale(size, A, n + 1);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, scaled(A, k, k));
  by_cholesky_ = cholesky(A, largest);
  if (by_cholesky_) return size;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scaled_[i * n + j] = scaled(A, i, j);
  return factors_.factor(size, std::span(scaled_).first(n * n), rank_low, rank_high, before < 0 ? size : before);
}

void RowSystem::scale(int size, std::span<const double> diagonal, std::size_t stride) {
  n_ = size;
  const std::size_t n = static_cast<std::size_t>(size);
  assert(n <= scale_.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double A_ii = diagonal[i * stride];
    scale_[i] = A_ii > 0 ? scale_[i] / std::sqrt(A_ii) : 0;
  }
}

double RowSystem::scaled(std::span<const double> A, std::size_t i, std::size_t j) const {
  return scale_[i] * scale_[j] * A[i * static_cast<std::size_t>(n_) + j];
}

// Column by column, each taken out of the rest; what is 0 is passed over, so that rows which hardly meet cost little.
bool RowSystem::cholesky(std::span<const double> A, double largest) {
  const std::size_t n = static_cast<std::size_t>(n_);
  assert(A.size() == n * n);
  stride_ = in_fours(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) L_[i * stride_ + j] = scaled(A, i, j);
  for (std::size_t k = 0; k < n; ++k) {
    double *own = L_.data() + k * stride_, *column = columns_.data() + k * stride_;
    const double pivot = own[k];
    if (!(pivot > surely_full * largest)) return false;
    const double inverse = inverses_[k] = 1 / std::sqrt(pivot);
    std::fill(own + k, own + in_fours(k + 1), 0.0);
    std::fill(column + start_of_four(k), column + k + 1, 0.0);
    for (std::size_t i = k + 1; i < n; ++i) column[i] = L_[i * stride_ + k] *= inverse;
    std::fill(column + n, column + stride_, 0.0);
    for (std::size_t i = k + 1; i < n; ++i)
      if (column[i] != 0) subtract(&L_[i * stride_], column[i], column, k + 1, i + 1);
  }
  return true;
}

void RowSystem::solve(std::span<const double> b, std::span<double> lambda) {
  const std::size_t n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i) rhs_[i] = scale_[i] * b[i];
  if (!by_cholesky_) {
    factors_.solve(std::span(rhs_).first(n), lambda.first(n));
    for (std::size_t i = 0; i < n; ++i) lambda[i] *= scale_[i];
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    half_[j] = rhs_[j] * inverses_[j];
    subtract(rhs_.data(), half_[j], &columns_[j * stride_], j + 1, n);
  }
  for (std::size_t i = n; i-- > 0;) {
    const double x = half_[i] * inverses_[i];
    subtract(half_.data(), x, &L_[i * stride_], 0, i);
    lambda[i] = x * scale_[i];
  }
}

}  // namespace marey
