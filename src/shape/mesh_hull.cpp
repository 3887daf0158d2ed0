// The convex form of a mesh, where it has one: facets become the faces of a convex polyhedron, and know their names.
//
// Convex means: one closed surface, and at each edge between two facets the corner of the triangle beyond is not above the
// plane of this one, by exact signs. A connected closed surface that is convex at each edge bounds a convex solid
// (Tietze 1928, Nakajima 1928). What is flat to rounding was made one facet before (mesh_solid.cpp); join_hull() measures
// once more that nothing is above the faces' planes by more than that.
//
// Vertices in the middle of a facet, or of an edge between two of them, are none of the polyhedron.
#include <algorithm>
#include <map>
#include <utility>

#include "shape/join_hull.h"
#include "shape/mesh_pieces.h"
#include "shape/predicates.h"

namespace marey {
namespace {

bool is_convex_at_edges(const MeshSolid& solid) {
  for (std::size_t side = 0; side < solid.beyond.size(); ++side) {
    if (solid.flat[side]) continue;
    const std::array<Vec3<double>, 3> x = corners_of(solid, static_cast<int>(side / 3));
    const int other = solid.beyond[side];
    const int tip = solid.mesh.triangles[index(other / 3)][index((other + 2) % 3)];
    if (side_of_plane(x[0], x[1], x[2], solid.mesh.vertices[index(tip)]) > 0) return false;
  }
  return true;
}

// Facets as loops of vertices.
class FacetLoops {
 public:
  explicit FacetLoops(const MeshSolid& solid) : solid_(solid), number_(solid.mesh.vertices.size(), -1) {
    for (std::size_t v = 0; v < number_.size(); ++v)
      if (is_corner(static_cast<int>(v)))
        number_[v] = static_cast<int>(made_.vertex.size()), made_.vertex.push_back(static_cast<int>(v));
    std::vector<std::pair<int, int>> borders;  // facet, side
    for (std::size_t side = 0; side < solid.flat.size(); ++side)
      if (!solid.flat[side]) borders.push_back({solid.facet[side / 3], static_cast<int>(side)});
    std::sort(borders.begin(), borders.end());
    next_.assign(number_.size(), -1);
    for (std::size_t from = 0, to = 0; from < borders.size() && sound_; from = to) {
      while (to < borders.size() && borders[to].first == borders[from].first) ++to;
      add_loop(std::span(borders).subspan(from, to - from));
    }
  }
  // False: a facet has a hole, which no convex solid has.
  bool sound() const { return sound_; }

  std::shared_ptr<const MeshHull> hull() {
    std::vector<Vec3<double>> points;
    for (const int v : made_.vertex) points.push_back(solid_.mesh.vertices[index(v)]);
    auto hull = std::make_shared<ConvexHull>(join_hull(std::move(points), loops_, -1));
    std::map<std::pair<int, int>, int> names;  // of the edge between two facets: the least of its sides
    for (std::size_t side = 0; side < solid_.flat.size(); ++side) {
      if (solid_.flat[side]) continue;
      const int here = solid_.facet[side / 3], there = solid_.facet[index(solid_.beyond[side] / 3)];
      names.insert({{std::min(here, there), std::max(here, there)}, static_cast<int>(side)});
    }
    for (const ConvexHull::Edge& e : hull->edges) {
      const int left = made_.face[index(e.left)], right = made_.face[index(e.right)];
      made_.edge.push_back(names.at({std::min(left, right), std::max(left, right)}));
    }
    made_.convex = convex_hull(std::move(hull));
    return std::make_shared<const MeshHull>(std::move(made_));
  }

 private:
  // Whether three facets meet there.
  bool is_corner(int v) const {
    const std::span<const int> sides = sides_at(solid_, v);
    const int first = solid_.facet[index(sides[0] / 3)];
    int second = first;
    for (const int s : sides) {
      const int facet = solid_.facet[index(s / 3)];
      if (facet == first || facet == second) continue;
      if (second != first) return true;
      second = facet;
    }
    return false;
  }
  void add_loop(std::span<const std::pair<int, int>> borders) {
    for (const auto& [facet, side] : borders) next_[index(begin_of(side))] = side;
    std::vector<int> loop;
    int side = borders[0].second;
    for (std::size_t k = 0; k < borders.size(); ++k) {
      const int v = begin_of(side);
      if (number_[index(v)] >= 0) loop.push_back(number_[index(v)]);
      side = next_[index(solid_.mesh.triangles[index(side / 3)][index((side + 1) % 3)])];
      if (side < 0 || (side == borders[0].second) != (k + 1 == borders.size())) return void(sound_ = false);
    }
    for (const auto& border : borders) next_[index(begin_of(border.second))] = -1;
    loops_.push_back(std::move(loop));
    made_.face.push_back(borders[0].first);
  }
  int begin_of(int side) const { return solid_.mesh.triangles[index(side / 3)][index(side % 3)]; }

  const MeshSolid& solid_;
  MeshHull made_;
  std::vector<int> number_, next_;  // [vertices] of the polyhedron; the side of the facet at hand that begins there
  std::vector<std::vector<int>> loops_;
  bool sound_ = true;
};

}  // namespace

std::shared_ptr<const MeshHull> convex_form(const MeshSolid& solid) {
  if (solid.piece_vertex.size() != 1 || !is_convex_at_edges(solid)) return nullptr;
  FacetLoops loops(solid);
  if (!loops.sound()) return nullptr;
  try {
    return loops.hull();
  } catch (const Error&) {  // thinner than rounding lets a polyhedron be: it stays a mesh
    return nullptr;
  }
}

Feature name_on_mesh(const MeshHull& hull, const Feature& f) {
  if (f.kind == FeatureKind::vertex) return {f.kind, hull.vertex[index(f.index)]};
  if (f.kind == FeatureKind::edge) return {f.kind, hull.edge[index(f.index)]};
  return {f.kind, f.kind == FeatureKind::face ? hull.face[index(f.index)] : f.index};
}

}  // namespace marey
