// The letters of a scene: bytes, quotes, keys, numbers, units and formulas at their ends.
#include <gtest/gtest.h>

#include <string>

#include "io/scene/yaml.h"
#include "io/scene/yaml_text.h"
#include "marey/io/scene.h"
#include "marey/spec/units.h"
#include "marey/spec/values.h"

namespace marey {
namespace scene_text_test {
namespace {

std::string said(const auto& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "";
}
std::string said_of(const std::string& text) {
  return said([&] { parse_yaml(text, "f.yaml"); });
}

TEST(SceneText, ARefusalWithoutAPlaceIsOneAllTheSame) {
  EXPECT_EQ(said([] { refuse({}, "found nothing"); }), "found nothing");
  const std::string file = "g.yaml";
  EXPECT_EQ(said([&] { refuse({&file, 3, 7}, "found nothing"); }), "g.yaml:3:7: found nothing");
}

TEST(SceneText, TellsWhatItFound) {
  const YamlDocument d = parse_yaml("a: [1, 2]\nb: []\nc: {}\nd: {x: 1}\ne:\nf: word\n", "f.yaml");
  const char* expected[] = {"a list of 2", "an empty list", "an empty map", "a map", "nothing", "'word'"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(describe(*d.root->entries[i].value), expected[i]);
}

TEST(SceneText, CarriageReturnsOnlyEndLines) {
  const std::string file = "f.yaml";
  EXPECT_EQ(clean_text("a: 1\r\nb: 2\r\n", &file), "a: 1\nb: 2\n");
  const std::string why = "found the control character \\x0d; expected text";
  EXPECT_EQ(said([&] { clean_text("a: 1\rb: 2\n", &file); }), "f.yaml:1:5: " + why);
  EXPECT_EQ(said([&] { clean_text("a: 1\nb\r", &file); }), "f.yaml:2:2: " + why);
}

TEST(SceneText, BytesThatAreNoCharacters) {
  const std::string file = "f.yaml";
  const auto refused_at = [&](const std::string& bytes, const char* byte) {
    EXPECT_EQ(said([&] { clean_text("é" + bytes, &file); }),
              std::string("f.yaml:1:2: found the byte \\x") + byte + ", which is not UTF-8; expected text");
  };
  refused_at("\xC3(", "c3");          // no second byte
  refused_at("\xE2\x82(", "e2");      // no third
  refused_at("\xF0\x9F\x98(", "f0");  // no fourth
  refused_at("\xE2\x82", "e2");       // the end comes first
  refused_at("\x80", "80");           // a second byte alone
  refused_at("\xC1\xBF", "c1");       // longer than need be
  refused_at("\xE0\x9F\xBF", "e0");
  refused_at("\xF0\x8F\xBF\xBF", "f0");
  refused_at("\xED\xA0\x80", "ed");      // a half of UTF-16
  refused_at("\xF4\x90\x80\x80", "f4");  // beyond the last character
  refused_at("\xF5\x80\x80\x80", "f5");
  for (const char* good :
       {"\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "€", "😀"})
    EXPECT_EQ(clean_text(good, &file), good);
  EXPECT_EQ(said([&] { clean_text("a\x7F", &file); }), "f.yaml:1:2: found the control character \\x7f; expected text");
  EXPECT_EQ(said([&] { clean_text("\xFE\xFFz", &file); }), "f.yaml:1:1: found UTF-16; expected UTF-8");
  EXPECT_EQ(said([&] { clean_text("a\n  \tb", &file); }),
            "f.yaml:2:3: found a tab in the indentation; expected spaces");
  EXPECT_EQ(clean_text("a \tb", &file), "a \tb");
}

TEST(SceneText, PropertiesAreSkipped) {
  EXPECT_EQ(skip_properties("&a 'x'", 0), 3u);
  EXPECT_EQ(skip_properties("!tag  &a\n 'x'", 0), 10u);
  EXPECT_EQ(skip_properties("'x'", 0), 0u);
  EXPECT_EQ(skip_properties("k: &a 'x'", 3), 6u);
  EXPECT_EQ(skip_properties("&a", 0), 2u);
  EXPECT_EQ(skip_properties("&a ", 0), 3u);
  EXPECT_EQ(skip_properties("", 0), 0u);
}

TEST(SceneText, QuotesHavePartners) {
  EXPECT_TRUE(quote_closes("'a'", 0));
  EXPECT_TRUE(quote_closes("'a''b' ", 0));
  EXPECT_FALSE(quote_closes("'a''", 0));
  EXPECT_FALSE(quote_closes("'a\"", 0));
  EXPECT_TRUE(quote_closes("'a\\'", 0));
  EXPECT_FALSE(quote_closes("\"a\\\"", 0));
  EXPECT_TRUE(quote_closes("\"a\\\\\"", 0));
  EXPECT_TRUE(quote_closes("\"a\"\"", 0));
  EXPECT_TRUE(quote_closes("''", 0));
  EXPECT_FALSE(quote_closes("'", 0));
  EXPECT_EQ(said_of("a: &b 'c\n"), "f.yaml:1:4: found a quote (') that is never closed; expected its end");
}

TEST(SceneText, KeysThatReadersTakeForTruth) {
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "Yes", "OFF"}) {
    EXPECT_EQ(said_of("a: 1\n" + std::string(word) + ": 2\n"),
              "f.yaml:2:1: found the key '" + std::string(word) +
                  "', which many readers of YAML take for true or false; expected another name");
    EXPECT_EQ(said_of("a: 1\n\"" + std::string(word) + "\": 2\n"), "");
  }
  EXPECT_EQ(said_of("a: 1\nyess: 2\n"), "");
}

TEST(SceneText, WhatEscapesBring) {
  EXPECT_EQ(said_of("a: \"\\x01\"\n"), "f.yaml:1:4: found the control character \\x01; expected text");
  EXPECT_EQ(said_of("a: \"\\x7f\"\n"), "f.yaml:1:4: found the control character \\x7f; expected text");
  EXPECT_EQ(said_of("a: \"\\x1f\"\n"), "f.yaml:1:4: found the control character \\x1f; expected text");
  EXPECT_EQ(said_of("a: \"\\n\\t\\x20~\"\n"), "");
}

TEST(SceneText, KeysAreLongAndNotLonger) {
  const auto key = [](std::size_t n) { return "a: 1\n" + std::string(n, 'k') + ": 2\n"; };
  EXPECT_EQ(said_of(key(1000)), "");
  EXPECT_EQ(said_of(key(1100)), "f.yaml:2:1: found a key of 1100 letters; expected at most 1024");
  EXPECT_EQ(said_of("? [a]\n: b\n"), "f.yaml:1:3: found a list or map as a key; expected a name");
  EXPECT_EQ(said_of("b: &x 1\n*x : 2\n"), "f.yaml:2:1: found an alias as a key; expected a name");
  EXPECT_EQ(said_of(": 2\n"), "f.yaml:1:1: found an empty key; expected a name");
}

// ---- numbers
double value_of(const char* text, const QuantityKind& kind = kinds::time) {
  const QuantityReading r = read_quantity(text, kind);
  EXPECT_EQ(r.problem, "") << text;
  return r.quantity.value;
}
std::string problem_of(const char* text, const QuantityKind& kind = kinds::time) {
  return read_quantity(text, kind).problem;
}

TEST(SceneText, NumbersInEveryForm) {
  EXPECT_EQ(value_of("1E3"), 1000);
  EXPECT_EQ(value_of("1e+3"), 1000);
  EXPECT_EQ(value_of("1e-3"), 0.001);
  EXPECT_EQ(value_of("+5."), 5);
  EXPECT_EQ(value_of("-.5e1 s"), -5);
  EXPECT_EQ(value_of("0"), 0);
  EXPECT_EQ(value_of("0.5"), 0.5);
  EXPECT_EQ(value_of("0e5"), 0);
  EXPECT_EQ(value_of("2\ts"), 2);
  EXPECT_EQ(value_of("2 \t s \t"), 2);
  EXPECT_EQ(value_of("2 \t "), 2);
  EXPECT_EQ(value_of("3 N\ts", {"x", "x", {1, 1, -1, 0}, "", "", 0, 1e9}), 3);
}

TEST(SceneText, NumbersThatAreNone) {
  const std::string expected = "; expected a time, such as 10 ms";
  EXPECT_EQ(problem_of("."), "found '.'" + expected);
  EXPECT_EQ(problem_of("+"), "found '+'" + expected);
  EXPECT_EQ(problem_of("e5"), "found 'e5'" + expected);
  EXPECT_EQ(problem_of("0b1"), "found '0b1', which is not a decimal number" + expected);
  EXPECT_EQ(problem_of("-0x1"), "found '-0x1', which is not a decimal number" + expected);
  EXPECT_EQ(problem_of("00"), "found '00', which begins with 0 and some would read as octal" + expected);
  EXPECT_EQ(problem_of("1e400"), "found '1e400', which no double can hold" + expected);
  EXPECT_EQ(problem_of("1e-400"), "found '1e-400', which no double can hold" + expected);
  // An e without digits is no exponent, and then no unit.
  for (const char* text : {"1e", "1e+", "1E- s", "1ex"})
    EXPECT_EQ(problem_of(text).rfind("found '" + std::string(text) + "' (unknown unit '", 0), 0u) << problem_of(text);
}

TEST(SceneText, SizesHaveTheirEnds) {
  const QuantityKind& time = kinds::time;
  EXPECT_EQ(problem_of_size(1e20, "it", time), "");
  EXPECT_EQ(problem_of_size(-1e20, "it", time), "");
  const std::string beyond = "found it, which is beyond all measure; expected a time of at most 1e+20 s";
  EXPECT_EQ(problem_of_size(1.01e20, "it", time), beyond);
  EXPECT_EQ(problem_of_size(-1.01e20, "it", time), beyond);
  EXPECT_EQ(problem_of_size(0.99e-45, "it", time), "");
  EXPECT_EQ(problem_of_size(1e-45, "it", time, true), "");
  EXPECT_EQ(problem_of_size(0, "it", time, true), "");
  EXPECT_EQ(problem_of_size(0.99e-45, "it", time, true),
            "found it, which is next to nothing; expected a time of at least 1e-45 s");
  EXPECT_EQ(problem_of_size(1e101, "it", kinds::number),
            "found it, which is beyond all measure; expected a plain number of at most 1e+100");
}

// Every kind of quantity is called by its own name, and is what its example is.
TEST(SceneText, KindsAreWhatTheirExamplesAre) {
  EXPECT_EQ(std::size(kinds::all), 20u);
  for (const QuantityKind* kind : kinds::all) {
    EXPECT_EQ(read_quantity(kind->example, *kind).problem, "") << kind->name;
    EXPECT_EQ(name_of(kind->dimension), kind->name);
    EXPECT_EQ(read_quantity(std::string("1 ") + kind->unit, *kind).quantity.value, 1) << kind->name;
    EXPECT_LT(kind->least, kind->most);
  }
  EXPECT_EQ(name_of({1, 1, 0, 0}), "a quantity in kg m");
  EXPECT_EQ(name_of({0, 0, 2, -1}), "a quantity in s^2 rad^-1");
}

// ---- formulas
std::string said_of_formula(const std::string& formula) {
  return said([&] {
    parse_scene(
        "marey: 1\nduration: 1 s\nfigures: {f: {links: {a: {mass: 1, shape: {sphere: 1}}}}}\n"
        "forces: [{field: {links: f.a, force: [0, 0, '" +
            formula + "']}}]\n",
        "f.yaml");
  });
}

TEST(SceneText, FormulasHaveAnEnd) {
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i) sum += "+x";
  const std::string too_long = "found a formula that is too long or nested too deeply; expected a simpler one";
  EXPECT_NE(said_of_formula(sum).find(too_long), std::string::npos) << said_of_formula(sum).substr(0, 200);
  EXPECT_EQ(said_of_formula("x+x+x+x+x+x+x+x+x+x"), "");
}

}  // namespace
}  // namespace scene_text_test
}  // namespace marey
