// All numbers of a motion from one file into another of the same tables and lists, with other room.
#pragma once

#include "io/motion/layout.h"

namespace marey {

// A file, where things are in it, and the record that speaks of them.
struct Written {
  const DiskFile& file;
  const Layout& layout;
  const Progress& progress;
};
// The records may differ in the slot of the checkpoint. That of `to` is written last.
void copy_numbers(const MotionInfo&, const Tables&, const Written& from, const Written& to);

}  // namespace marey
