// Constraints at events: how they start, are made and broken; drift.
//
// Made. What is made on the way holds from then on the links where they are; their velocities go over at once, by the
// impulse P with which all rows come to ġ = 0: A P = −ġ. It takes energy (in the norm of the kinetic energy the new
// velocities are the nearest allowed ones), and no momentum but what comes from the world; the work of each row is P
// times the mean of J v before and after.
//
// Drift. Rows hold accelerations; integrators let g and ġ drift by their error. The state is put back on g = 0, ġ = 0
// by the smallest change in the norm of the kinetic energy: q ⊕ M⁻¹ Jᵀ x with A x = −g, some rounds of it, and v
// likewise. No work is booked for it: it undoes an error of the integrator, and what it leaves in the account is that
// error. How much that was is counted, and recorded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/constraint/held_constraints.h"
#include "marey/core/all_finite.h"
#include "marey/core/larger.h"
#include "marey/integrate.h"
#include "marey/plant/reduced_plant.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

constexpr double held = 1e-13;                  // |g| at which a projection is done
constexpr double left_alone = 0.5 * row_drift;  // |g| while only velocities have drifted
constexpr double stopped = 1e-14;               // |ġ| that is rounding, whichever factors have left it
constexpr int most_rounds = 6, most_rounds_at_hand = 2, most_start_rounds = 200;
constexpr double longest_shift = 0.5;   // rad, m: of one round
constexpr double same_rate = 1e-12;     // m/s, rad/s: of scripts, at both sides of a knot
constexpr double shortest_rod = 1e-9;   // m: the direction of a shorter one is that of rounding
constexpr double loosest_start = 1e-6;  // m, rad: where nothing is put right, but may fade
// In one step, as a part of all energy there is; under methods of first order, of what was farther off than so many m or rad.
// (From rest, without gravity, there is hardly any energy: what their first steps leave of a script's speed is then much of it.)
constexpr double most_energy_put_right = 0.02, far_off = 1e-8;

}  // namespace

// ---- what makes and breaks them
void HeldConstraints::switch_values(const Instant<double>& now, const Kinematics<double>&, std::span<double> values) {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::span<double> own = values.subspan(switch_start_[i], switch_start_[i + 1] - switch_start_[i]);
    if (own.empty()) continue;
    marey::switch_values(gates_[i], now, modes_of(i), own);
    if (now_[i] != 0) std::fill(own.begin(), own.end(), unbounded);  // made, it stays until the clock ends it
  }
}

double HeldConstraints::next_instant(const State& s) const {
  const double t = s.t;
  double next = forever;
  for (std::size_t i = 0; i < size(); ++i) {
    if (gated(i)) next = std::min(next, marey::next_instant(gates_[i], t, modes_of(i)));
    next = std::min(next, meets_knots_ ? next_knot(constraints_[i], t) : next_kink(constraints_[i], t));
    if (std::isfinite(constraints_[i].until) && constraints_[i].until > t) next = std::min(next, constraints_[i].until);
  }
  return next;
}

// Where a script follows exactly, nothing of the state tells a method how long its step may be.
double HeldConstraints::longest_step(const State& s) const {
  double next = forever;
  for (std::size_t i = 0; i < size(); ++i)
    if (active(i)) next = std::min(next, next_knot(constraints_[i], s.t));
  return next - s.t;
}

void HeldConstraints::make(std::size_t i, const Instant<double>& now) {
  constraints_[i] = taken_as_is(constraints_[i], now);
  if (const FixedDistance* rod = constraints_[i].kind.get_if<FixedDistance>(); rod && !(rod->length > shortest_rod))
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("the rod '{}' cannot be made at t = {:.6g} s: its two points are then at the same place, "
                            "and it would have no direction",
                            constraints_[i].name, now.t));
  keep_as_made(i);
  now_[i] = 1;
}

void HeldConstraints::command(std::size_t i, double target, double blend, const Instant<double>& now) {
  commands_[i] = {1, target, blend};
  obey(i);
  if (now_[i] == 0) return;  // it will be when it is made
  constraints_[i] = taken_as_is(constraints_[i], now);
  keep_as_made(i);
  commanded_ = true;
}

bool HeldConstraints::make_and_break(const Instant<double>& now, int which, bool by_clock_now) {
  bool changed = std::exchange(commanded_, false);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!gated(i)) continue;
    const int first = static_cast<int>(switch_start_[i]), end = static_cast<int>(switch_start_[i + 1]);
    if (by_clock_now) switch_modes(gates_[i], now, by_clock, own_modes(i));
    if (which >= first && which < end) switch_modes(gates_[i], now, which - first, own_modes(i));
    const bool acts = modes_of(i)[0] != 0;
    const bool over = now.t >= constraints_[i].until * (1 - 1e-14);
    if (now_[i] == 0 && acts && !over) make(i, now), changed = true;
    if (now_[i] != 0 && over) now_[i] = 0, changed = true;
  }
  if (changed) freedoms_changed();
  return changed;
}

void HeldConstraints::resolve(Surroundings& around, State& state, const Happening& what) {
  clear_impulses();
  stepping_ = false;
  const Instant<double> now = around.place(state);
  bool changed = make_and_break(now, what.which, what.by_clock);
  if (!any_active()) return;
  if (what.by_clock) changed = go_round_kinks(now) || changed;
  if (changed) around.expect_impulse();
  if (changed || what.jolted)
    strike(around, state);
  else
    remove_drift(around, state);
}

// From now on all scripts are on the far sides of their knots. True: a velocity that is asked for has jumped.
bool HeldConstraints::go_round_kinks(const Instant<double>& now) {
  measure(now);
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = link_rows_[k].time_rate;
  for (Constraint& c : constraints_) c.since = now.t;
  measure(now);
  bool jumped = false;
  for (std::size_t k = 0; k < count_; ++k) {
    const double before = rhs_[k], after = link_rows_[k].time_rate;
    jumped = jumped || std::abs(after - before) > same_rate * std::max({1.0, std::abs(before), std::abs(after)});
  }
  return jumped;
}

// ---- the start
void HeldConstraints::start(const Instant<double>& now) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!gated(i)) continue;
    start_modes(gates_[i], now, true, own_modes(i));
    now_[i] = modes_of(i)[0] != 0 ? 1 : 0;
  }
  before_ = now_;
}

std::size_t HeldConstraints::worst() const {
  std::size_t which = 0;
  for (std::size_t i = 0; i < size() && !std::isnan(error_of(which)); ++i)
    if (!(error_of(i) <= error_of(which))) which = i;
  return which;
}

void HeldConstraints::begin_run(Surroundings& around, State& state) {
  around.plant().begin_step(0, state.q, state.v);
  start(around.place(state));
  check_start(around, state);
}

// Velocities are looked at, and what is off is put right, where drift is.
void HeldConstraints::check_start(Surroundings& around, State& state) {
  compute_rows_at(around, state);
  if (const double off = largest_error(); !(off <= (projects_ ? start_error : loosest_start)))
    throw Error(
        ErrorKind::bad_input,
        fmt::format("the constraint '{}' does not hold at the start: it is off by {:.3g} (m or rad); expected a "
                    "start that it allows, or start: projected",
                    constraints_[worst()].name, off));
  const double rate = largest_rate();
  if (rate > start_error) check_velocities(ErrorKind::bad_input, "at the start");
  if (!projects_) return;
  if (!(rate <= start_error))
    throw Error(ErrorKind::bad_input,
                fmt::format("the velocities at the start break a constraint by {:.3g} (m/s or rad/s); expected "
                            "velocities that the constraints allow, or start: projected",
                            rate));
  if (drifted(held)) project(around, state);
}

void HeldConstraints::compute_rows_at(Surroundings& around, const State& state) {
  compute_rows(around.place(state), around.plant());
}

// ---- impulses
void HeldConstraints::clear_impulses() {
  struck_ = false;
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  std::fill(work_.begin(), work_.end(), 0.0);
}

void HeldConstraints::strike(Surroundings& around, State& state) {
  compute_rows_at(around, state);
  dv_.assign(state.v.begin(), state.v.end());  // those before
  stop(x_, state.v);
  keep_impulse(x_, dv_, state.v);
  double left = 0;
  for (std::size_t k = 0; k < count_; ++k)
    left = larger_or_nan(left, std::abs(rates_after_[k] + link_rows_[k].time_rate));
  if (left > start_error) check_velocities(ErrorKind::cannot_go_on, "there");
}

void HeldConstraints::stop(std::span<double> x, std::span<double> v) {
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = -link_rows_[k].rate;
  rows_.solve(rhs_, x, v);
}

void HeldConstraints::stop(std::span<double> x) {
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = -link_rows_[k].rate;
  rows_.solve(rhs_, x);
}

void HeldConstraints::push(std::span<const double> x, Plant& plant, std::span<double> v, Work work) {
  dv_.assign(v.begin(), v.end());  // those before
  rows_.add_response(x, plant, v);
  keep_impulse(x, dv_, v, work);
}

// ---- at the ends of steps
void HeldConstraints::add_momentum(std::span<const double> x, std::span<double> p) const { rows_.add_momentum(x, p); }

void HeldConstraints::rates(std::span<double> out) const {
  for (std::size_t k = 0; k < count_; ++k) out[k] = link_rows_[k].rate;
}

bool HeldConstraints::all_holonomic() const {
  return std::all_of(link_rows_.begin(), link_rows_.begin() + static_cast<std::ptrdiff_t>(count_),
                     [](const ConstraintRow& row) { return row.holonomic; });
}

double HeldConstraints::miss(double h, std::span<const double> middle, std::span<double> change) {
  double most = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const double off = link_rows_[k].holonomic ? link_rows_[k].value : h * middle[k];
    rhs_[k] = -off / h;
    most = larger_or_nan(most, std::abs(off));
  }
  rows_.solve(rhs_, change);
  return most;
}

// Impulses x of all rows, and their work.
void HeldConstraints::keep_impulse(std::span<const double> x, std::span<const double> v_before,
                                   std::span<const double> v_after, Work work) {
  struck_ = true;
  if (work == Work::at_once) rows_.rates(v_before, rates_before_), rows_.rates(v_after, rates_after_);
  for (std::size_t i = 0; i < size(); ++i)
    for (const std::size_t k : rows_held_by(i)) {
      impulse_[k] += x[k];
      struck_rows_[k] = link_rows_[k];
      const double velocity =
          work == Work::along_a_step ? -link_rows_[k].time_rate : 0.5 * (rates_before_[k] + rates_after_[k]);
      work_[i] += x[k] * velocity;
    }
}

void HeldConstraints::take_impulse(std::span<const double> P_c, std::span<const double> v_before,
                                   std::span<const double> v_after) {
  for (std::size_t b = 0; b < count_; ++b) {
    x_[b] = 0;
    for (std::size_t c = 0; c < contact_rows_; ++c) x_[b] -= G_[b * contact_rows_ + c] * P_c[c];
  }
  keep_impulse(x_, v_before, v_after);
}

void HeldConstraints::book_impulses(const RateLayout& layout, const Kinematics<double>& kinematics,
                                    std::span<double> integrals) const {
  for (std::size_t i = 0; i < size(); ++i) integrals[layout.power(layout.constraint(i))] += work_[i];
  book_outside(layout, struck_rows_, impulse_, kinematics.X_WB, integrals);
}

void HeldConstraints::add_impulses(const Kinematics<double>&, std::span<Wrench<double>> P_Bo_W) const {
  for (std::size_t i = 0; i < count_; ++i) add_force(struck_rows_[i], impulse_[i], P_Bo_W);
}

// ---- drift
bool HeldConstraints::drifted(double drift) const {
  return !(largest_error() <= std::max(drift, 2 * floor_) && largest_rate() <= drift);
}

bool HeldConstraints::remove_drift(Surroundings& around, State& state) {
  stepping_ = false;
  const bool with_factors_at_hand = std::exchange(at_hand_, false) && rows_.answered_by_links();
  if (!any_active() || !all_finite(state.q) || !all_finite(state.v))
    return false;  // what is not finite is said by name
  measure(around.place(state));
  const double error = largest_error();
  if (!projects_) count_drift(error, 0);
  if (!projects_ || !drifted(drift_bound_)) return false;
  const double before = around.energies(state).energy;
  const std::size_t farthest = worst();
  if (!with_factors_at_hand || !project_with_factors_at_hand(around, state)) project(around, state);
  const Balance after = around.energies(state);
  const double change = after.energy - before;
  const double scale = around.largest_energy() + after.kinetic;
  if (!(std::abs(change) <= most_energy_put_right * scale) &&
      !(of_first_order_ && error <= far_off && std::isfinite(change)))
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("constraints that had drifted by {:.3g} (m or rad), '{}' the farthest, could only be put "
                            "right by changing the energy by {:.3g} J: the step is too long, or a mechanism was forced "
                            "through a position where it jams ({} of {} rows say something of their own there). Take "
                            "shorter steps, or end what forces it before that time",
                            error, constraints_[farthest].name, change, static_cast<int>(rank_), count_));
  count_drift(error, change);
  return true;
}

// q ⊕ M⁻¹ Jᵀ x.
void HeldConstraints::move_towards_rows(Surroundings& around, State& state) {
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = link_rows_[k].holonomic ? -link_rows_[k].value : 0;
  std::fill(dv_.begin(), dv_.end(), 0.0);
  rows_.solve(rhs_, x_, dv_);
  double most = 0;
  for (const double x : dv_) most = std::max(most, std::abs(x));
  if (most > longest_shift)
    for (double& x : dv_) x *= longest_shift / most;
  around.plant().shift(state, dv_);
}

// One round: the |g| it set out from.
double HeldConstraints::shift(Surroundings& around, State& state) {
  const double off = largest_error();
  rows_.forget();
  move_towards_rows(around, state);
  compute_rows_at(around, state);
  return off;
}

// Where a method has evaluated close to the end of its step, and what the step has let drift is little, the factors of there
// serve: the change is off by a part as small as the way from there, and what is left of g and ġ is measured here. Not for Euler's
// methods, which evaluate at the start alone: their drift is of first order, and the rows' directions at the end are what keeps
// semi-implicit steps from putting energy in (plant/maximal_plant.cpp). Velocities are what drifts first: places of independent
// rows are left alone while they are off by less than half of what they may be; where a mechanism stands in line, little that
// is off there comes to much. After measure(); false: there is still too much left.
bool HeldConstraints::project_with_factors_at_hand(Surroundings& around, State& state) {
  const bool independent = static_cast<std::size_t>(rank_) == count_;
  if (largest_error() > (independent ? left_alone : held)) {
    move_towards_rows(around, state);
    measure(around.place(state));
    if (!(largest_error() <= held)) return false;
  }
  floor_ = largest_error();
  for (int round = 0; round < most_rounds_at_hand; ++round) {
    stop(x_, state.v);
    measure_rates(around.place(state));
    if (largest_rate() <= stopped) return true;
  }
  return false;
}

void HeldConstraints::project(Surroundings& around, State& state) {
  compute_rows_at(around, state);
  for (int round = 0; round < most_rounds && largest_error() > held; ++round) {
    const double off = shift(around, state);
    if (largest_error() > 0.5 * off) break;  // rounding, or rows that contradict each other
  }
  const double left = largest_error();
  check_held(
      left, [&] { return fmt::format("the constraint '{}'", constraints_[worst()].name); },
      [&] { return why_not_held(around.plant()); });
  floor_ = left;
  stop(x_, state.v);
}

// ---- starts that are put right
namespace {

// A figure on which nothing acts.
class Still final : public Surroundings {
 public:
  explicit Still(const Model& model) : plant_(model, {}) {}
  Plant& plant() override { return plant_; }
  Instant<double> place(const State& s) override { return plant_.place(s.t, s.q, s.v, s.z, nullptr); }
  void free_motion(const Part*, const State&, std::span<double> vdot) override {
    std::fill(vdot.begin(), vdot.end(), 0.0);
  }
  Balance energies(const State&) override { return {}; }
  double largest_energy() const override { return 0; }

 private:
  ReducedPlant plant_;
};

}  // namespace

ConstraintProjection project_on_constraints(const Model& figure, std::span<const Constraint> of,
                                            const SolverOptions& solver, const State& given) {
  ConstraintProjection out;
  out.state = given;
  HeldConstraints constraints(figure, of, solver, figure);
  Still still(figure);
  constraints.start(still.place(given));
  constraints.project_start(still, out);
  return out;
}

Contradictions find_contradictions(const Model& figure, std::span<const Constraint> of, const SolverOptions& solver,
                                   const State& at) {
  HeldConstraints constraints(figure, of, solver, figure);
  Still still(figure);
  constraints.start(still.place(at));
  if (!constraints.any_active()) return {};
  constraints.compute_rows(still.place(at), still.plant());
  return {constraints.contradict_in_velocity(), constraints.contradict_in_acceleration()};
}

void HeldConstraints::project_start(Surroundings& around, ConstraintProjection& out) {
  compute_rows_at(around, out.state);
  out.before = largest_error();
  double best = forever;
  for (int idle = 0; out.rounds < most_start_rounds && largest_error() > held && idle < 20; ++out.rounds) {
    shift(around, out.state);
    idle = largest_error() < 0.9 * best ? 0 : idle + 1;
    best = std::min(best, largest_error());
  }
  out.left = largest_error();
  out.found = out.left <= start_error;
  out.slowed = largest_rate();
  stop(x_, out.state.v);
}

std::string describe(const ConstraintProjection& p) {
  if (!p.found)
    return fmt::format("no pose near the given one that all constraints allow: one is still off by {:.3g} (m or rad)",
                       p.left);
  if (p.before <= held && p.slowed <= held) return "the constraints asked for no change";
  std::string text;
  if (p.before > held)
    text = fmt::format("put where the constraints allow, which were off by {:.3g} (m or rad)", p.before);
  if (p.slowed > held)
    text += fmt::format("{}velocities that broke them by up to {:.3g} (m/s or rad/s) put right",
                        text.empty() ? "" : "; ", p.slowed);
  return text;
}

}  // namespace marey
