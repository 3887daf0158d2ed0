// Where a step will lead, by the steps before it: so that its forces are looked at once, and at the right place.
//
// Implicit steps (sim/implicit_forces.h) look for v⁺ by Newton's method from v⁺ = v⁻ on, in two rounds or more, each with all forces and all
// contacts. Of what moves evenly v⁺ is known beforehand. With Δ₁ = v⁺ − v⁻ of the last step, Δ₂ and Δ₃ of those before it, v⁺ − v⁻ is about
//   Δ₁,   2Δ₁ − Δ₂   or   3Δ₁ − 3Δ₂ + Δ₃      what is constant, linear or quadratic in time                              (1)
//   Δ₂   or   Δ₁ + Δ₂ − Δ₃                     the same of what goes to and fro with every step, as points do that close their gaps
// whichever would have been nearest in the last step, by e. A round from there leaves ρ e of the error, ρ being what the last step of two rounds or
// more has shown, times a margin. n rounds are enough where ρⁿ e is not felt; (1) is taken where it needs fewer of them than v⁻ does. Every so
// often there is one round more than that, so that ρ is known. What is known is of steps without strikes, of one length, one after
// another; it belongs to a checkpoint.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace marey {

class Foresight {
 public:
  // `enough`: a change that is not felt, m/s, rad/s.
  Foresight(std::size_t nv, double enough);
  void forget();
  // A step over h has ended so. It counts when the next one begins.
  void take(std::span<const double> v_minus, std::span<const double> v_plus, double h, bool evenly);
  void begin_step();
  // Whether (1) is of a step over h.
  bool knows(double h) const;
  // Whether a step over h needs fewer rounds by (1).
  bool helps(double h) const;
  // (1)
  void guess(std::span<const double> v_minus, std::span<double> v_plus) const;
  // Factors of Δ₁, Δ₂, Δ₃ in it.
  std::array<double, 3> way() const;
  // Whether one round may be enough, and not one more to know ρ.
  bool may_be_alone() const;
  // Whether is_enough() will be true of such a change.
  bool will_be_enough(double change) const;
  // Whether a round from (1) that has changed v⁺ by so much was the last one.
  bool is_enough(double change);
  // A round has changed v⁺ by `change`, and the one before it by `before`.
  void learn(double before, double change);

  std::vector<double> memory() const;
  void recall(std::span<const double>);

 private:
  int rounds_from(double error) const;
  void choose();
  void largest_misses(std::span<double> of_ways) const;
  template <class Visit>
  void for_numbers(Visit);

  double enough_;
  double known_ = 0;    // steps that count, as many as are kept at most
  double h_ = 0;        // of them
  double rate_ = 0;     // ρ; 0: not known
  double since_ = 0;    // steps of one round
  double way_ = 0;      // which of (1)
  double error_ = 0;    // e
  double pending_ = 0;  // whether a step is about to count: 1; −1: that it was not even
  double pending_h_ = 0;
  std::array<std::vector<double>, 3> last_;  // Δ₁, Δ₂, Δ₃
  std::vector<double> next_;                 // of the step that is about to count
};

}  // namespace marey
