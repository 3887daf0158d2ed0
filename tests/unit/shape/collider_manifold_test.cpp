// Manifolds of colliders: a convex solid written as a mesh touches as the solid itself does; edges between triangles of one
// plane leave no trace; each local minimum of the distance is a patch; nothing depends on who is a, or on the world's axes.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "marey/shape/collider.h"
#include "marey/shape/hull.h"
#include "support/mesh_brute.h"
#include "support/sanitized.h"
#include "unit/shape/some_colliders.h"

namespace marey::collider_manifold_test {
namespace {

using brute::Triangle;
using samples::V;
using samples::X;

Mesh mesh_of_hull(const ConvexHull& hull) {
  Mesh mesh{hull.vertices, {}};
  for (const ConvexHull::Face& f : hull.faces)
    for (int k = 1; k + 1 < f.count; ++k)
      mesh.triangles.push_back(
          {hull.loops[index(f.first)], hull.loops[index(f.first + k)], hull.loops[index(f.first + k + 1)]});
  return closed_mesh(mesh);
}
double deepest(const std::vector<Manifold>& all) {
  double least = 1e300;
  for (const Manifold& m : all)
    for (int k = 0; k < m.count; ++k) least = std::min(least, m.points[index(k)].gap);
  return least;
}
// The same points, in any order, without their names.
bool same_places(const Manifold& m, const Manifold& other, const X& to_other, double bound) {
  if (m.count != other.count) return false;
  for (int k = 0; k < m.count; ++k) {
    bool found = false;
    for (int l = 0; l < m.count; ++l)
      found = found || (norm(to_other * m.points[index(k)].point_W - other.points[index(l)].point_W) <= bound &&
                        std::abs(m.points[index(k)].gap - other.points[index(l)].gap) <= bound);
    if (!found) return false;
  }
  return true;
}
std::string told(const std::vector<Manifold>& all) {
  std::string out;
  for (const Manifold& m : all) {
    out += "\n n " + std::to_string(m.normal_W.x) + " " + std::to_string(m.normal_W.y) + " " +
           std::to_string(m.normal_W.z) + ":";
    for (int k = 0; k < m.count; ++k) {
      const ManifoldPoint& p = m.points[index(k)];
      out += " " + std::to_string(static_cast<int>(p.a.kind)) + ":" + std::to_string(p.a.index) + "–" +
             std::to_string(static_cast<int>(p.b.kind)) + ":" + std::to_string(p.b.index) + " " + std::to_string(p.gap);
    }
  }
  return out;
}

// Whether a point of a mesh is named after the feature that the hull's point at the same place is named after.
bool names_what_the_hull_has(const MeshSolid& mesh, const ManifoldPoint& p, const ConvexHull& hull, const Manifold& m) {
  for (int k = 0; k < m.count; ++k) {
    const Feature &f = p.a, &g = m.points[index(k)].a;
    if (f.kind != g.kind || norm(p.point_W - m.points[index(k)].point_W) > 1e-9) continue;
    const auto corner = [&](int side) {
      return mesh.mesh.vertices[index(mesh.mesh.triangles[index(side / 3)][index(side % 3)])];
    };
    if (f.kind == FeatureKind::vertex && norm(mesh.mesh.vertices[index(f.index)] - hull.vertices[index(g.index)]) == 0)
      return true;
    if (f.kind == FeatureKind::face && norm(mesh.normals[index(f.index)] - hull.faces[index(g.index)].normal) < 1e-9)
      return true;
    if (f.kind != FeatureKind::edge) continue;
    const V from = hull.vertices[index(hull.edges[index(g.index)].from)],
            to = hull.vertices[index(hull.edges[index(g.index)].to)];
    const V p0 = corner(f.index), p1 = corner(f.index - f.index % 3 + (f.index + 1) % 3);
    if (norm(p0 - from) + norm(p1 - to) == 0 || norm(p0 - to) + norm(p1 - from) == 0) return true;
  }
  return false;
}

// Apart, a convex solid and its mesh have the same one nearest place; so have the meshes of both. A mesh
// that knows that it is convex has the solid's points, by the names of the mesh.
TEST(ColliderManifold, OfAConvexMeshIsThatOfTheSolid) {
  samples::Chance chance(71);
  QueryScratch scratch;
  std::vector<Manifold> found;
  int compared = 0, same = 0;
  for (int n = 0; n < 600 / every(20); ++n) {
    const ConvexKind kind = n % 3 == 0 ? ConvexKind::hull : samples::kind_number(chance.below(8));
    Convex hull = samples::random_convex(chance, ConvexKind::hull), other = samples::random_convex(chance, kind);
    hull.margin = 0;
    if (n % 3 == 0) other.margin = 0;
    const auto known = mesh_solid(mesh_of_hull(*hull.hull)), mesh = solids::unknowing(known);
    const X X_WA{chance.turn(), {}};
    const double size = reach(hull) + (kind == ConvexKind::plane ? 0 : reach(other));
    X X_WB{n % 5 == 0 ? X_WA.R * chance.square_turn() : chance.turn(),
           chance.number(0.3, 1) * size * chance.direction()};
    const double within = 0.05 * size;
    const Distance d = distance_between(hull, X_WA, other, X_WB);
    if (d.distance + other.margin <= 1e-3 * size || d.distance > within) continue;
    Manifold expected;
    find_manifold(hull, X_WA, other, X_WB, within, expected);
    find_manifolds(collider_of(mesh), X_WA, collider_of(other), X_WB, within, scratch, found);
    ASSERT_FALSE(found.empty()) << name_of(kind);
    EXPECT_NEAR(deepest(found), d.distance, 2e-12 * size) << name_of(kind);
    std::vector<Manifold> by_hull;
    find_manifolds(collider_of(known), X_WA, collider_of(other), X_WB, within, scratch, by_hull);
    ASSERT_EQ(by_hull.size(), 1u);
    EXPECT_TRUE(same_places(expected, by_hull[0], {}, 1e-9 * size));
    for (int k = 0; k < by_hull[0].count; ++k)
      EXPECT_TRUE(names_what_the_hull_has(*known, by_hull[0].points[index(k)], *hull.hull, expected)) << told(by_hull);
    ++compared;
    // Further patches may come from what curves away by more than a patch holds; the first is that of the solid.
    bool first = false;
    for (const Manifold& m : found) {
      EXPECT_GE(dot(m.normal_W, d.normal_W), 0.99) << name_of(kind) << told(found);
      first = first || (norm(m.normal_W - d.normal_W) < 1e-6);
    }
    EXPECT_TRUE(first) << name_of(kind) << told(found);
    same += found.size() == 1 && same_places(expected, found[0], {}, 1e-4 * size);
    if (n % 3 == 0) {
      const auto second = solids::unknowing(mesh_solid(mesh_of_hull(*other.hull)));
      std::vector<Manifold> both;
      find_manifolds(collider_of(mesh), X_WA, collider_of(second), X_WB, within, scratch, both);
      EXPECT_NEAR(deepest(both), d.distance, 2e-12 * size);
      ASSERT_EQ(both.size(), 1u) << told(both);
      EXPECT_LE(norm(both[0].normal_W - d.normal_W), 1e-6);
    }
  }
  EXPECT_GT(compared, 50 / every(20));
  EXPECT_GE(same, 95 * compared / 100) << compared;
}

// A cube slides over a floor of 800 triangles, flat and tilted: four corners, always with the same names, one normal.
TEST(ColliderManifold, EdgesInsideAFaceLeaveNoTrace) {
  const auto floor_mesh = mesh_solid(solids::fine_box({2, 2, 0.5}, 20)),
             cube_solid = mesh_solid(solids::fine_box({0.25, 0.25, 0.25}, 3));
  const Collider floors[] = {collider_of(solids::unknowing(floor_mesh)), collider_of(floor_mesh)};
  const Collider cube = collider_of(convex_box({0.5, 0.5, 0.5})),
                 cube_mesh = collider_of(solids::unknowing(cube_solid)), known_cube = collider_of(cube_solid);
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const double height : {0.751, 0.75, 0.7499, 0.74})
    for (const double tilt : {0.0, 0.02})
      for (const Collider* other : {&cube, &cube_mesh, &known_cube}) {
        const Collider& floor = floors[other == &known_cube ? 1 : 0];
        std::set<std::string> names;
        for (int k = 0; k < 40; ++k) {
          const V at{-1.5 + 0.0729 * k, 0.025 * k, height};
          find_manifolds(floor, {}, *other, {rotation_about(V{0, 1, 0}, tilt) * rotation_about(V{0, 0, 1}, 0.3), at},
                         0.02, scratch, found);
          ASSERT_EQ(found.size(), 1u) << told(found) << " at " << k << " height " << height << " tilt " << tilt;
          ASSERT_LE(norm(found[0].normal_W - V{0, 0, 1}), 1e-9) << told(found);
          EXPECT_GE(found[0].count, tilt > 0 ? 2 : 4) << told(found);
          std::string name;
          for (int p = 0; p < found[0].count; ++p) {
            EXPECT_EQ(found[0].points[index(p)].b.kind, FeatureKind::vertex);
            name += std::to_string(found[0].points[index(p)].a.index) + "–" +
                    std::to_string(found[0].points[index(p)].b.index) + " ";
          }
          names.insert(name);
        }
        EXPECT_EQ(names.size(), 1u) << *names.begin() << " and " << *names.rbegin() << height << " " << tilt;
      }
}

// A can stands on the same floor, and lies on it: an inscribed square, and the ends of a line.
TEST(ColliderManifold, ACanOnManyTrianglesStandsAndLies) {
  const Collider floor = collider_of(solids::unknowing(mesh_solid(solids::fine_box({2, 2, 0.5}, 20)))),
                 can = collider_of(convex_cylinder(0.3, 1));
  const double quarter = 1.5707963267948966;
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const double above : {1e-3, 0.0, -1e-3})
    for (int k = 0; k < 40; ++k) {
      const V at{-1.2 + 0.06 * k, 0.013 * k, 0.5 + above};
      const Mat3<double> R = rotation_about(V{0, 0, 1}, 0.1 * k);
      find_manifolds(floor, {}, can, {R, at + V{0, 0, 0.5}}, 0.02, scratch, found);
      ASSERT_EQ(found.size(), 1u) << told(found) << above << " " << k;
      ASSERT_EQ(found[0].count, 4) << told(found);
      const auto& p = found[0].points;
      double area = 0;
      for (const auto& order : {std::array{0, 1, 2, 3}, std::array{0, 2, 1, 3}, std::array{0, 1, 3, 2}}) {
        const auto point = [&](size_t i) { return p[index(order[i])].point_W; };
        area = std::max(area, 0.5 * norm(cross(point(2) - point(0), point(3) - point(1))));
      }
      EXPECT_NEAR(area, 2 * 0.3 * 0.3, 1e-9) << told(found);
      find_manifolds(floor, {}, can, {R * rotation_about(V{1, 0, 0}, quarter), at + V{0, 0, 0.3}}, 0.02, scratch,
                     found);
      ASSERT_EQ(found.size(), 1u) << told(found) << above << " " << k;
      ASSERT_EQ(found[0].count, 2) << told(found) << above << " " << k;
      EXPECT_NEAR(norm(found[0].points[0].point_W - found[0].points[1].point_W), 1, 1e-6);
      EXPECT_NEAR(deepest(found), above, 1e-9);
    }
}

// A ball rolls over the same floor, sunk in by 1e-4, or so far that its centre is below: one point right under it.
TEST(ColliderManifold, ABallOnManyTrianglesHasOnePoint) {
  const Collider floor = collider_of(solids::unknowing(mesh_solid(solids::fine_box({2, 2, 0.5}, 20)))),
                 ball = collider_of(convex_sphere(0.3));
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const double above : {0.01, 0.0, -1e-4, -0.05, -0.29, -0.31, -0.45, -0.61})
    for (int k = 0; k < 60; ++k) {
      const V at{-1.5 + 0.05 * k, 0.013 * k, 0.8 + above};
      find_manifolds(floor, {}, ball, {Mat3<double>::identity(), at}, 0.02, scratch, found);
      ASSERT_EQ(found.size(), 1u) << told(found) << above << " " << k;
      EXPECT_LE(norm(found[0].normal_W - V{0, 0, 1}), 1e-7);
      ASSERT_EQ(found[0].count, 1) << told(found) << above << " " << k;
      EXPECT_NEAR(found[0].points[0].gap, above, 1e-12);
      EXPECT_LE(norm(found[0].points[0].point_W - V{at.x, at.y, 0.5 + 0.5 * above}), 1e-9);
    }
}

// A table on a floor: four legs, four patches of four points. A cube in a corner: two walls and the floor.
TEST(ColliderManifold, PatchesAreWhatHangsTogether) {
  Polygons table;
  solids::add_box(table, {-1, -1, 0.8}, {1, 1, 1});
  Mesh mesh;
  {
    solids::Cells cells(5);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) cells.flip(i, j, 1);
    for (const int i : {0, 4})
      for (const int j : {0, 4}) cells.flip(i, j, 0);
    solids::Chance still(1);
    mesh = closed_mesh(solids::tetrahedra_of(cells, still, 0).surface());
  }
  const auto solid = mesh_solid(mesh);
  QueryScratch scratch;
  std::vector<Manifold> found;
  for (const double z : {1e-4, 0.0, -1e-4}) {
    for (const Collider& floor : {collider_of(convex_plane()), collider_of(convex_box({20, 20, 2})),
                                  collider_of(mesh_solid(solids::fine_box({10, 10, 1}, 3))),
                                  collider_of(solids::unknowing(mesh_solid(solids::fine_box({10, 10, 1}, 3))))}) {
      const bool plane = std::get_if<Convex>(&floor.parts[0].geometry) &&
                         std::get<Convex>(floor.parts[0].geometry).kind == ConvexKind::plane;
      find_manifolds(floor, {Mat3<double>::identity(), {0, 0, plane ? 0.0 : -1.0}}, collider_of(solid),
                     {Mat3<double>::identity(), {0, 0, z}}, 1e-3, scratch, found);
      ASSERT_EQ(found.size(), 4u) << told(found) << z;
      for (const Manifold& m : found) {
        EXPECT_EQ(m.count, 4);
        EXPECT_LE(norm(m.normal_W - V{0, 0, 1}), 1e-12);
        for (int k = 0; k < m.count; ++k) EXPECT_NEAR(m.points[index(k)].gap, z, 1e-12);
      }
    }
  }
  solids::Cells room(4);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      if (!room.full(i, j, 0)) room.flip(i, j, 0);
    }
  for (int i = 0; i < 4; ++i)
    for (int k = 1; k < 4; ++k) room.flip(0, i, k);
  for (int i = 1; i < 4; ++i)
    for (int k = 1; k < 4; ++k) room.flip(i, 0, k);
  solids::Chance still(1);
  const Collider corner = collider_of(mesh_solid(closed_mesh(solids::tetrahedra_of(room, still, 0).surface())));
  for (const double in : {1e-4, 0.0, -1e-4, -1e-3}) {
    const V at = V{1.5, 1.5, 1.5} + in * V{1, 1, 1};
    find_manifolds(corner, {}, collider_of(convex_box({1, 1, 1})), {Mat3<double>::identity(), at}, 5e-4, scratch,
                   found);
    ASSERT_EQ(found.size(), 3u) << told(found) << in;
    V sum;
    for (const Manifold& m : found) {
      sum += m.normal_W;
      EXPECT_EQ(m.count, 4);
      for (int k = 0; k < m.count; ++k) EXPECT_NEAR(m.points[index(k)].gap, in, 1e-12);
    }
    EXPECT_LE(norm(sum - V{1, 1, 1}), 1e-9) << told(found);
  }
}

// Every place of a concave mesh from which no way along it leads nearer to the ball's centre is a contact, and no other.
TEST(ColliderManifold, OfABallAreTheLocalMinimaOfItsDistance) {
  solids::Chance chance(72);
  QueryScratch scratch;
  std::vector<Manifold> found;
  int minima_seen = 0;
  for (int n = 0; n < 700 / every(20); ++n) {
    const Mesh mesh = closed_mesh(solids::random_solid(chance).surface());
    const auto solid = mesh_solid(mesh);
    const auto triangles = brute::triangles_of(mesh);
    const V c{chance(-1, 5), chance(-1, 5), chance(-1, 5)};
    const double r = chance(0.1, 0.5), within = chance(0.1, 0.5);
    if (brute::winding(triangles, c) > 0.5) continue;
    // A place is a local minimum if no triangle that holds it comes nearer.
    std::vector<V> minima;
    for (const Triangle& t : triangles) {
      const V x = brute::nearest_on_triangle(c, t);
      const double d = norm(x - c);
      if (d > r + within) continue;
      bool least = brute::winding(triangles, x + 1e-6 * (c - x)) < 0.5;  // not seen through the solid
      for (const Triangle& u : triangles)
        if (brute::point_triangle(x, u) < 1e-9) least = least && brute::point_triangle(c, u) > d - 1e-9;
      if (least && std::ranges::none_of(minima, [&](const V& y) { return norm(x - y) < 1e-6; })) minima.push_back(x);
    }
    find_manifolds(collider_of(solid), {}, collider_of(convex_sphere(r)), {Mat3<double>::identity(), c}, within,
                   scratch, found);
    minima_seen += static_cast<int>(minima.size());
    for (const V& x : minima) {  // each has a point, or a neighbour's patch with nearly its normal holds it
      const V normal = (1 / norm(c - x)) * (c - x);
      const bool there = std::ranges::any_of(found, [&](const Manifold& m) { return dot(m.normal_W, normal) > 0.99; });
      EXPECT_TRUE(there) << n << told(found);
    }
    for (const Manifold& m : found) {
      const bool known = std::ranges::any_of(minima, [&](const V& x) {
        return norm(m.normal_W - (1 / norm(c - x)) * (c - x)) < 1e-6 && std::abs(norm(c - x) - r - deepest({m})) < 1e-9;
      });
      EXPECT_TRUE(known) << n << told(found);
    }
  }
  EXPECT_GT(minima_seen, 150 / every(20));
}

// For every two kinds, meshes and compounds among them.
TEST(ColliderManifold, SwappingAndTurningChangeNothing) {
  samples::Chance chance(73);
  solids::Chance mesh_chance(73);
  QueryScratch scratch;
  std::vector<Manifold> m, back, turned;
  int compared = 0, differ = 0;
  const int kinds = convex_kind_count + 2;
  for (int i = 0; i < kinds; ++i)
    for (int j = convex_kind_count; j < kinds; ++j)
      for (int k = 0; k < 40 / every(20); ++k) {
        const Collider a = solids::some_collider(chance, mesh_chance, i),
                       b = solids::some_collider(chance, mesh_chance, j);
        const X X_WA{chance.turn(), {}}, X_WB{chance.turn(), chance.number(0.5, 3) * chance.direction()};
        const X turn{chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
        find_manifolds(a, X_WA, b, X_WB, 0.2, scratch, m);
        if (m.empty()) continue;
        find_manifolds(b, X_WB, a, X_WA, 0.2, scratch, back);
        find_manifolds(a, turn * X_WA, b, turn * X_WB, 0.2, scratch, turned);
        ++compared;
        const auto as_in = [&](const std::vector<Manifold>& other, const X& to, double sign) {
          return m.size() == other.size() && std::ranges::all_of(m, [&](const Manifold& p) {
                   return std::ranges::any_of(other, [&](const Manifold& q) {
                     const bool parts = sign < 0 ? p.part_a == q.part_b && p.part_b == q.part_a
                                                 : p.part_a == q.part_a && p.part_b == q.part_b;
                     return parts && norm(sign * (to.R * p.normal_W) - q.normal_W) < 1e-4 &&
                            same_places(p, q, to, 1e-3);
                   });
                 });
        };
        const bool same = as_in(back, {}, -1) && as_in(turned, turn, 1);
        differ += !same;
        // Where they are apart the answer is unique.
        if (deepest(m) > 1e-3) {
          EXPECT_TRUE(same) << i << " " << j << told(m) << "\n" << told(back) << "\n" << told(turned);
        }
      }
  EXPECT_GT(compared, 200 / every(20));
  EXPECT_LE(differ, compared / 50) << compared;  // deep ones have ties
}

// Coinciding, flush, touching in a corner, pierced, far from the origin: finite numbers, unit normals, and contacts where
// the solids share a point.
TEST(ColliderManifold, DegenerateCasesAreHarmless) {
  solids::Chance chance(76);
  QueryScratch scratch;
  std::vector<Manifold> found;
  const auto fine = solids::unknowing(mesh_solid(solids::fine_box({0.5, 0.5, 0.5}, 4))),
             coarse = mesh_solid(solids::fine_box({0.5, 0.5, 0.5}, 1));
  const auto odd = mesh_solid(closed_mesh(solids::random_solid(chance).surface()));
  const auto plate = solids::unknowing(mesh_solid(solids::fine_box({2, 2, 1e-3}, 5))),
             needle = solids::unknowing(mesh_solid(solids::fine_box({1e-3, 1e-3, 2}, 1)));
  std::vector<Collider> all{collider_of(fine), collider_of(coarse), collider_of(odd), collider_of(plate),
                            collider_of(needle)};
  for (const Convex& c : {convex_box({1, 1, 1}), convex_sphere(0.5), convex_capsule(0.1, 2), convex_cylinder(0.5, 1),
                          convex_cone(0.5, 1), convex_ellipsoid({0.5, 0.3, 0.2}), convex_plane()})
    all.push_back(collider_of(c));
  std::vector<X> poses{{}, {rotation_about(V{0, 0, 1}, 0.7853981633974483), {}}};
  for (const V& p : {V{1, 0, 0}, V{1, 1, 0}, V{1, 1, 1}, V{0.5, 0, 0}, V{0, 0, 1}, V{0.25, 0.25, 1}, V{1e-12, 0, 0},
                     V{0, 0, 1 - 1e-13}})
    poses.push_back({Mat3<double>::identity(), p});
  for (int k = 0; k < 10 / every(5); ++k) poses.push_back({chance.turn(), chance.vec(1)});
  for (size_t i = 0; i < 5; ++i)
    for (const Collider& b : all)
      for (const X& pose : poses)
        for (const double far : {0.0, 1e5}) {
          const X X_WA{Mat3<double>::identity(), {far, -far, far}}, X_WB{pose.R, X_WA.p + pose.p};
          find_manifolds(all[i], X_WA, b, X_WB, 1e-3, scratch, found);
          const Distance d = distance_between(all[i], X_WA, b, X_WB, scratch).distance;
          EXPECT_TRUE(std::isfinite(d.distance));
          if (d.distance <= 1e-3 - 1e-9) {
            EXPECT_FALSE(found.empty()) << i << " " << &b - all.data() << " " << &pose - poses.data();
          }
          for (const Manifold& m : found) {
            EXPECT_NEAR(norm(m.normal_W), 1, 1e-9);
            EXPECT_GT(m.count, 0);
            for (int k = 0; k < m.count; ++k) {
              EXPECT_TRUE(finite(m.points[index(k)].point_W) && std::isfinite(m.points[index(k)].gap));
              EXPECT_LE(m.points[index(k)].gap, 1e-3);
            }
          }
        }
}

TEST(ColliderManifold, NamesPersist) {
  samples::Chance chance(74);
  solids::Chance mesh_chance(74);
  QueryScratch scratch;
  std::vector<Manifold> m, later;
  int kept = 0, all = 0;
  for (int k = 0; k < 300 / every(20); ++k) {
    const Collider a = solids::some_collider(chance, mesh_chance, 8 + k % 2),
                   b = solids::some_collider(chance, mesh_chance, k % 10);
    const X X_WA{chance.turn(), {}}, X_WB{chance.turn(), chance.number(0.5, 3) * chance.direction()};
    find_manifolds(a, X_WA, b, X_WB, 0.1, scratch, m);
    const V w = 1e-7 * chance.direction();
    find_manifolds(a, X_WA, b,
                   {rotation(Quaternion<double>{1, w.x, w.y, w.z}) * X_WB.R, X_WB.p + 1e-7 * chance.direction()}, 0.1,
                   scratch, later);
    for (const Manifold& f : m)
      for (int p = 0; p < f.count; ++p) {
        ++all;
        kept += std::ranges::any_of(later, [&](const Manifold& g) {
          return g.part_a == f.part_a && g.part_b == f.part_b &&
                 std::any_of(g.points.begin(), g.points.begin() + g.count, [&](const ManifoldPoint& q) {
                   return q.a == f.points[index(p)].a && q.b == f.points[index(p)].b;
                 });
        });
      }
  }
  EXPECT_GT(all, 200 / every(20));
  EXPECT_GE(kept, 99 * all / 100) << all;
}

}  // namespace
}  // namespace marey::collider_manifold_test
