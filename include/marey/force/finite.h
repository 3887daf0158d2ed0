// Whether an element's force is finite.
#pragma once

#include "marey/force.h"

namespace marey {

// The first link on which the element's force is infinite or not a number, or −1.
int link_without_finite_force(const Element&, const Instant<double>&, std::span<const double> modes);

}  // namespace marey
