// Motion across one joint: what forward kinematics, rnea and aba share.
//
// Frames of model.h: F fixed in P at X_PF = (R_PF, l), B the link. With q and v of the joint:
//   R = R_PB = R_PF R_FB(q)            r = p_PoBo_P = l + R_PF p_FoBo_F(q)
//   w_J = w_FB_B                       v_J = R_PF v_FBo_F, in the axes of P
// and, from differentiating ω_B = Rᵀ ω_P + w_J and the position r in the turning frame P,
//   ω̇_B = Rᵀ ω̇_P + c_w + (angular part of v̇),            c_w = (Rᵀ ω_P) × w_J
//   a_B = Rᵀ (a_P + ω̇_P × r) + c_v + (linear part of v̇),   c_v = Rᵀ (ω_P × (ω_P × r) + 2 ω_P × v_J)
// for the acceleration a of the frames' origins. A general joint has more of its own: its motions S depend on q, and what
// that gives for v̇ = 0, w_bias and v_bias, is added to c_w and c_v.
#pragma once

#include <cstring>
#include <type_traits>

#include "marey/model.h"
#include "marey/model/general_motion.h"

namespace marey {

// Coordinates are read and results written through anything that can be indexed: a pointer, or one world of a batch.
template <class T, class Array>
MAREY_KERNEL Vec3<T> read_vec3(const Array& x, int at) {
  return {x[at], x[at + 1], x[at + 2]};
}
template <class T, class Array>
MAREY_KERNEL Quaternion<T> read_quaternion(const Array& x, int at) {
  return {x[at], x[at + 1], x[at + 2], x[at + 3]};
}
template <class T>
MAREY_KERNEL Vec3<T> load_vec3(const T* x) {
  return read_vec3<T>(x, 0);
}
template <class T>
MAREY_KERNEL Quaternion<T> load_quaternion(const T* x) {
  return read_quaternion<T>(x, 0);
}
template <class T>
MAREY_KERNEL void store_vec3(T* x, const Vec3<T>& a) {
  x[0] = a.x, x[1] = a.y, x[2] = a.z;
}

// The rotation matrix of a quaternion that is known to be of unit length.
template <class T>
MAREY_KERNEL Mat3<T> rotation_of_unit(const Quaternion<T>& q) {
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w, xx = x2 * q.x, xy = x2 * q.y, xz = x2 * q.z, yy = y2 * q.y,
          yz = y2 * q.z, zz = z2 * q.z;
  return {T(1) - (yy + zz), xy - wz, xz + wy, xy + wz, T(1) - (xx + zz), yz - wx, xz - wy, yz + wx, T(1) - (xx + yy)};
}

// In debug builds a workspace starts as NaN, so that a number read before it is written shows.
template <class T, class Link>
void spoil([[maybe_unused]] std::vector<Link>& links) {
#ifdef MAREY_DEBUG_FILL
  if constexpr (std::is_floating_point_v<T>)
    std::memset(static_cast<void*>(links.data()), 0xff, links.size() * sizeof(Link));
#endif
}

template <class T>
struct JointMotion {
  Mat3<T> R, R_FB;
  Vec3<T> r, w_J, v_J;
};

// Joint types as compile-time constants: a pass switches once per link, into a kernel that knows its joint.
template <JointType J>
struct JointConstant {
  static constexpr JointType value = J;
  static constexpr bool general = J == JointType::custom;  // it stands for all that have no kernel of their own
  static constexpr bool turns = J == JointType::hinge || J == JointType::ball || J == JointType::free;
  static constexpr bool shifts = J == JointType::slider || J == JointType::free || J == JointType::point;
};
template <class Kernel>
MAREY_KERNEL void with_joint(JointType joint, Kernel&& kernel) {
  switch (joint) {
    case JointType::weld:
      return kernel(JointConstant<JointType::weld>{});
    case JointType::hinge:
      return kernel(JointConstant<JointType::hinge>{});
    case JointType::slider:
      return kernel(JointConstant<JointType::slider>{});
    case JointType::ball:
      return kernel(JointConstant<JointType::ball>{});
    case JointType::free:
      return kernel(JointConstant<JointType::free>{});
    case JointType::point:
      return kernel(JointConstant<JointType::point>{});
    default:
      return kernel(JointConstant<JointType::custom>{});
  }
}

template <class T>
MAREY_KERNEL Vec3<T> in_parent(const LinkTopology& topology, const LinkParams<T>& params, const Vec3<T>& a_F) {
  return topology.turned ? params.R_PF * a_F : a_F;
}

// Motion across a general joint, and what it adds to that of the others.
template <class T>
MAREY_KERNEL JointMotion<T> general_joint_motion(const Model& model, const Params<T>& params, int link, const T* q,
                                                 const T* v, GeneralMotion<T>& g) {
  const LinkTopology& topology = model.links[link];
  const LinkParams<T>& p = params.links[link];
  general_motion(model.general[topology.general], params.general[topology.general], q + topology.q, v + topology.v, g);
  JointMotion<T> m;
  m.R_FB = g.R_FB;
  m.R = topology.turned ? p.R_PF * g.R_FB : g.R_FB;
  m.r = p.l + in_parent(topology, p, g.p);
  m.w_J = g.w_J;
  m.v_J = in_parent(topology, p, g.v_J);
  return m;
}

// What the joint does not do (turning, shifting) is left zero.
template <class T, class Joint>
MAREY_KERNEL JointMotion<T> joint_motion(Joint, const LinkTopology& topology, const LinkParams<T>& params, const T* q,
                                         const T* v) {
  JointMotion<T> m;
  m.r = params.l;
  if constexpr (!Joint::turns) {
    m.R = params.R_PF;
  } else if constexpr (Joint::value == JointType::hinge) {
    m.R_FB = rotation_about(params.axis, q[topology.q]);
    m.w_J = v[topology.v] * params.axis;
  } else {
    m.R_FB = rotation(load_quaternion(q + topology.q));
    m.w_J = load_vec3(v + topology.v);
  }
  if constexpr (Joint::turns) m.R = topology.turned ? params.R_PF * m.R_FB : m.R_FB;
  if constexpr (Joint::value == JointType::slider) {
    const Vec3<T> axis_P = in_parent(topology, params, params.axis);
    m.r += q[topology.q] * axis_P;
    m.v_J = v[topology.v] * axis_P;
  }
  if constexpr (Joint::value == JointType::free) {
    m.r += in_parent(topology, params, load_vec3(q + topology.q + 4));
    m.v_J = in_parent(topology, params, load_vec3(v + topology.v + 3));
  }
  if constexpr (Joint::value == JointType::point) {
    m.r += in_parent(topology, params, load_vec3(q + topology.q));
    m.v_J = in_parent(topology, params, load_vec3(v + topology.v));
  }
  return m;
}

}  // namespace marey
