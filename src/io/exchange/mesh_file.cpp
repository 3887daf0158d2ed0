// Meshes by the names of their files: who reads them, and what files beside them they may ask for.
#include "io/exchange/mesh_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "io/exchange/mesh_text.h"
#include "io/input_file.h"
#include "marey/core/text.h"
#include "marey/io/mesh.h"

namespace marey {

extern const MeshReader obj_reader, stl_reader, gltf_reader;

namespace {

namespace fs = std::filesystem;

constexpr const MeshReader* readers[] = {&obj_reader, &stl_reader, &gltf_reader};
constexpr std::size_t largest_file = std::size_t{1} << 30;

}  // namespace

std::string read_mesh_bytes(const std::string& file) {
  std::error_code error;
  const fs::file_status there = fs::status(file, error);
  if (fs::exists(there) && !fs::is_directory(there) && !fs::is_regular_file(there))
    throw Error(ErrorKind::bad_input, file + ": is no regular file; expected a mesh");
  std::string bytes = read_input_file(file, largest_file + 1, "a mesh");
  if (bytes.size() > largest_file)
    throw Error(ErrorKind::bad_input, file + ": is larger than a gibibyte; expected a smaller mesh");
  return bytes;
}

std::string read_beside(const std::string& file, const std::string& name) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  const fs::path beside = fs::weakly_canonical(folder / name, error);
  const fs::path way = beside.lexically_relative(folder);
  if (error || way.empty() || way.is_absolute() || *way.begin() == "..")
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: found a buffer in '{}'; expected a file in the same folder or below", file, printable(name)));
  return read_mesh_bytes(beside.string());
}

std::span<const MeshReader* const> mesh_readers() { return readers; }

const MeshReader& mesh_reader_for(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  std::vector<std::string> known;
  for (const MeshReader* reader : readers) {
    MeshText words(reader->extensions, file);
    for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
      if (same_word(word, extension)) return *reader;
      known.emplace_back(word);
    }
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: found the extension '{}'; expected {}", file, printable(extension), either(known)));
}

Polygons polygons_of_bytes(const std::string& file, const std::string& bytes, double unit, const FileBeside& beside) {
  if (!(unit > 0) || !std::isfinite(unit))
    throw Error(ErrorKind::bad_input, fmt::format("{}: found a unit of {} m; expected a positive length", file, unit));
  Polygons polygons = mesh_reader_for(file).read(bytes, file, beside);
  for (Vec3<double>& p : polygons.points) p = unit * p;
  return polygons;
}

Polygons load_polygons(const std::string& file, double unit) {
  mesh_reader_for(file);  // before anything is read
  return polygons_of_bytes(file, read_mesh_bytes(file), unit,
                           [&](const std::string& name) { return read_beside(file, name); });
}

Mesh load_mesh(const std::string& file, double unit) { return closed_mesh(load_polygons(file, unit)); }

}  // namespace marey
