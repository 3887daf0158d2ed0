// Humans of a scene: a person's key/value map becomes the links of a figure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "marey/spec/values.h"

namespace marey {

struct HumanDraft {
  ValuePtr links;                                       // as a figure's `links` would be written
  std::map<std::string, std::vector<ValuePtr>> limits;  // by link: bodies of free_play without the joint
  std::string provenance;
};
// `links`: what the figure says of its links besides, or null.
HumanDraft read_person(const Value& human, const Value* links);

}  // namespace marey
