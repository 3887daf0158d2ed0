// Point masses whose motion can be written down: throw, circle, bouncing ball; and what velocity and acceleration say
// about a path. Kepler's orbits are in kepler.h.
#pragma once

#include <optional>

#include "marey/spatial.h"

namespace marey {

struct PathPoint {
  Vec3<double> r, v, a;  // position, velocity, acceleration
};

// ---- direct: R (2.7), (2.9)
// Constant acceleration g.
PathPoint throw_motion(const Vec3<double>& r0, const Vec3<double>& v0, const Vec3<double>& g, double t);
// Circle about the origin in the x-y plane, at angle `phase` from x at t = 0. The print's ω = φ̇/t is φ̇.
PathPoint circular_motion(double radius, double omega, double t, double phase = 0);
// Height over the distance x for a throw at the angle α above the horizontal, from the origin: R (2.8).
double throw_height(double x, double speed, double alpha, double g);
// Where it comes down on the level of its start, how high it gets, and when it is down again.
double throw_range(double speed, double alpha, double g);
double throw_apex(double speed, double alpha, double g);
double throw_duration(double speed, double alpha, double g);

// ---- inverse
// The two angles at which a throw of this speed hits the point (x, z), x > 0; none where that is out of reach.
struct ThrowAngles {
  double flat, steep;
};
std::optional<ThrowAngles> throw_angles(double x, double z, double speed, double g);
// The velocity that leads from r0 to r1 in the time t > 0 under the constant acceleration g.
Vec3<double> throw_velocity(const Vec3<double>& r0, const Vec3<double>& r1, const Vec3<double>& g, double t);
// The angular velocity of r about the origin: r × v / r². R (2.9).
Vec3<double> angular_velocity_about_origin(const Vec3<double>& r, const Vec3<double>& v);

// ---- along any path, R (2.3), (2.6)
struct PathFrame {
  Vec3<double> tangent;            // e_t, unit
  Vec3<double> normal;             // e_n, unit, to the inner side of the curve; zero where the path is straight
  double tangential = 0;           // v̇, along e_t
  double normal_acceleration = 0;  // v²/ρ ≥ 0, along e_n
  double radius = 0;               // ρ, of curvature; infinite where the path is straight
};
// From velocity and acceleration. At rest there is no tangent, and the path starts along the acceleration: then e_t is
// along a, all of a is tangential, and the curvature, which v and a do not tell, is given as none. With a = 0, too, e_t
// is zero.
PathFrame path_frame(const Vec3<double>& v, const Vec3<double>& a);

// ---- a ball that bounces on a floor at height 0 and keeps the part e of its speed, 0 ≤ e ≤ 1
// It starts at height ≥ 0 with the vertical velocity v0. With e < 1 infinitely many bounces end at rest in finite time.
class BouncingBall {
 public:
  BouncingBall(double height, double v0, double g, double restitution);

  double bounce(int n) const;         // the instant of bounce n = 0, 1, 2, …
  double impact_speed(int n) const;   // its speed just before bounce n
  double rest() const;                // the instant at which the bounces pile up; infinite for e = 1
  int bounces_until(double t) const;  // number of bounces at instants ≤ t; the largest int after rest()
  double height(double t) const;
  double velocity(double t) const;  // just after the bounce where t is the instant of one
  // The energy per mass, ½ v² + g z, lost in the first n bounces.
  double energy_lost(int n) const;

 private:
  double start_height_, start_velocity_, g_, e_, speed_, first_;
};

}  // namespace marey
