// Which vertices of a convex polyhedron can be farthest along a direction d of an octant, s∘d ≥ 0 with signs s = (±1, ±1, ±1).
//
// The edges at a vertex v lead to other points of the solid, and so does every sum u of them with weights that are not
// negative, for a while. If s∘u > 0 in all three components, then d · u > 0 for every d ≠ 0 of the octant: v is farthest
// along none. Such a u is looked for among the edges, the sum of their unit vectors, and what is between two of these,
//
//   u = (1 − c) f + c g,  0 ≤ c ≤ 1:  each component bounds c from above or below
//
// A vertex for which none is found stays: one too many costs time, not truth. No normals are needed, which slivers have
// only roughly; differences of vertices are right to their last digit.
#include <algorithm>

#include "marey/core/index.h"
#include "shape/convex_core.h"
#include "shape/join_hull.h"

namespace marey {
namespace {

constexpr std::size_t few = 16;        // two packs: nothing to leave out
constexpr double clearly = 1e-9;       // how much of a unit vector counts as more than nothing
constexpr std::size_t most_ways = 32;  // of a vertex with more edges, these are enough

// Whether something between two vectors has three positive components.
bool meets_octant(const Vec3<double>& f, const Vec3<double>& g) {
  double low = 0, high = 1;
  for (int i = 0; i < 3; ++i) {
    const double at = f[i] - clearly, slope = g[i] - f[i];
    if (slope > 0)
      low = std::max(low, -at / slope);
    else if (slope < 0)
      high = std::min(high, -at / slope);
    else if (at <= 0)
      return false;
  }
  return low < high;
}

void put_packed(ConvexHull& hull, int place, int v) {
  const Vec3<double>& x = hull.vertices[index(v)];
  ConvexHull::Eight& eight = hull.packed[index(place / 8)];
  const int lane = place % 8;
  eight.x[lane] = x.x, eight.y[lane] = x.y, eight.z[lane] = x.z;
  hull.packed_vertices[index(place)] = v;
}

// The order in which packs are looked at (convex_core.h): lane by lane, lanes by halves. Of vertices that are equally far, to the
// last digit, the first counts; it is the same whether all are looked at or some.
int lane_in_order(int k) { return (k & 1) << 2 | (k & 2) | (k & 4) >> 2; }

class Octants {
 public:
  explicit Octants(ConvexHull& hull) : hull_(hull) {}

  void pack() {
    hull_.packed.clear(), hull_.packed_vertices.clear();
    for (int octant = 0; octant < 8; ++octant) hull_.octants[index(octant)] = packed_for(octant);
  }

 private:
  ConvexHull::Octant packed_for(int octant) {
    const int n = static_cast<int>(hull_.vertices.size()), groups = (n + 7) / 8;
    const int first = static_cast<int>(hull_.packed.size());
    some_.clear();
    for (int k = 0; k < 8 * groups; ++k) {
      const int v = std::min(lane_in_order(k / groups) + 8 * (k % groups), n - 1);
      if ((some_.empty() || some_.back() != v) && can_be_farthest(v, octant)) some_.push_back(v);
    }
    const int count = static_cast<int>(some_.size() + 7) / 8;
    hull_.packed.resize(index(first + count)), hull_.packed_vertices.resize(8 * index(first + count));
    for (int k = 0; k < 8 * count; ++k) {
      const int lane = lane_in_order(k / count), group = first + k % count;
      put_packed(hull_, 8 * group + lane, some_[std::min(index(k), some_.size() - 1)]);
    }
    return {first, count};
  }
  bool can_be_farthest(int v, int octant) {
    ways_.clear();
    Vec3<double> sum;
    for (int k = hull_.neighbor_first[index(v)]; k < hull_.neighbor_first[index(v) + 1]; ++k) {
      const Vec3<double>& w = hull_.ring_ways[index(k)];
      const Vec3<double> way{octant & 1 ? -w.x : w.x, octant & 2 ? -w.y : w.y, octant & 4 ? -w.z : w.z};
      sum += way;
      if (ways_.size() < most_ways) ways_.push_back(way);
    }
    ways_.push_back(unit(sum));
    for (std::size_t j = 0; j < ways_.size(); ++j)
      for (std::size_t k = 0; k < j; ++k)
        if (meets_octant(ways_[j], ways_[k])) return false;
    return true;
  }

  ConvexHull& hull_;
  std::vector<Vec3<double>> ways_;
  std::vector<int> some_;
};

}  // namespace

void pack_all(ConvexHull& hull) {
  const int n = static_cast<int>(hull.vertices.size()), count = (n + 7) / 8;
  hull.packed.resize(index(count)), hull.packed_vertices.resize(8 * index(count));
  for (int k = 0; k < 8 * count; ++k) put_packed(hull, k, std::min(k, n - 1));
  hull.octants.fill({0, count});
}
void pack_octants(ConvexHull& hull) {
  if (hull.vertices.size() <= few) return pack_all(hull);
  Octants(hull).pack();
}

}  // namespace marey
