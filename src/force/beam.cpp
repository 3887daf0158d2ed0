// Modes of an Euler–Bernoulli beam. Source: S. P. Timoshenko, Vibration Problems in Engineering, ch. V. With ξ = x/L, the mass M and
// D = E I/L³,
//   ω = β² √(D/M)                                                                                                    (1)
//   hinged at both ends   β = kπ,  φ = √2 sin βξ                    D = S/48, S the stiffness in the middle           (2)
//   clamped at ξ = 0      cosh β cos β = −1,                        D = S/3, S the stiffness at the end               (3)
//     φ = cosh βξ − cos βξ − σ (sinh βξ − sin βξ),  σ = (cosh β + cos β)/(sinh β + sin β)
// with ∫φ² dξ = 1, so that each mode has the mass M. (3) with (cosh − σ sinh) written as ½ (1 + σ) e^{−βξ} + ½ (1 − σ) e^{βξ}, and
// 1 − σ = (sin β − cos β − e^{−β})/(sinh β + sin β), loses no digits for large β.
#include <cmath>
#include <numbers>

#include "marey/force/footing.h"

namespace marey {
namespace {

// cos β + 1/cosh β = 0, near (k − ½) π.
double clamped_root(int k) {
  double beta = (k - 0.5) * std::numbers::pi;
  for (int i = 0; i < 30; ++i) {
    const double s = 1 / std::cosh(beta);
    beta -= (std::cos(beta) + s) / (-std::sin(beta) - s * std::tanh(beta));
  }
  return beta;
}

// ½ (1 + σ) and ½ (1 − σ)
struct Parts {
  double falling, rising, sigma;
};
Parts parts_of(double beta) {
  const double below = std::sinh(beta) + std::sin(beta);
  const double difference = (std::sin(beta) - std::cos(beta) - std::exp(-beta)) / below;
  return {1 - 0.5 * difference, 0.5 * difference, 1 - difference};
}

}  // namespace

double BeamMode::shape(double xi) const {
  if (held == Plank::Held::both_ends) return std::numbers::sqrt2 * std::sin(beta * xi);
  const auto [falling, rising, sigma] = parts_of(beta);
  const double x = beta * xi;
  return falling * std::exp(-x) + rising * std::exp(x) - std::cos(x) + sigma * std::sin(x);
}

double BeamMode::slope(double xi) const {
  if (held == Plank::Held::both_ends) return std::numbers::sqrt2 * beta * std::cos(beta * xi);
  const auto [falling, rising, sigma] = parts_of(beta);
  const double x = beta * xi;
  return beta * (-falling * std::exp(-x) + rising * std::exp(x) + std::sin(x) + sigma * std::cos(x));
}

std::vector<BeamMode> modes_of(const Plank& plank) {
  const bool both = plank.held == Plank::Held::both_ends;
  const double per_length = plank.stiffness / (both ? 48 : 3);
  std::vector<BeamMode> modes;
  for (int k = 1; k <= plank.modes; ++k) {
    const double beta = both ? k * std::numbers::pi : clamped_root(k);
    modes.push_back({beta, beta * beta * std::sqrt(per_length / plank.mass), plank.held});
  }
  return modes;
}

}  // namespace marey
