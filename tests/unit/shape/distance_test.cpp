// Signed distance of convex solids: it certifies itself when they are apart; depths against searches over all faces and
// pairs of edges, and over directions.
#include "marey/shape/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/convex_samples.h"
#include "support/sanitized.h"

namespace marey {
namespace {

using samples::Chance;
using samples::Placed;
using V = Vec3<double>;

std::string words_of(const Placed& p) {
  return std::string(name_of(p.a.kind)) + "–" + name_of(p.b.kind) + " margins " + std::to_string(p.a.margin) + " " +
         std::to_string(p.b.margin);
}

// What every answer must satisfy, in units of the size: normal of unit length, witnesses on their solids and on one line
// along the normal, planes across the normal through the witnesses that leave a on one side and b on the other.
void expect_consistent(const Placed& p, const Distance& d, double bound) {
  const double size = p.size;
  EXPECT_NEAR(norm(d.normal_W), 1, 1e-14) << words_of(p);
  EXPECT_LE(norm(d.point_b_W - d.point_a_W - d.distance * d.normal_W), bound * size) << words_of(p);
  EXPECT_NEAR(samples::between(p.a, p.X_WA, p.b, p.X_WB, d.normal_W) / size, d.distance / size, bound) << words_of(p);
}
void expect_in_solid(const Placed& p, const Distance& d, double bound) {
  const V x = transpose_times(p.X_WA.R, d.point_a_W - p.a.margin * d.normal_W - p.X_WA.p);
  const V y = transpose_times(p.X_WB.R, d.point_b_W + p.b.margin * d.normal_W - p.X_WB.p);
  EXPECT_LE(samples::outside_core(p.a, x), bound * p.size) << words_of(p);
  EXPECT_LE(samples::outside_core(p.b, y), bound * p.size) << words_of(p);
}

TEST(DistanceTest, CertifiesItselfApart) {
  // Witnesses bound the distance from above, supporting planes from below. Rounding of a pose is 1e-16 of the size; what
  // depends on it is at most some tens of products.
  Chance chance(1);
  int apart = 0;
  for (int i = 0; i < convex_kind_count; ++i)
    for (int j = 0; j < convex_kind_count; ++j) {
      if (i == 0 && j == 0) continue;
      for (int k = 0; k < 10000 / 63 / every(10); ++k) {
        const Placed p = samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j));
        const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
        if (d.distance + p.a.margin + p.b.margin <= 1e-12 * p.size) continue;
        ++apart;
        expect_consistent(p, d, 1e-12);
        expect_in_solid(p, d, 1e-12);
        EXPECT_LE(d.slack, 1e-12 * p.size) << words_of(p);
      }
    }
  EXPECT_GT(apart, 10000 / 4 / every(10));
}

// ---- Depth

struct Axes {
  std::vector<V> normals, edges;  // in the world
};
Axes axes_of(const Convex& c, const Transform<double>& X) {
  Axes out;
  const auto axis = [&](int j) { return V{X.R(0, j), X.R(1, j), X.R(2, j)}; };
  if (c.kind == ConvexKind::capsule) out.edges = {axis(2)};
  if (c.kind == ConvexKind::box)
    for (int j = 0; j < 3; ++j)
      out.normals.push_back(axis(j)), out.normals.push_back(-axis(j)), out.edges.push_back(axis(j));
  if (c.kind == ConvexKind::hull) {
    for (const ConvexHull::Face& f : c.hull->faces) out.normals.push_back(X.R * f.normal);
    for (const ConvexHull::Edge& e : c.hull->edges)
      out.edges.push_back(
          X.R * (c.hull->vertices[static_cast<size_t>(e.to)] - c.hull->vertices[static_cast<size_t>(e.from)]));
  }
  return out;
}
// The largest separation over all normals of faces and all cross products of edges, either way.
double plain_separation(const Placed& p) {
  const Axes a = axes_of(p.a, p.X_WA), b = axes_of(p.b, p.X_WB);
  double best = -1e300;
  const auto take = [&](const V& n) { best = std::max(best, samples::between(p.a, p.X_WA, p.b, p.X_WB, n)); };
  for (const V& n : a.normals) take(n);
  for (const V& n : b.normals) take(-n);
  for (const V& e : a.edges)
    for (const V& f : b.edges) {
      const V n = cross(e, f);
      if (norm(n) < 1e-7 * norm(e) * norm(f)) continue;
      take((1 / norm(n)) * n), take((-1 / norm(n)) * n);
    }
  return best;
}
bool polyhedral(ConvexKind k) { return k == ConvexKind::capsule || k == ConvexKind::box || k == ConvexKind::hull; }

TEST(DistanceTest, DepthOfPolyhedraIsThatOfAllFacesAndPairsOfEdges) {
  // A depth is at most the extent along any direction, and polyhedra are deepest along one of these. Faces give their
  // normal to 1e-16; cross products of nearly parallel edges (1e-7) to 1e-9, where they lose by the square.
  Chance chance(2);
  int deep = 0;
  for (int k = 0; deep < 1000 / every(10); ++k) {
    static constexpr ConvexKind kinds[3] = {ConvexKind::capsule, ConvexKind::box, ConvexKind::hull};
    const ConvexKind b = kinds[chance.below(3)], a = kinds[chance.below(3)];
    const Placed p = samples::random_pair(chance, a, b);
    if (p.a.kind == ConvexKind::capsule && p.b.kind == ConvexKind::capsule) continue;
    const double plain = plain_separation(p);
    if (plain + p.a.margin + p.b.margin > 0) continue;  // the cores are apart
    ++deep;
    const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
    expect_consistent(p, d, 1e-12);
    EXPECT_NEAR(d.distance / p.size, plain / p.size, 1e-12) << words_of(p) << " slack " << d.slack;
    EXPECT_LE(d.slack, 1e-12 * p.size) << words_of(p);
    // Moved apart along the normal by that much they touch.
    expect_in_solid(p, d, 1e-12);
  }
}

// The largest separation over many directions, the best of them refined.
double searched_separation(Chance& chance, const Placed& p) {
  struct Try {
    double s;
    V n;
  };
  const auto at = [&](const V& n) { return samples::between(p.a, p.X_WA, p.b, p.X_WB, n); };
  std::vector<Try> tries;
  for (int k = 0; k < 300; ++k) {
    const V n = chance.direction();
    tries.push_back({at(n), n});
  }
  std::sort(tries.begin(), tries.end(), [](const Try& a, const Try& b) { return a.s > b.s; });
  double best = -1e300;
  for (size_t k = 0; k < 6; ++k) {
    Try t = tries[k];
    for (double step = 0.1; step > 1e-8;) {
      const V n = t.n + step * chance.direction();
      const double s = at((1 / norm(n)) * n);
      if (s > t.s)
        t = {s, (1 / norm(n)) * n};
      else
        step *= 0.93;
    }
    best = std::max(best, t.s);
  }
  return best;
}

TEST(DistanceTest, DepthOfRoundOnesIsTheLeastOverDirections) {
  Chance chance(3);
  for (int i = 1; i < convex_kind_count; ++i)
    for (int j = 1; j < convex_kind_count; ++j) {
      const ConvexKind ka = samples::kind_number(i), kb = samples::kind_number(j);
      if (ka == ConvexKind::sphere && kb <= ConvexKind::capsule) continue;
      if (polyhedral(ka) && (polyhedral(kb) || kb == ConvexKind::sphere)) continue;
      for (int deep = 0, tries = 0; deep < 12 / every(6) && tries < 500; ++tries) {
        const Placed p = samples::random_pair(chance, ka, kb);
        const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
        if (d.distance + p.a.margin + p.b.margin > 0) continue;
        ++deep;
        expect_consistent(p, d, 1e-11);
        // The answer is the extent along its normal, so that it can be too deep only.
        EXPECT_GE(d.distance, searched_separation(chance, p) - 1e-9 * p.size) << words_of(p) << " slack " << d.slack;
      }
    }
}

TEST(DistanceTest, SwappingAndTurningChangeNothing) {
  Chance chance(4);
  for (int i = 0; i < convex_kind_count; ++i)
    for (int j = 0; j < convex_kind_count; ++j) {
      if (i == 0 && j == 0) continue;
      for (int k = 0; k < 20 / every(10); ++k) {
        Placed p = samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j));
        const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
        const Distance back = distance_between(p.b, p.X_WB, p.a, p.X_WA);
        const Transform<double> X{chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
        const Distance turned = distance_between(p.a, X * p.X_WA, p.b, X * p.X_WB);
        const bool apart = d.distance + p.a.margin + p.b.margin > 0;
        const double bound = apart || (polyhedral(p.a.kind) && polyhedral(p.b.kind)) ? 1e-12 : 1e-9;
        EXPECT_NEAR(d.distance / p.size, back.distance / p.size, bound) << words_of(p);
        EXPECT_NEAR(d.distance / p.size, turned.distance / p.size, bound) << words_of(p);
        if (d.distance + p.a.margin + p.b.margin <= 1e-3 * p.size) continue;  // else the normal is not unique
        EXPECT_LE(norm(d.normal_W + back.normal_W), 1e-4) << words_of(p);
        EXPECT_LE(norm(X.R * d.normal_W - turned.normal_W), 1e-4) << words_of(p);
      }
    }
}

TEST(DistanceTest, DegenerateCasesHaveStatedAnswers) {
  const Transform<double> at_origin;
  const auto up = [](double z) { return Transform<double>{Mat3<double>::identity(), {0, 0, z}}; };
  const Convex ball = convex_sphere(1), small = convex_sphere(0.25), rod = convex_capsule(0.5, 2);
  const Convex cube = convex_box({2, 2, 2}), can = convex_cylinder(1, 4), egg = convex_ellipsoid({1, 2, 3});

  Distance d = distance_between(ball, at_origin, small, at_origin);  // concentric: along z of a
  EXPECT_EQ(d.distance, -1.25);
  EXPECT_EQ(d.normal_W.z, 1);
  d = distance_between(rod, at_origin, small, up(0.3));  // a point on the axis: across it, along x
  EXPECT_EQ(d.distance, -0.75);
  EXPECT_EQ(d.normal_W.x, 1);
  EXPECT_EQ(distance_between(small, up(0.3), rod, at_origin).normal_W.x, -1);
  d = distance_between(rod, at_origin, rod, {rotation_about(V{1, 0, 0}, 1.0), {0, 0, 0}});  // crossing axes
  EXPECT_NEAR(d.distance, -1, 1e-15);
  EXPECT_NEAR(std::abs(d.normal_W.x), 1, 1e-15);
  d = distance_between(rod, at_origin, rod, {Mat3<double>::identity(), {3, 0, 1}});  // parallel: middle of the stretch
  EXPECT_NEAR(d.distance, 2, 1e-15);
  EXPECT_NEAR(d.point_a_W.z, 0.5, 1e-15);
  d = distance_between(cube, at_origin, small, up(0.9));  // a ball inside a box leaves by the nearest face
  EXPECT_NEAR(d.distance, -0.35, 1e-14);
  EXPECT_NEAR(d.normal_W.z, 1, 1e-14);
  EXPECT_NEAR(distance_between(cube, at_origin, cube, at_origin).distance, -2, 1e-14);
  EXPECT_NEAR(distance_between(cube, at_origin, cube, up(2)).distance, 0, 1e-14);         // coplanar faces
  EXPECT_NEAR(distance_between(can, at_origin, small, at_origin).distance, -1.25, 1e-9);  // all directions alike
  EXPECT_NEAR(distance_between(can, at_origin, can, at_origin).distance, -2, 1e-9);
  EXPECT_NEAR(distance_between(egg, at_origin, egg, at_origin).distance, -2, 1e-9);
  EXPECT_NEAR(distance_between(egg, at_origin, small, at_origin).distance, -1.25, 1e-9);

  const Convex plane = convex_plane();
  const Transform<double> facing{rotation_about(V{1, 0, 0}, 3.141592653589793), {1, 2, 3}};
  EXPECT_EQ(distance_between(plane, at_origin, plane, facing).distance, 3);
  EXPECT_EQ(distance_between(plane, at_origin, plane, at_origin).distance, -HUGE_VAL);
  EXPECT_EQ(distance_between(plane, at_origin, egg, up(5)).distance, 2);
}

}  // namespace
}  // namespace marey
