// The difference D = b − a of two cores, all in the axes of A: D holds the origin exactly where the cores share a point,
// and the shortest vector in D is the shortest from a to b.
#pragma once

#include <array>
#include <cstdint>

#include "marey/shape/distance.h"
#include "shape/convex_core.h"
#include "shape/room.h"

namespace marey {

struct CorePair {
  const Convex& a;
  const Convex& b;
  Transform<double> X_AB;
  double size;  // a length that nothing in the pair exceeds by much: what rounding is measured by
};

// w = y − x, with x in the core of a and y in that of b.
struct DifferencePoint {
  Vec3<double> w, x, y;
  int vertex_a = -1, vertex_b = -1;
};
inline bool same_point(const DifferencePoint& a, const DifferencePoint& b) {
  if (a.vertex_a >= 0 && a.vertex_b >= 0) return a.vertex_a == b.vertex_a && a.vertex_b == b.vertex_b;
  return a.w.x == b.w.x && a.w.y == b.w.y && a.w.z == b.w.z;
}

// A point of D farthest along d, which need not be of unit length. Written in place: copies of it cost as much as it does.
void put_difference_support(const CorePair& pair, const Vec3<double>& d, int hint_a, int hint_b, DifferencePoint& out);
inline DifferencePoint difference_support(const CorePair& pair, const Vec3<double>& d, int hint_a = -1,
                                          int hint_b = -1) {
  DifferencePoint out;
  put_difference_support(pair, d, hint_a, hint_b, out);
  return out;
}

// Points of D, none of which moves while a simplex needs it: copying them costs more than what is computed with them.
// Two simplices of up to four points find room in it.
using DifferencePoints = Room<DifferencePoint, 8>;
// Up to four places in there, a byte each.
class Places {
 public:
  int operator[](int k) const { return static_cast<int>(bytes_ >> 8 * k & 255u); }
  void put(int k, int place) { bytes_ = (bytes_ & ~(255u << 8 * k)) | static_cast<std::uint32_t>(place) << 8 * k; }

 private:
  std::uint32_t bytes_ = 0;
};

// Up to four points of D, and the point of their hull nearest to the origin, Σ λ_i w_i.
struct Simplex {
  explicit Simplex(DifferencePoints& all) : points(&all) {}
  int count = 0;
  bool of_polyhedra = false;  // of two cores with vertices by number: no triangle gets small, as between round ones
  Places at;
  std::array<double, 4> lambda{};
  DifferencePoints* points;

  const DifferencePoint& point(int k) const { return (*points)[at[k]]; }
  // A bit for each place that it needs.
  unsigned used() const {
    unsigned bits = 0;
    for (int k = 0; k < count; ++k) bits |= 1u << at[k];
    return bits;
  }
};

// Distance of the cores (src/shape/gjk.cpp).
struct Separation {
  explicit Separation(DifferencePoints& points) : simplex(points) {}
  bool overlap = false;  // or too close for a direction: |u| is of the order of rounding
  Vec3<double> normal;   // unit, from a to b
  double upper = 0;      // |u|
  double lower = 0;      // n · w: no point of D is nearer
  Vec3<double> x, y;     // witnesses
  Simplex simplex;
};
Separation separation_of_cores(const CorePair&, const PairCache*, DifferencePoints& room);

// Depth of the cores in each other, from a simplex to start with (src/shape/expanding_polytope.cpp): the depth is at most
// `upper`, the extent of D along −normal, and at least `lower`.
struct Penetration {
  Vec3<double> normal;  // unit: b leaves a along it by `upper`
  double upper = 0, lower = 0;
  Vec3<double> x, y;                 // witnesses
  int vertex_a = -1, vertex_b = -1;  // farthest along the normal and against it, where cores have vertices by number
  // Of two polyhedra: the corners of the triangle, in a face of D, that the witnesses are in; −1: not known.
  std::array<int, 3> face_a{-1, -1, -1}, face_b{-1, -1, -1};
};
Penetration penetration_of_cores(const CorePair&, const Simplex&);

// Two boxes (src/shape/box_axes.cpp): the best of their 15 axes.
struct BoxAxis {
  int axis = -1;          // 0 … 2: faces of a, 3 … 5: faces of b, 6 + 3 i + j: edges i of a, j of b
  double separation = 0;  // along it: negative where they overlap
  Vec3<double> normal;    // unit, from a to b
};
BoxAxis best_box_axis(const CorePair&);
BoxAxis box_axis(const CorePair&, int axis);  // of edges that are parallel: −∞
// Of boxes that overlap: how far they may move before another axis can be the best, as motion_of_boxes() measures it. 0: not at all.
double room_of_axis(const CorePair&, const BoxAxis& best);
double motion_of_boxes(const CorePair&, const Transform<double>& X_AB_before);

// Closed forms: cores that are points, segments, planes (src/shape/closed_distance.cpp). Whether there is one.
bool closed_distance(const CorePair&, Distance& in_A);
// distance_between() with everything in A instead of W.
Distance distance_in_A(const CorePair&, PairCache*);

// Whether a and b have the same middle, so that many normals are as good as each other, and b comes first of the two: by
// kind, the larger one, then by how they are turned. Then it is b and a that are asked about, and the answer is turned
// round: so it is opposite if the two are swapped.
bool comes_second(const CorePair&);
inline bool is_turned_round(const CorePair& pair) {
  return norm_squared(pair.X_AB.p) <= 1e-18 * pair.size * pair.size && comes_second(pair);
}

CorePair core_pair(const Convex& a, const Transform<double>& X_WA, const Convex& b, const Transform<double>& X_WB);

}  // namespace marey
