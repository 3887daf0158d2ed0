// Which part of a core faces a direction, by name. Angles are compared by their cosines and sines: patch.h says within
// what. Round ones: the mantle of a cylinder faces d along the line at the azimuth of d; that of a cone has the outward
// normal (2h e_r + r e_z)/√(4h² + r²), with e_r at the azimuth of d; of a flat end eight points of the rim are given, fixed in
// the solid so that they stay where they are, and where it is tilted the lowest point takes the place of the nearest.
#include "shape/patch.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

const double cos_tilt = std::cos(patch_tilt), sin_tilt = std::sin(patch_tilt);

constexpr Feature named(FeatureKind kind, int i) { return {kind, i}; }

void put_point(Patch& out, const Vec3<double>& p, const Feature& name) {
  out.count = 1, out.whole = name;
  out.points[0] = p, out.at[0] = out.along[0] = name;
}
void put_segment(Patch& out, const Vec3<double>& p, const Feature& at_p, const Vec3<double>& q, const Feature& at_q,
                 const Feature& name) {
  out.count = 2, out.whole = name;
  out.points[0] = p, out.points[1] = q;
  out.at[0] = at_p, out.at[1] = at_q;
  out.along[0] = out.along[1] = name;
}

void box_patch(const Convex& c, const Vec3<double>& d, Patch& out) {
  const double size[3] = {std::abs(d.x), std::abs(d.y), std::abs(d.z)};
  const int v = (d.x < 0 ? 1 : 0) + (d.y < 0 ? 2 : 0) + (d.z < 0 ? 4 : 0);
  const int most = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
  if (size[most] >= cos_tilt) {
    const bool back = v >> most & 1;
    const int i = (most + (back ? 2 : 1)) % 3, j = (most + (back ? 1 : 2)) % 3;  // i × j is outwards
    const int base = back ? 1 << most : 0;
    const int corners[4] = {base, base | 1 << i, base | 1 << i | 1 << j, base | 1 << j};
    out.count = 4, out.whole = named(FeatureKind::face, 2 * most + (back ? 1 : 0));
    out.normal = {}, out.normal[most] = back ? -1 : 1;
    for (int k = 0; k < 4; ++k) {
      out.points[k] = core_vertex(c, corners[k]);
      out.at[k] = named(FeatureKind::vertex, corners[k]);
      out.along[k] = named(FeatureKind::edge, box_edge(k % 2 == 0 ? i : j, corners[k]));
    }
    return;
  }
  const int least = size[0] <= size[1] ? (size[0] <= size[2] ? 0 : 2) : (size[1] <= size[2] ? 1 : 2);
  if (size[least] > sin_tilt) return put_point(out, core_vertex(c, v), named(FeatureKind::vertex, v));
  const int p = v & ~(1 << least), q = v | 1 << least;
  put_segment(out, core_vertex(c, p), named(FeatureKind::vertex, p), core_vertex(c, q), named(FeatureKind::vertex, q),
              named(FeatureKind::edge, box_edge(least, v)));
}

void put_hull_face(const ConvexHull& hull, int f, Patch& out) {
  const ConvexHull::Face& face = hull.faces[index(f)];
  out.count = face.count <= patch_points ? face.count : patch_points;
  out.whole = named(FeatureKind::face, f), out.normal = face.normal;
  for (int k = 0; k < out.count; ++k) {
    const size_t at = index(face.first + (face.count <= patch_points ? k : k * face.count / patch_points));
    out.points[k] = hull.vertices[index(hull.loops[at])];
    out.at[k] = named(FeatureKind::vertex, hull.loops[at]);
    out.along[k] = named(FeatureKind::edge, hull.loop_edges[at]);
  }
}

void hull_patch(const ConvexHull& hull, const Vec3<double>& d, int hint, Patch& out) {
  const int v = hint >= 0 ? climbed_vertex(hull, d, hint) : farthest_vertex(hull, d, corner_towards(hull, d));
  const int from = hull.neighbor_first[index(v)], to = hull.neighbor_first[index(v) + 1];
  int best = -1, flattest = -1;
  double facing = cos_tilt, slope = sin_tilt;
  for (int k = from; k < to; ++k) {
    const double s = dot(hull.faces[index(hull.ring_faces[index(k)])].normal, d);
    const double t = -dot(hull.ring_ways[index(k)], d);
    if (s > facing) facing = s, best = k;
    if (t < slope) slope = t, flattest = k;
  }
  if (best >= 0) return put_hull_face(hull, hull.ring_faces[index(best)], out);
  if (flattest < 0) return put_point(out, hull.vertices[index(v)], named(FeatureKind::vertex, v));
  const auto [p, q] = std::minmax(v, hull.neighbors[index(flattest)]);  // the same, whichever end was found
  put_segment(out, hull.vertices[index(p)], named(FeatureKind::vertex, p), hull.vertices[index(q)],
              named(FeatureKind::vertex, q), named(FeatureKind::edge, hull.ring_edges[index(flattest)]));
}

// Its corner k, its side from there to the next, its one face.
void triangle_patch(const std::array<Vec3<double>, 3>& x, const Vec3<double>& d, Patch& out) {
  const Vec3<double> n = unit(cross(x[1] - x[0], x[2] - x[0]));
  if (std::abs(dot(n, d)) >= cos_tilt) {
    out.count = 3, out.whole = named(FeatureKind::face, 0), out.normal = n;
    for (int k = 0; k < 3; ++k) {
      out.points[k] = x[index(k)];
      out.at[k] = named(FeatureKind::vertex, k), out.along[k] = named(FeatureKind::edge, k);
    }
    return;
  }
  const double s[3] = {dot(d, x[0]), dot(d, x[1]), dot(d, x[2])};
  const int v = s[0] >= s[1] ? (s[0] >= s[2] ? 0 : 2) : (s[1] >= s[2] ? 1 : 2);
  const int next = (v + 1) % 3, last = (v + 2) % 3;
  const double to_next = (s[v] - s[next]) / norm(x[index(next)] - x[index(v)]);
  const double to_last = (s[v] - s[last]) / norm(x[index(last)] - x[index(v)]);
  if (std::min(to_next, to_last) > sin_tilt) return put_point(out, x[index(v)], named(FeatureKind::vertex, v));
  const int k = to_next <= to_last ? v : last;  // the side
  put_segment(out, x[index(k)], named(FeatureKind::vertex, k), x[index((k + 1) % 3)],
              named(FeatureKind::vertex, (k + 1) % 3), named(FeatureKind::edge, k));
}

// The flat end at z, facing along z's sign.
void put_disc(const Convex& c, const Vec3<double>& d, int end, Patch& out) {
  static constexpr double s = 0.70710678118654752;
  static constexpr double x[8] = {1, s, 0, -s, -1, -s, 0, s}, y[8] = {0, s, 1, s, 0, -s, -1, -s};
  const double z = end ? -c.half.z : c.half.z, r = c.half.x, xy = std::sqrt(d.x * d.x + d.y * d.y);
  out.count = 8, out.whole = named(FeatureKind::face, end);
  out.normal = {0, 0, end ? -1.0 : 1.0};
  int lowest = -1;
  if (xy > 1e-9) lowest = static_cast<int>(std::floor(std::atan2(d.y, d.x) * (4 / 3.141592653589793) + 8.5)) % 8;
  for (int k = 0; k < 8; ++k) {
    const int at = end ? 7 - k : k;  // counter-clockwise seen from outside
    out.points[k] = {r * x[at], r * y[at], z};
    out.at[k] = named(FeatureKind::vertex, 8 * end + at),
    out.along[k] = named(FeatureKind::edge, 2 + 8 * end + (end ? (at + 7) % 8 : at));
    if (at == lowest) out.points[k] = {r * d.x / xy, r * d.y / xy, z};
  }
}

void cylinder_patch(const Convex& c, const Vec3<double>& d, Patch& out) {
  const int end = d.z < 0 ? 1 : 0;
  if (std::abs(d.z) >= cos_tilt) return put_disc(c, d, end, out);
  const double z = c.half.z;
  if (std::abs(d.z) > sin_tilt) return put_point(out, rim_point(c, d, end ? -z : z).p, named(FeatureKind::edge, end));
  put_segment(out, rim_point(c, d, z).p, named(FeatureKind::edge, 0), rim_point(c, d, -z).p,
              named(FeatureKind::edge, 1), named(FeatureKind::round, 0));
}

void cone_patch(const Convex& c, const Vec3<double>& d, Patch& out) {
  const double r = c.half.x, h = c.half.z, xy = std::sqrt(d.x * d.x + d.y * d.y);
  if (d.z <= -cos_tilt) return put_disc(c, d, 1, out);
  const Vec3<double> tip{0, 0, h}, rim = rim_point(c, d, -h).p;
  if ((2 * h * xy + r * d.z) / std::sqrt(4 * h * h + r * r) >= cos_tilt)
    return put_segment(out, tip, named(FeatureKind::vertex, 0), rim, named(FeatureKind::edge, 1),
                       named(FeatureKind::round, 0));
  if (h * d.z >= r * xy - h * d.z) return put_point(out, tip, named(FeatureKind::vertex, 0));
  put_point(out, rim, named(FeatureKind::edge, 1));
}

}  // namespace

void facing_patch(const Convex& c, const Vec3<double>& d, Patch& out, int hint) {
  switch (c.kind) {
    case ConvexKind::plane:
      return put_point(out, {}, named(FeatureKind::face, 0));
    case ConvexKind::sphere:
      return put_point(out, {}, named(FeatureKind::round, 0));
    case ConvexKind::ellipsoid:
      return put_point(out, core_support(c, d).p, named(FeatureKind::round, 0));
    case ConvexKind::capsule: {
      const Vec3<double> p{0, 0, c.half.z};
      if (std::abs(d.z) > sin_tilt)
        return put_point(out, d.z < 0 ? -p : p, named(FeatureKind::vertex, d.z < 0 ? 1 : 0));
      return put_segment(out, p, named(FeatureKind::vertex, 0), -p, named(FeatureKind::vertex, 1),
                         named(FeatureKind::edge, 0));
    }
    case ConvexKind::box:
      return box_patch(c, d, out);
    case ConvexKind::hull:
      return hull_patch(*c.hull, d, hint, out);
    case ConvexKind::triangle:
      return triangle_patch(*c.triangle, d, out);
    case ConvexKind::cylinder:
      return cylinder_patch(c, d, out);
    case ConvexKind::cone:
      return cone_patch(c, d, out);
  }
}

}  // namespace marey
