// A strict reading of YAML into a tree whose every node knows its line and column.
//
// yaml-cpp reads the syntax; this layer refuses what yaml-cpp lets through and a scene must not contain:
// duplicate keys, quotes that never close, control characters, text that is not UTF-8, tabs as indentation, a
// second document, tags, keys that are not plain text or that YAML 1.1 reads as booleans, nesting beyond
// `deepest`, and more than `most_nodes` values (each use of an alias counts with all it stands for).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "marey/spec/value.h"

namespace marey {

struct YamlDocument {
  std::shared_ptr<const std::string> file;  // what the places in the tree point to
  ValuePtr root;
};

inline constexpr std::size_t longest_key = 1024;                    // bytes; YAML's own limit
inline constexpr std::size_t largest_text = std::size_t{16} << 20;  // bytes

YamlDocument parse_yaml(std::string_view raw, const std::string& file);

}  // namespace marey
