#include "sim/ledger.h"

#include <algorithm>
#include <cmath>

#include "marey/core/all_finite.h"
#include "marey/core/larger.h"

namespace marey {
namespace {

// A body at rest has to be divided by something: a millionth of a joule, newton second and newton metre second.
constexpr double smallest_scale = 1e-6;

// n (angular) or f (linear) impulses of every source.
template <class Use>
void for_each_impulse(const RateLayout& layout, std::span<const double> integrals, Use use) {
  use(vec_at(integrals, layout.gravity()), vec_at(integrals, layout.gravity() + 3));
  use(vec_at(integrals, layout.world()), vec_at(integrals, layout.world() + 3));
  for (std::size_t e = 0; e < layout.sources; ++e)
    use(vec_at(integrals, layout.outside(e)), vec_at(integrals, layout.outside(e) + 3));
}

}  // namespace

RateLayout layout_of(const Scene& scene) {
  return RateLayout(scene.elements.size() + scene.sources.size(), scene.contacts.size(), scene.constraints.size(),
                    scene.solver.weld.has_value(), scene.solver.contact == ContactDriver::stepping,
                    scene.solver.sleep.has_value());
}

MovingMass moving_mass(const Model& model, const Kinematics<double>& kinematics) {
  MovingMass sum;
  for (int i = 1; i < model.nlink(); ++i) {
    const Inertia<double>& I = model.params.links[static_cast<std::size_t>(i)].I;
    const Transform<double>& X_WB = kinematics.X_WB[static_cast<std::size_t>(i)];
    sum.mass += I.m;
    sum.turning += I.m * norm_squared(X_WB.p) + 2 * dot(X_WB.p, X_WB.R * I.h) + 0.5 * (I.J.xx + I.J.yy + I.J.zz);
  }
  return sum;
}

void LedgerState::begin(const Balance& b, const MovingMass& all) {
  start = b;
  follow(b, all);
}

void LedgerState::follow(const Balance& b, const MovingMass& all) {
  // The sum alone is next to nothing where a figure starts from rest at the height from which heights count.
  largest_energy = larger_or_nan(larger_or_nan(largest_energy, std::abs(b.energy)), b.kinetic);
  largest_linear =
      larger_or_nan(larger_or_nan(largest_linear, norm(b.momentum.f)), std::sqrt(2 * all.mass * b.kinetic));
  largest_angular =
      larger_or_nan(larger_or_nan(largest_angular, norm(b.momentum.n)), std::sqrt(2 * all.turning * b.kinetic));
}

Residual residual_of(const RateLayout& layout, const LedgerState& ledger, const Balance& now,
                     std::span<const double> integrals) {
  Residual r{now.energy - ledger.start.energy, now.momentum.f - ledger.start.momentum.f,
             now.momentum.n - ledger.start.momentum.n};
  for (std::size_t e = 0; e < layout.sources; ++e) r.energy -= integrals[layout.power(e)];
  for_each_impulse(layout, integrals, [&](const Vec3<double>& n, const Vec3<double>& f) {
    r.angular -= n;
    r.linear -= f;
  });
  return r;
}

std::string name_of_source(const RateLayout& layout, std::size_t e, const Scene& scene) {
  if (e < scene.elements.size()) return scene.elements[e].name;
  if (e < layout.contact(0)) return scene.sources[e - scene.elements.size()]->name();
  if (e < layout.constraint(0)) return scene.contacts[e - layout.contact(0)].name;
  if (e < layout.constraint(scene.constraints.size())) return scene.constraints[e - layout.constraint(0)].name;
  if (scene.solver.contact == ContactDriver::stepping && e == layout.touching()) return touching_name;
  if (scene.solver.contact == ContactDriver::stepping && e == layout.correction()) return correction_name;
  if (scene.solver.sleep && e == layout.sleep()) return sleep_name;
  return welds_name;
}

bool is_finite(const LedgerState& ledger, std::span<const double> integrals) {
  return std::isfinite(ledger.largest_energy) && std::isfinite(ledger.largest_linear) &&
         std::isfinite(ledger.largest_angular) && all_finite(integrals);
}

bool is_finite(const Ledger& l) {
  const double sums[] = {l.energy_start,
                         l.energy_end,
                         l.energy_largest,
                         l.energy_residual,
                         l.energy_residual_relative,
                         l.linear_momentum_residual_relative,
                         l.angular_momentum_residual_relative};
  return std::ranges::all_of(sums, [](double x) { return std::isfinite(x); }) &&
         std::ranges::all_of(l.work_in, [](const auto& w) { return std::isfinite(w.second); });
}

Ledger close_ledger(const RateLayout& layout, const LedgerState& ledger, const Balance& now,
                    std::span<const double> integrals, const Scene& scene, double closed_within) {
  const Residual r = residual_of(layout, ledger, now, integrals);
  double energy_scale = ledger.largest_energy, linear_scale = ledger.largest_linear,
         angular_scale = ledger.largest_angular;
  Ledger out;
  for (std::size_t e = 0; e < layout.sources; ++e) {
    out.work_in.emplace_back(name_of_source(layout, e, scene), integrals[layout.power(e)]);
    energy_scale += std::abs(integrals[layout.power(e)]);
  }
  for_each_impulse(layout, integrals, [&](const Vec3<double>& n, const Vec3<double>& f) {
    angular_scale += norm(n);
    linear_scale += norm(f);
  });
  out.energy_start = ledger.start.energy;
  out.energy_end = now.energy;
  out.energy_largest = ledger.largest_energy;
  out.energy_residual = r.energy;
  out.energy_residual_relative = std::abs(r.energy) / std::max(energy_scale, smallest_scale);
  out.linear_momentum_residual_relative = norm(r.linear) / std::max(linear_scale, smallest_scale);
  out.angular_momentum_residual_relative = norm(r.angular) / std::max(angular_scale, smallest_scale);
  out.closed = out.energy_residual_relative <= closed_within &&
               out.linear_momentum_residual_relative <= closed_within &&
               out.angular_momentum_residual_relative <= closed_within;
  return out;
}

}  // namespace marey
