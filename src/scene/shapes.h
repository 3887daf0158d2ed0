// Shapes of a scene's links, and the mass properties of the links.
#pragma once

#include <optional>
#include <vector>

#include "marey/shape.h"
#include "marey/spec/values.h"

namespace marey {

struct ShapeDraft {
  Shape shape;
  std::optional<double> mass, density;  // of this shape alone
};
// One shape, or a list of them.
std::vector<ShapeDraft> read_shapes(const Value&);

// Mass properties about Bo, in B, from the link's keys mass, density, inertia, center_of_mass and enlarge.
// Refuses a link that does not say how heavy it is. On a point joint a mass alone is enough.
Inertia<double> read_mass(MapReader& link, const std::vector<ShapeDraft>&, bool point_joint);

}  // namespace marey
