#include "contact/cone_growing.h"

#include <algorithm>

namespace marey {
namespace {

constexpr double first_step = 0.25, shortest_step = 5e-3, longer = 1.7, careful_below = 0.02;
constexpr int growing_patience = 12, alternating_iterations = 50, most_setbacks = 12;

}  // namespace

void ConeGrowing::set_friction(ScaledCones& cones, double part) const {
  for (std::size_t b = 0; b < whole_.size(); ++b)
    for (std::size_t g = 0; g < whole_[b].groups.size(); ++g)
      cones.blocks[b].cone.groups[g].coefficient = part * whole_[b].groups[g].coefficient;
}

// From z_ on, which it changes only if it gets there.
bool ConeGrowing::solve(ScaledCones& cones, ConeNewton& newton, ConeAdmm& admm, double enough, bool with_care) {
  for (const bool alternate : {false, true}) {
    cones.project(z_.data(), trial_z_.data());
    cones.find_velocities(trial_z_.data(), trial_v_.data());
    if (alternate) {
      admm.start(cones, trial_z_.data(), trial_v_.data());
      admm.run(cones, alternating_iterations);
      std::copy_n(admm.y(), trial_z_.size(), trial_z_.begin());
      cones.find_velocities(trial_z_.data(), trial_v_.data());
    }
    if (newton.run(cones, trial_z_.data(), trial_v_.data(), growing_patience, as_good_as_exact) > enough) continue;
    z_.swap(trial_z_), v_.swap(trial_v_);
    return true;
  }
  if (!with_care) return false;
  std::copy_n(admm.y(), trial_z_.size(), trial_z_.begin());
  cones.find_velocities(trial_z_.data(), trial_v_.data());
  if (proximal_.run(cones, newton, trial_z_.data(), trial_v_.data(), {0.1, 0.1, as_good_as_exact, enough}) > enough)
    return false;
  z_.swap(trial_z_), v_.swap(trial_v_);
  return true;
}

double ConeGrowing::run(ScaledCones& cones, ConeNewton& newton, ConeAdmm& admm, double* z, double* v, double enough) {
  const auto n = static_cast<std::size_t>(cones.size());
  z_.assign(z, z + n), v_.assign(v, v + n), trial_z_.resize(n), trial_v_.resize(n);
  whole_.clear();
  for (const ScaledBlock& b : cones.blocks) whole_.push_back(b.cone);
  set_friction(cones, 0);
  double part = 0, step = first_step;
  bool found = solve(cones, newton, admm, enough, true);
  for (int setbacks = 0; found && part < 1 && setbacks < most_setbacks && step > shortest_step;) {
    const double next = std::min(1.0, part + step);
    set_friction(cones, next);
    if (solve(cones, newton, admm, enough, step < careful_below))
      part = next, step *= longer;
    else
      step *= 0.5, ++setbacks;
  }
  set_friction(cones, 1);
  found = found && part == 1;
  if (found) std::copy_n(z_.data(), n, z), std::copy_n(v_.data(), n, v);
  return cones.natural_map(z, v);
}

}  // namespace marey
