// Corners of a patch: each once, no more than four, sorted by name.
#include "shape/mesh_corners.h"

#include <algorithm>
#include <cmath>

namespace marey {

Feature name_on_mesh(const MeshSolid& mesh, int t, const Feature& f, bool& inner) {
  inner = false;
  const Feature face{FeatureKind::face, mesh.facet[index(t)]};
  if (f.kind == FeatureKind::vertex) {
    const int v = mesh.mesh.triangles[index(t)][index(f.index)];
    inner = mesh.flat_vertex[index(v)];
    return inner ? face : Feature{FeatureKind::vertex, v};
  }
  if (f.kind != FeatureKind::edge) return face;
  const int side = 3 * t + f.index;
  inner = mesh.flat[index(side)];
  return inner ? face : Feature{FeatureKind::edge, std::min(side, mesh.beyond[index(side)])};
}

bool PatchCorners::put_manifold(const Vec3<double>& n, double least, double within, double margin,
                                const Transform<double>& X_WA, std::vector<Manifold>& out) {
  // Where they only just touch, and only what touches is asked for, rounding of a height must not decide whether they do.
  const double farthest = within + margin + 1e-13 * size;
  std::size_t kept = 0;
  for (Corner c : corners) {
    if (c.height_b - c.height_a < least) c.height_b = c.height_a + least;
    if (c.height_b - c.height_a > farthest) continue;
    const bool known = std::any_of(corners.begin(), corners.begin() + static_cast<long>(kept),
                                   [&](const Corner& other) { return same_corner(other, c); });
    if (!known) corners[kept++] = c;
  }
  corners.resize(kept);
  if (kept == 0) return false;
  if (kept > corner_limit) thin_out();
  const int count = reduce_to_four(corners, size, thick);
  sort_by_name(std::span(corners).first(index(count)));  // so that the points keep their order, too
  Vec3<double> t1, t2;
  across(n, t1, t2);
  Manifold made;
  made.normal_W = X_WA.R * n, made.count = count;
  for (int k = 0; k < count; ++k) {
    const Corner& c = corners[index(k)];
    const double height = 0.5 * (c.height_a + c.height_b - margin);
    made.points[index(k)] = {X_WA * (c.s * t1 + c.t * t2 + height * n), c.height_b - c.height_a - margin, c.a, c.b};
  }
  out.push_back(made);
  return true;
}

// Two triangles find it, at the border between them.
bool PatchCorners::same_corner(const Corner& p, const Corner& q) const {
  const double ds = p.s - q.s, dt = p.t - q.t, near = 4 * thick;
  return ds * ds + dt * dt <= near * near && std::abs(p.height_b - p.height_a - q.height_b + q.height_a) <= near;
}

// The deepest, and the farthest in 32 directions.
void PatchCorners::thin_out() {
  const auto bring = [&](std::size_t to, auto measure) {
    std::size_t best = to;
    for (std::size_t k = to; k < corners.size(); ++k)
      if (measure(corners[k]) > measure(corners[best])) best = k;
    std::swap(corners[to], corners[best]);
  };
  bring(0, [](const Corner& c) { return c.height_a - c.height_b; });
  for (int k = 0; k < 32; ++k) {
    const double angle = 0.19634954084936207 * k, x = std::cos(angle), y = std::sin(angle);
    bring(index(k + 1), [&](const Corner& c) { return x * c.s + y * c.t; });
  }
  corners.resize(33);
}

}  // namespace marey
