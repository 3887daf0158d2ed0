// R9's three-link figure jumps down and lands on its heels: the scene, and what is measured of it.
#pragma once

#include <string>
#include <vector>

namespace marey::bench::jump {

// What is not printed. Tissue constants are those of a tissue of 1 kg (and of a moment of 1 kg m²), alike in all segments.
struct Constants {
  double heel_stiffness = 7.996e+16;                      // a of (4.7), N/m^exponent
  double heel_exponent = 7;                               // b
  double heel_damping = 800;                              // d, N s/m
  double stiffness = 1e7;                                 // c of (4.3b, c), N/m³ for a kilogramme
  double damping = 40;                                    // d, N s/m for a kilogramme
  double turning_stiffness = 2500, turning_damping = 15;  // a, b of (4.3a)
  double knee = 500, hip = 500;                           // N m/rad, of (4.8): torque over the bending after the impact
  double knee_damping = 30, hip_damping = 30;             // N m s/rad
};

struct Jump {
  bool wobbling = true;
  double height = 1;   // m, of the fall
  double knee = 121;   // degrees between shank and thigh at touch-down
  double hip = 174;    // degrees between thigh and trunk
  double lean = 0;     // degrees by which the centre of mass is before the heel
  double lasts = 0.3;  // s after touch-down
};

inline constexpr double mass = 75, g = 9.81, before = 5e-3;  // kg, m/s², s before touch-down at which it begins

std::string scene_of(const Constants&, const Jump&, const std::string& more = {});

struct Course {
  std::vector<double> time, vertical, horizontal,
      shift;                         // s from touch-down, body weights, body weights, m (largest of all tissues)
  std::vector<double> knee, height;  // degrees, m of the centre of mass
};
Course run(const Constants&, const Jump&);

struct Measure {
  double peak = 0;         // body weights
  double at = 0;           // s
  double lower_width = 0;  // s, at 0.4 of the peak
  double upper_width = 0;  // s, at 0.6
  double width = 0;   // s, the mean of those at 0.4, 0.5 and 0.6 of the peak: a shoulder at half of it decides nothing
  double active = 0;  // body weights, the largest from 50 ms on
  double horizontal = 0;  // body weights, the largest
  double shift = 0;       // m
  double lowest_knee = 0;
};
Measure measure(const Course&);

}  // namespace marey::bench::jump
