// marey search as a person uses it: what it prints, writes and exits with.
#include <yaml-cpp/yaml.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;

// A stone that is to be at a place; `aside`: where no number leads it.
std::string stone(const std::string& aside = "0", const std::string& more = "") {
  return "marey: 1\nduration: 0.8 s\nsolver: {step: 1 ms}\nparticles:\n  stone: {mass: 100 g, points: {a: {position: "
         "[0, 0, 0], velocity: "
         "[{search: [0 m/s, 9 m/s]}, 0, {search: [0, 9]}]}}}   # mine\nwant:\n  - place: {name: post, link: stone.a, "
         "at: [3 m, " +
         aside + ", 1 m], within: 1 mm}\n" + more;
}

struct MareySearch : program::InFolder {
  MareySearch() { program::write(folder / "stone.yaml", stone()); }
};

TEST_F(MareySearch, FindsAndWritesWhatCanBeRun) {
  const Outcome o = run({"search", "stone.yaml"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(o.out.starts_with("found in ")) << o.out;
  EXPECT_TRUE(contains(o.out, "particles/stone/points/a/velocity/0")) << o.out;
  EXPECT_TRUE(contains(o.out, "m off; allowed 0.001 m\nout/stone-found.yaml\n")) << o.out;
  EXPECT_TRUE(contains(program::contents(folder / "out/stone-found.yaml"), "# mine\n"));
  EXPECT_EQ(run({"run", "out/stone-found.yaml"}).status, 0);
  EXPECT_TRUE(contains(run({"search", "stone.yaml"}).err, "is now out/stone-found.previous.yaml"));
  EXPECT_EQ(run({"check", "out/stone-found.yaml"}).status, 0);
  refused({"run", "stone.yaml"}, 2, "'marey search' finds it");
}

TEST_F(MareySearch, SaysItAsJson) {
  const Outcome o = run({"search", "stone.yaml", "--json", "--seed", "7"});
  ASSERT_EQ(o.status, 0) << o.err;
  const YAML::Node json = YAML::Load(o.out);
  EXPECT_TRUE(json["found"].as<bool>());
  EXPECT_EQ(json["seed"].as<int>(), 7);
  EXPECT_EQ(json["numbers"].size(), 2u);
  EXPECT_NEAR(std::stod(json["numbers"][0]["found"].as<std::string>()), 3.75, 2e-3);
  EXPECT_TRUE(json["wants"][0]["holds"].as<bool>());
  EXPECT_EQ(json["wants"][0]["name"].as<std::string>(), "post");
  EXPECT_EQ(json["file"].as<std::string>(), "out/stone-found.yaml");
}

TEST_F(MareySearch, WhatIsNotFoundIsWrittenAsNearAsItCame) {
  program::write(folder / "stone.yaml", stone("5 cm"));
  const Outcome o = run({"search", "stone.yaml", "-o", "best.yaml", "--runs", "60"});
  EXPECT_EQ(o.status, 5);
  EXPECT_TRUE(o.out.starts_with("NOT FOUND in 60 runs")) << o.out;
  EXPECT_TRUE(contains(o.out, "NOT REACHED: 0.05 m off")) << o.out;
  EXPECT_EQ(run({"run", "best.yaml"}).status, 0);
}

TEST_F(MareySearch, InterruptedItWritesTheBestSoFar) {
  program::write(folder / "stone.yaml", stone("5 cm"));
  const pid_t child = program::start(folder, {"search", "stone.yaml", "-o", "best.yaml", "--runs", "10000000"});
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ::kill(child, SIGINT);
  EXPECT_EQ(program::wait_for(child), 130);
  EXPECT_EQ(run({"run", "best.yaml"}).status, 0) << program::contents(folder / "err.txt");
}

TEST_F(MareySearch, RefusesWhatItCannotDo) {
  refused({"search", "chain.yaml"}, 2, "chain.yaml:1:1: found no number that is to be searched for");
  refused({"search", "stone.yaml", "--runs", "0"}, 2, "--runs");
  refused({"search", "stone.yaml", "--seed", "x"}, 2, "--seed");
  refused({"search", "stone.yaml", "-o", "found.h5"}, 2, "expected a name that ends with .yaml");
  refused({"search", "stone.yaml", "-o", "stone.yaml"}, 4, "is the scene itself");
  EXPECT_EQ(run({"search", "stone.yaml", "-o", "found.yaml"}).status, 0);
  refused({"search", "stone.yaml", "-o", "found.yaml"}, 4, "already exists");
  EXPECT_EQ(run({"search", "stone.yaml", "-o", "found.yaml", "--force"}).status, 0);
}

}  // namespace
}  // namespace marey
