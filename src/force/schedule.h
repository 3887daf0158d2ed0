// When something acts by the clock or by conditions: its memory, frozen between events. See schedule.cpp for the modes.
#pragma once

#include "marey/force.h"

namespace marey {

int mode_count(const Schedule&);
void start_modes(const Schedule&, const Instant<double>&, std::span<double> modes);
double next_instant(const Schedule&, double t, std::span<const double> modes);
int switch_count(const Schedule&);
void switch_values(const Schedule&, const Instant<double>&, std::span<const double> modes, std::span<double> values);
void switch_modes(const Schedule&, const Instant<double>&, int which, std::span<double> modes);

// The first knot of a table after t.
double next_knot(const TimeTable&, double t);

}  // namespace marey
