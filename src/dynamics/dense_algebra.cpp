#include "marey/dynamics/dense_algebra.h"

// gcc 12 takes Eigen's AVX-512 intrinsics for uninitialised reads.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Dense>
#include <algorithm>

namespace marey {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

Eigen::Map<const VectorXd> seen(const Vector& x) { return {x.data(), x.size()}; }
Eigen::Map<VectorXd> seen(Vector& x) { return {x.data(), x.size()}; }
Eigen::Map<const MatrixXd> seen(const Matrix& A) { return {A.data(), A.rows(), A.cols()}; }
Eigen::Map<MatrixXd> seen(Matrix& A) { return {A.data(), A.rows(), A.cols()}; }

// What Eigen makes of an expression, as a type of ours.
Vector vector_of(const VectorXd& x) { return Vector(std::span(x.data(), static_cast<std::size_t>(x.size()))); }
Matrix matrix_of(const MatrixXd& A) {
  Matrix out(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  seen(out) = A;
  return out;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- entries
double Vector::dot(const Vector& other) const { return seen(*this).dot(seen(other)); }
double Vector::norm() const { return seen(*this).norm(); }
double Vector::largest() const { return x_.empty() ? 0 : seen(*this).cwiseAbs().maxCoeff(); }
bool Vector::is_finite() const { return seen(*this).allFinite(); }

Vector& Vector::operator+=(const Vector& b) { return seen(*this) += seen(b), *this; }
Vector& Vector::operator-=(const Vector& b) { return seen(*this) -= seen(b), *this; }
Vector& Vector::operator*=(double s) { return seen(*this) *= s, *this; }
Vector& Vector::operator/=(double s) { return seen(*this) /= s, *this; }

Vector scaled(const Vector& factors, Vector a) {
  for (int i = 0; i < a.size(); ++i) a[i] *= factors[i];
  return a;
}

Matrix transpose(const Matrix& A) {
  Matrix out(A.cols(), A.rows());
  seen(out) = seen(A).transpose();
  return out;
}
Matrix symmetric_part(const Matrix& A) {
  Matrix out = A + transpose(A);
  return out *= 0.5;
}
Matrix last_columns(const Matrix& A, int count) {
  Matrix out(A.rows(), count);
  seen(out) = seen(A).rightCols(count);
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
  for (int j = 0; j < A.cols(); ++j) out[j] = seen(A).col(j).norm();
  return out;
}
Vector diagonal(const Matrix& A) {
  Vector out(std::min(A.rows(), A.cols()));
  for (int i = 0; i < out.size(); ++i) out[i] = A(i, i);
  return out;
}

// ------------------------------------------------------------------------------------------------------ products
Matrix operator*(const Matrix& A, const Matrix& B) { return matrix_of(seen(A) * seen(B)); }
Vector operator*(const Matrix& A, const Vector& x) { return vector_of(seen(A) * seen(x)); }
Matrix transpose_times(const Matrix& A, const Matrix& B) { return matrix_of(seen(A).transpose() * seen(B)); }
Vector transpose_times(const Matrix& A, const Vector& x) { return vector_of(seen(A).transpose() * seen(x)); }

Vector extended_residual(const Matrix& A, const Vector& x, const Vector& b) {
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> residual =
      seen(b).cast<long double>() - seen(A).cast<long double>() * seen(x).cast<long double>();
  return vector_of(residual.cast<double>());
}

// ------------------------------------------------------------------------------------------------ decompositions
struct Cholesky::Factors {
  Eigen::LLT<MatrixXd> of;
};
Cholesky::Cholesky(const Matrix& A) : factors_(std::make_shared<Factors>(Factors{Eigen::LLT<MatrixXd>(seen(A))})) {}
bool Cholesky::ok() const { return factors_->of.info() == Eigen::Success; }
Matrix Cholesky::solve(const Matrix& B) const { return solve_upper(solve_lower(B)); }
Vector Cholesky::solve(const Vector& b) const { return solve_upper(solve_lower(b)); }
Matrix Cholesky::solve_lower(const Matrix& B) const { return matrix_of(factors_->of.matrixL().solve(seen(B))); }
Vector Cholesky::solve_lower(const Vector& b) const { return vector_of(factors_->of.matrixL().solve(seen(b))); }
Matrix Cholesky::solve_upper(const Matrix& B) const { return matrix_of(factors_->of.matrixU().solve(seen(B))); }
Vector Cholesky::solve_upper(const Vector& b) const { return vector_of(factors_->of.matrixU().solve(seen(b))); }
Vector Cholesky::times(const Vector& x) const {
  return vector_of(factors_->of.matrixL() * (factors_->of.matrixU() * seen(x)));
}

struct LU::Factors {
  Eigen::PartialPivLU<MatrixXd> of;
};
LU::LU(const Matrix& A) : factors_(std::make_shared<Factors>(Factors{Eigen::PartialPivLU<MatrixXd>(seen(A))})) {}
Vector LU::solve(const Vector& b) const { return vector_of(factors_->of.solve(seen(b))); }

struct CompleteOrthogonal::Factors {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> of;
};
CompleteOrthogonal::CompleteOrthogonal(const Matrix& A, double threshold) {
  const auto factors = std::make_shared<Factors>();
  factors->of.setThreshold(threshold);
  factors->of.compute(seen(A));
  factors_ = factors;
}
int CompleteOrthogonal::rank() const { return static_cast<int>(factors_->of.rank()); }
Vector CompleteOrthogonal::solve(const Vector& b) const { return vector_of(factors_->of.solve(seen(b))); }
Matrix CompleteOrthogonal::basis() const { return matrix_of(factors_->of.householderQ()); }

Vector least_squares(const Matrix& A, const Vector& b) {
  return vector_of(Eigen::ColPivHouseholderQR<MatrixXd>(seen(A)).solve(seen(b)));
}
Vector shortest_with_products(const Matrix& A, const Vector& b) {
  const auto S = seen(A);
  return vector_of(S * (S.transpose() * S).ldlt().solve(seen(b)));
}
Matrix completed_basis(const Matrix& A) { return matrix_of(Eigen::HouseholderQR<MatrixXd>(seen(A)).householderQ()); }

// -------------------------------------------------------------------------------------------------------- modes
Vector eigenvalues(const Matrix& A) {
  return vector_of(Eigen::SelfAdjointEigenSolver<MatrixXd>(seen(A), Eigen::EigenvaluesOnly).eigenvalues());
}
Spectrum spectrum(const Matrix& A, const Matrix& D) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(seen(A), seen(D));
  if (solver.info() != Eigen::Success) return {};
  return {true, vector_of(solver.eigenvalues()), matrix_of(solver.eigenvectors())};
}

}  // namespace marey
