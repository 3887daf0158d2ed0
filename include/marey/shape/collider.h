// What bodies touch with: one type for every geometry, and the same questions for any two of them.
//
// A collider is one or more parts, each placed in its frame S: a convex solid (a half space among them) or a closed
// triangle mesh, which is solid too, whatever its form. One part is a simple shape, several are a compound. It is made
// once, is const from then on, and may be shared by threads; copying it copies pointers to meshes and hulls.
//
//   Collider floor = collider_of(convex_plane()), bin = collider_of(mesh_solid(closed_mesh(polygons)));
//   Collider hammer = compound({{convex_cylinder(.01, .3), {}}, {convex_box({.1, .03, .03}), X_SH}});
//   QueryScratch scratch;          // one per thread: working memory that is kept
//   ColliderCache cache;           // one per pair: what the last query found; optional
//   find_manifolds(bin, X_WA, hammer, X_WB, 1e-3, scratch, manifolds, &cache);
//
// find_manifolds() gives one manifold for every two convex parts that are within `within` of each other, and one for each
// patch of a mesh: neighbouring triangles with one normal. Names that stay from step to step are the numbers of the parts
// (Manifold::part_a, part_b) and the features of the points. On meshes these are
//   vertex   place in Mesh::vertices
//   edge     3 triangle + side, of the two sides that it is the lower one; a side goes from corner `side` to the next
//   face     the least number of the triangles that lie in one plane and hang together: a contact that slides from one
//            of them to another keeps its name
// A mesh that is convex is found so when it is made, and meets convex parts as one: with one manifold, and the cache.
// Edges between two triangles in one plane are no edges, and nothing is named after them. docs/theory/distance.md says what
// the normals of a mesh are.
//
// After warm-up nothing is allocated: `out`, scratch and cache keep their memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "marey/shape/cast.h"
#include "marey/shape/manifold.h"
#include "marey/shape/mesh.h"

namespace marey {

// A mesh that is convex, as the polyhedron that it is, and what its features are called on the mesh.
struct MeshHull {
  Convex convex;
  std::vector<int> vertex, edge, face;  // [those of convex.hull]
};
// A closed mesh with what queries need beside it. mesh_solid() fills all of it.
struct MeshSolid {
  Mesh mesh;
  BoxTree tree;                       // of the triangles
  std::vector<Vec3<double>> normals;  // [triangles] unit, outwards
  std::vector<int> beyond;        // [3 triangles] for each side, 3 triangle + k, the same edge as a side of the other
  std::vector<int> facet;         // [triangles] least of those in one plane that hang together
  std::vector<bool> flat;         // [3 triangles] whether the triangle beyond the side is in the same facet
  std::vector<int> first_around;  // [vertices + 1] where a vertex's sides begin
  std::vector<int> around;        // the sides that begin at it
  std::vector<bool> flat_vertex;  // [vertices] whether it is in the middle of a facet
  std::vector<int> piece;         // [vertices] the number of the closed surface that it belongs to
  std::vector<int> piece_vertex;  // [closed surfaces] a vertex of each
  double reach = 0;               // largest distance of a vertex from So
  std::shared_ptr<const MeshHull> hull;  // where it is convex: then it meets convex solids as one of them
};
// `mesh` has passed through closed_mesh(): closed, not crossing itself, its outside outside.
std::shared_ptr<const MeshSolid> mesh_solid(Mesh mesh);
// Whether a point is in the solid (on its surface: rounding decides).
bool is_inside(const MeshSolid&, const Vec3<double>& p_S);
struct MeshPoint {
  Vec3<double> p;
  int triangle = -1;
  double distance = 0;
};
// The point of the surface nearest to p; p may be inside.
MeshPoint nearest_on_surface(const MeshSolid&, const Vec3<double>& p_S);

using ColliderGeometry = std::variant<Convex, std::shared_ptr<const MeshSolid>>;
struct ColliderPart {
  ColliderGeometry geometry;
  Transform<double> X_SP;  // the part's own frame in that of the collider
};
struct Collider {
  std::vector<ColliderPart> parts;  // at least one
  BoxTree tree;                     // of the parts that are bounded, in S: its item k is the part bounded[k]
  std::vector<int> bounded, unbounded;
  double reach = 0;  // radius of a ball about So that holds it; infinite where a plane is among the parts
};
Collider collider_of(const Convex&);
Collider collider_of(std::shared_ptr<const MeshSolid>);
// Throws Error(bad_input) where there is no part.
Collider compound(std::vector<ColliderPart> parts);
// Compounds of colliders: their parts, one after another.
Collider compound_of(std::span<const Collider> colliders, std::span<const Transform<double>> X_SC);

// Holds the collider: tight for convex parts, that of the box in S for meshes.
Bounds bounds_in_world(const Collider&, const Transform<double>& X_WS);

// Holds all that the collider sweeps in [t0, t1], however it turns, as long as the bound of its speed is one.
Bounds swept_bounds(const Collider&, const MotionOfShape&, double t0, double t1);

// ---- queries
// Working memory of one thread; what is in it means nothing between calls.
class QueryScratch {
 public:
  QueryScratch();
  ~QueryScratch();
  QueryScratch(QueryScratch&&) noexcept;
  QueryScratch& operator=(QueryScratch&&) noexcept;
  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

// What was found for the parts of one pair of colliders, in the order (a, b), for the next query in nearly the same place. A
// fresh one is always right.
struct ColliderCache {
  struct Entry {
    int part_a = 0, part_b = 0;
    PairCache cache;
  };
  std::vector<Entry> entries;  // sorted
  PairCache& of(int part_a, int part_b);
};

// Replaces `out` by all manifolds of points with gaps up to `within`, sorted by parts.
void find_manifolds(const Collider& a, const Transform<double>& X_WA, const Collider& b, const Transform<double>& X_WB,
                    double within, QueryScratch&, std::vector<Manifold>& out, ColliderCache* = nullptr);

struct ColliderDistance {
  Distance distance;
  int part_a = 0, part_b = 0;  // that are nearest, or deepest in each other
};
// The least signed distance of any two parts. That of two convex ones: distance_between(). With a mesh: the distance of the
// surfaces where they are apart, certified as that of two convex ones; negative exactly where the solids share a
// point, wholly inside each other included: then it is the gap of the deepest patch.
ColliderDistance distance_between(const Collider& a, const Transform<double>& X_WA, const Collider& b,
                                  const Transform<double>& X_WB, QueryScratch&, ColliderCache* = nullptr);

// As those of convex solids (cast.h).
std::optional<Hit> ray_cast(const Collider& b, const Transform<double>& X_WB, const Vec3<double>& origin_W,
                            const Vec3<double>& direction_W, double longest);
std::optional<Hit> shape_cast(const Collider& a, const Transform<double>& X_WA, const Vec3<double>& way_W,
                              const Collider& b, const Transform<double>& X_WB, QueryScratch&, double gap = 0);
std::optional<Impact> impact_time(const Collider& a, const MotionOfShape&, const Collider& b, const MotionOfShape&,
                                  double t0, double t1, QueryScratch&, double gap = 1e-9);

}  // namespace marey
