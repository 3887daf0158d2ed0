// Forward dynamics by the articulated-body algorithm, for all joints.
//
// Source: Featherstone 1983; Featherstone 2008, ch. 7. Written with the acceleration a of each link's origin (joint.h),
// so that no linear velocity is needed, and with the articulated inertia in blocks about Bo, in B:
//   n = J ω̇ + H a + p.n      f = Hᵀ ω̇ + M a + p.f                                              (1)
// Of a lone link:
//   H = h̃    M = m 1    p.n = ω × J ω − n_E    p.f = ω × (ω × h) − f_E                         (2)
// Inward, with the joint's motions S and c = (c_w, c_v) of joint.h:
//   U = I S    D = Sᵀ U    u = τ − Sᵀ p    I_a = I − U D⁻¹ Uᵀ    p_a = p + I_a c + U D⁻¹ u     (3)
// shifted to the parent's origin and turned into its axes, with r = p_PoBo_P:
//   M_P += R M Rᵀ    H_P += H′, H′ = R H Rᵀ + r̃ R M Rᵀ    J_P += R J Rᵀ + r̃ H′ᵀ + R H Rᵀ r̃ᵀ    (4)
// Outward:
//   A′ = (Rᵀ ω̇_P, Rᵀ (a_P + ω̇_P × r)) + c    v̇ = D⁻¹ (u − Uᵀ A′)    A = A′ + S v̇               (5)
// On a ball joint S picks the angular block: D = J, I_a is the single symmetric matrix M − Hᵀ J⁻¹ H, and the moment
// passed on is τ itself: the kernel below passes 3×3 instead of 6×6. On a free joint nothing but τ is passed on. On a
// point joint S picks the linear block: D = M, I_a is J − H M⁻¹ Hᵀ, and the force passed on is τ itself.
// On a general joint, with D = L diag(d) Lᵀ, Y = L⁻¹ Uᵀ and z = L⁻¹ u,
//   I_a = I − Yᵀ d⁻¹ Y      p_a = p + I_a c + Yᵀ d⁻¹ z      v̇ = L⁻ᵀ d⁻¹ (z − Y A′)                (6)
// Cost per link: ball about 300 multiplications, hinge about 330.
#pragma once

#include "marey/dynamics/aba_halves.h"
#include "marey/dynamics/place.h"
#include "marey/scalar/instantiate.h"

namespace marey {

template <class T>
AbaWorkspace<T>::AbaWorkspace(const Model& model) : links(model.links.size()), general(model.general.size()) {
  spoil<T>(links);
}

namespace {

// (2)
template <class T>
MAREY_KERNEL void start_inertia(const Inertia<T>& I, AbaLink<T>& b) {
  b.J = I.J;
  b.H = tilde(I.h);
  b.M = Sym3<T>::diagonal(I.m, I.m, I.m);
  b.p = {cross(b.w, I.J * b.w), cross(b.w, cross(b.w, I.h))};
}

// Motion of one link whose parent is done.
template <class T, class Joint>
MAREY_KERNEL void move_link(Joint, const LinkTopology& link, const JointMotion<T>& m, const AbaLink<T>& p,
                            AbaLink<T>& b) {
  b.R = m.R;
  b.r = m.r;
  if constexpr (Joint::value == JointType::free) b.R_FB = m.R_FB;
  if (link.parent == 0) {
    b.w = m.w_J;
    b.c_w = b.c_v = {};
  } else {
    const Vec3<T> w_P = transpose_times(m.R, p.w);
    Vec3<T> c_P = cross(p.w, cross(p.w, m.r));
    if constexpr (Joint::shifts) c_P += T(2) * cross(p.w, m.v_J);
    b.w = Joint::turns ? w_P + m.w_J : w_P;
    b.c_w = Joint::turns ? cross(w_P, m.w_J) : Vec3<T>{};
    b.c_v = transpose_times(m.R, c_P);
  }
}

// The same for a general joint.
template <class T, class Also>
__attribute__((noinline)) void move_general(const Model& model, const Params<T>& params, const T* q, const T* v, int i,
                                            AbaWorkspace<T>& ws, const Also& also) {
  const LinkTopology& link = model.links[i];
  const AbaLink<T>& p = ws.links[link.parent];
  AbaLink<T>& b = ws.links[i];
  GeneralMotion<T> g;
  const JointMotion<T> m = general_joint_motion(model, params, i, q, v, g);
  b.R = m.R;
  b.r = m.r;
  const Vec3<T> w_P = transpose_times(m.R, p.w);
  b.w = w_P + m.w_J;
  b.c_w = cross(w_P, m.w_J) + g.w_bias;
  b.c_v =
      transpose_times(m.R, cross(p.w, cross(p.w, m.r)) + T(2) * cross(p.w, m.v_J)) + transpose_times(g.R_FB, g.v_bias);
  ws.general[link.general].S = g.S;
  also(JointConstant<JointType::custom>{}, i, m, &g);
}

template <class T>
MAREY_KERNEL Sym3<T> square(const Vec3<T>& a, const T& s) {
  const Vec3<T> b = s * a;
  return {a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z};
}

// Adds a wrench that the joint passes on to the parent.
template <class T>
MAREY_KERNEL void pass_wrench(const AbaLink<T>& b, const Wrench<T>& F, AbaLink<T>& p) {
  const Vec3<T> f_P = b.R * F.f;
  p.p += Wrench<T>{b.R * F.n + cross(b.r, f_P), f_P};
}

// (3)(4) for a ball joint.
template <class T>
MAREY_KERNEL void pass_ball(AbaLink<T>& b, const Vec3<T>& tau, AbaLink<T>* p) {
  b.J_inverse = inverse(b.J);
  b.K = b.J_inverse * b.H;
  b.u3 = b.J_inverse * (tau - b.p.n);
  if (!p) return;
  const Sym3<T> M_a = b.M - symmetric_transpose_times(b.H, b.K);
  const Sym3<T> M_P = congruence(b.R, M_a);
  const Mat3<T> W = tilde_times(b.r, M_P);
  p->M += M_P;
  p->H += W;
  p->J -= symmetric_times_tilde(W, b.r);  // r̃ M r̃ᵀ
  pass_wrench(b, {tau, b.p.f + transpose_times(b.H, b.u3) + M_a * b.c_v}, *p);
}

// (3) for a free joint: its own acceleration follows at once, its parent feels the joint's forces alone.
template <class T>
MAREY_KERNEL void pass_free(AbaLink<T>& b, const Wrench<T>& tau_B, AbaLink<T>* p) {
  b.J_inverse = inverse(b.J);
  b.K = b.J_inverse * b.H;
  b.u3 = b.J_inverse * (tau_B.n - b.p.n);
  const Sym3<T> M_a = b.M - symmetric_transpose_times(b.H, b.K);
  b.a = inverse(M_a) * (tau_B.f - b.p.f - transpose_times(b.H, b.u3));
  b.w_dot = b.u3 - b.K * b.a;
  if (p) pass_wrench(b, tau_B, *p);
}

// (3)(4) for a point joint.
template <class T>
MAREY_KERNEL void pass_point(AbaLink<T>& b, const Vec3<T>& tau, AbaLink<T>* p) {
  const Sym3<T> M_inverse = inverse(b.M);
  b.K = b.H * M_inverse;
  b.u3 = M_inverse * (tau - b.p.f);
  if (!p) return;
  const Sym3<T> J_a = b.J - symmetric_transpose_times(transpose(b.K), transpose(b.H));
  p->J += congruence(b.R, J_a);
  pass_wrench(b, {b.p.n + J_a * b.c_w + b.H * b.u3, tau}, *p);
}

// (4): what is left of the articulated inertia after the joint, seen from the parent.
template <class T>
MAREY_KERNEL void pass_inertia(const AbaLink<T>& b, const Sym3<T>& J, const Mat3<T>& H, const Sym3<T>& M,
                               AbaLink<T>& p) {
  const Sym3<T> M_P = congruence(b.R, M);
  const Mat3<T> H_R = b.R * H * transpose(b.R);
  const Mat3<T> r_tilde = tilde(b.r);
  const Mat3<T> H_P = H_R + tilde_times(b.r, M_P);
  const Mat3<T> shift = r_tilde * transpose(H_P) - H_R * r_tilde;
  p.M += M_P;
  p.H += H_P;
  p.J += congruence(b.R, J);
  p.J += Sym3<T>{shift.xx, shift.yy, shift.zz, shift.xy, shift.xz, shift.yz};
}

// (3)(4) for a hinge or slider with U and D set.
template <class T>
MAREY_KERNEL void pass_one(AbaLink<T>& b, AbaLink<T>* p) {
  if (!p) return;
  const Sym3<T> J = b.J - square(b.U_w, b.D_inverse), M = b.M - square(b.U_v, b.D_inverse);
  const Mat3<T> H = b.H - outer(b.D_inverse * b.U_w, b.U_v);
  const T s = b.D_inverse * b.u;
  pass_inertia(b, J, H, M, *p);
  pass_wrench(b, {b.p.n + J * b.c_w + H * b.c_v + s * b.U_w, b.p.f + transpose_times(H, b.c_w) + M * b.c_v + s * b.U_v},
              *p);
}

// (3)(4)(6) for a general joint.
template <class T>
__attribute__((noinline)) void pass_general(const T* tau, int n, AbaLink<T>& b, AbaGeneral<T>& g, AbaLink<T>* p) {
  Sym3<T> J = b.J, M = b.M;
  Mat3<T> H = b.H;
  Wrench<T> passed = b.p;
  for (int k = 0; k < n; ++k) {
    const Twist<T>& s = g.S[k];
    Wrench<T> y{b.J * s.w + b.H * s.v, transpose_times(b.H, s.w) + b.M * s.v};
    T z = (tau ? tau[k] : T(0)) - power(b.p, s);
    for (int l = 0; l < k; ++l) {
      const T L = g.d_inverse[l] * power(g.Y[l], s);  // y_l·s_k = (L⁻¹ D)_lk = d_l L_kl
      y -= Wrench<T>{L * g.Y[l].n, L * g.Y[l].f};
      z -= L * g.z[l];
      g.L[k][l] = L;
    }
    const T d_inverse = T(1) / power(y, s);
    g.Y[k] = y, g.z[k] = z, g.d_inverse[k] = d_inverse;
    J -= square(y.n, d_inverse), M -= square(y.f, d_inverse);
    H = H - outer(d_inverse * y.n, y.f);
    const T t = d_inverse * z;
    passed += Wrench<T>{t * y.n, t * y.f};
  }
  if (!p) return;
  pass_inertia(b, J, H, M, *p);
  passed += Wrench<T>{J * b.c_w + H * b.c_v, transpose_times(H, b.c_w) + M * b.c_v};
  pass_wrench(b, passed, *p);
}

// (5)(6) for a general joint: w_dot and a are A′.
template <class T>
__attribute__((noinline)) void accelerate_general(int n, const Vec3<T>& w_dot, const Vec3<T>& a, const AbaGeneral<T>& g,
                                                  AbaLink<T>& b, T* vdot) {
  for (int k = 0; k < n; ++k) vdot[k] = g.d_inverse[k] * (g.z[k] - power(g.Y[k], Twist<T>{w_dot, a}));
  b.w_dot = w_dot, b.a = a;
  for (int k = n - 1; k >= 0; --k) {
    for (int l = k + 1; l < n; ++l) vdot[k] -= g.L[l][k] * vdot[l];
    b.w_dot += vdot[k] * g.S[k].w, b.a += vdot[k] * g.S[k].v;
  }
}

// One switch on the joint type: (3)(4) of a link whose sons are done.
template <class T>
MAREY_KERNEL void pass_inward(const LinkTopology& link, const LinkParams<T>& params, const T* tau, AbaLink<T>& b,
                              std::vector<AbaGeneral<T>>& general, AbaLink<T>* p) {
  const auto torque = [&](int k) { return tau ? tau[link.v + k] : T(0); };
  switch (link.joint) {
    case JointType::weld:
      if (!p) return;
      pass_inertia(b, b.J, b.H, b.M, *p);
      pass_wrench(b, {b.p.n + b.J * b.c_w + b.H * b.c_v, b.p.f + transpose_times(b.H, b.c_w) + b.M * b.c_v}, *p);
      return;
    case JointType::hinge:
      b.U_w = b.J * params.axis;
      b.U_v = transpose_times(b.H, params.axis);
      b.D_inverse = T(1) / dot(params.axis, b.U_w);
      b.u = torque(0) - dot(params.axis, b.p.n);
      return pass_one(b, p);
    case JointType::slider:
      b.U_w = b.H * params.axis;
      b.U_v = b.M * params.axis;
      b.D_inverse = T(1) / dot(params.axis, b.U_v);
      b.u = torque(0) - dot(params.axis, b.p.f);
      return pass_one(b, p);
    case JointType::ball:
      return pass_ball(b, tau ? load_vec3(tau + link.v) : Vec3<T>{}, p);
    case JointType::free: {
      const Vec3<T> force_F{torque(3), torque(4), torque(5)};
      return pass_free(b, {{torque(0), torque(1), torque(2)}, transpose_times(b.R_FB, force_F)}, p);
    }
    case JointType::point:
      return pass_point(b, tau ? load_vec3(tau + link.v) : Vec3<T>{}, p);
    default:
      return pass_general(tau ? tau + link.v : nullptr, freedom_count(link), b, general[link.general], p);
  }
}

// (5) for one link whose parent is done.
template <class T>
MAREY_KERNEL void accelerate(const LinkTopology& link, const LinkParams<T>& params, const AbaLink<T>& p,
                             const std::vector<AbaGeneral<T>>& general, AbaLink<T>& b, T* vdot) {
  const Vec3<T> w_dot = transpose_times(b.R, p.w_dot) + b.c_w;
  const Vec3<T> a = transpose_times(b.R, p.a + cross(p.w_dot, b.r)) + b.c_v;
  switch (link.joint) {
    case JointType::weld:
      b.w_dot = w_dot;
      b.a = a;
      return;
    case JointType::hinge:
    case JointType::slider: {
      const T x = b.D_inverse * (b.u - dot(b.U_w, w_dot) - dot(b.U_v, a));
      const bool turns = link.joint == JointType::hinge;
      vdot[link.v] = x;
      b.w_dot = turns ? w_dot + x * params.axis : w_dot;
      b.a = turns ? a : a + x * params.axis;
      return;
    }
    case JointType::ball:
      b.a = a;
      b.w_dot = b.u3 - b.K * a;
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      return;
    case JointType::free:
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      store_vec3(vdot + link.v + 3, b.R_FB * (b.a - a));
      return;
    case JointType::point:
      b.w_dot = w_dot;
      b.a = b.u3 - transpose_times(b.K, w_dot);
      store_vec3(vdot + link.v, b.a - a);
      return;
    default:
      return accelerate_general(freedom_count(link), w_dot, a, general[link.general], b, vdot + link.v);
  }
}

// Adds the forces from outside to the biases, turned into each link's frame.
template <class T>
void add_outside(const Model& model, std::span<const Wrench<T>> F_Bo_W, AbaWorkspace<T>& ws) {
  for (int i = 1; i < model.nlink(); ++i) {
    AbaLink<T>& b = ws.links[i];
    const int parent = model.links[i].parent;
    b.R_WB = parent == 0 ? b.R : ws.links[parent].R_WB * b.R;
    b.p -= Wrench<T>{transpose_times(b.R_WB, F_Bo_W[i].n), transpose_times(b.R_WB, F_Bo_W[i].f)};
  }
}

// The outward pass before (2). `also` is told of the motion across each joint.
template <class T, class Also>
MAREY_KERNEL void move_links(const Model& model, const Params<T>& params, const T* q, const T* v, AbaWorkspace<T>& ws,
                             const Also& also) {
  std::vector<AbaLink<T>>& links = ws.links;
  links[0].w = {};
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general) {
        move_general(model, params, q, v, i, ws, also);
      } else {
        const JointMotion<T> m = joint_motion(joint, link, params.links[i], q, v);
        move_link(joint, link, m, links[link.parent], links[i]);
        also(joint, i, m, nullptr);
      }
    });
  }
}

// (2)–(5). `also` is told of each link whose sons are done.
template <class T, class Also>
MAREY_KERNEL void answer_to_forces(const Model& model, const Params<T>& params, const Forces<T>& forces,
                                   AbaWorkspace<T>& ws, std::span<T> vdot, const Also& also) {
  const int n = model.nlink();
  AbaLink<T>* links = ws.links.data();
  links[0].w_dot = {};
  links[0].a = -params.gravity;
  for (int i = 1; i < n; ++i) start_inertia(params.links[i].I, links[i]);
  if (!forces.F_Bo_W.empty()) add_outside(model, forces.F_Bo_W, ws);
  const T* tau = forces.tau.empty() ? nullptr : forces.tau.data();
  for (int i = n - 1; i > 0; --i) {
    const int parent = model.links[i].parent;
    pass_inward(model.links[i], params.links[i], tau, links[i], ws.general, parent == 0 ? nullptr : links + parent);
    also(i, parent, links[i]);
  }
  if (vdot.empty()) return;
  for (int i = 1; i < n; ++i)
    accelerate(model.links[i], params.links[i], links[model.links[i].parent], ws.general, links[i], vdot.data());
}

}  // namespace

template <class T>
void aba_motion(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                AbaWorkspace<T>& ws, Kinematics<T>& k) {
  move_links(model, params, q.data(), v.data(), ws,
             [&](auto joint, int i, const JointMotion<T>& m, const GeneralMotion<T>* g) {
               place_link(joint, m, model.links[i].parent, i, k);
               if constexpr (joint.general) place_motions(model.links[i], *g, i, k);
             });
}

template <class T>
void aba_motion(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                AbaWorkspace<T>& ws) {
  move_links(model, params, q.data(), v.data(), ws, [](auto, int, const JointMotion<T>&, const GeneralMotion<T>*) {});
}

template <class T>
void aba_forces(const Model& model, const Params<T>& params, const Forces<T>& forces, AbaWorkspace<T>& ws,
                std::span<T> vdot) {
  answer_to_forces(model, params, forces, ws, vdot, [](int, int, const AbaLink<T>&) {});
}

template <class T>
void aba(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
         const Forces<T>& forces, AbaWorkspace<T>& ws, std::span<T> vdot) {
  aba_motion(model, params, q, v, ws);
  aba_forces(model, params, forces, ws, vdot);
}

}  // namespace marey

// What aba.cpp and aba_traced.cpp hand to their lists of scalars.
#define MAREY_INSTANTIATE_ABA(T)                                                                              \
  template struct AbaWorkspace<T>;                                                                            \
  template void aba(const Model&, const Params<T>&, std::span<const T>, std::span<const T>, const Forces<T>&, \
                    AbaWorkspace<T>&, std::span<T>);
