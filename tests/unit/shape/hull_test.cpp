// Convex hulls: every point is within, every vertex is one of the points, faces are polygons with the neighbours they name;
// what spans no solid is refused. Rounded hulls weigh what an integral along rays finds.
#include "marey/shape/hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "marey/shape/distance.h"
#include "unit/shape/solids.h"

namespace marey::hull_test {
namespace {

using solids::Chance;
using solids::V;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

void expect_hull(const ConvexHull& hull, const std::vector<V>& points) {
  Bounds box;
  for (const V& p : points) box.add(p);
  const double size = norm(box.high - box.low), tolerance = 1e-13 * size + 1e-14 * norm(box.high);
  EXPECT_EQ(hull.vertices.size() - hull.edges.size() + hull.faces.size(), 2U);
  EXPECT_EQ(2 * hull.edges.size(), hull.loops.size());
  for (const ConvexHull::Face& f : hull.faces) {
    EXPECT_GE(f.count, 3);
    EXPECT_NEAR(norm(f.normal), 1, 1e-14);
    for (const V& p : points) EXPECT_LE(dot(f.normal, p) - f.offset, tolerance);
    for (const int v : hull.loop(f)) EXPECT_NEAR(dot(f.normal, hull.vertices[at(v)]), f.offset, tolerance);
  }
  for (const ConvexHull::Edge& e : hull.edges) {
    EXPECT_NE(e.left, e.right);
    const auto runs = [&](int face, int from, int to) {
      const auto loop = hull.loop(hull.faces[at(face)]);
      for (std::size_t k = 0; k < loop.size(); ++k)
        if (loop[k] == from && loop[(k + 1) % loop.size()] == to) return true;
      return false;
    };
    EXPECT_TRUE(runs(e.left, e.from, e.to));
    EXPECT_TRUE(runs(e.right, e.to, e.from));
  }
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
    const int from = hull.neighbor_first[v], to = hull.neighbor_first[v + 1];
    EXPECT_GE(to - from, 3);
    for (int k = from; k < to; ++k) {  // each face is between its neighbour and the next
      const auto loop = hull.loop(hull.faces[at(hull.ring_faces[at(k)])]);
      EXPECT_NE(std::ranges::find(loop, hull.neighbors[at(k)]), loop.end());
      EXPECT_NE(std::ranges::find(loop, hull.neighbors[at(k + 1 == to ? from : k + 1)]), loop.end());
    }
    EXPECT_TRUE(std::ranges::any_of(points, [&](const V& p) { return norm(p - hull.vertices[v]) == 0; }));
  }
  EXPECT_NO_THROW(closed_mesh(mesh_of(hull)));
}

TEST(Hull, OfRandomPoints) {
  Chance chance(21);
  for (int n = 0; n < 60; ++n) {
    std::vector<V> points;
    const double size = std::exp(chance(-6, 6));
    const V place = n % 3 == 0 ? V{} : 1000 * size * chance.vec();
    const int count = 4 + chance.below(n % 5 == 0 ? 500 : 40);
    for (int i = 0; i < count; ++i) {
      V p = chance.vec();
      if (n % 2 == 0) p = (1 / norm(p)) * p;  // on a sphere: all of them are vertices
      points.push_back(place + size * p);
    }
    const ConvexHull hull = hull_of_points(points);
    expect_hull(hull, points);
    if (n % 6 == 0) {
      EXPECT_EQ(hull.vertices.size(), points.size());
    }
  }
}

// Points in one plane make one polygon; points within faces and edges, and points twice, leave no trace.
TEST(Hull, FacesAreJoined) {
  Chance chance(22);
  for (int n = 0; n < 50; ++n) {
    std::vector<V> points;
    const int m = 1 + n % 5;
    for (int i = 0; i <= m; ++i)
      for (int j = 0; j <= m; ++j)
        for (int k = 0; k <= m; ++k) points.push_back({2.0 * i / m - 1, 1.0 * j / m, 3.0 * k / m});
    points.push_back(points.front());
    std::shuffle(points.begin(), points.end(), chance.engine);
    const Transform<double> X{n < 5 ? Mat3<double>::identity() : chance.turn(), n < 25 ? V{} : chance.vec(100)};
    for (V& p : points) p = X * p;
    const ConvexHull hull = hull_of_points(points);
    SCOPED_TRACE(n);
    expect_hull(hull, points);
    EXPECT_EQ(hull.vertices.size(), 8U);
    EXPECT_EQ(hull.faces.size(), 6U);
    EXPECT_EQ(hull.edges.size(), 12U);
    EXPECT_NEAR(solid_mass(hull, 2).mass, 2 * 6, 1e-11);
  }
  // A drum of 64 corners: two faces of 64, 64 of 4.
  std::vector<V> drum;
  for (int i = 0; i < 64; ++i)
    for (const double z : {-1.0, 1.0})
      drum.push_back({std::cos(2 * std::numbers::pi * i / 64), std::sin(2 * std::numbers::pi * i / 64), z});
  const ConvexHull hull = hull_of_points(drum);
  expect_hull(hull, drum);
  EXPECT_EQ(hull.faces.size(), 66U);
}

TEST(Hull, RefusesWhatSpansNoSolid) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Chance chance(23);
  const auto reason = [](const std::vector<V>& points, double rounding = 0) -> std::string {
    try {
      solid_mass(hull_of_points(points), 1, rounding);
    } catch (const InvalidHull& e) {
      EXPECT_NE(std::string(e.what()).find("; expected"), std::string::npos) << e.what();
      return name_of(e.reason());
    }
    return "was taken";
  };
  const std::vector<V> tetrahedron{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(reason(tetrahedron), "was taken");
  EXPECT_EQ(reason({}), "too few points");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "too few points");
  EXPECT_EQ(reason(std::vector<V>(100, V{1, 2, 3})), "too few points");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-0.0, 0, 0}}), "too few points");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 0, 0}, {-1, 0, 0}}), "collinear");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {3, 4, 0}}), "coplanar");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}}), "not finite");
  EXPECT_EQ(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e12}}), "out of range");
  std::vector<V> speck = tetrahedron;
  for (V& p : speck) p = 1e-200 * p;
  EXPECT_EQ(reason(speck), "too thin");
  for (V& p : speck) p = 1e170 * p;  // as small as a mesh may be at 1e-30 m
  EXPECT_EQ(reason(speck), "was taken");
  EXPECT_EQ(reason(tetrahedron, -1), "bad rounding");
  EXPECT_EQ(reason(tetrahedron, nan), "bad rounding");
  for (int n = 0; n < 50; ++n) {  // in a line or a plane that does not lie along the axes: to rounding
    std::vector<V> line, plane;
    const Transform<double> X{chance.turn(), chance.vec(n % 2 == 0 ? 0 : 10)};
    for (int i = 0; i < 20; ++i)
      line.push_back(X * V{chance(-1, 1), 0, 0}), plane.push_back(X * V{chance(-1, 1), chance(-1, 1), 0});
    EXPECT_EQ(reason(line), "collinear");
    EXPECT_EQ(reason(plane), "coplanar");
  }
}

// Nearly flat, points nearly on top of each other, cospherical: a hull, or a refusal with a reason.
TEST(Hull, NearlyDegenerate) {
  Chance chance(24);
  int taken = 0;
  for (int n = 0; n < 300; ++n) {
    std::vector<V> points;
    const double thin = std::pow(10, -chance(0, 16));
    for (int i = 0; i < 40; ++i) {
      V p = chance.vec();
      p.z *= thin;
      if (i % 2 == 1 && n % 2 == 0) p = points.back() + thin * chance.vec();
      points.push_back(p);
    }
    try {
      const ConvexHull hull = hull_of_points(points);
      ++taken;
      for (const ConvexHull::Face& f : hull.faces)
        for (const V& p : points) ASSERT_LE(dot(f.normal, p) - f.offset, 1e-10) << n << " " << thin;
    } catch (const InvalidHull& e) {
      EXPECT_LT(thin, 1e-8) << e.what();
    }
  }
  EXPECT_GT(taken, 150);
}

// ---- rounded
double distance_to(const ConvexHull& hull, const V& p) {
  double best = Bounds::infinity;
  bool inside = true;
  for (const ConvexHull::Face& f : hull.faces) {
    const auto corners = hull.loop(f);
    const V& n = f.normal;
    const double height = dot(n, p) - f.offset;
    inside = inside && height <= 0;
    bool over = true;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const V &a = hull.vertices[at(corners[i])], &b = hull.vertices[at(corners[(i + 1) % corners.size()])];
      over = over && dot(cross(n, b - a), p - a) >= 0;
      const double t = std::clamp(dot(p - a, b - a) / norm_squared(b - a), 0.0, 1.0);
      best = std::min(best, norm(p - a - t * (b - a)));
    }
    if (over) best = std::min(best, std::abs(height));
  }
  return inside ? 0 : best;
}

// Moments by slices of distances: ∫ over rays from the centre, R(u) by bisection, Gauss–Legendre would not see the kinks
// between faces, edges and corners either: the midpoint rule errs by O(1/n²).
TEST(Hull, RoundedWeighsWhatRaysFind) {
  Chance chance(25);
  for (int n = 0; n < 3; ++n) {
    std::vector<V> points;
    for (int i = 0; i < 5; ++i) points.push_back(chance.vec());
    const ConvexHull hull = hull_of_points(points);
    const double rounding = chance(0.1, 1);
    const SolidMass m = solid_mass(hull, 1, rounding);
    const V o = solid_mass(mesh_of(hull), 1).center;
    double volume = 0;
    V first;
    Sym3<double> second;
    constexpr int steps = 60;
    for (int i = 0; i < steps; ++i)
      for (int j = 0; j < 2 * steps; ++j) {
        const double c = -1 + (i + 0.5) * 2 / steps, s = std::sqrt(1 - c * c),
                     phi = (j + 0.5) * std::numbers::pi / steps;
        const V u{s * std::cos(phi), s * std::sin(phi), c};
        double low = 0, high = 8;
        for (int k = 0; k < 30; ++k)
          (distance_to(hull, o + 0.5 * (low + high) * u) < rounding ? low : high) = 0.5 * (low + high);
        const double w = 2.0 / steps * std::numbers::pi / steps, r3 = low * low * low;
        volume += w * r3 / 3;
        first += (w * r3 * low / 4) * u;
        second +=
            (w * r3 * low * low / 5) * Sym3<double>{u.x * u.x, u.y * u.y, u.z * u.z, u.x * u.y, u.x * u.z, u.y * u.z};
      }
    const double tolerance = 1e-3;
    EXPECT_NEAR(m.mass, volume, tolerance * volume);
    const V center = o + (1 / volume) * first;
    EXPECT_LE(norm(m.center - center), tolerance * 2);
    const V c = center - o;
    EXPECT_NEAR(m.central.xx, second.yy + second.zz - volume * (c.y * c.y + c.z * c.z), tolerance * m.central.xx * 2);
    EXPECT_NEAR(m.central.xy, -(second.xy - volume * c.x * c.y), tolerance * m.central.xx * 2);
    EXPECT_NEAR(m.central.yz, -(second.yz - volume * c.y * c.z), tolerance * m.central.xx * 2);
  }
}

// Closed forms: Steiner's volume V + A r + M r² + 4π r³/3 of a box, and with a vanishing core the ball.
TEST(Hull, RoundedBoxInClosedForm) {
  std::vector<V> corners;
  const V s{0.3, 0.5, 0.8};
  for (int i = 0; i < 8; ++i)
    corners.push_back({(i & 1 ? 0.5 : -0.5) * s.x, (i & 2 ? 0.5 : -0.5) * s.y, (i & 4 ? 0.5 : -0.5) * s.z});
  const double r = 0.2, pi = std::numbers::pi;
  const SolidMass m = solid_mass(hull_of_points(corners), 1, r);
  const double expected = s.x * s.y * s.z + 2 * (s.x * s.y + s.y * s.z + s.z * s.x) * r +
                          pi * (s.x + s.y + s.z) * r * r + 4 * pi / 3 * r * r * r;
  EXPECT_NEAR(m.mass, expected, 1e-14);
  EXPECT_LE(norm(m.center), 1e-15);
  // ∫ x² dv by slices at the same distance from the core: ∫ x² over the section's area, which is that of a rounded
  // rectangle with the radius ρ(x). Simpson's rule where ρ changes, exact in the middle.
  const auto area = [&](double rho) { return s.y * s.z + 2 * (s.y + s.z) * rho + pi * rho * rho; };
  double xx = area(r) * s.x * s.x * s.x / 12;
  const int steps = 20000;
  for (int i = 0; i < steps; ++i) {  // x = s.x/2 + r sin a, ρ = r cos a
    const double a = (i + 0.5) * pi / 2 / steps, x = s.x / 2 + r * std::sin(a);
    xx += 2 * x * x * area(r * std::cos(a)) * r * std::cos(a) * pi / 2 / steps;
  }
  EXPECT_NEAR((m.central.yy + m.central.zz - m.central.xx) / 2, xx, 1e-9);
  for (V& c : corners) c = 1e-6 * c;
  const SolidMass ball = solid_mass(hull_of_points(corners), 1, 1);
  EXPECT_NEAR(ball.mass, 4 * pi / 3, 1e-5);
  EXPECT_NEAR(ball.central.xx, 0.4 * 4 * pi / 3, 1e-5);
  EXPECT_NEAR(ball.central.yy, ball.central.zz, 1e-5);
}

// What qhull finds is what queries take: two cubes, a corner of one towards a face of the other.
TEST(Hull, IsWhatQueriesTake) {
  std::vector<Vec3<double>> corners;
  for (int k = 0; k < 8; ++k) corners.push_back({k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5});
  corners.push_back({0.1, 0, 0});  // within
  const auto cube = std::make_shared<const ConvexHull>(hull_of_points(corners));
  EXPECT_EQ(cube->vertices.size(), 8u);
  EXPECT_EQ(cube->faces.size(), 6u);
  EXPECT_EQ(cube->edges.size(), 12u);
  const double up = 2, tip = std::sqrt(3.0) / 2;
  const Vec3<double> axis = (1 / std::sqrt(2.0)) * Vec3<double>{1, -1, 0};  // turns (1, 1, 1) into the vertical
  const double half = 0.5 * std::acos(1 / std::sqrt(3.0));
  const Quaternion<double> q{std::cos(half), std::sin(half) * axis.x, std::sin(half) * axis.y, std::sin(half) * axis.z};
  const Convex solid = convex_hull(cube);
  const double distance = distance_between(solid, {}, solid, {rotation(q), {0, 0, up}}).distance;
  EXPECT_NEAR(distance, up - 0.5 - tip, 1e-14);
}

}  // namespace
}  // namespace marey::hull_test
