// Shapes of a scene's links, and the mass properties of the links.
#pragma once

#include <optional>
#include <vector>

#include "marey/shape.h"
#include "marey/spec/values.h"
#include "scene/solids.h"

namespace marey {

struct ShapeDraft {
  Shape shape;
  std::optional<double> mass, density;  // of this shape alone
};
// One shape, or a list of them.
std::vector<ShapeDraft> read_shapes(const Value&, SolidReader&);

// W's default density, that of water (the print's 1 kg/m³ is that of air): of shapes that say nothing of their mass, in links
// that say nothing either.
inline constexpr double default_density = 1000;  // kg/m³

struct MassDraft {
  Inertia<double> inertia;  // about Bo, in B
  bool by_default = false;  // some of its density is the default
};
// From the link's keys mass, density, inertia, center_of_mass and enlarge. Refuses a link whose mass nothing tells: one without
// a shape, or with moments of inertia of its own, which mean nothing without a mass. On a point joint a mass alone is enough.
MassDraft read_mass(MapReader& link, const std::vector<ShapeDraft>&, bool point_joint, SolidReader&);

}  // namespace marey
