// What other programs make of exported files: the Khronos validator, and Blender, each where it is.
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace marey {
namespace {

using program::contents;

int status_of(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

struct ExchangeLong : program::InFolder {
  void export_scene(const std::string& scene, const std::string& ending) {
    ASSERT_EQ(run({"run", scene, "-o", scene + ".h5"}).status, 0) << scene;
    ASSERT_EQ(run({"export", scene + ".h5", "-o", scene + ending}).status, 0) << scene;
  }
};

TEST_F(ExchangeLong, TheValidatorHasNoObjection) {
  std::string files;
  for (const char* scene : {"tumbling-human", "cloth", "raised-arms", "knee", "polyhedra", "rod-three-grounds",
                            "two-stars", "bowling", "jelly", "slider-crank"}) {
    export_scene(scene, ".glb");
    files += " '" + (folder / (std::string(scene) + ".glb")) + "'";
  }
  const int status = status_of(MAREY_SOURCE_DIR "/tools/gltf/validate" + files + " >'" + (folder / "said") + "' 2>&1");
  if (status == 77) GTEST_SKIP() << contents(folder / "said");
  EXPECT_EQ(status, 0) << contents(folder / "said");
}

TEST_F(ExchangeLong, BlenderHasJointsWhereTheyAre) {
  if (status_of("command -v blender >/dev/null") != 0) GTEST_SKIP() << "there is no blender";
  export_scene("tumbling-human", ".glb");
  ASSERT_EQ(run({"export", "tumbling-human.h5", "-o", "tumbling-human.bvh"}).status, 0);
  ASSERT_EQ(run({"export", "tumbling-human.h5", "-o", "places.csv", "--channels", "link/*/position"}).status, 0);
  const std::string command =
      "cd '" + folder.path.string() +
      "' && blender --background --python " MAREY_SOURCE_DIR
      "/tools/gltf/in_blender.py -- tumbling-human.glb tumbling-human.bvh 30 out.json >said 2>&1";
  ASSERT_EQ(status_of(command), 0) << contents(folder / "said");
  const nlohmann::json found = nlohmann::json::parse(contents(folder / "out.json"));
  // Places by time and column.
  std::istringstream csv(contents(folder / "places.csv"));
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(csv, line);) {
    std::istringstream in(line);
    if (!names.empty()) rows.emplace_back();
    for (std::string word; std::getline(in, word, ',');)
      rows.empty() ? names.push_back(word) : rows.back().push_back(std::stod(word));
  }
  int compared = 0;
  for (const char* format : {"glb", "bvh"})
    for (const auto& [frame, places] : found[format].items())
      for (std::size_t c = 1; c < names.size(); c += 3) {
        std::string link = names[c].substr(5, names[c].find("/position") - 5);
        if (std::string(format) == "bvh") link = link.substr(link.find('.') + 1);
        if (!places.contains(link)) continue;
        const std::vector<double>& row = rows.at(2 * std::stoul(frame));  // of 60 frames per second every second
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_NEAR(places[link][k].get<double>(), row[c + k], 1e-4)
              << format << " " << link << " in frame " << frame;
        ++compared;
      }
  EXPECT_EQ(compared, 2 * 16 * 12) << "all links in every tenth of 151 frames";
}

}  // namespace
}  // namespace marey
