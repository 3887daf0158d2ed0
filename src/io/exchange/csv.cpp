// Motions as comma-separated values (RFC 4180). Numbers are the shortest text that reads back as the number, −0 included; what is
// no number is nan, without a sign, and what is beyond all numbers is inf or -inf: the words that readers of tables know.
#include <fmt/format.h>

#include <cmath>

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

}  // namespace

extern const Exporter csv_exporter{"csv", "comma-separated values, one line per frame", write_csv, "time [s]"};

}  // namespace marey
