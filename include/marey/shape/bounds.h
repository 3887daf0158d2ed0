// Boxes along the axes of a frame: what broad phases and trees of boxes compare.
#pragma once

#include <algorithm>
#include <limits>

#include "marey/spatial.h"

namespace marey {

// Nothing, until something is added.
struct Bounds {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3<double> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};

  void add(const Vec3<double>& p) {
    for (int i = 0; i < 3; ++i) {
      low[i] = p[i] < low[i] ? p[i] : low[i];
      high[i] = p[i] > high[i] ? p[i] : high[i];
    }
  }
  void add(const Bounds& b) { add(b.low), add(b.high); }
  bool empty() const { return !(low.x <= high.x); }
  Vec3<double> center() const { return 0.5 * low + 0.5 * high; }
};
// Touching counts.
inline bool overlap(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}
inline bool contains(const Bounds& outer, const Bounds& inner) {
  return outer.low.x <= inner.low.x && inner.high.x <= outer.high.x && outer.low.y <= inner.low.y &&
         inner.high.y <= outer.high.y && outer.low.z <= inner.low.z && inner.high.z <= outer.high.z;
}
inline Bounds hull_of(const Bounds& a, const Bounds& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}
inline Bounds widened(const Bounds& a, double by) {
  return {{a.low.x - by, a.low.y - by, a.low.z - by}, {a.high.x + by, a.high.y + by, a.high.z + by}};
}

}  // namespace marey
