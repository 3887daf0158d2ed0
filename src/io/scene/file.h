// Files of scenes: reading them whole or in part, and their names.
#pragma once

#include <string>

namespace marey {

// The first bytes of a file, at most `most`; Error(file_trouble) when it cannot be read.
std::string read_scene_file(const std::string& file, std::size_t most);
// "gallery/finger-tap.yaml" → "finger-tap"
std::string file_stem(const std::string& file);

}  // namespace marey
