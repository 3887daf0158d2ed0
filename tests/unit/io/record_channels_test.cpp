// Channels chosen in the scene: what is recorded then, what is not computed, and what is said by those who miss it.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "marey/io/inverse.h"
#include "marey/render.h"
#include "motion_fake.h"
#include "support/recorded.h"

namespace marey::record_channels_test {

// A pendulum of two bars above a floor, and a ball beside it.
inline std::string scene_text(const std::string& record, bool dust = true) {
  return R"(marey: 1
duration: 0.2 s
solver: {integrator: rk4, step: 1 ms}
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, at: [0, 0, 1 m], shape: {capsule: {radius: 2 cm, length: 30 cm}}, mass: 1 kg, start: {angle: 40 deg}}
      lower: {parent: upper, joint: ball, at: [0, 0, 30 cm], shape: {capsule: {radius: 2 cm, length: 30 cm}}, mass: 1 kg}
forces:
  - push: {name: breeze, link: arm.lower, force: [0.1 N, 0, 0]}
record: )" +
         record + "\n" + (dust ? "particles: {dust: {mass: 10 g, points: {a: {position: [1 m, 0, 1 m]}}}}\n" : "");
}

inline Motion recorded(const std::string& record, bool dust = true) {
  const fake::Folder folder;
  {
    MotionFile file(folder / "run.h5");
    run(parse_scene(scene_text(record, dust), "test.yaml"), file);
  }
  return read_motion(folder / "run.h5");
}

std::vector<std::string> names_in(const Motion& m) {
  std::vector<std::string> names;
  for (const Channel& c : m.channels) names.push_back(c.name);
  return names;
}

template <class Work>
std::string refusal_of(Work work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "taken";
}
void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

using Names = std::vector<std::string>;

TEST(RecordChannels, AreTimeAndWhatThePatternsName) {
  EXPECT_EQ(
      names_in(recorded("{every: 10 ms, channels: [energy/total, 'link/*/position']}")),
      (Names{"time", "energy/total", "link/arm.upper/position", "link/dust.a/position", "link/arm.lower/position"}));
  EXPECT_EQ(names_in(recorded("{channels: [joint/arm.upper, momentum/linear.z]}")),
            (Names{"time", "momentum/linear", "joint/arm.upper/angle", "joint/arm.upper/velocity",
                   "joint/arm.upper/acceleration", "joint/arm.upper/applied", "joint/arm.upper/force",
                   "joint/arm.upper/moment"}));
}

// Links whose paths, angles or closed forms the scene asks for are named: patterns choose among what is recorded unasked.
TEST(RecordChannels, WhatIsAskedForByNameIsRecordedBesides) {
  EXPECT_EQ(names_in(recorded("{every: 10 ms, channels: [energy/total], paths: dust.a, euler_zyz: arm.lower, compare: "
                              "{throw: dust.a}}")),
            (Names{"time", "energy/total", "link/dust.a/path_length", "link/dust.a/curvature",
                   "link/dust.a/radius_of_curvature", "link/arm.lower/euler_zyz", "link/arm.lower/euler_zyz_rate",
                   "closed_form/throw/dust.a/position", "closed_form/throw/dust.a/velocity",
                   "closed_form/throw/dust.a/distance"}));
  EXPECT_EQ(names_in(recorded("{every: 10 ms, channels: ['*/path_length'], paths: dust.a}")),
            (Names{"time", "link/dust.a/path_length", "link/dust.a/curvature", "link/dust.a/radius_of_curvature"}));
}

// Whatever is chosen, alone or with others: its numbers are those of a record of everything, bit for bit.
TEST(RecordChannels, HaveTheNumbersOfARecordOfEverything) {
  const Motion all = recorded("{every: 10 ms}");
  EXPECT_TRUE(all.record.channels.empty());
  for (const Channel& c : all.channels) {
    if (c.name == "time") continue;
    const Motion one = recorded("{every: 10 ms, channels: ['" + c.name + "']}");
    ASSERT_EQ(one.channels.size(), 2u) << c.name;
    EXPECT_EQ(one.values[0], all.values[0]);
    EXPECT_EQ(one.values[1], all.values[all.find(c.name)]) << c.name;
  }
}

// The same by kinds, with contacts, constraints, welds made on the fly, reflexes with delays, masses that change, closed forms,
// and in maximal coordinates.
TEST(RecordChannels, OfAKindAreWhatTheyAreAmongAll) {
  const auto run_it = [](Scene scene, std::vector<std::string> channels) {
    ::recorded::Memory memory;
    scene.record.channels = std::move(channels);
    run(scene, memory);
    return memory;
  };
  const auto same = [](std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
  };
  std::set<std::string> seen;
  for (const char* name : {"bouncing-ball", "four-bar", "knee", "late-reflex", "falls-asleep", "rod-inelastic",
                           "finger-tap", "raindrops", "throw", "rod-thrown", "pushed-swing"}) {
    const std::string file = std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml";
    for (const bool maximal : {false, true}) {
      SceneOverrides options;
      options.duration = 0.1, options.record_every = 0.0077;
      if (maximal) options.dynamics = Dynamics::multipliers;
      std::optional<Scene> scene;
      try {
        scene = load_scene(file, options);
      } catch (const Error&) {
        continue;  // not every figure can be run so
      }
      const ::recorded::Memory all = run_it(*scene, {});
      std::set<std::string> kinds;
      for (const Channel& c : all.header.channels) {
        const std::size_t first = c.name.find('/'), last = c.name.rfind('/');
        kinds.insert(first == last ? c.name : c.name.substr(0, first) + "/*" + c.name.substr(last));
      }
      seen.insert(kinds.begin(), kinds.end());
      for (const std::string& kind : kinds) {
        const ::recorded::Memory few = run_it(*scene, {kind});
        ASSERT_EQ(few.rows.size(), all.rows.size());
        for (const Channel& c : few.header.channels)
          for (std::size_t k = 0; k < all.rows.size(); ++k)
            EXPECT_TRUE(same(few.at(c.name, k), all.at(c.name, k))) << name << ": " << c.name << " in frame " << k;
      }
    }
  }
  for (const char* kind :
       {"joint/*/force_31", "solver/hinge_check", "link/*/mass", "link/*/path_length", "link/*/euler_zyz_rate",
        "closed_form/*/alpha", "closed_form/*/distance", "element/*/moment", "contact/*/force", "constraint/*/force"})
    EXPECT_TRUE(seen.contains(kind)) << kind;
}

// Counts how often it is asked for its force.
class Counter final : public Source {
 public:
  explicit Counter(std::shared_ptr<long> calls) : calls_(std::move(calls)) {}
  std::string name() const override { return "counter"; }
  int mode_count() const override { return 0; }
  void act(const Instant<double>&, const Kept<double>&, ForceSum<double>&, std::span<double>) const override {
    ++*calls_;
  }
  bool act(const Instant<Dual<1>>&, const Kept<Dual<1>>&, ForceSum<Dual<1>>&, std::span<Dual<1>>) const override {
    return true;
  }

 private:
  std::shared_ptr<long> calls_;
};

// Frames within steps, where nothing is evaluated that is not recorded.
long calls_of(const std::string& record) {
  Scene scene = parse_scene(scene_text(record), "test.yaml");
  const auto calls = std::make_shared<long>(0);
  scene.sources.push_back(std::make_shared<Counter>(calls));
  struct Nowhere : Sink {
    void begin(const MotionHeader&) override {}
    void frame(std::span<const double>) override {}
    void checkpoint(const Checkpoint&) override {}
    void finish(const std::string&) override {}
  } nowhere;
  run(scene, nowhere);
  return *calls;
}

TEST(RecordChannels, ThatAreNotChosenCostNothing) {
  const std::string poses = "channels: ['link/*/position', 'link/*/orientation', 'joint/*/velocity', 'element/*/work']";
  const long few = calls_of("{every: 100 ms, " + poses + "}"), many = calls_of("{every: 0.3 ms, " + poses + "}");
  EXPECT_EQ(many, few);
  EXPECT_GE(calls_of("{every: 0.3 ms, channels: ['joint/*/acceleration']}"), few + 600);
}

TEST(RecordChannels, ThatDoNotExistAreRefusedWithTheirPlace) {
  const auto said = [](const std::string& record) {
    return refusal_of([&] { parse_scene(scene_text(record), "test.yaml"); });
  };
  const std::string why = said("{channels: [energy, 'link/*/positon']}");
  expect_part(why,
              "test.yaml:11:29: found 'link/*/positon', which is no channel of this scene; did you mean "
              "'link/*/position'?");
  expect_part(said("{channels: ['contact/*/force']}"), "found 'contact/*/force', which is no channel");
  expect_part(said("{channels: []}"), "expected patterns of channels in a list");
  expect_part(said("{channels: energy}"), "expected patterns of channels in a list");
  EXPECT_EQ(said("{channels: [element/inputs/work, time]}"), "taken");  // a program may switch inputs on
  // A scene made in code has no place.
  Scene scene = parse_scene(scene_text("{every: 10 ms}"), "test.yaml");
  scene.record.channels = {"link/*/positon"};
  const fake::Folder folder;
  MotionFile file(folder / "run.h5");
  EXPECT_EQ(refusal_of([&] { run(scene, file); }),
            "there is no channel 'link/*/positon' to record; did you mean 'link/*/position'?");
}

// ----------------------------------------------------------------------------------------------- who misses them
TEST(RecordChannels, AreNamedByThosePicturesMiss) {
  const Motion m = recorded("{channels: ['link/*/position']}");
  const Scene scene = scene_of(m);
  expect_part(refusal_of([&] { picture_scene(scene.model, m, scene.contacts); }),
              "does not hold 'link/arm.upper/orientation', without which there is no picture; its scene records chosen "
              "channels alone: with 'link/*/orientation' added to 'record: {channels: …}', a new run has it");
  const Motion both = recorded("{channels: ['link/*/position', 'link/*/orientation']}");
  EXPECT_EQ(picture_scene(scene.model, both, scene.contacts).links.size(), 4u);
}

TEST(RecordChannels, AreNamedByTheForcesOfJoints) {
  const std::string poses = "'link/*/position', 'link/*/orientation'",
                    rates = "'joint/*/velocity', 'joint/*/acceleration'";
  const auto said = [](const std::string& channels, const InverseOptions& options = {}) {
    const Motion m = recorded("{every: 10 ms, channels: [" + channels + "]}", false);
    return refusal_of([&] { inverse_dynamics(m, options); });
  };
  const std::string pushes = "'element/*/force', 'element/*/moment'";
  expect_part(said("energy"), "with " + poses + ", " + rates + ", " + pushes + " added");  // all of them at once
  expect_part(said(poses), "with " + rates + ", " + pushes +
                               " added to 'record: {channels: …}', a new run has them; --differentiate finds "
                               "accelerations from the poses");
  expect_part(said(poses + ", " + rates),
              "does not hold 'element/breeze/force', 'element/breeze/moment', without which there is no inverse");
  EXPECT_EQ(said(poses + ", " + rates + ", 'element/*/force', 'element/*/moment'"), "taken");
  EXPECT_EQ(said(poses + ", element", {.differentiate = true}), "taken");
}

// Of a rocket: 15 kg/s × 800 m/s, whatever else is recorded; without its masses there is no answer.
TEST(RecordChannels, OfMassesThatChangeAreNeededForForces) {
  const auto forces = [](const std::string& channels) {
    const fake::Folder folder;
    {
      MotionFile file(folder / "run.h5");
      run(parse_scene("marey: 1\nduration: 0.4 s\nsolver: {integrator: rk4, step: 10 ms}\n"
                      "record: {every: 20 ms, channels: [" +
                          channels +
                          "]}\nparticles: {rocket: {points: [{position: [0, 0, 0], mass: 100 kg}]}}\n"
                          "forces: [{mass_flow: {links: rocket.1, mass: '100 - 15*t', velocity: [0, 0, -800 m/s], "
                          "relative: true}}]\n",
                      "test.yaml"),
          file);
    }
    return inverse_dynamics(read_motion(folder / "run.h5"), {.differentiate = true});
  };
  expect_part(
      refusal_of([&] { forces("'link/*/position'"); }),
      "does not hold 'link/rocket.1/mass', without which there is no inverse dynamics; its scene records chosen "
      "channels alone: with 'link/*/mass' added");
  const Motion found = forces("'link/*/position', 'link/*/mass'");
  const auto force = found.channel("joint/rocket.1/torque");
  ASSERT_EQ(force.size(), 3 * 17u);
  for (std::size_t f = 0; f < found.frames; ++f) EXPECT_NEAR(force[3 * f + 2], 12000, 0.1);
}

// What is not among the forces found is not "recorded" or not; what there is, is said.
TEST(RecordChannels, OfForcesFoundAreListed) {
  const Motion found = inverse_dynamics(recorded("{every: 10 ms}", false));
  EXPECT_EQ(
      refusal_of([&] { select_channels(found, std::vector<std::string>{"foo"}); }),
      "there is no 'foo' in the result; it has time, joint/*/torque, joint/*/force, joint/*/moment, root/*/force, "
      "root/*/moment");
  EXPECT_EQ(refusal_of([&] { select_channels(found, std::vector<std::string>{"joint/*/torq"}); }),
            "there is no 'joint/*/torq' in the result; did you mean 'joint/*/torque'?");
}

// What is recorded on request, or nearly so called.
TEST(RecordChannels, OnRequestAreOffered) {
  const Motion plain = recorded("{every: 10 ms}"), asked = recorded("{every: 10 ms, euler_zyz: arm.lower}");
  const auto said = [](const Motion& m, const std::string& name) {
    return refusal_of([&] { select_channels(m, std::vector<std::string>{name}); });
  };
  for (const char* name : {"euler_zyz", "euler_zxz", "euler"})
    expect_part(said(plain, name), "it is recorded where the scene asks for it: 'record: {euler_zyz: figure.link}'");
  expect_part(said(plain, "link/arm.lower/path_lenght"), "'record: {paths: figure.link}'");
  expect_part(said(asked, "euler"), "did you mean 'link/*/euler_zyz'?");
  expect_part(said(asked, "euler_zxz"), "did you mean 'link/*/euler_zyz'?");
  expect_part(said(plain, "arm"), "did you mean 'arm.*'?");
  expect_part(said(plain, "positon"), "did you mean 'link/*/position'?");
  const std::string chosen = said(recorded("{every: 10 ms, channels: ['link/*/position']}"), "velocty");
  EXPECT_EQ(chosen.find("added to 'record"), std::string::npos) << chosen;
}

TEST(RecordChannels, AreNamedByPlotsAndTables) {
  const Motion m = recorded("{channels: ['link/*/position']}");
  const std::vector<std::string> energies{"energy/total"};
  PlotOptions options;
  expect_part(refusal_of([&] { choose_series(m, energies, "", options); }), "with 'energy/total' added to 'record:");
  expect_part(refusal_of([&] { select_channels(m, energies); }), "with 'energy/total' added to 'record:");
}

// The checkpoint holds everything, whatever is recorded.
TEST(RecordChannels, SufficeToGoOn) {
  const fake::Folder folder;
  const Scene scene =
      parse_scene(scene_text("{every: 10 ms, channels: ['joint/*/force', 'link/*/orientation']}"), "t.yaml");
  const std::string name = folder / "run.h5", whole = folder / "whole.h5";
  {
    MotionFile file(whole);
    run(scene, file);
  }
  {
    MotionFile file(name);
    RunHooks hooks;
    hooks.stop = [n = 0]() mutable { return ++n > 60; };
    run(scene, file, hooks);
  }
  {
    MotionFile file = MotionFile::resume(name);
    run(scene, file, {}, &*file.from());
  }
  EXPECT_EQ(read_motion(name).values, read_motion(whole).values);
}

}  // namespace marey::record_channels_test
