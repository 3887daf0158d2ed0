// Armstrong's slow band (A2) in a run. Its coefficients are computed once for ν steps, and in between the fast band goes on
// with them: at an age of k steps it takes v̇ with coefficients c(t) in the place of c(t + k h), and so errs by
//   δv̇ = −k h (∂v̇/∂c) ċ + O(h²)
// Where c is taken at the first of the ν steps, as the print does it, these errors add up over them to
// ½ ν (ν − 1) h (∂v̇/∂c) ċ, always to the same side: an error of first order in the motion, with a factor ½ (ν − 1). Here c
// is that of the middle of the steps it is used in, t + a h with a = ½ (ν − 1): the errors (k − a) h (∂v̇/∂c) ċ of the ν
// steps add up to zero, and what is left is of second order. Where the motion will be in the middle follows from where it
// is, with v̇ from the velocities at the last two steps:
//   v_a = v + a (v − v_before),   q_a = q ⊕ a h (v + ½ a (v − v_before))
// which is wrong by O(h²), as the rest. The coefficients stay those of one pose, in agreement with each other (a mass
// matrix is symmetric and positive, momenta fit); extrapolated ones would not be. When something happens (an impact, the
// edge of a spike), v before it says nothing any more: the coefficients are made anew there, with v̇ = 0 in the prediction.
#include "marey/plant/solver.h"

#include <algorithm>

#include "marey/integrate/turn.h"

namespace marey {

const char* name_of(ContactDriver d) { return d == ContactDriver::events ? "events" : "stepping"; }
const char* name_of(ContactAccuracy a) {
  return a == ContactAccuracy::tight ? "tight" : a == ContactAccuracy::fast ? "fast" : "auto";
}

Solver::Solver(const Model& model, const SolverOptions& options) : model_(model), options_(options) {
  switch (options.dynamics) {
    case Dynamics::armstrong:
      armstrong_.emplace(model);
      if (banded()) {
        trend_.assign(static_cast<std::size_t>(model.nv) + 1, 0.0);
        q_ahead_.resize(static_cast<std::size_t>(model.nq));
        v_ahead_.resize(static_cast<std::size_t>(model.nv)), way_ = v_ahead_;
      }
      if (options.slow_band > 1 && options.spread) next_.emplace(model);
      break;
    case Dynamics::aba:
      aba_.emplace(model);
      first_moment_.emplace(model);
      momenta_.emplace(model);
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
  if (first_moment_) first_moment_->take_masses(model_);
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

bool Solver::place_with_momenta(std::span<const double> q, std::span<const double> v) {
  if (aba_) aba_motion(model_, model_.params, q, v, *aba_, *momenta_, *first_moment_);
  return moment_found_ = aba_.has_value();
}

Totals<double> Solver::totals() {
  Totals<double> t;
  t.kinetic = momenta_->kinetic, t.momentum = momenta_->L[0];
  t.mass = first_moment_->mass();
  add_first_moment(t.first_moment);
  t.gravity_potential = -dot(model_.params.gravity, t.first_moment);
  return t;
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

// ---- the slow band
void Solver::begin_step(long long step, std::span<const double> q, std::span<const double> v) {
  if (!banded()) return;
  const bool anew = step == 0 || trend_.back() == 0;
  const int nu = options_.slow_band, share = static_cast<int>(step % nu);
  if (options_.spread)
    spread_step(share, anew, q, v);
  else if (anew || share == 0)
    whole_slow_band(0.5 * (nu - share - 1), q, v);
  std::copy(v.begin(), v.end(), trend_.begin());
  trend_.back() = 1;
}

void Solver::happened() {
  if (banded()) trend_.back() = 0;
}

// q ⊕ way, of joints that armstrong() knows. Quaternions are left at the length this gives them, which it does not mind.
void Solver::follow_way(std::span<const double> q) {
  for (const LinkTopology& link : model_.links) {
    const int free = link.joint == JointType::free ? 3 : 0, position = link.q + 4;
    if (link.joint != JointType::ball && free == 0) continue;
    const double* way = way_.data() + link.v;
    const Quaternion<double> turned = Quaternion<double>{q[link.q], q[link.q + 1], q[link.q + 2], q[link.q + 3]} *
                                      quaternion_of_first_order(Vec3<double>{way[0], way[1], way[2]});
    double* out = q_ahead_.data() + link.q;
    out[0] = turned.w, out[1] = turned.x, out[2] = turned.y, out[3] = turned.z;
    for (int k = 0; k < free; ++k) q_ahead_[position + k] = q[position + k] + way[3 + k];
  }
}

void Solver::look_ahead(double steps, std::span<const double> q, std::span<const double> v,
                        ArmstrongWorkspace<double>& ws) {
  const double known = trend_.back(), seconds = steps * options_.step;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double change = known != 0 ? steps * (v[i] - trend_[i]) : 0;
    v_ahead_[i] = v[i] + change;
    way_[i] = seconds * (v[i] + 0.5 * change);
  }
  follow_way(q);
  armstrong_kinematics<double>(model_, model_.params, q_ahead_, v_ahead_, ws);
}

void Solver::whole_slow_band(double steps_ahead, std::span<const double> q, std::span<const double> v) {
  look_ahead(steps_ahead, q, v, *armstrong_);
  armstrong_slow_band<double>(model_, model_.params, model_.nlink() - 1, 1, *armstrong_);
}

// Every ν steps a pose ahead is taken; during these ν steps its coefficients are worked out, one share of the links a step;
// then they replace the old ones. So they are made ν steps before their first use, for the middle of the ν that follow.
void Solver::spread_step(int share, bool anew, std::span<const double> q, std::span<const double> v) {
  const int nu = options_.slow_band, links = model_.nlink() - 1;
  if (anew)
    whole_slow_band(0.5 * (nu - share - 1), q, v);
  else if (share == 0)
    std::swap(armstrong_->links, next_->links);
  if (anew || share == 0) look_ahead(nu - share + 0.5 * (nu - 1), q, v, *next_);
  const int from = anew ? links : links - links * share / nu, to = links - links * (share + 1) / nu + 1;
  armstrong_slow_band<double>(model_, model_.params, from, to, *next_);
}

std::span<std::byte> Solver::band_bytes(int which) {
  if (!banded()) return {};
  if (which == 2) return std::as_writable_bytes(std::span(trend_));
  if (which == 0) return std::as_writable_bytes(std::span(armstrong_->links));
  return next_ ? std::as_writable_bytes(std::span(next_->links)) : std::span<std::byte>{};
}

std::vector<double> Solver::memory() const { return reuse_ ? reuse_->memory() : std::vector<double>{}; }
void Solver::recall(std::span<const double> x) {
  if (reuse_) reuse_->recall(model_, model_.params, x);
}

}  // namespace marey
