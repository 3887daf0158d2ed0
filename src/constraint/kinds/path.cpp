// Bo on a curve of A: an ellipse in its xy-plane, or a spline.
#include <fmt/core.h>

#include <cmath>

#include "constraint/curves.h"
#include "constraint/descriptor.h"
#include "constraint/path_crossing.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

// A vector made a unit, and its derivatives.
struct Unit {
  Vec3<double> n, d1, d2;
};
Unit unit_of(const Vec& m, const Vec& m1, const Vec& m2) {
  const double l = norm(m);
  const Vec3<double> n = (1 / l) * m;
  const double l1 = dot(n, m1);
  const Vec3<double> n1 = (1 / l) * (m1 - l1 * n);
  const double l2 = dot(n1, m1) + dot(n, m2);
  return {n, n1, (1 / l) * (m2 - l2 * n - 2.0 * l1 * n1)};
}

// Two normals n of the path at the foot s(x) of Bo, where F = (x − C) · C′ = 0; φ = n(s) · e with e = x − C(s). s and
// its rates follow from F, Ḟ, F̈ = 0.
std::array<PlaceRow, 2> beside_spline(const Ends& e, const SplinePath& path) {
  const double s = nearest_on(path, e.x);
  const CurvePoint c = curve_at(path, s);
  const Vec3<double> off = e.x - c.C;
  const double stiff = dot(c.d1, c.d1) - dot(off, c.d2);
  const Vec3<double> slope = (1 / stiff) * c.d1;  // ∇s
  const double s1 = dot(slope, e.x_rate);
  const Vec3<double> off1 = e.x_rate - s1 * c.d1;
  const double s2 = (-s1 * s1 * dot(c.d2, c.d1) + 2 * s1 * dot(off1, c.d2) + s1 * s1 * dot(off, c.d3)) / stiff;
  const Vec3<double> off2 = -s1 * s1 * c.d2 - s2 * c.d1;
  int square = 0;  // the axis farthest from the path's direction
  for (int k = 1; k < 3; ++k)
    if (std::abs(c.d1[k]) < std::abs(c.d1[square])) square = k;
  const Vec3<double> k = unit_vector(square);
  std::array<Unit, 2> normals;
  normals[0] = unit_of(cross(k, c.d1), cross(k, c.d2), cross(k, c.d3));
  const Unit& n = normals[0];
  normals[1] = unit_of(cross(c.d1, n.n), cross(c.d2, n.n) + cross(c.d1, n.d1),
                       cross(c.d3, n.n) + 2.0 * cross(c.d2, n.d1) + cross(c.d1, n.d2));
  std::array<PlaceRow, 2> out;
  for (std::size_t i = 0; i < 2; ++i) {
    const Unit& u = normals[i];
    out[i] = {dot(u.n, off), u.n + dot(u.d1, off) * slope,
              dot(s1 * s1 * u.d2 + s2 * u.d1, off) + 2 * s1 * dot(u.d1, off1) + dot(u.n, off2), 0};
  }
  return out;
}

bool is_radius(double x) { return x > 0 && std::isfinite(x); }

}  // namespace

template <>
struct ConstraintDescriptor<OnPath> {
  static constexpr const char* word = "path";
  static int row_count(const OnPath&) { return 2; }
  static void rows(const OnPath& path, const Ends& e, std::span<ConstraintRow> rows) {
    if (path.spline) {
      const std::array<PlaceRow, 2> normals = beside_spline(e, *path.spline);
      put_place(e, normals[0], rows[0]), put_place(e, normals[1], rows[1]);
      return;
    }
    put_place(e, ellipse(e, {path.radii[0], path.radii[1], forever}), rows[0]);
    put_along(e, 2, rows[1]);
  }
  static std::string refusal(const Model&, const OnPath& p) {
    if (!p.spline) return is_radius(p.radii[0]) && is_radius(p.radii[1]) ? "" : "radii are above zero";
    return p.spline->points.size() < (p.spline->closed ? 3U : 2U)
               ? "a path has at least two points, three when it is closed"
               : "";
  }
  static constexpr NothingToTake take_as_is{};
};
MAREY_CONSTRAINT(OnPath)

// ---- in scenes
namespace {

// A curve through points, apart and without crossings: where two stretches meet, a point would not know its way.
SplinePath read_wire(const Value& node, const std::vector<Vec3<double>>& points, bool closed, bool recorded) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i + (closed ? 0 : 1) < n; ++i)
    if (!(norm(points[(i + 1) % n] - points[i]) > 0))
      refuse(node.items[(i + 1) % n]->at,
             fmt::format("found the same point twice in a row{}; expected points apart",
                         i + 1 < n ? "" : " (a closed path leads back to its first point by itself)"));
  const SplinePath path = spline_path(points, closed);
  if (recorded) return path;
  if (const std::optional<Vec3<double>> at = where_it_crosses(path))
    refuse(node.at, fmt::format("found a path that crosses itself at ({:.3g}, {:.3g}, {:.3g}) m, where it would not "
                                "tell which way goes on; expected one that does not, such as one that passes a little "
                                "beside itself",
                                at->x, at->y, at->z));
  return path;
}

void make_path(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  maker.ends(map, c);
  c.b.X_LC.p = map.vector_or("at_b");
  const std::string form = map.one_of({"circle", "ellipse", "points"});
  if (form.empty()) refuse(map.node().at, "found a path without a curve; expected circle, ellipse or points");
  OnPath path;
  if (form == "points") {
    const Value& node = map.need(form);
    if (node.kind != Value::Kind::list) refuse_value(node, "a list of points: [[0, 0, 0], [10 cm, 0, 0]]");
    std::vector<Vec3<double>> points;
    for (const ValuePtr& item : node.items) points.push_back(read_vector(*item, kinds::length));
    const bool closed = map.has("closed") && read_flag(*map.get("closed"));
    if (points.size() < (closed ? 3U : 2U)) refuse_value(node, "two points or more; three of a closed path");
    path.spline = read_wire(node, points, closed, maker.recorded());
  } else {
    if (const Value* n = map.get("axis")) c.a.X_LC.R = axes_with_z(read_axis(*n));
    const Value& node = map.need(form);
    if (form == "circle") {
      path.radii[0] = path.radii[1] = read_number(node, kinds::length, Range::positive);
    } else {
      if (node.kind != Value::Kind::list || node.items.size() != 2) refuse_value(node, "two half axes: [20 cm, 10 cm]");
      for (std::size_t k = 0; k < 2; ++k) path.radii[k] = read_number(*node.items[k], kinds::length, Range::positive);
    }
  }
  c.kind = path;
}

}  // namespace

extern const ConstraintForm path_form{
    "path",
    "a point of b stays on a curve of a",
    {"path", "A point on a curve: a circle or ellipse, or a smooth curve through points.",
     two_link_keys_with({{"at", "v:length", "the origin of the curve's frame, in a's; default: its origin"},
                         {"at_b", "v:length", "the point, in b's frame; default: its origin"},
                         {"axis", "axis", "of a circle or ellipse: square to it, in a's frame; default: z"},
                         {"circle", "q:length>0", "its radius"},
                         {"ellipse", "lengths", "two half axes"},
                         {"points", "p:length", "in the curve's frame, whose axes are those of a"},
                         {"closed", "flag", "from the last point back to the first; default: false"}})},
    make_path,
    {"{b: figure.hand, at: [0, 0, 1 m], circle: 40 cm, axis: y}", "{b: figure.hand, ellipse: [50 cm, 30 cm]}",
     "{b: figure.hand, at_b: [0, 0, -10 cm], points: [[0, 0, 0], [1 m, 0, 0], [1 m, 1 m, 0.3 m]], closed: true}"}};

}  // namespace marey
