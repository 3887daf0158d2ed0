// The Euler–Lagrange oracle: how far given accelerations are from fulfilling
//
//   d/dt ∂L/∂ξ̇ₖ − ∂L/∂ξₖ = Qₖ,     L = T − V,   T = Σ ½ m v_c² + ½ ω·I_c ω,   V = −Σ m g·p_c            (1)
//   Qₖ = τₖ + Σ F·∂x/∂ξₖ over the forces at points of the links                                          (2)
//
// in the local coordinates ξ of plain_figure.h, where ξ = 0, ξ̇ = v, ξ̈ = v̇. For a virtual direction u (a unit
// vector eₖ, or any combination) put
//   ξ = v ε₁ − u ε₁ε₂,   ξ̇ = v + v̇ ε₁ + u ε₂.                                                            (3)
// The coefficient of ε₁ε₂ in L(ξ, ξ̇) is then  −u·∂L/∂ξ + (v·∂/∂ξ + v̇·∂/∂ξ̇)(u·∂L/∂ξ̇), the left side of (1)
// along u; the coefficient in a position is −u·∂x/∂ξ, which gives (2). Exact derivatives: what is left is
// round-off.
//
// A moment n on a link acts as the forces ½ n × r at the three points r = R e_i seen from Bo, and their
// opposites at Bo: Σ r × (½ n × r) = ½ (3 n − n) = n.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/plain_figure.h"

namespace oracle {

struct Motion {
  std::vector<double> q, v, vdot, tau;
  std::vector<PlainWrench> wrenches;  // [nlink], or empty
};

// One number per direction. `scale` sums the magnitudes of what each link, joint and wrench puts into it.
struct Residual {
  std::vector<double> value, scale;

  // Each against its own row, with a floor against the largest: a row of zeros divides by something.
  double relative() const {
    double largest = 0, worst = 0;
    for (double s : scale) largest = std::max(largest, s);
    for (std::size_t k = 0; k < value.size(); ++k)
      worst = std::max(worst, std::abs(value[k]) / std::max(scale[k], 1e-6 * largest + 1e-300));
    for (double r : value)
      if (!std::isfinite(r)) worst = INFINITY;
    return worst;
  }
};

using Direction = std::vector<double>;  // [nv]

inline constexpr int batch = 8;

// −(virtual work of a wrench) along each direction, as the coefficients of ε₁ε₂ give it.
inline std::array<double, batch> virtual_work(const PlainWrench& F, const Pose<Rate<Jet<batch>>>& X) {
  std::array<double, batch> work{};
  for (int k = 0; k < batch; ++k)
    for (int i = 0; i < 3; ++i) work[k] += F.f[i] * X.p[i].x.d[k];
  for (int i = 0; i < 3; ++i) {
    const V3 r{X.R[0][i].x.a, X.R[1][i].x.a, X.R[2][i].x.a};
    const V3 force = scaled(0.5, crossed(F.n, r));
    for (int k = 0; k < batch; ++k)
      for (int j = 0; j < 3; ++j) work[k] += force[j] * X.R[j][i].x.d[k];
  }
  return work;
}

// The residual along up to `batch` directions, appended to `out`.
inline void residual_batch(const PlainFigure& figure, const Motion& m, const Direction* u, int count, Residual& out) {
  std::vector<Rate<Jet<batch>>> xi(static_cast<std::size_t>(figure.nv));
  for (std::size_t i = 0; i < xi.size(); ++i) {  // (3)
    xi[i].x.b = m.v[i];
    xi[i].dx.a = m.v[i], xi[i].dx.b = m.vdot[i];
    for (int k = 0; k < count; ++k) xi[i].x.d[k] = -u[k][i], xi[i].dx.c[k] = u[k][i];
  }
  const auto X = positions(figure, m.q, xi);
  std::array<double, batch> sum{}, magnitude{};
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Jet<batch> T = kinetic(figure.links[i], X[i]), V = potential(figure.links[i], figure.gravity, X[i]);
    std::array<double, batch> work{};
    if (!m.wrenches.empty()) work = virtual_work(m.wrenches[i], X[i]);
    for (int k = 0; k < batch; ++k) {
      sum[k] += T.d[k] - V.d[k] + work[k];
      magnitude[k] += std::abs(T.d[k]) + std::abs(V.d[k]) + std::abs(work[k]);
    }
  }
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < xi.size(); ++i) {
      sum[k] -= u[k][i] * m.tau[i];
      magnitude[k] += std::abs(u[k][i] * m.tau[i]);
    }
    out.value.push_back(sum[k]), out.scale.push_back(magnitude[k]);
  }
}

inline Residual residual_along(const PlainFigure& figure, const Motion& m, const std::vector<Direction>& directions) {
  Residual r;
  for (std::size_t k = 0; k < directions.size(); k += batch)
    residual_batch(figure, m, &directions[k], static_cast<int>(std::min<std::size_t>(batch, directions.size() - k)), r);
  return r;
}
// Along every coordinate.
inline Residual euler_lagrange(const PlainFigure& figure, const Motion& m) {
  const auto n = static_cast<std::size_t>(figure.nv);
  std::vector<Direction> units(n, Direction(n, 0.0));
  for (std::size_t k = 0; k < n; ++k) units[k][k] = 1;
  return residual_along(figure, m, units);
}

}  // namespace oracle
