// What two solids, one of them a mesh, have in common: regions that hang together, as mesh_region.cpp finds them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "shape/mesh_pieces.h"

namespace marey {

struct Other;
struct NearPair;

// A point at which the two surfaces cross, in A.
struct RimPoint {
  Vec3<double> p;
  int region = -1;
  int t = -1, u = -1;  // triangles of a and b that cross there; u −1 where b is convex
};
struct InsideVertex {
  int vertex = -1, region = -1;
};
struct OverlapRegion {
  Vec3<double> area;  // ∫ n dA over the part of a's surface inside b; over that of b inside a it is −area
  double total = 0;   // the sum of the sizes of what was added up: area is rounding where it is much smaller
  std::span<const RimPoint> rim;
  std::span<const InsideVertex> in_b, in_a;  // vertices of a inside b; of b inside a (none where b is convex)
  int group = -1;                            // of its near pairs
};

// Working memory, kept.
class RegionFinder {
 public:
  // `near`: the pairs found; those with distance 0 or less count.
  void find(const MeshSolid& a, const Other& b, const Transform<double>& X_AB, std::span<const NearPair> near);
  std::span<const OverlapRegion> regions() const { return regions_; }
  // The region of a pair, by the first pair of it, as they were passed.
  int region_of(int pair) { return root(pair); }
  template <class Rename>
  void rename_groups(Rename rename) {
    for (OverlapRegion& region : regions_) region.group = rename(region.group);
  }

 private:
  // Where an edge of one mesh passes through a triangle of the other, or in or out of a convex solid.
  struct Crossing {
    int edge, beyond;  // the edge's lower side; the triangle, −1: a convex solid
    double at;         // from 0 to 1 along that side
    int pair;
    bool enters;
    bool operator<(const Crossing& other) const {
      if (edge != other.edge) return edge < other.edge;
      if (at != other.at) return at < other.at;
      return beyond != other.beyond ? beyond < other.beyond : pair < other.pair;
    }
  };
  // ½ (p − o) × (q − o) about any origin: about o + c it is ½ (twice − c × step).
  struct AreaPart {
    int pair;
    Vec3<double> twice, step;
  };
  // One of the two meshes and what is inside it of the other; all places in A.
  struct Side {
    std::vector<Crossing> crossings;
    std::vector<int> label;  // [vertices] a pair of the region in which it is; −1: not known to be inside
    std::vector<char> near;  // [vertices] whether a triangle that touches the other has it as a corner
    std::vector<InsideVertex> inside;
  };

  static void make_room(Side& side, const MeshSolid& mesh);
  void unmark();
  void cross_meshes(int pair);
  void cross_edges(int pair, bool of_a);
  void cross_convex(int pair);
  Vec3<double> cut_around(const NearPair&, const std::array<Vec3<double>, 6>& chords, std::size_t count);
  void join_crossings(Side& side);
  void seed(Side& side, bool of_a);
  void spread(Side& side, bool of_a);
  void mark(Side& side, int vertex, int pair);
  bool is_crossed(const Side& side, int edge) const;
  bool holds(bool of_a, int vertex) const;
  void gather();
  int root(int k);
  void join(int p, int q);
  const MeshSolid& mesh(bool of_a) const;
  Vec3<double> place(bool of_a, int vertex) const;

  const MeshSolid* a_ = nullptr;
  const Other* b_ = nullptr;
  Transform<double> X_AB_;
  std::span<const NearPair> near_;
  Vec3<double> origin_;  // of areas: near what they are of
  bool has_origin_ = false, few_ = false;
  Side side_a_, side_b_;
  std::vector<int> parent_, waiting_;
  std::vector<AreaPart> areas_;
  std::vector<RimPoint> rim_;
  std::vector<OverlapRegion> regions_;
};

}  // namespace marey
