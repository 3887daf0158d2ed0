// Humans of a scene: one line, the same as their links written out; what is said of them besides; errors with their places.
#include <gtest/gtest.h>

#include <algorithm>

#include "marey/dynamics.h"
#include "marey/human.h"
#include "marey/io/scene.h"

namespace marey::scene_humans_test {
namespace {

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 1 s\n" + text, "f.yaml"); }
std::string message_of(const std::string& text) {
  try {
    scene_of(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "taken";
}
Scene with(const std::string& human, const std::string& besides = "") {
  return scene_of("figures: {anna: {human: {" + human + "}" + besides + "}}\n");
}
const std::string anna = "sex: female, mass: 62 kg, height: 1.7 m";

bool alike(const Inertia<double>& a, const Inertia<double>& b) {
  return a.m == b.m && norm(a.h - b.h) == 0 && a.J.xx == b.J.xx && a.J.yy == b.J.yy && a.J.zz == b.J.zz &&
         a.J.yz == b.J.yz;
}

// By the tables, by hand: a scene's one line, and the links that human_figure writes, as texts.
TEST(SceneHumans, AreTheLinksWrittenOut) {
  const Scene one = with(anna);
  const HumanFigure figure = human_figure(measure({.sex = Sex::female, .mass = 62, .height = 1.7}), {});
  std::vector<std::pair<std::string, Value>> links;
  for (const HumanLink& link : figure.links) links.emplace_back(link.name, link.link);
  const Scene written =
      scene_of(to_yaml(Value::map({{"figures", Value::map({{"anna", Value::map({{"links", Value::map(links)}})}})}})));
  ASSERT_EQ(one.model.names, written.model.names);
  EXPECT_EQ(one.model.nv, 39);
  for (std::size_t i = 1; i < one.model.names.size(); ++i) {
    EXPECT_TRUE(alike(one.model.params.links[i].I, written.model.params.links[i].I)) << one.model.names[i];
    EXPECT_EQ(norm(one.model.params.links[i].l - written.model.params.links[i].l), 0);
    EXPECT_EQ(one.model.shapes[i].size(), written.model.shapes[i].size());
  }
  // 11 joints rub and have their limits; as written out they have lost these, and kept the friction
  std::size_t limits = 0;
  for (const HumanLink& link : figure.links) limits += link.limits.size();
  EXPECT_EQ(one.elements.size(), limits + 11);
  EXPECT_EQ(written.elements.size(), 11u);
  EXPECT_EQ(with(anna + ", limits: none").elements.size(), 0u);
}

TEST(SceneHumans, MadeInCodeAreTheSame) {
  SceneSpec spec;
  spec.set("duration", "1 s");
  spec.set("figures/anna/human", Value::map({{"sex", "female"}, {"mass", "62 kg"}, {"height", "1.7 m"}}));
  const Scene made = build(spec), read = with(anna);
  ASSERT_EQ(made.model.names, read.model.names);
  for (std::size_t i = 1; i < made.model.names.size(); ++i)
    EXPECT_TRUE(alike(made.model.params.links[i].I, read.model.params.links[i].I));
  spec.set("figures/anna/human/mass", "2 kg");
  try {
    build(spec);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), "figures/anna/human/mass: found a person of 2 kg; expected 5 to 300 kg");
  }
}

TEST(SceneHumans, WhatIsSaidBesidesIsAdded) {
  const Scene s = with(
      anna,
      ", at: [1, 2, 0], links: {left_shank: {start: {turned: {axis: x, angle: -90 deg}}}, pelvis: "
      "{start: {velocity: [0, 1, 0]}}, bag: {parent: chest, joint: weld, at: [0, -20 cm, 10 cm], shape: {box: [20 cm, "
      "10 cm, 30 cm]}, mass: 7 kg}}");
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  const auto at = [&](const char* link) { return static_cast<std::size_t>(s.model.find(std::string("anna.") + link)); };
  EXPECT_EQ(s.model.nlink(), 1 + 13);
  EXPECT_NEAR(norm(k.X_WB[at("left_shank")].R * Vec3<double>{0, 0, -1} - Vec3<double>{0, -1, 0}), 0, 1e-14);
  EXPECT_NEAR(k.X_WB[at("pelvis")].p.x, 1, 1e-15);
  EXPECT_NEAR(norm(k.V_WB[at("bag")].v - Vec3<double>{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(s.model.links[at("bag")].parent, static_cast<int>(at("chest")));
}

TEST(SceneHumans, CopiesHaveLimitsOfTheirOwn) {
  const Scene one = with(anna), two = with(anna, ", copies: {count: 2, spacing: [1, 0, 0]}");
  EXPECT_EQ(two.elements.size(), 2 * one.elements.size());
  EXPECT_EQ(two.model.nv, 78);
  EXPECT_EQ(std::ranges::count_if(two.notes, [](const std::string& n) { return n.starts_with("anna: woman"); }), 1);
}

// Where the numbers are from goes with the scene into its motion.
TEST(SceneHumans, SayWhereTheyAreFrom) {
  EXPECT_EQ(
      with(anna + ", population: german").notes.at(0),
      "anna: woman of 62 kg and 1.7 m: masses, lengths and moments by Shan & Bohn 2003 (german), centres by de Leva "
      "1996; masses times 0.99985");
  const Scene heavy = with("sex: female, mass: 100 kg, height: 1.7 m");
  ASSERT_EQ(heavy.remarks.size(), 1u);
  EXPECT_NE(heavy.remarks[0].find("f.yaml:3:39: mass over height squared"), std::string::npos) << heavy.remarks[0];
}

// What is rare is taken, with what would be common.
TEST(SceneHumans, UnusualMeasurementsAreRemarkedOn) {
  const Scene s = with(anna + ", measured: {thigh: {mass: 20 kg}}");
  ASSERT_EQ(s.remarks.size(), 1u);
  EXPECT_NE(s.remarks[0].find("f.yaml:3:86: a thigh with a mass of 20 kg is unusual: 4.58 to 18.3 kg would be common"),
            std::string::npos)
      << s.remarks[0];
  EXPECT_TRUE(with(anna + ", measured: {thigh: {mass: 10 kg, length: 40 cm}}").remarks.empty());
}

TEST(SceneHumans, MistakesAreSaidWithTheirPlaces) {
  const auto says = [](const std::string& figure, const std::string& expected) {
    const std::string message = message_of("figures:\n  a: {" + figure + "}\n");
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  says("human: {sex: female, height: 1.7}", "f.yaml:4:14: found no 'mass' in human");
  says("human: {mass: 60, height: 1.7}", "found no 'sex' in human");
  says("human: {sex: femal, mass: 60, height: 1.7}", "did you mean 'female'?");
  says("human: {sex: male, mass: 60 m, height: 1.7}", "f.yaml:4:32: ");
  says("human: {sex: female, mass: 45, height: 1.55, population: german}",
       "f.yaml:4:14: found a thigh with moments of inertia of");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {thigh: {inertia: [0.01, 0.01, 0.03]}}}",
       "f.yaml:4:63: found a thigh with moments");
  // at the key that is to blame
  says("human: {sex: female, mass: 4, height: 1.65}", "f.yaml:4:28: found a person of 4 kg");
  says("human: {sex: female, mass: 60, height: 3}", "f.yaml:4:38: found a person of 3 m");
  says("human: {sex: female, mass: 60, height: 1.65, age: 130}", "f.yaml:4:52: found an age of 130 years");
  says("human: {sex: female, mass: 60, height: 1.65, population: german, source: de_leva}",
       "f.yaml:4:52: found a population with source: de_leva");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {foot: {center: 1}}}", "f.yaml:4:70: found a centre");
  // what nobody has, with what people have
  says("human: {sex: female, mass: 60, height: 1.65, measured: {foot: {length: 2 m}}}",
       "f.yaml:4:70: found a foot with a length of 2 m; expected 0.109 to 0.434 m in a person of 60 kg and 1.65 m");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {thigh: {mass: 1 g}}}",
       "f.yaml:4:71: found a thigh with a mass of 0.001 kg; expected 0.887 to 35.5 kg in a person of 60 kg and 1.65 m");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {head: {inertia: [9, 9, 9]}}}",
       "f.yaml:4:70: found a head with a radius of gyration of");
  // masses go together
  says("human: {" + anna + "}, links: {left_thigh: {mass: 3 kg}}",
       "found 'mass' of 'left_thigh', a link that the human has; expected it below human, as measured: {thigh: {mass: "
       "…}}");
  says("human: {" + anna + "}, links: {left_shank: {inertia: {sphere: 3 cm}}}",
       "measured: {shank: {inertia: …}, foot: {inertia: …}}");
  says("human: {mass: 60, source: ruder, form: three_links}, links: {trunk: {center_of_mass: [0, 0, 1]}}",
       "found 'center_of_mass' of 'trunk'");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {tigh: {mass: 5}}}", "did you mean 'thigh'?");
  says("human: {sex: female, mass: 60, height: 1.65, measured: {thigh: {}}}", "mass, length, center or inertia");
  says("human: {mass: 60, source: ruder}", "expected form: three_links");
  says("human: {mass: 60, source: ruder, form: three_links, height: 1.8}", "which needs the mass alone");
  says("human: {" + anna + "}, links: {left_thihg: {start: {}}}",
       "found 'left_thihg', which is no link of the human, without a parent; did you mean 'left_thigh'?");
  says("human: {" + anna + "}, links: {head: 3}", "a map of a link's keys");
  says("human: {" + anna + "}, chain: {links: 2, spacing: [1, 0, 0], link: {joint: ball, mass: 1}}", "'chain'");
  says("human: {" + anna + "}, links: {head: {start: {angle: 3}}}", "f.yaml:4:");
}

}  // namespace
}  // namespace marey::scene_humans_test
