// What was done to a run from outside, out of its motion.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "marey/io/motion.h"
#include "marey/sim/input_items.h"

namespace marey {

using Json = nlohmann::ordered_json;

namespace {

// Motions of format 1 have them nowhere else.
std::vector<Input> inputs_in_summary(const MotionInfo& info) {
  std::vector<Input> inputs;
  if (info.summary.empty()) return inputs;
  try {
    const Json summary = Json::parse(info.summary);
    for (const Json& node : summary.value("inputs", Json::array())) {
      Input& input = inputs.emplace_back();
      const auto kind = node.at("kind").get<std::string>();
      while (name_of(input.kind) != kind && input.kind != Input::Kind::command)
        input.kind = static_cast<Input::Kind>(static_cast<int>(input.kind) + 1);
      if (name_of(input.kind) != kind)
        throw Error(ErrorKind::bad_input, fmt::format("{}: found an input of the unknown kind '{}'", info.file, kind));
      node.at("link").get_to(input.link), node.at("step").get_to(input.step), node.at("t_s").get_to(input.t);
      for (std::size_t k = 0; k < input.values.size(); ++k) {
        const Json& value = node.at("values").at(k);
        input.values[k] = value.is_null() ? forever : value.get<double>();  // JSON has no infinities
      }
    }
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: its summary is damaged: {}", info.file, e.what()));
  }
  return inputs;
}

std::vector<Input> inputs_in_items(const MotionInfo& info, const std::string& list) {
  const MotionItems items = read_items(info.file, list);
  std::vector<Input> inputs;
  try {
    for (std::size_t i = 0; i < items.count(); ++i) inputs.push_back(input_of_item(items.at(i)));
  } catch (const Error& e) {
    throw Error(ErrorKind::bad_input, fmt::format("'{}' is damaged: {}", info.file, e.what()));
  }
  return inputs;
}

}  // namespace

// A summary is there once a run has ended; before that there are the items, as far as they were written.
std::vector<Input> inputs_of(const MotionInfo& info) {
  const std::string list = input_list().name;
  const bool recorded = std::ranges::find(info.lists, list, &ItemList::name) != info.lists.end();
  return info.summary.empty() && recorded ? inputs_in_items(info, list) : inputs_in_summary(info);
}

}  // namespace marey
