// Oklab: B. Ottosson, "A perceptual color space for image processing" (2020):
//   (l, m, s) = M2⁻¹ (L, a, b);  linear rgb = M1⁻¹ (l³, m³, s³).
#include "render/colour.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace marey::render {
namespace {

double linear_from_srgb(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double srgb_from_linear(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

Colour from_oklab(double L, double a, double b) {
  const double l = L + 0.3963377774 * a + 0.2158037573 * b;
  const double m = L - 0.1055613458 * a - 0.0638541728 * b;
  const double s = L - 0.0894841775 * a - 1.2914855480 * b;
  const double l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
  return {4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
          -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
          -0.0041960863 * l3 - 0.7034186147 * m3 + 1.7076147010 * s3};
}

bool in_gamut(const Colour& c) {
  constexpr double e = 1e-6;
  return std::min({c.x, c.y, c.z}) >= -e && std::max({c.x, c.y, c.z}) <= 1 + e;
}

}  // namespace

Colour from_hex(std::uint32_t rgb) {
  const auto channel = [&](int shift) { return linear_from_srgb(((rgb >> shift) & 255) / 255.0); };
  return {channel(16), channel(8), channel(0)};
}

std::uint8_t to_srgb_byte(double linear) {
  return static_cast<std::uint8_t>(std::lround(255 * srgb_from_linear(std::clamp(linear, 0.0, 1.0))));
}

std::string to_hex(const Colour& c) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", to_srgb_byte(c.x), to_srgb_byte(c.y), to_srgb_byte(c.z));
  return text;
}

Colour mix(const Colour& a, const Colour& b, double part_of_b) { return a + part_of_b * (b - a); }

Colour from_oklch(double lightness, double chroma, double hue) {
  const double h = hue * std::numbers::pi / 180, ca = std::cos(h), sa = std::sin(h);
  Colour c = from_oklab(lightness, chroma * ca, chroma * sa);
  for (int i = 0; i < 40 && !in_gamut(c); ++i) {
    chroma *= 0.95;
    c = from_oklab(lightness, chroma * ca, chroma * sa);
  }
  return {std::clamp(c.x, 0.0, 1.0), std::clamp(c.y, 0.0, 1.0), std::clamp(c.z, 0.0, 1.0)};
}

// A dark plate: from deep blue through rose to the white of a figure in full light.
const Theme& dark_theme() {
  static const Theme theme{.background = from_hex(0x0d0e12),
                           .ground = from_hex(0x1f2027),
                           .grid = from_hex(0x444752),
                           .shadow = from_hex(0x050507),
                           .fixed = from_hex(0x6a6c74),
                           .ink = from_hex(0xd8d4cc),
                           .faint_ink = from_hex(0x83838a),
                           .ramp = {{0.0, 0.48, 0.14, 265},
                                    {0.3, 0.57, 0.17, 305},
                                    {0.55, 0.66, 0.16, 358},
                                    {0.78, 0.78, 0.12, 45},
                                    {1.0, 0.95, 0.03, 85}},
                           .oldest_opacity = 0.78,
                           .dark = true};
  return theme;
}

// Paper: from a pale wash to full ink.
const Theme& light_theme() {
  static const Theme theme{.background = from_hex(0xfbfaf7),
                           .ground = from_hex(0xfbfaf7),
                           .grid = from_hex(0xd2cfc6),
                           .shadow = from_hex(0x8d8a84),
                           .fixed = from_hex(0xa9a7a1),
                           .ink = from_hex(0x2b2b30),
                           .faint_ink = from_hex(0x7b7a78),
                           .ramp = {{0.0, 0.87, 0.06, 75},
                                    {0.3, 0.78, 0.11, 40},
                                    {0.6, 0.65, 0.15, 5},
                                    {0.8, 0.53, 0.16, 322},
                                    {1.0, 0.43, 0.14, 272}},
                           .oldest_opacity = 0.9,
                           .dark = false};
  return theme;
}

Colour ramp_colour(const Theme& theme, double u) {
  const auto& r = theme.ramp;
  std::size_t i = 1;
  while (i + 1 < r.size() && u > r[i].u) ++i;
  const RampStop &a = r[i - 1], &b = r[i];
  const double s = std::clamp((u - a.u) / (b.u - a.u), 0.0, 1.0);
  const double turn = std::remainder(b.hue - a.hue, 360);  // the short way round
  return from_oklch(a.lightness + s * (b.lightness - a.lightness), a.chroma + s * (b.chroma - a.chroma),
                    a.hue + s * turn);
}

}  // namespace marey::render
