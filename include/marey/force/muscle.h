// Muscles: torques with a memory of their own (R 4.4.2.2).
#pragma once

#include <vector>

#include "marey/force.h"

namespace marey {

// What pulls the named angle of a joint one way, with a torque S ≥ 0 that grows as the muscle is stretched:
//   Ṡ = stiffness · u (1 − S/most) [1 + control (w − 1)],   |Ṡ| ≤ rate
// u the rate at which the angle goes the other way, w = ż_c(t − delay)/ż_c(start) of the common centre of mass of `body`. It starts
// by its schedule, with no torque; when that is over it lets go.
struct Muscle {
  int link = 0;  // in whose joint it acts
  NamedAngle angle;
  bool towards_larger = true;  // angles
  double stiffness = 0;        // N m/rad
  double most = 0;             // N m
  double rate = forever;       // N m/s
  double control = 0;
  double delay = 0;       // s, of the control
  std::vector<int> body;  // whose centre of mass controls it
  double release = 0;     // s, in which it lets go of all but 1/e; 0: at once
  Schedule schedule;
};
const ElementLaw& law_of(const Muscle*);

}  // namespace marey
