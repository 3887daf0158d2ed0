// Particles whose mass changes (W9): a rocket, a drop that gathers mist.
#pragma once

#include <span>
#include <vector>

#include "marey/force.h"
#include "marey/force/time_function.h"

namespace marey {

// The mass m(t) of particles, and the velocity u of what joins them (ṁ > 0) or leaves them (ṁ < 0), all of it alike.
struct MassFlow {
  std::vector<int> links;  // particles: marey/dynamics/particles.h
  TimeFunction mass;       // kg, of each of them
  Vec3<double> velocity;   // u, m/s; in the axes of W
  bool relative = false;   // as seen from the particle, as of a jet; else from W
};
const ElementLaw& law_of(const MassFlow*);

// ṁ, kg/s; `modes`: the element's.
double mass_rate(const MassFlow&, double t, std::span<const double> modes);

}  // namespace marey
