// What a scene says, before it is decided what it means: words and numbers with units as text, lists, maps.
// Layer: spec
//
//   marey::SceneSpec spec;
//   spec.set("duration", "2 s");
//   spec.set("figures/arm/links/upper", Value::map({{"joint", Value::map({{"type", "hinge"}, {"axis", "y"}})},
//                                                   {"shape", Value::map({{"sphere", "10 cm"}})},
//                                                   {"mass", "2 kg"}}));
//   spec.add("forces", Value::map({{"push", Value::map({{"link", "arm.upper"}, {"force", Value::list({0, 0, 3})}})}}));
//   marey::Scene scene = marey::build(spec);   // marey/scene.h
//
// A spec is read from a text or made in code; either way it can be changed, built, and written as a text that says
// the same. Errors are found when it is built, and reported with their place: file, line and column for an unchanged
// text, otherwise the path of the value, as in set().
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marey {

// A place in a file; lines and columns (in characters) are counted from 1. Without a file: the number of a value in a
// spec.
struct Place {
  const std::string* file = nullptr;
  int line = 1, column = 1;
};

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

struct ValueEntry {
  std::string key;
  Place key_at;
  ValuePtr value;  // never null
};

struct Value {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  Place at;  // for an omitted value: its key's
  std::string text;
  bool quoted = false;              // a scalar in quotes or in block style: a formula, where a number is also possible
  std::vector<ValuePtr> items;      // of a list
  std::vector<ValueEntry> entries;  // of a map, as written
  std::size_t size = 1;             // values in this tree, aliases written out
  int height = 1;                   // levels in this tree

  Value() = default;
  // NOLINTBEGIN(google-explicit-constructor): words and numbers are values as they are
  Value(std::string words);  // as they would be in a text: "2 s", "arm.upper", "x"; quoted if necessary
  Value(const char* words) : Value(std::string(words)) {}
  Value(double);
  Value(int);
  Value(bool);
  // NOLINTEND(google-explicit-constructor)
  static Value formula(std::string);  // in quotes: "2*sin(t)"
  static Value list(std::vector<Value>);
  static Value map(const std::vector<std::pair<std::string, Value>>&);

  const ValueEntry* find(std::string_view key) const;
};

class SceneSpec {
 public:
  SceneSpec();  // nothing but the version of the format
  // As read: places in the tree point to `file`.
  SceneSpec(ValuePtr root, std::shared_ptr<const std::string> file, std::string text);

  // ---- values by path: keys, and numbers of items, "forces/0/push/force"
  const Value* find(std::string_view path) const;  // nullptr: there is none
  // Puts a value there, replacing what there is; maps missing along the path are made.
  void set(std::string_view path, Value);
  // Appends to a list, which is made if it is missing.
  void add(std::string_view path, Value);
  void erase(std::string_view path);  // does nothing if there is no such value

  const Value& root() const { return *root_; }
  const ValuePtr& root_ptr() const { return root_; }
  const std::string& file() const { return *file_; }  // empty for one made in code
  // As it was read, unless it has been changed; then newly written.
  std::string text() const;
  // "forces/0/push": the path of the value or key to which this place, from an error, belongs. Empty if there is none.
  std::string path_of(const Place&) const;
  bool places_are_in_file() const { return !changed_; }
  // The same, with a number for every value and key as its place.
  SceneSpec numbered() const;

 private:
  void change_to(Value root);

  ValuePtr root_;
  std::shared_ptr<const std::string> file_;
  std::string text_;
  bool changed_ = false;
};

// A value as YAML that reads back as the same value.
std::string to_yaml(const Value&);

}  // namespace marey
