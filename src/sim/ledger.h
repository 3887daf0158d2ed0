// The account of energy and momentum.
//
// Rates a run integrates beside its state, in the layout below, and what they must balance:
//   energy:    (T + V)(t) − (T + V)(0) = Σ over elements ∫ P dt, with P = ∂V/∂t for a conservative element (its own
//              potential is part of V) and P = Σ wrench · twist for any other
//   momentum:  L(t) − L(0) = ∫ (gravity + world reactions at roots + elements' forces from outside) dt, with L the linear
//              momentum and the angular momentum about the world's origin, in W
// The stepper integrates them with its own stages and weights; what is left over is its own error.
#pragma once

#include "marey/sim.h"

namespace marey {

// Where each rate stands: powers of the elements, then impulses (n, f) of gravity, of the world at the roots, and
// of each element.
struct RateLayout {
  explicit RateLayout(std::size_t elements) : elements(elements) {}
  std::size_t elements;
  std::size_t power(std::size_t e) const { return e; }
  std::size_t gravity() const { return elements; }
  std::size_t world() const { return elements + 6; }
  std::size_t outside(std::size_t e) const { return elements + 12 + 6 * e; }
  std::size_t count() const { return elements + 12 + 6 * elements; }
  std::size_t impulse_sources() const { return 2 + elements; }
};

struct Balance {
  double energy = 0;        // kinetic + potential
  Wrench<double> momentum;  // angular about Wo, linear
};

// Follows a run; plain numbers only, so that a checkpoint can copy it.
struct LedgerState {
  Balance start;
  double largest_energy = 0, largest_linear = 0, largest_angular = 0;
  void begin(const Balance&);
  void follow(const Balance&);
};

struct Residual {
  double energy = 0;
  Vec3<double> linear, angular;
};
Residual residual_of(const RateLayout&, const LedgerState&, const Balance& now, std::span<const double> integrals);
Ledger close_ledger(const RateLayout&, const LedgerState&, const Balance& now, std::span<const double> integrals,
                    std::span<const Element>, double closed_within);

}  // namespace marey
