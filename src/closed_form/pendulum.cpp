// The compound pendulum by Jacobi's functions.
//
// Source: Landau & Lifshitz, Mechanics, §11; derived here so that rest, the top and fast turning lose no digits.
//   k² = sin²(θ₀/2) + θ̇₀²/(4κ)       1 − k² = cos²(θ₀/2) − θ̇₀²/(4κ)                                               (1)
//   swinging, k ≤ 1:  sin(θ/2) = k sn u   cos(θ/2) = dn u   θ̇ = 2 √κ k cn u   u = u₀ + √κ t   m = k²               (2)
//   turning, k > 1:   sin(θ/2) = sn u     cos(θ/2) = cn u   θ̇ = ± 2 √κ k dn u   u = u₀ ± k √κ t   m = 1/k²         (3)
// (2): θ̇ cos(θ/2)/2 = k cn dn √κ. (3): θ̇ cos(θ/2)/2 = ± cn dn k √κ. Without gravity, κ = 0, θ goes on evenly.
#include "marey/closed_form/pendulum.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "marey/closed_form/elliptic.h"
#include "marey/core.h"

namespace marey {

using closed::Elliptic;
using closed::Real;

struct Pendulum::Solution {
  Real root = 0;   // √κ
  Real turns = 0;  // whole turns before the start
  Real k = 0, u0 = 0, sense = 1;
  bool even = false, swings = true;
  Real theta0 = 0, rate0 = 0;
  Elliptic elliptic{0, 1};
};

Pendulum::Pendulum(double kappa, double theta0, double rate0) {
  if (!(kappa >= 0) || !std::isfinite(kappa + theta0 + rate0))
    throw Error(ErrorKind::bad_input, "pendulum: expected finite numbers, and m g l/I not negative");
  constexpr Real pi = std::numbers::pi_v<Real>;
  Solution s;
  s.theta0 = theta0, s.rate0 = rate0, s.root = std::sqrt(Real(kappa));
  s.turns = std::round(Real(theta0) / (2 * pi));
  const Real half = (Real(theta0) - 2 * pi * s.turns) / 2, sine = std::sin(half), cosine = std::cos(half);
  s.even = kappa == 0 || (sine == 0 && rate0 == 0);
  if (!s.even) {
    const Real q = Real(rate0) / (2 * s.root), k2 = sine * sine + q * q, rest = (cosine - q) * (cosine + q);  // (1)
    s.k = std::sqrt(k2), s.swings = rest >= 0, s.sense = rate0 < 0 ? -1 : 1;
    s.elliptic = s.swings ? Elliptic(std::min(k2, Real(1)), rest) : Elliptic(1 / k2, -rest / k2);
    s.u0 = s.swings ? s.elliptic.argument(sine, q) : s.elliptic.argument(sine, cosine);
  }
  solution_ = std::make_shared<const Solution>(s);
}

double Pendulum::angle(double t) const {
  const Solution& s = *solution_;
  constexpr Real pi = std::numbers::pi_v<Real>;
  if (s.even) return double(s.theta0 + s.rate0 * t);
  const Elliptic::Phase p = s.elliptic.at(s.u0 + (s.swings ? s.root : s.sense * s.k * s.root) * t);
  const Real half = s.swings ? std::atan2(s.k * p.sn, p.d) : pi * p.turns + std::atan2(p.s, p.c);  // (2), (3)
  return double(2 * (half + pi * s.turns));
}

double Pendulum::rate(double t) const {
  const Solution& s = *solution_;
  if (s.even) return double(s.rate0);
  const Elliptic::Phase p = s.elliptic.at(s.u0 + (s.swings ? s.root : s.sense * s.k * s.root) * t);
  return double(2 * s.root * s.k * (s.swings ? p.cn : s.sense * p.d));
}

double Pendulum::period() const {
  const Solution& s = *solution_;
  if (s.root == 0)
    return s.rate0 == 0 ? std::numeric_limits<double>::infinity()
                        : double(2 * std::numbers::pi_v<Real> / std::abs(s.rate0));
  if (s.even) return double(2 * std::numbers::pi_v<Real> / s.root);
  return double(s.swings ? 4 * s.elliptic.K() / s.root : 2 * s.elliptic.K() / (s.k * s.root));
}

}  // namespace marey
