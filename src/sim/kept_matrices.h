// Steps that are solved with the matrices of an earlier one. What a foreseen step is, and a round of it, says sim/foresight.h; why this is done,
// docs/decisions/0040-kept-matrices.md. In a step: begin_step(), then, where the matrices serve() its points, place(), guess() and solve() once for each
// round, and take() when it has ended.
//
// The round of Newton's method that a foreseen step takes (sim/foresight.h) is a linear problem for v⁺ beside a contact problem,
//   M (v⁺ − v⁻) + R (v⁺ − v) = h Q + Jᵀ P        v: the v⁺ that was guessed, Q there                                  (1)
//   f(P, u) = 0                                   u = J v⁺ + o, of each point by its mode:                           (2)
//     it sticks   u = 0
//     it slides   u_n = 0,   (|u_t| P_t + μ P_n u_t)/s = 0,   s = μ P_n + ρ |u_t| when the matrices were found,
//                                                  ρ = 1/λmax(A_ii) of the point, kg
//     on the edge u_n = 0,   u_t − (u_t·e) e + (|P_t| − μ P_n) e/ρ = 0,   e = P_t/|P_t| when the matrices were found:
//                 among redundant points it bears all that its cone allows, and others hold it
//     it is open  P = 0
// A figure has hardly moved since a few steps before: M̂₀ = M + R, J₀ and the slopes of f are still nearly those of now. With what M and J of
// now leave of (1), r, and of (2), f, and with X₀ = M̂₀⁻¹ J₀ᵀ (quasi-Newton steps, Dennis and Schnabel 1983, ch. 8)
//   dP = −G⁻¹ (f + f_u X₀ᵀ r)      dv = M̂₀⁻¹ r + X₀ dP      G = f_P + f_u J₀ X₀                                      (3)
// again and again: of what is left, each time about that part remains by which the figure has turned since, in rad. What is found is not a nearby answer, but that of (1) and
// (2), as exact as by matrices of now; only R, which is a part of the method and not of the answer, is that of the earlier step. P is
// projected onto its cones in between, and judged by its natural map (contact/cone_measure.h, with ρ of the earlier step), which
// knows nothing of modes. Where it does not come below the bound, or the points are not the same ones, or a correction
// makes it hardly better, all matrices are found anew.
// What moves evenly is guessed wrong in the same way again and again, by a few parts in 1e10, so that the miss of the last guesses is a part of the next
// one, as long as they are made in the same way. From there one correction is enough, mostly.
// Redundant points have impulses that move nothing. G is regular with ε/ρ added to the diagonal, E, of all points that are not open, and G⁻¹ E leaves
// as they are the impulses that move nothing, and nearly nothing of all others. The guess for P is
//   P − (G⁻¹ E)² (P − P₀)                                                                                           (4)
// so that of what moves nothing there is as much as in P₀, of the step in which the matrices were found, the shortest of all.
// Where velocities do not feel that q̄ is not q, what gravity and inertia do is a wrench on each link (sim/link_weights.h), and (1) has it on its way
// inward.
// All of it belongs to checkpoints.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "marey/contact/stepped_contacts.h"
#include "marey/core/aligned.h"
#include "marey/plant/plant.h"
#include "sim/implicit.h"
#include "sim/link_weights.h"

namespace marey {

// Beyond, matrices are as dear to keep as to find.
inline constexpr std::size_t most_rows_kept = 96, most_freedoms_kept = 96;

class KeptMatrices {
 public:
  // Both to stay alive.
  KeptMatrices(const Model& coordinates, const ImplicitJoints&);
  void forget();
  // What steps have left counts when the next one begins.
  void begin_step();
  bool any() const { return valid_ != 0; }
  // Whether the matrices that are kept serve the points that were found.
  bool serve(const SteppedContacts&) const;
  // The plant is in the middle of the step, with these points.
  void place(Plant&, const SteppedContacts&);
  // By how much a velocity may differ that is found with forces of gravity and inertia in the middle, at q, instead of in q̄; infinite where only
  // q̄ will do. m/s
  double felt_of_middle(std::span<const double> v_minus, std::span<const double> v_plus, double h) const;
  // These forces in the middle, with the mean of these velocities: solve() has them beside its `impulse` until the next place(). How links then
  // move, in W.
  std::span<const Twist<double>> weigh(std::span<const double> v_minus, std::span<const double> v_plus, double h);
  void weigh_elsewhere();  // `impulse` has them
  // P as the last three steps lead to, with these factors (4), and v⁺, which the same have led to (sim/foresight.h): both with what was left of the last
  // step, where that was guessed in this way.
  void guess(const std::array<double, 3>& way, std::span<double> v_plus);
  // (1) and (2), with h Q in `impulse`, from P as it is and from the v of (1), which v_plus is on entry. False: not found.
  bool solve(std::span<const double> v_minus, std::span<const double> impulse, SteppedContacts&,
             std::span<double> v_plus);
  // What (1) leaves, over the largest of Jᵀ P.
  double momentum_error() const { return momentum_error_; }
  // A step has ended so. `by_kept`: it was solved with these; else with matrices of its middle, to be kept where the next step is likely
  // to be foreseen well enough.
  void take(const SteppedContacts&, std::span<const double> v_plus, bool by_kept, bool worth_it);

  void save(std::vector<double>&) const;
  void recall(std::span<const double>);

 private:
  static constexpr double most_age = 96;  // steps
  // ε, of λmax: far below what moves anything, and far above rounding of what does not.
  static constexpr double redundant = 1e-6;
  enum class Mode : std::uint8_t { open, sticks, slides, edge };
  struct Side {
    int link = 0;
    double sign = 1;  // of what P does to it
    Vec3<double> r;   // from its origin, in W
  };
  struct Point {  // of now
    std::array<Side, 2> sides;
    std::array<Vec3<double>, 3> axes_W;
  };
  void place_axes(Plant&);
  void find(const SteppedContacts&);
  bool fail();
  bool find_slopes();
  void add_slopes_of_edge(std::size_t point, double* G_1, double* G_2);
  bool invert();
  template <bool first>
  void measure(std::span<const double> v_plus, std::span<const double> v_minus, std::span<const double> impulse);
  void find_law();
  void correct(std::span<double> v_plus);
  void correct_momenta(std::span<double> v_plus);
  double natural_map(double scale, int& worst) const;
  void keep_shares();
  void find_X_rows();
  void project();
  bool fits() const;
  Mode mode_of(std::size_t point) const {
    return mode_[point] == 0   ? Mode::open
           : mode_[point] == 1 ? Mode::sticks
           : mode_[point] == 2 ? Mode::slides
                               : Mode::edge;
  }
  std::size_t rows() const { return 3 * keys_.size(); }
  template <class Visit>
  void for_vectors(Visit);

  const Model& model_;
  const ImplicitJoints& joints_;
  std::size_t nv_;
  // ---- kept; numbers and flags as doubles, which is what a method's memory in checkpoints is made of
  double valid_ = 0;                // there are matrices
  double known_ = 0;                // how many steps' impulses are known, of the same points
  double pending_ = 0;              // whether a step is about to count
  double failures_ = 0, rest_ = 0;  // lately; steps until matrices are kept again
  double age_ = 0;                  // of the matrices, in steps
  // What guesses of the last steps were off by, v⁺ and then P, on average, and their way: up to the last step that counts, and to the one that is
  // about to.
  struct Miss {
    double known = 0;
    std::array<double, 3> way{};
    std::vector<double> all;
  };
  Miss miss_, next_miss_;
  std::vector<ContactKey> keys_;                       // of the impulses
  std::vector<double> friction_, rho_, mode_, scale_;  // of each point
  AlignedDoubles N_, X_, A_,
      G_inverse_;  // [nv × its stride] M̂₀⁻¹; [nv × stride] X₀; [rows × stride] J₀ X₀, columns of G⁻¹
  std::vector<double> blocks_;                   // R
  std::vector<double> f_u_;                      // [points × 4] of the tangential rows that slide
  std::vector<double> shared_;                   // P₀ of (4)
  std::array<std::vector<double>, 4> impulses_;  // P of the steps before; the last: of the one that is about to count
  // ---- of now
  AlignedDoubles X_rows_;  // [rows × stride of nv] X₀ the other way round
  MotionAxes axes_;
  Vec3<double> gravity_;
  double longest_ = 0;                             // way from a root through its links, m
  std::vector<Twist<double>> V_0_, V_mean_, A_0_;  // [nlink] of v⁻ in the middle; of the mean; and what that brings
  std::vector<Wrench<double>> B_;                  // [nlink] of sim/link_weights.h
  std::vector<HeavyLink> heavy_;                   // [nlink]
  std::vector<Point> points_;
  std::vector<Twist<double>> V_;                      // [nlink]
  std::vector<Wrench<double>> F_, F_of_points_;       // [nlink]
  std::vector<double> v_guess_, x_, r_, JP_;          // [nv]
  AlignedDoubles dv_;                                 // [2 strides of nv]
  std::vector<double> P_, u_, f_, offset_, u_minus_;  // [rows]
  AlignedDoubles work_, g_;                           // G; [2 strides of rows]
  std::vector<double> plain_guess_;                   // [nv + rows] without the miss
  std::array<double, 3> way_{};
  bool knows_axes_ = false;
  bool moved_ = false;  // V_ is of the guess
  double momentum_error_ = 0;
};

}  // namespace marey
