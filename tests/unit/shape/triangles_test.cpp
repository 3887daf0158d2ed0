// Surfaces of solids as triangles: closed, turned outwards, as large as the solid but for what chords leave out, with normals that
// are those of the surface.
#include "marey/shape/triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/core/index.h"
#include "marey/shape/hull.h"

namespace marey::triangles_test {
namespace {

using Vec = Vec3<double>;

Mesh as_mesh(const Triangles& t) { return {t.vertices, t.corners}; }

// The volume by the divergence theorem.
double volume_within(const Triangles& t) {
  double v = 0;
  for (const auto& c : t.corners)
    v += dot(t.vertices[index(c[0])], cross(t.vertices[index(c[1])], t.vertices[index(c[2])])) / 6;
  return v;
}

std::vector<std::pair<const char*, Solid>> round_ones() {
  return {{"sphere", Sphere{0.3}},
          {"capsule", Capsule{0.1, 0.5}},
          {"cylinder", Cylinder{0.2, 0.7}},
          {"ellipsoid", Ellipsoid{{0.1, 0.3, 0.2}}},
          {"cone", Cone{0.2, 0.5}}};
}

TEST(TrianglesOf, EncloseTheSolid) {
  auto all = round_ones();
  all.emplace_back("box", Box{{0.1, 0.2, 0.3}});
  const auto tetrahedron =
      std::make_shared<const ConvexHull>(hull_of_points(std::vector<Vec>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  all.emplace_back("hull", Hull{tetrahedron, 0});
  for (const auto& [name, solid] : all) {
    SCOPED_TRACE(name);
    const Triangles t = triangles_of(solid, 64);
    EXPECT_NO_THROW(closed_mesh(as_mesh(t))) << "it has a hole, touches itself, or is inside out";
    // What chords leave lies within cos(π/n) of the surface in each of the two directions: the solid, made smaller by its square, is
    // within.
    const double least = std::pow(std::cos(std::numbers::pi / 64), 6);
    const double part = volume_within(t) / volume(solid);
    EXPECT_GE(part, least - 1e-12);
    EXPECT_LE(part, 1 + 1e-12);
  }
}

TEST(TrianglesOf, ComeCloserWithTheSquareOfTheirNumber) {
  for (const auto& [name, solid] : round_ones()) {
    const double coarse = 1 - volume_within(triangles_of(solid, 32)) / volume(solid),
                 fine = 1 - volume_within(triangles_of(solid, 64)) / volume(solid);
    EXPECT_NEAR(coarse / fine, 4, 0.05) << name;
  }
}

TEST(TrianglesOf, HaveNormalsOfTheSurface) {
  // Of the quadric x²/a² + y²/b² + z²/c² = 1 the gradient.
  const Vec r{0.1, 0.3, 0.2};
  const Triangles t = triangles_of(Ellipsoid{r}, 24);
  for (std::size_t i = 0; i < t.vertices.size(); ++i) {
    const Vec p = t.vertices[i];
    Vec g{p.x / (r.x * r.x), p.y / (r.y * r.y), p.z / (r.z * r.z)};
    g = (1 / norm(g)) * g;
    EXPECT_LT(norm(g - t.normals[i]), 1e-9);
  }
  for (const auto& [name, solid] : round_ones()) {
    const Triangles all = triangles_of(solid, 64);
    for (const auto& c : all.corners) {
      const Vec flat = triangle_normal(as_mesh(all), c);
      for (const int v : c) {
        EXPECT_NEAR(norm(all.normals[index(v)]), 1, 1e-12) << name;
        const bool is_tip = std::string(name) == "cone" && norm(all.vertices[index(v)] - Vec{0, 0, 0.25}) < 1e-9;
        EXPECT_TRUE(is_tip || dot(flat, all.normals[index(v)]) > 0.9) << name;  // a tip has no normal
      }
    }
  }
}

TEST(TrianglesOf, RoundHullsByTheBallsAtTheirVertices) {
  const auto cube = std::make_shared<const ConvexHull>(hull_of_points(
      std::vector<Vec>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}));
  const double r = 0.1, pi = std::numbers::pi;
  // Steiner's formula: V + S r + (edge lengths × (π − angle)/2 summed) r² + 4/3 π r³.
  const double exact = 1 + 6 * r + 12 * (pi / 4) * r * r + 4.0 / 3 * pi * r * r * r;
  const double found = volume_within(triangles_of(Hull{cube, r}));
  EXPECT_LT(found, exact);
  EXPECT_GT(found, exact - 0.03 * (exact - 1));
}

}  // namespace
}  // namespace marey::triangles_test
