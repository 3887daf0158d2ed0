// What a scene wants to come true.
#pragma once

#include "marey/sim.h"
#include "marey/spec/value.h"

namespace marey {

// Scene::wants, of a scene that is read otherwise; refuses links and channels that there are not.
void read_wants(const Value* list, bool recorded, Scene&);

}  // namespace marey
