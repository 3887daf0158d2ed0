// The text under a YAML tree: is it text at all, and where is a byte of it?
#pragma once

#include <string>
#include <string_view>

#include "io/scene/yaml.h"

namespace marey {

// Refuses what is not text (NUL and other control characters, broken UTF-8, UTF-16), tabs that indent, and texts that
// are too long. Drops a byte order mark and the carriage returns before line ends.
std::string clean_text(std::string_view raw, const std::string* file);

// The position after the anchor and tag that may precede a value at `i`.
std::size_t skip_properties(std::string_view text, std::size_t i);
// Whether the quote at `i` has its partner.
bool quote_closes(std::string_view text, std::size_t i);

// Places of bytes, requested mostly in ascending order.
class PlaceFinder {
 public:
  PlaceFinder(std::string_view text, const std::string* file) : text_(text), file_(file) {}
  // `pos`, `line` and `column` count bytes and lines from 0.
  Place at(int pos, int line, int column);

 private:
  std::string_view text_;
  const std::string* file_;
  int line_ = -1, pos_ = 0, characters_ = 0;  // the last answer
};

}  // namespace marey
