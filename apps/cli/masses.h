// What a scene weighs.
#pragma once

#include "json.h"
#include "marey/sim.h"

namespace marey::cli {

// Of every link, every figure and all of them at the start.
void print_masses(const Scene&);
Json masses_json(const Scene&);

}  // namespace marey::cli
