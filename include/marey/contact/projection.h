// A start that respects the floors: the nearest to the given one.
#pragma once

#include <span>
#include <string>

#include "marey/contact.h"
#include "marey/model.h"

namespace marey {

struct Projection {
  State state;
  bool found = false;  // if not, `state` is where the search ended
  int rounds = 0;      // of the search for the pose
  double deepest = 0;  // m below its floor, of the point that was lowest; and what is left of it
  double left = 0;     // m
  double moved = 0;    // m, of the link's origin that went farthest
  int moved_link = 0;
  double slowed = 0;  // m/s, of the contact point that went into its floor fastest
};

// Moves the links so that no contact point is below its floor, and takes from the velocities what goes into the floors of
// those that touch; both as little as possible, measured with the figure's own inertia. Ground that gives way may be
// entered and is left out.
Projection project_on_floors(const Model&, std::span<const FloorContact>, const State& given);

// The same in a sentence.
std::string describe(const Model&, const Projection&);

}  // namespace marey
