// The engine's joint-space inertia and bias as matrices, with their norms: what backward errors are measured with.
#pragma once

// gcc 12 takes Eigen's AVX-512 intrinsics for uninitialised reads.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <Eigen/Dense>

#include "support/solvers.h"

namespace figures {

inline Eigen::VectorXd eigen(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

struct JointSpace {
  Eigen::MatrixXd M;
  Eigen::VectorXd b;           // velocities, gravity, wrenches: M v̇ + b = τ
  double norm = 0, kappa = 1;  // of M, in the 2-norm

  explicit JointSpace(const Figure& f) {
    marey::CrbaWorkspace<double> ws(f.model);
    marey::mass_matrix<double>(f.model, f.model.params, f.state.q, ws);
    M.resize(f.model.nv, f.model.nv);
    for (int i = 0; i < f.model.nv; ++i)
      for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = ws.M[static_cast<std::size_t>(i * f.model.nv + j)];
    const auto in = input_of<double>(f);
    b = eigen(inverse_dynamics(f.model, in, std::vector<double>(in.v.size(), 0.0)));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(M, Eigen::EigenvaluesOnly);
    norm = solver.eigenvalues().maxCoeff(), kappa = norm / solver.eigenvalues().minCoeff();
  }
  // ‖M‖‖v̇‖ + ‖b‖ + ‖τ‖
  double scale(const std::vector<double>& vdot, const std::vector<double>& tau) const {
    return norm * eigen(vdot).norm() + b.norm() + eigen(tau).norm();
  }
  double backward_error(const std::vector<double>& vdot, const std::vector<double>& tau) const {
    return (M * eigen(vdot) + b - eigen(tau)).norm() / scale(vdot, tau);
  }
};

}  // namespace figures
