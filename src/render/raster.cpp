// Rays from the eye through several points of each pixel, against solids given by their equations: edges are
// exact and curved surfaces smooth at any size. The picture is cut into tiles; within a tile each solid is
// tried only where its bounds fall. Of one instant only the nearest surface counts; the instants then lie
// over each other like exposures of one plate, the newest on top, each over what is older in proportion to
// its opacity. All in linear light.
#include "render/raster.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "render/shadow.h"

namespace marey::render {
namespace {

constexpr int tile = 32;  // pixels

double smooth(double low, double high, double x) {
  const double s = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

// A solid as seen from the eye: the eye and the axes of the camera in its frame S, and where in the picture
// it falls.
struct Seen {
  const Prim* prim;
  Vec eye, right, up, forward;  // in S
  Box2 box;
};

struct Layer {
  std::vector<Seen> solids;
  const std::vector<Prim>* prims;
  std::vector<Ball> balls;  // around each of prims
  Colour colour;
  double opacity;
};

struct Lights {
  Vec key;                   // unit, towards the light
  std::vector<Vec> key_fan;  // one per sample of a pixel: a light with an extent
  std::vector<Vec> sky_fan;  // directions about +z, one per sample: what is open to the room
};

// Points spread evenly over the unit disc, in an order that mixes near and far.
Point2 sunflower(int i, int n) {
  const double r = std::sqrt((i + 0.5) / n), a = i * std::numbers::pi * (3 - std::sqrt(5.0));
  return {r * std::cos(a), r * std::sin(a)};
}

Lights set_lights(const Camera& camera, int samples) {
  Lights lights;
  const Vec towards{-camera.forward.x, -camera.forward.y, 0};
  const double flat = norm(towards);
  const Vec front = flat > 1e-9 ? (1 / flat) * towards : Vec{0, 0, 0};
  const Vec key = Vec{0, 0, 0.8} - 0.42 * camera.right + 0.42 * front;
  lights.key = (1 / norm(key)) * key;
  Vec side = cross(lights.key, camera.right);
  side = (1 / norm(side)) * side;
  const Vec other = cross(lights.key, side);
  const int n = samples * samples;
  for (int i = 0; i < n; ++i) {
    const Point2 p = sunflower(i, n);
    const Vec d = lights.key + 0.22 * p.x * side + 0.22 * p.y * other;
    lights.key_fan.push_back((1 / norm(d)) * d);
    lights.sky_fan.push_back({p.x, p.y, std::sqrt(std::max(0.0, 1 - p.x * p.x - p.y * p.y))});
  }
  return lights;
}

Layer make_layer(const Camera& camera, const std::vector<Prim>& prims, const Colour& colour, double opacity) {
  Layer layer{{}, &prims, {}, colour, opacity};
  for (const Prim& p : prims) {
    const auto in_S = [&](const Vec& v) { return transpose_times(p.X_WS.R, v); };
    layer.solids.push_back({&p, in_S(camera.eye - p.X_WS.p), in_S(camera.right), in_S(camera.up),
                            in_S(camera.forward), bounds(camera, p)});
    layer.balls.push_back(bounding_ball(p));
  }
  return layer;
}

// Whether something of the layer stands in the way within a distance.
bool blocked(const Layer& layer, const Vec& from, const Vec& direction, double within) {
  for (std::size_t i = 0; i < layer.solids.size(); ++i) {
    const Ball& b = layer.balls[i];
    const Vec r = b.centre - from;
    const double along = dot(r, direction), rr = dot(r, r);
    if (along < -b.radius || rr - along * along > b.radius * b.radius || along - b.radius > within) continue;
    const Prim& p = (*layer.prims)[i];
    const double t = hit(p, transpose_times(p.X_WS.R, from - p.X_WS.p), transpose_times(p.X_WS.R, direction));
    if (t > 0 && t < within) return true;
  }
  return false;
}

class Painter {
 public:
  Painter(const Stage& stage, const RasterOptions& options)
      : stage_(stage),
        options_(options),
        n_(options.samples),
        lights_(set_lights(stage.camera, options.samples)) {
    if (options.solids) {
      fixed_ = make_layer(stage.camera, stage.fixed, stage.theme->fixed, 1);
      for (const Exposure& i : stage.instants)
        layers_.push_back(make_layer(stage.camera, i.prims, i.colour, i.opacity));
    }
    ground_shown_ = stage.ground.shown && stage.camera.eye.z > stage.ground.level;
    if (ground_shown_ && options.solids)
      shadows_ = std::make_unique<ShadowMap>(stage, lights_.key, options.threads);
  }

  Image paint() const {
    Image image(stage_.width, stage_.height);
    const int across = (stage_.width + tile - 1) / tile, down = (stage_.height + tile - 1) / tile;
    in_parallel(across * down, options_.threads,
                [&](int i) { paint_tile(image, i % across * tile, i / across * tile); });
    return image;
  }

 private:
  struct Sample {
    Colour colour;
    double depth = 1e300;  // of what is opaque: ground and set
  };
  struct Hit {
    double depth = 1e300;
    int solid = -1;
  };

  void paint_tile(Image& image, int x0, int y0) const {
    const int x1 = std::min(x0 + tile, stage_.width), y1 = std::min(y0 + tile, stage_.height), nn = n_ * n_;
    std::vector<Sample> samples(static_cast<std::size_t>(x1 - x0) * (y1 - y0) * nn);
    std::vector<Hit> hits(samples.size());
    const auto index = [&](int x, int y) {
      return (static_cast<std::size_t>(y - y0) * (x1 - x0) + (x - x0)) * nn;
    };
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const Colour back = background(x + 0.5, y + 0.5);
        for (int s = 0; s < nn; ++s) samples[index(x, y) + s] = {back, ground_depth(x, y, s)};
      }
    const auto expose = [&](const Layer& layer, bool is_set) {
      Box2 box{1e300, 1e300, -1e300, -1e300};
      for (std::size_t i = 0; i < layer.solids.size(); ++i)
        find_hits(layer, static_cast<int>(i), x0, y0, x1, y1, hits, box);
      for (int y = std::max<double>(y0, box.y0); y < std::min<double>(y1, box.y1); ++y)
        for (int x = std::max<double>(x0, box.x0); x < std::min<double>(x1, box.x1); ++x)
          for (int s = 0; s < nn; ++s) {
            Hit& h = hits[index(x, y) + s];
            Sample& out = samples[index(x, y) + s];
            if (h.solid >= 0 && h.depth < out.depth) {
              lay_over(out, layer, h, x, y, s);
              if (is_set) out.depth = h.depth;
            }
            h = {};
          }
    };
    if (options_.solids) expose(fixed_, true);
    for (const Layer& layer : layers_) expose(layer, false);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        Colour sum;
        for (int s = 0; s < nn; ++s) sum += samples[index(x, y) + s].colour;
        const double w = 1.0 / nn;
        image.at(x, y) = {static_cast<float>(w * sum.x), static_cast<float>(w * sum.y),
                          static_cast<float>(w * sum.z)};
      }
  }

  // Position of sample s in a pixel: a grid turned a little, so that no edge lies along it.
  Point2 sample_point(int x, int y, int s) const {
    const int i = s % n_, j = s / n_;
    const double fine = 1.0 / (n_ * n_);
    return {x + (i * n_ + j + 0.5) * fine, y + (j * n_ + (n_ - 1 - i) + 0.5) * fine};
  }

  void find_hits(const Layer& layer, int solid, int x0, int y0, int x1, int y1, std::vector<Hit>& hits,
                 Box2& box) const {
    const Seen& seen = layer.solids[solid];
    const int ax = std::max<double>(x0, std::floor(seen.box.x0)),
              bx = std::min<double>(x1, std::ceil(seen.box.x1));
    const int ay = std::max<double>(y0, std::floor(seen.box.y0)),
              by = std::min<double>(y1, std::ceil(seen.box.y1));
    if (ax >= bx || ay >= by) return;
    box.add({double(ax), double(ay), double(bx), double(by)});
    const int nn = n_ * n_;
    const Camera& c = stage_.camera;
    for (int y = ay; y < by; ++y)
      for (int x = ax; x < bx; ++x) {
        Hit* h = hits.data() + (static_cast<std::size_t>(y - y0) * (x1 - x0) + (x - x0)) * nn;
        for (int s = 0; s < nn; ++s) {
          const Point2 p = sample_point(x, y, s);
          const Vec d = seen.forward + ((p.x - c.centre.x) / c.focal) * seen.right -
                        ((p.y - c.centre.y) / c.focal) * seen.up;
          const double t = hit(*seen.prim, seen.eye, d);
          if (t > 0 && t < h[s].depth) h[s] = {t, solid};
        }
      }
  }

  void lay_over(Sample& out, const Layer& layer, const Hit& h, int x, int y, int s) const {
    const Point2 p = sample_point(x, y, s);
    const Vec ray = ray_through(stage_.camera, p.x, p.y);
    const Vec at = stage_.camera.eye + h.depth * ray;
    const Prim& prim = (*layer.prims)[h.solid];
    const Vec n = prim.X_WS.R * normal_at(prim, transpose_times(prim.X_WS.R, at - prim.X_WS.p));
    const double facing = std::clamp(-dot(n, ray) / norm(ray), 0.0, 1.0);
    const Colour lit = light(layer, at, n, facing, s);
    // A ghost is firmer at its outline, where one looks through more of it.
    const double rim = prim.kind == Kind::box ? 0 : std::pow(1 - facing, 3);
    out.colour = mix(out.colour, lit, layer.opacity + (1 - layer.opacity) * 0.45 * rim);
  }

  Colour light(const Layer& layer, const Vec& at, const Vec& n, double facing, int s) const {
    const double off = 1e-4 * stage_.size;
    const Vec from = at + off * n;
    const double lambert = dot(n, lights_.key);
    double key = smooth(-0.25, 1.0, lambert);  // wrapped: soft at the terminator
    if (lambert > 0 && blocked(layer, from, lights_.key_fan[s], 1e300)) key *= 0.25;
    const Vec towards_sky = about(n, lights_.sky_fan[s]);
    const double open = blocked(layer, from, towards_sky, 0.16 * stage_.size) ? 0.35 : 1.0;
    const double sky = 0.75 + 0.25 * n.z;
    const double outline = 1 - 0.45 * std::pow(1 - facing, 4);
    return (outline * (0.42 * sky * open + 0.66 * key)) * layer.colour;
  }

  // A direction given about z, turned to stand about n.
  static Vec about(const Vec& n, const Vec& d) {
    const double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
    const Vec u{1 + sign * n.x * n.x * a, sign * b, -sign * n.x}, v{b, sign + n.y * n.y * a, -n.y};
    return d.x * u + d.y * v + d.z * n;
  }

  double ground_depth(int x, int y, int s) const {
    if (!ground_shown_) return 1e300;
    const Point2 p = sample_point(x, y, s);
    const double fall = ray_through(stage_.camera, p.x, p.y).z;
    return fall < -1e-9 ? (stage_.ground.level - stage_.camera.eye.z) / fall : 1e300;
  }

  // Where a ray through a point of the picture meets the ground, as seen from the middle of the motion.
  bool on_ground(double x, double y, Point2& out) const {
    const Vec d = ray_through(stage_.camera, x, y);
    if (d.z > -1e-6) return false;
    const double t = (stage_.ground.level - stage_.camera.eye.z) / d.z;
    out = {stage_.camera.eye.x + t * d.x, stage_.camera.eye.y + t * d.y};
    return true;
  }

  Colour background(double x, double y) const {
    const Theme& theme = *stage_.theme;
    Point2 p, px, py;
    if (!ground_shown_ || !on_ground(x, y, p) || !on_ground(x + 1, y, px) || !on_ground(x, y + 1, py))
      return theme.background;
    const Ground& g = stage_.ground;
    const double away = std::hypot(p.x - g.middle.x, p.y - g.middle.y) / g.radius;
    const double near = 1 - smooth(0.55, 1.9, away);
    if (near <= 0) return theme.background;
    Colour c = mix(theme.background, theme.ground, near);
    c = mix(c, theme.grid, near * grid_cover(p, px, py));
    if (shadows_) c = mix(c, theme.shadow, 0.85 * near * shadows_->at(p.x, p.y));
    return c;
  }

  // Part of a pixel covered by grid lines about one pixel wide; where lines crowd towards the horizon they
  // fade.
  double grid_cover(const Point2& p, const Point2& px, const Point2& py) const {
    const double s = stage_.ground.spacing;
    const auto lines = [&](double at, double foot) {
      const double cell = at / s, off = std::abs(cell - std::round(cell)) * s;
      const double wide = 0.0011 * std::min(stage_.width, stage_.height);
      const double crowd = smooth(0.08, 0.3, foot / s);
      return (1 - crowd) * std::clamp(0.5 * std::max(1.0, wide) + 0.5 - off / foot, 0.0, 1.0) *
             std::min(1.0, wide);
    };
    const double fx = std::hypot(px.x - p.x, py.x - p.x), fy = std::hypot(px.y - p.y, py.y - p.y);
    return std::max(lines(p.x, fx), lines(p.y, fy));
  }

  const Stage& stage_;
  const RasterOptions& options_;
  int n_;
  Lights lights_;
  Layer fixed_{};
  std::vector<Layer> layers_;
  bool ground_shown_ = false;
  std::unique_ptr<ShadowMap> shadows_;
};

}  // namespace

Image paint(const Stage& stage, const RasterOptions& options) { return Painter(stage, options).paint(); }

}  // namespace marey::render
