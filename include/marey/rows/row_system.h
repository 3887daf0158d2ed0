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
// Most rows are of full rank by far, and Cholesky's pivots of B, all above 1e-5 of the largest B_ii, say so. They are
// w_k² p_k / A_kk, p_k being those of A itself, so that A itself is factored, and weights only decide. Otherwise
// marey/rows/least_norm.h does, of B.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

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
    eliminate(n, A, A, static_cast<std::size_t>(n) + 1);
    set_weights(n, weight);
    return rank_of(A, before);
  }
  // The same where weights take longer than A: those found a little while ago (so many times) answer for the present ones, as
  // long as they leave no doubt and no A_ii, which falls with the square of its weight, has fallen by much. What is factored,
  // and solved, does not depend on it.
  static constexpr int a_little_while = 16;
  template <class Weight>
  int factor_by_memory(int n, std::span<const double> A, const Weight& weight, int before) {
    eliminate(n, A, A, static_cast<std::size_t>(n) + 1);
    if (++served_ < a_little_while && as_remembered(n, A) && full_as_a_while_ago()) return n;
    set_weights(n, weight);
    remember(A);
    return rank_of(A, before);
  }
  void forget_weights() { remembered_ = 0; }
  // The same for what is left of A after other rows were taken out of it, `diagonal` [n] being that of A before. Their
  // weights are 1. False where the rank is in any doubt.
  template <class Weight>
  bool factor_if_full(int n, std::span<const double> left, std::span<const double> diagonal, const Weight& weight) {
    eliminate(n, left, diagonal, 1);
    set_weights(n, weight);
    return full_beside_others();
  }
  // A λ = b.
  void solve(std::span<const double> b, std::span<double> lambda);

 private:
  template <class Weight>
  void set_weights(int n, const Weight& weight) {
    remembered_ = 0;
    for (int i = 0; i < n; ++i) weight_[static_cast<std::size_t>(i)] = weight(i);
  }
  void remember(std::span<const double> A);
  bool as_remembered(int n, std::span<const double> A) const;
  // Of A, whose entries on the diagonal, before others were taken out, are so far apart.
  void eliminate(int size, std::span<const double> A, std::span<const double> diagonal, std::size_t apart);
  bool all_surely_count(double surely) const;
  bool full_as_a_while_ago();
  bool full_beside_others();
  int rank_of(std::span<const double> A, int before);
  void find_four(std::size_t first, std::span<double> lambda);

  int n_ = 0;
  bool eliminated_ = false, by_cholesky_ = false;
  std::vector<double> weight_;          // [n] w
  int remembered_ = 0;                  // rows whose weights these still are
  int served_ = 0;                      // times, since they were found
  std::vector<double> diagonal_then_;   // [n] A_ii when they were found
  std::vector<double> scale_, scaled_;  // s, B
  // A = Uᵀ D⁻¹ U, U by rows, filled up with 0 to fours, and 1/D_ii, D being its diagonal; what is below serves nobody. In fours,
  // so that whoever reads what was just written finds it in one piece.
  std::size_t stride_ = 0;
  std::vector<double> U_;            // [n × stride]
  std::vector<double> inverses_;     // [n]
  std::vector<double> parts_left_;   // [n] D_kk / A_kk
  std::vector<double> rhs_, found_;  // [stride] b, as it is used up; λ, from the last one on
  LeastNorm factors_;
};

}  // namespace marey
