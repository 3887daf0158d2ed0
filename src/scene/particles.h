// Groups of particles: points, grids and rings, and the springs within a group.
#pragma once

#include "scene/figures.h"

namespace marey {

// Adds the links of all groups, and their springs, to what the figures gave.
void read_particles(const Value&, FiguresDraft&);

}  // namespace marey
