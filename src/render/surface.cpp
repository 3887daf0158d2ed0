// Faces that meet at less than `smooth_angle` are drawn as one curved surface: at each corner the normals of the faces around
// it that belong to it are averaged, weighted by their angles there (Thürmer & Wüthrich, Computing vertex normals from
// polygonal facets, J. Graphics Tools 3(1), 1998), and interpolated across the triangle.
//
// A rounded hull is drawn as the hull of balls of points around its vertices.
#include "render/surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "marey/shape/hull.h"

namespace marey::render {
namespace {

using Vec = Vec3<double>;

const double smooth_cosine = std::cos(40 * std::numbers::pi / 180);

Vec triangle_normal(const Mesh& mesh, const std::array<int, 3>& t) {
  const Vec& a = mesh.vertices[index(t[0])];
  const Vec n = cross(mesh.vertices[index(t[1])] - a, mesh.vertices[index(t[2])] - a);
  return (1 / std::max(norm(n), 1e-300)) * n;
}

double angle_at(const Mesh& mesh, const std::array<int, 3>& t, int corner) {
  const Vec& p = mesh.vertices[index(t[index(corner)])];
  const Vec a = mesh.vertices[index(t[index((corner + 1) % 3)])] - p,
            b = mesh.vertices[index(t[index((corner + 2) % 3)])] - p;
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

void smooth_corners(Surface& s) {
  std::vector<std::vector<int>> around(s.mesh.vertices.size());
  std::vector<Vec> flat;
  for (const auto& t : s.mesh.triangles) {
    for (const int v : t) around[index(v)].push_back(static_cast<int>(flat.size()));
    flat.push_back(triangle_normal(s.mesh, t));
  }
  s.normals.resize(flat.size());
  for (std::size_t f = 0; f < flat.size(); ++f)
    for (int corner = 0; corner < 3; ++corner) {
      const int v = s.mesh.triangles[f][index(corner)];
      Vec sum;
      for (const int other : around[index(v)]) {
        if (dot(flat[index(other)], flat[f]) < smooth_cosine) continue;
        const auto& t = s.mesh.triangles[index(other)];
        const int there = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        sum += angle_at(s.mesh, t, there) * flat[index(other)];
      }
      s.normals[f][index(corner)] = norm(sum) > 0 ? (1 / norm(sum)) * sum : flat[f];
    }
}

void find_edges(Surface& s) {
  std::map<std::array<int, 2>, Vec> first;
  for (const auto& t : s.mesh.triangles) {
    const Vec n = triangle_normal(s.mesh, t);
    for (int k = 0; k < 3; ++k) {
      const int a = t[index(k)], b = t[index((k + 1) % 3)];
      const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
      const auto [other, is_first] = first.try_emplace(edge, n);
      if (!is_first && dot(other->second, n) < smooth_cosine)
        s.edges.push_back({s.mesh.vertices[index(edge[0])], s.mesh.vertices[index(edge[1])]});
    }
  }
}

std::vector<Vec> hull_corners(const Mesh& mesh) {
  try {
    return hull_of_points(mesh.vertices).vertices;
  } catch (const Error&) {  // as thin as a sheet: all will do
    return mesh.vertices;
  }
}

std::shared_ptr<Surface> make_surface(Mesh mesh, std::shared_ptr<const void> made_from) {
  auto s = std::make_shared<Surface>();
  s->mesh = std::move(mesh), s->made_from = std::move(made_from);
  Bounds box;
  for (const Vec& p : s->mesh.vertices) box.add(p);
  s->middle = box.center();
  for (Vec& p : s->mesh.vertices) p -= s->middle;
  s->tree = box_tree(s->mesh);
  s->corners = hull_corners(s->mesh);
  for (const Vec& p : s->corners) s->reach = std::max(s->reach, norm(p));
  smooth_corners(*s);
  find_edges(*s);
  return s;
}

// Points on the unit ball: an icosahedron whose triangles were cut in four, twice.
std::vector<Vec> ball_points() {
  const double g = std::numbers::phi;
  std::vector<Vec> points;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-g, g}) points.insert(points.end(), {{0, a, b}, {a, b, 0}, {b, 0, a}});
  for (int round = 0; round < 2; ++round) {
    const Mesh mesh = mesh_of(hull_of_points(points));
    points = mesh.vertices;
    for (const auto& t : mesh.triangles)
      for (int k = 0; k < 3; ++k)
        if (t[index(k)] < t[index((k + 1) % 3)])
          points.push_back(0.5 * (mesh.vertices[index(t[index(k)])] + mesh.vertices[index(t[index((k + 1) % 3)])]));
    for (Vec& p : points) p = (1 / norm(p)) * p;
  }
  return points;
}

Mesh rounded_mesh(const ConvexHull& hull, double rounding) {
  if (rounding == 0) return mesh_of(hull);
  static const std::vector<Vec> ball = ball_points();
  std::vector<Vec> points;
  for (const Vec& v : hull.vertices)
    for (const Vec& n : ball) points.push_back(v + rounding * n);
  return mesh_of(hull_of_points(points));
}

std::shared_ptr<const Surface> make_hull(const std::shared_ptr<const ConvexHull>& hull, double rounding) {
  std::shared_ptr<Surface> s = make_surface(rounded_mesh(*hull, rounding), hull);
  s->edges.clear();
  for (const ConvexHull::Edge& e : hull->edges)
    s->edges.push_back({hull->vertices[index(e.from)] - s->middle, hull->vertices[index(e.to)] - s->middle});
  return s;
}

// Those that are being drawn, by what they were made from.
class SurfacesInUse {
 public:
  template <class Make>
  std::shared_ptr<const Surface> get(const void* of, double rounding, Make make) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const Surface>& known = known_[{of, rounding}];
    std::shared_ptr<const Surface> surface = known.lock();
    if (!surface) known = surface = make();
    return surface;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, double>, std::weak_ptr<const Surface>> known_;
};
SurfacesInUse& in_use() {
  static SurfacesInUse all;
  return all;
}

}  // namespace

std::shared_ptr<const Surface> surface_of(const Hull& h) {
  return in_use().get(h.hull.get(), h.rounding, [&] { return make_hull(h.hull, h.rounding); });
}
std::shared_ptr<const Surface> surface_of(const Polyhedron& p) {
  return in_use().get(p.mesh.get(), 0, [&] { return make_surface(*p.mesh, p.mesh); });
}

Vec smooth_normal(const Surface& s, int triangle, const Vec& at) {
  const auto& t = s.mesh.triangles[index(triangle)];
  const Vec &a = s.mesh.vertices[index(t[0])], &b = s.mesh.vertices[index(t[1])], &c = s.mesh.vertices[index(t[2])];
  const Vec n = cross(b - a, c - a);
  const double whole = dot(n, n);
  const double u = dot(n, cross(c - b, at - b)) / whole, v = dot(n, cross(a - c, at - c)) / whole;
  const auto& corners = s.normals[index(triangle)];
  const Vec mixed = u * corners[0] + v * corners[1] + (1 - u - v) * corners[2];
  return norm(mixed) > 0 ? (1 / norm(mixed)) * mixed : (1 / std::sqrt(whole)) * n;
}

}  // namespace marey::render
