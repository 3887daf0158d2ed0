// Where a link's centre of mass is, and how it moves: elements that act there need nothing else from the link.
#pragma once

#include "marey/force.h"
#include "marey/force/cast.h"

namespace marey {

template <class T>
struct MassCenter {
  Vec3<T> e;  // p_BoBcm_W
  Vec3<T> p;  // p_WoBcm_W
  double mass = 0;

  MassCenter(const Instant<T>& at, int link) {
    const std::size_t i = static_cast<std::size_t>(link);
    const Inertia<double>& I = at.model.params.links[i].I;
    mass = I.m;
    const bool offset = I.h.x != 0 || I.h.y != 0 || I.h.z != 0;
    e = offset ? at.X_WB[i].R * cast<T>((1 / I.m) * I.h) : Vec3<T>{T(0), T(0), T(0)};
    p = at.X_WB[i].p + e;
  }
  Vec3<T> velocity(const Instant<T>& at, int link) const {
    const Twist<T>& V = at.V_WB[static_cast<std::size_t>(link)];
    return V.v + cross(V.w, e);
  }
  Wrench<T> wrench(const Vec3<T>& f) const { return {cross(e, f), f}; }  // of a force there, about Bo
};

}  // namespace marey
