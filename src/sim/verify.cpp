// Agreement of solvers on the instants of a run.
//
// With everything that acts on the figure at an instant (elements, ground, floors, constraints) as given forces, each
// solver finds its own v̇. Measured are
//   backward error       ‖M v̇ + b − f − τ‖ / S ≤ 1e-12              S = ‖M‖‖v̇‖ + |b| + |f| + ‖τ‖                (1)
//   forward difference   ‖v̇ − v̇₁‖ / (‖M⁻¹‖ ε (S + |M v̇|)) ≤ 10      v̇₁: of the run itself                      (2)
// (b: velocities and gravity, f: forces from outside, apart since they cancel in a figure that rests). b and f are parts
// S · F of the wrenches F through the joints, which may be nearly nothing of them; |b| and |f| are what they are parts
// of, the norm over the freedoms of |S_ω||n| + |S_v||f|, with ‖J‖ω² and |h|ω² in |b|. The left side of (1) is found by
// rnea, which no solver here uses, but for the bias of crba.
//
// Of M the same is true as of b: an entry SᵀIS may be nearly nothing of |S|ᵀ|I||S|, as it is with a slender body that
// turns about its long axis. Solvers differ by the rounding of their I, in one frame or another, ‖M⁻¹ Sᵀ δI S v̇‖ with
// |δI| ≤ ε|I|, of which κ(M) knows nothing. So (2) counts |M v̇|, what M v̇ is made of: each link's |I||A| with A = S v̇,
// (‖J‖|α| + |h||a|, m|a| + |h||α|), summed from the leaves to the root as lengths, through the joints as above.
#include "sim/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/core/larger.h"
#include "marey/dynamics/dense_algebra.h"

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
double norm_of(const Sym3<double>& J) {  // Frobenius
  return std::sqrt(J.xx * J.xx + J.yy * J.yy + J.zz * J.zz + 2 * (J.xy * J.xy + J.xz * J.xz + J.yz * J.yz));
}

// ‖v̇ − v̇₁‖ in units of (2). Where M is singular to rounding there is no such unit, and nothing but equality agrees.
double in_units(double difference, double unit) {
  if (difference == 0) return 0;
  const bool measured = std::isfinite(difference) && unit > 0 && std::isfinite(unit);
  return measured ? difference / unit : std::numeric_limits<double>::infinity();
}

}  // namespace

Verifier::Verifier(const Scene& scene)
    : model_(scene.model),
      maximal_(scene.solver.dynamics == Dynamics::multipliers),
      aba_(scene.model),
      crba_(scene.model),
      weightless_(scene.model.params),
      kinematics_(scene.model),
      axes_(scene.model),
      rnea_(scene.model),
      reference_(static_cast<std::size_t>(scene.model.nv)),
      vdot_(reference_),
      tau_(reference_),
      zero_(reference_),
      sizes_(scene.model.links.size()) {
  weightless_.gravity = {};
  for (const Dynamics d :
       {Dynamics::armstrong, Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers}) {
    SolverOptions options;
    options.dynamics = d;
    if (!refusal(model_, options).empty() || (d == Dynamics::crba && model_.nv > largest_matrix)) continue;
    candidates_.push_back({d, Solver(model_, options)});
    result_.solvers.push_back({name_of(d), 0, 0, 0});
  }
  if (!baraff_refusal(model_).empty()) return;
  baraff_.emplace(model_);
  result_.solvers.push_back({"baraff", 0, 0, 0});
}

void Verifier::measure_inertia(const State& state) {
  kappa_ = 1, norm_ = 0;
  if (model_.nv == 0 || model_.nv > largest_matrix) return;
  mass_matrix<double>(model_, model_.params, state.q, crba_);
  Matrix M(model_.nv, model_.nv);
  for (int i = 0; i < model_.nv; ++i)
    for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = crba_.M[static_cast<std::size_t>(i * model_.nv + j)];
  const Vector values = eigenvalues(M);
  norm_ = values[model_.nv - 1];
  const double least = values[0];  // not above zero: lost in the rounding of the largest
  kappa_ = least > 0 ? norm_ / least : std::numeric_limits<double>::infinity();
  result_.condition = larger_or_nan(result_.condition, kappa_);
}

// The norm over the freedoms of |S_ω| n + |S_v| f, with the wrenches' lengths in sizes_.
double Verifier::through_joints() const {
  double sum = 0;
  for (int i = 1; i < model_.nlink(); ++i) {
    const LinkTopology& link = model_.links[i];
    const Lengths& F = sizes_[static_cast<std::size_t>(i)];
    for (int k = 0; k < freedom_count(link); ++k) {
      const Twist<double>& S = axes_.S_W[static_cast<std::size_t>(link.v + k)];
      const double part = norm(S.w) * F.angular + norm(S.v) * F.linear;
      sum += part * part;
    }
  }
  return std::sqrt(sum);
}

// |b|, |f| of (1): from the wrenches through the joints, as rnea left them.
double Verifier::size_of_wrenches() {
  for (int i = 1; i < model_.nlink(); ++i) {
    const Wrench<double>& F = rnea_.links[static_cast<std::size_t>(i)].F;
    sizes_[static_cast<std::size_t>(i)] = {norm(F.n), norm(F.f)};
  }
  return through_joints();
}

// |M v̇| of (2).
double Verifier::size_of_inertia(const State& s, std::span<const double> vdot) {
  rnea<double>(model_, weightless_, s.q, zero_, vdot, {}, rnea_, tau_);
  sizes_[0] = {};
  for (std::size_t i = 1; i < sizes_.size(); ++i) {
    const Inertia<double>& I = model_.params.links[i].I;
    const double alpha = norm(rnea_.links[i].w_dot), a = norm(rnea_.links[i].a), h = norm(I.h);
    sizes_[i] = {norm_of(I.J) * alpha + h * a, I.m * a + h * alpha};
  }
  return through_joints_summed();
}

// What the terms of ω are made of, which cancel where a body turns about a principal axis.
double Verifier::size_of_gyration() {
  sizes_[0] = {};
  for (std::size_t i = 1; i < sizes_.size(); ++i) {
    const Inertia<double>& I = model_.params.links[i].I;
    const double square = norm_squared(rnea_.links[i].w);
    sizes_[i] = {norm_of(I.J) * square, norm(I.h) * square};
  }
  return through_joints_summed();
}

// Of each link's own sizes the sums from the leaves to the root.
double Verifier::through_joints_summed() {
  for (std::size_t i = sizes_.size() - 1; i > 0; --i) {
    Lengths& parent = sizes_[static_cast<std::size_t>(model_.links[i].parent)];
    parent.angular += sizes_[i].angular + norm(rnea_.links[i].r) * sizes_[i].linear;
    parent.linear += sizes_[i].linear;
  }
  return through_joints();
}

// S of (1), but for ‖M‖‖v̇‖.
void Verifier::measure_forces(const State& s, const Forces<double>& forces) {
  forward_kinematics<double>(model_, model_.params, s.q, s.v, kinematics_);
  motion_axes(model_, model_.params, kinematics_, axes_);
  rnea<double>(model_, model_.params, s.q, s.v, zero_, {}, rnea_, tau_);
  size_ = size_of_wrenches() + size_of_gyration() + norm_of(forces.tau);
  rnea<double>(model_, weightless_, s.q, zero_, zero_, forces.F_Bo_W, rnea_, tau_);
  size_ += size_of_wrenches();
}

double Verifier::residual(const State& s, const Forces<double>& forces, std::span<const double> vdot) {
  rnea<double>(model_, model_.params, s.q, s.v, vdot, forces.F_Bo_W, rnea_, tau_);
  for (std::size_t i = 0; i < forces.tau.size(); ++i) tau_[i] -= forces.tau[i];
  return norm_of(tau_);
}

void Verifier::compare(World& world) {
  const State& s = world.state();
  const Forces<double> forces = world.everything_that_acts(reference_);
  if (world.masses_change()) weightless_.links = model_.params.links;
  // Bodies in maximal coordinates are not quite on their joints: there aba answers for where the joints are.
  if (maximal_) aba<double>(model_, model_.params, s.q, s.v, forces, aba_, reference_);
  measure_inertia(s);
  measure_forces(s, forces);
  ++result_.instants;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    candidates_[k].solver.solve(s.q, s.v, forces, vdot_);
    judge(s, forces, result_.solvers[k]);
  }
  if (!baraff_) return;
  baraff(model_, model_.params, s.q, s.v, forces, *baraff_, vdot_);
  judge(s, forces, result_.solvers.back());
}

void Verifier::judge(const State& s, const Forces<double>& forces, Verification::Entry& entry) {
  const double S = norm_ * norm_of(vdot_) + size_, backward = S == 0 ? 0 : residual(s, forces, vdot_) / S;
  const double unit = kappa_ / norm_ * std::numeric_limits<double>::epsilon() * (S + size_of_inertia(s, vdot_));
  for (std::size_t i = 0; i < vdot_.size(); ++i) vdot_[i] -= reference_[i];
  const double forward = norm_ == 0 ? 0 : in_units(norm_of(vdot_), unit);  // without ‖M⁻¹‖ (1) decides alone
  entry.backward = larger_or_nan(entry.backward, backward);
  if (forward > entry.forward) entry.forward = forward, entry.at = s.t;
  result_.agree = result_.agree && backward <= backward_bound && forward <= forward_bound;
}

}  // namespace marey
