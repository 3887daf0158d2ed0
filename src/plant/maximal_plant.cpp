// Semi-implicit steps with projection. q ⊕ h v′ with v′ = v + h v̇ is to lie where the joints hold, and for J v = 0
//   g(q ⊕ h v′) = h² (J v̇ + ½ J̇ v) + O(h³)
// so that v̇ must answer half of what J v̇ + J̇ v = 0 asks for. The projection of v′ at the new place gives the other half:
// the two halves of RATTLE (Andersen 1983). All of it at the old place would leave g = ½ h² J̇ v to be put back without a
// change of velocity, and a body that goes round at ω would gain (h ω)² of its energy in every step, until nothing is left
// of the motion. Wrenches, v̇ of the joints and the books are those of J v̇ + J̇ v = 0 all the same.
//
// Rows beside the joints. An impulse p on the bodies is answered with the joints holding, by the factors of the tree
// (marey/dynamics/multipliers.h), so that what rows move keeps the joints to first order. Moved by x, the bodies are off
// their joints by O(x²); they are put back, which moves the rows by as much, and rounds of both square the error.
//
// Turns. The poses of two bodies say an angle between them but for whole turns. How many there were is known from the way s that
// the joint has gone, ds/dt = its rate, which every method integrates along with the bodies, with the same stages and the same
// dense output: an angle near a state accepted with (θ₀, s₀) is the one nearest to
//   θ₀ + s − s₀
// wherever it is asked for: in trial evaluations, within steps, one delay ago. Its error is that of one step of the method, and
// does not add up, since θ₀ is of the last step. Where a step is so long that this error may be half a turn, nobody can tell: such a
// step is refused when it is to be accepted, as soon as the pose is a quarter of a turn from where the way leads.
//
// For the variational method the force dual to a shift of q at constant v is, as in plant/reduced_plant.cpp,
//   g = ∂L/∂q + τ = M v̇ + Ṁ v − (π × w),    π = M v
// with all forces in v̇, those of the joints, too; M is block-diagonal here, of the bodies alone.
#include "marey/plant/maximal_plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/dynamics/joint_directions.h"
#include "marey/dynamics/least_wrench.h"
#include "marey/rows/row_sweep.h"
#include "marey/rows/row_system.h"

namespace marey {
namespace {

constexpr double start_drift = 1e-13;      // m, rad: what is rounding
constexpr double told_apart = 0.5 * M_PI;  // a turn that far from the one expected is still that one

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

MaximalPlant::MaximalPlant(const Model& figure, const State& start, const SolverOptions& options)
    : MaximalBodies(figure),
      Plant(figure, bodies),
      options_(options),
      reduced_(start),
      turns_(start.q),
      beta_(options.stabilisation == Stabilisation::baumgarte ? 1 / options.stabilisation_time : 0),
      ws_(figure),
      P_Bo_W_(figure.links.size()),
      in_halves_(steps_in_halves(options)),
      half_k_(figure.links.size()),
      half_vdot_(in_halves_ ? static_cast<std::size_t>(bodies.nv) : 0),
      seen_(figure),
      error_(figure.links.size()),
      error_rate_(error_),
      guess_(start.q),
      J_(static_cast<std::size_t>(figure.nv)) {
  for (int i = 1; i < figure.nlink(); ++i) {
    const LinkTopology& link = figure.links[static_cast<std::size_t>(i)];
    if (link.joint != JointType::hinge && (!is_general(link.joint) || has_attitude(link.joint))) continue;
    for (int k = 0; k < freedom_count(link); ++k) ways_.push_back({i, link.q + k, link.v + k});
  }
  turns_.resize(turns_.size() + ways_.size());
}

State MaximalPlant::from_joints(const State& given) {
  State s = to_maximal(figure_, given);
  remove_drift(s, start_drift);
  return s;
}

Instant<double> MaximalPlant::place(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const double> z, const Past* past) {
  q_ = q, v_ = v;
  factored_ = false;
  maximal_kinematics(q, v, kinematics_);
  guess_joints(z);
  joint_errors(figure_, figure_.params, kinematics_, ws_.q, ws_.v, ws_.error, ws_.error_rate);
  general_motions(figure_, figure_.params, ws_.q, kinematics_);
  return {figure_, t, ws_.q, ws_.v, kinematics_.X_WB, kinematics_.V_WB, past, z};
}

// The joints' coordinates that are looked for next are near those of a state accepted, as far from them as the ways say. Without
// ways (who asks has made a small change) they are near those themselves.
void MaximalPlant::guess_joints(std::span<const double> z, std::span<const double> turns,
                                std::span<double> q_joints) const {
  const std::span<const double> q = turns.first(q_joints.size()), before = turns.subspan(q_joints.size());
  std::copy(q.begin(), q.end(), q_joints.begin());
  const std::span<const double> now = z.last(ways_in(z));
  for (std::size_t i = 0; i < now.size(); ++i) q_joints[static_cast<std::size_t>(ways_[i].q)] += now[i] - before[i];
}

void MaximalPlant::way_rates(std::span<double> rates) const {
  for (std::size_t i = 0; i < ways_.size(); ++i) rates[i] = ws_.v[static_cast<std::size_t>(ways_[i].v)];
}

// The workspace holds what errors_of() has found, near what guess_joints() has guessed.
void MaximalPlant::check_turns(const State& s) const {
  if (ways_in(s.z) == 0) return;
  guess_joints(s.z, turns_, guess_);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const int link = ways_[i].link;
    if (i > 0 && ways_[i - 1].link == link) continue;
    const auto found = joint_directions<double>(figure_, figure_.params, link, ws_.q.data(), ws_.v.data());
    const auto expected = joint_directions<double>(figure_, figure_.params, link, guess_.data(), ws_.v.data());
    const Quaternion<double> off = quaternion_of(found.R_FB * transpose(expected.R_FB));
    const double turned = 2 * std::atan2(std::hypot(off.x, off.y, off.z), std::abs(off.w));
    if (!(turned > told_apart)) continue;
    throw Error(
        ErrorKind::cannot_go_on,
        fmt::format("whole turns of the joint of '{}' can no longer be counted: in one step it has gone {:.3g} rad by "
                    "its rate, and its pose is {:.3g} rad from there; take a shorter step",
                    figure_.names[static_cast<std::size_t>(link)],
                    guess_[static_cast<std::size_t>(ways_[i].q)] - turns_[static_cast<std::size_t>(ways_[i].q)],
                    turned));
  }
}

// ---- what forces and impulses do
void MaximalPlant::accelerate(const Forces<double>& forces, std::span<double> vdot) {
  maximal_factor(figure_, figure_.params, kinematics_, beta_, ws_);
  factored_ = true;
  if (in_halves_) {
    for (std::size_t i = 1; i < half_k_.size(); ++i) half_k_[i] = {0.5 * ws_.links[i].k.w, 0.5 * ws_.links[i].k.v};
    multiplier_solve<double>(figure_, {forces.tau, forces.F_Bo_W, true, half_k_}, ws_);
    maximal_accelerations(kinematics_, ws_, half_vdot_);
  }
  solve(forces, vdot);
}

// The answer to all forces.
void MaximalPlant::solve(const Forces<double>& forces, std::span<double> vdot) {
  const MultiplierLoad<double> load{forces.tau, forces.F_Bo_W, true, {}};
  multiplier_solve<double>(figure_, load, ws_);
  multiplier_refine<double>(figure_, figure_.params, kinematics_, load, ws_);
  maximal_accelerations(kinematics_, ws_, vdot);
  answers_all_ = true;
}

// The answer to impulses alone.
void MaximalPlant::solve_impulses(std::span<const Wrench<double>> P_Bo_W) {
  if (!factored_) maximal_factor(figure_, figure_.params, kinematics_, beta_, ws_);
  factored_ = true, answers_all_ = false;
  multiplier_solve<double>(figure_, {{}, P_Bo_W, false, {}}, ws_);
}

void MaximalPlant::respond(std::span<const double> p, std::span<double> dv) {
  for (std::size_t i = 1; i < P_Bo_W_.size(); ++i)
    P_Bo_W_[i] = {kinematics_.X_WB[i].R * vec_at(p, 6 * (i - 1)), vec_at(p, 6 * (i - 1) + 3)};
  solve_impulses(P_Bo_W_);
  maximal_accelerations(kinematics_, ws_, dv);
}

void MaximalPlant::finish(const Forces<double>& forces, std::span<double> vdot) {
  if (!answers_all_) solve(forces, vdot);
}

void MaximalPlant::joint_accelerations(std::span<const double>, std::span<double> of_joints) const {
  for (std::size_t i = 1; i < ws_.links.size(); ++i)
    std::copy_n(ws_.links[i].vdot, ws_.links[i].freedoms, of_joints.begin() + figure_.links[i].v);
}

// ---- what the world does
Wrench<double> MaximalPlant::world_on_roots(const Forces<double>& all, std::span<const double>) {
  return through_roots(all.tau);
}

Wrench<double> MaximalPlant::world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W, std::span<const double>) {
  solve_impulses(P_Bo_W);
  return through_roots({});
}

// Less the joints' own forces, which their elements have booked.
Wrench<double> MaximalPlant::through_roots(std::span<const double> tau) const {
  Wrench<double> all;
  for (int i = 1; i < figure_.nlink(); ++i) {
    const LinkTopology& link = figure_.links[i];
    if (link.parent != 0 || link.joint == JointType::free) continue;
    const Transform<double>& X = kinematics_.X_WB[i];
    Wrench<double> F = joint_wrench(i);
    if (!tau.empty()) {
      const Wrench<double> own = wrench_of_joint_force(link, figure_.params.links[i], {}, tau.data() + link.v);
      F -= Wrench<double>{X.R * own.n, X.R * own.f};
      if (link.general >= 0) F -= wrench_of_general_joint(i, tau);
    }
    all += shifted(F, X.p);
  }
  return all;
}

// About Bo in W.
Wrench<double> MaximalPlant::wrench_of_general_joint(int link, std::span<const double> tau) const {
  const MultiplierLink<double>& b = ws_.links[static_cast<std::size_t>(link)];
  JointMotions<double> S{};
  std::copy_n(b.S, b.freedoms, S.begin());
  return LeastWrench<double>(S, b.freedoms)(tau.data() + figure_.links[static_cast<std::size_t>(link)].v);
}

// ---- for the variational method
void MaximalPlant::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  for (std::size_t b = 0; b + 1 < figure_.links.size(); ++b) {
    const Wrench<double> P =
        momentum_of(figure_.params.links[b + 1].I, attitude(q, b), vec_at(v, 6 * b), vec_at(v, 6 * b + 3));
    put(p, 6 * b, P.n), put(p, 6 * b + 3, P.f);
  }
}

void MaximalPlant::velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) {
  for (std::size_t b = 0; b + 1 < figure_.links.size(); ++b) {
    const Inertia<double>& I = figure_.params.links[b + 1].I;
    const Mat3<double> R = attitude(q, b);
    const Vec f = transpose_times(R, vec_at(p, 6 * b + 3));
    const Vec w = inverse(central_inertia(I)) * (vec_at(p, 6 * b) - (1 / I.m) * cross(I.h, f));
    put(v, 6 * b, w), put(v, 6 * b + 3, (1 / I.m) * (R * (f - cross(w, I.h))));
  }
}

void MaximalPlant::generalised_force(const Forces<double>&, std::span<const double> vdot, std::span<double> g) {
  for (std::size_t b = 0; b + 1 < figure_.links.size(); ++b) {
    const Inertia<double>& I = figure_.params.links[b + 1].I;
    const Mat3<double> R = attitude(q_, b);
    const Vec w = vec_at(v_, 6 * b), v_B = transpose_times(R, vec_at(v_, 6 * b + 3));
    const Wrench<double> Mvdot = momentum_of(I, R, vec_at(vdot, 6 * b), vec_at(vdot, 6 * b + 3));
    const Vec pi = I.J * w + cross(I.h, v_B);
    put(g, 6 * b, Mvdot.n - cross(I.h, cross(w, v_B)) - cross(pi, w));
    put(g, 6 * b + 3, Mvdot.f + R * cross(w, cross(w, I.h)));
  }
}

// By the row in terms of the joints' velocities. After respond().
double MaximalPlant::row_weight(const ConstraintRow& of_links, const Row&) const {
  std::fill(J_.begin(), J_.end(), 0.0);
  Row of_joints;
  of_joints.J = J_;
  const auto lever = [&](int i) { return ws_.links[i].r; };
  const auto axis = [&](int i, int k) { return ws_.links[i].S[k]; };
  sweep_row(figure_, of_links, WaysOf{figure_, lever, axis}, J_, of_joints);
  return marey::row_weight(of_joints);
}

// ---- states
void MaximalPlant::shift(State& s, std::span<const double> x) {
  maximal_kinematics(s.q, s.v, ws_.kinematics);
  for (std::size_t i = 1; i < ws_.links.size(); ++i)
    ws_.links[i].A = {ws_.kinematics.X_WB[i].R * vec_at(x, 6 * (i - 1)), vec_at(x, 6 * (i - 1) + 3)};
  move_bodies(figure_.params, ws_.kinematics, ws_, s);
  guess_joints(s.z);
  if (projects(options_)) project_on_joints(figure_, figure_.params, s, ws_);
  factored_ = false;
}

// Leaves the joints' coordinates in the workspace, where the nearest to them are on entry.
JointError MaximalPlant::errors_of(const State& s) {
  maximal_kinematics(s.q, s.v, ws_.kinematics);
  return joint_errors(figure_, figure_.params, ws_.kinematics, ws_.q, ws_.v, ws_.error, ws_.error_rate);
}

bool MaximalPlant::remove_drift(State& s, double tolerance) {
  guess_joints(s.z);
  drift_ = errors_of(s);
  check_turns(s);
  const bool put_back = projects(options_) && !(drift_.position <= tolerance && drift_.rate <= tolerance);
  if (put_back) {
    project_on_joints(figure_, figure_.params, s, ws_);
    drift_ = errors_of(s);
    check_held(drift_.position,
               [&] { return fmt::format("the joint of '{}'", figure_.names[static_cast<std::size_t>(drift_.link)]); });
  }
  keep(s);
  return put_back;
}

void MaximalPlant::accept(const State& s) {
  guess_joints(s.z);
  drift_ = errors_of(s);
  check_turns(s);
  keep(s);
}

// What errors_of() has left.
void MaximalPlant::keep(const State& s) {
  factored_ = false;
  reduced_.t = s.t;
  std::copy(ws_.q.begin(), ws_.q.end(), reduced_.q.begin());
  std::copy(ws_.v.begin(), ws_.v.end(), reduced_.v.begin());
  const auto ways = std::copy(ws_.q.begin(), ws_.q.end(), turns_.begin());
  std::copy(s.z.end() - static_cast<std::ptrdiff_t>(ways_in(s.z)), s.z.end(), ways);
}

const State& MaximalPlant::in_joints(const State& accepted) {
  reduced_.z.assign(accepted.z.begin(), accepted.z.end() - static_cast<std::ptrdiff_t>(ways_in(accepted.z)));
  return reduced_;
}

JointError MaximalPlant::to_joints(std::span<const double> q, std::span<const double> v, std::span<const double> z,
                                   std::span<const double> turns, std::span<double> q_joints,
                                   std::span<double> v_joints) const {
  guess_joints(z, turns, q_joints);
  maximal_kinematics(q, v, seen_);
  return joint_errors(figure_, figure_.params, seen_, q_joints, v_joints, error_, error_rate_);
}

}  // namespace marey
