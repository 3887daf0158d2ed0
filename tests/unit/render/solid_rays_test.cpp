#include "render/solid_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "marey/shape/hull.h"
#include "support/sanitized.h"

namespace marey::render {
namespace {

// |x|/0.6 + |y|/0.5 + |z|/0.8 ≤ 1.
const Vec diamond_radii{0.6, 0.5, 0.8};
Solid diamond() {
  std::vector<Vec> points;
  for (const double side : {-1.0, 1.0})
    for (int i = 0; i < 3; ++i) {
      Vec tip;
      tip[i] = side * diamond_radii[i];
      points.push_back(tip);
    }
  return Hull{std::make_shared<const ConvexHull>(hull_of_points(points)), 0};
}
// A box as a mesh.
const Vec block_size{0.5, 0.7, 0.9};
Solid block() {
  std::vector<Vec> points;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) points.push_back({x * block_size.x, y * block_size.y, z * block_size.z});
  return Polyhedron{std::make_shared<const Mesh>(mesh_of(hull_of_points(points)))};
}

struct Named {
  const char* name;
  Solid solid;
};
const std::vector<Named> solids{{"box", Box{{0.4, 0.6, 1.0}}},
                                {"sphere", Sphere{0.5}},
                                {"capsule", Capsule{0.2, 0.8}},
                                {"cylinder", Cylinder{0.3, 0.9}},
                                {"ellipsoid", Ellipsoid{{0.2, 0.4, 0.7}}},
                                {"cone", Cone{0.4, 0.9}},
                                {"hull", diamond()},
                                {"mesh", block()}};

// Written apart from the code under test: negative inside, positive outside.
double outside(const Solid& solid, const Vec& p) {
  struct Visitor {
    const Vec& p;
    double operator()(const Box& b) {
      return std::max({std::abs(p.x) - b.size.x / 2, std::abs(p.y) - b.size.y / 2, std::abs(p.z) - b.size.z / 2});
    }
    double operator()(const Sphere& s) { return std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - s.radius; }
    double operator()(const Capsule& c) {
      const double over = std::max(0.0, std::abs(p.z) - c.length / 2);
      return std::sqrt(p.x * p.x + p.y * p.y + over * over) - c.radius;
    }
    double operator()(const Cylinder& c) {
      return std::max(std::sqrt(p.x * p.x + p.y * p.y) - c.radius, std::abs(p.z) - c.length / 2);
    }
    double operator()(const Ellipsoid& e) {
      return std::sqrt(std::pow(p.x / e.radii.x, 2) + std::pow(p.y / e.radii.y, 2) + std::pow(p.z / e.radii.z, 2)) - 1;
    }
    double operator()(const Cone& c) {
      return std::max(std::hypot(p.x, p.y) - c.radius * (0.5 - p.z / c.length), -p.z - c.length / 2);
    }
    double operator()(const Hull&) {
      return std::abs(p.x) / diamond_radii.x + std::abs(p.y) / diamond_radii.y + std::abs(p.z) / diamond_radii.z - 1;
    }
    double operator()(const Polyhedron&) { return (*this)(Box{block_size}); }
  };
  return std::visit(Visitor{p}, solid);
}

class Random {
 public:
  Vec direction() {
    Vec v{normal_(engine_), normal_(engine_), normal_(engine_)};
    return (1 / norm(v)) * v;
  }
  double between(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine_); }

 private:
  std::mt19937 engine_{7};
  std::normal_distribution<> normal_;
};

// A ray enters where the solid's own inequality turns, and nowhere before.
TEST(SolidRays, EnterWhereTheSolidBegins) {
  Random random;
  for (const auto& [name, solid] : solids) {
    const Prim prim = placed({solid, {}}, {});
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
      const Vec o = 3.0 * random.direction();
      const Vec target = random.between(0, 0.7) * random.direction();
      const Vec d = random.between(0.5, 2) * (target - o);
      const double t = hit(prim, o, d);
      const double until = t > 0 ? t : 4 / norm(d) * 2;
      for (int k = 1; k < 200; ++k)
        ASSERT_GT(outside(solid, o + (until * k / 200) * d), -1e-9) << name << ": passed through it";
      if (t <= 0) continue;
      ++hits;
      EXPECT_NEAR(outside(solid, o + t * d), 0, 1e-9) << name;
      EXPECT_LT(outside(solid, o + (t + 1e-6) * d), 1e-9) << name << ": does not go in";
    }
    EXPECT_GT(hits, 100) << name;
  }
}

// The normal is the direction in which one leaves fastest: moving along it leaves, and it faces the ray.
TEST(SolidRays, NormalsPointOutwards) {
  Random random;
  for (const auto& [name, solid] : solids) {
    const Prim prim = placed({solid, {}}, {});
    for (int i = 0; i < 200; ++i) {
      const Vec o = 3.0 * random.direction(), d = 0.2 * random.direction() - o;
      const double t = hit(prim, o, d);
      if (t <= 0) continue;
      const Vec at = o + t * d, n = normal_at(prim, at, d);
      EXPECT_NEAR(norm(n), 1, 1e-12) << name;
      EXPECT_LT(dot(n, d), 1e-9) << name;
      EXPECT_GT(outside(solid, at + 1e-3 * n), 0) << name;
      // Along the surface nothing changes to first order (away from edges).
      const Vec side = cross(n, random.direction());
      if (std::abs(outside(solid, at + 1e-4 * side)) < 1e-9) continue;
      EXPECT_LT(std::abs(outside(solid, at + 1e-6 * side)), 1e-9 + 1e-6 * 0.01) << name;
    }
  }
}

// The reach is attained: no point of the surface lies farther, and some come close. Balls hold the solid.
TEST(SolidRays, ReachIsTheFarthestPoint) {
  Random random;
  for (const auto& [name, solid] : solids) {
    Transform<double> X_WB{rotation_about(random.direction(), 1.3), {0.3, -0.2, 0.5}};
    const Prim prim = placed({solid, {}}, X_WB);
    std::vector<Ball> balls;
    append_balls(prim, balls);
    const Ball around = bounding_ball(prim);
    for (int i = 0; i < 20; i += every(10)) {
      const Vec n = 1.7 * random.direction();
      double most = -1e300;
      for (int k = 0; k < 20000; ++k) {
        const Vec o_S = 3.0 * random.direction();
        const double t = hit(prim, o_S, -o_S);
        if (t <= 0) continue;
        const Vec p = prim.X_WS * ((1 - t) * o_S);
        most = std::max(most, dot(n, p));
        EXPECT_LE(norm(p - around.centre), around.radius + 1e-9) << name;
      }
      EXPECT_LE(most, reach(prim, n) + 1e-9) << name;
      EXPECT_GT(most, reach(prim, n) - 0.05) << name;
      double held = -1e300;
      for (const Ball& b : balls) held = std::max(held, dot(n, b.centre) + b.radius * norm(n));
      EXPECT_GE(held, reach(prim, n) - 1e-9) << name;
    }
  }
}

TEST(SolidRays, FarEndOfALink) {
  const Shape limb{Capsule{0.1, 0.8}, {Mat3<double>::identity(), {0, 0, -0.5}}};
  EXPECT_NEAR(far_end({limb}, {}).z, -1.0, 1e-12);
  const Shape around{Sphere{0.3}, {}};
  EXPECT_NEAR(norm(far_end({around}, {})), 0, 1e-12);
  EXPECT_NEAR(far_end({}, {0.1, 0, 0}).x, 0.1, 1e-12);
}

}  // namespace
}  // namespace marey::render
