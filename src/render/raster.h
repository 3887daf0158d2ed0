// The painter in pixels.
#pragma once

#include "render/image.h"
#include "render/stage.h"

namespace marey::render {

struct RasterOptions {
  int samples = 5;  // per pixel and direction
  int threads = 0;
  bool solids = true;  // false: only background and ground
};
Image paint(const Stage&, const RasterOptions&);

}  // namespace marey::render
