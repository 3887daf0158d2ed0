// The contact problem of an island, by sweeps over its blocks: without its matrix, so that an island may be a heap.
//
// Frames: W the world, Bo the origin of a link. Rows of a block (marey/contact/cone_problem.h) act on at most four trees. Of a row on a tree
// the tree knows half of its answer, u = E J with M⁻¹ = Eᵀ D⁻¹ E (src/rows/delassus.cpp), which is 0 but on the way from the row's links to the
// world. An impulse P along row r changes the half velocities y of its trees, and the velocity along row s, by
//   Δy = D⁻¹ u_r P      Δv_s = u_s · Δy      so that all rows together have J M⁻¹ Jᵀ                                (1)
// which costs as many numbers as there are freedoms between link and world, however many links of the tree are touched. Of a loose body
// u is the wrench of the row about Bo in W, D⁻¹ its inverse inertia, and y its twist.
// v_r = û_r + u_r · y + c_r P_r with û what it is without impulses. One block after the other takes what would stop it alone (Gauss and
// Seidel; Moreau 1988, Jean 1999), its own rows in turn:
//   normal   P_n ← max(0, P_n − u_n/A_nn)                                                                            (2)
//   group    P_g ← P_g − u_g/λ_g, shortened to μ_g P_n, λ_g the largest eigenvalue of A_gg                            (3)
//   row      P ← P − u/A, within its bounds                                                                          (4)
// A being the block's own part of J M⁻¹ Jᵀ + C. Where nothing changes any more all laws hold: the step of (3) is one number for both
// directions, so that what slides has P_g against u_g, the friction that takes most work; a matrix in its place, shortened
// afterwards, would not. Blocks are swept in their order and back; sums are in a fixed order.
// In a high stack the news of a weight goes far slowly. After each sweep there and back, P_k being its result, the next one begins from
//   P_k + β_k (P_k − P_{k−1}),   β_k = (t_k − 1)/t_{k+1},   t_{k+1} = ½(1 + √(1 + 4 t_k²))                            (5)
// (Nesterov 1983), y along with P, since it is linear in it; t begins anew with 1 where the last step turns against what it began from,
// Σ λ (P̃ − P_k)(P_k − P_{k−1}) > 0, P̃ being what it began from (O'Donoghue and Candès 2015).
// Sources: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The non-smooth contact dynamics
// method, 1999; Y. Nesterov, A method of solving a convex programming problem with convergence rate O(1/k²), 1983; B. O'Donoghue and
// E. Candès, Adaptive restart for accelerated gradient schemes, 2015.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
  // As ConeSolver::solve, of a problem without A whose blocks are those of place() (their μ and bounds are those given here). P is a guess
  // where this is the first problem since place(); later ones begin with the last answer, which is kept where it still serves.
  Report solve(const ConeProblem&, const Options&, std::span<double> P, std::span<double> u);
  // Normals alone (rows that stand first in their blocks), without friction: 0 ≤ rhs + A λ ⊥ λ ≥ 0; blocks with `left_out` have λ = 0.
  // rhs, left_out and λ: one for each block.
  int solve_normals(std::span<const double> rhs, std::span<const char> left_out, const Options&, double scale,
                    std::span<double> lambda);
  // One entry of J M⁻¹ Jᵀ, by the numbers of the rows in the island.
  double response_between(std::size_t row, std::size_t column) const;

 private:
  static constexpr std::size_t width = 8;      // numbers of y that move together
  static constexpr std::size_t four = 4;       // rows that do
  static constexpr std::size_t most_rows = 8;  // of a block, in fours
  // A block's rows on one tree. Where u or D⁻¹ u of any of them is not 0:
  struct Side {
    int tree = 0;
    std::uint32_t numbers = 0, packs = 0;
    std::size_t at = 0;       // [numbers] in at_: which numbers of y
    std::size_t u = 0;        // [numbers × fours × 4] in u_
    std::size_t pack_at = 0;  // [packs] in at_: the first numbers of y
    std::size_t G = 0;        // [packs × rows × 8] in G_: D⁻¹ u
  };
  struct Placed {  // a block
    std::size_t first = 0;
    int rows = 0;
    std::size_t first_side = 0, sides = 0;
    std::size_t A = 0;             // [rows × rows]
    std::array<double, 3> step{};  // 1/λ_g
    int point = -1;                // which of the plain points it is
  };
  // A contact of three rows, with all that a sweep reads and writes of it beside its sides.
  struct alignas(64) Point {
    double P[4]{}, u_free[4]{};
    double own = 0, inverse_own = 0;  // A_nn + c_n, its inverse
    double A_tn[2]{};
    double step = 0, size = 0;  // 1/λ_t, λ_t
    double compliance = 0, friction = 0;
    std::size_t first_side = 0, sides = 0;
  };
  struct Tree {
    int root = 0;
    std::size_t y = 0;  // where its half velocities begin
    std::size_t first_use = 0, uses = 0;
  };
  // Of a tree by a block, with its rows there in fours.
  struct Use {
    std::size_t block = 0, side = 0;
  };

  void find_trees(std::span<const ConstraintRow>, std::span<const RowBlock>);
  void gather_rows(const Tree&, std::span<const ConstraintRow>);
  void answer_by_inertia(const Kinematics<double>&, int link);
  void answer_by(const MotionAxes&, Response&);
  void begin_half(std::size_t freedoms);
  void fill_side(const Placed&, Side&, std::size_t first_four);
  void find_steps(Placed&, const RowBlock&);
  double entry(const Placed& a, int r, const Placed& b, int s) const;
  void push(const Placed&, int row, double P);
  void velocities(const Placed&, double* v) const;
  double normal_velocity(const Placed&) const;
  void load_points(const ConeProblem&, std::span<const double> P);
  double relax_point(Point&);
  double relax(const Placed&, const ConeProblem&, const RowBlock&, double* P);
  double relax_contact(const Placed&, const ConeProblem&, const RowBlock&, double* P);
  double sweep(const ConeProblem&, std::span<double> P);
  // Where those of a block are kept during sweeps.
  double* impulses(const Placed& b, std::span<double> P) {
    return b.point >= 0 ? points_[static_cast<std::size_t>(b.point)].P : P.data() + b.first;
  }
  bool turns_back(std::span<double> P);
  void go_beyond(double beta, std::span<double> P);
  void start(std::span<const double> P);
  void remember(const ConeProblem&, std::span<const double> P, bool to_the_end);
  bool is_nearly_solved(const ConeProblem&, double unseen) const;
  ConeCertificate certify_all(const ConeProblem&, std::span<const double> P, std::span<const double> u) const;
  bool is_loose(int link) const { return loose_[static_cast<std::size_t>(link)] != 0; }
  std::span<const Side> sides_of(const Placed& b) const { return std::span(sides_).subspan(b.first_side, b.sides); }

  const Model &figure_, &coordinates_;
  std::span<const int> tree_of_link_;
  std::vector<char> loose_;  // [nlink] a free link without others
  std::vector<int> slot_;    // [nlink] of roots: which of trees_here_; −1: none
  std::vector<Tree> trees_here_;
  std::vector<Use> uses_;
  std::vector<Placed> blocks_;
  std::vector<Side> sides_;
  std::vector<Point, AlignedAllocator<Point, 64>> points_;
  AlignedDoubles u_, G_, y_, y_last_;
  std::vector<std::uint32_t> at_;
  std::vector<std::uint32_t> pack_at_;    // scratch
  std::vector<double> P_last_, P_begun_;  // P_{k−1}, and what the sweep began from
  std::vector<double> A_;
  std::vector<double> P_solved_,
      solved_;  // of the last problem here; none: there was none, or it was not solved to the end
  std::vector<ConstraintRow> rows_of_tree_;  // scratch
  HalfResponse half_;
  std::size_t capacity_ = 0;
  BiasMotion no_bias_;
  std::optional<RowSet> row_set_;
};

}  // namespace marey
