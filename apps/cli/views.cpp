#include "views.h"

#include <fmt/format.h>

#include <filesystem>

#include "marey/io/scene.h"

namespace marey::cli {

std::string default_view(const std::string& motion, const std::string& ending) {
  return std::filesystem::path(motion).replace_extension(ending).string();
}

double time_or(const std::string& text, const std::string& option, double fallback) {
  return text.empty() ? fallback : time_from(text, option);
}

void check_span(const std::string& from, const std::string& to) {
  if (from.empty() || to.empty() || time_from(from, "--from") <= time_from(to, "--to")) return;
  throw Error(ErrorKind::bad_input, fmt::format("--to: found '{}'; expected a time after --from, '{}'", to, from));
}

}  // namespace marey::cli
