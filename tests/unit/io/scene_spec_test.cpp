// Scenes as specs: read, changed, put together in code, written, and read again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "marey/io/motion.h"
#include "marey/io/scene.h"
#include "support/large_scenes.h"
#include "support/sanitized.h"
#include "support/trouble.h"
#include "unit/io/motion_fake.h"
#include "unit/io/scene_numbers.h"

namespace marey::scene_spec_test {
namespace {
namespace fs = std::filesystem;

std::string text_of_file(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> scenes_in(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(MAREY_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string refused(const SceneSpec& spec) {
  return trouble::of(ErrorKind::bad_input, [&] { build(spec); });
}

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted || a.items.size() != b.items.size() ||
      a.entries.size() != b.entries.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(*a.items[i], *b.items[i])) return false;
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    if (a.entries[i].key != b.entries[i].key || !same(*a.entries[i].value, *b.entries[i].value)) return false;
  return true;
}

TEST(SceneSpecTest, EverySceneIsWrittenAndReadAsTheSame) {
  for (const char* folder : {"gallery", "tests/unit/io/good"}) {
    for (const fs::path& file : scenes_in(folder)) {
      if (sanitized && is_large_scene(file.stem().string())) continue;
      const SceneSpec spec = parse_spec(text_of_file(file), file.string());
      const std::string written = to_yaml(spec.root());
      const SceneSpec again = parse_spec(written, file.string());
      EXPECT_TRUE(same(spec.root(), again.root())) << file << "\n" << written;
      const auto files = files_beside(file.string());
      Scene first = build(spec, {}, files.get()), second = build(again, {}, files.get());
      EXPECT_EQ(scene_numbers::text_of(first), scene_numbers::text_of(second)) << file;
      EXPECT_EQ(to_yaml(again.root()), written) << file;
    }
  }
}

// Words that YAML would take for something else, as values, keys and items.
TEST(SceneSpecTest, AwkwardWordsSurviveWriting) {
  const std::vector<std::string> words{
      "plain",       "a b",       "",          "~",      "null", "true", "- a",   "-a",   "a: b", "a:b",
      "a #b",        "#a",        "a#b",       "[a",     "{a}",  "a, b", "'a'",   "\"",   "a'b",  "*a",
      "&a",          "!a",        "| a",       "> a",    "%a",   "@a",   "`a`",   "?",    "? a",  ":a",
      "line\nbreak", "tab\there", " lead",     "trail ", "---",  "...",  "--- a", "1e3",  "0x10", "2 s",
      "µm",          "a\\b",      "say \"a\"", "x:",     "a]",   "5%",   "why?",  "?why", "a?b"};
  for (const std::string& word : words) {
    const Value value =
        Value::map({{"key", word},
                    {"list", Value::list({word, "x", Value::formula(word)})},
                    {"long", Value::list({Value::map({{"inner", word}, {"padding", std::string(120, 'p')}})})},
                    {"map", Value::map({{"k", word}, {"l", Value::list({})}, {"m", Value::map({})}, {"n", Value()}})}});
    const std::string written = to_yaml(value);
    ASSERT_NO_THROW({
      const SceneSpec again = parse_spec(written, "words");
      EXPECT_TRUE(same(value, again.root())) << word << "\n" << written;
    }) << word
       << "\n"
       << written;
  }
  for (const char* key : {"a b", "a: b", "- a", "a.b", "'q'", "1", "a,b", "x#", "x #y", "{", "null", "~"}) {
    const Value value = Value::map({{key, "x"}, {"in flow", Value::map({{key, 1}})}});
    const std::string written = to_yaml(value);
    ASSERT_NO_THROW(EXPECT_TRUE(same(value, parse_spec(written, "keys").root())) << key << "\n" << written) << written;
  }
}

TEST(SceneSpecTest, ValuesArePutReplacedAddedAndTakenAway) {
  SceneSpec spec;
  spec.set("a/b/c", 1.5);
  spec.add("list", "first");
  spec.add("list", Value::map({{"second", 2}}));
  spec.set("list/1/second", "two");
  spec.set("a/b/d", true);
  spec.erase("a/b/c");
  spec.erase("not/there");
  EXPECT_EQ(spec.text(), "marey: 1\na: {b: {d: true}}\nlist: [first, {second: two}]\n");
  EXPECT_EQ(spec.find("list/1/second")->text, "two");
  EXPECT_EQ(spec.find("list/2"), nullptr);
  EXPECT_EQ(spec.find("a/x"), nullptr);
  EXPECT_THROW(spec.set("list/7", 1), Error);
  EXPECT_THROW(spec.set("list/0/deeper", 1), Error);
  EXPECT_THROW(spec.add("a", 1), Error);
  EXPECT_THROW(spec.set("", 1), Error);
  EXPECT_THROW(Value::map({{"k", 1}, {"k", 2}}), Error);
  EXPECT_THROW(Value("a\rb"), Error);
  std::string deep = "a";
  for (int i = 0; i < 20000; ++i) deep += "/a";
  EXPECT_THROW(spec.set(deep, 1), Error);
  EXPECT_THROW(
      {
        Value nested = 1;
        for (int i = 0; i < 20000; ++i) nested = Value::list({nested});
      },
      Error);
  EXPECT_THROW(Value::formula("\x7f"), Error);
  EXPECT_THROW(spec.set("a\rb", 1), Error);
  spec.set("empty", Value());
  spec.add("empty", 1);
  EXPECT_EQ(spec.find("empty/0")->text, "1");
  // What takes nothing away changes nothing.
  SceneSpec read = parse_spec("# a comment\nmarey: 1\n", "file");
  read.erase("not/there");
  EXPECT_EQ(read.text(), "# a comment\nmarey: 1\n");
  EXPECT_TRUE(read.places_are_in_file());
}

// A copy of a spec is not changed with it.
TEST(SceneSpecTest, CopiesAreApart) {
  SceneSpec spec;
  spec.set("a/b", 1);
  const SceneSpec copy = spec;
  spec.set("a/b", 2);
  EXPECT_EQ(copy.find("a/b")->text, "1");
}

SceneSpec pendulum() {
  SceneSpec spec;
  spec.set("title", "A pendulum: made in code");
  spec.set("duration", "0.5 s");
  spec.set("figures/arm/links/upper",
           Value::map({{"joint", Value::map({{"type", "hinge"}, {"axis", "y"}})},
                       {"shape",
                        Value::map({{"capsule", Value::map({{"radius", "3 cm"}, {"length", 0.4}, {"along", "-z"}})}})},
                       {"mass", "2 kg"},
                       {"start", Value::map({{"angle", "40 deg"}})}}));
  spec.add("forces", Value::map({{"push", Value::map({{"link", "arm.upper"}, {"force", Value::list({0, 0, 3})}})}}));
  return spec;
}

TEST(SceneSpecTest, ASceneMadeInCodeIsTheSceneOfItsText) {
  const SceneSpec spec = pendulum();
  const Scene scene = build(spec);
  EXPECT_EQ(scene.text, spec.text());
  EXPECT_EQ(scene.model.nv, 1);
  EXPECT_EQ(scene_numbers::text_of(scene), scene_numbers::text_of(parse_scene(scene.text, "")));
}

// Recorded with its own text, and run again from its motion alone: bit for bit.
TEST(SceneSpecTest, ASceneMadeInCodeIsRecordedAndRunAgainFromItsMotion) {
  const fake::Folder folder;
  const Scene scene = build(pendulum());
  const auto motion_of = [&](const Scene& what, const std::string& name) {
    {
      MotionFile file(folder / name);
      run(what, file);
    }
    return read_motion(folder / name);
  };
  const Motion first = motion_of(scene, "first.h5");
  EXPECT_EQ(first.scene_text, scene.text);
  const Motion again = motion_of(scene_of(first), "again.h5");
  EXPECT_EQ(again.values, first.values);
  EXPECT_EQ(difference(again, scene), "");
}

TEST(SceneSpecTest, ErrorsOfScenesMadeInCodeNameThePath) {
  SceneSpec spec = pendulum();
  spec.set("figures/arm/links/upper/mass", "2 m");
  EXPECT_EQ(refused(spec).substr(0, 40), "figures/arm/links/upper/mass: found a le");
  spec = pendulum();
  spec.set("forces/0/push/strength", 3);
  EXPECT_EQ(refused(spec).substr(0, 62), "forces/0/push/strength: found the unknown key 'strength' in pu");
  spec = pendulum();
  spec.erase("duration");
  EXPECT_EQ(refused(spec).substr(0, 44), "the scene: found no 'duration' in scene; exp");
  // What is found out late, too.
  spec = pendulum();
  spec.set("figures/arm/links/upper/joint",
           Value::map({{"type", "custom"},
                       {"coordinates", Value::list({"u"})},
                       {"angles", Value::map({{"about_y", Value::map({{"polynomial", Value::list({0, 0, 1})}})}})}}));
  spec.erase("figures/arm/links/upper/start");
  EXPECT_TRUE(refused(spec).starts_with("figures/arm/links/upper: found")) << refused(spec);
  // A text that was read and changed is one of these, too.
  SceneSpec read = parse_spec(pendulum().text(), "file.yaml");
  EXPECT_NO_THROW(build(read));
  read.set("forces/0/push/link", "arm.lower");
  EXPECT_TRUE(refused(read).starts_with("forces/0/push/link: found the unknown link 'arm.lower'"));
}

TEST(SceneSpecTest, AreOfTextThatFilesCanHold) {
  for (const char* words : {"caf\xe9", "\xff", "a\x01", "\xc0\x80"}) EXPECT_THROW(Value{words}, Error) << words;
  EXPECT_EQ(Value("caf\u00e9 \u03c9").text, "caf\u00e9 \u03c9");
}

}  // namespace
}  // namespace marey::scene_spec_test
