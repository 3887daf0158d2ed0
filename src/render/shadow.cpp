// The light is a disc on the sky, sampled in fixed directions. For each direction every solid is cast onto
// the ground within the bounds of its shadow; what is far above the ground casts less (a room has other
// light).
#include "render/shadow.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/image.h"

namespace marey::render {
namespace {

constexpr int directions = 48;

// Directions spread evenly over a cone around `middle` (sunflower pattern).
std::vector<Vec> light_directions(const Vec& middle, double tangent) {
  Vec side = cross(middle, Vec{0, 1, 0});
  side = (1 / norm(side)) * side;
  const Vec other = cross(middle, side);
  std::vector<Vec> all;
  for (int i = 0; i < directions; ++i) {
    const double r = tangent * std::sqrt((i + 0.5) / directions),
                 a = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Vec d = middle + r * std::cos(a) * side + r * std::sin(a) * other;
    all.push_back((1 / norm(d)) * d);
  }
  return all;
}

struct Window {
  int x0, y0, x1, y1;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};

}  // namespace

ShadowMap::ShadowMap(const Stage& stage, const Vec& light, int threads) {
  const Ground& g = stage.ground;
  const double half = 1.6 * g.radius;
  x0_ = g.middle.x - half, y0_ = g.middle.y - half, cell_ = 2 * half / size_;
  dark_.assign(static_cast<std::size_t>(size_) * size_, 0);
  const std::vector<Vec> sky = light_directions(light, 0.45);
  const double fade = 0.45 * stage.size;

  // Cells a solid can darken in one direction.
  const auto window = [&](const Prim& p, const Vec& d) -> Window {
    const Ball b = bounding_ball(p);
    const double rise = std::max(0.0, b.centre.z - g.level), r = b.radius / d.z;
    const double x = b.centre.x - rise * d.x / d.z, y = b.centre.y - rise * d.y / d.z;
    const auto cell = [&](double v, double from) {
      return std::clamp(static_cast<int>((v - from) / cell_), 0, size_);
    };
    return {cell(x - r, x0_), cell(y - r, y0_), cell(x + r, x0_) + 1, cell(y + r, y0_) + 1};
  };
  const auto cast = [&](const std::vector<Prim>& prims, double strength) {
    std::vector<float> dark(dark_.size());
    in_parallel(16, threads, [&](int band) {  // bands of rows: no two threads write to one cell
      const int first = band * size_ / 16, end = (band + 1) * size_ / 16;
      std::vector<float> once(static_cast<std::size_t>(end - first) * size_);
      for (const Vec& d : sky) {
        Window all{size_, end, 0, first};
        for (const Prim& p : prims) {
          Window w = window(p, d);
          w = {w.x0, std::max(w.y0, first), std::min(w.x1, size_), std::min(w.y1, end)};
          if (w.empty()) continue;
          all = {std::min(all.x0, w.x0), std::min(all.y0, w.y0), std::max(all.x1, w.x1),
                 std::max(all.y1, w.y1)};
          const Vec d_S = transpose_times(p.X_WS.R, d);
          for (int y = w.y0; y < w.y1; ++y)
            for (int x = w.x0; x < w.x1; ++x) {
              const Vec o{x0_ + (x + 0.5) * cell_, y0_ + (y + 0.5) * cell_, g.level};
              const double t = hit(p, transpose_times(p.X_WS.R, o - p.X_WS.p), d_S);
              if (t <= 0) continue;
              float& s = once[static_cast<std::size_t>(y - first) * size_ + x];
              s = std::max(s, static_cast<float>(std::exp(-t / fade)));
            }
        }
        for (int y = all.y0; y < all.y1; ++y)
          for (int x = all.x0; x < all.x1; ++x) {
            float& s = once[static_cast<std::size_t>(y - first) * size_ + x];
            dark[static_cast<std::size_t>(y) * size_ + x] += s / directions;
            s = 0;
          }
      }
    });
    for (std::size_t i = 0; i < dark.size(); ++i)
      dark_[i] = 1 - (1 - dark_[i]) * (1 - static_cast<float>(strength) * dark[i]);
  };
  for (const Exposure& i : stage.instants) cast(i.prims, i.opacity);
  if (!stage.fixed.empty()) cast(stage.fixed, 1);
}

double ShadowMap::at(double x, double y) const {
  const double u = (x - x0_) / cell_ - 0.5, v = (y - y0_) / cell_ - 0.5;
  const double fu = std::floor(u), fv = std::floor(v);
  if (!(fu >= 0 && fv >= 0 && fu < size_ - 1 && fv < size_ - 1)) return 0;
  const int i = static_cast<int>(fu), j = static_cast<int>(fv);
  const float* p = dark_.data() + static_cast<std::size_t>(j) * size_ + i;
  const double a = u - fu, b = v - fv;
  return (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[size_] + a * p[size_ + 1]);
}

}  // namespace marey::render
