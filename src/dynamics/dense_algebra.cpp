// Products, L Lᵀ and L U. Rotations and reflections are in dense_reflections.cpp and dense_modes.cpp.
//
// L Lᵀ by columns, from the left:                                         L_jj² = A_jj − Σ L_jk²,  L_ij = (A_ij − Σ L_ik L_jk)/L_jj   (1)
// P A = L U by halves of the columns (S. Toledo, Locality of reference in LU decomposition with partial pivoting, SIAM J. Matrix
// Anal. Appl. 18, 1997): the left half by itself; of the right half U₁₂ = L₁₁⁻¹ A₁₂ and A₂₂ ← A₂₂ − L₂₁ U₁₂; then A₂₂.            (2)
// n³/3 and 2n³/3 multiplications and additions.
#include "marey/dynamics/dense_algebra.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

using Span = std::span<double>;
using ConstSpan = std::span<const double>;

double dot(ConstSpan a, ConstSpan b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
// y += s a
void add(double s, ConstSpan a, Span y) {
  for (std::size_t i = 0; i < a.size(); ++i) y[i] += s * a[i];
}
ConstSpan from(const Matrix& A, int i, int j) { return A.col(j).subspan(static_cast<std::size_t>(i)); }
Span from(Matrix& A, int i, int j) { return A.col(j).subspan(static_cast<std::size_t>(i)); }

template <class Answer>  // of a column
Matrix by_columns(const Matrix& B, int rows, Answer&& answer) {
  Matrix out(rows, B.cols());
  for (int j = 0; j < B.cols(); ++j) {
    const Vector x = answer(Vector(B.col(j)));
    std::ranges::copy(ConstSpan(x), out.col(j).begin());
  }
  return out;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- entries
double Vector::dot(const Vector& other) const { return marey::dot(*this, other); }
double Vector::norm() const { return std::sqrt(marey::dot(*this, *this)); }
double Vector::largest() const {
  double most = 0;
  for (const double x : x_) most = std::max(most, std::abs(x));
  return most;
}
bool Vector::is_finite() const {
  return std::ranges::all_of(x_, [](double x) { return std::isfinite(x); });
}

Vector& Vector::operator+=(const Vector& b) { return add(1, b, *this), *this; }
Vector& Vector::operator-=(const Vector& b) { return add(-1, b, *this), *this; }
Vector& Vector::operator*=(double s) {
  for (double& x : x_) x *= s;
  return *this;
}
Vector& Vector::operator/=(double s) {
  for (double& x : x_) x /= s;
  return *this;
}

Vector scaled(const Vector& factors, Vector a) {
  for (int i = 0; i < a.size(); ++i) a[i] *= factors[i];
  return a;
}

Matrix transpose(const Matrix& A) {
  Matrix out(A.cols(), A.rows());
  for (int j = 0; j < A.cols(); ++j)
    for (int i = 0; i < A.rows(); ++i) out(j, i) = A(i, j);
  return out;
}
Matrix symmetric_part(const Matrix& A) {
  Matrix out = A + transpose(A);
  return out *= 0.5;
}
Matrix last_columns(const Matrix& A, int count) {
  Matrix out(A.rows(), count);
  for (int j = 0; j < count; ++j) std::ranges::copy(A.col(A.cols() - count + j), out.col(j).begin());
  return out;
}
Matrix columns_scaled(Matrix A, const Vector& factors) {
  for (int j = 0; j < A.cols(); ++j)
    for (double& x : A.col(j)) x *= factors[j];
  return A;
}
Matrix scaled_on_both_sides(Matrix A, const Vector& factors) {
  for (int j = 0; j < A.cols(); ++j)
    for (int i = 0; i < A.rows(); ++i) A(i, j) = factors[i] * A(i, j) * factors[j];
  return A;
}
Vector column_norms(const Matrix& A) {
  Vector out(A.cols());
  for (int j = 0; j < A.cols(); ++j) out[j] = std::sqrt(dot(A.col(j), A.col(j)));
  return out;
}
Vector diagonal(const Matrix& A) {
  Vector out(std::min(A.rows(), A.cols()));
  for (int i = 0; i < out.size(); ++i) out[i] = A(i, i);
  return out;
}

// ------------------------------------------------------------------------------------------------------ products
Vector operator*(const Matrix& A, const Vector& x) {
  Vector out(A.rows());
  for (int j = 0; j < A.cols(); ++j) add(x[j], A.col(j), out);
  return out;
}
Vector transpose_times(const Matrix& A, const Vector& x) {
  Vector out(A.cols());
  for (int j = 0; j < A.cols(); ++j) out[j] = dot(A.col(j), x);
  return out;
}
Matrix operator*(const Matrix& A, const Matrix& B) {
  return by_columns(B, A.rows(), [&](const Vector& x) { return A * x; });
}
Matrix transpose_times(const Matrix& A, const Matrix& B) {
  return by_columns(B, A.cols(), [&](const Vector& x) { return transpose_times(A, x); });
}

Vector extended_residual(const Matrix& A, const Vector& x, const Vector& b) {
  std::vector<long double> sums(ConstSpan(b).begin(), ConstSpan(b).end());
  for (int j = 0; j < A.cols(); ++j)
    for (int i = 0; i < A.rows(); ++i)
      sums[static_cast<std::size_t>(i)] -= static_cast<long double>(A(i, j)) * static_cast<long double>(x[j]);
  Vector out(b.size());
  std::ranges::transform(sums, Span(out).begin(), [](long double r) { return static_cast<double>(r); });
  return out;
}

// ------------------------------------------------------------------------------------------------------ L Lᵀ
struct Cholesky::Factors {
  Matrix L;
  bool ok = true;
};
Cholesky::Cholesky(const Matrix& A) {
  const auto factors = std::make_shared<Factors>();
  Matrix& L = factors->L = Matrix(A.rows(), A.rows());
  for (int j = 0; j < A.rows() && factors->ok; ++j) {  // (1)
    std::ranges::copy(from(A, j, j), from(L, j, j).begin());
    for (int k = 0; k < j; ++k) add(-L(j, k), from(L, j, k), from(L, j, j));
    factors->ok = L(j, j) > 0;
    const double root = std::sqrt(L(j, j));
    for (double& x : from(L, j, j)) x /= root;
  }
  factors_ = factors;
}
bool Cholesky::ok() const { return factors_->ok; }
Vector Cholesky::solve_lower(const Vector& b) const {
  const Matrix& L = factors_->L;
  Vector x = b;
  for (int j = 0; j < x.size(); ++j) {
    x[j] /= L(j, j);
    add(-x[j], from(L, j + 1, j), Span(x).subspan(static_cast<std::size_t>(j) + 1));
  }
  return x;
}
Vector Cholesky::solve_upper(const Vector& b) const {
  const Matrix& L = factors_->L;
  Vector x = b;
  for (int j = x.size() - 1; j >= 0; --j)
    x[j] = (x[j] - dot(from(L, j + 1, j), ConstSpan(x).subspan(static_cast<std::size_t>(j) + 1))) / L(j, j);
  return x;
}
Vector Cholesky::solve(const Vector& b) const { return solve_upper(solve_lower(b)); }
Matrix Cholesky::solve_lower(const Matrix& B) const {
  return by_columns(B, B.rows(), [&](const Vector& b) { return solve_lower(b); });
}
Matrix Cholesky::solve_upper(const Matrix& B) const {
  return by_columns(B, B.rows(), [&](const Vector& b) { return solve_upper(b); });
}
Matrix Cholesky::solve(const Matrix& B) const { return solve_upper(solve_lower(B)); }
Vector Cholesky::times(const Vector& x) const { return factors_->L * transpose_times(factors_->L, x); }

// ------------------------------------------------------------------------------------------------------- L U
struct LU::Factors {
  Matrix LU;                // L below the diagonal, without its ones; U
  std::vector<int> pivots;  // [n] the row that changed places with row k
};
namespace {

void swap_rows(Matrix& A, int k, int other, int begin, int end) {
  if (other != k)
    for (int j = begin; j < end; ++j) std::swap(A(k, j), A(other, j));
}

Span between(Matrix& A, int i, int end, int j) {
  return A.col(j).subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(end - i));
}

// A_ij ← A_ij − Σ A_ik A_kj over k in [begin, end), of the rows i from `end` on; four k at a time, which reads and writes A_ij once.
void take_products(Matrix& A, int begin, int end, int j) {
  const Span y = from(A, end, j);
  int k = begin;
  for (; k + 4 <= end; k += 4) {
    const ConstSpan a = from(A, end, k), b = from(A, end, k + 1), c = from(A, end, k + 2), d = from(A, end, k + 3);
    const double p = A(k, j), q = A(k + 1, j), r = A(k + 2, j), s = A(k + 3, j);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= a[i] * p + b[i] * q + c[i] * r + d[i] * s;
  }
  for (; k < end; ++k) add(-A(k, j), from(A, end, k), y);
}

// (2) of the columns [begin, end), whose rows from `begin` on are to be made into L and U.
void factor(Matrix& A, int begin, int end, std::vector<int>& pivots) {
  if (end - begin == 1) {
    const Span below = from(A, begin, begin);
    const auto most = std::ranges::max_element(below, {}, [](double x) { return std::abs(x); });
    pivots[static_cast<std::size_t>(begin)] = begin + static_cast<int>(most - below.begin());
    std::swap(below[0], *most);
    if (below[0] != 0)
      for (double& x : below.subspan(1)) x /= below[0];
    return;
  }
  const int middle = begin + (end - begin) / 2;
  factor(A, begin, middle, pivots);
  for (int k = begin; k < middle; ++k) swap_rows(A, k, pivots[static_cast<std::size_t>(k)], middle, end);
  for (int j = middle; j < end; ++j) {
    for (int k = begin; k < middle; ++k) add(-A(k, j), between(A, k + 1, middle, k), between(A, k + 1, middle, j));
    take_products(A, begin, middle, j);
  }
  factor(A, middle, end, pivots);
  for (int k = middle; k < end; ++k) swap_rows(A, k, pivots[static_cast<std::size_t>(k)], begin, middle);
}

}  // namespace

LU::LU(const Matrix& A) {
  const auto factors = std::make_shared<Factors>(Factors{A, std::vector<int>(static_cast<std::size_t>(A.rows()))});
  if (A.rows() > 0) factor(factors->LU, 0, A.rows(), factors->pivots);
  factors_ = factors;
}
Vector LU::solve(const Vector& b) const {
  const Matrix& A = factors_->LU;
  Vector x = b;
  for (int k = 0; k < x.size(); ++k) std::swap(x[k], x[factors_->pivots[static_cast<std::size_t>(k)]]);
  for (int k = 0; k < x.size(); ++k) add(-x[k], from(A, k + 1, k), Span(x).subspan(static_cast<std::size_t>(k) + 1));
  for (int k = x.size() - 1; k >= 0; --k) {
    x[k] /= A(k, k);
    add(-x[k], A.col(k).first(static_cast<std::size_t>(k)), Span(x).first(static_cast<std::size_t>(k)));
  }
  return x;
}

}  // namespace marey
