// Springs, attractions, drag, fields and moving frames of a scene.
#pragma once

#include <string>
#include <vector>

#include "io/scene_links.h"
#include "io/scene_values.h"
#include "marey/dynamics.h"
#include "marey/force.h"

namespace marey {

struct FieldDraft {
  std::string name;  // as the scene has it, or a usual one
  bool named = false;
  ElementKind kind;
};
// One entry of `forces`: what its key, spring, attraction, drag or field, holds. `start`: the links' places then.
std::vector<FieldDraft> read_field(const std::string& key, const YamlNode&, const LinkNames&, const Model&,
                                   const Kinematics<double>& start);
// The fictitious forces of a moving frame.
std::vector<FieldDraft> read_frame(const YamlNode&);

}  // namespace marey
