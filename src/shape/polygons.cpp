// From polygons to triangles: numbers that can be computed with, one vertex for equal points, ears cut off polygons.
//
// Ears (G. H. Meisters, Polygons have ears, American Mathematical Monthly 82, 1975): a corner of a simple polygon is an
// ear if it turns left and no other corner lies in the triangle it makes with its neighbours; every polygon with more than
// three corners has one, and what is left without it is a simple polygon again. Only corners that do not turn left can lie
// within ears. Corners in the middle of a straight side are no ears and lie in the ears that would cut them off, so that no
// triangle is without area. Turns are exact, of the polygon as seen along the axis nearest to its normal (Newell's: the sum
// of the cross products of its sides). A polygon that is not flat becomes the triangles that are cut.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "shape/mesh_check.h"
#include "shape/moments.h"
#include "shape/predicates.h"

namespace marey {

namespace {

[[noreturn]] void refuse_polygon(const Polygons& source, MeshReason reason, int face, const std::string& what) {
  throw InvalidMesh(reason, place_of_face(source, face) + " " + what, face);
}
std::string in_front(const std::string& file) { return file.empty() ? "" : file + ": "; }

std::string text_of_point(const Polygons& source, int point) {
  const Vec3<double>& p = source.points[index(point)];
  const std::string line =
      source.point_lines.empty() ? "" : fmt::format(" (line {})", source.point_lines[index(point)]);
  return fmt::format("({:.9g}, {:.9g}, {:.9g}){}", p.x, p.y, p.z, line);
}

void check_numbers(const Polygons& source) {
  const int faces = source.face_count();
  if (faces == 0)
    throw InvalidMesh(MeshReason::empty, in_front(source.file) + "has no faces; expected a closed surface");
  if (faces > most_faces || source.points.size() > std::size_t{most_points})
    throw InvalidMesh(MeshReason::too_large,
                      fmt::format("{}has {} faces and {} points; expected at most {} and {}", in_front(source.file),
                                  faces, source.points.size(), most_faces, most_points));
  const int points = static_cast<int>(source.points.size());
  for (int f = 0; f < faces; ++f) {
    const auto corners = source.face(f);
    if (corners.size() < 3)
      refuse_polygon(source, MeshReason::too_few_corners, f,
                     fmt::format("has {} corners; expected at least 3", corners.size()));
    if (corners.size() > std::size_t{most_corners_of_a_face})
      refuse_polygon(source, MeshReason::too_large, f,
                     fmt::format("has {} corners; expected at most {}", corners.size(), most_corners_of_a_face));
    for (const int c : corners) {
      if (c < 0 || c >= points)
        refuse_polygon(source, MeshReason::no_such_point, f,
                       fmt::format("has corner {}; expected one of the {} points", std::int64_t{c} + 1, points));
      const Vec3<double>& p = source.points[index(c)];
      if (!finite(p))
        refuse_polygon(source, MeshReason::not_finite, f,
                       fmt::format("has a corner at {}; expected finite numbers", text_of_point(source, c)));
      if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > largest_coordinate)
        refuse_polygon(source, MeshReason::out_of_range, f,
                       fmt::format("has a corner at {}; expected coordinates up to {:g} m", text_of_point(source, c),
                                   largest_coordinate));
    }
  }
}

double computable(double x) { return std::abs(x) < smallest_coordinate ? 0.0 : x; }

// For each point its vertex, −1 where no face uses it; fills in the draft's vertices, in the order of the points.
std::vector<int> merge_equal_points(MeshDraft& draft) {
  const Polygons& source = draft.source;
  std::vector<char> used(source.points.size(), 0);
  for (const int c : source.corners) used[index(c)] = 1;
  std::vector<int> order;
  std::vector<Vec3<double>> place(source.points.size());
  for (std::size_t i = 0; i < source.points.size(); ++i) {
    if (!used[i]) continue;
    const Vec3<double>& p = source.points[i];
    place[i] = {computable(p.x), computable(p.y), computable(p.z)};
    order.push_back(static_cast<int>(i));
  }
  const auto before = [&](int a, int b) {
    const Vec3<double>&p = place[index(a)], &q = place[index(b)];
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z != q.z ? p.z < q.z : a < b;
  };
  std::sort(order.begin(), order.end(), before);
  std::vector<int> first(source.points.size(), -1);  // of the points equal to this one
  for (std::size_t k = 0; k < order.size(); ++k) {
    const int i = order[k], last = k > 0 ? first[index(order[k - 1])] : -1;
    const Vec3<double>& p = place[index(i)];
    const bool equal =
        last >= 0 && p.x == place[index(last)].x && p.y == place[index(last)].y && p.z == place[index(last)].z;
    first[index(i)] = equal ? last : i;
  }
  std::vector<int> vertex(source.points.size(), -1);
  for (std::size_t i = 0; i < source.points.size(); ++i) {
    if (first[i] < 0) continue;
    if (first[i] == static_cast<int>(i)) {
      vertex[i] = static_cast<int>(draft.mesh.vertices.size());
      draft.mesh.vertices.push_back(place[i]);
      draft.point_of.push_back(static_cast<int>(i));
    } else {
      vertex[i] = vertex[index(first[i])];
    }
  }
  return vertex;
}

class EarCutter {
 public:
  EarCutter(const std::vector<Vec3<double>>& vertices, std::span<const int> corners) : left_(corners.size()) {
    std::iota(left_.begin(), left_.end(), 0);
    const Vec3<double> n = area_normal(vertices, corners);
    int axis = std::abs(n.x) > std::abs(n.y) ? 0 : 1;
    if (std::abs(n.z) > std::abs(n[axis])) axis = 2;
    for (const int c : corners) {
      const Vec2 p = seen_along(axis, vertices[index(c)]);
      seen_.push_back(n[axis] < 0 ? Vec2{p.y, p.x} : p);  // counterclockwise in either case
    }
    const int count = static_cast<int>(corners.size());
    for (int i = 0; i < count; ++i)
      if (turn(i == 0 ? count - 1 : i - 1, i, i + 1 == count ? 0 : i + 1) <= 0) hollow_.push_back(i);
  }
  // Positions in the face's list of corners; false where there is no ear left.
  bool cut(std::vector<std::array<int, 3>>& triangles) {
    std::size_t at = 1, tried = 0;
    while (left_.size() > 3) {
      if (tried++ > left_.size()) return false;
      if (at >= left_.size()) at = 0;
      const std::array<int, 3> ear = around(at);
      if (!is_ear(ear)) {
        ++at;
        continue;
      }
      triangles.push_back(ear);
      std::erase(hollow_, ear[1]);
      left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
      tried = 0;
      ++at;  // every second corner: a fan's long triangles would lie in each other's boxes
    }
    triangles.push_back({left_[0], left_[1], left_[2]});
    return turn(left_[0], left_[1], left_[2]) > 0;
  }

 private:
  int turn(int a, int b, int c) const { return turn_of(seen_[index(a)], seen_[index(b)], seen_[index(c)]); }
  std::array<int, 3> around(std::size_t at) const {
    return {left_[at == 0 ? left_.size() - 1 : at - 1], left_[at], left_[at + 1 == left_.size() ? 0 : at + 1]};
  }
  bool is_ear(const std::array<int, 3>& e) const {
    return turn(e[0], e[1], e[2]) > 0 && std::ranges::none_of(hollow_, [&](int c) {
             return c != e[0] && c != e[1] && c != e[2] && turn(e[0], e[1], c) >= 0 && turn(e[1], e[2], c) >= 0 &&
                    turn(e[2], e[0], c) >= 0;
           });
  }
  std::vector<Vec2> seen_;
  std::vector<int> left_, hollow_;  // corners that are still there; those of them that did not turn left
};

bool are_in_line(const std::vector<Vec3<double>>& vertices, std::span<const int> corners) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    if (axis_of_view(vertices[index(corners[0])], vertices[index(corners[1])], vertices[index(corners[i])]) >= 0)
      return false;
  return true;
}

void check_corners(const MeshDraft& draft, int face, std::span<const int> corners) {
  std::vector<int> sorted(corners.begin(), corners.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    refuse_polygon(draft.source, MeshReason::repeated_corner, face,
                   fmt::format("comes to {} twice; expected corners that differ", text_of_vertex(draft, *twice)));
  if (are_in_line(draft.mesh.vertices, corners))
    refuse_polygon(draft.source, MeshReason::no_area, face, "has all its corners in a line; expected an area");
}

void add_triangles(MeshDraft& draft, int face, std::span<const int> corners) {
  std::vector<std::array<int, 3>> triangles;
  if (corners.size() == 3)
    triangles.push_back({0, 1, 2});
  else if (!EarCutter(draft.mesh.vertices, corners).cut(triangles))
    refuse_polygon(draft.source, MeshReason::tangled_face, face,
                   fmt::format("crosses or touches itself, with its {} corners; expected a polygon that does not",
                               corners.size()));
  for (const auto& t : triangles) {
    draft.mesh.triangles.push_back({corners[index(t[0])], corners[index(t[1])], corners[index(t[2])]});
    draft.face_of.push_back(face);
  }
}

}  // namespace

std::string text_of_face(const Polygons& source, int face) {
  const auto part = std::upper_bound(source.parts.begin(), source.parts.end(), face,
                                     [](int f, const Polygons::Part& p) { return f < p.first_face; });
  const std::string line = source.face_lines.empty() ? "" : fmt::format(" (line {})", source.face_lines[index(face)]);
  if (part == source.parts.begin()) return fmt::format("face {}{}", face + 1, line);
  return fmt::format("face {} of {}{}", face - (part - 1)->first_face + 1, (part - 1)->name, line);
}

std::string place_of_face(const Polygons& source, int face) {
  if (source.face_lines.empty()) return in_front(source.file) + text_of_face(source, face);
  return fmt::format("{}:{}: face {}", source.file, source.face_lines[index(face)], face + 1);
}

std::string text_of_vertex(const MeshDraft& draft, int vertex) {
  return text_of_point(draft.source, draft.point_of[index(vertex)]);
}

void refuse_triangle(const MeshDraft& draft, MeshReason reason, int triangle, const std::string& what, int other) {
  const int face = draft.face_of[index(triangle)];
  throw InvalidMesh(reason, place_of_face(draft.source, face) + " " + what, face,
                    other < 0 ? -1 : draft.face_of[index(other)]);
}

MeshDraft draft_of(const Polygons& source) {
  check_numbers(source);
  MeshDraft draft{source, {}, {}, {}};
  const std::vector<int> vertex = merge_equal_points(draft);
  std::vector<int> corners;
  for (int f = 0; f < source.face_count(); ++f) {
    corners.clear();
    for (const int c : source.face(f)) corners.push_back(vertex[index(c)]);
    check_corners(draft, f, corners);
    add_triangles(draft, f, corners);
  }
  return draft;
}

Polygons polygons_of(const Mesh& mesh) {
  Polygons polygons;
  polygons.points = mesh.vertices;
  for (const auto& t : mesh.triangles) polygons.add_face(t);
  return polygons;
}

Mesh closed_mesh(const Polygons& source) {
  MeshDraft draft = draft_of(source);
  const std::vector<int> opposite = check_edges(draft);
  const BoxTree tree = box_tree(draft.mesh);
  check_crossing(draft, tree);
  check_shells(draft, tree, opposite);
  return std::move(draft.mesh);
}
Mesh closed_mesh(const Mesh& mesh) { return closed_mesh(polygons_of(mesh)); }

const char* name_of(MeshReason reason) {
  constexpr std::array names{"empty",           "too large",       "no such point", "not finite",     "out of range",
                             "too few corners", "repeated corner", "no area",       "tangled face",   "repeated face",
                             "open edge",       "crowded edge",    "turned face",   "pinched vertex", "self-crossing",
                             "no volume",       "inside out",      "misnested"};
  return names[static_cast<std::size_t>(reason)];
}

}  // namespace marey
