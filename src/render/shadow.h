// Soft drop shadows on the ground, gathered once into a map that the painter reads.
#pragma once

#include <vector>

#include "render/stage.h"

namespace marey::render {

class ShadowMap {
 public:
  // Direction to the middle of the light, unit, in W.
  ShadowMap(const Stage&, const Vec& light, int threads);
  // Darkness at a point of the ground: 0 none … 1 full.
  double at(double x, double y) const;

 private:
  struct Caster;
  static constexpr int size_ = 1024;
  double x0_ = 0, y0_ = 0, cell_ = 1;
  std::vector<float> dark_;
};

}  // namespace marey::render
