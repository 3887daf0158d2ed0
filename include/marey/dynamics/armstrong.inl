// Armstrong's recursion: forward dynamics of a tree of links on ball joints in linear time.
//
// Source: Armstrong & Green 1985, §§2–4, equations (1)–(31). Symbols and frames (r: link, s: its sons; all components
// in the link's own frame unless said):
//   R    R^r, link to parent                     l        hinge of the link in the parent, in the parent's frame
//   ω ω̇  angular velocity, acceleration          m c, J   first moment h; inertia about the hinge
//   a    acceleration of the hinge               g_E f_E  torque and force from outside at the hinge
//   f    force the link exerts on its parent
//
//   ω̇ = K a + d                                   (7)    f = M a + f′                                     (8)
// Slow band, inward:
//   a_c = ω_p × (ω_p × l)                        (15)    Q = R M Rᵀ                                      (16)
//   W = l̃ Q                                      (17)    T = (J + Σ W l̃)⁻¹                               (18)
//   K = T B, B = Σ W − m c̃                       (19)    M = Σ Q − m 1 + Bᵀ K                            (20)
//   g₁ = −ω × J ω                                (21)    f_Σ = −ω × (ω × m c)                            (22)
// Fast band, inward:
//   g = g₁ + τ + Σ R g^s + R_Iᵀ g_E              (23)    d = T (g + Σ l × φ)                             (24)
//   φ = R f′ + Q a_c of each son                 (26)    f′ = f_Σ + R_Iᵀ f_E + Σ φ + Kᵀ (g + Σ l × φ)    (25)
// Fast band, outward:
//   a of a free root = −M⁻¹ f′                   (27)    a = Rᵀ (a_c + a_p − l × ω̇_p)                    (29)
//   ω̇ = K a + d                              (28)(30)
//
// What differs from the print:
//  - (20): Σ Q (1 − l̃ K) + m c̃ K = Σ Q + Bᵀ K, because Bᵀ = m c̃ − Σ Q l̃; so M is symmetric and six entries do.
//  - (25): m c × d − Σ Q (l × d) = Bᵀ d = Bᵀ T (…) = Kᵀ (…), one product for two.
//  - (21)(22): gravity is carried as an upward acceleration of the world: a here is a − a_G throughout (5), f is not
//    changed by it. Forces from outside stand in the fast band: with ν > 1 a spike would else last too long or be lost.
//  - (21): the printed R_I g_E must be R_Iᵀ g_E.
//  - τ = −g^r is what the parent does to the link; the result is turned into v̇ of model.h:
//    ω = Rᵀ ω_p + w_J  ⇒  ẇ_J = ω̇ − Rᵀ ω̇_p + w_J × Rᵀ ω_p.
// Cost per link: about 290 multiplications, 250 additions, one reciprocal (and one for the quaternion).
//
// The kernels below are templates on the scalar and on a Store, which says where topology, parameters and coefficients
// live: in a Model and vectors (here), or in registers with a tree known at compile time (on a GPU).
#pragma once

#include <utility>

#include "marey/dynamics.h"
#include "marey/dynamics/joint.h"

namespace marey::armstrong_kernel {

// Where the host keeps things. Every Store has these members.
template <class T>
struct HostStore {
  const LinkTopology* topology;
  const LinkParams<T>* params_;
  ArmstrongLink<T>* links;
  int n;

  static constexpr bool fixed =
      false;  // true: the number of links is known at compile time, loops become straight lines
  static constexpr bool unit = false;     // true: quaternions are of unit length, to round-off
  static constexpr bool forgets = false;  // true: rotations are worked out anew in every pass, to save registers
  MAREY_KERNEL int nlink() const { return n; }
  MAREY_KERNEL int parent(int i) const { return topology[i].parent; }
  MAREY_KERNEL JointType joint(int i) const { return topology[i].joint; }
  MAREY_KERNEL bool turned(int i) const { return topology[i].turned; }
  MAREY_KERNEL bool leaf(int i) const { return topology[i].leaf; }
  MAREY_KERNEL bool opens(int i) const { return topology[i].opens; }
  MAREY_KERNEL int q(int i) const { return topology[i].q; }
  MAREY_KERNEL int v(int i) const { return topology[i].v; }
  MAREY_KERNEL const LinkParams<T>& params(int i) const { return params_[i]; }
  MAREY_KERNEL ArmstrongLink<T>& link(int i) const { return links[i]; }
};

// The world: at rest, accelerated upwards in place of gravity.
template <class T, class Store>
MAREY_KERNEL void world(const Store& store, const Vec3<T>& gravity) {
  ArmstrongLink<T>& w = store.link(0);
  w.w = {};
  w.w_dot = {};
  w.a = -gravity;
  w.R_I = Mat3<T>::identity();
}

// Sums over the sons start from the link's own terms.
template <class T>
struct SlowSums {
  Sym3<T> J;
  Mat3<T> B;
  Sym3<T> Q;
};
template <class T>
MAREY_KERNEL SlowSums<T> own_terms(const Inertia<T>& I) {
  return {I.J,
          {T(0), I.h.z, -I.h.y, -I.h.z, T(0), I.h.x, I.h.y, -I.h.x, T(0)},  // −m c̃
          Sym3<T>::diagonal(-I.m, -I.m, -I.m)};
}

// Rotation and angular velocity of a link whose parent is done.
template <class T, class Store, class Array>
MAREY_KERNEL void turn_link(const Store& store, int i, const Array& q, const Array& v) {
  ArmstrongLink<T>& r = store.link(i);
  const ArmstrongLink<T>& p = store.link(store.parent(i));
  const LinkParams<T>& params = store.params(i);
  if (store.joint(i) == JointType::weld) {
    r.R = params.R_PF;
    r.w_J = r.w_P = r.w = r.a_c = {};
    return;
  }
  const Quaternion<T> turn = read_quaternion<T>(q, store.q(i));
  const Mat3<T> R_FB = Store::unit ? rotation_of_unit(turn) : rotation(turn);
  r.R = store.turned(i) ? params.R_PF * R_FB : R_FB;
  r.w_J = read_vec3<T>(v, store.v(i));
  if (store.parent(i) == 0) {
    r.w = r.w_J;
    r.w_P = r.a_c = {};
    return;
  }
  r.w_P = transpose_times(r.R, p.w);
  r.w = r.w_P + r.w_J;
  r.a_c = cross(p.w, cross(p.w, params.l));  // (15)
}

// (18)(19)(20)
template <class T>
MAREY_KERNEL void respond(const SlowSums<T>& sums, ArmstrongBand<T>& b) {
  b.T_r = inverse(sums.J);
  b.K = b.T_r * sums.B;
  b.M = sums.Q + symmetric_transpose_times(sums.B, b.K);
}

// Slow band of one link whose sons are done. (Branches, not conditional expressions: those would copy the sums.)
template <class T, class Store>
MAREY_KERNEL void slow(const Store& store, int i, ArmstrongBand<T>& b) {
  ArmstrongLink<T>& r = store.link(i);
  const LinkParams<T>& params = store.params(i);
  if (store.leaf(i))
    respond(own_terms(params.I), b);
  else
    respond(SlowSums<T>{r.J_sum, r.B_sum, r.Q_sum}, b);
  b.g_1 = -cross(r.w, params.I.J * r.w);            // (21)
  b.f_sigma = -cross(r.w, cross(r.w, params.I.h));  // (22)
  const int parent = store.parent(i);
  if (parent == 0) return;
  ArmstrongLink<T>& p = store.link(parent);
  b.Q = congruence(r.R, b.M);                    // (16)
  const Mat3<T> W = tilde_times(params.l, b.Q);  // (17)
  const Sym3<T> Wl = symmetric_times_tilde(W, params.l);
  if (store.opens(i)) {
    const SlowSums<T> own = own_terms(store.params(parent).I);
    p.J_sum = own.J + Wl;
    p.B_sum = own.B + W;
    p.Q_sum = own.Q + b.Q;
  } else {
    p.J_sum += Wl;
    p.B_sum += W;
    p.Q_sum += b.Q;
  }
}

// Fast band of one link whose sons are done; the joint's own forces are read where `with_tau`.
template <class T, class Store, class Array>
MAREY_KERNEL void fast_inward(const Store& store, int i, const ArmstrongBand<T>& b, bool with_tau, const Array& tau,
                              const Wrench<T>* outside) {
  ArmstrongLink<T>& r = store.link(i);
  const bool is_free = store.joint(i) == JointType::free;
  const Vec3<T> torque = with_tau ? read_vec3<T>(tau, store.v(i)) : Vec3<T>{};
  Vec3<T> g = b.g_1 + torque, f = b.f_sigma;  // (23)
  if (!store.leaf(i)) {
    g += r.g_sum;
    f += r.f_sum;
  }
  if (outside) {
    g += transpose_times(r.R_I, outside->n);
    f += transpose_times(r.R_I, outside->f);
  }
  if (is_free && with_tau) {  // a force on a free root's own coordinates, in F
    const Vec3<T> force_F = read_vec3<T>(tau, store.v(i) + 3);
    f += transpose_times(r.R, store.turned(i) ? store.params(i).R_PF * force_F : force_F);
  }
  r.d = b.T_r * g;                      // (24)
  r.f_1 = f + transpose_times(b.K, g);  // (25)
  const int parent = store.parent(i);
  if (parent == 0) return;
  ArmstrongLink<T>& p = store.link(parent);
  const Vec3<T> phi = r.R * r.f_1 + b.Q * r.a_c;  // (26)
  Vec3<T> moment = cross(store.params(i).l, phi);
  if (with_tau) moment -= r.R * torque;  // R g^s, with g^s = −τ
  if (store.opens(i)) {
    p.f_sum = phi;
    p.g_sum = moment;
  } else {
    p.f_sum += phi;
    p.g_sum += moment;
  }
}

// Accelerations of one link whose parent is done; its v̇ goes to use(i, ẇ_J) or, for a free root, use(i, ẇ_J, v̇_F).
template <class T, class Store, class Use>
MAREY_KERNEL void fast_outward(const Store& store, int i, const Vec3<T>& gravity, Use& use) {
  ArmstrongLink<T>& r = store.link(i);
  const ArmstrongLink<T>& p = store.link(store.parent(i));
  const LinkParams<T>& params = store.params(i);
  if (store.joint(i) == JointType::weld) {
    r.a = transpose_times(r.R, p.a);
    r.w_dot = {};
    return;
  }
  if (store.joint(i) == JointType::free) {
    r.a = -(inverse(r.band.M) * r.f_1);  // (27)
    r.w_dot = r.band.K * r.a + r.d;      // (28)
    const Vec3<T> a_P = r.R * r.a + gravity;
    return use(i, r.w_dot, store.turned(i) ? transpose_times(params.R_PF, a_P) : a_P);
  }
  r.a = transpose_times(r.R, r.a_c + p.a - cross(params.l, p.w_dot));  // (29)
  r.w_dot = r.band.K * r.a + r.d;                                      // (30)
  if (store.parent(i) == 0) return use(i, r.w_dot);
  use(i, r.w_dot - transpose_times(r.R, p.w_dot) + cross(r.w_J, r.w_P));
}

template <class T, class Store>
MAREY_KERNEL void outside_rotation(const Store& store, int i) {
  ArmstrongLink<T>& r = store.link(i);
  r.R_I = store.parent(i) == 0 ? r.R : store.link(store.parent(i)).R_I * r.R;
}

// f(i) for every link, parents first.
template <class Store, class F>
MAREY_KERNEL void outward(const Store& store, F&& f) {
#ifndef __CUDA_ARCH__
  if constexpr (Store::fixed) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f(I + 1), ...); }
    (std::make_integer_sequence<int, Store::nlink() - 1>{});
    return;
  }
#endif
  MAREY_UNROLL
  for (int i = 1; i < store.nlink(); ++i) f(i);
}
// f(i) for every link, sons first.
template <class Store, class F>
MAREY_KERNEL void inward(const Store& store, F&& f) {
  const int last = store.nlink() - 1;
  outward(store, [&](int i) MAREY_ALWAYS { f(last + 1 - i); });
}

// What a Store that forgets has to know again about link i in a later pass; its parent's ω is kept.
template <class T, class Store, class Array>
MAREY_KERNEL void recall(const Store& store, int i, const Array& q, const Array& v) {
  if constexpr (Store::forgets) {
    const Vec3<T> w = store.link(i).w;
    turn_link<T>(store, i, q, v);
    store.link(i).w = w;
  }
}

// Both bands at once. `outside` [nlink] may be null; `use` as for fast_outward.
template <class T, class Store, class Array, class Use>
MAREY_KERNEL void solve(const Store& store, const Vec3<T>& gravity, const Array& q, const Array& v, bool with_tau,
                        const Array& tau, const Wrench<T>* outside, Use&& use) {
  world(store, gravity);
  outward(store, [&](int i) MAREY_ALWAYS {
    turn_link<T>(store, i, q, v);
    if (outside) outside_rotation<T>(store, i);
  });
  if constexpr (Store::forgets) store.between_passes();
  inward(store, [&](int i) MAREY_ALWAYS {
    if (store.joint(i) == JointType::weld) return;
    recall<T>(store, i, q, v);
    ArmstrongBand<T> band;
    slow<T>(store, i, band);
    fast_inward<T>(store, i, band, with_tau, tau, outside ? outside + i : nullptr);
    store.link(i).band.K = band.K;
    if (store.joint(i) == JointType::free) store.link(i).band.M = band.M;
  });
  if constexpr (Store::forgets) store.between_passes();
  outward(store, [&](int i) MAREY_ALWAYS {
    recall<T>(store, i, q, v);
    fast_outward<T>(store, i, gravity, use);
  });
}

}  // namespace marey::armstrong_kernel
