// What is known of meshes by plain loops over all triangles: distances by vertices above triangles and pairs of edges,
// crossings by signs, inside by the winding number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "marey/shape/mesh.h"

namespace marey::brute {

using V = Vec3<double>;
using X = Transform<double>;
using Triangle = std::array<V, 3>;

inline std::vector<Triangle> triangles_of(const Mesh& mesh, const X& pose = {}) {
  std::vector<Triangle> out;
  for (const auto& t : mesh.triangles)
    out.push_back({pose * mesh.vertices[static_cast<size_t>(t[0])], pose * mesh.vertices[static_cast<size_t>(t[1])],
                   pose * mesh.vertices[static_cast<size_t>(t[2])]});
  return out;
}

// Nearest points of two segments, by trying the inside and the four ends.
inline double segment_segment(const V& p, const V& q, const V& u, const V& v) {
  const auto point_segment = [](const V& x, const V& a, const V& b) {
    const double t = std::clamp(dot(x - a, b - a) / norm_squared(b - a), 0.0, 1.0);
    return norm(x - a - t * (b - a));
  };
  double best =
      std::min({point_segment(p, u, v), point_segment(q, u, v), point_segment(u, p, q), point_segment(v, p, q)});
  const V e = q - p, f = v - u, r = u - p;
  const double a = dot(e, e), b = dot(e, f), c = dot(f, f), det = a * c - b * b;
  if (det > 1e-14 * a * c) {
    const double s = (dot(e, r) * c - dot(f, r) * b) / det, t = (dot(e, r) * b - dot(f, r) * a) / det;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, norm(r + t * f - s * e));
  }
  return best;
}
// The foot, if it is in the triangle; else its edges.
inline V nearest_on_triangle(const V& x, const Triangle& t) {
  const V n = cross(t[1] - t[0], t[2] - t[0]);
  bool over = true;
  for (size_t k = 0; k < 3; ++k) over = over && dot(n, cross(t[(k + 1) % 3] - t[k], x - t[k])) >= 0;
  if (over) return x - (dot(n, x - t[0]) / norm_squared(n)) * n;
  V best = t[0];
  for (size_t k = 0; k < 3; ++k) {
    const V e = t[(k + 1) % 3] - t[k], p = t[k] + std::clamp(dot(x - t[k], e) / norm_squared(e), 0.0, 1.0) * e;
    if (norm(p - x) < norm(best - x)) best = p;
  }
  return best;
}
inline double point_triangle(const V& x, const Triangle& t) { return norm(x - nearest_on_triangle(x, t)); }
inline bool segment_crosses(const V& p, const V& q, const Triangle& t) {
  const V n = cross(t[1] - t[0], t[2] - t[0]);
  const double hp = dot(n, p - t[0]), hq = dot(n, q - t[0]);
  if (hp * hq > 0 || hp == hq) return false;
  const V x = p + (hp / (hp - hq)) * (q - p);
  for (size_t k = 0; k < 3; ++k)
    if (dot(n, cross(t[(k + 1) % 3] - t[k], x - t[k])) < 0) return false;
  return true;
}
inline double segment_triangle(const V& p, const V& q, const Triangle& t) {
  if (segment_crosses(p, q, t)) return 0;
  double best = std::min(point_triangle(p, t), point_triangle(q, t));
  for (size_t k = 0; k < 3; ++k) best = std::min(best, segment_segment(p, q, t[k], t[(k + 1) % 3]));
  return best;
}
inline double triangle_triangle(const Triangle& s, const Triangle& t) {
  double best = 1e300;
  for (size_t k = 0; k < 3; ++k) {
    best = std::min({best, segment_triangle(s[k], s[(k + 1) % 3], t), segment_triangle(t[k], t[(k + 1) % 3], s)});
  }
  return best;
}
// 0 where surfaces cross. Pairs that are farther apart than the best so far, by balls around them, are left out.
inline double surface_distance(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  double best = 1e300;
  const auto middle = [](const Triangle& t) { return (1.0 / 3) * (t[0] + t[1] + t[2]); };
  const auto radius = [&](const Triangle& t) {
    const V c = middle(t);
    return std::max({norm(t[0] - c), norm(t[1] - c), norm(t[2] - c)});
  };
  for (const Triangle& s : a) {
    const V c = middle(s);
    const double r = radius(s);
    for (const Triangle& t : b)
      if (norm(c - middle(t)) - r - radius(t) <= best) best = std::min(best, triangle_triangle(s, t));
  }
  return best;
}
// How often the surface winds around p: Van Oosterom and Strackee's solid angles, over 4π.
inline double winding(const std::vector<Triangle>& mesh, const V& p) {
  double sum = 0;
  for (const Triangle& t : mesh) {
    const V a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace marey::brute
