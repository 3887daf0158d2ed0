#include "scene/idle_keys.h"

#include <fmt/core.h>

#include <unordered_set>

#include "marey/core/text.h"
#include "marey/spec/units.h"

namespace marey {
namespace {

bool in_names(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// The words of all formulas within.
void gather_words(const Value& value, std::unordered_set<std::string>& words) {
  for (const ValuePtr& item : value.items) gather_words(*item, words);
  for (const ValueEntry& entry : value.entries)
    if (entry.key != "constants") gather_words(*entry.value, words);
  if (value.kind != Value::Kind::scalar) return;
  for (std::size_t i = 0; i < value.text.size();) {
    std::size_t end = i;
    while (end < value.text.size() && in_names(value.text[end])) ++end;
    if (end > i) words.insert(value.text.substr(i, end - i));
    i = end + 1;
  }
}

void look_at_constants(const Value& map, const Value& constants) {
  std::unordered_set<std::string> words;
  gather_words(map, words);
  for (const ValueEntry& constant : constants.entries)
    if (words.count(constant.key) == 0)
      remark(constant.key_at,
             fmt::format("the constant '{}' has no effect: no formula beside it reads it", constant.key));
}

void look_for_constants(const Value& value) {
  for (const ValuePtr& item : value.items) look_for_constants(*item);
  for (const ValueEntry& entry : value.entries) {
    if (entry.key == "constants" && entry.value->kind == Value::Kind::map) look_at_constants(value, *entry.value);
    look_for_constants(*entry.value);
  }
}

// Something in a list: a map with `from`, or with one such map by the name of its kind. That of free play is no time.
void look_at_times(const Value& entry, double duration) {
  for (const ValueEntry& e : entry.entries) {
    if (e.value->kind == Value::Kind::map && e.key != "free_play") look_at_times(*e.value, duration);
    if (e.key != "from" || e.value->kind != Value::Kind::scalar) continue;
    const QuantityReading from = read_quantity(e.value->text, kinds::time);
    if (from.problem.empty() && from.quantity.value >= duration)
      remark(e.key_at,
             fmt::format("what begins at {} never acts: the scene lasts {:.6g} s", printable(e.value->text), duration));
  }
}

}  // namespace

void remark_what_does_nothing(const Value& scene, double duration) {
  look_for_constants(scene);
  for (const char* list : {"torques", "forces", "constraints", "drives"})
    if (const ValueEntry* entry = scene.find(list))
      for (const ValuePtr& item : entry->value->items) look_at_times(*item, duration);
}

}  // namespace marey
