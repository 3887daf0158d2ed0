// Numbers that a scene leaves open, to be searched for: {search: [low, high]} where a number may stand, with what has been found.
//
//   velocity: [{search: [1 m/s, 9 m/s]}, 0, {search: [0, 8 m/s], found: 4.2 m/s}]
//
// One that has been found is that number, and the scene can be run. A mark with an anchor may stand in several places by its aliases,
// which are one number then.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "marey/spec.h"
#include "marey/spec/keys.h"

namespace marey {

struct SearchMark {
  Place at;
  std::string path;          // "forces/0/push/force/2"
  double low = 0, high = 0;  // in `unit`
  std::string unit;          // as written; empty: SI
  std::optional<double> found;
};
const KeyTable& mark_keys();
bool is_search_mark(const Value&);
// All of them, in the order of the text, each once; throws Error(bad_input) for one that makes no sense.
std::vector<SearchMark> search_marks(const Value& root);
// A number of a mark as a scene writes it: "4.2 m/s".
std::string with_unit(double x, const SearchMark&);
// The same tree with numbers in the places of its marks: these, in the order of search_marks(), as texts.
ValuePtr without_marks(const ValuePtr& root, std::span<const SearchMark>, std::span<const std::string> numbers);
// With what has been found; refuses marks of which nothing has been found yet.
ValuePtr without_found_marks(const ValuePtr& root);

}  // namespace marey
