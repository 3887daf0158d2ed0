// marey bench: runs one of the benchmark programs in the folder of this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "commands.h"
#include "marey/core/text.h"
#include "scenes.h"

namespace marey::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* prefix = "bench_";

std::vector<std::string> benchmarks() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(program_folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && ::access(entry.path().c_str(), X_OK) == 0)
      names.push_back(name.substr(std::strlen(prefix)));
  }
  std::ranges::sort(names);
  return names;
}

const std::map<std::string, const char*>& known_benchmarks() {
  static const std::map<std::string, const char*> meanings{
      {"batch", "many humans on one core, one by one and packed into registers"},
      {"costs", "what using and changing Marey costs: compiling a client, starting the program"},
      {"search", "how often, and in how many runs, a search finds ten targets each of a throw, a die and a landing"},
      {"down_jump",
       "three links with wobbling masses jump down: constants fitted to the peak and its width, and what comes of it"},
      {"derivatives", "what exact derivatives of the dynamics cost"},
      {"test_forces", "what prescribed accelerations cost, by their number and the size of the figure"},
      {"dynamics", "every solver, and every available rival, on the same figures"},
      {"fast", "small heaps by sweeps and by matrices: how far their motions go apart"},
      {"finger", "the finger of 1985, compared with its printed costs"},
      {"growth", "how the cost of a solver grows with the number of links"},
      {"heap",
       "heaps of 1,000 boxes, 1,000 mixed bodies and 10,000 spheres, by sweeps, beside Bullet, ODE and MuJoCo: steps "
       "in a second, and what became of them; growth"},
      {"humans", "a million humans on a GPU"},
      {"integrators", "what an error costs, by method, scene and engine"},
      {"lying",
       "a limp human falls and lies, beside MuJoCo, Bullet and DART: steps in a second, and how exact they were"},
      {"shapes", "distance and contact of every two kinds of convex solids, beside Bullet and FCL; the broad phase"},
      {"solvers", "articulated bodies against Lagrange multipliers: time and drift"},
      {"step", "what a whole step costs, against the solver calls in it and against other engines"},
      {"tissue", "what wobbling masses cost a human in flight and on a floor; ten humans"},
      {"welding", "what a step of the human costs with more and more joints welded"},
  };
  return meanings;
}
const char* meaning_of(const std::string& name) {
  const auto found = known_benchmarks().find(name);
  return found == known_benchmarks().end() ? "" : found->second;
}

ExitCode list_benchmarks(const std::vector<std::string>& names) {
  if (names.empty()) fmt::print("No benchmark is built beside this program.\n");
  for (const std::string& name : names) {
    const char* meaning = meaning_of(name);
    fmt::print("{}\n", *meaning == 0 ? name : fmt::format("{:<12}  {}", name, meaning));
  }
  return ExitCode::done;
}

// Replaces this program.
ExitCode bench(const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = benchmarks();
  if (arguments.empty()) return list_benchmarks(names);
  const std::string& name = arguments[0];
  if (std::ranges::find(names, name) == names.end()) {
    // The front door builds none for a name that it does not know; of those that are not built the names are known.
    std::vector<std::string> known = names;
    for (const auto& [other, meaning] : known_benchmarks()) known.push_back(other);
    const std::string near = closest(name, known);
    throw Error(ErrorKind::bad_input, fmt::format("there is no benchmark '{}'{}", name,
                                                  near.empty() ? "; 'marey bench' lists those that are built"
                                                               : fmt::format("; did you mean '{}'?", near)));
  }
  const std::string program = (fs::path(program_folder()) / (prefix + name)).string();
  std::vector<std::string> words = arguments;
  words[0] = program;
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(ErrorKind::file_trouble, fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
}

}  // namespace

void add_bench(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("bench", "Run a benchmark, or list them");
  command->prefix_command();
  command->footer(
      "Examples:\n  marey bench                   lists the benchmarks\n"
      "  marey bench dynamics --json   runs one; what follows its name is its own");
  command->callback([command, &job] { job = [words = command->remaining()] { return bench(words); }; });
}

}  // namespace marey::cli
