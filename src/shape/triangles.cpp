// Round solids are lathed from their profiles; what has faces keeps them.
//
// Normals of curved surfaces given by triangles: Thürmer & Wüthrich, Computing vertex normals from polygonal facets, J. Graphics
// Tools 3(1), 1998.
#include "marey/shape/triangles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "marey/core/index.h"
#include "marey/shape/convex.h"
#include "marey/shape/hull.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
constexpr double pi = std::numbers::pi;

// ---- solids of revolution
// A point of a profile at the radius r and the height z, and the normal there.
struct ProfilePoint {
  double r, z, n_r, n_z;
};
// From the bottom to the top. Where two points are equal their normals are not: an edge.
using Profile = std::vector<ProfilePoint>;

void add_arc(Profile& profile, double radius, double z, double from, double to, int pieces) {
  for (int i = 0; i <= pieces; ++i) {
    const double a = from + (to - from) * i / pieces, c = i == 0 && from == -pi / 2     ? 0
                                                          : i == pieces && to == pi / 2 ? 0
                                                                                        : std::cos(a);
    profile.push_back({radius * c, z + radius * std::sin(a), c, std::sin(a)});
  }
}

Triangles lathed(const Profile& profile, int around) {
  Triangles t;
  std::vector<int> first;
  for (const ProfilePoint& p : profile) {
    first.push_back(static_cast<int>(t.vertices.size()));
    for (int k = 0; k < (p.r > 0 ? around : 1); ++k) {
      const double a = 2 * pi * k / around;
      t.vertices.push_back({p.r * std::cos(a), p.r * std::sin(a), p.z});
      t.normals.push_back(p.r > 0 ? Vec{p.n_r * std::cos(a), p.n_r * std::sin(a), p.n_z}
                                  : Vec{0, 0, p.n_z < 0 ? -1.0 : 1.0});
    }
  }
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    const ProfilePoint &low = profile[i], &high = profile[i + 1];
    if (low.r == high.r && low.z == high.z) continue;
    for (int k = 0; k < around; ++k) {
      const int next = (k + 1) % around, a = first[i] + (low.r > 0 ? k : 0), b = first[i] + (low.r > 0 ? next : 0),
                c = first[i + 1] + (high.r > 0 ? next : 0), d = first[i + 1] + (high.r > 0 ? k : 0);
      if (low.r > 0) t.corners.push_back({a, b, c});
      if (high.r > 0) t.corners.push_back({a, c, d});
    }
  }
  return t;
}

Triangles triangles(const Sphere& s, int around) {
  Profile profile;
  add_arc(profile, s.radius, 0, -pi / 2, pi / 2, around / 2);
  return lathed(profile, around);
}
Triangles triangles(const Capsule& c, int around) {
  Profile profile;
  add_arc(profile, c.radius, -c.length / 2, -pi / 2, 0, around / 4);
  add_arc(profile, c.radius, c.length / 2, 0, pi / 2, around / 4);
  return lathed(profile, around);
}
Triangles triangles(const Cylinder& c, int around) {
  const double h = c.length / 2, r = c.radius;
  return lathed({{0, -h, 0, -1}, {r, -h, 0, -1}, {r, -h, 1, 0}, {r, h, 1, 0}, {r, h, 0, 1}, {0, h, 0, 1}}, around);
}
Triangles triangles(const Cone& c, int around) {
  const double h = c.length / 2, r = c.radius, side = std::hypot(c.length, r);
  // Several rings towards the tip, where a single normal could not do.
  Profile profile{{0, -h, 0, -1}, {r, -h, 0, -1}};
  for (int i = 0; i <= 4; ++i) profile.push_back({r * (4 - i) / 4, -h + c.length * i / 4, c.length / side, r / side});
  return lathed(profile, around);
}
Triangles triangles(const Ellipsoid& e, int around) {
  Triangles t = triangles(Sphere{1}, around);
  for (Vec& p : t.vertices) p = {e.radii.x * p.x, e.radii.y * p.y, e.radii.z * p.z};
  for (Vec& n : t.normals) {
    n = {n.x / e.radii.x, n.y / e.radii.y, n.z / e.radii.z};
    n = (1 / norm(n)) * n;
  }
  return t;
}

// ---- faces
Triangles with_normals(const Mesh& mesh) {
  Triangles t;
  const auto normals = corner_normals(mesh);
  for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
    const int first = static_cast<int>(t.vertices.size());
    for (std::size_t k = 0; k < 3; ++k) {
      t.vertices.push_back(mesh.vertices[index(mesh.triangles[f][k])]);
      t.normals.push_back(normals[f][k]);
    }
    t.corners.push_back({first, first + 1, first + 2});
  }
  return t;
}
Triangles triangles(const Box& b, int) {
  Triangles t;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const int first = static_cast<int>(t.vertices.size()), u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const auto& [s_u, s_v] :
           {std::array{-1.0, -1.0}, std::array{side, -side}, std::array{1.0, 1.0}, std::array{-side, side}}) {
        Vec p, n;
        p[axis] = side * 0.5 * b.size[axis], p[u] = s_u * 0.5 * b.size[u], p[v] = s_v * 0.5 * b.size[v];
        n[axis] = side;
        t.vertices.push_back(p), t.normals.push_back(n);
      }
      t.corners.push_back({first, first + 1, first + 2}), t.corners.push_back({first, first + 2, first + 3});
    }
  return t;
}
Triangles triangles(const Hull& h, int) { return with_normals(rounded_mesh(*h.hull, h.rounding)); }
Triangles triangles(const Polyhedron& p, int) { return with_normals(*p.mesh); }

double angle_at(const Mesh& mesh, const std::array<int, 3>& t, int corner) {
  const Vec& p = mesh.vertices[index(t[index(corner)])];
  const Vec a = mesh.vertices[index(t[index((corner + 1) % 3)])] - p,
            b = mesh.vertices[index(t[index((corner + 2) % 3)])] - p;
  return std::atan2(norm(cross(a, b)), dot(a, b));
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

}  // namespace

Triangles triangles_of(const Solid& solid, int around) {
  const int quarters = std::max(1, around / 4) * 4;
  return std::visit([&](const auto& s) { return triangles(s, quarters); }, solid);
}

Mesh rounded_mesh(const ConvexHull& hull, double rounding) {
  if (rounding == 0) return mesh_of(hull);
  static const std::vector<Vec> ball = ball_points();
  std::vector<Vec> points;
  for (const Vec& v : hull.vertices)
    for (const Vec& n : ball) points.push_back(v + rounding * n);
  return mesh_of(hull_of_points(points));
}

double cosine_of_a_crease() {
  static const double cosine = std::cos(40 * pi / 180);
  return cosine;
}

Vec triangle_normal(const Mesh& mesh, const std::array<int, 3>& t) {
  const Vec& a = mesh.vertices[index(t[0])];
  const Vec n = cross(mesh.vertices[index(t[1])] - a, mesh.vertices[index(t[2])] - a);
  return (1 / std::max(norm(n), 1e-300)) * n;
}

std::vector<std::array<Vec, 3>> corner_normals(const Mesh& mesh) {
  std::vector<std::vector<int>> around(mesh.vertices.size());
  std::vector<Vec> flat;
  for (const auto& t : mesh.triangles) {
    for (const int v : t) around[index(v)].push_back(static_cast<int>(flat.size()));
    flat.push_back(triangle_normal(mesh, t));
  }
  std::vector<std::array<Vec, 3>> normals(flat.size());
  for (std::size_t f = 0; f < flat.size(); ++f)
    for (int corner = 0; corner < 3; ++corner) {
      const int v = mesh.triangles[f][index(corner)];
      Vec sum;
      for (const int other : around[index(v)]) {
        if (dot(flat[index(other)], flat[f]) < cosine_of_a_crease()) continue;
        const auto& t = mesh.triangles[index(other)];
        const int there = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        sum += angle_at(mesh, t, there) * flat[index(other)];
      }
      normals[f][index(corner)] = norm(sum) > 0 ? (1 / norm(sum)) * sum : flat[f];
    }
  return normals;
}

}  // namespace marey
