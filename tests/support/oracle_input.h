// From the engine's words to the oracles' and back.
#pragma once

#include <vector>

#include "support/newton_euler_sum.h"
#include "support/random_figure.h"

namespace oracle {

// State and forces of a figure with accelerations given by a solver; none given: zero.
inline Motion motion_of(const figures::Figure& f, const std::vector<double>& vdot) {
  Motion m{f.state.q, f.state.v, vdot, f.tau, {}};
  if (vdot.empty()) m.vdot.assign(f.state.v.size(), 0.0);
  for (const marey::Wrench<double>& F : f.F_Bo_W) m.wrenches.push_back({plain(F.n), plain(F.f)});
  return m;
}

// The power of a wrench about Bo, in W, on link i when the k-th velocity of its joint alone is 1.
inline double power_along(const PlainFigure& figure, const Motion& m, std::size_t i, int k, const PlainWrench& F) {
  std::vector<double> v(static_cast<std::size_t>(figure.nv));
  v[static_cast<std::size_t>(figure.links[i].v + k)] = 1;
  const Pose<Rate<double>> X = moving_positions(figure, m.q, v)[i];
  const V3 w_B = spin(X.R), velocity = rate(X.p);
  double sum = inner(F.f, velocity);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) sum += F.n[r] * X.R[r][c].x * w_B[c];
  return sum;
}

// What joint wrenches (about the world's origin) are along the freedoms of the joints: the τ they amount to.
inline std::vector<double> along_freedoms(const PlainFigure& figure, const Motion& m,
                                          const std::vector<PlainWrench>& on) {
  const auto X = accelerated_positions(figure, m);
  std::vector<double> tau(static_cast<std::size_t>(figure.nv));
  for (std::size_t i = 1; i < figure.links.size(); ++i) {
    const PlainLink& link = figure.links[i];
    const PlainWrench F = about_joint(on[i], X[i]);
    M3 R_WB, R_WP;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        R_WB[r][c] = X[i].R[r][c].x.a;
        R_WP[r][c] = X[static_cast<std::size_t>(link.parent)].R[r][c].x.a;
      }
    const V3 n_B = times(transposed(R_WB), F.n), f_F = times(transposed(times(R_WP, link.R_PF)), F.f);
    double* t = tau.data() + link.v;
    using marey::JointType;
    switch (link.joint) {
      case JointType::weld:
        break;
      case JointType::hinge:
        t[0] = inner(link.axis, n_B);
        break;
      case JointType::slider:
        t[0] = inner(link.axis, f_F);
        break;
      case JointType::point:
        for (int k = 0; k < 3; ++k) t[k] = f_F[k];
        break;
      case JointType::ball:
      case JointType::free:
        for (int k = 0; k < 3; ++k) t[k] = n_B[k];
        if (link.joint == JointType::free)
          for (int k = 0; k < 3; ++k) t[3 + k] = f_F[k];
        break;
      default:
        for (int k = 0; k < link.freedoms; ++k) t[k] = power_along(figure, m, i, k, F);
    }
  }
  return tau;
}

}  // namespace oracle
