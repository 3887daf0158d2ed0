#include "render/names.h"

#include <algorithm>
#include <cstdio>

#include "marey/core/text.h"

namespace marey::render {
namespace {

bool ends_with_part(const std::string& name, const std::string& word) {
  if (name.size() <= word.size() || name.compare(name.size() - word.size(), word.size(), word) != 0) return false;
  const char before = name[name.size() - word.size() - 1];
  return before == '.' || before == '/';
}

}  // namespace

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const auto part = std::find_if(names.begin(), names.end(), [&](const auto& n) { return ends_with_part(n, word); });
  const std::string near = part != names.end() ? *part : closest(word, names);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string short_length(double metres) {
  if (metres < 0.00999) return short_number(1000 * metres) + " mm";
  if (metres < 0.999) return short_number(100 * metres) + " cm";
  if (metres < 999) return short_number(metres) + " m";
  return short_number(metres / 1000) + " km";
}

}  // namespace marey::render
