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

// What a sweep has to know of links, found when it is asked for. `lever_of(i)`: from the origin of the parent of link i to
// that of i; `axis_of(i, k)`: what a unit of its k-th velocity gives link i against its parent; both in W.
template <class Lever, class Axis>
struct WaysOf {
  const Model& model;
  Lever lever_of;
  Axis axis_of;
  Vec3<double> lever(int i) const { return lever_of(i); }
  Twist<double> axis(int i, int k) const { return axis_of(i, k); }
  double length(int i) const { return norm(lever_of(i)); }
  double to_world(int i) const {
    double sum = 0;
    for (; i != 0; i = model.links[i].parent) sum += length(i);
    return sum;
  }
  double turns(int i) const {
    double sum = 0;
    for (int k = 0; k < freedom_count(model.links[i]); ++k) sum += norm_squared(axis_of(i, k).w);
    return sum;
  }
  double shifts(int i) const {
    double sum = 0;
    for (int k = 0; k < freedom_count(model.links[i]); ++k) sum += norm_squared(axis_of(i, k).v);
    return sum;
  }
};
template <class Lever, class Axis>
WaysOf(const Model&, Lever, Axis) -> WaysOf<Lever, Axis>;

// The same, as motion_axes() has found it.
struct KnownWays {
  const Model& model;
  const MotionAxes& axes;
  const MotionAxes::Way& way(int i) const { return axes.ways[static_cast<std::size_t>(i)]; }
  const Vec3<double>& lever(int i) const { return way(i).r; }
  const Twist<double>& axis(int i, int k) const { return axes.S_W[static_cast<std::size_t>(model.links[i].v + k)]; }
  double length(int i) const { return way(i).length; }
  double to_world(int i) const { return way(i).to_world; }
  double turns(int i) const { return way(i).turns; }
  double shifts(int i) const { return way(i).shifts; }
};

// Adds to J of the row, [nv], which is 0 before, and finds its `whole` and `reach`.
template <class Ways>
void sweep_row(const Model& model, const ConstraintRow& row, const Ways& ways, std::span<double> J, Row& out) {
  std::array<CarriedWrench, std::tuple_size_v<decltype(ConstraintRow::parts)>> parts;
  for (std::size_t p = 0; p < static_cast<std::size_t>(row.part_count); ++p) {
    const LinkWrench& part = row.parts[p];
    parts[p] = {part.link, part.F_Bo_W, std::max(part.moment, norm(part.F_Bo_W.n)), norm(part.F_Bo_W.f)};
  }
  // Levers are differences of places as far from the root as these.
  double reach = 0;
  for (const CarriedWrench& c : parts) reach += c.moment + (c.link != 0 ? ways.to_world(c.link) * c.force : 0);
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
    for (int k = 0; k < freedom_count(link); ++k)
      J[static_cast<std::size_t>(link.v + k)] += power(c.F, ways.axis(i, k));
    whole += c.moment * c.moment * ways.turns(i) + c.force * c.force * ways.shifts(i);
    most += reach * reach * ways.turns(i) + c.force * c.force * ways.shifts(i);
    c.F = shifted(c.F, ways.lever(i));
    c.moment += ways.length(i) * c.force;
    c.link = link.parent;
  }
  out.whole = std::sqrt(whole);
  out.reach = std::sqrt(most);
}

}  // namespace marey
