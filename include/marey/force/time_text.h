// Numbers that change in time, as a scene writes them: one number, or times and values [[0 s, 1 N], [2 s, 3 N]]; where any
// function of time may stand, also a quoted formula of t in SI units.
#pragma once

#include <span>

#include "marey/force.h"
#include "marey/force/formula_text.h"
#include "marey/force/time_function.h"
#include "marey/spec/values.h"

namespace marey {

TimeTable read_table(const Value&, const QuantityKind&, Range = Range::any);
// `join`: of a table.
TimeFunction read_time_function(const Value&, const QuantityKind&, const FormulaConstants&, Join join);
// Three of them: a list of numbers and formulas, or a table of times and vectors [[0 s, [0, 0, 1 N]], [1 s, [0, 0, 2 N]]].
std::array<TimeFunction, 3> read_time_vector(const Value&, const QuantityKind&, const FormulaConstants&, Join join);

// ---- how tables are joined: the key `curve`, beside the function
// The first one offered is the usual one. Refused where none of the functions is a table.
inline constexpr std::array curves_of_places{Join::smooth, Join::spline, Join::linear};
inline constexpr std::array curves_of_forces{Join::linear, Join::hold, Join::smooth, Join::spline};
Join read_curve(MapReader&, std::span<const Join> offered, std::initializer_list<const Value*> functions);
KeyInfo curve_key(std::span<const Join> offered);

}  // namespace marey
