// What counts as nothing at contacts.
#pragma once

namespace marey::limits {

// m/s: below it a point does not slide.
inline constexpr double slip_floor = 1e-9;
// m/s: friction opposes the slip u plus this much in the direction with which the phase began. Friction that turns with the
// slip pulls across it with the rate μ λ_n/(m |u|): a point that creeps would make the equations as stiff as one likes.
inline constexpr double turning_floor = 1e-5;
// m: points that near to their floor at the start are on it.
inline constexpr double start_gap = 1e-9;

}  // namespace marey::limits
