#include "views.h"

#include <filesystem>

#include "marey/io/scene.h"

namespace marey::cli {

std::string default_view(const std::string& motion, const std::string& ending) {
  return std::filesystem::path(motion).replace_extension(ending).string();
}

double time_or(const std::string& text, const std::string& option, double fallback) {
  return text.empty() ? fallback : time_from(text, option);
}

}  // namespace marey::cli
