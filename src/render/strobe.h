// A stage in pixels, with all that lies flat on it.
#pragma once

#include "render/image.h"
#include "render/overlay.h"
#include "render/stage.h"

namespace marey::render {

// Solids or wires, sensors, trails; no labels.
Image picture_of(const Stage&, const StrobeOptions&, bool transparent = false);
void draw_overlay(Image&, const Overlay&);

}  // namespace marey::render
