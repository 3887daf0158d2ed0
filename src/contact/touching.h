// Points that touch, as one contact problem of accelerations: who leaves, who slips, and how the others share the load.
//
// A plate on four corners, a robot whose four feet hold each other across: there are many λ for one motion, and laws that are
// looked at point by point for one of them are wrong. A corner that reaches the bound of its friction is not slipping as long as
// the others can take more. What moves is decided by the contact problem (cone_problem.h), with accelerations for velocities:
//   a = a_free + A λ        at rest: λ in K, a + μ|a_t| n in K*, at right angles                                       (1)
// A point that slides along s has λ_t = −μ_k λ_n s whatever its acceleration is. In (1) it is given a slip S s, S being
// far beyond all accelerations, so that friction opposes s but for a_t/S; in a second round S s − a_t, so that it opposes s.
// Of all λ that belong to these accelerations the shortest is taken, Σ|λ|² least.
#pragma once

#include <span>
#include <vector>

#include "contact/cone.h"
#include "marey/contact.h"
#include "marey/contact/cone_problem.h"

namespace marey {

class TouchingCones {
 public:
  explicit TouchingCones(int max_points);
  // Whether some of the rows hardly differ from sums of others: A, of unit diagonal, has small pivots.
  bool redundant(std::span<const double> A, std::size_t points);
  // (1), with the coefficients that the points have. False where it was not solved, or where no
  // forces but only impulses would do (Painlevé).
  bool solve(const ModeProblem&, std::span<double> lambda);
  // The same, and the modes that follow: a point that begins to slip goes on with μ_slide.
  bool choose(const ModeProblem&, std::span<ConeMode> modes, std::span<double> lambda);
  // The same of velocities, b being those at the end of a short time if nothing touched: impulses P over that time. A slip that is
  // under way may turn and stop. False where it was not solved.
  bool step(const ModeProblem&, std::span<double> P);
  // Accelerations (velocities at the end) of the last solve, of the points themselves; those below `still()` are none.
  std::span<const double> a() const { return {a_.data(), size_}; }
  double still() const { return still_; }
  bool leaves(std::size_t i) const { return a_[3 * i] > still_; }
  double slip(std::size_t i) const;  // |a_t|

 private:
  bool solve_once(const ModeProblem&, std::span<double> lambda, double slip_of_sliding);

  ConeSolver solver_;
  std::size_t size_ = 0;
  double still_ = 0;
  std::vector<RowBlock> blocks_;
  std::vector<char> begun_;
  std::vector<Pair> direction_;
  std::vector<double> scaled_, free_, slip_, u_, a_;
};

}  // namespace marey
