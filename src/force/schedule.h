// When something acts by the clock or by conditions: its memory, frozen between events. See schedule.cpp for the modes.
#pragma once

#include <array>

#include "marey/force.h"
#include "marey/spec/values.h"

namespace marey {

int mode_count(const Schedule&);
void start_modes(const Schedule&, const Instant<double>&, std::span<double> modes);
double next_instant(const Schedule&, double t, std::span<const double> modes);
int switch_count(const Schedule&);
void switch_values(const Schedule&, const Instant<double>&, std::span<const double> modes, std::span<double> values);
void switch_modes(const Schedule&, const Instant<double>&, int which, std::span<double> modes);

// The first knot of a table after t.
double next_knot(const TimeTable&, double t);

// ---- something that acts by a schedule and follows functions of time: behind the schedule's modes stands the instant since which
// the tables have met no knot (TimeFunction::at), where there are any
class Scheduled {
 public:
  Scheduled(const Schedule& schedule, std::span<const TimeFunction> first, std::span<const TimeFunction> second = {})
      : schedule_(schedule), functions_{first, second} {}
  int mode_count() const { return marey::mode_count(schedule_) + (has_tables() ? 1 : 0); }
  void start_modes(const Instant<double>&, std::span<double> modes) const;
  double next_instant(double t, std::span<const double> modes) const;
  void switch_modes(const Instant<double>&, int which, std::span<double> modes) const;
  double since(double t, std::span<const double> modes) const { return has_tables() ? modes.back() : t; }
  const Schedule& schedule() const { return schedule_; }

 private:
  bool has_tables() const;
  std::span<double> of_schedule(std::span<double> modes) const { return modes.first(count_of_schedule()); }
  std::size_t count_of_schedule() const { return static_cast<std::size_t>(marey::mode_count(schedule_)); }

  const Schedule& schedule_;
  std::array<std::span<const TimeFunction>, 2> functions_;
};

// What a Descriptor says of switches, for a kind that its scheduled(e) describes so: those of its schedule, and knots.
template <class Kind>
struct Descriptor;
template <class Kind>
struct SwitchesBySchedule {
  static int mode_count(const Kind& e) { return Descriptor<Kind>::scheduled(e).mode_count(); }
  static void start_modes(const Kind& e, const Instant<double>& at, bool, std::span<double> modes) {
    Descriptor<Kind>::scheduled(e).start_modes(at, modes);
  }
  static double next_instant(const Kind& e, double t, std::span<const double> modes) {
    return Descriptor<Kind>::scheduled(e).next_instant(t, modes);
  }
  static int switch_count(const Kind& e) { return marey::switch_count(Descriptor<Kind>::scheduled(e).schedule()); }
  static void switch_values(const Kind& e, const Instant<double>& at, std::span<const double> modes,
                            std::span<double> values) {
    marey::switch_values(Descriptor<Kind>::scheduled(e).schedule(), at, modes, values);
  }
  static void switch_modes(const Kind& e, const Instant<double>& at, int which, std::span<double> modes) {
    Descriptor<Kind>::scheduled(e).switch_modes(at, which, modes);
  }
};

// `from` and `until` of what acts all the time in between.
void read_times(MapReader&, Schedule&);
// `when`: one condition, or several that hold together.
class ElementMaker;
void read_when(MapReader&, const ElementMaker&, Schedule&);

}  // namespace marey
