// A torque along a named angle, in the joint's own degrees of freedom.
#pragma once

#include <algorithm>
#include <array>

#include "marey/force.h"

namespace marey {

// θ̇ = g · v.
template <class T>
T rate_along(const AngleAndGradient<T>& a, const Instant<T>& at, int link) {
  const LinkTopology& joint = at.model.links[static_cast<std::size_t>(link)];
  T rate(0);
  for (int k = 0; k < std::min(has_attitude(joint.joint) ? 3 : 1, freedom_count(joint)); ++k)
    rate += a.gradient[k] * at.v[static_cast<std::size_t>(joint.v + a.first + k)];
  return rate;
}

template <class T>
void torque_along(const Vec3<T>& gradient, int first, const T& torque, const Instant<T>& at, int link,
                  ForceSum<T>& sum) {
  const int n = freedom_count(at.model.links[static_cast<std::size_t>(link)]);
  std::array<T, most_freedoms> tau;
  tau.fill(T(0));
  for (int k = 0; k < 3 && first + k < n; ++k) tau[static_cast<std::size_t>(first + k)] = torque * gradient[k];
  sum.joint(at, link, std::span<const T>(tau).first(static_cast<std::size_t>(n)));
}

}  // namespace marey
