#include "marey/plant/solver.h"

namespace marey {

Solver::Solver(const Model& model, const SolverOptions& options) : model_(model), options_(options) {
  switch (options.dynamics) {
    case Dynamics::armstrong:
      armstrong_.emplace(model);
      if (options.slow_band > 1 && options.spread) next_.emplace(model);
      break;
    case Dynamics::aba:
      aba_.emplace(model);
      first_moment_.emplace(model);
      break;
    case Dynamics::crba:
      if (options.reuse > 0)
        reuse_.emplace(model);
      else
        crba_.emplace(model);
      break;
    case Dynamics::multipliers:
      multipliers_.emplace(model);
      break;
    case Dynamics::dense:
      break;
  }
}

void Solver::masses_changed() {
  if (first_moment_) first_moment_.emplace(model_);
}

void Solver::solve(std::span<const double> q, std::span<const double> v, const Forces<double>& forces,
                   std::span<double> vdot) {
  const Params<double>& params = model_.params;
  switch (options_.dynamics) {
    case Dynamics::armstrong:
      if (banded()) return armstrong_fast_band<double>(model_, params, forces, *armstrong_, vdot);
      return armstrong<double>(model_, params, q, v, forces, *armstrong_, vdot);
    case Dynamics::aba:
      return aba<double>(model_, params, q, v, forces, *aba_, vdot);
    case Dynamics::crba:
      if (reuse_) return crba_reuse(model_, params, q, v, forces, options_.reuse, *reuse_, vdot);
      return crba<double>(model_, params, q, v, forces, *crba_, vdot);
    case Dynamics::dense:
      return dense(model_, params, q, v, forces, vdot);
    case Dynamics::multipliers:  // a run has its own coordinates for it: marey/plant/maximal_plant.h
      return multipliers<double>(model_, params, q, v, forces, *multipliers_, vdot);
  }
}

void Solver::place(std::span<const double> q, std::span<const double> v, Kinematics<double>& k) {
  moment_found_ = false;
  if (aba_) return aba_motion<double>(model_, model_.params, q, v, *aba_, k);
  forward_kinematics<double>(model_, model_.params, q, v, k);
}

bool Solver::place_without_links(std::span<const double> q, std::span<const double> v) {
  moment_found_ = false;
  if (aba_) aba_motion<double>(model_, model_.params, q, v, *aba_);
  return aba_.has_value();
}

bool Solver::add_first_moment(Vec3<double>& sum) {
  if (!aba_) return false;
  if (!moment_found_) {
    first_moment_->begin();
    for (std::size_t i = model_.links.size() - 1; i > 0; --i)
      first_moment_->pass(i, static_cast<std::size_t>(model_.links[i].parent), aba_->links[i]);
    moment_found_ = true;
  }
  sum += first_moment_->value();
  return true;
}

void Solver::solve_placed(std::span<const double> q, std::span<const double> v, const Forces<double>& forces,
                          std::span<double> vdot) {
  if (!aba_) return solve(q, v, forces, vdot);
  aba_forces(model_, model_.params, forces, *aba_, vdot, *first_moment_);
  moment_found_ = true;
}

bool Solver::factor_placed() {
  if (aba_) aba_forces<double>(model_, model_.params, {}, *aba_, {});
  return aba_.has_value();
}

void Solver::whole_slow_band(std::span<const double> q, std::span<const double> v, ArmstrongWorkspace<double>& ws) {
  armstrong_kinematics<double>(model_, model_.params, q, v, ws);
  armstrong_slow_band<double>(model_, model_.params, model_.nlink() - 1, 1, ws);
}

void Solver::begin_step(long long step, std::span<const double> q, std::span<const double> v) {
  if (!banded()) return;
  if (options_.spread) return spread_step(step, q, v);
  if (step % options_.slow_band == 0) whole_slow_band(q, v, *armstrong_);
}

// A snapshot is taken every ν steps; during the next ν steps its coefficients are worked out, one share of the links a
// step; then they replace the old ones. So the coefficients in use are between ν and 2ν steps old.
void Solver::spread_step(long long step, std::span<const double> q, std::span<const double> v) {
  const int nu = options_.slow_band, share = static_cast<int>(step % nu), links = model_.nlink() - 1;
  if (step == 0) whole_slow_band(q, v, *armstrong_);
  if (share == 0) {
    if (step > 0) std::swap(armstrong_->links, next_->links);
    armstrong_kinematics<double>(model_, model_.params, q, v, *next_);
  }
  const int from = links - links * share / nu, to = links - links * (share + 1) / nu + 1;
  armstrong_slow_band<double>(model_, model_.params, from, to, *next_);
}

std::span<std::byte> Solver::band_bytes(int which) {
  if (!banded()) return {};
  if (which == 0) return std::as_writable_bytes(std::span(armstrong_->links));
  return next_ ? std::as_writable_bytes(std::span(next_->links)) : std::span<std::byte>{};
}

std::vector<double> Solver::memory() const { return reuse_ ? reuse_->memory() : std::vector<double>{}; }
void Solver::recall(std::span<const double> x) {
  if (reuse_) reuse_->recall(model_, model_.params, x);
}

}  // namespace marey
