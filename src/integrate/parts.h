// What the methods share: joints' parts, and segments made of the ends of a step.
#pragma once

#include "marey/integrate.h"

namespace marey {

// Errors of integrals over time (works, impulses) may be this many times the tolerance: nothing that moves depends on them.
inline constexpr double quadrature_slack = 30;

void normalize_attitudes(const Model&, std::span<double> q);
// Rate of the local coordinates without truncation; see marey/integrate/turn.h.
void local_rate_exact(const Model&, std::span<const double> xi, std::span<const double> v, std::span<double> xi_rate);

// Both ends of a step, for a cubic through them. Empty accelerations and rates: velocities and integrals run straight,
// which is all that a method of first or second order can tell.
struct StepEnds {
  std::span<const double> q_0, v_0, vdot_0, rates_0;
  std::span<const double> q_1, v_1, vdot_1, rates_1;
  std::span<const double> integrals;  // over the step
};
void fit_cubic(const Model&, const StepEnds&, Segment&);

// Sizes a segment for a model, and for states behind its velocities.
void prepare(Segment&, const Model&, std::size_t rate_count, int degree, Segment::Coordinates,
             std::size_t state_count = 0);

}  // namespace marey
