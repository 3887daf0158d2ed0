// A pose in which nothing moves, near a given one.
#pragma once

#include <span>
#include <string>

#include "marey/constraint.h"
#include "marey/force.h"
#include "marey/model.h"

namespace marey {

struct Equilibrium {
  State state;              // at rest
  bool found = false;       // if not, `state` is where the search ended
  bool stable = false;      // no small push makes it leave; poses that may drift (neutral ones) count as stable
  int rounds = 0;           // of the search
  double acceleration = 0;  // what is left, as a part of what the forces would cause one by one

  // How far the links went from where they were: origins (m), turns (rad), and which link went farthest.
  double moved = 0, turned = 0;
  int moved_link = 0, turned_link = 0;
  // The link that is farthest from being at rest, and its acceleration (m/s² at its centre of mass).
  int restless_link = 0;
  double restless = 0;
};

// Looks for the pose in which gravity, the elements, as they act at t = 0 on links at rest, and the forces of constraints
// balance. All the constraints given are taken to hold at t = 0, and not to move then. Of several such poses it finds the
// one into which the figure would sink from `near` in honey. The velocities of `near` are not read; its pose may be a
// little off the constraints.
Equilibrium find_equilibrium(const Model&, std::span<const Element>, std::span<const Constraint>, const State& near);
inline Equilibrium find_equilibrium(const Model& model, std::span<const Element> elements, const State& near) {
  return find_equilibrium(model, elements, {}, near);
}

// The same in a sentence, for people: how far it went, or why there is none.
std::string describe(const Model&, const Equilibrium&);

}  // namespace marey
