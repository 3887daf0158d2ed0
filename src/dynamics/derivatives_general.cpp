// Derivatives at general joints, whose motions S change with their coordinates. Symbols and (1)–(12): derivatives.cpp.
//
// Let s_l be the components of S_l in B about Bo, and a dot or ∂_k the change of components (general_derivatives.h); X turns
// such components into twists about O in W. What the joint adds to the motion of P is
//   V_J = X Σ s v      A_J = X Σ (s v̇ + ṡ v)      V_j = V_P + V_J      A_j = A_P + A_J + V_P × V_J               (13)
// since V_J × V_J = 0. Twists that B carries along change by S_k × when q_k changes, and as seen from B by ∂_k more:
//   ∂V_J/∂q_k = S_k × V_J + ρ_k      ρ_k = X ∂_k Σ s v
//   ∂A_J/∂q_k = S_k × A_J + κ_k      κ_k = X ∂_k Σ (s v̇ + ṡ v)
//   ∂S_l/∂q_k = S_k × S_l + X ∂_k s_l
// Inserted into (13), with Jacobi's identity (V_P and A_P do not change), (3)–(5) hold with
//   η_k = V_P × S_k + ρ_k      ζ_k = A_P × S_k + V_P × η_k + V_j × ρ_k + κ_k      β_k = η_k + V_j × S_k + X ṡ_k  (14)
// the last one because ∂(ṡ v)/∂v_k = ṡ_k + ∂_k Σ s v. What hangs on the link turns with it as before; so (6)–(12) hold
// as well, with one thing more. Between the freedoms of the joint itself, where in (9) δS_l and the turning of F cancelled,
//   ∂τ_l/∂q_k += (X ∂_k s_l) · Σ F                                                                                (15)
// is left. Freedoms after the third are a group of their own with the same P and j: (9) in both directions.
#include "dynamics/derivatives.h"
#include "marey/model/general_derivatives.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
using VecLanes = Vec3<JointLanes>;
using TwistLanes = Twist<JointLanes>;

MAREY_KERNEL VecLanes wide(const Vec& a) { return {JointLanes(a.x), JointLanes(a.y), JointLanes(a.z)}; }
MAREY_KERNEL TwistLanes wide(const Twist<double>& a) { return {wide(a.w), wide(a.v)}; }
MAREY_KERNEL TwistLanes cross_lanes(const TwistLanes& a, const TwistLanes& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

// X for twists of one kind or the other.
struct ToWorld {
  Mat3<double> R;
  Vec p;
  Mat3<JointLanes> R_lanes;
  VecLanes p_lanes;
  MAREY_KERNEL ToWorld(const Mat3<double>& R_WB, const Vec& p_OBo) : R(R_WB), p(p_OBo), p_lanes(wide(p_OBo)) {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) R_lanes(i, k) = JointLanes(R(i, k));
  }
  MAREY_KERNEL Twist<double> operator()(const Twist<double>& a) const {
    const Vec w = R * a.w;
    return {w, R * a.v + cross(p, w)};
  }
  MAREY_KERNEL TwistLanes operator()(const TwistLanes& a) const {
    const VecLanes w = R_lanes * a.w;
    return {w, R_lanes * a.v + cross(p_lanes, w)};
  }
};

// Lanes 0–3 to the first group, 4–7 to the second where there is one; into three rows, from a lane on.
template <std::size_t n, std::size_t width>
MAREY_KERNEL void put(const VecLanes& a, double (GroupColumns::*rows)[n][width], int first, int lane, int groups,
                      GroupColumns* to) {
  for (int i = 0; i < 3; ++i) {
    alignas(64) double x[8];
    a[i].store(x);
    for (int g = 0; g < groups; ++g)
      for (int k = 0; k < 4; ++k) (to[g].*rows)[first + i][lane + k] = x[4 * g + k];
  }
}
template <std::size_t width>
MAREY_KERNEL void put(const TwistLanes& a, double (GroupColumns::*rows)[6][width], int lane, int groups,
                      GroupColumns* to) {
  put(a.w, rows, 0, lane, groups, to), put(a.v, rows, 3, lane, groups, to);
}

}  // namespace

void move_general(const Model& model, const Params<double>& params, int i, const double* q, const double* v,
                  const double* vdot, DerivativesWorkspace& ws, GroupColumns* columns) {
  const LinkTopology& link = model.links[i];
  const LinkParams<double>& own = params.links[i];
  const DerivativeLink& P = ws.links[link.parent];
  DerivativeLink& b = ws.links[i];
  GeneralDerivatives g;
  general_derivatives(model.general[link.general], params.general[link.general], q + link.q, v + link.v, vdot + link.v,
                      g);
  const Mat3<double> R_WF = P.R_WB * own.R_PF;
  b.R_WB = R_WF * g.R_FB;
  b.p = link.parent == 0 ? Vec{} : P.p + P.R_WB * own.l + R_WF * g.p;
  const ToWorld X(b.R_WB, b.p);
  const Twist<double> V_J = X(g.V);  // (13)
  b.V = P.V + V_J;
  b.A = P.A + X(g.A) + cross_twist(P.V, V_J);
  const TwistLanes S = X(g.S), rho = X(g.V_by_q), V_P = wide(P.V), V_j = wide(b.V);  // (14)
  const TwistLanes eta = cross_lanes(V_P, S) + rho;
  const TwistLanes zeta = cross_lanes(wide(P.A), S) + cross_lanes(V_P, eta) + cross_lanes(V_j, rho) + X(g.A_by_q);
  const TwistLanes beta = eta + cross_lanes(V_j, S) + X(g.S_rate);
  const int groups = group_count(link);
  put(S, &GroupColumns::S, 0, groups, columns);
  put(zeta, &GroupColumns::by, 0, groups, columns), put(beta, &GroupColumns::by, 4, groups, columns);
  put(eta.w, &GroupColumns::turn, 0, 0, groups, columns), put(S.w, &GroupColumns::turn, 0, 4, groups, columns);
  for (int l = 0; l < freedom_count(link); ++l)
    for (int c = 0; c < 6; ++c) {
      const TwistLanes& by_q = g.S_by_q[static_cast<std::size_t>(l)];
      (c < 3 ? by_q.w[c] : by_q.v[c - 3]).store(ws.general[link.general].S_by_q[l][c]);
    }
}

// (15), with F in B about Bo.
void find_own_turning(const LinkTopology& link, const DerivativeLink& b, GeneralColumns& g) {
  const Vec n = transpose_times(b.R_WB, b.F.n - cross(b.p, b.F.f)), f = transpose_times(b.R_WB, b.F.f);
  const double F[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
  for (int l = 0; l < freedom_count(link); ++l) {
    const auto by_q = load_all<6, JointLanes>(g.S_by_q[l]);
    contract<6>(F, 1, by_q.data()).store(g.own[l]);
  }
}

void add_own_turning(const Model& model, DerivativesWorkspace& ws) {
  for (const LinkTopology& link : model.links) {
    if (link.general < 0) continue;
    for (int l = 0; l < freedom_count(link); ++l) {
      double* row = ws.X.data() + static_cast<std::ptrdiff_t>(link.v + l) * ws.section + link.v;
      for (int k = 0; k < freedom_count(link); ++k) row[k] += ws.general[link.general].own[l][joint_lane(k)];
    }
  }
}

}  // namespace marey
