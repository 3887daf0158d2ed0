// Formulas as people write them: '-k*x', 'm*9.81*z', 'sin(2*pi*t)'.
//
//   sum     = product {(+ | -) product}
//   product = signed {(* | /) signed}
//   signed  = (+ | -) signed | power
//   power   = value [^ signed]                     binds tighter than a sign: -x^2 is -(x^2)
//   value   = number | name | function ( sum {, sum} ) | ( sum )
//
// Names are the variables x y z vx vy vz t m, the number pi, and the constants given along with the formula. Functions:
// sqrt sin cos tan exp log abs atan2 min max. Everything is in SI units and radians.
#pragma once

#include <map>
#include <string>

#include "marey/force/formula.h"
#include "marey/spec/units.h"
#include "marey/spec/value.h"

namespace marey {

using FormulaConstants = std::map<std::string, double>;

// Which variables a formula may read.
enum class FormulaUse { place, place_and_velocity, time };

// The constants of a map such as {k: 3, omega: 2}; no map: none.
FormulaConstants read_constants(const Value*);

// Refuses at the character that is wrong.
Formula read_formula(const Value&, const FormulaConstants&, FormulaUse);
// A formula in the time that gives a quantity; refuses one whose value at the start exceeds all limits. (What is NaN at
// t = 0 may become a number before it is needed.)
Formula read_time_formula(const Value&, const FormulaConstants&, const QuantityKind&);

}  // namespace marey
