// What lies behind the figures: the plate, and the ground with its grid and shadows.
#pragma once

#include <memory>

#include "render/shadow.h"
#include "render/stage.h"

namespace marey::render {

double smooth(double low, double high, double x);  // 0 below, 1 above, level at both ends

class Backdrop {
 public:
  Backdrop(const Stage&, const Vec& light, bool shadows, int threads);
  // Of the pixel around a point, filtered over its extent.
  Colour colour(double x, double y) const;
  // Depth along forward at which the ray through a point meets the ground; very large if it does not.
  double depth(double x, double y) const;
  bool ground_shown() const { return shown_; }

 private:
  bool on_ground(double x, double y, Point2& out) const;
  double grid_cover(const Point2& p, const Point2& right_of_p, const Point2& below_p) const;

  const Stage& stage_;
  bool shown_;
  std::unique_ptr<ShadowMap> shadows_;
};

}  // namespace marey::render
