// Bodies and joints by a sparse LDLᵀ in Baraff's ordering.
//
// Source: D. Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996, §§ 6, 7 and the appendix.
//
// Symbols, all about a link's Bo and in the axes of W:
//   A⁰     acceleration (α, a of Bo) that a link would have if all v̇ were 0, less gravity
//   A      what it has beyond A⁰                       M     inertia of the link
//   S = U R, N   free and held directions of the joint: [U N] is orthogonal
//   X      carries A_P to Bo: (α_P, a_P + α_P × r)     λ     multipliers of the rows of the joint
// A link and the joint that hangs it on its parent:
//   M A − N λ + Σ_sons Xᵀ N λ_son = g                                                                                  (1)
//   −Nᵀ (A − X A_P) = 0                                                                                                (2)
//   g = F_outside + F_τ − Σ_sons Xᵀ F_τ,son − (M A⁰ + what ω asks for),   F_τ = U R⁻ᵀ τ                                (3)
// That is H x = (g, 0) with a symmetric H, H = L D Lᵀ. Its graph is a tree in which links and joints take turns. Sons
// before parents, each link's pivot D is positive, that of its joint −E negative, and nothing fills in:
//   D = M + Σ_sons Xᵀ N E⁻¹ Nᵀ X       E = Nᵀ D⁻¹ N                                                                    (4)
//   inward    y = g + Σ_sons Xᵀ N E⁻¹ y_J,     y_J = Nᵀ D⁻¹ y + (right-hand side of (2))                               (5)
//   outward   λ = E⁻¹ (Nᵀ X A_P − y_J),        A = D⁻¹ (y + N λ)                                                       (6)
//   v̇ = R⁻¹ Uᵀ (A − X A_P)                                                                                             (7)
// The answer is refined with the same factors by what is left of (1) and (2). There M A is taken in the axes of B, in
// which the inertia is given: turned into W, it has lost a slender body's small moment among the rounding of the large.
//
// Deviation from the print: two joints may meet in the world, which is no body here; roots' joints are the last pivots
// of their trees. About 2,500 flops a link and 400 a right-hand side.
#include "marey/dynamics/baraff.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/core.h"
#include "marey/model/general_motion.h"
#include "marey/shape.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
using Six = std::array<double, 6>;

constexpr int rounds = 2;                 // of refinement
constexpr double least_roundness = 1e-9;  // smallest over largest moment of inertia

// ---- six numbers, and up to six columns of them
Six six(const Vec& a, const Vec& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }
Vec upper(const Six& x) { return {x[0], x[1], x[2]}; }
Vec lower(const Six& x) { return {x[3], x[4], x[5]}; }
double dot(const Six& a, const Six& b) {
  double s = 0;
  for (int k = 0; k < 6; ++k) s += a[k] * b[k];
  return s;
}
void add(double s, const Six& a, Six& to) {
  for (int k = 0; k < 6; ++k) to[k] += s * a[k];
}
Six difference(const Six& a, const Six& b) {
  Six c = a;
  add(-1, b, c);
  return c;
}
Six carried(const Vec& r, const Six& A_P) { return six(upper(A_P), lower(A_P) + cross(upper(A_P), r)); }
Six to_parent(const Vec& r, const Six& F) { return six(upper(F) + cross(r, lower(F)), lower(F)); }

struct Columns {
  int count = 0;
  std::array<Six, 6> column;

  Six times(const Six& x) const {
    Six y{};
    for (int k = 0; k < count; ++k) add(x[k], column[k], y);
    return y;
  }
  Six transposed_times(const Six& x) const {
    Six y{};
    for (int k = 0; k < count; ++k) y[k] = dot(column[k], x);
    return y;
  }
};

// The factor C of a positive matrix C Cᵀ.
struct Cholesky {
  int n = 0;
  double C[6][6];

  void factor(int size, const std::array<Six, 6>& A) {
    n = size;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double s = A[i][j];
        for (int k = 0; k < j; ++k) s -= C[i][k] * C[j][k];
        C[i][j] = i == j ? std::sqrt(s) : s / C[j][j];
      }
  }
  Six half(Six x) const {  // C⁻¹ x
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= C[i][k] * x[k];
      x[i] /= C[i][i];
    }
    return x;
  }
  Six solve(const Six& b) const {
    Six x = half(b);
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) x[i] -= C[k][i] * x[k];
      x[i] /= C[i][i];
    }
    return x;
  }
};

// S = U R of a joint.
struct Directions {
  Columns U, N;
  double R[6][6];  // upper triangle

  // By Householder's reflections: H_f … H_1 S = R, and the columns of H_1 … H_f are U and N.
  void split(const JointMotions<double>& S, int freedoms) {
    std::array<Six, 6> a{}, reflector{};
    for (int k = 0; k < freedoms; ++k) a[k] = six(S[static_cast<std::size_t>(k)].w, S[static_cast<std::size_t>(k)].v);
    for (int k = 0; k < freedoms; ++k) {
      Six& u = reflector[k];
      for (int i = k; i < 6; ++i) u[i] = a[k][i];
      u[k] += std::copysign(std::sqrt(dot(u, u)), u[k]);
      for (int j = k; j < freedoms; ++j) reflect(u, a[j]);
      for (int j = 0; j <= k; ++j) R[j][k] = a[k][j];
    }
    U.count = freedoms, N.count = 6 - freedoms;
    for (int j = 0; j < 6; ++j) {
      Six e{};
      e[j] = 1;
      for (int k = freedoms - 1; k >= 0; --k) reflect(reflector[k], e);
      (j < freedoms ? U.column[j] : N.column[j - freedoms]) = e;
    }
  }
  Six wrench_of(const double* tau) const {  // U R⁻ᵀ τ
    Six x{};
    for (int i = 0; i < U.count; ++i) {
      x[i] = tau[i];
      for (int k = 0; k < i; ++k) x[i] -= R[k][i] * x[k];
      x[i] /= R[i][i];
    }
    return U.times(x);
  }
  void velocities_of(const Six& V, double* v) const {  // R⁻¹ Uᵀ V
    const Six x = U.transposed_times(V);
    for (int i = U.count - 1; i >= 0; --i) {
      v[i] = x[i];
      for (int k = i + 1; k < U.count; ++k) v[i] -= R[i][k] * v[k];
      v[i] /= R[i][i];
    }
  }

 private:
  static void reflect(const Six& u, Six& x) { add(-2 * dot(u, x) / dot(u, u), u, x); }
};

}  // namespace

struct BaraffWorkspace::Part {
  Vec r;  // p_PoBo_W
  Mat3<double> R_WB;
  Six A_0, asked;  // A⁰; M A⁰ + what ω asks for
  Directions joint;
  std::array<Six, 6> sum;  // the right-hand side of the first of (4)
  Cholesky D, E;
  Six g, F_tau;  // (3)
  Six y, y_J;    // right-hand sides, and what (5) makes of them
  Six A, lambda, dA, dlambda;
};

namespace {

using Part = BaraffWorkspace::Part;

// M A + what ω asks for, by way of the axes of B.
Six newton_euler(const Inertia<double>& I, const Mat3<double>& R_WB, const Six& A, const Vec& w_W = {}) {
  const Vec alpha = transpose_times(R_WB, upper(A)), a = transpose_times(R_WB, lower(A)),
            w = transpose_times(R_WB, w_W);
  const Vec n = I.J * alpha + cross(I.h, a) + cross(w, I.J * w);
  const Vec f = I.m * a + cross(alpha, I.h) + cross(w, cross(w, I.h));
  return six(R_WB * n, R_WB * f);
}

// The joint's directions, and A⁰ beyond its parent's.
Six look_at_joint(const Model& model, const Params<double>& params, std::span<const double> q,
                  std::span<const double> v, const Kinematics<double>& k, int i, Part& b) {
  const LinkTopology& link = model.links[i];
  JointMotions<double> S;
  const int freedoms = joint_motions(model, params, k, i, S);
  b.joint.split(S, freedoms);
  Twist<double> V_J{}, own{};
  for (int j = 0; j < freedoms; ++j) V_J += Twist<double>{v[link.v + j] * S[j].w, v[link.v + j] * S[j].v};
  if (link.general >= 0) {
    GeneralMotion<double> g;
    general_motion(model.general[link.general], params.general[link.general], q.data() + link.q, v.data() + link.v, g);
    own = {b.R_WB * g.w_bias, k.X_WB[link.parent].R * (params.links[i].R_PF * g.v_bias)};
  }
  const Vec& w_P = k.V_WB[link.parent].w;
  return six(cross(w_P, V_J.w) + own.w, cross(w_P, cross(w_P, b.r)) + 2.0 * cross(w_P, V_J.v) + own.v);
}

// (4): a link whose sons are done is factored, then its joint, and the parent gets its share.
void factor(Part& b, Part& parent) {
  const Columns& N = b.joint.N;
  b.D.factor(6, b.sum);
  std::array<Six, 6> half, E;
  for (int k = 0; k < N.count; ++k) half[k] = b.D.half(N.column[k]);
  for (int k = 0; k < N.count; ++k)
    for (int j = 0; j <= k; ++j) E[k][j] = dot(half[k], half[j]);
  b.E.factor(N.count, E);
  // Z = C⁻¹ Nᵀ X, of which Zᵀ Z is the share.
  std::array<Six, 6> Z{};
  for (int k = 0; k < N.count; ++k) Z[k] = to_parent(b.r, N.column[k]);
  for (int k = 0; k < N.count; ++k) {
    for (int j = 0; j < k; ++j) add(-b.E.C[k][j], Z[j], Z[k]);
    for (double& z : Z[k]) z /= b.E.C[k][k];
  }
  for (int k = 0; k < N.count; ++k)
    for (int i = 0; i < 6; ++i) add(Z[k][i], Z[k], parent.sum[i]);
}

// (5)(6) with y and y_J as right-hand sides, into dA and dλ. The world, part 0, gathers what reaches it, and stays.
void substitute(const Model& model, Part* parts) {
  for (int i = model.nlink() - 1; i > 0; --i) {
    Part &b = parts[i], &parent = parts[model.links[i].parent];
    add(1, b.joint.N.transposed_times(b.D.solve(b.y)), b.y_J);
    add(1, to_parent(b.r, b.joint.N.times(b.E.solve(b.y_J))), parent.y);
  }
  parts[0].dA = {};
  for (int i = 1; i < model.nlink(); ++i) {
    Part& b = parts[i];
    const Six A_P = carried(b.r, parts[model.links[i].parent].dA);
    b.dlambda = b.E.solve(difference(b.joint.N.transposed_times(A_P), b.y_J));
    add(1, b.joint.N.times(b.dlambda), b.y);
    b.dA = b.D.solve(b.y);
  }
}

// (3)
void load(const Model& model, const Forces<double>& forces, bool own, Part* parts) {
  parts[0].g = {};
  for (int i = 1; i < model.nlink(); ++i) {
    Part& b = parts[i];
    b.g = b.F_tau = {};
    if (own) add(-1, b.asked, b.g);
    if (!forces.F_Bo_W.empty()) add(1, six(forces.F_Bo_W[i].n, forces.F_Bo_W[i].f), b.g);
    if (!forces.tau.empty()) b.F_tau = b.joint.wrench_of(forces.tau.data() + model.links[i].v);
    add(1, b.F_tau, b.g);
    add(-1, to_parent(b.r, b.F_tau), parts[model.links[i].parent].g);
  }
}

// What A and λ leave of (1) and (2), as the next right-hand sides.
void residual(const Model& model, const Params<double>& params, Part* parts) {
  parts[0].y = {};
  for (int i = 1; i < model.nlink(); ++i) {
    Part &b = parts[i], &parent = parts[model.links[i].parent];
    const Six F = b.joint.N.times(b.lambda);
    b.y = difference(b.g, newton_euler(params.links[i].I, b.R_WB, b.A));
    add(1, F, b.y);
    add(-1, to_parent(b.r, F), parent.y);
    b.y_J = b.joint.N.transposed_times(difference(b.A, carried(b.r, parent.A)));
  }
}

}  // namespace

int link_without_inertia(const Model& model) {
  for (int i = 1; i < model.nlink(); ++i) {
    const Inertia<double>& I = model.params.links[i].I;
    if (!(I.m > 0)) return i;
    const Vec p = principal_axes(I).moments;
    if (!(std::min({p.x, p.y, p.z}) > least_roundness * std::max({p.x, p.y, p.z}))) return i;
  }
  return 0;
}

std::string baraff_refusal(const Model& model) {
  const int link = link_without_inertia(model);
  if (link == 0) return {};
  return "Baraff's ordering asks every link for mass and moments of inertia of its own, which '" + model.names[link] +
         "' has not: use dynamics: multipliers, which takes link and joint together";
}

BaraffWorkspace::BaraffWorkspace(const Model& model)
    : A(model.links.size()), F(model.links.size()), parts(new Part[model.links.size()]()), kinematics(model) {
  if (const std::string why = baraff_refusal(model); !why.empty()) throw Error(ErrorKind::bad_input, why);
}
BaraffWorkspace::~BaraffWorkspace() = default;
BaraffWorkspace::BaraffWorkspace(BaraffWorkspace&&) noexcept = default;

void baraff_factor(const Model& model, const Params<double>& params, std::span<const double> q,
                   std::span<const double> v, BaraffWorkspace& ws) {
  const Kinematics<double>& k = ws.kinematics;
  forward_kinematics<double>(model, params, q, v, ws.kinematics);
  ws.parts[0] = {};
  ws.parts[0].A_0 = six(Vec{}, -params.gravity);
  for (int i = 1; i < model.nlink(); ++i) {
    Part& b = ws.parts[i];
    const int parent = model.links[i].parent;
    const Inertia<double>& I = params.links[i].I;
    b.R_WB = k.X_WB[i].R, b.r = k.X_WB[i].p - k.X_WB[parent].p;
    b.A_0 = carried(b.r, ws.parts[parent].A_0);
    add(1, look_at_joint(model, params, q, v, k, i, b), b.A_0);
    b.asked = newton_euler(I, b.R_WB, b.A_0, k.V_WB[i].w);
    for (int j = 0; j < 6; ++j) {
      Six e{};
      e[j] = 1;
      b.sum[j] = newton_euler(I, b.R_WB, e);
    }
  }
  for (int i = model.nlink() - 1; i > 0; --i) factor(ws.parts[i], ws.parts[model.links[i].parent]);
}

void baraff_solve(const Model& model, const Params<double>& params, const Forces<double>& forces, bool own,
                  BaraffWorkspace& ws, std::span<double> vdot) {
  Part* parts = ws.parts.get();
  load(model, forces, own, parts);
  for (int i = 0; i < model.nlink(); ++i) parts[i].A = parts[i].lambda = {};
  for (int round = 0; round <= rounds; ++round) {
    residual(model, params, parts);
    substitute(model, parts);
    for (int i = 1; i < model.nlink(); ++i) add(1, parts[i].dA, parts[i].A), add(1, parts[i].dlambda, parts[i].lambda);
  }
  ws.A[0] = {};
  for (int i = 1; i < model.nlink(); ++i) {
    const Part &b = parts[i], &parent = parts[model.links[i].parent];
    b.joint.velocities_of(difference(b.A, carried(b.r, parent.A)), vdot.data() + model.links[i].v);  // (7)
    Six A = b.A, F = b.F_tau;
    if (own) add(1, difference(b.A_0, parts[0].A_0), A);
    add(1, b.joint.N.times(b.lambda), F);
    ws.A[i] = {upper(A), lower(A)}, ws.F[i] = {upper(F), lower(F)};
  }
}

void baraff(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
            const Forces<double>& forces, BaraffWorkspace& ws, std::span<double> vdot) {
  baraff_factor(model, params, q, v, ws);
  baraff_solve(model, params, forces, true, ws, vdot);
}

}  // namespace marey
