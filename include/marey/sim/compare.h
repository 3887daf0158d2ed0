// Closed forms beside a run: which there are, and whose motion they describe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "marey/sim.h"

namespace marey {

struct RecordedChannel;

// A kind of motion that can be written down; each in its own file (src/sim/closed_forms), with a line in their list.
struct ClosedFormKind {
  const char* word;     // in scenes and channels: "kepler"
  const char* meaning;  // for the reference
  // Why the link does not move so; empty when it does.
  std::string (*refusal)(const Scene&, int link);
  // Adds its channels, whose names begin with `base`. Only for a link that is not refused.
  void (*add)(const Scene&, int link, const std::string& base, std::vector<RecordedChannel>&);
};
std::span<const ClosedFormKind* const> closed_forms();

// Why such a comparison makes no sense, or anything that the scene wants recorded; empty when there is no objection.
std::string refusal(const Scene&, const Comparison&);
std::string refusal_of_record(const Scene&);

}  // namespace marey
