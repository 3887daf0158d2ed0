// A picture in linear light, drawing lines on it, and writing it to a PNG file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "render/camera.h"
#include "render/colour.h"

namespace marey::render {

struct Image {
  int width = 0, height = 0;
  std::vector<Vec3<float>> pixels;  // linear, row by row from the top
  std::vector<float>
      cover{};  // [pixels] of a transparent picture: how much of a pixel is filled; `pixels` is in proportion to it

  Image(int w, int h) : width(w), height(h), pixels(static_cast<std::size_t>(w) * h) {}
  Vec3<float>& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Vec3<float>& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

struct Stroke {
  std::vector<Point2> points;
  double width = 1;  // pixels; ends and corners are round
  Colour colour;
  double opacity = 1;
};
// With smooth edges; where a stroke crosses itself it does not become more opaque.
void draw(Image&, const Stroke&);

// Runs work(0) … work(n − 1) on several threads (0: as many as there are).
void in_parallel(int n, int threads, const std::function<void(int)>& work);

// Row by row, 8 bits each: red, green, blue and, if asked for, how opaque.
std::vector<std::uint8_t> srgb_bytes(const Image&, bool with_cover);

// Throws file_trouble when the file cannot be written.
void write_png(const Image&, const std::string& file, const std::string& title, int compression = 9);

}  // namespace marey::render
