// Wavefront OBJ: vertices (v) and faces (f). Normals, texture coordinates, materials, groups, points and lines say nothing
// about a solid and are passed over; free-form curves and surfaces, which do, are refused.
#include <algorithm>
#include <charconv>

#include "io/exchange/mesh_text.h"
#include "marey/core/text.h"
#include "marey/io/mesh.h"

namespace marey {

namespace {

constexpr std::array passed_over{"vt",     "vn",       "vp",       "g",          "o",        "s", "mg",
                                 "usemtl", "mtllib",   "usemap",   "maplib",     "l",        "p", "lod",
                                 "bevel",  "c_interp", "d_interp", "shadow_obj", "trace_obj"};
constexpr std::array of_free_form{"curv", "curv2", "surf", "cstype", "deg",   "bmat", "step",
                                  "parm", "trim",  "hole", "scrv",   "sp",    "end",  "con",
                                  "bzp",  "bsp",   "cdc",  "ctech",  "stech", "cdp",  "res"};

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& file) : text_(text, file) {
    polygons_.file = file;
    text_.continues = text_.comments = true;
  }
  Polygons read() {
    do {
      const std::string_view word = text_.word();
      if (word == "v")
        read_vertex();
      else if (word == "f" || word == "fo")
        read_face();
      else if (!word.empty())
        pass_over(word);
    } while (text_.next_line());
    return std::move(polygons_);
  }

 private:
  // Three coordinates; a weight, which must be one, or three or four shares of colour may follow.
  void read_vertex() {
    std::array<double, 7> numbers{};
    std::size_t count = 0;
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word()) {
      if (count == numbers.size()) text_.refuse("the end of the line, after the coordinates");
      numbers[count] = text_.number(word, count < 3 ? "a coordinate" : "a number");
      ++count;
    }
    if (count < 3) text_.refuse("three coordinates");
    if (count == 5 || (count == 4 && numbers[3] != 1)) text_.refuse("x y z, with a weight of 1 or a colour if wished");
    if (polygons_.points.size() >= std::size_t{most_points}) text_.refuse("no more vertices than 6 million");
    polygons_.points.push_back({numbers[0], numbers[1], numbers[2]});
    polygons_.point_lines.push_back(text_.line());
  }

  void read_face() {
    const int line = text_.line();
    corners_.clear();
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word()) {
      if (corners_.size() >= std::size_t{most_corners_of_a_face}) text_.refuse("a face with at most 1000 corners");
      corners_.push_back(read_corner(word));
    }
    if (corners_.size() < 3) text_.refuse("at least three corners");
    if (polygons_.face_count() >= most_faces) text_.refuse("no more faces than 2 million");
    polygons_.add_face(corners_);
    polygons_.face_lines.push_back(line);
  }

  // "7", "7/1", "7/1/3" or "7//3": the first of them is the vertex, counted from 1, or from the last one backwards.
  int read_corner(std::string_view word) {
    int vertex = 0;
    for (int part = 0; part < 3; ++part) {
      int number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      const bool absent = part == 1 && word.starts_with('/');
      if (!absent && (error != std::errc() || number == 0)) refuse_corner();
      if (part == 0) vertex = number;
      if (!absent) word.remove_prefix(static_cast<std::size_t>(end - word.data()));
      if (word.empty()) break;
      if (part == 2 || word.front() != '/') refuse_corner();
      word.remove_prefix(1);
    }
    const int count = static_cast<int>(polygons_.points.size());
    if (vertex > count || vertex < -count)
      text_.refuse("one of the " + std::to_string(count) + " vertices before this line");
    return vertex > 0 ? vertex - 1 : count + vertex;
  }
  [[noreturn]] void refuse_corner() const { text_.refuse("the number of a vertex, or vertex/texture/normal"); }

  void pass_over(std::string_view word) const {
    const auto is = [word](const char* known) { return word == known; };
    if (std::ranges::any_of(passed_over, is)) return;
    if (std::ranges::any_of(of_free_form, is)) text_.refuse("faces: free-form curves and surfaces are not read");
    std::vector<std::string> known{"v", "f"};
    known.insert(known.end(), passed_over.begin(), passed_over.end());
    const std::string meant = closest(word, known);
    text_.refuse(meant.empty() ? "a keyword of OBJ, such as v or f"
                               : "a keyword of OBJ (do you mean '" + meant + "'?)");
  }

  MeshText text_;
  Polygons polygons_;
  std::vector<int> corners_;
};

Polygons read_obj(std::string_view bytes, const std::string& file_name, const FileBeside&) {
  return ObjReader(bytes, file_name).read();
}

}  // namespace

extern const MeshReader obj_reader{".obj", "Wavefront OBJ", read_obj};

}  // namespace marey
