// What a motion says about itself, as it stands in the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "io/motion/h5.h"
#include "io/motion/layout.h"

namespace marey {

using h5::Handle, h5::Failure, h5::need;

namespace {

// ----------------------------------------------------------------------------------------------- options
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

// ----------------------------------------------------------------------------------------------- tables
// Cuts a list into pieces of these lengths.
std::vector<std::vector<std::string>> cut(const std::vector<std::string>& all,
                                          const std::vector<std::uint32_t>& counts) {
  std::vector<std::vector<std::string>> pieces;
  std::size_t at = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0 || count > all.size() - at) throw Failure{"understand the columns"};
    pieces.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                        all.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  }
  if (at != all.size()) throw Failure{"understand the columns"};
  return pieces;
}

// Paths are written with a slash in front, so that any group finds them.
std::string path_in(hid_t dataset, const char* attribute) {
  const std::string path = h5::read_text_attribute(dataset, attribute);
  return path.starts_with("/") ? path.substr(1) : path;
}

// Lists of labels, each read once.
using LabelsByPath = std::map<std::string, std::vector<std::string>>;
const std::vector<std::string>& labels_at(hid_t file, const std::string& path, LabelsByPath& known) {
  const auto [at, is_new] = known.try_emplace(path);
  if (is_new) at->second = h5::read_texts(h5::open_dataset(file, path));
  return at->second;
}

class TableReader {
 public:
  TableReader(hid_t file, std::string path, LabelsByPath& known) : file_(file), dataset_(h5::open_dataset(file, path)) {
    table_.path = std::move(path);
    table_.pattern = h5::read_text_attribute(dataset_, "channels");
    table_.alone = H5Aexists(dataset_, "names") <= 0;
    if (!table_.alone && table_.pattern.find('*') == std::string::npos) throw Failure{"name the channels of a table"};
    read_kinds();
    if (table_.alone) return;
    table_.labels_at = path_in(dataset_, "names");
    labels_ = &labels_at(file, table_.labels_at, known);
    by_column_ = !table_.same_columns();
  }

  // The next member: the channel of this number.
  Channel next(std::size_t number) {
    const std::size_t member = table_.members.size();
    const std::uint32_t kind = kinds_.empty() ? 0 : member < kinds_.size() ? kinds_[member] : at_a_loss();
    if (kind >= table_.kinds.size()) at_a_loss();
    const TableKind& k = table_.kinds[kind];
    Channel channel{table_.pattern, k.unit, k.columns, k.meaning};
    if (!table_.alone) channel.name = channel_name(table_, next_name(k));
    table_.members.push_back(number), table_.kind_of.push_back(kind);
    table_.width += k.columns.size();
    return channel;
  }

  Table done() {
    if (table_.members.empty() || (table_.alone && table_.members.size() != 1) ||
        next_label_ != (labels_ ? labels_->size() : 0))
      at_a_loss();
    return std::move(table_);
  }

 private:
  [[noreturn]] static std::uint32_t at_a_loss() { throw Failure{"find the channels of a table"}; }

  void read_kinds() {
    const std::vector<std::string> units = h5::read_texts_attribute(dataset_, "unit"),
                                   columns = h5::read_texts_attribute(dataset_, "columns"),
                                   meanings = h5::read_texts_attribute(dataset_, "meaning");
    const bool several = H5Aexists(dataset_, "kinds") > 0;
    std::vector<std::uint32_t> counts{static_cast<std::uint32_t>(columns.size())};
    if (several) {
      counts = h5::read_wholes_attribute(dataset_, "column_counts");
      table_.kinds_at = path_in(dataset_, "kinds");
      kinds_ = h5::read_wholes(h5::open_dataset(file_, table_.kinds_at));
    }
    const std::vector<std::vector<std::string>> of_kind = cut(columns, counts);
    if (of_kind.empty() || of_kind.size() != units.size() || of_kind.size() != meanings.size()) at_a_loss();
    for (std::size_t k = 0; k < of_kind.size(); ++k) table_.kinds.push_back({of_kind[k], units[k], meanings[k]});
  }
  std::string next_name(const TableKind& k) {
    const std::size_t at = next_label_;
    next_label_ += by_column_ ? k.columns.size() : 1;
    if (next_label_ > labels_->size()) at_a_loss();
    if (!by_column_) return (*labels_)[at];
    try {
      return member_in((*labels_)[at], k.columns[0]);
    } catch (const std::invalid_argument&) {
      at_a_loss();
    }
  }

  hid_t file_;
  Handle dataset_;
  Table table_;
  std::vector<std::uint32_t> kinds_;                  // [members]; empty where there is one
  const std::vector<std::string>* labels_ = nullptr;  // null: it is alone
  std::size_t next_label_ = 0;
  bool by_column_ = false;
};

void read_tables(hid_t file, Descriptions& d) {
  LabelsByPath labels;
  std::vector<TableReader> readers;
  for (std::string& path : h5::read_texts(h5::open_dataset(file, "marey/tables")))
    readers.emplace_back(file, std::move(path), labels);
  d.tables.table_of = h5::read_wholes(h5::open_dataset(file, "marey/channels"));
  for (const std::uint32_t t : d.tables.table_of) {
    if (t >= readers.size()) throw Failure{"find the table of a channel"};
    d.info.channels.push_back(readers[t].next(d.info.channels.size()));
  }
  for (TableReader& reader : readers) d.tables.all.push_back(reader.done());
  for (auto& [path, list] : labels) d.tables.lists.push_back({path, std::move(list)});
}

// In format 1 every channel has a dataset of its own.
void read_single_channels(hid_t file, Descriptions& d) {
  for (std::string& name : h5::read_texts(h5::open_dataset(file, "marey/channels"))) {
    const Handle dataset = h5::open_dataset(file, name);
    d.info.channels.push_back({std::move(name), h5::read_text_attribute(dataset, "unit"),
                               h5::read_texts_attribute(dataset, "columns"),
                               h5::read_text_attribute(dataset, "meaning")});
  }
  d.tables = tables_of_single_channels(d.info.channels);
}

// ----------------------------------------------------------------------------------------------- lists of items
ItemList read_list(hid_t file, const std::string& name) {
  const Handle items = h5::open_dataset(file, name + "/items");
  const std::vector<std::string> fields = h5::read_texts_attribute(items, "fields"),
                                 units = h5::read_texts_attribute(items, "field_units"),
                                 meanings = h5::read_texts_attribute(items, "field_meanings");
  const auto columns =
      cut(h5::read_texts_attribute(items, "field_columns"), h5::read_wholes_attribute(items, "field_column_counts"));
  if (fields.empty() || fields.size() != units.size() || fields.size() != columns.size() ||
      fields.size() != meanings.size())
    throw Failure{"understand a list of items"};
  ItemList list{name, {}, h5::read_text_attribute(items, "meaning")};
  if (const std::string names = name + "/names"; H5Lexists(file, names.c_str(), H5P_DEFAULT) > 0)
    list.names = h5::read_texts(h5::open_dataset(file, names));
  for (std::size_t i = 0; i < fields.size(); ++i) list.fields.push_back({fields[i], units[i], columns[i], meanings[i]});
  return list;
}

void read_lists(hid_t file, MotionInfo& info) {
  if (H5Lexists(file, "marey/lists", H5P_DEFAULT) <= 0) return;
  for (const std::string& name : h5::read_texts(h5::open_dataset(file, "marey/lists")))
    info.lists.push_back(read_list(file, name));
  if (info.lists.size() > most_lists) throw Failure{"understand the lists of items"};
}

// ----------------------------------------------------------------------------------------------- places
std::size_t place_of(hid_t dataset) {
  if (H5Dget_storage_size(dataset) == 0) return 0;  // nothing is ever written there
  const haddr_t at = H5Dget_offset(dataset);
  if (at == HADDR_UNDEF) throw Failure{"find the place of a dataset"};
  return at;
}

std::size_t extent_of(hid_t dataset, std::size_t dimension) {
  const std::vector<hsize_t> dims = h5::dims_of(dataset);
  if (dimension >= dims.size()) throw Failure{"read a dataspace"};
  return dims[dimension];
}

}  // namespace

Layout read_layout(hid_t file, const MotionInfo& info, const Tables& tables) {
  Layout layout;
  layout.progress = place_of(h5::open_dataset(file, "marey/progress"));
  const Handle checkpoint = h5::open_dataset(file, "marey/checkpoint");
  layout.checkpoint = place_of(checkpoint);
  layout.room.slots = extent_of(checkpoint, 0);
  layout.room.checkpoint = extent_of(checkpoint, 1);
  const Handle summary = h5::open_dataset(file, "marey/summary");
  layout.summary = place_of(summary);
  layout.room.summary = H5Dget_storage_size(summary);
  const auto place_rows = [&](const std::string& path, bool first) {
    const Handle dataset = h5::open_dataset(file, path);
    const std::size_t rows = extent_of(dataset, 0);
    if (!first && rows != layout.room.frames) throw Failure{"find as many rows in every channel"};
    layout.room.frames = rows;
    return place_of(dataset);
  };
  for (const Table& table : tables.all) layout.tables.push_back(place_rows(table.path, layout.tables.empty()));
  for (const ItemList& list : info.lists) {
    const Handle items = h5::open_dataset(file, list.name + "/items");
    layout.room.items.push_back(extent_of(items, 0));
    layout.lists.push_back({place_of(items), place_rows(list.name + "/ends", false)});
  }
  return layout;
}

// Older motions have none.
static std::vector<NamedBytes> read_scene_files(hid_t file) {
  std::vector<NamedBytes> files;
  if (H5Lexists(file, "marey/scene_files", H5P_DEFAULT) <= 0) return files;
  for (std::size_t i = 0;; ++i) {
    const std::string path = fmt::format("marey/scene_files/{}", i);
    if (H5Lexists(file, path.c_str(), H5P_DEFAULT) <= 0) return files;
    const Handle dataset = h5::open_dataset(file, path);
    const std::vector<hsize_t> dims = h5::dims_of(dataset);
    if (dims.size() != 1) throw Failure{"read a file of the scene"};
    h5::check_fits_file(dataset, dims[0], 1, "read a file of the scene");
    std::string bytes(dims[0], '\0');
    if (!bytes.empty())
      need(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read a file of the scene");
    files.push_back({h5::read_text_attribute(dataset, "name"), std::make_shared<const std::string>(std::move(bytes))});
  }
}

Descriptions read_descriptions(hid_t file, int format) {
  Descriptions d;
  MotionInfo& info = d.info;
  info.program_version = h5::read_text_attribute(file, "program_version");
  info.title = h5::read_text_attribute(file, "title");
  const Handle scene = h5::open_dataset(file, "marey/scene");
  info.scene_text = h5::read_text(scene);
  info.scene_file = h5::read_text_attribute(scene, "file");
  info.scene_files = read_scene_files(file);
  info.source = h5::read_text_attribute(scene, "source");
  info.duration = h5::read_number_attribute(scene, "duration_s");
  info.record.every = h5::read_number_attribute(scene, "record_every_s");
  if (H5Aexists(scene, "record_channels") > 0)
    info.record.channels = h5::read_texts_attribute(scene, "record_channels");
  info.solver = read_solver(scene);
  format < 2 ? read_single_channels(file, d) : read_tables(file, d);
  if (info.channels.empty() || info.channels[0].name != "time" || info.channels[0].columns.size() != 1)
    throw Failure{"find the time"};
  // Format 1 does not say it, and records whatever the inputs do.
  info.takes_inputs =
      format < 2 ? info.has("element/inputs/work") : h5::read_number_attribute(scene, "takes_inputs") != 0;
  read_lists(file, info);
  return d;
}

}  // namespace marey
