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
#include <vector>

namespace marey {

// A place in a file; lines and columns (in characters) count from 1.
struct Place {
  const std::string* file = nullptr;
  int line = 1, column = 1;
};
// Throws Error(bad_input) with "FILE:LINE:COLUMN: what".
[[noreturn]] void refuse(const Place&, const std::string& what);

struct YamlNode;
using YamlPtr = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  std::string key;
  Place key_at;
  YamlPtr value;  // never null
};

struct YamlNode {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  Place at;  // of a value left out: its key's
  std::string text;
  bool quoted = false;             // a scalar in quotes or in block style
  std::vector<YamlPtr> items;      // of a list
  std::vector<YamlEntry> entries;  // of a map, as written
  std::size_t size = 1;            // nodes in this tree, aliases written out
  int height = 1;                  // levels in this tree

  const YamlEntry* find(std::string_view key) const;
};

struct YamlDocument {
  std::unique_ptr<const std::string> file;  // what the places in the tree point to
  YamlPtr root;
};

inline constexpr int deepest = 32;
inline constexpr std::size_t most_nodes = 1'000'000;
inline constexpr std::size_t longest_key = 1024;                    // bytes; YAML's own limit
inline constexpr std::size_t largest_text = std::size_t{16} << 20;  // bytes

YamlDocument parse_yaml(std::string_view raw, const std::string& file);

// "a list of 3", "an empty map", "nothing", "'text'": what an error says it found.
std::string describe(const YamlNode&);

}  // namespace marey
