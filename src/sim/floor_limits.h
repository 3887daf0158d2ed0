// What counts as nothing at contacts.
#pragma once

namespace marey::limits {

// m/s: below it a point does not slide, and slip has no direction of its own.
inline constexpr double slip_floor = 1e-9;
// m: points that near to their floor at the start are on it.
inline constexpr double start_gap = 1e-9;

}  // namespace marey::limits
