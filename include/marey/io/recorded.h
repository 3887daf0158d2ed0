// What a motion keeps of its run beyond numbers: the scene, and what the summary said.
#pragma once

#include <optional>
#include <string>

#include "marey/io/motion.h"

namespace marey {

// Like parse_scene, but without checking that the scene can run, since it has run once. So a motion stays readable even
// when scenes are checked more strictly than when it was recorded.
Scene parse_recorded_scene(const std::string& text, const std::string& file_name, const SceneOverrides&);

// Whether the account was closed, and whether the solvers that --verify compared agreed; none where the summary does
// not say.
std::optional<bool> was_closed(const MotionInfo&);
std::optional<bool> solvers_agreed(const MotionInfo&);

}  // namespace marey
