// Closed forms beside a run: which there are, and whose motion they describe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "marey/sim.h"

namespace marey {

struct RecordedChannel;
class ComparedScene;  // what they are told of it: src/sim/closed_forms/form.h

// A kind of motion that can be written down; each in its own file (src/sim/closed_forms), with a line in their list.
struct ClosedFormKind {
  const char* word;     // in scenes and channels: "kepler"
  const char* meaning;  // for the reference
  // Why the link does not move so; empty when it does.
  std::string (*refusal)(const ComparedScene&, int link);
  // Adds its channels, whose names begin with `base`. Only for a link that is not refused.
  void (*add)(const ComparedScene&, int link, const std::string& base, std::vector<RecordedChannel>&);
};
std::span<const ClosedFormKind* const> closed_forms();

// Why the first of these comparisons that makes none makes no sense, or anything that the scene wants recorded; empty when there
// is no objection.
std::string refusal(const Scene&, std::span<const Comparison>);
std::string refusal_of_record(const Scene&);

}  // namespace marey
