#include "sim/event_driver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marey {
namespace {

// Times closer than this part of a step are the same.
constexpr double same_step = 1e-9;
constexpr double same_time = 1e-14;  // s, at a time of 1 s
constexpr double most_events_at_once = 1000;
constexpr double shortest_thousand = 1e-6;  // s
// CVODES remembers many steps; so that a run can be resumed bit for bit it forgets them in every run at the same steps.
constexpr long long steps_between_restarts = 1000;
// Chosen steps are as long as the error allows, and more can happen in them.
int looks_per_step(Integrator i) { return has_fixed_step(i) ? 2 : 4; }

}  // namespace

EventDriver::EventDriver(const SolverOptions& o, Driven& driven, std::unique_ptr<Method> method)
    : options_(o),
      driven_(driven),
      method_(method ? std::move(method)
                     : make_method({o.integrator, o.tolerance, o.absolute_tolerance.value_or(o.tolerance)}, driven)),
      locator_(driven.model(), driven, driven.state_count()),
      integrals_(driven.rate_count()),
      step_integrals_(integrals_),
      jumps_(integrals_),
      v_scratch_(static_cast<std::size_t>(driven.model().nv) + driven.state_count()) {}

std::span<const double> EventDriver::velocities_and_states(const State& s) {
  if (s.z.empty()) return s.v;
  joined_ = s.v;
  joined_.insert(joined_.end(), s.z.begin(), s.z.end());
  return joined_;
}
void EventDriver::split(std::span<const double> v_z, State& s) {
  std::copy_n(v_z.begin(), s.v.size(), s.v.begin());
  std::copy(v_z.begin() + static_cast<std::ptrdiff_t>(s.v.size()), v_z.end(), s.z.begin());
}

// Where the step must end at the latest: fixed steps on their grid, all at the next instant that the clock brings.
double EventDriver::next_stop(double end, bool& by_clock_now) const {
  const double t = driven_.present().t, h = options_.step;
  const bool fixed = has_fixed_step(options_.integrator);
  double stop = end;
  const double instant = driven_.next_instant();
  if (fixed)
    stop = std::min(stop, h * (std::floor(t / h + same_step) + 1));
  else
    stop = std::min(stop, t + std::min(h, driven_.longest_step()));
  by_clock_now = instant <= stop + (fixed ? same_step * h : 0);
  // An instant that falls on the grid is met on the grid.
  if (by_clock_now && !(fixed && instant > stop - same_step * h)) stop = instant;
  return stop;
}

void EventDriver::step(double end) {
  State& state = driven_.present();
  if (restart_due_ != 0) {
    method_->restart(state.t, state.q, velocities_and_states(state));
    restart_due_ = 0;
  }
  driven_.begin_step(steps_);
  bool by_clock_now = false;
  const double stop = next_stop(end, by_clock_now);
  take_step(stop);
  std::optional<Event> event = first_event();
  if (!event)
    accept_step(method_->step_length());
  else if (!end_step_at(*event))
    event.reset();
  by_clock_now = by_clock_now && state.t >= stop;
  if (event || by_clock_now) make_curve();  // before what acts changes
  if (driven_.follows_curves()) driven_.follow(method_->segment(), taken_);
  ++steps_, ++steps_this_time_;
  driven_.end_step(event ? &*event : nullptr, by_clock_now);
  if (has_long_memory(options_.integrator) && steps_ % steps_between_restarts == 0) restart_due_ = 1;
}

void EventDriver::take_step(double stop) {
  try {
    return method_->step(stop);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::cannot_go_on || !driven_.ease_step()) throw;
  }
  const State& state = driven_.present();
  method_->restart(state.t, state.q, velocities_and_states(state));
  restart_due_ = 0;
  driven_.begin_step(steps_);
  method_->step(stop);
}

void EventDriver::rehearse() {
  const State& state = driven_.present();
  const long long evaluations = method_->tally().evaluations;
  method_->restart(state.t, state.q, velocities_and_states(state));
  method_->step(state.t + options_.step);
  method_->restart(state.t, state.q, velocities_and_states(state));
  evaluations_before_ -= method_->tally().evaluations - evaluations;
  restart_due_ = 1;
}

std::optional<Event> EventDriver::first_event() {
  if (!locator_.has_switches()) return std::nullopt;
  if (driven_.nothing_switched(method_->t(), method_->q(), method_->v(), method_->step_length())) return std::nullopt;
  return locator_.first(method_->segment(), looks_per_step(options_.integrator));
}

// False where the method cannot, or not at that length: what the step's curve says is then taken.
bool EventDriver::retake(double s) {
  try {
    return method_->retake(s);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::cannot_go_on) throw;
    return false;
  }
}

// Ends the step at the event. Where the method can, the step is taken again that long, so that the state there is of the
// method's own order and not of its dense output's, and the instant is mended by Newton's rule. False: the step, taken again, has ended
// before, and the event is one of a later step.
bool EventDriver::end_step_at(const Event& event) {
  const Segment& segment = method_->segment();
  double s = event.s;
  const double d = 1e-4 * segment.h;
  const double slope = (locator_.value(segment, std::min(s + d, segment.h), event.which) -
                        locator_.value(segment, std::max(s - d, 0.0), event.which)) /
                       (std::min(s + d, segment.h) - std::max(s - d, 0.0));
  const double longest = segment.h;
  for (int k = 0; k < 4 && segment.t_0 + s > segment.t_0; ++k) {  // else there is no time to take a step in
    if (!retake(s)) break;
    if (method_->t() < segment.t_0 + s - same_step * s - same_time * std::max(1.0, std::abs(segment.t_0))) {
      accept_step(method_->step_length());
      return false;
    }
    const double miss = locator_.value_at(method_->t(), method_->q(), method_->v(), event.which);
    const double better = s - miss / slope;
    if (!(slope < 0) || !(better > 0 && better <= longest) || std::abs(better - s) <= 1e-15 * longest) break;
    if (k < 3) s = better;
  }
  accept_step(s);
  return true;
}

// Builds on the first s of the last step.
void EventDriver::accept_step(double s) {
  State& state = driven_.present();
  taken_ = s;
  if (s == method_->step_length()) {
    state.t = method_->t();
    std::copy(method_->q().begin(), method_->q().end(), state.q.begin());
    split(method_->v(), state);
    method_->step_integrals(step_integrals_);
  } else {
    const Segment& segment = method_->segment();
    segment.at(driven_.model(), s, state.q, v_scratch_, step_integrals_);
    split(v_scratch_, state);
    state.t = segment.t_0 + s;
  }
  for (std::size_t i = 0; i < integrals_.size(); ++i) integrals_[i] += step_integrals_[i];
  std::fill(jumps_.begin(), jumps_.end(), 0.0);
}

// Switches that undo each other without any time going by would never let the run go on; a thousand of them within a step (of chosen
// steps: a thousand times a thousandth of a microsecond) would, for hours.
bool EventDriver::stalls() {
  const double t = driven_.present().t;
  events_at_once_ = t > last_event_ + same_time * std::max(1.0, std::abs(t)) ? 1 : events_at_once_ + 1;
  last_event_ = t;
  if (++events_in_window_ == 1) window_began_ = t;
  const double shortest = has_fixed_step(options_.integrator) ? options_.step : shortest_thousand;
  const bool crowded = events_in_window_ >= most_events_at_once && t - window_began_ < shortest;
  if (events_in_window_ >= most_events_at_once) events_in_window_ = 0;
  return events_at_once_ > most_events_at_once || crowded;
}

void EventDriver::add_jump(std::span<const double> jump) {
  for (std::size_t i = 0; i < integrals_.size(); ++i) {
    jumps_[i] += jump[i];
    integrals_[i] += jump[i];
  }
}

void EventDriver::at(double t, std::span<double> q, std::span<double> v_z, std::span<double> integrals) const {
  const Segment& segment = method_->segment();
  segment.at(driven_.model(), std::clamp(t - segment.t_0, 0.0, taken_), q, v_z, integrals);
  for (std::size_t i = 0; i < integrals.size(); ++i) integrals[i] += integrals_[i] - step_integrals_[i];
  for (std::size_t i = 0; i < integrals.size(); ++i) integrals[i] -= jumps_[i];
}

bool EventDriver::may_save() const { return !has_long_memory(options_.integrator) || restart_due_ != 0; }

void EventDriver::exchange_counts(const Part::Archive& archive) {
  archive(std::as_writable_bytes(std::span(&steps_, 1)));
  archive(std::as_writable_bytes(std::span(&events_, 1)));
  archive(std::as_writable_bytes(std::span(&evaluations_before_, 1)));
  archive(std::as_writable_bytes(std::span(&restart_due_, 1)));
  archive(std::as_writable_bytes(std::span(&last_event_, 1)));
  archive(std::as_writable_bytes(std::span(&events_at_once_, 1)));
}

void EventDriver::recall(std::span<const double> memory) {
  const State& state = driven_.present();
  method_->restart(state.t, state.q, velocities_and_states(state));
  method_->recall(memory);
  steps_this_time_ = 0, events_in_window_ = 0;
}

}  // namespace marey
