// Scripts of whole figures: measured or drawn motions (BVH files, tables of keyframes) that their joints follow.
#pragma once

#include <vector>

#include "marey/scene.h"
#include "scene/figures.h"

namespace marey {

struct ScriptedJoint {
  Constraint drive;
  Place at;
};
// Of all figures that have one. The joints of `start` are put where their scripts begin; what is noteworthy goes into `notes`.
std::vector<ScriptedJoint> read_scripts(const FiguresDraft&, const Model&, SceneFiles*, State& start,
                                        std::vector<std::string>& notes);

}  // namespace marey
