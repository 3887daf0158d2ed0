// The painter in pixels.
#pragma once

#include "render/image.h"
#include "render/stage.h"

namespace marey::render {

struct RasterOptions {
  int samples = 5;  // per pixel and direction
  int threads = 0;
  bool solids = true;        // false: only background and ground
  bool transparent = false;  // nothing behind figures and what stands; Image::cover says how much of a pixel they fill
};
Image paint(const Stage&, const RasterOptions&);

}  // namespace marey::render
