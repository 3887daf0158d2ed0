// Contacts at events: impacts, the modes that follow, bounces that pile up.
//
// At an event all that touches is looked at together, at one configuration:
//   impact    of those that approach, all others that touch being there to hold;
//   modes     of those that then neither approach nor leave;
//   Painlevé  where no modes are consistent: an impact without collision, and modes again.
//
// Bounces that pile up. A point that leaves with u_n and is drawn back with the acceleration a < 0 rises by u_n²/(2|a|)
// and flies for 2 u_n/|a|; with r = u_n⁺/|u_n⁻| the flights to come last
//   T = (2 u_n/|a|) (1 + r + r² + …) = (2 u_n/|a|)/(1 − r)                                                            (1)
// in sum. When the rise is too small to be told from rounding (a thousand times the spacing of the numbers that places
// are made of: a picometre at a metre; with chosen steps what the tolerance allows; with Euler's methods, when the
// flight is shorter than a step), the impact is taken without restitution and the point stays. The impulse of the
// bounces left out is the one that the floor gives while it stays for that long, and so is the place at the end; the
// instant at which the point comes to rest is t + T.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/contact/floor.h"
#include "marey/contact/floor_limits.h"

namespace marey {
namespace {

using Stage = ContactPhase::Stage;
// A grip that has just given way is told apart from one that holds by this part of its friction.
constexpr double slip_margin = 1e-8;

}  // namespace

// ---- start
void FloorContacts::refuse_flat(std::size_t i) const {
  throw Error(ErrorKind::cannot_go_on,
              fmt::format("the rim of '{}' lies flat on its floor and touches all around, which contact: events cannot "
                          "follow (solver: {{contact: stepping}} can, with shapes that collide)",
                          contact(i).name));
}

void FloorContacts::begin_run(Surroundings& around, State& state) {
  around.place(state);
  measure(around.plant().kinematics());
  for (std::size_t i = 0; i < size(); ++i) {
    const double gap = motion_[i].gap;
    if (contact(i).compliant) {
      start_ground(i);
      continue;
    }
    ContactPhase& phase = now_[i] = {};
    if (gap < -limits::start_gap)
      throw Error(ErrorKind::bad_input,
                  fmt::format("'{}' starts {:.3g} m below its floor; expected a start on the floor or above it",
                              contact(i).name, -gap));
    if (gap <= limits::start_gap) phase.mode = Mode::idle;
    if (gap <= limits::start_gap && is_rim(i) && tilt_[i] <= limits::flat_rim) refuse_flat(i);
  }
  project(around, state, true);
  refresh();
}

// A point that comes down on a floor that does not give way, or jams there.
bool FloorContacts::calls_for_impulse(const ContactEvent& event) const {
  const std::size_t i = static_cast<std::size_t>(event.contact);
  return !contact(i).compliant && (now_[i].mode == Mode::free || event.slot == jam_slot);
}

// ---- what touches
// The members, their rows and their Delassus matrix.
void FloorContacts::gather(Surroundings& around, State& state, const ContactEvent& event) {
  around.place(state);
  measure(around.plant().kinematics());
  members_.clear(), which_.clear();
  std::fill(in_rows_.begin(), in_rows_.end(), char(0));
  for (std::size_t i = 0; i < size(); ++i) {
    const FloorContact& c = contact(i);
    const bool at_event = event.contact == static_cast<int>(i);
    const bool near_by = motion_[i].gap <= nearness(i) && motion_[i].velocity[0] <= 0;
    if (c.compliant || !(now_[i].mode != Mode::free || at_event || near_by)) continue;
    Member member;
    member.contact = static_cast<int>(i);
    members_.push_back(member);
    which_.push_back(static_cast<int>(i));
    in_rows_[i] = 1;
  }
  around.free_motion(this, state, vdot_);
  compute_rows(which_, around.plant());
  v_before_ = v_start_ = state.v;
  settled_ = false;
  read_velocities(state);
  double fastest = 0;
  for (const Member& m : members_)
    for (const double u : m.u) fastest = std::max(fastest, std::abs(u));
  u_tolerance_ = 1e-12 * (fastest + 1e-3);
  for (Member& m : members_) {
    m.u_before = m.u[0];
    // What held until now has u_n = 0, but for what the projection could not reach.
    const ContactPhase& phase = now_[static_cast<std::size_t>(m.contact)];
    const bool was_held = is_held(phase.mode) && std::abs(m.u[0]) < 1e3 * u_tolerance_;
    if (was_held || was_stepped_[static_cast<std::size_t>(m.contact)] != 0) m.u_before = 0;
  }
}

void FloorContacts::read_velocities(const State& state) {
  for (std::size_t k = 0; k < members_.size(); ++k)
    for (std::size_t j = 0; j < 3; ++j) members_[k].u[j] = row_dot(static_cast<int>(3 * k + j), state.v);
}

// The rows and columns of some members.
void FloorContacts::extract(std::span<const int> locals, std::span<const double> from, std::span<double> to) const {
  const std::size_t n = 3 * members_.size(), m = locals.size();
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < m; ++l)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c)
          to[(3 * k + r) * 3 * m + 3 * l + c] =
              from[(3 * static_cast<std::size_t>(locals[k]) + r) * n + 3 * static_cast<std::size_t>(locals[l]) + c];
}

// ---- impacts
// Impulses P on some members: velocities, work.
void FloorContacts::apply(State& state, std::span<const int> locals, std::span<const double> P,
                          std::span<const ImpactOfContact> reports) {
  for (std::size_t k = 0; k < locals.size(); ++k) {
    Member& m = members_[static_cast<std::size_t>(locals[k])];
    for (std::size_t j = 0; j < 3; ++j) {
      m.P[j] += P[3 * k + j];
      const std::span<const double> response = delassus_.response(3 * locals[k] + static_cast<int>(j));
      for (std::size_t c = 0; c < state.v.size(); ++c) state.v[c] += P[3 * k + j] * response[c];
    }
    m.work += reports[k].work;
  }
  struck_ = true;
  read_velocities(state);
}

// From the velocities before: the impact of all rigid members.
void FloorContacts::strike(State& state, double t) {
  state.v = v_before_;
  read_velocities(state);
  struck_ = settled_;
  bool approaching = false;
  locals_.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = members_[k];
    m.P = m.P_settled, m.work = m.work_settled;
    if (std::abs(m.u_before) == 0) m.u[0] = 0;
    approaching = approaching || m.u[0] < -u_tolerance_;
    locals_.push_back(static_cast<int>(k));
  }
  if (approaching) {
    const std::size_t m = locals_.size();
    for (std::size_t k = 0; k < m; ++k) {
      const Member& member = members_[static_cast<std::size_t>(locals_[k])];
      for (std::size_t j = 0; j < 3; ++j) sub_1_[3 * k + j] = member.u[j];
      laws_[k] = contact(static_cast<std::size_t>(member.contact)).law;
      if (member.damped != 0) laws_[k].restitution = 0;
    }
    extract(locals_, delassus_.A(), sub_A_);
    const bool solved = impact(std::span(sub_A_).first(9 * m * m), std::span(sub_1_).first(3 * m),
                               std::span(laws_).first(m), workspace_, std::span(sub_2_).first(3 * m),
                               std::span(sub_3_).first(3 * m), std::span(reports_).first(m));
    apply(state, locals_, std::span(sub_2_).first(3 * m), reports_);
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t i = static_cast<std::size_t>(members_[static_cast<std::size_t>(locals_[k])].contact);
      if ((reports_[k].course & course_rule_replaced) != 0) note(t, ContactNote::Kind::replaced, i);
      if (!solved && reports_[k].course != course_none) note(t, ContactNote::Kind::unsolved, i);
    }
  }
  hold_down(state);
}

// Members that leave so slowly that nobody could tell are brought to u_n = 0, and with them all that do not leave. Rough
// ones that hardly slip stop wholly: what is left of a body's rocking must not become a slip. Others that this makes approach are
// stopped, too.
void FloorContacts::hold_down(State& state) {
  for (std::size_t round = 0; round <= members_.size(); ++round) {
    row_list_.clear(), locals_.clear();
    bool any = false;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const Member& m = members_[k];
      const bool leaves = m.u[0] > u_tolerance_;
      any = any || (leaves ? m.damped == 2 : round > 0 && m.u[0] < -u_tolerance_);
      if (leaves && m.damped != 2) continue;
      locals_.push_back(static_cast<int>(k));
      row_list_.push_back(static_cast<int>(3 * k));
      const bool rough = contact(static_cast<std::size_t>(m.contact)).friction_kinetic > 0;
      if (!rough || std::hypot(m.u[1], m.u[2]) > std::abs(m.u_before) + std::abs(m.u[0])) continue;
      row_list_.push_back(static_cast<int>(3 * k + 1));
      row_list_.push_back(static_cast<int>(3 * k + 2));
    }
    if (!any) return;
    stop_rows(state);
  }
}

// The impulses with which the velocities in row_list_, of the members in locals_, become zero.
void FloorContacts::stop_rows(State& state) {
  const std::size_t rows = row_list_.size(), m = locals_.size();
  for (std::size_t a = 0; a < rows; ++a) sub_1_[a] = -members_[row_at(a) / 3].u[row_at(a) % 3];
  std::fill(sub_3_.begin(), sub_3_.begin() + static_cast<std::ptrdiff_t>(3 * m), 0.0);
  solve_rows(row_list_, std::span(sub_1_).first(rows), sub_2_, false);
  for (std::size_t a = 0, k = 0; a < rows; ++a) {
    while (static_cast<std::size_t>(locals_[k]) != row_at(a) / 3) ++k;
    sub_3_[3 * k + row_at(a) % 3] = sub_2_[a];
  }
  for (std::size_t k = 0; k < m; ++k) {
    const Member& member = members_[static_cast<std::size_t>(locals_[k])];
    reports_[k] = {};
    for (std::size_t c = 0; c < 3; ++c) sub_4_[3 * k + c] = member.u[c];
  }
  apply(state, locals_, std::span(sub_3_).first(3 * m), reports_);
  for (std::size_t k = 0; k < m; ++k) {
    Member& member = members_[static_cast<std::size_t>(locals_[k])];
    for (std::size_t c = 0; c < 3; ++c) member.work += 0.5 * sub_3_[3 * k + c] * (sub_4_[3 * k + c] + member.u[c]);
  }
}

// ---- modes
void FloorContacts::accelerate(Surroundings& around, const State& state) {
  around.free_motion(this, state, vdot_);
  const Kinematics<double>& kinematics = around.plant().kinematics();
  around.plant().bias(bias_);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const std::size_t i = static_cast<std::size_t>(members_[k].contact);
    motion_[i] = contact_motion(contact(i), kinematics, bias_);
    for (std::size_t j = 0; j < 3; ++j)
      members_[k].a_free[j] = row_dot(static_cast<int>(3 * k + j), vdot_) + motion_[i].bias[j];
  }
}

ModeChoice FloorContacts::choose(const ContactEvent& event, int leaving) {
  locals_.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& m = members_[k];
    m.chosen = !(m.u[0] > u_tolerance_) && static_cast<int>(k) != leaving;
    m.lambda = {}, m.mode = {};
    if (m.chosen) locals_.push_back(static_cast<int>(k));
  }
  const std::size_t m = locals_.size(), n = 3 * members_.size();
  for (std::size_t k = 0; k < m; ++k) {
    const Member& member = members_[static_cast<std::size_t>(locals_[k])];
    const std::size_t i = static_cast<std::size_t>(member.contact);
    points_[k] = point_of(i);
    points_[k].slip = {member.u[1], member.u[2]};
    if (event.contact == member.contact && event.slot == slip_slot && now_[i].mode == Mode::stick) {
      points_[k].friction_static *= must_slip_ ? 0 : 1 - slip_margin;
      points_[k].friction_kinetic = std::min(points_[k].friction_kinetic, points_[k].friction_static);
    }
    modes_[k] = {now_[i].mode, now_[i].direction};
    for (std::size_t j = 0; j < 3; ++j) sub_1_[3 * k + j] = member.a_free[j];
  }
  extract(locals_, delassus_.A(), sub_A_);
  const ModeChoice choice =
      choose_modes(std::span(sub_A_).first(9 * m * m), std::span(sub_1_).first(3 * m), std::span(points_).first(m),
                   limits::slip_floor, workspace_, std::span(modes_).first(m), std::span(sub_2_).first(3 * m),
                   std::span(sub_3_).first(3 * m));
  for (std::size_t k = 0; k < m; ++k) {
    Member& member = members_[static_cast<std::size_t>(locals_[k])];
    member.mode = modes_[k];
    if (member.mode.together && member.mode.mode == Mode::idle) hold_without_load(member);
    for (std::size_t j = 0; j < 3; ++j) member.lambda[j] = sub_2_[3 * k + j];
  }
  for (std::size_t r = 0; r < n; ++r) {
    double a = members_[r / 3].a_free[r % 3];
    for (std::size_t c = 0; c < n; ++c) a += delassus_.A()[r * n + c] * members_[c / 3].lambda[c % 3];
    members_[r / 3].a[r % 3] = a;
  }
  return choice;
}

// Where others could carry the load just now, it may be shared again the next moment: the point is held with them.
void FloorContacts::hold_without_load(Member& m) const {
  const FloorContact& c = contact(static_cast<std::size_t>(m.contact));
  const double slip = std::hypot(m.u[1], m.u[2]);
  const bool slides = slip > limits::slip_floor || c.friction_static == 0;
  m.mode = {slides ? Mode::slide : Mode::stick, {1, 0}, true};
  if (slip > 0) m.mode.direction = {m.u[1] / slip, m.u[2] / slip};
}

// A flight that cannot be told from staying.
bool FloorContacts::too_small(const Member& m) const {
  if (!(m.u[0] > u_tolerance_ && m.a[0] < 0)) return false;
  const double rise = m.u[0] * m.u[0] / (-2 * m.a[0]), flight = 2 * m.u[0] / -m.a[0];
  const double lost = m.u_before < 0 ? 1 + m.u[0] / m.u_before : 1;  // 1 − r
  if (shortest_flight_ > 0 && flight * lost <= shortest_flight_) return true;
  return rise <= least_height(static_cast<std::size_t>(m.contact));
}

// (1). True when something was changed: velocities are those after the new impact.
bool FloorContacts::damp_small_bounces(State& state) {
  bool changed = false;
  for (Member& m : members_) {
    if (m.damped == 2 || !too_small(m)) continue;
    const bool was_struck = m.u_before < -u_tolerance_;
    if (was_struck && m.damped == 0) {
      const double flight = 2 * m.u[0] / -m.a[0], r = m.u[0] / -m.u_before;
      m.rest = t_ + flight / std::max(1 - r, 1e-3);
    }
    m.damped = was_struck && m.damped == 0 ? 1 : 2;
    changed = true;
  }
  if (changed) strike(state, t_);
  return changed;
}

// The contact that a choice names: it counts those that took part, which are not all that touch. If it names none, the
// first of them.
std::size_t FloorContacts::culprit_of(const ModeChoice& choice) const {
  return taking_part(std::max(0, choice.contact));
}
std::size_t FloorContacts::taking_part(int local) const {
  const int member = locals_[static_cast<std::size_t>(local)];
  return static_cast<std::size_t>(members_[static_cast<std::size_t>(member)].contact);
}

// Who cannot go on: the one that is named, or where nothing slides and none is, all that took part.
std::string FloorContacts::described(const ModeChoice& choice) const {
  if (choice.contact >= 0) return fmt::format("contact '{}'", contact(culprit_of(choice)).name);
  std::string text = locals_.size() == 1 ? "contact" : "contacts";
  const int last = static_cast<int>(locals_.size()) - 1;
  for (int k = 0; k <= last; ++k) {
    const char* before = k == 0 ? " " : k < last ? ", " : " and ";
    text += fmt::format("{}'{}'", before, contact(taking_part(k)).name);
  }
  return text;
}

// No modes are consistent: what slides is stopped by an impulse.
bool FloorContacts::jolt(State& state, const ModeChoice& choice) {
  std::size_t m = 0;
  locals_.clear();
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& member = members_[k];
    if (!member.chosen) continue;
    locals_.push_back(static_cast<int>(k));
    for (std::size_t j = 0; j < 3; ++j) sub_1_[3 * m + j] = member.u[j], sub_4_[3 * m + j] = member.a_free[j];
    sub_1_[3 * m] = 0;
    laws_[m++] = contact(static_cast<std::size_t>(member.contact)).law;
  }
  extract(locals_, delassus_.A(), sub_A_);
  const bool found = impact_without_collision(std::span(sub_A_).first(9 * m * m), std::span(sub_1_).first(3 * m),
                                              std::span(sub_4_).first(3 * m), std::span(laws_).first(m), workspace_,
                                              std::span(sub_2_).first(3 * m), std::span(sub_3_).first(3 * m),
                                              std::span(reports_).first(m));
  if (!found) return false;
  note(t_, ContactNote::Kind::inconsistent, culprit_of(choice));
  apply(state, locals_, std::span(sub_2_).first(3 * m), reports_);
  return true;
}

void FloorContacts::set_phase(Member& m) {
  const std::size_t i = static_cast<std::size_t>(m.contact);
  ContactPhase phase;
  phase.mode = m.chosen ? m.mode.mode : Mode::free;
  phase.direction = m.mode.direction;
  if (m.stepped && is_held(phase.mode)) {
    phase.stage = Stage::stepped;
    phase.force = m.lambda, phase.since = t_, phase.until = t_ + step_of_forces_;
    now_[i] = phase;
    return;
  }
  const bool slow = std::hypot(m.u[1], m.u[2]) <= limits::slip_floor;
  if (phase.mode == Mode::slide && slow) phase.stage = Stage::fresh;
  if (phase.mode == Mode::free) {  // a gap that opens with some speed has to be told from rounding alone
    phase.stage = Stage::fresh;
    const bool with_speed = m.u[0] > 1e3 * u_tolerance_;
    const double depth = std::max(0.0, -motion_[i].gap);  // a method of low order may dip a little before it rises
    phase.margin = (with_speed ? resolution(i) : least_height(i)) + 2 * depth;
    phase.since = t_, phase.until = with_speed ? t_ + 100 * phase.margin / m.u[0] : forever;
  }
  if (phase.mode == Mode::slide) {
    const std::size_t k = static_cast<std::size_t>(&m - members_.data()), n = 3 * members_.size(), at = 3 * k;
    const std::span<const double> A = delassus_.A();
    const double inertia = A[at * n + at] - contact(i).friction_kinetic * (A[at * n + at + 1] * phase.direction[0] +
                                                                           A[at * n + at + 2] * phase.direction[1]);
    phase.watches_jam = inertia > 0 ? 1 : 0;
  }
  now_[i] = phase;
}

void FloorContacts::set_phases() {
  for (Member& m : members_) {
    set_phase(m);
    if (m.damped == 1) note(m.rest, ContactNote::Kind::rest, static_cast<std::size_t>(m.contact));
    if (m.P[0] != 0 && m.u_before < -u_tolerance_) ++impacts_;
  }
}

// The member whose grip gave way and was found to hold all the same, or −1: with hardly any load on it, all forces are
// rounding.
int FloorContacts::grips_still(const ContactEvent& event) const {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Member& m = members_[k];
    if (m.contact == event.contact && m.mode.mode == Mode::stick && !m.mode.together &&
        now_[static_cast<std::size_t>(m.contact)].mode == Mode::stick)
      return static_cast<int>(k);
  }
  return -1;
}

bool FloorContacts::without_load(std::size_t k) const { return members_[k].lambda[0] <= 10 * force_margin(k); }

// Where one leaves, those whose load ends at the same instant leave with it. Were they kept, the next event would be theirs,
// and the first, which still touches, would be held again, for ever.
void FloorContacts::release_those_without_load() {
  for (std::size_t k = 0; k < members_.size(); ++k)
    if (is_held(members_[k].mode.mode) && !members_[k].mode.together && without_load(k))
      members_[k].mode.mode = Mode::free;
}

void FloorContacts::resolve(Surroundings& around, State& state, const Happening& what) {
  constexpr int per_contact = static_cast<int>(slots);
  ContactEvent event;
  if (what.which >= 0) event = {what.which / per_contact, what.which % per_contact};
  if (event.slot == flat_slot) refuse_flat(static_cast<std::size_t>(event.contact));
  if (what.which >= 0 && calls_for_impulse(event)) around.expect_impulse();
  members_.clear();
  struck_ = lost_ = false;
  if (what.which >= 0 || any_touches()) resolve_touching(around, state, event, what.jolted);
}

// The modes of all that touches, and the impulses that it takes where there are none.
void FloorContacts::find_modes(Surroundings& around, State& state, const ContactEvent& event, int leaving) {
  int jolts = 0;
  constexpr int most_jolts = 4;
  const int most_rounds = 8 + 4 * static_cast<int>(members_.size());
  for (int round = 0; !members_.empty(); ++round) {
    accelerate(around, state);
    const ModeChoice choice = choose(event, leaving);
    const bool in_vain = round >= most_rounds;
    if (!in_vain && damp_small_bounces(state)) continue;
    const double little = 1e-9 * (1 + norm(gravity_));
    if (leaving >= 0 && members_[static_cast<std::size_t>(leaving)].a[0] < -little) {
      leaving = -1;
      continue;
    }
    if (const int still = event.slot == slip_slot ? grips_still(event) : -1; !must_slip_ && still >= 0) {
      // A load that has gone takes the grip with it: the point is about to leave. (With μ_s > 1 that is seen by the grip
      // first, and were it made to slip, the next of several would be the one that grips without a load, and so on.)
      const std::size_t k = static_cast<std::size_t>(still);
      if (without_load(k)) leaving = still;
      must_slip_ = true;
      continue;
    }
    if (choice.choice == Choice::indeterminate) note(t_, ContactNote::Kind::indeterminate, culprit_of(choice));
    if (choice.choice != Choice::inconsistent && choice.choice != Choice::unresolved) break;
    if (in_vain || ++jolts > most_jolts || !jolt(state, choice)) {
      note(t_, ContactNote::Kind::unsolved, culprit_of(choice));
      go_by_steps_for_a_while();
      return take_forces_of_step(around, state);
    }
  }
  if (leaving >= 0) release_those_without_load();
}

// `jolted`: others have just changed the velocities at once.
void FloorContacts::resolve_touching(Surroundings& around, State& state, const ContactEvent& event, bool jolted) {
  t_ = state.t;
  must_slip_ = struck_ = lost_ = false;
  if (event.contact >= 0 && contact(static_cast<std::size_t>(event.contact)).compliant) {
    std::fill(loss_.begin(), loss_.end(), 0.0);
    lost_ = true;
    around.place(state);
    measure(around.plant().kinematics());
    turn_ground(static_cast<std::size_t>(event.contact), event.slot);
  }
  // What a constraint or a weld that was just made does to a point on its floor is no drift: it is struck.
  if (!jolted) put_back(around, state);
  const bool to_and_fro = turn_to_and_fro(event);
  gather(around, state, event);
  if (to_and_fro) settle(state);
  int leaving = -1;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const int i = members_[k].contact;
    if (i == event.contact && event.slot == lift_slot && is_held(now_[static_cast<std::size_t>(i)].mode))
      leaving = static_cast<int>(k);
  }
  strike(state, t_);
  if (!(to_and_fro && keep_to_steps(around, state))) find_modes(around, state, event, leaving);
  for (const Member& m : members_)
    for (std::size_t j = 0; j < 3; ++j) impulses_[3 * static_cast<std::size_t>(m.contact) + j] += m.P[j];
  set_phases();
  if (struck_ && has_constraints()) {
    for (std::size_t r = 0; r < 3 * members_.size(); ++r) sub_1_[r] = members_[r / 3].P[r % 3];
    constraints_->take_impulse(std::span(sub_1_).first(3 * members_.size()), v_start_, state.v);
  }
  project(around, state, false);
  refresh();
}

void FloorContacts::book_impulses(const RateLayout& layout, const Kinematics<double>&,
                                  std::span<double> integrals) const {
  for (std::size_t i = 0; lost_ && i < size(); ++i) integrals[layout.power(layout.contact(i))] -= loss_[i];
  for (const Member& m : members_) {
    const std::size_t i = static_cast<std::size_t>(m.contact);
    integrals[layout.power(layout.contact(i))] += m.work;
    book_wrench(integrals, layout.outside(layout.contact(i)),
                external_wrench(contact(i).plane, motion_[i].p_WoC_W, m.P));
  }
}

void FloorContacts::add_impulses(const Kinematics<double>& kinematics, std::span<Wrench<double>> P_Bo_W) const {
  for (const Member& m : members_) {
    const std::size_t i = static_cast<std::size_t>(m.contact), link = static_cast<std::size_t>(contact(i).link);
    const Vec3<double> f = m.P[0] * axes_[i][0] + m.P[1] * axes_[i][1] + m.P[2] * axes_[i][2];
    P_Bo_W[link] += Wrench<double>{cross(motion_[i].p_WoC_W - kinematics.X_WB[link].p, f), f};
  }
}

}  // namespace marey
