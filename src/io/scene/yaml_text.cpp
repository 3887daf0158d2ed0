#include "io/scene/yaml_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/core/text.h"

namespace marey {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void check_encoding(std::string_view raw, const Place& start) {
  if (raw.size() > largest_text)
    refuse(start, fmt::format("found {} bytes; expected at most {} MiB", raw.size(), largest_text >> 20));
  if (raw.substr(0, 2) == "\xFF\xFE" || raw.substr(0, 2) == "\xFE\xFF") refuse(start, "found UTF-16; expected UTF-8");
}

}  // namespace

std::string clean_text(std::string_view raw, const std::string* file) {
  Place at{file, 1, 1};
  check_encoding(raw, at);
  if (raw.substr(0, 3) == "\xEF\xBB\xBF") raw.remove_prefix(3);
  std::string text;
  text.reserve(raw.size() + 1);
  bool indenting = true;
  for (std::size_t i = 0; i < raw.size();) {
    const char c = raw[i];
    if (c == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') {
      ++i;
      continue;
    }
    const std::size_t n = utf8_length(raw, i);
    if (n == 0)
      refuse(at,
             fmt::format("found the byte \\x{:02x}, which is not UTF-8; expected text", static_cast<unsigned char>(c)));
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
      refuse(at, fmt::format("found the control character \\x{:02x}; expected text", static_cast<unsigned char>(c)));
    if (c == '\t' && indenting) refuse(at, "found a tab in the indentation; expected spaces");
    text.append(raw.substr(i, n));
    i += n;
    if (c == '\n') {
      ++at.line, at.column = 1, indenting = true;
    } else {
      ++at.column, indenting = indenting && c == ' ';
    }
  }
  return text;
}

std::size_t skip_properties(std::string_view text, std::size_t i) {
  while (i < text.size() && (text[i] == '&' || text[i] == '!')) {
    while (i < text.size() && text[i] != ' ' && text[i] != '\n') ++i;
    while (i < text.size() && (text[i] == ' ' || text[i] == '\n')) ++i;
  }
  return i;
}

bool quote_closes(std::string_view text, std::size_t i) {
  const char quote = text[i];
  for (++i; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != '\'') return true;
      ++i;
    }
  }
  return false;
}

Place PlaceFinder::at(int pos, int line, int column) {
  const int end = std::clamp(pos, 0, static_cast<int>(text_.size()));
  if (line != line_ || pos < pos_) line_ = line, pos_ = std::max(pos - column, 0), characters_ = 0;
  for (; pos_ < end; ++pos_)
    if (!continues(text_[static_cast<std::size_t>(pos_)])) ++characters_;
  return {file_, line + 1, characters_ + 1};
}

}  // namespace marey
