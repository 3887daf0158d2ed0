// Small mesh files of every format, made here.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "marey/io/mesh.h"

namespace marey::mesh_files {

inline const char* const obj_cube = R"(# a cube with an edge of 2
mtllib none.mtl
o cube
v -1 -1 -1
v 1 -1 -1
v -1 1 -1 1.0
v 1 1 -1
v -1 -1 1 0.5 0.5 0.5
v +1 -1.0e0 1
v -1 1 1
v 1 1 1
vt 0 0
vn 0 0 1
s off
usemtl red
f 1 3 4 2
f 5/1/1 6/1/1 8/1/1 7/1/1
f 1//1 2//1 6//1 5//1
f 3/1 7/1 8/1 4/1
g last two
f -8 -4 -2 \
  -6
f 2 4 8 6
)";

// A tetrahedron with the corners 0, x, y, z.
using Corner = std::array<float, 3>;
inline const std::array<Corner, 4> tetrahedron_points{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
inline const std::array<std::array<int, 3>, 4> tetrahedron_faces{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

inline std::string stl_text() {
  std::string text = "solid a tetrahedron\n";
  for (const auto& face : tetrahedron_faces) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const int c : face) {
      const Corner& p = tetrahedron_points[static_cast<std::size_t>(c)];
      text += "      vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid a tetrahedron\n";
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline std::string stl_binary(const std::string& head = "binary") {
  std::string bytes = head;
  bytes.resize(80, ' ');
  append(bytes, std::uint32_t{4});
  for (const auto& face : tetrahedron_faces) {
    append(bytes, Corner{});
    for (const int c : face) append(bytes, tetrahedron_points[static_cast<std::size_t>(c)]);
    append(bytes, std::uint16_t{0});
  }
  return bytes;
}

inline std::string base64(const std::string& bytes) {
  const char* const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// The points, then the corners of the faces as 16-bit numbers: 48 + 24 bytes.
inline std::string gltf_buffer() {
  std::string bytes;
  for (const Corner& p : tetrahedron_points) append(bytes, p);
  for (const auto& face : tetrahedron_faces)
    for (const int c : face) append(bytes, static_cast<std::uint16_t>(c));
  return bytes;
}
// In glTF's axes; `node` and `primitive` may hold more keys.
inline std::string gltf_json(const std::string& buffer, const std::string& node = "",
                             const std::string& primitive = "") {
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"mesh": 0)" +
         node + R"(}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1)" +
         primitive + R"(}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
               {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "buffers": [{"byteLength": 72)" +
         buffer + "}]}";
}
inline std::string gltf_text(const std::string& node = "", const std::string& primitive = "") {
  return gltf_json(R"(, "uri": "data:application/octet-stream;base64,)" + base64(gltf_buffer()) + "\"", node,
                   primitive);
}
inline std::string glb() {
  std::string json = gltf_json(""), binary = gltf_buffer(), bytes = "glTF";
  while (json.size() % 4 != 0) json += ' ';
  append(bytes, std::uint32_t{2});
  append(bytes, static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + binary.size()));
  append(bytes, static_cast<std::uint32_t>(json.size())), bytes += "JSON" + json;
  append(bytes, static_cast<std::uint32_t>(binary.size())), bytes += std::string("BIN\0", 4) + binary;
  return bytes;
}

// What a reader makes of bytes; there is no file beside them.
inline Polygons read(const std::string& name, const std::string& bytes) {
  return mesh_reader_for(name).read(bytes, name, [](const std::string& beside) -> std::string {
    throw Error(ErrorKind::bad_input, beside + ": there is no such file");
  });
}

}  // namespace marey::mesh_files
