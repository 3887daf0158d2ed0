// How far a motion is from what its scene wants (marey/sim/want.h).
//
// A wanted outcome that is a place or a direction misses by a vector, one that is a number with bounds by how far it is beyond
// them; either is measured by what is allowed, so that 1 is as far off as may be (places, directions), or a tenth of the bound beyond
// it (bounds of one side). Numbers between two bounds are measured by half of what lies between.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "marey/sim/want.h"

namespace marey {

struct WantedOutcome {
  bool holds = false;
  std::vector<double> misses;  // as above; as many numbers for every motion
  std::string text;            // "3.2 mm off; allowed 5 cm"
};

class Simulation;

// Looks at a simulation while it runs.
class OutcomeWatch {
 public:
  OutcomeWatch(Simulation&, const std::vector<Want>&);  // which stay where they are and alive
  OutcomeWatch(OutcomeWatch&&) noexcept;
  ~OutcomeWatch();
  void look();  // before the first step, and after each
  // After the last: one for each want.
  std::vector<WantedOutcome> outcomes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// How much outcomes miss together: the sum of squares.
double badness(const std::vector<WantedOutcome>&);
bool all_hold(const std::vector<WantedOutcome>&);

}  // namespace marey
