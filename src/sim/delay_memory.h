// What elements with a delay read: the states a run has gone through, and the kinks these bring back.
#pragma once

#include <vector>

#include "marey/force.h"
#include "marey/integrate.h"

namespace marey {

class DelayMemory final : public Past {
 public:
  // `delays` of the elements, ascending, each once; before the start everything was as it is there.
  DelayMemory(const Model&, std::vector<double> delays, const State& start);

  View at(double t) const override;
  double shortest() const { return delays_.front(); }

  // The first `length` of a step has become past.
  void add(const Segment& segment, double length) { history_.add(segment, length); }

  // Whatever happens (an event, the start) leaves a kink in the motion, and the force of a delayed element has it one
  // delay later, one derivative smoother. Such instants end steps, until the kinks are too weak to matter.
  void mark(double t);
  double next_kink(double t) const;  // after t; `forever` when there is none

  // For checkpoints.
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte>);

 private:
  struct Kink {
    double t;
    double level;  // 0 where it arose, one more with every delay
  };
  std::vector<double> delays_;
  History history_;
  std::vector<Kink> kinks_;            // those that can still come back
  mutable std::vector<double> q_, v_;  // v with z behind it
  std::size_t velocities_;
};

}  // namespace marey
