// How much energy and momentum figures can have at most, by sums over their coordinates alone: the ledger follows the largest there have been, and what
// lies on a floor is far from that.
//
// Of figures whose joints turn and do not shift, but for their roots. Let R be the way through all links and across the widest of them, and Δq what
// coordinates differ by from where all was looked at last. Quaternions d apart are a turn of 4 asin ½d ≤ 2.1 d apart, and lengths are at most the sum
// of what they are made of, so that
//   no point is farther from where it was than        x = (1 + 2.1 R) Σ |Δq|
//   none is faster than                               s = (1 + R) Σ |v|                                              (1)
//   |E| ≤ |E_g| + m g x + ½ m s² + |V|                E_g of gravity, where it was looked at; V of elements, now
//   |p| ≤ m s,   |L| ≤ m s (r + x)                    r: of the farthest point from Wo, where it was looked at
// V is asked for every sixteenth time only; between, nothing but 0.99 of the largest is left for what it may have become. What was looked at, and
// when, belongs to checkpoints.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "marey/model.h"
#include "marey/plant/books.h"
#include "marey/plant/part.h"
#include "sim/ledger.h"

namespace marey {

class EnergyBound {
 public:
  // None where joints shift.
  static std::optional<EnergyBound> of(const Model&);
  // All was looked at here; `potential`: V.
  void look(const Balance&, double potential, std::span<const double> q, const Kinematics<double>&);
  // Whether (1) is plainly less than the largest there have been. potential(): V now.
  template <class Potential>
  bool is_below(const LedgerState& ledger, const MovingMass& moving, std::span<const double> q,
                std::span<const double> v, Potential potential) {
    if (known_ == 0) return false;
    if (++asked_ >= most_asked) asked_ = 0, potential_ = potential();
    return is_below(ledger, moving, q, v);
  }
  void exchange(const Part::Archive&);

 private:
  bool is_below(const LedgerState&, const MovingMass&, std::span<const double> q, std::span<const double> v) const;
  static constexpr double most_asked = 16;  // times, between two at which V was asked for

  double mass_ = 0, weight_ = 0, reach_ = 0;                  // Σ m, Σ m g, R
  double known_ = 0;                                          // whether anything is
  double gravity_energy_ = 0, farthest_ = 0, potential_ = 0;  // |E_g|, r, V
  double asked_ = 0;                                          // times since V was
  std::vector<double> q_;
};

}  // namespace marey
