// Writing motions so that however the program dies, no more than its last second is lost.
//
// 1. A new motion is written under another name (run.h5.tmp) and takes its own name with the first progress record.
//    Until then an older file of that name is still there, whole.
// 2. Rows are gathered in memory and written at least once a second, and before every checkpoint: first the rows
//    of every channel, then the checkpoint into the slot that is not the current one, then the record that
//    vouches for both, into the place of the older of two records. Bytes already vouched for are never overwritten, so
//    at any instant the newest whole record describes rows and a checkpoint that are whole.
// 3. When the room that was set aside runs out, the motion is copied into a larger file, which then takes the name
//    atomically (rename). The same copy cuts off unused room at the end.
// 4. No HDF5 structure changes after the file was made (layout.h).
//
// A killed program loses nothing it has written, since the system holds it. Against a power cut, one record every few
// seconds and the last one also wait for the disk, once before and once after the record.
#include <fmt/format.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "io/motion/layout.h"
#include "io/motion/read.h"
#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto flush_interval = std::chrono::seconds(1);
constexpr auto sync_interval = std::chrono::seconds(5);
constexpr std::size_t buffer_limit = std::size_t{8} << 20;      // bytes of rows that may wait in memory
constexpr std::size_t first_room_limit = std::size_t{1} << 30;  // bytes of rows set aside at first

std::size_t row_width(const std::vector<Channel>& channels) {
  std::size_t width = 0;
  for (const Channel& c : channels) width += c.columns.size();
  return width;
}

// Rows that a whole run will have: one at the start, then one every interval.
std::size_t expected_frames(const MotionInfo& info) {
  const double frames = std::floor(info.duration / info.record.every * (1 + 1e-12) + 1e-9) + 1;
  const std::size_t limit = first_room_limit / (8 * (row_width(info.channels) + 1)) + 1;
  return frames < static_cast<double>(limit) ? static_cast<std::size_t>(std::max(frames, 1.0)) : limit;
}

MotionInfo info_of(const MotionHeader& header, const std::string& file) {
  MotionInfo info;
  info.file = file;
  info.program_version = header.program_version;
  info.title = header.scene.title;
  info.source = header.scene.source;
  info.scene_file = header.scene.file;
  info.scene_text = header.scene.text;
  info.duration = header.scene.duration;
  info.solver = header.scene.solver;
  info.record = header.scene.record;
  info.channels = header.channels;
  return info;
}

MotionEnd end_of(const std::string& summary) {
  const YAML::Node node = YAML::Load(summary);  // JSON is YAML
  if (node.IsMap() && node["breakdown"] && node["breakdown"].IsScalar()) return MotionEnd::broke_down;
  return node.IsMap() && node["interrupted"] && node["interrupted"].as<bool>(false) ? MotionEnd::interrupted
                                                                                    : MotionEnd::done;
}

std::string previous_name(const std::string& file) {
  const fs::path path(file);
  return (path.parent_path() / (path.stem().string() + ".previous" + path.extension().string())).string();
}

// Writing through a link must not replace the link.
std::string behind_links(const std::string& file) {
  std::error_code error;
  const fs::path target = fs::is_symlink(file, error) ? fs::canonical(file, error) : fs::path();
  return target.empty() ? file : target.string();
}

}  // namespace

struct MotionFile::Writer {
  std::string name;  // what the motion will be called
  Existing existing = Existing::refuse;
  MotionInfo info;
  DiskFile file;
  Layout layout;
  Progress progress;               // what the next record will say
  Progress safe;                   // what the last record said
  std::optional<Checkpoint> from;  // where a resumed run begins
  std::vector<double> rows;        // waiting, one after the other
  std::size_t width = 0;
  double last_time = 0, safe_time = 0;  // of the last row written, and of the last that is safe
  Clock::time_point last_flush, last_sync, last_frame;
  bool resumed = false, named = false, begun = false, failed = false, finished = false;
  std::optional<std::string> displaced;

  std::size_t waiting() const { return width ? rows.size() / width : 0; }

  // ------------------------------------------------------------------------------------------- beginning
  void begin_new(const MotionHeader& header) {
    info = info_of(header, name);
    make_file(Room{expected_frames(info), 4096 + 64 * header.row_width(), 16384 + 128 * header.row_width()});
  }

  void make_file(const Room& room) {
    Skeleton skeleton = make_skeleton(info, room);
    file.copy_written_parts_of(skeleton.memory);
    layout = std::move(skeleton.layout);
  }

  void begin_again(const MotionHeader& header) {
    const std::string why = difference(info, header.scene);
    if (!why.empty()) throw Error(ErrorKind::bad_input, fmt::format("cannot go on with '{}': {}", name, why));
    check_same_program(header);
    progress.frames = from ? from->frames : 0;
    progress.end = static_cast<std::uint64_t>(MotionEnd::open);
    progress.summary_bytes = 0;
    info.frames = progress.frames;
    info.end = MotionEnd::open;
    info.summary.clear();
    commit();
    if (layout.room.frames < expected_frames(info)) rebuild({expected_frames(info), 0, 0});
  }

  void check_same_program(const MotionHeader& header) const {
    if (info.program_version != header.program_version)
      throw Error(ErrorKind::bad_input,
                  fmt::format("cannot go on with '{}': it was begun by version {} of the program, this is {}", name,
                              info.program_version, header.program_version));
    const auto same = [](const Channel& a, const Channel& b) {
      return a.name == b.name && a.columns == b.columns && a.unit == b.unit;
    };
    if (!std::ranges::equal(info.channels, header.channels, same))
      throw Error(ErrorKind::bad_input, fmt::format("cannot go on with '{}': it records other channels", name));
  }

  // ------------------------------------------------------------------------------------------- writing
  void flush() {
    while (waiting() > 0) {
      if (progress.frames == layout.room.frames) rebuild({2 * layout.room.frames, 0, 0});
      write_rows(std::min<std::size_t>(waiting(), layout.room.frames - progress.frames));
      commit();
    }
    last_flush = Clock::now();
  }

  // The first `count` waiting rows, channel by channel.
  void write_rows(std::size_t count) {
    std::vector<double> piece;
    std::size_t first_column = 0;
    for (std::size_t c = 0; c < info.channels.size(); ++c) {
      const std::size_t columns = info.channels[c].columns.size();
      piece.resize(count * columns);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(rows.data() + r * width + first_column, columns, piece.data() + r * columns);
      file.write(layout.channels[c] + 8 * progress.frames * columns, piece.data(), 8 * piece.size());
      first_column += columns;
    }
    progress.frames += count;
    last_time = rows[(count - 1) * width];
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count * width));
  }

  // Vouches for everything written so far.
  void commit(bool last = false) {
    const bool sync = last || Clock::now() - last_sync >= sync_interval;
    if (sync) file.sync();
    ++progress.sequence;
    seal(progress);
    file.write(layout.progress_record(progress.sequence), &progress, sizeof progress);
    if (sync) file.sync();
    if (sync) last_sync = Clock::now();
    safe = progress;
    safe_time = last_time;
    if (!named) take_name();
  }

  // From here on the motion can be found; an older one gives way.
  void take_name() {
    const bool occupied = exists(name);
    if (occupied && existing == Existing::keep_previous) {
      fs::rename(name, previous_name(name));
      displaced = previous_name(name);
    } else if (occupied && existing == Existing::replace) {
      displaced = "";
    }
    file.rename_to(name, existing == Existing::refuse);
    named = true;
  }

  void save(const Checkpoint& c) {
    flush();
    if (c.bytes.size() > layout.room.checkpoint) rebuild({0, 2 * c.bytes.size(), 0});
    progress.checkpoint_slot = progress.checkpoint_slot == 1 ? 2 : 1;
    progress.checkpoint_bytes = c.bytes.size();
    progress.checkpoint_frames = c.frames;
    progress.checkpoint_time = c.t;
    progress.checkpoint_sum = checksum(c.bytes.data(), c.bytes.size());
    file.write(layout.checkpoint_slot(progress.checkpoint_slot), c.bytes.data(), c.bytes.size());
    commit();
  }

  void save(const std::string& summary) {
    flush();
    if (summary.size() > layout.room.summary) rebuild({0, 0, summary.size()});
    file.write(layout.summary, summary.data(), summary.size());
    progress.summary_bytes = summary.size();
    progress.end = static_cast<std::uint64_t>(end_of(summary));
    commit(true);
    finished = true;
  }

  // Copies the motion into a file with at least this room (0: as now), which then takes the name.
  void rebuild(const Room& wanted, bool exact = false) {
    if (!named) commit();
    Room room = wanted;
    if (!exact)
      room = {std::max(wanted.frames, layout.room.frames), std::max(wanted.checkpoint, layout.room.checkpoint),
              std::max(wanted.summary, layout.room.summary)};
    DiskFile larger = open_unfinished(name);
    try {
      larger.resize(0);
      const Skeleton skeleton = make_skeleton(info, room);
      larger.copy_written_parts_of(skeleton.memory);
      copy_numbers(larger, skeleton.layout);
      larger.sync();
      larger.rename_to(name, false);
      layout = skeleton.layout;
    } catch (...) {
      if (larger.name() != name) ::unlink(larger.name().c_str());
      throw;
    }
    file = std::move(larger);
  }

  void copy_numbers(const DiskFile& to, const Layout& there) const {
    std::vector<char> buffer(std::size_t{1} << 20);
    const auto copy = [&](std::size_t from_at, std::size_t to_at, std::size_t count) {
      for (std::size_t n = 0; count > 0; from_at += n, to_at += n, count -= n) {
        n = std::min(count, buffer.size());
        file.read(from_at, buffer.data(), n);
        to.write(to_at, buffer.data(), n);
      }
    };
    for (std::size_t c = 0; c < info.channels.size(); ++c)
      copy(layout.channels[c], there.channels[c], 8 * progress.frames * info.channels[c].columns.size());
    if (progress.checkpoint_slot != 0)
      copy(layout.checkpoint_slot(progress.checkpoint_slot), there.checkpoint_slot(progress.checkpoint_slot),
           progress.checkpoint_bytes);
    copy(layout.summary, there.summary, progress.summary_bytes);
    to.write(there.progress_record(progress.sequence), &progress, sizeof progress);
  }

  // Cuts off unused room. The motion is complete without this, so a full disk does no harm here.
  void cut_unused_room() {
    if (progress.frames == layout.room.frames || progress.frames == 0) return;
    try {
      rebuild({progress.frames, std::max<std::size_t>(progress.checkpoint_bytes, 1), progress.summary_bytes}, true);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see above
    }
  }

  // ------------------------------------------------------------------------------------------- trouble
  // Says after a failed write what can be relied on, and lets nothing more be written.
  template <class Work>
  void guarded(Work work) {
    if (failed || finished) return;
    try {
      work();
    } catch (const Error& error) {
      failed = true;
      if (error.kind() != ErrorKind::file_trouble) throw;
      throw Error(error.kind(), fmt::format("{}. {}", error.what(), what_is_safe()));
    } catch (const fs::filesystem_error& error) {
      failed = true;
      throw Error(ErrorKind::file_trouble, fmt::format("{}. {}", error.what(), what_is_safe()));
    }
  }

  std::string what_is_safe() const {
    if (!named) return "Nothing of this run was saved; no older file was touched";
    std::string text = fmt::format("'{}' is safe up to {:.6g} s ({} frames)", name, safe_time, safe.frames);
    if (safe.end != static_cast<std::uint64_t>(MotionEnd::done))
      text += fmt::format("; when the trouble is over, 'marey run --resume {}' goes on from {:.6g} s", name,
                          safe.checkpoint_slot ? safe.checkpoint_time : 0.0);
    return text;
  }

  void close() noexcept {
    if (begun && !failed && !finished) {
      try {
        if (waiting() > 0) flush();
      } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
      }
    }
    if (!named && !resumed && file.is_open()) ::unlink(file.name().c_str());
  }
};

// ----------------------------------------------------------------------------------------------- MotionFile
MotionFile::MotionFile(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}
MotionFile::MotionFile(MotionFile&&) noexcept = default;
MotionFile& MotionFile::operator=(MotionFile&&) noexcept = default;

MotionFile::MotionFile(const std::string& file, Existing existing) : writer_(std::make_unique<Writer>()) {
  check_output_name(file);
  Writer& w = *writer_;
  w.name = behind_links(file);
  w.existing = existing;
  if (exists(w.name)) {
    if (existing == Existing::refuse)
      throw Error(ErrorKind::file_trouble,
                  fmt::format("'{}' already exists. Choose another name with -o, replace it with --force, or go on "
                              "with the run inside it with --resume",
                              file));
    open_locked(w.name);  // throws while another run is writing there
    if (existing == Existing::replace && !fs::is_empty(w.name) && !looks_like_hdf5(w.name))
      throw Error(
          ErrorKind::file_trouble,
          fmt::format("'{}' is no motion (no HDF5 file), and is not replaced by one. Choose another name with -o",
                      file));
  }
  w.file = open_unfinished(w.name);
  w.file.resize(0);
}

MotionFile MotionFile::resume(const std::string& file) {
  auto w = std::make_unique<Writer>();
  w->name = behind_links(file);
  if (!exists(w->name)) throw Error(ErrorKind::bad_input, fmt::format("there is no motion '{}' to go on with", file));
  w->resumed = w->named = true;
  w->info = read_motion_info(w->name);  // before the lock: a foreign file gets its own message
  if (w->info.end == MotionEnd::done)
    throw Error(ErrorKind::bad_input, fmt::format("the run in '{}' is finished; there is nothing to go on with", file));
  w->file = open_locked(w->name);
  const OpenMotion motion = open_motion(w->name);
  w->info = motion.info;
  w->progress = w->safe = motion.progress;
  w->layout = layout_of(motion);
  w->from = checkpoint_in(motion);
  w->last_time = w->safe_time = w->from ? w->from->t : 0;
  return MotionFile(std::move(w));
}

MotionFile::~MotionFile() {
  if (writer_) writer_->close();
}

const std::optional<Checkpoint>& MotionFile::from() const { return writer_->from; }
const MotionInfo& MotionFile::info() const { return writer_->info; }
const std::optional<std::string>& MotionFile::displaced() const { return writer_->displaced; }

void MotionFile::begin(const MotionHeader& header) {
  Writer& w = *writer_;
  w.guarded([&] { w.resumed ? w.begin_again(header) : w.begin_new(header); });
  w.width = row_width(w.info.channels);
  w.begun = true;
  w.last_flush = w.last_sync = w.last_frame = Clock::now();
}

void MotionFile::frame(std::span<const double> row) {
  Writer& w = *writer_;
  if (w.failed || w.finished) return;
  if (row.size() != w.width) throw Error(ErrorKind::bad_input, "a row of the motion has the wrong length");
  w.rows.insert(w.rows.end(), row.begin(), row.end());
  // A row that would wait too long for the next one is written with it.
  const auto now = Clock::now();
  const auto likely_next = now + (now - w.last_frame);
  w.last_frame = now;
  if (likely_next - w.last_flush >= flush_interval || 8 * w.rows.size() >= buffer_limit) w.guarded([&] { w.flush(); });
}

void MotionFile::checkpoint(const Checkpoint& checkpoint) {
  Writer& w = *writer_;
  w.guarded([&] { w.save(checkpoint); });
}

void MotionFile::finish(const std::string& summary_json) {
  Writer& w = *writer_;
  w.guarded([&] {
    w.save(summary_json);
    w.cut_unused_room();
  });
}

void MotionFile::keep_fresh() {
  Writer& w = *writer_;
  if (w.waiting() > 0 && Clock::now() - w.last_flush >= flush_interval) w.guarded([&] { w.flush(); });
}

}  // namespace marey
