// How a motion is laid out in its file.
//
//   /                       attributes: format, format_version, program_version, title
//   /time, /energy/kinetic, /link/tip/position …
//                           one dataset per channel, [room] or [room × columns] doubles; attributes: unit,
//                           columns, meaning. Rows from `frames` on are room for more and read as zero.
//   /marey/channels         the channels' names in the order of a row
//   /marey/scene            the scene's text; attributes: file, source, and the options it was run with
//   /marey/progress         two records, written in turn; the valid one with the larger sequence counts
//   /marey/checkpoint       two slots of bytes, written in turn
//   /marey/summary          JSON, padded with zeros
//
// Every dataset is contiguous and gets its place in the file when the file is made. From then on only numbers
// change, in place, by plain writes; HDF5's own structures never do. So a file is a valid HDF5 file at every instant,
// whatever happens to its writer. HDF5 itself builds the empty file in memory, because it does not survive a full disk.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

inline constexpr const char* motion_format = "marey motion";
inline constexpr int motion_format_version = 1;

// What is safe. Frames and checkpoint are written before the record that vouches for them.
struct Progress {
  std::uint64_t sequence = 0;
  std::uint64_t frames = 0;
  std::uint64_t end = 0;  // MotionEnd
  std::uint64_t summary_bytes = 0;
  std::uint64_t checkpoint_slot = 0;  // 0: none yet; else 1 or 2
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t checkpoint_frames = 0;
  double checkpoint_time = 0;        // s
  std::uint64_t checkpoint_sum = 0;  // of its bytes
  std::uint64_t own_sum = 0;         // of all the above
};

std::uint64_t checksum(const void* bytes, std::size_t count);
void seal(Progress&);
bool is_sealed(const Progress&);

// Room for what grows.
struct Room {
  std::size_t frames = 1;
  std::size_t checkpoint = 0;  // bytes, of each slot
  std::size_t summary = 0;     // bytes
};

// Where things are, as offsets in the file.
struct Layout {
  Room room;
  std::vector<std::size_t> channels;
  std::size_t progress = 0, checkpoint = 0, summary = 0;

  std::size_t progress_record(std::uint64_t sequence) const { return progress + (sequence % 2) * sizeof(Progress); }
  std::size_t checkpoint_slot(std::uint64_t slot) const { return checkpoint + (slot - 1) * room.checkpoint; }
};

// An empty motion in memory: all descriptions, and room for the numbers.
struct Skeleton {
  DiskFile memory;
  Layout layout;
};
Skeleton make_skeleton(const MotionInfo&, const Room&);

// Reading; all throw h5::Failure.
Layout read_layout(hid_t file, const MotionInfo&);
MotionInfo read_descriptions(hid_t file);
// The record that counts.
Progress read_progress(hid_t file);

}  // namespace marey
