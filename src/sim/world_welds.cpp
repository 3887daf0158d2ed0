// What a world does about welds at the end of a step.
#include <algorithm>

#include "sim/world.h"

namespace marey {

void World::start_welds() {
  std::vector<int> in_use;
  for (const Constraint& c : scene_.constraints)
    for (const int link : joints_of(c)) in_use.push_back(link);
  welds_ = std::make_unique<Welds>(scene_.model, scene_.start, scene_.solver, in_use);
  reduced_->weld(welds_.get());
}

// What the welds carry in the present state, under all that acts; forces_ are those of it afterwards. Forces within joints that
// are held move no group.
void World::weigh_welds() {
  if (moves_as_groups()) {
    forces_.clear();
    if (sources_.size() > 0)
      sources_.act(place(state_), forces_, layout_, jumped_rates_, z_rate_);
    else
      reduced_->place_without_links(state_.q, state_.v);
    plant_->accelerate({}, answered_);
    return compute_weld_forces(answered_, {});
  }
  right_hand_side(state_.t, state_.q, driver_->velocities_and_states(state_), answered_, jumped_rates_);
  compute_weld_forces(std::span(answered_).first(velocity_count()), forces_.F_Bo_W);
}

// In the present state, of the forces in joints in forces_, and of the v̇ that all forces bring.
void World::compute_weld_forces(std::span<const double> vdot, std::span<const Wrench<double>> F_Bo_W) {
  tau_ = forces_.tau;  // where nothing is held, nothing more is needed
  if (ReducedFigure* figure = welds_->figure(); figure != nullptr)
    figure->weigh(state_.q, state_.v, vdot, F_Bo_W, kinematics(), tau_);
  welds_->carry(tau_, forces_.tau);
}

bool World::wake_joints() {
  bool any = false;
  while (welds_->count() > 0) {
    weigh_welds();
    if (!welds_->any_overloaded()) break;
    complete_last_step();
    welds_->wake(state_);
    tell_of_freedoms();
    any = true;
  }
  return any;
}

bool World::weld_joints() {
  if (!welds_->choose(state_)) return false;
  complete_last_step();
  v_before_ = state_.v;
  do {
    state_.v = v_before_;
    welds_->weld(state_);
    tell_of_freedoms();
    weigh_welds();
  } while (welds_->drop(state_.t) && welds_->any_chosen());
  if (!welds_->any_chosen()) {
    state_.v = v_before_;
    welds_->forget_choice();
    tell_of_freedoms();
    return false;
  }
  welds_->keep();
  book_welding();
  resolve(nullptr, false, true);  // what holds beside the joints was in their way when they were stopped
  return true;
}

void World::wake_all_joints() {
  if (!welds_ || welds_->count() == 0) return;
  welds_->wake_all(state_);
  tell_of_freedoms();
}

void World::tell_of_freedoms() {
  for (Part* part : parts_) part->freedoms_changed();
}

// The energy that the impulse takes, and the impulses with which the world holds roots that are not free.
void World::book_welding() {
  const Params<double>& params = scene_.model.params;
  // With the joints moving that are held by now.
  forward_kinematics<double>(scene_.model, params, state_.q, v_before_, of_joints_);
  const double before = totals(scene_.model, params, of_joints_).kinetic;
  place(state_);
  std::fill(jumped_rates_.begin(), jumped_rates_.end(), 0.0);
  jumped_rates_[layout_.power(layout_.welds())] = totals(scene_.model, params, kinematics()).kinetic - before;
  forces_.clear();
  book_jump();
}

void World::mind_welds() {
  const bool woken = wake_joints(), made = weld_joints();
  if (!woken && !made) return;
  driver_->happened();
  if (past_) past_->mark(state_.t);
}

}  // namespace marey
