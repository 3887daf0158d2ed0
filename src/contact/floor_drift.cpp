// Points that have drifted off their floor, put back.
//
// Rows hold accelerations; integrators let velocities and gaps drift by their error. Points that slide or stick
// are put back: at events always, between them when they have drifted far enough to see, by the smallest change in the
// norm of the kinetic energy: q ⊕ M⁻¹ Jᵀ x with J M⁻¹ Jᵀ x = −gap, and likewise v. No work is booked for it: it undoes
// an error of the integrator, and what it leaves in the account is that error.
#include <algorithm>
#include <cmath>

#include "marey/contact/floor.h"
#include "marey/contact/floor_limits.h"

namespace marey {
namespace {

using Stage = ContactPhase::Stage;
// Below it rows are sums of others. Where legs stand upright and all feet hold they hardly differ from such, and what their errors differ by
// is divided by next to nothing. By halves that has to fit before a step and after it: were rows found redundant at one end of
// it only, 20 µm/s would become 0.3 m/s.
constexpr double drift_rank_tolerance = 1e-10, rank_tolerance_in_halves = 1e-5;

}  // namespace

// x with J M⁻¹ Jᵀ x = rhs in the rows given, of least norm.
void FloorContacts::solve_rows(std::span<const int> rows, std::span<const double> rhs, std::span<double> x,
                               bool drift) {
  const std::size_t m = rows.size(), n = static_cast<std::size_t>(delassus_.size());
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      sub_A_[a * m + b] = delassus_.A()[static_cast<std::size_t>(rows[a]) * n + static_cast<std::size_t>(rows[b])];
  system_.factor(static_cast<int>(m), std::span(sub_A_).first(m * m),
                 drift && in_halves_ ? rank_tolerance_in_halves : drift_rank_tolerance);
  system_.solve(rhs, x.first(m));
}

// v += M⁻¹ Jᵀ x, with which J v grows by rhs in the rows given.
void FloorContacts::correct(std::span<const int> rows, std::span<const double> rhs, std::span<double> v) {
  if (rows.empty()) return;
  solve_rows(rows, rhs, sub_2_, true);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const std::span<const double> response = delassus_.response(rows[a]);
    for (std::size_t c = 0; c < v.size(); ++c) v[c] += sub_2_[a] * response[c];
  }
}

// Puts points that slide or stick (or all that touch) back on their floor, and takes out of the velocities what they
// should not have.
bool FloorContacts::project(Surroundings& around, State& state, bool everything_that_touches) {
  which_.clear();
  std::fill(in_rows_.begin(), in_rows_.end(), char(0));
  for (std::size_t i = 0; i < size(); ++i) {
    const Mode mode = now_[i].mode;
    if (contact(i).compliant || !(is_held(mode) || (everything_that_touches && mode != Mode::free))) continue;
    in_rows_[i] = 1;
    which_.push_back(static_cast<int>(i));
  }
  if (which_.empty()) return false;
  const auto prepare = [&] {
    const Instant<double> now = around.place(state);
    if (has_constraints()) constraints_->compute_rows(now, around.plant());
    compute_rows(which_, around.plant());
  };
  prepare();
  row_list_.clear();
  double farthest = 0;
  for (std::size_t k = 0; k < which_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(which_[k]);
    sub_1_[row_list_.size()] = -motion_[i].gap;
    row_list_.push_back(static_cast<int>(3 * k));
    farthest = std::max(farthest, std::abs(motion_[i].gap) / resolution(i));
  }
  if (farthest > 1) {
    std::fill(dx_.begin(), dx_.end(), 0.0);
    correct(row_list_, std::span(sub_1_).first(row_list_.size()), dx_);
    around.plant().shift(state, dx_);
    prepare();
  }
  if (everything_that_touches) return true;
  row_list_.clear();
  for (std::size_t k = 0; k < which_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(which_[k]);
    for (std::size_t j = 0; j < 3; ++j) {
      if (j > 0 && now_[i].mode != Mode::stick && !keeps_) continue;
      if (now_[i].stage == Stage::stepped) continue;  // errors of (1), which are booked: settle()
      const bool slides = j > 0 && now_[i].mode != Mode::stick;
      sub_1_[row_list_.size()] = (slides ? kept_[i][j - 1] : 0) - motion_[i].velocity[j];
      row_list_.push_back(static_cast<int>(3 * k + j));
    }
  }
  correct(row_list_, std::span(sub_1_).first(row_list_.size()), state.v);
  return true;
}

void FloorContacts::keep_velocities(Surroundings& around, const State& state) {
  if (active_.empty() || !in_halves_ || !(around.plant().has_joint_drift() || has_constraints())) return;
  around.place(state);
  measure(around.plant().kinematics());
  for (std::size_t i = 0; i < size(); ++i) kept_[i] = {motion_[i].velocity[1], motion_[i].velocity[2]};
  keeps_ = true;
}

bool FloorContacts::hold_again(Surroundings& around, State& state) {
  if (!keeps_) return false;  // there will be an occasion
  const bool moved = project(around, state, false);
  refresh();
  return moved;
}

bool FloorContacts::remove_drift(Surroundings& around, State& state) {
  count_short_steps(state.t);
  around.place(state);
  measure(around.plant().kinematics());
  bool drifted = false;
  for (std::size_t i = 0; i < size(); ++i) {
    ContactPhase& phase = now_[i];
    const std::array<double, 3>& u = motion_[i].velocity;
    const double gap = motion_[i].gap;
    if (phase.stage == Stage::fresh) {
      const bool grown = phase.mode == Mode::free
                             ? gap > nearness(i)
                             : u[1] * phase.direction[0] + u[2] * phase.direction[1] > limits::slip_floor;
      if (grown) phase.stage = Stage::plain;
    }
    if (phase.mode == Mode::idle && gap > nearness(i)) phase = {Mode::free, Stage::plain, {}, 0};
    if (contact(i).compliant) continue;
    if (phase.stage == Stage::stepped) continue;
    if (is_held(phase.mode)) drifted = drifted || std::abs(gap) > drift_bound_ || std::abs(u[0]) > drift_bound_;
    if (phase.mode == Mode::slide && keeps_)
      drifted = drifted || std::hypot(u[1] - kept_[i][0], u[2] - kept_[i][1]) > drift_bound_;
    if (phase.mode == Mode::stick) drifted = drifted || std::hypot(u[1], u[2]) > drift_bound_;
  }
  if (drifted) project(around, state, false);
  refresh();
  return drifted;
}

}  // namespace marey
