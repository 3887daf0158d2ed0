// −M⁻¹ X for many columns at once, and derivatives by masses.
//
// M = Lᵀ D L, L unit lower triangular with the sparsity of the tree (Featherstone 2008, §6.5), in blocks of the freedom
// groups. A strip of up to 40 columns stays in the first cache while all rows pass over it:
//   inward    X_a −= L_ga X_g for all a on the way from g to the root                                            (1)
//   outward   X_g = −D⁻¹ X_g − Σ L_ga X_a                                                                        (2)
// in place. In (1) the rows of branches that the strip's freedoms neither carry nor hang on are zero and left out.
//
// Parameters: with e the axes of B, α and a (of Bo, less gravity) the accelerations, the wrench that a link needs
// (rnea.cpp (2)(3)) is linear in its inertia, and its derivatives about Bo, in W, are
//   by m    (0, a)        by h_k  (e × a, α × e + ω × (ω × e))                                                   (3)
//   by J_kl (g + ω × (…), 0): g = e_k (e_l · α) [+ e_l (e_k · α)], and the same of ω in the brackets             (4)
#include <algorithm>
#include <array>

#include "dynamics/derivatives.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

// The strip of columns of one group's rows, N rows of W registers.
template <int N, int W>
struct Block {
  Lanes8 x[N][W];
  MAREY_KERNEL void load(const double* from, std::ptrdiff_t stride) {
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < W; ++c) x[r][c] = Lanes8::load(from + r * stride + 8 * c);
  }
  MAREY_KERNEL void store(double* to, std::ptrdiff_t stride) const {
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < W; ++c) x[r][c].store(to + r * stride + 8 * c);
  }
};

// Into the kernel of as many freedoms as the group has.
template <class Kernel>
MAREY_KERNEL void with_count(int count, Kernel&& kernel) {
  switch (count) {
    case 1:
      return kernel(std::integral_constant<int, 1>{});
    case 2:
      return kernel(std::integral_constant<int, 2>{});
    default:
      return kernel(std::integral_constant<int, 3>{});
  }
}

struct Strip {
  const DerivativesWorkspace& ws;
  std::ptrdiff_t stride, L_stride;
  double* X;
};

// (1) for one group.
template <int N, int W>
MAREY_KERNEL void inward(const Strip& s, std::size_t g) {
  const double* L = s.ws.L.data() + static_cast<std::ptrdiff_t>(4 * g) * s.L_stride;
  double* own = s.X + s.ws.groups[g].v * s.stride;
  Block<N, W> b;
  b.load(own, s.stride);
  for (int r = N - 1; r > 0; --r)
    for (int m = 0; m < r; ++m) {
      const Lanes8 a(L[r * s.L_stride + static_cast<std::ptrdiff_t>(4 * g) + m]);
      for (int c = 0; c < W; ++c) b.x[m][c] -= a * b.x[r][c];
    }
  b.store(own, s.stride);
  for (const Ancestor& a : ancestors_of(s.ws, g)) {
    double* row = s.X + a.v * s.stride;
    Block<1, W> y;
    y.load(row, 0);
    for (int r = 0; r < N; ++r) {
      const Lanes8 factor(L[r * s.L_stride + a.slot]);
      for (int c = 0; c < W; ++c) y.x[0][c] -= factor * b.x[r][c];
    }
    y.store(row, 0);
  }
}

// (2) for one group.
template <int N, int W>
MAREY_KERNEL void outward(const Strip& s, std::size_t g) {
  const double* L = s.ws.L.data() + static_cast<std::ptrdiff_t>(4 * g) * s.L_stride;
  const std::ptrdiff_t at = s.ws.groups[g].v * s.stride;
  Block<N, W> b;
  b.load(s.X + at, s.stride);
  for (int r = 0; r < N; ++r) {
    const Lanes8 d(-s.ws.D_inverse[4 * g + static_cast<std::size_t>(r)]);
    for (int c = 0; c < W; ++c) b.x[r][c] = d * b.x[r][c];
  }
  for (const Ancestor& a : ancestors_of(s.ws, g)) {
    Block<1, W> y;
    y.load(s.X + a.v * s.stride, 0);
    for (int r = 0; r < N; ++r) {
      const Lanes8 factor(L[r * s.L_stride + a.slot]);
      for (int c = 0; c < W; ++c) b.x[r][c] -= factor * y.x[0][c];
    }
  }
  for (int r = 1; r < N; ++r)
    for (int m = 0; m < r; ++m) {
      const Lanes8 a(L[r * s.L_stride + static_cast<std::ptrdiff_t>(4 * g) + m]);
      for (int c = 0; c < W; ++c) b.x[r][c] -= a * b.x[m][c];
    }
  b.store(s.X + at, s.stride);
}

template <int W>
void solve_strip(const Strip& s, const unsigned char* touched) {
  const std::vector<FreedomGroup>& groups = s.ws.groups;
  for (std::size_t g = groups.size(); g-- > 0;) {
    if (touched && !touched[g]) continue;
    with_count(groups[g].count, [&](auto n) MAREY_ALWAYS { inward<n, W>(s, g); });
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    with_count(groups[g].count, [&](auto n) MAREY_ALWAYS { outward<n, W>(s, g); });
}

// Eliminates the N rows of one group: first among themselves, then from the rows of its ancestors.
template <int N>
MAREY_KERNEL void eliminate(DerivativesWorkspace& ws, std::size_t g, std::ptrdiff_t stride) {
  const std::ptrdiff_t own = static_cast<std::ptrdiff_t>(4 * g);
  double* L = ws.L.data();
  double* rows = L + own * stride;
  const std::span<const int> path = path_of(ws, g);
  double d[N];
  for (int r = N - 1; r >= 0; --r) {
    d[r] = 1 / rows[r * stride + own + r];
    ws.D_inverse[4 * g + static_cast<std::size_t>(r)] = d[r];
    for (int m = 0; m < r; ++m) {
      const Lanes4 a(d[r] * rows[r * stride + own + m]);
      for (const int j : path) {
        double* at = rows + m * stride + 4 * j;
        (Lanes4::load(at) - a * Lanes4::load(rows + r * stride + 4 * j)).store(at);
      }
    }
  }
  for (const int i : path) {
    if (i == static_cast<int>(g)) continue;
    for (int m = 0; m < ws.groups[i].count; ++m) {
      Lanes4 a[N];
      for (int r = 0; r < N; ++r) a[r] = Lanes4(d[r] * rows[r * stride + 4 * i + m]);
      double* target = L + (4 * i + m) * stride;
      for (const int j : path_of(ws, static_cast<std::size_t>(i))) {
        Lanes4 x = Lanes4::load(target + 4 * j);
        for (int r = 0; r < N; ++r) x -= a[r] * Lanes4::load(rows + r * stride + 4 * j);
        x.store(target + 4 * j);
      }
    }
  }
  for (const int j : path)
    for (int r = 0; r < N; ++r)
      (Lanes4(d[r]) * Lanes4::load(rows + r * stride + 4 * j)).store(rows + r * stride + 4 * j);
}

}  // namespace

void factor_inertia(DerivativesWorkspace& ws) {
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(4 * ws.groups.size());
  for (std::size_t g = ws.groups.size(); g-- > 0;)
    with_count(ws.groups[g].count, [&](auto n) MAREY_ALWAYS { eliminate<n>(ws, g, stride); });
}

void solve_columns(const DerivativesWorkspace& ws, int stride, const unsigned char* touched, double* X) {
  const std::ptrdiff_t L_stride = static_cast<std::ptrdiff_t>(4 * ws.groups.size());
  for (int from = 0, width = 0; from < stride; from += width) {
    width = strip_width(from, stride);
    const Strip s{ws, stride, L_stride, X + from};
    width == 40 ? solve_strip<5>(s, touched) : width == 24 ? solve_strip<3>(s, touched) : solve_strip<1>(s, touched);
    if (touched) touched += ws.groups.size();
  }
}

// ---- parameters
ParameterWorkspace::ParameterWorkspace(const Model& model)
    : stride((inertia_parameters * model.nlink() + narrow_strip - 1) / narrow_strip * narrow_strip) {
  X.resize(static_cast<std::size_t>(model.nv) * stride);
}

namespace {

// (3)(4), about O.
std::array<Wrench<double>, inertia_parameters> wrenches_by_parameter(const DerivativeLink& b) {
  const Vec &w = b.V.w, &alpha = b.A.w;
  const Vec a = b.A.v + cross(alpha, b.p) + cross(w, b.V.v + cross(w, b.p));
  const Mat3<double>& R = b.R_WB;
  const Vec e[3] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
  std::array<Wrench<double>, inertia_parameters> F;
  F[0] = {{}, a};
  for (int k = 0; k < 3; ++k) F[1 + k] = {cross(e[k], a), cross(alpha, e[k]) + cross(w, cross(w, e[k]))};
  constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int m = 0; m < 6; ++m) {
    const Vec &i = e[pairs[m][0]], &j = e[pairs[m][1]];
    const auto times = [&](const Vec& x) { return m < 3 ? dot(i, x) * i : dot(j, x) * i + dot(i, x) * j; };
    F[4 + m] = {times(alpha) + cross(w, times(w)), {}};
  }
  for (Wrench<double>& f : F) f = shifted(f, b.p);
  return F;
}

}  // namespace

MatrixView rnea_parameter_derivatives(const Model& model, const DerivativesWorkspace& ws, ParameterWorkspace& out) {
  std::fill(out.X.begin(), out.X.end(), 0.0);
  for (int i = 1; i < model.nlink(); ++i) {
    if (ws.group_of[i] < 0) continue;
    const auto F = wrenches_by_parameter(ws.links[i]);
    for (const int g : path_of(ws, static_cast<std::size_t>(ws.group_of[i])))
      for (int r = 0; r < ws.groups[g].count; ++r) {
        const double(*S)[4] = ws.columns[g].S;
        double* row = out.X.data() + static_cast<std::ptrdiff_t>(ws.groups[g].v + r) * out.stride;
        const Twist<double> s{{S[0][r], S[1][r], S[2][r]}, {S[3][r], S[4][r], S[5][r]}};
        for (int k = 0; k < inertia_parameters; ++k) row[inertia_parameters * i + k] = power(F[k], s);
      }
  }
  return {out.X.data(), model.nv, inertia_parameters * model.nlink(), out.stride};
}

MatrixView aba_parameter_derivatives(const Model& model, const DerivativesWorkspace& ws, ParameterWorkspace& out) {
  rnea_parameter_derivatives(model, ws, out);
  solve_columns(ws, out.stride, nullptr, out.X.data());
  return {out.X.data(), model.nv, inertia_parameters * model.nlink(), out.stride};
}

}  // namespace marey
