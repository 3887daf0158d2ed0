// Colours: linear light inside, sRGB for input and output; perceptually even ramps; the two themes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "marey/spatial.h"

namespace marey::render {

using Colour = Vec3<double>;  // linear red, green, blue; 1 is the brightest a screen shows

Colour from_hex(std::uint32_t rgb);  // sRGB 0xRRGGBB
std::uint8_t to_srgb_byte(double linear);
std::string to_hex(const Colour&);  // "#rrggbb"
Colour mix(const Colour& a, const Colour& b, double part_of_b);
// Lightness, chroma, hue (degrees) in Ottosson's Oklab, brought into the gamut by lowering the chroma.
Colour from_oklch(double lightness, double chroma, double hue);

struct RampStop {
  double u, lightness, chroma, hue;
};
struct Theme {
  Colour background, ground, grid, shadow, fixed, ink, faint_ink;
  std::vector<RampStop> ramp;   // oldest (u = 0) to newest (u = 1); lightness is monotonic in u
  double oldest_opacity = 0.3;  // of the oldest instant; the newest is opaque
  bool dark = true;
};
const Theme& dark_theme();
const Theme& light_theme();
Colour ramp_colour(const Theme&, double u);

}  // namespace marey::render
