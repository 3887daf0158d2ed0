// What the reader makes of whole scenes, number by number, held against scene-numbers.txt. It was written by the reader
// itself (MAREY_WRITE_SCENES=1 ./test scene_numbers) and looked through: it says whether anything has changed. Whether a
// number is right is said by the tests of each part.
#include "unit/io/scene_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "marey/io/scene.h"
#include "support/large_scenes.h"

namespace marey {
namespace {

namespace fs = std::filesystem;

const char* const kept = MAREY_SOURCE_DIR "/tests/unit/io/scene-numbers.txt";

std::vector<fs::path> scenes_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(MAREY_SOURCE_DIR "/" + folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string all_scenes() {
  std::string out;
  for (const char* folder : {"gallery", "tests/unit/io/good"})
    for (const fs::path& file : scenes_in(folder))
      if (!is_large_scene(file.stem().string()))
        out += "== " + file.stem().string() + "\n" + scene_numbers::text_of(load_scene(file.string()));
  return out;
}

// Numbers may differ by rounding, which another compiler does in another order, also where what is left of it should be zero;
// coordinates that were searched for, by where the search ended.
bool same_word(const std::string& a, const std::string& b, double zero) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  if (a.empty() || b.empty() || *end_a != 0 || *end_b != 0) return false;
  return std::isfinite(x) && std::abs(x - y) <= 1e-9 * std::abs(x) + zero;
}
bool same_line(const std::string& a, const std::string& b) {
  std::istringstream words_a(a), words_b(b);
  std::string x, y;
  while (true) {
    const bool more_a = static_cast<bool>(words_a >> x), more_b = static_cast<bool>(words_b >> y);
    if (!more_a || !more_b) return more_a == more_b;
    // Angles of files, and their rates, are differences of what was rounded there.
    const bool is_coarse = a.starts_with("q:") || a.starts_with("v:") || a.find("/script") != a.npos;
    if (!same_word(x, y, is_coarse ? 1e-10 : 1e-15)) return false;
  }
}

TEST(SceneNumbers, AreThoseOnRecord) {
  const std::string now = all_scenes();
  if (std::getenv("MAREY_WRITE_SCENES") != nullptr) std::ofstream(kept) << now;
  std::ifstream file(kept);
  std::istringstream read(now);
  std::string expected, found, scene;
  while (std::getline(file, expected)) {
    ASSERT_TRUE(std::getline(read, found)) << "the reader ends before: " << expected;
    if (found.rfind("== ", 0) == 0) scene = found.substr(3);
    ASSERT_TRUE(same_line(expected, found)) << scene << "\n  on record: " << expected << "\n  now:       " << found;
  }
  EXPECT_FALSE(std::getline(read, found)) << "not on record: " << scene << ", " << found;
  EXPECT_GT(now.size(), 10000u);
}

TEST(SceneNumbers, DifferWhereANumberDoes) {
  EXPECT_TRUE(same_line("a: 1 2.0000000001", "a: 1 2"));
  EXPECT_FALSE(same_line("a: 1 2.0001", "a: 1 2"));
  EXPECT_FALSE(same_line("a: 1 2 3", "a: 1 2"));
  EXPECT_FALSE(same_line("a: 1 x", "a: 1 2"));
  EXPECT_TRUE(same_line("a: inf 1e-17", "a: inf 0"));
  EXPECT_FALSE(same_line("a: inf", "a: 2"));
  EXPECT_FALSE(same_line("a: 2", "a: inf"));
  EXPECT_FALSE(same_line("a: 1e-12", "a: 1e-13"));
  EXPECT_TRUE(same_line("q: 1e-12", "q: 1e-13"));
}

}  // namespace
}  // namespace marey
