#include "io/motion/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

namespace marey {

using h5::Failure, h5::Handle, h5::need;

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::bad_input, fmt::format("'{}' {}", file, why));
}

template <class Work>
auto reading(const std::string& file, Work work) {
  try {
    return work();
  } catch (const Failure& failure) {
    refuse(file, fmt::format("is damaged: HDF5 could not {}", failure.what));
  }
}

// The system's reason comes first: HDF5 would only say that it could not open the file.
void check_readable(const std::string& file) {
  const DiskFile plain(::open(file.c_str(), O_RDONLY | O_CLOEXEC), file);
  if (!plain.is_open() && (errno == ENOENT || errno == ENOTDIR))
    throw Error(ErrorKind::bad_input, fmt::format("there is no motion '{}'", file));
  if (!plain.is_open()) file_trouble(fmt::format("cannot open '{}'", file), errno);
  struct stat status = {};
  ::fstat(plain.descriptor(), &status);
  if (S_ISDIR(status.st_mode)) refuse(file, "is a folder; expected a motion");
  if (!S_ISREG(status.st_mode)) refuse(file, "is not a plain file; expected a motion");
  if (status.st_size == 0) refuse(file, "is empty, so it is not a motion");
}

Handle open_hdf5(const std::string& file) {
  h5::hush();
  check_readable(file);
  if (H5Fis_hdf5(file.c_str()) <= 0) refuse(file, "is not a motion: it is no HDF5 file");
  // Nothing but numbers ever changes in a motion, so reading needs no lock, even while it is being written.
  const Handle access = h5::property_list(H5P_FILE_ACCESS);
  H5Pset_file_locking(access, false, true);
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access);
  if (id < 0) refuse(file, "is damaged: HDF5 cannot open it; it may have been cut short");
  return {id, H5Fclose, "open"};
}

void check_format(const Handle& file, const std::string& name) {
  if (H5Aexists(file, "format") <= 0 || h5::read_text_attribute(file, "format") != motion_format)
    refuse(name, "is an HDF5 file, but not a motion of Marey");
  const double version = h5::read_number_attribute(file, "format_version");
  if (version > motion_format_version)
    refuse(name, fmt::format("has the motion format {}; this program ({}) knows up to {}", version, marey::version,
                             motion_format_version));
}

std::string read_summary(const OpenMotion& motion) {
  const Handle dataset = h5::open_dataset(motion.file, "marey/summary");
  return h5::read_text(dataset).substr(0, motion.progress.summary_bytes);
}

std::vector<double> read_values(const OpenMotion& motion, const Channel& channel) {
  const Handle dataset = h5::open_dataset(motion.file, channel.name);
  const std::vector<hsize_t> dims = h5::dims_of(dataset);
  const std::size_t columns = channel.columns.size(), frames = motion.info.frames;
  if (dims.size() != (columns > 1 ? 2u : 1u) || dims[0] < frames || (columns > 1 && dims[1] != columns))
    throw Failure{"find all rows of a channel"};
  if (columns == 0) throw Failure{"find the columns of a channel"};
  h5::check_fits_file(dataset, frames, 8 * columns, "find all rows of a channel");
  std::vector<double> values(frames * columns);
  if (values.empty()) return values;
  std::vector<hsize_t> count = dims;
  count[0] = frames;
  const std::vector<hsize_t> start(dims.size(), 0);
  const Handle there = h5::space(dims), here = h5::space(count);
  need(H5Sselect_hyperslab(there, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
  need(H5Dread(dataset, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, values.data()), "read a channel");
  return values;
}

// A resumed run writes to these places.
void check_places(const OpenMotion& motion, const Layout& layout) {
  hsize_t size = 0;
  need(H5Fget_filesize(motion.file, &size), "find the size of the file");
  const auto check = [&](std::size_t at, std::size_t count, std::size_t bytes) {
    if (at > size || (bytes > 0 && count > (size - at) / bytes)) throw Failure{"find the place of a dataset"};
  };
  check(layout.progress, 2, sizeof(Progress));
  check(layout.checkpoint, 2, layout.room.checkpoint);
  check(layout.summary, 1, layout.room.summary);
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    check(layout.channels[c], layout.room.frames, 8 * motion.info.channels[c].columns.size());
  const Progress& p = motion.progress;
  if (p.frames > layout.room.frames || p.checkpoint_frames > p.frames || p.checkpoint_slot > 2 ||
      p.checkpoint_bytes > layout.room.checkpoint || p.summary_bytes > layout.room.summary)
    throw Failure{"find what the progress speaks of"};
}

Motion read(const std::string& file, const std::span<const std::string>* patterns) {
  OpenMotion open = open_motion(file);
  Motion motion{open.info, {}};
  motion.values.resize(open.info.channels.size());
  std::vector<bool> wanted(motion.values.size(), patterns == nullptr);
  wanted[0] = true;
  if (patterns)
    for (const std::size_t c : select_channels(open.info, *patterns)) wanted[c] = true;
  return reading(file, [&] {
    for (std::size_t c = 0; c < wanted.size(); ++c)
      if (wanted[c]) motion.values[c] = read_values(open, open.info.channels[c]);
    return std::move(motion);
  });
}

}  // namespace

OpenMotion open_motion(const std::string& file) {
  OpenMotion motion{open_hdf5(file), {}, {}};
  return reading(file, [&] {
    check_format(motion.file, file);
    motion.info = read_descriptions(motion.file);
    motion.info.file = file;
    motion.progress = read_progress(motion.file);
    motion.info.frames = motion.progress.frames;
    if (motion.progress.end > static_cast<std::uint64_t>(MotionEnd::done)) throw Failure{"read the progress"};
    motion.info.end = static_cast<MotionEnd>(motion.progress.end);
    motion.info.summary = read_summary(motion);
    return std::move(motion);
  });
}

Layout layout_of(const OpenMotion& motion) {
  return reading(motion.info.file, [&] {
    Layout layout = read_layout(motion.file, motion.info);
    check_places(motion, layout);
    return layout;
  });
}

std::optional<Checkpoint> checkpoint_in(const OpenMotion& motion) {
  const Progress& p = motion.progress;
  if (p.checkpoint_slot == 0) return std::nullopt;
  return reading(motion.info.file, [&]() -> std::optional<Checkpoint> {
    const Handle dataset = h5::open_dataset(motion.file, "marey/checkpoint");
    const std::vector<hsize_t> dims = h5::dims_of(dataset);
    if (dims.size() != 2 || dims[0] != 2 || p.checkpoint_slot > dims[0] || p.checkpoint_bytes > dims[1])
      throw Failure{"find the checkpoint"};
    h5::check_fits_file(dataset, dims[0], dims[1], "find the checkpoint");
    Checkpoint c{p.checkpoint_time, p.checkpoint_frames, std::vector<std::byte>(dims[0] * dims[1])};
    need(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, c.bytes.data()), "read the checkpoint");
    const auto from = c.bytes.begin() + static_cast<std::ptrdiff_t>((p.checkpoint_slot - 1) * dims[1]);
    c.bytes = {from, from + static_cast<std::ptrdiff_t>(p.checkpoint_bytes)};
    if (checksum(c.bytes.data(), c.bytes.size()) != p.checkpoint_sum) throw Failure{"read the checkpoint whole"};
    return c;
  });
}

// ----------------------------------------------------------------------------------------------- public
MotionInfo read_motion_info(const std::string& file) { return open_motion(file).info; }
Motion read_motion(const std::string& file) { return read(file, nullptr); }
Motion read_motion(const std::string& file, std::span<const std::string> patterns) { return read(file, &patterns); }
std::optional<Checkpoint> last_checkpoint(const std::string& file) { return checkpoint_in(open_motion(file)); }

}  // namespace marey
