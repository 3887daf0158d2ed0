// Files by their descriptor: complete writes, locks, atomic renames; every failure is an Error with the system's reason
// in it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace marey {

class DiskFile {
 public:
  DiskFile() = default;
  DiskFile(int descriptor, const std::string& name) : DiskFile(descriptor, name, name) {}
  DiskFile(int descriptor, std::string name, std::string called)
      : descriptor_(descriptor), name_(std::move(name)), called_(std::move(called)) {}
  DiskFile(DiskFile&&) noexcept;
  DiskFile& operator=(DiskFile&&) noexcept;
  ~DiskFile();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  void write(std::size_t at, const void* bytes, std::size_t count) const;
  // Writes from where the last such call left off; also to pipes.
  void append(const void* bytes, std::size_t count) const;
  void read(std::size_t at, void* bytes, std::size_t count) const;
  void resize(std::size_t size) const;
  // Waits until everything that was written is on the disk, not just handed to the system.
  void sync() const;
  // Copies what was written to `from`, without its holes.
  void copy_written_parts_of(const DiskFile& from) const;
  // Renames the file; with `only_new` it throws rather than replace another.
  void rename_to(const std::string& name, bool only_new);
  // A lock that other runs of this program see. HDF5's readers lock in another way and are not disturbed.
  bool try_lock() const;
  // Whether the name still leads to this file.
  bool has_its_name() const;

 private:
  int descriptor_ = -1;
  std::string name_;
  std::string called_;  // in errors: what the user asked for, even while the file has another name
};

// Opens for writing and locks. Throws Error when another run is writing there.
DiskFile open_locked(const std::string& name);
// The same for a new file that is written as FILE.tmp and will get its name by rename_to; errors refer to FILE.
DiskFile open_unfinished(const std::string& file);
// A sparse file without a name, only in memory.
DiskFile memory_file();

bool exists(const std::string& name);
// Whether the file begins as HDF5 files do.
bool looks_like_hdf5(const std::string& name);
// Whether it is a text with the key that all scenes have.
bool looks_like_scene(const std::string& name);
// The first bytes of a file, at most so many; nothing of one that cannot be read.
std::string start_of(const std::string& name, std::size_t most);
// Throws Error unless the name may become a file: its folder exists, and nothing but a plain file has the name.
void check_output_name(const std::string& name);
// Throws Error with `what` and the reason of the last system call that failed.
[[noreturn]] void file_trouble(const std::string& what, int error_number);

}  // namespace marey
