// A zoo of meshes: what is bad is refused for its reason, at its place; what only looks bad is taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "marey/shape/mesh.h"
#include "unit/shape/solids.h"

namespace marey::mesh_zoo_test {
namespace {

using solids::add_box;
using solids::box;
using solids::V;

constexpr double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

Polygons faces(std::vector<V> points, std::initializer_list<std::vector<int>> polygons) {
  Polygons p;
  p.points = std::move(points);
  for (const auto& face : polygons) p.add_face(face);
  return p;
}
Polygons tetrahedron() {
  return faces({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}});
}
// What remains of the faces for which `keep` says so.
Polygons only(const Polygons& from, const std::function<bool(int)>& keep) {
  Polygons p;
  p.points = from.points;
  for (int f = 0; f < from.face_count(); ++f)
    if (keep(f)) p.add_face(from.face(f));
  return p;
}
Polygons without_face(const Polygons& from, int face) {
  return only(from, [face](int f) { return f != face; });
}
Polygons turned(const Polygons& from, const std::function<bool(int)>& which) {
  Polygons p;
  p.points = from.points;
  for (int f = 0; f < from.face_count(); ++f) {
    std::vector<int> corners(from.face(f).begin(), from.face(f).end());
    if (which(f)) std::reverse(corners.begin(), corners.end());
    p.add_face(corners);
  }
  return p;
}
Polygons moved(Polygons p, int point, const V& to) {
  p.points[static_cast<std::size_t>(point)] = to;
  return p;
}
Polygons with_face(Polygons p, std::vector<int> face) {
  p.add_face(face);
  return p;
}
Polygons two_boxes(const V& low, const V& high, bool inwards = false) {
  Polygons p = box();
  add_box(p, low, high, inwards);
  return p;
}
// A prism over a polygon in the plane, counterclockwise.
Polygons prism(const std::vector<std::pair<double, double>>& base) {
  Polygons p;
  const int n = static_cast<int>(base.size());
  std::vector<int> bottom, top;
  for (const double z : {0.0, 1.0})
    for (const auto& [x, y] : base) p.points.push_back({x, y, z});
  for (int i = 0; i < n; ++i) {
    bottom.push_back(n - 1 - i), top.push_back(n + i);
    p.add_face(std::array{i, (i + 1) % n, n + (i + 1) % n, n + i});
  }
  p.add_face(bottom), p.add_face(top);
  return p;
}
// A band around the z axis that is closed after half a turn: its border is one curve, it has one side.
Polygons moebius_band() {
  Polygons p;
  constexpr int n = 12;
  for (int i = 0; i < n; ++i) {
    const double a = 2 * 3.14159265358979 * i / n, half = a / 2;
    for (const double s : {-0.3, 0.3})
      p.points.push_back(
          {(1 + s * std::cos(half)) * std::cos(a), (1 + s * std::cos(half)) * std::sin(a), s * std::sin(half)});
  }
  for (int i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const int j = last ? 0 : 2 * (i + 1);
    p.add_face(std::array{2 * i, last ? j + 1 : j, last ? j : j + 1, 2 * i + 1});
  }
  return p;
}

struct Animal {
  const char* name;
  MeshReason reason;
  Polygons polygons;
  int face = -1;  // which must be blamed; −1: any
};
using enum MeshReason;

std::vector<Animal> bad_ones() {
  std::vector<Animal> zoo;
  const auto add = [&zoo](const char* name, MeshReason reason, Polygons p, int face = -1) {
    zoo.push_back({name, reason, std::move(p), face});
  };
  // numbers
  add("nothing", empty, {});
  add("points without faces", empty, faces({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}));
  add("NaN", not_finite, moved(box(), 3, {1, nan, 0}));
  add("infinity", not_finite, moved(box(), 3, {1, infinite, 0}));
  add("minus infinity", not_finite, moved(tetrahedron(), 0, {-infinite, 0, 0}), 0);
  add("beyond the moon", out_of_range, moved(box(), 7, {1e10, 1, 1}));
  add("the largest number", out_of_range, moved(box(), 7, {1, 1, -std::numeric_limits<double>::max()}));
  add("a corner too far", no_such_point, with_face(box(), {0, 1, 8}), 6);
  add("a negative corner", no_such_point, with_face(box(), {0, 1, -1}), 6);
  add("the largest corner", no_such_point, with_face(box(), {0, 1, std::numeric_limits<int>::max()}), 6);
  // faces
  add("a face without corners", too_few_corners, with_face(box(), {}), 6);
  add("a face with one corner", too_few_corners, with_face(box(), {0}), 6);
  add("a face with two corners", too_few_corners, with_face(box(), {0, 1}), 6);
  add("a corner twice", repeated_corner, with_face(box(), {0, 1, 1}), 6);
  add("a corner twice in a quadrilateral", repeated_corner, with_face(box(), {0, 1, 3, 1}), 6);
  add(
      "two corners at one place", repeated_corner,
      [] {
        Polygons p = with_face(box(), {0, 1, 8});
        p.points.push_back(p.points[1]);
        return p;
      }(),
      6);
  add(
      "zero and minus zero", repeated_corner,
      [] {
        Polygons p = with_face(box(), {0, 8, 1});
        p.points.push_back({-0.0, 0.0, -0.0});
        return p;
      }(),
      6);
  add(
      "next to nothing apart", repeated_corner,
      [] {
        Polygons p = with_face(box(), {0, 8, 1});
        p.points.push_back({1e-200, 0, 0});
        return p;
      }(),
      6);
  add(
      "corners in a line", no_area,
      [] {
        Polygons p = with_face(box(), {0, 8, 1});
        p.points.push_back({0.5, 0, 0});
        return p;
      }(),
      6);
  add("corners in a slanting line", no_area,
      faces({{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {0, 1, 0}}, {{0, 1, 2}, {0, 1, 3}}), 0);
  add("a quadrilateral in a line", no_area, faces({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {{0, 1, 2, 3}}), 0);
  add("a bow tie", tangled_face, turned(prism({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), [](int) { return false; }));
  add("a star of one stroke", tangled_face,
      prism({{0, 1}, {0.59, -0.81}, {-0.95, 0.31}, {0.95, 0.31}, {-0.59, -0.81}}));
  add("a spike in the plane", tangled_face, prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {1, 1.5}, {0, 1}}));
  add(
      "too many corners", too_large,
      [] {
        Polygons p = box();
        std::vector<int> all;
        for (int i = 0; i <= most_corners_of_a_face; ++i)
          all.push_back(i), p.points.push_back({1.0 * i, 1.0 * i * i, 0});
        p.add_face(all);
        return p;
      }(),
      6);
  // edges
  add("an open box", open_edge, without_face(box(), 1));
  add("a box without two faces", open_edge, only(box(), [](int f) { return f > 1; }));
  add("a single triangle", open_edge, faces({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}), 0);
  add("a single square", open_edge, only(box(), [](int f) { return f == 0; }), 0);
  add("a tetrahedron with a hole", open_edge, without_face(tetrahedron(), 2));
  add("a crack", open_edge,
      [] {  // one face has corners of its own, a little off
        Polygons p = without_face(box(), 0);
        for (const int i : {0, 2, 3, 1}) p.points.push_back(p.points[static_cast<std::size_t>(i)] + V{0, 0, -1e-12});
        p.add_face(std::array{8, 9, 10, 11});
        return p;
      }());
  add("a T-junction", open_edge,
      [] {  // one face ends at the middle of another's edge
        Polygons p = without_face(box(), 0);
        p.points.push_back({0.5, 0, 0});
        p.add_face(std::array{0, 2, 3, 8}), p.add_face(std::array{8, 3, 1});
        return p;
      }());
  add("a fin", crowded_edge, [] {
    Polygons p = with_face(box(), {0, 1, 8});
    p.points.push_back({0.5, -1, -1});
    return p;
  }());
  add("a wall within", crowded_edge, with_face(box(), {0, 1, 7, 6}));
  add("two boxes on one edge", crowded_edge, two_boxes({1, 1, 0}, {2, 2, 1}));
  add("two boxes on one face", repeated_face, two_boxes({1, 0, 0}, {2, 1, 1}));
  add("a face twice", repeated_face, with_face(tetrahedron(), {0, 2, 1}), 4);
  add("a face and its back", repeated_face, with_face(tetrahedron(), {0, 1, 2}), 4);
  add("a pillow without filling", repeated_face, faces({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}), 1);
  add("a box twice", repeated_face, two_boxes({0, 0, 0}, {1, 1, 1}));
  add("one face turned", turned_face, turned(box(), [](int f) { return f == 3; }));
  add("half of the faces turned", turned_face, turned(box(), [](int f) { return f % 2 == 0; }));
  add("a Moebius band", open_edge, moebius_band());
  add("one triangle turned", turned_face, turned(tetrahedron(), [](int f) { return f == 1; }));
  // vertices
  add("two boxes on one vertex", pinched_vertex, two_boxes({1, 1, 1}, {2, 2, 2}));
  add("two tetrahedra tip to tip", pinched_vertex, [] {
    Polygons p = tetrahedron();
    const Polygons other = tetrahedron();
    for (const V& v : other.points) p.points.push_back({-v.x, -v.y, v.z});
    for (int f = 0; f < 4; ++f) {
      std::vector<int> corners(other.face(f).begin(), other.face(f).end());
      for (int& c : corners) c += 4;
      p.add_face(corners);
    }
    p.points[7] = {0, 0, -1}, p.points[4] = p.points[0];
    return turned(p, [](int f) { return f >= 4; });
  }());
  // crossing
  add("two boxes through each other", self_crossing, two_boxes({0.5, 0.5, 0.5}, {2, 2, 2}));
  // Within one triangle of the wall, so that only edges of the spike meet anything.
  add("a spike through a wall", self_crossing, two_boxes({0.6, 0.05, -1}, {0.8, 0.15, 0.5}));
  add("a wall around a spike", self_crossing, [] {
    Polygons p = box({0.6, 0.05, -1}, {0.8, 0.15, 0.5});
    add_box(p, {0, 0, 0}, {1, 1, 1});
    return p;
  }());
  add("a box through a wall", self_crossing, two_boxes({0.25, 0.25, -1}, {0.75, 0.75, 0.5}));
  add("two boxes that touch by faces", self_crossing, two_boxes({1, 0.25, 0.25}, {2, 0.75, 0.75}));
  add("an edge on a face", self_crossing, [] {
    Polygons p = box(), q = prism({{0, 0}, {1, -0.4}, {1, 0.4}});
    for (V& v : q.points) v = V{1 + v.x, 0.5 + v.y, v.z * 0.5 + 0.25};
    const int base = static_cast<int>(p.points.size());
    p.points.insert(p.points.end(), q.points.begin(), q.points.end());
    for (int f = 0; f < q.face_count(); ++f) {
      std::vector<int> corners(q.face(f).begin(), q.face(f).end());
      for (int& c : corners) c += base;
      p.add_face(corners);
    }
    return p;
  }());
  add("a vertex on a face", self_crossing, [] {
    Polygons p = box();
    const Polygons t = tetrahedron();
    for (const V& v : t.points) p.points.push_back(V{1 + v.x + v.y + v.z, 0.5 + v.y - v.z, 0.5 + v.z - v.x});
    for (int f = 0; f < 4; ++f) {
      std::vector<int> corners(t.face(f).begin(), t.face(f).end());
      for (int& c : corners) c += 8;
      p.add_face(corners);
    }
    return p;
  }());
  add("a cavity that pokes out", self_crossing, two_boxes({0.5, 0.25, 0.25}, {1.5, 0.75, 0.75}, true));
  // A box whose lid is pushed in to a point.
  const auto dented = [](double z) {
    return faces(
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, z}},
        {{0, 3, 2, 1},
         {0, 1, 5, 4},
         {1, 2, 6, 5},
         {2, 3, 7, 6},
         {3, 0, 4, 7},
         {4, 5, 8},
         {5, 6, 8},
         {6, 7, 8},
         {7, 4, 8}});
  };
  add("a dent that comes out at the back", self_crossing, dented(-1));
  add("a dent down to the bottom", self_crossing, dented(0));
  add("a face folded flat onto another", self_crossing,
      faces({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.25, 0}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}));
  add("a flat box", repeated_corner, box({0, 0, 0}, {1, 1, 0}));
  add("a prism without height", repeated_corner,
      moved(moved(moved(prism({{0, 0}, {1, 0}, {0, 1}}), 3, {0, 0, 0}), 4, {1, 0, 0}), 5, {0, 1, 0}));
  // shells
  add("a box inside out", inside_out, turned(box(), [](int) { return true; }));
  add("a tetrahedron inside out", inside_out, turned(tetrahedron(), [](int) { return true; }));
  add("a mirror image", inside_out, [] {
    Polygons p = box();
    for (V& v : p.points) v.x = -v.x;
    return p;
  }());
  add("one of two boxes inside out", inside_out, two_boxes({3, 3, 3}, {4, 4, 4}, true), 6);
  add("a solid in a solid", misnested, two_boxes({0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}));
  add(
      "a cavity in a cavity", misnested,
      [] {
        Polygons p = box({0, 0, 0}, {3, 3, 3});
        add_box(p, {0.5, 0.5, 0.5}, {2.5, 2.5, 2.5}, true), add_box(p, {1, 1, 1}, {2, 2, 2}, true);
        return p;
      }(),
      12);
  add("a hollow box inside out", inside_out,
      turned(two_boxes({0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}, true), [](int) { return true; }));
  add("thinner than rounding", no_volume, box({1, 1, 1}, {2, 2, 1 + 0x1p-52}));
  return zoo;
}

TEST(MeshZoo, BadOnesAreRefusedForTheirReason) {
  const std::vector<Animal> zoo = bad_ones();
  for (const Animal& animal : zoo) {
    SCOPED_TRACE(animal.name);
    try {
      closed_mesh(animal.polygons);
      ADD_FAILURE() << "was taken";
    } catch (const InvalidMesh& e) {
      EXPECT_STREQ(name_of(e.reason()), name_of(animal.reason)) << e.what();
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      if (animal.face >= 0) {
        EXPECT_EQ(e.face(), animal.face) << e.what();
      }
      EXPECT_NE(std::string(e.what()).find("; expected "), std::string::npos) << e.what();
    }
  }
  std::printf("%zu bad meshes refused\n", zoo.size());
  EXPECT_GE(zoo.size(), 60U);
}

// Scaled by powers of two and moved by whole numbers of the grid nothing changes: all signs are exact.
TEST(MeshZoo, SizeAndPlaceMakeNoDifference) {
  for (const Animal& animal : bad_ones()) {
    if (animal.reason == out_of_range || animal.reason == no_volume ||
        std::string(animal.name) == "next to nothing apart" || std::string(animal.name) == "a crack")
      continue;
    SCOPED_TRACE(animal.name);
    for (const double scale : {0x1p-40, 0x1p15}) {
      Polygons p = animal.polygons;
      for (V& v : p.points) v = scale * v + V{1024 * scale, 0, -512 * scale};
      try {
        closed_mesh(p);
        ADD_FAILURE() << "was taken";
      } catch (const InvalidMesh& e) {
        EXPECT_STREQ(name_of(e.reason()), name_of(animal.reason)) << e.what();
      }
    }
  }
}

TEST(MeshZoo, PlacesAreNamed) {
  const auto message = [](const Polygons& p) -> std::string {
    try {
      closed_mesh(p);
    } catch (const InvalidMesh& e) {
      return e.what();
    }
    return "was taken";
  };
  Polygons open = without_face(box(), 1);
  EXPECT_EQ(message(open),
            "face 2 has nothing beyond its edge from (1, 0, 1) to (0, 0, 1), the first of 4 such; expected a closed "
            "surface, two faces at each edge");
  open.file = "box.obj";
  EXPECT_EQ(message(open).substr(0, 15), "box.obj: face 2");
  open.parts = {{0, "lid"}, {1, "walls"}};
  EXPECT_EQ(message(open).substr(0, 24), "box.obj: face 1 of walls");
  open.parts.clear();
  for (int f = 0; f < open.face_count(); ++f) open.face_lines.push_back(10 + f);
  for (int i = 0; i < 8; ++i) open.point_lines.push_back(1 + i);
  EXPECT_EQ(
      message(open),
      "box.obj:11: face 2 has nothing beyond its edge from (1, 0, 1) (line 6) to (0, 0, 1) (line 5), the first of 4 "
      "such; expected a closed surface, two faces at each edge");
  const Polygons crossing = two_boxes({0.5, 0.5, 0.5}, {2, 2, 2});
  EXPECT_EQ(
      message(crossing),
      "face 2 crosses or touches face 9 where they are not neighbours; expected a surface that does not meet itself");
  EXPECT_EQ(
      message(two_boxes({0.25, 0.25, 0.25}, {0.5, 0.5, 0.5})),
      "face 7 belongs to a surface within 1 other, that of face 1 among them, and faces outwards; expected the walls "
      "of cavities to face into them");
}

struct Harmless {
  const char* name;
  Polygons polygons;
  double volume;
};

TEST(MeshZoo, HarmlessOnesAreTaken) {
  std::vector<Harmless> zoo;
  zoo.push_back({"a box", box(), 1});
  zoo.push_back({"a tetrahedron", tetrahedron(), 1.0 / 6});
  zoo.push_back({"a cavity", two_boxes({0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}, true), 1 - 0.125});
  zoo.push_back({"two solids apart", two_boxes({2, 2, 2}, {3, 3, 3}), 2});
  zoo.push_back({"as close as can be", two_boxes({1 + 0x1p-52, 0, 0}, {2, 1, 1}), 2});
  {
    Polygons p = box({0, 0, 0}, {5, 5, 5});  // a solid in a cavity in a solid, in the middle of nothing
    add_box(p, {1, 1, 1}, {4, 4, 4}, true), add_box(p, {2, 2, 2}, {3, 3, 3});
    zoo.push_back({"a solid in a cavity", p, 125 - 27 + 1});
    std::reverse(p.first.begin(), p.first.end());
  }
  {
    Polygons p = box();  // each face has its own corners, as in STL
    Polygons q;
    for (int f = 0; f < p.face_count(); ++f) {
      std::vector<int> corners;
      for (const int c : p.face(f))
        corners.push_back(static_cast<int>(q.points.size())), q.points.push_back(p.points[static_cast<std::size_t>(c)]);
      q.add_face(corners);
    }
    zoo.push_back({"points many times", q, 1});
  }
  {
    Polygons p = box();
    p.points.push_back({nan, 7, 7}), p.points.push_back({100, 100, 100});
    zoo.push_back({"points that nobody uses", p, 1});
  }
  zoo.push_back({"an L", prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}), 3});
  zoo.push_back({"corners in the middle of sides", prism({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}), 4});
  zoo.push_back({"a comb",
                 prism({{0, 0},
                        {7, 0},
                        {7, 3},
                        {6, 3},
                        {6, 1},
                        {5, 1},
                        {5, 3},
                        {4, 3},
                        {4, 1},
                        {3, 1},
                        {3, 3},
                        {2, 3},
                        {2, 1},
                        {1, 1},
                        {1, 3},
                        {0, 3}}),
                 7 + 4 * 2});
  zoo.push_back(
      {"a spiral",
       prism({{0, 0}, {5, 0}, {5, 5}, {1, 5}, {1, 2}, {3, 2}, {3, 3}, {2, 3}, {2, 4}, {4, 4}, {4, 1}, {0, 1}}), 0});
  {
    std::vector<std::pair<double, double>> base;
    for (int i = 0; i < 500; ++i)
      base.emplace_back(std::cos(2 * 3.14159265358979 * i / 500), std::sin(2 * 3.14159265358979 * i / 500));
    zoo.push_back({"a drum", prism(base), 250 * std::sin(2 * 3.14159265358979 / 500)});
  }
  {
    Polygons p = moved(box(), 7, {1, 1, 1.25});  // three of its faces are not flat
    zoo.push_back({"a warped box", p, 0});
  }
  zoo.push_back({"a thin plate", box({0, 0, 0}, {1, 1, 1e-9}), 1e-9});
  zoo.push_back({"a grain far away", box({1e6, 1e6, 1e6}, {1e6 + 1, 1e6 + 1, 1e6 + 0x1p-20}), 0x1p-20});
  {
    Polygons p = two_boxes({0, 0, 0}, {0, 0, 0});  // an outer box with a tunnel: a frame
    p = Polygons{};
    const auto ring = [&p](double z) {
      for (const auto& [x, y] : {std::pair{0, 0}, {3, 0}, {3, 3}, {0, 3}, {1, 1}, {2, 1}, {2, 2}, {1, 2}})
        p.points.push_back({1.0 * x, 1.0 * y, z});
    };
    ring(0), ring(1);
    for (int i = 0; i < 4; ++i) {
      const int j = (i + 1) % 4;
      p.add_face(std::array{i, j, 8 + j, 8 + i});            // outer walls
      p.add_face(std::array{4 + j, 4 + i, 12 + i, 12 + j});  // inner walls
      p.add_face(std::array{8 + i, 8 + j, 12 + j, 12 + i});  // top
      p.add_face(std::array{j, i, 4 + i, 4 + j});            // bottom
    }
    zoo.push_back({"a frame", p, 8});
  }
  for (const Harmless& animal : zoo) {
    SCOPED_TRACE(animal.name);
    try {
      const Mesh mesh = closed_mesh(animal.polygons);
      const double volume = solid_mass(mesh, 1).mass;
      EXPECT_GT(volume, 0);
      if (animal.volume > 0) {
        EXPECT_NEAR(volume, animal.volume, 1e-12 * animal.volume);
      }
      EXPECT_EQ(closed_mesh(mesh).triangles, mesh.triangles);
      EXPECT_EQ(closed_mesh(mesh).vertices.size(), mesh.vertices.size());
    } catch (const InvalidMesh& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

// Hollow boxes by the hundred, in a block and in a row: each shell is looked at by itself, and one that faces the wrong way
// is found among all others.
TEST(MeshZoo, ManyShells) {
  for (const std::array<int, 3>& n : {std::array{6, 6, 6}, std::array{1, 1, 300}}) {
    Polygons p;
    for (int i = 0; i < n[0] * n[1] * n[2]; ++i) {
      const int column = i / n[0], layer = column / n[1];
      const V at{2.0 * (i % n[0]), 2.0 * (column % n[1]), 2.0 * layer};
      add_box(p, at, at + V{1, 1, 1});
      add_box(p, at + V{0.25, 0.25, 0.25}, at + V{0.75, 0.75, 0.75}, true);
    }
    EXPECT_NEAR(solid_mass(closed_mesh(p), 1).mass, 0.875 * p.face_count() / 12, 1e-9);
    const int shell = p.face_count() / 6 / 2 + 1;
    const Polygons wrong = turned(p, [shell](int f) { return f / 6 == shell; });
    try {
      closed_mesh(wrong);
      ADD_FAILURE() << "was taken";
    } catch (const InvalidMesh& e) {
      EXPECT_EQ(e.face() / 6, shell);
      EXPECT_EQ(e.reason(), shell % 2 == 0 ? inside_out : misnested);
    }
  }
}

// Every cell of a grid is full or empty by chance, as long as the surface does not touch itself: all of them are taken,
// and refused when one triangle is missing, turned, or doubled.
TEST(MeshZoo, RandomSolids) {
  solids::Chance chance(3);
  for (int n = 0; n < 60; ++n) {
    const solids::TetrahedralSolid solid = solids::random_solid(chance);
    const Mesh surface = solid.surface();
    Mesh mesh;
    ASSERT_NO_THROW(mesh = closed_mesh(surface)) << n;
    const std::size_t victim = static_cast<std::size_t>(chance.below(static_cast<int>(mesh.triangles.size())));
    const auto reason_of = [](const Mesh& m) -> std::string {
      try {
        closed_mesh(m);
      } catch (const InvalidMesh& e) {
        return name_of(e.reason());
      }
      return "was taken";
    };
    Mesh broken = mesh;
    broken.triangles.erase(broken.triangles.begin() + static_cast<std::ptrdiff_t>(victim));
    EXPECT_EQ(reason_of(broken), name_of(open_edge));
    broken = mesh;
    std::swap(broken.triangles[victim][0], broken.triangles[victim][1]);
    EXPECT_EQ(reason_of(broken), name_of(turned_face));
    broken = mesh;
    broken.triangles.push_back(mesh.triangles[victim]);
    EXPECT_EQ(reason_of(broken), name_of(repeated_face));
    broken = mesh;
    for (auto& t : broken.triangles) std::swap(t[0], t[1]);
    EXPECT_EQ(reason_of(broken), name_of(inside_out));
    // A vertex pulled through the whole solid makes it cross itself, unless it ends up beyond everything.
    broken = mesh;
    const std::size_t v = static_cast<std::size_t>(mesh.triangles[victim][0]);
    broken.vertices[v] = solid_mass(mesh, 1).center + 3.0 * (solid_mass(mesh, 1).center - broken.vertices[v]);
    EXPECT_NE(reason_of(broken), name_of(open_edge));
  }
}

}  // namespace
}  // namespace marey::mesh_zoo_test
