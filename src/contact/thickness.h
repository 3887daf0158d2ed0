// How thick a body is at its thinnest, m: what something fast may leap over. Infinite where a half space is all there is.
#pragma once

#include "marey/shape/collider.h"

namespace marey {

// Of convex parts the least distance of two parallel planes with the part between them, one of which is along a face where it has any;
// of concave meshes at most 2 V/A, which is the thickness of thin walls; of several parts that of the thinnest.
double thickness_of(const Collider&);

}  // namespace marey
