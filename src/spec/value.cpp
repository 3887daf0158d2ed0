#include "marey/spec/value.h"

#include <fmt/core.h>

#include "marey/core/text.h"

namespace marey {
namespace {

std::string with_place(const Place& at, const std::string& message) {
  return at.file == nullptr ? message : fmt::format("{}:{}:{}: {}", *at.file, at.line, at.column, message);
}

}  // namespace

PlacedError::PlacedError(const Place& at, const std::string& message)
    : Error(ErrorKind::bad_input, with_place(at, message)), at_(at) {}

void refuse(const Place& at, const std::string& what) { throw PlacedError(at, what); }

const ValueEntry* Value::find(std::string_view key) const {
  for (const ValueEntry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::nothing:
      return "nothing";
    case Value::Kind::list:
      return value.items.empty() ? "an empty list" : fmt::format("a list of {}", value.items.size());
    case Value::Kind::map:
      return value.entries.empty() ? "an empty map" : "a map";
    case Value::Kind::scalar:
      break;
  }
  return fmt::format("'{}'", printable(value.text));
}

}  // namespace marey
