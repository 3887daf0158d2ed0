// Exact first derivatives of inverse and forward dynamics.
//
// A derivative by q is taken in the tangent space: the configuration is moved by a small δ [nv] of the joints' freedoms,
// on the right, as advance() of integrate.h moves it by v dt. An angle or a displacement becomes q + δ; an attitude
// becomes R_FB exp(δ̃), δ in the axes of B; the place of a free or point joint becomes p_FoBo_F + δ. So all matrices are
// [nv × nv], no quaternion is differentiated, and along a motion d/dt f(q) = (∂f/∂q) v. v, v̇ and τ are held as numbers.
// Forces from outside are held as given: their moment and force keep the axes of W, and act on the moved Bo.
//
// For double alone, and joints of every kind. At a knot of a custom joint's table, where the third derivative of its
// functions jumps, the piece beyond it counts. No call allocates; results are views into the workspace and last until
// its next use.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "marey/dynamics.h"

namespace marey {

// Numbers that begin where a cache line begins.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64))); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
using AlignedNumbers = std::vector<double, LineAllocator<double>>;

// Rows of numbers, the next one `stride` further.
struct MatrixView {
  const double* data = nullptr;
  int rows = 0, columns = 0;
  std::ptrdiff_t stride = 0;
  double operator()(int i, int k) const { return data[i * stride + k]; }
};

// Up to three freedoms that turn about one point, or shift; a free joint is two of them, the shift before the turn. Of a
// general joint its first three freedoms, and the others.
struct FreedomGroup {
  int link = 0, parent = -1;  // the group next to the root, or −1
  int v = 0, count = 0;
  bool inner = false;  // the shift of a free joint
  bool rest = false;   // a general joint's freedoms after the third
};
// A freedom that carries another: its place in v and in the factors.
struct Ancestor {
  int v = 0, slot = 0;
};
// Numbers of one group, its freedoms in lanes 0–2 and once more in 4–6, the unused ones zero. Twists and wrenches about
// one point O that is fixed in W, in the axes of W; src/dynamics/derivatives.cpp says what they are.
struct alignas(64) GroupColumns {
  double S[6][4]{};
  double by[6][8]{};    // ζ, β
  double turn[3][8]{};  // η, S_ω
  double c[6][4]{}, d[3][4]{}, e[3][4]{}, uw[6][8]{};
};
// The same for forward dynamics, after the freedoms beyond are eliminated; src/dynamics/derivatives_forward.cpp.
struct alignas(64) ForwardColumns {
  double U[3][8]{}, G[3][8]{};     // of each freedom, six numbers
  double d[3][8]{};                // of each freedom, three by turning, three by forces from outside
  double D_inverse[3][4]{};        // of the group's block
  double p[6][8]{}, late[6][4]{};  // of each freedom, by q and by v; by q
};
struct alignas(64) Articulated {
  double A[6][8]{}, Z[6][8]{};
};
// Of a general joint: how its motions change with its coordinates, as seen from B; six numbers for each of its freedoms
// by each coordinate (lanes 0–2 and 4–6).
struct alignas(64) GeneralColumns {
  double S_by_q[most_freedoms][6][8]{};
  double own[most_freedoms][8]{};  // what that adds to ∂τ/∂q between its freedoms
};
struct DerivativeLink {
  Mat3<double> R_WB;
  Vec3<double> p;      // from O to Bo
  Twist<double> V, A;  // of the link; A less gravity
  Inertia<double> I;   // from here on of all that hangs on the link, itself included
  Sym3<double> J_rate;
  Vec3<double> k, l;  // angular and linear momentum
  Wrench<double> F;   // what the joint must provide
  Vec3<double> n, f;  // forces from outside: pure moments, forces
  Mat3<double> N;
};

struct DerivativesWorkspace {
  explicit DerivativesWorkspace(const Model&);
  AbaWorkspace<double> aba;
  std::vector<DerivativeLink> links;     // [nlink]
  std::vector<FreedomGroup> groups;      // parent before child
  std::vector<int> group_of;             // [nlink] the last group of the link, or the nearest towards the root, or −1
  std::vector<GroupColumns> columns;     // [groups]
  std::vector<GeneralColumns> general;   // [joints that are general]
  std::vector<int> path, path_start;     // of each group: itself and all on the way to the root, by v
  std::vector<Ancestor> ancestors;       // of each group: the freedoms of its path without its own
  std::vector<int> ancestors_start;      // [groups + 1]
  std::vector<ForwardColumns> forward;   // [groups]
  std::vector<Articulated> articulated;  // [nlink]
  AlignedNumbers L;                      // [4 groups × 4 groups] of the factors Lᵀ D L of M, without the diagonal
  AlignedNumbers X;          // [3][nv × section] ∂τ/∂(q, v, v̇), and in their place ∂v̇/∂(q, v, τ)
  std::vector<double> vdot;  // [nv]
  int section = 0;           // columns of one of X's matrices, room for whole registers
  bool solved = false;       // X holds what solve_columns() made
};

// ---- inverse dynamics
struct InverseDerivatives {
  MatrixView q, v, vdot;  // ∂τ/∂q, ∂τ/∂v, ∂τ/∂v̇ = M, each [nv × nv]
};
// Of τ = rnea(q, v, v̇, F_Bo_W).
InverseDerivatives rnea_derivatives(const Model&, const Params<double>&, std::span<const double> q,
                                    std::span<const double> v, std::span<const double> vdot,
                                    std::span<const Wrench<double>> F_Bo_W, DerivativesWorkspace&);

// ---- forward dynamics
struct ForwardDerivatives {
  std::span<const double> vdot;  // [nv]
  MatrixView q, v, tau;          // ∂v̇/∂q, ∂v̇/∂v, ∂v̇/∂τ = M⁻¹, each [nv × nv]
};
// Of v̇ = aba(q, v, forces). Where v̇ is known already it may be given, and aba() is not called again.
ForwardDerivatives aba_derivatives(const Model&, const Params<double>&, std::span<const double> q,
                                   std::span<const double> v, const Forces<double>&, DerivativesWorkspace&,
                                   std::span<const double> vdot = {});

// ---- by masses
// The ten numbers of a link's Inertia, in this order: m, h (x, y, z), J (xx, yy, zz, xy, xz, yz); J about Bo. Dynamics is
// linear in them; a body made heavier as it is moves along all ten in the proportion of their values.
inline constexpr int inertia_parameters = 10;
struct ParameterWorkspace {
  explicit ParameterWorkspace(const Model&);
  AlignedNumbers X;  // [nv × stride]
  int stride = 0;
};
// ∂τ/∂(parameters) [nv × 10 nlink], column 10 i + k for the k-th of link i; after rnea_derivatives() or
// aba_derivatives() with the same workspace.
MatrixView rnea_parameter_derivatives(const Model&, const DerivativesWorkspace&, ParameterWorkspace&);
// ∂v̇/∂(parameters) [nv × 10 nlink]; after aba_derivatives() with the same workspace.
MatrixView aba_parameter_derivatives(const Model&, const DerivativesWorkspace&, ParameterWorkspace&);

}  // namespace marey
