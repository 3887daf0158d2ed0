#include "sim/world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sim/dual_flow.h"
#include "sim/maximal_plant.h"

namespace marey {
namespace {

// Times closer than this part of a step are the same.
constexpr double same_step = 1e-9;
constexpr double most_events_at_once = 1000;
constexpr std::size_t no_switch = static_cast<std::size_t>(-1);
// CVODES remembers many steps; so that a run can be resumed bit for bit it forgets them in every run at the same steps.
constexpr long long steps_between_restarts = 1000;
bool has_long_memory(Integrator i) { return i == Integrator::adams || i == Integrator::bdf; }
// Chosen steps are as long as the error allows, and more can happen in them.
int looks_per_step(Integrator i) { return has_fixed_step(i) ? 2 : 4; }

}  // namespace

// ------------------------------------------------------------------------------------------------- stepping
World::World(const Scene& scene)
    : scene_(scene),
      sources_(scene),
      state_(scene.start),
      layout_(layout_of(scene)),
      integrals_(layout_.count()),
      step_integrals_(layout_.count()),
      jumped_rates_(layout_.count()),
      forces_(scene.model),
      of_joints_(scene.model),
      rnea_(scene.model),
      tau_(scene.model.nv),
      vdot_(scene.model.nv) {
  if (scene.solver.dynamics == Dynamics::multipliers) {
    plant_ = std::make_unique<MaximalPlant>(scene);
  } else {
    auto reduced = std::make_unique<ReducedPlant>(scene.model, scene.solver);
    reduced_ = reduced.get();
    plant_ = std::move(reduced);
  }
  state_.t = 0;
  state_ = plant_->from_joints(state_);
  state_.z.assign(sources_.state_count(), 0.0);
  z_rate_.resize(sources_.state_count());
  answered_.resize(velocity_count() + sources_.state_count());
  q_scratch_.resize(state_.q.size());
  v_scratch_.resize(answered_.size());
  const SolverOptions& o = scene.solver;
  method_ = make_method({o.integrator, o.tolerance, o.absolute_tolerance.value_or(o.tolerance)}, *this);
  if (!scene.constraints.empty()) constraints_ = std::make_unique<HeldConstraints>(scene, model());
  if (!scene.contacts.empty()) contacts_ = std::make_unique<FloorContacts>(scene, model(), constraints_.get());
  if (scene.solver.weld) start_welds();
  locator_.emplace(model(), static_cast<Switches&>(*this), sources_.state_count());
  sources_.start(place(state_), state_.z);
  if (std::vector<double> delays = sources_.delays(); !delays.empty())
    past_.emplace(*plant_, std::move(delays), state_);
  if (constraints_) start_constraints();
  if (contacts_) contacts_->start(*this, state_);
  plant_->accept(state_);
  ledger_.begin(present_balance());
  if (contacts_) start_contacts();
}

World::~World() = default;

void World::use_modes_of_last_step(bool look_back) {
  sources_.use_modes_of_last_step(look_back);
  if (contacts_) contacts_->use_phases_of_last_step(look_back);
  if (welds_) welds_->use_welds_of_last_step(look_back);
}

// As a method has them.
std::span<const double> World::velocities_and_states(const State& s) {
  if (s.z.empty()) return s.v;
  joined_ = s.v;
  joined_.insert(joined_.end(), s.z.begin(), s.z.end());
  return joined_;
}
void World::split(std::span<const double> v_z, State& s) {
  std::copy_n(v_z.begin(), s.v.size(), s.v.begin());
  std::copy(v_z.begin() + static_cast<std::ptrdiff_t>(s.v.size()), v_z.end(), s.z.begin());
}

// Where the step must end at the latest: fixed steps on their grid, all at the next instant that the clock brings.
double World::next_stop(double end, bool& by_clock_now) const {
  const double t = state_.t, h = scene_.solver.step;
  const bool fixed = has_fixed_step(scene_.solver.integrator);
  double stop = end, instant = sources_.next_instant(t, state_.z);
  if (fixed)
    stop = std::min(stop, h * (std::floor(t / h + same_step) + 1));
  else if (std::isfinite(h))
    stop = std::min(stop, t + h);
  if (constraints_) instant = std::min(instant, constraints_->next_instant(t));
  if (welds_ && !fixed) stop = std::min(stop, t + scene_.solver.weld->lasts);  // looked at between steps
  if (past_) {
    instant = std::min(instant, past_->next_kink(t));
    if (!fixed) stop = std::min(stop, t + past_->shortest());  // what lies further ahead would ask for the future
  }
  by_clock_now = instant <= stop + (fixed ? same_step * h : 0);
  // An instant that falls on the grid is met on the grid.
  if (by_clock_now && !(fixed && instant > stop - same_step * h)) stop = instant;
  return stop;
}

void World::step(double end) {
  if (restart_due_ != 0) {
    method_->restart(state_.t, state_.q, velocities_and_states(state_));
    restart_due_ = 0;
  }
  sources_.begin_step();
  if (past_) past_->begin_step(state_.t);
  if (contacts_) contacts_->begin_step();
  if (welds_) welds_->begin_step();
  if (constraints_) constraints_->begin_step(state_.t);
  bool by_clock_now = false;
  const double stop = next_stop(end, by_clock_now);
  plant_->begin_step(steps_, state_.q, state_.v);
  method_->step(stop);
  const std::optional<Event> event = locator_->first(method_->segment(), looks_per_step(scene_.solver.integrator));
  if (event)
    end_step_at(*event);
  else
    accept_step(method_->segment().h);
  if (past_) past_->add(method_->segment(), taken_);
  by_clock_now = by_clock_now && state_.t >= stop;
  ++steps_, ++steps_this_time_;
  remove_joint_drift();
  if (event || by_clock_now)
    switch_over(event ? &*event : nullptr, by_clock_now);
  else
    remove_drift();
  if (welds_) mind_welds();
  if (past_) past_->remember_turns(state_.t, state().q);
  if (has_long_memory(scene_.solver.integrator) && steps_ % steps_between_restarts == 0) restart_due_ = 1;
  ledger_.follow(present_balance());
}

// Ends the step at the event. Where the method can, the step is taken again that long, so that the state there is of the
// method's own order and not of its dense output's, and the instant is mended by Newton's rule.
void World::end_step_at(const Event& event) {
  const Segment& segment = method_->segment();
  double s = event.s;
  const double d = 1e-4 * segment.h;
  const double slope = (locator_->value(segment, std::min(s + d, segment.h), event.which) -
                        locator_->value(segment, std::max(s - d, 0.0), event.which)) /
                       (std::min(s + d, segment.h) - std::max(s - d, 0.0));
  const double longest = segment.h;
  for (int k = 0; k < 4 && segment.t_0 + s > segment.t_0; ++k) {  // else there is no time to take a step in
    if (!method_->retake(s)) break;
    const double miss = locator_->value_at(method_->t(), method_->q(), method_->v(), event.which);
    const double better = s - miss / slope;
    if (!(slope < 0) || !(better > 0 && better <= longest) || std::abs(better - s) <= 1e-15 * longest) break;
    if (k < 3) s = better;
  }
  accept_step(s);
}

// Builds on the first s of the last step.
void World::accept_step(double s) {
  const Segment& segment = method_->segment();
  taken_ = s;
  if (s == segment.h) {
    state_.t = method_->t();
    std::copy(method_->q().begin(), method_->q().end(), state_.q.begin());
    split(method_->v(), state_);
    segment.at(model(), s, {}, {}, step_integrals_);
  } else {
    segment.at(model(), s, state_.q, v_scratch_, step_integrals_);
    split(v_scratch_, state_);
    state_.t = segment.t_0 + s;
  }
  for (std::size_t i = 0; i < integrals_.size(); ++i) integrals_[i] += step_integrals_[i];
  std::fill(jumps_.begin(), jumps_.end(), 0.0);
}

void World::switch_over(const Event* event, bool by_clock_now) {
  z_before_ = state_.z;  // what sources see while they change their own
  const Instant<double> now = place(state_.t, state_.q, state_.v, z_before_);
  sources_.switch_over(now, event != nullptr ? event->which : no_switch, by_clock_now, state_.z);
  if (contacts_ || constraints_) resolve_rows(event, by_clock_now);
  restart_due_ = 1;
  ++events_;
  if (past_) past_->mark(state_.t);
  if (event != nullptr) guard_against_chatter();
}

// Switches that undo each other without any time going by would never let the run go on.
void World::guard_against_chatter() {
  events_at_once_ = state_.t > last_event_ + 1e-14 * std::max(1.0, std::abs(state_.t)) ? 1 : events_at_once_ + 1;
  last_event_ = state_.t;
  if (events_at_once_ > most_events_at_once)
    throw Error(ErrorKind::cannot_go_on, "something switches to and fro without any time going by");
}

void World::at(double t, State& out, std::span<double> integrals) const {
  const Segment& segment = method_->segment();
  const double s = std::clamp(t - segment.t_0, 0.0, taken_);
  const std::span<const double> v = std::span<const double>(v_scratch_).first(velocity_count());
  out.t = t;
  out.z.assign(sources_.state_count(), 0.0);
  segment.at(model(), s, q_scratch_, v_scratch_, integrals);
  out.q = state().q;  // as a guess
  plant_->to_joints(q_scratch_, v, out.q, out.v);
  std::copy(v_scratch_.begin() + static_cast<std::ptrdiff_t>(v.size()), v_scratch_.end(), out.z.begin());
  for (std::size_t i = 0; i < integrals.size(); ++i) integrals[i] += integrals_[i] - step_integrals_[i];
  for (std::size_t i = 0; i < std::min(integrals.size(), jumps_.size()); ++i) integrals[i] -= jumps_[i];
}

void World::switch_values(double t, std::span<const double> q, std::span<const double> v, std::span<double> values) {
  const Instant<double> now = place(t, q, v.first(velocity_count()), v.subspan(velocity_count()));
  sources_.switch_values(now, values);
  if (constraints_) constraints_->switch_values(now, values.subspan(first_constraint_switch()));
  if (!contacts_) return;
  if (contacts_->without_rows())
    contacts_->measure(kinematics());
  else
    right_hand_side(t, q, v, answered_, jumped_rates_);
  contacts_->switch_values(t, values.subspan(sources_.switch_count(), contacts_->switch_count()));
}

// ------------------------------------------------------------------------------------- what the methods ask for
void World::evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                     std::span<double> rates) {
  right_hand_side(t, q, v, vdot, rates);
  if (!steps_in_halves()) return;
  const std::span<const double> half = plant_->half_answered();
  if (constraints_hold())
    constraints_->leave_half(half, vdot.first(velocity_count()));
  else
    std::copy(half.begin(), half.end(), vdot.begin());
}

void World::right_hand_side(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> vdot_z,
                            std::span<double> rates) {
  const std::span<const double> v = v_z.first(velocity_count());
  const std::span<double> vdot = vdot_z.first(velocity_count());
  std::fill(rates.begin(), rates.end(), 0.0);
  const Instant<double> now = place(t, q, v, v_z.subspan(velocity_count()));
  sum_sources(now, rates, vdot_z.subspan(velocity_count()));
  if (contacts_) {
    contacts_->measure(kinematics());
    contacts_->add_ground<double>(now, forces_);
  }
  plant_->accelerate({forces_.tau, forces_.F_Bo_W}, vdot);
  if (constraints_act()) {
    constraints_->compute_rows(now, *plant_);
    constraints_->add_to(vdot);
  }
  if (contacts_) {
    contacts_->add_rows_to(*plant_, forces_, vdot);
    contacts_->book(layout_, rates);
  }
  if (constraints_act()) {
    constraints_->add_wrenches(forces_.F_Bo_W);
    constraints_->book(layout_, kinematics(), rates);
  }
  plant_->finish({forces_.tau, forces_.F_Bo_W}, vdot);
  book_gravity(rates);
  if (plant_->holds_roots())
    book_wrench(rates, layout_.world(), plant_->world_on_roots({forces_.tau, forces_.F_Bo_W}, vdot));
}

Forces<double> World::everything_that_acts(std::span<double> vdot) {
  std::vector<double> rates(layout_.count());
  const std::vector<double> factors = plant_->factors();  // the run is to go on as if nobody had asked
  right_hand_side(state_.t, state_.q, velocities_and_states(state_), answered_, rates);
  plant_->joint_accelerations(std::span(answered_).first(velocity_count()), vdot);
  if (welds_) add_weld_forces(vdot);
  plant_->recall_factors(factors);
  return {forces_.tau, forces_.F_Bo_W};
}

void World::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  plant_->momentum(q, v, p);
}
void World::velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) {
  plant_->velocity(q, p, v);
}

void World::sum_sources(const Instant<double>& now, std::span<double> rates, std::span<double> z_rate) {
  forces_.clear();
  sources_.act(now, forces_, layout_, rates, z_rate);
}

void World::book_gravity(std::span<double> rates) const {
  const Params<double>& params = scene_.model.params;
  Vec3<double> first_moment;
  double mass = 0;
  for (int i = 1; i < scene_.model.nlink(); ++i) {
    first_moment += kinematics().X_WB[i].R * params.links[i].I.h + params.links[i].I.m * kinematics().X_WB[i].p;
    mass += params.links[i].I.m;
  }
  book_wrench(rates, layout_.gravity(), {cross(first_moment, params.gravity), mass * params.gravity});
}

Balance World::balance(const State& s) {
  forward_kinematics<double>(scene_.model, scene_.model.params, s.q, s.v, of_joints_);
  return balance_of({scene_.model, s.t, s.q, s.v, of_joints_.X_WB, of_joints_.V_WB, past(), s.z}, of_joints_);
}

Balance World::balance_of(const Instant<double>& now, const Kinematics<double>& kinematics) {
  const Totals<double> total = totals(scene_.model, scene_.model.params, kinematics);
  double energy = sources_.potential_on_top(total.kinetic + total.gravity_potential, now);
  if (contacts_) energy += contacts_->potential(kinematics);
  return {energy, total.momentum, total.kinetic};
}

Balance World::present_balance() { return balance_of(place(state_), kinematics()); }

JointError World::drift_at(double t) const {
  if (!(t < state_.t)) return plant_->drift();
  const Segment& segment = method_->segment();
  segment.at(model(), std::clamp(t - segment.t_0, 0.0, taken_), q_scratch_, v_scratch_, {});
  std::vector<double> q(state().q), v(scene_.start.v.size());
  return plant_->to_joints(q_scratch_, std::span(v_scratch_).first(velocity_count()), q, v);
}

int World::broken_link() const {
  for (int i = 1; i < model().nlink(); ++i) {
    const LinkTopology& link = model().links[i];
    for (int k = 0; k < coordinate_count(link); ++k)
      if (!std::isfinite(state_.q[link.q + k])) return i;
    for (int k = 0; k < freedom_count(link); ++k)
      if (!std::isfinite(state_.v[link.v + k])) return i;
  }
  return -1;
}

// One list of what a checkpoint holds, for writing and for reading.
template <class Archive>
void World::exchange(Archive& archive, std::vector<double>& memory, std::vector<double>& factors) {
  archive(std::as_writable_bytes(std::span(&steps_, 1)));
  archive(std::as_writable_bytes(std::span(&events_, 1)));
  archive(std::as_writable_bytes(std::span(&evaluations_before_, 1)));
  archive(std::as_writable_bytes(std::span(&restart_due_, 1)));
  archive(std::as_writable_bytes(std::span(&last_event_, 1)));
  archive(std::as_writable_bytes(std::span(&events_at_once_, 1)));
  archive(std::as_writable_bytes(std::span(&state_.t, 1)));
  archive(std::as_writable_bytes(std::span(state_.q)));
  archive(std::as_writable_bytes(std::span(state_.v)));
  archive(std::as_writable_bytes(std::span(state_.z)));
  archive(std::as_writable_bytes(plant_->turns()));
  archive(std::as_writable_bytes(sources_.modes()));
  archive(std::as_writable_bytes(std::span(integrals_)));
  archive(std::as_writable_bytes(std::span(&ledger_, 1)));
  if (contacts_) contacts_->exchange(archive);
  if (constraints_) constraints_->exchange(archive);
  if (welds_) welds_->exchange(archive);
  archive(plant_->band_bytes(0));
  archive(plant_->band_bytes(1));
  archive(std::as_writable_bytes(std::span(memory)));
  archive(std::as_writable_bytes(std::span(factors)));
}

bool World::may_save() const { return !has_long_memory(scene_.solver.integrator) || restart_due_ != 0; }

std::vector<std::byte> World::save() {
  const long long before = std::exchange(evaluations_before_, evaluations());
  std::vector<double> memory = method_->memory(), factors = plant_->factors();
  std::size_t size = 0, at = 0;
  auto measure = [&](std::span<std::byte> part) { size += part.size(); };
  exchange(measure, memory, factors);
  std::vector<std::byte> out(size);
  auto write = [&](std::span<std::byte> part) {
    if (!part.empty()) std::memcpy(out.data() + at, part.data(), part.size());
    at += part.size();
  };
  exchange(write, memory, factors);
  evaluations_before_ = before;
  if (past_) {
    const std::vector<std::byte> past = past_->save();
    out.insert(out.end(), past.begin(), past.end());
  }
  return out;
}

void World::restore(std::span<const std::byte> bytes) {
  std::vector<double> memory = method_->memory(), factors = plant_->factors();
  std::size_t at = 0;
  auto read = [&](std::span<std::byte> part) {
    if (bytes.size() - at < part.size()) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    if (!part.empty()) std::memcpy(part.data(), bytes.data() + at, part.size());
    at += part.size();
  };
  exchange(read, memory, factors);
  if (past_)
    past_->restore(bytes.subspan(at));
  else if (at != bytes.size())
    throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
  if (contacts_) contacts_->restored();
  plant_->accept(state_);
  if (constraints_) constraints_->restored();
  if (welds_) welds_->restored();
  method_->restart(state_.t, state_.q, velocities_and_states(state_));
  method_->recall(memory);
  steps_this_time_ = 0;
  plant_->recall_factors(factors);
}

}  // namespace marey
