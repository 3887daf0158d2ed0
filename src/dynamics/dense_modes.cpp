// Eigenvalues of symmetric matrices, by rotations that take one entry away after the other (C. G. J. Jacobi, Crelle's Journal 30,
// 1846), round by round through all entries:
//   A ← Gᵀ A G,   G the turn of the axes p and q by θ,   cot 2θ = (A_qq − A_pp)/(2 A_pq),   |θ| ≤ π/4                          (1)
// What is left beside the diagonal falls quadratically once it is small; a matrix of a few hundred rows takes six to ten rounds of 2n³
// multiplications. Small eigenvalues of a positive definite matrix come out as exact as its entries allow (J. Demmel and K. Veselić,
// SIAM J. Matrix Anal. Appl. 13, 1992), which condition numbers are asked for.
//
// Where there are more than a few dozen rows that takes too long, and the values alone are found from a tridiagonal form: a column after the
// other becomes (d, e, 0, …) by reflections H = 1 − τ w wᵀ,
//   p = τ A w,   q = p − ½ τ (wᵀp) w,   H A H = A − w qᵀ − q wᵀ                                                               (3)
// 4n³/3 multiplications, and what is left by implicit shifts (H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson, The QR and QL
// algorithms for symmetric matrices, Numer. Math. 11, 1968). These values are exact to ε |A|.
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
constexpr int most_to_turn = 64;  // rows

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

struct Tridiagonal {
  explicit Tridiagonal(Matrix A);
  std::vector<double> d, e;  // [n], of which the last e is 0
};

Tridiagonal::Tridiagonal(Matrix A) : d(static_cast<std::size_t>(A.cols())), e(d.size()) {  // (3)
  const int n = A.cols();
  std::vector<double> w(d.size()), q(d.size());
  for (int k = 0; k < n; ++k) {
    d[static_cast<std::size_t>(k)] = A(k, k);
    if (k + 1 == n) break;
    const auto first = static_cast<std::size_t>(k) + 1;
    const std::span<double> below = A.col(k).subspan(first);
    const double x = below[0], rest = std::inner_product(below.begin() + 1, below.end(), below.begin() + 1, 0.0);
    e[first - 1] = x;
    if (rest == 0) continue;
    const double beta = -std::copysign(std::sqrt(x * x + rest), x), tau = (beta - x) / beta;
    e[first - 1] = beta;
    w[first] = 1;
    for (std::size_t i = first + 1; i < w.size(); ++i) w[i] = below[i - first] / (x - beta);
    std::fill(q.begin(), q.end(), 0.0);
    for (std::size_t j = first; j < w.size(); ++j) {
      const std::span<const double> column = A.col(static_cast<int>(j));
      for (std::size_t i = first; i < w.size(); ++i) q[i] += tau * w[j] * column[i];
    }
    const auto from = static_cast<std::ptrdiff_t>(first);
    const double half = 0.5 * tau * std::inner_product(w.begin() + from, w.end(), q.begin() + from, 0.0);
    for (std::size_t i = first; i < w.size(); ++i) q[i] -= half * w[i];
    for (std::size_t j = first; j < w.size(); ++j) {
      const std::span<double> column = A.col(static_cast<int>(j));
      for (std::size_t i = first; i < w.size(); ++i) column[i] -= w[i] * q[j] + q[i] * w[j];
    }
  }
}

// The first e from `begin` on that is not felt.
std::size_t end_of_block(const Tridiagonal& t, std::size_t begin) {
  while (begin + 1 < t.d.size() &&
         !(std::abs(t.e[begin]) <= DBL_EPSILON * (std::abs(t.d[begin]) + std::abs(t.d[begin + 1]))))
    ++begin;
  return begin;
}

// One step upwards through the block [begin, end], with the shift of its first two rows.
void chase(Tridiagonal& t, std::size_t begin, std::size_t end) {
  const double apart = (t.d[begin + 1] - t.d[begin]) / (2 * t.e[begin]);
  double g = t.d[end] - t.d[begin] + t.e[begin] / (apart + std::copysign(std::hypot(apart, 1.0), apart));
  double s = 1, c = 1, p = 0;
  for (std::size_t i = end; i-- > begin;) {
    const double f = s * t.e[i], b = c * t.e[i], r = std::hypot(f, g);
    t.e[i + 1] = r;
    if (r == 0) {  // the block falls into two
      t.d[i + 1] -= p, t.e[end] = 0;
      return;
    }
    s = f / r, c = g / r;
    const double x = t.d[i + 1] - p, y = (t.d[i] - x) * s + 2 * c * b;
    p = s * y;
    t.d[i + 1] = x + p, g = c * y - b;
  }
  t.d[begin] -= p, t.e[begin] = g, t.e[end] = 0;
}

Vector of_tridiagonal(Tridiagonal t) {
  for (std::size_t k = 0; k < t.d.size(); ++k)
    for (int round = 0; round < most_rounds; ++round) {
      const std::size_t end = end_of_block(t, k);
      if (end == k) break;
      chase(t, k, end);
    }
  std::ranges::sort(t.d);
  return Vector(t.d);
}

// The lower triangle is what counts.
Matrix mirrored(Matrix A) {
  for (int j = 0; j < A.cols(); ++j)
    for (int i = j + 1; i < A.rows(); ++i) A(j, i) = A(i, j);
  return A;
}

}  // namespace

Vector eigenvalues(const Matrix& A) {
  if (A.cols() > most_to_turn) return of_tridiagonal(Tridiagonal(mirrored(A)));
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
