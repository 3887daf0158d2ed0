// A state of a figure with any joints, at random.
#pragma once

#include <cmath>
#include <random>

#include "marey/model.h"

namespace marey {

// Coordinates off the neutral ones by 0.4 (rad, m), velocities of 1 (rad/s, m/s), both in the mean square.
inline State random_state(const Model& model, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  State s = neutral_state(model);
  for (double& x : s.q) x += 0.4 * normal(random);
  for (double& x : s.v) x = normal(random);
  for (const LinkTopology& link : model.links) {
    if (!has_attitude(link.joint)) continue;
    double* x = s.q.data() + link.q;
    const double length = std::hypot(std::hypot(x[0], x[1]), std::hypot(x[2], x[3]));
    for (int k = 0; k < 4; ++k) x[k] /= length;
  }
  return s;
}

}  // namespace marey
