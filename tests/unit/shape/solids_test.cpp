// Solids that are not centred on So: cones, hulls, polyhedra. Cones against sums over discs, the others against boxes.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/shape.h"
#include "marey/shape/convex.h"
#include "marey/shape/hull.h"
#include "marey/shape/mesh.h"

namespace marey {
namespace {

using V3 = Vec3<double>;

double apart(const Inertia<double>& a, const Inertia<double>& b) {
  const Sym3<double> d = a.J - b.J;
  const V3 h = a.h - b.h;
  double most = std::max({std::abs(a.m - b.m), std::abs(h.x), std::abs(h.y), std::abs(h.z)});
  for (const double x : {d.xx, d.yy, d.zz, d.xy, d.xz, d.yz}) most = std::max(most, std::abs(x));
  return most;
}

std::vector<V3> box_corners(const V3& size, const V3& middle) {
  std::vector<V3> points;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) points.push_back(middle + V3{x * size.x, y * size.y, z * size.z});
  return points;
}
Solid hull_solid(const std::vector<V3>& points, double rounding = 0) {
  return Hull{std::make_shared<const ConvexHull>(hull_of_points(points)), rounding};
}
Solid mesh_of_box(const std::vector<V3>& points) {
  return Polyhedron{std::make_shared<const Mesh>(closed_mesh(mesh_of(hull_of_points(points))))};
}

// Discs of radius r (L/2 − z)/L: area moments to the fourth power of r, which five Gauss points integrate exactly.
TEST(Solids, AConeIsASumOfDiscs) {
  const Cone cone{0.4, 1.1};
  const double nodes[] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weights[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                            0.2369268850561891};
  Inertia<double> sum;
  for (int i = 0; i < 5; ++i) {
    const double z = 0.5 * cone.length * nodes[i], r = cone.radius * (0.5 - z / cone.length);
    const double m = 0.5 * cone.length * weights[i] * std::numbers::pi * r * r;
    sum += inertia_about_origin(m, V3{0, 0, z}, Sym3<double>::diagonal(m * r * r / 4, m * r * r / 4, m * r * r / 2));
  }
  EXPECT_NEAR(volume(cone), sum.m, 1e-15);
  EXPECT_LT(apart(shape_inertia_of_density({cone, {}}, 1), sum), 1e-15);
  EXPECT_EQ(bounding_box(cone).z, cone.length);
  EXPECT_EQ(bounding_box(cone).x, 2 * cone.radius);
}

TEST(Solids, HullsAndMeshesOfABoxAreThatBox) {
  const V3 size{0.3, 0.5, 0.8}, middle{1, -2, 0.5};
  const Transform<double> X_BS{rotation_about(V3{0.6, 0, 0.8}, 0.7), {0.1, 0.2, 0.3}};
  const Shape box{Box{size}, X_BS * Transform<double>{Mat3<double>::identity(), middle}};
  const std::vector<V3> corners = box_corners(size, middle);
  for (const Solid& solid : {hull_solid(corners), mesh_of_box(corners)}) {
    EXPECT_NEAR(volume(solid), volume(Box{size}), 1e-15);
    EXPECT_LT(apart(shape_inertia({solid, X_BS}, 3), shape_inertia(box, 3)), 2e-14);
    EXPECT_LT(norm(bounding_box(solid) - size), 1e-15);
    EXPECT_LT(norm(bounding_box_center(solid) - middle), 1e-15);
    EXPECT_LT(apart(bounding_box_inertia({solid, X_BS}), bounding_box_inertia(box)), 1e-11);
  }
}

TEST(Solids, RoundingReachesAllAround) {
  const V3 size{0.3, 0.5, 0.8};
  const Solid round = hull_solid(box_corners(size, {}), 0.1);
  EXPECT_LT(norm(bounding_box(round) - size - V3{0.2, 0.2, 0.2}), 1e-15);
  // Steiner: V + S r + (edges' angles) r² + 4π r³/3, all four of π/2 edges along each axis
  const double r = 0.1, surface = 2 * (0.15 + 0.24 + 0.4), edges = std::numbers::pi * (0.3 + 0.5 + 0.8);
  EXPECT_NEAR(volume(round), 0.12 + surface * r + edges * r * r + 4 * std::numbers::pi / 3 * r * r * r, 1e-14);
  EXPECT_EQ(convex_of(round).margin, 0.1);
}

}  // namespace
}  // namespace marey
