#include "io/motion/tables.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace marey {

bool Table::same_columns() const {
  return std::ranges::all_of(kinds, [&](const TableKind& k) { return k.columns == kinds[0].columns; });
}

std::vector<std::size_t> Table::extents() const {
  std::vector<std::size_t> all;
  if (!alone && !same_columns()) return {width};
  if (!alone) all.push_back(members.size());
  if (const std::size_t columns = kinds[0].columns.size(); columns > 1) all.push_back(columns);
  return all;
}

std::string label_of(const std::string& member, const std::string& column) {
  return column.empty() ? member : member + "." + column;
}
std::string member_in(const std::string& label, const std::string& column) {
  const std::string ending = label_of("", column);
  if (!label.ends_with(ending)) throw std::invalid_argument("a label of another column");
  return label.substr(0, label.size() - ending.size());
}
std::string channel_name(const Table& table, const std::string& member) {
  const std::size_t star = table.pattern.find('*');
  return table.pattern.substr(0, star) + member + table.pattern.substr(star + 1);
}

namespace {

// "link/finger.tip/position" is group, member and kind; a member's name may itself have slashes. Names of fewer parts, or
// with stars where no member is, stand alone.
struct Parts {
  std::string_view group, member, kind;

  explicit Parts(std::string_view name) {
    const std::size_t first = name.find('/'), last = name.rfind('/');
    if (first == last || name.substr(0, first).find('*') != std::string_view::npos) return;
    group = name.substr(0, first), member = name.substr(first + 1, last - first - 1), kind = name.substr(last + 1);
  }
  bool alone() const { return group.empty(); }
};

}  // namespace

std::string pattern_of_kind(const std::string& channel) {
  const Parts parts(channel);
  return parts.alone() ? channel : std::string(parts.group) + "/*/" + std::string(parts.kind);
}

namespace {

class TableMaker {
 public:
  TableMaker(const std::vector<Channel>& channels, const std::vector<std::string>& taken)
      : channels_(channels), taken_(taken.begin(), taken.end()) {}

  Tables make() {
    for (std::size_t c = 0; c < channels_.size(); ++c)  // those alone are at their own names, whatever comes later
      if (Parts(channels_[c].name).alone()) taken_.insert(channels_[c].name);
    for (std::size_t c = 0; c < channels_.size(); ++c) add(c);
    add_labels();
    return std::move(made_);
  }

 private:
  void add(std::size_t c) {
    const Channel& channel = channels_[c];
    const Parts parts(channel.name);
    const std::string pattern = pattern_of_kind(channel.name);
    const auto [at, is_new] = number_of_.try_emplace(pattern, made_.all.size());
    if (is_new) {
      Table& table = made_.all.emplace_back();
      table.alone = parts.alone();
      table.pattern = pattern;
      table.path = table.alone ? pattern : free_path(std::string(parts.group) + "/" + std::string(parts.kind));
    }
    Table& table = made_.all[at->second];
    table.members.push_back(c);
    table.kind_of.push_back(kind_in(table, channel));
    table.width += channel.columns.size();
    made_.table_of.push_back(static_cast<std::uint32_t>(at->second));
  }

  static std::uint32_t kind_in(Table& table, const Channel& channel) {
    const auto is = [&](const TableKind& k) {
      return k.columns == channel.columns && k.unit == channel.unit && k.meaning == channel.meaning;
    };
    // Neighbours are mostly of the same kind.
    if (!table.kind_of.empty() && is(table.kinds[table.kind_of.back()])) return table.kind_of.back();
    const auto at = std::ranges::find_if(table.kinds, is);
    const auto number = static_cast<std::uint32_t>(at - table.kinds.begin());
    if (at == table.kinds.end()) table.kinds.push_back({channel.columns, channel.unit, channel.meaning});
    return number;
  }

  // The path, made longer until it is nobody else's.
  std::string free_path(std::string path) {
    while (!taken_.insert(path).second) path += "_";
    return path;
  }

  std::vector<std::string> labels_of(const Table& table) const {
    std::vector<std::string> labels;
    const bool same = table.same_columns();
    for (const std::size_t c : table.members) {
      const std::string member(Parts(channels_[c].name).member);
      if (same)
        labels.push_back(member);
      else
        for (const std::string& column : channels_[c].columns) labels.push_back(label_of(member, column));
    }
    return labels;
  }

  // "link/names" are the members of the tables that have them all; one that has others, or columns of several kinds, has
  // labels of its own.
  void add_labels() {
    std::vector<Table*> by_size;
    for (Table& table : made_.all)
      if (!table.alone) by_size.push_back(&table);
    std::ranges::stable_sort(by_size, [](const Table* a, const Table* b) {
      return std::pair(!a->same_columns(), b->members.size()) < std::pair(!b->same_columns(), a->members.size());
    });
    for (Table* table : by_size) {
      add_labels(*table);
      if (table->kinds.size() > 1) table->kinds_at = free_path(table->path + ".kinds");
    }
  }
  void add_labels(Table& table) {
    std::vector<std::string> labels = labels_of(table);
    const std::string group = table.pattern.substr(0, table.pattern.find('/') + 1);
    const auto same = [&](const LabelList& l) { return l.path.starts_with(group) && l.labels == labels; };
    if (const auto known = std::ranges::find_if(made_.lists, same); known != made_.lists.end()) {
      table.labels_at = known->path;
      return;
    }
    const bool whole = table.same_columns() && !taken_.contains(group + "names");
    table.labels_at = free_path(whole ? group + "names" : table.path + ".names");
    made_.lists.push_back({table.labels_at, std::move(labels)});
  }

  const std::vector<Channel>& channels_;
  std::set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> number_of_;  // of a table, by its pattern
  Tables made_;
};

}  // namespace

Tables tables_of(const std::vector<Channel>& channels, const std::vector<std::string>& taken) {
  return TableMaker(channels, taken).make();
}

Tables tables_of_single_channels(const std::vector<Channel>& channels) {
  Tables tables;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Channel& channel = channels[c];
    tables.table_of.push_back(static_cast<std::uint32_t>(c));
    tables.all.push_back({channel.name,
                          channel.name,
                          true,
                          {{channel.columns, channel.unit, channel.meaning}},
                          {c},
                          {0},
                          channel.columns.size(),
                          "",
                          ""});
  }
  return tables;
}

std::vector<std::vector<Stretch>> stretches_of(const Tables& tables, const std::vector<Channel>& channels) {
  std::vector<std::size_t> first{0};  // column of each channel
  for (const Channel& c : channels) first.push_back(first.back() + c.columns.size());
  std::vector<std::vector<Stretch>> all;
  for (const Table& table : tables.all) {
    std::vector<Stretch>& of = all.emplace_back();
    for (const std::size_t c : table.members) {
      const std::size_t count = channels[c].columns.size();
      if (!of.empty() && of.back().first + of.back().count == first[c])
        of.back().count += count;
      else
        of.push_back({first[c], count});
    }
  }
  return all;
}

}  // namespace marey
