// Ground that gives way: R (3.32), with the force never less than zero.
#include <cmath>

#include "marey/contact.h"

namespace marey {

GroundForce ground_force(const CompliantGround& g, double depth, double depth_rate) {
  GroundForce f;
  if (depth < 0) return f;
  const double spring = g.stiffness * std::pow(depth, g.exponent);
  f.unclamped = spring + g.damping * depth_rate;
  f.force = f.unclamped > 0 ? f.unclamped : 0;
  f.potential = spring * depth / (g.exponent + 1);
  f.dissipation = (spring - f.force) * depth_rate;
  return f;
}

double ground_force_rate(const CompliantGround& g, double depth, double depth_rate, double depth_acceleration) {
  if (depth < 0) return 0;
  return g.stiffness * g.exponent * std::pow(depth, g.exponent - 1) * depth_rate + g.damping * depth_acceleration;
}

}  // namespace marey
