#include "io/motion/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/motion/h5.h"

namespace marey {

using h5::Handle, h5::Failure, h5::need;

namespace {

class LayoutBuilder {
 public:
  LayoutBuilder(hid_t file, const MotionInfo& info, const Tables& tables, const Room& room)
      : file_(file),
        info_(info),
        tables_(tables),
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
    add_scene_files();
    add("marey/progress", progress_type(), h5::space({2}));
    add("marey/checkpoint", H5T_STD_U8LE, h5::space({room_.slots, std::max<std::size_t>(room_.checkpoint, 1)}));
    add("marey/summary", h5::string_type(room_.summary), h5::scalar_space());
    add_tables();
    add_lists();
  }

 private:
  Handle add(const std::string& name, hid_t type, hid_t space) const {
    return {H5Dcreate2(file_, name.c_str(), type, space, links_, place_, H5P_DEFAULT), H5Dclose, "make a dataset"};
  }

  // Files that the scene names, as they are, numbered.
  void add_scene_files() const {
    for (std::size_t i = 0; i < info_.scene_files.size(); ++i) {
      const NamedBytes& f = info_.scene_files[i];
      const Handle bytes = add(fmt::format("marey/scene_files/{}", i), H5T_STD_U8LE, h5::space({f.bytes->size()}));
      if (!f.bytes->empty())
        need(H5Dwrite(bytes, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, f.bytes->data()),
             "write a file of the scene");
      h5::write_attribute(bytes, "name", f.name);
    }
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
    if (!info_.record.channels.empty()) h5::write_attribute(scene, "record_channels", info_.record.channels);
    h5::write_attribute(scene, "takes_inputs", static_cast<long long>(info_.takes_inputs));
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

  void add_texts(const std::string& name, const std::vector<std::string>& all) const {
    const h5::PaddedTexts texts(all);
    const Handle type = h5::string_type(texts.size);
    const Handle list = add(name, type, h5::space({all.size()}));
    need(H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.bytes.data()), "write a list of names");
  }
  // Kinds and tables of channels, which repeat themselves: where there are many they are stored packed.
  void add_wholes(const std::string& name, const std::vector<std::uint32_t>& all) const {
    constexpr std::size_t many = 1000;
    const Handle packed = h5::property_list(H5P_DATASET_CREATE), space = h5::space({all.size()});
    const bool pack = all.size() > many && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
    if (pack) {
      const hsize_t chunk = all.size();
      need(H5Pset_chunk(packed, 1, &chunk), "prepare datasets");
      need(H5Pset_deflate(packed, 6), "prepare datasets");
      need(H5Pset_obj_track_times(packed, false), "prepare datasets");
    }
    const Handle list{
        H5Dcreate2(file_, name.c_str(), H5T_STD_U32LE, space, links_, pack ? packed : place_, H5P_DEFAULT), H5Dclose,
        "make a dataset"};
    need(H5Dwrite(list, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "write a list of numbers");
  }

  void add_tables() const {
    std::vector<std::string> paths;
    for (const Table& table : tables_.all) paths.push_back(table.path);
    add_texts("marey/tables", paths);
    add_wholes("marey/channels", tables_.table_of);
    for (const LabelList& list : tables_.lists) add_texts(list.path, list.labels);
    for (const Table& table : tables_.all) add_table(table);
  }
  void add_table(const Table& table) const {
    std::vector<hsize_t> dims{room_.frames};
    for (const std::size_t extent : table.extents()) dims.push_back(extent);
    const Handle dataset = add(table.path, H5T_IEEE_F64LE, h5::space(dims));
    h5::write_attribute(dataset, "channels", table.pattern);
    if (!table.alone) h5::write_attribute(dataset, "names", "/" + table.labels_at);
    const TableKind& first = table.kinds[0];
    if (table.kinds.size() == 1) {
      h5::write_attribute(dataset, "unit", first.unit);
      h5::write_attribute(dataset, "columns", first.columns);
      h5::write_attribute(dataset, "meaning", first.meaning);
    } else {
      add_kinds(table, dataset);
    }
  }
  // Units and meanings by kind, the columns of all kinds one after another, and which kind each member is of.
  void add_kinds(const Table& table, hid_t dataset) const {
    std::vector<std::string> units, columns, meanings;
    std::vector<std::uint32_t> counts;
    for (const TableKind& k : table.kinds) {
      units.push_back(k.unit), meanings.push_back(k.meaning);
      columns.insert(columns.end(), k.columns.begin(), k.columns.end());
      counts.push_back(static_cast<std::uint32_t>(k.columns.size()));
    }
    h5::write_attribute(dataset, "unit", units);
    h5::write_attribute(dataset, "columns", columns);
    h5::write_attribute(dataset, "column_counts", counts);
    h5::write_attribute(dataset, "meaning", meanings);
    h5::write_attribute(dataset, "kinds", "/" + table.kinds_at);
    add_wholes(table.kinds_at, table.kind_of);
  }

  void add_lists() const {
    std::vector<std::string> names;
    for (const ItemList& list : info_.lists) names.push_back(list.name);
    if (names.empty()) return;
    add_texts("marey/lists", names);
    for (std::size_t l = 0; l < names.size(); ++l) add_list(info_.lists[l], room_.items[l]);
  }
  void add_list(const ItemList& list, std::size_t room) const {
    const Handle items = add(list.name + "/items", item_type(list), h5::space({room}));
    std::vector<std::string> fields, units, columns, meanings;
    std::vector<std::uint32_t> counts;
    for (const Channel& field : list.fields) {
      fields.push_back(field.name), units.push_back(field.unit), meanings.push_back(field.meaning);
      columns.insert(columns.end(), field.columns.begin(), field.columns.end());
      counts.push_back(static_cast<std::uint32_t>(field.columns.size()));
    }
    h5::write_attribute(items, "meaning", list.meaning);
    h5::write_attribute(items, "fields", fields);
    h5::write_attribute(items, "field_units", units);
    h5::write_attribute(items, "field_columns", columns);
    h5::write_attribute(items, "field_column_counts", counts);
    h5::write_attribute(items, "field_meanings", meanings);
    if (!list.names.empty()) add_texts(list.name + "/names", list.names);
    const Handle ends = add(list.name + "/ends", H5T_STD_U64LE, h5::space({room_.frames}));
    h5::write_attribute(ends, "meaning", "number of items when the frame was recorded");
  }

  hid_t file_;
  const MotionInfo& info_;
  const Tables& tables_;
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

Tables new_tables(const MotionInfo& info) {
  check_channels(info.channels);
  if (info.lists.size() > most_lists)
    throw Error(ErrorKind::bad_input,
                fmt::format("found {} lists of items; expected at most {}", info.lists.size(), most_lists));
  std::vector<std::string> taken;
  for (const ItemList& list : info.lists)
    for (const char* part : {"/items", "/ends", "/names"}) taken.push_back(list.name + part);
  return tables_of(info.channels, taken);
}

Handle item_type(const ItemList& list) {
  Handle type{H5Tcreate(H5T_COMPOUND, 8 * list.width()), H5Tclose, "make a type"};
  std::size_t at = 0;
  for (const Channel& field : list.fields) {
    const hsize_t columns = field.columns.size();
    const Handle numbers{columns == 1 ? H5Tcopy(H5T_IEEE_F64LE) : H5Tarray_create2(H5T_IEEE_F64LE, 1, &columns),
                         H5Tclose, "make a type"};
    need(H5Tinsert(type, field.name.c_str(), at, numbers), "make a type");
    at += 8 * columns;
  }
  return type;
}

Skeleton make_skeleton(const MotionInfo& info, const Tables& tables, const Room& room) {
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
    LayoutBuilder(file, info, tables, room).build();
    skeleton.layout = read_layout(file, info, tables);
    // HDF5 writes most of it only now; a closing handle cannot report that a write failed.
    need(H5Fflush(file, H5F_SCOPE_GLOBAL), "write it");
  } catch (const Failure& failure) {
    throw Error(ErrorKind::file_trouble, fmt::format("cannot describe the motion: HDF5 could not {}", failure.what));
  }
  return skeleton;
}

}  // namespace marey
