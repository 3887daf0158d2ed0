#include "marey/rows/row_system.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "marey/core/inner_product.h"
#include "marey/scalar/pack.h"

namespace marey {
namespace {

// Parts of the largest pivot. A is quadratic in how far a mechanism is from standing in line: 1e-9 is 30 micrometres per
// metre. Nearer to it the multipliers, which grow as one over that distance times the error of a stage, do more harm than a
// row that is let go for a stage and put right after the step. Between the two the rank stays what it was.
constexpr double rank_low = 1e-9, rank_high = 1e-7;
// Parts of the largest diagonal entry: Cholesky's pivots that leave no doubt; and no doubt even where weights have fallen to a
// third since they were found.
constexpr double surely_full = 1e-5, surely_full_for_a_while = 10 * surely_full;
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

// From one number up to another, beginning where a four does.
void copy(const double* from, std::size_t begin, std::size_t end, double* to) {
  std::size_t k = begin;
  for (; k + 4 <= end; k += 4) Four::load(from + k).store(to + k);
  switch (end - k) {  // not a loop, which compilers would make a call of
    case 3:
      to[k + 2] = from[k + 2];
      [[fallthrough]];
    case 2:
      to[k + 1] = from[k + 1];
      [[fallthrough]];
    case 1:
      to[k] = from[k];
      break;
    default:
      break;
  }
}

// x · y, from the start of a four up to the end of one.
double dot(const double* x, const double* y, std::size_t from, std::size_t to) {
  Four sums{};
  for (std::size_t k = from; k < to; k += 4) sums += Four::load(x + k) * Four::load(y + k);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
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
    : weight_(static_cast<std::size_t>(capacity)),
      diagonal_then_(weight_.size()),
      scale_(weight_.size()),
      scaled_(scale_.size() * scale_.size()),
      U_(scale_.size() * in_fours(scale_.size())),
      inverses_(scale_.size()),
      parts_left_(scale_.size()),
      rhs_(in_fours(scale_.size())),
      found_(rhs_),
      factors_(capacity) {}

bool RowSystem::all_surely_count(double surely) const {
  const std::size_t n = static_cast<std::size_t>(n_);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, weight_[k] * weight_[k]);
  for (std::size_t k = 0; k < n; ++k)
    if (!(weight_[k] * weight_[k] * parts_left_[k] > surely * largest)) return false;
  return true;
}

int RowSystem::rank_of(std::span<const double> A, int before) {
  by_cholesky_ = eliminated_ && all_surely_count(surely_full);
  if (by_cholesky_) return n_;
  const std::size_t n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i) scale_[i] = A[i * n + i] > 0 ? weight_[i] / std::sqrt(A[i * n + i]) : 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scaled_[i * n + j] = scale_[i] * scale_[j] * A[i * n + j];
  return factors_.factor(n_, std::span(scaled_).first(n * n), rank_low, rank_high, before < 0 ? n_ : before);
}

void RowSystem::remember(std::span<const double> A) {
  remembered_ = n_, served_ = 0;
  const std::size_t n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i) diagonal_then_[i] = A[i * n + i];
}

bool RowSystem::as_remembered(int size, std::span<const double> A) const {
  if (remembered_ != size) return false;
  const std::size_t n = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < n; ++i)
    if (!(A[i * n + i] > 0.5 * diagonal_then_[i])) return false;
  return true;
}

bool RowSystem::full_as_a_while_ago() {
  return by_cholesky_ = eliminated_ && all_surely_count(surely_full_for_a_while);
}

bool RowSystem::full_beside_others() {
  const std::size_t n = static_cast<std::size_t>(n_);
  by_cholesky_ = eliminated_;
  for (std::size_t k = 0; by_cholesky_ && k < n; ++k)
    by_cholesky_ = weight_[k] * weight_[k] * parts_left_[k] > surely_full;  // the others' weights are 1
  return by_cholesky_;
}

// Row by row, each taken out of those below, above the diagonal alone; what is 0 is passed over, so that rows which hardly meet
// cost little. Weights are 1 at most, so that a pivot too small for them is too small for all.
void RowSystem::eliminate(int size, std::span<const double> A, std::span<const double> diagonal, std::size_t apart) {
  const std::size_t n = static_cast<std::size_t>(size);
  assert(n <= weight_.size() && A.size() == n * n);
  if (std::exchange(n_, size) != size) stride_ = in_fours(n), std::ranges::fill(U_, 0.0);
  eliminated_ = false;
  for (std::size_t i = 0; i < n; ++i) copy(&A[i * n], start_of_four(i), n, &U_[i * stride_]);
  for (std::size_t k = 0; k < n; ++k) {
    const double* own = &U_[k * stride_];
    const double pivot = own[k], whole = diagonal[k * apart];
    if (!(pivot > surely_full * whole)) return;
    const double inverse = inverses_[k] = 1 / pivot;
    parts_left_[k] = pivot / whole;
    for (std::size_t i = k + 1; i < n; ++i)
      if (own[i] != 0) subtract(&U_[i * stride_], inverse * own[i], own, i, n);
  }
  eliminated_ = true;
}

void RowSystem::solve(std::span<const double> b, std::span<double> lambda) {
  const std::size_t n = static_cast<std::size_t>(n_);
  if (!by_cholesky_) {
    for (std::size_t i = 0; i < n; ++i) rhs_[i] = scale_[i] * b[i];
    factors_.solve(std::span(rhs_).first(n), lambda.first(n));
    for (std::size_t i = 0; i < n; ++i) lambda[i] *= scale_[i];
    return;
  }
  copy(b.data(), 0, n, rhs_.data());
  for (std::size_t j = 0; j < n; ++j) {
    lambda[j] = rhs_[j] * inverses_[j];
    subtract(rhs_.data(), lambda[j], &U_[j * stride_], j + 1, n);
  }
  for (std::size_t first = stride_; first > 0;) find_four(first -= 4, lambda);
}

// λ of a four of rows, those beyond them being in found_: with D⁻¹ U⁻ᵀ b in its place before.
void RowSystem::find_four(std::size_t first, std::span<double> lambda) {
  const std::size_t n = static_cast<std::size_t>(n_), rows = std::min(n - first, std::size_t{4});
  std::array<double, 4> sums{}, x{};
  for (std::size_t r = 0; r < rows; ++r) sums[r] = dot(&U_[(first + r) * stride_], found_.data(), first + 4, n);
  for (std::size_t r = rows; r-- > 0;) {
    const std::size_t i = first + r;
    for (std::size_t c = r + 1; c < rows; ++c) sums[r] += U_[i * stride_ + first + c] * x[c];
    x[r] = lambda[i] -= inverses_[i] * sums[r];
  }
  Four(Four::Lanes{x[0], x[1], x[2], x[3]}).store(&found_[first]);
}

}  // namespace marey
