// STL, as text and binary: triangles with three corners each, which have points of their own (closed_mesh() makes one of
// equal ones). The normals that go with them are read and not used: the order of the corners says which side is outside.
//
// A binary file has 80 bytes of any content, the number of triangles in 4 bytes and 50 bytes for each. Some of them begin
// with "solid" as texts do, so that a file is binary if it has the length that it would have then.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "io/exchange/mesh_text.h"
#include "marey/core/text.h"
#include "marey/io/mesh.h"

namespace marey {

namespace {

constexpr std::size_t stl_head = 84, stl_triangle = 50;

static_assert(std::endian::native == std::endian::little, "numbers in files are taken as they are");
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void add_stl_triangle(Polygons& polygons, const std::array<Vec3<double>, 3>& corners) {
  const int first = static_cast<int>(polygons.points.size());
  polygons.points.insert(polygons.points.end(), corners.begin(), corners.end());
  polygons.add_face(std::array{first, first + 1, first + 2});
}

class StlText {
 public:
  StlText(std::string_view text, const std::string& file) : text_(text, file) { polygons_.file = file; }

  Polygons read() {
    text_.word_anywhere();  // solid
    for (;;) {
      text_.next_line();  // after the name
      while (take("facet", "endsolid", "facet or endsolid")) read_facet();
      text_.next_line();
      const std::string_view word = text_.word_anywhere();
      if (word.empty()) return std::move(polygons_);
      if (!same_word(word, "solid")) text_.refuse("solid, or the end of the file");
    }
  }

 private:
  void read_facet() {
    const int line = text_.line();
    if (polygons_.face_count() >= most_faces) text_.refuse("no more triangles than 2 million");
    need("normal");
    for (int i = 0; i < 3; ++i) number();
    need("outer"), need("loop");
    std::array<Vec3<double>, 3> corners;
    for (Vec3<double>& corner : corners) {
      need("vertex");
      for (int i = 0; i < 3; ++i) corner[i] = number();
      polygons_.point_lines.push_back(text_.line());
    }
    need("endloop"), need("endfacet");
    add_stl_triangle(polygons_, corners);
    polygons_.face_lines.push_back(line);
  }
  double number() { return text_.number(text_.word_anywhere(), "a number"); }
  void need(const char* word) {
    if (!same_word(text_.word_anywhere(), word)) text_.refuse(word);
  }
  bool take(const char* yes, const char* no, const char* expected) {
    const std::string_view word = text_.word_anywhere();
    if (same_word(word, yes)) return true;
    if (!same_word(word, no)) text_.refuse(expected);
    return false;
  }
  MeshText text_;
  Polygons polygons_;
};

Polygons read_binary_stl(std::string_view bytes, const std::string& file_name) {
  const std::uint32_t count = number_at<std::uint32_t>(bytes, 80);
  if (count > std::uint32_t{most_faces})
    throw InvalidMesh(MeshReason::too_large,
                      fmt::format("{}: has {} triangles; expected at most {}", file_name, count, most_faces));
  Polygons polygons;
  polygons.file = file_name;
  for (std::size_t t = 0; t < count; ++t) {
    std::array<Vec3<double>, 3> corners;
    for (std::size_t i = 0; i < 9; ++i)
      corners[i / 3][static_cast<int>(i % 3)] = number_at<float>(bytes, stl_head + stl_triangle * t + 12 + 4 * i);
    add_stl_triangle(polygons, corners);
  }
  return polygons;
}

bool begins_as_text(std::string_view bytes) {
  static const std::string nowhere;
  return same_word(MeshText(bytes.substr(0, 1000), nowhere).word_anywhere(), "solid");
}

Polygons read_stl(std::string_view bytes, const std::string& file_name, const FileBeside&) {
  const std::uint64_t promised =
      bytes.size() < stl_head ? 0 : stl_head + std::uint64_t{stl_triangle} * number_at<std::uint32_t>(bytes, 80);
  if (bytes.size() >= stl_head && promised == bytes.size()) return read_binary_stl(bytes, file_name);
  if (begins_as_text(bytes)) return StlText(bytes, file_name).read();
  throw Error(
      ErrorKind::bad_input,
      promised == 0
          ? fmt::format("{}: found {} bytes that begin with '{}'; expected STL: a text that begins with solid, or "
                        "at least 84 bytes",
                        file_name, bytes.size(), printable(bytes.substr(0, 20)))
          : fmt::format("{}: found {} bytes; expected {}, for the {} triangles that the head of a binary STL file "
                        "promises here",
                        file_name, bytes.size(), promised, number_at<std::uint32_t>(bytes, 80)));
}

}  // namespace

extern const MeshReader stl_reader{".stl", "STL, as text or binary", read_stl};

}  // namespace marey
