// JSON, keys in the order in which they were given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace marey::cli {

using Json = nlohmann::ordered_json;

// On one line unless indented. File names are bytes: what is not UTF-8 becomes a replacement character.
inline std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace marey::cli
