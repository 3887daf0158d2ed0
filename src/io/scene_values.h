// Values of a scene: maps with known keys, numbers with units, vectors, rotations, words, time tables.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "io/scene_keys.h"
#include "io/units.h"
#include "io/yaml.h"
#include "marey/force.h"
#include "marey/spatial.h"

namespace marey {

// Writes values over a stretch of a list, such as a joint's share of q.
inline void put(std::vector<double>& into, int at, std::initializer_list<double> values) {
  std::copy(values.begin(), values.end(), into.begin() + at);
}

// A map whose keys are those of a table. Keys are asked for; what nobody asked for by the end is refused.
class MapReader {
 public:
  // Refuses what is no map, keys the table has not, and required keys that are missing.
  // Errors call it by its table, or as `called` says.
  MapReader(const YamlNode& node, std::string_view table, std::string called = {});

  const YamlNode* get(std::string_view key);  // the value, or nullptr
  const YamlNode& need(std::string_view key);
  bool has(std::string_view key) const { return node_.find(key) != nullptr; }
  const YamlNode& node() const { return node_; }
  // Where a key stands that is there.
  const Place& key_place(std::string_view key) const { return node_.find(key)->key_at; }
  // The one key of these that is there; empty for none; refuses more than one.
  std::string one_of(std::initializer_list<const char*> keys) const;
  // Refuses keys that nobody asked for; `here` says what they are useless for: "on a ball joint".
  void done(const std::string& here) const;

 private:
  [[noreturn]] void refuse_key(const YamlEntry&) const;

  const YamlNode& node_;
  const KeyTable& table_;
  const std::string called_;
  std::vector<bool> asked_;  // by entry of the node
};

enum class Range { any, positive, not_negative };

double read_number(const YamlNode&, const QuantityKind&, Range = Range::any);
long read_whole(const YamlNode&, long least, long most);
bool read_flag(const YamlNode&);
std::string read_text(const YamlNode&);
// The index of the word.
std::size_t read_choice(const YamlNode&, const std::vector<std::string>& words);

Vec3<double> read_vector(const YamlNode&, const QuantityKind&, Range = Range::any);
Sym3<double> read_symmetric(const YamlNode&, const QuantityKind&);
Vec3<double> read_axis(const YamlNode&);  // unit
Quaternion<double> read_rotation(const YamlNode&);
TimeTable read_table(const YamlNode&, const QuantityKind&, Range = Range::any);

// Refuses the node with what it is: "found …; expected …".
[[noreturn]] void refuse_value(const YamlNode&, const std::string& expected);
// " did you mean 'word'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace marey
