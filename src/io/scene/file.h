// Files of scenes: their names.
#pragma once

#include <string>

namespace marey {

// "gallery/finger-tap.yaml" → "finger-tap"
std::string file_stem(const std::string& file);

}  // namespace marey
