// What a world does at its contacts and constraints: their events within its own, and the books.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/world.h"

namespace marey {
namespace {

constexpr double constraint_drift = 1e-12;  // m, rad: of methods of one step

// In one step, as a part of all energy there is.
constexpr double most_energy_put_right = 0.02;

}  // namespace

// Methods of one step are put back as soon as they are off; those that would lose their memory, when they are a few errors
// off.
double World::drift_bound(double after_a_step) const {
  const SolverOptions& o = scene_.solver;
  const bool long_memory = o.integrator == Integrator::adams || o.integrator == Integrator::bdf;
  return long_memory ? 10 * std::max(o.tolerance, o.absolute_tolerance.value_or(o.tolerance)) : after_a_step;
}

const AbaWorkspace<double>* World::free_motion(const State& s, std::span<double> vdot) {
  const Instant<double> now = look(s);
  sum_sources(now, jumped_rates_, z_rate_);
  if (contacts_) {
    contacts_->look(kinematics_);
    contacts_->add_ground<double>(now, forces_);
  }
  accelerate(s.q, s.v, vdot);
  if (constraints_) {
    constraints_->look(now, kinematics_, solver_.factored());
    constraints_->add_to(vdot);
  }
  return solver_.factored();
}

void World::start_constraints() {
  jumps_.assign(layout_.count(), 0.0);
  solver_.begin_step(0, state_.q, state_.v);
  constraints_->start(look(state_));
  if (maximal_) return hold_constraints();
  constraints_->check_start(*this, state_);
}

void World::start_contacts() {
  jumps_.assign(layout_.count(), 0.0);
  solver_.begin_step(0, state_.q, state_.v);
  settle(nullptr, false);
}

// Constraints made and broken first, then everything that touches a floor.
void World::settle(const Event* event, bool by_clock_now) {
  if (maximal_) return;                                                     // its constraints hold all the time
  if (steps_in_halves() && constraints_->any_active()) tidy_constraints();  // what is let go has its other half, too
  v_before_ = state_.v;
  if (constraints_) {
    constraints_->clear_impulses();
    const int which = event != nullptr && event->which >= first_constraint_switch()
                          ? static_cast<int>(event->which - first_constraint_switch())
                          : -1;
    if (constraints_->turn(look(state_), which, by_clock_now) && constraints_->any_active())
      constraints_->strike(*this, state_);
    else if (constraints_->any_active())
      tidy_constraints();
  }
  ContactEvent of_contact;
  if (contacts_ && event != nullptr && event->which >= sources_.switch_count() &&
      event->which < first_constraint_switch()) {
    const std::size_t which = event->which - sources_.switch_count();
    of_contact = {static_cast<int>(which / FloorContacts::slots), static_cast<int>(which % FloorContacts::slots)};
  }
  const bool settles = contacts_ && (of_contact.contact >= 0 || contacts_->any_touches());
  const bool jolted = constraints_ && constraints_->has_impulses();
  if (settles) contacts_->settle(*this, state_, of_contact, jolted);
  if ((settles && contacts_->has_entries()) || (constraints_ && constraints_->has_impulses())) book_jumps(settles);
}

// Impulses count at once: those of the floor and of constraints, and those with which the world holds roots that are
// not free.
void World::book_jumps(bool with_contacts) {
  std::vector<double>& jump = jumped_rates_;
  std::fill(jump.begin(), jump.end(), 0.0);
  look(state_);
  if (with_contacts) contacts_->book_impulses(layout_, jump);
  if (constraints_) constraints_->book_impulses(layout_, kinematics_, jump);
  if (held_) {
    forces_.clear();
    if (with_contacts) contacts_->add_impulses(kinematics_, forces_.F_Bo_W);
    if (constraints_) constraints_->add_impulses(forces_.F_Bo_W);
    for (std::size_t i = 0; i < v_before_.size(); ++i) v_before_[i] = state_.v[i] - v_before_[i];
    book_reactions(weightless_, state_.q, zero_, v_before_, jump);
  }
  // More than one of them may come between two steps, when something is done from outside.
  for (std::size_t i = 0; i < integrals_.size(); ++i) jumps_[i] += jump[i], integrals_[i] += jump[i];
}

// What constraints have drifted by is taken out, and what that does to the energy is counted.
bool World::tidy_constraints() {
  if (broken_link() >= 0) return false;  // that is said by name
  constraints_->measure(look(state_));
  if (!constraints_->drifted(drift_bound(constraint_drift))) return false;
  const double error = constraints_->largest_error(), before = balance(state_).energy;
  constraints_->project(*this, state_);
  const double change = balance(state_).energy - before;
  const double scale = ledger_.largest_energy + totals(scene_.model, scene_.model.params, kinematics_).kinetic;
  if (!(std::abs(change) <= most_energy_put_right * scale))
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("constraints that had drifted by {:.3g} (m or rad) could only be put right by changing the "
                            "energy by {:.3g} J: the step is too long, or a mechanism was forced through a position "
                            "where it jams",
                            error, change));
  constraints_->count_drift(error, change);
  return true;
}

// After a step in which nothing happened.
void World::tidy() {
  if (maximal_) return;  // keep_joints() has done it
  if (constraints_hold() && tidy_constraints()) restart_due_ = 1;
  if (contacts_ && contacts_->tidy(*this, state_, drift_bound(constraint_drift))) restart_due_ = 1;
}

}  // namespace marey
