#include "io/scene/file.h"

#include <algorithm>
#include <filesystem>

#include "io/input_file.h"
#include "io/scene/yaml.h"
#include "marey/core.h"
#include "marey/core/text.h"
#include "marey/io/recorded.h"
#include "marey/io/scene.h"

namespace marey {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t head_bytes = 16 * 1024;

// The text up to the line with the figures or particles, which is all a listing needs.
std::string head_of(const std::string& text) {
  std::size_t line = 0;
  while (line < text.size()) {
    if (text.compare(line, 8, "figures:") == 0 || text.compare(line, 10, "particles:") == 0)
      return text.substr(0, line);
    const std::size_t end = text.find('\n', line);
    if (end == std::string::npos) break;
    line = end + 1;
  }
  // A head cut by the limit ends with the last whole line.
  return text.size() < head_bytes ? text : text.substr(0, line);
}

// False for YAML that is not a scene.
bool read_head(const std::string& text, SceneListing& listing) {
  const YamlDocument document = parse_yaml(text, listing.file);
  const auto value = [&](const char* key) {
    const ValueEntry* entry = document.root->find(key);
    return entry ? entry->value->text : std::string();
  };
  listing.title = value("title"), listing.source = value("source");
  if (listing.title.empty()) listing.title = listing.name;
  return document.root->find("marey") != nullptr;
}

bool read_listing(SceneListing& listing) {
  try {
    const std::string head = head_of(read_input_file(listing.file, head_bytes, "a scene"));
    // A scene whose figures come first is read whole.
    if (head.find("marey") != std::string::npos && read_head(head, listing)) return true;
    return read_head(read_input_file(listing.file, largest_text + 1, "a scene"), listing);
  } catch (const Error& e) {
    listing.problem = e.what();
    return true;
  }
}

}  // namespace

std::string file_stem(const std::string& file) { return fs::path(file).stem().string(); }

std::vector<SceneListing> list_scenes(const std::string& folder) {
  std::error_code error;
  std::vector<SceneListing> scenes;
  if (const fs::file_status there = fs::status(folder, error); fs::status_known(there) && !fs::is_directory(there))
    throw Error(ErrorKind::bad_input, folder + ": there is no such folder of scenes");
  const fs::directory_iterator files(folder, error);
  if (error) throw Error(ErrorKind::file_trouble, folder + ": cannot be read: " + error.message());
  for (const fs::directory_entry& entry : files) {
    const std::string extension = entry.path().extension().string();
    if ((extension != ".yaml" && extension != ".yml") || !entry.is_regular_file(error)) continue;
    SceneListing listing;
    listing.file = entry.path().string();
    listing.name = file_stem(listing.file);
    if (read_listing(listing)) scenes.push_back(std::move(listing));
  }
  std::sort(scenes.begin(), scenes.end(), [](const SceneListing& a, const SceneListing& b) { return a.name < b.name; });
  return scenes;
}

SceneSpec parse_spec(const std::string& text, const std::string& file_name) {
  YamlDocument document = parse_yaml(text, file_name);
  return {std::move(document.root), std::move(document.file), text};
}
SceneSpec read_spec(const std::string& file) {
  return parse_spec(read_input_file(file, largest_text + 1, "a scene"), file);
}

Scene parse_scene(const std::string& text, const std::string& file_name, const SceneOverrides& overrides) {
  return build(parse_spec(text, file_name), overrides, files_beside(file_name).get());
}
Scene load_scene(const std::string& file, const SceneOverrides& overrides) {
  return build(read_spec(file), overrides, files_beside(file).get());
}

}  // namespace marey
