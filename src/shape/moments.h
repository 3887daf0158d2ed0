// What integrals over solids and polygons share.
#pragma once

#include <span>

#include "marey/core/index.h"
#include "marey/spatial.h"

namespace marey {

// a aᵀ
inline Sym3<double> square_of(const Vec3<double>& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}
// ∫ (r·r 1 − r rᵀ) dm from ∫ r rᵀ dm: Hahn (3), with the signs that (A2) lacks.
inline Sym3<double> inertia_of_second_moments(const Sym3<double>& s) {
  return {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
}
// Twice the area of a polygon, along its normal (Newell's; of one that is not flat, the mean).
inline Vec3<double> area_normal(std::span<const Vec3<double>> vertices, std::span<const int> corners) {
  const Vec3<double>& origin = vertices[index(corners[0])];
  Vec3<double> n;
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    n += cross(vertices[index(corners[i])] - origin, vertices[index(corners[i + 1])] - origin);
  return n;
}

}  // namespace marey
