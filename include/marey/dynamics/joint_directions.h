// What a joint leaves free, at given coordinates: the one description that rows of joints are made from.
//
// With V_FB_F = Σ S v the twist of B as seen from the joint's frame F (angular velocity, velocity of Bo, in the axes of F),
//   A_FB_F = Σ S v̇ + c,     c = Ṡ v
// The joint holds what is orthogonal to all S. For all but general joints S is fixed in F or moves with B so that c = 0.
#pragma once

#include "marey/dynamics/joint.h"

namespace marey {

template <class T>
struct JointDirections {
  int freedoms = 0;
  Mat3<T> R_FB = Mat3<T>::identity();
  Vec3<T> p_FB;  // p_FoBo_F
  Twist<T> S[6];
  Twist<T> c;
};

template <class T>
MAREY_KERNEL Vec3<T> column_of(const Mat3<T>& R, int j) {
  return {R(0, j), R(1, j), R(2, j)};
}

// q and v of the whole figure.
template <class T>
JointDirections<T> joint_directions(const Model& model, const Params<T>& all, int i, const T* q, const T* v) {
  const LinkTopology& link = model.links[i];
  const LinkParams<T>& params = all.links[i];
  JointDirections<T> d;
  d.freedoms = freedom_count(link);
  constexpr auto axis = [](int k) { return Vec3<T>{T(k == 0), T(k == 1), T(k == 2)}; };
  const T* x = q + link.q;
  switch (link.joint) {
    case JointType::weld:
      break;
    case JointType::hinge:
      d.R_FB = rotation_about(params.axis, x[0]);
      d.S[0].w = params.axis;
      break;
    case JointType::slider:
      d.p_FB = x[0] * params.axis;
      d.S[0].v = params.axis;
      break;
    case JointType::ball:
      d.R_FB = rotation(load_quaternion(x));
      for (int k = 0; k < 3; ++k) d.S[k].w = column_of(d.R_FB, k);
      break;
    case JointType::free:
      d.R_FB = rotation(load_quaternion(x));
      d.p_FB = load_vec3(x + 4);
      for (int k = 0; k < 3; ++k) d.S[k].w = column_of(d.R_FB, k), d.S[3 + k].v = axis(k);
      break;
    case JointType::point:
      d.p_FB = load_vec3(x);
      for (int k = 0; k < 3; ++k) d.S[k].v = axis(k);
      break;
    default: {
      GeneralMotion<T> g;
      general_motion(model.general[link.general], all.general[link.general], x, v + link.v, g);
      d.R_FB = g.R_FB;
      d.p_FB = g.p;
      for (int k = 0; k < d.freedoms; ++k) d.S[k] = {g.R_FB * g.S[k].w, g.R_FB * g.S[k].v};
      d.c = {g.R_FB * g.w_bias, g.v_bias};
    }
  }
  return d;
}

}  // namespace marey
