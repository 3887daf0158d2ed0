// What a world does at its contacts and constraints: their events within its own, and the books.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/afterwards.h"
#include "sim/world.h"

namespace marey {
namespace {

constexpr double constraint_drift = 1e-12;  // m, rad: of methods of one step
constexpr double joint_drift = 1e-13;       // likewise
constexpr double loosest_start = 1e-6;      // m, rad: where nothing is put right, but may fade

// In one step, as a part of all energy there is.
constexpr double most_energy_put_right = 0.02;

}  // namespace

// Methods of one step are put back as soon as they are off; those that would lose their memory, when they are a few errors
// off.
double World::drift_bound(double after_a_step) const {
  const SolverOptions& o = scene_.solver;
  return has_long_memory(o.integrator) ? 10 * std::max(o.tolerance, o.absolute_tolerance.value_or(o.tolerance))
                                       : after_a_step;
}

Instant<double> World::free_motion(const State& s, std::span<double> vdot) {
  const Instant<double> now = place(s);
  accelerate_without_contacts(now, jumped_rates_, vdot, z_rate_);
  return now;
}

void World::start_constraints() {
  plant_->begin_step(0, state_.q, state_.v);
  constraints_->start(place(state_));
  constraints_->check_start(*this, state_, projects() ? start_error : loosest_start, projects());
}

void World::start_contacts() {
  plant_->begin_step(0, state_.q, state_.v);
  resolve_rows(nullptr, false);
}

// Constraints made and broken first, then everything that touches a floor.
void World::resolve_rows(const Event* event, bool by_clock_now) {
  if (steps_in_halves() && constraints_hold()) remove_constraint_drift();  // what is let go has its other half, too
  v_before_ = state_.v;
  if (constraints_) {
    constraints_->clear_impulses();
    if (constraints_->make_and_break(place(state_), switch_of(constraints_.get(), event), by_clock_now) &&
        constraints_->any_active()) {
      wake_all_joints();
      constraints_->strike(*this, state_);
    } else if (constraints_->any_active())
      remove_constraint_drift();
  }
  ContactEvent of_contact;
  if (const int which = switch_of(contacts_.get(), event); which >= 0) {
    constexpr int slots = static_cast<int>(FloorContacts::slots);
    of_contact = {which / slots, which % slots};
  }
  if (of_contact.contact >= 0 && contacts_->calls_for_impulse(of_contact)) wake_all_joints();
  const bool settles = contacts_ && (of_contact.contact >= 0 || contacts_->any_touches());
  const bool jolted = constraints_ && constraints_->has_impulses();
  if (settles) contacts_->resolve(*this, state_, of_contact, jolted);
  if ((settles && contacts_->has_entries()) || (constraints_ && constraints_->has_impulses())) book_jumps(settles);
  plant_->accept(state_);
}

// Impulses count at once: those of the floor and of constraints, and those with which the world holds roots that are
// not free.
void World::book_jumps(bool with_contacts) {
  std::vector<double>& jump = jumped_rates_;
  std::fill(jump.begin(), jump.end(), 0.0);
  place(state_);
  if (with_contacts) contacts_->book_impulses(layout_, jump);
  if (constraints_) constraints_->book_impulses(layout_, kinematics(), jump);
  forces_.clear();
  if (with_contacts) contacts_->add_impulses(kinematics(), forces_.F_Bo_W);
  if (constraints_) constraints_->add_impulses(forces_.F_Bo_W);
  book_jump();
}

// jumped_rates_, and the impulses that the world gives to roots: by those on links, in forces_, v has come from v_before_ to
// what it is.
void World::book_jump() {
  if (plant_->holds_roots()) {
    for (std::size_t i = 0; i < v_before_.size(); ++i) v_before_[i] = state_.v[i] - v_before_[i];
    book_wrench(jumped_rates_, layout_.world(), plant_->world_on_roots_at_once(forces_.F_Bo_W, v_before_));
  }
  // More than one of them may come between two steps, when something is done from outside.
  driver_->add_jump(jumped_rates_);
}

// What constraints have drifted by is taken out, and what that does to the energy is counted.
bool World::remove_constraint_drift() {
  if (broken_link() >= 0) return false;  // that is said by name
  constraints_->measure(place(state_));
  const double error = constraints_->largest_error();
  if (!projects()) constraints_->count_drift(error, 0);
  if (!projects() || !constraints_->drifted(drift_bound(constraint_drift))) return false;
  const double before = present_balance().energy;
  constraints_->project(*this, state_);
  const Balance after = present_balance();
  const double change = after.energy - before;
  const double scale = ledger_.largest_energy + after.kinetic;
  if (!(std::abs(change) <= most_energy_put_right * scale))
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("constraints that had drifted by {:.3g} (m or rad) could only be put right by changing the "
                            "energy by {:.3g} J: the step is too long, or a mechanism was forced through a position "
                            "where it jams",
                            error, change));
  constraints_->count_drift(error, change);
  return true;
}

// After each step. Velocities of what is driven by accelerations alone are not for the joints to change.
void World::remove_joint_drift() {
  if (broken_link() >= 0) return;  // that is said by name
  if (!plant_->has_joint_drift()) return;
  const Afterwards forget([&] {
    if (constraints_) constraints_->forget_velocities();
  });
  if (constraints_hold()) constraints_->keep_velocities(place(state_));
  if (!plant_->remove_drift(state_, drift_bound(joint_drift))) return;
  driver_->restart();
  if (constraints_hold() && remove_constraint_drift()) plant_->accept(state_);
}

// After a step in which nothing happened.
void World::remove_drift() {
  bool moved = constraints_hold() && remove_constraint_drift();
  if (contacts_ && contacts_->remove_drift(*this, state_, drift_bound(constraint_drift))) moved = true;
  if (!moved) return;
  driver_->restart();
  plant_->accept(state_);
}

}  // namespace marey
