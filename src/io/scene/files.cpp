// The files that a scene names: on the disk, beside the scene's own; or within a motion, as they were when it was run.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "io/exchange/mesh_file.h"
#include "marey/core/text.h"
#include "marey/io/bvh.h"
#include "marey/io/keyframes.h"
#include "marey/io/scene.h"

namespace marey {

namespace fs = std::filesystem;

namespace {

using Bytes = std::shared_ptr<const std::string>;

// Keeps what was read, under the name that the scene has for it; of a glTF's buffers that is their name beside it.
class KeptFiles : public SceneFiles {
 public:
  Polygons mesh(const std::string& name, double unit) override {
    mesh_reader_for(called(name));  // a wrong extension is told before a missing file
    const Bytes bytes = kept(name, [&] { return first(name); });
    return polygons_of_bytes(called(name), *bytes, unit, [&](const std::string& other) {
      const std::string full = (fs::path(name).parent_path() / other).generic_string();
      return *kept(full, [&] { return beside(name, other); });
    });
  }
  BvhMotion bvh(const std::string& name) override { return parse_bvh(*whole(name), called(name)); }
  KeyframeTable keyframes(const std::string& name) override { return parse_keyframes(*whole(name), called(name)); }
  std::vector<NamedBytes> used() const override {
    std::vector<NamedBytes> all;
    for (const auto& [name, bytes] : read_) all.push_back({name, bytes});
    return all;
  }

 protected:
  virtual std::string called(const std::string& name) const = 0;  // in errors
  virtual std::string first(const std::string& name) const = 0;
  virtual std::string beside(const std::string& name, const std::string& other) const = 0;

 private:
  Bytes whole(const std::string& name) {
    return kept(name, [&] { return first(name); });
  }
  template <class Read>
  Bytes kept(const std::string& name, Read read) {
    Bytes& bytes = read_[name];
    if (!bytes) bytes = std::make_shared<const std::string>(read());
    return bytes;
  }
  std::map<std::string, Bytes> read_;
};

class FilesBeside final : public KeptFiles {
 public:
  explicit FilesBeside(const std::string& scene_file) : folder_(fs::path(scene_file).parent_path()) {}

 private:
  std::string called(const std::string& name) const override { return (folder_ / name).string(); }
  std::string first(const std::string& name) const override { return read_mesh_bytes(called(name)); }
  std::string beside(const std::string& name, const std::string& other) const override {
    return read_beside(called(name), other);
  }
  fs::path folder_;
};

class FilesWithin final : public KeptFiles {
 public:
  explicit FilesWithin(std::vector<NamedBytes> files) : files_(std::move(files)) {}

 private:
  std::string called(const std::string& name) const override { return name; }
  std::string first(const std::string& name) const override {
    for (const NamedBytes& f : files_)
      if (f.name == name) return *f.bytes;
    throw Error(ErrorKind::bad_input, fmt::format("{}: is not kept with the scene", printable(name)));
  }
  std::string beside(const std::string& name, const std::string& other) const override {
    return first((fs::path(name).parent_path() / other).generic_string());
  }
  std::vector<NamedBytes> files_;
};

}  // namespace

std::unique_ptr<SceneFiles> files_beside(const std::string& scene_file) {
  return std::make_unique<FilesBeside>(scene_file);
}
std::unique_ptr<SceneFiles> files_within(std::vector<NamedBytes> files) {
  return std::make_unique<FilesWithin>(std::move(files));
}

}  // namespace marey
