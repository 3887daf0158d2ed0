// How a scene is to be solved: the choice of dynamics, integrator and steps. Layer: plant
#pragma once

#include <optional>

#include "marey/dynamics/multipliers.h"
#include "marey/integrate.h"

namespace marey {

// Joints that have been still for a while are welded until the weld would have to carry too much.
struct WeldOptions {
  double below = 0.01;  // rad/s, m/s: a joint counts as still while its speed is below this
  double lasts = 0.5;   // s: for how long it must be still
  double wake = 0.1;    // N m, N: what the weld may carry beyond what acts in the joint
};
// Loose bodies that have come to rest together are left alone until something happens to them (marey/contact/sleeping.h).
struct SleepOptions {
  double below = 0.01;  // m/s: a body is quiet while no point of it is faster
  double lasts = 0.5;   // s: for how long all that touch have to be
};
// How contacts are met.
enum class ContactDriver {
  events,    // each located in time, by a method of any order: points on floors
  stepping,  // in fixed steps, all that touches in a step together: shapes too
};
const char* name_of(ContactDriver);
// How contacts that influence each other are solved, in steps.
enum class ContactAccuracy {
  tight,      // to the last digits, by their matrix
  fast,       // by sweeps over them (marey/contact/contact_sweeps.h)
  automatic,  // by how many there are
};
const char* name_of(ContactAccuracy);
struct SolverOptions {
  Dynamics dynamics = Dynamics::aba;
  Integrator integrator = Integrator::rk4;
  double step = 1e-3;                                       // s; for methods that choose their steps, the longest
  int slow_band = 1;                                        // armstrong's ν
  bool spread = false;                                      // the slow band's work spread over the ν steps
  double tolerance = 1e-6;                                  // methods that choose their steps, per step: relative
  std::optional<double> absolute_tolerance = std::nullopt;  // m, rad, m/s, rad/s; if not given: the same number
  Stabilisation stabilisation = Stabilisation::projection;  // multipliers
  double stabilisation_time = 0.05;                         // s; 1/β of Baumgarte's
  double reuse = 0;  // crba: factors kept until the mass matrix has changed by this fraction; 0: factored every time
  std::optional<WeldOptions> weld = std::nullopt;  // if not given: no joint is welded
  bool particles_apart =
      true;  // particles and springs between them as arrays; false: as ordinary links, for comparison
  // Stepping advances by a rule of its own, and not by the integrator.
  ContactDriver contact = ContactDriver::events;
  ContactAccuracy accuracy = ContactAccuracy::tight;
  std::optional<SleepOptions> sleep = std::nullopt;  // if not given: nothing sleeps
  int threads =
      0;  // stepping: that share the work, with the same result; 0: all cores where there are many bodies, else 1
};

}  // namespace marey
