// The commands of README.md, done in the order in which a reader would, and the output it shows.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <sstream>

#include "program.h"

namespace marey {
namespace {

using program::Outcome;

// The lines between ``` and ```, block by block.
std::vector<std::vector<std::string>> code_blocks(const std::string& markdown) {
  std::vector<std::vector<std::string>> blocks;
  std::istringstream in(markdown);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

// Of "./marey run this   # and a remark": {"run", "this"}. Quotes do not occur.
std::vector<std::string> arguments_in(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  words.erase(words.begin());
  return words;
}

// Every number becomes '#', every gap one blank: machines differ in speed and in the last digits.
std::string pattern_of(const std::string& line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    const bool begins_number = std::isdigit(c) || (c == '-' && i + 1 < line.size() && std::isdigit(line[i + 1]));
    if (begins_number && (out.empty() || !std::isalpha(static_cast<unsigned char>(out.back())))) {
      i = line.find_first_not_of("0123456789.e+-", i);
      out += '#';
      if (i == std::string::npos) break;
      --i;
    } else if (c != ' ' || (!out.empty() && out.back() != ' ')) {
      out += line[i];
    }
  }
  return out;
}

struct Readme : ::testing::Test {
  Readme() {
    std::filesystem::create_directory_symlink(MAREY_SOURCE_DIR "/gallery", folder / "gallery");
    blocks = code_blocks(program::contents(MAREY_SOURCE_DIR "/README.md"));
  }
  program::Folder folder;
  std::vector<std::vector<std::string>> blocks;
};

TEST_F(Readme, CommandsSucceed) {
  int done = 0;
  for (const auto& block : blocks)
    for (const std::string& line : block) {
      if (!line.starts_with("./marey ")) continue;
      const Outcome o = program::marey(folder, arguments_in(line));
      EXPECT_EQ(o.status, 0) << line << "\n" << o.err;
      ++done;
    }
  EXPECT_GE(done, 5);
}

// Each line of the example is a line of what the run prints, in that order; "…" stands for any number of lines.
TEST_F(Readme, ShowsWhatARunPrints) {
  std::istringstream out(program::marey(folder, {"run", "gallery/finger-tap.yaml"}).out);
  std::vector<std::string> printed;
  for (std::string line; std::getline(out, line);) printed.push_back(pattern_of(line));
  ASSERT_FALSE(printed.empty());
  bool found = false;
  for (const auto& block : blocks) {
    if (block.empty() || pattern_of(block[0]) != printed[0]) continue;
    found = true;
    auto at = printed.begin();
    for (const std::string& line : block) {
      if (line.find("…") != std::string::npos) continue;
      at = std::find(at, printed.end(), pattern_of(line));
      ASSERT_NE(at, printed.end()) << "a run does not print, or not there: " << line;
      ++at;
    }
  }
  EXPECT_TRUE(found) << "no block of the README begins with " << printed[0];
}

// Every id that a scene of the gallery cites is explained.
TEST_F(Readme, LeadsToThePapers) {
  const std::string papers = program::contents(MAREY_SOURCE_DIR "/docs/theory/papers.md");
  const YAML::Node scenes = YAML::Load(program::marey(folder, {"list", "--json"}).out);
  ASSERT_GT(scenes.size(), 0u);
  for (const YAML::Node& scene : scenes) {
    const std::string source = scene["source"].as<std::string>();
    static const std::regex id("\\b[AWHRP][0-9]+b?\\b");
    for (std::sregex_iterator at(source.begin(), source.end(), id), end; at != end; ++at)
      EXPECT_TRUE(program::contains(papers, "| " + at->str() + " |"))
          << scene["file"].as<std::string>() << " cites " << at->str();
  }
}

// What the table of parts tells a reader to run is there.
TEST_F(Readme, TableOfPartsNamesWhatThereIs) {
  const std::string papers = program::contents(MAREY_SOURCE_DIR "/docs/theory/papers.md");
  static const std::regex run("`run ([a-z][a-z0-9-]*)"), bench("`bench ([a-z_]+)");
  int scenes = 0;
  for (std::sregex_iterator at(papers.begin(), papers.end(), run), end; at != end; ++at, ++scenes)
    EXPECT_TRUE(std::filesystem::exists(MAREY_SOURCE_DIR "/gallery/" + at->str(1) + ".yaml")) << at->str();
  for (std::sregex_iterator at(papers.begin(), papers.end(), bench), end; at != end; ++at)
    EXPECT_TRUE(std::filesystem::exists(MAREY_SOURCE_DIR "/bench/" + at->str(1) + "_bench.cpp")) << at->str();
  EXPECT_GT(scenes, 30);
}

}  // namespace
}  // namespace marey
