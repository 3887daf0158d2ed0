// Constraints of a scene: loop joints, rods, paths, surfaces, couplers, drives, rolling.
#pragma once

#include <vector>

#include "marey/constraint.h"
#include "marey/contact.h"
#include "marey/spec/values.h"
#include "scene/scripts.h"

namespace marey {

struct PlacedConstraints {
  std::vector<Constraint> constraints;
  std::vector<Place> places;  // [constraints]
};

// `constraints` and `drives` may be null. Names are unique among elements and contacts, too: what/figure.link, or as
// the scene names them; `scripts` come last. What a constraint leaves open (a length, the other end's place) is as it is at the start. In
// the scene of an already recorded motion, paths may meet themselves.
PlacedConstraints read_constraints(const Model&, const State& start, std::span<const Element>,
                                   std::span<const FloorContact>, const Value* constraints, const Value* drives,
                                   std::vector<ScriptedJoint> scripts, bool recorded);

}  // namespace marey
