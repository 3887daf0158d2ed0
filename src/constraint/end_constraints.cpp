#include "marey/constraint/end_constraints.h"

#include <algorithm>

namespace marey {

EndConstraints::EndConstraints(Plant& plant, HeldConstraints& constraints, const RateLayout& layout)
    : plant_(plant),
      constraints_(constraints),
      layout_(layout),
      v_(static_cast<std::size_t>(plant.coordinates().nv)),
      dv_(v_),
      P_Bo_W_(plant.figure().links.size()) {}

std::size_t EndConstraints::begin(double t, std::span<const double> q, std::span<const double> v_z) {
  given_up_ = false;
  t_0_ = t;
  q_0_.assign(q.begin(), q.end());
  v_0_.assign(v_z.begin(), v_z.begin() + static_cast<std::ptrdiff_t>(v_.size()));
  constraints_.compute_rows(place(t, q_0_, v_0_), plant_);
  return constraints_.row_count_now();
}

void EndConstraints::add_impulse(std::span<const double> x, std::span<double> p) const {
  constraints_.add_momentum(x, p);
}

// Rows that are not holonomic have no place to end at: they hold for the velocity in the middle of the step.
double EndConstraints::miss(double h, std::span<const double> q, std::span<const double> q_m,
                            std::span<const double> v_m, std::span<double> change) {
  const std::span<const double> v = velocities(v_m);
  in_the_middle_.assign(change.size(), 0.0);
  if (!constraints_.all_holonomic()) {
    constraints_.measure(place(t_0_ + 0.5 * h, q_m, v));
    constraints_.rates(in_the_middle_);
  }
  constraints_.measure(place(t_0_ + h, q, v));
  return constraints_.miss(h, in_the_middle_, change);
}

void EndConstraints::finish(double h, std::span<const double> x, std::span<const double> q, std::span<double> p,
                            std::span<double> integrals) {
  // where it starts; its rows are measured anew, their J are still there
  constraints_.measure(place(t_0_, q_0_, v_0_));
  v_ = v_0_;
  push(x, v_, integrals);
  // where it ends
  plant_.velocity(q, p, v_);
  constraints_.compute_rows(place(t_0_ + h, q, v_), plant_);
  at_the_end_.resize(constraints_.row_count_now());
  constraints_.stop(at_the_end_);
  constraints_.add_momentum(at_the_end_, p);
  push(at_the_end_, v_, integrals);
}

// Impulses x change v; they are booked, and those with which the world then holds roots that are not free.
void EndConstraints::push(std::span<const double> x, std::span<double> v, std::span<double> integrals) {
  std::copy(v.begin(), v.end(), dv_.begin());
  constraints_.clear_impulses();
  constraints_.push(x, plant_, v, HeldConstraints::Work::along_a_step);
  constraints_.book_impulses(layout_, plant_.kinematics(), integrals);
  for (std::size_t i = 0; i < v.size(); ++i) dv_[i] = v[i] - dv_[i];
  if (plant_.holds_roots()) {
    std::fill(P_Bo_W_.begin(), P_Bo_W_.end(), Wrench<double>{});
    constraints_.add_impulses(plant_.kinematics(), P_Bo_W_);
    book_wrench(integrals, layout_.world(), plant_.world_on_roots_at_once(P_Bo_W_, dv_));
  }
  constraints_.clear_impulses();
}

}  // namespace marey
