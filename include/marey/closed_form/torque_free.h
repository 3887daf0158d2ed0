// A rigid body that nothing turns: its angular velocity and its attitude at any time, in closed form (H2).
#pragma once

#include <memory>

#include "marey/spatial.h"

namespace marey {

// The motion of a body about its centre of mass, or about a fixed point without moments. Any moments of inertia,
// distinct or not, in any order, any start: both sides of the separatrix, the separatrix itself, symmetric bodies, the
// sphere, steady spin, rest. Errors stay near round-off of the inputs for thousands of turns; a general inertia goes
// through principal axes found in double precision, which costs about 1e-14 rad per turn. Throws Error where a moment
// is not positive, or anything is not finite.
//
// A body on the separatrix swings once from one sense of its middle axis to the other and takes forever. A start counts
// as lying there only if it does so to the last bits of extended precision: the next double beside it turns over
// periodically, and so does this solution. The flips come after a time that grows with the logarithm of the distance.
class TorqueFree {
 public:
  // Principal moments along the axes of B, kg m²; attitude and angular velocity w_WB_B at t = 0.
  TorqueFree(const Vec3<double>& principal_moments, const Quaternion<double>& R_WB0, const Vec3<double>& w_B0);
  // Inertia matrix in any axes B.
  TorqueFree(const Sym3<double>& J_B, const Quaternion<double>& R_WB0, const Vec3<double>& w_B0);

  Vec3<double> angular_velocity(double t) const;  // w_WB_B
  Quaternion<double> attitude(double t) const;    // R_WB, with w ≥ 0
  Vec3<double> angular_momentum() const;          // in W, constant
  double kinetic_energy() const;

  // The time after which w_WB_B repeats: infinite on the separatrix, 0 where w_WB_B is constant.
  double period() const;
  // The angle by which the body is turned about its angular momentum after one period; nan where period() is 0 or
  // infinite. The attitude repeats only if this is a fraction of a turn.
  double precession_per_period() const;

 private:
  struct Solution;
  std::shared_ptr<const Solution> solution_;
};

// ---- Euler's equations in principal axes, R (3.19): I₁ ω̇₁ = (I₂ − I₃) ω₂ ω₃ + n₁ and so on round.
inline Vec3<double> euler_acceleration(const Vec3<double>& moments, const Vec3<double>& w_B,
                                       const Vec3<double>& torque_B = {}) {
  const auto& [A, B, C] = moments;
  return {((B - C) * w_B.y * w_B.z + torque_B.x) / A, ((C - A) * w_B.z * w_B.x + torque_B.y) / B,
          ((A - B) * w_B.x * w_B.y + torque_B.z) / C};
}
// The inverse problem: the torque that makes a body turn so.
inline Vec3<double> euler_torque(const Vec3<double>& moments, const Vec3<double>& w_B, const Vec3<double>& wdot_B) {
  const auto& [A, B, C] = moments;
  return {A * wdot_B.x - (B - C) * w_B.y * w_B.z, B * wdot_B.y - (C - A) * w_B.z * w_B.x,
          C * wdot_B.z - (A - B) * w_B.x * w_B.y};
}

}  // namespace marey
