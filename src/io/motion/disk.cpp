#include "marey/io/disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "marey/core.h"

namespace marey {

namespace fs = std::filesystem;

void file_trouble(const std::string& what, int error_number) {
  throw Error(ErrorKind::file_trouble, error_number == ENOSPC || error_number == EDQUOT
                                           ? fmt::format("{}: the disk is full", what)
                                           : fmt::format("{}: {}", what, std::strerror(error_number)));
}

// ----------------------------------------------------------------------------------------------- DiskFile
DiskFile::DiskFile(DiskFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      called_(std::move(other.called_)) {}
DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(called_, other.called_);
  return *this;
}
DiskFile::~DiskFile() {
  if (is_open()) ::close(descriptor_);
}

void DiskFile::write(std::size_t at, const void* bytes, std::size_t count) const {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::pwrite(descriptor_, from, count, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) file_trouble("cannot write to '" + called_ + "'", errno);
    from += n, at += static_cast<std::size_t>(n), count -= static_cast<std::size_t>(n);
  }
}

void DiskFile::append(const void* bytes, std::size_t count) const {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::write(descriptor_, from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) file_trouble("cannot write to '" + called_ + "'", errno);
    from += n, count -= static_cast<std::size_t>(n);
  }
}

void DiskFile::read(std::size_t at, void* bytes, std::size_t count) const {
  char* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::pread(descriptor_, to, count, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) file_trouble("cannot read '" + called_ + "'", n < 0 ? errno : EIO);
    to += n, at += static_cast<std::size_t>(n), count -= static_cast<std::size_t>(n);
  }
}

void DiskFile::resize(std::size_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    file_trouble("cannot make room in '" + called_ + "'", errno);
}

void DiskFile::sync() const {
  // A file system that cannot sync (EINVAL) has nothing to wait for.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOSYS)
    file_trouble("cannot write to '" + called_ + "'", errno);
}

void DiskFile::copy_written_parts_of(const DiskFile& from) const {
  const off_t end = ::lseek(from.descriptor_, 0, SEEK_END);
  resize(static_cast<std::size_t>(end));
  std::vector<char> buffer(std::min(std::size_t{1} << 20, static_cast<std::size_t>(end)));
  for (off_t data = ::lseek(from.descriptor_, 0, SEEK_DATA); data >= 0 && data < end;) {
    const off_t hole = ::lseek(from.descriptor_, data, SEEK_HOLE);
    while (data < hole) {
      const std::size_t n = std::min(buffer.size(), static_cast<std::size_t>(hole - data));
      from.read(static_cast<std::size_t>(data), buffer.data(), n);
      write(static_cast<std::size_t>(data), buffer.data(), n);
      data += static_cast<off_t>(n);
    }
    data = ::lseek(from.descriptor_, hole, SEEK_DATA);
  }
}

void DiskFile::rename_to(const std::string& name, bool only_new) {
  int status = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, name.c_str(), only_new ? RENAME_NOREPLACE : 0);
  // Not every file system knows how to refuse by itself.
  if (status != 0 && only_new && (errno == EINVAL || errno == ENOSYS)) {
    if (exists(name)) file_trouble(fmt::format("cannot write '{}'", name), EEXIST);
    status = ::rename(name_.c_str(), name.c_str());
  }
  if (status != 0) file_trouble(fmt::format("cannot write '{}'", name), errno);
  name_ = called_ = name;
}

bool DiskFile::try_lock() const {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) return true;
  return errno != EAGAIN && errno != EACCES;  // where locks are not available, do without
}

bool DiskFile::has_its_name() const {
  struct stat mine = {}, named = {};
  return ::fstat(descriptor_, &mine) == 0 && ::stat(name_.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

// ----------------------------------------------------------------------------------------------- opening
namespace {

DiskFile open_and_lock(const std::string& name, const std::string& called, int flags) {
  // Between opening and locking another run may have renamed the file; then the name is looked up again.
  for (int attempt = 0; attempt < 100; ++attempt) {
    DiskFile file(::open(name.c_str(), O_RDWR | O_CLOEXEC | flags, 0666), name, called);
    if (!file.is_open()) file_trouble(fmt::format("cannot write to '{}'", called), errno);
    if (!file.try_lock()) break;
    if (file.has_its_name()) return file;
  }
  throw Error(ErrorKind::file_trouble, fmt::format("'{}' is being written by another run", called));
}

}  // namespace

DiskFile open_locked(const std::string& name) { return open_and_lock(name, name, 0); }
DiskFile open_unfinished(const std::string& file) { return open_and_lock(file + ".tmp", file, O_CREAT); }

DiskFile memory_file() {
  DiskFile file(::memfd_create("motion", MFD_CLOEXEC), "memory");
  if (!file.is_open()) file_trouble("cannot get memory for a file", errno);
  return file;
}

bool exists(const std::string& name) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(name, ignored));
}

bool looks_like_hdf5(const std::string& name) {
  std::string start(8, '\0');
  std::ifstream(name, std::ios::binary).read(start.data(), 8);
  return start == "\x89HDF\r\n\x1a\n";
}

bool looks_like_scene(const std::string& name) {
  constexpr std::size_t longest_head = std::size_t{1} << 16;
  const std::string start = start_of(name, longest_head);
  const bool is_text = start.find('\0') == std::string::npos;
  return is_text && (start.starts_with("marey:") || start.find("\nmarey:") != std::string::npos);
}

std::string start_of(const std::string& name, std::size_t most) {
  std::error_code ignored;
  if (!fs::is_regular_file(name, ignored)) return {};
  std::string start(most, '\0');
  std::ifstream file(name, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(most));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start;
}

void check_output_name(const std::string& name) {
  if (name.empty()) throw Error(ErrorKind::bad_input, "the output has an empty name");
  const fs::path path(name);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there))
    throw Error(ErrorKind::file_trouble, fmt::format("'{}' is a folder; the output must be a file", name));
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error(ErrorKind::file_trouble, fmt::format("'{}' is not a plain file; choose another output", name));
  if (!fs::is_directory(folder, error))
    throw Error(ErrorKind::file_trouble,
                fmt::format("cannot write '{}': there is no folder '{}'", name, folder.string()));
}

}  // namespace marey
