#include "io/motion/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <set>

#include "io/motion/h5.h"

namespace marey {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

using h5::Handle, h5::Failure, h5::need;

// ----------------------------------------------------------------------------------------------- records
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
bool is_sealed(const Progress& p) { return p.own_sum == checksum(&p, offsetof(Progress, own_sum)); }

namespace {

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
  field("own_sum", offsetof(Progress, own_sum), H5T_STD_U64LE);
  return type;
}

// ----------------------------------------------------------------------------------------------- building
class LayoutBuilder {
 public:
  LayoutBuilder(hid_t file, const MotionInfo& info, const Room& room)
      : file_(file),
        info_(info),
        room_(room),
        links_(h5::property_list(H5P_LINK_CREATE)),
        place_(h5::property_list(H5P_DATASET_CREATE)) {
    need(H5Pset_create_intermediate_group(links_, 1), "prepare groups");
    need(H5Pset_layout(place_, H5D_CONTIGUOUS), "prepare datasets");
    need(H5Pset_alloc_time(place_, H5D_ALLOC_TIME_EARLY), "prepare datasets");
    need(H5Pset_fill_time(place_, H5D_FILL_TIME_NEVER), "prepare datasets");
    need(H5Pset_obj_track_times(place_, false), "prepare datasets");
  }

  void build() const {
    h5::write_attribute(file_, "format", std::string(motion_format));
    h5::write_attribute(file_, "format_version", static_cast<long long>(motion_format_version));
    h5::write_attribute(file_, "program_version", info_.program_version);
    h5::write_attribute(file_, "title", info_.title);
    add_scene();
    add_names();
    add("marey/progress", progress_type(), h5::space({2}));
    add("marey/checkpoint", H5T_STD_U8LE, h5::space({2, std::max<std::size_t>(room_.checkpoint, 1)}));
    add("marey/summary", h5::string_type(room_.summary), h5::scalar_space());
    for (const Channel& channel : info_.channels) add_channel(channel);
  }

 private:
  Handle add(const std::string& name, hid_t type, hid_t space) const {
    return {H5Dcreate2(file_, name.c_str(), type, space, links_, place_, H5P_DEFAULT), H5Dclose, "make a dataset"};
  }

  void add_scene() const {
    const Handle type = h5::string_type(info_.scene_text.size());
    const Handle scene = add("marey/scene", type, h5::scalar_space());
    const std::string text = info_.scene_text.empty() ? std::string(1, '\0') : info_.scene_text;
    need(H5Dwrite(scene, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "write the scene");
    h5::write_attribute(scene, "file", info_.scene_file);
    h5::write_attribute(scene, "source", info_.source);
    h5::write_attribute(scene, "duration_s", info_.duration);
    h5::write_attribute(scene, "record_every_s", info_.record.every);
    h5::write_attribute(scene, "dynamics", std::string(name_of(info_.solver.dynamics)));
    h5::write_attribute(scene, "integrator", std::string(name_of(info_.solver.integrator)));
    h5::write_attribute(scene, "step_s", info_.solver.step);
    h5::write_attribute(scene, "tolerance", info_.solver.tolerance);
    h5::write_attribute(scene, "absolute_tolerance", info_.solver.absolute_tolerance.value_or(info_.solver.tolerance));
    h5::write_attribute(scene, "slow_band", static_cast<long long>(info_.solver.slow_band));
    h5::write_attribute(scene, "spread", static_cast<long long>(info_.solver.spread));
    h5::write_attribute(scene, "reuse", info_.solver.reuse);
    if (info_.solver.weld) {
      h5::write_attribute(scene, "weld_below", info_.solver.weld->below);
      h5::write_attribute(scene, "weld_for_s", info_.solver.weld->lasts);
      h5::write_attribute(scene, "weld_wake", info_.solver.weld->wake);
    }
  }

  void add_names() const {
    std::vector<std::string> names;
    for (const Channel& channel : info_.channels) names.push_back(channel.name);
    const h5::PaddedTexts texts(names);
    const Handle type = h5::string_type(texts.size);
    const Handle list = add("marey/channels", type, h5::space({names.size()}));
    need(H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.bytes.data()), "write the channels");
  }

  void add_channel(const Channel& channel) const {
    std::vector<hsize_t> dims{room_.frames};
    if (channel.columns.size() > 1) dims.push_back(channel.columns.size());
    const Handle dataset = add(channel.name, H5T_IEEE_F64LE, h5::space(dims));
    h5::write_attribute(dataset, "unit", channel.unit);
    h5::write_attribute(dataset, "columns", channel.columns);
    h5::write_attribute(dataset, "meaning", channel.meaning);
  }

  hid_t file_;
  const MotionInfo& info_;
  const Room& room_;
  Handle links_, place_;
};

// HDF5 reads "a//b" and "a/./b" as "a/b", and a dataset cannot hold another.
void check_channels(const std::vector<Channel>& channels) {
  std::set<std::string> names;
  const auto refuse = [](const Channel& c, const char* why) {
    throw Error(ErrorKind::bad_input, fmt::format("channel '{}' cannot be recorded: {}", c.name, why));
  };
  if (channels.empty() || channels[0].name != "time" || channels[0].columns.size() != 1)
    throw Error(ErrorKind::bad_input, "the first channel of a motion must be \"time\", with one column");
  for (const Channel& c : channels) {
    const std::string path = "/" + c.name + "/";
    if (path.find("//") != std::string::npos || path.find("/./") != std::string::npos || path.starts_with("/marey/") ||
        path.find('\0') != std::string::npos)
      refuse(c, "its name does not make a path");
    if (c.columns.empty()) refuse(c, "it has no columns");
    if (!names.insert(path).second) refuse(c, "there are two of that name");
  }
  for (const Channel& c : channels) {
    const auto next = names.upper_bound("/" + c.name + "/");
    if (next != names.end() && next->starts_with("/" + c.name + "/")) refuse(c, "it is also a group");
  }
}

}  // namespace

Skeleton make_skeleton(const MotionInfo& info, const Room& room) {
  check_channels(info.channels);
  Skeleton skeleton{memory_file(), {}};
  h5::hush();
  try {
    // The format of 2008: groups need no fixed room, and every tool in use reads it.
    const Handle access = h5::property_list(H5P_FILE_ACCESS);
    need(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "choose a format");
    // The usual driver insists on a file's true path, which memory does not have.
    need(H5Pset_fapl_stdio(access), "choose a driver");
    const std::string path = fmt::format("/proc/self/fd/{}", skeleton.memory.descriptor());
    Handle file{H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "make a file"};
    LayoutBuilder(file, info, room).build();
    skeleton.layout = read_layout(file, info);
    // HDF5 writes most of it only now; a closing handle cannot report that a write failed.
    need(H5Fflush(file, H5F_SCOPE_GLOBAL), "write it");
  } catch (const Failure& failure) {
    throw Error(ErrorKind::file_trouble, fmt::format("cannot describe the motion: HDF5 could not {}", failure.what));
  }
  return skeleton;
}

// ----------------------------------------------------------------------------------------------- reading
namespace {

std::size_t place_of(hid_t dataset) {
  const haddr_t at = H5Dget_offset(dataset);
  if (at == HADDR_UNDEF) throw Failure{"find the place of a dataset"};
  return at;
}

std::size_t extent_of(hid_t dataset, std::size_t dimension) {
  const std::vector<hsize_t> dims = h5::dims_of(dataset);
  if (dimension >= dims.size()) throw Failure{"read a dataspace"};
  return dims[dimension];
}

template <class Choices>
auto choice(const std::string& name, const Choices& all) {
  for (const auto c : all)
    if (name == name_of(c)) return c;
  throw Failure{"understand the solver"};
}

SolverOptions read_solver(hid_t scene) {
  SolverOptions solver;
  solver.dynamics =
      choice(h5::read_text_attribute(scene, "dynamics"),
             std::array{Dynamics::armstrong, Dynamics::aba, Dynamics::crba, Dynamics::dense, Dynamics::multipliers});
  solver.integrator = choice(h5::read_text_attribute(scene, "integrator"), all_integrators());
  solver.step = h5::read_number_attribute(scene, "step_s");
  solver.tolerance = h5::read_number_attribute(scene, "tolerance");
  if (const double absolute = h5::read_number_attribute(scene, "absolute_tolerance"); absolute != solver.tolerance)
    solver.absolute_tolerance = absolute;
  const double slow_band = h5::read_number_attribute(scene, "slow_band");
  if (!(slow_band >= 1 && slow_band <= largest_slow_band)) throw Failure{"understand the solver"};
  solver.slow_band = static_cast<int>(slow_band);
  solver.spread = h5::read_number_attribute(scene, "spread") != 0;
  solver.reuse = h5::read_number_attribute(scene, "reuse");
  if (H5Aexists(scene, "weld_below") > 0)
    solver.weld = {h5::read_number_attribute(scene, "weld_below"), h5::read_number_attribute(scene, "weld_for_s"),
                   h5::read_number_attribute(scene, "weld_wake")};
  return solver;
}

}  // namespace

Layout read_layout(hid_t file, const MotionInfo& info) {
  Layout layout;
  layout.progress = place_of(h5::open_dataset(file, "marey/progress"));
  const Handle checkpoint = h5::open_dataset(file, "marey/checkpoint");
  layout.checkpoint = place_of(checkpoint);
  layout.room.checkpoint = extent_of(checkpoint, 1);
  const Handle summary = h5::open_dataset(file, "marey/summary");
  layout.summary = place_of(summary);
  layout.room.summary = H5Dget_storage_size(summary);
  for (const Channel& channel : info.channels) {
    const Handle dataset = h5::open_dataset(file, channel.name);
    const std::size_t rows = extent_of(dataset, 0);
    if (!layout.channels.empty() && rows != layout.room.frames) throw Failure{"find as many rows in every channel"};
    layout.channels.push_back(place_of(dataset));
    layout.room.frames = rows;
  }
  return layout;
}

MotionInfo read_descriptions(hid_t file) {
  MotionInfo info;
  info.program_version = h5::read_text_attribute(file, "program_version");
  info.title = h5::read_text_attribute(file, "title");
  const Handle scene = h5::open_dataset(file, "marey/scene");
  info.scene_text = h5::read_text(scene);
  info.scene_file = h5::read_text_attribute(scene, "file");
  info.source = h5::read_text_attribute(scene, "source");
  info.duration = h5::read_number_attribute(scene, "duration_s");
  info.record.every = h5::read_number_attribute(scene, "record_every_s");
  info.solver = read_solver(scene);
  for (std::string& name : h5::read_texts(h5::open_dataset(file, "marey/channels"))) {
    const Handle dataset = h5::open_dataset(file, name);
    info.channels.push_back({std::move(name), h5::read_text_attribute(dataset, "unit"),
                             h5::read_texts_attribute(dataset, "columns"),
                             h5::read_text_attribute(dataset, "meaning")});
  }
  if (info.channels.empty() || info.channels[0].name != "time") throw Failure{"find the time"};
  return info;
}

Progress read_progress(hid_t file) {
  std::array<Progress, 2> records;
  const Handle dataset = h5::open_dataset(file, "marey/progress");
  if (h5::dims_of(dataset) != std::vector<hsize_t>{2}) throw Failure{"read the progress"};
  need(H5Dread(dataset, progress_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, records.data()), "read the progress");
  const Progress* best = nullptr;
  for (const Progress& record : records)
    if (is_sealed(record) && (!best || record.sequence > best->sequence)) best = &record;
  if (!best) throw Failure{"find out what is safe"};
  return *best;
}

}  // namespace marey
