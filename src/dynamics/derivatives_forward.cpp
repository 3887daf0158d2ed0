// Derivatives of forward dynamics: −M⁻¹ ∂τ/∂(q, v) and M⁻¹, without forming M or ∂τ.
//
// Symbols and (1)–(12): derivatives.cpp; about O in W. Of M = Lᵀ D L (derivatives_solve.cpp) and of L⁻ᵀ ∂τ/∂(q, v) every
// entry is a short product, when inertias are articulated as in aba: A is the 6×6 inertia of what hangs on a link, Z (6×3)
// its B of (7) in A's place, Zα the wrench that a turning α of all of it calls for. From the tips inward, group by group
// of freedoms,
//   U = A S    D = Sᵀ U    G = U D⁻¹    d = Zᵀ S         A −= G Uᵀ    Z −= G dᵀ                                  (16)
// A group g is eliminated when all beyond it is; its row of M then is U · S, so that for every a on the way to the root
//   L_ga = G_gᵀ S_a                                                                                             (17)
// and of the eliminated right-hand sides y = L⁻ᵀ ∂τ/∂x, for columns of a = g or a on that way
//   y_ga = U_g · ζ_a + d_g · η_a      by v: U_g · β_a + d_g · S_a,ω                                             (18)
// while the columns of g pass as wrenches p through all groups a on that way, with A and Z after (16),
//   p = A ζ_g + Z η_g + S_g ×* F      by v: p = A β_g + Z S_g,ω      for M⁻¹ (of −1): p = G_g
//   y_ag = S_a · p      p −= G_a y_ag                                                                           (19)
// The cost is about 36 multiplications for each pair of freedoms one of which carries the other, whatever lies between.
// Forces from outside: (12) is linear in S_ω, so that it has a matrix E beside Z, with S_ω in the place of η (by q alone).
// General joints: (15) is an extra right-hand side of the joint's own rows; (19) takes it inward. S ×* F and that extra
// are no part of rows of the joint itself: where it has two groups they are added (late) when its second one is left.
#include <algorithm>

#include "dynamics/derivatives.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

// ---- articulated inertias
// Of the link alone.
MAREY_KERNEL void start_articulated(const DerivativeLink& b, bool outside, Articulated& to) {
  const auto put = [](double(*rows)[8], int row, int column, const Mat3<double>& m) MAREY_ALWAYS {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) rows[row + i][column + k] = m(i, k);
  };
  const Mat3<double> h = tilde(b.I.h);
  put(to.A, 0, 0, to_mat3(b.I.J)), put(to.A, 0, 3, h), put(to.A, 3, 0, transpose(h));
  put(to.A, 3, 3, Mat3<double>::diagonal(b.I.m, b.I.m, b.I.m));
  put(to.Z, 0, 0, to_mat3(b.J_rate) - tilde(b.k)), put(to.Z, 3, 0, -2.0 * tilde(b.l));
  put(to.Z, 0, 4, outside ? b.N - tilde(b.n) : Mat3<double>{});
  put(to.Z, 3, 4, outside ? -1.0 * tilde(b.f) : Mat3<double>{});
}

template <int N>
MAREY_KERNEL Sym3<double> inverse_of(const double (&D)[N][4]) {
  if constexpr (N == 1)
    return Sym3<double>::diagonal(1 / D[0][0], 0, 0);
  else if constexpr (N == 2)
    return inverse(Sym3<double>{D[0][0], D[1][1], 1, D[0][1], 0, 0});
  else
    return inverse(Sym3<double>{D[0][0], D[1][1], D[2][2], D[0][1], D[0][2], D[1][2]});
}

// (16)
template <int N>
MAREY_KERNEL void eliminate(const GroupColumns& g, ForwardColumns& f, Articulated& link) {
  auto A = load_all<6, Lanes8>(link.A), Z = load_all<6, Lanes8>(link.Z);
  const auto S = load_all<6, Lanes4>(g.S);
  Lanes8 U[N], G[N], d[N];
  double D[N][4];
  for (int r = 0; r < N; ++r) {
    U[r] = contract<6>(g.S[0] + r, 4, A.data());
    d[r] = contract<6>(g.S[0] + r, 4, Z.data());
    U[r].store(f.U[r]), d[r].store(f.d[r]);
    contract<6>(f.U[r], 1, S.data()).store(D[r]);
  }
  const Mat3<double> inverse = to_mat3(inverse_of<N>(D));
  for (int r = 0; r < N; ++r) {
    for (int k = 0; k < N; ++k) f.D_inverse[r][k] = inverse(r, k);
    G[r] = contract<N>(f.D_inverse[r], 1, U);
    G[r].store(f.G[r]);
  }
  for (std::size_t c = 0; c < 6; ++c) {
    for (int r = 0; r < N; ++r) {
      const Lanes8 factor(f.G[r][c]);
      A[c] -= factor * U[r], Z[c] -= factor * d[r];
    }
    A[c].store(link.A[c]), Z[c].store(link.Z[c]);
  }
}

MAREY_KERNEL Lanes8 only_low(const Lanes4& a) {
  return Lanes8(__builtin_shufflevector(a.lanes, Lanes4(0.0).lanes, 0, 1, 2, 3, 4, 5, 6, 7));
}

// The start of (19).
MAREY_KERNEL void start_wrenches(const GroupColumns& g, const Articulated& link, const Wrench<double>& F, bool outside,
                                 ForwardColumns& f) {
  const auto by = load_all<6, Lanes8>(g.by);
  const auto turn = load_all<3, Lanes8>(g.turn);
  const auto S = load_all<6, Lanes4>(g.S);
  for (int c = 0; c < 6; ++c) {
    Lanes8 p = contract<6>(link.A[c], 1, by.data()) + contract<3>(link.Z[c], 1, turn.data());
    if (outside) p += only_low(contract<3>(link.Z[c] + 4, 1, S.data()));
    p.store(f.p[c]);
  }
  const Vec3<Lanes4> s_w{S[0], S[1], S[2]}, s_v{S[3], S[4], S[5]};
  const Vec3<Lanes4> n{Lanes4(F.n.x), Lanes4(F.n.y), Lanes4(F.n.z)}, l{Lanes4(F.f.x), Lanes4(F.f.y), Lanes4(F.f.z)};
  const Vec3<Lanes4> moment = cross(s_w, n) + cross(s_v, l), force = cross(s_w, l);
  for (int c = 0; c < 3; ++c) moment[c].store(f.late[c]), force[c].store(f.late[3 + c]);
}

// (15) through the joint's own rows; what is left of it goes to both groups.
void take_own_turning_inward(const LinkTopology& link, std::size_t first, DerivativesWorkspace& ws) {
  GeneralColumns& g = ws.general[link.general];
  find_own_turning(link, ws.links[ws.groups[first].link], g);
  std::array<Lanes8, 6> p{};
  const int groups = group_count(link);
  for (int k = groups - 1; k >= 0; --k) {
    const std::size_t at = first + static_cast<std::size_t>(k);
    for (int r = 0; r < ws.groups[at].count; ++r) {
      double* own = g.own[3 * k + r];
      (Lanes8::load(own) + contract<6>(ws.columns[at].S[0] + r, 4, p.data())).store(own);
    }
    for (int r = 0; r < ws.groups[at].count; ++r)
      for (std::size_t c = 0; c < 6; ++c) p[c] -= Lanes8(ws.forward[at].G[r][c]) * Lanes8::load(g.own[3 * k + r]);
  }
  for (std::size_t c = 0; c < 6; ++c)
    for (int k = 0; k < groups; ++k) {
      double* late = ws.forward[first + static_cast<std::size_t>(k)].late[c];
      (Lanes4::load(late) + (k == 0 ? low(p[c]) : high(p[c]))).store(late);
    }
}

// All of (16), and the starts of (19).
void articulate(const Model& model, bool outside, DerivativesWorkspace& ws) {
  DerivativeLink* links = ws.links.data();
  for (int i = model.nlink() - 1; i > 0; --i) {
    start_articulated(links[i], outside, ws.articulated[i]);
    if (model.links[i].parent != 0) links[model.links[i].parent].F += links[i].F;
  }
  std::size_t g = ws.groups.size();
  for (int i = model.nlink() - 1; i > 0; --i) {
    const LinkTopology& link = model.links[i];
    Articulated& own = ws.articulated[i];
    for (int k = group_count(link); k > 0; --k) {
      --g;
      switch (ws.groups[g].count) {
        case 1:
          eliminate<1>(ws.columns[g], ws.forward[g], own);
          break;
        case 2:
          eliminate<2>(ws.columns[g], ws.forward[g], own);
          break;
        default:
          eliminate<3>(ws.columns[g], ws.forward[g], own);
      }
      start_wrenches(ws.columns[g], own, links[i].F, outside, ws.forward[g]);
    }
    if (link.general >= 0) take_own_turning_inward(link, g, ws);
    if (link.parent == 0) continue;
    Articulated& P = ws.articulated[link.parent];
    for (int c = 0; c < 6; ++c) {
      (Lanes8::load(P.A[c]) + Lanes8::load(own.A[c])).store(P.A[c]);
      (Lanes8::load(P.Z[c]) + Lanes8::load(own.Z[c])).store(P.Z[c]);
    }
  }
}

// ---- pairs
// (17)(18): the rows of one group.
template <bool outside>
MAREY_KERNEL void fill_rows(std::size_t i, DerivativesWorkspace& ws, std::ptrdiff_t matrix) {
  const std::ptrdiff_t L_stride = static_cast<std::ptrdiff_t>(4 * ws.groups.size());
  const FreedomGroup& group = ws.groups[i];
  const ForwardColumns& f = ws.forward[i];
  double* X = ws.X.data() + static_cast<std::ptrdiff_t>(group.v) * ws.section;
  double* L = ws.L.data() + static_cast<std::ptrdiff_t>(4 * i) * L_stride;
  for (const int a : path_of(ws, i)) {
    const GroupColumns& g = ws.columns[a];
    const auto by = load_all<6, Lanes8>(g.by);
    const auto turn = load_all<3, Lanes8>(g.turn);
    const auto S = load_all<6, Lanes4>(g.S);
    for (int r = 0; r < group.count; ++r) {
      const Lanes8 y = contract<6>(f.U[r], 1, by.data()) + contract<3>(f.d[r], 1, turn.data());
      double* row = X + r * ws.section + ws.groups[a].v;
      (outside ? low(y) + contract<3>(f.d[r] + 4, 1, S.data()) : low(y)).store(row);
      high(y).store(row + matrix);
      contract<6>(f.G[r], 1, S.data()).store(L + r * L_stride + 4 * a);
    }
  }
  for (int r = 0; r < group.count; ++r) X[2 * matrix + r * (ws.section + 1) + group.v] = -1;
}

// (19): the columns of one group.
MAREY_KERNEL void fill_columns(std::size_t i, DerivativesWorkspace& ws, std::ptrdiff_t matrix) {
  const FreedomGroup& group = ws.groups[i];
  const ForwardColumns& f = ws.forward[i];
  auto p = load_all<6, Lanes8>(f.p);
  std::array<Lanes4, 6> t;
  for (std::size_t c = 0; c < 6; ++c) t[c] = Lanes4(Lanes4::Lanes{f.G[0][c], f.G[1][c], f.G[2][c], 0});
  const auto add_late = [&]() MAREY_ALWAYS {
    for (std::size_t c = 0; c < 6; ++c) p[c] += only_low(Lanes4::load(f.late[c]));
  };
  if (!group.rest) add_late();
  for (int a = group.parent; a >= 0; a = ws.groups[a].parent) {
    const FreedomGroup& other = ws.groups[a];
    const GroupColumns& g = ws.columns[a];
    const ForwardColumns& h = ws.forward[a];
    double* X = ws.X.data() + static_cast<std::ptrdiff_t>(other.v) * ws.section + group.v;
    const bool three = other.link == group.link && !group.rest;
    Lanes8 y[3];
    Lanes4 z[3];
    for (int r = 0; r < 3; ++r) {
      y[r] = contract<6>(g.S[0] + r, 4, p.data()), z[r] = contract<6>(g.S[0] + r, 4, t.data());
      if (r >= other.count) continue;
      double* row = X + r * ws.section;
      const Lanes4 parts[] = {low(y[r]), high(y[r]), z[r]};
      for (int k = 0; k < 3; ++k) three ? store_three(parts[k], row + k * matrix) : parts[k].store(row + k * matrix);
    }
    for (std::size_t c = 0; c < 6; ++c)
      for (int r = 0; r < 3; ++r) p[c] -= Lanes8(h.G[r][c]) * y[r], t[c] -= Lanes4(h.G[r][c]) * z[r];
    if (group.rest && other.link == group.link) add_late();
  }
}

}  // namespace

ForwardDerivatives aba_derivatives(const Model& model, const Params<double>& params, std::span<const double> q,
                                   std::span<const double> v, const Forces<double>& forces, DerivativesWorkspace& ws,
                                   std::span<const double> vdot) {
  if (vdot.empty())
    aba<double>(model, params, q, v, forces, ws.aba, ws.vdot);
  else
    std::copy(vdot.begin(), vdot.end(), ws.vdot.begin());
  const bool outside = !forces.F_Bo_W.empty();
  double* X = ws.X.data();
  const std::ptrdiff_t matrix = static_cast<std::ptrdiff_t>(model.nv) * ws.section;
  std::fill(ws.solved ? X : X + 2 * matrix, X + 3 * matrix, 0.0);  // between branches nothing is written
  ws.solved = true;
  move_figure(model, params, q.data(), v.data(), ws.vdot.data(), forces.F_Bo_W, ws);
  articulate(model, outside, ws);
  fill_by_v(
      ws, [&](std::size_t g) { outside ? fill_rows<true>(g, ws, matrix) : fill_rows<false>(g, ws, matrix); },
      [&](std::size_t g) { fill_columns(g, ws, matrix); });
  if (!ws.general.empty()) add_own_turning(model, ws);
  for (int k = 0; k < 3; ++k) solve_outward(ws, ws.section, X + k * matrix);
  return {ws.vdot, matrix_of(model, ws, 0), matrix_of(model, ws, 1), matrix_of(model, ws, 2)};
}

}  // namespace marey
