// Tables of the keys that a map of a scene may have: readers refuse any others, and the JSON Schema, the reference and
// the random scenes of the tests are made from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "marey/spec/units.h"

namespace marey {

enum class Range { any, positive, not_negative };

struct KeyInfo {
  std::string key;
  // What the value looks like; alternatives are separated by " or ":
  //   lengths two, waypoints times and places,
  //   wholes one to three, faces lists of whole numbers, formula, formulas three, constants names to numbers, pairs of names, groups names to names,
  //   factors names to numbers or to maps of them
  //   amount a number with a unit of any kind, amounts two of them
  //   text, name, names, whole, flag, axis, rotation, rotations names to them   q:KIND a quantity   v:KIND three   m:KIND three by three
  //   axes two of them, coordinates names to angle or length, knots pairs of quantities   n:KIND a list of any length
  //   p:KIND a list of threes   t:KIND a time table   w:KIND one of threes   =a,b one of these words   @TABLE a map   {@TABLE} names to maps
  //   [@TABLE] a list. A quantity may have a range: q:stiffness>=0, q:time>0
  std::string form;
  std::string meaning;
  bool required = false;
};
struct KeyTable {
  std::string name;     // what errors call it
  std::string meaning;  // for the schema
  std::vector<KeyInfo> keys;
  struct OtherWord {
    std::string word, key;
  };
  std::vector<OtherWord> other_words = {};  // by which a key goes elsewhere: refused, with the key

  const KeyInfo* find(std::string_view key) const;
  std::vector<std::string> words() const;  // the keys alone
};

// What a form says about a quantity: "q:stiffness>=0" is a stiffness of zero or more, "q:time>0" a time above zero.
struct QuantityForm {
  const QuantityKind* kind = nullptr;
  Range range = Range::any;
};
// The first alternative of a form that begins with `letter` and a colon; no kind: there is none.
QuantityForm quantity_form(std::string_view form, char letter);
// "a or b" → a, b
std::vector<std::string> alternatives(std::string_view form);
// A form without its range.
std::string_view without_range(std::string_view form);

}  // namespace marey
