#include "marey/spec/value.h"

#include <fmt/core.h>

#include "marey/core/look_alikes.h"

namespace marey {
namespace {

thread_local Remarks* innermost = nullptr;

}  // namespace

std::string with_place(const Place& at, const std::string& message) {
  return at.file == nullptr ? message : fmt::format("{}:{}:{}: {}", *at.file, at.line, at.column, message);
}

Remarks::Remarks() : outer_(innermost) { innermost = this; }
Remarks::~Remarks() { innermost = outer_; }

void remark(const Place& at, const std::string& what) {
  if (innermost == nullptr) return;
  // The link of a chain is read more than once.
  for (const Remarks::Remark& r : innermost->all_)
    if (r.at.line == at.line && r.at.column == at.column && r.what == what) return;
  innermost->all_.push_back({at, what});
}

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
  return found_text(value.text);
}

Place culprit_place(const Value& value) {
  Place at = value.at;
  if (at.file == nullptr || value.kind != Value::Kind::scalar) return at;
  if (const std::optional<LookAlike> culprit = find_look_alike(value.text))
    at.column += static_cast<int>(culprit->at) + (value.quoted ? 1 : 0);
  return at;
}

}  // namespace marey
