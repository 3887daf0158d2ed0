// A ray against a triangle, and against a mesh.
//
// Source: S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection, JCGT 2(1), 2013. The axes are named so that
// the ray's largest component is z, and space is sheared so that the ray goes along z. Seen along the ray a corner is then
//   A = (A_x − S_x A_z, A_y − S_y A_z),  S = (d_x/d_z, d_y/d_z),                                                     (1)
// and the ray meets the triangle where the turns of the three edges about the origin,
//   U = C × B,  V = A × C,  W = B × A,                                                                              (2)
// do not have different signs; it meets it at
//   t = (U A_z + V B_z + W C_z) / (d_z (U + V + W)).                                                                (3)
// (1) is the same for all triangles at a vertex, and the signs of (2) are exact (predicates.h): nothing slips through.
// Compiled without fused multiply-adds, as predicates.cpp is: (1) must be the same bits everywhere.
#include <cmath>

#include "marey/shape/mesh.h"
#include "marey/shape/ray_slabs.h"
#include "shape/predicates.h"

namespace marey {

namespace {

class RayView {
 public:
  explicit RayView(const Ray& ray) : origin_(ray.origin), direction_(ray.direction) {
    const Vec3<double>& d = direction_;
    z_ = std::abs(d.x) > std::abs(d.y) ? 0 : 1;
    if (std::abs(d.z) > std::abs(d[z_])) z_ = 2;
    x_ = (z_ + 1) % 3, y_ = (z_ + 2) % 3;
    shear_ = {d[x_] / d[z_], d[y_] / d[z_]};
  }

  // Whether the triangle is met, and at which t (of any sign).
  bool meets(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, double& t) const {
    const Vec3<double> A = seen(a), B = seen(b), C = seen(c);  // (1)
    const int u = sign_of_difference(C.x, B.y, C.y, B.x), v = sign_of_difference(A.x, C.y, A.y, C.x),
              w = sign_of_difference(B.x, A.y, B.y, A.x);
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    if (u == 0 && v == 0 && w == 0) return false;  // seen edge-on: its neighbours are met
    const double U = C.x * B.y - C.y * B.x, V = A.x * C.y - A.y * C.x, W = B.x * A.y - B.y * A.x;  // (2)
    const double sum = U + V + W;
    if (sum == 0) {  // lost in rounding: seen nearly edge-on, so that any of its corners will do
      t = A.z / direction_[z_];
      return true;
    }
    t = (U * A.z + V * B.z + W * C.z) / (direction_[z_] * sum);  // (3)
    return true;
  }

 private:
  Vec3<double> seen(const Vec3<double>& p) const {
    const Vec3<double> r = p - origin_;
    return {r[x_] - shear_.x * r[z_], r[y_] - shear_.y * r[z_], r[z_]};
  }
  Vec3<double> origin_, direction_;
  int x_ = 0, y_ = 1, z_ = 2;
  Vec2 shear_;
};

}  // namespace

Bounds bounds_of(const Mesh& mesh, int triangle) {
  Bounds box;
  for (const int v : mesh.triangles[index(triangle)]) box.add(mesh.vertices[index(v)]);
  return box;
}
std::vector<Bounds> bounds_of(const Mesh& mesh) {
  std::vector<Bounds> boxes;
  boxes.reserve(mesh.triangles.size());
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) boxes.push_back(bounds_of(mesh, t));
  return boxes;
}
BoxTree box_tree(const Mesh& mesh) { return BoxTree(bounds_of(mesh)); }

bool cast_ray(const Mesh& mesh, const BoxTree& tree, const Ray& ray, RayHit& hit) {
  if (!(norm_squared(ray.direction) > 0)) return false;
  const RayView view(ray);
  const RaySlabs slabs(ray.origin, ray.direction);
  int first = -1;
  double best = ray.reach;
  tree.walk_nearest(
      best, [&](const Bounds& box) { return slabs.entry(box); },
      [&](int triangle) {
        const auto& corners = mesh.triangles[index(triangle)];
        double t = 0;
        if (view.meets(mesh.vertices[index(corners[0])], mesh.vertices[index(corners[1])],
                       mesh.vertices[index(corners[2])], t) &&
            t >= 0 && (t < best || (t == best && (first < 0 || triangle < first))))
          best = t, first = triangle;
        return best;
      });
  if (first < 0) return false;
  const auto& corners = mesh.triangles[index(first)];
  const Vec3<double>& a = mesh.vertices[index(corners[0])];
  const Vec3<double> n = cross(mesh.vertices[index(corners[1])] - a, mesh.vertices[index(corners[2])] - a);
  hit = {best, first, (1 / norm(n)) * n};
  return true;
}

}  // namespace marey
