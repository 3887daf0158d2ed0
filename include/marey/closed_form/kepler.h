// Kepler's orbits: ellipse, parabola, hyperbola; elements, state at any time, period (R1).
#pragma once

#include "marey/closed_form/point_mass.h"
#include "marey/spatial.h"

namespace marey {

// ---- Kepler's equation, solved to round-off
double eccentric_anomaly(double mean, double e);   // E − e sin E = mean, 0 ≤ e < 1; whole turns are kept
double hyperbolic_anomaly(double mean, double e);  // e sinh H − H = mean, e > 1
double parabolic_anomaly(double mean);             // D + D³/3 = mean, D = tan(ν/2): Barker's equation, in closed form

// An orbit about a mass at the origin. The angles are those of R_WO = Rz(node) Rx(inclination) Rz(periapsis), where O
// has its x axis towards the periapsis and its z axis along r × v.
struct KeplerElements {
  double semi_latus_rectum = 0;  // p = h²/μ, m; it serves all three curves
  double eccentricity = 0;       // < 1 ellipse, 1 parabola, > 1 hyperbola
  double inclination = 0;        // in [0, π]
  double node = 0;               // of the ascending node; 0 where the orbit lies in the x-y plane
  double periapsis = 0;          // argument, from the node
  double time_of_periapsis = 0;  // an instant of passage, s
};

// All curves through one formula, without a gap where the ellipse becomes a parabola. An orbit straight through the
// centre has no such elements and is refused with an Error.
class KeplerOrbit {
 public:
  KeplerOrbit(double mu, const KeplerElements&);  // mu = G (m + M), m³/s²
  static KeplerOrbit from_state(double mu, const Vec3<double>& r, const Vec3<double>& v, double t = 0);

  PathPoint at(double t) const;
  KeplerElements elements() const;

  double mu() const { return double(mu_); }
  double period() const;           // infinite for parabola and hyperbola
  double semi_major_axis() const;  // infinite for a parabola, negative for a hyperbola
  double periapsis_distance() const { return double(q_); }
  double apoapsis_distance() const;       // infinite for parabola and hyperbola
  double energy() const;                  // ½ v² − μ/r, per mass
  Vec3<double> angular_momentum() const;  // r × v, per mass; the area swept in a second is half its length

 private:
  KeplerOrbit() = default;
  long double mu_ = 1, q_ = 1, e_ = 0, alpha_ = 1, t_periapsis_ = 0;  // alpha = 1/a, of either sign
  Mat3<long double> R_WO_ = Mat3<long double>::identity();
};

}  // namespace marey
