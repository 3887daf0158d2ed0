#include "scenes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "marey/core/text.h"
#include "marey/io/disk.h"

namespace marey::cli {

namespace fs = std::filesystem;

std::string program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "." : program.parent_path().string();
}

std::string gallery_folder() {
  if (const char* chosen = std::getenv("MAREY_GALLERY"); chosen && *chosen) return chosen;
  std::error_code error;
  // Paths that a person will read and type had better be short: relative if the gallery is here.
  if (fs::is_directory("gallery", error)) return "gallery";
  for (fs::path at = program_folder();; at = at.parent_path()) {
    if (fs::is_directory(at / "gallery", error)) return (at / "gallery").string();
    if (at == at.parent_path()) break;
  }
  return std::string(MAREY_SOURCE_DIR) + "/gallery";
}

std::string find_scene(const std::string& path_or_name) {
  std::error_code error;
  if (fs::exists(path_or_name, error)) return path_or_name;
  const fs::path gallery = gallery_folder();
  const fs::path by_name = gallery / (path_or_name + ".yaml");
  if (path_or_name.find('/') == std::string::npos && fs::exists(by_name, error)) return by_name.string();

  std::vector<std::string> known;
  if (fs::is_directory(gallery, error))
    for (const SceneListing& scene : list_scenes(gallery.string())) known.push_back(scene.name);
  const std::string near = closest(fs::path(path_or_name).stem().string(), known);
  throw Error(ErrorKind::bad_input,
              near.empty() ? fmt::format("there is no scene '{}': neither a file nor a name that '{} list' shows",
                                         path_or_name, program_name())
                           : fmt::format("there is no scene '{}'; did you mean '{}'?", path_or_name, near));
}

std::string find_motion(const std::string& file) {
  std::error_code error;
  if (looks_like_scene(file))
    throw Error(ErrorKind::bad_input,
                fmt::format("'{}' is a scene, not a motion (no HDF5 file); '{} run {}' makes one of it", file,
                            program_name(), file));
  if (fs::exists(file, error)) return file;
  const fs::path stem = fs::path(file).stem();
  for (const fs::path& near : {fs::path("out") / stem, fs::path(file), stem})
    if (const std::string name = near.string() + ".h5"; fs::exists(name, error))
      throw Error(ErrorKind::bad_input, fmt::format("there is no motion '{}'; did you mean '{}'?", file, name));
  if (const fs::path scene = fs::path(gallery_folder()) / (file + ".yaml"); fs::exists(scene, error))
    throw Error(ErrorKind::bad_input,
                fmt::format("there is no motion '{}', but a scene of that name; '{} run {}' makes one", file,
                            program_name(), file));
  return file;
}

std::string program_name() {
  return ::access("./marey", X_OK) == 0 && !fs::is_directory("./marey") ? "./marey" : "marey";
}

}  // namespace marey::cli
