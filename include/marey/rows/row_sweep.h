// A row between links in terms of the velocities of the joints.
//
// V_WB is the sum over the joints between B and the world of what they give, so that F · V_WB has the entry S · F for
// each of them, F taken about the joint's own link's origin: one sweep inward, from the outermost link on. Where the ways of
// two parts meet they go on as one; action and reaction are nothing together, and the row has no entry further in.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/force/cast.h"
#include "marey/rows.h"
#include "marey/scalar.h"

namespace marey {

inline constexpr std::size_t most_parts = std::tuple_size_v<decltype(ConstraintRow::parts)>;

// What is carried inward: of one row, or, with T a Pack, of some that act on the same links.
template <class T>
struct CarriedWrench {
  int link = 0;
  Wrench<T> F;
  T moment{}, force{};  // what |n| and |f| would be had nothing in them cancelled
  T there{};            // 1, or 0 where action and reaction have come to nothing
};

inline bool in_all_lanes(bool mask) { return mask; }
template <class T, int N>
bool in_all_lanes(const PackMask<T, N>& mask) {
  return detail::all(mask);
}

template <class T>
CarriedWrench<T> carried(int link, const Wrench<T>& F, const T& moment) {
  return {link, F, max(moment, norm(F.n)), norm(F.f), T(1)};
}

// Joins two that are on one link; both of nothing, if they cancel.
template <class T>
CarriedWrench<T> joined(const CarriedWrench<T>& a, const CarriedWrench<T>& b) {
  const T rounding(1e-10);  // of levers that are differences of places far away
  const T moment = a.moment + b.moment, force = a.force + b.force;
  const Wrench<T> F = a.F + b.F;
  const typename ScalarTraits<T>::Mask no_moment = norm(F.n) <= rounding * moment,
                                       no_force = norm(F.f) <= rounding * force, nothing = no_moment & no_force;
  if (in_all_lanes(nothing)) return {};
  const auto or_nothing = [&](const T& x) { return select(nothing, T(0), x); };
  const auto or_none = [&](const Vec3<T>& x) { return Vec3<T>{or_nothing(x.x), or_nothing(x.y), or_nothing(x.z)}; };
  return {a.link, {or_none(F.n), or_none(F.f)}, or_nothing(moment), or_nothing(force), or_nothing(T(1))};
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

// What |J| would be had nothing in it cancelled, and with levers as long as the way to the root.
template <class T>
struct Lengths {
  T whole{}, reach{};
};

// Shows `visit` each link on the way, once, with what its joint has to carry: there J has entries, all others are 0.
template <class T, class Ways, class Visit>
Lengths<T> sweep(const Model& model, std::span<CarriedWrench<T>> parts, const Ways& ways, const Visit& visit) {
  // Levers are differences of places as far from the root as these.
  T reach{};
  for (const CarriedWrench<T>& c : parts) reach += c.moment + T(c.link != 0 ? ways.to_world(c.link) : 0) * c.force;
  T whole{}, most{};  // squared
  for (;;) {
    std::size_t outermost = 0;
    for (std::size_t p = 1; p < parts.size(); ++p)
      if (parts[p].link > parts[outermost].link) outermost = p;
    CarriedWrench<T>& c = parts[outermost];
    const int i = c.link;
    if (i == 0) break;
    for (std::size_t p = outermost + 1; p < parts.size(); ++p)
      if (parts[p].link == i) c = joined(c, parts[p]), parts[p].link = 0;
    if (c.link == 0) continue;
    const LinkTopology& link = model.links[i];
    const T turns(ways.turns(i)), shifts(ways.shifts(i));
    visit(i, c.F);
    whole += c.moment * c.moment * turns + c.force * c.force * shifts;
    most += c.there * reach * reach * turns + c.force * c.force * shifts;
    c.F.n += cross(cast<T>(ways.lever(i)), c.F.f);
    c.moment += T(ways.length(i)) * c.force;
    c.link = link.parent;
  }
  return {sqrt(whole), sqrt(most)};
}

// The entries of J at one link, each given to put(velocity, entry).
template <class T, class Ways, class Put>
void put_entries(const Model& model, const Ways& ways, int i, const Wrench<T>& F, const Put& put) {
  const LinkTopology& link = model.links[i];
  const bool only_turns = ways.shifts(i) == 0;
  for (int k = 0; k < freedom_count(link); ++k) {
    const Twist<double>& S = ways.axis(i, k);
    T entry = dot(F.n, cast<T>(S.w));
    if (!only_turns) entry += dot(F.f, cast<T>(S.v));
    put(static_cast<std::size_t>(link.v + k), entry);
  }
}

// The sum of their squares: of joints that turn or shift in all directions, whatever their axes.
template <class T, class Ways>
T squared_entries(const Model& model, const Ways& ways, int i, const Wrench<T>& F) {
  const JointType joint = model.links[i].joint;
  if (joint == JointType::ball) return norm_squared(F.n);
  if (joint == JointType::free) return norm_squared(F.n) + norm_squared(F.f);
  if (joint == JointType::point) return norm_squared(F.f);
  T sum{};
  put_entries(model, ways, i, F, [&](std::size_t, const T& entry) { sum += entry * entry; });
  return sum;
}

// Fills J of the row, [nv], which is 0 before, and finds its `whole` and `reach`.
template <class Ways>
void sweep_row(const Model& model, const ConstraintRow& row, const Ways& ways, std::span<double> J, Row& out) {
  std::array<CarriedWrench<double>, most_parts> parts;
  const std::size_t count = static_cast<std::size_t>(row.part_count);
  for (std::size_t p = 0; p < count; ++p)
    parts[p] = carried(row.parts[p].link, row.parts[p].F_Bo_W, row.parts[p].moment);
  const Lengths<double> lengths =
      sweep(model, std::span(parts).first(count), ways, [&](int i, const Wrench<double>& F) {
        put_entries(model, ways, i, F, [&](std::size_t k, double entry) { J[k] = entry; });
      });
  out.whole = lengths.whole, out.reach = lengths.reach;
}

}  // namespace marey
