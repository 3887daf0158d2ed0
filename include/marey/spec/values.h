// What values of a scene mean: maps with known keys, numbers with units, vectors, rotations, words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "marey/spatial.h"
#include "marey/spec/keys.h"
#include "marey/spec/units.h"
#include "marey/spec/value.h"

namespace marey {

// Writes values over a part of a list, such as a joint's part of q.
inline void put(std::vector<double>& into, int at, std::initializer_list<double> values) {
  std::copy(values.begin(), values.end(), into.begin() + at);
}

// A map whose keys are those of a table. Keys are read by name; those that nobody has read by the end are refused.
class MapReader {
 public:
  // Refuses what is not a map, keys that the table does not have, and required keys that are missing.
  // Errors call it by its table, or as `called` says. The table outlives the reader.
  MapReader(const Value& node, const KeyTable& table, const std::string& called = {});
  // Remarks on keys that nobody has read, unless done() has looked at them.
  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  const Value* get(std::string_view key);  // the value, or nullptr
  const Value& need(std::string_view key);
  bool has(std::string_view key) const { return node_.find(key) != nullptr; }
  const Value& node() const { return node_; }

  std::string text_or(std::string_view key, const std::string& usual);
  // ---- quantities, of the kind and in the range that the table says
  double number(std::string_view key);  // needed
  std::optional<double> number_if(std::string_view key);
  double number_or(std::string_view key, double usual) { return number_if(key).value_or(usual); }
  Vec3<double> vector(std::string_view key);  // needed
  std::optional<Vec3<double>> vector_if(std::string_view key);
  Vec3<double> vector_or(std::string_view key, const Vec3<double>& usual = {}) {
    return vector_if(key).value_or(usual);
  }

  // Where the entry (of a list of forces, say) begins whose body this map is; for any other map, where the map itself
  // begins.
  const Place& entry_at() const { return entry_at_; }
  void belongs_to(const Value& entry) { entry_at_ = entry.at; }
  // The place of a key that is present.
  const Place& key_place(std::string_view key) const { return node_.find(key)->key_at; }
  // Whichever one of these keys is present; empty for none; refuses more than one.
  std::string one_of(const std::vector<std::string>& keys) const;
  // Refuses keys that nobody has read; `here` says where they are useless: "on a ball joint".
  void done(const std::string& here);

 private:
  [[noreturn]] void refuse_key(const ValueEntry&) const;

  const Value& node_;
  const KeyTable& table_;
  const std::string called_;
  Place entry_at_;
  std::vector<bool> asked_;  // by entry of the node
  bool done_ = false;
  int exceptions_;  // under way when it began
};

double read_number(const Value&, const QuantityKind&, Range = Range::any);
long read_whole(const Value&, long least, long most);
bool read_flag(const Value&);
std::string read_text(const Value&);
// The index of the word.
std::size_t read_choice(const Value&, const std::vector<std::string>& words);

Vec3<double> read_vector(const Value&, const QuantityKind&, Range = Range::any);
Sym3<double> read_symmetric(const Value&, const QuantityKind&);
Vec3<double> read_axis(const Value&);  // unit
Quaternion<double> read_rotation(const Value&);

const KeyTable& rotation_keys();

// Refuses a list of another length.
void check_count(const Value&, std::size_t n, const std::string& expected);
// Refuses the value, saying what it is: "found …; expected …".
[[noreturn]] void refuse_value(const Value&, const std::string& expected);
// " did you mean 'word'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace marey
