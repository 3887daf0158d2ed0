// Agreement of solvers on the instants of a run.
//
// With everything that acts on the figure at an instant (elements, ground, floors, constraints) as given forces, each
// solver finds its own v̇. Measured are
//   backward error       ‖M v̇ + b − f − τ‖ / S ≤ 1e-12      S = ‖M‖‖v̇‖ + |b| + |f| + ‖τ‖                        (1)
//   forward difference   ‖v̇ − v̇₁‖ / (κ(M) ε S/‖M‖) ≤ 10     v̇₁: of the run itself                              (2)
// (b: velocities and gravity, f: forces from outside, apart since they cancel in a figure that rests). b and f are parts
// S · F of the wrenches F through the joints, which may be nearly nothing of them; |b| and |f| are what they are parts
// of, the norm over the freedoms of |S_ω||n| + |S_v||f|. The left side of (1) is found by rnea, which no solver here
// uses, but for the bias of crba.
#include "sim/verify.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace marey {
namespace {

constexpr double backward_bound = 1e-12, forward_bound = 10;
// Larger mass matrices are not decomposed: that would take longer than the run.
constexpr int largest_matrix = 400;

double norm_of(std::span<const double> x) {
  double sum = 0;
  for (const double a : x) sum += a * a;
  return std::sqrt(sum);
}

}  // namespace

Verifier::Verifier(const Scene& scene)
    : model_(scene.model),
      crba_(scene.model),
      weightless_(scene.model.params),
      kinematics_(scene.model),
      axes_(scene.model),
      rnea_(scene.model),
      reference_(static_cast<std::size_t>(scene.model.nv)),
      vdot_(reference_),
      tau_(reference_),
      zero_(reference_) {
  weightless_.gravity = {};
  for (const Dynamics d :
       {Dynamics::armstrong, Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers}) {
    SolverOptions options;
    options.dynamics = d;
    if (!refusal(model_, options).empty() || (d == Dynamics::crba && model_.nv > largest_matrix)) continue;
    candidates_.push_back({d, Solver(model_, options)});
    result_.solvers.push_back({name_of(d), 0, 0, 0});
  }
}

void Verifier::measure_inertia(const State& state) {
  kappa_ = 1, norm_ = 0;
  if (model_.nv == 0 || model_.nv > largest_matrix) return;
  mass_matrix<double>(model_, model_.params, state.q, crba_);
  Eigen::MatrixXd M(model_.nv, model_.nv);
  for (int i = 0; i < model_.nv; ++i)
    for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = crba_.M[static_cast<std::size_t>(i * model_.nv + j)];
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M, Eigen::EigenvaluesOnly);
  norm_ = eigen.eigenvalues().maxCoeff();
  kappa_ = norm_ / eigen.eigenvalues().minCoeff();
  result_.condition = std::max(result_.condition, kappa_);
}

// |b|, |f| of (1): from the wrenches through the joints, as rnea left them.
double Verifier::size_of_wrenches() const {
  double sum = 0;
  for (int i = 1; i < model_.nlink(); ++i) {
    const LinkTopology& link = model_.links[i];
    const Wrench<double>& F = rnea_.links[static_cast<std::size_t>(i)].F;
    for (int k = 0; k < freedom_count(link); ++k) {
      const Twist<double>& S = axes_.S_W[static_cast<std::size_t>(link.v + k)];
      const double part = norm(S.w) * norm(F.n) + norm(S.v) * norm(F.f);
      sum += part * part;
    }
  }
  return std::sqrt(sum);
}

// S of (1), but for ‖M‖‖v̇‖.
void Verifier::measure_forces(const State& s, const Forces<double>& forces) {
  forward_kinematics<double>(model_, model_.params, s.q, s.v, kinematics_);
  motion_axes(model_, model_.params, s.q, kinematics_.X_WB, axes_);
  rnea<double>(model_, model_.params, s.q, s.v, zero_, {}, rnea_, tau_);
  size_ = size_of_wrenches() + norm_of(forces.tau);
  rnea<double>(model_, weightless_, s.q, zero_, zero_, forces.F_Bo_W, rnea_, tau_);
  size_ += size_of_wrenches();
}

double Verifier::residual(const State& s, const Forces<double>& forces, std::span<const double> vdot) {
  rnea<double>(model_, model_.params, s.q, s.v, vdot, forces.F_Bo_W, rnea_, tau_);
  for (std::size_t i = 0; i < forces.tau.size(); ++i) tau_[i] -= forces.tau[i];
  return norm_of(tau_);
}

void Verifier::look(World& world) {
  const State& s = world.state();
  const Forces<double> forces = world.everything_that_acts(reference_);
  measure_inertia(s);
  measure_forces(s, forces);
  ++result_.instants;
  const bool has_unit = norm_ > 0;  // else (1) decides alone
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    candidates_[k].solver.solve(s.q, s.v, forces, vdot_);
    Verification::Entry& entry = result_.solvers[k];
    const double S = norm_ * norm_of(vdot_) + size_, backward = S > 0 ? residual(s, forces, vdot_) / S : 0;
    for (std::size_t i = 0; i < vdot_.size(); ++i) vdot_[i] -= reference_[i];
    const double unit = kappa_ * std::numeric_limits<double>::epsilon() * S / norm_;
    const double forward = has_unit && unit > 0 ? norm_of(vdot_) / unit : 0;
    entry.backward = std::max(entry.backward, backward);
    if (forward > entry.forward) entry.forward = forward, entry.at = s.t;
    result_.agree = result_.agree && backward <= backward_bound && forward <= forward_bound;
  }
}

}  // namespace marey
