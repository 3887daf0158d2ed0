// Whether triangles are a surface: each edge has two of them, which pass it in opposite directions, and those around a
// vertex are one ring.
#include <fmt/format.h>

#include <algorithm>

#include "shape/mesh_check.h"

namespace marey {

namespace {

// A triangle's side k goes from its corner k to the next; its number is 3 triangle + k.
struct Side {
  int low, high;  // vertices of the edge
  int number;
  bool upwards;  // from low to high
};
bool same_edge(const Side& a, const Side& b) { return a.low == b.low && a.high == b.high; }

std::vector<Side> sides_by_edge(const Mesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<int>(3 * t + k), a < b});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.number < b.number;
  });
  return sides;
}

// Edges that are wrong in one way: how many, and the side with the least number among them.
struct WrongEdges {
  int count = 0;
  Side first{}, other{};
  void add(const Side& side, const Side& beside) {
    if (count++ == 0 || side.number < first.number) first = side, other = beside;
  }
};

std::string text_of_edge(const MeshDraft& draft, const Side& side, int count) {
  const int from = side.upwards ? side.low : side.high, to = side.upwards ? side.high : side.low;
  return fmt::format("its edge from {} to {}{}", text_of_vertex(draft, from), text_of_vertex(draft, to),
                     count > 1 ? fmt::format(", the first of {} such", count) : "");
}

void refuse_repeated_faces(const MeshDraft& draft) {
  struct Corners {
    std::array<int, 3> sorted;
    int triangle;
  };
  std::vector<Corners> all;
  all.reserve(draft.mesh.triangles.size());
  for (std::size_t t = 0; t < draft.mesh.triangles.size(); ++t) {
    all.push_back({draft.mesh.triangles[t], static_cast<int>(t)});
    std::sort(all.back().sorted.begin(), all.back().sorted.end());
  }
  std::sort(all.begin(), all.end(), [](const Corners& a, const Corners& b) {
    return a.sorted != b.sorted ? a.sorted < b.sorted : a.triangle < b.triangle;
  });
  const auto twice = std::adjacent_find(all.begin(), all.end(),
                                        [](const Corners& a, const Corners& b) { return a.sorted == b.sorted; });
  if (twice == all.end()) return;
  const int again = (twice + 1)->triangle;
  refuse_triangle(draft, MeshReason::repeated_face, again,
                  "has the same corners as " + text_of_face(draft.source, draft.face_of[index(twice->triangle)]) +
                      "; expected a surface that comes to a place once",
                  twice->triangle);
}

// Each edge's sides, two for two; refuses where there are more, fewer, or where they agree on a direction.
std::vector<int> opposite_sides(const MeshDraft& draft) {
  const std::vector<Side> sides = sides_by_edge(draft.mesh);
  std::vector<int> opposite(sides.size(), -1);
  WrongEdges crowded, open, turned;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && same_edge(sides[begin], sides[end])) ++end;
    const Side &a = sides[begin], &b = sides[end - 1];
    if (end - begin > 2)
      crowded.add(a, b);
    else if (end - begin < 2)
      open.add(a, a);
    else if (a.upwards == b.upwards)
      turned.add(a, b);
    opposite[index(a.number)] = b.number, opposite[index(b.number)] = a.number;
  }
  if (crowded.count > 0)
    refuse_triangle(draft, MeshReason::crowded_edge, crowded.first.number / 3,
                    fmt::format("shares {} with more than one other, {} among them; expected two faces at each edge",
                                text_of_edge(draft, crowded.first, crowded.count),
                                text_of_face(draft.source, draft.face_of[index(crowded.other.number / 3)])),
                    crowded.other.number / 3);
  if (open.count > 0)
    refuse_triangle(draft, MeshReason::open_edge, open.first.number / 3,
                    fmt::format("has nothing beyond {}; expected a closed surface, two faces at each edge",
                                text_of_edge(draft, open.first, open.count)));
  if (turned.count > 0)
    refuse_triangle(draft, MeshReason::turned_face, turned.first.number / 3,
                    fmt::format("and {} pass {} in the same direction; expected corners counterclockwise seen from "
                                "outside, in all faces",
                                text_of_face(draft.source, draft.face_of[index(turned.other.number / 3)]),
                                text_of_edge(draft, turned.first, turned.count)),
                    turned.other.number / 3);
  return opposite;
}

int side_before(int side) { return side % 3 == 0 ? side + 2 : side - 1; }

void refuse_pinched_vertices(const MeshDraft& draft, const std::vector<int>& opposite) {
  const Mesh& mesh = draft.mesh;
  std::vector<int> faces(mesh.vertices.size(), 0), some_side(mesh.vertices.size(), -1);
  for (int side = 0; side < static_cast<int>(opposite.size()); ++side) {
    const std::size_t v = index(mesh.triangles[index(side / 3)][index(side % 3)]);
    ++faces[v];
    if (some_side[v] < 0) some_side[v] = side;
  }
  for (std::size_t v = 0; v < faces.size(); ++v) {
    int ring = 0, side = some_side[v];
    do {
      ++ring;
      side = opposite[index(side_before(side))];
    } while (side != some_side[v]);
    if (ring == faces[v]) continue;
    refuse_triangle(
        draft, MeshReason::pinched_vertex, some_side[v] / 3,
        fmt::format("meets others at {} alone: {} of the {} faces there are a ring of their own; expected one "
                    "ring around each vertex",
                    text_of_vertex(draft, static_cast<int>(v)), ring, faces[v]));
  }
}

}  // namespace

std::vector<int> check_edges(const MeshDraft& draft) {
  refuse_repeated_faces(draft);
  std::vector<int> opposite = opposite_sides(draft);
  refuse_pinched_vertices(draft, opposite);
  return opposite;
}

}  // namespace marey
