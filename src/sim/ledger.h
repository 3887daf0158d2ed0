// The account of energy and momentum.
//
// Rates a run integrates beside its state, in the layout below, and what they must balance:
//   energy:    (T + V)(t) − (T + V)(0) = Σ over elements ∫ P dt, with P = ∂V/∂t for a conservative element (its own
//              potential is part of V) and P = Σ wrench · twist for any other; and over contacts, whose ground may have a
//              potential, too, and whose impacts add impulse · mean velocity at once; and over constraints, λ J v, which
//              is what those that move by themselves put in
//   momentum:  L(t) − L(0) = ∫ (gravity + world reactions at roots + forces of elements and contacts from outside) dt, and
//              their impulses at impacts, with L the linear momentum and the angular momentum about the world's origin, in W
// The stepper integrates them with its own stages and weights; what is left over is its own error.
#pragma once

#include "marey/plant/books.h"
#include "marey/sim.h"

namespace marey {

RateLayout layout_of(const Scene&);

// What all that moves weighs, and its moment of inertia about a point, Σ m r². With a kinetic energy T the momenta of its parts
// add up, without their directions, to √(2 m T) and √(2 Σ m r² T) at most (Cauchy): what the errors of a figure have to be
// compared with whose limbs move while their momenta cancel.
struct MovingMass {
  double mass = 0, turning = 0;
};
MovingMass moving_mass(const Model&, const Kinematics<double>&);  // about Wo

// Follows a run; plain numbers only, so that a checkpoint can copy it. What was once not finite stays in the largest ones.
struct LedgerState {
  Balance start;
  double largest_energy = 0, largest_linear = 0, largest_angular = 0;
  void begin(const Balance&, const MovingMass&);
  void follow(const Balance&, const MovingMass&);
};

struct Residual {
  double energy = 0;
  Vec3<double> linear, angular;
};
Residual residual_of(const RateLayout&, const LedgerState&, const Balance& now, std::span<const double> integrals);
Ledger close_ledger(const RateLayout&, const LedgerState&, const Balance& now, std::span<const double> integrals,
                    const Scene&, double closed_within);
// Whose power and impulse stand at that source.
std::string name_of_source(const RateLayout&, std::size_t source, const Scene&);
// Whether all that was booked until now, and all that a closed account says, are numbers.
bool is_finite(const LedgerState&, std::span<const double> integrals);
bool is_finite(const Ledger&);

}  // namespace marey
