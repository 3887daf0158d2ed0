// Balances of momentum by summation over bodies, from positions alone: the mass centre's second derivative,
// the derivative of each body's angular momentum R I_c ω. No recursion: the force in a joint is the sum over
// all links beyond it of (rate of momentum − gravity − wrenches from outside).
#pragma once

#include <vector>

#include "support/euler_lagrange.h"

namespace oracle {

// Linear momentum, and angular momentum about the world's origin, with their rates along given accelerations.
struct Momentum {
  V3 linear{}, angular{}, linear_rate{}, angular_rate{};
};

// No ε₂ is used here.
using Second = Rate<Jet<1>>;  // ε marks velocity, ε₁ the change along the path: ε ε₁ is acceleration

inline std::vector<Pose<Second>> accelerated_positions(const PlainFigure& figure, const Motion& m) {
  std::vector<Second> xi(static_cast<std::size_t>(figure.nv));
  for (std::size_t i = 0; i < xi.size(); ++i) xi[i].x.b = xi[i].dx.a = m.v[i], xi[i].dx.b = m.vdot[i];
  return positions(figure, m.q, xi);
}

inline Momentum momentum_of(const PlainLink& link, const Pose<Second>& X) {
  const auto centre = mass_centre(link, X);
  Matrix<Jet<1>> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R[i][j] = X.R[i][j].x;
  const Vector<Jet<1>> p = scaled(link.m, rate(centre));
  const Vector<Jet<1>> h = plus(times(R, times(link.Ic, spin(X.R))), crossed(value(centre), p));
  Momentum out;
  for (int i = 0; i < 3; ++i) {
    out.linear[i] = p[i].a, out.linear_rate[i] = p[i].b;
    out.angular[i] = h[i].a, out.angular_rate[i] = h[i].b;
  }
  return out;
}

inline Momentum total_momentum(const PlainFigure& figure, const Motion& m) {
  const auto X = accelerated_positions(figure, m);
  Momentum sum;
  for (std::size_t i = 1; i < X.size(); ++i) {
    const Momentum one = momentum_of(figure.links[i], X[i]);
    sum.linear = plus(sum.linear, one.linear), sum.angular = plus(sum.angular, one.angular);
    sum.linear_rate = plus(sum.linear_rate, one.linear_rate);
    sum.angular_rate = plus(sum.angular_rate, one.angular_rate);
  }
  return sum;
}

// Gravity and the wrenches from outside on one link, about the world's origin, in W.
inline PlainWrench outside_wrench(const PlainFigure& figure, const Motion& m, std::size_t i, const Pose<Second>& X) {
  const PlainLink& link = figure.links[i];
  V3 p, c;
  const auto centre = mass_centre(link, X);
  for (int k = 0; k < 3; ++k) p[k] = X.p[k].x.a, c[k] = centre[k].x.a;
  const V3 weight = scaled(link.m, figure.gravity);
  PlainWrench F{crossed(c, weight), weight};
  if (!m.wrenches.empty()) {
    const PlainWrench& outside = m.wrenches[i];
    F.n = plus(F.n, plus(outside.n, crossed(p, outside.f)));
    F.f = plus(F.f, outside.f);
  }
  return F;
}

// [nlink] What each link's joint must exert on the link for the given accelerations to be true: moment about
// the world's origin and force, in W. Entry 0 sums what the world exerts on all roots.
inline std::vector<PlainWrench> joint_wrenches(const PlainFigure& figure, const Motion& m) {
  const auto X = accelerated_positions(figure, m);
  std::vector<PlainWrench> on(X.size());
  for (std::size_t i = X.size() - 1; i > 0; --i) {
    const Momentum momentum = momentum_of(figure.links[i], X[i]);
    const PlainWrench outside = outside_wrench(figure, m, i, X[i]);
    // Every joint between this link and the world carries it.
    for (std::size_t j = i;; j = static_cast<std::size_t>(figure.links[j].parent)) {
      on[j].n = plus(on[j].n, minus(momentum.angular_rate, outside.n));
      on[j].f = plus(on[j].f, minus(momentum.linear_rate, outside.f));
      if (j == 0) break;
    }
  }
  return on;
}

// The same about the joint's origin Bo.
inline PlainWrench about_joint(const PlainWrench& F, const Pose<Second>& X) {
  const V3 p{X.p[0].x.a, X.p[1].x.a, X.p[2].x.a};
  return {minus(F.n, crossed(p, F.f)), F.f};
}

}  // namespace oracle
