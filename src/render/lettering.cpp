// Glyphs are lines and arcs in a box of height 1 above the base line, x to the right, y up.
#include "render/lettering.h"

#include <cmath>
#include <map>
#include <numbers>

namespace marey::render {
namespace {

using Path = std::vector<Point2>;

// Arc of an ellipse, angles in degrees, counter-clockwise when `to` is the larger.
struct Arc {
  double cx, cy, rx, ry, from, to;
};
struct Piece {
  Path points;
  bool starts = false;  // a new stroke
};
Piece line(Path points) { return {std::move(points), true}; }
Piece to(Path points) { return {std::move(points), false}; }
Path arc_points(const Arc& a) {
  Path path;
  constexpr int n = 20;
  for (int i = 0; i <= n; ++i) {
    const double t = (a.from + (a.to - a.from) * i / n) * std::numbers::pi / 180;
    path.push_back({a.cx + a.rx * std::cos(t), a.cy + a.ry * std::sin(t)});
  }
  return path;
}
Piece arc(const Arc& a) { return {arc_points(a), true}; }
Piece arc_on(const Arc& a) { return {arc_points(a), false}; }
// From the last point towards b, bent by c.
Path bend(const Point2& a, const Point2& c, const Point2& b) {
  Path path;
  constexpr int n = 12;
  for (int i = 0; i <= n; ++i) {
    const double t = static_cast<double>(i) / n, s = 1 - t;
    path.push_back({s * s * a.x + 2 * s * t * c.x + t * t * b.x, s * s * a.y + 2 * s * t * c.y + t * t * b.y});
  }
  return path;
}

struct Glyph {
  double advance = 0.35;
  std::vector<Path> strokes;
};
Glyph glyph(double advance, std::initializer_list<Piece> pieces) {
  Glyph g{advance, {}};
  for (const Piece& p : pieces) {
    if (p.starts) g.strokes.emplace_back();
    g.strokes.back().insert(g.strokes.back().end(), p.points.begin(), p.points.end());
  }
  return g;
}

std::map<char, Glyph> make_alphabet() {
  std::map<char, Glyph> a;
  constexpr double w = 0.8;  // all digits are equally wide
  a['0'] = glyph(w, {arc({.3, .5, .28, .5, 0, 360})});
  a['1'] = glyph(w, {line({{.1, .8}, {.34, 1}, {.34, 0}})});
  a['2'] = glyph(w, {arc({.29, .72, .26, .28, 165, -38}), to({{.03, 0}, {.58, 0}})});
  a['3'] = glyph(w, {arc({.28, .755, .23, .245, 150, -90}), arc_on({.28, .255, .27, .255, 90, -150})});
  a['4'] = glyph(w, {line({{.45, 0}, {.45, 1}, {.02, .28}, {.6, .28}})});
  a['5'] = glyph(w, {line({{.53, 1}, {.12, 1}, {.08, .55}}), arc_on({.28, .32, .29, .32, 128, -148})});
  a['6'] = glyph(w, {arc({.3, .31, .27, .31, 180, -180}), to(bend({.03, .31}, {.05, .76}, {.42, 1}))});
  a['7'] = glyph(w, {line({{.03, 1}, {.57, 1}, {.2, 0}})});
  a['8'] = glyph(w, {arc({.3, .76, .22, .24, -90, 270}), arc({.3, .26, .27, .26, 90, 450})});
  a['9'] = glyph(w, {arc({.3, .69, .27, .31, 0, 360}), to(bend({.57, .69}, {.55, .24}, {.18, 0}))});
  a['.'] = glyph(.34, {line({{.07, .03}, {.08, .03}})});
  a['-'] = glyph(.6, {line({{.06, .42}, {.44, .42}})});
  a['/'] = glyph(.56, {line({{.02, -.1}, {.38, 1.05}})});
  a['N'] = glyph(.86, {line({{.06, 0}, {.06, 1}, {.62, 0}, {.62, 1}})});
  a['='] = glyph(.8, {line({{.04, .56}, {.56, .56}}), line({{.04, .3}, {.56, .3}})});
  a['c'] = glyph(.62, {arc({.27, .34, .25, .34, 48, 312})});
  a['d'] = glyph(.7, {arc({.27, .34, .23, .34, 0, 360}), line({{.5, 1}, {.5, 0}})});
  a['g'] = glyph(
      .7, {arc({.27, .34, .23, .34, 0, 360}), line({{.5, .68}, {.5, -.08}}), arc_on({.27, -.08, .23, .22, 0, -145})});
  a['i'] = glyph(.28, {line({{.06, 0}, {.06, .68}}), line({{.06, .94}, {.06, .95}})});
  a['k'] = glyph(.6, {line({{.06, 0}, {.06, 1}}), line({{.43, .68}, {.06, .28}}), line({{.19, .42}, {.46, 0}})});
  a['m'] = glyph(.94, {line({{.05, 0}, {.05, .68}}), arc({.22, .46, .17, .22, 180, 0}), to({{.39, 0}}),
                       arc({.56, .46, .17, .22, 180, 0}), to({{.73, 0}})});
  a['r'] = glyph(.44, {line({{.06, 0}, {.06, .68}}), arc({.3, .42, .24, .26, 180, 72})});
  a['s'] = glyph(.56, {arc({.22, .51, .18, .17, 35, 270}), arc_on({.22, .17, .2, .17, 90, -150})});
  a['t'] = glyph(
      .5, {line({{.16, .94}, {.16, .16}}), arc_on({.32, .16, .16, .16, 180, 290}), line({{.0, .68}, {.38, .68}})});
  a[' '] = glyph(.42, {});
  return a;
}

const Glyph& find(char c) {
  static const std::map<char, Glyph> alphabet = make_alphabet();
  const auto it = alphabet.find(c);
  return it == alphabet.end() ? alphabet.at(' ') : it->second;
}

}  // namespace

std::vector<std::vector<Point2>> letter_strokes(const std::string& text, const Point2& at, double height) {
  std::vector<std::vector<Point2>> strokes;
  double x = at.x;
  for (const char c : text) {
    const Glyph& g = find(c);
    for (const Path& path : g.strokes) {
      std::vector<Point2> stroke;
      for (const Point2& p : path) stroke.push_back({x + height * p.x, at.y - height * p.y});
      strokes.push_back(std::move(stroke));
    }
    x += height * g.advance;
  }
  return strokes;
}

double text_width(const std::string& text, double height) {
  double width = 0;
  for (const char c : text) width += height * find(c).advance;
  return text.empty() ? 0 : width - 0.2 * height;  // less the space after the last character
}

}  // namespace marey::render
