// Symmetric tops: free of forces, and heavy with a fixed point (Lagrange's top), in closed form.
#pragma once

#include <memory>
#include <optional>

#include "marey/closed_form/euler_angles.h"
#include "marey/spatial.h"

namespace marey {

// A symmetric body that turns about a fixed point Bo, with its axis of symmetry along z of B.
struct SymmetricTop {
  double across = 0;         // A: moment of inertia about any axis through Bo across the axis of symmetry, kg m²
  double along = 0;          // C: about the axis of symmetry
  double weight_moment = 0;  // m g l ≥ 0: weight times distance of the centre of mass from Bo along +z of B, N m
};

// ---- without forces: precession about the angular momentum, R (2.13) with constant β
struct FreePrecession {
  double nutation;    // β: angle between axis of symmetry and angular momentum
  double precession;  // α̇ = L/A
  double spin;        // γ̇ = (1 − C/A) ω_ζ
};
FreePrecession free_precession(const SymmetricTop&, const Vec3<double>& w_WB_B);

// ---- heavy: steady motions
// The rates α̇ at which a top whose axis is tilted by β precesses without nutation, when it turns with w_z about its
// axis (ω_ζ, the component of the whole angular velocity). None where it spins too slowly to be held.
struct SteadyPrecession {
  double slow, fast;  // |slow| ≤ |fast|; fast is infinite for a horizontal axis
};
std::optional<SteadyPrecession> steady_precession(const SymmetricTop&, double beta, double w_z);
// The spin from which on an upright top stays upright after a small push: 2 √(A m g l)/C. At it or above it, it sleeps.
double sleeping_spin(const SymmetricTop&);

// ---- heavy: the whole motion
// Z is up and gravity turns the top through m g l. Any start but one: errors grow without bound only where the motion
// itself does, near the separatrix. Throws Error where the moments are not positive, the weight moment is negative, or
// anything is not finite.
class HeavyTop {
 public:
  HeavyTop(const SymmetricTop&, const Quaternion<double>& R_WB0, const Vec3<double>& w_B0);

  Quaternion<double> attitude(double t) const;    // R_WB, with w ≥ 0
  Vec3<double> angular_velocity(double t) const;  // w_WB_B
  // z-y′-z″: precession α, nutation β, spin γ, all going on smoothly and counting their turns. A top whose axis goes
  // exactly through the vertical has β change its sign there instead of α and γ jumping by half a turn.
  EulerZyz angles(double t) const;

  double smallest_nutation() const;  // the angle β to the vertical moves between these
  double largest_nutation() const;
  double nutation_period() const;          // of β; infinite on the separatrix, 0 for a sleeping (or hanging) top
  double precession_per_nutation() const;  // change of α in one such period; nan where that is 0 or infinite

 private:
  struct Solution;
  std::shared_ptr<const Solution> solution_;
};

}  // namespace marey
