// The rounds: which inputs, how many, what they must not do. Short in fuzz_test, long in fuzz_long_test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "fuzz/cases.h"
#include "fuzz/expect.h"
#include "fuzz/motion_mutator.h"
#include "fuzz/scene_mutator.h"
#include "io/motion/read.h"
#include "support/large_scenes.h"

namespace marey::fuzz {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void write_to(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}
// In the order of their names.
inline std::vector<std::filesystem::path> files_in(const std::string& folder, const std::string& ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(MAREY_SOURCE_DIR) + "/" + folder))
    if (entry.path().extension() == ending) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}
inline const char* const corpus_folder = "tests/fuzz/corpus";

// A folder that goes away with the round; in memory where there is such a place.
struct Folder {
  Folder() {
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    std::string pattern =
        (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/marey-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

// ---- scenes
inline std::vector<std::string> scene_corpus() {
  std::vector<std::string> corpus;
  for (const char* folder : {"gallery", "tests/unit/io/good", corpus_folder})
    for (const auto& file : files_in(folder, ".yaml"))
      if (!is_large_scene(file.stem().string())) corpus.push_back(content_of(file));
  return corpus;
}
inline void fuzz_scenes(const Round& round) {
  const SceneMutator mutator(scene_corpus());
  const auto scene = [&](std::uint64_t n) { return mutator.scene(round.seed, n); };
  const Outcome outcome = run_round(
      round, [&](std::uint64_t n) { return check_and_run(scene(n), n % 8 == 0); }, scene);
  expect_no_faults(outcome, round);
}

// ---- formulas and units
inline void fuzz_formulas(const Round& round) {
  const auto formula = [&](std::uint64_t n) {
    Random r(round.seed, n);
    return random_formula(r);
  };
  expect_no_faults(run_round(
                       round, [&](std::uint64_t n) { return read_as_formula(formula(n)); }, formula),
                   round);
}
inline void fuzz_units(const Round& round) {
  const auto quantity = [&](std::uint64_t n) {
    Random r(round.seed, n);
    return random_quantity(r);
  };
  expect_no_faults(run_round(
                       round, [&](std::uint64_t n) { return read_as_quantities(quantity(n)); }, quantity),
                   round);
}

// ---- motions
// Of a scene, broken off after some steps, or whole.
inline SoundMotion motion_of(const std::string& scene_file, const Folder& folder, int steps) {
  const std::string file = folder / "sound.h5";
  {
    const Scene scene = load_scene(scene_file);
    MotionFile motion(file, Existing::replace);
    RunHooks hooks;
    hooks.stop = [&] { return --steps <= 0; };
    run(scene, motion, hooks);
  }
  return {content_of(file), layout_of(open_motion(file))};
}
inline std::vector<SoundMotion> motion_corpus(const Folder& folder) {
  std::vector<SoundMotion> corpus;
  for (const auto& scene : files_in(corpus_folder, ".yaml")) {
    if (!scene.stem().string().starts_with("recorded-")) continue;
    for (const int steps : {5, 100000}) corpus.push_back(motion_of(scene.string(), folder, steps));
  }
  return corpus;
}
inline void fuzz_motions(const Round& round) {
  const Folder folder;
  const MotionMutator mutator(motion_corpus(folder));
  const auto motion = [&](std::uint64_t n) { return mutator.motion(round.seed, n); };
  const auto one = [&](std::uint64_t n) {
    const std::string file = folder / "damaged.h5";
    write_to(file, motion(n));
    return read_and_resume(file, folder / "table.csv");
  };
  expect_no_faults(run_round(round, one, motion), round);
}

// ---- what once was wrong
// Every file of the corpus, as it is: in this process, so that a debugger finds the place.
inline void read_corpus() {
  for (const auto& file : files_in(corpus_folder, ".yaml")) {
    const Verdict verdict = check_and_run(content_of(file), true);
    EXPECT_EQ(verdict.fault, "") << file;
  }
  const Folder folder;
  for (const auto& file : files_in(corpus_folder, ".h5")) {
    const std::string copy = folder / "copy.h5";
    write_to(copy, content_of(file));
    EXPECT_EQ(read_and_resume(copy, folder / "table.csv").fault, "") << file;
  }
}

}  // namespace marey::fuzz
