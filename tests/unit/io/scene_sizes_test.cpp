// Numbers beyond all measure are refused where they are read, with their place and what would do; and the guide says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "marey/io/scene.h"
#include "marey/spec/units.h"

namespace marey {
namespace scene_sizes_test {

std::string complaint(const std::string& text) {
  try {
    parse_scene(text, "f.yaml");
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
    return e.what();
  }
}

// At the place where `value` stands for the first time.
void expect_refused(const std::string& text, const std::string& value, const std::string& said) {
  const std::size_t at = text.find(value), line = text.rfind('\n', at) + 1;
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::string whole =
      "f.yaml:" + std::to_string(lines + 1) + ":" + std::to_string(at - line + 1) + ": found " + said;
  const std::string found = complaint(text);
  EXPECT_TRUE(found.starts_with(whole)) << text << "\ngave:     " << found << "\nexpected: " << whole;
}

const std::string head = "marey: 1\nduration: 1 s\n";

std::string top(const std::string& link) {
  return head + "figures: {top: {links: {body: {joint: {type: hinge, axis: z}, " + link + "}}}}\n";
}
const std::string shape = "shape: {sphere: 5 cm}, ";

TEST(SceneSizes, EveryKindHasItsLimit) {
  using namespace kinds;
  for (const QuantityKind& kind : {number,         length,          mass,         time,
                                   angle,          speed,           angular_rate, acceleration,
                                   force,          torque,          stiffness,    turning_stiffness,
                                   damping,        turning_damping, density,      angular_acceleration,
                                   quadratic_drag, attraction,      newton,       inertia}) {
    EXPECT_EQ(problem_of_size(kind.most, "x", kind, true), "") << kind.name;
    EXPECT_EQ(problem_of_size(-kind.most, "x", kind), "") << kind.name;
    EXPECT_EQ(problem_of_size(kind.least, "x", kind, true), "") << kind.name;
    EXPECT_EQ(problem_of_size(0, "x", kind, true), "") << kind.name;
    EXPECT_EQ(problem_of_size(1e-308, "x", kind, false), "") << kind.name << ": a coordinate may be next to nothing";
    for (const double x : {1.01 * kind.most, -1.01 * kind.most, static_cast<double>(NAN)})
      EXPECT_NE(problem_of_size(x, "x", kind).find("expected " + std::string(kind.name) + " of at most 1e+"),
                std::string::npos)
          << kind.name;
    EXPECT_NE(problem_of_size(0.99 * kind.least, "x", kind, true).find(" of at least 1e-"), std::string::npos)
        << kind.name;
  }
}

TEST(SceneSizes, WhatNatureHasIsTaken) {
  using namespace kinds;
  struct Thing {
    double size;
    const QuantityKind& kind;
  };
  const Thing things[] = {{1.6e-35, length},             // Planck's
                          {8.8e26, length},              // across the universe that can be seen
                          {1e-37, mass},                 // a neutrino
                          {1.5e53, mass},                // all that shines
                          {5.4e-44, time},               // Planck's
                          {4.4e17, time},                // the age of the universe
                          {299792458, speed},            // light
                          {4500, angular_rate},          // the fastest pulsar
                          {1e22, angular_rate},          // a nucleus
                          {5.6e51 / 1e3, acceleration},  // near Planck's
                          {6.6e20, attraction},          // five suns
                          {2.3e17, density},             // a nucleus
                          {1e38, inertia}};              // the earth
  for (const Thing& t : things) EXPECT_EQ(problem_of_size(t.size, "x", t.kind, true), "") << t.kind.name << t.size;
}

TEST(SceneSizes, RefusedWhereTheyStand) {
  expect_refused(top(shape + "mass: 1 kg, start: {rate: 1e200 rad/s}"), "1e200",
                 "'1e200 rad/s', which is beyond all measure; expected an angular rate of at most 1e+25 rad/s");
  expect_refused(top(shape + "mass: 1e80 kg"), "1e80",
                 "'1e80 kg', which is beyond all measure; expected a mass of at most 1e+55 kg");
  expect_refused(top("shape: {sphere: -1e308}, mass: 1 kg"), "-1e308", "'-1e308'; expected a length above zero");
  expect_refused(top("shape: {sphere: 1e-300}, mass: 1 kg"), "1e-300",
                 "'1e-300', which is next to nothing; expected a length of at least 1e-40 m");
  // vectors
  expect_refused(
      head + "particles:\n  cloth:\n    grid: {count: [3, 3], spacing: 4 cm, from: [1e308, 0, 0]}\n    mass: 2 g\n",
      "1e308", "'1e308', which is beyond all measure; expected a length of at most 1e+27 m");
  // tables
  expect_refused(top(shape + "mass: 1 kg") +
                     "torques: [{free_play: {joint: top.body, from: 0, to: 1, slope: [[0 s, 1], [1 s, 1e99]]}}]\n",
                 "1e99", "'1e99', which is beyond all measure; expected a turning stiffness of at most 1e+90 N m/rad");
  // numbers in formulas, formulas that never change, and where they begin
  const auto field = [](const std::string& formula) {
    return head + "particles: {p: {points: [{position: [0, 0, 0], mass: 1}]}}\nforces: [{field: {links: p.1, force: [" +
           formula + ", 0, 0]}}]\n";
  };
  expect_refused(field("'x + 1e150'"), "1e150", "'1e150', which is beyond all measure; expected a plain number");
  expect_refused(field("'exp(900)'"), "'exp", "'exp(900)', whose value is inf; expected a number of at most 1e+100");
  expect_refused(top(shape + "mass: 1 kg") + "frame: {angular_velocity: [0, 0, '1e60*cos(t)']}\n", "'1e60",
                 "'1e60*cos(t)', which is 1e+60 at t = 0, which is beyond all measure; expected an angular rate of at "
                 "most 1e+25 rad/s");
}

TEST(SceneSizes, OptionsHaveThem) {
  EXPECT_EQ(time_from("1e19 s", "--duration"), 1e19);
  try {
    time_from("1e21 s", "--duration");
    FAIL() << "taken";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "--duration: found '1e21 s', which is beyond all measure; expected a time of at most 1e+20 s");
  }
}

TEST(SceneSizes, TheGuideListsThem) {
  using namespace kinds;
  std::ifstream file(std::string(MAREY_SOURCE_DIR) + "/docs/guide/scenes.md");
  std::ostringstream guide;
  guide << file.rdbuf();
  for (const QuantityKind& kind : {number,         length,          mass,         time,
                                   angle,          speed,           angular_rate, acceleration,
                                   force,          torque,          stiffness,    turning_stiffness,
                                   damping,        turning_damping, density,      angular_acceleration,
                                   quadratic_drag, attraction,      newton,       inertia}) {
    std::ostringstream line;
    const std::string name = kind.name, unit = *kind.unit != '\0' ? " " + std::string(kind.unit) : "";
    line << "\n| " << name.substr(name.find(' ') + 1) << " | " << kind.least << unit << " | " << kind.most << unit
         << " |\n";
    EXPECT_NE(guide.str().find(line.str()), std::string::npos) << "docs/guide/scenes.md lacks" << line.str();
  }
}

}  // namespace scene_sizes_test
}  // namespace marey
