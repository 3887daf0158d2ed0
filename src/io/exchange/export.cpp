// What every exporter is spared: names that may be written to, files that are put together beside their place and take it in one
// stroke, a full disk that is noticed. An exporter hands over text.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "io/exchange/output.h"
#include "marey/io/disk.h"
#include "marey/io/motion.h"

namespace marey {

namespace {

// Gathers text and writes it in large pieces.
class Output {
 public:
  explicit Output(DiskFile& file) : file_(file) {}
  void add(std::string_view text) {
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

using Columns = std::vector<ColumnIndex>;

void write_all(const Exporter& exporter, const Motion& motion, const Columns& columns, DiskFile& file) {
  Output output(file);
  exporter.write(motion, columns, [&](std::string_view text) { output.add(text); });
  output.flush();
}

// Time first, whatever was chosen.
Columns chosen(const Motion& motion, std::span<const std::string> patterns) {
  const std::string everything = "*";
  Columns columns = select_columns(motion, patterns.empty() ? std::span(&everything, 1) : patterns);
  if (columns.front().channel != 0) columns.insert(columns.begin(), {0, 0});
  return columns;
}

// Before anything is read or computed: the exporter that may write there.
const Exporter& exporter_to(const ExportRequest& r) {
  check_may_write(r.output, r.existing, "table");
  const Exporter& exporter = exporter_for(r.format, r.output);
  check_replaces_its_own(r.output, "table", std::string(".") + exporter.format, exporter.begins);
  return exporter;
}

// "touching/*ball*" is the list, and which of its items: those of two whose names, with a + between, fit.
void export_items(const std::string& motion_file, const Exporter& exporter, const ExportRequest& r) {
  if (exporter.write_items == nullptr)
    throw Error(ErrorKind::bad_input, fmt::format("found items for the format {}; expected csv", exporter.format));
  const std::size_t slash = std::min(r.items.find('/'), r.items.size());
  const MotionItems items = read_items(motion_file, r.items.substr(0, slash));
  const std::string names = slash < r.items.size() ? r.items.substr(slash + 1) : "*";
  write_whole_file(r.output, r.existing, [&](DiskFile& file) {
    Output output(file);
    exporter.write_items(items, names, [&](std::string_view text) { output.add(text); });
    output.flush();
  });
}

[[noreturn]] void refuse_to_replace(const std::string& name, const std::string& is, const std::string& what) {
  throw Error(ErrorKind::file_trouble,
              fmt::format("'{}' is {}, and is not replaced by a {}. Choose another name with -o", name, is, what));
}

}  // namespace

void check_may_write(const std::string& name, Existing existing, const std::string& what) {
  if (name == "-") return;
  check_output_name(name);
  if (exists(name) && existing == Existing::refuse)
    throw Error(ErrorKind::file_trouble,
                fmt::format("'{}' already exists. Choose another name with -o or replace it with --force", name));
  if (looks_like_hdf5(name)) refuse_to_replace(name, "a motion", what);
  if (looks_like_scene(name)) refuse_to_replace(name, "a scene", what);
}

void check_replaces_its_own(const std::string& name, const std::string& what, const std::string& extension,
                            const std::string& begins) {
  if (name == "-") return;
  const std::string start = start_of(name, 64);
  if (start.empty() || (begins.empty() ? name.ends_with(extension) : start.starts_with(begins))) return;
  refuse_to_replace(
      name,
      fmt::format("no earlier {} ({})", what,
                  begins.empty() ? "their names end with " + extension : "they begin with '" + begins + "'"),
      what);
}

void write_whole_file(const std::string& name, Existing existing, const std::function<void(DiskFile&)>& write_to) {
  if (name == "-") {
    DiskFile screen(::dup(STDOUT_FILENO), "standard output");
    write_to(screen);
    return;
  }
  DiskFile file = open_unfinished(name);
  try {
    file.resize(0);
    write_to(file);
    file.rename_to(name, existing == Existing::refuse);
  } catch (...) {
    if (file.name() != name) ::unlink(file.name().c_str());
    throw;
  }
}

void export_motion(const std::string& motion_file, const ExportRequest& r) {
  const Exporter& exporter = exporter_to(r);
  if (!r.items.empty()) return export_items(motion_file, exporter, r);
  const Motion motion = r.channels.empty() ? read_motion(motion_file) : read_motion(motion_file, r.channels);
  const Columns columns = chosen(motion, r.channels);
  write_whole_file(r.output, r.existing, [&](DiskFile& file) { write_all(exporter, motion, columns, file); });
}

void export_motion(const std::function<Motion()>& make, const ExportRequest& r) {
  const Exporter& exporter = exporter_to(r);
  const Motion motion = make();
  const Columns columns = chosen(motion, r.channels);
  write_whole_file(r.output, r.existing, [&](DiskFile& file) { write_all(exporter, motion, columns, file); });
}

void export_csv(const std::string& motion_file, const std::string& csv_file, std::span<const std::string> patterns,
                Existing existing) {
  export_motion(motion_file, {csv_file, "csv", {patterns.begin(), patterns.end()}, existing});
}
void export_csv(const std::function<Motion()>& make, const std::string& csv_file, std::span<const std::string> patterns,
                Existing existing) {
  export_motion(make, {csv_file, "csv", {patterns.begin(), patterns.end()}, existing});
}

}  // namespace marey
