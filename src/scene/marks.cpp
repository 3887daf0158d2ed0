#include "marey/scene/marks.h"

#include <fmt/format.h>

#include <algorithm>

#include "marey/spec/values.h"

namespace marey {
namespace {

bool same(const Place& a, const Place& b) { return a.file == b.file && a.line == b.line && a.column == b.column; }

// The kind of which both are: the first of that dimension. A bare number is of any.
const QuantityKind* kind_of(const Value& low, const Value& high) {
  for (const QuantityKind* kind : kinds::all)
    if (read_quantity(low.text, *kind).problem.empty() && read_quantity(high.text, *kind).problem.empty()) return kind;
  return nullptr;
}

SearchMark read_mark(const Value& node, const std::string& path) {
  MapReader map(node, mark_keys());
  const Value& bounds = map.need("search");
  check_count(bounds, 2, "two numbers between which to search: [low, high]");
  const Value &low = *bounds.items[0], &high = *bounds.items[1];
  for (const Value* bound : {&low, &high})
    if (bound->kind != Value::Kind::scalar) refuse_value(*bound, "a number, such as 2 m/s");
  const QuantityKind* kind = kind_of(low, high);
  if (kind == nullptr)
    refuse(bounds.at, fmt::format("found {} and {}; expected two numbers of one kind between which to search",
                                  describe(low), describe(high)));
  const double from = read_number(low, *kind), to = read_number(high, *kind);
  if (!(from < to))
    refuse(bounds.at, fmt::format("found {} to {} to search between; expected the lower number first, and another one "
                                  "behind it",
                                  low.text, high.text));
  SearchMark mark{node.at, path, 0, 0, {}, {}};
  for (const Value* bound : {&high, &low})
    if (const std::string unit = read_quantity(bound->text, *kind).quantity.unit; !unit.empty()) mark.unit = unit;
  const double one = mark.unit.empty() ? 1 : read_quantity("1 " + mark.unit, *kind).quantity.value;
  mark.low = from / one, mark.high = to / one;
  if (const Value* found = map.get("found")) {
    const double x = read_number(*found, *kind);
    if (!(x >= from && x <= to))
      refuse_value(*found, fmt::format("a number between {} and {}, where it was searched for", low.text, high.text));
    mark.found = x / one;
  }
  return mark;
}

void gather(const Value& value, const std::string& path, bool wanted, std::vector<SearchMark>& all) {
  if (is_search_mark(value)) {
    if (wanted)
      refuse(value.at,
             "found a number to be searched for in what is wanted; expected it where it makes a difference "
             "to the motion");
    if (std::ranges::none_of(all, [&](const SearchMark& m) { return same(m.at, value.at); }))
      all.push_back(read_mark(value, path));
    return;
  }
  const std::string before = path.empty() ? "" : path + "/";
  for (const ValueEntry& entry : value.entries)
    gather(*entry.value, before + entry.key, wanted || (path.empty() && entry.key == "want"), all);
  for (std::size_t i = 0; i < value.items.size(); ++i)
    gather(*value.items[i], fmt::format("{}{}", before, i), wanted, all);
}

bool has_marks(const Value& value) {
  if (is_search_mark(value)) return true;
  return std::ranges::any_of(value.entries, [](const ValueEntry& e) { return has_marks(*e.value); }) ||
         std::ranges::any_of(value.items, [](const ValuePtr& i) { return has_marks(*i); });
}

template <class NumberOf>
ValuePtr replaced(const ValuePtr& value, const NumberOf& number_of) {
  if (!has_marks(*value)) return value;
  Value out = *value;
  if (is_search_mark(*value)) {
    out = Value(number_of(*value));
    out.at = value->at;
  }
  for (ValueEntry& entry : out.entries) entry.value = replaced(entry.value, number_of);
  for (ValuePtr& item : out.items) item = replaced(item, number_of);
  return std::make_shared<const Value>(std::move(out));
}

}  // namespace

const KeyTable& mark_keys() {
  static const KeyTable table{
      "mark",
      "Where a number may stand: one that `marey search` is to find so that what the scene wants comes true.",
      {{"search", "amounts", "between which two it lies; the first is the lower one", true},
       {"found", "amount", "what was found, or where to begin; with it the scene can be run"}}};
  return table;
}

// A list under `search`, of numbers or with nothing but what has been found beside it: names may be called search, too.
bool is_search_mark(const Value& value) {
  const ValueEntry* search = value.find("search");
  if (search == nullptr || search->value->kind != Value::Kind::list) return false;
  const auto begins_as_number = [](const ValuePtr& item) {
    return item->kind == Value::Kind::scalar && item->text.find_first_of("0123456789") <= 2;
  };
  return std::ranges::all_of(value.entries,
                             [](const ValueEntry& e) { return e.key == "search" || e.key == "found"; }) ||
         std::ranges::all_of(search->value->items, begins_as_number);
}

std::vector<SearchMark> search_marks(const Value& root) {
  std::vector<SearchMark> all;
  gather(root, "", false, all);
  return all;
}

std::string with_unit(double x, const SearchMark& mark) {
  return mark.unit.empty() ? fmt::format("{}", x) : fmt::format("{} {}", x, mark.unit);
}

ValuePtr without_marks(const ValuePtr& root, std::span<const SearchMark> marks, std::span<const std::string> numbers) {
  return replaced(root, [&](const Value& mark) {
    const auto at = std::ranges::find_if(marks, [&](const SearchMark& m) { return same(m.at, mark.at); });
    return numbers[static_cast<std::size_t>(at - marks.begin())];
  });
}

ValuePtr without_found_marks(const ValuePtr& root) {
  if (!has_marks(*root)) return root;
  for (const SearchMark& mark : search_marks(*root))
    if (!mark.found)
      refuse(mark.at,
             fmt::format("found a number to be searched for, between {} and {}; expected one that has been found: "
                         "'marey search' finds it, and writes a scene that can be run",
                         with_unit(mark.low, mark), with_unit(mark.high, mark)));
  return replaced(root, [](const Value& mark) { return mark.find("found")->value->text; });
}

}  // namespace marey
