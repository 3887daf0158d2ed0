// Links of a scene by name.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "marey/model.h"
#include "marey/spec/value.h"

namespace marey {

// "figure-*.link": * is any letters, or none.
bool is_name_pattern(std::string_view word);
bool name_matches(std::string_view pattern, std::string_view name);

class LinkNames {
 public:
  explicit LinkNames(const Model&);

  int at(const std::string& name) const { return index_.at(name); }
  int find(const Value&) const;  // figure.link
  // figure.link, several in a list, figure.* for all, figure-*.link for one of each; those that `fits` accepts.
  std::vector<int> find_all(const Value&, bool (*fits)(JointType)) const;
  std::vector<int> find_moving(const Value&) const;  // of patterns, all that are not welded to the world

 private:
  const Model& model_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace marey
