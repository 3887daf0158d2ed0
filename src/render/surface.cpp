// Of a smooth surface the normals at the corners (marey/shape/triangles.h) are interpolated across the triangle.
#include "render/surface.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "marey/shape/hull.h"
#include "marey/shape/triangles.h"

namespace marey::render {
namespace {

using Vec = Vec3<double>;

void find_edges(Surface& s) {
  std::map<std::array<int, 2>, Vec> first;
  for (const auto& t : s.mesh.triangles) {
    const Vec n = triangle_normal(s.mesh, t);
    for (int k = 0; k < 3; ++k) {
      const int a = t[index(k)], b = t[index((k + 1) % 3)];
      const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
      const auto [other, is_first] = first.try_emplace(edge, n);
      if (!is_first && dot(other->second, n) < cosine_of_a_crease())
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
  s->normals = corner_normals(s->mesh);
  find_edges(*s);
  return s;
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
