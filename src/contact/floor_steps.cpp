// Points on floors whose modes find no rest.
//
// Feet that a stiff frame presses apart slip by micrometres, and friction turns the slip of a light foot with the rate μ λ_n/(m |u|):
// the slower it is, the faster it turns. Phases with a frozen sense of slip are then shorter than any step, and no accuracy is
// won by following them. There, as in steps, forces are constant over a short time τ and such that at its end all laws hold for
// the velocities of then (contact.h, contact_step):
//   u⁺ = u + τ (a_free + A λ),   λ in the cones, opposed to u⁺                                                          (1)
// So slips turn and stop within τ, λ is bounded, and what goes on between is integrated by the method with its own order. It begins
// when the phases of a point have ended more than a few times within τ, or where no consistent modes were found at all (Painlevé),
// or where a method that chooses its steps has taken many that are far shorter than τ, since a slip creeps; and ends when all that touches holds, or slides so fast that friction cannot turn it within τ.
#include <algorithm>
#include <cmath>
#include <utility>

#include "marey/contact/floor.h"
#include "marey/contact/floor_limits.h"

namespace marey {
namespace {

constexpr long long most_turns_per_point = 4;
constexpr long long most_in_vain = 5;
constexpr double fast = 4;                  // a slip that friction would take as many τ to stop
constexpr long long most_short_steps = 50;  // more than methods of many steps need to begin
constexpr double short_step = 0.01;         // of τ

}  // namespace

bool FloorContacts::take_steps_next() { return steps_next_ = !active_.empty(); }

// Counts how often each point slips, grips, jams or is let go; true where that has happened too often of late, or forces are constant
// already. These end here. Touches are not counted: bounces may follow each other as closely as they like, and pile up by themselves.
bool FloorContacts::turn_to_and_fro(const ContactEvent& event) {
  bool stepped = false;
  for (std::size_t i = 0; i < size(); ++i) {
    was_stepped_[i] = now_[i].stage == ContactPhase::Stage::stepped;
    if (was_stepped_[i] == 0) continue;
    now_[i].stage = ContactPhase::Stage::plain;
    stepped = true;
  }
  turns_.short_steps = 0;
  if (stepped) return true;
  if (steps_next_) return go_by_steps_for_a_while(), true;
  if (event.contact < 0) return false;
  const std::size_t i = static_cast<std::size_t>(event.contact);
  if (contact(i).compliant || now_[i].mode == Mode::free || now_[i].mode == Mode::idle) return false;
  if (t_ > turns_.since + step_of_forces_) begin_counting(t_);
  if (breaks_away(event)) return true;
  if (++turned_[i] <= most_turns_per_point) return false;
  go_by_steps_for_a_while();
  return true;
}

// Where several points break away at once u and its rate begin with 0, so that friction could turn their slips by any angle within a
// fixed step: the stages of a method would see directions that have nothing to do with each other.
bool FloorContacts::breaks_away(const ContactEvent& event) const {
  const bool gives_way = event.slot == slip_slot && now_[static_cast<std::size_t>(event.contact)].mode == Mode::stick;
  return !chosen_steps_ && !in_halves_ && gives_way && std::ranges::count(now_, Mode::stick, &ContactPhase::mode) > 1;
}

void FloorContacts::begin_counting(double since) {
  turns_.since = since;
  std::ranges::fill(turned_, 0);
}

// Constant forces leave gaps of third order in τ, hundreds of times in a second, and always to one side. What energy it takes to
// put them right is booked as work of the points.
void FloorContacts::put_back(Surroundings& around, State& state) {
  const auto stepped = std::ranges::count(now_, ContactPhase::Stage::stepped, &ContactPhase::stage);
  const double before = stepped > 0 ? around.energies(state).energy : 0;
  project(around, state, false);
  if (stepped == 0) return;
  const double taken = around.energies(state).energy - before;
  if (!lost_) std::ranges::fill(loss_, 0.0);
  lost_ = true;
  for (std::size_t i = 0; i < size(); ++i)
    if (is_stepped(i)) loss_[i] -= taken / static_cast<double>(stepped);
}

// λ was that of a_free at the start of τ: what that leaves of velocities is stopped where points touched, and along the floor where
// they held.
void FloorContacts::settle(State& state) {
  row_list_.clear(), locals_.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(members_[k].contact);
    if (was_stepped_[i] == 0) continue;
    locals_.push_back(static_cast<int>(k));
    for (std::size_t j = 0; j < (now_[i].mode == Mode::stick ? 3u : 1u); ++j)
      row_list_.push_back(static_cast<int>(3 * k + j));
  }
  if (row_list_.empty()) return;
  stop_rows(state);
  for (Member& m : members_) m.P_settled = m.P, m.work_settled = m.work;
  v_before_ = state.v;
  settled_ = true;
}

// To look for modes takes long where there are none, and so do turns that begin again as soon as forces are let go: that is not done at
// once, and ever more seldom, until it has gone well for some time.
void FloorContacts::go_by_steps_for_a_while() {
  if (t_ > turns_.not_before + static_cast<double>(1LL << most_in_vain) * step_of_forces_) turns_.in_vain = 0;
  turns_.in_vain = std::min(turns_.in_vain + 1, most_in_vain);
  turns_.not_before = t_ + (static_cast<double>(1LL << (turns_.in_vain - 1)) - 0.5) * step_of_forces_;
}

// With the forces last looked at.
bool FloorContacts::any_slip_creeps() const {
  const std::size_t n = static_cast<std::size_t>(delassus_.size());
  if (n != 3 * active_.size()) return false;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(active_[k]), at = 3 * k;
    if (phase(i).mode != Mode::slide) continue;
    const double ease = std::max(delassus_.A()[(at + 1) * n + at + 1], delassus_.A()[(at + 2) * n + at + 2]);
    const double slip = std::hypot(motion_[i].velocity[1], motion_[i].velocity[2]);
    if (slip < fast * step_of_forces_ * ease * contact(i).friction_kinetic * lambda_[3 * i]) return true;
  }
  return false;
}

// At the end of a step, before points are measured there.
void FloorContacts::count_short_steps(double t) {
  const bool is_short = chosen_steps_ && t - step_began_ < short_step * step_of_forces_;
  turns_.short_steps = is_short && any_slip_creeps() ? turns_.short_steps + 1 : 0;
}

bool FloorContacts::creeps() const { return turns_.short_steps > most_short_steps; }

// What would come down again within 2 τ stays: points that strike each other up in turn would never let τ go by, and one that comes
// down unseen between two events sinks in.
void FloorContacts::damp_short_flights(Surroundings& around, State& state) {
  for (std::size_t round = 0; round <= members_.size(); ++round) {
    accelerate(around, state);
    bool any = false;
    for (Member& m : members_) {
      if (m.damped == 2 || !(m.u[0] > u_tolerance_) || m.u[0] > -step_of_forces_ * m.a_free[0]) continue;
      m.damped = 2, any = true;
    }
    if (!any) return;
    strike(state, t_);
  }
}

// Constant forces for what touches; false where it can do without.
bool FloorContacts::keep_to_steps(Surroundings& around, State& state) {
  damp_short_flights(around, state);
  take_forces_of_step(around, state);
  const bool must = std::exchange(steps_next_, false) || t_ < turns_.not_before;
  if (must || !may_go_on_by_itself()) return true;
  begin_counting(0);
  for (Member& m : members_) m.stepped = false;
  return false;
}

// (1) for all members that do not leave.
void FloorContacts::take_forces_of_step(Surroundings& around, const State& state) {
  accelerate(around, state);
  locals_.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = members_[k];
    m.chosen = !(m.u[0] > u_tolerance_);
    m.lambda = {}, m.mode = {};
    if (m.chosen) locals_.push_back(static_cast<int>(k));
  }
  const std::size_t m = locals_.size();
  const double tau = step_of_forces_;
  for (std::size_t k = 0; k < m; ++k) {
    const Member& member = members_[static_cast<std::size_t>(locals_[k])];
    points_[k] = point_of(static_cast<std::size_t>(member.contact));
    points_[k].slip = {member.u[1], member.u[2]};
    for (std::size_t j = 0; j < 3; ++j) sub_1_[3 * k + j] = member.u[j] + tau * member.a_free[j];
  }
  extract(locals_, delassus_.A(), sub_A_);
  contact_step(std::span(sub_A_).first(9 * m * m), std::span(sub_1_).first(3 * m), std::span(points_).first(m),
               limits::slip_floor, workspace_, std::span(modes_).first(m), std::span(sub_2_).first(3 * m));
  for (std::size_t k = 0; k < m; ++k) {
    Member& member = members_[static_cast<std::size_t>(locals_[k])];
    member.mode = modes_[k], member.stepped = true;
    for (std::size_t j = 0; j < 3; ++j) member.lambda[j] = sub_2_[3 * k + j] / tau;
  }
}

// After take_forces_of_step: all that touches holds well within its cone, or slides fast.
bool FloorContacts::may_go_on_by_itself() const {
  const std::size_t n = 3 * members_.size();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& m = members_[k];
    if (!m.chosen || m.mode.mode == Mode::free) continue;
    const std::size_t i = static_cast<std::size_t>(m.contact), at = 3 * k;
    const double slip = std::hypot(m.u[1], m.u[2]), across = std::hypot(m.lambda[1], m.lambda[2]);
    if (m.mode.mode == Mode::stick) {
      if (slip > limits::slip_floor || across > 0.99 * contact(i).friction_static * m.lambda[0]) return false;
      continue;
    }
    const std::span<const double> A = delassus_.A();
    const double ease = std::max(A[(at + 1) * n + at + 1], A[(at + 2) * n + at + 2]);
    if (slip < fast * step_of_forces_ * ease * contact(i).friction_kinetic * m.lambda[0]) return false;
  }
  return true;
}

}  // namespace marey
