// Eigenvalues of symmetric matrices, by rotations that take one entry away after the other (C. G. J. Jacobi, Crelle's Journal 30,
// 1846), round by round through all entries:
//   A ← Gᵀ A G,   G the turn of the axes p and q by θ,   cot 2θ = (A_qq − A_pp)/(2 A_pq),   |θ| ≤ π/4                          (1)
// What is left beside the diagonal falls quadratically once it is small; a matrix of a few hundred rows takes six to ten rounds of 2n³
// multiplications. Small eigenvalues of a positive definite matrix come out as exact as its entries allow (J. Demmel and K. Veselić,
// SIAM J. Matrix Anal. Appl. 13, 1992), which condition numbers are asked for.
//
// A u = λ D u with D = L Lᵀ is (L⁻¹ A L⁻ᵀ) y = λ y with u = L⁻ᵀ y.                                                             (2)
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>

#include "marey/dynamics/dense_algebra.h"

namespace marey {
namespace {

constexpr int most_rounds = 60;

class Rotations {
 public:
  // vectors: their columns are turned, too; of any number of rows.
  Rotations(Matrix A, Matrix vectors) : A_(std::move(A)), vectors_(std::move(vectors)) {
    const double size = A_.norm();
    least_ = DBL_EPSILON * DBL_EPSILON * size;
    for (int round = 0; round < most_rounds && !done_ && std::isfinite(size); ++round) go_round();
  }
  bool done() const { return done_; }
  double value(int k) const { return A_(k, k); }
  const Matrix& vectors() const { return vectors_; }

 private:
  static void turn(std::span<double> p, std::span<double> q, double c, double s) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double x = p[i], y = q[i];
      p[i] = c * x - s * y, q[i] = s * x + c * y;
    }
  }
  void take_away(int p, int q);
  void go_round();

  Matrix A_, vectors_;
  double least_ = 0;  // what no entry is felt below
  bool done_ = false;
};

void Rotations::take_away(int p, int q) {
  const double apart = (A_(q, q) - A_(p, p)) / (2 * A_(p, q));                            // cot 2θ
  const double t = std::copysign(1 / (std::abs(apart) + std::hypot(1.0, apart)), apart);  // tan θ
  const double c = 1 / std::hypot(1.0, t), s = t * c;
  const double a = A_(p, p) - t * A_(p, q), b = A_(q, q) + t * A_(p, q);
  turn(A_.col(p), A_.col(q), c, s);
  for (int k = 0; k < A_.rows(); ++k) A_(p, k) = A_(k, p), A_(q, k) = A_(k, q);
  A_(p, p) = a, A_(q, q) = b, A_(p, q) = A_(q, p) = 0;
  turn(vectors_.col(p), vectors_.col(q), c, s);
}

// Done where no entry is felt beside those of the diagonal any more.
void Rotations::go_round() {
  done_ = true;
  for (int q = 1; q < A_.cols(); ++q)
    for (int p = 0; p < q; ++p) {
      const double felt = std::sqrt(std::abs(A_(p, p))) * std::sqrt(std::abs(A_(q, q)));
      if (std::abs(A_(p, q)) <= std::max(DBL_EPSILON * felt, least_)) continue;
      done_ = false;
      take_away(p, q);
    }
}

std::vector<int> in_rising_order(const Rotations& turned, int count) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int k) { return turned.value(k); });
  return order;
}

// The lower triangle is what counts.
Matrix mirrored(Matrix A) {
  for (int j = 0; j < A.cols(); ++j)
    for (int i = j + 1; i < A.rows(); ++i) A(j, i) = A(i, j);
  return A;
}

}  // namespace

Vector eigenvalues(const Matrix& A) {
  const Rotations turned(mirrored(A), Matrix(0, A.cols()));
  Vector out(A.cols());
  int next = 0;
  for (const int k : in_rising_order(turned, A.cols())) out[next++] = turned.value(k);
  return out;
}

Spectrum spectrum(const Matrix& A, const Matrix& D) {  // (2)
  const int n = A.cols();
  const Cholesky L(D);
  if (!L.ok()) return {};
  const Matrix half = L.solve_lower(mirrored(A)), C = symmetric_part(L.solve_lower(transpose(half)));
  Matrix one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = 1;
  const Rotations turned(C, L.solve_upper(one));
  if (!turned.done()) return {};
  Spectrum out{true, Vector(n), Matrix(n, n)};
  int next = 0;
  for (const int k : in_rising_order(turned, n)) {
    out.values[next] = turned.value(k);
    std::ranges::copy(turned.vectors().col(k), out.vectors.col(next++).begin());
  }
  return out;
}

}  // namespace marey
