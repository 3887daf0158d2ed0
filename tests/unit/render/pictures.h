// Small motions to draw, and ways to look at what was drawn.
#pragma once

#include <png.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "marey/render.h"

namespace marey::pictures {

inline Shape shape_at(const Solid& solid, const Vec3<double>& p) {
  Shape s{solid, {}};
  s.X_BS.p = p;
  return s;
}

// One link with the shapes given, at each of the places in turn, a second apart.
inline PictureScene moving_body(const std::vector<Shape>& shapes, const std::vector<Vec3<double>>& places) {
  PictureScene scene;
  scene.title = "A body";
  scene.links = {{"world", 0, {}, {}}, {"thing.body", 0, shapes, {}}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<Transform<double>> X_WB(2);
    X_WB[1].p = places[i];
    scene.times.push_back(static_cast<double>(i));
    scene.X_WB.push_back(X_WB);
  }
  return scene;
}

// A folder for the files of one test, removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "marey-picture-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Pixels {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
  std::vector<int> at(int x, int y) const {
    const unsigned char* p = rgb.data() + 3 * (static_cast<std::size_t>(y) * width + x);
    return {p[0], p[1], p[2]};
  }
  int brightness(int x, int y) const {
    const auto p = at(x, y);
    return p[0] + p[1] + p[2];
  }
};

inline Pixels read_png(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  Pixels out;
  if (!png_image_begin_read_from_file(&image, file.c_str())) return out;
  image.format = PNG_FORMAT_RGB;
  out.width = static_cast<int>(image.width), out.height = static_cast<int>(image.height);
  out.rgb.resize(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, out.rgb.data(), 0, nullptr);
  return out;
}

inline std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// "" for a well-formed document, else what is wrong: tags that close in order, quoted attributes, no bare & or <.
inline std::string xml_fault(const std::string& text) {
  std::vector<std::string> open;
  std::size_t i = 0, roots = 0;
  while (i < text.size()) {
    if (text[i] != '<') {
      if (text[i] == '&' && text.find(';', i) > i + 8) return "bare &";
      if (open.empty() && !std::isspace(static_cast<unsigned char>(text[i]))) return "text outside the root";
      ++i;
      continue;
    }
    if (text.compare(i, 4, "<!--") == 0) {
      i = text.find("-->", i) + 3;
      continue;
    }
    char quote = 0;
    std::size_t end = i + 1;
    for (; end < text.size() && (quote || text[end] != '>'); ++end) {
      if (quote ? text[end] == quote : text[end] == '"' || text[end] == '\'') quote = quote ? 0 : text[end];
      if (text[end] == '<' && text.compare(i, 9, "<![CDATA[") != 0) return "'<' within a tag";
    }
    if (end >= text.size()) return "a tag that does not end";
    const std::string tag = text.substr(i + 1, end - i - 1);
    i = end + 1;
    if (tag[0] == '?' || tag[0] == '!') continue;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      roots += open.empty();
      open.push_back(tag.substr(0, tag.find_first_of(" \t\n")));
    }
  }
  if (!open.empty()) return "<" + open.back() + "> is not closed";
  return roots == 1 ? "" : "not one root";
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The exit code an action ends with, and what it says.
struct Ending {
  std::optional<ErrorKind> kind;  // none: all was well
  std::string says;
};
template <class Action>
Ending ending_of(const Action& action) {
  try {
    action();
  } catch (const Error& e) {
    return {e.kind(), e.what()};
  }
  return {};
}

}  // namespace marey::pictures
