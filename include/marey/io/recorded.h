// What a motion keeps of its run beyond numbers: the scene, and what the summary said.
#pragma once

#include <optional>
#include <string>

#include "marey/io/motion.h"

namespace marey {

// The scene within, to be run once more: with all checks, and the files that were kept with it.
Scene scene_to_repeat(const MotionInfo&, const SceneOverrides&);

// Whether the account was closed, and whether the solvers that --verify compared agreed; none where the summary does
// not say.
std::optional<bool> was_closed(const MotionInfo&);
std::optional<bool> solvers_agreed(const MotionInfo&);

}  // namespace marey
