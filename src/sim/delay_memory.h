// What elements with a delay read: the states a run has gone through, and the kinks these bring back.
#pragma once

#include <vector>

#include "marey/force.h"
#include "marey/integrate.h"
#include "marey/plant/part.h"
#include "marey/plant/plant.h"

namespace marey {

class DelayMemory final : public Past, public Part {
 public:
  // `delays` of the elements, ascending, each once; before the start everything was as it is there.
  // The states are those of the plant's coordinates; what is read is in the joints'.
  DelayMemory(Plant&, std::vector<double> delays, const State& start);

  View at(double t) const override;
  // What lies further ahead than the shortest delay would ask for the future.
  double longest_step(const State&) const override { return delays_.front(); }

  // A step begins: what is read at its ends lies within it, and on this side of whatever happened there one delay ago.
  void begin_step(double t) override { step_began_ = now_ = t; }
  // What is read from now on is read at this time.
  void read_at(double t) { now_ = t; }
  // The first `length` of a step has become past.
  void add(const Segment& segment, double length) { history_.add(segment, length); }
  // At the end of it, in coordinates other than the joints': what says how many turns these had made (Plant::turns).
  void remember_turns(double t);

  // Whatever happens (an event, the start) leaves a kink in the motion, and the force of a delayed element has it one
  // delay later, one derivative smoother. Such instants end steps, until the kinks are too weak to matter.
  void mark(double t);
  double next_kink(double t) const;  // after t; `forever` when there is none
  double next_instant(const State& s) const override { return next_kink(s.t); }

  // For checkpoints.
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte>);

 private:
  struct Kink {
    double t;
    double level;  // 0 where it arose, one more with every delay
  };
  bool counts_turns() const { return &plant_.coordinates() != &plant_.figure(); }
  std::span<const double> turns_at(double t) const;

  void read(double t) const;

  Plant& plant_;
  double step_began_ = 0, now_ = 0;
  std::vector<double> delays_;
  History history_;
  std::vector<Kink> kinks_;            // those that can still come back
  std::vector<Kink> out_of_reach_;     // those of the longest delay ago, when the step began
  std::vector<double> turns_;          // one after another: a time, and Plant::turns() then
  mutable std::vector<double> q_, v_;  // v with z behind it
  mutable std::vector<double> q_joints_, v_joints_;
  std::size_t velocities_;
};

}  // namespace marey
