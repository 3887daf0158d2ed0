// A glTF 2.0 document: JSON whose places have names, and the bytes that its accessors lead to.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "marey/io/mesh.h"

namespace marey {

// A value of the document and what leads to it: "meshes[2].primitives[0]".
struct GltfValue {
  const nlohmann::json* json;
  std::string path;
};

class GltfDocument {
 public:
  // Of a .gltf text or a .glb container.
  GltfDocument(std::string_view bytes, std::string file, const FileBeside&);

  GltfValue root() const { return {&json_, ""}; }
  // "FILE: PATH: " + what
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const;

  bool has(const GltfValue& object, const char* key) const;
  // A member that must be there; by its kind, refused otherwise.
  GltfValue need(const GltfValue& object, const char* key) const;
  GltfValue need_object(const GltfValue& object, const char* key) const;
  GltfValue need_list(const GltfValue& object, const char* key) const;
  std::string need_text(const GltfValue& object, const char* key) const;
  // A whole number from 0 to `most`.
  std::int64_t need_whole(const GltfValue& object, const char* key, std::int64_t most) const;
  std::int64_t whole_or(const GltfValue& object, const char* key, std::int64_t otherwise, std::int64_t most) const;
  bool flag_or(const GltfValue& object, const char* key, bool otherwise) const;
  GltfValue item(const GltfValue& list, std::size_t i) const;
  std::size_t size(const GltfValue& list) const { return list.json->size(); }
  // So many finite numbers.
  std::vector<double> numbers(const GltfValue& object, const char* key, std::size_t count) const;
  // The item of a list of the document, "accessors", that a member names by its number.
  GltfValue referred(const GltfValue& object, const char* key, const char* list) const;

  bool uses(const char* extension) const;
  // The numbers of an accessor, `width` in a row for each element; `most` elements at most.
  std::vector<double> positions(const GltfValue& accessor) const;
  std::vector<std::uint32_t> indices(const GltfValue& accessor) const;

 private:
  // Elements in a buffer: of the accessor itself, or of what replaces some of them.
  struct Elements {
    std::string_view bytes;
    std::size_t stride = 0, count = 0, width = 0;
    int component = 0;
    bool normalized = false;
    double at(std::size_t element, std::size_t i) const;
  };
  std::string_view unpack(std::string_view bytes);
  void parse(std::string_view text);
  void read_buffers(std::string_view binary, const FileBeside&);
  std::string buffer_of(const GltfValue& buffer, std::string_view binary, const FileBeside&) const;
  std::string decoded_base64(const std::string& path, std::string_view text) const;
  std::string checked_name(const std::string& path, const std::string& uri) const;
  Elements elements(const GltfValue& from, const GltfValue& place, std::size_t count, std::size_t width, int component,
                    bool may_stride) const;
  // Calls set(element, i, value) for every number of the accessor, with zeros, then those in the buffer, then sparse ones.
  std::vector<double> values(const GltfValue& accessor, std::size_t width, bool whole) const;

  std::string file_;
  nlohmann::json json_;
  std::string_view binary_;
  std::vector<std::string> buffers_;
};

}  // namespace marey
