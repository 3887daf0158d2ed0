#include "marey/spec/keys.h"

#include <algorithm>
#include <stdexcept>

namespace marey {

const KeyInfo* KeyTable::find(std::string_view key) const {
  for (const KeyInfo& info : keys)
    if (key == info.key) return &info;
  return nullptr;
}

std::vector<std::string> KeyTable::words() const {
  std::vector<std::string> out;
  for (const KeyInfo& info : keys) out.push_back(info.key);
  return out;
}

std::vector<std::string> alternatives(std::string_view form) {
  constexpr std::string_view by = " or ";
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= form.size();) {
    const std::size_t end = std::min(form.find(by, begin), form.size());
    parts.emplace_back(form.substr(begin, end - begin));
    begin = end + by.size();
  }
  return parts;
}

std::string_view without_range(std::string_view form) { return form.substr(0, form.find('>')); }

QuantityForm quantity_form(std::string_view form, char letter) {
  for (const std::string& part : alternatives(form)) {
    if (part.size() < 2 || part[0] != letter || part[1] != ':') continue;
    const std::string_view whole = part, name = without_range(whole).substr(2), range = whole.substr(name.size() + 2);
    for (const QuantityKind* kind : kinds::all)
      if (name == kind->key)
        return {kind, range == ">0" ? Range::positive : range == ">=0" ? Range::not_negative : Range::any};
    throw std::logic_error("no such kind of quantity: " + part);
  }
  return {};
}

}  // namespace marey
