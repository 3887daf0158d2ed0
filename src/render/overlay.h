// What lies flat on the picture: trails, wire frames, the time scale. Read by both painters.
#pragma once

#include <string>
#include <vector>

#include "render/image.h"
#include "render/stage.h"

namespace marey::render {

struct Label {
  std::string text;
  Point2 at;           // left end of the base line
  double height = 12;  // of digits, pixels
  Colour colour;
};
struct Overlay {
  std::vector<Stroke> strokes;
  std::vector<Label> labels;
};

// Visible parts of the trails (hidden where the newest instant or the static set is in front of them).
std::vector<Stroke> trail_strokes(const Stage&);
// Edges and rings of every solid of an instant, in perspective; nothing is hidden.
std::vector<Stroke> wire_strokes(const Stage&, const std::vector<Prim>&, const Colour&, double opacity, double width);
// The same of all sensors, beside whatever else is drawn.
std::vector<Stroke> felt_strokes(const Stage&);
// A line with one mark for each instant in its colour, times where there is room, and the size of the grid.
Overlay time_rule(const Stage&);
// Of one picture of a film: its time, with its number unless that is negative, and the size of the grid.
Overlay film_clock(const Stage&, double t, int decimals, int number);

}  // namespace marey::render
