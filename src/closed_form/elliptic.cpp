// Jacobi's elliptic functions and the third-kind integral, unwound over any number of periods.
//
// Sources: NIST Digital Library of Mathematical Functions (DLMF), chapters 19 and 22; Carlson's symmetric integrals
// from Boost.Math. Boost's Jacobi functions take the modulus k alone and lose k′ where k → 1, hence the own ones here.
//
// Symbols: m = k², m1 = 1 − m, φ = am u, s = sin φ, c = cos φ, Δ = dn u = √(c² + m1 s²).
//
//   AGM: a₀ = 1, b₀ = √m1, c₀ = √m; a' = (a + b)/2, b' = √(ab), c' = (a − b)/2                  DLMF 22.20(ii)  (1)
//     K = π/(2 a_N);  φ_N = 2ᴺ a_N u,  φ_{n−1} = ½ (φ_n + asin(c_n/a_n sin φ_n)),  φ = φ₀
//   u = F(φ) = s R_F(c², Δ², 1), |φ| ≤ π/2                                                      DLMF 19.25.5    (2)
//   S(n) = ∫ sn²/(1 + n sn²) du = ⅓ s³ R_J(c², Δ², 1, 1 + n s²)                                 DLMF 19.25.14   (3)
//     with 1 + n s² = c² + (1 + n) s², a sum of positive numbers
//   T(n) = ∫ du/(1 + n sn²) = u − n S(n)                                                                        (4)
//     For n > √m (4) is a difference of large numbers. There, by n → m/n (DLMF 19.7.9 with c = 1/s²),
//     T(n) = (m/n) S(m/n) + atan2(q s, c Δ)/q,   q = √((1 + n)(1 + m/n))                                        (5)
//     Both terms are positive, and the arc tangent goes through its quadrants with φ: there is nothing to unwind but
//     the whole half periods.
//   Near the quarter period, from v = K − u: sn u = cn v/dn v, cn u = √m1 sn v/dn v, dn u = √m1/dn v            (6)
//     Near a separatrix cn and dn are far below round-off of φ ≈ π/2 there, and u hangs on them.
//   Over half periods: with u = 2K j + rest, S and T are 2 j times their values at K, plus those of the rest.   (7)
//
// On the separatrix, m = 1: sn = tanh u, cn = dn = 1/cosh u, u = asinh tan φ, and                               (8)
//   S(n) = (u − A)/(1 + n),  A = atan(√n s)/√n, or atanh(√−n s)/√−n for n < 0, or s for n = 0
#include "marey/closed_form/elliptic.h"

#include <algorithm>
#include <boost/math/special_functions/ellint_rf.hpp>
#include <boost/math/special_functions/ellint_rj.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace marey::closed {
namespace {

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr int max_steps = 16;  // the AGM doubles its digits; from b/a = 1e-4900 it takes 15 steps

// (1): the sequences a and c of the arithmetic-geometric mean, until c is below round-off.
struct Agm {
  int n = 0;
  Real a[max_steps + 1], c[max_steps + 1];
};

Agm agm(Real m, Real m1) {
  Agm g;
  Real b = std::sqrt(m1);
  g.a[0] = 1, g.c[0] = std::sqrt(m);
  while (g.n < max_steps && std::abs(g.c[g.n]) > std::numeric_limits<Real>::epsilon() * g.a[g.n]) {
    const Real a = g.a[g.n];
    ++g.n;
    g.a[g.n] = (a + b) / 2, g.c[g.n] = (a - b) / 2;
    b = std::sqrt(a * b);
  }
  return g;
}

Real quarter_period(Real m, Real m1) {
  if (m1 == 0) return std::numeric_limits<Real>::infinity();
  const Agm g = agm(m, m1);
  return pi / (2 * g.a[g.n]);
}

// (6): the functions of the rest u, in [−K, K], from those of K − |u|.
Elliptic::Phase mirrored(Elliptic::Phase p, Real k1) {
  const Real s = p.s;
  p.s = std::copysign(p.c / p.d, p.rest);
  p.c = std::max(Real(0), k1 * s / p.d);
  p.d = k1 / p.d;
  return p;
}

}  // namespace

Elliptic::Elliptic(Real m, Real m1) : m_(m), m1_(m1), K_(quarter_period(m, m1)) {}

Real Elliptic::amplitude(Real u) const {  // (1)
  const Agm g = agm(m_, m1_);
  Real phi = std::ldexp(g.a[g.n] * u, g.n);
  for (int n = g.n; n > 0; --n) phi = (phi + std::asin(g.c[n] / g.a[n] * std::sin(phi))) / 2;
  return phi;
}

Elliptic::Phase Elliptic::at(Real u) const {
  Phase p;
  if (m1_ == 0) {  // (8)
    p.rest = u;
    p.sn = p.s = std::tanh(u);
    p.cn = p.c = p.d = 1 / std::cosh(u);
    return p;
  }
  p.turns = std::round(u / (2 * K_));
  p.rest = u - 2 * K_ * p.turns;
  const bool far = std::abs(p.rest) > K_ / 2;
  const Real phi = amplitude(far ? K_ - std::abs(p.rest) : p.rest);
  p.s = std::sin(phi), p.c = std::cos(phi);
  p.d = std::sqrt(p.c * p.c + m1_ * p.s * p.s);
  if (far) p = mirrored(p, std::sqrt(m1_));
  const bool odd = std::fmod(p.turns, Real(2)) != 0;
  p.sn = odd ? -p.s : p.s, p.cn = odd ? -p.c : p.c;
  return p;
}

Real Elliptic::argument(Real sine, Real cosine) const {
  const Real r = std::hypot(sine, cosine);
  if (r == 0) return 0;
  if (m1_ == 0) return std::asinh(sine / cosine);  // (8)
  const Real s = (cosine < 0 ? -sine : sine) / r, c = cosine / r;
  const Real F = s * boost::math::ellint_rf(c * c, c * c + m1_ * s * s, Real(1));  // (2)
  if (cosine >= 0) return F;
  return F > 0 ? F - 2 * K_ : F + 2 * K_;
}

Elliptic::Phase Elliptic::quarter() const {
  Phase p;
  p.rest = K_, p.s = 1, p.c = 0, p.d = std::sqrt(m1_);
  return p;
}

Real Elliptic::sn2_within(const Phase& p, Real n, Real n1) const {
  if (m1_ == 0) {  // (8)
    const Real root = std::sqrt(std::abs(n));
    const Real A = n == 0 ? p.s : n > 0 ? std::atan(root * p.s) / root : std::atanh(root * p.s) / root;
    return (p.rest - A) / n1;
  }
  if (p.s == 0) return 0;
  const Real cc = p.c * p.c, ss = p.s * p.s;
  return p.s * ss / 3 * boost::math::ellint_rj(cc, p.d * p.d, Real(1), cc + n1 * ss);  // (3)
}

Real Elliptic::third_within(const Phase& p, Real n, Real n1) const {
  if (n <= 0 || n * n <= m_) return p.rest - n * sn2_within(p, n, n1);  // (4)
  const Real inverse = m_ / n, q = std::sqrt(n1 * (1 + inverse));
  return inverse * sn2_within(p, inverse, 1 + inverse) + std::atan2(q * p.s, p.c * p.d) / q;  // (5)
}

Real Elliptic::integral_sn2(const Phase& p, Real n, Real n1) const {  // (7)
  const Real whole = p.turns == 0 ? 0 : 2 * p.turns * sn2_within(quarter(), n, n1);
  return whole + sn2_within(p, n, n1);
}

Real Elliptic::integral_third(const Phase& p, Real n, Real n1) const {  // (7)
  const Real whole = p.turns == 0 ? 0 : 2 * p.turns * third_within(quarter(), n, n1);
  return whole + third_within(p, n, n1);
}

}  // namespace marey::closed
