// Whether a run can begin from a scene's start.
#pragma once

#include <string>
#include <vector>

#include "marey/sim.h"
#include "scene/figures.h"

namespace marey {

struct StartPlaces {
  Place start;                     // of `start`, or of the scene
  bool projected = false;          // start: projected
  std::vector<Place> constraints;  // [constraints]
};

// Builds the world as a run does and evaluates it once; refuses, at its place, what a run would refuse.
void check_start(const Scene&, const StartPlaces&, const FiguresDraft&);

// "'NAME' is off by 0.1 (m or rad)", for the constraint with the largest violation in that state.
std::string farthest_off(const Scene&, const State&);

}  // namespace marey
