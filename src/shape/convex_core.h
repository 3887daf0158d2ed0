// Support points of the cores of convex solids: hot, so inline. Equations: for d in the axes of S,
//
//   point      x = 0                         segment   x = sign(d_z) h e_z
//   box        x_i = sign(d_i) h_i           ellipsoid x_i = r_i² d_i / √Σ (r_j d_j)²     (Lagrange: ∇Σ(x_i/r_i)² ∥ d)
//   cylinder   x_xy = r d_xy / |d_xy|, x_z = sign(d_z) h
//   cone       its tip, or the point of its base's rim along d_xy, whichever is farther
//   triangle   the farthest of its corners
//   hull       the farthest of its vertices, of those that can be in this octant of directions, eight at a time; of many
//              vertices the one that no neighbour exceeds: on a convex polyhedron a local maximum is the maximum
#pragma once

#include <cmath>

#include "marey/core/index.h"
#include "marey/scalar/pack.h"
#include "marey/shape/convex.h"

namespace marey {

// A point and the vertex it is, −1 where the core has none by number.
struct CorePoint {
  Vec3<double> p;
  int vertex = -1;
};

// By the signs; where a component is 0, either octant will do.
inline int octant_of(const Vec3<double>& d) {
  return (std::signbit(d.x) ? 1 : 0) + (std::signbit(d.y) ? 2 : 0) + (std::signbit(d.z) ? 4 : 0);
}

// The number beside the largest value, by halves; no jump, which would go either way.
template <int N>
MAREY_INLINE int number_of_largest(const Pack<double, N>& value, const Pack<double, N>& number) {
  if constexpr (N == 2) {
    const Pack<double, 2> other(__builtin_shufflevector(value.lanes, value.lanes, 1, 1));
    const Pack<double, 2> its_number(__builtin_shufflevector(number.lanes, number.lanes, 1, 1));
    return static_cast<int>(select(other > value, its_number, number)[0]);
  } else {
    using Half = Pack<double, N / 2>;
    Half v[2], k[2];
    __builtin_memcpy(v, &value.lanes, sizeof(v)), __builtin_memcpy(k, &number.lanes, sizeof(k));
    const auto right = v[1] > v[0];
    return number_of_largest(select(right, v[1], v[0]), select(right, k[1], k[0]));
  }
}
// Numbers are counted in doubles, which are exact. As many lanes as a register has: wider ones compare one by one.
// Returns the place of the farthest vertex among those packed: its coordinates are there, without asking which one it is.
MAREY_INLINE int farthest_place(const ConvexHull& hull, const Vec3<double>& d) {
#if defined(__AVX512F__)
  constexpr int wide = 8;
#elif defined(__AVX__)
  constexpr int wide = 4;
#else
  constexpr int wide = 2;
#endif
  using Lanes = Pack<double, wide>;
  constexpr int streams = 8 / wide;
  static constexpr double count[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const ConvexHull::Octant octant = hull.octants[index(octant_of(d))];
  const Lanes x = d.x, y = d.y, z = d.z;
  Lanes best[streams], number[streams], here[streams];
  for (int k = 0; k < streams; ++k) best[k] = -1e300, here[k] = number[k] = Lanes::load(count + k * wide);
  const ConvexHull::Eight* p = hull.packed.data() + octant.first;
  for (const ConvexHull::Eight* end = p + octant.count; p != end; ++p)
    for (int k = 0; k < streams; ++k) {
      const int at = k * wide;
      const Lanes s = x * Lanes::load(p->x + at) + (y * Lanes::load(p->y + at) + z * Lanes::load(p->z + at));
      number[k] = select(s > best[k], here[k], number[k]);
      best[k] = max(best[k], s);
      here[k] = here[k] + 8;
    }
  for (int k = 1; k < streams; ++k) {
    number[0] = select(best[k] > best[0], number[k], number[0]);
    best[0] = max(best[0], best[k]);
  }
  return 8 * octant.first + number_of_largest(best[0], number[0]);
}
// The coordinates are read one by one: copied as a whole they would be written to memory and waited for.
MAREY_INLINE CorePoint packed_point(const ConvexHull& hull, int place) {
  const ConvexHull::Eight& eight = hull.packed[index(place >> 3)];
  const int lane = place & 7;
  return {{eight.x[lane], eight.y[lane], eight.z[lane]}, hull.packed_vertices[index(place)]};
}
// Climbs from `start`.
inline int climbed_vertex(const ConvexHull& hull, const Vec3<double>& d, int start) {
  const Vec3<double>* x = hull.vertices.data();
  double best = dot(d, x[start]);
  for (int at = start;;) {
    const int from = hull.neighbor_first[index(at)], to = hull.neighbor_first[index(at) + 1];
    int next = at;
    for (int k = from; k < to; ++k) {
      const int j = hull.neighbors[index(k)];
      const double s = dot(d, x[j]);
      if (s > best) best = s, next = j;
    }
    if (next == at) return at;
    at = next;
  }
}
inline int farthest_vertex(const ConvexHull& hull, const Vec3<double>& d, int start) {
  return hull.packed.empty() ? climbed_vertex(hull, d, start) : hull.packed_vertices[index(farthest_place(hull, d))];
}
inline int corner_towards(const ConvexHull& hull, const Vec3<double>& d) { return hull.corner[index(octant_of(d))]; }

inline CorePoint rim_point(const Convex& c, const Vec3<double>& d, double z) {
  const double xy = std::sqrt(d.x * d.x + d.y * d.y);
  if (xy < 1e-300) return {{0, 0, z}, -1};
  const double s = c.half.x / xy;
  return {{s * d.x, s * d.y, z}, -1};
}

// A point of the core farthest along d.
inline CorePoint core_support_by_kind(const Convex& c, const Vec3<double>& d) {
  const Vec3<double>& h = c.half;
  switch (c.kind) {
    case ConvexKind::plane:
    case ConvexKind::sphere:
    case ConvexKind::hull:  // below
      return {{}, 0};
    case ConvexKind::capsule:
      return {{0, 0, d.z < 0 ? -h.z : h.z}, d.z < 0 ? 1 : 0};
    case ConvexKind::box:
      return {{d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z},
              (d.x < 0 ? 1 : 0) + (d.y < 0 ? 2 : 0) + (d.z < 0 ? 4 : 0)};
    case ConvexKind::cylinder:
      return rim_point(c, d, d.z < 0 ? -h.z : h.z);
    case ConvexKind::cone: {
      const double rim = h.x * std::sqrt(d.x * d.x + d.y * d.y) - h.z * d.z;
      if (h.z * d.z >= rim) return {{0, 0, h.z}, 0};
      return rim_point(c, d, -h.z);
    }
    case ConvexKind::ellipsoid: {
      const Vec3<double> scaled{h.x * d.x, h.y * d.y, h.z * d.z};
      const double s = 1 / norm(scaled);
      return {{s * h.x * scaled.x, s * h.y * scaled.y, s * h.z * scaled.z}, -1};
    }
    case ConvexKind::triangle: {
      const std::array<Vec3<double>, 3>& x = *c.triangle;
      const double s0 = dot(d, x[0]), s1 = dot(d, x[1]), s2 = dot(d, x[2]);
      const int v = s0 >= s1 ? (s0 >= s2 ? 0 : 2) : (s1 >= s2 ? 1 : 2);
      return {x[index(v)], v};
    }
  }
  return {};
}

// The same, hulls in place. `hint`: a vertex to start from, or −1.
MAREY_INLINE CorePoint core_support(const Convex& c, const Vec3<double>& d, int hint = -1) {
  if (c.kind != ConvexKind::hull) return core_support_by_kind(c, d);
  const ConvexHull& hull = *c.hull;
  if (!hull.packed.empty()) return packed_point(hull, farthest_place(hull, d));
  const int v = climbed_vertex(hull, d, hint >= 0 ? hint : corner_towards(hull, d));
  return {hull.vertices[index(v)], v};
}

// A vertex by its number, of cores that have them.
inline Vec3<double> core_vertex(const Convex& c, int v) {
  const Vec3<double>& h = c.half;
  if (c.kind == ConvexKind::hull) return c.hull->vertices[index(v)];
  if (c.kind == ConvexKind::triangle) return (*c.triangle)[index(v)];
  if (c.kind == ConvexKind::box) return {v & 1 ? -h.x : h.x, v & 2 ? -h.y : h.y, v & 4 ? -h.z : h.z};
  return {0, 0, v & 1 ? -h.z : h.z};  // the tip of a cone, the ends of a segment, a point
}

// h_core(d).
inline double core_support_value(const Convex& c, const Vec3<double>& d) {
  const Vec3<double>& h = c.half;
  switch (c.kind) {
    case ConvexKind::plane:
    case ConvexKind::sphere:
      return 0;
    case ConvexKind::capsule:
      return h.z * std::abs(d.z);
    case ConvexKind::box:
      return h.x * std::abs(d.x) + h.y * std::abs(d.y) + h.z * std::abs(d.z);
    case ConvexKind::cylinder:
      return h.x * std::sqrt(d.x * d.x + d.y * d.y) + h.z * std::abs(d.z);
    case ConvexKind::cone:
      return std::max(h.z * d.z, h.x * std::sqrt(d.x * d.x + d.y * d.y) - h.z * d.z);
    case ConvexKind::ellipsoid:
      return norm(Vec3<double>{h.x * d.x, h.y * d.y, h.z * d.z});
    case ConvexKind::hull:
    case ConvexKind::triangle:
      return dot(d, core_support(c, d).p);
  }
  return 0;
}

// A point well inside the core.
inline Vec3<double> core_center(const Convex& c) {
  if (c.kind == ConvexKind::triangle) return (1.0 / 3) * ((*c.triangle)[0] + (*c.triangle)[1] + (*c.triangle)[2]);
  return c.kind == ConvexKind::hull ? c.hull->center : Vec3<double>{};
}
// Whether the core is a point, a segment, or a polyhedron: what has faces and edges by number.
inline bool is_polyhedral(ConvexKind kind) {
  return kind == ConvexKind::sphere || kind == ConvexKind::capsule || kind == ConvexKind::box ||
         kind == ConvexKind::hull || kind == ConvexKind::triangle;
}

// Whether it is a polyhedron with volume.
inline bool has_many_faces(ConvexKind kind) { return kind == ConvexKind::box || kind == ConvexKind::hull; }

inline Vec3<double> unit(const Vec3<double>& a) { return (1 / norm(a)) * a; }
// Some unit vector across a unit vector.
inline Vec3<double> some_normal_of(const Vec3<double>& n) {
  const Vec3<double> e = std::abs(n.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  return unit(cross(n, e));
}

// Two vectors across n without a root (Duff et al., J. Computer Graphics Techniques 6 (2017) 1).
inline void across(const Vec3<double>& n, Vec3<double>& t1, Vec3<double>& t2) {
  const double sign = std::copysign(1.0, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  t1 = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  t2 = {b, sign + n.y * n.y * a, -n.y};
}

}  // namespace marey
