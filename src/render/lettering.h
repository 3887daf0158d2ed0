// A small stroke font: just the characters that labels in pictures need, so that no font has to be installed.
#pragma once

#include <string>
#include <vector>

#include "render/camera.h"

namespace marey::render {

// The strokes of a text, in pixels. `at` is the left end of the base line; `height` is that of the digits 0–9. Unknown
// characters are left blank.
std::vector<std::vector<Point2>> letter_strokes(const std::string& text, const Point2& at, double height);
double text_width(const std::string& text, double height);

}  // namespace marey::render
