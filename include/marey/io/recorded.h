// What a motion keeps of its run beyond numbers: the scene, and what the summary said.
#pragma once

#include <optional>
#include <string>

#include "marey/io/motion.h"

namespace marey {

// As parse_scene; but what was run once is not asked again whether it can run. A motion so stays readable when scenes
// are looked at more strictly than in its day.
Scene parse_recorded_scene(const std::string& text, const std::string& file_name, const SceneOverrides&);

// Whether the account was closed, and whether the solvers that --verify compared agreed; none where the summary does
// not say.
std::optional<bool> was_closed(const MotionInfo&);
std::optional<bool> solvers_agreed(const MotionInfo&);

}  // namespace marey
