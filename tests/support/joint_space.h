// The engine's joint-space inertia and bias as matrices, with their norms: what backward errors are measured with.
#pragma once

#include "marey/dynamics/dense_algebra.h"
#include "support/solvers.h"

namespace figures {

using marey::Matrix, marey::Vector;

struct JointSpace {
  Matrix M;
  Vector b;                    // velocities, gravity, wrenches: M v̇ + b = τ
  double norm = 0, kappa = 1;  // of M, in the 2-norm

  explicit JointSpace(const Figure& f) {
    marey::CrbaWorkspace<double> ws(f.model);
    marey::mass_matrix<double>(f.model, f.model.params, f.state.q, ws);
    M = Matrix(f.model.nv, f.model.nv);
    for (int i = 0; i < f.model.nv; ++i)
      for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = ws.M[static_cast<std::size_t>(i * f.model.nv + j)];
    const auto in = input_of<double>(f);
    b = Vector(inverse_dynamics(f.model, in, std::vector<double>(in.v.size(), 0.0)));
    if (f.model.nv == 0) return;
    const Vector values = eigenvalues(M);
    norm = values[f.model.nv - 1], kappa = norm / values[0];
  }
  // ‖M‖‖v̇‖ + ‖b‖ + ‖τ‖
  double scale(const std::vector<double>& vdot, const std::vector<double>& tau) const {
    return norm * Vector(vdot).norm() + b.norm() + Vector(tau).norm();
  }
  double backward_error(const std::vector<double>& vdot, const std::vector<double>& tau) const {
    return (M * Vector(vdot) + b - Vector(tau)).norm() / scale(vdot, tau);
  }
};

}  // namespace figures
