// A small alphabet of lines: just the signs that labels in pictures need, so that no font has to be installed.
#pragma once

#include <string>
#include <vector>

#include "render/camera.h"

namespace marey::render {

// The strokes of a text, in pixels. `at` is the left end of the base line; `height` that of the figures 0–9.
// Signs it does not know are left blank.
std::vector<std::vector<Point2>> letter_strokes(const std::string& text, const Point2& at, double height);
double text_width(const std::string& text, double height);

}  // namespace marey::render
