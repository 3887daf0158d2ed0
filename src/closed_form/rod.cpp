// The falling rod: free flight and impact maps of Ruder et al. 1991, 3.3.
//
// Errors in the print, corrected here: "ω_z is zero" is ω_ζ; (3.28) has δ(t − t_impact); (3.30) has two roots, and
// needs (3.29a,b) besides (3.29c); the second lines of (3.31a,b) are Δẋ_e, Δż_e.
//
// Symbols: u the axis, n = w/|w|, ω = |w|, l length, m mass, Θ = m l²/12, r_e = ∓(l/2) u the end seen from the centre.
//
// Flight (3.22)–(3.24): w is constant (no moment, and ω_ζ = 0), so u turns in the plane across w:
//   u(t) = cos ω(t − t_min) u₀ + sin ω(t − t_min) n × u₀                                                           (1)
// with u₀ the direction in that plane which is nearest to the vertical, at β_min: sin β_min = |n_z|. n × u₀ is
// horizontal. In axes with u₀ in the x-z plane, u = (cos ωt sin β_min, ± sin ωt, cos ωt cos β_min), which is (3.24);
// the sign is that of n_z.
//
// Impact: an impulse J at the end changes v_c by J/m and w by r_e × J/Θ, hence the velocity of the end by K J,
//   K = 1/m + (l²/4)(1 − u uᵀ)/Θ = (4 − 3 u uᵀ)/m       K⁻¹ = m (1 + 3 u uᵀ)/4                                      (2)
// since l²/4Θ = 3/m: a rod hit at its end weighs a quarter across itself, and all of its mass along itself. In the
// plane (2) is (3.27) with (3.29). The energy changes by
//   J·(v_e⁺ + v_e⁻)/2                                                                                               (3)
// With ż_e⁺ = −ż_e⁻ it is kept if the horizontal part of J vanishes, or if it is across the mean of the horizontal
// velocities; in the plane, if that mean vanishes:
//   smooth     J_z = −2 ż_e/K_zz      K_zz = (4 − 3 u_z²)/m                                                         (4)
//   reversing  J = −2 K⁻¹ v_e                                                                                       (5)
//   inelastic  J = −K⁻¹ v_e                                                                                         (6)
// In (5) and (6) J_z has a part −m ¾ u_z (u·v_h) that a fast sliding end can make negative: the floor would have to
// pull. The print does not ask; the result is what the equations say, and its impulse shows it.
#include "marey/closed_form/rod.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace marey {
namespace {

using V = Vec3<double>;
constexpr double pi = std::numbers::pi;

V unit(const V& a) { return (1 / norm(a)) * a; }
double azimuth(const V& a) { return std::atan2(a.y, a.x); }
double wrapped(double angle) {
  const double r = std::remainder(angle, 2 * pi);
  return r <= -pi ? pi : r;
}

}  // namespace

V without_axial(const V& w, const V& axis) { return w - dot(w, axis) * axis; }

RodState rod_flight(const RodState& s, double g, double t) {  // (3.23), (1)
  RodState now = s;
  now.r_c = s.r_c + t * (s.v_c + V{0, 0, -g * t / 2});
  now.v_c = s.v_c + V{0, 0, -g * t};
  const double omega = norm(s.w);
  if (omega > 0) now.axis = std::cos(omega * t) * s.axis + (std::sin(omega * t) / omega) * cross(s.w, s.axis);
  return now;
}

double rod_energy(const Rod& rod, const RodState& s, double g) {
  return rod.mass * (norm_squared(s.v_c) / 2 + g * s.r_c.z) + rod.inertia() * norm_squared(s.w) / 2;
}

RodAngles rod_angles(double omega_t, double beta_min) {  // (3.24), by atan2
  const double c = std::cos(omega_t), s = std::sin(omega_t), x = c * std::sin(beta_min);
  return {std::atan2(s, x), std::atan2(std::hypot(x, s), c * std::cos(beta_min))};
}

RodAngles RodSpin::at(double t) const {
  // α of (3.24) is never farther than a quarter of a turn from ω t.
  const double omega_t = omega * (t - t_min);
  const RodAngles a = rod_angles(omega_t, beta_min);
  return {alpha_min + sense * (omega_t + wrapped(a.alpha - omega_t)), a.beta};
}

RodSpin rod_spin(const RodState& s) {
  RodSpin spin;
  spin.omega = norm(s.w);
  if (spin.omega == 0) {
    spin.beta_min = std::atan2(std::hypot(s.axis.x, s.axis.y), s.axis.z);
    spin.alpha_min = azimuth(s.axis);
    return spin;
  }
  const V n = unit(s.w);
  const double level = std::hypot(n.x, n.y);
  spin.sense = n.z < 0 ? -1 : 1;
  spin.beta_min = std::atan2(std::abs(n.z), level);
  // u₀: the vertical without its part along n.
  const V u0 = level > 0 ? unit(V{-n.x * n.z, -n.y * n.z, level * level}) : s.axis, u1 = cross(n, u0);
  spin.t_min = -std::atan2(dot(s.axis, u1), dot(s.axis, u0)) / spin.omega;
  spin.alpha_min = wrapped(azimuth(u1) - spin.sense * pi / 2);  // from u₁: it is horizontal even where u₀ is vertical
  const double at_start = spin.at(0).alpha;
  spin.alpha_min += wrapped(at_start) - at_start;
  return spin;
}

namespace {

V to_end(const Rod& rod, const RodState& s, RodEnd end) {
  return (end == RodEnd::upper ? 0.5 : -0.5) * rod.length * s.axis;
}

V impact_impulse(const Rod& rod, const V& u, const V& v_e, RodImpact kind) {
  const auto inverse_K = [&](const V& v) { return (rod.mass / 4) * (v + 3 * dot(u, v) * u); };  // (2)
  switch (kind) {
    case RodImpact::elastic_smooth:
      return {0, 0, -2 * v_e.z * rod.mass / (4 - 3 * u.z * u.z)};  // (4)
    case RodImpact::elastic_reversing:
      return -2.0 * inverse_K(v_e);  // (5)
    case RodImpact::inelastic:
      return -inverse_K(v_e);  // (6)
  }
  return {};
}

}  // namespace

V rod_end_position(const Rod& rod, const RodState& s, RodEnd end) { return s.r_c + to_end(rod, s, end); }

V rod_end_velocity(const Rod& rod, const RodState& s, RodEnd end) {  // (3.27)
  return s.v_c + cross(s.w, to_end(rod, s, end));
}

RodImpactResult rod_impact(const Rod& rod, const RodState& s, RodEnd end, RodImpact kind) {
  RodImpactResult result{s, {}, 0};
  const V before = rod_end_velocity(rod, s, end);
  if (before.z >= 0) return result;
  const V J = impact_impulse(rod, s.axis, before, kind);
  result.impulse = J;
  result.after.v_c += (1 / rod.mass) * J;                                    // (3.29a,b)
  result.after.w += (1 / rod.inertia()) * cross(to_end(rod, s, end), J);     // (3.29c)
  const V mean = 0.5 * (before + rod_end_velocity(rod, result.after, end));  // (3)
  result.energy_lost = kind == RodImpact::inelastic ? -dot(J, mean) : 0;
  return result;
}

RodState rod_in_space(const PlaneRod& p) {
  return {{p.x, 0, p.z}, {p.xdot, 0, p.zdot}, {std::cos(p.phi), 0, std::sin(p.phi)}, {0, -p.phidot, 0}};
}

PlaneRod plane_rod(const RodState& s) {
  return {s.r_c.x, s.r_c.z, std::atan2(s.axis.z, s.axis.x), s.v_c.x, s.v_c.z, -s.w.y};
}

}  // namespace marey
