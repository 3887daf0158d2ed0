// Orthogonal factors by reflections (A. S. Householder, Unitary triangularization of a nonsymmetric matrix, J. ACM 5, 1958).
//
// A column x becomes (β, 0, …) by H = 1 − τ w wᵀ with w₁ = 1,
//   β = −sign(x₁)|x|,   w = x/(x₁ − β) but for w₁,   τ = (β − x₁)/β                                                          (1)
// so that A P = Q R, Q = H₁ H₂ …. With pivots the column that has most left comes first (P. Businger and G. Golub, Numer. Math. 7,
// 1965). Where only r rows of R count, A P = Q [W; 0], and the shortest x with the least |A x − b| is
//   x = P y,   y the shortest with W y = c,   c the first r of Qᵀ b;   with Wᵀ = Q₂ R₂:   y = Q₂ [R₂⁻ᵀ c; 0]                   (2)
#include <algorithm>
#include <cmath>
#include <numeric>

#include "marey/dynamics/dense_algebra.h"

namespace marey {
namespace {

class Reflections {
 public:
  Reflections() = default;
  Reflections(const Matrix& A, bool pivots);

  int count() const { return std::min(A_.rows(), A_.cols()); }
  double R(int i, int j) const { return A_(i, j); }
  int column(int j) const { return columns_[static_cast<std::size_t>(j)]; }  // of A, that stands here
  void times_Q(std::span<double> x) const {
    for (int k = count() - 1; k >= 0; --k) reflect(k, x);
  }
  void times_Q_transposed(std::span<double> x) const {
    for (int k = 0; k < count(); ++k) reflect(k, x);
  }
  Matrix Q() const;

 private:
  std::span<const double> below(int k) const { return A_.col(k).subspan(static_cast<std::size_t>(k) + 1); }
  double left_of(int j, int from) const;
  void reflect(int k, std::span<double> x) const;
  void make(int k);

  Matrix A_;  // R, and w of (1) below its diagonal
  std::vector<double> tau_;
  std::vector<int> columns_;
};

Reflections::Reflections(const Matrix& A, bool pivots) : A_(A), columns_(static_cast<std::size_t>(A.cols())) {
  std::iota(columns_.begin(), columns_.end(), 0);
  for (int k = 0; k < count(); ++k) {
    if (pivots) {
      int most = k;
      for (int j = k + 1; j < A_.cols(); ++j)
        if (left_of(j, k) > left_of(most, k)) most = j;
      if (most != k) {
        std::ranges::swap_ranges(A_.col(k), A_.col(most));
        std::swap(columns_[static_cast<std::size_t>(k)], columns_[static_cast<std::size_t>(most)]);
      }
    }
    make(k);
    for (int j = k + 1; j < A_.cols(); ++j) reflect(k, A_.col(j));
  }
}

double Reflections::left_of(int j, int from) const {
  double sum = 0;
  for (const double x : A_.col(j).subspan(static_cast<std::size_t>(from))) sum += x * x;
  return sum;
}

void Reflections::make(int k) {  // (1)
  const double x = A_(k, k), rest = left_of(k, k + 1);
  if (rest == 0) {
    tau_.push_back(0);
    return;
  }
  const double beta = -std::copysign(std::sqrt(x * x + rest), x);
  for (double& w : A_.col(k).subspan(static_cast<std::size_t>(k) + 1)) w /= x - beta;
  A_(k, k) = beta;
  tau_.push_back((beta - x) / beta);
}

void Reflections::reflect(int k, std::span<double> x) const {
  const std::span<const double> w = below(k);
  const std::span<double> y = x.subspan(static_cast<std::size_t>(k));
  double sum = y[0];
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * y[i + 1];
  sum *= tau_[static_cast<std::size_t>(k)];
  y[0] -= sum;
  for (std::size_t i = 0; i < w.size(); ++i) y[i + 1] -= sum * w[i];
}

Matrix Reflections::Q() const {
  Matrix out(A_.rows(), A_.rows());
  for (int j = 0; j < out.cols(); ++j) out(j, j) = 1, times_Q(out.col(j));
  return out;
}

}  // namespace

struct CompleteOrthogonal::Factors {
  Reflections of;      // A P = Q [W; 0]
  Reflections across;  // Wᵀ = Q₂ R₂
  int rank = 0, rows = 0, columns = 0;
};
CompleteOrthogonal::CompleteOrthogonal(const Matrix& A, double threshold) {
  const auto factors = std::make_shared<Factors>();
  Factors& f = *factors;
  f.of = Reflections(A, true), f.rows = A.rows(), f.columns = A.cols();
  double most = 0;
  for (int k = 0; k < f.of.count(); ++k) most = std::max(most, std::abs(f.of.R(k, k)));
  while (f.rank < f.of.count() && std::abs(f.of.R(f.rank, f.rank)) > threshold * most) ++f.rank;
  Matrix W_transposed(A.cols(), f.rank);
  for (int i = 0; i < f.rank; ++i)
    for (int j = i; j < A.cols(); ++j) W_transposed(j, i) = f.of.R(i, j);
  f.across = Reflections(W_transposed, false);
  factors_ = factors;
}
int CompleteOrthogonal::rank() const { return factors_->rank; }
Vector CompleteOrthogonal::solve(const Vector& b) const {  // (2)
  const Factors& f = *factors_;
  Vector c = b, y(f.columns), x(f.columns);
  f.of.times_Q_transposed(c);
  for (int i = 0; i < f.rank; ++i) {
    y[i] = c[i];
    for (int k = 0; k < i; ++k) y[i] -= f.across.R(k, i) * y[k];
    y[i] /= f.across.R(i, i);
  }
  f.across.times_Q(y);
  for (int j = 0; j < f.columns; ++j) x[f.of.column(j)] = y[j];
  return x;
}
Matrix CompleteOrthogonal::basis() const { return factors_->of.Q(); }

Vector least_squares(const Matrix& A, const Vector& b) {
  const Reflections factors(A, true);
  Vector c = b, x(A.cols());
  factors.times_Q_transposed(c);
  for (int i = A.cols() - 1; i >= 0; --i) {
    double sum = c[i];
    for (int j = i + 1; j < A.cols(); ++j) sum -= factors.R(i, j) * x[factors.column(j)];
    x[factors.column(i)] = sum / factors.R(i, i);
  }
  return x;
}
Vector shortest_with_products(const Matrix& A, const Vector& b) { return A * Cholesky(transpose_times(A, A)).solve(b); }
Matrix completed_basis(const Matrix& A) { return Reflections(A, false).Q(); }

}  // namespace marey
