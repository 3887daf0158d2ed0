// How a motion is laid out in its file.
//
//   /                       attributes: format, format_version, program_version, title
//   /time, /energy/kinetic, /link/position, /joint/angle …
//                           tables of channels (tables.h), doubles; attributes: channels ("link/*/position"), names (where
//                           its labels are), unit, columns, meaning. Rows from `frames` on are room for more and read as
//                           zero. Where channels of a table differ there are several units and meanings; PATH.kinds says
//                           which is whose.
//   /link/names …           labels
//   /inputs/items           a list of items, as many as have come: records of doubles
//   /inputs/ends            how many there were when each frame was recorded
//   /touching/names         what numbers of names in a list stand for, where it has any
//   /marey/tables           the paths of the tables
//   /marey/channels         which table each channel is in, in the order of a row
//   /marey/lists            the names of the lists
//   /marey/scene            the scene's text; attributes: file, source, and the options it was run with
//   /marey/scene_files/0 …  the files that the text names (meshes), byte by byte; attribute: name
//   /marey/progress         two records, written in turn; the valid one with the larger sequence counts
//   /marey/checkpoint       two slots of bytes, written in turn; one when the run is done
//   /marey/summary          JSON, padded with zeros
//
// Every dataset whose numbers change is contiguous and gets its place in the file when the file is made. From then on only
// numbers change, in place, by plain writes; HDF5's own structures never do. So a file is a valid HDF5 file at every
// instant, whatever happens to its writer. HDF5 itself builds the empty file in memory, because it does not survive a full
// disk.
//
// In format 1 every channel had a dataset of its own, and there were no lists. Such motions are read, and not written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/motion/h5.h"
#include "io/motion/tables.h"
#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

inline constexpr const char* motion_format = "marey motion";
inline constexpr int motion_format_version = 2;
inline constexpr std::size_t most_lists = 8;

// What is safe. Frames, items and checkpoint are written before the record that vouches for them.
struct Progress {
  std::uint64_t sequence = 0;
  std::uint64_t frames = 0;
  std::uint64_t end = 0;  // MotionEnd
  std::uint64_t summary_bytes = 0;
  std::uint64_t checkpoint_slot = 0;  // 0: none yet; else 1 or 2
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t checkpoint_frames = 0;
  double checkpoint_time = 0;                                // s
  std::uint64_t checkpoint_sum = 0;                          // of its bytes
  std::array<std::uint64_t, most_lists> items{};             // [lists]; not in format 1
  std::array<std::uint64_t, most_lists> checkpoint_items{};  // [lists] before the checkpoint; not in format 1
  std::uint64_t own_sum = 0;                                 // of all the above
};

std::uint64_t checksum(const void* bytes, std::size_t count);
void seal(Progress&);
bool is_sealed(const Progress&, int format = motion_format_version);

h5::Handle progress_type();

// Room for what grows.
struct Room {
  std::size_t frames = 1;
  std::size_t checkpoint = 0;  // bytes, of each slot
  std::size_t summary = 0;     // bytes
  std::size_t slots = 2;
  std::vector<std::size_t> items{};  // [lists]
};

// Where things are, as offsets in the file.
struct Layout {
  struct List {
    std::size_t items = 0, ends = 0;
  };
  Room room;
  std::vector<std::size_t> tables;
  std::vector<List> lists;
  std::size_t progress = 0, checkpoint = 0, summary = 0;

  std::size_t progress_record(std::uint64_t sequence) const { return progress + (sequence % 2) * sizeof(Progress); }
  std::size_t checkpoint_slot(std::uint64_t slot) const { return checkpoint + (slot - 1) * room.checkpoint; }
};

// An empty motion in memory: all descriptions, and room for the numbers.
struct Skeleton {
  DiskFile memory;
  Layout layout;
};
Skeleton make_skeleton(const MotionInfo&, const Tables&, const Room&);
// The tables of a new motion.
Tables new_tables(const MotionInfo&);

// What a motion says about itself, and how its channels stand in it.
struct Descriptions {
  MotionInfo info;
  Tables tables;
};
// Reading; all throw h5::Failure.
Layout read_layout(hid_t file, const MotionInfo&, const Tables&);
Descriptions read_descriptions(hid_t file, int format);
// The record that counts.
Progress read_progress(hid_t file, int format);
// An item of a list as HDF5 sees it: a field of one column is a number, one of several an array.
h5::Handle item_type(const ItemList&);

}  // namespace marey
