// An arrow of a force F that acts at p goes from p to p + F / s, where s is so many newtons to the metre, the same for all arrows of a
// picture or film; of a momentum, from the centre of mass. s is chosen by the median over time of the largest at each instant, which a
// blow that is over at once does not make small; for momentum, which knows no blows, by the largest. What is longer than `longest` of the
// figure's size is broken off there, and drawn so.
#include "render/arrows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace marey::render {
namespace {

constexpr double usual = 0.35, longest = 1.1, longest_momentum = 0.6;  // of the figure's size
constexpr double rounding = 1e-9;                                      // of the largest force of all
constexpr double shortest = 0.004;                                     // what is shorter is not seen

Colour colour_of(const Theme& theme, ArrowKind kind) {
  if (kind == ArrowKind::force) return from_hex(theme.dark ? 0xffb000 : 0xc2410c);
  return from_hex(theme.dark ? 0x2dd4bf : 0x0f766e);
}

// Times go on where there are several frames: between them what is smooth is in between, and of forces, which may come and go, those of
// the nearest frame are there.
struct Between {
  std::size_t before = 0, after = 0;
  double part = 0;
};
Between frames_at(const std::vector<double>& times, double t) {
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(times, t) - times.begin());
  const std::size_t after = std::min(next, times.size() - 1), before = next == 0 ? 0 : next - 1;
  const double step = times[after] - times[before];
  return {before, after, step > 0 ? std::clamp((t - times[before]) / step, 0.0, 1.0) : 0};
}
Vec in_between(const std::vector<Vec>& values, const Between& b) {
  return values[b.before] + b.part * (values[b.after] - values[b.before]);
}

double round_up_125(double x) {
  const double down = round_down_125(x);
  return down >= x * (1 - 1e-9) ? down : round_down_125(2.5 * down * (1 + 1e-9));
}

// So many to the metre that the median of what is not zero has the usual length; 0 where there is nothing.
double scale_of(std::vector<double> sizes, double figure) {
  const double most = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  std::erase_if(sizes, [&](double x) { return !(x > rounding * most); });
  if (sizes.empty()) return 0;
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  return round_up_125(sizes[sizes.size() / 2] / (usual * figure));
}

std::vector<std::size_t> frames_on(const Stage& stage, const PictureScene& scene) {
  std::vector<std::size_t> frames;
  const double first = stage.instants.front().t, last = stage.instants.back().t;
  const Between from = frames_at(scene.times, first), to = frames_at(scene.times, last);
  for (std::size_t f = from.before; f <= to.after; ++f) frames.push_back(f);
  return frames;
}

void add_arrow(const Stage& stage, Exposure& instant, const Vec& from, const Vec& value, double scale, ArrowKind kind) {
  if (!(scale > 0)) return;
  const double length = norm(value) / scale;
  if (!(length > shortest * stage.size) || !std::isfinite(length)) return;
  const bool broken = length > longest * stage.size;
  const Vec along = (1 / scale) * (broken ? longest * stage.size / length : 1) * value;
  instant.arrows.push_back({from, from + along, broken, kind});
}

// A shaft and two barbs; of one that is broken off, two strokes across in its middle.
std::vector<std::vector<Point2>> lines_of(const Camera& camera, const Arrow& arrow, double barb) {
  const Point2 a = project(camera, arrow.from), b = project(camera, arrow.to);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 1e-9)) return {{a}};
  const double ux = (b.x - a.x) / length, uy = (b.y - a.y) / length, back = std::min(barb, 0.5 * length);
  const auto beside = [&](const Point2& at, double along, double across) {
    return Point2{at.x + along * ux - across * uy, at.y + along * uy + across * ux};
  };
  std::vector<std::vector<Point2>> lines{{a, b}, {beside(b, -back, 0.5 * back), b, beside(b, -back, -0.5 * back)}};
  const Point2 middle{0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
  if (arrow.broken)
    for (const double at : {-0.25 * back, 0.25 * back})
      lines.push_back({beside(middle, at - 0.2 * back, 0.5 * back), beside(middle, at + 0.2 * back, -0.5 * back)});
  return lines;
}

// A ring around a dot.
std::vector<Point2> circle(const Point2& middle, double radius) {
  std::vector<Point2> points;
  constexpr int n = 20;
  for (int i = 0; i <= n; ++i) {
    const double a = 2 * std::numbers::pi * i / n;
    points.push_back({middle.x + radius * std::cos(a), middle.y + radius * std::sin(a)});
  }
  return points;
}

}  // namespace

ArrowScale arrow_scale(const Stage& stage, const PictureScene& scene) {
  std::vector<double> forces, momenta;
  for (const std::size_t frame : frames_on(stage, scene)) {
    if (!scene.forces.empty()) {
      double most = 0;
      for (const PictureForce& f : scene.forces[frame]) most = std::max(most, norm(f.f_W));
      forces.push_back(most);
    }
    if (!scene.momenta.empty()) momenta.push_back(norm(scene.momenta[frame]));
  }
  const double largest = momenta.empty() ? 0 : *std::ranges::max_element(momenta);
  return {scale_of(forces, stage.size), largest > 0 ? round_up_125(largest / (longest_momentum * stage.size)) : 0};
}

void place_arrows(Stage& stage, const PictureScene& scene) {
  for (Exposure& instant : stage.instants) {
    const Between b = frames_at(scene.times, instant.t);
    if (!scene.forces.empty())
      for (const PictureForce& f : scene.forces[b.part < 0.5 ? b.before : b.after])
        add_arrow(stage, instant, f.p_WoQ_W, f.f_W, stage.arrow_scale.force, ArrowKind::force);
    if (scene.centers_of_mass.empty()) continue;
    const Vec center = in_between(scene.centers_of_mass, b);
    if (scene.marks_center) instant.centers.push_back(center);
    if (!scene.momenta.empty())
      add_arrow(stage, instant, center, in_between(scene.momenta, b), stage.arrow_scale.momentum, ArrowKind::momentum);
  }
}

void lay_path_of_center(Stage& stage, const PictureScene& scene) {
  if (!scene.marks_center) return;
  const double t0 = stage.instants.front().t, t1 = stage.instants.back().t;
  if (!(t1 > t0)) return;
  add_trail(stage, [&](double t) { return in_between(scene.centers_of_mass, frames_at(scene.times, t)); });
  stage.trails.back().inside = true;
}

std::vector<Stroke> arrow_strokes(const Stage& stage) {
  const double unit = std::max<double>(std::min(stage.width, stage.height), 0.55 * std::max(stage.width, stage.height));
  const double width = std::max(1.2, 0.0030 * unit), barb = 0.018 * unit, ring = std::max(3.0, 0.0075 * unit);
  const Theme& theme = *stage.theme;
  std::vector<Stroke> strokes;
  for (const Exposure& i : stage.instants) {
    for (const Arrow& arrow : i.arrows)
      for (const bool halo : {true, false})
        for (std::vector<Point2>& line : lines_of(stage.camera, arrow, barb))
          strokes.push_back({std::move(line), halo ? 2.2 * width : width,
                             halo ? theme.background : colour_of(theme, arrow.kind), halo ? 0.6 : i.opacity});
    for (const Vec& center : i.centers) {
      const Point2 at = project(stage.camera, center);
      strokes.push_back({{at}, 2 * ring, theme.background, 0.8});
      strokes.push_back({circle(at, ring), 0.3 * ring, theme.ink, i.opacity});
      strokes.push_back({{at}, 0.9 * ring, theme.ink, i.opacity});
    }
  }
  return strokes;
}

std::vector<std::pair<std::string, Colour>> words_for_arrows(const Stage& stage) {
  std::vector<std::pair<std::string, Colour>> words;
  const auto add = [&](double scale, const char* unit, ArrowKind kind) {
    if (scale > 0) words.emplace_back(fmt::format("1 m = {} {}", scale, unit), colour_of(*stage.theme, kind));
  };
  add(stage.arrow_scale.force, "N", ArrowKind::force);
  add(stage.arrow_scale.momentum, "kg m/s", ArrowKind::momentum);
  return words;
}

}  // namespace marey::render
