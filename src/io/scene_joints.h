// Joints of a scene: their type, axes and functions, and where they are at the start.
#pragma once

#include "io/yaml.h"
#include "marey/model.h"

namespace marey {

const std::vector<std::string>& joint_names();  // as the enumerators stand
void read_joint(const YamlNode&, LinkSpec&);
// `names`: of the joint's coordinates.
void read_joint_start(const YamlNode&, const LinkTopology&, const std::vector<JointCoordinate>& names, State&);
// The coordinate that is meant, by its name or its number (from 1).
int read_coordinate(const YamlNode&, const std::vector<JointCoordinate>& names);

}  // namespace marey
