// A ray against boxes: it is within a box between its three pairs of planes, with the far end moved out by more than the rounding
// errors (T. Ize, Robust BVH ray traversal, JCGT 2(2), 2013).
#pragma once

#include <cmath>
#include <limits>

#include "marey/shape/bounds.h"

namespace marey {

class RaySlabs {
 public:
  RaySlabs(const Vec3<double>& origin, const Vec3<double>& direction) : origin_(origin) {
    for (int i = 0; i < 3; ++i) inverse_[i] = 1 / direction[i], crosses_[i] = std::isfinite(inverse_[i]);
  }

  // The least t ≥ 0 within the box, as a multiple of the direction; infinity where the ray passes it by.
  double entry(const Bounds& box) const {
    double near = 0, far = Bounds::infinity;
    for (int i = 0; i < 3; ++i) {
      if (!crosses_[i]) {
        if (origin_[i] < box.low[i] || origin_[i] > box.high[i]) return Bounds::infinity;
        continue;
      }
      const double a = (box.low[i] - origin_[i]) * inverse_[i], b = (box.high[i] - origin_[i]) * inverse_[i];
      const double first = a < b ? a : b, last = a < b ? b : a;
      near = first > near ? first : near, far = last < far ? last : far;
    }
    constexpr double slack = 1 + 8 * std::numeric_limits<double>::epsilon();
    return near <= far * slack ? near / slack : Bounds::infinity;
  }

 private:
  Vec3<double> origin_, inverse_;
  Vec3<bool> crosses_;  // the slabs across the axis; a ray along them stays between two or outside
};

}  // namespace marey
