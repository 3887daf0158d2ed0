// The integrators that there are, for tests to loop over: a new one is in them by its line in marey/integrate.h.
#pragma once

#include <vector>

#include "marey/integrate.h"

namespace integrators {

template <class Wanted>
std::vector<marey::Integrator> those(Wanted wanted) {
  std::vector<marey::Integrator> some;
  for (const marey::Integrator i : marey::all_integrators())
    if (wanted(i)) some.push_back(i);
  return some;
}

inline std::vector<marey::Integrator> all() {
  return those([](marey::Integrator) { return true; });
}
inline std::vector<marey::Integrator> of_fixed_step() { return those(marey::has_fixed_step); }
inline std::vector<marey::Integrator> adaptive() {
  return those([](marey::Integrator i) { return !marey::has_fixed_step(i); });
}
// With fixed steps of a millisecond, or a tolerance of 1e-9, they leave next to nothing of an error.
inline std::vector<marey::Integrator> accurate() {
  return those([](marey::Integrator i) { return marey::order_of(i) >= 4; });
}
// Those that can be saved after every step.
inline std::vector<marey::Integrator> without_long_memory() {
  return those([](marey::Integrator i) { return !marey::has_long_memory(i); });
}

}  // namespace integrators
