// What a world does otherwise when its figures are in maximal coordinates.
//
// For the variational method the force dual to a shift of q at constant v is, as in world_derivatives.cpp,
//   g = ∂L/∂q + τ = M v̇ + Ṁ v − (π × w),    π = M v
// with all forces in v̇, those of the joints, too; M is block-diagonal here, of the bodies alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/world.h"

namespace marey {
namespace {

constexpr double loosest_start = 1e-6;  // m or rad

constexpr double joint_drift = 1e-13;  // m, rad: of methods of one step

using Vec = Vec3<double>;
void put(std::span<double> x, std::size_t i, const Vec& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }
Mat3<double> attitude(std::span<const double> q, std::size_t body) {
  const double* x = q.data() + 7 * body;
  return rotation(Quaternion<double>{x[0], x[1], x[2], x[3]});
}
// M u of one body: moment about Bo in B, force in W.
Wrench<double> momentum_of(const Inertia<double>& I, const Mat3<double>& R, const Vec& w, const Vec& v) {
  return {I.J * w + cross(I.h, transpose_times(R, v)), I.m * v + R * cross(w, I.h)};
}

}  // namespace

void World::start_maximal() {
  maximal_ = std::make_unique<MaximalMotion>(scene_);
  state_ = to_maximal(scene_.model, scene_.start);
  state_.t = 0;
  maximal_->keep(state_, drift_bound(joint_drift));
}

void World::hold_constraints() {
  maximal_->hold(constraints_.get());
  const double error = maximal_->largest_error(look(state_));
  if (!(error <= loosest_start))
    throw Error(ErrorKind::bad_input,
                fmt::format("at the start constraints are off by {:.3g} m or rad: use start: projected", error));
  maximal_->keep(state_, drift_bound(joint_drift));
}

// What constraints have drifted by, and what putting the state back does to the energy, is counted as in tidy_constraints().
void World::keep_joints() {
  if (broken_link() >= 0) return;  // that is said by name
  double error = 0, before = 0, change = 0;
  if (constraints_) {
    const Instant<double> now = look(state_);
    before = balance_of(now).energy;
    error = maximal_->largest_error(now);
  }
  const bool put_back = maximal_->keep(state_, drift_bound(joint_drift));
  if (put_back) restart_due_ = 1;
  if (!constraints_) return;
  if (put_back) change = balance_of(look(state_)).energy - before;
  constraints_->count_drift(error, change);
}

JointError World::drift_at(double t) const {
  if (!maximal_) return {};
  if (!(t < state_.t)) return maximal_->drift();
  const Segment& segment = method_->segment();
  segment.at(model(), std::clamp(t - segment.t_0, 0.0, taken_), q_scratch_, v_scratch_, {});
  std::vector<double> q(scene_.start.q.size()), v(scene_.start.v.size());
  return maximal_->reduce(q_scratch_, std::span(v_scratch_).first(velocity_count()), q, v);
}

// What the world does to roots that are not free, less the joints' own forces, which their elements have booked.
void World::book_world_maximal(std::span<double> rates) {
  const Model& figure = scene_.model;
  Wrench<double> all;
  for (int i = 1; i < figure.nlink(); ++i) {
    const LinkTopology& link = figure.links[i];
    if (link.parent != 0 || link.joint == JointType::free) continue;
    const Transform<double>& X = kinematics_.X_WB[i];
    const Wrench<double> own = wrench_of_joint_force(link, figure.params.links[i], {}, forces_.tau.data() + link.v);
    Wrench<double> F = maximal_->joint_wrench(i);
    F -= Wrench<double>{X.R * own.n, X.R * own.f};
    if (link.general >= 0) F -= maximal_->wrench_of_general_joint(i, forces_.tau);
    all += shifted(F, X.p);
  }
  book_wrench(rates, layout_.world(), all);
}

// ---- for the variational method
void World::momentum_maximal(std::span<const double> q, std::span<const double> v, std::span<double> p) const {
  for (std::size_t b = 0; b + 1 < scene_.model.links.size(); ++b) {
    const Wrench<double> P =
        momentum_of(scene_.model.params.links[b + 1].I, attitude(q, b), vec_at(v, 6 * b), vec_at(v, 6 * b + 3));
    put(p, 6 * b, P.n), put(p, 6 * b + 3, P.f);
  }
}

void World::velocity_maximal(std::span<const double> q, std::span<const double> p, std::span<double> v) const {
  for (std::size_t b = 0; b + 1 < scene_.model.links.size(); ++b) {
    const Inertia<double>& I = scene_.model.params.links[b + 1].I;
    const Mat3<double> R = attitude(q, b);
    const Vec f = transpose_times(R, vec_at(p, 6 * b + 3));
    const Vec w = inverse(central_inertia(I)) * (vec_at(p, 6 * b) - (1 / I.m) * cross(I.h, f));
    put(v, 6 * b, w), put(v, 6 * b + 3, (1 / I.m) * (R * (f - cross(w, I.h))));
  }
}

void World::force_maximal(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
                          std::span<double> rates) {
  answer(t, q, v, answered_, rates);
  for (std::size_t b = 0; b + 1 < scene_.model.links.size(); ++b) {
    const Inertia<double>& I = scene_.model.params.links[b + 1].I;
    const Mat3<double> R = attitude(q, b);
    const Vec w = vec_at(v, 6 * b), v_B = transpose_times(R, vec_at(v, 6 * b + 3));
    const Wrench<double> Mvdot = momentum_of(I, R, vec_at(answered_, 6 * b), vec_at(answered_, 6 * b + 3));
    const Vec pi = I.J * w + cross(I.h, v_B);
    put(g, 6 * b, Mvdot.n - cross(I.h, cross(w, v_B)) - cross(pi, w));
    put(g, 6 * b + 3, Mvdot.f + R * cross(w, cross(w, I.h)));
  }
  std::copy(answered_.begin() + static_cast<std::ptrdiff_t>(velocity_count()), answered_.end(),
            g.begin() + static_cast<std::ptrdiff_t>(velocity_count()));
}

}  // namespace marey
