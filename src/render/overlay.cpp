#include "render/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "render/arrows.h"
#include "render/lettering.h"
#include "render/names.h"
#include "render/surface.h"

namespace marey::render {
namespace {

constexpr double pi = std::numbers::pi;

bool hidden(const Camera& camera, const std::vector<Prim>& prims, const Vec& point, double slack) {
  const Vec d = point - camera.eye;
  const double length = norm(d);
  for (const Prim& p : prims) {
    const double t = hit(p, transpose_times(p.X_WS.R, camera.eye - p.X_WS.p), transpose_times(p.X_WS.R, d));
    if (t > 0 && t * length < length - slack) return true;
  }
  return false;
}

using Line3 = std::vector<Vec>;  // in S

Line3 ring(double rx, double ry, double z) {
  Line3 line;
  constexpr int n = 32;
  for (int i = 0; i <= n; ++i) line.push_back({rx * std::cos(2 * pi * i / n), ry * std::sin(2 * pi * i / n), z});
  return line;
}

std::vector<Line3> box_lines(const Vec& h) {
  std::vector<Line3> lines;
  for (const double z : {-h.z, h.z})
    lines.push_back({{-h.x, -h.y, z}, {h.x, -h.y, z}, {h.x, h.y, z}, {-h.x, h.y, z}, {-h.x, -h.y, z}});
  for (const double x : {-h.x, h.x})
    for (const double y : {-h.y, h.y}) lines.push_back({{x, y, -h.z}, {x, y, h.z}});
  return lines;
}

// Solids of revolution, and ellipsoids: rings across z at (radius factor, z), meridians through them.
std::vector<Line3> round_lines(double rx, double ry, const std::vector<Point2>& profile,
                               const std::vector<std::size_t>& rings) {
  constexpr int meridians = 8;
  std::vector<Line3> lines;
  lines.reserve(rings.size() + meridians);
  for (const std::size_t i : rings) lines.push_back(ring(rx * profile[i].x, ry * profile[i].x, profile[i].y));
  for (int k = 0; k < meridians; ++k) {
    const double a = 2 * pi * k / meridians;
    Line3 line;
    for (const Point2& p : profile) line.push_back({rx * p.x * std::cos(a), ry * p.x * std::sin(a), p.y});
    lines.push_back(std::move(line));
  }
  return lines;
}

// Its edges; of a surface without such, all sides of its triangles.
std::vector<Line3> surface_lines(const Surface& s) {
  std::vector<Line3> lines;
  for (const auto& [a, b] : s.edges) lines.push_back({a, b});
  if (!lines.empty()) return lines;
  for (const auto& t : s.mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = t[index(k)], b = t[index((k + 1) % 3)];
      if (a < b) lines.push_back({s.mesh.vertices[index(a)], s.mesh.vertices[index(b)]});
    }
  return lines;
}

std::vector<Line3> solid_lines(const Prim& prim) {
  const Vec& h = prim.half;
  std::vector<Point2> profile;  // x: fraction of the full radius, y: height z
  switch (prim.kind) {
    case Kind::box:
      return box_lines(h);
    case Kind::cylinder:
      return round_lines(h.x, h.x, {{1, -h.z}, {1, h.z}}, {0, 1});
    case Kind::ellipsoid:
      for (int i = 0; i <= 12; ++i) profile.push_back({std::sin(pi * i / 12), -h.z * std::cos(pi * i / 12)});
      return round_lines(h.x, h.y, profile, {3, 6, 9});
    case Kind::capsule:
      for (int i = 0; i <= 6; ++i) profile.push_back({std::sin(pi * i / 12), -h.z - h.x * std::cos(pi * i / 12)});
      for (int i = 6; i <= 12; ++i) profile.push_back({std::sin(pi * i / 12), h.z - h.x * std::cos(pi * i / 12)});
      return round_lines(h.x, h.x, profile, {6, 7});
    case Kind::cone:
      return round_lines(h.x, h.x, {{1, -h.z}, {0, h.z}}, {0});
    case Kind::surface:
      return surface_lines(*prim.surface);
  }
  return {};
}

// Decimals needed to tell neighbouring instants apart.
int decimals_for(const std::vector<Exposure>& instants) {
  for (int d = 0; d < 3; ++d) {
    const double unit = std::pow(10, -d);
    const bool exact = std::all_of(instants.begin(), instants.end(), [&](const Exposure& i) {
      return std::abs(i.t / unit - std::round(i.t / unit)) < 1e-6;
    });
    if (exact) return d;
  }
  const double step = instants.size() < 2 ? 1 : (instants.back().t - instants.front().t) / (instants.size() - 1);
  return std::clamp(static_cast<int>(std::ceil(-std::log10(0.12 * std::max(step, 1e-9)))), 1, 5);
}

std::string time_text(double t, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, t == 0 ? 0.0 : t);
  return text;
}

// The unit for letters and lines: the shorter edge, but not too small in a long strip.
double label_unit(const Stage& stage) {
  return std::max<double>(std::min(stage.width, stage.height), 0.55 * std::max(stage.width, stage.height));
}

// In the lower right corner, one over the other: how long the arrows are, and how large the grid.
void add_sizes(const Stage& stage, double base, double height, double edge, Overlay& over) {
  const auto add = [&](const std::string& text, const Colour& colour) {
    over.labels.push_back({text, {stage.width - edge - text_width(text, height), base}, height, colour});
    base -= 1.9 * height;
  };
  if (stage.ground.shown && stage.camera.forward.z < 0)
    add("grid " + short_length(stage.ground.spacing), stage.theme->faint_ink);
  for (const auto& [text, colour] : words_for_arrows(stage)) add(text, colour);
}

}  // namespace

std::vector<Stroke> trail_strokes(const Stage& stage) {
  std::vector<Stroke> strokes;
  const double width = 0.0022 * label_unit(stage);
  for (const Trail& trail : stage.trails) {
    Stroke* open = nullptr;
    for (std::size_t i = 0; i + 1 < trail.points.size(); ++i) {
      const bool behind =
          !trail.inside && (hidden(stage.camera, stage.instants.back().prims, trail.points[i], 0.02 * stage.size) ||
                            hidden(stage.camera, stage.fixed, trail.points[i], 0.02 * stage.size));
      if (behind) {
        open = nullptr;
        continue;
      }
      const Point2 a = project(stage.camera, trail.points[i]), b = project(stage.camera, trail.points[i + 1]);
      // One stroke for a dozen points: the colour changes along the trail.
      if (!open || open->points.size() > 12) {
        const Colour colour = ramp_colour(*stage.theme, trail.u[i]);
        strokes.push_back({{a}, width, mix(colour, stage.theme->ink, 0.35), 0.9});
        open = &strokes.back();
      }
      open->points.push_back(b);
    }
  }
  return strokes;
}

std::vector<Stroke> wire_strokes(const Stage& stage, const std::vector<Prim>& prims, const Colour& colour,
                                 double opacity, double width) {
  std::vector<Stroke> strokes;
  for (const Prim& prim : prims)
    for (const Line3& line : solid_lines(prim)) {
      Stroke stroke{{}, width, colour, opacity};
      for (const Vec& p : line) stroke.points.push_back(project(stage.camera, prim.X_WS * p));
      strokes.push_back(std::move(stroke));
    }
  return strokes;
}

std::vector<Stroke> felt_strokes(const Stage& stage) {
  const double width = 0.0011 * std::min(stage.width, stage.height);
  std::vector<Stroke> strokes = wire_strokes(stage, stage.felt, stage.theme->fixed, 0.7, width);
  for (const Exposure& i : stage.instants)
    for (Stroke& s : wire_strokes(stage, i.felt, i.colour, i.opacity, width)) strokes.push_back(std::move(s));
  return strokes;
}

Overlay time_rule(const Stage& stage) {
  Overlay over;
  const Theme& theme = *stage.theme;
  const double unit = label_unit(stage), edge = 0.06 * unit, height = 0.0135 * unit;
  const double y = stage.height - 0.062 * unit, x0 = edge, x1 = edge + 0.44 * (stage.width - 2 * edge);
  const double base = y + 2.4 * height, dot = 0.0085 * unit;
  const auto& instants = stage.instants;
  const int decimals = decimals_for(instants);
  const double t0 = instants.front().t, t1 = instants.back().t;
  const auto place = [&](double t) { return t1 > t0 ? x0 + (x1 - x0) * (t - t0) / (t1 - t0) : x0; };

  if (instants.size() > 1) over.strokes.push_back({{{x0, y}, {x1, y}}, 1, theme.faint_ink, 0.5});
  for (const Exposure& i : instants) over.strokes.push_back({{{place(i.t), y}}, dot, ramp_colour(theme, i.u), 1});

  // Times from left to right as long as they do not touch; always the last one, with the unit.
  const std::string last = time_text(t1, decimals) + " s";
  const double number_width = text_width(time_text(t1, decimals), height);
  const double last_left = instants.size() > 1 ? place(t1) - 0.5 * number_width : x0 - 0.5 * dot;
  double free_from = -1e9;
  for (std::size_t i = 0; i + 1 < instants.size(); ++i) {
    const std::string text = time_text(instants[i].t, decimals);
    const double w = text_width(text, height), left = place(instants[i].t) - 0.5 * w;
    if (left < free_from || left + w + 1.6 * height > last_left) continue;
    over.labels.push_back({text, {left, base}, height, theme.faint_ink});
    free_from = left + w + 1.6 * height;
  }
  over.labels.push_back({last, {last_left, base}, height, theme.faint_ink});

  add_sizes(stage, base, height, edge, over);
  return over;
}

Overlay film_clock(const Stage& stage, double t, int decimals, int number) {
  Overlay over;
  const double unit = label_unit(stage), edge = 0.06 * unit, height = 0.02 * unit, base = stage.height - edge;
  const std::string time = time_text(t, decimals) + " s";
  over.labels.push_back({time, {edge, base}, height, stage.theme->faint_ink});
  if (number >= 0)
    over.labels.push_back(
        {std::to_string(number), {edge + text_width(time + "   ", height), base}, height, stage.theme->faint_ink});
  add_sizes(stage, base, 0.0135 * unit, edge, over);
  return over;
}

}  // namespace marey::render
