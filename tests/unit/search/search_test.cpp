// Searches whose answers are known in closed form, and what a search owes its user: the same numbers again, the best when it is stopped, and
// scenes that say what was found.
#include "marey/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/sanitized.h"
#include "support/trouble.h"

namespace search_test {

using namespace marey;

constexpr double g = 9.81;

// A stone thrown from the origin; it is to be at (d, 0, h) after T: v = (d/T, 0, h/T + g T/2).
std::string throw_to(const std::string& want,
                     const std::string& velocity = "[{search: [0, 9 m/s]}, 0, {search: [0, 900 cm/s]}]") {
  return R"(marey: 1
duration: 0.8 s
solver: {step: 10 ms}
particles:
  stone: {mass: 100 g, points: {a: {position: [0, 0, 0], velocity: )" +
         velocity + "}}}   # as it is let go\nwant:\n" + want;
}
const std::string at_the_target = "  - place: {link: stone.a, at: [3 m, 0, 1 m], within: 1 um}\n";

SearchResult search_text(const std::string& text, const SearchOptions& options = {}, const SearchHooks& hooks = {}) {
  return search(parse_spec(text, "s.yaml"), options, hooks);
}
double number(const SearchResult& r, std::size_t i) { return std::stod(r.numbers.at(i)); }

TEST(Search, ThrowsAStoneToAPlaceAtATime) {
  const SearchResult r = search_text(throw_to(at_the_target));
  ASSERT_TRUE(r.holds);
  EXPECT_NEAR(number(r, 0), 3 / 0.8, 2e-6);
  EXPECT_NEAR(number(r, 1), 100 * (1 / 0.8 + g * 0.8 / 2), 2e-4);
  EXPECT_EQ(r.marks[1].unit, "cm/s");
  EXPECT_LE(r.runs, 40) << "two numbers, on which the place depends linearly";
}

// The same place at whatever time: one of the two is free. The hoop lies level, and is passed downwards.
TEST(Search, ThrowsThroughAHoop) {
  const SearchResult r = search_text(throw_to(
      "  - through: {link: stone.a, at: [2 m, 0, 0.3 m], along: -z, within: 1 mm}\n", "[{search: [2, 6]}, 0, 4 m/s]"));
  ASSERT_TRUE(r.holds);
  const double t = (4 + std::sqrt(16 - 2 * g * 0.3)) / g;
  EXPECT_NEAR(number(r, 0), 2 / t, 1e-3 / t);
}

// A rod that turns freely about its axis with w turns w T/2π times.
TEST(Search, CountsTheTurnsOfARod) {
  const auto rod = [](const std::string& spin, const std::string& about) {
    return R"(marey: 1
duration: 1.5 s
gravity: 0
solver: {step: 5 ms}
figures:
  rod: {links: {bar: {shape: {capsule: {radius: 1 cm, length: 60 cm, center: [0, 0, 0]}}, mass: 0.5 kg, start: {spin: )" +
           spin + "}}}}\nwant:\n  - turns: {link: rod.bar, about: " + about + "}\n";
  };
  for (const char* about : {"y, equals: 3.25, within: 1e-6", "-y, equals: -3.25, within: 1e-6",
                            "y, own: true, equals: 3.25, within: 1e-6"}) {
    const SearchResult r = search_text(rod("[0, {search: [-20 rad/s, 40 rad/s]}, 0]", about));
    ASSERT_TRUE(r.holds) << about;
    EXPECT_NEAR(number(r, 0), 3.25 * 2 * std::numbers::pi / 1.5, 1e-5);
  }
}

// A ball that falls by h on a linear spring of stiffness k: F = m g (1 + √(1 + 2 k h/(m g))).
TEST(Search, FindsTheHeightFromWhichAForcePeaks) {
  const SearchResult r = search_text(R"(marey: 1
duration: 0.6 s
solver: {step: 0.2 ms}
figures:
  ball: {links: {body: {shape: {sphere: 5 cm}, mass: 2 kg, start: {position: [0, 0, {search: [6 cm, 60 cm]}]}}}}
contacts:
  - {name: floor, link: ball.body, friction: 0, compliant: {stiffness: 20 kN/m}}
want:
  - peak: {channel: contact/floor/force, equals: 0.5 kN, within: 0.1 N}
)");
  ASSERT_TRUE(r.holds);
  const double mg = 2 * g, ratio = 500 / mg - 1, h = (ratio * ratio - 1) * mg / (2 * 20e3);
  EXPECT_NEAR(number(r, 0), 100 * (0.05 + h), 100 * 0.002 * h);  // the peak is seen at the ends of steps
}

// A pendulum let go at an angle a rests at ±a, and is upright nowhere else: where is told by energy.
TEST(Search, SwingsUpToStand) {
  const SearchResult r = search_text(R"(marey: 1
duration: 0.9 s
solver: {step: 2 ms}
figures:
  p: {links: {rod: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, length: 1 m, along: -z}}, mass: 1 kg,
                    start: {rate: {search: [0 rad/s, 9 rad/s]}}}}}
want:
  - standing: {link: p.rod, axis: -z, within: 2 deg, point: [0, 0, -1 m], above: 0.9 m}
)");
  ASSERT_TRUE(r.holds);
  EXPECT_NE(r.outcomes[0].text.find("lean in deg"), std::string::npos) << r.outcomes[0].text;
}

// Where impacts are located in time the motion is smooth on both sides of them: derivatives go through a bounce. A ball dropped with a
// speed v from 1 m strikes with √(v² + 2 g h), goes back with 0.8 of it, and is where it is to be after 0.8 s.
TEST(Search, DerivativesGoThroughABounce) {
  const SearchResult r = search_text(R"(marey: 1
duration: 0.8 s
solver: {integrator: rk45, tolerance: 1e-11}
figures:
  ball: {links: {body: {shape: {sphere: 5 cm}, mass: 200 g, start: {position: [0, 0, 1.05 m], velocity: [0, 0, {search: [-4 m/s, -0.1 m/s]}]}}}}
contacts:
  - {link: ball.body, restitution: 0.8}
want:
  - place: {link: ball.body, at: [0, 0, 1 m], within: 1 um}
)");
  ASSERT_TRUE(r.holds);
  const double v = -number(r, 0), struck = std::sqrt(v * v + 2 * g), t = 0.8 - (struck - v) / g;
  EXPECT_NEAR(0.05 + 0.8 * struck * t - 0.5 * g * t * t, 1, 2e-6);
  EXPECT_LE(r.runs, 60);
}

// Numbers beside a channel are of what it is in: an energy in J, or in SI units without one.
TEST(Search, WishesAreInTheUnitsOfTheirChannels) {
  for (const char* energy : {"4 J", "4", "0.004 kJ"}) {
    const SearchResult r = search_text(
        throw_to(std::string("  - value: {channel: energy/kinetic, equals: ") + energy + ", within: 1e-6}\n",
                 "[{search: [0, 9]}, 0, 0]"));
    ASSERT_TRUE(r.holds) << energy;
    const double fallen = g * 0.8;
    EXPECT_NEAR(number(r, 0), std::sqrt(2 * 4 / 0.1 - fallen * fallen), 1e-5) << energy;
  }
}

TEST(Search, BoundsOfOneSideAreKeptWithAMargin) {
  const SearchResult r =
      search_text(throw_to("  - value: {channel: link/stone.a/position.z, above: 2 m}\n", "[0, 0, {search: [0, 9]}]"));
  ASSERT_TRUE(r.holds);
  EXPECT_GT(number(r, 0), 2 / 0.8 + g * 0.8 / 2);
  EXPECT_LT(number(r, 0), 7);  // and not farther than need be
}

// ------------------------------------------------------------------------------------------- what is owed
// Jumps everywhere: a box that is thrown and bounces.
const std::string dice =
    std::string("marey: 1\nduration: 0.8 s\nsolver: {step: ") + (sanitized ? "4 ms" : "1 ms") + R"(}
materials: {default: {friction: 0.4, restitution: 0.3}}
figures:
  die:
    links:
      body: {shape: {box: [2 cm, 2 cm, 2 cm]}, mass: 8 g,
             start: {position: [0, 0, 10 cm], velocity: [0.6 m/s, 0, 0], spin: [{search: [-20, 20]}, {search: [0, 40]}, 3 rad/s]}}
scenery: {table: {plane: 0}}
collide: all
want:
  - face: {link: die.body, axis: z, within: 2 deg}
)";

TEST(Search, TheSameSeedFindsTheSame) {
  const SearchResult a = search_text(dice, {3}), b = search_text(dice, {3}), c = search_text(dice, {4});
  ASSERT_TRUE(a.holds && c.holds);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_NE(a.numbers, c.numbers);
}

// What was found moves like the run in which it was, to the last bit: its outcome is said again, by the first run of a new search.
TEST(Search, WhatIsFoundCanBeRunAndComesOutAgain) {
  for (const std::string& scene : {dice, throw_to(at_the_target)}) {
    const SearchResult r = search_text(scene);
    ASSERT_TRUE(r.holds);
    Simulation simulation(parse_scene(r.text, "found.yaml"));
    OutcomeWatch watch(simulation, simulation.system().scene().wants);
    watch.look();
    while (simulation.time() < 0.8) simulation.step(0.8), watch.look();
    ASSERT_EQ(watch.outcomes().size(), r.outcomes.size());
    for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
      EXPECT_EQ(watch.outcomes()[i].text, r.outcomes[i].text);
      EXPECT_EQ(watch.outcomes()[i].misses, r.outcomes[i].misses);
    }
    EXPECT_TRUE(search_text(r.text, {.runs = 1}).holds);
  }
}

TEST(Search, WritesWhereTheUserWrote) {
  const SearchResult r = search_text(throw_to(at_the_target));
  EXPECT_NE(r.text.find("velocity: [{search: [0, 9 m/s], found: " + r.numbers[0] +
                        "}, 0, {search: [0, 900 cm/s], found: " + r.numbers[1] + "}]}}}   # as it is let go\n"),
            std::string::npos)
      << r.text;
  EXPECT_NE(r.text.find("within: 1 um}  # marey search: " + r.outcomes[0].text + "\n"), std::string::npos) << r.text;
  // Searched again the same lines are there once.
  EXPECT_EQ(search_text(r.text).text, r.text);
}

TEST(Search, WritesAnewWhatIsNotInBraces) {
  SceneSpec spec = parse_spec(throw_to(at_the_target), "s.yaml");
  spec.set("title", "made in code");
  const SearchResult r = search(spec);
  ASSERT_TRUE(r.holds);
  EXPECT_NO_THROW(parse_scene(r.text, "again.yaml")) << r.text;
  EXPECT_NE(r.text.find("found: " + r.numbers[0]), std::string::npos);
}

// One number in two places, by an anchor and its alias.
TEST(Search, AnAliasIsTheSameNumber) {
  const SearchResult r = search_text(throw_to("  - place: {link: stone.a, at: [2.4 m, 2.4 m, 1 m], within: 1 mm}\n",
                                              "[&x {search: [0, 9]}, *x, {search: [0, 9]}]"));
  ASSERT_TRUE(r.holds);
  EXPECT_EQ(r.marks.size(), 2u);
  EXPECT_NEAR(number(r, 0), 3, 1e-2);
  EXPECT_NO_THROW(parse_scene(r.text, "again.yaml"));
  EXPECT_NE(r.text.find("[&x {search: [0, 9], found: " + r.numbers[0] + "}, *x, {search: [0, 9], found: "),
            std::string::npos)
      << r.text;
  EXPECT_NE(r.text.find("# as it is let go\n"), std::string::npos) << r.text;
}

TEST(Search, StoppedItGivesTheBestSoFar) {
  int asked = 0;
  SearchHooks hooks;
  hooks.stop = [&] { return ++asked > 600; };  // in a later run
  const SearchResult r =
      search_text(throw_to("  - place: {link: stone.a, at: [3 m, 5 cm, 1 m], within: 1 um}\n"), {}, hooks);
  EXPECT_TRUE(r.interrupted);
  EXPECT_FALSE(r.holds);
  ASSERT_EQ(r.outcomes.size(), 1u);
  EXPECT_NO_THROW(parse_scene(r.text, "best.yaml"));
  EXPECT_NE(r.text.find("# marey search: NOT REACHED: "), std::string::npos) << r.text;
}

TEST(Search, StopsWithItsRuns) {
  const SearchResult r =
      search_text(throw_to("  - place: {link: stone.a, at: [3 m, 5 cm, 1 m], within: 1 um}\n"), {.runs = 50});
  EXPECT_FALSE(r.holds || r.interrupted);
  EXPECT_EQ(r.runs, 50);
  // As near as can be: beside it by what no number changes.
  EXPECT_NEAR(r.badness, 0.05 / 1e-6, 1);
}

// A spring so stiff that the steps are unstable: the run breaks down. Beside it there are good ones.
TEST(Search, RunsThatFailAreBadAndNoEnd) {
  const std::string text = R"(marey: 1
duration: 0.8 s
gravity: 0
solver: {integrator: euler, step: 1 ms}
particles:
  stone: {mass: 100 g, points: {a: {position: [1 m, 0, 0]}}}
forces:
  - spring: {link: stone.a, to: [0, 0, 0], rest: 0, stiffness: {search: [0 N/m, 1e6 N/m]}}
want:
  - place: {link: stone.a, at: [0.5 m, 0, 0], within: 1 cm}
)";
  const SearchResult r = search_text(text, {.runs = 60});
  EXPECT_GT(r.failed, 0);
  EXPECT_LT(r.failed, r.runs);
  EXPECT_FALSE(r.last_failure.empty());
  EXPECT_FALSE(r.outcomes.empty());
}

// No run at all comes to its end; there is nothing to write.
TEST(Search, WhereAllRunsFailItSaysWhy) {
  std::string text = throw_to(at_the_target);
  text.replace(text.find("mass: 100 g"), 11, "mass: 100 g, radius: 1 cm");
  text.insert(text.find("want:"), "forces:\n  - push: {link: stone.a, force: ['1e30*exp(1e3*t)', 0, 0]}\n");
  const SearchResult r = search_text(text, {.runs = 30});
  EXPECT_FALSE(r.holds);
  EXPECT_EQ(r.failed, r.runs);
  EXPECT_EQ(r.runs, 30);
  EXPECT_EQ(r.text, "");
  EXPECT_NE(r.last_failure, "");
}

// ------------------------------------------------------------------------------------------------ refusals
std::string refused(const std::string& text) {
  return trouble::of(ErrorKind::bad_input, [&] { search_text(text); });
}

TEST(SearchRefuses, WhatMakesNoSenseWhereItIs) {
  struct Case {
    std::string text, message;
  };
  const std::string ok = at_the_target;
  for (const Case& c : std::vector<Case>{
           {throw_to(ok, "[{search: [9 m/s, 1 m/s]}, 0, 0]"),
            "s.yaml:5:78: found 9 m/s to 1 m/s to search between; expected the lower"},
           {throw_to(ok, "[{search: [1 m/s, 1 m/s]}, 0, 0]"), "s.yaml:5:78: found 1 m/s to 1 m/s to search between"},
           {throw_to(ok, "[{search: [1 m, 2 s]}, 0, 0]"),
            "s.yaml:5:78: found '1 m' and '2 s'; expected two numbers of one kind"},
           {throw_to(ok, "[{search: [1 kg, 2 kg]}, 0, 0]"), "s.yaml:5:69: found a mass (kg); expected a speed"},
           {throw_to(ok, "[{search: [1, 2, 3]}, 0, 0]"), "s.yaml:5:78: found a list of 3; expected two numbers"},
           {throw_to(ok, "[{search: [1, 2], found: 3}, 0, 0]"),
            "s.yaml:5:93: found '3'; expected a number between 1 and 2"},
           {throw_to(ok, "[{search: [1, 2], find: 3}, 0, 0]"),
            "s.yaml:5:86: found the unknown key 'find' in mark; expected search or found"},
           {throw_to(ok, "[1, 0, 0]"), "s.yaml:1:1: found no number that is to be searched for"},
           {throw_to("  - place: {link: stone.b, at: [3 m, 0, 1 m], within: 1 um}\n"),
            "s.yaml:7:19: found the unknown link 'stone.b'"},
           {throw_to("  - place: {link: stone.a, at: [3 m, 0, {search: [1, 2]}], within: 1 um}\n"),
            "s.yaml:7:41: found a number to be searched for in what is wanted"},
           {throw_to("  - place: {link: stone.a, at: [3 m, 0, 1 m], within: 1 um, time: 2 s}\n"),
            "s.yaml:7:67: found 2 s; expected a time within"},
           {throw_to("  - turns: {link: stone.a, about: z, least: 1}\n"),
            "s.yaml:7:19: found the particle 'stone.a', which never turns"},
           {throw_to("  - peak: {channel: link/stone.a/posision.z, below: 2}\n"),
            "s.yaml:7:21: found the unknown channel 'link/stone.a/posision.z'; did you mean"},
           {throw_to("  - peak: {channel: link/stone.a, below: 2}\n"), "s.yaml:7:21: found 'link/stone.a', which is"},
           {throw_to("  - peak: {channel: link/stone.a/position.z}\n"),
            "s.yaml:7:5: found nothing that is wanted of the number"},
           {throw_to("  - value: {channel: link/stone.a/position.z, above: 2 kg}\n"),
            "s.yaml:7:54: found a mass (kg); expected a length"},
           {throw_to("  - value: {channel: link/stone.a/position.z, above: 2, below: 1}\n"),
            "found bounds from 2 to 1"},
           {throw_to("  - value: {channel: link/stone.a/position.z, equals: 2}\n"),
            "found no 'within' beside 'equals'"},
           {throw_to("  - peak: {channel: link/stone.a/position.z, above: 2, from: 0.5 s, until: 0.4 s}\n"),
            "found a peak from 0.5 s until 0.4 s"},
           {throw_to("  - {}\n"), "s.yaml:7:5: found nothing that is wanted"},
           {throw_to("  []\n"), "expected a list of what is wanted"}}) {
    const std::string said = refused(c.text);
    EXPECT_NE(said.find(c.message), std::string::npos) << said << "\nexpected: " << c.message;
  }
  std::string text = throw_to(ok);
  text.erase(text.find("want:"));
  EXPECT_NE(refused(text).find("found no 'want' in the scene"), std::string::npos);
}

// Marks that nothing has been found of are refused by whatever runs a scene, which says who finds it.
TEST(SearchRefuses, ToRunWhatIsStillOpen) {
  const std::string said = trouble::of(ErrorKind::bad_input, [] { parse_scene(throw_to(at_the_target), "s.yaml"); });
  EXPECT_TRUE(said.starts_with("s.yaml:5:69: found a number to be searched for, between 0 m/s and 9 m/s")) << said;
  EXPECT_NE(said.find("'marey search' finds it"), std::string::npos) << said;
}

}  // namespace search_test
