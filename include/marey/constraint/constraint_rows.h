// The rows of constraints at an instant, and the forces along them that bring about what is asked of the rows:
//   A x = r,    Δv = M⁻¹ Jᵀ x,    A = J M⁻¹ Jᵀ                                                                     (1)
// for whatever x and r are (forces and accelerations, impulses and velocities, shifts).
//
// A row s that is a single freedom of a joint, J = f e_k, gives Δv_k = r_s / f at once. Where all is well these freedoms are
// held (marey/rows/held_response.h), and a matrix is made of the other rows o alone: with M_h⁻¹ the response of the figure with
// them held, and Δv⁰ what it does when they move as they are told and nothing else acts,
//   A′ x_o = r_o − J_o Δv⁰      A′ = J_o M_h⁻¹ J_oᵀ      Δv = Δv⁰ + M_h⁻¹ J_oᵀ x_o      f x_s = (M Δv − J_oᵀ x_o)_k   (2)
// which is linear in the number of scripted joints. A′ is what is left of A when the rows s are eliminated first, so that its
// pivots, scaled by the diagonal of A, are Cholesky's of the whole. Where they leave any doubt that the rows are independent
// (a freedom that is driven twice, a script within a loop that leaves none), or the plant cannot hold freedoms, it is all rows,
// and marey/rows/row_system.h decides.
//
// Where the plant answers to wrenches on links, and nobody asks for J, there is none: A is swept from what the rows do to links,
// J x is the power of that while the links move by x, and Δv comes of the sum of what was swept.
#pragma once

#include "marey/plant/plant.h"
#include "marey/rows/held_response.h"
#include "marey/rows/row_system.h"

namespace marey {

// Which freedom of the coordinates a row is, times which factor; none: −1.
struct SingleFreedom {
  int v = -1;
  double factor = 1;
};

class ConstraintRows {
 public:
  ConstraintRows(const Model& coordinates, int capacity);
  // Freedoms are held where so many are to be; fewer are as quick as rows.
  void hold_from(int fewest) { fewest_held_ = fewest; }
  // Whether J are asked for: by other rows that meet these, or as momenta.
  void keep_J(bool yes) { keeps_J_ = yes; }
  static constexpr int never = std::numeric_limits<int>::max();

  // The only links that rows will act on, with all between them and the world.
  void act_on(const std::vector<int>& links) { axes_.links = bias_motion_.links = links; }

  // The rows at the instant where the plant is; `single` [rows]. `before`: the rank at the instant before, or −1. Returns the
  // rank. All below is about them, wherever the plant has gone since, unless it is handed in or they have no J: then the given
  // rows are to stay alive, and rates() to be asked before the plant goes on.
  int factor(std::span<const ConstraintRow>, std::span<const SingleFreedom> single, Plant&, int before);
  // They may have become others, or have gone far: nothing that was found of the rows before serves for them.
  void forget() { system_.forget_weights(); }
  // The same rows at the same place, with other velocities.
  void renew_biases(std::span<const ConstraintRow>, Plant&);
  // Whether the plant answers to the rows as they are, without J. Then solve() still answers when the plant has gone a little
  // further, nearly as it would have where the rows are of.
  bool answered_by_links() const { return !of_links_.empty(); }
  // How many rows there are in the matrix that was factored.
  int matrix_size() const { return answered_by_links() ? static_cast<int>(count_) : rows_.size(); }

  // J x of all rows.
  void rates(std::span<const double> x, std::span<double> out);
  // J v̇ + bias of all rows, of the v̇ that the plant's accelerate() has just found.
  void accelerations(std::span<const double> vdot, std::span<double> out);
  // The biases, to be read before the plant goes on.
  std::span<const double> biases();
  // v̇ of freedoms that are held: what their rows ask for, to the last digit.
  void set_held(std::span<double> vdot) const;
  // p += Jᵀ x.
  void add_momentum(std::span<const double> x, std::span<double> p) const;
  // (1): x alone; and v += Δv.
  void solve(std::span<const double> r, std::span<double> x);
  void solve(std::span<const double> r, std::span<double> x, std::span<double> v);
  // v += M⁻¹ Jᵀ x for any x, with the plant where the rows are of.
  void add_response(std::span<const double> x, Plant&, std::span<double> v);
  // The matrix of other rows c at the same instant, with these holding. G [rows × c]: an impulse on the other rows calls for
  // −G times it in these. `across`: [rows × c] scratch.
  void eliminate_from(const RowSet& others, Plant&, Delassus&, std::span<double> across, std::span<double> G);

 private:
  struct Answering;
  bool find_held(std::span<const ConstraintRow>);
  void add_rows(std::span<const ConstraintRow>, const Plant&);
  bool factor_others(std::span<const ConstraintRow>, Plant&);
  void find_diagonal(Plant&);
  bool factor_by_links(std::span<const ConstraintRow>, Plant&, int before, int& rank);
  void find_axes();
  double dot(std::size_t row, std::span<const double> x) const;  // J x, where there is J
  void answer(std::span<const double> p, std::span<const double> r, std::span<double> x);

  int fewest_held_ = 4;  // measured on chains of 8 and 16 hinges
  bool keeps_J_ = false;
  std::size_t count_ = 0;
  std::vector<SingleFreedom> single_;        // [rows]
  std::vector<int> slot_;                    // [rows] where in the matrix; −1: held
  std::vector<double> biases_;               // [rows]
  std::vector<unsigned char> held_;          // [nv]
  HeldResponse* held_response_ = nullptr;    // null: all rows are in the matrix
  std::span<const ConstraintRow> of_links_;  // empty: they have J
  Plant* plant_ = nullptr;                   // that answers to them
  MotionAxes axes_;
  BiasMotion bias_motion_;
  RowSet rows_;                      // in the matrix
  std::vector<std::size_t> row_of_;  // [in the matrix] which they are
  Delassus delassus_;
  RowSystem system_;
  HalfResponse half_;  // scratch
  // Of rows without J, found where somebody asks for them.
  bool axes_known_ = false, biases_known_ = false;
  std::vector<RowLengths> lengths_;                         // [rows] scratch
  std::vector<Twist<double>> V_WB_;                         // [nlink] scratch: velocities or accelerations
  std::vector<double> diagonal_, r_others_, x_others_, x_;  // [rows] scratch
  std::vector<double> p_, dv_, p_others_;                   // [nv] scratch
};

}  // namespace marey
