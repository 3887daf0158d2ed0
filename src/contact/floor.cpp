// Contacts between events. Ground that gives way is in floor_ground.cpp.
#include "marey/contact/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/contact/floor_limits.h"
#include "marey/contact/surface.h"

namespace marey {
namespace {

using Stage = ContactPhase::Stage;
constexpr std::size_t most_notes = 64;

}  // namespace

namespace {

const char* words_for(ContactNote::Kind kind) {
  switch (kind) {
    case ContactNote::Kind::rest:
      return "has come to the end of its bounces and stays on the floor";
    case ContactNote::Kind::indeterminate:
      return "slides where friction makes its motion ambiguous (Painlevé): it was taken to lift off";
    case ContactNote::Kind::inconsistent:
      return "slides where friction jams it and no finite force will do (Painlevé): an impact without collision "
             "stopped "
             "it";
    case ContactNote::Kind::replaced:
      return "was struck in a way its law of impact cannot answer (it would pull, or create energy): Coulomb's law "
             "with "
             "Stronge's rule was used";
    case ContactNote::Kind::unsolved:
      return "was struck together with others, and their laws have no common solution near by: the nearest was used";
  }
  return "";
}

std::string said(double t, const std::string& name, ContactNote::Kind kind, std::span<const std::string> links = {}) {
  const std::string of = links.empty() ? "" : fmt::format(" of {}", fmt::join(links, ", "));
  return fmt::format("t = {:.12g} s: '{}'{} {}", t, name, of, words_for(kind));
}

}  // namespace

std::string text_of(const ContactNote& note, std::span<const FloorContact> contacts) {
  return said(note.t, contacts[static_cast<std::size_t>(note.contact)].name, note.kind);
}

std::string text_of(const CountedNote& note) {
  const std::string text = said(note.first, note.of, note.kind, note.links);
  if (note.count == 1) return text;
  return fmt::format("{} ({} times{}, last at t = {:.12g} s)", text, note.count,
                     note.points > 1 ? fmt::format(" at {} of its points", note.points) : "", note.last);
}

const char* name_of(ContactNote::Kind kind) {
  constexpr const char* names[contact_note_kinds] = {"rest", "indeterminate", "inconsistent", "replaced", "unsolved"};
  return names[static_cast<int>(kind)];
}
bool is_warning(ContactNote::Kind kind) { return kind != ContactNote::Kind::rest; }

std::string refusal(const Model& model, const FloorContact& c) {
  if (c.link < 1 || c.link >= model.nlink()) return "there is no such link";
  const Vec3<double>&n = c.plane.normal_W, &p = c.point_B;
  if (!std::isfinite(p.x + p.y + p.z + c.plane.offset)) return "the point or the plane is not finite";
  if (!(std::abs(norm(n) - 1) < 1e-9)) return "the normal of the plane is not of unit length";
  if (!(c.surface.radius >= 0) || !std::isfinite(c.surface.radius)) return "the radius of its surface is not negative";
  if (c.surface.kind != ContactSurface::Kind::point && c.compliant)
    return "on ground that gives way there are points only";
  if (!(std::abs(norm(c.surface.axis_B) - 1) < 1e-9)) return "the axis of its rim is not of unit length";
  if (!(c.law.restitution >= 0 && c.law.restitution <= 1)) return "restitution lies between 0 and 1";
  if (!(c.friction_kinetic >= 0 && c.friction_static >= c.friction_kinetic && c.law.friction >= 0) ||
      !std::isfinite(c.friction_static + c.law.friction))
    return "friction is not negative, and not smaller at rest than in motion";
  if (!c.compliant) return {};
  const CompliantGround& g = c.ground;
  if (!(g.stiffness > 0 && g.damping >= 0 && g.exponent >= 1) || !std::isfinite(g.stiffness + g.damping + g.exponent))
    return "ground that gives way has a stiffness above zero, an exponent of 1 or more, and no negative damping";
  return {};
}

FloorContacts::FloorContacts(const Model& figure, std::span<const FloorContact> contacts, const SolverOptions& o,
                             const Model& coordinates, HeldConstraints* constraints)
    : gravity_(figure.params.gravity),
      drift_bound_(marey::drift_bound(o, row_drift)),
      in_halves_(steps_in_halves(o)),
      constraints_(constraints),
      contacts_(contacts.begin(), contacts.end()),
      now_(contacts_.size()),
      before_(contacts_.size()),
      notes_(most_notes),
      tallies_(contact_note_kinds * contacts_.size()),
      impulses_(3 * contacts_.size()),
      impulses_before_(impulses_),
      motion_(contacts_.size()),
      spring_(contacts_.size()),
      loss_(contacts_.size()),
      push_(contacts_.size()),
      lambda_(3 * contacts_.size()),
      a_(3 * contacts_.size()),
      beyond_(contacts_.size()),
      tilt_(contacts_.size(), 1.0),
      in_rows_(contacts_.size()),
      bias_(coordinates),
      no_bias_(coordinates),
      rows_(coordinates, 3 * static_cast<int>(contacts_.size())),
      delassus_(coordinates, 3 * static_cast<int>(contacts_.size())),
      workspace_(static_cast<int>(contacts_.size())),
      vdot_(static_cast<std::size_t>(coordinates.nv)),
      v_before_(vdot_),
      v_start_(vdot_),
      dx_(vdot_),
      ends_(2 * contacts_.size()),
      sub_A_(9 * contacts_.size() * contacts_.size()),
      sub_1_(3 * contacts_.size()),
      sub_2_(sub_1_),
      sub_3_(sub_1_),
      sub_4_(sub_1_),
      points_(contacts_.size()),
      modes_(contacts_.size()),
      laws_(contacts_.size()),
      reports_(contacts_.size()),
      system_(3 * static_cast<int>(contacts_.size())) {
  if (o.integrator == Integrator::semi_implicit) shortest_flight_ = o.step;
  if (o.integrator == Integrator::euler)
    shortest_flight_ = 4 * o.step;  // each flight gains speed by about a step's fall
  if (!has_fixed_step(o.integrator)) relative_ = o.tolerance, absolute_ = o.absolute_tolerance.value_or(o.tolerance);
  chosen_steps_ = !has_fixed_step(o.integrator);
  ends_with_turns_ = !chosen_steps_ && !in_halves_;  // each end costs halves of what is answered by them
  turning_floor_ = limits::turning_floor;
  step_of_forces_ =
      std::min(o.step, has_fixed_step(o.integrator) ? limits::longest_constant_force : limits::shortest_constant_force);
  if (o.integrator ==
      Integrator::midpoint)  // its equations contract only if friction turns by less than that in a step
    for (const FloorContact& c : contacts_)
      turning_floor_ = std::max(turning_floor_, 2 * c.friction_kinetic * o.step * norm(figure.params.gravity));
  for (const FloorContact& c : contacts_) {
    axes_.push_back(axes_of(c.plane));
    const std::size_t link = static_cast<std::size_t>(c.link);
    link_names_.push_back(link < figure.names.size() ? figure.names[link] : "");
  }
  was_stepped_.resize(size()), turned_.resize(size()), when_step_began_.resize(size());
  active_.reserve(size()), members_.reserve(size()), locals_.reserve(size()), which_.reserve(size());
  row_list_.reserve(3 * size()), kept_.resize(size());
}

void FloorContacts::note(double t, ContactNote::Kind kind, std::size_t contact) {
  for (const ContactNote& n : notes())  // an impact may be worked out twice
    if (n.t == t && n.kind == kind && n.contact == static_cast<std::int32_t>(contact)) return;
  ContactTally& tally = tallies_[static_cast<std::size_t>(kind) * size() + contact];
  if (tally.count > 0 && tally.last == t) return;
  if (tally.count++ == 0) tally.first = t;
  tally.last = t;
  if (static_cast<std::size_t>(note_count_) >= notes_.size()) return;
  notes_[static_cast<std::size_t>(note_count_++)] = {t, kind, static_cast<std::int32_t>(contact)};
}

std::vector<CountedNote> FloorContacts::counted_notes() const {
  std::vector<CountedNote> all;
  for (std::size_t k = 0; k < tallies_.size(); ++k) {
    const ContactTally& tally = tallies_[k];
    if (tally.count == 0) continue;
    const FloorContact& c = contact(k % size());
    const std::string& of = c.group.empty() ? c.name : c.group;
    const ContactNote::Kind kind = static_cast<ContactNote::Kind>(k / size());
    auto same = std::ranges::find_if(all, [&](const CountedNote& n) { return n.kind == kind && n.of == of; });
    if (same == all.end()) same = all.insert(all.end(), {kind, of, 0, 0, tally.first, tally.last, {}});
    const std::string& link = link_names_[k % size()];
    if (of.find(link) == std::string::npos && std::ranges::find(same->links, link) == same->links.end())
      same->links.push_back(link);
    same->count += tally.count, ++same->points;
    same->first = std::min(same->first, tally.first), same->last = std::max(same->last, tally.last);
  }
  std::ranges::stable_sort(all, {}, &CountedNote::first);
  return all;
}

// A checkpoint's sum tells torn ones; indices are looked at all the same before they are used.
void FloorContacts::restored() {
  const auto is_one_of = [](auto value, auto last) { return value >= decltype(value){} && value <= last; };
  bool sound = note_count_ >= 0 && note_count_ <= static_cast<long long>(notes_.size());
  for (const ContactNote& n : notes_)
    sound = sound && is_one_of(n.kind, ContactNote::Kind::unsolved) && n.contact >= 0 &&
            n.contact < static_cast<std::int32_t>(size());
  for (const ContactTally& n : tallies_)
    sound = sound && n.count >= 0 && std::isfinite(n.first) && std::isfinite(n.last);
  for (const ContactPhase& p : now_)
    sound = sound && is_one_of(p.mode, Mode::stick) && is_one_of(p.stage, ContactPhase::Stage::stepped);
  if (!sound) throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of contacts that cannot be");
  refresh();
}

// ---- phases
void FloorContacts::begin_record(bool within_last_step) {
  in_use_ = within_last_step ? &before_ : &now_;
  refresh();
}

void FloorContacts::refresh() {
  active_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    const Mode mode = phase(i).mode;
    in_rows_[i] = !contact(i).compliant && mode != Mode::free && !is_stepped(i);
    if (in_rows_[i] != 0) active_.push_back(static_cast<int>(i));
  }
}

bool FloorContacts::any_touches() const {
  return std::any_of(now_.begin(), now_.end(), [](const ContactPhase& p) { return p.mode != Mode::free; });
}

ContactMode FloorContacts::mode_of(std::size_t i) const {
  const ContactPhase& p = phase(i);
  ContactMode mode{p.mode, p.direction};
  if (p.mode == Mode::slide)
    mode.direction = friction_direction(motion_[i].velocity[1], motion_[i].velocity[2], p.direction, turning_floor_);
  return mode;
}

ContactPoint FloorContacts::point_of(std::size_t i) const {
  const FloorContact& c = contact(i);
  const std::array<double, 3>& u = motion_[i].velocity;
  return {c.friction_static, c.friction_kinetic, {u[1], u[2]}, false, 0};
}

// ---- forces
void FloorContacts::measure(const Kinematics<double>& kinematics) {
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    motion_[i] = contact_motion(contact(i), kinematics, no_bias_);
    if (contact(i).surface.kind != ContactSurface::Kind::point) look_at_surface(i, kinematics);
    if (contact(i).compliant) look_at_ground(i);
    if (is_stepped(i)) std::ranges::copy(phase(i).force, lambda_.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
}

void FloorContacts::look_at_surface(std::size_t i, const Kinematics<double>& kinematics) {
  const Mat3<double>& R = kinematics.X_WB[static_cast<std::size_t>(contact(i).link)].R;
  beyond_[i] = offset_of_contact(contact(i), R) - R * contact(i).point_B;
  if (is_rim(i)) tilt_[i] = tilt_of_rim(contact(i), R);
}

void FloorContacts::compute_rows(std::span<const int> which, Plant& plant) {
  const Model& coordinates = plant.coordinates();
  plant.bias(bias_);
  rows_.clear(static_cast<std::size_t>(coordinates.nv));
  for (const int i : which) {
    const std::size_t at = static_cast<std::size_t>(i);
    motion_[at] = contact_motion(contact(at), plant.kinematics(), bias_);
    add_rows(coordinates, coordinates.params, contact(at), plant.kinematics(), motion_[at], rows_);
  }
  if (has_constraints())
    constraints_->eliminate_from(rows_, plant, delassus_);
  else
    delassus_.compute(rows_, plant);
}

double FloorContacts::row_dot(int row, std::span<const double> x) const {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += rows_[row].J[k] * x[k];
  return sum;
}

void FloorContacts::add_forces(const Instant<double>& now, const Kinematics<double>& kinematics,
                               ForceSum<double>& forces) {
  measure(kinematics);
  add_ground<double>(now, forces);
}

bool FloorContacts::add_dual_forces(const Instant<Dual<1>>& now, ForceSum<Dual<1>>& forces, std::span<Dual<1>>) const {
  add_ground<Dual<1>>(now, forces);
  return true;
}

void FloorContacts::add_rows_to(const Instant<double>&, Plant& plant, std::span<double> vdot) {
  if (active_.empty()) return;
  compute_rows(active_, plant);
  const std::size_t m = active_.size(), n = 3 * m;
  const std::span<double> a_free = std::span(sub_1_).first(n), lambda = std::span(sub_2_).first(n),
                          a = std::span(sub_3_).first(n);
  for (std::size_t r = 0; r < n; ++r) a_free[r] = row_dot(static_cast<int>(r), vdot) + rows_[static_cast<int>(r)].bias;
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t i = static_cast<std::size_t>(active_[k]);
    points_[k] = point_of(i), modes_[k] = mode_of(i);
  }
  contact_multipliers(delassus_.A(), a_free, std::span(points_).first(m), std::span(modes_).first(m), workspace_,
                      lambda, a);
  share_multipliers(delassus_.A(), a_free, std::span(points_).first(m), std::span(modes_).first(m), workspace_, lambda,
                    a, ends_);
  delassus_.add_response(lambda, vdot);
  if (has_constraints()) constraints_->yield_to(lambda);
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t i = static_cast<std::size_t>(active_[k]);
    for (std::size_t j = 0; j < 3; ++j) lambda_[3 * i + j] = lambda[3 * k + j], a_[3 * i + j] = a[3 * k + j];
  }
}

// J v̇ is made what it is with all answered whole, so that points keep to their floor within the step, and slide as they
// should. What that takes beside the forces is no load, and has no friction. The projection that gives the other halves
// leaves these velocities alone (keep_velocities()).
void FloorContacts::add_half_rows_to(bool anew, std::span<double> vdot) {
  if (active_.empty() || !(anew || has_constraints())) return;
  row_list_.clear();
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(active_[k]);
    for (std::size_t j = 0; j < (phase(i).mode == Mode::idle ? 1u : 3u); ++j) {
      const int row = static_cast<int>(3 * k + j);
      sub_1_[row_list_.size()] = a_[3 * i + j] - rows_[row].bias - row_dot(row, vdot);
      row_list_.push_back(row);
    }
  }
  correct(row_list_, std::span(sub_1_).first(row_list_.size()), vdot);
}

// Those of ground that gives way are forces already.
void FloorContacts::add_wrenches(const Kinematics<double>& kinematics, std::span<Wrench<double>> F_Bo_W) const {
  for (const int c : active_) {
    const std::size_t i = static_cast<std::size_t>(c), link = static_cast<std::size_t>(contact(i).link);
    const Vec3<double> f = force_W(i);
    F_Bo_W[link] += Wrench<double>{cross(motion_[i].p_WoC_W - kinematics.X_WB[link].p, f), f};
  }
}

Vec3<double> FloorContacts::in_world(std::size_t i, std::span<const double> x) const {
  return x[3 * i] * axes_[i][0] + x[3 * i + 1] * axes_[i][1] + x[3 * i + 2] * axes_[i][2];
}
Vec3<double> FloorContacts::force_W(std::size_t i) const { return in_world(i, lambda_); }
Vec3<double> FloorContacts::impulse_W(std::size_t i) const {
  return in_world(i, in_use_ == &before_ ? impulses_before_ : impulses_);
}

void FloorContacts::book(const RateLayout& layout, const Kinematics<double>&, std::span<double> rates) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::array<double, 3>& u = motion_[i].velocity;
    const std::span<const double, 3> lambda(lambda_.data() + 3 * i, 3);
    double power = lambda[0] * u[0] + lambda[1] * u[1] + lambda[2] * u[2];
    if (contact(i).compliant) power -= spring_power(i);
    rates[layout.power(layout.contact(i))] = power;
    book_wrench(rates, layout.outside(layout.contact(i)),
                external_wrench(contact(i).plane, motion_[i].p_WoC_W, lambda));
  }
}

double FloorContacts::turning_speed() const {
  double slowest = forever;
  for (std::size_t i = 0; i < size(); ++i)
    if (in_rows_[i] != 0 && phase(i).mode == Mode::slide && contact(i).friction_kinetic > 0)
      slowest = std::min(slowest, std::hypot(motion_[i].velocity[1], motion_[i].velocity[2]));
  return slowest;
}

// ---- what ends a phase
// Gaps smaller than this are rounding.
double FloorContacts::resolution(std::size_t i) const {
  return 4 * std::numeric_limits<double>::epsilon() *
         (norm(motion_[i].p_WoC_W) + std::abs(contact(i).plane.offset) + norm(contact(i).point_B) +
          contact(i).surface.radius + 1e-3);
}

// Rises smaller than this cannot be told from staying: rounding, or the error that the method is allowed. An error of ε
// in the place is one of ε/u in the instant of the next touch, so that it is better to stop well before: some way below
// a tenth of a nanometre that costs nothing.
double FloorContacts::least_height(std::size_t i) const {
  const double allowed = absolute_ + relative_ * norm(motion_[i].p_WoC_W);
  return std::max({nearness(i), allowed, std::min(1e4 * allowed, 1e-10)});
}

// A force too small to matter: 10⁻¹² of what it takes to hold the point against gravity.
double FloorContacts::force_margin(std::size_t k) const {
  const std::size_t n = static_cast<std::size_t>(delassus_.size());
  const double A_nn = delassus_.A()[3 * k * n + 3 * k];
  return A_nn > 0 ? 1e-12 * (1 + norm(gravity_)) / A_nn : 0;
}

void FloorContacts::rigid_switches(double t, std::size_t i, std::size_t k, std::span<double> values) const {
  const ContactPhase& p = phase(i);
  const bool fresh = p.stage == Stage::fresh;
  if (p.mode == Mode::free) {
    values[0] = motion_[i].gap;
    if (fresh && t < p.until) values[0] += p.margin * (p.until < forever ? (p.until - t) / (p.until - p.since) : 1);
    return;
  }
  if (is_stepped(i)) {
    values[1] = p.until - t;
    return;
  }
  const std::size_t n = static_cast<std::size_t>(delassus_.size());
  std::array<double, 9> A_own;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) A_own[3 * r + c] = delassus_.A()[(3 * k + r) * n + 3 * k + c];
  const std::span<const double, 3> lambda(lambda_.data() + 3 * i, 3), a(a_.data() + 3 * i, 3);
  ContactMode mode = mode_of(i);
  const ModeEnds ends = mode_ends(A_own, point_of(i), mode, motion_[i], lambda, a);
  const double margin = force_margin(k);
  if (p.mode == Mode::idle) {
    // A load that begins to press, or what rounding has let sink in.
    const double little = 1e-8 * (1 + norm(gravity_));
    values[0] = std::min(1 + ends.lift_off.value / little, 1 + motion_[i].gap / nearness(i));
    return;
  }
  const bool alone = std::isnan(ends_[2 * k]);
  values[0] = alone ? ends.lift_off.value + margin : ends_[2 * k];
  if (p.mode == Mode::stick) values[1] = alone ? ends.slip.value + margin : ends_[2 * k + 1];
  if (p.mode == Mode::slide && std::isfinite(ends.stop.value))
    values[1] = motion_[i].velocity[1] * p.direction[0] + motion_[i].velocity[2] * p.direction[1] +
                (fresh ? limits::slip_floor : 0);
  if (p.mode == Mode::slide && p.watches_jam != 0) values[2] = ends.jam.value;
}

FloorContacts::Sliding FloorContacts::sliding(std::size_t i, std::size_t k) const {
  const std::size_t n = static_cast<std::size_t>(delassus_.size()), at = 3 * k;
  const std::array<double, 2> s = mode_of(i).direction;
  const double* A = delassus_.A().data() + at * n + at;
  return {s, 1 - contact(i).friction_kinetic * (A[1] * s[0] + A[2] * s[1]) / A[0]};
}

// Fixed steps do not resolve friction that turns fast (floor_steps.cpp), nor forces that grow without bound where Λ → 0 (Painlevé): the
// step may turn it by so much, and halve Λ. Steps are looked at from their beginning.
double FloorContacts::turn_left(double t, std::size_t i, std::size_t k) {
  const Sliding now = sliding(i, k);
  Sliding& then = when_step_began_[i];
  if (t <= step_began_) then = now;
  const double turn =
      now.direction[0] * then.direction[0] + now.direction[1] * then.direction[1] - limits::cosine_of_widest_turn;
  return then.inertia > limits::least_inertia ? std::min(turn, now.inertia / then.inertia - 0.5) : turn;
}

void FloorContacts::switch_values(const Instant<double>& now, const Kinematics<double>& kinematics,
                                  std::span<double> values) {
  if (!has_rows()) measure(kinematics);
  std::fill(values.begin(), values.end(), unbounded);
  std::size_t k = 0;  // among those with rows
  for (std::size_t i = 0; i < size(); ++i) {
    const std::span<double> own = values.subspan(slots * i, slots);
    if (contact(i).compliant)
      ground_switches(i, own);
    else
      rigid_switches(now.t, i, k, own);
    const bool touches = pressed(i) || motion_[i].gap < limits::flat_rim * contact(i).surface.radius;
    if (is_rim(i) && touches) own[3] = tilt_[i] - limits::flat_rim;
    if (in_rows_[i] == 0) continue;
    if (ends_with_turns_ && phase(i).mode == Mode::slide && contact(i).friction_kinetic > 0 && !is_rim(i))
      own[turn_slot] = turn_left(now.t, i, k);
    ++k;
  }
}

}  // namespace marey
