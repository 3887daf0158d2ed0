// Inverse dynamics by the recursive Newton–Euler algorithm.
//
// Source: Luh, Walker & Paul 1980; written here with the acceleration a of each link's origin rather than with spatial
// accelerations, so that no linear velocity is needed. Frames and joint terms: joint.h. All in B unless said.
//   outward   ω = Rᵀ ω_P + w_J      ω̇ = Rᵀ ω̇_P + c_w + v̇_w      a = Rᵀ (a_P + ω̇_P × r) + c_v + v̇_v    (1)
//             with a of the world = −gravity
//             f = m a + ω̇ × h + ω × (ω × h) − f_E                                                     (2)
//             n = J ω̇ + h × a + ω × J ω − n_E                                                         (3)
//   inward    τ = Sᵀ (n, f)          parent: f_P += R f      n_P += R n + r × R f                     (4)
// Cost per ball joint: about 140 multiplications and 115 additions.
#include "marey/dynamics.h"
#include "marey/dynamics/joint.h"
#include "marey/scalar/instantiate.h"

namespace marey {

template <class T>
RneaWorkspace<T>::RneaWorkspace(const Model& model) : links(model.links.size()), general(model.general.size()) {
  spoil<T>(links);
}

namespace {

// (2)(3) without forces from outside.
template <class T>
MAREY_KERNEL Wrench<T> newton_euler(const Inertia<T>& I, const RneaLink<T>& b) {
  return {I.J * b.w_dot + cross(I.h, b.a) + cross(b.w, I.J * b.w),
          I.m * b.a + cross(b.w_dot, I.h) + cross(b.w, cross(b.w, I.h))};
}

// (1) for one link whose parent is done.
template <class T, class Joint>
MAREY_KERNEL void move_link(Joint joint, const LinkTopology& link, const LinkParams<T>& params, const T* q, const T* v,
                            const T* vdot, const RneaLink<T>& p, RneaLink<T>& b) {
  const JointMotion<T> m = joint_motion(joint, link, params, q, v);
  const Vec3<T> w_P = transpose_times(m.R, p.w);
  Vec3<T> a_P = p.a + cross(p.w_dot, m.r) + cross(p.w, cross(p.w, m.r));
  Vec3<T> w_dot = transpose_times(m.R, p.w_dot);
  if constexpr (Joint::turns) w_dot += cross(w_P, m.w_J);
  if constexpr (Joint::shifts) a_P += T(2) * cross(p.w, m.v_J);
  if constexpr (Joint::value == JointType::hinge) w_dot += vdot[link.v] * params.axis;
  if constexpr (Joint::value == JointType::slider) a_P += vdot[link.v] * in_parent(link, params, params.axis);
  if constexpr (Joint::value == JointType::ball) w_dot += load_vec3(vdot + link.v);
  if constexpr (Joint::value == JointType::free) {
    w_dot += load_vec3(vdot + link.v);
    a_P += in_parent(link, params, load_vec3(vdot + link.v + 3));
    b.R_FB = m.R_FB;
  }
  if constexpr (Joint::value == JointType::point) a_P += in_parent(link, params, load_vec3(vdot + link.v));
  b.R = m.R;
  b.r = m.r;
  b.w = Joint::turns ? w_P + m.w_J : w_P;
  b.w_dot = w_dot;
  b.a = transpose_times(m.R, a_P);
  b.F = newton_euler(params.I, b);
}

// The same for a general joint.
template <class T>
__attribute__((noinline)) void move_general(const Model& model, const Params<T>& params, const T* q, const T* v,
                                            const T* vdot, int i, RneaWorkspace<T>& ws) {
  const LinkTopology& link = model.links[i];
  const RneaLink<T>& p = ws.links[link.parent];
  RneaLink<T>& b = ws.links[i];
  GeneralMotion<T> g;
  const JointMotion<T> m = general_joint_motion(model, params, i, q, v, g);
  const Vec3<T> w_P = transpose_times(m.R, p.w);
  const Vec3<T> a_P = p.a + cross(p.w_dot, m.r) + cross(p.w, cross(p.w, m.r)) + T(2) * cross(p.w, m.v_J) +
                      in_parent(link, params.links[i], g.v_bias);
  b.R = m.R;
  b.r = m.r;
  b.w = w_P + m.w_J;
  b.w_dot = transpose_times(m.R, p.w_dot) + cross(w_P, m.w_J) + g.w_bias;
  b.a = transpose_times(m.R, a_P);
  JointMotions<T>& S = ws.general[link.general];
  for (int k = 0; k < freedom_count(link); ++k) {
    S[k] = g.S[k];
    b.w_dot += vdot[link.v + k] * S[k].w;
    b.a += vdot[link.v + k] * S[k].v;
  }
  b.F = newton_euler(params.links[i].I, b);
}

// Sᵀ F, the part of the joint's wrench that the joint's own forces have to provide.
template <class T>
void joint_part(const LinkTopology& link, const LinkParams<T>& params, const RneaLink<T>& b,
                const std::vector<JointMotions<T>>& general, T* tau) {
  switch (link.joint) {
    case JointType::weld:
      return;
    case JointType::hinge:
      tau[link.v] = dot(params.axis, b.F.n);
      return;
    case JointType::slider:
      tau[link.v] = dot(params.axis, b.F.f);
      return;
    case JointType::ball:
      store_vec3(tau + link.v, b.F.n);
      return;
    case JointType::free:
      store_vec3(tau + link.v, b.F.n);
      store_vec3(tau + link.v + 3, b.R_FB * b.F.f);
      return;
    case JointType::point:
      store_vec3(tau + link.v, b.F.f);
      return;
    default:
      for (int k = 0; k < freedom_count(link); ++k) tau[link.v + k] = power(b.F, general[link.general][k]);
  }
}

// Turns the forces from outside into each link's frame and takes them off: they relieve the joint.
template <class T>
void take_off_outside(const Model& model, std::span<const Wrench<T>> F_Bo_W, RneaWorkspace<T>& ws) {
  for (int i = 1; i < model.nlink(); ++i) {
    RneaLink<T>& b = ws.links[i];
    const int parent = model.links[i].parent;
    b.R_WB = parent == 0 ? b.R : ws.links[parent].R_WB * b.R;
    b.F -= Wrench<T>{transpose_times(b.R_WB, F_Bo_W[i].n), transpose_times(b.R_WB, F_Bo_W[i].f)};
  }
}

}  // namespace

template <class T>
void rnea(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
          std::span<const T> vdot, std::span<const Wrench<T>> F_Bo_W, RneaWorkspace<T>& ws, std::span<T> tau) {
  ws.links[0].w = ws.links[0].w_dot = {};
  ws.links[0].a = -params.gravity;
  const int n = model.nlink();
  for (int i = 1; i < n; ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general)
        move_general(model, params, q.data(), v.data(), vdot.data(), i, ws);
      else
        move_link(joint, link, params.links[i], q.data(), v.data(), vdot.data(), ws.links[link.parent], ws.links[i]);
    });
  }
  if (!F_Bo_W.empty()) take_off_outside(model, F_Bo_W, ws);
  for (int i = n - 1; i > 0; --i) {
    const RneaLink<T>& b = ws.links[i];
    const LinkTopology& link = model.links[i];
    joint_part(link, params.links[i], b, ws.general, tau.data());
    if (link.parent == 0) continue;
    const Vec3<T> f_P = b.R * b.F.f;  // (4)
    ws.links[link.parent].F += Wrench<T>{b.R * b.F.n + cross(b.r, f_P), f_P};
  }
}

#define MAREY_INSTANTIATE(T)                                                                                     \
  template struct RneaWorkspace<T>;                                                                              \
  template void rnea(const Model&, const Params<T>&, std::span<const T>, std::span<const T>, std::span<const T>, \
                     std::span<const Wrench<T>>, RneaWorkspace<T>&, std::span<T>);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey
