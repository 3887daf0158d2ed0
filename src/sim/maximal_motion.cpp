// Semi-implicit steps with projection. q ⊕ h v′ with v′ = v + h v̇ is to lie where the joints hold, and for J v = 0
//   g(q ⊕ h v′) = h² (J v̇ + ½ J̇ v) + O(h³)
// so that v̇ must answer half of what J v̇ + J̇ v = 0 asks for. The projection of v′ at the new place gives the other half:
// the two halves of RATTLE (Andersen 1983). All of it at the old place would leave g = ½ h² J̇ v to be put back without a
// change of velocity, and a body that goes round at ω would gain (h ω)² of its energy in every step, until nothing is left
// of the motion. Wrenches, v̇ of the joints and the books are those of J v̇ + J̇ v = 0 all the same.
#include "sim/maximal_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraint/parts.h"
#include "core/larger.h"
#include "dynamics/least_wrench.h"

namespace marey {
namespace {

constexpr int most_returns = 12;
constexpr double round_off = 1e-14;

}  // namespace

MaximalMotion::MaximalMotion(const Scene& scene)
    : scene_(scene),
      bodies_(maximal(scene.model)),
      reduced_(scene.start),
      beta_(scene.solver.stabilisation == Stabilisation::baumgarte ? 1 / scene.solver.stabilisation_time : 0),
      ws_(scene.model),
      outside_(scene.model.links.size()),
      in_halves_(scene.solver.integrator == Integrator::semi_implicit &&
                 scene.solver.stabilisation == Stabilisation::projection),
      half_(scene.model.links.size()),
      kinematics_(scene.model),
      error_(scene.model.links.size()),
      error_rate_(error_) {}

Instant<double> MaximalMotion::look(double t, std::span<const double> q, std::span<const double> v,
                                    Kinematics<double>& kinematics, const Past* past) {
  const Model& model = scene_.model;
  maximal_kinematics(q, v, kinematics);
  std::copy(reduced_.q.begin(), reduced_.q.end(), ws_.q.begin());
  joint_errors(model, model.params, kinematics, ws_.q, ws_.v, ws_.error, ws_.error_rate);
  general_motions(model, model.params, ws_.q, kinematics);
  return {model, t, ws_.q, ws_.v, kinematics.X_WB, kinematics.V_WB, past};
}

void MaximalMotion::solve(const Instant<double>& now, const Kinematics<double>& kinematics,
                          const Forces<double>& forces, std::span<double> vdot) {
  const Model& model = scene_.model;
  look_at_rows(now);
  maximal_factor(model, model.params, kinematics, beta_, ws_);
  MultiplierLoad<double> load{forces.tau, forces.F_Bo_W, true, {}};
  if (in_halves_) {
    for (std::size_t i = 1; i < half_.size(); ++i) half_[i] = {0.5 * ws_.links[i].k.w, 0.5 * ws_.links[i].k.v};
    load.k = half_;
    solve_rows(load, 0.5);
    maximal_accelerations(kinematics, ws_, vdot);
    load.k = {};
  }
  solve_rows(load, 1);
  if (!rows_.empty()) {
    if (forces.F_Bo_W.empty())
      std::fill(outside_.begin(), outside_.end(), Wrench<double>{});
    else
      std::copy(forces.F_Bo_W.begin(), forces.F_Bo_W.end(), outside_.begin());
    add_wrenches(outside_);
    load.F_Bo_W = outside_;
  }
  multiplier_refine<double>(model, model.params, kinematics, load, ws_);
  if (!in_halves_) maximal_accelerations(kinematics, ws_, vdot);
}

// `part` of the acceleration that the rows' bias asks for.
void MaximalMotion::solve_rows(const MultiplierLoad<double>& load, double part) {
  if (rows_.empty()) return multiplier_solve<double>(scene_.model, load, ws_);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    wanted_[i] = -part_of_bias(constraints_->constraint(source_[i]), part) * rows_[i].bias -
                 beta_ * (2 * rows_[i].rate + beta_ * rows_[i].value);
  loop_solver_->solve(scene_.model, load, rows_, wanted_, ws_);
}

Wrench<double> MaximalMotion::wrench_of_general_joint(int link, std::span<const double> tau) const {
  const MultiplierLink<double>& b = ws_.links[static_cast<std::size_t>(link)];
  JointMotions<double> S{};
  std::copy_n(b.S, b.freedoms, S.begin());
  return LeastWrench<double>(S, b.freedoms)(tau.data() + scene_.model.links[static_cast<std::size_t>(link)].v);
}

// ---- constraints
void MaximalMotion::hold(const HeldConstraints* constraints) {
  constraints_ = constraints;
  std::size_t count = 0;
  for (std::size_t i = 0; i < constraints->size(); ++i)
    count += static_cast<std::size_t>(row_count(constraints->constraint(i)));
  rows_.resize(count), source_.resize(count), wanted_.resize(count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < constraints->size(); ++i)
    for (int k = 0; k < row_count(constraints->constraint(i)); ++k) source_[at++] = i;
  loop_solver_.emplace(scene_.model, static_cast<int>(count));
}

void MaximalMotion::look_at_rows(const Instant<double>& now) {
  for (std::size_t at = 0; at < rows_.size();) {
    const Constraint& c = constraints_->constraint(source_[at]);
    const auto n = static_cast<std::size_t>(row_count(c));
    constraint_rows(c, now, std::span(rows_).subspan(at, n));
    at += n;
  }
}

double MaximalMotion::largest_error(const Instant<double>& now) {
  look_at_rows(now);
  double most = 0;
  for (const ConstraintRow& row : rows_) most = larger_or_nan(most, std::abs(row.value));
  return most;
}

void MaximalMotion::add_wrenches(std::span<Wrench<double>> F_Bo_W) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) add_force(rows_[k], loop_solver_->lambda()[k], F_Bo_W);
}

void MaximalMotion::book(const RateLayout& layout, const Kinematics<double>& kinematics,
                         std::span<double> rates) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const double lambda = loop_solver_->lambda()[k];
    const std::size_t source = layout.constraint(source_[k]), at = layout.outside(source);
    rates[layout.power(source)] += lambda * (rows_[k].rate - rows_[k].time_rate);
    for (int p = 0; p < rows_[k].part_count; ++p) {
      const LinkWrench& part = rows_[k].parts[static_cast<std::size_t>(p)];
      book_wrench(rates, at, shifted(part.F_Bo_W, kinematics.X_WB[static_cast<std::size_t>(part.link)].p), lambda);
    }
  }
}

// ---- drift
// Of joints and constraints together; leaves the rows, the joints' errors and the kinematics of the state.
JointError MaximalMotion::errors_of(const State& s) {
  const Model& model = scene_.model;
  Kinematics<double>& k = ws_.kinematics;
  maximal_kinematics(s.q, s.v, k);
  JointError e = joint_errors(model, model.params, k, ws_.q, ws_.v, ws_.error, ws_.error_rate);
  look_at_rows({model, s.t, ws_.q, ws_.v, k.X_WB, k.V_WB, nullptr});
  for (const ConstraintRow& row : rows_) {
    e.position = larger_or_nan(e.position, std::abs(row.value));
    e.rate = larger_or_nan(e.rate, std::abs(row.rate));
  }
  return e;
}

// As project_on_joints(), with the constraints' rows.
void MaximalMotion::project(State& s) {
  const Model& model = scene_.model;
  const auto solve_for = [&](std::vector<Twist<double>>& error, double ConstraintRow::*of) {
    for (Twist<double>& e : error) e = {-e.w, -e.v};
    for (std::size_t i = 0; i < rows_.size(); ++i) wanted_[i] = -(rows_[i].*of);
    loop_solver_->solve(model, {{}, {}, false, error}, rows_, wanted_, ws_);
  };
  double before = 0;
  for (int round = 0;; ++round) {
    const double now = errors_of(s).position;
    maximal_factor(model, model.params, ws_.kinematics, 0, ws_);
    if (!(now > round_off) || round == most_returns || (round > 1 && now > 0.25 * before)) break;
    before = now;
    solve_for(ws_.error, &ConstraintRow::value);
    move_bodies(model.params, ws_.kinematics, ws_, s);
  }
  solve_for(ws_.error_rate, &ConstraintRow::rate);
  add_velocities(ws_.kinematics, ws_, s);
}

bool MaximalMotion::keep(State& s, double tolerance) {
  std::copy(reduced_.q.begin(), reduced_.q.end(), ws_.q.begin());
  drift_ = errors_of(s);
  const bool put_back = scene_.solver.stabilisation == Stabilisation::projection &&
                        !(drift_.position <= tolerance && drift_.rate <= tolerance);
  if (put_back && rows_.empty()) project_on_joints(scene_.model, scene_.model.params, s, ws_);
  if (put_back && !rows_.empty()) project(s);
  if (put_back) {
    drift_ = errors_of(s);
    check_held(drift_.position, [&] { return worst(); });
  }
  take(s.t);
  return put_back;
}

// What is off the most, by errors_of().
std::string MaximalMotion::worst() const {
  const auto off = [&](std::size_t i) { return std::abs(rows_[i].value); };
  std::size_t which = 0;
  for (std::size_t i = 0; i < rows_.size() && !std::isnan(off(which)); ++i)
    if (!(off(i) <= off(which))) which = i;
  if (!rows_.empty() && !(off(which) < drift_.position))
    return fmt::format("the constraint '{}'", constraints_->constraint(source_[which]).name);
  return fmt::format("the joint of '{}'", scene_.model.names[static_cast<std::size_t>(drift_.link)]);
}

void MaximalMotion::recall(const State& s) {
  std::copy(reduced_.q.begin(), reduced_.q.end(), ws_.q.begin());
  drift_ = errors_of(s);
  take(s.t);
}

void MaximalMotion::take(double t) {
  reduced_.t = t;
  std::copy(ws_.q.begin(), ws_.q.end(), reduced_.q.begin());
  std::copy(ws_.v.begin(), ws_.v.end(), reduced_.v.begin());
}

void MaximalMotion::joint_accelerations(std::span<double> vdot) const {
  for (std::size_t i = 1; i < ws_.links.size(); ++i)
    std::copy_n(ws_.links[i].vdot, ws_.links[i].freedoms, vdot.begin() + scene_.model.links[i].v);
}

JointError MaximalMotion::reduce(std::span<const double> q, std::span<const double> v, std::span<double> q_joints,
                                 std::span<double> v_joints) const {
  maximal_kinematics(q, v, kinematics_);
  std::copy(reduced_.q.begin(), reduced_.q.end(), q_joints.begin());
  return joint_errors(scene_.model, scene_.model.params, kinematics_, q_joints, v_joints, error_, error_rate_);
}

}  // namespace marey
