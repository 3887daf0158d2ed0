// marey search: numbers of a scene found so that what it wants comes true.
#include "marey/search.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "marey/core/text.h"
#include "marey/io/disk.h"
#include "marey/io/scene.h"
#include "scenes.h"

namespace marey::cli {

namespace fs = std::filesystem;

namespace {

constexpr int most_runs = 10'000'000, largest_seed = 1'000'000'000;

struct SearchArguments {
  std::string scene, output, seed = "1", runs = "1000", threads;
  bool json = false, force = false, afresh = false;
};

// One line that is written over again and again. Only on a terminal.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(const SearchProgress& p) {
    if (!on_) return;
    const auto now = std::chrono::steady_clock::now();
    if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now, drawn_ = true;
    fmt::print(stderr, "\r run {} of at most {}, {}; the best misses by {:.3g} of what is allowed\x1b[K", p.runs,
               p.most, p.phase, p.badness);
    std::fflush(stderr);
  }

 private:
  bool on_ = ::isatty(STDERR_FILENO) == 1, drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

fs::path folder_of(const std::string& file) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
}

std::string output_of(const SearchArguments& a, const std::string& scene_file) {
  if (a.output.empty()) return (fs::path("out") / fs::path(scene_file).stem()).string() + "-found.yaml";
  if (const std::string ending = fs::path(a.output).extension().string(); ending != ".yaml" && ending != ".yml")
    throw Error(ErrorKind::bad_input, fmt::format("--output: found '{}'; expected a name that ends with .yaml or .yml",
                                                  printable(a.output, 200)));
  return a.output;
}

// Before anything is run: a search is long.
void check_output(const SearchArguments& a, const std::string& output, const std::string& scene_file,
                  bool names_files) {
  std::error_code error;
  if (fs::equivalent(output, scene_file, error) && !a.force)
    throw Error(ErrorKind::file_trouble, fmt::format("'{}' is the scene itself; --force replaces it", output));
  if (!a.output.empty() && fs::exists(output, error) && !a.force)
    throw Error(ErrorKind::file_trouble, fmt::format("'{}' already exists; --force replaces it", output));
  if (names_files && folder_of(output) != folder_of(scene_file))
    throw Error(
        ErrorKind::bad_input,
        fmt::format(
            "the scene names files beside itself, which '{}' would not find; write it to the same folder: "
            "-o {}",
            output,
            (fs::path(scene_file).parent_path() / (fs::path(scene_file).stem().string() + "-found.yaml")).string()));
  const fs::path folder = fs::path(output).parent_path();
  if (folder.empty()) return;
  fs::create_directories(folder, error);
  if (error)
    throw Error(ErrorKind::file_trouble,
                fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
}

// Without -o an older file of that name is kept beside the new one, as of motions.
void keep_previous(const std::string& output) {
  std::error_code error;
  if (!fs::exists(output, error)) return;
  const fs::path file(output), previous = file.parent_path() / (file.stem().string() + ".previous.yaml");
  fs::rename(file, previous, error);
  if (error) throw Error(ErrorKind::file_trouble, fmt::format("cannot rename '{}': {}", output, error.message()));
  fmt::print(stderr, "the older {} is now {}\n", output, previous.string());
}

void write_text(const std::string& output, const std::string& text) {
  DiskFile file = open_unfinished(output);
  file.append(text.data(), text.size());
  file.rename_to(output, /*only_new=*/false);
}

Json json_of(const SearchResult& r, const SearchArguments& a, const std::string& output, double wall) {
  Json numbers = Json::array(), wants = Json::array();
  for (std::size_t i = 0; i < r.marks.size(); ++i)
    numbers.push_back({{"path", r.marks[i].path},
                       {"low", r.marks[i].low},
                       {"high", r.marks[i].high},
                       {"unit", r.marks[i].unit},
                       {"found", r.numbers.empty() ? Json() : Json(r.numbers[i])}});
  for (std::size_t i = 0; i < r.wants.size(); ++i) {
    const bool known = i < r.outcomes.size();
    wants.push_back({{"name", r.wants[i].name},
                     {"holds", known && r.outcomes[i].holds},
                     {"outcome", known ? Json(r.outcomes[i].text) : Json()},
                     {"misses", known ? Json(r.outcomes[i].misses) : Json()}});
  }
  return {{"found", r.holds},
          {"interrupted", r.interrupted},
          {"seed", std::stoll(a.seed)},
          {"runs", r.runs},
          {"failed_runs", r.failed},
          {"last_failure", r.last_failure},
          {"miss", r.badness},
          {"numbers", std::move(numbers)},
          {"wants", std::move(wants)},
          {"file", r.text.empty() ? Json() : Json(output)},
          {"wall_s", wall}};
}

void print(const SearchResult& r, const std::string& output, double wall) {
  fmt::print("{} in {} runs, {:.2g} s{}\n", r.holds ? "found" : "NOT FOUND", r.runs, wall,
             r.failed > 0 ? fmt::format("; {} of them failed, the last one: {}", r.failed, r.last_failure) : "");
  for (std::size_t i = 0; i < r.numbers.size(); ++i) fmt::print("  {:<40} {}\n", r.marks[i].path, r.numbers[i]);
  for (std::size_t i = 0; i < r.outcomes.size(); ++i)
    fmt::print("  {:<40} {}{}\n", r.wants[i].name, r.outcomes[i].holds ? "" : "NOT REACHED: ", r.outcomes[i].text);
  if (!r.text.empty()) fmt::print("{}\n", output);
}

ExitCode search_scene(const SearchArguments& a) {
  SearchOptions options;
  options.seed = static_cast<std::uint64_t>(whole_from(a.seed, "--seed", 0, largest_seed));
  options.runs = whole_from(a.runs, "--runs", 1, most_runs);
  options.from_found = !a.afresh;
  if (!a.threads.empty()) options.overrides.threads = whole_from(a.threads, "--threads", 1, most_threads);
  const std::string scene_file = find_scene(a.scene), output = output_of(a, scene_file);
  const SceneSpec spec = read_spec(scene_file);
  const std::unique_ptr<SceneFiles> files = files_beside(scene_file);
  watch_for_interrupts();
  ProgressLine line;
  SearchHooks hooks;
  hooks.stop = interrupted;
  hooks.begin = [&] { check_output(a, output, scene_file, !files->used().empty()); };
  hooks.progress = [&](const SearchProgress& p) { line.show(p); };
  const auto began = std::chrono::steady_clock::now();
  const SearchResult result = search(spec, options, hooks, files.get());
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!result.text.empty()) {
    if (a.output.empty() && !a.force) keep_previous(output);
    write_text(output, result.text);
  }
  a.json ? fmt::print("{}\n", text_of(json_of(result, a, output, wall), 2)) : print(result, output, wall);
  if (result.interrupted) return ExitCode::interrupted;
  if (result.text.empty()) return ExitCode::cannot_go_on;
  return result.holds ? ExitCode::done : ExitCode::doubtful;
}

constexpr const char* notes_of_search =
    R"(Numbers to be found stand in the scene as {search: [low, high]}, what they are to bring about under 'want':

  velocity: [{search: [1 m/s, 9 m/s]}, 0, {search: [0, 8 m/s]}]
  want:
    - place: {link: ball.body, at: [3 m, 0, 1 m], within: 1 cm}

Examples:
  marey search dice                                  a scene of the gallery
  marey search my.yaml -o found.yaml --seed 7        other random numbers
  marey search dice --json | jq .wants               for programs

Without -o the scene goes to out/SCENE-found.yaml (an older one becomes SCENE-found.previous.yaml), with found: beside each search: it can be run, and searched again from there. After
Ctrl-C it has the best so far. docs/guide/search.md tells more.

Exit status: 0 when all that is wanted holds; 5 when it does not: the best is written then, too; 3 when no run came to its end. 2, 4 and 130 as
everywhere.)";

}  // namespace

void add_search(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("search", "Find numbers of a scene so that what it wants comes true");
  auto a = std::make_shared<SearchArguments>();
  command->add_option("SCENE", a->scene, "A scene file, or the name of a scene of the gallery")->required();
  command->add_option("-o,--output", a->output, "Where to write the scene with the numbers found")
      ->type_name("FOUND.yaml");
  command->add_option("--seed", a->seed, "Of the random numbers; the same seed finds the same")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--runs", a->runs, "How many runs at most")->capture_default_str()->type_name("N");
  command->add_option("--threads", a->threads, "contact: stepping: how many share the work; the result stays the same")
      ->type_name("N");
  command->add_flag("--afresh", a->afresh, "Do not begin with what has been found before");
  command->add_flag("--json", a->json, "Print the result as one JSON object");
  command->add_flag("--force", a->force, "Replace an existing output");
  command->footer(notes_of_search);
  command->callback([a, &job] { job = [a] { return search_scene(*a); }; });
}

}  // namespace marey::cli
