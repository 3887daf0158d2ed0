// A motion opened for reading: used by the reader and by resumed runs.
#pragma once

#include <optional>
#include <string>

#include "io/motion/h5.h"
#include "io/motion/layout.h"
#include "marey/io/motion.h"

namespace marey {

struct OpenMotion {
  h5::Handle file;
  int format = motion_format_version;
  MotionInfo info;
  Tables tables;
  Progress progress;
};

// All throw Error.
OpenMotion open_motion(const std::string& file);
Layout layout_of(const OpenMotion&);
std::optional<Checkpoint> checkpoint_in(const OpenMotion&);

}  // namespace marey
