// A row between links in terms of the velocities of the joints.
//
// V_WB is the sum over the joints between B and the world of what they give, so that F · V_WB has the entry S · F for
// each of them, F taken about the joint's own link's origin: one sweep inward from each part.
#pragma once

#include <algorithm>
#include <cmath>

#include "marey/constraint.h"

namespace marey {

// Adds to J, [nv]. `lever(i)`: from the origin of the parent of link i to that of i; `axis(i, k)`: what a unit of its k-th
// velocity gives link i against its parent; both in W. Returns what |J| would be had nothing cancelled, from J = 0.
template <class Lever, class Axis>
double sweep_row(const Model& model, const ConstraintRow& row, const Lever& lever, const Axis& axis,
                 std::span<double> J) {
  double whole = 0;  // squared
  for (int p = 0; p < row.part_count; ++p) {
    const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
    Wrench<double> F = part.F_Bo_W;
    double moment = std::max(part.moment, norm(F.n));
    const double force = norm(F.f);
    for (int i = part.link; i != 0; i = model.links[i].parent) {
      const LinkTopology& link = model.links[i];
      for (int k = 0; k < freedom_count(link); ++k) {
        const Twist<double> S = axis(i, k);
        J[static_cast<std::size_t>(link.v + k)] += power(F, S);
        whole += moment * moment * norm_squared(S.w) + force * force * norm_squared(S.v);
      }
      const Vec3<double> r = lever(i);
      F = shifted(F, r);
      moment += norm(r) * force;
    }
  }
  return std::sqrt(whole);
}

}  // namespace marey
