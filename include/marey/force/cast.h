// Model constants (double) used with a state of another scalar type.
#pragma once

#include "marey/spatial.h"

namespace marey {

template <class T>
Vec3<T> cast(const Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Mat3<T> cast(const Mat3<double>& a) {
  return {T(a.xx), T(a.xy), T(a.xz), T(a.yx), T(a.yy), T(a.yz), T(a.zx), T(a.zy), T(a.zz)};
}

// The wrench about Bo of a force at r = p_BoQ_W.
template <class T>
Wrench<T> force_at(const Vec3<T>& r, const Vec3<T>& f) {
  return {cross(r, f), f};
}

}  // namespace marey
