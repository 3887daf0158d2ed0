// Lagrange multipliers in linear time on trees.
//
// Sources: D. Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996 (the ordering); P §3 B (the system,
// b = −(J M⁻¹ F + J̇ v)).
//
// Symbols, all about a link's Bo and in the axes of W:
//   A      acceleration (α, a of Bo)                   M     inertia [[J, h̃], [−h̃, m]]
//   S, N   free and held directions of a joint         X     A_P as it is at Bo: (α_P, a_P + α_P × r)
//   λ      multipliers: N λ is the wrench of the joint on B beside its own forces τ
//   F_J    N λ + the wrench of τ, with Sᵀ F_J = τ      p     forces on the link that are known
//
// One link and its joint:
//   M A − F_J + Σ_sons Xᵀ F_J,son = p                                                            Newton and Euler      (1)
//   Nᵀ (A − X A_P − k) = 0                                                                      rows of the joint      (2)
//   k = (ω_P × ω_J,  ω_P × (ω_P × r) + 2 ω_P × v_J) + c                                                                (3)
// Over all links that is [M −Jᵀ; J 0] with one row of blocks per link and one per joint. Ordered from the leaves to the
// root, a pivot touches nothing but its parent, which is adjacent anyway: no fill-in, O(nlink).
//
// Deviation: a link and its joint are one pivot. Baraff takes first the link (M⁻¹), then the joint (N M⁻¹ Nᵀ)⁻¹, which needs
// every link to have mass and moments of inertia of its own; particles, empty links and thin rods have not. Together
// they are a regular pivot whenever the joint moves some inertia: with A = X A_P + k + S v̇ from (2), Sᵀ of (1) gives
//   (Sᵀ M S) v̇ = τ + Sᵀ (p − M (X A_P + k))                                                                            (4)
// By S₁, S₂ … in turn, which is the unpivoted LDLᵀ of Sᵀ M S:
//   z_k = M S_k,  d_k = S_k · z_k,  L_jk = S_j · z_k / d_k,  M ← M − z_k z_kᵀ / d_k                                    (5)
//   t_k = τ_k + S_k · p − Σ_{j<k} L_kj t_j                                                                             (6)
//   F_J = M (X A_P + k) + Σ z_k t_k / d_k − p,   with the M that (5) leaves                                            (7)
//   v̇_k = (t_k − z_k · (X A_P + k)) / d_k − Σ_{j>k} L_jk v̇_j                                                           (8)
// and to the parent go Xᵀ M X and, with A_P = 0, −Xᵀ F_J. About 450 flops a hinge, 750 a ball, 100 of them per load.
//
// Refinement. The forces in (7) are those on all that a joint carries, and most of them may cancel; and M in the axes of W
// has lost a slender body's small moment among the rounding of the large ones. So the wrenches are found once more, with
// the A at hand, by Newton and Euler in the axes of B, from the leaves to the root:
//   F_J = R (I_B Rᵀ A) − p + Σ_sons Xᵀ F_J,son                                                                         (9)
// What Sᵀ F_J lacks of τ is a load for the factors, (6)–(8) with nothing else in it; its answer is added to v̇, A and F_J.
// About 200 flops a link.
#include "marey/dynamics/multipliers.h"

#include <algorithm>

#include "marey/dynamics/joint_directions.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

template <class T>
Sym3<T> scaled_square(const T& s, const Vec3<T>& a) {
  const Vec3<T> b = s * a;
  return {b.x * a.x, b.y * a.y, b.z * a.z, b.x * a.y, b.x * a.z, b.y * a.z};
}

template <class T>
T along(const Twist<T>& s, const Wrench<T>& f) {
  return dot(s.w, f.n) + dot(s.v, f.f);
}

template <class T>
Wrench<T> inertia_times(const MultiplierLink<T>& b, const Twist<T>& s) {
  return {b.J * s.w + b.H * s.v, transpose_times(b.H, s.w) + b.M * s.v};
}

// X A_P + k
template <class T>
Twist<T> carried(const Vec3<T>& r, const Twist<T>& A_P, const Twist<T>& k) {
  return {A_P.w + k.w, A_P.v + cross(A_P.w, r) + k.v};
}

template <class T>
void set_inertia(const Inertia<T>& I, const Mat3<T>& R_WB, const Vec3<T>& w, const Vec3<T>& gravity,
                 MultiplierLink<T>& b) {
  const Vec3<T> h = R_WB * I.h, w_B = transpose_times(R_WB, w);
  b.J = congruence(R_WB, I.J);
  b.H = tilde(h);
  b.M = Sym3<T>::diagonal(I.m, I.m, I.m);
  b.F_own = {cross(h, gravity) - R_WB * cross(w_B, I.J * w_B), I.m * gravity - cross(w, cross(w, h))};
}

// S of the joint; returns c. Of balls and free joints S are the axes of B, which are at hand.
template <class T>
Twist<T> set_directions(const Model& model, const Params<T>& params, int i, std::span<const T> q, std::span<const T> v,
                        const Mat3<T>& R_WF, const Mat3<T>& R_WB, MultiplierLink<T>& b) {
  const LinkTopology& link = model.links[i];
  b.loose = link.joint == JointType::free;
  if (b.loose || link.joint == JointType::ball) {
    b.freedoms = b.loose ? 6 : 3;
    for (int k = 0; k < 3; ++k) b.S[k] = {column_of(R_WB, k), {}};
    for (int k = 3; k < b.freedoms; ++k) b.S[k] = {{}, column_of(R_WF, k - 3)};
    return {};
  }
  const JointDirections<T> d = joint_directions(model, params, i, q.data(), v.data());
  b.freedoms = d.freedoms;
  for (int k = 0; k < d.freedoms; ++k) b.S[k] = {R_WF * d.S[k].w, R_WF * d.S[k].v};
  return {R_WF * d.c.w, R_WF * d.c.v};
}

// (5)
template <class T>
void eliminate(MultiplierLink<T>& b) {
  for (int k = 0; k < b.freedoms; ++k) {
    const Wrench<T> z = inertia_times(b, b.S[k]);
    const T d_inverse = T(1) / along(b.S[k], z);
    for (int j = k + 1; j < b.freedoms; ++j) b.L[j][k] = along(b.S[j], z) * d_inverse;
    b.J -= scaled_square(d_inverse, z.n);
    b.M -= scaled_square(d_inverse, z.f);
    b.H = b.H - outer(d_inverse * z.n, z.f);
    b.z[k] = z, b.d_inverse[k] = d_inverse;
  }
  if (b.freedoms == 6) b.J = {}, b.M = {}, b.H = {};  // nothing is held: what is left is round-off
}

// Xᵀ M X of a son, added to its parent.
template <class T>
void add_to_parent(const MultiplierLink<T>& b, MultiplierLink<T>& parent) {
  const Mat3<T> rM = tilde_times(b.r, b.M), rH = tilde(b.r) * transpose(b.H);
  Sym3<T> J = b.J - symmetric_times_tilde(rM, b.r);
  J += Sym3<T>{T(2) * rH.xx, T(2) * rH.yy, T(2) * rH.zz, rH.xy + rH.yx, rH.xz + rH.zx, rH.yz + rH.zy};
  parent.J += J;
  parent.H += b.H + rM;
  parent.M += b.M;
}

// The wrench through a free joint, which is that of τ alone: S is orthonormal there.
template <class T>
Wrench<T> loose_wrench(const MultiplierLink<T>& b, const T* tau) {
  Wrench<T> F{};
  for (int i = 0; tau && i < 6; ++i) F += Wrench<T>{tau[i] * b.S[i].w, tau[i] * b.S[i].v};
  return F;
}

// (6), and the joint's wrench (7) less its part that goes with A_P, on the parent.
template <class T>
void inward(const T* tau, const Twist<T>& k, MultiplierLink<T>& b, MultiplierLink<T>& parent) {
  Wrench<T> F = inertia_times(b, k);
  F -= b.p;
  for (int i = 0; i < b.freedoms; ++i) {
    b.t[i] = along(b.S[i], b.p);
    if (tau) b.t[i] += tau[i];
    for (int j = 0; j < i; ++j) b.t[i] -= b.L[i][j] * b.t[j];
    const T s = b.t[i] * b.d_inverse[i];
    F += Wrench<T>{s * b.z[i].n, s * b.z[i].f};
  }
  b.F = b.loose ? loose_wrench(b, tau) : F;
  parent.p -= shifted(b.F, b.r);
}

// (8)(7)
template <class T>
void outward(const Twist<T>& k, const MultiplierLink<T>& parent, MultiplierLink<T>& b) {
  const Twist<T> moved = carried(b.r, parent.A, {}), w = moved + k;
  b.F += inertia_times(b, moved);
  b.A = w;
  for (int i = b.freedoms - 1; i >= 0; --i) {
    T y = (b.t[i] - along(w, b.z[i])) * b.d_inverse[i];
    for (int j = i + 1; j < b.freedoms; ++j) y -= b.L[j][i] * b.vdot[j];
    b.vdot[i] = y;
    b.A += Twist<T>{y * b.S[i].w, y * b.S[i].v};
  }
}

// R (I_B Rᵀ A)
template <class T>
Wrench<T> inertia_in_body(const Inertia<T>& I, const Mat3<T>& R_WB, const Twist<T>& A) {
  const Vec3<T> alpha = transpose_times(R_WB, A.w), a = transpose_times(R_WB, A.v);
  return {R_WB * (I.J * alpha + cross(I.h, a)), R_WB * (I.m * a + cross(alpha, I.h))};
}

// (6)(7) for what F lacks of τ; F is complete but for its part that goes with the parent's change.
template <class T>
void inward_change(const T* tau, MultiplierLink<T>& b, MultiplierLink<T>& parent) {
  Wrench<T> change = -b.p;
  for (int i = 0; i < b.freedoms; ++i) {
    b.t[i] = along(b.S[i], b.p) - along(b.S[i], b.F);
    if (tau) b.t[i] += tau[i];
    for (int j = 0; j < i; ++j) b.t[i] -= b.L[i][j] * b.t[j];
    const T s = b.t[i] * b.d_inverse[i];
    change += Wrench<T>{s * b.z[i].n, s * b.z[i].f};
  }
  if (b.loose) b.F = loose_wrench(b, tau), change = {};
  parent.F += shifted(b.F, b.r);
  b.F += change;
  parent.p -= shifted(change, b.r);
}

// (8)(7) for the change.
template <class T>
void outward_change(const MultiplierLink<T>& parent, MultiplierLink<T>& b) {
  const Twist<T> moved = carried(b.r, parent.dA, {});
  b.F += inertia_times(b, moved);
  b.dA = moved;
  T y[6];
  for (int i = b.freedoms - 1; i >= 0; --i) {
    y[i] = (b.t[i] - along(moved, b.z[i])) * b.d_inverse[i];
    for (int j = i + 1; j < b.freedoms; ++j) y[i] -= b.L[j][i] * y[j];
    b.dA += Twist<T>{y[i] * b.S[i].w, y[i] * b.S[i].v};
    b.vdot[i] += y[i];
  }
  b.A += b.dA;
}

}  // namespace

template <class T>
MultiplierWorkspace<T>::MultiplierWorkspace(const Model& model)
    : links(model.links.size()),
      kinematics(model),
      q(static_cast<std::size_t>(model.nq)),
      v(static_cast<std::size_t>(model.nv)),
      error(model.links.size()),
      error_rate(model.links.size()) {
  spoil<T>(links);
  links[0] = {};
}

template <class T>
void multiplier_rows(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                     const Kinematics<T>& kinematics, MultiplierWorkspace<T>& ws) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const Transform<T>&X = kinematics.X_WB[i], &X_WP = kinematics.X_WB[link.parent];
    const Twist<T>&V = kinematics.V_WB[i], &V_P = kinematics.V_WB[link.parent];
    MultiplierLink<T>& b = ws.links[i];
    set_inertia(params.links[i].I, X.R, V.w, params.gravity, b);
    const Mat3<T> R_WF = link.turned ? X_WP.R * params.links[i].R_PF : X_WP.R;
    const Twist<T> c = set_directions(model, params, i, q, v, R_WF, X.R, b);
    b.r = X.p - X_WP.p;
    const Vec3<T> v_J = V.v - V_P.v - cross(V_P.w, b.r);
    b.k = {cross(V_P.w, V.w - V_P.w) + c.w, cross(V_P.w, cross(V_P.w, b.r) + T(2) * v_J) + c.v};  // (3)
  }
}

template <class T>
void multiplier_factor(const Model& model, MultiplierWorkspace<T>& ws) {
  for (int i = model.nlink() - 1; i > 0; --i) {
    eliminate(ws.links[i]);
    if (model.links[i].parent != 0 && ws.links[i].freedoms < 6)
      add_to_parent(ws.links[i], ws.links[model.links[i].parent]);
  }
}

template <class T>
void multiplier_solve(const Model& model, const MultiplierLoad<T>& load, MultiplierWorkspace<T>& ws) {
  const auto k_of = [&](int i) -> Twist<T> {
    if (!load.k.empty()) return load.k[i];
    return load.own ? ws.links[i].k : Twist<T>{};
  };
  ws.links[0].A = {};
  ws.links[0].p = {};  // gathers what the figure does to the world
  for (int i = 1; i < model.nlink(); ++i) {
    Wrench<T>& p = ws.links[i].p;
    p = load.own ? ws.links[i].F_own : Wrench<T>{};
    if (!load.F_Bo_W.empty()) p += load.F_Bo_W[i];
  }
  for (int i = model.nlink() - 1; i > 0; --i)
    inward(load.tau.empty() ? nullptr : load.tau.data() + model.links[i].v, k_of(i), ws.links[i],
           ws.links[model.links[i].parent]);
  for (int i = 1; i < model.nlink(); ++i) outward(k_of(i), ws.links[model.links[i].parent], ws.links[i]);
}

template <class T>
void multiplier_refine(const Model& model, const Params<T>& params, const Kinematics<T>& kinematics,
                       const MultiplierLoad<T>& load, MultiplierWorkspace<T>& ws) {
  ws.links[0].dA = {};
  ws.links[0].F = {};  // gathers what the figure does to the world
  for (int i = 1; i < model.nlink(); ++i) {
    MultiplierLink<T>& b = ws.links[i];
    b.F = inertia_in_body(params.links[i].I, kinematics.X_WB[i].R, b.A);
    if (load.own) b.F -= b.F_own;
    if (!load.F_Bo_W.empty()) b.F -= load.F_Bo_W[i];
    b.p = {};
  }
  for (int i = model.nlink() - 1; i > 0; --i)
    inward_change(load.tau.empty() ? nullptr : load.tau.data() + model.links[i].v, ws.links[i],
                  ws.links[model.links[i].parent]);
  for (int i = 1; i < model.nlink(); ++i) outward_change(ws.links[model.links[i].parent], ws.links[i]);
}

template <class T>
void multipliers(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                 const Forces<T>& forces, MultiplierWorkspace<T>& ws, std::span<T> vdot) {
  forward_kinematics<T>(model, params, q, v, ws.kinematics);
  multiplier_rows<T>(model, params, q, v, ws.kinematics, ws);
  multiplier_factor<T>(model, ws);
  const MultiplierLoad<T> load{forces.tau, forces.F_Bo_W, true, {}};
  multiplier_solve<T>(model, load, ws);
  multiplier_refine<T>(model, params, ws.kinematics, load, ws);
  for (int i = 1; i < model.nlink(); ++i)
    std::copy_n(ws.links[i].vdot, ws.links[i].freedoms, vdot.begin() + model.links[i].v);
}

#define MAREY_INSTANTIATE(T)                                                                                         \
  template struct MultiplierWorkspace<T>;                                                                            \
  template void multiplier_rows<T>(const Model&, const Params<T>&, std::span<const T>, std::span<const T>,           \
                                   const Kinematics<T>&, MultiplierWorkspace<T>&);                                   \
  template void multiplier_factor<T>(const Model&, MultiplierWorkspace<T>&);                                         \
  template void multiplier_solve<T>(const Model&, const MultiplierLoad<T>&, MultiplierWorkspace<T>&);                \
  template void multiplier_refine<T>(const Model&, const Params<T>&, const Kinematics<T>&, const MultiplierLoad<T>&, \
                                     MultiplierWorkspace<T>&);                                                       \
  template void multipliers<T>(const Model&, const Params<T>&, std::span<const T>, std::span<const T>,               \
                               const Forces<T>&, MultiplierWorkspace<T>&, std::span<T>);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey
