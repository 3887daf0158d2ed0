// What a run tells its reader at the end.
#pragma once

#include <optional>
#include <string>

#include "marey/io/motion.h"

namespace marey::cli {

struct Saved {
  std::string file;
  std::optional<std::string> displaced;  // see MotionFile::displaced
};

void print_summary(const Scene&, const RunSummary&, const Saved&);
// The same as one JSON object: the run's own keys, and where the motion is.
void print_summary_json(const RunSummary&, const Saved&);

}  // namespace marey::cli
