// −M⁻¹ X for many columns at once, and derivatives by masses.
//
// M = Lᵀ D L in blocks of the freedom groups, L unit lower triangular with the sparsity of the tree (Featherstone 2008,
// §6.5). A strip of columns stays in the first cache while all rows pass over it:
//   inward    X_a −= L_gaᵀ X_g for all a on the way from g to the root                                           (1)
//   outward   X_g = −D_g⁻¹ X_g − Σ L_ga X_a                                                                      (2)
// in place. Derivatives by q, v and τ come from derivatives_forward.cpp with (1) done.
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
  Register x[N][W];
  MAREY_KERNEL void load(const double* from, std::ptrdiff_t stride) {
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < W; ++c) x[r][c] = Register::load(from + r * stride + register_lanes * c);
  }
  MAREY_KERNEL void store(double* to, std::ptrdiff_t stride) const {
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < W; ++c) x[r][c].store(to + r * stride + register_lanes * c);
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
  for (const Ancestor& a : ancestors_of(s.ws, g)) {
    double* row = s.X + a.v * s.stride;
    Block<1, W> y;
    y.load(row, 0);
    for (int r = 0; r < N; ++r) {
      const Register factor(L[r * s.L_stride + a.slot]);
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
  Block<N, W> y, b;
  y.load(s.X + at, s.stride);
  for (int r = 0; r < N; ++r)
    for (int k = 0; k < N; ++k) {
      const Register d(-s.ws.forward[g].D_inverse[r][k]);
      for (int c = 0; c < W; ++c) b.x[r][c] = k == 0 ? d * y.x[k][c] : b.x[r][c] + d * y.x[k][c];
    }
  for (const Ancestor& a : ancestors_of(s.ws, g)) {
    Block<1, W> x;
    x.load(s.X + a.v * s.stride, 0);
    for (int r = 0; r < N; ++r) {
      const Register factor(L[r * s.L_stride + a.slot]);
      for (int c = 0; c < W; ++c) b.x[r][c] -= factor * x.x[0][c];
    }
  }
  b.store(s.X + at, s.stride);
}

template <int W>
void inward_strip(const Strip& s) {
  for (std::size_t g = s.ws.groups.size(); g-- > 0;)
    with_count(s.ws.groups[g].count, [&](auto n) MAREY_ALWAYS { inward<n, W>(s, g); });
}
template <int W>
void outward_strip(const Strip& s) {
  for (std::size_t g = 0; g < s.ws.groups.size(); ++g)
    with_count(s.ws.groups[g].count, [&](auto n) MAREY_ALWAYS { outward<n, W>(s, g); });
}

template <class Kernel>
MAREY_KERNEL void in_strips(int stride, Kernel&& kernel) {
  for (int from = 0, width = 0; from < stride; from += width) {
    width = strip_width(from, stride);
    if constexpr (register_lanes == 8) {
      if (width == 40)
        kernel(std::integral_constant<int, 5>{}, from);
      else if (width == 24)
        kernel(std::integral_constant<int, 3>{}, from);
      else
        kernel(std::integral_constant<int, 1>{}, from);
    } else {
      kernel(std::integral_constant<int, narrow_strip / register_lanes>{}, from);
    }
  }
}

}  // namespace

void solve_outward(const DerivativesWorkspace& ws, int stride, double* X) {
  const std::ptrdiff_t L_stride = static_cast<std::ptrdiff_t>(4 * ws.groups.size());
  in_strips(stride, [&](auto W, int from) { outward_strip<W>(Strip{ws, stride, L_stride, X + from}); });
}

void solve_columns(const DerivativesWorkspace& ws, int stride, double* X) {
  const std::ptrdiff_t L_stride = static_cast<std::ptrdiff_t>(4 * ws.groups.size());
  in_strips(stride, [&](auto W, int from) { inward_strip<W>(Strip{ws, stride, L_stride, X + from}); });
  solve_outward(ws, stride, X);
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
  solve_columns(ws, out.stride, out.X.data());
  return {out.X.data(), model.nv, inertia_parameters * model.nlink(), out.stride};
}

}  // namespace marey
