#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "io/scene/yaml.h"
#include "marey/core.h"

namespace marey {

namespace scene_yaml_test {

std::string repeat(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

// What parsing says; empty when it is content.
std::string complaint(const std::string& text) {
  try {
    parse_yaml(text, "f.yaml");
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
    return e.what();
  }
}

void expect_refused(const std::string& text, const std::string& where, const std::string& why) {
  const std::string said = complaint(text);
  EXPECT_EQ(said.rfind("f.yaml:" + where + ": ", 0), 0u) << text.substr(0, 80) << "\n gave: " << said;
  EXPECT_NE(said.find(why), std::string::npos) << text.substr(0, 80) << "\n gave: " << said;
}

TEST(SceneYaml, KeepsPlacesInCharacters) {
  const YamlDocument d = parse_yaml("a: 1\nü: {é: \"ö\", b: [x, y z]}\n", "f.yaml");
  ASSERT_EQ(d.root->entries.size(), 2u);
  const ValueEntry& u = d.root->entries[1];
  EXPECT_EQ(u.key, "ü");
  EXPECT_EQ(u.key_at.line, 2);
  EXPECT_EQ(u.value->at.column, 4);
  const ValueEntry& b = u.value->entries[1];
  EXPECT_EQ(b.key_at.column, 13);
  EXPECT_EQ(b.value->items[1]->text, "y z");
  EXPECT_EQ(b.value->items[1]->at.column, 20);
  EXPECT_TRUE(u.value->find("é")->value->quoted);
}

TEST(SceneYaml, TakesBomAndCrlf) {
  const YamlDocument d = parse_yaml("\xEF\xBB\xBF# c\r\na: 1\r\nb: 2\r\n", "f.yaml");
  EXPECT_EQ(d.root->find("a")->value->text, "1");
  EXPECT_EQ(d.root->find("b")->value->at.line, 3);
  EXPECT_EQ(d.root->find("b")->value->at.column, 4);
}

TEST(SceneYaml, AliasesStandForWhatTheyName) {
  const YamlDocument d = parse_yaml("a: &limb {x: [1, 2]}\nb: *limb\n", "f.yaml");
  EXPECT_EQ(d.root->find("b")->value->find("x")->value->items[1]->text, "2");
}

TEST(SceneYaml, RefusesWhatYamlCppLetsThrough) {
  expect_refused("a: 1\nb: 2\na: 3\n", "3:1", "'a' a second time");
  expect_refused("x: {a: 1, a: 2}\n", "1:11", "'a' a second time");
  expect_refused("a: 1\nb: \"no end\n", "2:4", "never closed");
  expect_refused("a: 'no end\nb: 2\n", "1:4", "never closed");
  expect_refused("a: 'it''s\n", "1:4", "never closed");
  expect_refused("a: \"x\\\"\n", "1:4", "never closed");
  expect_refused("a: &q \"x\n", "1:4", "never closed");
  expect_refused("a: 1\n---\nb: 2\n", "2:1", "one document");
  expect_refused("a: 1\n...\nb: 2\n", "3:1", "one document");
  expect_refused("{a: 1} b\n", "1:8", "one document");
  expect_refused("a: !!python/object:os.system 1\n", "1:4", "found a tag");
  expect_refused("? [1]\n: 2\n", "1:3", "as a key");
  expect_refused("on: 1\n", "1:1", "true or false");
  expect_refused("a: {No: 1}\n", "1:5", "true or false");
  expect_refused("~: 1\n", "1:1", "empty key");
  expect_refused("a: \"\\0\"\n", "1:4", "control character \\x00");
}

TEST(SceneYaml, RefusesWhatIsNoText) {
  expect_refused("", "1:1", "empty file");
  expect_refused("# nothing\n\n", "1:1", "empty file");
  expect_refused("---\n", "1:1", "empty file");
  expect_refused(std::string("a: 1\nb: \0\n", 10), "2:4", "control character \\x00");
  expect_refused("a: \x01\n", "1:4", "control character");
  expect_refused("a: 1\n  \xff\n", "2:3", "not UTF-8");
  expect_refused("a: \xC0\xAF\n", "1:4", "not UTF-8");
  expect_refused("a: \xED\xA0\x80\n", "1:4", "not UTF-8");
  expect_refused(
      "\xFF\xFE"
      "a",
      "1:1", "UTF-16");
  expect_refused("a:\n\tb: 1\n", "2:1", "tab");
  expect_refused("a: 1\rb: 2\r", "1:5", "control character \\x0d");
  expect_refused(std::string(largest_text + 1, ' '), "1:1", "16 MiB");
}

TEST(SceneYaml, RefusesBrokenSyntaxWhereItBegan) {
  expect_refused("a: {b: 1,\n  c: 2\n", "1:4", "never closed");
  expect_refused("a: [1, [2, 3]\n", "1:4", "never closed");
  expect_refused("a: 1\n  b: 2\n", "2:4", "indentation");
  expect_refused("a: }\n", "1:4", "closes nothing");
  expect_refused("a: `x`\n", "1:4", "cannot begin a value");
  expect_refused("a: - 1\n", "1:4", "'- '");
  expect_refused("a: *nobody\n", "1:4", "unknown anchor");
  expect_refused("a: \"\\q\"\n", "1:7", "escape");
}

TEST(SceneYaml, RefusesWhatExplodes) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string p = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + p + repeat(", " + p, 9) + "]\n";
  }
  EXPECT_NE(complaint(bomb).find("more than 1000000 values"), std::string::npos) << complaint(bomb);
  std::string tower = "a0: &a0 [x]\n";
  for (int i = 1; i < 40; ++i)
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_NE(complaint(tower).find("levels of nesting"), std::string::npos);
  expect_refused("a: &x {b: *x}\n", "1:11", "contains it");
  EXPECT_NE(complaint("a: [" + repeat(",", 1'500'000) + "]").find("more than 1000000"), std::string::npos);
}

TEST(SceneYaml, RefusesDeepNestingOfEveryKind) {
  constexpr int n = 200'000;
  for (const char* level : {"[", "{", "- ", "? ", "{a: ", "[a: ", "[{", "&a [", "!x [", "a: - "}) {
    const std::string said = complaint(repeat(level, n));
    EXPECT_FALSE(said.empty()) << level;
  }
  std::string stairs;
  for (int i = 0; i < 300; ++i) stairs += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  expect_refused(stairs, "33:33", "levels of nesting");
  EXPECT_EQ(complaint("a: " + repeat("[", deepest - 2) + "1" + repeat("]", deepest - 2)), "");
  EXPECT_NE(complaint("a: " + repeat("[", deepest) + "1" + repeat("]", deepest)), "");
}

}  // namespace scene_yaml_test
}  // namespace marey
