// Distances of colliders against brute force over all triangles: 10³ random pairs with concave meshes that have tunnels,
// cavities and several pieces; what is inside; compounds.
#include <gtest/gtest.h>

#include <memory>

#include "marey/shape/collider.h"
#include "marey/shape/hull.h"
#include "support/convex_samples.h"
#include "support/mesh_brute.h"
#include "support/sanitized.h"
#include "unit/shape/solids.h"

namespace marey::collider_distance_test {
namespace {

using brute::Triangle;
using samples::V;
using samples::X;

Mesh random_mesh(solids::Chance& chance) {
  Mesh mesh = closed_mesh(solids::random_solid(chance).surface());
  V middle;
  for (const V& v : mesh.vertices) middle += (1.0 / static_cast<double>(mesh.vertices.size())) * v;
  for (V& v : mesh.vertices) v = 0.5 * (v - middle);
  return mesh;
}
std::vector<Triangle> triangles_of(const ConvexHull& hull, const X& pose) {
  std::vector<Triangle> out;
  for (const ConvexHull::Face& f : hull.faces)
    for (int k = 1; k + 1 < f.count; ++k) {
      const auto at = [&](int m) { return pose * hull.vertices[index(hull.loops[index(f.first + m)])]; };
      out.push_back({at(0), at(k), at(k + 1)});
    }
  return out;
}

TEST(ColliderDistance, InsideIsWhereTheSurfaceWindsAround) {
  solids::Chance chance(61);
  int inside = 0, tried = 0;
  for (int n = 0; n < 40 / every(4); ++n) {
    const auto solid = mesh_solid(random_mesh(chance));
    const auto triangles = brute::triangles_of(solid->mesh);
    for (int k = 0; k < 100; ++k) {
      const V p = chance.vec(1);
      double nearest = 1e300;
      for (const Triangle& t : triangles) nearest = std::min(nearest, brute::point_triangle(p, t));
      const MeshPoint x = nearest_on_surface(*solid, p);
      EXPECT_NEAR(x.distance, nearest, 1e-14);
      EXPECT_NEAR(norm(x.p - p), nearest, 1e-14);
      if (nearest < 1e-9) continue;
      const bool expected = brute::winding(triangles, p) > 0.5;
      EXPECT_EQ(is_inside(*solid, p), expected);
      inside += expected, ++tried;
    }
  }
  EXPECT_GT(inside, tried / 10);
}

// Signs and sizes: the oracle knows whether they share a point, and the distance where they do not.
struct Expected {
  bool together;
  double distance;  // of the surfaces, less margins
};
void expect_distance(const Collider& a, const X& X_WA, const Collider& b, const X& X_WB, const Expected& e,
                     QueryScratch& scratch, const std::string& what) {
  const Distance d = distance_between(a, X_WA, b, X_WB, scratch).distance;
  const Distance back = distance_between(b, X_WB, a, X_WA, scratch).distance;
  EXPECT_NEAR(back.distance, d.distance, e.together ? 1e-6 : 1e-13) << what;
  EXPECT_NEAR(norm(d.normal_W), 1, 1e-12) << what;
  EXPECT_LE(norm(d.point_a_W + d.distance * d.normal_W - d.point_b_W), 1e-12) << what;
  if (e.together) {
    EXPECT_LT(d.distance, 1e-13) << what;
  } else {
    EXPECT_NEAR(d.distance, e.distance, 2e-12) << what;
    EXPECT_GT(d.distance, 0) << what;
  }
}

TEST(ColliderDistance, OfMeshesIsTheLeastOfAllTriangles) {
  solids::Chance chance(62);
  samples::Chance convex_chance(62);
  QueryScratch scratch;
  int together = 0, apart = 0;
  for (int n = 0; n < 1000 / every(20); ++n) {
    const auto mesh = mesh_solid(random_mesh(chance));
    const X X_WA{chance.turn(), chance.vec(0.5)}, X_WB{chance.turn(), X_WA.p + chance.vec(1.6)};
    const auto a = brute::triangles_of(mesh->mesh, X_WA);
    const auto in_a = [&](const V& p) { return brute::winding(a, p) > 0.5; };
    Expected e{false, 1e300};
    Collider other;
    const int kind = n % 4;
    if (kind == 0) {  // a ball
      const double r = chance(0.05, 0.5);
      other = collider_of(convex_sphere(r));
      for (const Triangle& t : a) e.distance = std::min(e.distance, brute::point_triangle(X_WB.p, t) - r);
      e.together = e.distance <= 0 || in_a(X_WB.p);
    } else if (kind == 1) {  // a capsule
      const double r = chance(0.05, 0.3), length = chance(0.1, 1);
      other = collider_of(convex_capsule(r, length));
      const V p = X_WB * V{0, 0, length / 2}, q = X_WB * V{0, 0, -length / 2};
      for (const Triangle& t : a) e.distance = std::min(e.distance, brute::segment_triangle(p, q, t) - r);
      e.together = e.distance <= 0 || in_a(p);
    } else if (kind == 2) {  // a hull, rounded or not
      const auto hull = samples::random_hull(convex_chance, 4 + chance.below(8), {0.5, 0.4, 0.3});
      const double r = chance.below(2) ? 0 : chance(0, 0.2);
      other = collider_of(convex_hull(hull, r));
      e.distance = brute::surface_distance(a, triangles_of(*hull, X_WB)) - r;
      const auto holds = [&](const V& p) {
        const V x = transpose_times(X_WB.R, p - X_WB.p);
        return std::ranges::all_of(hull->faces, [&](const auto& f) { return dot(f.normal, x) <= f.offset; });
      };
      e.together = e.distance <= 0 || in_a(X_WB * hull->center) ||
                   std::ranges::any_of(a, [&](const Triangle& t) { return holds(t[0]); });
    } else {  // another mesh
      const auto second = mesh_solid(random_mesh(chance));
      other = collider_of(second);
      const auto b = brute::triangles_of(second->mesh, X_WB);
      e.distance = brute::surface_distance(a, b);
      e.together = e.distance <= 0 || std::ranges::any_of(b, [&](const Triangle& t) { return in_a(t[0]); }) ||
                   std::ranges::any_of(a, [&](const Triangle& t) { return brute::winding(b, t[0]) > 0.5; });
    }
    ++(e.together ? together : apart);
    expect_distance(collider_of(mesh), X_WA, other, X_WB, e, scratch, std::to_string(n));
  }
  EXPECT_GT(together, 100 / every(20));
  EXPECT_GT(apart, 100 / every(20));
}

TEST(ColliderDistance, ToAPlaneIsThatOfTheLowestVertex) {
  solids::Chance chance(63);
  QueryScratch scratch;
  for (int n = 0; n < 100; ++n) {
    const auto mesh = mesh_solid(random_mesh(chance));
    const X X_WA{chance.turn(), chance.vec(2)}, X_WP{chance.turn(), chance.vec(1)};
    double low = 1e300;
    for (const V& v : mesh->mesh.vertices) low = std::min(low, transpose_times(X_WP.R, X_WA * v - X_WP.p).z);
    const Distance d = distance_between(collider_of(convex_plane()), X_WP, collider_of(mesh), X_WA, scratch).distance;
    EXPECT_NEAR(d.distance, low, 1e-13);
    EXPECT_LE(norm(d.normal_W - X_WP.R * V{0, 0, 1}), 1e-13);
  }
}

Collider random_compound(samples::Chance& chance, solids::Chance& mesh_chance, int most) {
  std::vector<ColliderPart> parts;
  for (int k = 1 + chance.below(most); k > 0; --k) {
    const X pose{chance.turn(), chance.number(0, 2) * chance.direction()};
    if (chance.below(4) == 0)
      parts.push_back({mesh_solid(random_mesh(mesh_chance)), pose});
    else
      parts.push_back({samples::random_convex(chance, samples::kind_number(1 + chance.below(7))), pose});
  }
  return compound(parts);
}
// A round core's least depth is flat about its normal, which rounding of a distance by ε leaves known to √ε only; how wide a mesh's
// region is along it then is known no better. Of such a pair the depth follows the last digits of its pose.
bool is_round_in_mesh(const ColliderPart& p, const ColliderPart& q) {
  const auto *a = std::get_if<Convex>(&p.geometry), *b = std::get_if<Convex>(&q.geometry);
  const Convex* convex = a ? a : b;
  return !(a && b) && convex &&
         (convex->kind == ConvexKind::cylinder || convex->kind == ConvexKind::cone ||
          convex->kind == ConvexKind::ellipsoid);
}
// The parts alone, placed as the library does: the same to the last bit. Placed here, in another order of the same sums: to 1e-12.
// `doubtful`: draws that were picked for depths which are not known so well; there only the others are.
void expect_least_of_parts(samples::Chance& chance, solids::Chance& mesh_chance, bool doubtful, QueryScratch& scratch) {
  const Collider a = random_compound(chance, mesh_chance, 5), b = random_compound(chance, mesh_chance, 4);
  const X X_WA{chance.turn(), {}}, X_WB{chance.turn(), chance.number(0, 8) * chance.direction()};
  const ColliderDistance d = distance_between(a, X_WA, b, X_WB, scratch);
  double least = 1e300, least_here = 1e300;
  bool well_known = true;
  for (const ColliderPart& p : a.parts)
    for (const ColliderPart& q : b.parts) {
      const double alone = distance_between(compound({p}), X_WA, compound({q}), X_WB, scratch).distance.distance;
      least = std::min(least, alone);
      well_known = well_known && !(alone < 0 && is_round_in_mesh(p, q));
      least_here = std::min(least_here, distance_between(compound({{p.geometry, {}}}), X_WA * p.X_SP,
                                                         compound({{q.geometry, {}}}), X_WB * q.X_SP, scratch)
                                            .distance.distance);
    }
  EXPECT_EQ(d.distance.distance, least);
  if (well_known || !doubtful) {
    EXPECT_NEAR(d.distance.distance, least_here, 1e-12);
  }
  const Bounds box = bounds_in_world(a, X_WA);
  if (least > 0) {
    const V& x = d.distance.point_a_W;
    EXPECT_TRUE(contains(widened(box, 1e-12), {x, x}));
    EXPECT_LE(norm(x - X_WA.p), a.reach + 1e-12);
  }
}

TEST(ColliderDistance, OfCompoundsIsTheLeastOfTheirParts) {
  struct Draws {
    unsigned seed;
    int count;
    bool doubtful;
  };
  // Beside 300 at random: in the last of the others a depth once was 9e-9 (cone in mesh) or 8e-12 off.
  for (const Draws& draws :
       {Draws{64, 300 / every(10), false}, Draws{2035, 7, true}, Draws{2020, 64 / every(10), true}}) {
    samples::Chance chance(draws.seed);
    solids::Chance mesh_chance(draws.seed);
    QueryScratch scratch;
    for (int n = 0; n < draws.count; ++n) expect_least_of_parts(chance, mesh_chance, draws.doubtful, scratch);
  }
}

// A ball in a mesh shell: in the hollow it is apart, in the wall it is deep.
TEST(ColliderDistance, AMeshIsASolid) {
  Polygons shell;
  solids::add_box(shell, {-2, -2, -2}, {2, 2, 2});
  solids::add_box(shell, {-1, -1, -1}, {1, 1, 1}, true);
  const Collider hollow = collider_of(mesh_solid(closed_mesh(shell)));
  const Collider ball = collider_of(convex_sphere(0.1));
  QueryScratch scratch;
  X turned;
  EXPECT_NEAR(distance_between(hollow, turned, ball, {turned.R, {0.2, 0, 0}}, scratch).distance.distance, 0.7, 1e-14);
  const Distance deep = distance_between(hollow, turned, ball, {turned.R, {1.6, 0.3, 0.2}}, scratch).distance;
  EXPECT_NEAR(deep.distance, -0.5, 1e-14);  // outwards by 0.4 and its radius
  EXPECT_LE(norm(deep.normal_W - V{1, 0, 0}), 1e-14);
  const Distance inwards = distance_between(hollow, turned, ball, {turned.R, {1.3, 0.3, 0.2}}, scratch).distance;
  EXPECT_NEAR(inwards.distance, -0.4, 1e-14);  // into the hollow
  EXPECT_LE(norm(inwards.normal_W - V{-1, 0, 0}), 1e-14);
  EXPECT_GT(distance_between(hollow, turned, ball, {turned.R, {2.2, 0, 0}}, scratch).distance.distance, 0);
}

}  // namespace
}  // namespace marey::collider_distance_test
