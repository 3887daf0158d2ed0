// BVH files: text to BvhMotion and back.
#pragma once

#include <string>
#include <string_view>

#include "marey/scene/bvh.h"

namespace marey {

// Throws Error(bad_input) with "FILE:LINE:COLUMN: found …; expected …".
BvhMotion parse_bvh(std::string_view text, const std::string& file);
std::string text_of(const BvhMotion&);

}  // namespace marey
