// Keyframes from comma-separated values.
#pragma once

#include <string>
#include <string_view>

#include "marey/scene/keyframes.h"

namespace marey {

// Throws Error(bad_input) with "FILE:LINE:COLUMN: found …; expected …".
KeyframeTable parse_keyframes(std::string_view text, const std::string& file);

}  // namespace marey
