// What a world does about welds at the end of a step.
#include <algorithm>

#include "sim/world.h"

namespace marey {

void World::start_welds() {
  welds_ = std::make_unique<Welds>(scene_);
  jumps_.assign(layout_.count(), 0.0);
}

void World::accelerate(std::span<const double> q, std::span<const double> v, std::span<double> vdot) {
  const Forces<double> forces{forces_.tau, forces_.F_Bo_W};
  if (ReducedFigure* figure = welds_ ? welds_->figure() : nullptr; figure != nullptr)
    figure->solve(kinematics_, q, v, forces, vdot);
  else
    solver_.solve(q, v, forces, vdot);
}

// What the welds carry in the present state; forces_ and vdot_ are those of it afterwards.
void World::weigh_welds() {
  free_motion(state_, vdot_);
  rnea<double>(scene_.model, scene_.model.params, state_.q, state_.v, vdot_, forces_.F_Bo_W, rnea_, rnea_tau_);
  welds_->carry(rnea_tau_, forces_.tau);
}

// To everything that acts belongs what the welds do.
void World::add_weld_forces(std::span<const double> vdot) {
  rnea<double>(scene_.model, scene_.model.params, state_.q, state_.v, vdot, forces_.F_Bo_W, rnea_, rnea_tau_);
  welds_->carry(rnea_tau_, forces_.tau);
  for (std::size_t i = 0; i < forces_.tau.size(); ++i) forces_.tau[i] += welds_->carried()[i];
}

bool World::wake_joints() {
  bool any = false;
  while (welds_->count() > 0) {
    weigh_welds();
    if (!welds_->wake(state_)) break;
    any = true;
  }
  return any;
}

bool World::weld_joints() {
  if (!welds_->choose(state_)) return false;
  v_before_ = state_.v;
  do {
    state_.v = v_before_;
    welds_->weld(state_);
    weigh_welds();
  } while (welds_->drop(state_.t) && welds_->any_chosen());
  if (!welds_->any_chosen()) {
    state_.v = v_before_;
    welds_->forget_choice();
    return false;
  }
  welds_->keep();
  book_welding();
  return true;
}

// The energy that the impulse takes, and the impulses with which the world holds roots that are not free.
void World::book_welding() {
  const Params<double>& params = scene_.model.params;
  look(state_.t, state_.q, v_before_, state_.z);
  const double before = totals(scene_.model, params, kinematics_).kinetic;
  look(state_);
  std::fill(jumped_rates_.begin(), jumped_rates_.end(), 0.0);
  jumped_rates_[layout_.power(layout_.welds())] = totals(scene_.model, params, kinematics_).kinetic - before;
  if (held_) {
    forces_.clear();
    for (std::size_t i = 0; i < v_before_.size(); ++i) v_before_[i] = state_.v[i] - v_before_[i];
    book_reactions(weightless_, state_.q, zero_, v_before_, jumped_rates_);
  }
  for (std::size_t i = 0; i < integrals_.size(); ++i) {
    jumps_[i] += jumped_rates_[i];
    integrals_[i] += jumped_rates_[i];
  }
}

void World::mind_welds() {
  const bool woken = wake_joints(), made = weld_joints();
  if (!woken && !made) return;
  restart_due_ = 1;
  ++events_;
  if (past_) past_->mark(state_.t);
}

}  // namespace marey
