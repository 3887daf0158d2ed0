// The painter in vectors.
#pragma once

#include <string>

#include "render/stage.h"

namespace marey::render {

// Outlines in perspective, filled and shaded, the farther ones first; one group per instant. Throws file_trouble.
void draw_svg(const Stage&, const StrobeOptions&, const std::string& title, const std::string& file);

}  // namespace marey::render
