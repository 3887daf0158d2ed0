// JSON, keys in the order in which they were given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace marey::cli {

using Json = nlohmann::ordered_json;

// −0, which is legal JSON, and puzzles whoever reads it.
inline Json without_minus_zero(Json json) {
  if (json.is_number_float() && json.get<double>() == 0) return 0.0;
  if (json.is_structured())
    for (Json& part : json) part = without_minus_zero(std::move(part));
  return json;
}

// On one line unless indented; what is no number is null. File names are bytes: what is not UTF-8 becomes a replacement
// character.
inline std::string text_of(const Json& json, int indent = -1) {
  return without_minus_zero(json).dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace marey::cli
