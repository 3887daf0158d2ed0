// Inputs while a simulation runs: a hand that pushes, a controller that drives joints, a knob that is turned.
// Layer: sim
//
// Every input to a simulation is kept with the step before which it was given, so that the same inputs to the same
// scene give the same motion, bit for bit (Simulation::replay).
#pragma once

#include <array>

#include "marey/spatial.h"

namespace marey {

struct Input {
  enum class Kind : int {
    push,     // values: force and torque in W, then the point in B at which the force acts
    drive,    // values: forces in the joint's own degrees of freedom, of which there are at most six
    limit,    // values[0]: from this step on, steps end there at the latest
    number,   // values: which number of an element, and what it is from now on
    command,  // values: where a drive is to go, and how long it is to take, s
  };
  Kind kind = Kind::push;
  int link = 0;        // the link that is pushed, or whose joint is driven; or which element or constraint of the scene
  long long step = 0;  // how many steps had been done
  double t = 0;        // s
  std::array<double, 9> values{};
  bool operator==(const Input&) const = default;
};
const char* name_of(Input::Kind);

}  // namespace marey
