// What plots are lettered with: axes with round numbers, units in which these are short, and how much room texts take.
#pragma once

#include <string>
#include <vector>

namespace marey::render {

// How wide a text is in a plot's own size of letters: pixels, by classes of letters, and rather too much than too little.
double text_width(const std::string&);
inline constexpr double text_height = 17;  // from line to line
// Lines of at most this width, broken after blanks, slashes, dots and underscores; within a word that is longer than a line.
std::vector<std::string> broken_into_lines(const std::string&, double width);

// A unit in which values up to `largest` have few digits: a prefix where the unit takes one (mJ, g), else a power of ten. With
// powers_alone no prefix: of values that mean nothing, one would make something.
struct ScaledUnit {
  double factor = 1;  // times a value in the plain unit
  std::string unit;
};
ScaledUnit unit_for(double largest, const std::string& unit, bool powers_alone = false);

// From `low` to `high` in steps of 1, 2 or 5 times a power of ten.
struct Axis {
  double low = -1, high = 1, step = 1;
  int decimals = 0;  // of the numbers at its ticks
  std::string label(double value) const;
  double widest_label() const;
};
// About so many ticks. With `to_ticks` the axis ends at them, otherwise with the values.
Axis axis_over(double least, double most, double ticks, bool to_ticks);

// A round number near all of the values, where they differ in late digits alone; 0 where they do not.
double common_offset(double least, double most);

}  // namespace marey::render
