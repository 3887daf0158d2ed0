// The records that say what is safe.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "io/motion/h5.h"
#include "io/motion/layout.h"

namespace marey {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

using h5::Handle, h5::Failure, h5::need;

// FNV-1a over words of eight bytes: it has to detect a torn write, not an attacker.
std::uint64_t checksum(const void* bytes, std::size_t count) {
  const auto* p = static_cast<const unsigned char*>(bytes);
  std::uint64_t sum = 0xcbf29ce484222325u ^ count;
  for (std::size_t i = 0; i < count; i += 8) {
    std::uint64_t word = 0;
    std::copy_n(p + i, std::min<std::size_t>(8, count - i), reinterpret_cast<unsigned char*>(&word));
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 32;
  }
  return sum;
}

void seal(Progress& p) { p.own_sum = checksum(&p, offsetof(Progress, own_sum)); }
bool is_sealed(const Progress& p, int format) {
  return p.own_sum == checksum(&p, format < 2 ? offsetof(Progress, items) : offsetof(Progress, own_sum));
}

Handle progress_type() {
  Handle type{H5Tcreate(H5T_COMPOUND, sizeof(Progress)), H5Tclose, "make a type"};
  const auto field = [&](const char* name, std::size_t at, hid_t of) {
    need(H5Tinsert(type, name, at, of), "make a type");
  };
  field("sequence", offsetof(Progress, sequence), H5T_STD_U64LE);
  field("frames", offsetof(Progress, frames), H5T_STD_U64LE);
  field("end", offsetof(Progress, end), H5T_STD_U64LE);
  field("summary_bytes", offsetof(Progress, summary_bytes), H5T_STD_U64LE);
  field("checkpoint_slot", offsetof(Progress, checkpoint_slot), H5T_STD_U64LE);
  field("checkpoint_bytes", offsetof(Progress, checkpoint_bytes), H5T_STD_U64LE);
  field("checkpoint_frames", offsetof(Progress, checkpoint_frames), H5T_STD_U64LE);
  field("checkpoint_time", offsetof(Progress, checkpoint_time), H5T_IEEE_F64LE);
  field("checkpoint_sum", offsetof(Progress, checkpoint_sum), H5T_STD_U64LE);
  const hsize_t lists = most_lists;
  const Handle counts{H5Tarray_create2(H5T_STD_U64LE, 1, &lists), H5Tclose, "make a type"};
  field("items", offsetof(Progress, items), counts);
  field("checkpoint_items", offsetof(Progress, checkpoint_items), counts);
  field("own_sum", offsetof(Progress, own_sum), H5T_STD_U64LE);
  return type;
}

// Of a record in format 1 the counts of items stay zero.
Progress read_progress(hid_t file, int format) {
  std::array<Progress, 2> records{};
  const Handle dataset = h5::open_dataset(file, "marey/progress");
  if (h5::dims_of(dataset) != std::vector<hsize_t>{2}) throw Failure{"read the progress"};
  need(H5Dread(dataset, progress_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()), "read the progress");
  const Progress* best = nullptr;
  for (const Progress& record : records)
    if (is_sealed(record, format) && (!best || record.sequence > best->sequence)) best = &record;
  if (!best) throw Failure{"find out what is safe"};
  return *best;
}

}  // namespace marey
