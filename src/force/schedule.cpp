// When pushes act: their memory, frozen at the start of every step.
//
// modes[0]  share of the step for which the push acts
// and with conditions:
// modes[1]  0: has not started yet, 1: it has
// modes[2]  the instant at which it last started
// modes[3]  0: the start of the run is still to be noted, 1: it has been
// modes[4…] p_WoQ at the start of the run, three numbers for each condition on the distance from it
//
// Windows repeat, so covered time is counted from the start of the window that comes last before the step:
//   C(x) = ⌊x/every⌋ lasts + min(x mod every, lasts),   share = (C(b) − C(a))/dt                         (1)
// for the step from a to b. Counting from there and not from t = 0 keeps the difference exact to round-off.
#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/force.h"

namespace marey {
namespace {

enum Mode : std::size_t { share_of_step, started, started_at, start_noted, start_points };

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// What counts as the same instant: a billionth of the step, or the round-off of the time itself.
double same_instant(double t, double dt) {
  return 1e-9 * dt + 4 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

// (1)
double covered(double x, double lasts, double every) {
  if (!(every > 0)) return std::min(x, lasts);
  const double n = std::floor(x / every);
  return n * std::min(lasts, every) + std::min(x - n * every, lasts);
}

// The share of [t, t + dt] in the windows of s that start at `from`.
double share(const Schedule& s, double from, double every, double t, double dt) {
  const double first = every > 0 ? std::max(0.0, std::floor((t - from) / every)) : 0;
  const double origin = from + first * every;
  const double a = std::max(t - origin, 0.0), b = std::min(t - origin + dt, s.until - origin);
  if (b <= a) return 0;
  const double part = (covered(b, s.lasts, every) - covered(a, s.lasts, every)) / dt;
  const double edge = 2 * same_instant(t, dt) / dt;
  return part < edge ? 0 : part > 1 - edge ? 1 : part;
}

Vec3<double> place(const Condition& c, const Instant<double>& at) { return at.X_WB[index(c.link)] * c.point; }

double speed(const Condition& c, const Instant<double>& at) {
  const Twist<double>& V = at.V_WB[index(c.link)];
  return norm(V.v + cross(V.w, at.X_WB[index(c.link)].R * c.point));
}

double quantity(const Condition& c, const Instant<double>& at, const Vec3<double>& start) {
  switch (c.quantity) {
    case Condition::Quantity::height:
      return place(c, at).z;
    case Condition::Quantity::speed:
      return speed(c, at);
    case Condition::Quantity::angle:
      return named_angle(c.angle, at, c.link).angle;
    case Condition::Quantity::distance_from_start:
      break;
  }
  return norm(place(c, at) - start);
}

bool remembers_place(const Condition& c) { return c.quantity == Condition::Quantity::distance_from_start; }

void note_start(const Schedule& s, const Instant<double>& at, std::span<double> modes) {
  if (modes[start_noted] != 0) return;
  std::size_t next = start_points;
  for (const Condition& c : s.conditions) {
    if (!remembers_place(c)) continue;
    const Vec3<double> p = place(c, at);
    for (int k = 0; k < 3; ++k) modes[next++] = p[k];
  }
  modes[start_noted] = 1;
}

bool all_hold(const Schedule& s, const Instant<double>& at, std::span<const double> modes) {
  std::size_t next = start_points;
  for (const Condition& c : s.conditions) {
    Vec3<double> start;
    if (remembers_place(c)) start = {modes[next], modes[next + 1], modes[next + 2]}, next += 3;
    const double x = quantity(c, at, start);
    if (c.above ? !(x > c.threshold) : !(x < c.threshold)) return false;
  }
  return true;
}

void update(const Schedule& s, const Instant<double>& at, double dt, std::span<double> modes) {
  const double t = at.t, close = same_instant(t, dt);
  if (s.conditions.empty()) {
    modes[share_of_step] = share(s, s.from, s.every, t, dt);
    return;
  }
  note_start(s, at, modes);
  const bool in_time = t >= s.from - close && t < s.until - close;
  const bool holds = in_time && all_hold(s, at, modes);
  const bool may_start =
      modes[started] == 0 || std::isinf(s.lasts) || (s.every > 0 && t >= modes[started_at] + s.every - close);
  if (holds && may_start) modes[started] = 1, modes[started_at] = t;
  const bool may_act = modes[started] != 0 && (holds || !std::isinf(s.lasts));
  modes[share_of_step] = may_act ? share(s, modes[started_at], 0, t, dt) : 0;
}

}  // namespace

int mode_count(const Element& element) {
  const Push* push = std::get_if<Push>(&element.kind);
  if (push == nullptr) return 0;
  const std::vector<Condition>& conditions = push->schedule.conditions;
  if (conditions.empty()) return 1;
  return static_cast<int>(start_points) +
         3 * static_cast<int>(std::count_if(conditions.begin(), conditions.end(), remembers_place));
}

void update_modes(const Element& element, const Instant<double>& at, double dt, std::span<double> modes) {
  if (const Push* push = std::get_if<Push>(&element.kind)) update(push->schedule, at, dt, modes);
}

}  // namespace marey
