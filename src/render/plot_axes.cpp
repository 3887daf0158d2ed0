#include "render/plot_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace marey::render {
namespace {

// ---- letters
constexpr double em = 13.3;  // pixels

// Parts of an em: those of DejaVu Sans and of Helvetica, whichever are wider, rounded up by classes.
double letter_width(unsigned char c) {
  const std::string_view narrow = " ijlI.,:;'|!/[]()ft", wide = "mwMW@%", capitals = "ABCDEFGHJKLNOPQRSTUVXYZ_";
  if (narrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.40;
  if (wide.find(static_cast<char>(c)) != std::string_view::npos) return 0.99;
  return capitals.find(static_cast<char>(c)) != std::string_view::npos ? 0.74 : 0.64;
}
bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }  // of UTF-8

// ---- units
struct Prefix {
  int power;
  const char* name;
};
constexpr std::array prefixes{Prefix{-12, "p"}, Prefix{-9, "n"}, Prefix{-6, "µ"}, Prefix{-3, "m"},
                              Prefix{0, ""},    Prefix{3, "k"},  Prefix{6, "M"},  Prefix{9, "G"}};
const char* prefix_of(int power) {
  for (const Prefix& p : prefixes)
    if (p.power == power) return p.name;
  return nullptr;
}

// Whether people would write the unit with this prefix: no kiloseconds, and no kiloradians.
bool takes_prefix(const std::string& unit, int power) {
  static const std::array any{"m", "J", "N", "W", "Pa", "Hz", "m/s", "m/s^2", "N m", "N s", "J s", "N m s"};
  static const std::array small_alone{"s", "rad", "rad/s", "rad/s^2"};
  const auto among = [&](const auto& list) { return std::ranges::find(list, unit) != list.end(); };
  return among(any) || (power <= 0 && among(small_alone));
}

std::string power_of_ten(int power) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(power))) text += digits[c - '0'];
  return text;
}

double nice_step(double about) {
  const double power = std::pow(10, std::floor(std::log10(about)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= about * (1 - 1e-9)) return times * power;
  return 10 * power;
}

}  // namespace

double text_width(const std::string& text) {
  double width = 0;
  for (const char c : text)
    if (begins_letter(c)) width += em * letter_width(static_cast<unsigned char>(c));
  return width;
}

std::vector<std::string> broken_into_lines(const std::string& text, double width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t last = 0;  // where the line may be broken
  for (const char c : text) {
    if (begins_letter(c) && !line.empty() && text_width(line + c) > width) {
      const std::size_t at = last > 0 ? last : line.size();
      lines.push_back(line.substr(0, line.find_last_not_of(' ', at - 1) + 1));
      line.erase(0, at), last = 0;
    }
    line += c;
    if (std::string_view(" /._").find(c) != std::string_view::npos) last = line.size();
  }
  lines.push_back(line);
  return lines;
}

ScaledUnit unit_for(double largest, const std::string& unit, bool powers_alone) {
  if (!(largest > 0) || !std::isfinite(largest) || (largest >= 0.01 && largest < 1e4)) return {1, unit};
  const int power = 3 * static_cast<int>(std::floor(std::log10(largest) / 3 + 1e-9));
  // The kilogram has its prefix already: below it there are grams.
  if (!powers_alone && unit.starts_with("kg") && power < 0)
    if (const char* prefix = prefix_of(power + 3)) return {std::pow(10, -power), prefix + unit.substr(1)};
  if (const char* prefix = prefix_of(power); prefix != nullptr && !powers_alone && takes_prefix(unit, power))
    return {std::pow(10, -power), prefix + unit};
  return {std::pow(10, -power), unit.empty() ? power_of_ten(power) : power_of_ten(power) + " " + unit};
}

std::string Axis::label(double value) const { return fmt::format("{: .{}f}", value, decimals); }
double Axis::widest_label() const { return std::max(text_width(label(low)), text_width(label(high))); }

Axis axis_over(double least, double most, double ticks, bool to_ticks) {
  if (!(most > least)) {  // one value alone, with some room around it
    const double room = least == 0 ? 1 : 0.1 * std::abs(least);
    least -= room, most += room;
  }
  Axis a;
  a.step = nice_step((most - least) / std::max(ticks, 1.0));
  constexpr double slack = 1e-9;  // of a step
  a.low = to_ticks ? a.step * std::floor(least / a.step + slack) : least;
  a.high = to_ticks ? a.step * std::ceil(most / a.step - slack) : most;
  a.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(a.step) + slack)));
  return a;
}

double common_offset(double least, double most) {
  const double largest = std::max(std::abs(least), std::abs(most)), range = most - least;
  if (!(range > 0) || range > 1e-5 * largest) return 0;
  const double digit = std::pow(10, std::ceil(std::log10(range)));
  return digit * std::round(least / digit);
}

}  // namespace marey::render
