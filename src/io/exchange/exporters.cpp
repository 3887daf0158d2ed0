// The formats in which motions can be written, one line each.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "marey/core/text.h"
#include "marey/io/animation.h"
#include "marey/io/motion.h"

namespace marey {

#define MAREY_EXPORTERS(X) X(csv)

#define MAREY_DECLARE(name) extern const Exporter name##_exporter;
MAREY_EXPORTERS(MAREY_DECLARE)
#undef MAREY_DECLARE

std::span<const Exporter* const> exporters() {
#define MAREY_ADDRESS(name) &name##_exporter,
  static const std::array all{MAREY_EXPORTERS(MAREY_ADDRESS)};
#undef MAREY_ADDRESS
  return all;
}

const Exporter& exporter_for(const std::string& format, const std::string& output) {
  const std::string ending = output == "-" ? "" : std::filesystem::path(output).extension().string();
  std::vector<std::string> names;
  for (const Exporter* e : exporters()) {
    if (format.empty() ? ending == std::string(".") + e->format : format == e->format) return *e;
    names.emplace_back(e->format);
  }
  if (format.empty() && ending.empty()) return *exporters().front();
  for (const AnimationFormat* f : animation_formats()) names.emplace_back(f->name);
  if (format.empty())
    throw Error(
        ErrorKind::bad_input,
        fmt::format(
            "found the extension '{}' of the output, which no format has; expected .{}, or the format said by --format",
            printable(ending), fmt::join(names, ", .")));
  throw Error(ErrorKind::bad_input, fmt::format("--format: found '{}'; expected {}", printable(format), either(names)));
}

}  // namespace marey
