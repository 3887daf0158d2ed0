// Each answer put into the equation it is to solve, entry by entry, with plain loops.
//
// Backward stable methods on n ≤ 40 well-scaled unknowns leave residuals of a few n ε of the terms, ε = 2⁻⁵². The bound of 1e-12 is 100 n ε.
#include "marey/dynamics/dense_algebra.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "support/random_figure.h"

namespace {

using marey::Matrix, marey::Vector;

constexpr double small = 1e-12;
constexpr int sizes[] = {1, 2, 5, 12, 40};

Matrix random_matrix(int rows, int cols, figures::Random& random) {
  Matrix A(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) A(i, j) = random.normal();
  return A;
}
Vector random_vector(int n, figures::Random& random) { return Vector(random_matrix(n, 1, random).col(0)); }

double plain_product(const Matrix& A, const Matrix& B, int i, int j) {
  double sum = 0;
  for (int k = 0; k < A.cols(); ++k) sum += A(i, k) * B(k, j);
  return sum;
}
Matrix plain_product(const Matrix& A, const Matrix& B) {
  Matrix out(A.rows(), B.cols());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < B.cols(); ++j) out(i, j) = plain_product(A, B, i, j);
  return out;
}
Matrix plain_transpose(const Matrix& A) {
  Matrix out(A.cols(), A.rows());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) out(j, i) = A(i, j);
  return out;
}
Matrix as_column(const Vector& x) {
  Matrix out(x.size(), 1);
  for (int i = 0; i < x.size(); ++i) out(i, 0) = x[i];
  return out;
}
// B Bᵀ + n 1: a condition of about four.
Matrix random_definite(int n, figures::Random& random) {
  const Matrix B = random_matrix(n, n, random);
  Matrix A = plain_product(B, plain_transpose(B));
  for (int i = 0; i < n; ++i) A(i, i) += n;
  return A;
}

void expect_near(const Matrix& a, const Matrix& b, double scale) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), small * scale) << i << ", " << j;
}
void expect_near(const Vector& a, const Matrix& b, double scale) { expect_near(as_column(a), b, scale); }
void expect_orthogonal(const Matrix& Q) {
  Matrix one(Q.rows(), Q.rows());
  for (int i = 0; i < Q.rows(); ++i) one(i, i) = 1;
  expect_near(plain_product(plain_transpose(Q), Q), one, 1);
}

TEST(DenseAlgebra, ProductsAndEntries) {
  figures::Random random(1);
  for (const int n : sizes) {
    const int m = n / 2 + 1;
    const Matrix A = random_matrix(n, m, random), B = random_matrix(m, n, random), C = random_matrix(n, m, random);
    const Vector x = random_vector(m, random), y = random_vector(n, random);
    expect_near(A * B, plain_product(A, B), n);
    expect_near(transpose_times(A, C), plain_product(plain_transpose(A), C), n);
    expect_near(A * x, plain_product(A, as_column(x)), n);
    expect_near(transpose_times(A, y), plain_product(plain_transpose(A), as_column(y)), n);
    expect_near(transpose(A), plain_transpose(A), 0);
    const Matrix S = plain_product(A, B), T = symmetric_part(S), both = scaled_on_both_sides(S, y);
    const Matrix last = last_columns(S, m), by_column = columns_scaled(A, x);
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(diagonal(S)[i], S(i, i));
      for (int j = 0; j < n; ++j) {
        EXPECT_EQ(T(i, j), 0.5 * (S(i, j) + S(j, i)));
        EXPECT_NEAR(both(i, j), y[i] * S(i, j) * y[j], small * (1 + std::abs(both(i, j))));
      }
      for (int j = 0; j < m; ++j) {
        EXPECT_EQ(last(i, j), S(i, n - m + j));
        EXPECT_EQ(by_column(i, j), A(i, j) * x[j]);
      }
    }
    for (int j = 0; j < m; ++j) {
      double square = 0;
      for (const double a : A.col(j)) square += a * a;
      EXPECT_NEAR(column_norms(A)[j], std::sqrt(square), small * n);
    }
  }
}

TEST(DenseAlgebra, VectorsAsWhole) {
  Vector x(3), y(3, 2.0);
  x[0] = 3, x[1] = -4;
  EXPECT_EQ(x.norm(), 5);
  EXPECT_EQ(x.dot(y), -2);
  EXPECT_EQ(x.largest(), 4);
  EXPECT_EQ(Vector().largest(), 0);
  EXPECT_EQ((-x)[1], 4);
  EXPECT_EQ((2 * x - y / 2 + y)[0], 7);
  EXPECT_EQ(scaled(x, y)[1], -8);
  EXPECT_TRUE(x.is_finite());
  x[2] = std::nan("");
  EXPECT_FALSE(x.is_finite());
  x[2] = INFINITY;
  EXPECT_FALSE(x.is_finite());
}

TEST(DenseAlgebra, CholeskyAndItsHalves) {
  figures::Random random(2);
  for (const int n : sizes) {
    const Matrix A = random_definite(n, random), B = random_matrix(n, 3, random);
    const Vector b = random_vector(n, random);
    const marey::Cholesky factors(A);
    ASSERT_TRUE(factors.ok());
    expect_near(plain_product(A, factors.solve(B)), B, n);
    expect_near(as_column(b), plain_product(A, as_column(factors.solve(b))), n);
    expect_near(factors.times(b), plain_product(A, as_column(b)), n * n);
    // L⁻¹ A L⁻ᵀ = 1, and what is done to a column is done to a matrix.
    Matrix one(n, n);
    for (int i = 0; i < n; ++i) one(i, i) = 1;
    const Matrix upper = factors.solve_upper(one);  // L⁻ᵀ
    expect_near(factors.solve_lower(plain_product(A, upper)), one, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) EXPECT_EQ(upper(i, j), 0);
    expect_near(factors.solve_upper(b), plain_product(upper, as_column(b)), n);
    expect_near(factors.solve_lower(b), plain_product(plain_transpose(upper), as_column(b)), n);
    Matrix indefinite = A;
    indefinite(n - 1, n - 1) = -1;
    EXPECT_FALSE(marey::Cholesky(indefinite).ok());
  }
}

TEST(DenseAlgebra, EliminationAndItsRefinement) {
  figures::Random random(3);
  for (const int n : sizes) {
    Matrix A = random_matrix(n, n, random);
    if (n > 1) A(0, 0) = 0;  // asks for a pivot
    const Vector b = random_vector(n, random);
    const marey::LU factors(A);
    Vector x = factors.solve(b);
    expect_near(as_column(b), plain_product(A, as_column(x)), n * x.norm());
    x += factors.solve(extended_residual(A, x, b));
    EXPECT_LE(extended_residual(A, x, b).norm(), n * DBL_EPSILON * A.norm() * x.norm());
  }
}
// 1 + 2⁻⁶⁰ less one is 2⁻⁶⁰ only for who keeps more than 53 digits.
TEST(DenseAlgebra, ResidualsAreSummedInExtendedPrecision) {
  Matrix A(1, 2);
  A(0, 0) = 1, A(0, 1) = 0x1p-60;
  EXPECT_EQ(extended_residual(A, Vector(2, 1.0), Vector(1, 1.0))[0], -0x1p-60);
}

TEST(DenseAlgebra, CompleteOrthogonalFindsRankSpaceAndShortestSolution) {
  figures::Random random(4);
  for (const int n : sizes) {
    const int m = n + 2, rank = (n + 1) / 2;
    const Matrix A = plain_product(random_matrix(n, rank, random), random_matrix(rank, m, random));
    const marey::CompleteOrthogonal factors(A, 1e-10);
    EXPECT_EQ(factors.rank(), rank);
    const Matrix Q = factors.basis();
    expect_orthogonal(Q);
    // What is orthogonal to A's columns.
    expect_near(plain_product(plain_transpose(last_columns(Q, n - rank)), A), Matrix(n - rank, m), A.norm());
    // A solution A c, of right sides that have one, is Aᵀ y for some y: orthogonal to what A takes to zero.
    const Vector c = random_vector(m, random), x = factors.solve(A * c);
    expect_near(A * x, plain_product(A, as_column(c)), 10 * A.norm() * c.norm());
    const Matrix nothing =
        last_columns(marey::CompleteOrthogonal(plain_transpose(A), 1e-10).basis(), m - rank);  // A nothing = 0
    expect_near(transpose_times(nothing, x), Matrix(m - rank, 1), 10 * (1 + x.norm()));
  }
  // The threshold is relative to the largest.
  Matrix two(2, 2);
  two(0, 0) = 1e6, two(1, 1) = 1e-3;
  EXPECT_EQ(marey::CompleteOrthogonal(two, 1e-8).rank(), 1);
  EXPECT_EQ(marey::CompleteOrthogonal(two, 1e-10).rank(), 2);
}

TEST(DenseAlgebra, ColumnsOfFullRank) {
  figures::Random random(5);
  for (int k = 1; k <= 6; ++k) {
    const Matrix A = random_matrix(6, k, random);
    const Vector b = random_vector(6, random), t = random_vector(k, random);
    const Vector left = b - A * least_squares(A, b);
    expect_near(transpose_times(A, left), Matrix(k, 1), 100);
    const Vector x = shortest_with_products(A, t);
    expect_near(transpose_times(A, x), as_column(t), 100 * (1 + x.norm()));
    const Matrix Q = completed_basis(A);
    expect_orthogonal(Q);
    expect_near(plain_product(plain_transpose(last_columns(Q, 6 - k)), A), Matrix(6 - k, k), 10);
    // The shortest is a sum of A's columns.
    expect_near(transpose_times(last_columns(Q, 6 - k), x), Matrix(6 - k, 1), 100 * (1 + x.norm()));
  }
}

TEST(DenseAlgebra, EigenvaluesAndModes) {
  figures::Random random(6);
  for (const int n : sizes) {
    const Matrix A = symmetric_part(random_matrix(n, n, random)), D = random_definite(n, random);
    const marey::Spectrum modes = spectrum(A, D);
    ASSERT_TRUE(modes.found);
    Matrix one(n, n);
    for (int i = 0; i < n; ++i) one(i, i) = 1;
    const Matrix& u = modes.vectors;
    expect_near(plain_product(A, u), columns_scaled(plain_product(D, u), modes.values), 10 * n);
    expect_near(plain_product(plain_transpose(u), plain_product(D, u)), one, 10);
    // Against D = 1; their sum is the trace.
    const Vector values = eigenvalues(A), same = spectrum(A, one).values;
    double sum = 0, trace = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(values[i], same[i], small * n);
      if (i > 0) {
        EXPECT_LE(values[i - 1], values[i]);
        EXPECT_LE(modes.values[i - 1], modes.values[i]);
      }
      sum += values[i], trace += A(i, i);
    }
    EXPECT_NEAR(sum, trace, small * n * n);
  }
  Matrix no_numbers(2, 2), one(2, 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) no_numbers(i, j) = std::nan(""), one(i, j) = i == j;
  EXPECT_FALSE(spectrum(no_numbers, one).found);
}

// A = S B S with S from 1 to 1e-6: eigenvalues from 10 to 1e-11 whose product is the determinant, Π L_jj². Relative errors of n ε each
// leave it right to n² ε; an error of ε |A| in the least would be one of 1e-4.
TEST(DenseAlgebra, SmallEigenvaluesAreAsExactAsLargeOnes) {
  figures::Random random(7);
  for (const int n : {3, 12}) {
    Vector scales(n);
    for (int i = 0; i < n; ++i) scales[i] = std::pow(10, -6.0 * i / (n - 1));
    const Matrix A = scaled_on_both_sides(random_definite(n, random), scales);
    double determinant = 1;
    const Vector values = eigenvalues(A);
    // L_jj: what L does to the j-th axis, in that axis.
    for (int j = 0; j < n; ++j) {
      Vector axis(n);
      axis[j] = 1;
      determinant *= values[j] * std::pow(marey::Cholesky(A).solve_lower(axis)[j], 2);
    }
    EXPECT_NEAR(determinant, 1, small * n);
  }
}

// A matrix of rank one has eigenvalues that are nothing but rounding, and comes to an end all the same.
TEST(DenseAlgebra, ModesOfASingularMatrixAreFound) {
  figures::Random random(8);
  const Vector a = random_vector(20, random);
  Matrix A(20, 20), one(20, 20);
  for (int i = 0; i < 20; ++i) {
    one(i, i) = 1;
    for (int j = 0; j < 20; ++j) A(i, j) = a[i] * a[j];
  }
  const marey::Spectrum modes = spectrum(A, one);
  ASSERT_TRUE(modes.found);
  EXPECT_NEAR(modes.values[19], a.dot(a), small * a.dot(a));
  for (int i = 0; i < 19; ++i) EXPECT_NEAR(modes.values[i], 0, small);
  EXPECT_FALSE(spectrum(one, A).found) << "against what is not positive definite";
}

// Of many rows by another way than of few: the same values, and those of a matrix that falls into blocks.
TEST(DenseAlgebra, EigenvaluesOfManyRows) {
  figures::Random random(9);
  constexpr int n = 90;
  Matrix A = symmetric_part(random_matrix(n, n, random)), one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = 1;
  const Vector values = eigenvalues(A), same = spectrum(A, one).values;
  for (int i = 0; i < n; ++i) EXPECT_NEAR(values[i], same[i], small * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i / 3 != j / 3) A(i, j) = 0;
  const Vector of_blocks = eigenvalues(A);
  double sum = 0, trace = 0, squares = 0;
  for (int i = 0; i < n; ++i) sum += of_blocks[i], trace += A(i, i), squares += of_blocks[i] * of_blocks[i];
  EXPECT_NEAR(sum, trace, small * n);
  EXPECT_NEAR(squares, std::pow(A.norm(), 2), small * n);
  EXPECT_EQ(eigenvalues(Matrix(n, n)).largest(), 0);
}

}  // namespace
