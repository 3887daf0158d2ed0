// Random convex solids and poses, and what is known of them without the library: support functions by plain loops, hulls
// by trying all triples of points.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "marey/shape/convex.h"
#include "marey/shape/distance.h"

namespace marey::samples {

using V = Vec3<double>;
using X = Transform<double>;

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double normal() { return normal_(engine_); }
  V direction() {
    for (;;) {
      const V d{normal(), normal(), normal()};
      if (norm(d) > 1e-3) return (1 / norm(d)) * d;
    }
  }
  Mat3<double> turn() { return rotation(Quaternion<double>{normal(), normal(), normal(), normal()}); }
  // A turn that lays axes on axes.
  Mat3<double> square_turn() {
    Mat3<double> R = Mat3<double>::identity();
    const V axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = below(6); k > 0; --k) {
      const V u = axes[below(3)];
      R = R * Mat3<double>(outer(u, u) + tilde(u));
    }
    return R;
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

// The faces of the hull of points no four of which lie in a plane, by trying every triple.
inline std::shared_ptr<const ConvexHull> hull_of_points(const std::vector<V>& points) {
  std::vector<std::vector<int>> loops;
  const int n = static_cast<int>(points.size());
  std::vector<int> number(points.size(), -1);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k) {
        const V a = points[static_cast<size_t>(i)];
        const V N = cross(points[static_cast<size_t>(j)] - a, points[static_cast<size_t>(k)] - a);
        bool above = false, below = false;
        for (int l = 0; l < n && !(above && below); ++l) {
          if (l == i || l == j || l == k) continue;
          (dot(N, points[static_cast<size_t>(l)] - a) > 0 ? above : below) = true;
        }
        if (above && below) continue;
        loops.push_back(above ? std::vector<int>{i, k, j} : std::vector<int>{i, j, k});
      }
  std::vector<V> used;
  for (std::vector<int>& loop : loops)
    for (int& v : loop) {
      int& m = number[static_cast<size_t>(v)];
      if (m < 0) m = static_cast<int>(used.size()), used.push_back(points[static_cast<size_t>(v)]);
      v = m;
    }
  return std::make_shared<ConvexHull>(make_convex_hull(used, loops));
}
inline std::shared_ptr<const ConvexHull> random_hull(Chance& chance, int points, const V& radii) {
  std::vector<V> p;
  for (int k = 0; k < points; ++k) {
    const V d = chance.direction();
    p.push_back({radii.x * d.x, radii.y * d.y, radii.z * d.z});
  }
  return hull_of_points(p);
}
// A prism over a regular polygon: faces of many vertices, parallel edges.
inline std::shared_ptr<const ConvexHull> prism(int corners, double radius, double length) {
  std::vector<V> p;
  std::vector<std::vector<int>> loops(2);
  for (int k = 0; k < corners; ++k) {
    const double t = 6.283185307179586 * k / corners;
    p.push_back({radius * std::cos(t), radius * std::sin(t), -length / 2});
    p.push_back({radius * std::cos(t), radius * std::sin(t), length / 2});
    const int next = (k + 1) % corners;
    loops.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
    loops[1].push_back(2 * k + 1);
    loops[0].insert(loops[0].begin(), 2 * k);
  }
  return std::make_shared<ConvexHull>(make_convex_hull(p, loops));
}

inline Convex random_convex(Chance& chance, ConvexKind kind) {
  const auto length = [&] { return std::exp(chance.number(-1.5, 0.7)); };
  const auto twice = [&](auto make) {  // one after the other, whatever the compiler would do first
    const double height = 2 * length(), radius = length();
    return make(radius, height);
  };
  const double margin = chance.below(3) == 0 ? 0.3 * length() : 0;
  switch (kind) {
    case ConvexKind::plane:
      return convex_plane();
    case ConvexKind::sphere:
      return convex_sphere(length());
    case ConvexKind::capsule:
      return twice([](double r, double l) { return convex_capsule(r, l); });
    case ConvexKind::box:
      return convex_box({2 * length(), 2 * length(), 2 * length()}, margin);
    case ConvexKind::cylinder:
      return twice([&](double r, double l) { return convex_cylinder(r, l, margin); });
    case ConvexKind::cone:
      return twice([&](double r, double l) { return convex_cone(r, l, margin); });
    case ConvexKind::ellipsoid:
      return convex_ellipsoid({length(), length(), length()}, margin);
    case ConvexKind::hull:
      if (chance.below(4) == 0) {
        return twice([&](double r, double l) { return convex_hull(prism(3 + chance.below(6), r, l), margin); });
      } else {
        const V radii{length(), length(), length()};
        const int points = 4 + chance.below(12);
        return convex_hull(random_hull(chance, points, radii), margin);
      }
    case ConvexKind::triangle:  // not drawn: it needs corners that somebody keeps
      break;
  }
  return {};
}
inline ConvexKind kind_number(int k) { return static_cast<ConvexKind>(k); }

// The support function without a plane's, by plain loops and formulas of its own.
inline double plain_extent(const Convex& c, const V& d) {
  double h = -1e300;
  const V& a = c.half;
  switch (c.kind) {
    case ConvexKind::plane:
      return d.z > 0 && d.x * d.x + d.y * d.y <= 1e-26 * d.z * d.z ? 0 : HUGE_VAL;
    case ConvexKind::sphere:
      h = 0;
      break;
    case ConvexKind::capsule:
      h = std::max(a.z * d.z, -a.z * d.z);
      break;
    case ConvexKind::box:
      for (int k = 0; k < 8; ++k)
        h = std::max(h, (k & 1 ? 1 : -1) * a.x * d.x + (k & 2 ? 1 : -1) * a.y * d.y + (k & 4 ? 1 : -1) * a.z * d.z);
      break;
    case ConvexKind::cylinder:
      h = a.x * std::hypot(d.x, d.y) + std::max(a.z * d.z, -a.z * d.z);
      break;
    case ConvexKind::cone:
      h = std::max(a.z * d.z, a.x * std::hypot(d.x, d.y) - a.z * d.z);
      break;
    case ConvexKind::ellipsoid:
      h = std::hypot(a.x * d.x, a.y * d.y, a.z * d.z);
      break;
    case ConvexKind::hull:
      for (const V& x : c.hull->vertices) h = std::max(h, dot(d, x));
      break;
    case ConvexKind::triangle:
      for (const V& x : *c.triangle) h = std::max(h, dot(d, x));
  }
  return h + c.margin * norm(d);
}
// What is between two solids along a unit direction from a to b: −h_b(−n) − h_a(n).
inline double between(const Convex& a, const X& X_WA, const Convex& b, const X& X_WB, const V& n) {
  return dot(n, X_WB.p - X_WA.p) - plain_extent(b, transpose_times(X_WB.R, -n)) -
         plain_extent(a, transpose_times(X_WA.R, n));
}
// How far a point of the core's frame is outside the core, by the core's own inequality.
inline double outside_core(const Convex& c, const V& x) {
  const V& a = c.half;
  const auto past = [](double value, double bound) { return std::abs(value) - bound; };
  switch (c.kind) {
    case ConvexKind::plane:
      return x.z;
    case ConvexKind::sphere:
      return norm(x);
    case ConvexKind::capsule:
      return std::max(std::hypot(x.x, x.y), past(x.z, a.z));
    case ConvexKind::box:
      return std::max({past(x.x, a.x), past(x.y, a.y), past(x.z, a.z)});
    case ConvexKind::cylinder:
      return std::max(std::hypot(x.x, x.y) - a.x, past(x.z, a.z));
    case ConvexKind::cone:  // along the normal of its mantle, (2h, r)/√(4h² + r²)
      return std::max(-x.z - a.z, (2 * a.z * std::hypot(x.x, x.y) + a.x * (x.z - a.z)) / std::hypot(2 * a.z, a.x));
    case ConvexKind::ellipsoid: {
      const double k = std::hypot(x.x / a.x, x.y / a.y, x.z / a.z);
      return (k - 1) * std::min({a.x, a.y, a.z});
    }
    case ConvexKind::hull: {
      double most = -1e300;
      for (const ConvexHull::Face& f : c.hull->faces) most = std::max(most, dot(f.normal, x) - f.offset);
      return most;
    }
    case ConvexKind::triangle:
      break;
  }
  return 0;
}

struct Placed {
  Convex a, b;
  X X_WA, X_WB;
  double size;
};
// Two solids of given kinds, near each other: apart or overlapping, turned at random or squarely, sometimes touching or
// concentric to the last digit.
inline Placed random_pair(Chance& chance, ConvexKind ka, ConvexKind kb) {
  Placed p{random_convex(chance, ka), random_convex(chance, kb), {}, {}, 0};
  for (const Convex* c : {&p.a, &p.b})
    if (c->kind != ConvexKind::plane) p.size = std::max(p.size, reach(*c));
  const int special = chance.below(10);
  p.X_WA = {special == 0 ? chance.square_turn() : chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
  X X_AB{special <= 1 ? chance.square_turn() : chance.turn(), chance.number(0, 2.5) * p.size * chance.direction()};
  if (special == 1) X_AB.p = {0, 0, std::round(chance.number(-2, 2)) * p.size};
  if (special == 2) X_AB.p = {};
  p.X_WB = p.X_WA * X_AB;
  if (special == 1 || special == 3) {  // along z until they touch, or nearly
    const V n = p.X_WA.R * V{0, 0, 1};
    const double s = between(p.a, p.X_WA, p.b, p.X_WB, n);
    if (std::isfinite(s)) p.X_WB.p -= (s + (chance.below(2) ? 0 : 1e-9 * chance.normal())) * n;
  }
  if (p.size < norm(X_AB.p)) p.size = norm(X_AB.p);
  return p;
}

}  // namespace marey::samples
