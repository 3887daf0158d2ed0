// Several bodies beside each other: sources compared, ranges gone through, segment masses plotted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marey/human.h"

namespace marey::cli {

// The sources that have such a person, with what they say; of the others why not.
struct SourceAnswer {
  BodySource source;
  std::string called;
  std::string refusal;  // empty: there is a body
  Body body;
};
std::vector<SourceAnswer> ask_all_sources(const Person&);

// All persons of a group over the range of heights and of mass over height squared that its source is meant for.
struct RangeResult {
  std::string group;
  SourceRange range;
  int persons = 0, sound = 0;
  double worst_closure = 0;  // largest |sum of the table's masses / mass − 1|, of the sound ones
  std::vector<std::pair<std::string, int>> refused{};  // segments, and how often
};
std::vector<RangeResult> go_through_ranges();

// Masses of the segments over the body's mass at the person's height: lines as figures have them, points as the tables say.
void plot_masses(const Person&, const std::string& file);

}  // namespace marey::cli
