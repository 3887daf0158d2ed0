// Each solid is its outline, filled by a gradient that carries the light across it: along the direction
// `side` in the picture the normal of a round body runs through cos a towards the eye + sin a side, so the shade
// at (1 + sin a)/2 of the way is that of this normal. Flat faces are filled evenly. Farther solids first; one
// group for each instant.
#include "render/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "render/arrows.h"
#include "render/lettering.h"
#include "render/lighting.h"
#include "render/outline.h"
#include "render/overlay.h"

namespace marey::render {
namespace {

std::string fixed_point(double x, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  std::string s = text;
  if (s.find('.') != std::string::npos) {
    while (s.back() == '0') s.pop_back();
    if (s.back() == '.') s.pop_back();
  }
  return s == "-0" ? "0" : s;
}
std::string px(double x) { return fixed_point(x, 1); }
std::string part(double x) { return fixed_point(x, 3); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n')
      out += c;
  }
  return out;
}

std::string path_of(const std::vector<Point2>& points, bool closed) {
  std::string d;
  for (std::size_t i = 0; i < points.size(); ++i)
    d += fmt::format("{}{},{}", i == 0 ? "M" : i == 1 ? "L" : " ", px(points[i].x), px(points[i].y));
  return closed ? d + "Z" : d;
}

class SvgPainter {
 public:
  SvgPainter(const Stage& stage, const StrobeOptions& options)
      : stage_(stage),
        options_(options),
        theme_(*stage.theme),
        camera_(stage.camera),
        lights_(set_lights(camera_, 1)) {}

  std::string paint(const std::string& title) {
    const std::string w = std::to_string(stage_.width), h = std::to_string(stage_.height);
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << w << "\" height=\"" << h << "\" viewBox=\"0 0 " << w
         << ' ' << h << "\">\n<title>" << escaped(title) << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\""
         << to_hex(theme_.background) << "\"/>\n";
    if (stage_.ground.shown && camera_.eye.z > stage_.ground.level) ground();
    group("set", stage_.fixed, theme_.fixed, 1);
    for (std::size_t i = 0; i < stage_.instants.size(); ++i) {
      if (i + 1 == stage_.instants.size() && !options_.wire) strokes(trail_strokes(stage_));
      const Exposure& e = stage_.instants[i];
      group(fmt::format("t{}", i), e.prims, e.colour, e.opacity);
    }
    strokes(felt_strokes(stage_));
    if (options_.wire) strokes(trail_strokes(stage_));
    strokes(arrow_strokes(stage_));
    if (options_.labels) labels(time_rule(stage_));
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  // Shade of a surface with normal n in the open.
  std::string shade(const Colour& colour, const Vec& n, const Vec& to_eye) {
    static const std::vector<Prim> nobody;
    const double facing = std::clamp(dot(n, to_eye), 0.0, 1.0);
    return to_hex(lit(lights_, crowd_of(nobody), colour, {}, n, facing, 1, 0));
  }

  void group(const std::string& id, const std::vector<Prim>& prims, const Colour& colour, double opacity) {
    if (prims.empty()) return;
    if (options_.wire) {
      strokes(wire_strokes(stage_, prims, colour, opacity, 0.0012 * std::min(stage_.width, stage_.height)));
      return;
    }
    std::vector<const Prim*> order;
    order.reserve(prims.size());
    for (const Prim& p : prims) order.push_back(&p);
    std::stable_sort(order.begin(), order.end(), [&](const Prim* a, const Prim* b) {
      return depth(camera_, a->X_WS.p) > depth(camera_, b->X_WS.p);
    });
    std::string all;
    for (const Prim* p : order) all += path_of(outline(camera_, *p), true);
    const double halo = 0.0044 * std::min(stage_.width, stage_.height);
    out_ << "<g id=\"" << id << "\" opacity=\"" << part(opacity) << "\">\n<path d=\"" << all
         << "\" fill=\"none\" stroke=\"" << to_hex(theme_.background)
         << "\" stroke-opacity=\"0.85\" stroke-linejoin=\"round\" stroke-width=\"" << px(halo) << "\"/>\n";
    for (const Prim* p : order) solid(*p, colour);
    out_ << "</g>\n";
  }

  void solid(const Prim& p, const Colour& colour) {
    const Vec line = camera_.eye - p.X_WS.p;
    const Vec to_eye = (1 / norm(line)) * line;
    const Polygon shape = outline(camera_, p);
    if (shape.size() < 3) return;
    if (p.kind != Kind::box && p.kind != Kind::surface) {
      const std::string fill = gradient(p, shape, colour, to_eye);
      out_ << "<path d=\"" << path_of(shape, true) << "\" fill=\"url(#" << fill << ")\"/>\n";
    }
    for (const Face& face : visible_faces(camera_, p)) {
      const std::string flat = shade(colour, face.normal, to_eye);
      out_ << "<path d=\"" << path_of(face.polygon, true) << "\" fill=\"" << flat << "\" stroke=\"" << flat
           << "\" stroke-width=\"0.6\" stroke-linejoin=\"round\"/>\n";
    }
  }

  // Across the axis for a long solid; else along the light.
  std::string gradient(const Prim& p, const Polygon& shape, const Colour& colour, const Vec& to_eye) {
    const Vec axis = p.X_WS.R * Vec{0, 0, 1};
    Vec side = p.kind == Kind::ellipsoid ? lights_.key - dot(lights_.key, to_eye) * to_eye : cross(axis, to_eye);
    if (norm(side) < 1e-6) side = camera_.up;
    side = (1 / norm(side)) * side;
    // In the picture: from the least to the greatest extent of the outline along it.
    double dx = dot(side, camera_.right), dy = -dot(side, camera_.up);
    const double flat = std::max(1e-9, std::hypot(dx, dy));
    dx /= flat, dy /= flat;
    const Point2 middle = project(camera_, p.X_WS.p);
    double low = 1e300, high = -1e300;
    for (const Point2& q : shape) {
      const double s = (q.x - middle.x) * dx + (q.y - middle.y) * dy;
      low = std::min(low, s), high = std::max(high, s);
    }
    std::string id = fmt::format("g{}", next_gradient_++);
    out_ << "<linearGradient id=\"" << id << "\" gradientUnits=\"userSpaceOnUse\" x1=\"" << px(middle.x + low * dx)
         << "\" y1=\"" << px(middle.y + low * dy) << "\" x2=\"" << px(middle.x + high * dx) << "\" y2=\""
         << px(middle.y + high * dy) << "\">";
    for (const double sine : {-0.98, -0.8, -0.4, 0.0, 0.4, 0.8, 0.98}) {
      const Vec n = std::sqrt(1 - sine * sine) * to_eye + sine * side;
      out_ << "<stop offset=\"" << part(0.5 + 0.5 * sine) << "\" stop-color=\"" << shade(colour, n, to_eye) << "\"/>";
    }
    out_ << "</linearGradient>\n";
    return id;
  }

  void ground() {
    const Ground& g = stage_.ground;
    const double rim = 2.0 * g.radius;
    // The disc of the ground in the picture, as an ellipse: what lies outside fades.
    const Point2 o = project(camera_, g.middle);
    const Vec back{-camera_.right.y, camera_.right.x, 0};
    const Point2 a = project(camera_, g.middle + 0.5 * rim * camera_.right);
    const Point2 b = project(camera_, g.middle + 0.5 * rim * back);
    out_ << "<radialGradient id=\"fade\" gradientUnits=\"userSpaceOnUse\" cx=\"0\" cy=\"0\" r=\"2\" "
            "gradientTransform=\"matrix("
         << px(a.x - o.x) << ' ' << px(a.y - o.y) << ' ' << px(b.x - o.x) << ' ' << px(b.y - o.y) << ' ' << px(o.x)
         << ' ' << px(o.y) << ")\"><stop offset=\"0.2\" stop-color=\"#fff\"/><stop offset=\"0.6\" stop-color=\"#888\"/>"
         << "<stop offset=\"1\" stop-color=\"#000\"/></radialGradient>\n<mask id=\"near\"><path d=\"" << horizon()
         << "\" fill=\"url(#fade)\"/></mask>\n<g mask=\"url(#near)\">\n<path d=\"" << horizon() << "\" fill=\""
         << to_hex(theme_.ground) << "\"/>\n<path d=\"" << grid(rim) << "\" fill=\"none\" stroke=\""
         << to_hex(theme_.grid) << "\" stroke-width=\"1\"/>\n";
    if (!options_.wire) shadows();
    out_ << "</g>\n";
  }

  // All of the picture below the horizon.
  std::string horizon() const {
    const double rise = camera_.up.z > 1e-9 ? camera_.focal * camera_.forward.z / camera_.up.z : 0;
    const double y = std::clamp(camera_.centre.y + rise, 0.0, static_cast<double>(stage_.height));
    return fmt::format("M0,{}H{}V{}H0Z", px(y), stage_.width, stage_.height);
  }

  std::string grid(double rim) const {
    const Ground& g = stage_.ground;
    std::string d;
    const auto line = [&](Vec from, Vec to) {
      // Cut off what lies behind the eye.
      constexpr double closest = 1e-3;
      double zf = depth(camera_, from), zt = depth(camera_, to);
      if (zf < closest && zt < closest) return;
      if (zf < closest) from = from + ((closest - zf) / (zt - zf)) * (to - from);
      if (zt < closest) to = to + ((closest - zt) / (zf - zt)) * (from - to);
      const Point2 a = project(camera_, from), b = project(camera_, to);
      d += fmt::format("M{},{}L{},{}", px(a.x), px(a.y), px(b.x), px(b.y));
    };
    const int n = static_cast<int>(rim / g.spacing);
    const double cx = std::round(g.middle.x / g.spacing), cy = std::round(g.middle.y / g.spacing);
    for (int i = -n; i <= n; ++i) {
      const double x = (cx + i) * g.spacing, y = (cy + i) * g.spacing;
      line({x, g.middle.y - rim, g.level}, {x, g.middle.y + rim, g.level});
      line({g.middle.x - rim, y, g.level}, {g.middle.x + rim, y, g.level});
    }
    return d;
  }

  void shadows() {
    const Ground& g = stage_.ground;
    out_ << "<filter id=\"soft\" color-interpolation-filters=\"sRGB\"><feGaussianBlur stdDeviation=\""
         << px(0.008 * stage_.width) << "\"/></filter>\n<g filter=\"url(#soft)\" fill=\"" << to_hex(theme_.shadow)
         << "\">\n";
    const auto cast = [&](const Prim& p, double opacity) {
      const double height = p.X_WS.p.z - g.level, strength = opacity * 0.8 * std::exp(-height / (0.3 * stage_.size));
      if (height < 0 || strength < 0.03) return;
      std::vector<Point2> flat;
      for (const Vec& q : outline_points(p, p.X_WS.p + 1e6 * stage_.size * lights_.key, 20)) {
        const Vec s = q - ((q.z - g.level) / lights_.key.z) * lights_.key;
        if (depth(camera_, s) > 0) flat.push_back(project(camera_, s));
      }
      out_ << "<path d=\"" << path_of(convex_hull(flat), true) << "\" opacity=\"" << part(strength) << "\"/>\n";
    };
    for (const Exposure& e : stage_.instants)
      for (const Prim& p : e.prims) cast(p, e.opacity);
    for (const Prim& p : stage_.fixed) cast(p, 1);
    out_ << "</g>\n";
  }

  void strokes(const std::vector<Stroke>& strokes) {
    if (strokes.empty()) return;
    out_ << "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n";
    for (const Stroke& s : strokes) {
      std::vector<Point2> points = s.points;
      if (points.size() == 1) points.push_back(points[0]);
      out_ << "<path d=\"" << path_of(points, false) << "\" stroke=\"" << to_hex(s.colour) << "\" stroke-width=\""
           << fixed_point(s.width, 2) << "\"";
      if (s.opacity < 1) out_ << " opacity=\"" << part(s.opacity) << "\"";
      out_ << "/>\n";
    }
    out_ << "</g>\n";
  }

  // Letters are strokes here too, so that the picture looks the same everywhere; the text itself stays
  // readable.
  void labels(const Overlay& over) {
    strokes(over.strokes);
    for (const Label& l : over.labels) {
      std::string d;
      for (const auto& points : letter_strokes(l.text, l.at, l.height)) d += path_of(points, false);
      out_ << "<path aria-label=\"" << escaped(l.text) << "\" d=\"" << d << "\" fill=\"none\" stroke=\""
           << to_hex(l.colour) << "\" stroke-width=\"" << fixed_point(std::max(1.0, 0.11 * l.height), 2)
           << "\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n";
    }
  }

  const Stage& stage_;
  const StrobeOptions& options_;
  const Theme& theme_;
  const Camera& camera_;
  Lights lights_;
  std::ostringstream out_;
  int next_gradient_ = 0;
};

}  // namespace

void draw_svg(const Stage& stage, const StrobeOptions& options, const std::string& title, const std::string& file) {
  const std::string text = SvgPainter(stage, options).paint(title);
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(ErrorKind::file_trouble, file + ": cannot be written: " + std::strerror(errno ? errno : EIO));
}

}  // namespace marey::render
