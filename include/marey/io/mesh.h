// Meshes from files: OBJ, STL (as text or binary) and glTF 2.0 (.gltf with its buffers beside it or within, .glb).
// docs/theory/shapes.md says what of these formats is read.
//
// Everything here throws Error: bad_input with "FILE:LINE:COLUMN: found …; expected …" (for glTF the place in the document
// instead) when a file makes no sense, when there is none, and when what it describes is no closed surface (InvalidMesh);
// file_trouble when it cannot be read.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "marey/shape/mesh.h"

namespace marey {

// By its extension. OBJ and STL know no units: their numbers are multiples of `unit` metres, and their z axis is taken to
// point upwards. glTF is in metres, which are multiplied by `unit` all the same; its y axis points upwards and becomes z.
Mesh load_mesh(const std::string& file, double unit = 1);
// What the file says, without looking whether that is a closed surface.
Polygons load_polygons(const std::string& file, double unit = 1);

// The bytes of a file that another one refers to, by a name without tricks, relative to its folder.
using FileBeside = std::function<std::string(const std::string& name)>;

// A format in which meshes can be read; each has a file in src/io/exchange and a line in the list in mesh_file.cpp.
struct MeshReader {
  const char* extensions;  // ".gltf .glb"
  const char* what;        // "glTF 2.0"
  Polygons (*read)(std::string_view bytes, const std::string& file_name, const FileBeside&);
};
std::span<const MeshReader* const> mesh_readers();
// By the extension of the file. Throws for others.
const MeshReader& mesh_reader_for(const std::string& file);

}  // namespace marey
