// What counts as nothing at contacts, and what ends a phase of one.
#pragma once

namespace marey::limits {

// m/s: below it a point does not slide.
inline constexpr double slip_floor = 1e-9;
// m/s: friction opposes the slip u plus this much in the direction with which the phase began. Friction that turns with the
// slip pulls across it with the rate μ λ_n/(m |u|): a point that creeps would make the equations as stiff as one likes.
inline constexpr double turning_floor = 1e-5;
// s: where slips turn to and fro, forces are constant for a step of fixed ones, but not longer than the first; else the second.
inline constexpr double longest_constant_force = 1e-3, shortest_constant_force = 1e-4;
// Cosine of the angle by which friction may turn within a fixed step; where it turns farther the step ends.
inline constexpr double cosine_of_widest_turn = 0.87;
// Λ/A_nn below which a point is as good as jammed.
inline constexpr double least_inertia = 1e-6;
// Sine of the angle below which a rim lies flat on its floor: where it touches would go round it at any speed.
inline constexpr double flat_rim = 1e-4;
// m: points that near to their floor at the start are on it.
inline constexpr double start_gap = 1e-9;

}  // namespace marey::limits

namespace marey {

// What a ContactEvent's slot stands for.
inline constexpr int lift_slot = 0, slip_slot = 1, jam_slot = 2, flat_slot = 3, turn_slot = 4;

}  // namespace marey
