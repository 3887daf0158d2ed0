// What a simulation is made of, for the library's own use.
#pragma once

#include <optional>

#include "marey/simulation.h"
#include "sim/recorder.h"

namespace marey {

// Throws Error(bad_input) with the reason where the scene cannot be run.
void check_that_it_can_run(const Scene&);

class Simulation::Parts {
 public:
  explicit Parts(std::shared_ptr<const System> of);

  std::shared_ptr<const System> system;  // outlives what refers to it
  World world;
  State before;  // when the last step began
  std::vector<Input> inputs;
  double limit = forever;  // of the last step
  Kinematics<double> kinematics;
  // Of the present state, found when asked for.
  bool knows_poses = false, knows_row = false;
  std::span<const double> row;

  // Of all channels, made when first asked for: most runs record by one of their own.
  Recorder& recorder();
  void changed() { knows_poses = knows_row = false; }
  void take(const Input&);
  // Takes those of a record that are due before the next step, from number `next` on; returns the limit of that step, which
  // is the last one's where the record says nothing.
  double take_due(std::span<const Input> record, std::size_t& next, double last);

 private:
  std::optional<Recorder> recorder_;
};

}  // namespace marey
