// What a world is made of, as its loops see it: whatever acts, restricts, switches, remembers or has a potential, of whatever
// kind. The world makes the list (World::World); places in the account (RateLayout) and recorded channels have lists of their
// own.
//
// Order. Forces, wrenches and switches go through the list from its front. Rows are solved, struck and put right from its
// back: a part finds v̇ and velocities as those behind it leave them, and answers with these holding (marey/plant/plant.h).
#pragma once

#include <functional>
#include <span>

#include "marey/dynamics.h"
#include "marey/force.h"
#include "marey/scalar.h"

namespace marey {

class Plant;
class Surroundings;
struct RateLayout;

// What has ended a step, or come from outside, as one part sees it.
struct Happening {
  int which = -1;         // of its switches; −1: none of them
  bool by_clock = false;  // an instant has come
  bool jolted = false;    // velocities have just been changed at once, by others
};

class Part {
 public:
  virtual ~Part() = default;

  // ---- time
  virtual void begin_step(double /*t*/) {}
  // The next instant after the state's at which something switches by the clock.
  virtual double next_instant(const State&) const { return forever; }
  // How long steps may be that are chosen by their error.
  virtual double longest_step(const State&) const { return forever; }

  // ---- what it does to the motion, at the instant the plant is at; in this order
  // Forces that are functions of the state. Not of sources, which have an account of each: sim/sources.h.
  virtual void add_forces(const Instant<double>&, const Kinematics<double>&, ForceSum<double>&) {}
  // All of them, sources' too, with derivatives; false where there are none.
  virtual bool add_dual_forces(const Instant<Dual<1>>&, ForceSum<Dual<1>>&, std::span<Dual<1>> /*z_rate*/) const {
    return true;
  }
  // Rows: adds to v̇ what they bring.
  virtual bool has_rows() const { return false; }
  virtual void add_rows_to(const Instant<double>&, Plant&, std::span<double> /*vdot*/) {}
  // For semi-implicit steps (plant/maximal_plant.cpp), after the above: v̇ as if the bias of rows had asked for half. `anew`: v̇
  // holds nothing of rows yet.
  virtual void add_half_rows_to(bool /*anew*/, std::span<double> /*vdot*/) {}
  // The multipliers of all rows are known: their wrenches; those that do not act through joints; what is booked.
  virtual void add_wrenches(const Kinematics<double>&, std::span<Wrench<double>> /*F_Bo_W*/) const {}
  virtual void add_wrenches_beside_joints(const Kinematics<double>& kinematics,
                                          std::span<Wrench<double>> F_Bo_W) const {
    add_wrenches(kinematics, F_Bo_W);
  }
  virtual void book(const RateLayout&, const Kinematics<double>&, std::span<double> /*rates*/) const {}
  // Velocities that are small beside this do not turn its forces round: for difference quotients.
  virtual double turning_speed() const { return forever; }

  // ---- switches: functions that are positive as long as all is as it was
  virtual std::size_t switch_count() const { return 0; }
  // Whether they are of the rows' forces, which are then worked out before.
  virtual bool switches_by_forces() const { return false; }
  virtual void switch_values(const Instant<double>&, const Kinematics<double>&, std::span<double> /*values*/) {}

  // ---- events, where rows change and impulses act
  // Before a run; throws for a start that it does not allow.
  virtual void begin_run(Surroundings&, State&) {}
  // Something has happened. Impulses and losses are kept for the books until the next time.
  virtual void resolve(Surroundings&, State&, const Happening&) {}
  virtual bool has_entries() const { return false; }  // whether there are any
  virtual void book_impulses(const RateLayout&, const Kinematics<double>&, std::span<double> /*integrals*/) const {}
  virtual void add_impulses(const Kinematics<double>&, std::span<Wrench<double>> /*P_Bo_W*/) const {}
  // The freedoms that its rows find are others from now on.
  virtual void freedoms_changed() {}

  // ---- drift: what rows of accelerations let go by the error of the method. True when the state was changed.
  // After a step in which nothing happened.
  virtual bool remove_drift(Surroundings&, State&) { return false; }
  // Before anything is made of the end of a step: where rows have had half of their bias only, or the plant has moved what
  // they hold.
  virtual bool hold_again(Surroundings&, State&) { return false; }
  // Somebody else is about to change velocities; those that its rows do not ask for are to be kept, until forget_velocities().
  virtual void keep_velocities(Surroundings&, const State&) {}
  virtual void forget_velocities() {}

  // ---- what it remembers
  // Something is to be recorded, of an instant within the last step, where it was as when that began, or of the present. It
  // leaves no trace in what follows.
  virtual void begin_record(bool /*within_last_step*/) {}
  virtual void end_record() {}
  // All that a checkpoint holds of it, for writing and for reading; and what is to be made of it when it was read.
  using Archive = std::function<void(std::span<std::byte>)>;
  virtual void exchange(const Archive&) {}
  virtual void restored() {}

  // ---- its potential, added to an energy
  virtual double potential_on_top(double energy, const Instant<double>&, const Kinematics<double>&) const {
    return energy;
  }
};

// A list of them from its back, for loops.
struct Backwards {
  std::span<Part* const> parts;
  auto begin() const { return parts.rbegin(); }
  auto end() const { return parts.rend(); }
};

}  // namespace marey
