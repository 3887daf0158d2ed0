// Places and twists of links, in the axes of W, from the motion across their joints (marey/dynamics/joint.h).
#pragma once

#include "marey/dynamics.h"
#include "marey/dynamics/joint.h"

namespace marey {

template <class T, class Joint>
MAREY_KERNEL void place_link(Joint, const JointMotion<T>& m, int parent, int i, Kinematics<T>& k) {
  const Transform<T>& X_WP = k.X_WB[parent];
  const Twist<T>& V_WP = k.V_WB[parent];
  const Vec3<T> r_W = X_WP.R * m.r;
  const Mat3<T> R_WB = X_WP.R * m.R;
  Twist<T> V{V_WP.w, V_WP.v + cross(V_WP.w, r_W)};
  if constexpr (Joint::turns || Joint::general) V.w += R_WB * m.w_J;
  if constexpr (Joint::shifts || Joint::general) V.v += X_WP.R * m.v_J;
  k.X_WB[i] = {R_WB, X_WP.p + r_W};
  k.V_WB[i] = V;
}

// S of a general joint, whose link was placed.
template <class T>
MAREY_KERNEL void place_motions(const LinkTopology& link, const GeneralMotion<T>& g, int i, Kinematics<T>& k) {
  JointMotions<T>& S = k.general[link.general];
  for (int j = 0; j < freedom_count(link); ++j) S[j] = {k.X_WB[i].R * g.S[j].w, k.X_WB[i].R * g.S[j].v};
}

// joint_motions() where they are to stand.
int joint_motions(const Model&, const Params<double>&, const Kinematics<double>&, int link, Twist<double>* S);

}  // namespace marey
