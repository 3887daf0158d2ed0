// Constraints between events. Making, breaking and drift are in held_constraints_events.cpp.
#include "marey/constraint/held_constraints.h"

#include <algorithm>
#include <cmath>

#include "marey/core/inner_product.h"
#include "marey/core/larger.h"
#include "marey/core/same_bits.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

// Whether a constraint holds is what decides whether a push acts.
Element gate_of(const Constraint& c) {
  Push push;
  push.schedule.from = c.from, push.schedule.until = c.until;
  if (c.when) push.schedule.conditions.push_back(*c.when);
  return {c.name, push};
}

// The links that rows act on, with all between them and the world.
std::vector<int> links_on_the_way(const Model& figure, std::span<const Constraint> constraints) {
  std::vector<char> on_the_way(figure.links.size());
  const auto mark = [&](int link) {
    for (; link > 0; link = figure.links[link].parent) on_the_way[static_cast<std::size_t>(link)] = 1;
  };
  for (const Constraint& c : constraints) {
    mark(c.a.link), mark(c.b.link);
    for (const int link : joints_of(c)) mark(link);
  }
  std::vector<int> links;
  for (int i = 1; i < figure.nlink(); ++i)
    if (on_the_way[static_cast<std::size_t>(i)] != 0) links.push_back(i);
  return links;
}

// What follows a script, or is locked: one coordinate of one joint, in the joints' coordinates.
SingleFreedom single_freedom(const Model& model, const Constraint& c) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  if (coupler == nullptr || coupler->terms.size() != 1) return {};
  const Coupler::Term& term = coupler->terms[0];
  if (term.angle.kind != NamedAngle::Kind::coordinate) return {};
  return {model.links[static_cast<std::size_t>(term.link)].v + term.freedom, term.factor};
}

std::size_t rows_of(std::span<const Constraint> constraints) {
  std::size_t sum = 0;
  for (const Constraint& c : constraints) sum += static_cast<std::size_t>(row_count(c));
  return sum;
}

// J v.
double velocity_of(const ConstraintRow& row) { return row.rate - row.time_rate; }

}  // namespace

bool takes_turns(const Constraint& c) { return c.from > 0 || std::isfinite(c.until) || c.when; }

// Where a coupler asks for an acceleration alone, ġ is 0 always, and no projection gives what is left of the bias.
double part_of_bias(const Constraint& c, double part) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  return coupler && coupler->level == Coupler::Level::acceleration ? 1 : part;
}

HeldConstraints::HeldConstraints(const Model& figure, std::span<const Constraint> given, const SolverOptions& solver,
                                 const Model& coordinates, const HeldOptions& options)
    : projects_(projects(solver)),
      drift_bound_(marey::drift_bound(solver, row_drift)),
      // What is smooth up to its second derivative is no break for rk45; a memory of many steps is one of another curve.
      meets_knots_(has_fixed_step(solver.integrator) || has_long_memory(solver.integrator)),
      of_first_order_(order_of(solver.integrator) == 1),
      looks_ahead_(order_of(solver.integrator) > 2 || !has_fixed_step(solver.integrator)),
      beta_(solver.dynamics == Dynamics::multipliers && solver.stabilisation == Stabilisation::baumgarte
                ? 1 / solver.stabilisation_time
                : 0),
      given_(given),
      constraints_(given.begin(), given.end()),
      now_(size(), 1.0),
      frames_(size()),
      made_first_(size()),
      made_second_(size()),
      first_(size() + 1),
      rows_(coordinates, static_cast<int>(rows_of(constraints_))),
      dv_(static_cast<std::size_t>(coordinates.nv)),
      work_(size()) {
  rows_.act_on(links_on_the_way(figure, constraints_));
  rows_.keep_J(options.contact_rows > 0 || solver.integrator == Integrator::midpoint);
  if (options.commands) commands_.resize(size());
  std::size_t modes = 0, switches = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const Constraint& c = constraints_[i];
    gates_.push_back(gate_of(c));
    mode_start_.push_back(modes), switch_start_.push_back(switches);
    keep_as_made(i);
    if (!takes_turns(c)) continue;
    modes += static_cast<std::size_t>(mode_count(gates_[i]));
    switches += static_cast<std::size_t>(marey::switch_count(gates_[i]));
  }
  mode_start_.push_back(modes), switch_start_.push_back(switches);
  modes_.assign(modes, 0.0);
  before_ = now_;
  for (const Constraint& c : constraints_) single_of_.push_back(single_freedom(figure, c));
  const std::size_t n = rows_of(constraints_), most_contact_rows = options.contact_rows;
  link_rows_.resize(n), single_.resize(n), struck_rows_.resize(n), kept_velocities_.reserve(n);
  lambda_.resize(n), rhs_.resize(n), x_.resize(n), impulse_.resize(n);
  rates_before_.resize(n), rates_after_.resize(n);
  across_.resize(n * most_contact_rows), G_.resize(n * most_contact_rows);
}

std::span<const double> HeldConstraints::modes_of(std::size_t i) const {
  return std::span(modes_).subspan(mode_start_[i], mode_start_[i + 1] - mode_start_[i]);
}
std::span<double> HeldConstraints::own_modes(std::size_t i) {
  return std::span(modes_).subspan(mode_start_[i], mode_start_[i + 1] - mode_start_[i]);
}

bool HeldConstraints::any_active() const {
  return std::any_of(in_use_->begin(), in_use_->end(), [](double x) { return x != 0; });
}

// ---- rows
void HeldConstraints::measure(const Instant<double>& now) {
  count_ = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    first_[i] = count_;
    if (!active(i)) continue;
    const std::size_t n = static_cast<std::size_t>(row_count(constraints_[i]));
    constraint_rows(constraints_[i], now, std::span(link_rows_).subspan(count_, n));
    std::fill_n(single_.begin() + static_cast<std::ptrdiff_t>(count_), n, single_of_[i]);
    count_ += n;
  }
  first_[size()] = count_;
  for (std::size_t k = 0; k < count_; ++k)
    if (keeps_velocity(k)) link_rows_[k].rate = velocity_of(link_rows_[k]) - kept_velocities_[k];
}

// With velocities other than those of measure(), at the same place: ġ = J v + ∂g/∂t. Biases stay those of before.
void HeldConstraints::measure_rates(const Instant<double>& now) {
  for (std::size_t k = 0; k < count_; ++k) {
    ConstraintRow& row = link_rows_[k];
    row.rate = power_of(row, now.V_WB) + (keeps_velocity(k) ? -kept_velocities_[k] : row.time_rate);
  }
}

bool HeldConstraints::Made::is(double at, const Plant& of) const {
  return plant == &of && t == at && same_bits(q, of.q());
}

void HeldConstraints::compute_rows(const Instant<double>& now, Plant& plant) {
  measure(now);
  const std::span<const ConstraintRow> rows = std::span(link_rows_).first(count_);
  if (factored_for_.is(now.t, plant)) return rows_.renew_biases(rows, plant);  // J does not depend on velocities
  forget_factors();
  rank_ = rows_.factor(rows, std::span(single_).first(count_), plant, static_cast<int>(rank_));
  if (plant.has_joint_drift()) return;  // it holds joints itself, and has to be asked at every instant
  factored_for_.plant = &plant, factored_for_.t = now.t;
  factored_for_.q.assign(plant.q().begin(), plant.q().end());
}

void HeldConstraints::add_to(std::span<double> vdot) {
  rows_.accelerations(vdot, rhs_);
  for (std::size_t i = 0; i < count_; ++i) rhs_[i] = -rhs_[i];  // (1)
  if (beta_ > 0)
    for (std::size_t i = 0; i < count_; ++i) rhs_[i] -= beta_ * (2 * link_rows_[i].rate + beta_ * link_rows_[i].value);
  rows_.solve(rhs_, lambda_, vdot);
  rows_.set_held(vdot);
}

void HeldConstraints::add_rows_to(const Instant<double>& now, Plant& plant, std::span<double> vdot) {
  if (at_ends_alone_) return;  // their rows are in use there
  count_ = 0;
  if (!any_active()) return;
  compute_rows(now, plant);
  add_to(vdot);
  at_hand_ = stepping_ && looks_ahead_;
}

// Anew, with v̇_half of a plant that holds joints itself, all that the rows bring is worked out for it:
// A x = −(J v̇_half + part of bias). Otherwise the other part of what the bias has asked for is taken out again.
void HeldConstraints::add_half_rows_to(bool anew, std::span<double> vdot) {
  if (!act_now()) return;
  if (anew) rows_.rates(vdot, rhs_);
  const std::span<const double> bias = rows_.biases();
  for (std::size_t i = 0; i < size(); ++i) {
    const double left = 1 - part_of_bias(constraints_[i], 0.5);
    for (const std::size_t k : rows_held_by(i)) rhs_[k] = anew ? -rhs_[k] - (1 - left) * bias[k] : left * bias[k];
  }
  rows_.solve(rhs_, x_, vdot);
}

void HeldConstraints::keep_velocities(Surroundings& around, const State& state) {
  kept_velocities_.clear();
  if (!any_active()) return;
  measure(around.place(state));
  for (std::size_t i = 0; i < size(); ++i) {
    const bool asks_for_none = part_of_bias(constraints_[i], 0) != 0;
    for (const std::size_t k : rows_held_by(i))
      kept_velocities_.push_back(asks_for_none ? velocity_of(link_rows_[k]) : std::nan(""));
  }
}

// ---- with contacts
void HeldConstraints::eliminate_from(const RowSet& contact_rows, Plant& plant, Delassus& of_contacts) {
  // What is made of responses of single rows differs in its last digits from the same by halves, and serves nobody later.
  forget_factors();
  contact_rows_ = static_cast<std::size_t>(contact_rows.size());
  rows_.eliminate_from(contact_rows, plant, of_contacts, across_, G_);  // (2)
}

void HeldConstraints::expect_contact_rows(std::size_t rows) {
  const std::size_t room = link_rows_.size() * rows;
  if (room <= G_.size()) return;
  across_.resize(room), G_.resize(room);
}

void HeldConstraints::yield_to(std::span<const double> lambda_c) {
  for (std::size_t b = 0; b < count_; ++b)
    for (std::size_t c = 0; c < contact_rows_; ++c) lambda_[b] -= G_[b * contact_rows_ + c] * lambda_c[c];
}

// ---- forces and books
void HeldConstraints::add_wrenches(const Kinematics<double>&, std::span<Wrench<double>> F_Bo_W) const {
  if (!act_now()) return;
  for (std::size_t k = 0; k < count_; ++k) add_force(link_rows_[k], lambda_[k], F_Bo_W);
}

void HeldConstraints::add_wrenches_beside_joints(const Kinematics<double>&, std::span<Wrench<double>> F_Bo_W) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (acts_in_joints(constraints_[i])) continue;
    for (const std::size_t k : rows_held_by(i)) add_force(link_rows_[k], lambda_[k], F_Bo_W);
  }
}

void HeldConstraints::book(const RateLayout& layout, const Kinematics<double>& kinematics,
                           std::span<double> rates) const {
  if (!act_now()) return;
  book_outside(layout, link_rows_, lambda_, kinematics.X_WB, rates);
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t source = layout.constraint(i);
    for (const std::size_t k : rows_held_by(i)) rates[layout.power(source)] += lambda_[k] * velocity_of(link_rows_[k]);
  }
}

void HeldConstraints::book_outside(const RateLayout& layout, std::span<const ConstraintRow> rows,
                                   std::span<const double> lambda, std::span<const Transform<double>> X_WB,
                                   std::span<double> out) const {
  for (std::size_t i = 0; i < size(); ++i) {
    Wrench<double> sum;
    for (const std::size_t k : rows_held_by(i))
      for (int p = 0; p < rows[k].part_count; ++p) {
        const LinkWrench& part = rows[k].parts[static_cast<std::size_t>(p)];
        const Wrench<double> F = shifted(part.F_Bo_W, X_WB[static_cast<std::size_t>(part.link)].p);
        sum += Wrench<double>{lambda[k] * F.n, lambda[k] * F.f};
      }
    book_wrench(out, layout.outside(layout.constraint(i)), sum);
  }
}

// ---- for the record
Wrench<double> HeldConstraints::wrench_on_a(std::size_t i, const Kinematics<double>& kinematics) const {
  Wrench<double> sum;
  const Constraint& c = constraints_[i];
  if (acts_in_joints(c)) return sum;
  // The forces on the two ends may make a couple: those on a itself count, unless it is the world, which has no rows;
  // there what acts on b counts with the other sign.
  const int link = c.a.link != 0 ? c.a.link : c.b.link;
  const double sign = c.a.link != 0 ? 1 : -1;
  const Vec3<double> point = kinematics.X_WB[static_cast<std::size_t>(c.b.link)] * c.b.X_LC.p;
  const Vec3<double> to_link = kinematics.X_WB[static_cast<std::size_t>(link)].p - point;
  for (const std::size_t k : rows_held_by(i))
    for (int p = 0; p < link_rows_[k].part_count; ++p) {
      const LinkWrench& part = link_rows_[k].parts[static_cast<std::size_t>(p)];
      if (part.link != link) continue;
      const Wrench<double> F = shifted(part.F_Bo_W, to_link);
      sum += Wrench<double>{sign * lambda_[k] * F.n, sign * lambda_[k] * F.f};
    }
  return sum;
}

double HeldConstraints::error_of(std::size_t i) const {
  double most = 0;
  for (const std::size_t k : rows_held_by(i)) most = larger_or_nan(most, std::abs(link_rows_[k].value));
  return most;
}

double HeldConstraints::largest_error() const {
  double most = 0;
  for (std::size_t k = 0; k < count_; ++k) most = larger_or_nan(most, std::abs(link_rows_[k].value));
  return most;
}

double HeldConstraints::largest_rate() const {
  double most = 0;
  for (std::size_t k = 0; k < count_; ++k) most = larger_or_nan(most, std::abs(link_rows_[k].rate));
  return most;
}

void HeldConstraints::begin_step(double t) {
  before_ = now_;
  stepping_ = true, at_hand_ = false;
  for (Constraint& c : constraints_) c.since = t;
}

void HeldConstraints::begin_record(bool within_last_step) {
  in_use_ = within_last_step ? &before_ : &now_;
  rank_kept_ = rank_;
  forget_factors(), rows_.forget();
}

void HeldConstraints::end_record() {
  in_use_ = &now_;
  rank_ = rank_kept_;
  forget_factors(), rows_.forget();
}

void HeldConstraints::count_drift(double error, double energy) {
  drift_error_ = larger_or_nan(drift_error_, error);
  drift_energy_ += energy;
}

// What a constraint took over when it was made is part of the state of a run.
void HeldConstraints::keep_as_made(std::size_t i) {
  forget_factors(), rows_.forget();
  frames_[i] = constraints_[i].b.X_LC;
  const std::array<double*, 2> numbers = made_numbers(constraints_[i]);
  if (numbers[0] != nullptr) made_first_[i] = *numbers[0];
  if (numbers[1] != nullptr) made_second_[i] = *numbers[1];
}

void HeldConstraints::obey(std::size_t i) {
  Coupler& coupler = *constraints_[i].kind.get_if<Coupler>();
  coupler.sum = constant_in_time(commands_[i].target);
  coupler.from_where_it_is = coupler.level == Coupler::Level::coordinate;
  coupler.blend = commands_[i].blend, coupler.offset_rate = 0;
}

void HeldConstraints::restored() {
  forget_factors(), rows_.forget();
  kept_velocities_.clear();
  commanded_ = false;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!acts_in_joints(constraints_[i])) continue;
    constraints_[i].kind = given_[i].kind;
    if (commands_[i].given != 0) obey(i);
  }
  const double most = static_cast<double>(most_rows * size());
  if (!(rank_ >= -1 && rank_ <= most))
    throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of constraints that cannot be");
  for (std::size_t i = 0; i < size(); ++i) {
    constraints_[i].b.X_LC = frames_[i];
    const std::array<double*, 2> numbers = made_numbers(constraints_[i]);
    if (numbers[0] != nullptr) *numbers[0] = made_first_[i];
    if (numbers[1] != nullptr) *numbers[1] = made_second_[i];
  }
  before_ = now_;
}

}  // namespace marey
