// Contacts and distances of a mesh with a convex solid or another mesh, and the memory they need.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "marey/shape/collider.h"
#include "shape/clip.h"
#include "shape/mesh_corners.h"
#include "shape/mesh_pieces.h"
#include "shape/mesh_region.h"

namespace marey {

// What meets the mesh: a convex solid, or another mesh.
struct Other {
  const Convex* convex = nullptr;
  const MeshSolid* mesh = nullptr;
};

// Points as the convex polyhedron that they span, without its faces: enough for support functions.
class PointCloud {
 public:
  PointCloud() : hull_(std::make_shared<ConvexHull>()) { convex_.kind = ConvexKind::hull, convex_.hull = hull_; }
  void clear() { hull_->vertices.clear(), hull_->reach = 0, hull_->center = {}; }
  void add(const Vec3<double>& x) {
    hull_->vertices.push_back(x);
    hull_->reach = std::max(hull_->reach, norm(x));
  }
  double reach() const { return hull_->reach; }
  std::size_t size() const { return hull_->vertices.size(); }
  void close();
  const Convex& convex() const { return convex_; }

 private:
  std::shared_ptr<ConvexHull> hull_;
  Convex convex_;
};

// A triangle t of a and what of b is near it. All in A.
struct NearPair {
  int t = -1, u = -1;  // u: a triangle of b; −1 where b is convex
  Distance distance;
  bool outward = false;  // its normal points out of a, and of b: nothing beside it is nearer
  bool leaning = false;  // it did not quite, and was set right: the distance is not along it
  int group = -1;        // pairs that hang together have the same
  int patch = -1;
};
struct QueryScratch::Memory {
  std::vector<NearPair> near;
  std::vector<int> order;
  struct Key {
    long corners;  // a vertex of a and one of b
    int pair;
  };
  std::vector<Key> keys;
  std::vector<Corner> corners;
  std::vector<Manifold> found;
  ColliderCache on_the_way;                // of impact_time()
  std::vector<char> touched_a, touched_b;  // [pieces] whether something crosses them
  RegionFinder regions;
  PointCloud cloud_a, cloud_b;
};

// Appends the manifolds of the mesh a and b.
void add_mesh_manifolds(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                        const Transform<double>& X_WB, double within, QueryScratch::Memory&,
                        std::vector<Manifold>& out);

// The distance of the surfaces, if it is less than `below`, in W; 0 or less: they cross. Else the distance is `below`.
Distance surface_distance(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                          const Transform<double>& X_WB, double below);
// Whether one of them is wholly inside the other (they do not cross).
bool one_holds_the_other(const MeshSolid& a, const Transform<double>& X_WA, const Other& b,
                         const Transform<double>& X_WB);

// ---- triangles, and what is near them
// A triangle as a convex core, about its own middle, so that rounding is that of its size.
class TriangleCore {
 public:
  TriangleCore(const MeshSolid& mesh, int t) : corners_(corners_of(mesh, t)) {
    middle_ = (1.0 / 3) * (corners_[0] + corners_[1] + corners_[2]);
    for (Vec3<double>& x : corners_) x -= middle_;
    convex_.kind = ConvexKind::triangle, convex_.triangle = &corners_;
  }
  TriangleCore(const TriangleCore&) = delete;
  TriangleCore& operator=(const TriangleCore&) = delete;
  const Convex& convex() const { return convex_; }
  const Vec3<double>& middle() const { return middle_; }

 private:
  std::array<Vec3<double>, 3> corners_;
  Vec3<double> middle_;
  Convex convex_;
};
// In the axes of A, with the triangle's middle as origin.
inline CorePair pair_with(const TriangleCore& t, const Convex& b, const Transform<double>& X_AB) {
  return core_pair(t.convex(), {Mat3<double>::identity(), t.middle()}, b, X_AB);
}
// In A. Two triangles in one plane that overlap: the normal is that of a.
Distance triangle_distance(const TriangleCore& t, const Convex& b, const Transform<double>& X_AB);

// The box of a box that is turned.
Bounds turned(const Bounds& box, const Transform<double>& X);
double between(const Bounds& a, const Bounds& b);

}  // namespace marey
