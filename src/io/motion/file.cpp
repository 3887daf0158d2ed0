// Writing motions so that however the program dies, no more than its last second is lost.
//
// 1. A new motion is written under another name (run.h5.tmp) and takes its own name with the first progress record.
//    Until then an older file of that name is still there, whole.
// 2. Rows are gathered in memory and written at least once a second, and before every checkpoint: first the rows
//    of every table and the items of every list, then the checkpoint into the slot that is not the current one, then the record that
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

#include "io/motion/copy.h"
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
constexpr std::size_t first_items = 256;                        // of a list, likewise
constexpr std::size_t unused_limit = std::size_t{1} << 20;      // bytes that may stay unused at the end

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
  info.scene_files = header.scene.files;
  info.duration = header.scene.duration;
  info.solver = header.scene.solver;
  info.record = header.scene.record;
  info.channels = header.channels;
  info.lists = header.lists;
  info.takes_inputs = header.scene.takes_inputs;
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
  Tables tables;
  std::vector<std::vector<Stretch>> stretches;  // [tables]
  DiskFile file;
  Layout layout;
  Progress progress;               // what the next record will say
  Progress safe;                   // what the last record said
  std::optional<Checkpoint> from;  // where a resumed run begins
  std::vector<double> rows;        // waiting, one after the other
  struct Items {
    std::vector<double> numbers;      // waiting
    std::vector<std::uint64_t> ends;  // [waiting rows]
  };
  std::vector<Items> items;  // [lists]
  std::size_t width = 0;
  double last_time = 0, safe_time = 0;  // of the last row written, and of the last that is safe
  Clock::time_point last_flush, last_sync, last_frame;
  bool resumed = false, named = false, begun = false, failed = false, finished = false;
  std::optional<std::string> displaced;

  std::size_t waiting() const { return width ? rows.size() / width : 0; }
  std::size_t waiting_items(std::size_t list) const { return items[list].numbers.size() / info.lists[list].width(); }
  std::size_t waiting_bytes() const {
    std::size_t numbers = rows.size();
    for (const Items& i : items) numbers += i.numbers.size();
    return 8 * numbers;
  }

  // ------------------------------------------------------------------------------------------- beginning
  void begin_new(const MotionHeader& header) {
    info = info_of(header, name);
    tables = new_tables(info);
    make_file({.frames = expected_frames(info),
               .checkpoint = 4096 + 64 * header.row_width(),
               .summary = 16384 + 128 * header.row_width(),
               .items = std::vector<std::size_t>(info.lists.size(), first_items)});
  }

  void make_file(const Room& room) {
    Skeleton skeleton = make_skeleton(info, tables, room);
    file.copy_written_parts_of(skeleton.memory);
    layout = std::move(skeleton.layout);
  }

  // Once it is known what is written.
  void prepare() {
    width = row_width(info.channels);
    items.resize(info.lists.size());
    stretches = stretches_of(tables, info.channels);
  }

  void begin_again(const MotionHeader& header) {
    const std::string why = difference(info, header.scene);
    if (!why.empty()) throw Error(ErrorKind::bad_input, fmt::format("cannot go on with '{}': {}", name, why));
    check_same_program(header);
    progress.frames = from ? from->frames : 0;
    progress.items = from ? progress.checkpoint_items : decltype(progress.items){};
    progress.end = static_cast<std::uint64_t>(MotionEnd::open);
    progress.summary_bytes = 0;
    info.frames = progress.frames;
    info.end = MotionEnd::open;
    info.summary.clear();
    commit();
    if (layout.room.frames < expected_frames(info)) rebuild({.frames = expected_frames(info)});
  }

  void check_same_program(const MotionHeader& header) const {
    if (info.program_version != header.program_version)
      throw Error(ErrorKind::bad_input,
                  fmt::format("cannot go on with '{}': it was begun by version {} of the program, this is {}", name,
                              info.program_version, header.program_version));
    const auto same = [](const Channel& a, const Channel& b) {
      return a.name == b.name && a.columns == b.columns && a.unit == b.unit;
    };
    const auto same_list = [&](const ItemList& a, const ItemList& b) {
      return a.name == b.name && std::ranges::equal(a.fields, b.fields, same);
    };
    if (!std::ranges::equal(info.channels, header.channels, same) ||
        !std::ranges::equal(info.lists, header.lists, same_list))
      throw Error(ErrorKind::bad_input, fmt::format("cannot go on with '{}': it records other channels", name));
  }

  // ------------------------------------------------------------------------------------------- writing
  void flush() {
    const bool any_items = write_items();
    if (any_items && waiting() == 0) commit();
    while (waiting() > 0) {
      if (progress.frames == layout.room.frames) rebuild({.frames = 2 * layout.room.frames});
      write_rows(std::min<std::size_t>(waiting(), layout.room.frames - progress.frames));
      commit();
    }
    last_flush = Clock::now();
  }

  // The items that wait, before the frames that count them. Returns whether there were any.
  bool write_items() {
    bool any = false;
    for (std::size_t l = 0; l < items.size(); ++l) {
      const std::size_t count = waiting_items(l), bytes = 8 * info.lists[l].width();
      if (count == 0) continue;
      if (progress.items[l] + count > layout.room.items[l]) {
        Room more{.items = std::vector<std::size_t>(items.size(), 0)};
        more.items[l] = 2 * (progress.items[l] + count);
        rebuild(more);
      }
      file.write(layout.lists[l].items + progress.items[l] * bytes, items[l].numbers.data(), count * bytes);
      progress.items[l] += count;
      items[l].numbers.clear();
      any = true;
    }
    return any;
  }

  // The first `count` waiting rows, table by table.
  void write_rows(std::size_t count) {
    std::vector<double> piece;
    for (std::size_t t = 0; t < stretches.size(); ++t) {
      const std::size_t table_width = tables.all[t].width;
      piece.resize(count * table_width);
      double* to = piece.data();
      for (std::size_t r = 0; r < count; ++r)
        for (const Stretch& s : stretches[t]) to = std::copy_n(rows.data() + r * width + s.first, s.count, to);
      file.write(layout.tables[t] + 8 * progress.frames * table_width, piece.data(), 8 * piece.size());
    }
    for (std::size_t l = 0; l < items.size(); ++l) {
      std::vector<std::uint64_t>& ends = items[l].ends;
      file.write(layout.lists[l].ends + 8 * progress.frames, ends.data(), 8 * count);
      ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(count));
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
    if (c.bytes.size() > layout.room.checkpoint) rebuild({.checkpoint = 2 * c.bytes.size()});
    progress.checkpoint_slot = progress.checkpoint_slot == 1 ? 2 : 1;
    progress.checkpoint_bytes = c.bytes.size();
    progress.checkpoint_frames = c.frames;
    progress.checkpoint_items = progress.items;
    progress.checkpoint_time = c.t;
    progress.checkpoint_sum = checksum(c.bytes.data(), c.bytes.size());
    file.write(layout.checkpoint_slot(progress.checkpoint_slot), c.bytes.data(), c.bytes.size());
    commit();
  }

  void save(const std::string& summary) {
    flush();
    if (summary.size() > layout.room.summary) rebuild({.summary = summary.size()});
    file.write(layout.summary, summary.data(), summary.size());
    progress.summary_bytes = summary.size();
    progress.end = static_cast<std::uint64_t>(end_of(summary));
    commit(true);
    finished = true;
  }

  // At least as much as now.
  Room larger_room(Room room) const {
    room.frames = std::max(room.frames, layout.room.frames), room.slots = std::max(room.slots, layout.room.slots);
    room.checkpoint = std::max(room.checkpoint, layout.room.checkpoint);
    room.summary = std::max(room.summary, layout.room.summary);
    room.items.resize(info.lists.size(), 0);
    for (std::size_t l = 0; l < room.items.size(); ++l) room.items[l] = std::max(room.items[l], layout.room.items[l]);
    return room;
  }

  // Copies the motion into a file with at least this room, or exactly this, which then takes the name.
  void rebuild(const Room& wanted, bool exact = false) {
    if (!named) commit();
    DiskFile larger = open_unfinished(name);
    Progress there = progress;
    try {
      larger.resize(0);
      const Skeleton skeleton = make_skeleton(info, tables, exact ? wanted : larger_room(wanted));
      larger.copy_written_parts_of(skeleton.memory);
      there.checkpoint_slot = std::min<std::uint64_t>(there.checkpoint_slot, skeleton.layout.room.slots);
      seal(there);
      copy_numbers(info, tables, {file, layout, progress}, {larger, skeleton.layout, there});
      larger.sync();
      larger.rename_to(name, false);
      layout = skeleton.layout;
    } catch (...) {
      if (larger.name() != name) ::unlink(larger.name().c_str());
      throw;
    }
    file = std::move(larger);
    progress = there;
  }

  // What the motion needs, now that nothing more will come; a run that is done needs one slot for its checkpoint.
  Room exact_room() const {
    const bool done = progress.end == static_cast<std::uint64_t>(MotionEnd::done);
    Room room{.frames = progress.frames,
              .checkpoint = std::max<std::size_t>(progress.checkpoint_bytes, 1),
              .summary = progress.summary_bytes,
              .slots = done ? 1u : 2u};
    room.items.assign(progress.items.begin(), progress.items.begin() + static_cast<std::ptrdiff_t>(info.lists.size()));
    return room;
  }
  static std::size_t bytes_beside_rows(const Room& room) { return room.slots * room.checkpoint + room.summary; }

  // Cuts off unused room. The motion is complete without this, so a full disk does no harm here.
  void cut_unused_room() {
    const Room exact = exact_room();
    const std::size_t unused = bytes_beside_rows(layout.room) - bytes_beside_rows(exact),
                      used = 8 * width * progress.frames + bytes_beside_rows(exact);
    const bool as_promised = exact.frames == layout.room.frames && exact.items == layout.room.items;
    if (progress.frames == 0 || (as_promised && (unused < unused_limit || unused < used / 8))) return;
    try {
      rebuild(exact, true);
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
        if (waiting_bytes() > 0) flush();
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
  OpenMotion motion = open_motion(w->name);
  if (motion.format < motion_format_version)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("cannot go on with '{}': it has the motion format {}, which this program reads and no longer "
                    "writes; run its scene again, or finish it with the program that began it ({})",
                    file, motion.format, motion.info.program_version));
  w->info = motion.info;
  w->progress = w->safe = motion.progress;
  w->layout = layout_of(motion);
  w->from = checkpoint_in(motion);
  w->tables = std::move(motion.tables);
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
  w.prepare();
  w.begun = true;
  w.last_flush = w.last_sync = w.last_frame = Clock::now();
}

void MotionFile::frame(std::span<const double> row) {
  Writer& w = *writer_;
  if (w.failed || w.finished) return;
  if (row.size() != w.width) throw Error(ErrorKind::bad_input, "a row of the motion has the wrong length");
  w.rows.insert(w.rows.end(), row.begin(), row.end());
  for (std::size_t l = 0; l < w.items.size(); ++l) w.items[l].ends.push_back(w.progress.items[l] + w.waiting_items(l));
  // A row that would wait too long for the next one is written with it.
  const auto now = Clock::now();
  const auto likely_next = now + (now - w.last_frame);
  w.last_frame = now;
  if (likely_next - w.last_flush >= flush_interval || w.waiting_bytes() >= buffer_limit) w.guarded([&] { w.flush(); });
}

void MotionFile::items(std::size_t list, std::span<const double> rows) {
  Writer& w = *writer_;
  if (w.failed || w.finished) return;
  if (list >= w.items.size() || rows.size() % w.info.lists[list].width() != 0)
    throw Error(ErrorKind::bad_input, "items of the motion belong to no list, or have the wrong length");
  w.items[list].numbers.insert(w.items[list].numbers.end(), rows.begin(), rows.end());
  if (w.waiting_bytes() >= buffer_limit) w.guarded([&] { w.flush(); });
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
  if (w.waiting_bytes() > 0 && Clock::now() - w.last_flush >= flush_interval) w.guarded([&] { w.flush(); });
}

}  // namespace marey
