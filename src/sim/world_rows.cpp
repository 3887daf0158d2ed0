// What a world does where rows change, impulses act and drift is put right, whatever has the rows; and the books of it.
#include <algorithm>

#include "marey/core/afterwards.h"
#include "sim/world.h"

namespace marey {

void World::free_motion(const Part* front, const State& s, std::span<double> vdot) {
  accelerate(place(s), front, jumped_rates_, vdot, z_rate_);
}

bool World::holds_at_ends() const {
  return ends_ && constraints_->has_rows() &&
         std::ranges::none_of(parts_, [&](const Part* part) { return part != constraints_.get() && part->has_rows(); });
}

void World::resolve(const Event* event, bool by_clock_now, bool jolted) {
  v_before_ = state_.v;
  for (Part* part : Backwards{parts_}) {
    part->resolve(*this, state_, {switch_of(part, event), by_clock_now, jolted});
    jolted = jolted || part->has_entries();
  }
  if (any_part(&Part::has_entries)) book_jumps();
  plant_->accept(state_);
}

// Impulses count at once: those of all parts, and those with which the world holds roots that are not free.
void World::book_jumps() {
  std::fill(jumped_rates_.begin(), jumped_rates_.end(), 0.0);
  place(state_);
  forces_.clear();
  for (const Part* part : parts_) {
    part->book_impulses(layout_, kinematics(), jumped_rates_);
    part->add_impulses(kinematics(), forces_.F_Bo_W);
  }
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

// After a step: what it has let drift, and the other half of what was answered by halves. Velocities that rows do not ask
// for (of what is driven by accelerations alone, of what slides) are not to change by it.
void World::put_right(bool something_happens) {
  const bool in_halves = steps_in_halves(scene_.solver);
  if (plant_->has_joint_drift() && broken_link() >= 0) return;  // that is said by name
  const Afterwards forget([&] {
    for (Part* part : parts_) part->forget_velocities();
  });
  if (in_halves || plant_->has_joint_drift())
    for (Part* part : parts_) part->keep_velocities(*this, state_);
  if (plant_->has_joint_drift()) remove_joint_drift();
  if (!something_happens)
    remove_drift();
  else if (in_halves)  // what may be let go
    hold_again();
}

bool World::hold_again() {
  bool moved = false;
  for (Part* part : Backwards{parts_}) moved = part->hold_again(*this, state_) || moved;
  return moved;
}

void World::remove_joint_drift() {
  if (!plant_->remove_drift(state_, drift_bound(scene_.solver, joint_drift))) return;
  driver_->restart();
  if (hold_again()) plant_->accept(state_);
}

void World::remove_drift() {
  bool moved = false;
  for (Part* part : Backwards{parts_}) moved = part->remove_drift(*this, state_) || moved;
  if (!moved) return;
  driver_->restart();
  plant_->accept(state_);
}

}  // namespace marey
