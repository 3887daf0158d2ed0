#include "sim/energy_bound.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace marey {

namespace {

constexpr double plainly = 0.99;        // of the largest
constexpr double angle_of_chord = 2.1;  // while all differences together are
constexpr double largest_chord = 0.2;

// Σ |x(k)|
template <class Value>
double sum_of_sizes(std::size_t n, Value x) {
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += std::abs(x(k + l));
  for (; k < n; ++k) sums[0] += std::abs(x(k));
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace

std::optional<EnergyBound> EnergyBound::of(const Model& model) {
  EnergyBound bound;
  double widest = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const LinkTopology& link = model.links[i];
    const LinkParams<double>& own = model.params.links[i];
    const bool turns = link.joint == JointType::hinge || link.joint == JointType::ball || link.joint == JointType::weld;
    if (!turns && !(link.joint == JointType::free && link.parent == 0)) return {};
    bound.mass_ += own.I.m;
    bound.reach_ += norm(own.l);
    if (own.I.m > 0) widest = std::max(widest, std::sqrt((own.I.J.xx + own.I.J.yy + own.I.J.zz) / own.I.m));
  }
  bound.reach_ += widest;
  bound.q_.resize(static_cast<std::size_t>(model.nq));
  bound.weight_ = bound.mass_ * norm(model.params.gravity);
  return bound;
}

void EnergyBound::look(const Balance& all, double potential, std::span<const double> q, const Kinematics<double>& k) {
  gravity_energy_ = std::abs(all.energy - all.kinetic - potential), farthest_ = 0;
  for (const Transform<double>& X : k.X_WB) farthest_ = std::max(farthest_, norm(X.p) + reach_);
  potential_ = potential, known_ = 1, asked_ = 0;
  std::ranges::copy(q, q_.begin());
}

bool EnergyBound::is_below(const LedgerState& ledger, const MovingMass& moving, std::span<const double> q,
                           std::span<const double> v) const {
  const double *now = q.data(), *then = q_.data(), *speeds = v.data();
  const double apart = sum_of_sizes(q.size(), [=](std::size_t k) { return now[k] - then[k]; });
  if (!(apart < largest_chord)) return false;
  const double x = (1 + angle_of_chord * reach_) * apart;
  const double s = (1 + reach_) * sum_of_sizes(v.size(), [=](std::size_t k) { return speeds[k]; });
  const double kinetic = 0.5 * mass_ * s * s;
  const double turning = std::max(mass_ * s * (farthest_ + x), std::sqrt(moving.turning * mass_) * s);
  return gravity_energy_ + weight_ * x + kinetic + std::abs(potential_) < plainly * ledger.largest_energy &&
         std::sqrt(std::max(moving.mass, mass_) * mass_) * s < plainly * ledger.largest_linear &&
         turning < plainly * ledger.largest_angular;
}

void EnergyBound::exchange(const Part::Archive& archive) {
  for (double* x : {&known_, &gravity_energy_, &farthest_, &potential_, &asked_})
    archive(std::as_writable_bytes(std::span(x, 1)));
  archive(std::as_writable_bytes(std::span(q_)));
}

}  // namespace marey
