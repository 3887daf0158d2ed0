// Contacts with friction as one complementarity problem: u = A P + b, for impacts (velocities and impulses) and for
// resting contact (accelerations and forces) alike.
//
// Per contact, with P ≥ `least` in the normal direction (0, unless a part of the impulse is prescribed):
//   normal    0 ≤ u_n ⊥ P_n − least ≥ 0, or P_n = least where the normal is given
//   tangents  stick  u_t = 0, |P_t| ≤ μ_s P_n
//             slide  P_t = −μ_k P_n s, s the direction of slip: a given one, or that of u_t
//             none   P_t = 0
// For given modes and directions these are 3m linear equations, solved with least norm (contacts may be redundant). A
// direction that is that of u_t is found by Newton's method on its angle θ: with s′ = ds/dθ the residual is
// ρ = s′ · u_t, and a turn changes P by the solution of the same system with the right-hand side −μ P_n s′.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "marey/rows/least_norm.h"

namespace marey {

using Pair = std::array<double, 2>;

struct ConePoint {
  double mu_stick = 0, mu_slide = 0;
  double least = 0;           // of P_n
  bool normal_given = false;  // P_n = least
  bool slides = false;        // slip is under way along `s`: the direction is given, and the contact cannot stick
  bool holds_always = false;  // u_t = 0 without a limit, as long as P_n > 0
  Pair s{};
};
struct ConeMode {
  enum class Normal : std::uint8_t { open, held };  // P_n = least, u_n = 0
  enum class Tangent : std::uint8_t { none, slide, stick };
  Normal normal = Normal::open;
  Tangent tangent = Tangent::none;
  Pair s{};
};

struct ModeProblem {
  std::span<const double> A, b;  // [3m × 3m], [3m]
  std::span<const ConePoint> points;
};

class ModeSolver {
 public:
  explicit ModeSolver(int max_points);

  // P and u for given modes; directions that are not given are taken from the modes as they are (`turn` false) or
  // found. False when the equations cannot be met, or a direction not be found.
  bool solve(const ModeProblem&, std::span<ConeMode>, bool turn);
  // The same for given directions, near P₀: what the modes ask for is added to it, as little as possible, and not where rows
  // hardly differ from sums of others. P of points that modes leave open stays.
  void solve_near(const ModeProblem&, std::span<const ConeMode>, std::span<const double> P_0);
  // Whether P and u for given modes, found as by solve(), satisfy all laws.
  bool holds(const ModeProblem& p, std::span<ConeMode> modes) { return solve(p, modes, true) && obeys(p, modes); }
  // Modes that satisfy all laws; `modes` holds a guess. First by switching modes that are violated, all at once and
  // later one at a time; then the same from what projected sweeps over the contacts suggest; then all combinations, each
  // of which takes as long as all that. Of contacts that redundancy left without load, those that can share it do.
  bool search(const ModeProblem& p, std::span<ConeMode> modes) {
    return search_quickly(p, modes) || search_all(p, modes);
  }
  bool search_quickly(const ModeProblem&, std::span<ConeMode> modes);
  bool search_all(const ModeProblem&, std::span<ConeMode> modes);
  // Tries all combinations of modes, if there are not too many. Keeps the one with the least sum of P_n among those
  // that satisfy all laws, and counts those with different u.
  int enumerate(const ModeProblem&, std::span<ConeMode> modes);
  // A mode that suits the point when nothing is known of it.
  static ConeMode guess(const ConePoint&);

  std::span<const double> P() const { return {P_.data(), size_}; }
  std::span<const double> u() const { return {u_.data(), size_}; }
  // Below this, a velocity (acceleration) of contact i counts as zero: 1e-10 of the terms it is the sum of.
  double tolerance(int i) const { return tolerance_[i]; }
  double force_tolerance(const ModeProblem&, int i) const;

 private:
  bool switch_modes(const ModeProblem&, std::span<ConeMode> modes, int rounds);
  void sweep(const ModeProblem&, int times);
  void modes_of_sweeps(const ModeProblem&, std::span<ConeMode> modes) const;
  void share(const ModeProblem&, std::span<ConeMode> modes);
  bool obeys(const ModeProblem&, std::span<const ConeMode>) const;
  void linear_solve(const ModeProblem&, std::span<const ConeMode>);
  double assemble(const ModeProblem&, std::span<const ConeMode>);
  void velocities(const ModeProblem&);
  bool met(const ModeProblem&, std::span<const ConeMode>) const;
  bool find_directions(const ModeProblem&, std::span<ConeMode>);
  double newton_turn(const ModeProblem&, std::span<const ConeMode>);
  double misalignment(const ModeProblem&, std::span<const ConeMode>);
  bool violated(const ModeProblem&, std::span<const ConeMode>, int i, ConeMode& better) const;
  static int choices(const ConePoint&, std::array<ConeMode, 8>&);
  bool try_combination(const ModeProblem&, std::span<ConeMode>);
  bool new_solution(int found);

  std::size_t size_ = 0;
  LeastNorm system_, turns_;
  std::vector<double> B_, rhs_, x_, P_, u_, tolerance_;
  std::vector<double> dP_, turn_matrix_, turn_rhs_, turn_;
  std::vector<double> best_P_, best_u_, solutions_;
  std::vector<ConeMode> trial_, best_modes_, before_, kept_;
  std::vector<int> sliding_;
};

}  // namespace marey
