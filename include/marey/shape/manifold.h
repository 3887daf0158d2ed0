// Where two convex solids touch, or are about to: up to four points with one normal.
#pragma once

#include <array>

#include "marey/shape/distance.h"

namespace marey {

// A part of a solid's surface by name, the same from step to step.
//   box      vertex: bits 0, 1, 2 set where x, y, z are negative; face: 2 axis + 1 where it faces backwards; edge: 4 axis +
//            the bits of the two other axes, in their order, of its vertices
//   hull     vertex, edge, face: place in ConvexHull
//   capsule  vertex 0: its upper end, 1: its lower end; edge 0: what is between
//   cylinder face 0: upper, 1: lower; edge 0, 1: their rims; round 0: a line of the mantle. Where an end lies flat, vertex
//            8 f + k: the point of rim f at k · 45° from x, edge 2 + 8 f + k: the rim from there to the next
//   cone     vertex 0: its tip; face 1, edge 1, vertex 8 + k, edge 10 + k: base and rim, as above; round 0: the mantle
//   sphere, ellipsoid  round 0                 plane  face 0
//   triangle corner, side, face 0; what a mesh makes of them is in collider.h
enum class FeatureKind : unsigned char { vertex, edge, face, round };
struct Feature {
  FeatureKind kind = FeatureKind::round;
  int index = 0;
  bool operator==(const Feature&) const = default;
};

// One point for both solids: half way between x on a and y on b, where y = x + gap · normal.
struct ManifoldPoint {
  Vec3<double> point_W;
  double gap = 0;  // negative where they overlap
  Feature a, b;  // vertex–face and edge–edge where polyhedra meet; vertex–vertex where two vertices fall together
};
struct Manifold {
  Vec3<double> normal_W;  // unit, from a to b: that of distance_between()
  int count = 0;
  std::array<ManifoldPoint, 4> points;  // one of them is the deepest: its gap is the signed distance
  int part_a = 0, part_b = 0;  // of colliders with several parts: which of them (find_manifolds() in collider.h)
};

// Empty where the solids are farther apart than `within`; points with larger gaps are left out. Where the touching parts
// of the two are faces or edges, the points span what they have in common, seen along the normal.
void find_manifold(const Convex& a, const Transform<double>& X_WA, const Convex& b, const Transform<double>& X_WB,
                   double within, Manifold& out, PairCache* = nullptr);

}  // namespace marey
