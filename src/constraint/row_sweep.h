// A row between links in terms of the velocities of the joints.
//
// V_WB is the sum over the joints between B and the world of what they give, so that F · V_WB has the entry S · F for
// each of them, F taken about the joint's own link's origin: one sweep inward, from the outermost link on. Where the ways of
// two parts meet they go on as one; action and reaction are nothing together, and the row has no entry further in.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/constraint.h"

namespace marey {

// What is carried inward.
struct CarriedWrench {
  int link = 0;
  Wrench<double> F;
  double moment = 0, force = 0;  // what |n| and |f| would be had nothing in them cancelled
};

// Joins two that are on one link; both of nothing, if they cancel.
inline CarriedWrench joined(const CarriedWrench& a, const CarriedWrench& b) {
  constexpr double rounding = 1e-10;  // of levers that are differences of places far away
  const CarriedWrench sum{a.link, a.F + b.F, a.moment + b.moment, a.force + b.force};
  const bool nothing = norm(sum.F.n) <= rounding * sum.moment && norm(sum.F.f) <= rounding * sum.force;
  return nothing ? CarriedWrench{} : sum;
}

// Adds to J of the row, [nv], which is 0 before, and finds its `whole` and `reach`. `lever(i)`: from the origin of the
// parent of link i to that of i; `axis(i, k)`: what a unit of its k-th velocity gives link i against its parent; both in W.
template <class Lever, class Axis>
void sweep_row(const Model& model, const ConstraintRow& row, const Lever& lever, const Axis& axis, std::span<double> J,
               Row& out) {
  std::array<CarriedWrench, std::tuple_size_v<decltype(ConstraintRow::parts)>> parts;
  for (std::size_t p = 0; p < static_cast<std::size_t>(row.part_count); ++p) {
    const LinkWrench& part = row.parts[p];
    parts[p] = {part.link, part.F_Bo_W, std::max(part.moment, norm(part.F_Bo_W.n)), norm(part.F_Bo_W.f)};
  }
  // Levers are differences of places as far from the root as these.
  double reach = 0;
  for (const CarriedWrench& c : parts) {
    reach += c.moment;
    for (int i = c.link; i != 0; i = model.links[i].parent) reach += norm(lever(i)) * c.force;
  }
  double whole = 0, most = 0;  // squared
  for (;;) {
    std::size_t outermost = 0;
    for (std::size_t p = 1; p < parts.size(); ++p)
      if (parts[p].link > parts[outermost].link) outermost = p;
    const int i = parts[outermost].link;
    if (i == 0) break;
    for (std::size_t p = outermost + 1; p < parts.size(); ++p)
      if (parts[p].link == i) parts[outermost] = joined(parts[outermost], parts[p]), parts[p].link = 0;
    CarriedWrench& c = parts[outermost];
    if (c.link == 0) continue;
    const LinkTopology& link = model.links[i];
    for (int k = 0; k < freedom_count(link); ++k) {
      const Twist<double> S = axis(i, k);
      J[static_cast<std::size_t>(link.v + k)] += power(c.F, S);
      whole += c.moment * c.moment * norm_squared(S.w) + c.force * c.force * norm_squared(S.v);
      most += reach * reach * norm_squared(S.w) + c.force * c.force * norm_squared(S.v);
    }
    const Vec3<double> r = lever(i);
    c.F = shifted(c.F, r);
    c.moment += norm(r) * c.force;
    c.link = link.parent;
  }
  out.whole = std::sqrt(whole);
  out.reach = std::sqrt(most);
}

}  // namespace marey
