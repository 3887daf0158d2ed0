// The outline of a convex solid is the convex hull of its projection. A ball of radius r around the origin,
// seen from e, is touched along the circle  x·e = r², |x| = r; an ellipsoid likewise after scaling its axes
// to 1.
#include "render/outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "render/surface.h"

namespace marey::render {
namespace {

double turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

Vec any_perpendicular(const Vec& unit) {
  const Vec side = std::abs(unit.z) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0};
  const Vec p = cross(unit, side);
  return (1 / norm(p)) * p;
}

// Where lines from e touch the unit ball.
void touching_circle(const Vec& e, int around, std::vector<Vec>& points) {
  const double away = norm(e);
  if (away <= 1) return;
  const Vec n = (1 / away) * e, u = any_perpendicular(n), v = cross(n, u);
  const double r = std::sqrt(1 - 1 / (away * away));
  for (int i = 0; i < around; ++i) {
    const double a = 2 * std::numbers::pi * i / around;
    points.push_back((1 / away) * n + r * std::cos(a) * u + r * std::sin(a) * v);
  }
}

void rim(double radius, double z, int around, std::vector<Vec>& points) {
  for (int i = 0; i < around; ++i) {
    const double a = 2 * std::numbers::pi * i / around;
    points.push_back({radius * std::cos(a), radius * std::sin(a), z});
  }
}

std::vector<Vec> points_in_S(const Prim& p, const Vec& eye, int around) {
  const Vec& h = p.half;
  std::vector<Vec> points;
  switch (p.kind) {
    case Kind::box:
      for (int i = 0; i < 8; ++i) points.push_back({i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z});
      break;
    case Kind::cylinder:
      for (const double z : {-h.z, h.z}) rim(h.x, z, around, points);
      break;
    case Kind::ellipsoid:
      touching_circle({eye.x / h.x, eye.y / h.y, eye.z / h.z}, around, points);
      for (Vec& q : points) q = {q.x * h.x, q.y * h.y, q.z * h.z};
      break;
    case Kind::capsule:
      for (const double z : {-h.z, h.z}) {
        std::vector<Vec> circle;
        touching_circle((1 / h.x) * (eye - Vec{0, 0, z}), around, circle);
        for (const Vec& q : circle) points.push_back(h.x * q + Vec{0, 0, z});
      }
      break;
    case Kind::cone:
      rim(h.x, -h.z, around, points);
      points.push_back({0, 0, h.z});
      break;
    case Kind::surface:
      points = p.surface->corners;
      break;
  }
  return points;
}

// Enough points that no circle is off by more than about a seventh of a pixel: r (1 − cos π/n) ≈ r π²/2n².
int points_around(const Camera& camera, const Prim& prim) {
  const double radius = prim.kind == Kind::ellipsoid ? std::max({prim.half.x, prim.half.y, prim.half.z}) : prim.half.x;
  const double pixels = radius * camera.focal / std::max(1e-9, depth(camera, prim.X_WS.p));
  return std::clamp(static_cast<int>(5.8 * std::sqrt(pixels)), 12, 96);
}

// Farther ones first: the nearer cover them.
void append_triangles(const Camera& camera, const Prim& prim, std::vector<Face>& faces) {
  const Mesh& mesh = prim.surface->mesh;
  std::vector<std::pair<double, Face>> seen;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Vec corners[3], middle;
    for (int k = 0; k < 3; ++k) {
      corners[k] = prim.X_WS * mesh.vertices[index(mesh.triangles[t][index(k)])];
      middle += (1.0 / 3) * corners[k];
    }
    const Vec flat = cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (dot(flat, camera.eye - middle) <= 0) continue;
    Face face{{}, prim.X_WS.R * smooth_normal(*prim.surface, static_cast<int>(t), inverse(prim.X_WS) * middle)};
    for (const Vec& c : corners) face.polygon.push_back(project(camera, c));
    seen.emplace_back(depth(camera, middle), std::move(face));
  }
  std::stable_sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [away, face] : seen) faces.push_back(std::move(face));
}

}  // namespace

Polygon convex_hull(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(),
            [](const Point2& a, const Point2& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  if (points.size() < 3) return points;
  Polygon hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = hull.size();
    for (const Point2& p : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

std::vector<Vec> outline_points(const Prim& prim, const Vec& eye, int around) {
  std::vector<Vec> points = points_in_S(prim, inverse(prim.X_WS) * eye, around);
  for (Vec& p : points) p = prim.X_WS * p;
  return points;
}

Polygon outline(const Camera& camera, const Prim& prim) {
  std::vector<Point2> flat;
  for (const Vec& p : outline_points(prim, camera.eye, points_around(camera, prim)))
    if (depth(camera, p) > 0) flat.push_back(project(camera, p));
  return convex_hull(std::move(flat));
}

std::vector<Face> visible_faces(const Camera& camera, const Prim& prim) {
  std::vector<Face> faces;
  const Vec& h = prim.half;
  const auto add = [&](const Vec& n_S, const Vec& middle_S, const std::vector<Vec>& corners_S) {
    const Vec n = prim.X_WS.R * n_S;
    if (dot(n, camera.eye - prim.X_WS * middle_S) <= 0) return;
    Face face{{}, n};
    for (const Vec& c : corners_S) face.polygon.push_back(project(camera, prim.X_WS * c));
    faces.push_back(std::move(face));
  };
  if (prim.kind == Kind::surface) {
    append_triangles(camera, prim, faces);
  } else if (prim.kind == Kind::cone) {
    std::vector<Vec> circle;
    rim(h.x, -h.z, points_around(camera, prim), circle);
    add({0, 0, -1}, {0, 0, -h.z}, circle);
  } else if (prim.kind == Kind::cylinder) {
    for (const double side : {-1.0, 1.0}) {
      std::vector<Vec> circle;
      rim(h.x, side * h.z, points_around(camera, prim), circle);
      add({0, 0, side}, {0, 0, side * h.z}, circle);
    }
  } else if (prim.kind == Kind::box) {
    for (int i = 0; i < 3; ++i)
      for (const double side : {-1.0, 1.0}) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        Vec n, middle;
        n[i] = side, middle[i] = side * h[i];
        std::vector<Vec> corners;
        for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
          Vec c = middle;
          c[j] = a * h[j], c[k] = b * h[k];
          corners.push_back(c);
        }
        add(n, middle, corners);
      }
  }
  return faces;
}

}  // namespace marey::render
