#include "sim/world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "marey/core/afterwards.h"
#include "marey/core/all_finite.h"
#include "marey/plant/dual_flow.h"
#include "marey/plant/maximal_plant.h"
#include "marey/plant/particle_plant.h"
#include "marey/sim/overlaps.h"
#include "sim/followed.h"
#include "sim/stepping.h"

namespace marey {
namespace {

constexpr std::size_t no_switch = static_cast<std::size_t>(-1);
constexpr std::size_t most_named = 4;              // contacts of a stall
constexpr std::size_t most_remembered = 1u << 24;  // numbers of a method
constexpr std::size_t contact_rows_at_first = 48;  // of shapes, before it is known how many there are
constexpr int many_links = 300;                    // from which on threads are worth their while

int threads_of(const Scene& scene) {
  if (scene.solver.threads > 0) return scene.solver.threads;
  return scene.model.nlink() > many_links ? cores() : 1;
}

}  // namespace

// ------------------------------------------------------------------------------------------------- stepping
World::World(const Scene& given)
    : masses_(ChangingMasses::of(given)),
      scene_(masses_ ? masses_->scene() : given),
      sources_(scene_),
      state_(scene_.start),
      layout_(layout_of(scene_)),
      jumped_rates_(layout_.count()),
      forces_(scene_.model),
      of_joints_(scene_.model),
      tau_(scene_.model.nv) {
  const Scene& scene = scene_;
  if (scene.solver.dynamics == Dynamics::multipliers) {
    plant_ = std::make_unique<MaximalPlant>(scene.model, scene.start, scene.solver);
  } else if (ParticlePlant::serves(scene.model, scene.solver)) {
    auto apart = std::make_unique<ParticlePlant>(scene.model, scene.solver);
    reduced_ = &apart->figures();
    sources_.pack(apart->particles());
    apart_ = apart.get();
    plant_ = std::move(apart);
  } else {
    auto reduced = std::make_unique<ReducedPlant>(scene.model, scene.solver);
    reduced_ = reduced.get();
    plant_ = std::move(reduced);
  }
  if (Followed::is_asked_for(scene.record)) followed_ = std::make_unique<Followed>(scene);
  state_.t = 0;
  state_ = plant_->from_joints(state_);
  state_.z.assign(state_count(), 0.0);
  z_rate_.resize(state_count());
  answered_.resize(velocity_count() + state_count());
  q_scratch_.resize(state_.q.size());
  v_scratch_.resize(answered_.size());
  v_before_ = state_.v;
  const bool stepping = scene.solver.contact == ContactDriver::stepping;
  if (!scene.constraints.empty())
    constraints_ = std::make_unique<HeldConstraints>(
        scene.model, scene.constraints, scene.solver, model(),
        HeldOptions{scene.takes_inputs, stepping ? contact_rows_at_first : 3 * scene.contacts.size()});
  if (stepping)
    stepped_ = std::make_unique<SteppedContacts>(scene.model, scene.contacts,
                                                 scene.collide ? std::optional(collision_world(scene)) : std::nullopt,
                                                 scene.materials, model(), constraints_.get(), sources_.elements(),
                                                 scene.solver.accuracy, Threads(threads_of(scene)));
  else if (!scene.contacts.empty())
    contacts_ = std::make_unique<FloorContacts>(scene.model, scene.contacts, scene.solver, model(), constraints_.get());
  if (constraints_ && reduced_ != nullptr && scene.solver.integrator == Integrator::midpoint)
    ends_.emplace(*plant_, *constraints_, layout_);
  if (stepped_ && plant_.get() == reduced_ && scene.solver.dynamics == Dynamics::aba && !scene.solver.weld)
    reduced_->look_at_loose_bodies(stepped_->threads());
  touch_ = TouchWatch::of(scene);
  if (scene.solver.weld) start_welds();
  parts_ = {&sources_};
  for (Part* part : {static_cast<Part*>(contacts_.get()), static_cast<Part*>(stepped_.get()),
                     static_cast<Part*>(constraints_.get()), static_cast<Part*>(welds_.get())})
    if (part != nullptr) parts_.push_back(part);
  if (apart_ != nullptr) apart_->show_particles(parts_.size() > 1 || !sources_.all_packed());
  sources_.use(masses_.get());
  switched_lately_.reserve(most_named + 1);
  const bool in_joints = plant_.get() == reduced_;
  if (stepped_ && sources_.size() > 0 && ImplicitForces::serves(scene_.model, in_joints))
    implicit_ = std::make_unique<ImplicitForces>(scene_.model, model(), in_joints, sources_, constraints_.get());
  driver_ = std::make_unique<EventDriver>(scene.solver, static_cast<Driven&>(*this),
                                          stepped_ ? make_stepping_method() : std::unique_ptr<Method>());
  sources_.start(place(state_), state_.z);
  if (std::vector<double> delays = sources_.delays(); !delays.empty())
    parts_.push_back(&past_.emplace(*plant_, std::move(delays), state_));
  for (Part* part : Backwards{parts_}) part->begin_run(*this, state_);
  plant_->accept(state_);
  forward_kinematics<double>(scene_.model, scene_.model.params, scene_.start.q, scene_.start.v, of_joints_);
  moving_ = moving_mass(scene_.model, of_joints_);
  {
    const Instant<double> now = place(state_);  // with links, as balance() weighs what comes later
    ledger_.begin(balance_of(now, kinematics(), plant_->totals()), moving_);
  }
  in_joints_alone_ = stepped_ && sources_.act_in_joints_alone() && parts_.size() == 2 && plant_.get() == reduced_ &&
                     !masses_ && !touch_ && !plant_->asks_for_all_that_acts() &&
                     plant_->way_count() + state_count() == 0;
  if (in_joints_alone_) energy_bound_ = EnergyBound::of(scene_.model);
  if (stepped_) rehearse();
  if (contacts_) plant_->begin_step(0, state_.q, state_.v), resolve(nullptr, false);
  if (touching_changed()) {
    sources_.start(place(state_), state_.z);  // knowing that
    resolve(nullptr, true);
  }
}

std::unique_ptr<Method> World::make_stepping_method() {
  Tumbling tumbling(scene_.model, model(), scene_.constraints);
  if (scene_.solver.sleep) stepped_->let_sleep(scene_.model, *scene_.solver.sleep, tumbling.alone());
  return make_stepping(*this, *this, *this, *stepped_, layout_, implicit_.get(), std::move(tumbling));
}

// Since it was last looked at.
bool World::touching_changed() {
  if (!touch_) return false;
  place(state_);
  return touch_->look(stepped_.get(), contacts_.get(), kinematics());
}

World::~World() = default;

// What touches at the start, for those who look at it before the first step: nothing else is left of this one. If it fails, the first
// step will say why.
void World::rehearse() {
  begin_step(0);
  try {
    driver_->rehearse();
    stepped_->show_floors();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cannot_go_on) throw;
  }
  place(state_);
}

void World::begin_record(bool within_last_step) const {
  for (Part* part : parts_) part->begin_record(within_last_step);
}

void World::end_record() const {
  for (Part* part : parts_) part->end_record();
}

bool World::any_part(bool (Part::*what)() const) const {
  return std::ranges::any_of(parts_, [&](const Part* part) { return (part->*what)(); });
}

// ---- around a step
void World::step(double end) {
  driver_->step(end);
  if (followed_) followed_->follow(*this);
}

void World::begin_step(long long step) {
  for (Part* part : parts_) part->begin_step(state_.t);
  plant_->begin_step(step, state_.q, state_.v);
}

double World::next_instant() const {
  double next = forever;
  for (const Part* part : parts_) next = std::min(next, part->next_instant(state_));
  return next;
}

double World::longest_step() const {
  double longest = forever;
  for (const Part* part : parts_) longest = std::min(longest, part->longest_step(state_));
  return longest;
}

// Beside the past of delays: where an evaluation that comes later would not be the same (joints are put back, factors serve
// on).
bool World::follows_curves() const { return past_ || plant_->has_joint_drift() || scene_.solver.reuse > 0; }

void World::follow(const Segment& segment, double length) {
  if (past_) past_->add(segment, length);
}

void World::complete_last_step() const {
  if (!driver_->curve_is_due()) return;
  begin_record(true);
  const Afterwards present([&] { end_record(); });
  driver_->make_curve();
}

void World::end_step(const Event* event, bool by_clock_now) {
  const bool something_happens = event != nullptr || by_clock_now;
  if (stepped_) stepped_->accept();
  put_right(something_happens);
  if (something_happens) switch_over(event, by_clock_now);
  if (contacts_ && contacts_->creeps()) complete_last_step(), ease_step();
  if (touching_changed()) complete_last_step(), switch_over(nullptr, true);
  if (welds_) mind_welds();
  if (past_) past_->remember_turns(state_.t);
  follow_energies();
}

// Of a step in which it is known what has switched. The ledger keeps the largest there have been.
void World::follow_energies() {
  const auto potential = [&] { return sources_.potential_of_acting_on_top(0, in_joints(state_)); };
  if (energy_bound_ && energy_bound_->is_below(ledger_, moving_, state_.q, state_.v, potential)) return;
  const Balance now = energies(state_);
  ledger_.follow(now, moving_);
  if (energy_bound_) energy_bound_->look(now, potential(), state_.q, kinematics());
}

// Implicit methods find no solution where friction turns the slip of light points faster than their step; with constant forces
// of contact they do. (Explicit ones that choose their steps go on by ever smaller ones.)
bool World::ease_step() {
  if (!contacts_ || !contacts_->take_steps_next()) return false;
  switch_over(nullptr, false);
  return true;
}

void World::switch_over(const Event* event, bool by_clock_now) {
  z_before_ = state_.z;  // what sources see while they change their own
  const Instant<double> now = place(state_.t, state_.q, state_.v, z_before_);
  sources_.switch_over(now, event != nullptr ? event->which : no_switch, by_clock_now, state_.z);
  resolve(event, by_clock_now);
  driver_->happened();
  plant_->happened();
  if (past_) past_->mark(state_.t);
  if (event != nullptr) guard_against_stalls(*event);
}

// Contacts that have switched lately are named.
void World::guard_against_stalls(const Event& event) {
  const int which = contacts_ ? switch_of(contacts_.get(), &event) : -1;
  if (which >= 0) {
    const std::size_t contact = static_cast<std::size_t>(which) / FloorContacts::slots;
    std::erase(switched_lately_, contact);
    switched_lately_.push_back(contact);
    if (switched_lately_.size() > most_named) switched_lately_.erase(switched_lately_.begin());
  }
  if (!driver_->stalls()) return;
  const int of_sources = switch_of(&sources_, &event);
  if (of_sources >= 0 && sources_.leave_corners_to_the_law(place(state_), static_cast<std::size_t>(of_sources))) return;
  std::string names;
  for (const std::size_t c : switched_lately_) names += (names.empty() ? "'" : ", '") + scene_.contacts[c].name + "'";
  throw Error(ErrorKind::cannot_go_on,
              names.empty() ? "something switches to and fro without any time going by"
                            : "something switches to and fro without any time going by, lately the contacts " + names +
                                  " (solver: {contact: stepping} goes on through such)");
}

void World::change_number(std::size_t element, std::size_t which, double value) {
  complete_last_step();
  const Instant<double> now = place(state_);
  const double before = sources_.potential(element, now);
  sources_.change_number(element, which, value);
  std::fill(jumped_rates_.begin(), jumped_rates_.end(), 0.0);
  jumped_rates_[layout_.power(element)] = sources_.potential(element, now) - before;
  driver_->add_jump(jumped_rates_);
  switch_over(nullptr, true);
}

void World::command(std::size_t constraint, double target, double blend) {
  complete_last_step();
  constraints_->command(constraint, target, blend, place(state_));
  switch_over(nullptr, true);
}

int World::switch_of(const Part* of, const Event* event) const {
  if (event == nullptr) return -1;
  std::size_t first = 0;
  for (const Part* part : parts_) {
    const std::size_t count = part->switch_count();
    if (part == of && event->which >= first && event->which < first + count)
      return static_cast<int>(event->which - first);
    first += count;
  }
  return -1;
}

void World::at(double t, State& out, std::span<double> integrals) const {
  complete_last_step();
  const std::size_t n = velocity_count();
  driver_->at(t, q_scratch_, v_scratch_, integrals);
  const std::span<const double> v_z(v_scratch_), z = v_z.subspan(n);
  out.t = t;
  out.z.assign(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(sources_.state_count()));
  plant_->to_joints(q_scratch_, v_z.first(n), z, plant_->turns(), out.q, out.v);
}

std::size_t World::switch_count() const {
  std::size_t count = 0;
  for (const Part* part : parts_) count += part->switch_count();
  return count;
}

void World::switch_values(double t, std::span<const double> q, std::span<const double> v, std::span<double> values) {
  const Instant<double> now = place(t, q, v.first(velocity_count()), v.subspan(velocity_count()));
  if (any_part(&Part::switches_by_forces)) right_hand_side(t, q, v, answered_, jumped_rates_);
  for (Part* part : parts_) {
    const std::size_t count = part->switch_count();
    if (count > 0) part->switch_values(now, kinematics(), values.first(count));
    values = values.subspan(count);
  }
}

// In steps, where everything that switches is a source: the account of the step asks for links at the same place.
bool World::nothing_switched(double t, std::span<const double> q, std::span<const double> v_z, double h) {
  if (!stepped_) return false;
  for (const Part* part : parts_)
    if (part != &sources_ && part->switch_count() > 0) return false;
  if (sources_.switch_in_joints_alone() && in_joints_alone_)
    return sources_.nothing_switched({scene_.model, t, q, v_z, kinematics().X_WB, kinematics().V_WB, nullptr, {}},
                                     state_.v, h);
  return sources_.nothing_switched(place(t, q, v_z.first(velocity_count()), v_z.subspan(velocity_count())), state_.v,
                                   h);
}

// ------------------------------------------------------------------------------------- what the methods ask for
void World::evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                     std::span<double> rates) {
  if (only_gravity_acts()) return evaluate_under_gravity(t, q, v, vdot, rates);
  right_hand_side(t, q, v, vdot, rates, true);
  if (!steps_in_halves(scene_.solver)) return;
  const std::span<const double> half = plant_->half_answered();
  std::copy(half.begin(), half.end(), vdot.begin());
  for (Part* part : Backwards{parts_}) part->add_half_rows_to(!half.empty(), vdot.first(velocity_count()));
}

void World::right_hand_side(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> vdot_z,
                            std::span<double> rates, bool alone) {
  const std::span<const double> v = v_z.first(velocity_count());
  const std::span<double> vdot = vdot_z.first(velocity_count());
  std::fill(rates.begin(), rates.end(), 0.0);
  const Instant<double> now = place(t, q, v, v_z.subspan(velocity_count()));
  plant_->way_rates(vdot_z.last(plant_->way_count()));
  accelerate(now, nullptr, rates, vdot, vdot_z.subspan(velocity_count()),
             alone ? held_joints() : std::span<const char>{});
  const bool all_that_acts = !alone || plant_->asks_for_all_that_acts();
  for (const Part* part : parts_) {
    if (all_that_acts) part->add_wrenches(kinematics(), forces_.F_Bo_W);
    part->book(layout_, kinematics(), rates);
  }
  plant_->finish({forces_.tau, forces_.F_Bo_W}, vdot);
  book_gravity(rates);
  if (plant_->holds_roots())
    book_wrench(rates, layout_.world(), plant_->world_on_roots({forces_.tau, forces_.F_Bo_W}, vdot));
}

Forces<double> World::everything_that_acts(std::span<double> vdot) {
  std::vector<double> rates(layout_.count());
  if (apart_ != nullptr) apart_->show_particles(true);
  const std::vector<double> factors = plant_->factors();  // the run is to go on as if nobody had asked
  right_hand_side(state_.t, state_.q, driver_->velocities_and_states(state_), answered_, rates);
  plant_->joint_accelerations(std::span(answered_).first(velocity_count()), vdot);
  if (welds_) {  // to everything that acts belongs what they do
    compute_weld_forces(vdot, forces_.F_Bo_W);
    for (std::size_t i = 0; i < forces_.tau.size(); ++i) forces_.tau[i] += welds_->carried()[i];
  }
  plant_->recall_factors(factors);
  return {forces_.tau, forces_.F_Bo_W};
}

void World::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  plant_->momentum(q, v, p);
}
void World::velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) {
  plant_->velocity(q, p, v);
}

void World::accelerate(const Instant<double>& now, const Part* front, std::span<double> rates, std::span<double> vdot,
                       std::span<double> z_rate, std::span<const char> held) {
  plant_->clear(forces_);
  sources_.act(now, forces_, layout_, rates, z_rate, held);
  plant_->collect(forces_);
  for (Part* part : parts_) part->add_forces(now, kinematics(), forces_);
  plant_->accelerate({forces_.tau, forces_.F_Bo_W}, vdot);
  for (Part* part : Backwards{parts_}) {
    if (part == front) break;
    part->add_rows_to(now, *plant_, vdot);
  }
}

bool World::force_alone(double t, std::span<const double> q, std::span<const double> v, std::span<double> Q,
                        std::span<double> rates) {
  if (plant_->asks_for_all_that_acts() || plant_->way_count() + state_count() > 0) return false;
  std::ranges::fill(rates, 0.0);
  const Instant<double> now = place(t, q, v, {});
  plant_->clear(forces_);
  sources_.act(now, forces_, layout_, rates, {}, held_joints());
  plant_->collect(forces_);
  for (Part* part : parts_) part->add_forces(now, kinematics(), forces_);
  if (!plant_->force_alone({forces_.tau, forces_.F_Bo_W}, Q)) return false;
  for (const Part* part : parts_) part->book(layout_, kinematics(), rates);
  book_gravity(rates);
  return true;
}

bool World::torques_alone(double t, std::span<const double> q, std::span<const double> v,
                          std::span<const Twist<double>> V_WB, std::span<double> tau, std::span<double> rates) {
  if (!in_joints_alone_) return false;
  std::ranges::fill(rates, 0.0);
  forces_.clear();
  sources_.act_in_joints({scene_.model, t, q, v, kinematics().X_WB, V_WB, nullptr, {}}, forces_, layout_, rates);
  std::ranges::copy(forces_.tau, tau.begin());
  book_gravity(rates);
  return true;
}

void World::book_gravity(std::span<double> rates) const {
  const Vec3<double>& gravity = scene_.model.params.gravity;
  Vec3<double> first_moment;
  double mass = 0;
  plant_->mass_moment(mass, first_moment);
  book_wrench(rates, layout_.gravity(), {cross(first_moment, gravity), mass * gravity});
}

bool World::only_gravity_acts() const {
  return plant_.get() == reduced_ && !contacts_ && !stepped_ && !constraints_ && !plant_->holds_roots() &&
         sources_.all_within(held_joints());
}

void World::evaluate_under_gravity(double t, std::span<const double> q, std::span<const double> v_z,
                                   std::span<double> vdot, std::span<double> rates) {
  std::fill(rates.begin(), rates.end(), 0.0);
  const Instant<double> now = place_without_links(t, q, v_z.first(velocity_count()), {});
  if (sources_.has_potentials()) sources_.act(now, forces_, layout_, rates, {}, held_joints());
  plant_->accelerate({}, vdot);
  book_gravity(rates);
}

// Where nothing but gravity acts the totals are all that is asked for; and what acts within held joints knows their coordinates.
Balance World::energies(const State& s) {
  const Instant<double> now = only_gravity_acts() ? place_for_totals(s) : place(s);
  return balance_of(now, kinematics(), plant_->totals());
}

Balance World::balance(const State& s) {
  put_masses(s.t);
  forward_kinematics<double>(scene_.model, scene_.model.params, s.q, s.v, of_joints_);
  return balance_of({scene_.model, s.t, s.q, s.v, of_joints_.X_WB, of_joints_.V_WB, past(), s.z}, of_joints_,
                    totals(scene_.model, scene_.model.params, of_joints_));
}

Balance World::balance_of(const Instant<double>& now, const Kinematics<double>& kinematics,
                          const Totals<double>& total) {
  double energy = total.kinetic + total.gravity_potential;
  for (const Part* part : parts_) energy = part->potential_on_top(energy, now, kinematics);
  return {energy, total.momentum, total.kinetic};
}

JointError World::drift_at(double t) const {
  if (!(t < state_.t)) return plant_->drift();
  driver_->at(t, q_scratch_, v_scratch_, {});
  std::vector<double> q(scene_.start.q.size()), v(scene_.start.v.size());
  const std::span<const double> v_z(v_scratch_);
  return plant_->to_joints(q_scratch_, v_z.first(velocity_count()), v_z.subspan(velocity_count()), plant_->turns(), q,
                           v);
}

int World::broken_link() const {
  if (all_finite(state_.q) && all_finite(state_.v)) return -1;
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
void World::exchange(const Part::Archive& archive, std::vector<double>& memory, std::vector<double>& factors) {
  driver_->exchange_counts(archive);
  archive(std::as_writable_bytes(std::span(&state_.t, 1)));
  archive(std::as_writable_bytes(std::span(state_.q)));
  archive(std::as_writable_bytes(std::span(state_.v)));
  archive(std::as_writable_bytes(std::span(state_.z)));
  archive(std::as_writable_bytes(plant_->turns()));
  sources_.exchange(archive);
  driver_->exchange_integrals(archive);
  archive(std::as_writable_bytes(std::span(&ledger_, 1)));
  if (energy_bound_) energy_bound_->exchange(archive);
  if (followed_) archive(std::as_writable_bytes(followed_->values()));
  for (Part* part : std::span(parts_).subspan(1)) part->exchange(archive);
  if (touch_) touch_->exchange(archive);
  archive(plant_->band_bytes(0));
  archive(plant_->band_bytes(1));
  archive(plant_->band_bytes(2));
  if (stepped_) {  // in steps there may be more or less of it
    std::size_t remembered = memory.size();
    archive(std::as_writable_bytes(std::span(&remembered, 1)));
    if (remembered > most_remembered) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    memory.resize(remembered);
  }
  archive(std::as_writable_bytes(std::span(memory)));
  archive(std::as_writable_bytes(std::span(factors)));
}

std::vector<std::byte> World::save() {
  if (broken_link() < 0) complete_last_step();  // what a checkpoint holds does not depend on who has asked for it
  driver_->join_evaluations();
  std::vector<double> memory = driver_->memory(), factors = plant_->factors();
  std::size_t size = 0, at = 0;
  exchange([&](std::span<std::byte> part) { size += part.size(); }, memory, factors);
  std::vector<std::byte> out(size);
  const auto write = [&](std::span<std::byte> part) {
    if (!part.empty()) std::memcpy(out.data() + at, part.data(), part.size());
    at += part.size();
  };
  exchange(write, memory, factors);
  driver_->part_evaluations();
  if (past_) {
    const std::vector<std::byte> past = past_->save();
    out.insert(out.end(), past.begin(), past.end());
  }
  return out;
}

void World::restore(std::span<const std::byte> bytes) {
  std::vector<double> memory = driver_->memory(), factors = plant_->factors();
  std::size_t at = 0;
  const auto read = [&](std::span<std::byte> part) {
    if (bytes.size() - at < part.size()) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    if (!part.empty()) std::memcpy(part.data(), bytes.data() + at, part.size());
    at += part.size();
  };
  exchange(read, memory, factors);
  if (past_)
    past_->restore(bytes.subspan(at));
  else if (at != bytes.size())
    throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
  put_masses(state_.t);
  plant_->accept(state_);
  if (followed_) followed_->restored();
  for (Part* part : parts_) part->restored();
  driver_->recall(memory);
  plant_->recall_factors(factors);
}

}  // namespace marey
