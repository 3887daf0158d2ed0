// A scene with a character that is not what it looks like is refused at that character.
#include <gtest/gtest.h>

#include <string>

#include "marey/io/scene.h"
#include "marey/spec/units.h"
#include "support/trouble.h"

namespace marey {
namespace scene_look_alikes_test {
namespace {

std::string refused(const std::string& text) {
  return trouble::of(ErrorKind::bad_input, [&] { parse_scene(text, "f.yaml"); });
}
const std::string body = "figures: {ball: {links: {body: {mass: 1 kg, inertia: {sphere: 5 cm}}}}}\n";
std::string scene(const std::string& line) { return "marey: 1\nduration: 1 s\n" + line + "\n" + body; }

TEST(SceneLookAlikes, NumbersAreRefusedAtTheCharacter) {
  EXPECT_EQ(
      refused("marey: 1\nduration: 1\u00a0s\n" + body),
      "f.yaml:2:12: found '1\u00a0s' (its character 2 is U+00A0 (no-break space): write ' '); expected a time, such "
      "as 10 ms");
  EXPECT_EQ(refused(scene("gravity: [0, 0, −9.81]")),
            "f.yaml:3:17: found '−9.81' (its character 1, '−', is U+2212 (minus sign): write '-'); expected an "
            "acceleration, such as 9.81 m/s^2");
  EXPECT_EQ(refused(scene("gravity: [0, 0, 9.8１]")).rfind("f.yaml:3:20: found '9.8１' (its ch", 0), 0u);
  EXPECT_EQ(refused(scene("gravity: [0, 0, 1e−3]")).rfind("f.yaml:3:19: found '1e−3' (its ch", 0), 0u);
  EXPECT_EQ(refused(scene("solver: {step: “1 ms”}")).rfind("f.yaml:3:16: found '“1 ms”' (its ch", 0), 0u);
}

TEST(SceneLookAlikes, WordsKeysAndFormulasToo) {
  const auto says = [&](const std::string& line, const std::string& where, const std::string& part) {
    const std::string said = refused(scene(line));
    EXPECT_EQ(said.rfind("f.yaml:" + where + ": ", 0), 0u) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  says("solver: {integrator: rk４}", "3:24", "its character 3, '４', is U+FF14");
  says("\u00a0gravity: 0", "3:1", "its character 1 is U+00A0 (no-break space)");
  says("forces:\n  - push: {link: ball.body\u200b, force: [0, 0, 1 N]}", "4:27", "its character 10 is U+200B");
  says("forces:\n  - push: {link: ball.body, force: [0, 0, '2×t']}", "4:45", "its character 2, '×', is U+00D7");
  says("forces:\n  - push: {link: ball.body, force: [0, 0, '2*−t']}", "4:46", "its character 3, '−', is U+2212");
  says("gravity： 0", "4:8", "of the line 'gravity： 0' its character 8, '：', is U+FF1A");
}

TEST(SceneLookAlikes, OptionsToo) {
  EXPECT_EQ(
      trouble::of(ErrorKind::bad_input, [] { time_from("−1 s", "--from"); }),
      "--from: found '−1 s' (its character 1, '−', is U+2212 (minus sign): write '-'); expected a time, such as 10 "
      "ms");
}

// Texts for people may have what they like.
TEST(SceneLookAlikes, TitlesAreFree) { EXPECT_EQ(parse_scene(scene("title: “A − B”"), "f.yaml").title, "“A − B”"); }

TEST(SceneUnitsForeign, AreToldWhatUnitsThereAre) {
  const auto problem = [](const char* text, const QuantityKind& kind) { return read_quantity(text, kind).problem; };
  EXPECT_EQ(
      problem("24 in", kinds::length),
      "found '24 in' (unknown unit 'in'; 1 in is 2.54 cm; a length is in m, km, cm, mm, µm); expected a length, such "
      "as 4 cm");
  EXPECT_EQ(problem("6 feet", kinds::length),
            "found '6 feet' (unknown unit 'feet'; 1 feet is 30.48 cm; a length is in m, km, cm, mm, µm); expected a "
            "length, such as 4 cm");
  EXPECT_EQ(
      problem("180 lb", kinds::mass),
      "found '180 lb' (unknown unit 'lb'; 1 lb is 0.45359237 kg; a mass is in kg, g, mg, t); expected a mass, such "
      "as 20 g");
  EXPECT_EQ(
      problem("2 Hz", kinds::angular_rate),
      "found '2 Hz' (unknown unit 'Hz'; 1 Hz is 1 rev/s as an angular rate, and 1/s otherwise; an angular rate is in "
      "rad/s, deg/s, rev/s, rpm); expected an angular rate, such as 90 deg/s");
  EXPECT_EQ(
      problem("3 lbf/in", kinds::stiffness),
      "found '3 lbf/in' (unknown unit 'lbf'; 1 lbf is 4.4482216 N; a stiffness is in N/m, of m, g, s, min, h, N, J, "
      "W, Pa, rad, deg, rev with prefixes); expected a stiffness, such as 400 N/m");
  EXPECT_EQ(problem("3 kgg", kinds::mass),
            "found '3 kgg' (unknown unit 'kgg'; did you mean 'kg g'?); expected a mass, such as 20 g");
  EXPECT_EQ(problem("3 qq", kinds::number),
            "found '3 qq' (unknown unit 'qq'; a plain number has no unit but %); expected a plain number, such as 0.1");
}

// Each conversion is a quantity that can be read, and no name of a foreign unit is one of ours.
TEST(SceneUnitsForeign, NamesAreNotTakenByKnownUnits) {
  for (const char* name :
       {"in", "ft", "mi", "lb", "oz", "sec", "day", "Hz", "mph", "kph", "lbf", "psi", "bar", "cal", "hp", "l"})
    EXPECT_NE(read_quantity(std::string("1 ") + name, kinds::length).problem.find("unknown unit"), std::string::npos)
        << name;
}

}  // namespace
}  // namespace scene_look_alikes_test
}  // namespace marey
