// Where the joints of a scene are at the start.
#pragma once

#include "marey/model.h"
#include "marey/spec/value.h"

namespace marey {

// `names`: the names of the joint's coordinates.
void read_joint_start(const Value&, const LinkTopology&, const std::vector<JointCoordinate>& names, State&);

}  // namespace marey
