// What is stiff, taken implicitly: limits, springs and friction of joints, springs and dampers between links do not shorten the step.
//
// The midpoint rule of sim/stepping.h with forces Q of q and v, in the coordinates of the plant,
//   M (v⁺ − v⁻) = h Q(q̄, v̄) + Jᵀ P + Gᵀ Λ      v̄ = ½(v⁻ + v⁺),  q̄ = q ⊕ ¼h (v⁺ − v⁻)                               (1)
// is solved by Newton's method from v⁺ = v⁻ on: with the slopes of what acts, D = −∂Q/∂v and K = −∂Q/∂q,
//   M̂ = M + R      R = ½h D + ¼h² K                                                                                  (2)
//   M̂ (v⁺ − v) = h Q(q̄, v̄) − M (v − v⁻) + Jᵀ P + Gᵀ Λ        v: the v⁺ of the round before                            (3)
// Λ are those of constraints, whose rows G hold as the accelerations v̇ of the round ask for, G v⁺ = G w with w = v⁻ + h v̇. In terms of w,
// and with N̂ what M̂⁻¹ leaves when the rows G are held, (3) is
//   v⁺ = w + N̂ (h (Q − M v̇) + R (v − w) + Jᵀ P)                                                                      (4)
// which has no difference of large numbers; Q = M(q̄) v̇, so that the first term is what M changes by between q and q̄.
//
// R has two parts. Of what acts in joints there is a block for each, by exact derivatives (sim/implicit.h). Elements between links say through which
// displacements they act (marey/force.h, StiffRow): Σ bᵀ b over rows b that are scaled by the square root of ½h d + ¼h² k. Those that are soft
// beside the inertia of their links are left to the explicit part. In other coordinates blocks are such rows, too. With S the
// response of what has no rows, and all rows B, soft ones first and then G,
//   N̂ = S − S Bᵀ C⁺ B S      C = B S Bᵀ + diag(1 … 1, 0 … 0)                                                         (5)
#pragma once

#include <optional>
#include <vector>

#include "marey/constraint/held_constraints.h"
#include "marey/rows.h"
#include "marey/rows/row_system.h"
#include "sim/implicit.h"
#include "sim/sources.h"

namespace marey {

class ImplicitForces final : public Response {
 public:
  // `in_joints`: whether the plant's coordinates are those of the figure's joints. `constraints`: may be null. All to stay alive.
  ImplicitForces(const Model& figure, const Model& coordinates, bool in_joints, const Sources&,
                 HeldConstraints* constraints);
  // Whether what acts in joints can: in coordinates that are not theirs it is rows, which have a dense matrix. Whether all that acts between
  // links can.
  static bool serves(const Model& figure, bool in_joints);
  static bool has_room_for(const Model& figure, std::span<const Element>, const State&);
  // (2) and (5) at an instant in the middle of a step over h, where the plant is. False: nothing is stiff, or has no derivative.
  bool prepare(const Instant<double>&, Plant&, double h);
  // N̂ p
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool half_respond(const RowSet&, HalfResponse&) override;
  // Of several trees, whose rows with all of their J would be long.
  bool half_respond_to_links(std::span<const ConstraintRow>, HalfResponse&) override;
  // What it knows of beside M and the blocks of joints: soft rows, and those of constraints.
  std::span<const ConstraintRow> rows() const { return rows_; }
  // What acts in joints.
  const ImplicitJoints& joints() const { return joints_; }
  // Whether springs or dampers between links are among them.
  bool has_stiff_elements() const { return of_elements_ > 0; }
  // Whether the plant is asked, which then has to be where it was prepared.
  bool answers_by_plant() const { return !factored_; }
  // p = M x where it was prepared; false where it does not know M.
  bool momentum(std::span<const double> x, std::span<double> p) const {
    if (factored_) joints_.momentum(x, p);
    return factored_;
  }
  // p += R x
  void add_slopes(std::span<const double> x, std::span<double> p) const;
  // p += Gᵀ Λ of the last respond().
  void add_held_momentum(std::span<double> p) const;

 private:
  // S of (5).
  struct Base final : Response {
    explicit Base(ImplicitForces& of) : all(of) {}
    void respond(std::span<const double> p, std::span<double> dv) override;
    bool half_respond(const RowSet&, HalfResponse&) override;
    ImplicitForces& all;
  };
  void add_rows_of_block(const Instant<double>&, std::size_t link);
  void add_rows_of_elements(const Instant<double>&, double h);
  double mobility(const Instant<double>&, int link, const Vec3<double>& a, const Vec3<double>& b) const;
  void factor_rows(Plant&);
  void ensure_capacity(std::size_t rows);

  const Model& model_;
  const Model& coordinates_;
  std::vector<unsigned char> is_tissue_;  // [nlink] a wobbling mass
  const bool in_joints_;                  // whether the coordinates are those of the joints
  const Sources& sources_;
  HeldConstraints* constraints_;
  ImplicitJoints joints_;
  Coupler of_joint_;       // scratch of add_rows_of_block()
  bool factored_ = false;  // S is M̂⁻¹ of the joints; else the plant's M⁻¹
  Plant* plant_ = nullptr;
  Base base_{*this};
  // (5)
  StiffRows stiff_;
  std::vector<ConstraintRow> rows_;
  std::size_t soft_ = 0, of_elements_ = 0;
  std::size_t capacity_ = 0;
  MotionAxes axes_;
  BiasMotion no_bias_;
  std::optional<RowSet> row_set_;
  std::optional<Delassus> delassus_;
  std::optional<RowSystem> system_;
  std::vector<double> C_, y_, z_;
};

}  // namespace marey
