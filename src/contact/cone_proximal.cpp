#include "contact/cone_proximal.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

constexpr double inner_tolerance = 1e-10, largest_addition = 10;
constexpr int inner_patience = 12, final_patience = 3, most_failures = 12, most_problems = 60;

}  // namespace

double ConeProximal::run(ScaledCones& cones, ConeNewton& newton, double* z, double* v, const Manner& manner) {
  const auto n = static_cast<std::size_t>(cones.size());
  double best = cones.natural_map(z, v), epsilon = manner.first;
  z_.assign(z, z + n), v_.resize(n), trial_z_.resize(n), trial_v_.resize(n);
  cones.centre.assign(z, z + n);
  const auto keep_if_better = [&](double found, const std::vector<double>& from_z, const std::vector<double>& from_v) {
    if (!(found < best)) return;
    best = found, std::copy_n(from_z.data(), n, z), std::copy_n(from_v.data(), n, v);
  };
  for (int k = 0, failures = 0; k < most_problems && failures < most_failures && best > manner.enough; ++k) {
    trial_z_ = z_, cones.added = epsilon;
    cones.find_velocities(trial_z_.data(), trial_v_.data());
    const double inner = newton.run(cones, trial_z_.data(), trial_v_.data(), inner_patience, inner_tolerance);
    cones.added = 0;
    if (!(inner < inner_tolerance)) {
      ++failures;
      epsilon *= std::pow(manner.factor, -0.6);
      if (epsilon > largest_addition) break;
      continue;
    }
    z_ = cones.centre = trial_z_;
    cones.find_velocities(trial_z_.data(), trial_v_.data());
    const double before = best;
    keep_if_better(newton.run(cones, trial_z_.data(), trial_v_.data(), final_patience, manner.enough), trial_z_,
                   trial_v_);
    if (best <= manner.wanted && best > 0.5 * before) break;
    epsilon *= manner.factor;
  }
  return best;
}

}  // namespace marey
