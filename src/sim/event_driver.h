// How time goes on from event to event: steps of a method, each ended early by whatever switches first, so that what the
// method integrates is smooth within every step.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "marey/integrate.h"
#include "marey/plant/part.h"
#include "marey/sim.h"

namespace marey {

// What a driver drives: a flow with switches, and a state.
class Driven : public Flow, public Switches {
 public:
  virtual State& present() = 0;  // in the coordinates of model()
  virtual void begin_step(long long step) = 0;
  virtual double next_instant() const = 0;
  virtual double longest_step() const = 0;
  // Whether no switch can have come to zero in a step over h that has led from present() to this state, so that nobody need look
  // for the place; false where that is not known.
  virtual bool nothing_switched(double, std::span<const double> /*q*/, std::span<const double> /*v_z*/, double /*h*/) {
    return false;
  }
  // The first `length` of a step has been taken; present() is its end. Asked for where it follows them.
  virtual bool follows_curves() const = 0;
  virtual void follow(const Segment&, double length) = 0;
  // The step ended there by an event, by the clock, or by neither (null, false).
  virtual void end_step(const Event*, bool by_clock_now) = 0;
  // The method could not take a step from here. True where something was changed with which it may.
  virtual bool ease_step() = 0;
};

class EventDriver {
 public:
  // `method`: null for the one that the options name.
  EventDriver(const SolverOptions&, Driven&, std::unique_ptr<Method> method = nullptr);

  // One step, and never beyond `end`.
  void step(double end);

  long long steps() const { return steps_; }
  long long events() const { return events_; }
  long long evaluations() const { return evaluations_before_ + method_->tally().evaluations; }
  const Tally& tally() const { return method_->tally(); }  // since the start or the restore
  double step_began() const { return steps_this_time_ > 0 ? method_->step_began() : driven_.present().t; }

  // ---- for what is driven
  // Something has happened; the method begins anew with the next step.
  void happened() { restart_due_ = 1, ++events_; }
  void restart() { restart_due_ = 1; }
  // A step from here that is not taken: for what would be in it.
  void rehearse();
  // Whether events undo each other without any time going by, or follow each other so closely that nobody sees the end. After an event.
  bool stalls();

  // ---- integrals of the rates
  std::span<const double> integrals() const { return integrals_; }
  // Adds to them what happened at once, now.
  void add_jump(std::span<const double>);
  // Whether the curve of the last step is still to be made (Method::segment), and if so, makes it.
  bool curve_is_due() const { return method_->curve_is_due(); }
  void make_curve() { method_->segment(); }
  // The state within the last step, before what happened at its end, as the method has it, and the integrals; integrals
  // may be none.
  void at(double t, std::span<double> q, std::span<double> v_z, std::span<double> integrals) const;

  // The velocities and behind them the states, as a method has them.
  std::span<const double> velocities_and_states(const State&);

  // ---- checkpoints
  // Whether one taken now would go on bit for bit: methods with a memory of many steps are restarted at set steps, and
  // only there.
  bool may_save() const;
  // In two parts, and what the method itself remembers, which is read last.
  void exchange_counts(const Part::Archive&);
  void exchange_integrals(const Part::Archive& archive) { archive(std::as_writable_bytes(std::span(integrals_))); }
  std::vector<double> memory() const { return method_->memory(); }
  void recall(std::span<const double> memory);
  // Evaluations of this run and of those before it are one number in a checkpoint.
  void join_evaluations() { evaluations_before_ = evaluations(); }
  void part_evaluations() { evaluations_before_ -= method_->tally().evaluations; }

 private:
  double next_stop(double end, bool& by_clock_now) const;
  void take_step(double stop);
  bool retake(double s);
  std::optional<Event> first_event();
  bool end_step_at(const Event&);
  void accept_step(double s);
  static void split(std::span<const double> v_z, State&);

  SolverOptions options_;
  Driven& driven_;
  std::unique_ptr<Method> method_;
  EventLocator locator_;
  long long steps_ = 0, events_ = 0, evaluations_before_ = 0;
  long long steps_this_time_ = 0;  // since the start or the restore: whether there is a last step to look back on
  double taken_ = 0;               // how much of the last step counts
  double restart_due_ = 1;         // not 0: the method begins anew with the next step
  double last_event_ = -forever, events_at_once_ = 0;
  double window_began_ = -forever, events_in_window_ = 0;  // of a thousand events; begun anew by a restore
  std::vector<double> integrals_, step_integrals_;         // since the start; of the last step
  std::vector<double> jumps_;                              // of what happened at its end
  std::vector<double> joined_, v_scratch_;
};

}  // namespace marey
