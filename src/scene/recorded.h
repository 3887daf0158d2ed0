// What a scene wants recorded beside the usual: paths, Euler angles, closed forms.
#pragma once

#include "marey/sim.h"
#include "marey/spec/value.h"

namespace marey {

// Of a scene whose links, forces and start are known. `recorded`: it has run once, and is not refused any more.
void read_recorded(const Value* record, bool recorded, Scene&);

}  // namespace marey
