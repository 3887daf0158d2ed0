#include "marey/force/link_names.h"

#include <fmt/core.h>

#include <string_view>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/spec/values.h"

namespace marey {

bool is_name_pattern(std::string_view word) { return word.find('*') != std::string_view::npos; }

// * is any letters, or none. What follows the last * has to be at the end; what stands between two is best found first.
bool name_matches(std::string_view pattern, std::string_view name) {
  const std::size_t first = pattern.find('*'), last = pattern.rfind('*');
  const std::string_view head = pattern.substr(0, first), tail = pattern.substr(last + 1);
  if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return false;
  name = name.substr(head.size(), name.size() - head.size() - tail.size());
  for (std::size_t at = first; at < last;) {
    const std::size_t next = pattern.find('*', at + 1);
    const std::string_view piece = pattern.substr(at + 1, next - at - 1);
    const std::size_t found = name.find(piece);
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + piece.size());
    at = next;
  }
  return true;
}

namespace {

// A figure with copies has none of its own name: "goose.*" is to be "goose-*.*", and "goose.body" "goose-1.body". Empty: no such figure.
std::string among_copies(std::string_view word, std::span<const std::string> names) {
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string figure = std::string(word.substr(0, dot)) + "-";
  for (const std::string& name : names) {
    if (!name.starts_with(figure) || name.size() == figure.size() || name[figure.size()] < '1' ||
        name[figure.size()] > '9')
      continue;
    if (is_name_pattern(word)) return figure + "*" + std::string(word.substr(dot));
    if (name.ends_with(word.substr(dot))) return name;
  }
  return {};
}

}  // namespace

LinkNames::LinkNames(const Model& model) : model_(model) {
  for (int i = 1; i < model.nlink(); ++i) index_[model.names[static_cast<std::size_t>(i)]] = i;
}

int LinkNames::find(const Value& node) const {
  constexpr std::size_t most_named = 8;
  if (node.kind != Value::Kind::scalar) refuse_value(node, "one link: figure.link");
  const std::string word = read_text(node);
  if (const auto found = index_.find(word); found != index_.end()) return found->second;
  // A link name without a figure most likely means the one figure that has such a link.
  std::vector<std::string> names(model_.names.begin() + 1, model_.names.end());
  std::string hint = did_you_mean(word, names);
  for (const std::string& name : names)
    if (name.ends_with("." + word)) hint = " did you mean '" + name + "'?";
  if (const std::string copy = among_copies(word, names); !copy.empty()) hint = " did you mean '" + copy + "'?";
  const std::string expected =
      hint.empty() && names.size() <= most_named ? "figure.link: " + either(names) : std::string("figure.link");
  refuse(culprit_place(node),
         fmt::format("found the unknown link {};{} expected {}", found_text(word), hint, expected));
}

std::vector<int> LinkNames::find_all(const Value& node, bool (*fits)(JointType)) const {
  std::vector<int> links;
  if (node.kind == Value::Kind::list) {
    for (const ValuePtr& item : node.items)
      for (const int link : find_all(*item, fits)) links.push_back(link);
    if (links.empty()) refuse_value(node, "at least one joint");
    return links;
  }
  const std::string word = read_text(node);
  if (!is_name_pattern(word)) return {find(node)};
  for (int i = 1; i < model_.nlink(); ++i)
    if (name_matches(word, model_.names[static_cast<std::size_t>(i)]) &&
        fits(model_.links[static_cast<std::size_t>(i)].joint))
      links.push_back(i);
  if (links.empty()) {
    const std::string copies = among_copies(word, model_.names);
    refuse(culprit_place(node), fmt::format("found {};{} expected a figure with such joints", describe(node),
                                            copies.empty() ? copies : " did you mean '" + copies + "'?"));
  }
  return links;
}

std::vector<int> LinkNames::find_moving(const Value& node) const {
  std::vector<int> links = find_all(node, [](JointType) { return true; });
  const bool named = node.kind == Value::Kind::scalar && !is_name_pattern(node.text);
  if (!named)
    std::erase_if(links, [&](int i) {
      const LinkTopology& link = model_.links[static_cast<std::size_t>(i)];
      return link.joint == JointType::weld && link.parent == 0;
    });
  if (links.empty()) refuse_value(node, "links of which at least one is not fixed to the world");
  std::vector<bool> seen(model_.links.size());
  for (const int i : links) {
    if (seen[static_cast<std::size_t>(i)]) refuse_value(node, "each link once");
    seen[static_cast<std::size_t>(i)] = true;
  }
  return links;
}

}  // namespace marey
