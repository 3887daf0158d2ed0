// What makes no sense is refused with the status that CONVENTIONS.md gives it, in words that name what was asked for.
#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;

struct Refuses : program::InFolder {
  void record() { ASSERT_EQ(run({"run", "chain.yaml", "-o", "a.h5", "--duration", "0.1 s"}).status, 0); }
};

TEST_F(Refuses, PicturesOfNonsense) {
  record();
  const auto render = [&](std::vector<std::string> options, const std::string& part) {
    options.insert(options.begin(), {"render", "a.h5", "--size", "160x100"});
    refused(options, 2, part);
  };
  render({"--spread", "nan"}, "--spread: found 'nan'; expected a length");
  render({"--spread", "inf"}, "--spread");
  render({"--spread", "-1"}, "--spread: found '-1'; expected a length of zero or more");
  render({"--spread", "1 s"}, "--spread");
  render({"--spread", "0.1", "--apart"}, "choose one");
  render({"--level", "inf"}, "--level");
  render({"--every", "0"}, "--every: found '0'; expected a time above zero");
  render({"--every", "-10 ms"}, "--every");
  render({"--strobe", "0"}, "--strobe: found '0'; expected a whole number from 1 to 500");
  render({"--strobe", "1.5"}, "--strobe: found '1.5'");
  render({"--from", "80 ms", "--to", "20 ms"}, "--to: found '20 ms'; expected a time after --from");
  render({"--trail", "foo"}, "--trail: there is no link 'foo'; expected rope.1, rope.2 or rope.3");
  render({"--trail", "rope.4@origin"}, "did you mean 'rope.");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
}

TEST_F(Refuses, NothingThatMakesSense) {
  record();
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--spread", "2 cm", "--strobe"}, {"--apart", "--strobe", "3"}, {"--level", "-10 cm", "--every", "50 ms"}}) {
    std::vector<std::string> words{"render", "a.h5", "--size", "160x100"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(run(words).out, "a.png\n") << options[0];
  }
}

TEST_F(Refuses, EmptyValues) {
  record();
  for (const char* option :
       {"-o", "--output", "--duration", "--step", "--record-every", "--solver", "--integrator", "--slow-band"})
    refused({"run", "chain.yaml", option, ""}, 2, std::string(option) + ": its value is empty");
  for (const char* option :
       {"-o", "--at", "--every", "--from", "--to", "--view", "--size", "--trail", "--spread", "--level", "--strobe"})
    refused({"render", "a.h5", option, ""}, 2, std::string(option) + ": its value is empty");
  for (const char* option : {"-o", "--against", "--from", "--to", "--width", "--height"})
    refused({"plot", "a.h5", option, ""}, 2, std::string(option) + ": its value is empty");
  for (const char* option : {"-o", "--channels"})
    refused({"export", "a.h5", option, ""}, 2, std::string(option) + ": its value is empty");
  refused({"run", "chain.yaml", "--duration="}, 2, "--duration: its value is empty");
  refused({"run", ""}, 2, "an argument is empty");
  refused({"run", "chain.yaml", "-o"}, 2, "--output: found no value");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

// What a scene has chosen not to record is named by those who need it, with what to add.
TEST_F(Refuses, WhatWasNotRecorded) {
  std::string scene = program::chain(2, "0.1 s");
  scene.replace(scene.rfind("}"), 1, ", channels: [energy]}");
  program::write(folder / "few.yaml", scene);
  const Outcome o = run({"run", "few.yaml", "-o", "few.h5"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "plot few.h5 energy/")) << o.out;
  EXPECT_FALSE(contains(o.out, "render")) << o.out;
  EXPECT_EQ(run({"plot", "few.h5"}).status, 0);
  const std::string places = "with 'link/*/position' added to 'record: {channels: …}', a new run has it";
  refused({"render", "few.h5", "-o", "few.png"}, 2, places);
  refused({"inverse", "few.h5"}, 2,
          "with 'link/*/position', 'link/*/orientation', 'joint/*/velocity', 'joint/*/acceleration' added to 'record: "
          "{channels: …}', a new run has");
  refused({"plot", "few.h5", "link/rope.1/position.z"}, 2, "with 'link/*/position.z' added to 'record:");
  refused({"export", "few.h5", "--channels", "joint/*/angle"}, 2, "with 'joint/*/angle' added to 'record:");
}

TEST_F(Refuses, ToReplaceWhatIsNoMotion) {
  program::write(folder / "table.csv", "precious");
  program::write(folder / "table.h5", "precious");
  refused({"run", "chain.yaml", "-o", "table.csv", "--force"}, 2, "expected a name that ends with .h5 or .hdf5");
  refused({"run", "chain.yaml", "-o", "table.h5", "--force"}, 4, "'table.h5' is no motion");
  for (const char* name : {"table.csv", "table.h5"}) EXPECT_TRUE(program::contents(folder / name) == "precious");
  record();
  ASSERT_EQ(run({"run", "chain.yaml", "-o", "c.hdf5", "--duration", "0.1 s"}).status, 0);
  refused({"export", "a.h5", "-o", "c.hdf5", "--force"}, 4, "is a motion, and is not replaced by a table");
}

// --force is for earlier tables and motions, and not for what a slip of the finger names.
TEST_F(Refuses, ToReplaceWhatIsNoTableOrPicture) {
  record();
  const std::string scene = program::contents(folder / "chain.yaml"), data = "subject,age\n1,34\n";
  program::write(folder / "data.csv", data);
  program::write(folder / "data.png", data);
  refused({"export", "a.h5", "-o", "chain.yaml", "--force"}, 4,
          "'chain.yaml' is a scene, and is not replaced by a table");
  refused({"export", "a.h5", "-o", "chain.yaml", "--format", "csv", "--force"}, 4, "is a scene");
  refused({"inverse", "a.h5", "-o", "chain.yaml", "--force"}, 4, "is a scene");
  refused({"export", "a.h5", "-o", "data.csv", "--force"}, 4,
          "'data.csv' is no earlier table (they begin with 'time [s]')");
  refused({"inverse", "a.h5", "-o", "data.csv", "--force"}, 4, "is no earlier table");
  for (const char* output : {"data.csv", "chain.yaml", "a.h5"})
    for (const char* command : {"render", "plot"}) refused({command, "a.h5", "-o", output}, 2, "is written as");
  for (const char* command : {"render", "plot"})
    refused({command, "a.h5", "-o", "data.png"}, 4, "'data.png' is no picture, and is not replaced by one");
  EXPECT_EQ(program::contents(folder / "chain.yaml"), scene);
  for (const char* name : {"data.csv", "data.png"}) EXPECT_EQ(program::contents(folder / name), data) << name;
  for (const char* command : {"export", "inverse"})
    for (int twice = 0; twice < 2; ++twice)
      EXPECT_EQ(run({command, "a.h5", "-o", "t.csv", "--force"}).status, 0) << command;
  for (int twice = 0; twice < 2; ++twice) EXPECT_EQ(run({"render", "a.h5", "--size", "160x100"}).status, 0);
}

// A scene where a motion is wanted, a motion by half of its name, an output without -o.
TEST_F(Refuses, WhatIsNearlyRight) {
  refused({"render", "chain.yaml"}, 2,
          "'chain.yaml' is a scene, not a motion (no HDF5 file); 'marey run chain.yaml' makes one of it");
  refused({"plot", "finger-tap"}, 2,
          "there is no motion 'finger-tap', but a scene of that name; 'marey run finger-tap'");
  ASSERT_EQ(run({"run", "chain.yaml", "--duration", "0.1 s"}).status, 0);
  refused({"export", "chain"}, 2, "there is no motion 'chain'; did you mean 'out/chain.h5'?");
  refused({"render", "chain.h5"}, 2, "there is no motion 'chain.h5'; did you mean 'out/chain.h5'?");
  refused({"export", "out/chain.h5", "table.csv"}, 2,
          "'table.csv' is one argument too many; to write to it say -o table.csv");
}

// The same for every command: what was named and is missing, or of the wrong kind, is bad input; what is there and
// cannot be read is trouble with a file.
TEST_F(Refuses, InputsByOneRule) {
  const std::vector<std::vector<std::string>> commands{{"run"},  {"run", "--resume"}, {"check"}, {"render"},
                                                       {"plot"}, {"plot", "--list"},  {"export"}};
  std::filesystem::create_directory(folder / "folder");
  program::write(folder / "text.txt", "Once upon a time");
  for (std::vector<std::string> words : commands) {
    words.emplace_back("missing.h5"), refused(words, 2, "missing.h5");
    words.back() = "no/folder/missing.yaml", refused(words, 2, "missing.yaml");
    words.back() = "folder", refused(words, 2, "is a folder");
    words.back() = "text.txt", refused(words, 2, "text.txt");
  }
  if (::geteuid() == 0) return;  // who may read everything
  record();
  for (const char* name : {"a.h5", "chain.yaml"})
    std::filesystem::permissions(folder / name, std::filesystem::perms::none);
  refused({"run", "chain.yaml"}, 4, "chain.yaml");
  refused({"check", "chain.yaml"}, 4, "chain.yaml");
  for (const char* command : {"render", "plot", "export"}) refused({command, "a.h5"}, 4, "a.h5");
}

TEST_F(Refuses, OptionsByTheirName) {
  refused({"run", "chain.yaml", "--duration", "1e15"}, 2, "marey: --duration: found 1e+18 steps");
  refused({"run", "chain.yaml", "--duration", "1e6"}, 2, "marey: --duration: found 1e+08 frames");
  refused({"run", "chain.yaml", "--duration", "0.1 ms"}, 2, "marey: --duration: found a step of 0.001 s");
  refused({"run", "chain.yaml", "--record-every", "1e-9"}, 2, "marey: --record-every: found 5e+08 frames");
  refused({"run", "chain.yaml", "--slow-band", "1.5"}, 2, "--slow-band: found '1.5'; expected a whole number");
  refused({"run", "chain.yaml", "--slow-band", "0"}, 2, "--slow-band: found '0'");
  record();
  refused({"plot", "a.h5", "--width", "5"}, 2, "--width: found '5'; expected a whole number from 100 to 10000");
}

// Once it ran to its end, with an energy of inf and a residual of -nan.
TEST_F(Refuses, NumbersBeyondAllMeasure) {
  program::write(
      folder / "top.yaml",
      "marey: 1\nduration: 1 s\nfigures:\n  top:\n    links:\n      body:\n        joint: {type: hinge, axis: z}\n"
      "        shape: {sphere: 5 cm}\n        mass: 1 kg\n        start: {rate: 1e200 rad/s}\n");
  refused({"check", "top.yaml"}, 2, "top.yaml:10:23: found '1e200 rad/s', which is beyond all measure");
  refused({"run", "top.yaml"}, 2, "expected an angular rate of at most 1e+25 rad/s");
  refused({"run", "chain.yaml", "--duration", "1e300 s"}, 2, "--duration: found '1e300 s'");
}

TEST_F(Refuses, ScenesWithNobodyInThem) {
  program::write(folder / "a.yaml", "marey: 1\nduration: 1 s\nfigures: {}\n");
  refused({"check", "a.yaml"}, 2, "found an empty map; expected at least one figure");
  program::write(folder / "b.yaml", "marey: 1\nduration: 1 s\nfigures: {a: {links: {}}}\n");
  refused({"check", "b.yaml"}, 2, "found an empty map; expected at least one link");
}

}  // namespace
}  // namespace marey
