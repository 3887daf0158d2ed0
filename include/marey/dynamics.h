// Solvers: free functions over a const model, one algorithm per file in src/dynamics.
//
// All take the coordinates q and velocities v of model.h and the forces below; forward dynamics returns v̇,
// inverse dynamics returns τ. They are instantiated for every scalar type of scalar/instantiate.h, except `dense`
// (double only). Workspaces are made once per model and reused; no call allocates.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "marey/model.h"

namespace marey {

enum class Dynamics { armstrong, aba, crba, dense, multipliers };
const char* name_of(Dynamics);

// What acts on a figure besides gravity. Either span may be empty: nothing of that kind.
template <class T>
struct Forces {
  std::span<const T> tau;             // [nv] joint forces, dual to v
  std::span<const Wrench<T>> F_Bo_W;  // [nlink] external, about Bo in the axes of W; entry 0 is unused
};

// ---- kinematics
// S: what each velocity of a joint gives to the link's angular velocity and to the velocity of Bo, relative to the parent.
template <class T>
using JointMotions = std::array<Twist<T>, most_freedoms>;

template <class T>
struct Kinematics {
  explicit Kinematics(const Model&);
  std::vector<Transform<T>> X_WB;  // [nlink] pose; by forward_kinematics
  std::vector<Twist<T>> V_WB;  // [nlink] angular velocity and velocity of Bo, in the axes of W; by forward_kinematics
  std::vector<JointMotions<T>> general;  // [general joints] S, in the axes of W; by forward_kinematics
};
template <class T>
void forward_kinematics(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, Kinematics<T>&);

// S of a link's joint, in the axes of W; returns how many there are. Shifted to any point of the subtree, they are the
// columns of its Jacobian.
int joint_motions(const Model&, const Params<double>&, const Kinematics<double>&, int link, JointMotions<double>&);

// Energies and momenta of all links together.
template <class T>
struct Totals {
  T kinetic{}, gravity_potential{};
  Wrench<T> momentum;  // n: angular momentum about Wo, f: linear momentum, in W
  T mass{};
  Vec3<T> first_moment;  // Σ m p_WoBcm_W
};
template <class T>
Totals<T> totals(const Model&, const Params<T>&, const Kinematics<T>&);

// ---- armstrong
// Whether every joint is one that Armstrong's recursion knows: ball joints, and roots that are free, on a ball or
// welded.
bool armstrong_applies(const Model&);

// One link's part of the recursion; symbols as in A (1)–(31), components in the link's own frame unless stated
// otherwise.
template <class T>
struct ArmstrongBand {
  Sym3<T> T_r;      // (18)
  Mat3<T> K;        // (19)
  Sym3<T> M;        // (20)
  Sym3<T> Q;        // (16), in the parent
  Vec3<T> g_1;      // (21)
  Vec3<T> f_sigma;  // (22)
};
template <class T>
struct ArmstrongLink {
  // kinematics of the slow band
  Mat3<T> R;    // R^r: link to parent
  Vec3<T> w;    // ω^r
  Vec3<T> w_P;  // ω of the parent
  Vec3<T> w_J;  // angular velocity relative to the parent
  Vec3<T> a_c;  // (15), in the parent
  // slow band; armstrong() keeps only K, and M of a free root
  ArmstrongBand<T> band;
  // fast band
  Vec3<T> d;         // (24)
  Vec3<T> f_1;       // f′ (25)
  Vec3<T> a, w_dot;  // (29)(30); a without gravity: a − a_G
  // sums over the child links, in this link, with the link's own terms; begun by the first child on the way inward
  Sym3<T> J_sum;         // J + Σ W l̃
  Mat3<T> B_sum;         // Σ W − m c̃
  Sym3<T> Q_sum;         // Σ Q − m 1
  Vec3<T> g_sum, f_sum;  // Σ (l × φ + R g^s), Σ φ
  Mat3<T> R_I;           // link to world; only kept where external forces act
};

// The recursion's coefficients. With a slow band of ν > 1 they outlive the step and belong to the state of a run.
template <class T>
struct ArmstrongWorkspace {
  explicit ArmstrongWorkspace(const Model&);
  std::vector<ArmstrongLink<T>> links;  // [nlink]
};
// Forward dynamics, both bands.
template <class T>
void armstrong(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, const Forces<T>&,
               ArmstrongWorkspace<T>&, std::span<T> vdot);
// The bands separately. `armstrong_kinematics` takes the snapshot of q and v that the slow band works on; the slow band
// may be done in pieces, links `from` down to `to` (both included), the piece that ends with link 1 last.
template <class T>
void armstrong_kinematics(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v,
                          ArmstrongWorkspace<T>&);
template <class T>
void armstrong_slow_band(const Model&, const Params<T>&, int from, int to, ArmstrongWorkspace<T>&);
template <class T>
void armstrong_fast_band(const Model&, const Params<T>&, const Forces<T>&, ArmstrongWorkspace<T>&, std::span<T> vdot);
// f^r = M a + f′ (31): the force link r exerts on its parent at its hinge, in the link's frame; after armstrong().
template <class T>
Vec3<T> armstrong_hinge_force(const ArmstrongWorkspace<T>&, int link);

// ---- rnea
// Per link: motion and the wrench through its joint.
template <class T>
struct RneaLink {
  Mat3<T> R;      // R_PB
  Vec3<T> r;      // p_PoBo_P
  Mat3<T> R_FB;   // free joints
  Mat3<T> R_WB;   // only where forces from outside act
  Vec3<T> w;      // angular velocity, in B
  Vec3<T> w_dot;  // angular acceleration, in B
  Vec3<T> a;      // acceleration of Bo less gravity, in B
  Wrench<T> F;    // on B by its parent through the joint, about Bo in B
};
template <class T>
struct RneaWorkspace {
  explicit RneaWorkspace(const Model&);
  std::vector<RneaLink<T>> links;
  std::vector<JointMotions<T>> general;  // [general joints] S, in B
};
// Inverse dynamics: the joint forces for given accelerations. F_Bo_W of the workspace's links holds the joint wrenches.
template <class T>
void rnea(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, std::span<const T> vdot,
          std::span<const Wrench<T>> F_Bo_W, RneaWorkspace<T>&, std::span<T> tau);

// ---- aba
template <class T>
struct AbaLink {
  Mat3<T> R;         // R_PB
  Mat3<T> R_FB;      // free joints
  Mat3<T> R_WB;      // only where forces from outside act
  Vec3<T> r;         // p_PoBo_P
  Vec3<T> w;         // angular velocity, in B
  Vec3<T> c_w, c_v;  // the acceleration of B beyond that due to its parent and v̇: angular, linear; in B
  Sym3<T> J, M;      // articulated inertia [[J, H], [Hᵀ, M]] about Bo, in B
  Mat3<T> H;
  Wrench<T> p;         // articulated bias
  Mat3<T> K;           // ball, free: J⁻¹ H; point: H M⁻¹
  Sym3<T> J_inverse;   // ball, free
  Vec3<T> U_w, U_v;    // hinge, slider
  T D_inverse{}, u{};  // hinge, slider
  Vec3<T> u3;          // ball, free: J⁻¹ (τ − p.n); point: M⁻¹ (τ − p.f)
  Vec3<T> w_dot, a;    // accelerations, in B; a less gravity
};
// A general joint: its motions S and the factors D = Sᵀ I S = L diag(d) Lᵀ, without pivoting.
template <class T>
struct AbaGeneral {
  JointMotions<T> S;                             // in B
  std::array<Wrench<T>, most_freedoms> Y;        // L⁻¹ (I S)ᵀ
  T L[most_freedoms][most_freedoms];             // below the diagonal
  T d_inverse[most_freedoms], z[most_freedoms];  // z = L⁻¹ u
};
template <class T>
struct AbaWorkspace {
  explicit AbaWorkspace(const Model&);
  std::vector<AbaLink<T>> links;
  std::vector<AbaGeneral<T>> general;  // [general joints]
};
template <class T>
void aba(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, const Forces<T>&, AbaWorkspace<T>&,
         std::span<T> vdot);

// ---- crba
template <class T>
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model&);
  RneaWorkspace<T> rnea;
  std::vector<Inertia<T>> composite;  // [nlink] of the subtree, about Bo in B; by mass_matrix
  std::vector<T> M;                 // [nv × nv] row-major; lower triangle; by mass_matrix, overwritten by ltdl_factor
  std::vector<T> bias;              // [nv]
  std::vector<int> parent_freedom;  // [nv] the next velocity towards the root, −1 at a root
};
// Joint-space inertia; the lower triangle of workspace.M, rows and columns of unrelated branches zero.
template <class T>
void mass_matrix(const Model&, const Params<T>&, std::span<const T> q, CrbaWorkspace<T>&);
// M = Lᵀ D L in place, without fill-in along the tree; then M x = b is solved in place.
template <class T>
void ltdl_factor(const Model&, CrbaWorkspace<T>&);
template <class T>
void ltdl_solve(const Model&, const CrbaWorkspace<T>&, std::span<T> x);
// Forward dynamics: M v̇ = τ − b.
template <class T>
void crba(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, const Forces<T>&,
          CrbaWorkspace<T>&, std::span<T> vdot);

// ---- dense
// Reference in maximal coordinates: every link a free body, every joint a set of constraint rows, one dense system with
// multipliers. Cubic in the number of links, allocates, and shares nothing with the recursions.
void dense(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
           const Forces<double>&, std::span<double> vdot);

}  // namespace marey
