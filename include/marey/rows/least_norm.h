// Square linear systems that may be singular: the x of least norm among those with the least residual.
//
// B Π = Q R by Householder reflections with column pivoting; the rank r is the number of diagonal entries of R above
// tolerance × the first. With R = [R₁₁ R₁₂] of its first r rows, a basic solution is x_b = Π [R₁₁⁻¹ (Qᵀ b); 0], and the
// columns of N = Π [−R₁₁⁻¹ R₁₂; 1] span the null space; x = x_b − N (NᵀN)⁻¹ Nᵀ x_b.
#pragma once

#include <span>
#include <vector>

namespace marey {

class LeastNorm {
 public:
  explicit LeastNorm(int max_size);
  // Factors the n × n row-major matrix B; returns its rank.
  int factor(int n, std::span<const double> B, double tolerance);
  // The same with a rank that does not flicker: among those that tolerances from `low` to `high` would give, the
  // nearest to the one before.
  int factor(int n, std::span<const double> B, double low, double high, int before);
  void solve(std::span<const double> rhs, std::span<double> x);
  int rank() const { return rank_; }

 private:
  double& at(int i, int j) { return qr_[static_cast<std::size_t>(j * n_ + i)]; }  // by columns
  double& null(int i, int j) { return null_[static_cast<std::size_t>(j * n_ + i)]; }
  double& gram(int i, int j) { return gram_[static_cast<std::size_t>(j * n_ + i)]; }
  void reflect(int k);
  void make_null_space();
  void back_substitute(double* x);  // R₁₁⁻¹ in place

  int n_ = 0, rank_ = 0;
  std::vector<double> qr_, beta_, null_, gram_, y_, z_;
  std::vector<int> order_;
};

}  // namespace marey
