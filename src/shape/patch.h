// The part of a core's surface that faces a direction: a face, an edge or a vertex.
#pragma once

#include "marey/shape/manifold.h"
#include "shape/convex_core.h"
#include "shape/minkowski.h"
#include "shape/room.h"

namespace marey {

// A face counts as facing d if their angle is at most `patch_tilt`, an edge if it is across d to within the same angle.
// At larger angles its far end is away by a tenth of its length, which no contact looks at.
inline constexpr double patch_tilt = 0.1;
inline constexpr int patch_points = 64;

// count 1: a vertex; 2: an edge; more: a convex polygon, counter-clockwise seen from outside.
struct Patch {
  int count;
  Feature whole;
  Vec3<double> normal;  // of a polygon
  Room<Vec3<double>, patch_points> points;
  Room<Feature, patch_points> at, along;  // names of points, and of the edges from each to the next
};

// In the axes of S, d of unit length. Faces of hulls with more corners than patch_points are thinned. `hint`: a vertex of a
// hull that is farthest along d, or nearly; −1: none is known.
void facing_patch(const Convex& c, const Vec3<double>& d_S, Patch& out, int hint = -1);

// The number of the edge of a box along `axis` at a vertex.
inline int box_edge(int axis, int vertex) {
  const int j = axis == 0 ? 1 : 0, k = axis == 2 ? 1 : 2;
  return 4 * axis + (vertex >> j & 1) + 2 * (vertex >> k & 1);
}

// The contacts of two boxes, where they have one or two and it is plain which (src/shape/box_contact.cpp): else false. The best
// axis, which says `within` or less.
bool plain_box_contacts(const CorePair&, const BoxAxis& best, double within, Manifold& in_A);

}  // namespace marey
