// The program from outside: what it writes, what it says, what it refuses, and its exit status.
#include <yaml-cpp/yaml.h>

#include "marey/io/motion.h"
#include "marey/io/scene.h"
#include "marey/sim.h"
#include "program.h"

namespace marey {
namespace {

using program::chain, program::contains, program::marey, program::Outcome;

using Program = program::InFolder;

TEST_F(Program, RunsTwiceWithoutBeingTold) {
  const Outcome first = run({"run", "chain.yaml"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(contains(first.out, "A test chain"));
  EXPECT_TRUE(contains(first.out, "saved       out/chain.h5 (51 frames"));
  EXPECT_TRUE(contains(first.out, "closed: each within"));
  EXPECT_EQ(first.err, "");  // no progress bar where there is no terminal
  const Outcome second = run({"run", "chain.yaml"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_TRUE(contains(second.out, "the older motion is now out/chain.previous.h5"));
  EXPECT_EQ(read_motion(folder / "out/chain.h5").values, read_motion(folder / "out/chain.previous.h5").values);
}

TEST_F(Program, SaysAsJsonWhatTheDesignPromises) {
  const Outcome o = run({"run", "chain.yaml", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const YAML::Node json = YAML::Load(o.out);
  for (const char* key : {"title", "simulated_s", "steps", "evaluations", "wall_s", "realtime_factor", "solver",
                          "integrator", "warnings", "ledger"})
    EXPECT_TRUE(json[key]) << key;
  for (const char* key :
       {"energy_start_J", "energy_end_J", "work_in_J", "energy_residual_J", "energy_residual_relative",
        "linear_momentum_residual_relative", "angular_momentum_residual_relative", "closed"})
    EXPECT_TRUE(json["ledger"][key]) << key;
  EXPECT_EQ(json["steps"].as<int>(), 500);
  EXPECT_EQ(json["solver"].as<std::string>(), "aba");
  EXPECT_EQ(json["motion"].as<std::string>(), "out/chain.h5");
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1);
}

TEST_F(Program, TakesOptionsInPlaceOfTheScenes) {
  const Outcome o = run({"run", "chain.yaml", "-o", "a.h5", "--duration", "200 ms", "--step", "0.002", "--solver",
                         "armstrong", "--integrator", "semi_implicit", "--slow-band", "2", "--record-every", "50 ms"});
  ASSERT_EQ(o.status, 0) << o.err;
  const MotionInfo info = read_motion_info(folder / "a.h5");
  EXPECT_EQ(info.duration, 0.2);
  EXPECT_EQ(info.solver.step, 0.002);
  EXPECT_EQ(info.solver.dynamics, Dynamics::armstrong);
  EXPECT_EQ(info.solver.integrator, Integrator::semi_implicit);
  EXPECT_EQ(info.solver.slow_band, 2);
  EXPECT_EQ(info.frames, 5u);
  EXPECT_EQ(scene_of(info).duration, 0.2);
}

TEST_F(Program, RefusesBadInput) {
  refused({"rnu"}, 2, "did you mean 'run'?");
  refused({"run"}, 2, "required");
  refused({"run", "chain.yaml", "--steep", "1 ms"}, 2, "did you mean '--step'?");
  refused({"run", "chain.yaml", "extra"}, 2, "'extra' is one argument too many");
  refused({"run", "nothing.yaml"}, 2, "there is no scene 'nothing.yaml'");
  refused({"run", "compound-pendulm"}, 2, "did you mean 'compound-pendulum'?");
  refused({"run", "chain.yaml", "--duration", "0"}, 2, "--duration");
  refused({"run", "chain.yaml", "--duration", "five"}, 2, "--duration");
  refused({"run", "chain.yaml", "--step", "-1 ms"}, 2, "--step");
  refused({"run", "chain.yaml", "--step", "1 m"}, 2, "--step");
  refused({"run", "chain.yaml", "--solver", "abba"}, 2, "aba");
  refused({"run", "chain.yaml", "--integrator", "rk5"}, 2, "rk4");
  refused({"run", "chain.yaml", "--slow-band", "two"}, 2, "--slow-band");
  refused({"run", "chain.yaml", "--slow-band", "3"}, 2, "armstrong");
  refused({"run", "chain.yaml", "--resume", "--force"}, 2, "choose one");
  EXPECT_FALSE(std::filesystem::exists(folder / "out/chain.h5"));
}

TEST_F(Program, RefusesOutputsThatCannotBe) {
  ASSERT_EQ(run({"run", "chain.yaml", "-o", "a.h5"}).status, 0);
  const std::string before = program::contents(folder / "a.h5");
  refused({"run", "chain.yaml", "-o", "a.h5"}, 4, "already exists");
  EXPECT_EQ(program::contents(folder / "a.h5"), before);
  refused({"run", "chain.yaml", "-o", "no/a.h5"}, 4, "there is no folder 'no'");
  std::filesystem::create_directory(folder / "folder.h5");
  std::filesystem::create_symlink("/dev/full", folder / "full.h5");
  refused({"run", "chain.yaml", "-o", "full.h5"}, 4, "not a plain file");
  refused({"run", "chain.yaml", "-o", "folder.h5"}, 4, "is a folder");
  refused({"run", "chain.yaml", "-o", "/proc/a.h5"}, 4, "cannot write to '/proc/a.h5'");
  refused({"export", "a.h5", "-o", "/proc/a.csv"}, 4, "cannot write to '/proc/a.csv'");
  const Outcome forced = run({"run", "chain.yaml", "-o", "a.h5", "--force", "--duration", "0.1"});
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_EQ(read_motion_info(folder / "a.h5").frames, 11u);
  EXPECT_EQ(marey(folder, {"run", "chain.yaml", "--force"}, "/dev/full").status, 4);
}

TEST_F(Program, KeepsWhatWasRecordedBeforeABreakdown) {
  const Outcome o =
      run({"run", "chain.yaml", "-o", "a.h5", "--integrator", "euler", "--step", "50 ms", "--duration", "100 s"});
  ASSERT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_TRUE(contains(o.err, "could not go on: at t = ")) << o.err;
  EXPECT_EQ(read_motion_info(folder / "a.h5").end, MotionEnd::broke_down);
  EXPECT_GT(read_motion_info(folder / "a.h5").frames, 1u);
  refused({"run", "--resume", "a.h5"}, 3, "broke down, and would do so again: at t = ");
  EXPECT_FALSE(contains(run({"run", "--resume", "a.h5"}).err, "{"));
}

// The velocity is still a number when the work is none (tests/unit/sim/account_finite_test.cpp).
TEST_F(Program, StopsWhereTheAccountIsNotFinite) {
  program::write(folder / "grows.yaml",
                 "marey: 1\nduration: 0.5 s\nsolver: {step: 5 ms}\n"
                 "particles: {p: {points: [{position: [0, 0, 0], mass: 1, velocity: [1.0e+10, 0, 0]}]}}\n"
                 "forces:\n  - field: {name: field, links: p.1, force: ['exp(4000*t)', 0, 0]}\n"
                 "  - field: {name: other, links: p.1, force: ['-exp(4000*t)', 0, 0]}\nrecord: {every: 10 ms}\n");
  const Outcome o = run({"run", "grows.yaml", "-o", "a.h5", "--json"});
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_TRUE(
      contains(o.out,
               "\"breakdown\":\"at t = 0.175 s the account of energy and momentum is no longer finite: the work of "
               "'field'"))
      << o.out;
  EXPECT_FALSE(contains(o.out, ": inf") || contains(o.out, "nan")) << o.out;
  EXPECT_TRUE(contains(o.err, "could not go on: at t = 0.175 s")) << o.err;
  EXPECT_EQ(read_motion_info(folder / "a.h5").end, MotionEnd::broke_down);
  EXPECT_EQ(read_motion_info(folder / "a.h5").frames, 18u);
}

TEST_F(Program, ResumeLeavesAFinishedRunAlone) {
  EXPECT_EQ(run({"run", "chain.yaml", "--resume"}).status, 0);  // nothing was begun: begins
  const std::string before = program::contents(folder / "out/chain.h5");
  for (const char* what : {"chain.yaml", "out/chain.h5"}) {
    const Outcome o = run({"run", "--resume", what});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(contains(o.out, "is finished")) << o.out;
  }
  refused({"run", "--resume", "out/chain.h5", "--step", "2 ms"}, 2, "begun with a step of 0.001 s, now it is 0.002 s");
  program::write(folder / "chain.yaml", chain(4, "0.5 s"));
  refused({"run", "--resume", "chain.yaml"}, 2, "the scene has changed");
  refused({"run", "--resume", "none.h5"}, 2, "there is no motion 'none.h5'");
  refused({"run", "out/chain.h5"}, 2, "is a motion, not a scene");
  EXPECT_EQ(program::contents(folder / "out/chain.h5"), before);
}

// Steps have a rule of their own, which nobody asks for by name.
TEST_F(Program, ResumeGoesOnInSteps) {
  program::write(folder / "box.yaml",
                 "marey: 1\nduration: 0.3 s\nsolver: {contact: stepping, step: 1 ms}\nrecord: {every: 10 ms}\n"
                 "scenery: {floor: {plane: 0}}\ncollide: all\nbodies:\n"
                 "  box: {at: [0, 0, 12 cm], spin: [1, 0, 0], shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}\n");
  EXPECT_EQ(run({"run", "box.yaml", "-o", "whole.h5"}).status, 0);
  {
    const Scene scene = load_scene(folder / "box.yaml");
    MotionFile part(folder / "part.h5", Existing::replace);
    RunHooks hooks;
    int steps = 150;
    hooks.stop = [&] { return --steps <= 0; };
    marey::run(scene, part, hooks);
  }
  const Outcome o = run({"run", "--resume", "part.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(read_motion(folder / "part.h5").values, read_motion(folder / "whole.h5").values);
  refused({"run", "box.yaml", "-o", "part.h5", "--resume", "--integrator", "rk4"}, 2, "--integrator: found a method");
}

TEST_F(Program, ChecksScenes) {
  program::write(folder / "bad.yaml", "marey: 1\nduratoin: 1 s\n");
  const Outcome o = run({"check", "chain.yaml", "bad.yaml", "compound-pendulum"});
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(contains(o.out, "chain.yaml: sound; 3 links, 9 degrees of freedom")) << o.out;
  EXPECT_TRUE(contains(o.out, "compound-pendulum: sound")) << o.out;
  EXPECT_TRUE(contains(o.err, "bad.yaml:2:1:")) << o.err;
}

// What run refuses, check does not call sound; and both say where.
TEST_F(Program, CheckRefusesWhatRunRefuses) {
  const std::string head = "marey: 1\nduration: 0.1 s\nsolver: {step: 1 ms, integrator: rk4";
  const std::string arm =
      "}\nfigures: {arm: {links: {bar: {joint: {type: hinge, axis: y}, shape: {sphere: 5 cm}, mass: 1 kg}}}}\n";
  const std::string off = head + arm + "constraints: [{follow: {joint: arm.bar, angle: 0.5}}]\n";
  const std::string merged = head + ", weld: {for: 1 s}, dynamics: multipliers" + arm;
  const std::string brisk = head + ", dynamics: multipliers, stabilisation: baumgarte, stabilisation_time: 1 us" + arm;
  for (const auto& [text, where] :
       {std::pair{off, "s.yaml:5:24: "}, std::pair{merged, "s.yaml:3:9: "}, std::pair{brisk, "s.yaml:3:108: "}}) {
    program::write(folder / "s.yaml", text);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"check", "s.yaml"}, std::vector<std::string>{"run", "s.yaml", "-o", "s.h5"}}) {
      const Outcome o = run(words);
      EXPECT_EQ(o.status, 2) << words[0] << ": " << o.out;
      EXPECT_TRUE(contains(o.err, where)) << words[0] << ": " << o.err;
    }
  }
  program::write(folder / "s.yaml", head + ", weld: {for: 1 s}" + arm);
  EXPECT_EQ(run({"check", "s.yaml"}).status, 0);
  refused({"run", "s.yaml", "--solver", "multipliers"}, 2,
          "--solver: found a solver that cannot do this: weld merges links, which multipliers keep apart");
}

// A script learns from the exit status what a person reads in the summary.
TEST_F(Program, ADoubtfulRunSaysSoToScripts) {
  program::write(
      folder / "s.yaml",
      "marey: 1\nduration: 1 s\nsolver: {step: 50 ms, integrator: euler}\nfigures: {arm: {links: {bar: {joint: "
      "{type: hinge, axis: y}, shape: {capsule: {radius: 1 cm, to: [10 cm, 0, 0]}}, mass: 1 kg}}}}\n");
  const Outcome plain = run({"run", "s.yaml", "-o", "a.h5"});
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_TRUE(contains(plain.out, "NOT CLOSED")) << plain.out;
  const Outcome strict = run({"run", "s.yaml", "-o", "b.h5", "--strict", "--json"});
  EXPECT_EQ(strict.status, 5) << strict.err;
  EXPECT_TRUE(contains(strict.err, "not closed")) << strict.err;
  EXPECT_TRUE(contains(strict.out, "\"closed\":false")) << strict.out;
  for (const std::string motion : {"a.h5", "b.h5"}) {  // finished, and no better for being asked again
    const Outcome again = run({"run", "--resume", motion, "--strict"});
    EXPECT_EQ(again.status, 5) << again.err;
    EXPECT_TRUE(contains(again.err, "not closed")) << again.err;
    EXPECT_EQ(run({"run", "--resume", motion}).status, 0);
  }
  EXPECT_EQ(
      run({"run", "s.yaml", "-o", "c.h5", "--strict", "--verify", "--integrator", "rk4", "--step", "1 ms"}).status, 0);
  EXPECT_EQ(run({"run", "--resume", "c.h5", "--strict", "--verify"}).status, 0);
  const Outcome unverified = run({"run", "--resume", "a.h5", "--verify"});
  EXPECT_TRUE(contains(unverified.err, "without --verify")) << unverified.err;
  EXPECT_TRUE(contains(run({"run", "--help"}).out, "5 for NOT CLOSED with --strict"));
}

TEST_F(Program, ListsTheGallery) {
  const Outcome o = run({"list", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const YAML::Node json = YAML::Load(o.out);
  ASSERT_GT(json.size(), 0u);
  for (const YAML::Node& scene : json) {
    for (const char* key : {"name", "file", "title", "source"}) EXPECT_TRUE(scene[key]) << key;
    EXPECT_TRUE(std::filesystem::exists(scene["file"].as<std::string>()));
  }
  EXPECT_TRUE(contains(run({"list"}).out, "compound-pendulum"));
}

TEST_F(Program, ExportsTables) {
  ASSERT_EQ(run({"run", "chain.yaml"}).status, 0);
  const Outcome o = run({"export", "out/chain.h5", "--channels", "energy/total,link/*/position"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "time [s],energy/total [J],link/rope.1/position.x [m],")) << o.out.substr(0, 200);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 52);
  EXPECT_EQ(run({"export", "out/chain.h5", "-o", "a.csv"}).out, "a.csv\n");
  refused({"export", "out/chain.h5", "-o", "a.csv"}, 4, "already exists");
  EXPECT_EQ(run({"export", "out/chain.h5", "-o", "a.csv", "--force"}).status, 0);
  refused({"export", "out/chain.h5", "-o", "out/chain.h5", "--force"}, 2, "replace the motion");
  refused({"export", "out/chain.h5", "--channels", "enrgy"}, 2, "did you mean 'energy'?");
  refused({"export", "chain.yaml"}, 2, "no HDF5 file");
  EXPECT_EQ(marey(folder, {"export", "out/chain.h5"}, "/dev/full").status, 4);
}

TEST_F(Program, DrawsPicturesAndPlots) {
  ASSERT_EQ(run({"run", "chain.yaml"}).status, 0);
  const Outcome picture = run({"render", "out/chain.h5", "--strobe", "3", "--size", "160x100"});
  EXPECT_EQ(picture.status, 0) << picture.err;
  EXPECT_EQ(program::contents(folder / "out/chain.png").substr(1, 3), "PNG");
  const Outcome plot = run({"plot", "out/chain.h5", "link/*/position.z", "-o", "z.svg"});
  EXPECT_EQ(plot.status, 0) << plot.err;
  EXPECT_TRUE(contains(program::contents(folder / "z.svg"), "<svg"));
  EXPECT_TRUE(contains(run({"plot", "out/chain.h5", "--list"}).out, "energy/total"));
  refused({"plot", "out/chain.h5", "enrgy/total"}, 2, "energy/total");
  refused({"render", "out/chain.h5", "--at", "9 s"}, 2, "outside");
}

TEST_F(Program, Helps) {
  for (const char* command : {"run", "check", "list", "render", "plot", "range", "export", "bench"})
    EXPECT_EQ(run({command, "--help"}).status, 0) << command;
  EXPECT_TRUE(contains(run({"--help"}).out, "marey run finger-tap"));
  EXPECT_EQ(run({"--version"}).out, std::string("marey ") + version + "\n");
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"bench", "no-such-thing"}).status, 2);
  refused({"bench", "dynamcs"}, 2, "there is no benchmark 'dynamcs'; did you mean 'dynamics'?");
  // Those that are built beside the program.
  const std::string list = run({"bench"}).out;
  EXPECT_EQ(contains(list, "dynamics"), contains(list, "dynamics      every solver")) << list;
  for (const char* name : {"dynamics", "integrators", "finger"})
    if (contains(list, name)) refused({"bench", name, "--nonsense"}, 2, "found '--nonsense'");
}

// A ball that is knocked up sixty-six times, and comes to rest each time: one line, and one object.
TEST_F(Program, CountsWhatRepeats) {
  program::write(folder / "knocked.yaml", R"(marey: 1
duration: 33.4 s
solver: {integrator: rk45}
record: {every: 1 s}
figures: {ball: {links: {body: {shape: {sphere: 10 cm}, mass: 500 g, start: {position: [0, 0, 10 cm]}}}}}
contacts: [{name: floor, link: ball.body, restitution: 0.5}]
forces: [{spike: {link: ball.body, force: [0, 0, 10 N], lasts: 20 ms, from: 0.5 s, every: 0.5 s}}]
)");
  const Outcome o = run({"run", "knocked.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string note = "has come to the end of its bounces";
  EXPECT_EQ(o.out.find(note), o.out.rfind(note)) << o.out;
  EXPECT_TRUE(contains(o.out, "(66 times, last at t = 33.")) << o.out;
  const YAML::Node json = YAML::Load(run({"run", "knocked.yaml", "--json"}).out);
  ASSERT_EQ(json["noted"].size(), 1u);
  EXPECT_EQ(json["noted"][0]["count"].as<int>(), 66);
  EXPECT_EQ(json["noted"][0]["of"].as<std::string>(), "floor");
  EXPECT_EQ(json["notes"].size(), 1u);
}

TEST_F(Program, SaysWhatDoesNothing) {
  program::write(folder / "idle.yaml",
                 chain(2, "0.1 s") + "forces: [{push: {link: rope.1, force: [1 N, 0, 0], from: 2 s}}]\n");
  for (const char* command : {"check", "run"}) {
    const Outcome o = run({command, "idle.yaml"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(contains(o.out, "idle.yaml:19:52: what begins at 2 s never acts: the scene lasts 0.1 s")) << o.out;
  }
}

// Scripts that fall out with each other on the way: what was recorded is kept, and the cause said.
TEST_F(Program, EndsWhereConstraintsContradict) {
  program::write(folder / "odds.yaml", R"(marey: 1
duration: 1 s
figures: {f: {links: {sled: {joint: {type: slider, axis: x}, shape: {sphere: 5 cm}, mass: 1 kg}}}}
constraints:
  - follow: {name: script, joint: f.sled, slide: '0.1*t^3'}
  - drive: {name: rail, b: f.sled, place: ['0.2*t^3', 0, 0]}
)");
  EXPECT_EQ(run({"check", "odds.yaml"}).status, 0);
  refused({"run", "odds.yaml", "-o", "odds.h5", "--record-every", "1 ms"}, 3,
          "'script' and 'rail' contradict each other there");
  EXPECT_GT(read_motion(folder / "odds.h5").frames, 1u);
}

}  // namespace
}  // namespace marey
