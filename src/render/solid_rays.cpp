// Rays and solids, in the frame S of the solid. A point of the ray is o + t d.
//   ellipsoid   |(o + t d) / half|² = 1
//   box         three slabs: enter at the last entry, leave at the first exit
//   cylinder    |(o + t d)_xy|² = r² cut by the slab |z| ≤ h
//   capsule     the same wall, and two balls of radius r at z = ± h
//   cone        |(o + t d)_xy| = k (h − z), k = r/2h, between the base z = −h and the tip z = h; and the base
//   surface     the nearest of its triangles
#include "render/solid_rays.h"

#include <algorithm>
#include <cmath>

#include "render/surface.h"

namespace marey::render {
namespace {

constexpr double miss = -1;

// Smaller root of a t² + 2 b t + c = 0, or miss.
double first_root(double a, double b, double c) {
  const double disc = b * b - a * c;
  if (disc < 0 || a <= 0) return miss;
  return (-b - std::sqrt(disc)) / a;
}

double hit_ellipsoid(const Vec& half, const Vec& o, const Vec& d) {
  const Vec so{o.x / half.x, o.y / half.y, o.z / half.z}, sd{d.x / half.x, d.y / half.y, d.z / half.z};
  return first_root(dot(sd, sd), dot(so, sd), dot(so, so) - 1);
}

double hit_box(const Vec& half, const Vec& o, const Vec& d) {
  double enter = -1e300, leave = 1e300;
  for (int i = 0; i < 3; ++i) {
    if (d[i] == 0) {
      if (std::abs(o[i]) > half[i]) return miss;
      continue;
    }
    const double inv = 1 / d[i], mid = -o[i] * inv, reach = half[i] * std::abs(inv);
    enter = std::max(enter, mid - reach);
    leave = std::min(leave, mid + reach);
  }
  return enter <= leave ? enter : miss;
}

double hit_wall(double radius, double h, const Vec& o, const Vec& d) {
  const double a = d.x * d.x + d.y * d.y;
  const double t = first_root(a, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - radius * radius);
  return t > 0 && std::abs(o.z + t * d.z) <= h ? t : miss;
}

double hit_capsule(double radius, double h, const Vec& o, const Vec& d) {
  double best = hit_wall(radius, h, o, d);
  if (best > 0) return best;
  for (const double z : {-h, h}) {
    const Vec p{o.x, o.y, o.z - z};
    const double t = first_root(dot(d, d), dot(p, d), dot(p, p) - radius * radius);
    if (t > 0 && (best < 0 || t < best)) best = t;
  }
  return best;
}

double hit_cylinder(double radius, double h, const Vec& o, const Vec& d) {
  const double wall = hit_wall(radius, h, o, d);
  if (wall > 0 || d.z == 0) return wall;
  const double t = ((d.z > 0 ? -h : h) - o.z) / d.z;  // the cap that faces the ray
  const double x = o.x + t * d.x, y = o.y + t * d.y;
  return t > 0 && x * x + y * y <= radius * radius ? t : miss;
}

double hit_cone(double radius, double h, const Vec& o, const Vec& d) {
  const double k = radius / (2 * h), kk = k * k, below = h - o.z;
  double best = miss;
  // Into it, not out of it: the outward normal there is (x, y, k ρ), with ρ = k (h − z).
  const auto take = [&](double t) {
    const Vec p = o + t * d;
    if (t > 0 && std::abs(p.z) <= h && p.x * d.x + p.y * d.y + kk * (h - p.z) * d.z < 0 && (best < 0 || t < best))
      best = t;
  };
  const double a = d.x * d.x + d.y * d.y - kk * d.z * d.z, b = o.x * d.x + o.y * d.y + kk * below * d.z,
               c = o.x * o.x + o.y * o.y - kk * below * below;
  if (const double disc = b * b - a * c; disc >= 0) {
    const double q = -(b + std::copysign(std::sqrt(disc), b));  // neither root suffers from cancellation
    if (a != 0) take(q / a);
    if (q != 0) take(c / q);
  }
  if (d.z > 0) {
    const double t = (-h - o.z) / d.z, x = o.x + t * d.x, y = o.y + t * d.y;
    if (t > 0 && x * x + y * y <= radius * radius && (best < 0 || t < best)) best = t;
  }
  return best;
}

bool cast(const Surface& s, double scale, const Vec& o, const Vec& d, RayHit& found) {
  return cast_ray(s.mesh, s.tree, {(1 / scale) * o, (1 / scale) * d}, found);
}
double hit_surface(const Surface& s, double scale, const Vec& o, const Vec& d) {
  RayHit found;
  if (!cast(s, scale, o, d, found) || dot(found.normal, d) >= 0) return miss;
  return found.t;
}
Vec normal_of_surface(const Prim& p, const Vec& p_S, const Vec& d_S) {
  const Surface& s = *p.surface;
  const Vec back = (1e-6 * s.reach / norm(d_S)) * d_S;
  RayHit found;
  if (!cast(s, p.half.x, p_S - back, d_S, found)) return -(1 / norm(d_S)) * d_S;
  const Vec n = smooth_normal(s, found.triangle, (1 / p.half.x) * p_S);
  return dot(n, d_S) < 0 ? n : found.normal;  // at an outline the smooth one may face away
}

Mat3<double> frame_along(const Vec& unit) {
  const Vec side = std::abs(unit.z) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0};
  Vec x = cross(side, unit);
  x = (1 / norm(x)) * x;
  const Vec y = cross(unit, x);
  return {x.x, y.x, unit.x, x.y, y.y, unit.y, x.z, y.z, unit.z};
}

}  // namespace

Prim placed(const Shape& shape, const Transform<double>& X_WB) {
  Prim prim;
  prim.X_WS = X_WB * shape.X_BS;
  struct Visitor {
    Prim& p;
    void operator()(const Box& b) { p.kind = Kind::box, p.half = 0.5 * b.size; }
    void operator()(const Sphere& s) { p.kind = Kind::ellipsoid, p.half = {s.radius, s.radius, s.radius}; }
    void operator()(const Capsule& c) { p.kind = Kind::capsule, p.half = {c.radius, c.radius, c.length / 2}; }
    void operator()(const Cylinder& c) { p.kind = Kind::cylinder, p.half = {c.radius, c.radius, c.length / 2}; }
    void operator()(const Ellipsoid& e) { p.kind = Kind::ellipsoid, p.half = e.radii; }
    void operator()(const Cone& c) { p.kind = Kind::cone, p.half = {c.radius, c.radius, c.length / 2}; }
    void operator()(const Hull& h) { of_triangles(surface_of(h)); }
    void operator()(const Polyhedron& m) { of_triangles(surface_of(m)); }
    void of_triangles(std::shared_ptr<const Surface> surface) {
      p.kind = Kind::surface, p.half = {1, 1, 1}, p.surface = std::move(surface);
      p.X_WS.p = p.X_WS * p.surface->middle;
    }
  };
  std::visit(Visitor{prim}, shape.solid);
  for (int i = 0; i < 3; ++i) prim.half[i] = std::max(prim.half[i], 1e-12);  // flat solids stay solids
  return prim;
}

Prim stick(const Vec& from, const Vec& to, double radius) {
  const Vec along = to - from;
  const double length = norm(along);
  if (length < 1e-12) return ball(from, radius);
  return {Kind::capsule, {frame_along((1 / length) * along), 0.5 * (from + to)}, {radius, radius, length / 2}};
}

Prim ball(const Vec& centre, double radius) {
  return {Kind::ellipsoid, {Mat3<double>::identity(), centre}, {radius, radius, radius}};
}

double hit(const Prim& p, const Vec& o, const Vec& d) {
  switch (p.kind) {
    case Kind::box:
      return hit_box(p.half, o, d);
    case Kind::ellipsoid:
      return hit_ellipsoid(p.half, o, d);
    case Kind::capsule:
      return hit_capsule(p.half.x, p.half.z, o, d);
    case Kind::cylinder:
      return hit_cylinder(p.half.x, p.half.z, o, d);
    case Kind::cone:
      return hit_cone(p.half.x, p.half.z, o, d);
    case Kind::surface:
      return hit_surface(*p.surface, p.half.x, o, d);
  }
  return miss;
}

Vec normal_at(const Prim& p, const Vec& p_S, const Vec& d_S) {
  const Vec& h = p.half;
  Vec n;
  switch (p.kind) {
    case Kind::box: {  // the face whose plane is nearest
      int face = 0;
      for (int i = 1; i < 3; ++i)
        if (std::abs(p_S[i]) - h[i] > std::abs(p_S[face]) - h[face]) face = i;
      n[face] = p_S[face] > 0 ? 1 : -1;
      return n;
    }
    case Kind::ellipsoid:
      n = {p_S.x / (h.x * h.x), p_S.y / (h.y * h.y), p_S.z / (h.z * h.z)};
      break;
    case Kind::capsule:
      n = {p_S.x, p_S.y, p_S.z - std::clamp(p_S.z, -h.z, h.z)};
      break;
    case Kind::cylinder: {
      const bool cap = std::abs(p_S.z) - h.z > std::hypot(p_S.x, p_S.y) - h.x;
      n = cap ? Vec{0, 0, p_S.z} : Vec{p_S.x, p_S.y, 0};
      break;
    }
    case Kind::cone: {
      const double k = h.x / (2 * h.z), rho = std::hypot(p_S.x, p_S.y);
      const bool base = -h.z - p_S.z > (rho - k * (h.z - p_S.z)) / std::hypot(1, k);
      n = base ? Vec{0, 0, -1} : rho > 0 ? Vec{p_S.x, p_S.y, k * rho} : Vec{0, 0, 1};
      break;
    }
    case Kind::surface:
      return normal_of_surface(p, p_S, d_S);
  }
  return (1 / norm(n)) * n;
}

double reach(const Prim& p, const Vec& n_W) {
  const Vec n = transpose_times(p.X_WS.R, n_W);
  const Vec& h = p.half;
  const double centre = dot(p.X_WS.p, n_W);
  switch (p.kind) {
    case Kind::box:
      return centre + h.x * std::abs(n.x) + h.y * std::abs(n.y) + h.z * std::abs(n.z);
    case Kind::ellipsoid:
      return centre + norm(Vec{h.x * n.x, h.y * n.y, h.z * n.z});
    case Kind::capsule:
      return centre + h.z * std::abs(n.z) + h.x * norm(n);
    case Kind::cylinder:
      return centre + h.z * std::abs(n.z) + h.x * std::hypot(n.x, n.y);
    case Kind::cone:
      return centre + std::max(h.z * n.z, -h.z * n.z + h.x * std::hypot(n.x, n.y));
    case Kind::surface: {
      double most = -1e300;
      for (const Vec& corner : p.surface->corners) most = std::max(most, h.x * dot(corner, n));
      return centre + most;
    }
  }
  return centre;
}

void append_balls(const Prim& p, std::vector<Ball>& balls) {
  const Vec& h = p.half;
  switch (p.kind) {
    case Kind::ellipsoid:
      balls.push_back({p.X_WS.p, std::max({h.x, h.y, h.z})});
      break;
    case Kind::capsule:
    case Kind::cylinder:
      for (const double z : {-h.z, h.z}) balls.push_back({p.X_WS * Vec{0, 0, z}, h.x});
      break;
    case Kind::box:
      for (int i = 0; i < 8; ++i)
        balls.push_back({p.X_WS * Vec{i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z}, 0});
      break;
    case Kind::cone:
      balls.push_back({p.X_WS * Vec{0, 0, -h.z}, h.x});
      balls.push_back({p.X_WS * Vec{0, 0, h.z}, 0});
      break;
    case Kind::surface:
      for (const Vec& corner : p.surface->corners) balls.push_back({p.X_WS * (h.x * corner), 0});
      break;
  }
}

Ball bounding_ball(const Prim& p) {
  const Vec& h = p.half;
  switch (p.kind) {
    case Kind::box:
      return {p.X_WS.p, norm(h)};
    case Kind::ellipsoid:
      return {p.X_WS.p, std::max({h.x, h.y, h.z})};
    case Kind::capsule:
      return {p.X_WS.p, h.z + h.x};
    case Kind::cylinder:
    case Kind::cone:
      return {p.X_WS.p, std::hypot(h.z, h.x)};
    case Kind::surface:
      return {p.X_WS.p, h.x * p.surface->reach};
  }
  return {p.X_WS.p, 0};
}

Bounds bounds_in_W(const Prim& p) {
  Bounds box;
  for (int i = 0; i < 3; ++i) {
    Vec n;
    n[i] = 1;
    const double low = -reach(p, -n), high = reach(p, n);
    const double slack = 1e-9 * (high - low) + 1e-14 * std::max(std::abs(low), std::abs(high));  // more than rounding
    box.low[i] = low - slack, box.high[i] = high + slack;
  }
  return box;
}

Vec far_end(const std::vector<Shape>& shapes, const Vec& p_BoBcm_B) {
  if (shapes.empty()) return p_BoBcm_B;
  std::vector<Prim> prims;
  for (const Shape& shape : shapes) prims.push_back(placed(shape, {}));
  const auto far = [&](const Vec& n) {
    double most = -1e300;
    for (const Prim& p : prims) most = std::max(most, reach(p, n));
    return most;
  };
  Vec middle;
  for (int i = 0; i < 3; ++i) {
    Vec n;
    n[i] = 1;
    middle[i] = 0.5 * (far(n) - far(-n));
  }
  const double away = norm(middle);
  if (away == 0) return {};
  const Vec n = (1 / away) * middle;
  const double size = far(n) + far(-n);
  return away < 0.05 * size ? Vec{} : far(n) * n;
}

}  // namespace marey::render
