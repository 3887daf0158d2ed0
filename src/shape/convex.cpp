// The kinds of convex solids: making them, support points and bounds. The cores' own equations: convex_core.h.
//
// Bounds in the world: along a unit axis e, high = e · So + h(e_S) and low = e · So − h(−e_S), with e_S = R_WSᵀ e.
#include "marey/shape/convex.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "marey/core.h"
#include "marey/shape/hull.h"
#include "shape/convex_core.h"

namespace marey {
namespace {

void need_positive(const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(ErrorKind::bad_input, std::string(what) + " must be positive and finite");
}
void need_margin(double margin) {
  if (!(margin >= 0) || !std::isfinite(margin))
    throw Error(ErrorKind::bad_input, "a margin must not be negative, and finite");
}
Convex made(ConvexKind kind, const Vec3<double>& half, double margin) {
  need_margin(margin);
  return {kind, half, margin, nullptr, nullptr};
}

}  // namespace

const char* name_of(ConvexKind kind) {
  static constexpr const char* names[convex_kind_count + 1] = {"plane", "sphere",    "capsule", "box",     "cylinder",
                                                               "cone",  "ellipsoid", "hull",    "triangle"};
  return names[static_cast<int>(kind)];
}

Convex convex_plane() { return made(ConvexKind::plane, {}, 0); }
Convex convex_sphere(double radius) {
  need_positive("a radius", radius);
  return made(ConvexKind::sphere, {}, radius);
}
Convex convex_capsule(double radius, double length) {
  need_positive("a radius", radius);
  if (!(length >= 0) || !std::isfinite(length))
    throw Error(ErrorKind::bad_input, "a capsule's length must not be negative, and finite");
  return made(length > 0 ? ConvexKind::capsule : ConvexKind::sphere, {0, 0, length / 2}, radius);
}
Convex convex_box(const Vec3<double>& size, double margin) {
  for (int i = 0; i < 3; ++i) need_positive("an edge", size[i]);
  return made(ConvexKind::box, 0.5 * size, margin);
}
Convex convex_cylinder(double radius, double length, double margin) {
  need_positive("a radius", radius), need_positive("a length", length);
  return made(ConvexKind::cylinder, {radius, radius, length / 2}, margin);
}
Convex convex_cone(double radius, double length, double margin) {
  need_positive("a radius", radius), need_positive("a length", length);
  return made(ConvexKind::cone, {radius, radius, length / 2}, margin);
}
Convex convex_ellipsoid(const Vec3<double>& radii, double margin) {
  for (int i = 0; i < 3; ++i) need_positive("a radius", radii[i]);
  return made(ConvexKind::ellipsoid, radii, margin);
}
Convex convex_hull(std::shared_ptr<const ConvexHull> hull, double margin) {
  Convex c = made(ConvexKind::hull, {}, margin);
  c.hull = std::move(hull);
  return c;
}
Convex convex_of(const Solid& solid) {
  struct Maker {
    Convex operator()(const Box& s) const { return convex_box(s.size); }
    Convex operator()(const Sphere& s) const { return convex_sphere(s.radius); }
    Convex operator()(const Capsule& s) const { return convex_capsule(s.radius, s.length); }
    Convex operator()(const Cylinder& s) const { return convex_cylinder(s.radius, s.length); }
    Convex operator()(const Ellipsoid& s) const { return convex_ellipsoid(s.radii); }
    Convex operator()(const Cone& s) const { return convex_cone(s.radius, s.length); }
    Convex operator()(const Hull& s) const { return convex_hull(s.hull, s.rounding); }
    Convex operator()(const Polyhedron&) const {
      throw Error(ErrorKind::bad_input, "found a mesh, which need not be convex; expected a convex solid");
    }
  };
  return std::visit(Maker{}, solid);
}

Vec3<double> support(const Convex& c, const Vec3<double>& d) {
  const Vec3<double> p = core_support(c, d).p;
  return c.margin > 0 ? p + (c.margin / norm(d)) * d : p;
}
double support_value(const Convex& c, const Vec3<double>& d) {
  if (c.kind == ConvexKind::plane) {
    const bool along = d.x == 0 && d.y == 0 && d.z >= 0;
    return along ? 0 : std::numeric_limits<double>::infinity();
  }
  return core_support_value(c, d) + c.margin * norm(d);
}
double reach(const Convex& c) {
  const Vec3<double>& h = c.half;
  switch (c.kind) {
    case ConvexKind::plane:
      return std::numeric_limits<double>::infinity();
    case ConvexKind::sphere:
      return c.margin;
    case ConvexKind::capsule:
    case ConvexKind::box:
      return norm(h) + c.margin;
    case ConvexKind::cylinder:
    case ConvexKind::cone:
      return std::sqrt(h.x * h.x + h.z * h.z) + c.margin;
    case ConvexKind::ellipsoid:
      return std::max({h.x, h.y, h.z}) + c.margin;
    case ConvexKind::hull:
      return c.hull->reach + c.margin;
    case ConvexKind::triangle:
      return std::max({norm((*c.triangle)[0]), norm((*c.triangle)[1]), norm((*c.triangle)[2])}) + c.margin;
  }
  return 0;
}

Bounds bounds_in_world(const Convex& c, const Transform<double>& X_WS) {
  const Mat3<double>& R = X_WS.R;
  Bounds b;
  for (int i = 0; i < 3; ++i) {
    const Vec3<double> e{R(i, 0), R(i, 1), R(i, 2)};
    b.high[i] = X_WS.p[i] + support_value(c, e);
    b.low[i] = X_WS.p[i] - support_value(c, -e);
  }
  return b;
}

}  // namespace marey
