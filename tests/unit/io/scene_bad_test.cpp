// Malformed scenes. Each file of tests/unit/io/bad begins with "# expect LINE:COLUMN piece of the reason"; what cannot
// be kept as such a file (binary, empty, huge) is made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "marey/constraint/constraint_maker.h"
#include "marey/core/text.h"
#include "marey/force/element_maker.h"
#include "marey/io/scene.h"
#include "marey/model/joint_forms.h"
#include "support/large_scenes.h"

namespace marey {

namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// What the reader says; empty when it takes the scene.
std::string complaint(const std::string& text, const std::string& file) {
  try {
    parse_scene(text, file);
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
    return e.what();
  }
}

void expect_refused(const std::string& text, const std::string& where, const std::string& why) {
  const std::string said = complaint(text, "f.yaml");
  EXPECT_EQ(said.rfind("f.yaml:" + where + ": ", 0), 0u) << said;
  EXPECT_NE(said.find(why), std::string::npos) << said;
}

const std::string good =
    "marey: 1\nduration: 1 s\nfigures:\n  ball:\n    links:\n      body: {mass: 1 kg, inertia: {sphere: 5 cm}}\n";

std::vector<fs::path> bad_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(MAREY_SOURCE_DIR "/tests/unit/io/bad")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST(SceneBad, TheGoodOneIsTaken) { EXPECT_EQ(complaint(good, "f.yaml"), ""); }

// Files that a scene names are called by their whole path, which is another one elsewhere.
std::string without_folder(std::string said, const fs::path& folder) {
  const std::string name = folder.string() + "/";
  for (std::size_t at = said.find(name); at != std::string::npos; at = said.find(name)) said.erase(at, name.size());
  return said;
}

// The whole text: numbers, names and what was expected are as much a part of it as the piece that each file expects.
// Lists of kinds grow.
std::string without_lists(std::string said) {
  const auto replace = [&](const std::vector<std::string>& words, const char* by) {
    const std::string list = either(words);
    if (const std::size_t at = said.find(list); at != std::string::npos) said.replace(at, list.size(), by);
  };
  replace(force_forms().table.words(), "{forces}");
  replace(torque_forms().table.words(), "{torques}");
  replace(constraint_keys().words(), "{constraints}");
  replace(joint_names(), "{joints}");
  std::vector<std::string> methods;
  for (const Integrator i : all_integrators()) methods.emplace_back(name_of(i));
  replace(methods, "{integrators}");
  return said;
}

TEST(SceneBad, EveryMessageIsWordForWord) {
  const std::string file = MAREY_SOURCE_DIR "/tests/unit/io/bad-messages.txt";
  std::string said = content_of(file).substr(0, content_of(file).find('\n') + 1);  // how to write it anew
  for (const fs::path& path : bad_files()) {
    try {
      load_scene(path.string());
      ADD_FAILURE() << path << " was taken";
    } catch (const Error& e) {
      const std::string what = std::string(e.what()).substr(path.string().size() + 1);
      said += path.filename().string() + " " + without_lists(without_folder(what, path.parent_path())) + "\n";
    }
  }
  if (std::getenv("MAREY_WRITE_MESSAGES") != nullptr) std::ofstream(file) << said;
  std::istringstream now(said), before(content_of(file));
  for (std::string a, b; std::getline(now, a);) {
    std::getline(before, b);
    ASSERT_EQ(a, b);
  }
  EXPECT_EQ(said.size(), content_of(file).size());
}

TEST(SceneBad, EveryFileIsRefusedAtItsPlaceWithItsReason) {
  const std::vector<fs::path> files = bad_files();
  EXPECT_GE(files.size(), 40u);
  for (const fs::path& path : files) {
    const std::string text = content_of(path);
    std::istringstream first(text);
    std::string hash, expect, where, reason;
    first >> hash >> expect >> where;
    std::getline(first >> std::ws, reason);
    ASSERT_EQ(expect, "expect") << path;
    ASSERT_FALSE(reason.empty()) << path;
    try {
      load_scene(path.string());
      ADD_FAILURE() << path << " was taken";
    } catch (const Error& e) {
      const std::string said = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::bad_input) << said;
      EXPECT_EQ(said.rfind(path.string() + ":" + where + ": ", 0), 0u)
          << "expected at " << where << "\n gave: " << said;
      EXPECT_NE(said.find(reason), std::string::npos) << "expected: " << reason << "\n gave: " << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
}

TEST(SceneBad, WhatIsNoText) {
  expect_refused("", "1:1", "empty file");
  expect_refused("\n\n# nothing here\n", "1:1", "empty file");
  expect_refused("\xEF\xBB\xBF", "1:1", "empty file");
  expect_refused(good + std::string("title: a\0b\n", 11), "7:9", "control character \\x00");
  expect_refused(good + "title: caf\xE9\n", "7:11", "not UTF-8");
  expect_refused(std::string("\xFF\xFEm\0a\0", 6), "1:1", "UTF-16");
  expect_refused(std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "1:1", "not UTF-8");
  expect_refused(std::string("\x7f"
                             "ELF\x02\x01\x01\0",
                             8),
                 "1:1", "control character");
}

TEST(SceneBad, WhatIsHuge) {
  expect_refused(std::string((std::size_t{16} << 20) + 1, '#'), "1:1", "16 MiB");
  std::string many =
      "marey: 1\nduration: 1 s\nfigures:\n  f:\n    links:\n      a: &a {mass: 1, inertia: {sphere: 1}}\n";
  for (int i = 0; i < 100'000; ++i) many += "      l" + std::to_string(i) + ": *a\n";
  expect_refused(many, "100006:7", "more than 100000 links");
  expect_refused("marey: 1\nduration: 1 s\ngravity: [" + std::string(1'100'000, ',') + "]\n", "3:10", "values");
  EXPECT_EQ(complaint(good + "title: " + std::string(1'000'000, '[') + "\n", "f.yaml").rfind("f.yaml:7:", 0), 0u);
}

// Whatever is done to a scene, it is taken or refused with a place; nothing else escapes, and nothing crashes.
TEST(SceneBad, MutilatedScenesNeverCrash) {
  std::vector<std::string> scenes;
  for (const auto& entry : fs::directory_iterator(MAREY_SOURCE_DIR "/gallery"))
    if (entry.path().extension() == ".yaml" && !is_large_scene(entry.path().stem().string()))
      scenes.push_back(content_of(entry.path()));
  ASSERT_FALSE(scenes.empty());
  std::mt19937 random(1985);
  const std::string pieces[] = {"{",  "}",   "[",  "]", ":", "\"", "'",   "\n", "  ",
                                "- ", "&a ", "*a", "|", "-", "0",  "1e9", "\t"};
  for (int i = 0; i < 600; ++i) {
    std::string text = scenes[random() % scenes.size()];
    const int cuts = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < cuts; ++k) {
      const std::size_t at = random() % text.size();
      if (random() % 2)
        text.erase(at, 1 + random() % 20);
      else
        text.insert(at, pieces[random() % std::size(pieces)]);
    }
    const std::string said = complaint(text, "f.yaml");
    EXPECT_TRUE(said.empty() || said.rfind("f.yaml:", 0) == 0) << said;
  }
}

TEST(SceneBad, FilesThatCannotBeRead) {
  const auto kind_of = [](const std::string& file) -> std::optional<ErrorKind> {
    try {
      load_scene(file);
      return {};
    } catch (const Error& e) {
      return e.kind();
    }
  };
  EXPECT_EQ(kind_of("/nowhere/at/all.yaml"), ErrorKind::bad_input);
  EXPECT_EQ(kind_of(MAREY_SOURCE_DIR), ErrorKind::bad_input);
  EXPECT_EQ(kind_of("/dev/zero"), ErrorKind::bad_input);
}

}  // namespace marey
