// Finding scenes: by file, or by the name of one that comes with the program.
#pragma once

#include <string>
#include <vector>

#include "marey/io/scene.h"

namespace marey::cli {

// The folder of the scenes that come with the program: $MAREY_GALLERY, or the folder `gallery` beside or above the
// program, or in the sources it was built from.
std::string gallery_folder();

// The file of a scene given by its path or by its name in the gallery. Throws Error with the nearest name.
std::string find_scene(const std::string& path_or_name);

// How the program is invoked from here, for hints that can be copied: "./marey" next to the front-door script.
std::string program_name();
// The same name, of a motion that is to be read; throws Error where it is that of a scene, or another is meant.
std::string find_motion(const std::string&);

// The folder of the program itself.
std::string program_folder();

}  // namespace marey::cli
