#include "contact/factors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "marey/core/inner_product.h"

namespace marey {
namespace {

std::size_t in_eights(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

// y −= Σ_k a_k x_k, from one number up to another.
void subtract_four(double* __restrict y, const double* a, const double* const* x, int from, int to) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double* __restrict x0 = x[0], * __restrict x1 = x[1], * __restrict x2 = x[2], * __restrict x3 = x[3];
  for (int j = from; j < to; ++j) y[j] = ((y[j] - a0 * x0[j]) - a1 * x1[j]) - (a2 * x2[j] + a3 * x3[j]);
}
void subtract_one(double* __restrict y, double a, const double* __restrict x, int from, int to) {
  for (int j = from; j < to; ++j) y[j] -= a * x[j];
}

}  // namespace

void set_products(const double* X, const double* Y, std::size_t apart, std::size_t count, SquareRows& out) {
  const int n = out.size();
  for (int k = 0; k < n; ++k) std::fill(out.row(k) + k, out.row(k) + n, 0.0);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double* x = X + i * apart;
    const double* rows[4] = {Y + i * apart, Y + (i + 1) * apart, Y + (i + 2) * apart, Y + (i + 3) * apart};
    for (int k = 0; k < n; ++k) {
      const double factors[4] = {-x[k], -x[apart + k], -x[2 * apart + k], -x[3 * apart + k]};
      if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
      subtract_four(out.row(k), factors, rows, k, n);
    }
  }
  for (; i < count; ++i)
    for (int k = 0; k < n; ++k) subtract_one(out.row(k), -X[i * apart + k], Y + i * apart, k, n);
}

void SquareRows::resize(int n) {
  n_ = n, stride_ = in_eights(static_cast<std::size_t>(n));
  const std::size_t needed = static_cast<std::size_t>(n) * stride_;
  if (numbers_.size() < needed) numbers_.resize(needed);
  for (int i = 0; i < n; ++i) std::fill(row(i) + n, row(i) + stride_, 0.0);
}

void SquareRows::expect(std::size_t n) {
  const std::size_t needed = n * in_eights(n);
  if (numbers_.size() < needed) numbers_.resize(needed);
}

void SquareRows::add_symmetric_product(const double* x, double* y) const {
  int i = 0;
  for (; i + 4 <= n_; i += 4) {
    const double factors[4] = {-x[i], -x[i + 1], -x[i + 2], -x[i + 3]};
    if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
    const double* rows[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
    subtract_four(y, factors, rows, 0, n_);
  }
  for (; i < n_; ++i) subtract_one(y, -x[i], row(i), 0, n_);
}

// ---------------------------------------------------------------------------------------------------- symmetric
bool CholeskyRows::factor(SquareRows& M) {
  const int n = M.size();
  last_.resize(static_cast<std::size_t>(n)), inverse_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    int last = n;
    while (last > i + 1 && M.row(i)[last - 1] == 0) --last;
    last_[static_cast<std::size_t>(i)] = last;
  }
  for (int k = 0; k < n; k += 4) {
    const int end = std::min(k + 4, n);
    const double* pivots[4] = {M.row(k), M.row(k), M.row(k), M.row(k)};
    int last = 0;
    for (int p = k; p < end; ++p) {  // the four rows among themselves
      const double* row = pivots[p - k] = M.row(p);
      if (!(row[p] > 0)) return false;
      inverse_[static_cast<std::size_t>(p)] = 1 / row[p];
      int& own = last_[static_cast<std::size_t>(p)];
      for (int i = p + 1; i < end; ++i) {
        if (row[i] == 0) continue;
        subtract_one(M.row(i), row[i] * inverse_[static_cast<std::size_t>(p)], row, i, own);
        last_[static_cast<std::size_t>(i)] = std::max(last_[static_cast<std::size_t>(i)], own);
      }
      last = std::max(last, own);
    }
    for (int i = end; i < last; ++i) {
      double factors[4] = {};
      for (int p = k; p < end; ++p) factors[p - k] = pivots[p - k][i] * inverse_[static_cast<std::size_t>(p)];
      if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
      subtract_four(M.row(i), factors, pivots, i, last);
      last_[static_cast<std::size_t>(i)] = std::max(last_[static_cast<std::size_t>(i)], last);
    }
  }
  return true;
}

void CholeskyRows::solve(const SquareRows& U, double* x) const {
  const int n = U.size();
  for (int k = 0; k < n; ++k) {
    x[k] *= inverse_[static_cast<std::size_t>(k)];
    if (x[k] != 0) subtract_one(x, x[k], U.row(k), k + 1, last_[static_cast<std::size_t>(k)]);
  }
  for (int k = n - 1; k >= 0; --k) {
    const auto length = static_cast<std::size_t>(last_[static_cast<std::size_t>(k)] - k - 1);
    const double sum = inner_product(std::span(U.row(k) + k + 1, length), std::span(x + k + 1, length));
    x[k] -= sum * inverse_[static_cast<std::size_t>(k)];
  }
}

// ------------------------------------------------------------------------------------------------------ general
namespace {

// x_k −= M_k · x between two columns, for four rows k, each in four sums.
void subtract_products(const SquareRows& M, int first, int from, int to, double* x) {
  const double *a = M.row(first), *b = M.row(first + 1), *c = M.row(first + 2), *d = M.row(first + 3);
  double sums[4][4] = {};
  int j = from;
  for (; j + 4 <= to; j += 4)
    for (int l = 0; l < 4; ++l) {
      const double y = x[j + l];
      sums[0][l] += a[j + l] * y, sums[1][l] += b[j + l] * y, sums[2][l] += c[j + l] * y, sums[3][l] += d[j + l] * y;
    }
  for (; j < to; ++j) {
    const double y = x[j];
    sums[0][0] += a[j] * y, sums[1][0] += b[j] * y, sums[2][0] += c[j] * y, sums[3][0] += d[j] * y;
  }
  for (int k = 0; k < 4; ++k) x[first + k] -= (sums[k][0] + sums[k][2]) + (sums[k][1] + sums[k][3]);
}

}  // namespace

// Columns from … to of the rows from … n, whatever stands to the right of them left as it is but for swaps.
void LuRows::factor_panel(SquareRows& M, int from, int to) {
  const int n = M.size();
  for (int k = from; k < to; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(M.row(i)[k]) > std::abs(M.row(best)[k])) best = i;
    pivot_[static_cast<std::size_t>(k)] = best;
    if (best != k) std::swap_ranges(M.row(k), M.row(k) + n, M.row(best));
    const double* row = M.row(k);
    if (row[k] == 0) {
      singular_ = true;
      continue;
    }
    const double inverse = inverse_[static_cast<std::size_t>(k)] = 1 / row[k];
    for (int i = k + 1; i < n; ++i) {
      double* other = M.row(i);
      if (other[k] == 0) continue;
      other[k] *= inverse;
      for (int j = k + 1; j < to; ++j) other[j] -= other[k] * row[j];
    }
  }
}

bool LuRows::factor(SquareRows& M) {
  const int n = M.size();
  singular_ = false;
  pivot_.resize(static_cast<std::size_t>(n)), inverse_.resize(static_cast<std::size_t>(n));
  for (int from = 0; from < n; from += 4) {
    const int to = std::min(from + 4, n);
    factor_panel(M, from, to);
    for (int k = from; k < to; ++k)
      for (int i = k + 1; i < to; ++i) subtract_one(M.row(i), M.row(i)[k], M.row(k), to, n);
    if (to - from < 4) break;
    const double* pivots[4] = {M.row(from), M.row(from + 1), M.row(from + 2), M.row(from + 3)};
    for (int i = to; i < n; ++i) {
      const double* factors = M.row(i) + from;
      if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
      subtract_four(M.row(i), factors, pivots, to, n);
    }
  }
  return !singular_;
}

void LuRows::solve(const SquareRows& M, double* x) {
  const int n = M.size();
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[static_cast<std::size_t>(k)]]);
  for (int from = 0; from < n; from += 4) {
    const int to = std::min(from + 4, n);
    if (to - from == 4) subtract_products(M, from, 0, from, x);
    for (int k = from; k < to; ++k)
      for (int j = to - from == 4 ? from : 0; j < k; ++j) x[k] -= M.row(k)[j] * x[j];
  }
  for (int to = n; to > 0; to = (to - 1) / 4 * 4) {
    const int from = (to - 1) / 4 * 4;
    if (to - from == 4) subtract_products(M, from, to, n, x);
    for (int k = to - 1; k >= from; --k) {
      for (int j = k + 1; j < to; ++j) x[k] -= M.row(k)[j] * x[j];
      x[k] *= inverse_[static_cast<std::size_t>(k)];
    }
  }
}

// ------------------------------------------------------------------------------------------------ rank-revealing
void PivotedCholesky::expect(std::size_t n) {
  const std::size_t needed = n * in_eights(n);
  if (columns_.size() < needed) columns_.resize(needed);
  left_.reserve(n), pivot_.reserve(n);
}

int PivotedCholesky::factor(const SquareRows& M, double tolerance) {
  n_ = M.size(), rank_ = 0, stride_ = M.stride();
  const auto n = static_cast<std::size_t>(n_);
  if (columns_.size() < n * stride_) columns_.resize(n * stride_);
  left_.resize(n), pivot_.resize(n);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) left_[i] = M.row(static_cast<int>(i))[i], most = std::max(most, left_[i]);
  for (int k = 0; k < n_; ++k) {
    const int p = static_cast<int>(std::max_element(left_.begin(), left_.begin() + n_) - left_.begin());
    if (!(left_[static_cast<std::size_t>(p)] > tolerance * most)) break;
    double* own = columns_.data() + static_cast<std::size_t>(k) * stride_;
    std::copy(M.row(p), M.row(p) + n_, own);
    int j = 0;
    for (; j + 4 <= k; j += 4) {
      const double* before[4] = {column(j), column(j + 1), column(j + 2), column(j + 3)};
      const double factors[4] = {before[0][p], before[1][p], before[2][p], before[3][p]};
      if (factors[0] == 0 && factors[1] == 0 && factors[2] == 0 && factors[3] == 0) continue;
      subtract_four(own, factors, before, 0, n_);
    }
    for (; j < k; ++j) subtract_one(own, column(j)[p], column(j), 0, n_);
    const double inverse = 1 / std::sqrt(left_[static_cast<std::size_t>(p)]);
    own[p] = left_[static_cast<std::size_t>(p)];
    for (int i = 0; i < n_; ++i) {
      own[i] *= inverse;
      left_[static_cast<std::size_t>(i)] -= own[i] * own[i];
    }
    for (int m = 0; m < k; ++m) own[pivot(m)] = 0;
    left_[static_cast<std::size_t>(p)] = -1;  // taken
    pivot_[static_cast<std::size_t>(k)] = p, rank_ = k + 1;
  }
  return rank_;
}

void PivotedCholesky::solve_lower(const double* b, double* c) const {
  for (int k = 0; k < rank_; ++k) {
    double sum = b[pivot(k)];
    for (int j = 0; j < k; ++j) sum -= column(j)[pivot(k)] * c[j];
    c[k] = sum / column(k)[pivot(k)];
  }
}

}  // namespace marey
