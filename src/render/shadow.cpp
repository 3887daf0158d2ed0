// The light is a disc on the sky, sampled in fixed directions. For each direction every solid is cast onto
// the ground within the bounds of its shadow, the lowest first: where one is in the way, those above it do not matter. What is
// far above the ground casts a weaker shadow (a room has other light).
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
    const double r = tangent * std::sqrt((i + 0.5) / directions), a = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Vec d = middle + r * std::cos(a) * side + r * std::sin(a) * other;
    all.push_back((1 / norm(d)) * d);
  }
  return all;
}

constexpr int bands = 16;  // of rows; no two threads write to one cell

// Cells [x0, x1) × [y0, y1).
struct Window {
  int x0, y0, x1, y1;
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  void add(const Window& w) {
    x0 = std::min(x0, w.x0), y0 = std::min(y0, w.y0), x1 = std::max(x1, w.x1), y1 = std::max(y1, w.y1);
  }
};

struct Shading {
  const Prim* prim;
  Ball ball;  // around it
};
std::vector<Shading> from_below(const std::vector<Prim>& prims) {
  std::vector<Shading> solids;
  for (const Prim& p : prims) solids.push_back({&p, bounding_ball(p)});
  std::ranges::stable_sort(solids, {}, [](const Shading& s) { return s.ball.centre.z - s.ball.radius; });
  return solids;
}

constexpr double nothing = 1e300;  // in the way

}  // namespace

// Casts one exposure.
struct ShadowMap::Caster {
  const ShadowMap& map;
  const std::vector<Vec>& sky;
  double level, fade;  // m: of the ground; height over which a shadow weakens to 1/e

  // Cells a solid can darken from one direction.
  Window window(const Ball& b, const Vec& d) const {
    const double rise = std::max(0.0, b.centre.z - level), r = b.radius / d.z;
    const double x = b.centre.x - rise * d.x / d.z, y = b.centre.y - rise * d.y / d.z;
    const auto cell = [&](double v, double from) {
      return static_cast<int>(std::clamp((v - from) / map.cell_, 0.0, double(size_)));
    };
    return {cell(x - r, map.x0_), cell(y - r, map.y0_), std::min(size_, cell(x + r, map.x0_) + 1),
            std::min(size_, cell(y + r, map.y0_) + 1)};
  }

  // How far it is at least from the ground to a solid, along a direction.
  double least_way(const Ball& b, const Vec& d) const { return (b.centre.z - b.radius - level) / d.z; }

  // The way to the first solid in one direction, for the rows from `first` on; the cells that may have changed.
  Window cast(const std::vector<Shading>& solids, const Vec& d, int first, int end, std::vector<double>& way) const {
    Window all{size_, end, 0, first};
    for (const Shading& solid : solids) {
      const Prim& p = *solid.prim;
      Window w = window(solid.ball, d);
      w.y0 = std::max(w.y0, first), w.y1 = std::min(w.y1, end);
      if (w.empty()) continue;
      all.add(w);
      const Vec d_S = transpose_times(p.X_WS.R, d);
      const double least = least_way(solid.ball, d) - 1e-9 * solid.ball.radius;
      for (int y = w.y0; y < w.y1; ++y)
        for (int x = w.x0; x < w.x1; ++x) {
          double& known = way[static_cast<std::size_t>(y - first) * size_ + x];
          if (known <= least) continue;
          const Vec o{map.x0_ + (x + 0.5) * map.cell_, map.y0_ + (y + 0.5) * map.cell_, level};
          const double t = hit(p, transpose_times(p.X_WS.R, o - p.X_WS.p), d_S);
          if (t > 0) known = std::min(known, t);
        }
    }
    return all;
  }

  // Mean over all directions.
  void gather(const std::vector<Shading>& solids, int band, std::vector<float>& mean) const {
    const int first = band * size_ / bands, end = (band + 1) * size_ / bands;
    std::vector<double> way(static_cast<std::size_t>(end - first) * size_, nothing);
    for (const Vec& d : sky) {
      const Window w = cast(solids, d, first, end, way);
      for (int y = w.y0; y < w.y1; ++y)
        for (int x = w.x0; x < w.x1; ++x) {
          double& t = way[static_cast<std::size_t>(y - first) * size_ + x];
          if (t == nothing) continue;
          mean[static_cast<std::size_t>(y) * size_ + x] += static_cast<float>(std::exp(-t / fade)) / directions;
          t = nothing;
        }
    }
  }
};

ShadowMap::ShadowMap(const Stage& stage, const Vec& light, int threads) {
  const Ground& g = stage.ground;
  const double half = 1.6 * g.radius;
  x0_ = g.middle.x - half, y0_ = g.middle.y - half, cell_ = 2 * half / size_;
  dark_.assign(static_cast<std::size_t>(size_) * size_, 0);
  const std::vector<Vec> sky = light_directions(light, 0.45);
  const Caster caster{*this, sky, g.level, 0.45 * stage.size};
  const auto lay = [&](const std::vector<Prim>& prims, double strength) {
    std::vector<float> mean(dark_.size());
    const std::vector<Shading> solids = from_below(prims);
    in_parallel(bands, threads, [&](int band) { caster.gather(solids, band, mean); });
    for (std::size_t i = 0; i < mean.size(); ++i)
      dark_[i] = 1 - (1 - dark_[i]) * (1 - static_cast<float>(strength) * mean[i]);
  };
  for (const Exposure& e : stage.instants) lay(e.prims, e.opacity);
  if (!stage.fixed.empty()) lay(stage.fixed, 1);
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
