#pragma once

#include "marey/model.h"

namespace marey {

// Throws InvalidSpec for the first link, from the leaves inwards, whose joint can move without moving any
// inertia.
void check_pivots(const Model&);

}  // namespace marey
