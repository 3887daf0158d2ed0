// When something acts: its memory, frozen between events.
//
// By the clock:          modes[0]  1: it acts, 0: it does not
// and with conditions:   modes[1]  1: it has started once
//                        modes[2]  the instant at which it last started
//                        then for each condition whether it holds (1, 0), and for each one on the distance from the
//                        start three numbers: p_WoQ at the start of the run
//
// Instants given by the clock are met to round-off: edges of windows are computed by the same formula everywhere.
#include "force/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/core/index.h"
#include "marey/force/element_maker.h"

namespace marey {
namespace {

enum SpikeMode : std::size_t { acting, started, started_at, first_condition };

// Instants closer than this are the same.
double same_instant(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t)); }

// The first of the instants that comes after t.
double earliest_after(double t, std::initializer_list<double> instants) {
  double first = forever;
  for (const double x : instants)
    if (x > t + same_instant(t)) first = std::min(first, x);
  return first;
}

// The start of the window that contains t, or else of the last one before t.
double window_start(const Schedule& s, double t) {
  if (!(s.every > 0)) return s.from;
  return s.from + s.every * std::max(0.0, std::floor((t - s.from + same_instant(t)) / s.every));
}
bool in_window(const Schedule& s, double t) {
  const double start = window_start(s, t), close = same_instant(t);
  return t >= start - close && t < start + s.lasts - close && t < s.until - close;
}

Vec3<double> place(const Condition& c, const Instant<double>& at) { return at.X_WB[index(c.link)] * c.point; }

double speed(const Condition& c, const Instant<double>& at) {
  const Twist<double>& V = at.V_WB[index(c.link)];
  return norm(V.v + cross(V.w, at.X_WB[index(c.link)].R * c.point));
}

bool is_touching(const Condition& c) { return c.quantity == Condition::Quantity::touching; }

double quantity(const Condition& c, const Instant<double>& at, const Vec3<double>& start) {
  switch (c.quantity) {
    case Condition::Quantity::height:
      return place(c, at).z;
    case Condition::Quantity::speed:
      return speed(c, at);
    case Condition::Quantity::angle:
      return named_angle(c.angle, at, c.link).angle;
    case Condition::Quantity::touching:
      return at.touching != nullptr && at.touching->touching(c.names) ? 1 : -1;
    case Condition::Quantity::distance_from_start:
      break;
  }
  return norm(place(c, at) - start);
}

bool remembers_place(const Condition& c) { return c.quantity == Condition::Quantity::distance_from_start; }

// Where the place of condition i at the start of the run is kept.
std::size_t place_mode(const Schedule& s, std::size_t i) {
  const auto before =
      std::count_if(s.conditions.begin(), s.conditions.begin() + static_cast<std::ptrdiff_t>(i), remembers_place);
  return first_condition + s.conditions.size() + 3 * static_cast<std::size_t>(before);
}

// Positive when the condition holds.
double margin(const Schedule& s, std::size_t i, const Instant<double>& at, std::span<const double> modes) {
  const Condition& c = s.conditions[i];
  Vec3<double> start;
  if (remembers_place(c)) {
    const double* p = modes.data() + place_mode(s, i);
    start = {p[0], p[1], p[2]};
  }
  const double x = quantity(c, at, start);
  return c.above ? x - c.threshold : c.threshold - x;
}

// Whether things touch changes between steps, not along them: it is looked at whenever anything switches.
void look_at_touching(const Schedule& s, const Instant<double>& at, std::span<double> modes) {
  for (std::size_t i = 0; i < s.conditions.size(); ++i)
    if (is_touching(s.conditions[i])) modes[first_condition + i] = margin(s, i, at, modes) > 0 ? 1 : 0;
}

// Decides whether the push acts from now on, from the conditions that hold and from the clock.
void decide(const Schedule& s, double t, std::span<double> modes) {
  const double close = same_instant(t);
  const bool in_time = t >= s.from - close && t < s.until - close;
  const auto holding = modes.subspan(first_condition, s.conditions.size());
  const bool hold = in_time && std::all_of(holding.begin(), holding.end(), [](double x) { return x != 0; });
  const bool may_start =
      modes[started] == 0 || std::isinf(s.lasts) || (s.every > 0 && t >= modes[started_at] + s.every - close);
  if (hold && may_start) modes[started] = 1, modes[started_at] = t;
  const bool lasting = std::isinf(s.lasts) ? hold : in_time && t < modes[started_at] + s.lasts - close;
  modes[acting] = modes[started] != 0 && lasting ? 1 : 0;
}

}  // namespace

bool TouchFacts::touching(const TouchingNames& names) const {
  const auto at = std::ranges::find(of, names);
  return at != of.end() && hold[static_cast<std::size_t>(at - of.begin())] != 0;
}

int mode_count(const Schedule& s) {
  return s.conditions.empty() ? 1 : static_cast<int>(place_mode(s, s.conditions.size()));
}

void start_modes(const Schedule& s, const Instant<double>& at, std::span<double> modes) {
  std::fill(modes.begin(), modes.end(), 0.0);
  if (s.conditions.empty()) {
    modes[acting] = in_window(s, at.t) ? 1 : 0;
    return;
  }
  for (std::size_t i = 0; i < s.conditions.size(); ++i) {
    if (remembers_place(s.conditions[i])) {
      const Vec3<double> p = place(s.conditions[i], at);
      for (int k = 0; k < 3; ++k) modes[place_mode(s, i) + index(k)] = p[k];
    }
    modes[first_condition + i] = margin(s, i, at, modes) > 0 ? 1 : 0;
  }
  decide(s, at.t, modes);
}

double next_instant(const Schedule& s, double t, std::span<const double> modes) {
  if (s.conditions.empty()) {
    if (t >= s.until) return forever;
    const double start = window_start(s, t);
    return earliest_after(t, {start, start + s.lasts, s.every > 0 ? start + s.every : forever, s.until});
  }
  if (modes[started] == 0) return earliest_after(t, {s.from, s.until});
  return earliest_after(
      t, {s.from, s.until, modes[started_at] + s.lasts, s.every > 0 ? modes[started_at] + s.every : forever});
}

int switch_count(const Schedule& s) { return static_cast<int>(s.conditions.size()); }

void switch_values(const Schedule& s, const Instant<double>& at, std::span<const double> modes,
                   std::span<double> values) {
  for (std::size_t i = 0; i < s.conditions.size(); ++i) {
    const double x = margin(s, i, at, modes);
    const bool holds = modes[first_condition + i] != 0;
    values[i] = is_touching(s.conditions[i]) ? 1 : holds ? x : -x;
  }
}

void switch_modes(const Schedule& s, const Instant<double>& at, int which, std::span<double> modes) {
  if (s.conditions.empty()) {
    modes[acting] = in_window(s, at.t) ? 1 : 0;
    return;
  }
  if (which != by_clock) {
    double& holds = modes[first_condition + index(which)];
    holds = holds != 0 ? 0 : 1;
  }
  look_at_touching(s, at, modes);
  decide(s, at.t, modes);
}

double next_knot(const TimeTable& table, double t) {
  if (table.t.size() < 2) return forever;
  const auto it = std::upper_bound(table.t.begin(), table.t.end(), t + same_instant(t));
  return it == table.t.end() ? forever : *it;
}

// ---- with functions of time
bool Scheduled::has_tables() const {
  return std::ranges::any_of(functions_, [](std::span<const TimeFunction> some) {
    return std::ranges::any_of(some, [](const TimeFunction& f) { return f.is_table(); });
  });
}

void Scheduled::start_modes(const Instant<double>& at, std::span<double> modes) const {
  marey::start_modes(schedule_, at, of_schedule(modes));
  if (has_tables()) modes.back() = at.t;
}

double Scheduled::next_instant(double t, std::span<const double> modes) const {
  double next = marey::next_instant(schedule_, t, modes.first(count_of_schedule()));
  for (const std::span<const TimeFunction> some : functions_)
    for (const TimeFunction& f : some) next = std::min(next, marey::next_knot(f, t));
  return next;
}

void Scheduled::switch_modes(const Instant<double>& at, int which, std::span<double> modes) const {
  marey::switch_modes(schedule_, at, which, of_schedule(modes));
  if (has_tables()) modes.back() = at.t;
}

// ---- in scenes
void read_times(MapReader& map, Schedule& schedule) {
  schedule.from = map.number_or("from", 0);
  if (const std::optional<double> until = map.number_if("until")) {
    schedule.until = *until;
    if (!(*until > schedule.from))
      refuse_value(map.need("until"), fmt::format("a time after it begins ({:.6g} s)", schedule.from));
  }
  schedule.lasts = schedule.until - schedule.from;
}

void read_when(MapReader& map, const ElementMaker& maker, Schedule& schedule) {
  const Value* when = map.get("when");
  if (when == nullptr) return;
  if (when->kind == Value::Kind::list)
    for (const ValuePtr& item : when->items) schedule.conditions.push_back(maker.condition_of(*item));
  else
    schedule.conditions.push_back(maker.condition_of(*when));
}

}  // namespace marey
