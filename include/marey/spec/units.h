// Numbers with units, as people write them: "8 s", "10 ms", "0.4 N m/rad", "9.81 m/s^2", "45°", "2 mN m s".
//
//   quantity = number [unit]
//   number   = [+-] digits [. digits] [e exponent]      decimal only; no octal, hexadecimal, inf, nan
//   unit     = [1] {/ factor} | product {/ factor}      after a '/', one factor; more need brackets
//   product  = factor {(space | * | ·) factor}
//   factor   = (symbol | '(' unit ')') [^ integer | superscript]
//   symbol   = [prefix] name                            SI prefixes p n µ u m c d k M G
//
// A number without a unit is in SI units and radians. Angle is a dimension of its own, so that degrees are never taken
// for metres; but where an angle is expected in a unit, "rad" may be omitted: N m stands for N m/rad.
//
// Each kind of quantity has a largest size, beyond anything in nature (docs/guide/scenes.md lists them). They are
// chosen so that products of a few of them, such as an energy, a moment of inertia or the square of a distance, stay
// well within the range of a double: a figure of the greatest length (1e27 m) and mass (1e55 kg) has inertias of 1e109
// kg m². What must be above zero, and may be divided by, has a smallest size as well.
#pragma once

#include <string>
#include <string_view>

namespace marey {

struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
};

// What a number is expected to be: its name, its dimension, an example for messages, and how large it may be.
struct QuantityKind {
  const char* key;   // "time": what tables of keys call it
  const char* name;  // "a time"
  Dimension dimension;
  const char* example;  // "10 ms"
  const char* unit;     // "s": SI and radians, in which the limits are
  double least, most;   // sizes: the smallest for what must be above zero, the largest for all
};

namespace kinds {
inline constexpr QuantityKind number{"number", "a plain number", {}, "0.1", "", 1e-100, 1e100};
inline constexpr QuantityKind length{"length", "a length", {1, 0, 0, 0}, "4 cm", "m", 1e-40, 1e27};
inline constexpr QuantityKind mass{"mass", "a mass", {0, 1, 0, 0}, "20 g", "kg", 1e-45, 1e55};
inline constexpr QuantityKind time{"time", "a time", {0, 0, 1, 0}, "10 ms", "s", 1e-45, 1e20};
inline constexpr QuantityKind angle{"angle", "an angle", {0, 0, 0, 1}, "45 deg", "rad", 1e-40, 1e15};
inline constexpr QuantityKind speed{"speed", "a speed", {1, 0, -1, 0}, "2 m/s", "m/s", 1e-40, 1e20};
inline constexpr QuantityKind angular_rate{
    "angular_rate", "an angular rate", {0, 0, -1, 1}, "90 deg/s", "rad/s", 1e-40, 1e25};
inline constexpr QuantityKind acceleration{
    "acceleration", "an acceleration", {1, 0, -2, 0}, "9.81 m/s^2", "m/s^2", 1e-60, 1e50};
inline constexpr QuantityKind force{"force", "a force", {1, 1, -2, 0}, "2 N", "N", 1e-80, 1e60};
inline constexpr QuantityKind torque{"torque", "a torque", {2, 1, -2, 0}, "0.1 N m", "N m", 1e-100, 1e90};
inline constexpr QuantityKind stiffness{"stiffness", "a stiffness", {0, 1, -2, 0}, "400 N/m", "N/m", 1e-80, 1e60};
inline constexpr QuantityKind turning_stiffness{
    "turning_stiffness", "a turning stiffness", {2, 1, -2, -1}, "0.4 N m/rad", "N m/rad", 1e-100, 1e90};
inline constexpr QuantityKind damping{"damping", "a damping", {0, 1, -1, 0}, "40 N s/m", "N s/m", 1e-80, 1e60};
inline constexpr QuantityKind turning_damping{
    "turning_damping", "a turning damping", {2, 1, -1, -1}, "2 mN m s/rad", "N m s/rad", 1e-100, 1e90};
inline constexpr QuantityKind density{"density", "a density", {-3, 1, 0, 0}, "1000 kg/m^3", "kg/m^3", 1e-40, 1e30};
inline constexpr QuantityKind angular_acceleration{
    "angular_acceleration", "an angular acceleration", {0, 0, -2, 1}, "2 rad/s^2", "rad/s^2", 1e-60, 1e50};
inline constexpr QuantityKind quadratic_drag{
    "quadratic_drag", "a quadratic drag", {-1, 1, 0, 0}, "0.01 N s^2/m^2", "N s^2/m^2", 1e-80, 1e60};
inline constexpr QuantityKind attraction{
    "attraction", "a strength of attraction G M", {3, 0, -2, 0}, "3.986e14 m^3/s^2", "m^3/s^2", 1e-100, 1e60};
inline constexpr QuantityKind newton{
    "newton", "a constant of attraction G", {3, -1, -2, 0}, "6.674e-11 m^3/(kg s^2)", "m^3/(kg s^2)", 1e-100, 1e60};
inline constexpr QuantityKind inertia{"inertia", "a moment of inertia", {2, 1, 0, 0}, "0.02 kg m^2", "kg m^2", 1e-100,
                                      1e110};

inline constexpr const QuantityKind* all[] = {&number,         &length,          &mass,         &time,
                                              &angle,          &speed,           &angular_rate, &acceleration,
                                              &force,          &torque,          &stiffness,    &turning_stiffness,
                                              &damping,        &turning_damping, &density,      &angular_acceleration,
                                              &quadratic_drag, &attraction,      &newton,       &inertia};
}  // namespace kinds

struct Quantity {
  double value = 0;  // in SI units and radians
  Dimension dimension;
  std::string unit;  // as written; empty for a bare number
};

// Either a quantity or, in `problem`, "found …; expected …".
struct QuantityReading {
  Quantity quantity;
  std::string problem;
};
// Of any size that a double can hold.
QuantityReading read_quantity(std::string_view text, const QuantityKind& expected);

// What is wrong with the size of a number, or nothing. `found` is what a message calls it: "'1e200 rad/s'".
std::string problem_of_size(double x, std::string_view found, const QuantityKind&, bool above_zero = false);

// "a length", or the base units if it has no name.
std::string name_of(const Dimension&);

}  // namespace marey
