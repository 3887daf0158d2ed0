// What is to be said of a scene before it is run.
#pragma once

#include "marey/sim.h"

namespace marey {

// The two times that ground that gives way brings with it, at the start, s.
struct GroundTimes {
  double period = forever;  // in which the figure swings on it; infinite where its exponent is not 1
  double decay = forever;   // in which its damping takes the speed of the point
};
GroundTimes ground_times(const Model&, const FloorContact&, const State&);
// The shortest period of figures on all of these points together, those that stick held along the plane as well: that of the lightest thing
// that the stiffest ground carries. Infinite: none gives way.
double ground_period(const Model&, std::span<const FloorContact>, const State&);

}  // namespace marey
