// A λ = b for rows that may say the same twice or move nothing: their rank is told here.
//
// A = J M⁻¹ Jᵀ has rows of metres beside rows of radians, so that its pivots mean nothing until they are scaled:
//   B_ij = s_i A_ij s_j,   s_i = w_i / √A_ii,   B_ii = w_i²
// With w_i = 1 the rank is that of the rows' directions, whatever their units. But a J whose parts cancel (a force along
// its own lever, a moment across the axis of a hinge that turns freely about it) has a direction that is rounding; its
// weight w_i = |J| over what |J| would be had nothing cancelled keeps it from counting as much as the others. So do levers
// so short beside the way to the root that they may be rounding: a pin put where a hinge is already.
// Of all λ the one with least Σ (λ_i / s_i)² is taken. Only what the rows can do is asked of them.
//
// Most rows are of full rank by far: B = L Lᵀ (Cholesky) with all pivots above 1e-5 says so, and solves. Otherwise
// marey/rows/least_norm.h decides.
#pragma once

#include "marey/rows.h"
#include "marey/rows/least_norm.h"

namespace marey {

// w of a row in terms of velocities; and of its lengths alone.
double row_weight(const Row&);
double row_weight(const RowLengths&);

class RowSystem {
 public:
  explicit RowSystem(int capacity);
  // A: [n × n], symmetric. `weight(i)` as above. `before`: the rank at the instant before, −1 where there is none; the rank
  // does not flicker between instants. Returns the rank.
  template <class Weight>
  int factor(int n, std::span<const double> A, const Weight& weight, int before = -1) {
    for (int i = 0; i < n; ++i) scale_[static_cast<std::size_t>(i)] = weight(i);
    return factor_weighed(n, A, before);
  }
  // The same for what is left of A after other rows were taken out of it, `diagonal` [n] being that of A before. Their
  // weights are 1. False where the rank is in any doubt.
  template <class Weight>
  bool factor_if_full(int n, std::span<const double> left, std::span<const double> diagonal, const Weight& weight) {
    for (int i = 0; i < n; ++i) scale_[static_cast<std::size_t>(i)] = weight(i);
    scale(n, diagonal, 1);
    return by_cholesky_ = cholesky(left, 1);
  }
  // A λ = b.
  void solve(std::span<const double> b, std::span<double> lambda);

 private:
  int factor_weighed(int size, std::span<const double> A, int before);
  // s; `diagonal`: of A, whose entries are `stride` apart.
  void scale(int size, std::span<const double> diagonal, std::size_t stride);
  double scaled(std::span<const double> A, std::size_t i, std::size_t j) const;  // B_ij
  bool cholesky(std::span<const double> A, double largest);

  int n_ = 0;
  bool by_cholesky_ = false;
  std::vector<double> scale_, scaled_;
  // B = L Lᵀ, L by rows and by columns without its diagonal, each filled up with 0 within the fours that it has a part of; and
  // 1/L_ii. In fours, so that whoever reads what was just written finds it in one piece.
  std::size_t stride_ = 0;
  std::vector<double> L_, columns_;  // [n × stride]
  std::vector<double> inverses_;     // [n]
  std::vector<double> rhs_, half_;   // [stride] b, and L⁻¹ b; as they are used up
  LeastNorm factors_;
};

}  // namespace marey
