// Links of a scene by name, for elements that act on them.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "io/yaml.h"
#include "marey/model.h"

namespace marey {

class LinkNames {
 public:
  explicit LinkNames(const Model&);

  int at(const std::string& name) const { return index_.at(name); }
  int find(const YamlNode&) const;  // figure.link
  // figure.link, several in a list, figure.* for all; those that `fits` takes.
  std::vector<int> find_all(const YamlNode&, bool (*fits)(JointType)) const;
  std::vector<int> find_moving(const YamlNode&) const;  // of figure.*, all that are not welded to the world

 private:
  const Model& model_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace marey
