// Mixed problems: some accelerations given, of the other freedoms the forces.
//
// Featherstone 2008, §9.1–9.2, for any choice of freedoms, also within one joint. Twists and wrenches about a point O at
// rest (where the root's Bo is at this instant) in the axes of W, as in derivatives.cpp; a = freedoms with given force,
// g = freedoms with given acceleration, V = V_P + S v.
//   outward   c = Ṡ v + S_g v̇_g        p = V ×* I V − F_E                                                         (1)
//   inward    U = I_A S_a   D = S_aᵀ U   u = τ_a − S_aᵀ p_A                                                       (2)
//             I_P += I_A − U D⁻¹ Uᵀ =: I_P + I′     p_P += p_A + I′ c + U D⁻¹ u                                   (3)
//   outward   A′ = A_P + c   v̇_a = D⁻¹ (u − Uᵀ A′)   A = A′ + S_a v̇_a   τ_g = S_gᵀ (I_A A + p_A)                 (4)
// D is factored as LDLᵀ without pivoting; it is positive definite as M is.
#include <algorithm>

#include "marey/dynamics/inverse.h"
#include "marey/dynamics/joint.h"

namespace marey {

HybridWorkspace::HybridWorkspace(const Model& model) : links(model.links.size()) { spoil<double>(links); }

namespace {

using Vec = Vec3<double>;
using Six = double[6];

Twist<double> cross_twist(const Twist<double>& a, const Twist<double>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}
void put(const Twist<double>& a, double (&to)[6]) { store_vec3(to, a.w), store_vec3(to + 3, a.v); }
double inner(const Six& a, const Six& b) {
  double s = 0;
  for (int k = 0; k < 6; ++k) s += a[k] * b[k];
  return s;
}

// Columns of the joint in W about O, and Ṡ v; a free joint is a shift and then a turn.
template <class Joint>
void move_link(Joint joint, const LinkTopology& link, const LinkParams<double>& params, const double* q,
               const double* v, const HybridLink& P, HybridLink& b) {
  const JointMotion<double> m = joint_motion(joint, link, params, q, v);
  b.R_WB = P.R_WB * m.R;
  b.p = link.parent == 0 ? Vec{} : P.p + P.R_WB * m.r;
  b.V = P.V, b.c = {};
  const auto column = [](const Mat3<double>& R, int k) { return Vec{R(0, k), R(1, k), R(2, k)}; };
  const auto go = [&](const Twist<double>& Sv) { b.c += cross_twist(b.V, Sv), b.V += Sv; };
  if constexpr (Joint::shifts) {
    const Mat3<double> R_WF = P.R_WB * params.R_PF;
    if constexpr (Joint::value == JointType::slider)
      b.S[0] = {{}, R_WF * params.axis};
    else
      for (int k = 0; k < 3; ++k) b.S[k + (Joint::turns ? 3 : 0)] = {{}, column(R_WF, k)};
    go({{}, P.R_WB * m.v_J});
  }
  if constexpr (Joint::turns) {
    const auto about = [&](const Vec& w) { return Twist<double>{w, cross(b.p, w)}; };
    if constexpr (Joint::value == JointType::hinge)
      b.S[0] = about(b.R_WB * params.axis);
    else
      for (int k = 0; k < 3; ++k) b.S[k] = about(column(b.R_WB, k));
    go(about(b.R_WB * m.w_J));
  }
}

// A general joint's S changes as seen from F, too. With p from O to Bo, w = w_FB and its rate ẇ, v_J and its rate in F:
//   Ṡ v = V_P × S v + (ẇ, v̇_J + v_J × w + p × ẇ)                                                                 (5)
void move_general(const Model& model, const Params<double>& params, int i, const double* q, const double* v,
                  const HybridLink& P, HybridLink& b) {
  const LinkTopology& link = model.links[i];
  GeneralMotion<double> g;
  const JointMotion<double> m = general_joint_motion(model, params, i, q, v, g);
  b.R_WB = P.R_WB * m.R;
  b.p = link.parent == 0 ? Vec{} : P.p + P.R_WB * m.r;
  Twist<double> Sv;
  for (int k = 0; k < freedom_count(link); ++k) {
    const Vec w = b.R_WB * g.S[static_cast<std::size_t>(k)].w;
    b.S[k] = {w, b.R_WB * g.S[static_cast<std::size_t>(k)].v + cross(b.p, w)};
    Sv += Twist<double>{v[link.v + k] * b.S[k].w, v[link.v + k] * b.S[k].v};
  }
  const Vec w = b.R_WB * g.w_J, w_dot = b.R_WB * g.w_bias, v_J = P.R_WB * m.v_J;
  const Vec v_dot = P.R_WB * in_parent(link, params.links[i], g.v_bias);
  b.c = cross_twist(P.V, Sv) + Twist<double>{w_dot, v_dot + cross(v_J, w) + cross(b.p, w_dot)};
  b.V = P.V + Sv;
}

// (1) and the link's own inertia.
void start_link(const LinkParams<double>& params, const Wrench<double>* F_Bo_W, HybridLink& b) {
  const Inertia<double> I = Transform<double>{b.R_WB, b.p} * params.I;
  const Wrench<double> L = I * b.V;
  Wrench<double> F{cross(b.V.w, L.n) + cross(b.V.v, L.f), cross(b.V.w, L.f)};
  if (F_Bo_W) F -= shifted(*F_Bo_W, b.p);
  store_vec3(b.F, F.n), store_vec3(b.F + 3, F.f);
  const Mat3<double> J = to_mat3(I.J), H = tilde(I.h);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      b.I[i][k] = J(i, k), b.I[3 + i][3 + k] = i == k ? I.m : 0;
      b.I[i][3 + k] = H(i, k), b.I[3 + k][i] = H(i, k);
    }
}

// Which freedoms of the joint have their force given.
struct Active {
  int at[6], count = 0;
  Active(const LinkTopology& link, std::span<const unsigned char> given) {
    for (int k = 0; k < freedom_count(link); ++k)
      if (!given[static_cast<std::size_t>(link.v + k)]) at[count++] = k;
  }
};

// x becomes D⁻¹ x, with the factors L (below the diagonal) and 1/d (on it).
void solve(const double (&D)[6][6], int n, double (&x)[6]) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) x[i] -= D[i][k] * x[k];
  for (int i = 0; i < n; ++i) x[i] *= D[i][i];
  for (int i = n - 1; i >= 0; --i)
    for (int k = i + 1; k < n; ++k) x[i] -= D[k][i] * x[k];
}
void factor(double (&D)[6][6], int n) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) {
      double s = D[i][k];
      for (int m = 0; m < k; ++m) s -= D[i][m] * D[k][m] / D[m][m];
      D[i][k] = s * D[k][k];
    }
    double s = D[i][i];
    for (int m = 0; m < i; ++m) s -= D[i][m] * D[i][m] / D[m][m];
    D[i][i] = 1 / s;
  }
}

// (2)(3) for a link whose sons are done.
void pass_inward(const LinkTopology& link, const Active& a, const double* tau, HybridLink& b, HybridLink* P) {
  Six S;
  for (int k = 0; k < a.count; ++k) {
    put(b.S[a.at[k]], S);
    for (int r = 0; r < 6; ++r) b.U[k][r] = inner(b.I[r], S);
    for (int m = 0; m <= k; ++m) {
      Six S_m;
      put(b.S[a.at[m]], S_m);
      b.D[k][m] = inner(b.U[k], S_m);
    }
    b.u[k] = tau[link.v + a.at[k]] - inner(S, b.F);
  }
  factor(b.D, a.count);
  if (!P) return;
  Six c, F, x;
  put(b.c, c);
  std::copy(b.u, b.u + 6, x);
  solve(b.D, a.count, x);
  double Y[6][6];  // rows: D⁻¹ Uᵀ of each column
  for (int r = 0; r < 6; ++r) {
    for (int k = 0; k < a.count; ++k) Y[r][k] = b.U[k][r];
    solve(b.D, a.count, Y[r]);
  }
  for (int r = 0; r < 6; ++r) {
    F[r] = b.F[r];
    for (int k = 0; k < a.count; ++k) F[r] += b.U[k][r] * x[k];
    for (int m = 0; m < 6; ++m) {
      double left = b.I[r][m];
      for (int k = 0; k < a.count; ++k) left -= b.U[k][r] * Y[m][k];
      F[r] += left * c[m];
      P->I[r][m] += left;
    }
    P->F[r] += F[r];
  }
}

// (4) for a link whose parent is done.
void accelerate(const LinkTopology& link, const Active& a, std::span<const unsigned char> given, const HybridLink& P,
                HybridLink& b, double* vdot, double* tau) {
  b.A = P.A + b.c;
  Six A, x;
  put(b.A, A);
  for (int k = 0; k < a.count; ++k) x[k] = b.u[k] - inner(b.U[k], A);
  solve(b.D, a.count, x);
  for (int k = 0; k < a.count; ++k) {
    const Twist<double>& S = b.S[a.at[k]];
    vdot[link.v + a.at[k]] = x[k];
    b.A += Twist<double>{x[k] * S.w, x[k] * S.v};
  }
  put(b.A, A);
  for (int k = 0; k < freedom_count(link); ++k) {
    if (!given[static_cast<std::size_t>(link.v + k)]) continue;
    Six S;
    put(b.S[k], S);
    double& t = tau[link.v + k] = inner(S, b.F);
    for (int r = 0; r < 6; ++r) t += S[r] * inner(b.I[r], A);
  }
}

}  // namespace

void hybrid_dynamics(const Model& model, const Params<double>& params, std::span<const double> q,
                     std::span<const double> v, std::span<const unsigned char> given,
                     std::span<const Wrench<double>> F_Bo_W, HybridWorkspace& ws, std::span<double> vdot,
                     std::span<double> tau) {
  HybridLink* links = ws.links.data();
  links[0].R_WB = Mat3<double>::identity();
  links[0].V = {}, links[0].A = {{}, -params.gravity};
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    HybridLink& b = links[i];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general)
        move_general(model, params, i, q.data(), v.data(), links[link.parent], b);
      else
        move_link(joint, link, params.links[i], q.data(), v.data(), links[link.parent], b);
    });
    start_link(params.links[i], F_Bo_W.empty() ? nullptr : &F_Bo_W[i], b);
    for (int k = 0; k < freedom_count(link); ++k)
      if (const std::size_t at = static_cast<std::size_t>(link.v + k); given[at])
        b.c += Twist<double>{vdot[at] * b.S[k].w, vdot[at] * b.S[k].v};
  }
  for (int i = model.nlink() - 1; i > 0; --i) {
    const LinkTopology& link = model.links[i];
    pass_inward(link, Active(link, given), tau.data(), links[i], link.parent == 0 ? nullptr : links + link.parent);
  }
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    accelerate(link, Active(link, given), given, links[link.parent], links[i], vdot.data(), tau.data());
  }
}

}  // namespace marey
