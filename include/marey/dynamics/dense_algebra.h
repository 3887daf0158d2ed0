// Dense matrices and vectors of moderate size, and what is solved with them.
//
// The types here hold numbers and hand out spans of them. What is done with them is plain code in src/dynamics/dense_*.cpp: it serves
// references, starts in equilibrium and Newton steps, not the steps of a simulation, and a library of templates took longer to
// compile than all that it served (docs/decisions/0044-dense-algebra.md).
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace marey {

class Vector {
 public:
  Vector() = default;
  explicit Vector(int size, double value = 0) : x_(static_cast<std::size_t>(size), value) {}
  explicit Vector(std::size_t size) : x_(size) {}
  explicit Vector(std::span<const double> x) : x_(x.begin(), x.end()) {}

  int size() const { return static_cast<int>(x_.size()); }
  double* data() { return x_.data(); }
  const double* data() const { return x_.data(); }
  double& operator[](int i) { return x_[static_cast<std::size_t>(i)]; }
  double operator[](int i) const { return x_[static_cast<std::size_t>(i)]; }
  operator std::span<double>() { return x_; }              // NOLINT: stands for its numbers in every call
  operator std::span<const double>() const { return x_; }  // NOLINT: likewise

  double dot(const Vector& other) const;
  double norm() const;
  double largest() const;  // |x_i|; 0 where there are none
  bool is_finite() const;

  Vector& operator+=(const Vector&);
  Vector& operator-=(const Vector&);
  Vector& operator*=(double);
  Vector& operator/=(double);

 private:
  std::vector<double> x_;
};

inline Vector operator+(Vector a, const Vector& b) { return std::move(a += b); }
inline Vector operator-(Vector a, const Vector& b) { return std::move(a -= b); }
inline Vector operator-(Vector a) { return std::move(a *= -1); }
inline Vector operator*(double s, Vector a) { return std::move(a *= s); }
inline Vector operator/(Vector a, double s) { return std::move(a /= s); }
Vector scaled(const Vector& factors, Vector a);  // entry by entry

// Column by column in memory.
class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int cols)  // of zeros
      : rows_(rows), cols_(cols), entries_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)) {}

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  double* data() { return entries_.data(); }
  const double* data() const { return entries_.data(); }
  double& operator()(int i, int j) { return entries_.data()[offset(j) + static_cast<std::size_t>(i)]; }
  double operator()(int i, int j) const { return entries_.data()[offset(j) + static_cast<std::size_t>(i)]; }
  std::span<double> col(int j) { return std::span<double>(entries_).subspan(offset(j), offset(1)); }
  std::span<const double> col(int j) const { return std::span<const double>(entries_).subspan(offset(j), offset(1)); }
  double norm() const { return entries_.norm(); }  // Frobenius'

  Matrix& operator+=(const Matrix& b) { return entries_ += b.entries_, *this; }
  Matrix& operator-=(const Matrix& b) { return entries_ -= b.entries_, *this; }
  Matrix& operator*=(double s) { return entries_ *= s, *this; }
  Matrix& operator/=(double s) { return entries_ /= s, *this; }

 private:
  std::size_t offset(int j) const { return static_cast<std::size_t>(j) * static_cast<std::size_t>(rows_); }

  int rows_ = 0, cols_ = 0;
  Vector entries_;
};

inline Matrix operator+(Matrix a, const Matrix& b) { return std::move(a += b); }
inline Matrix operator-(Matrix a, const Matrix& b) { return std::move(a -= b); }
inline Matrix operator/(Matrix a, double s) { return std::move(a /= s); }
Matrix operator*(const Matrix& A, const Matrix& B);
Vector operator*(const Matrix& A, const Vector& x);
Matrix transpose_times(const Matrix& A, const Matrix& B);  // Aᵀ B
Vector transpose_times(const Matrix& A, const Vector& x);  // Aᵀ x
Matrix transpose(const Matrix& A);
Matrix symmetric_part(const Matrix& A);  // ½ (A + Aᵀ)
Matrix last_columns(const Matrix& A, int count);
Matrix columns_scaled(Matrix A, const Vector& factors);        // A diag(factors)
Matrix scaled_on_both_sides(Matrix A, const Vector& factors);  // diag(factors) A diag(factors)
Vector column_norms(const Matrix& A);
Vector diagonal(const Matrix& A);

// b − A x, summed in extended precision: what a solution is refined by.
Vector extended_residual(const Matrix& A, const Vector& x, const Vector& b);

// A = L Lᵀ, of the lower triangle of A.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(const Matrix& A);
  bool ok() const;  // whether A is positive definite
  Matrix solve(const Matrix& B) const;
  Vector solve(const Vector& b) const;
  Matrix solve_lower(const Matrix& B) const;  // L⁻¹ B
  Vector solve_lower(const Vector& b) const;
  Matrix solve_upper(const Matrix& B) const;  // L⁻ᵀ B
  Vector solve_upper(const Vector& b) const;
  Vector times(const Vector& x) const;  // L Lᵀ x

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

// P A = L U, with partial pivoting.
class LU {
 public:
  explicit LU(const Matrix& A);
  Vector solve(const Vector& b) const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

// A P = Q [T 0; 0 0] Z, where pivots below the threshold times the largest count as nothing.
class CompleteOrthogonal {
 public:
  CompleteOrthogonal() = default;
  CompleteOrthogonal(const Matrix& A, double threshold);
  int rank() const;
  Vector solve(const Vector& b) const;  // the shortest of those that leave least
  Matrix basis() const;  // Q: the first rank() columns span those of A, the others what is orthogonal to them

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

Vector least_squares(const Matrix& A, const Vector& b);           // x of the least |A x − b|, A of full rank
Vector shortest_with_products(const Matrix& A, const Vector& b);  // the shortest x with Aᵀ x = b, A of full rank
Matrix completed_basis(const Matrix& A);  // orthogonal; the first columns span those of A, which has full rank

// Of a symmetric A, in rising order.
Vector eigenvalues(const Matrix& A);

// A u = λ D u, both symmetric; uᵀ D u = 1.
struct Spectrum {
  bool found = false;  // no: what was given are no numbers, D is not positive definite, or the iteration did not end
  Vector values;       // rising
  Matrix vectors;      // in columns
};
Spectrum spectrum(const Matrix& A, const Matrix& D);

}  // namespace marey
