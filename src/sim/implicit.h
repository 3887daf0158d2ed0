// What acts in joints, taken implicitly: stiff limits, springs and friction of joints do not shorten the step. What acts between links, and
// what holds them: sim/implicit_forces.h.
//
// The midpoint rule of sim/stepping.h with forces Q of q and v, all in joint coordinates,
//   M (v⁺ − v⁻) = h Q(q̄, v̄) + Jᵀ P      v̄ = ½(v⁻ + v⁺),  q̄ = q ⊕ ¼h (v⁺ − v⁻)                                       (1)
// is solved by Newton's method from v⁺ = v⁻ on: with the slopes of what acts in joints, D = −∂τ/∂v and K = −∂τ/∂q,
//   M̂ = M + ½h D + ¼h² K                                                                                            (2)
//   M̂ (v⁺ − v) = h Q(q̄, v̄) − M (v − v⁻) + Jᵀ P        v: the v⁺ of the round before                                  (3)
// Elements of a joint know its own coordinates alone, so that D and K have one block for each joint, M̂ has the pattern of M,
// and LᵀDL fills nothing in (Featherstone 2008, ch. 6). The blocks are made symmetric, and what is negative in them, which does
// not stiffen, is left out of M̂; (3) then takes it explicitly. Friction gives its D at once, and torque functions
// of one angle their K; what else depends on how joints are is asked for derivatives, one freedom of all joints after another.
// M̂ has a block for each tree (marey/dynamics/tree_matrices.h): a crowd costs as much as its figures one by one.
#pragma once

#include <memory>
#include <vector>

#include "marey/core/aligned.h"
#include "marey/dynamics/tree_matrices.h"
#include "marey/plant/dual_flow.h"
#include "marey/rows.h"
#include "sim/sources.h"

namespace marey {

class ImplicitJoints final : public Response {
 public:
  ImplicitJoints(const Model&, const Sources&);
  // The blocks of R = ½h D + ¼h² K at an instant in the middle of a step over h. False: nothing in joints depends on how they are, or has
  // no derivative.
  bool find_blocks(const Instant<double>&, double h);
  // Of the joint of a link, [most_freedoms × most_freedoms]; symmetric, not negative.
  const double* block(std::size_t link) const { return blocks_.data() + link * most_freedoms * most_freedoms; }
  // (2), with these.
  void factor(const Instant<double>&);
  // M̂⁻¹ p
  void respond(std::span<const double> p, std::span<double> dv) override;
  // u = L⁻ᵀ p of every row, so that J M̂⁻¹ J′ᵀ = u · D⁻¹ u′ with the factors of M̂ = Lᵀ D L.
  bool half_respond(const RowSet&, HalfResponse&) override;
  // The same of what rows do to links that move along these axes.
  void half_respond_along(std::span<const ConstraintRow>, const MotionAxes&, HalfResponse&);
  bool is_one_tree() const { return mass_.trees.size() == 1; }
  // p = M x, by the M that M̂ was made of.
  void momentum(std::span<const double> x, std::span<double> p) const;
  // M̂ x − M x
  void add_slopes(std::span<const double> x, std::span<double> p) const { add_slopes(blocks_, x, p); }

  // M̂, all of it, by rows of `stride` numbers; and R.
  void copy(std::size_t stride, AlignedDoubles& M_hat, std::vector<double>& blocks) const;
  std::size_t block_count() const { return blocks_.size(); }  // numbers in R
  void add_slopes(std::span<const double> blocks, std::span<const double> x, std::span<double> p) const;
  // X = M̂⁻¹ Jᵀ of `rows` rows whose halves are given, [nv × stride].
  void finish_halves(const HalfResponse&, std::size_t rows, std::size_t stride, AlignedDoubles& X) const;

 private:
  double* own_block(std::size_t link) { return blocks_.data() + link * most_freedoms * most_freedoms; }
  void choose(const Instant<double>&, double h);
  bool add_stiffness(const Instant<double>&, std::size_t source, std::size_t link, double h);
  bool add_columns(const Instant<double>&, int freedom, bool of_velocities, double times);
  bool mend(std::size_t link);
  using Tree = TreeMatrices::Tree;
  template <class Visit>
  void for_runs(std::size_t place, Visit) const;
  void find_runs();
  void factor_rows(const Tree&);
  void gather(const Tree&, std::span<const double> x, std::vector<double>& own) const;
  void find_reached(const RowSet&, HalfResponse&);
  void begin_half(std::size_t rows, HalfResponse&) const;
  void list_reached(HalfResponse&);
  void reach(int link, std::vector<int>& links);
  void add_forces(const ConstraintRow&, const MotionAxes&, double* u, std::size_t stride);
  void eliminate_block(std::size_t block, HalfResponse&);

  const Model& model_;
  const Sources& sources_;
  DualFlow dual_;
  TreeMatrices mass_;  // of M̂, with its factors in it
  std::vector<Dual1> direction_;
  std::vector<double> M_;        // as mass_.M, before blocks and factors
  std::vector<double> inverse_;  // [nv] of D
  struct Run {
    std::size_t from = 0, to = 0;
  };
  std::vector<Run> runs_;
  std::vector<std::size_t> first_run_;  // [nv + 1] of each place in mass_.freedoms
  mutable std::vector<double> x_, y_;   // scratch: of one tree
  std::vector<unsigned char> acts_;     // [nv] scratch
  std::vector<std::size_t> slot_;       // [nv] where a freedom is among those in reached_, which are in their order
  std::vector<std::size_t> reached_;
  std::vector<unsigned char> known_;  // [nlink] scratch: that it is reached
  std::vector<double> blocks_;        // [nlink] R = ½h D + ¼h² K
  struct Asked {
    std::size_t source = 0;
    int freedoms = 0;  // of its joint; of what may act anywhere: of any
    bool of_velocities = false;
  };
  std::vector<Asked> asked_;  // for derivatives
  int largest_joint_ = 0;     // freedoms of any joint that is not free
  int most_freedoms_ = 0;     // of those asked
  bool asks_links_ = false;   // some of them may look at where links are
};

}  // namespace marey
