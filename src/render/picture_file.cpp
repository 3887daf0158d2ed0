#include "render/picture_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "marey/core.h"
#include "marey/io/disk.h"
#include "render/names.h"

namespace marey::render {
namespace {

bool is_picture(const std::string& start) {
  return start.starts_with("\x89PNG\r\n\x1a\n") || start.find("<svg") != std::string::npos;
}

}  // namespace

void check_picture_name(const std::string& file, const std::string& what) {
  const bool svg = ends_with(file, ".svg");
  if (!svg && !ends_with(file, ".png"))
    throw Error(ErrorKind::bad_input, file + ": " + what + " is written as .png or .svg");
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(file, ignored);
  const std::string start = start_of(file, 4096);
  if (!start.empty() && !is_picture(start))
    throw Error(ErrorKind::file_trouble,
                "'" + file + "' is no picture, and is not replaced by one. Choose another name with -o");
  errno = 0;
  const bool opened = std::ofstream(file, std::ios::app).is_open();
  if (!opened)
    throw Error(ErrorKind::file_trouble, file + ": cannot be written: " + std::strerror(errno ? errno : EIO));
  if (!was_there) std::filesystem::remove(file, ignored);
}

}  // namespace marey::render
