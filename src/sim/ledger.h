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

#include "marey/sim.h"

namespace marey {

// Where each rate stands: powers of the sources (elements and the caller's own, contacts, constraints, welds), then impulses (n, f) of gravity, of the world
// at the roots, and of each source.
struct RateLayout {
  explicit RateLayout(std::size_t elements, std::size_t contacts = 0, std::size_t constraints = 0,
                      bool with_welds = false)
      : elements(elements), contacts(contacts), sources(elements + contacts + constraints + (with_welds ? 1 : 0)) {}
  std::size_t elements, contacts, sources;
  std::size_t contact(std::size_t c) const { return elements + c; }  // as a source
  std::size_t constraint(std::size_t c) const { return elements + contacts + c; }
  std::size_t welds() const { return sources - 1; }  // where there are any
  std::size_t power(std::size_t source) const { return source; }
  std::size_t gravity() const { return sources; }
  std::size_t world() const { return sources + 6; }
  std::size_t outside(std::size_t source) const { return sources + 12 + 6 * source; }
  std::size_t count() const { return sources + 12 + 6 * sources; }
  std::size_t impulse_sources() const { return 2 + sources; }
};
RateLayout layout_of(const Scene&);
inline constexpr const char* welds_name = "welds";  // of their source

// Adds a wrench (or an impulse) about Wo, in W, to the six numbers that begin at `at`.
inline void book_wrench(std::span<double> account, std::size_t at, const Wrench<double>& F, double times = 1) {
  for (int k = 0; k < 3; ++k) {
    account[at + static_cast<std::size_t>(k)] += times * F.n[k];
    account[at + 3 + static_cast<std::size_t>(k)] += times * F.f[k];
  }
}

inline Vec3<double> vec_at(std::span<const double> x, std::size_t at) { return {x[at], x[at + 1], x[at + 2]}; }

struct Balance {
  double energy = 0;        // kinetic + potential
  Wrench<double> momentum;  // angular about Wo, linear
  double kinetic = 0;
};

// Follows a run; plain numbers only, so that a checkpoint can copy it. What was once not finite stays in the largest ones.
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
                    const Scene&, double closed_within);
// Whose power and impulse stand at that source.
std::string name_of_source(const RateLayout&, std::size_t source, const Scene&);
// Whether all that was booked until now, and all that a closed account says, are numbers.
bool is_finite(const LedgerState&, std::span<const double> integrals);
bool is_finite(const Ledger&);

}  // namespace marey
