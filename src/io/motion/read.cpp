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

int format_of(const Handle& file, const std::string& name) {
  if (H5Aexists(file, "format") <= 0 || h5::read_text_attribute(file, "format") != motion_format)
    refuse(name, "is an HDF5 file, but not a motion of Marey");
  const double version = h5::read_number_attribute(file, "format_version");
  if (!(version >= 1)) throw Failure{"find its format"};
  if (version > motion_format_version)
    refuse(name, fmt::format("has the motion format {}; this program ({}) knows up to {}", version, marey::version,
                             motion_format_version));
  return static_cast<int>(version);
}

std::string read_summary(const OpenMotion& motion) {
  const Handle dataset = h5::open_dataset(motion.file, "marey/summary");
  return h5::read_text(dataset).substr(0, motion.progress.summary_bytes);
}

// ----------------------------------------------------------------------------------------------- numbers
// A dataset of which rows are read from its first one on.
class RowReader {
 public:
  // `extents`: of the dataset after the first, which is that of rows.
  RowReader(hid_t file, const std::string& path, std::vector<std::size_t> extents, std::size_t rows)
      : dataset_(h5::open_dataset(file, path)), dims_(h5::dims_of(dataset_)) {
    extents.insert(extents.begin(), dims_.empty() ? 0 : dims_[0]);
    if (!std::ranges::equal(extents, dims_) || dims_[0] < rows) throw Failure{"find all rows of a channel"};
    for (std::size_t d = 1; d < dims_.size(); ++d) width_ *= dims_[d];
  }
  std::size_t width() const { return width_; }
  void check_fits(std::size_t rows, std::size_t bytes) const {
    h5::check_fits_file(dataset_, rows, bytes, "find all rows of a channel");
  }
  void read(std::size_t first, std::size_t rows, hid_t type, void* to) const {
    if (rows == 0) return;
    std::vector<hsize_t> start(dims_.size(), 0), count = dims_;
    start[0] = first, count[0] = rows;
    const Handle there = h5::space(dims_), here = h5::space(count);
    need(H5Sselect_hyperslab(there, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "select rows");
    need(H5Dread(dataset_, type, here, there, H5P_DEFAULT, to), "read a channel");
  }

 private:
  Handle dataset_;
  std::vector<hsize_t> dims_;
  std::size_t width_ = 1;
};

// A part of a row of a table, and the channel whose numbers it is.
struct Piece {
  std::size_t channel, at, count;
};

// The numbers of the wanted channels of a table, some frames at a time.
void read_table(const OpenMotion& motion, const Table& table, const std::vector<bool>& wanted, Motion& to) {
  constexpr std::size_t block_bytes = std::size_t{8} << 20;
  const std::size_t frames = motion.info.frames;
  std::vector<Piece> pieces;
  std::size_t at = 0;
  for (const std::size_t c : table.members) {
    const std::size_t columns = motion.info.channels[c].columns.size();
    if (wanted[c]) pieces.push_back({c, at, columns});
    at += columns;
  }
  if (pieces.empty()) return;
  const RowReader rows(motion.file, table.path, table.extents(), frames);
  if (rows.width() != table.width) throw Failure{"find the columns of a channel"};
  rows.check_fits(frames, 8 * table.width);
  for (const Piece& p : pieces) to.values[p.channel].resize(frames * p.count);
  std::vector<double> block(std::min(frames, block_bytes / (8 * table.width) + 1) * table.width);
  for (std::size_t first = 0, n = 0; first < frames; first += n) {
    n = std::min(frames - first, block.size() / table.width);
    rows.read(first, n, H5T_NATIVE_DOUBLE, block.data());
    for (const Piece& p : pieces)
      for (std::size_t f = 0; f < n; ++f)
        std::copy_n(block.data() + f * table.width + p.at, p.count,
                    to.values[p.channel].data() + (first + f) * p.count);
  }
}

// A resumed run writes to these places.
void check_places(const OpenMotion& motion, const Layout& layout) {
  hsize_t size = 0;
  need(H5Fget_filesize(motion.file, &size), "find the size of the file");
  const auto check = [&](std::size_t at, std::size_t count, std::size_t bytes) {
    if (at > size || (bytes > 0 && count > (size - at) / bytes)) throw Failure{"find the place of a dataset"};
  };
  check(layout.progress, 2, sizeof(Progress));
  check(layout.checkpoint, layout.room.slots, layout.room.checkpoint);
  check(layout.summary, 1, layout.room.summary);
  for (std::size_t t = 0; t < layout.tables.size(); ++t)
    check(layout.tables[t], layout.room.frames, 8 * motion.tables.all[t].width);
  const Progress& p = motion.progress;
  bool right = p.frames <= layout.room.frames && p.checkpoint_frames <= p.frames &&
               p.checkpoint_slot <= layout.room.slots && p.checkpoint_bytes <= layout.room.checkpoint &&
               p.summary_bytes <= layout.room.summary;
  for (std::size_t l = 0; l < layout.lists.size(); ++l) {
    check(layout.lists[l].items, layout.room.items[l], 8 * motion.info.lists[l].width());
    check(layout.lists[l].ends, layout.room.frames, sizeof(std::uint64_t));
    right = right && p.items[l] <= layout.room.items[l] && p.checkpoint_items[l] <= p.items[l];
  }
  if (!right) throw Failure{"find what the progress speaks of"};
}

Motion read(const std::string& file, const std::span<const std::string>* patterns) {
  OpenMotion open = open_motion(file);
  Motion motion{open.info, {}};
  motion.values.resize(open.info.channels.size());
  std::vector<bool> wanted(motion.values.size(), patterns == nullptr);
  wanted[0] = true;
  const auto unknown = [&](const std::string& p) { return columns_named(open.info.channels, p).empty(); };
  if (patterns && has_touching(open.info) && std::ranges::any_of(*patterns, unknown)) add_touching_channels(motion);
  if (patterns)
    for (const std::size_t c : select_channels(motion, *patterns))
      if (c < wanted.size()) wanted[c] = true;
  return reading(file, [&] {
    for (const Table& table : open.tables.all) read_table(open, table, wanted, motion);
    return std::move(motion);
  });
}

}  // namespace

OpenMotion open_motion(const std::string& file) {
  OpenMotion motion;
  motion.file = open_hdf5(file);
  return reading(file, [&] {
    motion.format = format_of(motion.file, file);
    Descriptions d = read_descriptions(motion.file, motion.format);
    motion.info = std::move(d.info), motion.tables = std::move(d.tables);
    motion.info.file = file;
    motion.progress = read_progress(motion.file, motion.format);
    motion.info.frames = motion.progress.frames;
    if (motion.progress.end > static_cast<std::uint64_t>(MotionEnd::done)) throw Failure{"read the progress"};
    motion.info.end = static_cast<MotionEnd>(motion.progress.end);
    motion.info.summary = read_summary(motion);
    return std::move(motion);
  });
}

Layout layout_of(const OpenMotion& motion) {
  return reading(motion.info.file, [&] {
    Layout layout = read_layout(motion.file, motion.info, motion.tables);
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
    if (dims.size() != 2 || dims[0] > 2 || p.checkpoint_slot > dims[0] || p.checkpoint_bytes > dims[1])
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

namespace {

// The numbers of frames in which items came only grow, and end with what the progress vouches for.
void check_ends(const std::vector<std::size_t>& ends, std::size_t items) {
  if (!std::ranges::is_sorted(ends) || (!ends.empty() && ends.back() > items))
    throw Failure{"count the items of a list"};
}

MotionItems items_in(const OpenMotion& motion, std::size_t l) {
  MotionItems items{motion.info.lists[l], {}, std::vector<std::size_t>(motion.info.frames)};
  const std::size_t count = motion.progress.items[l], width = items.list.width();
  const RowReader rows(motion.file, items.list.name + "/items", {}, count),
      ends(motion.file, items.list.name + "/ends", {}, motion.info.frames);
  rows.check_fits(count, 8 * width), ends.check_fits(motion.info.frames, 8);
  items.numbers.resize(count * width);
  rows.read(0, count, item_type(items.list), items.numbers.data());
  static_assert(sizeof(std::size_t) == 8);
  ends.read(0, motion.info.frames, H5T_NATIVE_UINT64, items.ends.data());
  check_ends(items.ends, count);
  return items;
}

}  // namespace

MotionItems read_items(const std::string& file, std::string_view list) {
  const OpenMotion motion = open_motion(file);
  const auto at = std::ranges::find(motion.info.lists, list, &ItemList::name);
  std::vector<std::string> names;
  for (const ItemList& l : motion.info.lists) names.push_back(l.name);
  if (at == motion.info.lists.end())
    refuse(file, fmt::format("holds no list of items '{}'{}", list,
                             names.empty() ? "" : fmt::format("; it holds {}", fmt::join(names, ", "))));
  return reading(file, [&] { return items_in(motion, static_cast<std::size_t>(at - motion.info.lists.begin())); });
}

// ----------------------------------------------------------------------------------------------- public
MotionInfo read_motion_info(const std::string& file) { return open_motion(file).info; }
Motion read_motion(const std::string& file) { return read(file, nullptr); }
Motion read_motion(const std::string& file, std::span<const std::string> patterns) { return read(file, &patterns); }
std::optional<Checkpoint> last_checkpoint(const std::string& file) { return checkpoint_in(open_motion(file)); }

}  // namespace marey
