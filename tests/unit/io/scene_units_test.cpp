#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "marey/spec/units.h"

namespace marey {

constexpr double pi = std::numbers::pi;

struct Good {
  const char* text;
  QuantityKind kind;
  double value;
};

TEST(SceneUnits, ReadsWhatPeopleWrite) {
  const Good table[] = {
      {"8 s", kinds::time, 8},
      {"8", kinds::time, 8},
      {"10 ms", kinds::time, 0.01},
      {"10ms", kinds::time, 0.01},
      {"250 µs", kinds::time, 250e-6},
      {"250 us", kinds::time, 250e-6},
      {"1.5 min", kinds::time, 90},
      {"4 cm", kinds::length, 0.04},
      {"-4.5e1 mm", kinds::length, -0.045},
      {".5 m", kinds::length, 0.5},
      {"+3 km", kinds::length, 3000},
      {"20 g", kinds::mass, 0.02},
      {"2 kg", kinds::mass, 2},
      {"1 t", kinds::mass, 1000},
      {"45 deg", kinds::angle, pi / 4},
      {"45°", kinds::angle, pi / 4},
      {"0.5 turn", kinds::angle, pi},
      {"5 mrad", kinds::angle, 0.005},
      {"90 deg/s", kinds::angular_rate, pi / 2},
      {"60 rpm", kinds::angular_rate, 2 * pi},
      {"3 1/s", kinds::angular_rate, 3},
      {"3 /s", kinds::angular_rate, 3},
      {"400 N/m", kinds::stiffness, 400},
      {"4 N/cm", kinds::stiffness, 400},
      {"40 N s/m", kinds::damping, 40},
      {"40 kg/s", kinds::damping, 40},
      {"2 mN m s", kinds::turning_damping, 0.002},
      {"2 mN m s/rad", kinds::turning_damping, 0.002},
      {"0.4 N m/rad", kinds::turning_stiffness, 0.4},
      {"0.4 N m", kinds::turning_stiffness, 0.4},
      {"0.4 Nm/rad", kinds::turning_stiffness, 0.4},
      {"1 N m/deg", kinds::turning_stiffness, 180 / pi},
      {"9.81 m/s^2", kinds::acceleration, 9.81},
      {"9.81 m/s²", kinds::acceleration, 9.81},
      {"9.81 m/s/s", kinds::acceleration, 9.81},
      {"9.81 m s^-2", kinds::acceleration, 9.81},
      {"9.81 m s⁻²", kinds::acceleration, 9.81},
      {"1000 kg/m^3", kinds::density, 1000},
      {"1 g/cm³", kinds::density, 1000},
      {"2 kg m^2", kinds::inertia, 2},
      {"2 kg·m²", kinds::inertia, 2},
      {"2 kg*m^2", kinds::inertia, 2},
      {"20 g cm^2", kinds::inertia, 2e-6},
      {"1 kg m^2/(s^2 rad)", kinds::turning_stiffness, 1},
      {"5 kN", kinds::force, 5000},
      {"2 J", kinds::torque, 2},
      {"50 %", kinds::number, 0.5},
  };
  for (const Good& good : table) {
    const QuantityReading r = read_quantity(good.text, good.kind);
    EXPECT_EQ(r.problem, "") << good.text;
    EXPECT_NEAR(r.quantity.value, good.value, 1e-14 * std::abs(good.value)) << good.text;
  }
}

struct Bad {
  const char* text;
  QuantityKind kind;
  const char* said;
};

TEST(SceneUnits, RefusesTheRestAndSaysWhy) {
  const Bad table[] = {
      {"4 cm", kinds::time, "found a length (cm); expected a time, such as 10 ms"},
      {"45 deg", kinds::length, "found an angle (deg); expected a length, such as 4 cm"},
      {"45 deg", kinds::number, "found an angle (deg); expected a plain number, such as 0.1"},
      {"2 N m/rad", kinds::torque, "found a turning stiffness (N m/rad); expected a torque"},
      {"2 N m rad", kinds::turning_stiffness, "found a quantity in kg m^2 s^-2 rad (N m rad)"},
      {"2 s^2", kinds::time, "found a quantity in s^2 (s^2)"},
      {"2", kinds::time, ""},
      {"", kinds::time, "found ''; expected a time"},
      {"cm", kinds::length, "found 'cm'; expected a length"},
      {"nan", kinds::length, "found 'nan'"},
      {".inf", kinds::length, "found '.inf'"},
      {"-.inf", kinds::length, "found '-.inf'"},
      {"inf", kinds::length, "found 'inf'"},
      {"1e999", kinds::length, "which no double can hold"},
      {"1e290 Gm", kinds::length, ""},
      {"1e305 Gm", kinds::length, "which no double can hold"},
      {"0x10", kinds::length, "which is not a decimal number"},
      {"0o17", kinds::length, "which is not a decimal number"},
      {"010", kinds::length, "octal"},
      {"-07 m", kinds::length, "octal"},
      {"1_000", kinds::length, "'_' inside a number"},
      {"0,5 m", kinds::length, "',' inside a number"},
      {"1:30", kinds::time, "':' inside a number"},
      {"1.2.3", kinds::length, "'.' inside a number"},
      {"5 metres", kinds::length, "unknown unit 'metres'"},
      {"5 sec", kinds::time, "unknown unit 'sec'"},
      {"5 dge", kinds::angle, "did you mean 'deg'?"},
      {"5 Ns", kinds::damping, "did you mean 'N s'?"},
      {"5 m^", kinds::length, "exponent in the unit is not a whole number"},
      {"5 m^2.5", kinds::length, "cannot be taken"},
      {"5 m^99", kinds::length, "too large"},
      {"5 m/", kinds::length, "a unit is missing"},
      {"5 m//s", kinds::speed, "a unit is missing"},
      {"5 N m/rad s", kinds::turning_damping, "ambiguous"},
      {"5 (m", kinds::length, "never closed"},
      {"5 m)", kinds::length, "cannot follow"},
      {"5 ((((((((((m))))))))))", kinds::length, "too many brackets"},
      {"5 1", kinds::length, "must be followed by '/'"},
      {"5 m 3", kinds::length, "unknown unit '3'"},
      {"--5 m", kinds::length, "found '--5 m'"},
  };
  for (const Bad& bad : table) {
    const QuantityReading r = read_quantity(bad.text, bad.kind);
    if (*bad.said == '\0')
      EXPECT_EQ(r.problem, "") << bad.text;
    else if (std::string(bad.said) != "cannot be taken")
      EXPECT_NE(r.problem.find(bad.said), std::string::npos) << bad.text << " gave: " << r.problem;
    else
      EXPECT_NE(r.problem, "") << bad.text;
  }
}

}  // namespace marey
