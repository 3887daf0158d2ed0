// Constraints at the ends of steps, for the variational method (integrate/midpoint.cpp).
//
// Its impulses are booked with the step they belong to: their momentum as it is, and as their work that of a force on rows which
// move as they are meant to. What else they do to the energy is the error of the method, and is left for the books to show.
#include <algorithm>

#include "sim/world.h"

namespace marey {

std::size_t World::begin(double t, std::span<const double> q, std::span<const double> v_z) {
  by_forces_ = false;
  step_start_.t = t;
  step_start_.q.assign(q.begin(), q.end());
  step_start_.v.assign(v_z.begin(), v_z.begin() + static_cast<std::ptrdiff_t>(velocity_count()));
  step_start_.z.assign(v_z.begin() + static_cast<std::ptrdiff_t>(velocity_count()), v_z.end());
  constraints_->compute_rows(place(step_start_), *plant_);
  return constraints_->row_count_now();
}

void World::add_impulse(std::span<const double> x, std::span<double> p) const { constraints_->add_momentum(x, p); }

// Rows that are not holonomic have no place to end at: they hold for the velocity in the middle of the step.
double World::miss(double h, std::span<const double> q, std::span<const double> q_m, std::span<const double> v_m,
                   std::span<double> change) {
  const double t = step_start_.t;
  const std::span<const double> v = v_m.first(velocity_count()), z = v_m.subspan(velocity_count());
  in_the_middle_.assign(change.size(), 0.0);
  if (!constraints_->all_holonomic()) {
    constraints_->measure(place(t + 0.5 * h, q_m, v, z));
    constraints_->rates(in_the_middle_);
  }
  constraints_->measure(place(t + h, q, v, z));
  return constraints_->miss(h, in_the_middle_, change);
}

void World::finish(double h, std::span<const double> x, std::span<const double> q, std::span<double> p,
                   std::span<double> integrals) {
  // where it starts; its rows are measured anew, their J are still there
  constraints_->measure(place(step_start_));
  std::vector<double>& v = v_before_;
  v = step_start_.v;
  constraints_->clear_impulses();
  constraints_->push(x, v, HeldConstraints::Work::along_a_step);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= step_start_.v[i];
  book_impulses(v, integrals);
  // where it ends
  plant_->velocity(q, p, v);
  constraints_->compute_rows(place(step_start_.t + h, q, v, step_start_.z), *plant_);
  at_the_end_.resize(constraints_->row_count_now());
  constraints_->stop(at_the_end_);
  constraints_->add_momentum(at_the_end_, p);
  vdot_ = v;
  constraints_->clear_impulses();
  constraints_->push(at_the_end_, v, HeldConstraints::Work::along_a_step);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= vdot_[i];
  book_impulses(v, integrals);
}

// Those that constraints keep, and those with which the world holds roots that are not free; dv is what they have done.
void World::book_impulses(std::span<const double> dv, std::span<double> integrals) {
  constraints_->book_impulses(layout_, kinematics(), integrals);
  if (plant_->holds_roots()) {
    forces_.clear();
    constraints_->add_impulses(forces_.F_Bo_W);
    book_wrench(integrals, layout_.world(), plant_->world_on_roots_at_once(forces_.F_Bo_W, dv));
  }
  constraints_->clear_impulses();
}

}  // namespace marey
