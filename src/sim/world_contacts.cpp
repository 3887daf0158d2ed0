// What a world does at its contacts: their events within its own, and the books.
#include <algorithm>

#include "sim/world.h"

namespace marey {
namespace {

// Methods of one step are put back on the floor as soon as they have left it; those that would lose their memory, when
// they are a few errors off.
double drift_of(const SolverOptions& o) {
  const bool long_memory = o.integrator == Integrator::adams || o.integrator == Integrator::bdf;
  return long_memory ? 10 * std::max(o.tolerance, o.absolute_tolerance.value_or(o.tolerance)) : 1e-12;
}

}  // namespace

const AbaWorkspace<double>* World::free_motion(const State& s, std::span<double> vdot) {
  const Instant<double> now = look(s.t, s.q, s.v);
  sum_elements(now, jumped_rates_);
  contacts_->look(kinematics_);
  contacts_->add_ground<double>(now, forces_);
  solver_.solve(s.q, s.v, {forces_.tau, forces_.F_Bo_W}, vdot);
  return solver_.factored();
}

void World::start_contacts() {
  jumps_.assign(layout_.count(), 0.0);
  solver_.begin_step(0, state_.q, state_.v);
  settle_contacts({});
}

// Impulses count at once: those of the floor, and those with which the world holds roots that are not free.
void World::settle_contacts(const ContactEvent& event) {
  v_before_ = state_.v;
  contacts_->settle(*this, state_, event);
  if (!contacts_->has_entries()) return;
  std::fill(jumps_.begin(), jumps_.end(), 0.0);
  look(state_.t, state_.q, state_.v);
  contacts_->book_impulses(layout_, jumps_);
  if (held_) {
    forces_.clear();
    contacts_->add_impulses(kinematics_, forces_.F_Bo_W);
    for (std::size_t i = 0; i < v_before_.size(); ++i) v_before_[i] = state_.v[i] - v_before_[i];
    book_reactions(weightless_, state_.q, zero_, v_before_, jumps_);
  }
  for (std::size_t i = 0; i < integrals_.size(); ++i) integrals_[i] += jumps_[i];
}

void World::tidy_contacts() {
  if (contacts_->tidy(*this, state_, drift_of(scene_.solver))) restart_due_ = 1;
}

}  // namespace marey
