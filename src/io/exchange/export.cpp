// Motions as comma-separated values.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

namespace {

// Gathers text and writes it in large pieces.
class Output {
 public:
  explicit Output(DiskFile& file) : file_(file) {}
  void add(const std::string& text) {
    buffer_ += text;
    if (buffer_.size() >= std::size_t{1} << 20) flush();
  }
  void flush() {
    file_.append(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

 private:
  DiskFile& file_;
  std::string buffer_;
};

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) (c == '"' ? out += "\"\"" : out += c);
  return out + "\"";
}

using Columns = std::vector<ColumnIndex>;

std::string heading(const Motion& motion, const Columns& columns) {
  std::string line;
  for (const ColumnIndex& c : columns) {
    const Channel& channel = motion.channels[c.channel];
    const std::string unit = unit_of(channel, c.column);
    if (!line.empty()) line += ",";
    line += csv_quoted(column_name(channel, c.column) + (unit.empty() ? "" : " [" + unit + "]"));
  }
  return line + "\n";
}

std::string line_of(const Motion& motion, const Columns& columns, std::size_t frame) {
  fmt::memory_buffer line;
  for (const ColumnIndex& c : columns) {
    if (line.size() > 0) line.push_back(',');
    // the shortest text that reads back as the number
    fmt::format_to(std::back_inserter(line), "{}", motion.at(c.channel, frame)[c.column]);
  }
  line.push_back('\n');
  return fmt::to_string(line);
}

void write_lines(const Motion& motion, const Columns& columns, DiskFile& file) {
  Output output(file);
  output.add(heading(motion, columns));
  for (std::size_t f = 0; f < motion.frames; ++f) output.add(line_of(motion, columns, f));
  output.flush();
}

// Time first, whatever was chosen.
Columns chosen(const Motion& motion, std::span<const std::string> patterns) {
  const std::string everything = "*";
  Columns columns = select_columns(motion, patterns.empty() ? std::span(&everything, 1) : patterns);
  if (columns.front().channel != 0) columns.insert(columns.begin(), {0, 0});
  return columns;
}

// Before anything is read or computed.
void check_table_name(const std::string& csv_file, Existing existing) {
  if (csv_file == "-") return;
  check_output_name(csv_file);
  if (existing == Existing::refuse && exists(csv_file))
    throw Error(ErrorKind::file_trouble,
                fmt::format("'{}' already exists. Choose another name with -o or replace it with --force", csv_file));
  if (looks_like_hdf5(csv_file))
    throw Error(ErrorKind::file_trouble,
                fmt::format("'{}' is a motion, and is not replaced by a table. Choose another name with -o", csv_file));
}

void write_table(const Motion& motion, const Columns& columns, const std::string& csv_file, Existing existing) {
  if (csv_file == "-") {
    DiskFile screen(::dup(STDOUT_FILENO), "standard output");
    write_lines(motion, columns, screen);
    return;
  }
  DiskFile file = open_unfinished(csv_file);
  try {
    file.resize(0);
    write_lines(motion, columns, file);
    file.rename_to(csv_file, existing == Existing::refuse);
  } catch (...) {
    if (file.name() != csv_file) ::unlink(file.name().c_str());
    throw;
  }
}

}  // namespace

void export_csv(const std::string& motion_file, const std::string& csv_file, std::span<const std::string> patterns,
                Existing existing) {
  check_table_name(csv_file, existing);
  const Motion motion = patterns.empty() ? read_motion(motion_file) : read_motion(motion_file, patterns);
  write_table(motion, chosen(motion, patterns), csv_file, existing);
}

void export_csv(const std::function<Motion()>& make, const std::string& csv_file, std::span<const std::string> patterns,
                Existing existing) {
  check_table_name(csv_file, existing);
  const Motion motion = make();
  write_table(motion, chosen(motion, patterns), csv_file, existing);
}

extern const Exporter csv_exporter{"csv", "comma-separated values, one line per frame", [](const ExportRequest& r) {
                                     export_csv(r.motion_file, r.output, r.channels, r.existing);
                                   }};

}  // namespace marey
