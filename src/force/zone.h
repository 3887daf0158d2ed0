// The zones of a torque function with free play (A4, fig. 2), frozen between events.
#pragma once

#include "marey/force.h"

namespace marey {

enum class Zone {
  by_angle,  // not frozen: the force law looks at the angle
  below,
  inside,
  above,
};
Zone zone_at(const FreePlay&, const Instant<double>&);
// Positive as long as the zone is right; [0] the edge `from`, [1] the edge `to`.
void zone_margins(const FreePlay&, const Instant<double>&, Zone, std::span<double> margins);
// The zone on the other side of an edge.
Zone zone_beyond(Zone, int edge);

}  // namespace marey
