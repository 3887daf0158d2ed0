// Motions as comma-separated values (RFC 4180). Numbers are the shortest text that reads back as the number, −0 included; what is
// no number is nan, without a sign, and what is beyond all numbers is inf or -inf: the words that readers of tables know.
#include <fmt/format.h>

#include <cmath>

#include "marey/core/channel_pattern.h"
#include "marey/io/motion.h"

namespace marey {

namespace {

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) (c == '"' ? out += "\"\"" : out += c);
  return out + "\"";
}

std::string heading(const Motion& motion, std::span<const ColumnIndex> columns) {
  std::string line;
  for (const ColumnIndex& c : columns) {
    const Channel& channel = motion.channels[c.channel];
    const std::string unit = unit_of(channel, c.column);
    if (!line.empty()) line += ",";
    line += csv_quoted(column_name(channel, c.column) + (unit.empty() ? "" : " [" + unit + "]"));
  }
  return line + "\n";
}

std::string line_of(const Motion& motion, std::span<const ColumnIndex> columns, std::size_t frame) {
  fmt::memory_buffer line;
  for (const ColumnIndex& c : columns) {
    if (line.size() > 0) line.push_back(',');
    const double x = motion.at(c.channel, frame)[c.column];
    if (std::isnan(x))
      line.append(std::string_view("nan"));
    else
      fmt::format_to(std::back_inserter(line), "{}", x);
  }
  line.push_back('\n');
  return fmt::to_string(line);
}

void write_csv(const Motion& motion, std::span<const ColumnIndex> columns, const TextSink& out) {
  out(heading(motion, columns));
  for (std::size_t f = 0; f < motion.frames; ++f) out(line_of(motion, columns, f));
}

// ---- items
std::string text_of(double x) { return std::isnan(x) ? std::string("nan") : fmt::format("{}", x); }

// The names of an item, "ball.body+floor"; and its line.
struct ItemText {
  std::string names, line;
};
ItemText text_of(const ItemList& list, std::span<const double> item) {
  ItemText text;
  std::size_t at = 0;
  for (const Channel& field : list.fields)
    for (std::size_t k = 0; k < field.columns.size(); ++k, ++at) {
      if (at > 0) text.line += ",";
      if (field.unit != unit_of_names) {
        text.line += text_of(item[at]);
        continue;
      }
      const std::string name = name_in(list, item[at]);
      text.names += (text.names.empty() ? "" : "+") + name;
      text.line += csv_quoted(name);
    }
  text.line += "\n";
  return text;
}

// The first column of a list is its time, and is called as that of channels is.
void write_csv_items(const MotionItems& items, const std::string& names, const TextSink& out) {
  std::string line;
  for (const Channel& field : items.list.fields)
    for (std::size_t k = 0; k < field.columns.size(); ++k) {
      const std::string name = field.name == "t" ? "time" : column_name(field, k);
      const bool bare = field.unit.empty() || field.unit == unit_of_names;
      line += (line.empty() ? "" : ",") + csv_quoted(bare ? name : name + " [" + unit_of(field, k) + "]");
    }
  out(line + "\n");
  for (std::size_t i = 0; i < items.count(); ++i)
    if (const ItemText text = text_of(items.list, items.at(i)); fits_channel(names, text.names)) out(text.line);
}

}  // namespace

extern const Exporter csv_exporter{"csv", "comma-separated values, one line per frame", write_csv, "time [s]",
                                   write_csv_items};

}  // namespace marey
