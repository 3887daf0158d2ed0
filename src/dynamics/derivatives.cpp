// Derivatives of inverse dynamics; equations for forward dynamics too.
//
// The idea of differentiating the recursions themselves is that of Carpentier & Mansard 2018; what follows is derived
// anew, for joints of several freedoms, with all vectors about one point O at rest and in the axes of W, so that nothing
// is ever shifted from link to link. O is where the root's Bo is at this instant.
//
// Twists V = (ω, v), v of the body's point at O; wrenches F = (n, f) about O; the cross products
//   V × U = (ω × υ, ω × u + v × υ)        V ×* F = (ω × n + v × f, ω × f)        for U = (υ, u)
// Sk: the motion of freedom k, P: what its joint hangs on, j: the link the joint carries, Σ: over all that hangs on j.
//   V_j = V_P + Σ S v       A_j = A_P + Σ S v̇ + V_P × Σ S v      A of the world = −gravity                      (1)
//   F_i = I A + V ×* I V − F_E        τ_k = S_k · Σ F                                                           (2)
// A small δ of freedom k moves all links from j on as one rigid body by the twist S_k δ. What is fixed in them turns
// with it: δS_l = S_k × S_l, δI = S_k ×* I − I S_k ×. Inserted into (1), with Jacobi's identity,
//   ∂V_i/∂q_k = S_k × V_i + η_k              η_k = V_P × S_k                                                    (3)
//   ∂A_i/∂q_k = S_k × A_i + η_k × V_i + ζ_k  ζ_k = A_P × S_k + V_P × η_k                                        (4)
//   ∂V_i/∂v_k = S_k     ∂A_i/∂v_k = S_k × V_i + β_k     β_k = η_k + V_j × S_k                                   (5)
// for every link i from j on. A free joint is a shift along the axes of F and then a turn about Bo: each of the two has
// its own P and j. General joints: derivatives_general.cpp. Then with (2), the part that turns with the body apart,
//   ∂F_i/∂q_k = S_k ×* F_i + I ζ_k + B η_k   ∂F_i/∂v_k = I β_k + B S_k                                          (6)
//   B η = I (η × V) + η ×* I V + V ×* I η
// B looks like 36 numbers and is 12: with η = (α, ·), the momentum I V = (k, l), h and J of I about O,
//   B η = (J̇ α − k × α, −2 l × α)     J̇ = ω̃ J + (ω̃ J)ᵀ + 2 (h·v) 1 − v hᵀ − h vᵀ                              (7)
// I, J̇, k, l, F add up from the tips inward (Σ). For a freedom l of j or beyond, and a freedom a of j or before it,
//   c = Σ I S     d = J̇ S_ω + k × S_ω + 2 l × S_v                                                               (8)
//   M_la = c_l · S_a     ∂τ_l/∂q_a = c_l · ζ_a + d_l · η_a     ∂τ_l/∂v_a = c_l · β_a + d_l · S_a,ω              (9)
//   u = Σ I ζ + B η + S ×* F      w = Σ I β + B S                                                               (10)
//   ∂τ_a/∂q_l = S_a · u_l      ∂τ_a/∂v_l = S_a · w_l                                                            (11)
// in (9) δS_l and the turning of F cancel. Forces from outside do not turn with the body: with p from O to Bo, n′ the
// sum of their moments about Bo, f of the forces and N = Σ (p·f) 1 − f pᵀ, what they lack is
//   u += (S_ω × n′ + N S_ω, S_ω × f)     ∂τ_l/∂q_a += e_l · S_a,ω,  e = n′ × S_ω + Nᵀ S_ω + f × S_v            (12)
// Forward dynamics: M v̇ + b = τ, so that ∂v̇/∂x = −M⁻¹ ∂τ/∂x and ∂v̇/∂τ = M⁻¹, all columns at once
// (derivatives_forward.cpp).
//
// (9) and (11) cost 36 multiplications for each pair of freedoms one of which carries the other. They are done for one
// group of freedoms (FreedomGroup) against another, by q and by v side by side in eight lanes. A lane that belongs to no
// freedom holds zero and is stored beyond its group; going by v, what it strikes is stored later.
#include "dynamics/derivatives.h"

#include <algorithm>
#include <array>

#include "marey/dynamics/joint.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;
using V4 = Vec3<Lanes4>;

// ---- setting up
void add_groups(const Model& model, std::vector<FreedomGroup>& groups, std::vector<int>& last) {
  last.assign(model.links.size(), -1);
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const int n = freedom_count(link);
    last[i] = last[link.parent];
    const auto add = [&](int v, int count, bool inner, bool rest) {
      groups.push_back({i, last[i], v, count, inner, rest});
      last[i] = static_cast<int>(groups.size()) - 1;
    };
    if (link.joint == JointType::free) {
      add(link.v + 3, 3, true, false);
      add(link.v, 3, false, false);
    } else if (n > 0) {
      add(link.v, std::min(n, 3), false, false);
      if (n > 3) add(link.v + 3, n - 3, false, true);
    }
  }
}

void add_paths(DerivativesWorkspace& ws) {
  ws.path_start.push_back(0);
  ws.ancestors_start.push_back(0);
  for (std::size_t g = 0; g < ws.groups.size(); ++g) {
    for (int a = static_cast<int>(g); a >= 0; a = ws.groups[a].parent) ws.path.push_back(a);
    std::sort(ws.path.begin() + ws.path_start[g], ws.path.end(),
              [&](int a, int b) { return ws.groups[a].v < ws.groups[b].v; });
    ws.path_start.push_back(static_cast<int>(ws.path.size()));
    for (const int a : path_of(ws, g))
      for (int k = 0; k < ws.groups[a].count && a != static_cast<int>(g); ++k)
        ws.ancestors.push_back({ws.groups[a].v + k, 4 * a + k});
    ws.ancestors_start.push_back(static_cast<int>(ws.ancestors.size()));
  }
}

// ---- links, outward
MAREY_KERNEL Twist<double> turn_about(const Vec& p, const Vec& w) { return {w, cross(p, w)}; }
MAREY_KERNEL V4 wide(const Vec& a) { return {Lanes4(a.x), Lanes4(a.y), Lanes4(a.z)}; }
template <std::size_t width>
MAREY_KERNEL void store(double (*to)[width], const V4& a, int lane = 0) {
  a.x.store(to[0] + lane), a.y.store(to[1] + lane), a.z.store(to[2] + lane);
}
template <std::size_t width>
MAREY_KERNEL V4 load(const double (*from)[width], int lane = 0) {
  return {Lanes4::load(from[0] + lane), Lanes4::load(from[1] + lane), Lanes4::load(from[2] + lane)};
}

// (3)–(5) for the motions S = (s_w, s_v) of one group.
MAREY_KERNEL void start_columns(const V4& s_w, const V4& s_v, const Twist<double>& V_P, const Twist<double>& A_P,
                                const Twist<double>& V_j, GroupColumns& g) {
  const V4 w_P = wide(V_P.w), v_P = wide(V_P.v), w_j = wide(V_j.w);
  const V4 eta_w = cross(w_P, s_w), eta_v = cross(w_P, s_v) + cross(v_P, s_w);
  store(g.S, s_w), store(g.S + 3, s_v), store(g.turn, eta_w), store(g.turn, s_w, 4);
  store(g.by, cross(wide(A_P.w), s_w) + cross(w_P, eta_w));
  store(g.by + 3, cross(wide(A_P.w), s_v) + cross(wide(A_P.v), s_w) + cross(w_P, eta_v) + cross(v_P, eta_w));
  store(g.by, eta_w + cross(w_j, s_w), 4);
  store(g.by + 3, eta_v + cross(w_j, s_v) + cross(wide(V_j.v), s_w), 4);
}

// The columns of a matrix, or one vector, as lanes.
MAREY_KERNEL V4 lanes_of(const Mat& R) {
  const auto row = [](double x, double y, double z) { return Lanes4(Lanes4::Lanes{x, y, z, 0}); };
  return {row(R.xx, R.xy, R.xz), row(R.yx, R.yy, R.yz), row(R.zx, R.zy, R.zz)};
}
MAREY_KERNEL V4 lane_of(const Vec& a) {
  const auto row = [](double x) { return Lanes4(Lanes4::Lanes{x, 0, 0, 0}); };
  return {row(a.x), row(a.y), row(a.z)};
}

// (1) for one link whose parent is done, with the columns of its groups; `columns` is the first of them.
template <class Joint>
MAREY_KERNEL void move_link(Joint joint, const LinkTopology& link, const LinkParams<double>& params, const double* q,
                            const double* v, const double* vdot, const DerivativeLink& P, DerivativeLink& b,
                            GroupColumns* columns) {
  const JointMotion<double> m = joint_motion(joint, link, params, q, v);
  b.R_WB = P.R_WB * m.R;
  b.p = link.parent == 0 ? Vec{} : P.p + P.R_WB * m.r;
  Twist<double> V = P.V, A = P.A;
  if constexpr (Joint::shifts) {
    const Twist<double> Sv{{}, P.R_WB * m.v_J};
    Vec rate;
    V4 s;
    if constexpr (Joint::value == JointType::slider) {
      const Vec axis = P.R_WB * in_parent(link, params, params.axis);
      rate = vdot[link.v] * axis;
      s = lane_of(axis);
    } else {
      const Mat R_WF = P.R_WB * params.R_PF;
      rate = R_WF * load_vec3(vdot + link.v + (Joint::turns ? 3 : 0));
      s = lanes_of(R_WF);
    }
    V += Sv;
    A += Twist<double>{{}, rate + cross(P.V.w, Sv.v)};
    start_columns({}, s, P.V, P.A, V, *columns++);
  }
  if constexpr (Joint::turns) {
    const Twist<double> V_before = V, A_before = A;
    const Twist<double> Sv = turn_about(b.p, b.R_WB * m.w_J);
    Vec rate;
    V4 s;
    if constexpr (Joint::value == JointType::hinge) {
      const Vec axis = b.R_WB * params.axis;
      rate = vdot[link.v] * axis;
      s = lane_of(axis);
    } else {
      rate = b.R_WB * load_vec3(vdot + link.v);
      s = lanes_of(b.R_WB);
    }
    V += Sv;
    A += turn_about(b.p, rate) + cross_twist(V_before, Sv);
    start_columns(s, cross(wide(b.p), s), V_before, A_before, V, *columns);
  }
  b.V = V, b.A = A;
}

// (2) and (7) of the link alone, about O in W.
MAREY_KERNEL void start_sums(const LinkParams<double>& params, DerivativeLink& b) {
  b.I = Transform<double>{b.R_WB, b.p} * params.I;
  const Vec &w = b.V.w, &v = b.V.v, &h = b.I.h;
  const Wrench<double> momentum = b.I * b.V, rate = b.I * b.A;
  b.k = momentum.n, b.l = momentum.f;
  b.F = {rate.n + cross(w, b.k) + cross(v, b.l), rate.f + cross(w, b.l)};
  const Mat T = tilde_times(w, b.I.J);
  const double d = 2 * dot(h, v);
  b.J_rate = {2 * (T.xx - h.x * v.x) + d,          2 * (T.yy - h.y * v.y) + d,
              2 * (T.zz - h.z * v.z) + d,          T.xy + T.yx - h.x * v.y - v.x * h.y,
              T.xz + T.zx - h.x * v.z - v.x * h.z, T.yz + T.zy - h.y * v.z - v.y * h.z};
}

MAREY_KERNEL void take_off_outside(const Wrench<double>& F_Bo_W, DerivativeLink& b) {
  b.n = F_Bo_W.n, b.f = F_Bo_W.f;
  b.F -= shifted(F_Bo_W, b.p);
  b.N = Mat::diagonal(1, 1, 1);
  b.N = dot(b.p, b.f) * b.N - outer(b.f, b.p);
}

MAREY_KERNEL void add_sums(const DerivativeLink& b, bool outside, DerivativeLink& P) {
  P.I += b.I, P.J_rate += b.J_rate, P.k += b.k, P.l += b.l, P.F += b.F;
  if (outside) P.n += b.n, P.f += b.f, P.N += b.N;
}

// ---- columns
MAREY_KERNEL Sym3<Lanes4> wide(const Sym3<double>& a) {
  return {Lanes4(a.xx), Lanes4(a.yy), Lanes4(a.zz), Lanes4(a.xy), Lanes4(a.xz), Lanes4(a.yz)};
}
MAREY_KERNEL Mat3<Lanes4> wide(const Mat& a) {
  return {Lanes4(a.xx), Lanes4(a.xy), Lanes4(a.xz), Lanes4(a.yx), Lanes4(a.yy),
          Lanes4(a.yz), Lanes4(a.zx), Lanes4(a.zy), Lanes4(a.zz)};
}

// (8), (10), (12) for one group; b holds the sums.
MAREY_KERNEL void finish_columns(const DerivativeLink& b, bool outside, GroupColumns& g) {
  const Inertia<Lanes4> I{Lanes4(b.I.m), wide(b.I.h), wide(b.I.J)};
  const Sym3<Lanes4> J_rate = wide(b.J_rate);
  const V4 k = wide(b.k), l = wide(b.l), n = wide(b.F.n), f = wide(b.F.f);
  const V4 s_w = load(g.S), s_v = load(g.S + 3), eta = load(g.turn);
  const Lanes4 two(2.0);
  const auto B = [&](const V4& a) MAREY_ALWAYS { return Wrench<Lanes4>{J_rate * a - cross(k, a), two * cross(a, l)}; };
  const Wrench<Lanes4> c = I * Twist<Lanes4>{s_w, s_v};
  const Wrench<Lanes4> w = I * Twist<Lanes4>{load(g.by, 4), load(g.by + 3, 4)} + B(s_w);
  Wrench<Lanes4> u = I * Twist<Lanes4>{load(g.by), load(g.by + 3)} + B(eta);
  u += Wrench<Lanes4>{cross(s_w, n) + cross(s_v, f), cross(s_w, f)};
  if (outside) {
    const V4 n_E = wide(b.n), f_E = wide(b.f);
    const Mat3<Lanes4> N = wide(b.N);
    u += Wrench<Lanes4>{cross(s_w, n_E) + N * s_w, cross(s_w, f_E)};
    store(g.e, cross(n_E, s_w) + transpose_times(N, s_w) + cross(f_E, s_v));
  }
  store(g.c, c.n), store(g.c + 3, c.f), store(g.uw, u.n), store(g.uw + 3, u.f);
  store(g.uw, w.n, 4), store(g.uw + 3, w.f, 4);
  store(g.d, J_rate * s_w + cross(k, s_w) + two * cross(l, s_v));
}

// ---- pairs
// Where the rows of one group go.
struct Places {
  double* X;                       // the group's first row
  std::ptrdiff_t stride, section;  // from row to row; from ∂τ/∂q to ∂τ/∂v and on to M
};

// (9): the rows of g in the columns of a.
template <bool outside>
MAREY_KERNEL void fill_rows(const GroupColumns& g, int count, const GroupColumns& a, int a_v, const Places& at) {
  const auto by = load_all<6, Lanes8>(a.by);
  const auto turn = load_all<3, Lanes8>(a.turn);
  const auto S = load_all<6, Lanes4>(a.S);
  for (int r = 0; r < count; ++r) {
    const Lanes8 x = contract<6>(g.c[0] + r, 4, by.data()) + contract<3>(g.d[0] + r, 4, turn.data());
    double* row = at.X + r * at.stride + a_v;
    (outside ? low(x) + contract<3>(g.e[0] + r, 4, S.data()) : low(x)).store(row);
    high(x).store(row + at.section);
    contract<6>(g.c[0] + r, 4, S.data()).store(row + 2 * at.section);
  }
}

// (11): the columns of g in one row of a; g's u, w and c are held in registers by the caller.
struct HeldColumns {
  std::array<Lanes8, 6> uw;
  std::array<Lanes4, 6> c;
};
MAREY_KERNEL void fill_columns(const HeldColumns& g, const GroupColumns& a, int r, bool three, double* row,
                               std::ptrdiff_t section) {
  const Lanes8 x = contract<6>(a.S[0] + r, 4, g.uw.data());
  const Lanes4 parts[] = {low(x), high(x), contract<6>(a.S[0] + r, 4, g.c.data())};
  for (int k = 0; k < 3; ++k) three ? store_three(parts[k], row + k * section) : parts[k].store(row + k * section);
}

Places places_of(std::size_t i, DerivativesWorkspace& ws) {
  const std::ptrdiff_t section = static_cast<std::ptrdiff_t>(ws.vdot.size()) * ws.section;
  return {ws.X.data() + static_cast<std::ptrdiff_t>(ws.groups[i].v) * ws.section, ws.section, section};
}

void fill_columns_of(std::size_t i, bool outside, DerivativesWorkspace& ws) {
  const FreedomGroup& group = ws.groups[i];
  const GroupColumns& g = ws.columns[i];
  const HeldColumns own{load_all<6, Lanes8>(g.uw), load_all<6, Lanes4>(g.c)};
  for (int a = group.parent; a >= 0; a = ws.groups[a].parent) {
    const FreedomGroup& other = ws.groups[a];
    const Places at = places_of(static_cast<std::size_t>(a), ws);
    const bool same = other.link == group.link;
    if (same && group.rest)
      outside ? fill_rows<true>(ws.columns[a], other.count, g, group.v, at)
              : fill_rows<false>(ws.columns[a], other.count, g, group.v, at);
    else
      for (int r = 0; r < other.count; ++r)
        fill_columns(own, ws.columns[a], r, same, at.X + r * at.stride + group.v, at.section);
  }
}

template <bool outside>
void fill_rows_of(std::size_t i, DerivativesWorkspace& ws) {
  const Places at = places_of(i, ws);
  for (const int a : path_of(ws, i))
    fill_rows<outside>(ws.columns[i], ws.groups[i].count, ws.columns[a], ws.groups[a].v, at);
}

}  // namespace

void move_figure(const Model& model, const Params<double>& params, const double* q, const double* v, const double* vdot,
                 std::span<const Wrench<double>> F_Bo_W, DerivativesWorkspace& ws) {
  DerivativeLink* links = ws.links.data();
  links[0].R_WB = Mat::identity();
  links[0].V = {}, links[0].A = {{}, -params.gravity};
  GroupColumns* columns = ws.columns.data();
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general)
        move_general(model, params, i, q, v, vdot, ws, columns);
      else
        move_link(joint, link, params.links[i], q, v, vdot, links[link.parent], links[i], columns);
    });
    columns += group_count(link);
    start_sums(params.links[i], links[i]);
    if (!F_Bo_W.empty()) take_off_outside(F_Bo_W[i], links[i]);
  }
}

MatrixView matrix_of(const Model& model, const DerivativesWorkspace& ws, int kind) {
  const std::ptrdiff_t matrix = static_cast<std::ptrdiff_t>(model.nv) * ws.section;
  return {ws.X.data() + kind * matrix, model.nv, model.nv, ws.section};
}

DerivativesWorkspace::DerivativesWorkspace(const Model& model)
    : aba(model), links(model.links.size()), general(model.general.size()), vdot(static_cast<std::size_t>(model.nv)) {
  add_groups(model, groups, group_of);
  add_paths(*this);
  columns.resize(groups.size());
  int end = model.nv;
  for (const FreedomGroup& g : groups) end = std::max(end, g.v + 4);
  section = (end + narrow_strip - 1) / narrow_strip * narrow_strip;
  const std::size_t slots = 4 * groups.size();
  L.resize(slots * slots);
  forward.resize(groups.size());
  articulated.resize(model.links.size());
  X.resize(3 * static_cast<std::size_t>(model.nv) * section);
}

InverseDerivatives rnea_derivatives(const Model& model, const Params<double>& params, std::span<const double> q,
                                    std::span<const double> v, std::span<const double> vdot,
                                    std::span<const Wrench<double>> F_Bo_W, DerivativesWorkspace& ws) {
  // Between branches nothing is written, and nothing may be left there.
  if (ws.solved) std::fill(ws.X.begin(), ws.X.end(), 0.0);
  ws.solved = false;
  const bool outside = !F_Bo_W.empty();
  DerivativeLink* links = ws.links.data();
  move_figure(model, params, q.data(), v.data(), vdot.data(), F_Bo_W, ws);
  for (int i = model.nlink() - 1; i > 0; --i)
    if (model.links[i].parent != 0) add_sums(links[i], outside, links[model.links[i].parent]);
  for (std::size_t g = 0; g < ws.groups.size(); ++g) finish_columns(links[ws.groups[g].link], outside, ws.columns[g]);
  fill_by_v(
      ws, [&](std::size_t g) { outside ? fill_rows_of<true>(g, ws) : fill_rows_of<false>(g, ws); },
      [&](std::size_t g) { fill_columns_of(g, outside, ws); });
  for (int i = 1; i < model.nlink() && !ws.general.empty(); ++i)
    if (model.links[i].general >= 0) find_own_turning(model.links[i], links[i], ws.general[model.links[i].general]);
  add_own_turning(model, ws);
  return {matrix_of(model, ws, 0), matrix_of(model, ws, 1), matrix_of(model, ws, 2)};
}

}  // namespace marey
