// Dependencies go one way: a file includes its own layer and the layers below it, nothing else, and of other layers what
// they offer, their headers in include/marey. This test reads the #include lines of src/, include/marey and apps/ and names
// every line that looks up, sideways to a neighbour of the same rank, into another layer's rooms, or outside the tree of
// layers. It also keeps out Eigen, which is slow to compile (docs/decisions/0044-dense-algebra.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;  // path from the root of the tree → text

// Layers in one row may not include each other. Each row may include all rows above it.
const std::vector<std::vector<std::string>> layer_rows = {
    {"core"},    {"scalar"},    {"spatial"},  {"spec"},
    {"shape"},   {"model"},     {"dynamics"}, {"closed_form", "force"},
    {"rows"},    {"integrate"}, {"plant"},    {"constraint"},
    {"contact"}, {"human"},     {"sim"},      {"scene"},
    {"io"},      {"render"},    {"search"}};
// Uses everything up to contact, and no layer uses it.
const std::vector<std::string> leaf_layers = {"batch"};

constexpr int unknown = -1;
constexpr int leaf_rank = 1000;  // above all rows: only programs look this high

// Programs are above all layers.
bool is_program(const std::string& path) { return path.starts_with("apps/"); }

int row_of(const std::string& layer) {
  for (size_t row = 0; row < layer_rows.size(); ++row)
    if (std::ranges::count(layer_rows[row], layer)) return static_cast<int>(row);
  return std::ranges::count(leaf_layers, layer) ? leaf_rank : unknown;
}

bool may_include(const std::string& from, const std::string& to) {
  if (from == to) return true;
  const int highest = row_of(from) == leaf_rank ? row_of("contact") + 1 : row_of(from);
  return row_of(to) < highest;
}

// The layer of a public header include/marey/NAME.h: NAME itself, or the layer that has a file
// src/LAYER/NAME.*, or what the header says in a comment "// Layer: LAYER". marey.h gathers the others and
// may include them all.
std::string layer_of_public_header(const std::string& name, const Files& files) {
  if (row_of(name) != unknown) return name;
  for (const auto& [path, text] : files) {
    const fs::path p(path);
    if (path.starts_with("src/") && p.stem() == name && !p.parent_path().filename().empty())
      return p.parent_path().filename();
  }
  const auto it = files.find("include/marey/" + name + ".h");
  const std::string marker = "// Layer: ";
  if (it == files.end()) return "";
  const size_t at = it->second.find(marker);
  if (at == std::string::npos) return "";
  const size_t begin = at + marker.size();
  return it->second.substr(begin, it->second.find_first_of(" .\r\n", begin) - begin);
}

// "src/model/freeze.cpp" → "model"; empty when the path is in no layer.
std::string layer_of(const std::string& path, const Files& files) {
  const fs::path p(path);
  const std::vector<std::string> parts(p.begin(), p.end());
  if (parts.size() == 3 && path.starts_with("include/marey/")) return layer_of_public_header(p.stem(), files);
  if (parts.size() > 3 && path.starts_with("include/marey/")) return parts[2];
  return parts.size() > 2 && path.starts_with("src/") ? parts[1] : "";
}

// What an include line means: a path from the root of the tree, or empty for a header of the system.
std::string resolve(const std::string& includer, const std::string& name, const Files& files) {
  const std::string beside = (fs::path(includer).parent_path() / name).lexically_normal();
  for (const std::string& candidate : {beside, "src/" + name, "include/" + name})
    if (files.contains(candidate)) return candidate;
  return "";
}

// The names in #include lines, with their line numbers.
std::vector<std::pair<int, std::string>> includes_of(const std::string& text) {
  std::vector<std::pair<int, std::string>> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (!line.starts_with("#include\"") && !line.starts_with("#include<")) continue;
    const size_t begin = std::string("#include<").size();
    found.emplace_back(number, line.substr(begin, line.find_first_of("\">", begin) - begin));
  }
  return found;
}

std::string complaint(const std::string& path, const std::string& name, const Files& files) {
  if (name.starts_with("Eigen/")) return "includes " + name + ", which takes too long to compile";
  const std::string target = resolve(path, name, files);
  const bool claims_marey = name.starts_with("marey/") || name.starts_with("../") || name.starts_with("src/");
  if (target.empty()) return claims_marey ? "includes " + name + ", which is not there" : "";
  if (path == "include/marey/marey.h") return "";
  if (is_program(target)) return is_program(path) ? "" : "includes " + name + ", which is a program's";
  const std::string from = layer_of(path, files), to = layer_of(target, files);
  if (row_of(to) == unknown) return "includes " + name + ", which belongs to no known layer";
  if (path.starts_with("include/") && target.starts_with("src/"))
    return "a public header includes the internal " + name;
  if (!is_program(path) && !may_include(from, to)) return from + " may not include " + to + " (" + name + ")";
  if (from != to && target.starts_with("src/"))
    return (is_program(path) ? "a program" : from) + " looks into " + to + " (" + name +
           "), whose headers are in include/";
  return "";
}

// Every broken rule, as "path:line: what".
std::vector<std::string> broken_rules(const Files& files) {
  std::vector<std::string> broken;
  for (const auto& [path, text] : files) {
    if (path != "include/marey/marey.h" && !is_program(path) && row_of(layer_of(path, files)) == unknown)
      broken.push_back(path + ":1: belongs to no known layer");
    for (const auto& [line, name] : includes_of(text)) {
      const std::string what = complaint(path, name, files);
      if (!what.empty()) broken.push_back(path + ":" + std::to_string(line) + ": " + what);
    }
  }
  return broken;
}

Files read_tree(const fs::path& root) {
  Files files;
  for (const char* part : {"src", "include/marey", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".inl" && extension != ".cpp" && extension != ".cu") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files[fs::relative(entry.path(), root)] = text.str();
    }
  }
  return files;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// Every layer has files, in src/ or include/marey.
TEST(Layers, have_files) {
  const Files files = read_tree(MAREY_SOURCE_DIR);
  std::vector<std::string> layers = leaf_layers;
  for (const auto& row : layer_rows) layers.insert(layers.end(), row.begin(), row.end());
  for (const std::string& layer : layers)
    EXPECT_TRUE(std::ranges::any_of(files, [&](const auto& f) { return layer_of(f.first, files) == layer; })) << layer;
}

TEST(Layers, of_the_tree_are_kept) {
  const Files files = read_tree(MAREY_SOURCE_DIR);
  EXPECT_GT(files.size(), 2U);
  EXPECT_EQ(joined(broken_rules(files)), "");
}

// The checker itself, on small made-up trees.

TEST(LayerChecker, accepts_what_looks_down) {
  EXPECT_EQ(joined(broken_rules({{"include/marey/core/error.h", "#include <string>\n"},
                                 {"src/spatial/vec3.h", "#include \"marey/core/error.h\"\n#include \"mat3.h\"\n"},
                                 {"src/spatial/mat3.h", ""},
                                 {"include/marey/core/hd.h", ""},
                                 {"include/marey/spatial.h", "#include \"marey/core/hd.h\"\n"},
                                 {"include/marey/world.h", "#include \"marey/spatial.h\"\n"},
                                 {"include/marey/marey.h", "#include \"marey/world.h\"\n"},
                                 {"src/sim/world.cpp", "#include <marey/world.h>\n"},
                                 {"apps/cli/main.cpp", "#include \"marey/world.h\"\n#include \"parse.h\"\n"},
                                 {"apps/cli/parse.h", ""},
                                 {"src/batch/pack.cpp", "#include \"marey/spatial.h\"\n"}})),
            "");
}

TEST(LayerChecker, names_the_line_that_looks_up) {
  EXPECT_EQ(joined(broken_rules(
                {{"src/model/model.h", ""}, {"src/spatial/vec3.h", "// a comment\n #  include \"model/model.h\"\n"}})),
            "src/spatial/vec3.h:2: spatial may not include model (model/model.h)\n");
}

TEST(LayerChecker, sees_through_relative_and_public_names) {
  EXPECT_EQ(joined(broken_rules({{"include/marey/sim.h", ""},
                                 {"src/sim/world.h", ""},
                                 {"src/force/spring.h", "#include \"../sim/world.h\"\n#include <marey/sim.h>\n"}})),
            "src/force/spring.h:1: force may not include sim (../sim/world.h)\n"
            "src/force/spring.h:2: force may not include sim (marey/sim.h)\n");
}

TEST(LayerChecker, keeps_neighbours_apart) {
  EXPECT_EQ(joined(broken_rules({{"include/marey/closed_form/top.h", ""},
                                 {"src/force/spin.cpp", "#include \"marey/closed_form/top.h\"\n"}})),
            "src/force/spin.cpp:1: force may not include closed_form (marey/closed_form/top.h)\n");
}

TEST(LayerChecker, keeps_rooms_shut) {
  EXPECT_EQ(joined(broken_rules({{"src/spatial/vec3.h", ""},
                                 {"src/model/body.cpp", "#include \"spatial/vec3.h\"\n"},
                                 {"src/model/joint.cpp", "#include \"../../apps/cli/json.h\"\n"},
                                 {"apps/cli/json.h", ""},
                                 {"apps/cli/run.cpp", "#include \"spatial/vec3.h\"\n"}})),
            "apps/cli/run.cpp:1: a program looks into spatial (spatial/vec3.h), whose headers are in include/\n"
            "src/model/body.cpp:1: model looks into spatial (spatial/vec3.h), whose headers are in include/\n"
            "src/model/joint.cpp:1: includes ../../apps/cli/json.h, which is a program's\n");
}

TEST(LayerChecker, lets_no_layer_use_a_leaf) {
  EXPECT_EQ(joined(broken_rules({{"src/batch/pack.h", "#include \"sim/world.h\"\n"},
                                 {"src/render/plot.cpp", "#include \"batch/pack.h\"\n"},
                                 {"src/sim/world.h", ""}})),
            "src/batch/pack.h:1: batch may not include sim (sim/world.h)\n"
            "src/render/plot.cpp:1: render may not include batch (batch/pack.h)\n");
}

TEST(LayerChecker, refuses_strangers) {
  EXPECT_EQ(joined(broken_rules({{"src/attic/old.h", ""}, {"include/marey/odd.h", ""}})),
            "include/marey/odd.h:1: belongs to no known layer\nsrc/attic/old.h:1: belongs to no known layer\n");
  EXPECT_EQ(joined(broken_rules({{"include/marey/odd.h", "// Layer: model.\n"}})), "");
  EXPECT_EQ(joined(broken_rules({{"src/core/a.h", "#include \"marey/gone.h\"\n"}})),
            "src/core/a.h:1: includes marey/gone.h, which is not there\n");
}

TEST(LayerChecker, keeps_internals_out_of_public_headers) {
  EXPECT_EQ(
      joined(broken_rules({{"include/marey/model.h", "#include \"model/inner.h\"\n"}, {"src/model/inner.h", ""}})),
      "include/marey/model.h:1: a public header includes the internal model/inner.h\n");
}

TEST(LayerChecker, keeps_eigen_out) {
  EXPECT_EQ(joined(broken_rules({{"include/marey/dynamics/dense_algebra.h", "#include <Eigen/Core>\n"},
                                 {"src/dynamics/dense.cpp", "#include \"Eigen/Dense\"\n"}})),
            "include/marey/dynamics/dense_algebra.h:1: includes Eigen/Core, which takes too long to compile\n"
            "src/dynamics/dense.cpp:1: includes Eigen/Dense, which takes too long to compile\n");
}

}  // namespace
