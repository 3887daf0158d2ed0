// Rows across a tree's factors: loops, drives and paths beside the joints that Lagrange multipliers hold already.
//
// F. Faure, Fast refinable equation solution for articulated solid dynamics, 1999: joints are cut in two sets. Those of the
// tree are factored (marey/dynamics/multipliers.h); the others, J_e A = b, meet the factors through their Schur complement
//   C λ = b − J_e A₀,   C = J_e K⁻¹ J_eᵀ + compliance,   A₀ the answer without them
// of which C is made and factored when the rows are few, and only applied, by conjugate gradients, when they are many.
// Rows that say the same thing twice do no harm: of all multipliers the least are taken.
//
// For double alone; no call allocates.
#pragma once

#include <memory>

#include "marey/dynamics/multipliers.h"
#include "marey/rows.h"

namespace marey {

class RowSystem;

class LoopSolver {
 public:
  enum class Way {
    automatic,  // direct up to `few` rows
    direct,     // C and its rank-revealing factors: O(m n + m³)
    iterative,  // conjugate gradients: O(n + m) a round
  };
  static constexpr int few = 96;

  // For at most `capacity` rows; those of the direct way at most `few`, unless it is asked for.
  LoopSolver(const Model&, int capacity, Way = Way::automatic);
  ~LoopSolver();
  LoopSolver(LoopSolver&&) noexcept;

  // After multiplier_factor(): answers the load with the rows holding Σ F_Bo_W · A_WB + compliance λ = wanted. The links of
  // the workspace then have accelerations, joint wrenches and v̇ of it all.
  void solve(const Model&, const MultiplierLoad<double>&, std::span<const ConstraintRow>,
             std::span<const double> wanted, MultiplierWorkspace<double>&);
  // The same with wanted = −bias: the rows' accelerations vanish.
  void solve(const Model&, const MultiplierLoad<double>&, std::span<const ConstraintRow>, MultiplierWorkspace<double>&);

  std::span<const double> lambda() const { return std::span(lambda_).first(static_cast<std::size_t>(size_)); }
  int rank() const { return rank_; }             // of the rows beside the tree's; −1 where it was not asked for
  int rounds() const { return rounds_; }         // of conjugate gradients
  double residual() const { return residual_; }  // ‖C λ − …‖ over ‖…‖, of conjugate gradients

 private:
  void direct(const Model&, std::span<const ConstraintRow>, MultiplierWorkspace<double>&);
  double weight(const Model&, const ConstraintRow&, const MultiplierWorkspace<double>&);
  void iterate(const Model&, std::span<const ConstraintRow>, MultiplierWorkspace<double>&);
  void apply(const Model&, std::span<const ConstraintRow>, std::span<const double> x, MultiplierWorkspace<double>&,
             std::span<double> Cx);

  Way way_;
  int size_ = 0, rank_ = -1, rounds_ = 0;
  double residual_ = 0;
  std::vector<double> lambda_, b_, r_, p_, Cp_, Cr_, C_, wanted_, J_;
  std::vector<Wrench<double>> F_;  // [nlink]
  std::unique_ptr<RowSystem> system_;
};

// The rows of a figure's own joints as rows between links, for its links in maximal coordinates: what a joint holds,
// orthonormal, with g, ġ and bias. After joint_errors() into the workspace. Appends to `rows`, of which `joint_of[k]` is the
// link whose joint row k belongs to.
void joint_rows(const Model& figure, const Params<double>&, const Kinematics<double>&, MultiplierWorkspace<double>&,
                std::vector<ConstraintRow>& rows, std::vector<int>& joint_of);

}  // namespace marey
