// Formulas in position, velocity and time, as small postfix programs that run for every scalar without allocating.
//
// A program is a list of steps over a stack of numbers: a number or a variable is pushed, an operation takes its
// arguments from the top and pushes its result; at the end one number is left. Whoever makes one (force/formula_text.h
// reads text) ensures that the stack never holds more than `deepest` numbers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "marey/spatial.h"

namespace marey {

struct Formula {
  enum class Op : std::uint8_t {
    number,    // pushes `value`
    variable,  // pushes the variable `index`
    add,
    subtract,
    multiply,
    divide,
    negate,
    whole_power,  // to the power of `index`, a whole number
    power,        // aᵇ = exp(b log a)
    sqrt,
    sin,
    cos,
    tan,
    exp,
    log,
    abs,
    atan2,
    min,
    max,
  };
  struct Step {
    Op op = Op::number;
    int index = 0;
    double value = 0;
  };
  std::vector<Step> program;  // empty: zero

  static constexpr int deepest = 32;
  bool empty() const { return program.empty(); }
};
// A formula that is one number.
Formula constant_formula(double);

// What a formula may read: where a point is and how fast it moves, in W; the time; the mass of its link.
inline constexpr int formula_variables = 8;
inline constexpr std::array<const char*, formula_variables> formula_variable_names = {"x",  "y",  "z", "vx",
                                                                                      "vy", "vz", "t", "m"};
template <class T>
using FormulaInput = std::array<T, formula_variables>;

template <class T>
T evaluate(const Formula&, const FormulaInput<T>&);

// The value and its derivatives.
template <class T>
struct FormulaSlopes {
  T value{};
  Vec3<T> gradient;  // along x, y, z
  T rate{};          // ∂/∂t
};
template <class T>
FormulaSlopes<T> evaluate_with_slopes(const Formula&, const FormulaInput<T>&);

// Three formulas in the time only, and their rates.
struct TimeVector {
  std::array<Formula, 3> of;  // x, y, z
  struct AtTime {
    Vec3<double> value, rate;
  };
  AtTime at(double t) const;
};

}  // namespace marey
