// Newton's method on Alart and Curnier's equations: quick and exact near a solution.
//
// In the units of cone_scaled.h, with a = z − v (Alart and Curnier 1991, their factor of augmentation being 1 here):
//   normal   z_n = max(0, a_n)                                                                                     (1)
//   group    z_g = a_g shortened to min(|a_g|, μ_g max(0, a_n))                                                    (2)
//   row      z = a within its bounds                                                                               (3)
// Which branch a lies in is the mode of the block: open, closed, and closed groups stick or slide; a row is held or at a
// bound. For given modes one step of Newton's method is a linear problem for z itself:
//   open     z = 0                            stick    v_g = 0
//   closed   v_n = 0                          slide    z_g = μ_g z_n τ + z_σ σ,   (1 − κ) z_σ + κ v_σ = 0           (4)
// with τ = a_g/|a_g|, σ across it, κ = μ_g a_n/|a_g| < 1. (1 − κ)/κ is |v_g|/(μ_g z_n) at the solution: how the direction
// of friction turns with the slip. Unknown are z_n of the closed contacts, z_g where they stick, z_σ where they slide, and
// the held rows. Their matrix is that of B tested by n, t₁, t₂, σ; it is symmetric but for the columns of z_n of contacts that
// slide. Redundant contacts make it singular, with right-hand sides in its range: a multiple of one is added, and its effect
// is taken out by steps with the same factors. Near the solution modes stay, and τ and κ hardly change: the factors of the
// first step serve for the next ones as well, as long as each makes the natural map ten times smaller.
#pragma once

#include <array>
#include <vector>

#include "contact/cone_scaled.h"

namespace marey {

struct BlockMode {
  enum class Normal : unsigned char { open, closed, at_lower, at_upper };
  struct Group {
    bool slides = false;
    std::array<double, 2> tau{};
    double kappa = 0;
  };
  Normal normal = Normal::open;
  std::array<Group, 3> groups{};
};

class ConeNewton {
 public:
  // From z as it is, v belonging to it; ends as soon as the natural map is below `enough`, or was not halved for so many
  // steps. Full steps only: where they do not converge they go from modes to modes, and often find the right ones; searches
  // along the line, which shorten them, found fewer. Leaves the best z and v, and returns their natural map.
  double run(const ScaledCones&, double* z, double* v, int patience, double enough);
  // The same, its natural map being known already.
  double run_from(double known, const ScaledCones&, double* z, double* v, int patience, double enough);
  void expect(std::size_t rows, std::size_t blocks) {
    modes_.reserve(blocks), next_modes_.reserve(blocks), unknowns_.reserve(rows);
    first_trials_.reserve(rows), more_trials_.reserve(rows);
    matrix_.expect(rows), cholesky_.expect(rows), lu_.expect(rows);
    reserve_all(rows, {&y_, &z_, &v_, &once_z_, &once_v_});
  }

  // The next problem has the matrix of the last one, or not: where modes stay, too, the first step has the factors of the last.
  void expect_same_matrix(bool same) { starts_with_factors_ = same && has_factors_; }

  double augmentation = 1;            // r: a = z − r v
  bool reuses_factors = true;         // as above; else each step has its own, which finds more of what is hard
  int steps = 0, factorisations = 0;  // counted up

 private:
  struct Unknown {
    int tests = 1, trials = 1;
    std::array<int, 2> test_row{};
    std::array<double, 2> test{};
    std::array<int, 6> trial_row{};
    std::array<double, 6> trial{};
    double turning = 0;  // (1 − κ)/κ
  };
  struct FirstTrial {
    int row = 0;
    double factor = 0;
  };
  struct MoreTrial {
    int unknown = 0, row = 0;
    double factor = 0;
  };
  void list_trials();
  void find_modes(const ScaledCones&, const double* z, const double* v, std::vector<BlockMode>&) const;
  bool modes_stay(const ScaledCones&);
  void find_unknowns(const ScaledCones&);
  void add_unknown(int row);
  void add_contact(const ScaledBlock&, const BlockMode&);
  bool factor(const ScaledCones&);
  void take_shape(const ScaledCones&, double* z) const;
  double solve_for_modes(const ScaledCones&);
  double step_again(const ScaledCones&);
  void correct(const ScaledCones&, double* z, double* v);

  std::vector<BlockMode> modes_, next_modes_;
  std::vector<Unknown> unknowns_;
  std::vector<FirstTrial> first_trials_;
  std::vector<MoreTrial> more_trials_;
  bool symmetric_ = true;
  bool has_factors_ = false, starts_with_factors_ = false;
  SquareRows matrix_;
  CholeskyRows cholesky_;
  LuRows lu_;
  std::vector<double> y_, z_, v_, once_z_, once_v_;
};

}  // namespace marey
