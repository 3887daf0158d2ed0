// The bytes of meshes, and what is made of them.
#pragma once

#include <string>

#include "marey/io/mesh.h"

namespace marey {

std::string read_mesh_bytes(const std::string& file);
// A file in the folder of `file` or below it, by a name that has been checked for tricks; links do not lead out of it
// either.
std::string read_beside(const std::string& file, const std::string& name);
// By the extension of the file's name, which errors speak of.
Polygons polygons_of_bytes(const std::string& file, const std::string& bytes, double unit, const FileBeside&);

}  // namespace marey
