// Materials of a scene, and what links and scenery are made of.
#pragma once

#include "marey/contact/materials.h"
#include "marey/sim.h"
#include "scene/figures.h"

namespace marey {

// The values of a scene that speak of materials; null where it has none.
struct MaterialValues {
  const Value *materials = nullptr, *pairs = nullptr, *scenery = nullptr;
};
// For the links and the scenery of the scene.
MaterialRule read_materials(const MaterialValues&, const FiguresDraft&, const Scene&);

}  // namespace marey
