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
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "marey/model.h"
#include "marey/plant/books.h"
#include "sim/ledger.h"

namespace marey {

class EnergyBound {
 public:
  // None where joints shift.
  static std::optional<EnergyBound> of(const Model&);
  // All was looked at here; `potential`: V.
  void look(const Balance&, double potential, std::span<const double> q, const Kinematics<double>&);
  // Whether (1) is plainly less than the largest there have been.
  bool is_below(const LedgerState&, const MovingMass&, double potential, std::span<const double> q,
                std::span<const double> v) const;

 private:
  double mass_ = 0, weight_ = 0, reach_ = 0;  // Σ m, Σ m g, R
  double gravity_energy_ = 0, farthest_ = 0;  // |E_g|, r
  std::vector<double> q_;                     // empty: nothing is known
};

}  // namespace marey
