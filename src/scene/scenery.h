// What never moves, and who may touch whom.
#pragma once

#include <optional>
#include <vector>

#include "marey/contact/collide.h"
#include "marey/model.h"
#include "scene/solids.h"

namespace marey {

std::vector<SceneryPiece> read_scenery(const Value*, const Model&, SolidReader&);

// `collide`; none: nobody touches anybody.
std::optional<CollideRule> read_collide(const Value*, const Model&, const std::vector<SceneryPiece>&);

}  // namespace marey
