// The contact problem of an island, by sweeps over its blocks: without its matrix, so that an island may be a heap.
//
// Frames: W the world, Bo the origin of a link. The links that an island touches are its places. An impulse F (a wrench about Bo, in W) on
// place j changes the twists of all places i of the same tree,
//   ΔV_i = Λ_ij F_j,   Λ [6 × 6]: the response of the tree between its links; of a loose body its inverse inertia        (1)
// Rows of a block (marey/contact/cone_problem.h) act on at most four places, u_r = û_r + Σ F_r·ΔV + c_r P_r with û what it is without
// impulses. One block after the other takes what would stop it alone (Gauss and Seidel; Moreau 1988, Jean 1999), its own rows in turn:
//   normal   P_n ← max(0, P_n − u_n/A_nn)                                                                            (2)
//   group    P_g ← P_g − u_g/λ_g, shortened to μ_g P_n, λ_g the largest eigenvalue of A_gg                            (3)
//   row      P ← P − u/A, within its bounds                                                                          (4)
// A being the block's own part of J M⁻¹ Jᵀ + C. Where nothing changes any more all laws hold: the step of (3) is one number for both
// directions, so that what slides has P_g against u_g, the friction that takes most work; a matrix in its place, shortened
// afterwards, would not. Blocks are swept in their order and back; sums are in a fixed order.
// In a high stack the news of a weight goes far slowly. After each sweep there and back, P_k being its result, the next one begins from
//   y = P_k + β_k (P_k − P_{k−1}),   β_k = (t_k − 1)/t_{k+1},   t_{k+1} = ½(1 + √(1 + 4 t_k²))                       (5)
// (Nesterov 1983), V along with P, since it is linear in it; t begins anew with 1 where the last step turns against what it began from,
// Σ λ (y − P_k)(P_k − P_{k−1}) > 0 (O'Donoghue and Candès 2015).
// Sources: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The non-smooth contact dynamics
// method, 1999; Y. Nesterov, A method of solving a convex programming problem with convergence rate O(1/k²), 1983; B. O'Donoghue and
// E. Candès, Adaptive restart for accelerated gradient schemes, 2015.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "marey/contact/cone_problem.h"
#include "marey/core/aligned.h"
#include "marey/dynamics.h"

namespace marey {

class ContactSweeps {
 public:
  // `coordinates`: in which the figure's links answer. `trees`: [nlink] the root each link hangs on. All to stay alive.
  ContactSweeps(const Model& figure, const Model& coordinates, std::span<const int> trees);

  // Rows and blocks of an island where its links are now. `loose_by_inertia`: the response is that of M alone, so that a loose body answers
  // by its inertia.
  void place(const Kinematics<double>&, std::span<const ConstraintRow>, std::span<const RowBlock>, const MotionAxes&,
             Response&, bool loose_by_inertia);

  struct Options {
    double tolerance = 1e-4;  // sweeps end where no velocity changes by more than this part of the scale
    int most = 60;            // sweeps
  };
  struct Report {
    int sweeps = 0;
    ConeCertificate certificate;
  };
  // As ConeSolver::solve, of a problem without A whose blocks are those of place() (their μ and bounds are those given here).
  Report solve(const ConeProblem&, const Options&, std::span<double> P, std::span<double> u);
  // Normals alone (rows that stand first in their blocks), without friction: 0 ≤ rhs + A λ ⊥ λ ≥ 0; blocks with `left_out` have λ = 0.
  // rhs, left_out and λ: one for each block.
  int solve_normals(std::span<const double> rhs, std::span<const char> left_out, const Options&, double scale,
                    std::span<double> lambda);
  // One entry of J M⁻¹ Jᵀ, by the numbers of the rows in the island.
  double response_between(std::size_t row, std::size_t column) const;

 private:
  static constexpr std::size_t width = 8;  // of a wrench or a twist: n or w, f or v, two zeros
  struct Tree {
    std::size_t first = 0, count = 0;  // of its places
    std::size_t Lambda = 0;            // [count × count] of 6 columns of `width`
  };
  struct Placed {  // a block
    std::size_t first = 0;
    int rows = 0, parts = 0;
    std::array<std::size_t, 4> place{};
    std::size_t F = 0;             // [rows × parts] wrenches
    std::size_t A = 0;             // [rows × rows]
    std::array<double, 3> step{};  // 1/λ_g
    int loose = -1;                // which of the loose points it is
  };
  // A contact of three rows between loose bodies, or one and the world, with all that a sweep reads and writes of it. F by the numbers of
  // a twist, so that the velocities of all rows are one sum of packs; G = Λ F by rows, what a unit of each does to the twists.
  struct alignas(64) LoosePoint {
    double F[2][6][4]{};
    double G[2][3][8]{};
    double P[4]{}, u_free[4]{};
    std::array<std::size_t, 2> place{};
    double own_normal = 0;            // A_nn
    double own = 0, inverse_own = 0;  // A_nn + c_n
    double A_tn[2]{};
    double step = 0, size = 0;  // 1/λ_t, λ_t
    double compliance = 0, friction = 0;
  };

  void find_places(std::span<const ConstraintRow>);
  void find_responses(const Kinematics<double>&, const MotionAxes&, Response&, bool loose_by_inertia);
  void put_inertia(const Kinematics<double>&, int link, double* Lambda) const;
  void put_response(const Tree&, const MotionAxes&, Response&);
  void add_block(std::span<const ConstraintRow>, const RowBlock&);
  double entry(const Placed& a, int r, const Placed& b, int s) const;
  void push(const Placed&, const double* dP);
  double velocity(const Placed&, int row) const;
  void add_loose_point(Placed&);
  void load_loose_points(const ConeProblem&, std::span<const double> P);
  double relax_loose(LoosePoint&);
  double relax(const Placed&, const ConeProblem&, const RowBlock&, double* P);
  double relax_contact(const Placed&, const ConeProblem&, const RowBlock&, double* P);
  double relax_loose_normal(LoosePoint&, double rhs, double& lambda);
  double sweep(const ConeProblem&, std::span<double> P);
  // Where those of a block are kept during sweeps.
  double* impulses(const Placed& b, std::span<double> P) {
    return b.loose >= 0 ? loose_points_[static_cast<std::size_t>(b.loose)].P : P.data() + b.first;
  }
  bool turns_back(std::span<double> P);
  void go_beyond(double beta, std::span<double> P);
  void start(std::span<const double> P);
  ConeCertificate certify_all(const ConeProblem&, std::span<const double> P, std::span<const double> u) const;
  bool is_loose(int link) const { return loose_[static_cast<std::size_t>(link)] != 0; }

  const Model &figure_, &coordinates_;
  std::span<const int> trees_;
  std::vector<char> loose_;           // [nlink] a free link without others
  std::vector<int> place_of_;         // [nlink] −1: none
  std::vector<int> links_;            // [places]
  std::vector<std::size_t> tree_of_;  // [places] which of `trees_here_`
  std::vector<Tree> trees_here_;
  std::vector<Placed> blocks_;
  std::vector<LoosePoint, AlignedAllocator<LoosePoint, 64>> loose_points_;
  AlignedDoubles Lambda_, F_, V_, V_last_;
  std::vector<double> P_last_, y_;  // P_{k−1}, and what the sweep began from
  std::vector<double> A_;
  std::vector<ConstraintRow> units_;  // scratch
  std::size_t capacity_ = 0;
  BiasMotion no_bias_;
  std::optional<RowSet> row_set_;
  std::optional<Delassus> delassus_;
};

}  // namespace marey
