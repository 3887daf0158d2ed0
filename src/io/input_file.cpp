#include "io/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "marey/core.h"

namespace marey {

std::string read_input_file(const std::string& file, std::size_t most, const char* expected) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status there = fs::status(file, error);
  if (there.type() == fs::file_type::not_found) throw Error(ErrorKind::bad_input, file + ": there is no such file");
  if (fs::is_directory(there)) throw Error(ErrorKind::bad_input, file + ": is a folder; expected " + expected);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error(ErrorKind::file_trouble, file + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  std::string block(64 * 1024, '\0');
  while (text.size() < most && stream) {
    stream.read(block.data(), static_cast<std::streamsize>(std::min(block.size(), most - text.size())));
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw Error(ErrorKind::file_trouble, file + ": cannot be read: " + std::strerror(errno));
  return text;
}

}  // namespace marey
