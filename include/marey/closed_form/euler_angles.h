// Euler angles, both ways: rotations and angles, angular velocities and rates of the angles.
//
// Marey computes with quaternions; these are for input, output and comparison with print. Two orders:
//   z-y′-z″  R_WB = Rz(α) Ry(β) Rz(γ)   Ruder et al. 1991, fig. 2.5: β is the tilt of the body's z axis
//   x-y′-z″  R_WB = Rx(α) Ry(β) Rz(γ)   Wilhelms 1987: turns about the new axes, z along the segment
//
// The singular pose: where the first and the third axis fall together (z-y′-z″: β = 0 or π; x-y′-z″: β = ±π/2), only
// one combination of α and γ is defined. There, within euler_singular of it, γ = 0 is chosen and α takes the whole
// turn; the rates do not exist, and nothing is returned for them. Near it the rates grow like 1/sin β (1/cos β).
#pragma once

#include <optional>

#include "marey/spatial.h"

namespace marey {

// The sine of the angle between first and third axis at or below which they count as one.
inline constexpr double euler_singular = 1e-15;

struct EulerZyz {
  double alpha = 0, beta = 0, gamma = 0;
};
struct EulerXyz {
  double alpha = 0, beta = 0, gamma = 0;
};

Mat3<double> rotation(const EulerZyz&);  // R_WB
Mat3<double> rotation(const EulerXyz&);
Quaternion<double> quaternion_of(const EulerZyz&);  // of R_WB, w ≥ 0
Quaternion<double> quaternion_of(const EulerXyz&);

// α and γ in (−π, π]; β in [0, π] for z-y′-z″, in [−π/2, π/2] for x-y′-z″.
EulerZyz euler_zyz(const Mat3<double>& R_WB);
EulerXyz euler_xyz(const Mat3<double>& R_WB);

// The angles that describe R_WB and go on from `before` without a jump: (α, β, γ), (α + π, −β, γ + π), and whole turns more
// or less, are one rotation. α changes by a quarter turn at most, so that an axis which goes straight through the vertical
// has β change its sign there; then α + γ (upside down, γ − α) by half a turn at most. Within euler_pole of the singular
// pose α says nothing: it stays as it was, and γ takes the whole turn.
EulerZyz next_zyz(const EulerZyz& before, const Mat3<double>& R_WB);
inline constexpr double euler_pole = 1e-10;

// Angular velocity from the rates (α̇, β̇, γ̇): in the axes of the body, R (2.13), and of the world, R (2.12).
Vec3<double> angular_velocity_body(const EulerZyz&, const Vec3<double>& rates);   // w_WB_B
Vec3<double> angular_velocity_world(const EulerZyz&, const Vec3<double>& rates);  // w_WB_W
Vec3<double> angular_velocity_body(const EulerXyz&, const Vec3<double>& rates);
Vec3<double> angular_velocity_world(const EulerXyz&, const Vec3<double>& rates);

// The rates (α̇, β̇, γ̇) from an angular velocity, R (3.20); none in the singular pose.
std::optional<Vec3<double>> euler_rates_from_body(const EulerZyz&, const Vec3<double>& w_WB_B);
std::optional<Vec3<double>> euler_rates_from_world(const EulerZyz&, const Vec3<double>& w_WB_W);
std::optional<Vec3<double>> euler_rates_from_body(const EulerXyz&, const Vec3<double>& w_WB_B);
std::optional<Vec3<double>> euler_rates_from_world(const EulerXyz&, const Vec3<double>& w_WB_W);

}  // namespace marey
