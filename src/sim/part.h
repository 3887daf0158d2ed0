// What a world is made of, as its loops see it: whatever switches, remembers or has a potential, of whatever kind.
// What parts do to the motion are forces (Source, marey/source.h) and rows (sim/plant.h).
#pragma once

#include <functional>
#include <span>

#include "marey/dynamics.h"
#include "marey/force.h"

namespace marey {

class Part {
 public:
  virtual ~Part() = default;

  // ---- time
  virtual void begin_step(double /*t*/) {}
  // The next instant after the state's at which something switches by the clock.
  virtual double next_instant(const State&) const { return forever; }
  // How long steps may be that are chosen by their error.
  virtual double longest_step() const { return forever; }

  // ---- switches: functions that are positive as long as all is as it was
  virtual std::size_t switch_count() const { return 0; }
  // Whether they are of the rows' forces, which are then worked out before.
  virtual bool switches_by_forces() const { return false; }
  virtual void switch_values(const Instant<double>&, const Kinematics<double>&, std::span<double> /*values*/) {}

  // ---- what it remembers
  // Within the last step it was as when that began; what happened at its end has changed it since.
  virtual void use_last_step(bool) {}
  // All that a checkpoint holds of it, for writing and for reading; and what is to be made of it when it was read.
  using Archive = std::function<void(std::span<std::byte>)>;
  virtual void exchange(const Archive&) {}
  virtual void restored() {}

  // ---- its potential, added to an energy
  virtual double potential_on_top(double energy, const Instant<double>&, const Kinematics<double>&) const {
    return energy;
  }
};

}  // namespace marey
