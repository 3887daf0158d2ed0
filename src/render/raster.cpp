// Rays from the eye through several points of each pixel, against solids given by their equations: edges are
// exact and curved surfaces smooth at any size. The picture is divided into tiles; a ray is tested against the solids whose
// bounds its pixel meets, from the front to the back, until all others begin behind what was found. Of one instant only the nearest
// surface counts; the instants then lie over each other like exposures of one plate, the newest on top, each over what is older in
// proportion to its opacity, with a thin halo that sets it off. All in linear light.
#include "render/raster.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "render/backdrop.h"
#include "render/lighting.h"
#include "render/surface.h"

namespace marey::render {
namespace {

constexpr int tile_size = 32;  // pixels

// A solid as seen from the eye: the eye and the axes of the camera in its frame S, and where in the picture it appears.
struct Seen {
  Prim prim, halo;              // the halo is the solid grown by about a pixel
  Vec eye, right, up, forward;  // in S
  Box2 box;                     // of the halo
  double front = 0;             // no point of the halo has less depth

  bool is_in(int x0, int y0, int x1, int y1) const { return x1 > box.x0 && x0 < box.x1 && y1 > box.y0 && y0 < box.y1; }
};

struct Layer {
  std::vector<Seen> solids;
  std::vector<int> from_front;  // these, by their front
  Crowd crowd;
  Colour colour;
  double opacity = 1;
};

Prim grown(Prim p, double by) {
  if (p.kind == Kind::surface) {
    p.half.x *= 1 + by / p.surface->reach;
    return p;
  }
  p.half.x += by, p.half.y += by;
  if (p.kind != Kind::capsule) p.half.z += by;
  return p;
}

Layer make_layer(const Stage& stage, const std::vector<Prim>& prims, const Colour& colour, double opacity) {
  const Camera& c = stage.camera;
  Layer layer{{}, {}, crowd_of(prims), colour, opacity};
  for (const Prim& p : prims) {
    const auto in_S = [&](const Vec& v) { return transpose_times(p.X_WS.R, v); };
    const double pixel = std::max(0.0, depth(c, p.X_WS.p)) / c.focal;
    const Prim halo = grown(p, 0.0022 * std::min(stage.width, stage.height) * pixel);
    const Ball ball = bounding_ball(halo);
    layer.solids.push_back({p, halo, in_S(c.eye - p.X_WS.p), in_S(c.right), in_S(c.up), in_S(c.forward),
                            bounds(c, halo), depth(c, ball.centre) - (1 + 1e-6) * ball.radius});
  }
  layer.from_front.resize(prims.size());
  std::iota(layer.from_front.begin(), layer.from_front.end(), 0);
  std::ranges::stable_sort(layer.from_front, {},
                           [&](int i) { return layer.solids[static_cast<std::size_t>(i)].front; });
  return layer;
}

// One sample of a pixel, filled from front to back.
struct Sample {
  Colour colour;
  float left = 1;        // fraction of the light from behind that still gets through
  double depth = 1e300;  // of what is opaque: ground and set
  int fixed = -1;        // solid of the static set that is seen there
};
struct Hit {
  double depth = 1e300, halo = 1e300;
  int solid = -1;
};

struct Tile {
  int x0, y0, x1, y1, per_pixel;
  std::vector<Sample> samples;
  std::vector<int> here, in_pixel;  // solids of a layer that appear here, from the front

  std::size_t index(int x, int y) const {
    return (static_cast<std::size_t>(y - y0) * (x1 - x0) + (x - x0)) * per_pixel;
  }
};

class Painter {
 public:
  Painter(const Stage& stage, const RasterOptions& options)
      : stage_(stage),
        options_(options),
        n_(options.samples),
        lights_(set_lights(stage.camera, n_ * n_)),
        backdrop_(stage, lights_.key, options.solids, options.threads) {
    if (!options.solids) return;
    fixed_ = make_layer(stage, stage.fixed, stage.theme->fixed, 1);
    for (const Exposure& e : stage.instants) layers_.push_back(make_layer(stage, e.prims, e.colour, e.opacity));
  }

  Image paint() const {
    Image image(stage_.width, stage_.height);
    if (options_.transparent) image.cover.assign(image.pixels.size(), 0);
    const int across = (stage_.width + tile_size - 1) / tile_size, down = (stage_.height + tile_size - 1) / tile_size;
    in_parallel(across * down, options_.threads,
                [&](int i) { paint_tile(image, i % across * tile_size, i / across * tile_size); });
    return image;
  }

 private:
  void paint_tile(Image& image, int x0, int y0) const {
    const int x1 = std::min(x0 + tile_size, stage_.width), y1 = std::min(y0 + tile_size, stage_.height);
    Tile tile{x0, y0, x1, y1, n_ * n_, {}, {}, {}};
    tile.samples.resize(static_cast<std::size_t>(x1 - x0) * (y1 - y0) * tile.per_pixel);
    measure_ground(tile);
    expose(tile, fixed_, [](Sample& out, const Hit& h, const Point2&, int) {
      if (h.depth < out.depth) out.depth = h.depth, out.fixed = h.solid;
    });
    for (std::size_t i = layers_.size(); i-- > 0;)
      expose(tile, layers_[i], [&, &layer = layers_[i]](Sample& out, const Hit& h, const Point2& p, int s) {
        if (h.depth < out.depth)
          lay_under(out, layer, h.solid, h.depth, p, s);
        else if (h.halo < out.depth && !options_.transparent)
          add(out, stage_.theme->background, 0.85 * layer.opacity);
      });
    develop(tile, image);
  }

  void measure_ground(Tile& tile) const {
    if (!backdrop_.ground_shown()) return;
    for (int y = tile.y0; y < tile.y1; ++y)
      for (int x = tile.x0; x < tile.x1; ++x)
        for (int s = 0; s < tile.per_pixel; ++s) {
          const Point2 p = sample_point(x, y, s);
          tile.samples[tile.index(x, y) + s].depth = backdrop_.depth(p.x, p.y);
        }
  }

  // Finds the nearest surface of a layer for each sample through which something is still seen, and hands it to `take`.
  template <class Take>
  void expose(Tile& tile, const Layer& layer, const Take& take) const {
    choose(layer, layer.from_front, {tile.x0, tile.y0, tile.x1, tile.y1}, tile.here);
    if (tile.here.empty()) return;
    for (int y = tile.y0; y < tile.y1; ++y)
      for (int x = tile.x0; x < tile.x1; ++x) {
        choose(layer, tile.here, {x, y, x + 1, y + 1}, tile.in_pixel);
        if (tile.in_pixel.empty()) continue;
        for (int s = 0; s < tile.per_pixel; ++s) {
          Sample& out = tile.samples[tile.index(x, y) + s];
          if (out.left < 0.004f) continue;
          const Point2 p = sample_point(x, y, s);
          const Hit h = nearest(layer, tile.in_pixel, p, out.depth);
          if (h.solid >= 0 || h.halo < 1e300) take(out, h, p, s);
        }
      }
  }

  struct Window {
    int x0, y0, x1, y1;
  };
  static void choose(const Layer& layer, const std::vector<int>& from, const Window& w, std::vector<int>& chosen) {
    chosen.clear();
    for (const int i : from)
      if (layer.solids[i].is_in(w.x0, w.y0, w.x1, w.y1)) chosen.push_back(i);
  }

  // The nearest surface; where there is none before `behind`, the nearest halo.
  Hit nearest(const Layer& layer, const std::vector<int>& solids, const Point2& p, double behind) const {
    const Camera& c = stage_.camera;
    const double x = (p.x - c.centre.x) / c.focal, y = (p.y - c.centre.y) / c.focal;
    const auto direction = [&](const Seen& seen) { return seen.forward + x * seen.right - y * seen.up; };
    Hit h;
    for (const int i : solids) {
      const Seen& seen = layer.solids[i];
      if (seen.front > std::min(h.depth, behind)) break;
      const double t = hit(seen.prim, seen.eye, direction(seen));
      if (t > 0 && (t < h.depth || (t == h.depth && i < h.solid))) h.depth = t, h.solid = i;
    }
    if (h.depth < behind) return h;
    for (const int i : solids) {
      const Seen& seen = layer.solids[i];
      if (seen.front > std::min(h.halo, behind)) break;
      const double t = hit(seen.halo, seen.eye, direction(seen));
      if (t > 0 && t < h.halo) h.halo = t;
    }
    return h;
  }

  // Position of sample s in a pixel: a grid turned a little, so that no edge lies along it.
  Point2 sample_point(int x, int y, int s) const {
    const int i = s % n_, j = s / n_;
    const double fine = 1.0 / (n_ * n_);
    return {x + (i * n_ + j + 0.5) * fine, y + (j * n_ + (n_ - 1 - i) + 0.5) * fine};
  }

  static void add(Sample& out, const Colour& colour, double opacity) {
    out.colour += (out.left * opacity) * colour;
    out.left *= static_cast<float>(1 - opacity);
  }

  void lay_under(Sample& out, const Layer& layer, int solid, double depth, const Point2& p, int s) const {
    const Vec ray = ray_through(stage_.camera, p.x, p.y);
    const Vec at = stage_.camera.eye + depth * ray;
    const Prim& prim = layer.solids[solid].prim;
    const Vec n = prim.X_WS.R *
                  normal_at(prim, transpose_times(prim.X_WS.R, at - prim.X_WS.p), transpose_times(prim.X_WS.R, ray));
    const double facing = std::clamp(-dot(n, ray) / norm(ray), 0.0, 1.0);
    // A ghost is more opaque at its outline, where one looks through more of it.
    const double rim = prim.kind == Kind::box || prim.kind == Kind::surface ? 0 : std::pow(1 - facing, 3);
    add(out, lit(lights_, layer.crowd, layer.colour, at, n, facing, stage_.size, s),
        layer.opacity + (1 - layer.opacity) * 0.45 * rim);
  }

  // Behind the exposures come the static set and the backdrop; then the mean over each pixel.
  void develop(Tile& tile, Image& image) const {
    for (int y = tile.y0; y < tile.y1; ++y)
      for (int x = tile.x0; x < tile.x1; ++x) {
        const Colour back = options_.transparent ? Colour{} : backdrop_.colour(x + 0.5, y + 0.5);
        Colour sum;
        float cover = 0;
        for (int s = 0; s < tile.per_pixel; ++s) {
          Sample& out = tile.samples[tile.index(x, y) + s];
          if (out.fixed >= 0 && out.left > 0) lay_under(out, fixed_, out.fixed, out.depth, sample_point(x, y, s), s);
          cover += 1 - out.left;
          add(out, back, 1);
          sum += out.colour;
        }
        if (options_.transparent)
          image.cover[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x)] = cover / static_cast<float>(tile.per_pixel);
        const double w = 1.0 / tile.per_pixel;
        image.at(x, y) = {static_cast<float>(w * sum.x), static_cast<float>(w * sum.y), static_cast<float>(w * sum.z)};
      }
  }

  const Stage& stage_;
  const RasterOptions& options_;
  int n_;
  Lights lights_;
  Backdrop backdrop_;
  Layer fixed_;
  std::vector<Layer> layers_;
};

}  // namespace

Image paint(const Stage& stage, const RasterOptions& options) { return Painter(stage, options).paint(); }

}  // namespace marey::render
