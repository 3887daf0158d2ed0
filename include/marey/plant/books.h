// Places in the account of energy and momentum, and entries in it. What they must balance: sim/ledger.h.
#pragma once

#include <span>

#include "marey/spatial.h"

namespace marey {

// Where each rate stands: powers of the sources (elements and the caller's own, contacts, constraints, what touches in steps, what sleeps, welds), then impulses (n, f) of gravity, of the world
// at the roots, and of each source.
struct RateLayout {
  explicit RateLayout(std::size_t elements, std::size_t contacts = 0, std::size_t constraints = 0,
                      bool with_welds = false, bool stepped = false, bool sleeps = false)
      : elements(elements),
        contacts(contacts),
        constraints(constraints),
        sources(elements + contacts + constraints + (stepped ? 2 : 0) + (sleeps ? 1 : 0) + (with_welds ? 1 : 0)) {}
  std::size_t elements, contacts, constraints, sources;
  std::size_t contact(std::size_t c) const { return elements + c; }  // as a source
  std::size_t constraint(std::size_t c) const { return elements + contacts + c; }
  // Of a world that goes on in steps: shapes that touch, and positions that are put apart.
  std::size_t touching() const { return elements + contacts + constraints; }
  std::size_t correction() const { return touching() + 1; }
  std::size_t sleep() const { return touching() + 2; }  // where anything may
  std::size_t welds() const { return sources - 1; }     // where there are any
  std::size_t power(std::size_t source) const { return source; }
  std::size_t gravity() const { return sources; }
  std::size_t world() const { return sources + 6; }
  std::size_t outside(std::size_t source) const { return sources + 12 + 6 * source; }
  std::size_t count() const { return sources + 12 + 6 * sources; }
  std::size_t impulse_sources() const { return 2 + sources; }
};
inline constexpr const char* welds_name = "welds";  // of their source
inline constexpr const char* touching_name = "touching";
inline constexpr const char* correction_name = "position correction";
inline constexpr const char* sleep_name = "sleep";

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

}  // namespace marey
