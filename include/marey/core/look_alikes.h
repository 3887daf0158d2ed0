// Characters that look like those a scene is written with, or like nothing at all, and are others: word processors, web pages and
// papers put them in, and nobody sees which of two minus signs stands in a file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace marey {

struct LookAlike {
  std::size_t at = 0;      // in characters, from 0
  std::string code, name;  // "U+2212", "minus sign"
  std::string instead;     // what is to be written; empty: nothing
  std::string shown;       // as it is; empty for what cannot be seen
};
// The first one in a text.
std::optional<LookAlike> find_look_alike(std::string_view text);

// "its character 1, '−', is U+2212 (minus sign): write '-'"; empty where there is none.
std::string look_alike_in(std::string_view text);
// What an error says it found: "'text'", and what is wrong with its characters, in brackets.
std::string found_text(std::string_view text);

}  // namespace marey
