// The falling rod of Ruder et al. 1991, 3.3: thin, uniform, free in space; its flight and its impacts (R7).
//
// The plane rod of (3.25)–(3.31), in x and z with φ = 90° − β, is the rod in space with α = 0; see
// PlaneRod.
#pragma once

#include "marey/spatial.h"

namespace marey {

struct Rod {
  double mass = 1, length = 1;
  // A of (3.21), about the centre across the axis: m l²/12. About its axis a thin rod has none.
  double inertia() const { return mass * length * length / 12; }
};

// The state of a rod in space, all in W.
struct RodState {
  Vec3<double> r_c, v_c;  // centre
  Vec3<double> axis;      // unit, along the rod: the body's ζ
  Vec3<double> w;         // angular velocity, across the axis
};
// What is left of an angular velocity that a rod can have: without the part along its axis (R's ω_z is zero, read ω_ζ).
Vec3<double> without_axial(const Vec3<double>& w, const Vec3<double>& axis);

// ---- free flight, (3.23): the centre on its parabola, the axis turning evenly in a plane. Gravity g along −z.
RodState rod_flight(const RodState&, double g, double t);
double rod_energy(const Rod&, const RodState&, double g);  // kinetic, and m g z

// (3.24): the angles of the axis. cos β = cos(ω t) cos β_min, tan α = tan(ω t)/sin β_min, t = 0 where β is smallest.
struct RodAngles {
  double alpha, beta;
};
RodAngles rod_angles(double omega_t, double beta_min);
// How a rod turns: (3.24) with the instant, the azimuth and the sense that the print leaves out.
//   β(t) = β of rod_angles(ω (t − t_min), β_min),  α(t) = α_min + sense · α of it, continuous, |α(0)| ≤ π
// Where the plane of turning is vertical, β_min is 0 and α jumps by half a turn as the axis goes through the vertical;
// where it is horizontal, β_min = π/2 and t_min = 0. A rod that does not turn has ω = 0, β_min its tilt and α_min its
// azimuth.
struct RodSpin {
  double omega = 0, beta_min = 0, t_min = 0, alpha_min = 0, sense = 1;
  RodAngles at(double t) const;
};
RodSpin rod_spin(const RodState&);

// ---- impact of an end on a floor, (3.29)–(3.31)
// Two equations are printed for the elastic case, ż_e⁺ = −ż_e⁻ and the conservation of energy; they leave two answers:
enum class RodImpact {
  elastic_smooth,     // no force along the floor: c_x = 0
  elastic_reversing,  // the velocity of the end along the floor is reversed, too: ẋ_e⁺ = −ẋ_e⁻
  inelastic,          // the end stops: (3.31)
};
enum class RodEnd { lower, upper };  // the one at r_c − (l/2) axis, or at r_c + (l/2) axis

Vec3<double> rod_end_position(const Rod&, const RodState&, RodEnd);
Vec3<double> rod_end_velocity(const Rod&, const RodState&, RodEnd);
struct RodImpactResult {
  RodState after;
  Vec3<double> impulse;    // on the rod's end: (c_x, c_y, c_z), N s
  double energy_lost = 0;  // J
};
// The end hits a horizontal floor. Nothing happens, and the impulse is zero, where the end moves away from the floor.
RodImpactResult rod_impact(const Rod&, const RodState&, RodEnd, RodImpact);

// ---- in the plane: (3.25)–(3.27)
struct PlaneRod {
  double x = 0, z = 0, phi = 0;           // centre, and angle of the rod above the horizontal: φ = 90° − β
  double xdot = 0, zdot = 0, phidot = 0;  // φ̇ = −ω_y
};
RodState rod_in_space(const PlaneRod&);
// The part of the motion in the x-z plane; the axis is to lie in it.
PlaneRod plane_rod(const RodState&);

}  // namespace marey
