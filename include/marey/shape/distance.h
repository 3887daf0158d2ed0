// How far two convex solids are apart, or how deep they are in each other.
#pragma once

#include <array>

#include "marey/shape/convex.h"

namespace marey {

// What a query found, for the next one of the same pair in nearly the same place. It belongs to the caller, one for each
// pair, and is passed in and out; a fresh one is always right, and so is one of another pose: only the time differs, and
// rounding.
struct PairCache {
  // Points of the simplex that was nearest or, of polyhedra that overlapped, corners of the nearest face; 0: not known.
  int count = 0;
  std::array<int, 4> vertex_a{}, vertex_b{};  // where both cores have vertices by number
  Vec3<double> normal_A;                      // the direction from a to b, in A
  bool beyond = false;  // find_manifold(): they were too far apart along it; that is tried first then
  // find_manifold(), of two boxes (src/shape/box_axes.cpp): the axis that was best; where they overlapped, the pose for which it
  // is known that it stays so within `box_room`; 0: it is not known.
  int box_axis = -1;
  double box_room = 0;
  Transform<double> box_pose;
};

// The signed distance is the largest s such that some plane (unit normal n from a to b) has a on one side and b on the
// other with s between them,
//   s = max over n of  −h_b(−n) − h_a(n)
// the distance where it is positive; where it is negative, −s is the depth: the shortest translation that parts them.
struct Distance {
  double distance = 0;
  Vec3<double> normal_W;              // unit, from a to b
  Vec3<double> point_a_W, point_b_W;  // witnesses: on a and on b, point_b = point_a + distance · normal
  // What the answer leaves open. Apart: the distance is at least distance − slack, by supporting planes across the
  // normal. Overlapping: the depth is at most −distance, by the same planes, and at least −distance − slack.
  double slack = 0;
};

// Where the normal is not unique (concentric spheres, a point on an axis) one is stated: see docs/theory/distance.md.
// Two planes overlap without bound unless they face each other: −∞.
Distance distance_between(const Convex& a, const Transform<double>& X_WA, const Convex& b,
                          const Transform<double>& X_WB, PairCache* = nullptr);

}  // namespace marey
