#include "marey/rows/least_norm.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace marey {

namespace {
std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
}  // namespace

LeastNorm::LeastNorm(int max_size)
    : qr_(square(max_size)),
      beta_(static_cast<std::size_t>(max_size)),
      null_(square(max_size)),
      gram_(square(max_size)),
      y_(static_cast<std::size_t>(max_size)),
      z_(static_cast<std::size_t>(max_size)),
      order_(static_cast<std::size_t>(max_size)) {}

// Brings the longest remaining column to place k and reflects it onto the first remaining axis. The reflector
// 1 − β v vᵀ has v_k = 1; the rest of v is kept below the diagonal.
void LeastNorm::reflect(int k) {
  int longest = k;
  double most = -1;
  for (int j = k; j < n_; ++j) {
    double s = 0;
    for (int i = k; i < n_; ++i) s += at(i, j) * at(i, j);
    if (s > most) most = s, longest = j;
  }
  if (longest != k) {
    for (int i = 0; i < n_; ++i) std::swap(at(i, k), at(i, longest));
    std::swap(order_[k], order_[longest]);
  }
  const double length = std::sqrt(most), alpha = at(k, k) > 0 ? -length : length;
  beta_[k] = 0;
  if (length == 0) return;
  const double v_k = at(k, k) - alpha;
  beta_[k] = -v_k / alpha;
  for (int i = k + 1; i < n_; ++i) at(i, k) /= v_k;
  at(k, k) = alpha;
  for (int j = k + 1; j < n_; ++j) {
    double s = at(k, j);
    for (int i = k + 1; i < n_; ++i) s += at(i, k) * at(i, j);
    s *= beta_[k];
    at(k, j) -= s;
    for (int i = k + 1; i < n_; ++i) at(i, j) -= s * at(i, k);
  }
}

void LeastNorm::back_substitute(double* x) {
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < rank_; ++j) x[i] -= at(i, j) * x[j];
    x[i] /= at(i, i);
  }
}

// N, in pivoted order, and the Cholesky factor of NᵀN.
void LeastNorm::make_null_space() {
  const int k = n_ - rank_;
  for (int c = 0; c < k; ++c) {
    for (int i = 0; i < rank_; ++i) null(i, c) = -at(i, rank_ + c);
    back_substitute(&null(0, c));
    for (int i = rank_; i < n_; ++i) null(i, c) = i == rank_ + c ? 1 : 0;
  }
  for (int c = 0; c < k; ++c)
    for (int r = c; r < k; ++r) {
      double s = 0;
      for (int i = 0; i < n_; ++i) s += null(i, c) * null(i, r);
      for (int m = 0; m < c; ++m) s -= gram(r, m) * gram(c, m);
      gram(r, c) = r == c ? std::sqrt(s) : s / gram(c, c);
    }
}

int LeastNorm::factor(int n, std::span<const double> B, double tolerance) {
  return factor(n, B, tolerance, tolerance, n);
}

int LeastNorm::factor(int n, std::span<const double> B, double low, double high, int before) {
  assert(square(n) <= qr_.size());
  n_ = n;
  for (int i = 0; i < n; ++i) {
    order_[i] = i;
    for (int j = 0; j < n; ++j) at(i, j) = B[static_cast<std::size_t>(i * n + j)];
  }
  rank_ = n;
  for (int k = 0; k < n; ++k) {
    reflect(k);
    const double size = std::abs(at(k, k)), first = std::abs(at(0, 0));
    if (!(size > (k < before ? low : high) * first)) {
      rank_ = k;
      break;
    }
  }
  if (rank_ < n) make_null_space();
  return rank_;
}

void LeastNorm::solve(std::span<const double> rhs, std::span<double> x) {
  for (int i = 0; i < n_; ++i) y_[i] = rhs[i];
  for (int k = 0; k < rank_; ++k) {
    double s = y_[k];
    for (int i = k + 1; i < n_; ++i) s += at(i, k) * y_[i];
    s *= beta_[k];
    y_[k] -= s;
    for (int i = k + 1; i < n_; ++i) y_[i] -= s * at(i, k);
  }
  back_substitute(y_.data());
  for (int i = rank_; i < n_; ++i) y_[i] = 0;
  const int k = n_ - rank_;
  for (int c = 0; c < k; ++c) {
    z_[c] = 0;
    for (int i = 0; i < n_; ++i) z_[c] += null(i, c) * y_[i];
    for (int m = 0; m < c; ++m) z_[c] -= gram(c, m) * z_[m];
    z_[c] /= gram(c, c);
  }
  for (int c = k - 1; c >= 0; --c) {
    for (int m = c + 1; m < k; ++m) z_[c] -= gram(m, c) * z_[m];
    z_[c] /= gram(c, c);
  }
  for (int c = 0; c < k; ++c)
    for (int i = 0; i < n_; ++i) y_[i] -= z_[c] * null(i, c);
  for (int i = 0; i < n_; ++i) x[static_cast<std::size_t>(order_[i])] = y_[i];
}

}  // namespace marey
