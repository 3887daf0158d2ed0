// A closed mesh as queries see it: what lies beside what, which triangles are one flat facet, what is inside.
//
// Inside: seen from a point inside, the first surface that a ray meets is seen from behind. A ray that grazes an edge may
// meet two triangles at once, one of them from the front: rays that meet a triangle at a small angle, or next to its
// border, are not believed, and another is tried.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "marey/shape/collider.h"
#include "shape/convex_core.h"
#include "shape/mesh_pieces.h"

namespace marey {
namespace {

constexpr double facet_angle = 1e-7;  // between the normals of one facet
constexpr double facet_level = 1e-9;  // of the mesh's size: how far its corners may be from its plane

std::vector<int> sides_beyond(const Mesh& mesh) {
  struct Side {
    int low, high, number;
  };
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<int>(3 * t + k)});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.number < b.number;
  });
  std::vector<int> beyond(sides.size(), -1);
  for (std::size_t k = 0; k + 1 < sides.size(); k += 2) {
    const Side &a = sides[k], &b = sides[k + 1];
    if (a.low != b.low || a.high != b.high) break;
    beyond[index(a.number)] = b.number, beyond[index(b.number)] = a.number;
  }
  if (std::ranges::find(beyond, -1) != beyond.end())
    throw Error(ErrorKind::bad_input, "a mesh that is not closed; expected one that closed_mesh() has made");
  return beyond;
}

// Whether the triangle lies in the plane of the first one of the facet.
bool in_plane(const MeshSolid& solid, int first, int t, double level) {
  const Vec3<double>& n = solid.normals[index(first)];
  if (dot(n, solid.normals[index(t)]) < 0 || norm(cross(n, solid.normals[index(t)])) > facet_angle) return false;
  const Vec3<double> origin = solid.mesh.vertices[index(solid.mesh.triangles[index(first)][0])];
  return std::ranges::all_of(solid.mesh.triangles[index(t)],
                             [&](int v) { return std::abs(dot(n, solid.mesh.vertices[index(v)] - origin)) <= level; });
}

// Visits the triangles that hang together with t over sides that `goes_on` lets pass, t among them.
template <class GoesOn, class Visit>
void spread(const MeshSolid& solid, int t, std::vector<int>& waiting, std::vector<int>& mark, GoesOn goes_on,
            Visit visit) {
  waiting.assign(1, t);
  mark[index(t)] = t;
  while (!waiting.empty()) {
    const int here = waiting.back();
    waiting.pop_back();
    visit(here);
    for (int k = 0; k < 3; ++k) {
      const int beside = solid.beyond[index(3 * here + k)] / 3;
      if (mark[index(beside)] >= 0 || !goes_on(beside)) continue;
      mark[index(beside)] = t;
      waiting.push_back(beside);
    }
  }
}

void find_facets_and_pieces(MeshSolid& solid) {
  const int count = static_cast<int>(solid.mesh.triangles.size());
  const Bounds& box = solid.tree.bounds();
  const double level = facet_level * norm(box.high - box.low);
  std::vector<int> waiting, piece(index(count), -1);
  solid.facet.assign(index(count), -1);
  solid.piece.assign(solid.mesh.vertices.size(), -1);
  for (int t = 0; t < count; ++t) {
    if (solid.facet[index(t)] < 0)
      spread(
          solid, t, waiting, solid.facet, [&](int other) { return in_plane(solid, t, other, level); }, [](int) {});
    if (piece[index(t)] >= 0) continue;
    const int number = static_cast<int>(solid.piece_vertex.size());
    spread(
        solid, t, waiting, piece, [](int) { return true; },
        [&](int here) {
          for (const int v : solid.mesh.triangles[index(here)]) solid.piece[index(v)] = number;
        });
    solid.piece_vertex.push_back(solid.mesh.triangles[index(t)][0]);
  }
  solid.flat.resize(solid.beyond.size());
  for (std::size_t s = 0; s < solid.beyond.size(); ++s)
    solid.flat[s] = solid.facet[s / 3] == solid.facet[index(solid.beyond[s] / 3)];
}

void find_neighbors(MeshSolid& solid) {
  const std::size_t n = solid.mesh.vertices.size();
  solid.first_around.assign(n + 1, 0);
  for (const auto& t : solid.mesh.triangles)
    for (const int v : t) ++solid.first_around[index(v) + 1];
  for (std::size_t v = 0; v < n; ++v) solid.first_around[v + 1] += solid.first_around[v];
  std::vector<int> at(solid.first_around.begin(), solid.first_around.end() - 1);
  solid.around.resize(index(solid.first_around.back()));
  for (std::size_t s = 0; s < solid.beyond.size(); ++s)
    solid.around[index(at[index(solid.mesh.triangles[s / 3][s % 3])]++)] = static_cast<int>(s);
  solid.flat_vertex.resize(n);
  for (std::size_t v = 0; v < n; ++v) {
    const std::span<const int> sides = sides_at(solid, static_cast<int>(v));
    solid.flat_vertex[v] = std::ranges::all_of(
        sides, [&](int s) { return solid.facet[index(s / 3)] == solid.facet[index(sides[0] / 3)]; });
  }
}

double box_distance(const Bounds& box, const Vec3<double>& p) {
  double squared = 0;
  for (int i = 0; i < 3; ++i) {
    const double d = std::max({box.low[i] - p[i], p[i] - box.high[i], 0.0});
    squared += d * d;
  }
  return std::sqrt(squared);
}

}  // namespace

std::shared_ptr<const MeshSolid> mesh_solid(Mesh mesh) {
  if (mesh.triangles.empty()) throw Error(ErrorKind::bad_input, "a mesh without triangles; expected a closed one");
  auto solid = std::make_shared<MeshSolid>();
  solid->mesh = std::move(mesh);
  solid->tree = box_tree(solid->mesh);
  for (const Vec3<double>& v : solid->mesh.vertices) solid->reach = std::max(solid->reach, norm(v));
  for (const auto& t : solid->mesh.triangles) {
    const Vec3<double>& a = solid->mesh.vertices[index(t[0])];
    solid->normals.push_back(unit(cross(solid->mesh.vertices[index(t[1])] - a, solid->mesh.vertices[index(t[2])] - a)));
  }
  solid->beyond = sides_beyond(solid->mesh);
  find_facets_and_pieces(*solid);
  find_neighbors(*solid);
  solid->hull = convex_form(*solid);
  return solid;
}

// Nearest point of a triangle: Ericson, Real-Time Collision Detection (2005) §5.1.5, by the regions of Voronoi.
Vec3<double> nearest_on_triangle(const std::array<Vec3<double>, 3>& x, const Vec3<double>& p) {
  const Vec3<double>&a = x[0], &b = x[1], &c = x[2], ab = b - a, ac = c - a;
  const double d1 = dot(ab, p - a), d2 = dot(ac, p - a);
  if (d1 <= 0 && d2 <= 0) return a;
  const double d3 = dot(ab, p - b), d4 = dot(ac, p - b);
  if (d3 >= 0 && d4 <= d3) return b;
  const double d5 = dot(ab, p - c), d6 = dot(ac, p - c);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + (d1 / (d1 - d3)) * ab;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + (d2 / (d2 - d6)) * ac;
  if (va <= 0 && d4 >= d3 && d5 >= d6) return b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b);
  const double sum = va + vb + vc;
  return a + (vb / sum) * ab + (vc / sum) * ac;
}

MeshPoint nearest_on_surface(const MeshSolid& solid, const Vec3<double>& p) {
  MeshPoint best{{}, -1, Bounds::infinity};
  solid.tree.walk_nearest(
      Bounds::infinity, [&](const Bounds& box) { return box_distance(box, p); },
      [&](int t) {
        const Vec3<double> x = nearest_on_triangle(corners_of(solid, t), p);
        const double d = norm(x - p);
        if (d < best.distance || (d == best.distance && t < best.triangle)) best = {x, t, d};
        return best.distance;
      });
  return best;
}

bool is_inside(const MeshSolid& solid, const Vec3<double>& p) {
  const Bounds& box = solid.tree.bounds();
  if (!contains(box, Bounds{p, p})) return false;
  constexpr int most_trials = 64;
  bool inside = false;
  for (int trial = 0; trial < most_trials; ++trial) {
    // Directions that do not repeat, spread over the sphere (a golden spiral).
    const double z = 1 - 2 * (trial + 0.5) / most_trials, r = std::sqrt(1 - z * z),
                 angle = 0.3 + 2.399963229728653 * trial;
    RayHit hit;
    const Vec3<double> d{r * std::cos(angle), r * std::sin(angle), z};
    if (!cast_ray(solid.mesh, solid.tree, {p, d}, hit)) return false;
    const double facing = dot(hit.normal, d);
    inside = facing > 0;
    if (std::abs(facing) < 1e-3) continue;
    const Vec3<double> at = p + hit.t * d;
    const std::array<Vec3<double>, 3> x = corners_of(solid, hit.triangle);
    double border = Bounds::infinity;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3<double> e = x[(k + 1) % 3] - x[k];
      border = std::min(border, dot(hit.normal, cross(e, at - x[k])) / norm(e));
    }
    if (border > 1e-9 * (hit.t + norm(box.high - box.low))) return inside;
  }
  return inside;
}

}  // namespace marey
