// The torque-free rigid body in closed form: Jacobi's elliptic functions for the angular velocity, the third-kind
// integral for the attitude.
//
// Source: Hahn 1988 (H2) names the solution; derived here after Landau & Lifshitz, Mechanics, §37, with the angles
// z-y′-z″ of Ruder et al. 1991 (2.13).
//
// Frames: B the body's principal axes; P the same axes renamed a, b, c and directed so that P is right-handed and
// ω_c ≥ 0; H is fixed in space with its z axis along the angular momentum L. b is the axis of the middle moment, c the
// one about which L circles in the body: that of the largest moment if L² > 2E I_b, that of the smallest otherwise; a
// is the third.
//
//   D = |2E I_c − L²| = I_a |I_c − I_a| ω_a² + I_b |I_c − I_b| ω_b²                                            (1)
//   G = |L² − 2E I_a| = I_b |I_b − I_a| ω_b² + I_c |I_c − I_a| ω_c²                                            (2)
//   s = |L² − 2E I_b| = |I_c |I_c − I_b| ω_c² − I_a |I_b − I_a| ω_a²|                                          (3)
//   ω_a = A cn u,  ω_b = σ B sn u,  ω_c = C dn u,  u = u₀ + λ t,  σ = sign(I_c − I_a)                          (4)
//   A² = D/(I_a |I_c − I_a|)   B² = D/(I_b |I_c − I_b|)   C² = G/(I_c |I_c − I_a|)                             (5)
//   λ² = |I_c − I_b| G/(I_a I_b I_c)
//   m = |I_b − I_a| D / (|I_c − I_b| G)   1 − m = |I_c − I_a| s / (|I_c − I_b| G)                              (6)
// All but (3) are sums of squares. (3) is a difference, and a small one near the separatrix; as the difference of two
// squares it keeps what the start has to give.
//
// Attitude: R_HP = Rz(ψ) Ry(θ) Rz(φ). L in P is L (−sin θ cos φ, sin θ sin φ, cos θ): θ and φ come from (4). Then
// ψ̇ = L (I_a ω_a² + I_b ω_b²)/(I_a² ω_a² + I_b² ω_b²); with (4)(5) and h = I_c |I_b − I_a|/(I_a |I_c − I_b|) ≥ 0
//   c the largest:   ψ̇ = L/I_c + L (I_c − I_a)/(I_c I_a) · 1/(1 + h sn² u)                                     (7)
//   c the smallest:  ψ̇ = L/I_a + L (I_a − I_b)(I_a − I_c)/(I_a² (I_b − I_c)) · sn² u/(1 + h sn² u)             (8)
// the same function written twice, each time as a sum of positive terms. Its integral is elliptic, of the third kind.
//
// On the separatrix (s = 0) sn, cn, dn are tanh, sech, sech and (4) holds with A and B of the sign that ω_a has. Where
// ω × Iω = 0 (steady spin, sphere, rest) ω is constant and the body turns evenly about it. Symmetric bodies are the
// case m = 0, with c the axis of symmetry.
#include "marey/closed_form/torque_free.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "marey/closed_form/elliptic.h"
#include "marey/core.h"
#include "marey/shape.h"

namespace marey {
namespace {

using closed::Elliptic;
using closed::Real;
using RealVec = Vec3<Real>;
using RealQuat = Quaternion<Real>;

RealVec widened(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Vec3<double> narrowed(const RealVec& a) { return {double(a.x), double(a.y), double(a.z)}; }
RealQuat widened(const Quaternion<double>& q) { return normalized(RealQuat{q.w, q.x, q.y, q.z}); }

// The double quaternion with w ≥ 0.
Quaternion<double> narrowed(const RealQuat& q) {
  const RealQuat u = normalized(q);
  const double sign = u.w < 0 ? -1 : 1;
  return {sign * double(u.w), sign * double(u.x), sign * double(u.y), sign * double(u.z)};
}

RealVec turned(const RealQuat& q, const RealVec& v) { return rotation(q) * v; }

RealQuat about_z(Real angle) { return quaternion_about(RealVec{0, 0, 1}, angle); }
RealQuat about_y(Real angle) { return quaternion_about(RealVec{0, 1, 0}, angle); }

// Which axes of B are a, b and c, and which way they point.
struct Axes {
  std::array<int, 3> index{};  // of a, b, c in B
  std::array<Real, 3> sign{1, 1, 1};
  RealVec to_P(const RealVec& v_B) const {
    return {sign[0] * v_B[index[0]], sign[1] * v_B[index[1]], sign[2] * v_B[index[2]]};
  }
  RealVec to_B(const RealVec& v_P) const {
    RealVec v;
    for (int k = 0; k < 3; ++k) v[index[k]] = sign[k] * v_P[k];
    return v;
  }
  RealQuat R_BP() const {
    Mat3<double> R;
    for (int k = 0; k < 3; ++k) R(index[k], k) = double(sign[k]);
    return widened(quaternion_of(R));
  }
};

// √(I |I − I_b|) |ω|: the two of them decide the side of the separatrix (3).
Real lever(Real I, Real I_b, Real w) { return std::sqrt(I * std::abs(I - I_b)) * std::abs(w); }

}  // namespace

struct TorqueFree::Solution {
  RealVec I, w0;         // moments and angular velocity at t = 0, in the principal axes Q of the body
  RealQuat R_WQ0, R_BQ;  // the principal axes in space at t = 0, and in the axes B of the caller

  bool steady = false;  // ω is constant
  Axes axes;            // Q → P
  RealVec I_P;          // I_a, I_b, I_c
  RealVec amplitude;    // A, σ B, C with the signs of (4)
  Real L = 0, lambda = 0, u0 = 0;
  Real h = 0, h1 = 1;                  // h and 1 + h of (7)(8)
  Real even_rate = 0, third_rate = 0;  // the constants of (7) or (8)
  Elliptic elliptic{0, 1};
  Real psi0 = 0;
  RealQuat R_WH, R_PQ;

  Solution(const RealVec& moments, const RealQuat& R_WQ, const RealVec& w_Q, const RealQuat& R_BQ_);
  Real choose_axes();
  void solve(Real s);
  RealVec w_P(const Elliptic::Phase& p) const {
    return {amplitude.x * p.cn, amplitude.y * p.sn, amplitude.z * p.d};  // (4)
  }
  Real psi(Real t, const Elliptic::Phase&) const;
  RealQuat R_HP(Real t, const Elliptic::Phase&, Real psi_start) const;
};

TorqueFree::Solution::Solution(const RealVec& moments, const RealQuat& R_WQ, const RealVec& w_Q, const RealQuat& R_BQ_)
    : I(moments), w0(w_Q), R_WQ0(R_WQ), R_BQ(R_BQ_) {
  const RealVec gyroscopic{(I.y - I.z) * w0.y * w0.z, (I.z - I.x) * w0.z * w0.x, (I.x - I.y) * w0.x * w0.y};
  steady = gyroscopic.x == 0 && gyroscopic.y == 0 && gyroscopic.z == 0;
  if (!steady) solve(choose_axes());
}

// Names the axes a, b, c; returns s of (3), exactly zero on the separatrix.
Real TorqueFree::Solution::choose_axes() {
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [this](int i, int j) { return I[i] < I[j]; });
  const auto [low, middle, high] = order;
  const Real of_high = lever(I[high], I[middle], w0[high]), of_low = lever(I[low], I[middle], w0[low]);
  const bool about_high = I[low] == I[middle] || (I[high] != I[middle] && of_high >= of_low);
  axes.index = about_high ? std::array{low, middle, high} : std::array{high, middle, low};
  axes.sign[2] = w0[axes.index[2]] < 0 ? -1 : 1;
  const bool cyclic = axes.index[1] == (axes.index[0] + 1) % 3;
  axes.sign[0] = cyclic ? axes.sign[2] : -axes.sign[2];
  const Real gap = std::abs(of_high - of_low);
  if (gap <= 8 * std::numeric_limits<Real>::epsilon() * of_high) return 0;
  return gap * (of_high + of_low);
}

void TorqueFree::Solution::solve(Real s) {
  I_P = {I[axes.index[0]], I[axes.index[1]], I[axes.index[2]]};
  const auto& [Ia, Ib, Ic] = I_P;
  const RealVec w = axes.to_P(w0);
  const Real ab = std::abs(Ib - Ia), bc = std::abs(Ic - Ib), ca = std::abs(Ic - Ia), sigma = Ic > Ia ? 1 : -1;
  const Real D = Ia * ca * w.x * w.x + Ib * bc * w.y * w.y;                                        // (1)
  const Real G = Ib * ab * w.y * w.y + Ic * ca * w.z * w.z;                                        // (2)
  const Real m = std::min(Real(1), ab * D / (bc * G)), m1 = std::min(Real(1), ca * s / (bc * G));  // (6)
  elliptic = Elliptic(m, m1);
  const Real start = s == 0 && w.x < 0 ? -1 : 1;
  amplitude = {start * std::sqrt(D / (Ia * ca)), start * sigma * std::sqrt(D / (Ib * bc)), std::sqrt(G / (Ic * ca))};
  lambda = std::sqrt(bc * G / (Ia * Ib * Ic));
  u0 = elliptic.argument(w.y / amplitude.y, w.x / amplitude.x);

  L = norm(RealVec{Ia * w.x, Ib * w.y, Ic * w.z});
  h = Ic * ab / (Ia * bc), h1 = Ib * ca / (Ia * bc);
  even_rate = sigma > 0 ? L / Ic : L / Ia;
  third_rate = sigma > 0 ? L * ca / (Ic * Ia) : L * ab * ca / (Ia * Ia * bc);
  const Elliptic::Phase p = elliptic.at(u0);
  psi0 = psi(0, p);
  R_PQ = conjugate(axes.R_BP());
  R_WH = R_WQ0 * conjugate(R_HP(0, p, psi0) * R_PQ);
}

Real TorqueFree::Solution::psi(Real t, const Elliptic::Phase& p) const {
  const bool c_largest = I_P.z > I_P.x;
  const Real third = c_largest ? elliptic.integral_third(p, h, h1) : elliptic.integral_sn2(p, h, h1);
  return even_rate * t + third_rate / lambda * third;  // (7), (8)
}

// R_HP, counting ψ from psi_start.
RealQuat TorqueFree::Solution::R_HP(Real t, const Elliptic::Phase& p, Real psi_start) const {
  const RealVec w = w_P(p), L_P{I_P.x * w.x, I_P.y * w.y, I_P.z * w.z};
  const Real theta = std::atan2(std::hypot(L_P.x, L_P.y), L_P.z), phi = std::atan2(L_P.y, -L_P.x);
  return about_z(psi(t, p) - psi_start) * about_y(theta) * about_z(phi);
}

namespace {

void check(const Vec3<double>& moments, const Quaternion<double>& q, const Vec3<double>& w) {
  if (!(std::min({moments.x, moments.y, moments.z}) > 0) || !std::isfinite(norm(moments)))
    throw Error(ErrorKind::bad_input, "torque-free body: its principal moments are to be positive and finite, not " +
                                          std::to_string(moments.x) + ", " + std::to_string(moments.y) + ", " +
                                          std::to_string(moments.z));
  if (!(norm_squared(q) > 0) || !std::isfinite(norm_squared(q)) || !std::isfinite(w.x + w.y + w.z))
    throw Error(ErrorKind::bad_input,
                "torque-free body: its attitude and angular velocity at the start are not numbers");
}

}  // namespace

TorqueFree::TorqueFree(const Vec3<double>& principal_moments, const Quaternion<double>& R_WB0,
                       const Vec3<double>& w_B0) {
  check(principal_moments, R_WB0, w_B0);
  solution_ = std::make_shared<const Solution>(widened(principal_moments), widened(R_WB0), widened(w_B0), RealQuat{});
}

TorqueFree::TorqueFree(const Sym3<double>& J_B, const Quaternion<double>& R_WB0, const Vec3<double>& w_B0) {
  const PrincipalAxes p = principal_axes(J_B);
  check(p.moments, R_WB0, w_B0);
  const RealQuat R_BQ = widened(quaternion_of(p.R_BP));
  solution_ = std::make_shared<const Solution>(widened(p.moments), widened(R_WB0) * R_BQ,
                                               turned(conjugate(R_BQ), widened(w_B0)), R_BQ);
}

Vec3<double> TorqueFree::angular_velocity(double t) const {
  const Solution& s = *solution_;
  if (s.steady) return narrowed(turned(s.R_BQ, s.w0));
  return narrowed(turned(s.R_BQ, s.axes.to_B(s.w_P(s.elliptic.at(s.u0 + s.lambda * t)))));
}

Quaternion<double> TorqueFree::attitude(double t) const {
  const Solution& s = *solution_;
  if (s.steady) {
    const Real speed = norm(s.w0);
    if (speed == 0) return narrowed(s.R_WQ0 * conjugate(s.R_BQ));
    return narrowed(s.R_WQ0 * quaternion_about((1 / speed) * s.w0, speed * t) * conjugate(s.R_BQ));
  }
  const Elliptic::Phase p = s.elliptic.at(s.u0 + s.lambda * t);
  return narrowed(s.R_WH * s.R_HP(t, p, s.psi0) * s.R_PQ * conjugate(s.R_BQ));
}

Vec3<double> TorqueFree::angular_momentum() const {
  const Solution& s = *solution_;
  return narrowed(turned(s.R_WQ0, RealVec{s.I.x * s.w0.x, s.I.y * s.w0.y, s.I.z * s.w0.z}));
}

double TorqueFree::kinetic_energy() const {
  const Solution& s = *solution_;
  return double((s.I.x * s.w0.x * s.w0.x + s.I.y * s.w0.y * s.w0.y + s.I.z * s.w0.z * s.w0.z) / 2);
}

double TorqueFree::period() const {
  const Solution& s = *solution_;
  return s.steady ? 0 : double(4 * s.elliptic.K() / s.lambda);
}

double TorqueFree::precession_per_period() const {
  const Solution& s = *solution_;
  const Real period = 4 * s.elliptic.K() / s.lambda;
  if (s.steady || std::isinf(period)) return std::numeric_limits<double>::quiet_NaN();
  return double(s.psi(period, s.elliptic.at(s.u0 + s.lambda * period)) - s.psi0);
}

}  // namespace marey
