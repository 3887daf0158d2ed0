// Mass properties against two oracles that know nothing of the closed formulas: slices along z integrated
// exactly, and rays cast against an inside/outside test.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "marey/shape.h"

namespace marey {
namespace {

constexpr double pi = std::numbers::pi;
using V = Vec3<double>;

// Volume and second moments ∫x², ∫y², ∫z² of a solid centred on the origin.
struct Moments {
  double volume = 0;
  V second;
};
Sym3<double> inertia_of(const Moments& m) {
  return Sym3<double>::diagonal(m.second.y + m.second.z, m.second.x + m.second.z, m.second.x + m.second.y);
}

// Slices: at height z the section is a rectangle with half edges (a, b), or an ellipse with half axes (a, b).
// In z the integrands are polynomials of degree ≤ 5 between the kinks, so three Gauss points per piece are
// exact.
struct Section {
  bool round;
  double a, b;
};
Moments by_slices(const std::vector<double>& kinks, const std::function<Section(double)>& section) {
  Moments m;
  const double node = std::sqrt(0.6);
  for (std::size_t piece = 0; piece + 1 < kinks.size(); ++piece) {
    const double mid = (kinks[piece] + kinks[piece + 1]) / 2, half = (kinks[piece + 1] - kinks[piece]) / 2;
    for (int k = -1; k <= 1; ++k) {
      const double z = mid + k * node * half, weight = half * (k == 0 ? 8.0 / 9 : 5.0 / 9);
      const Section s = section(z);
      const double area = (s.round ? pi : 4) * s.a * s.b, share = s.round ? 4.0 : 3.0;  // ∫x² = area a²/share
      m.volume += weight * area;
      m.second += weight * area * V{s.a * s.a / share, s.b * s.b / share, z * z};
    }
  }
  return m;
}

// Rays from the centre: ∫ f dV = ∫ f(u) R(u)^(d+3)/(d+3) dΩ for f homogeneous of degree d, R(u) found by
// bisection. The midpoint rule in (cos θ, φ) errs by O(1/n²) where R has edges.
Moments by_rays(double reach, const std::function<bool(const V&)>& inside, int n) {
  Moments m;
  for (int i = 0; i < n; ++i) {
    const double c = -1 + (i + 0.5) * 2 / n, s = std::sqrt(1 - c * c);
    for (int j = 0; j < 2 * n; ++j) {
      const double phi = (j + 0.5) * pi / n;
      const V u{s * std::cos(phi), s * std::sin(phi), c};
      double lo = 0, hi = reach;
      for (int k = 0; k < 30; ++k) (inside(0.5 * (lo + hi) * u) ? lo : hi) = 0.5 * (lo + hi);
      const double weight = 2.0 / n * pi / n, r3 = lo * lo * lo / 3, r5 = lo * lo * lo * lo * lo / 5;
      m.volume += weight * r3;
      m.second += weight * r5 * V{u.x * u.x, u.y * u.y, u.z * u.z};
    }
  }
  return m;
}

struct Case {
  const char* name;
  Solid solid;
  std::vector<double> kinks;
  std::function<Section(double)> section;
  std::function<bool(const V&)> inside;
};
std::vector<Case> cases() {
  const auto sq = [](double x) { return x * x; };
  return {
      {"box",
       Box{{0.3, 0.5, 0.8}},
       {-0.4, 0.4},
       [](double) {
         return Section{false, 0.15, 0.25};
       },
       [](const V& p) { return std::abs(p.x) < 0.15 && std::abs(p.y) < 0.25 && std::abs(p.z) < 0.4; }},
      {"sphere",
       Sphere{0.7},
       {-0.7, 0.7},
       [=](double z) {
         return Section{true, std::sqrt(0.49 - z * z), std::sqrt(0.49 - z * z)};
       },
       [](const V& p) { return norm(p) < 0.7; }},
      {"capsule",
       Capsule{0.2, 0.9},
       {-0.65, -0.45, 0.45, 0.65},
       [=](double z) {
         const double r = std::sqrt(0.04 - sq(std::max(0.0, std::abs(z) - 0.45)));
         return Section{true, r, r};
       },
       [](const V& p) {
         return norm(p - V{0, 0, std::min(0.45, std::max(-0.45, p.z))}) < 0.2;
       }},
      {"cylinder",
       Cylinder{0.4, 0.5},
       {-0.25, 0.25},
       [](double) {
         return Section{true, 0.4, 0.4};
       },
       [](const V& p) { return std::hypot(p.x, p.y) < 0.4 && std::abs(p.z) < 0.25; }},
      {"ellipsoid",
       Ellipsoid{{0.3, 0.6, 0.9}},
       {-0.9, 0.9},
       [=](double z) {
         const double k = std::sqrt(1 - sq(z / 0.9));
         return Section{true, 0.3 * k, 0.6 * k};
       },
       [=](const V& p) { return sq(p.x / 0.3) + sq(p.y / 0.6) + sq(p.z / 0.9) < 1; }},
  };
}

double largest_difference(const Sym3<double>& a, const Sym3<double>& b) {
  const Sym3<double> d = a - b;
  double m = 0;
  for (double x : {d.xx, d.yy, d.zz, d.xy, d.xz, d.yz}) m = std::max(m, std::abs(x));
  return m;
}
double largest_difference(const Inertia<double>& a, const Inertia<double>& b) {
  const V h = a.h - b.h;
  return std::max({std::abs(a.m - b.m), std::abs(h.x), std::abs(h.y), std::abs(h.z), largest_difference(a.J, b.J)});
}

struct Random {
  std::mt19937 engine{20};
  double operator()(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine); }
  V vec() { return {(*this)(-1, 1), (*this)(-1, 1), (*this)(-1, 1)}; }
  Mat3<double> turn() {
    std::normal_distribution<double> n;
    return rotation(Quaternion<double>{n(engine), n(engine), n(engine), n(engine)});
  }
};

TEST(Mass, SolidsMatchExactSlices) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Moments m = by_slices(c.kinks, c.section);
    EXPECT_NEAR(volume(c.solid), m.volume, 1e-14);
    const Inertia<double> body = shape_inertia_of_density({c.solid, {}}, 1);
    EXPECT_NEAR(body.m, m.volume, 1e-14);
    EXPECT_LT(largest_difference(body.J, inertia_of(m)), 1e-15);
  }
}

TEST(Mass, SolidsMatchRaysAgainstAnInsideTest) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const V box = bounding_box(c.solid);
    const Moments m = by_rays(norm(box), c.inside, 160);
    EXPECT_NEAR(volume(c.solid) / m.volume, 1, 1e-3);
    const Inertia<double> body = solid_inertia(c.solid, m.volume);
    EXPECT_LT(largest_difference(body.J, inertia_of(m)) / body.J.xx, 2e-3);
  }
}

TEST(Mass, BoundingBoxHoldsTheSolidAndTouchesIt) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const V half = 0.5 * bounding_box(c.solid);
    for (int axis = 0; axis < 3; ++axis) {
      V edge;
      edge[axis] = 0.999999 * half[axis];
      EXPECT_TRUE(c.inside(edge)) << axis;
      edge[axis] = 1.000001 * half[axis];
      EXPECT_FALSE(c.inside(edge)) << axis;
    }
  }
}

TEST(Mass, LimitsMeet) {
  const auto same = [](const Solid& a, const Solid& b) {
    EXPECT_NEAR(volume(a), volume(b), 1e-15);
    EXPECT_LT(largest_difference(solid_inertia(a, 3), solid_inertia(b, 3)), 1e-15);
  };
  same(Capsule{0.3, 0}, Sphere{0.3});
  same(Ellipsoid{{0.3, 0.3, 0.3}}, Sphere{0.3});
  same(Capsule{0, 0.6}, Cylinder{0, 0.6});   // both a thin rod …
  same(Cylinder{0, 0.6}, Box{{0, 0, 0.6}});  // … and so is a box without width
  same(Capsule{0, 0}, Box{});                // a point
  EXPECT_NEAR(solid_inertia(Cylinder{0, 0.6}, 3).J.xx, 3 * 0.36 / 12, 1e-16);
  EXPECT_EQ(solid_inertia(Capsule{0, 0}, 3).J.xx, 0);
}

TEST(Mass, EverySolidObeysTheTriangleInequality) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const double r = random(0, 1), l = random(0, 2);
    for (const Solid& s : {Solid{Box{{r, l, random(0, 1)}}}, Solid{Capsule{r, l}}, Solid{Cylinder{r, l}},
                           Solid{Ellipsoid{{r, l, random(0, 1)}}}}) {
      const Inertia<double> body = shape_inertia({s, {random.turn(), random.vec()}}, 2);
      const V m = principal_axes(body).moments;
      EXPECT_GE(m.x + m.y - m.z, -1e-13);
      EXPECT_GE(m.x, -1e-13);
    }
  }
}

// W (11)(12), and (14)(15) corrected: D's columns are the new axes, I″ = Dᵀ I′ D; products are +∫xy dm.
TEST(Mass, ParallelAxesAndRotationAsInTheTutorial) {
  Random random;
  for (int trial = 0; trial < 20; ++trial) {
    const Box box{{random(0.1, 1), random(0.1, 1), random(0.1, 1)}};
    const double m = random(1, 5), a = box.size.z, b = box.size.y, c = box.size.x;
    const V d = random.vec();  // the centre of mass in the new, parallel frame
    const double Ix = m / 12 * (a * a + b * b) + m * (d.y * d.y + d.z * d.z);
    const double Iy = m / 12 * (a * a + c * c) + m * (d.x * d.x + d.z * d.z);
    const double Iz = m / 12 * (b * b + c * c) + m * (d.x * d.x + d.y * d.y);
    const double Ixy = m * d.x * d.y, Ixz = m * d.x * d.z, Iyz = m * d.y * d.z;
    const Inertia<double> parallel = shape_inertia({box, {Mat3<double>::identity(), d}}, m);
    EXPECT_LT(largest_difference(parallel.J, {Ix, Iy, Iz, -Ixy, -Ixz, -Iyz}), 1e-14);  // (10)

    const Mat3<double> D = random.turn();
    const auto A = [&](int i, int j) { return D(i, j); };
    const auto moment = [&](int j) {  // (15a–c), every a_ij → a_ji
      return Ix * A(0, j) * A(0, j) + Iy * A(1, j) * A(1, j) + Iz * A(2, j) * A(2, j) - 2 * Ixy * A(0, j) * A(1, j) -
             2 * Ixz * A(0, j) * A(2, j) - 2 * Iyz * A(1, j) * A(2, j);
    };
    const auto product = [&](int j, int k) {  // (15d–f), likewise
      return (A(0, j) * A(1, k) + A(1, j) * A(0, k)) * Ixy + (A(0, j) * A(2, k) + A(2, j) * A(0, k)) * Ixz +
             (A(1, j) * A(2, k) + A(2, j) * A(1, k)) * Iyz -
             (A(0, j) * A(0, k) * Ix + A(1, j) * A(1, k) * Iy + A(2, j) * A(2, k) * Iz);
    };
    const Inertia<double> turned = Transform<double>{transpose(D), {}} * parallel;
    EXPECT_LT(
        largest_difference(turned.J, {moment(0), moment(1), moment(2), -product(0, 1), -product(0, 2), -product(1, 2)}),
        1e-13);
  }
}

// A body cut into eight is the same body; its parts' bodies are placed and turned.
TEST(Mass, SumOfPartsIsTheWhole) {
  Random random;
  const V size{0.4, 0.6, 1.0};
  const Transform<double> X_BS{random.turn(), random.vec()};
  std::vector<Inertia<double>> parts;
  for (int i = 0; i < 8; ++i) {
    const V centre{(i & 1 ? 0.25 : -0.25) * size.x, (i & 2 ? 0.25 : -0.25) * size.y, (i & 4 ? 0.25 : -0.25) * size.z};
    parts.push_back(shape_inertia({Box{0.5 * size}, X_BS * Transform<double>{Mat3<double>::identity(), centre}}, 1));
  }
  EXPECT_LT(largest_difference(sum(parts), shape_inertia({Box{size}, X_BS}, 8)), 1e-14);
  EXPECT_EQ(sum({}).m, 0);
}

TEST(Mass, TransformThereAndBack) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    const Inertia<double> body = shape_inertia({Ellipsoid{{0.1, 0.5, 0.9}}, {random.turn(), random.vec()}}, 3);
    const Transform<double> X{random.turn(), random.vec()};
    EXPECT_LT(largest_difference(inverse(X) * (X * body), body), 1e-13);
    EXPECT_LT(largest_difference(central_inertia(X * body), congruence(X.R, central_inertia(body))), 1e-13);
  }
}

TEST(Mass, BoundingBoxTimesDensity) {
  const Shape ball{Sphere{0.5}, {Mat3<double>::identity(), {1, 0, 0}}};
  const Inertia<double> box = bounding_box_inertia(ball);
  EXPECT_DOUBLE_EQ(box.m, 1000);
  EXPECT_DOUBLE_EQ(box.h.x, 1000);
  EXPECT_NEAR(box.J.xx, 1000.0 / 6, 1e-11);
  EXPECT_NEAR(box.J.yy, 1000.0 / 6 + 1000, 1e-11);
  EXPECT_DOUBLE_EQ(bounding_box_inertia(ball, 2).m, 2);
}

}  // namespace
}  // namespace marey
