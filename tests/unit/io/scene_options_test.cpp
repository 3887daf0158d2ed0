// What the command line says in place of the scene, and how its words become numbers.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "marey/core/text.h"
#include "marey/io/scene.h"
#include "support/trouble.h"

namespace marey {
namespace scene_options_test {
namespace {

const std::string figures = "figures: {ball: {links: {body: {mass: 1 kg, inertia: {sphere: 5 cm}}}}}\n";

std::string scene_with(const std::string& solver, const std::string& more = "") {
  return "marey: 1\nduration: 1 s\nsolver: " + solver + "\n" + figures + more;
}

// What is said; empty when nothing is.
std::string refused(const std::function<void()>& work) { return trouble::of(ErrorKind::bad_input, work); }
std::string refused(const std::string& text, const SceneOverrides& o) {
  return refused([&] { parse_scene(text, "f.yaml", o); });
}

using Notes = std::vector<std::string>;

TEST(SceneOptions, StepsOfAnotherKindAreOfAnotherLength) {
  SceneOverrides to_rk45;
  to_rk45.integrator = Integrator::rk45;
  Scene s = parse_scene(scene_with("{integrator: rk4, step: 2 ms}"), "f.yaml", to_rk45);
  EXPECT_EQ(s.solver.integrator, Integrator::rk45);
  EXPECT_EQ(s.solver.step, forever);
  EXPECT_EQ(s.notes, Notes{"rk45 chooses its steps: the scene's step of 0.002 s does not hold"});
  to_rk45.step = 0.25;
  s = parse_scene(scene_with("{integrator: rk4, step: 2 ms}"), "f.yaml", to_rk45);
  EXPECT_EQ(s.solver.step, 0.25);
  EXPECT_EQ(s.notes, Notes{});

  SceneOverrides to_midpoint;
  to_midpoint.integrator = Integrator::midpoint;
  s = parse_scene(scene_with("{integrator: rk45, step: 5 ms}"), "f.yaml", to_midpoint);
  EXPECT_EQ(s.solver.integrator, Integrator::midpoint);
  EXPECT_EQ(s.solver.step, 1e-3);
  EXPECT_EQ(s.notes, Notes{"midpoint has fixed steps: 0.001 s, unless --step says otherwise"});
  // Of one kind: the scene's step holds, and nothing is to be said.
  s = parse_scene(scene_with("{integrator: rk4, step: 2 ms}"), "f.yaml", to_midpoint);
  EXPECT_EQ(s.solver.step, 0.002);
  EXPECT_EQ(s.notes, Notes{});
  SceneOverrides to_bdf;
  to_bdf.integrator = Integrator::bdf;
  s = parse_scene(scene_with("{integrator: adams, step: 5 ms}"), "f.yaml", to_bdf);
  EXPECT_EQ(s.solver.step, 0.005);
  EXPECT_EQ(s.notes, Notes{});
}

TEST(SceneOptions, AToleranceIsOneForBothUnlessBothAreGiven) {
  const std::string text = scene_with("{integrator: rk45, tolerance: {relative: 1e-5, absolute: 1e-8}}");
  EXPECT_EQ(parse_scene(text, "f.yaml").solver.tolerance, 1e-5);
  EXPECT_EQ(parse_scene(text, "f.yaml").solver.absolute_tolerance, 1e-8);
  SceneOverrides o;
  o.tolerance = 1e-3;
  EXPECT_EQ(parse_scene(text, "f.yaml", o).solver.tolerance, 1e-3);
  EXPECT_FALSE(parse_scene(text, "f.yaml", o).solver.absolute_tolerance);
  o.absolute_tolerance = 1e-4;
  EXPECT_EQ(parse_scene(text, "f.yaml", o).solver.tolerance, 1e-3);
  EXPECT_EQ(parse_scene(text, "f.yaml", o).solver.absolute_tolerance, 1e-4);
  o.tolerance.reset();
  EXPECT_EQ(parse_scene(text, "f.yaml", o).solver.tolerance, 1e-5);
  EXPECT_EQ(parse_scene(text, "f.yaml", o).solver.absolute_tolerance, 1e-4);
  EXPECT_FALSE(parse_scene(scene_with("{integrator: rk45, tolerance: 1e-5}"), "f.yaml").solver.absolute_tolerance);
}

TEST(SceneOptions, TolerancesHaveTheirEnds) {
  const auto with = [](double tolerance) {
    SceneOverrides o;
    o.tolerance = tolerance;
    return o;
  };
  const std::string text = scene_with("{integrator: rk45}");
  EXPECT_EQ(refused(text, with(1e-14)), "");
  EXPECT_EQ(refused(text, with(0.1)), "");
  EXPECT_EQ(refused(text, with(9e-15)), "--tolerance: found a tolerance of 9e-15; expected one from 1e-14 to 0.1");
  EXPECT_EQ(refused(text, with(0.11)), "--tolerance: found a tolerance of 0.11; expected one from 1e-14 to 0.1");
  EXPECT_EQ(refused(scene_with("{integrator: rk4}"), with(1e-6)),
            "--tolerance: rk4 has fixed steps; a tolerance goes with rk45, adams and bdf");
}

TEST(SceneOptions, EveryOptionTakesThePlaceOfTheScenes) {
  SceneOverrides o;
  o.duration = 3, o.step = 0.5, o.record_every = 0.75, o.dynamics = Dynamics::armstrong;
  o.integrator = Integrator::semi_implicit, o.slow_band = 4, o.spread = true;
  const Scene s = parse_scene(scene_with("{dynamics: crba, integrator: rk4, step: 2 ms}"), "f.yaml", o);
  EXPECT_EQ(s.duration, 3);
  EXPECT_EQ(s.solver.step, 0.5);
  EXPECT_EQ(s.record.every, 0.75);
  EXPECT_EQ(s.solver.dynamics, Dynamics::armstrong);
  EXPECT_EQ(s.solver.integrator, Integrator::semi_implicit);
  EXPECT_EQ(s.solver.slow_band, 4);
  EXPECT_TRUE(s.solver.spread);
}

TEST(SceneOptions, ARefusalNamesTheOption) {
  const std::string text = scene_with("{step: 10 ms}");
  SceneOverrides o;
  o.duration = 0;
  EXPECT_EQ(refused(text, o), "--duration: found a duration of 0 s; expected a time above zero, such as 10 ms");
  o.duration = forever;
  EXPECT_EQ(refused(text, o), "--duration: found a duration of inf s; expected a time above zero, such as 10 ms");
  o = {}, o.step = -1;
  EXPECT_EQ(refused(text, o), "--step: found a step of -1 s; expected a time above zero, such as 10 ms");
  o = {}, o.record_every = forever;
  EXPECT_EQ(refused(text, o),
            "--record-every: found a time between frames of inf s; expected a time above zero, such as 10 ms");
  o = {}, o.slow_band = 0;
  EXPECT_EQ(refused(text, o), "--slow-band: found a slow band of 0; expected 1 or more");
  o = {}, o.step = 2;
  EXPECT_EQ(refused(text, o),
            "--step: found a step of 2 s in a duration of 1 s; expected a shorter step or a longer duration");
  o = {}, o.duration = 1e-3;
  EXPECT_EQ(
      refused(text, o),
      "--duration: found a step of 0.01 s in a duration of 0.001 s; expected a shorter step or a longer duration");
  o = {}, o.step = 0.99e-10;
  EXPECT_EQ(refused(text, o), "--step: found 1.01e+10 steps of 9.9e-11 s in 1 s; expected at most 1e+10");
  o = {}, o.step = 1e-10;
  EXPECT_EQ(refused(text, o), "");
  o = {}, o.record_every = 0.99e-7;
  EXPECT_EQ(refused(text, o),
            "--record-every: found 1.01e+07 frames to record, one every 9.9e-08 s; expected at most 1e+07");
  o = {}, o.record_every = 1e-7;
  EXPECT_EQ(refused(text, o), "");
  o = {}, o.step = 1;  // as long as the scene
  EXPECT_EQ(refused(text, o), "");
  // What an integrator that chooses its steps may not exceed can be longer than the scene, and is a time all the same.
  o = {}, o.integrator = Integrator::rk45, o.step = 2;
  EXPECT_EQ(refused(text, o), "");
  o.step = 0;
  EXPECT_EQ(refused(text, o), "--step: found a step of 0 s; expected a time above zero, such as 10 ms");
}

// Of two numbers that do not go together: the command line's before the scene's, and in the scene the one given.
TEST(SceneOptions, BlamesWhatWasSaid) {
  const auto scene = [](const std::string& duration, const std::string& rest) {
    return "marey: 1\nduration: " + duration + "\n" + rest + figures;
  };
  const std::string why =
      ": found a step of 0.001 s in a duration of 0.0001 s; expected a shorter step or a longer duration";
  EXPECT_EQ(refused(scene("0.1 ms", ""), {}), "f.yaml:2:11" + why);
  EXPECT_EQ(refused(scene("0.1 ms", "solver: {step: 1 ms}\n"), {}), "f.yaml:3:16" + why);
  SceneOverrides o;
  o.duration = 1e-4;
  EXPECT_EQ(refused(scene("1 s", "solver: {step: 1 ms}\n"), o), "--duration" + why);
  o.step = 1e-3;
  EXPECT_EQ(refused(scene("1 s", "solver: {step: 5 ms}\n"), o), "--step" + why);
  const std::string multipliers = "solver: {dynamics: multipliers, stabilisation: baumgarte";
  const std::string overshoots =
      " s with steps of 0.1 s, within which it would overshoot; expected a time of at least a step";
  EXPECT_EQ(refused(scene("1 s", multipliers + ", step: 100 ms}\n"), {}),
            "f.yaml:3:65: found a stabilisation_time of 0.05" + overshoots);
  EXPECT_EQ(refused(scene("1 s", multipliers + ", stabilisation_time: 99 ms, step: 100 ms}\n"), {}),
            "f.yaml:3:79: found a stabilisation_time of 0.099" + overshoots);
  EXPECT_EQ(refused(scene("1 s", multipliers + ", stabilisation_time: 100 ms, step: 100 ms}\n"), {}), "");
  o = {}, o.step = 0.1;
  EXPECT_EQ(refused(scene("1 s", multipliers + ", stabilisation_time: 99 ms}\n"), o),
            "--step: found a stabilisation_time of 0.099" + overshoots);
  // Methods that choose their steps have none to overshoot in; and without Baumgarte nothing is held back.
  EXPECT_EQ(refused(scene("1 s", multipliers + ", stabilisation_time: 99 ms, integrator: rk45, step: 100 ms}\n"), {}),
            "");
  EXPECT_EQ(refused(scene("1 s", "solver: {dynamics: multipliers, step: 100 ms}\n"), {}), "");
}

TEST(SceneOptions, WarnsOfFramesThatAreNone) {
  const auto warnings = [](const std::string& text) { return parse_scene(text, "f.yaml").warnings; };
  EXPECT_EQ(warnings(scene_with("{step: 10 ms}", "record: {every: 9 ms}\n")),
            Notes{"frames are recorded every 0.009 s, more often than the step of 0.01 s"});
  EXPECT_EQ(warnings(scene_with("{step: 10 ms}", "record: {every: 10 ms}\n")), Notes{});
  EXPECT_EQ(warnings(scene_with("{integrator: rk45, step: 10 ms}", "record: {every: 9 ms}\n")), Notes{});
  EXPECT_EQ(warnings(scene_with("{step: 10 ms}", "record: {every: 2 s}\n")),
            Notes{"frames are recorded every 2 s, but the scene lasts 1 s"});
  EXPECT_EQ(warnings(scene_with("{step: 10 ms}", "record: {every: 1 s}\n")), Notes{});
}

TEST(SceneOptions, TheSolverHasAllItsNumbers) {
  Scene s = parse_scene(scene_with("{dynamics: crba, reuse: 0.25, step: 5 ms}",
                                   "record: {per_second: 8}\nledger: {closed_within: 1e-5}\ngravity: 2 m/s^2\n"),
                        "f.yaml");
  EXPECT_EQ(s.solver.reuse, 0.25);
  EXPECT_EQ(s.record.every, 0.125);
  EXPECT_EQ(s.closed_within, 1e-5);
  EXPECT_EQ(s.model.params.gravity.x, 0);
  EXPECT_EQ(s.model.params.gravity.y, 0);
  EXPECT_EQ(s.model.params.gravity.z, -2);
  s = parse_scene(scene_with("{weld: {below: 2 rad/s, for: 3 s, wake: 4 N m}}"), "f.yaml");
  ASSERT_TRUE(s.solver.weld);
  EXPECT_EQ(s.solver.weld->below, 2);
  EXPECT_EQ(s.solver.weld->lasts, 3);
  EXPECT_EQ(s.solver.weld->wake, 4);
  s = parse_scene(scene_with("{weld: {}}"), "f.yaml");
  ASSERT_TRUE(s.solver.weld);
  EXPECT_EQ(s.solver.weld->below, 0.01);
  EXPECT_EQ(s.solver.weld->lasts, 0.5);
  EXPECT_EQ(s.solver.weld->wake, 0.1);
  s = parse_scene(scene_with("{integrator: rk45}"), "f.yaml");
  EXPECT_EQ(s.solver.step, forever);
  EXPECT_EQ(s.solver.tolerance, 1e-6);
  EXPECT_FALSE(s.solver.weld);
  s = parse_scene(scene_with("{dynamics: multipliers, stabilisation: none}"), "f.yaml");
  EXPECT_EQ(s.solver.stabilisation, Stabilisation::none);
  s = parse_scene(scene_with("{dynamics: multipliers, stabilisation: baumgarte, stabilisation_time: 0.25 s}"),
                  "f.yaml");
  EXPECT_EQ(s.solver.stabilisation, Stabilisation::baumgarte);
  EXPECT_EQ(s.solver.stabilisation_time, 0.25);
  s = parse_scene(scene_with("{dynamics: armstrong, integrator: semi_implicit, slow_band: 1000}"), "f.yaml");
  EXPECT_EQ(s.solver.slow_band, 1000);
}

TEST(SceneOptions, EveryMethodHasItsName) {
  const std::pair<const char*, Dynamics> dynamics[] = {{"armstrong", Dynamics::armstrong},
                                                       {"aba", Dynamics::aba},
                                                       {"crba", Dynamics::crba},
                                                       {"dense", Dynamics::dense},
                                                       {"multipliers", Dynamics::multipliers}};
  for (const auto& [word, value] : dynamics) {
    EXPECT_EQ(dynamics_from(word, "--solver"), value) << word;
    EXPECT_EQ(parse_scene(scene_with("{dynamics: " + std::string(word) + "}"), "f.yaml").solver.dynamics, value);
  }
  const std::pair<const char*, Integrator> integrators[] = {
      {"euler", Integrator::euler}, {"euler_second", Integrator::euler_second},
      {"rk4", Integrator::rk4},     {"semi_implicit", Integrator::semi_implicit},
      {"rk45", Integrator::rk45},   {"midpoint", Integrator::midpoint},
      {"adams", Integrator::adams}, {"bdf", Integrator::bdf}};
  for (const auto& [word, value] : integrators) EXPECT_EQ(integrator_from(word, "--integrator"), value) << word;
  for (const Integrator value : all_integrators()) {
    EXPECT_EQ(integrator_from(name_of(value), "--integrator"), value) << name_of(value);
    EXPECT_EQ(parse_scene(scene_with(std::string("{integrator: ") + name_of(value) + "}"), "f.yaml").solver.integrator,
              value);
  }
  EXPECT_EQ(refused([] { dynamics_from("abba", "--solver"); }),
            "--solver: found 'abba'; did you mean 'aba'? expected armstrong, aba, crba, dense or multipliers");
  std::vector<std::string> all;
  for (const Integrator i : all_integrators()) all.emplace_back(name_of(i));
  EXPECT_EQ(refused([] { integrator_from("leapfrog", "--integrator"); }),
            "--integrator: found 'leapfrog'; expected " + either(all));
}

TEST(SceneOptions, NumbersOfTheCommandLine) {
  EXPECT_EQ(time_from("10 ms", "--step"), 0.01);
  EXPECT_EQ(time_from("0.5", "--step"), 0.5);
  EXPECT_EQ(length_from("3 cm", "--size"), 0.03);
  EXPECT_EQ(length_from("-2", "--size"), -2);
  EXPECT_EQ(number_from("1e-6", "--tolerance"), 1e-6);
  EXPECT_EQ(refused([] { time_from("3 cm", "--step"); }),
            "--step: found a length (cm); expected a time, such as 10 ms");
  EXPECT_EQ(refused([] { length_from("3 s", "--size"); }).rfind("--size: found a time (s); expected a length", 0), 0u);
  EXPECT_EQ(refused([] { number_from("3 s", "--at"); }).rfind("--at: found a time (s); expected a plain number", 0),
            0u);
  EXPECT_EQ(refused([] { time_from("1e300 s", "--step"); }),
            "--step: found '1e300 s', which is beyond all measure; expected a time of at most 1e+20 s");
  EXPECT_EQ(refused([] { number_from("", "--at"); }).rfind("--at: found ''; expected a plain number", 0), 0u);
}

TEST(SceneOptions, WholeNumbersOfTheCommandLine) {
  EXPECT_EQ(whole_from("3", "--n", 3, 7), 3);
  EXPECT_EQ(whole_from("7", "--n", 3, 7), 7);
  EXPECT_EQ(whole_from("-2", "--n", -5, 7), -2);
  for (const char* text : {"2", "8", "", "5x", "x", " 5", "5.0", "99999999999999999999"})
    EXPECT_EQ(refused([&] { whole_from(text, "--n", 3, 7); }),
              "--n: found '" + std::string(text) + "'; expected a whole number from 3 to 7");
}

}  // namespace
}  // namespace scene_options_test
}  // namespace marey
