// marey check: are these scenes sound?
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "commands.h"
#include "counted.h"
#include "json.h"
#include "marey/io/disk.h"
#include "marey/io/scene.h"
#include "marey/sim.h"
#include "marey/sim/overlaps.h"
#include "masses.h"
#include "scenes.h"

namespace marey::cli {

namespace {

std::string steps_text(const SolverOptions& o) {
  if (has_fixed_step(o.integrator)) return fmt::format("steps of {:g} s", o.step);
  return fmt::format("steps chosen for a tolerance of {:g}", o.tolerance);
}

std::string method_text(const SolverOptions& o) {
  return o.contact == ContactDriver::stepping ? name_of(o.contact) : name_of(o.integrator);
}

enum class Answer { words, masses, json };

void say(const std::string& file, const Scene& scene) {
  const std::string how = scene.kinematic ? "by scripts alone"
                                          : fmt::format("in {} by {} and {}", steps_text(scene.solver),
                                                        name_of(scene.solver.dynamics), method_text(scene.solver));
  fmt::print("{}: sound; {}, {}, {:g} s {}\n", file, counted(scene.model.nlink() - 1, "link", "links"),
             counted(scene.model.nv, "degree of freedom", "degrees of freedom"), scene.duration, how);
  for (const std::string& note : scene.notes) fmt::print("  note: {}\n", note);
  if (const std::string overlap = overlaps_at_start(scene); !overlap.empty()) fmt::print("  note: {}\n", overlap);
  for (const std::string& warning : scene.warnings) fmt::print("  warning: {}\n", warning);
  for (const std::string& remark : scene.remarks) fmt::print("  warning: {}\n", remark);
  for (const std::string& warning : warnings_before(scene)) fmt::print("  warning: {}\n", warning);
}

void say_json(const std::string& file, const Scene& scene) {
  Json json{{"file", file}};
  json.update(masses_json(scene));
  json["notes"] = scene.notes;
  fmt::print("{}\n", text_of(json, 2));
}

void check_scene(const std::string& file, Answer answer) {
  if (looks_like_hdf5(file))
    throw Error(ErrorKind::bad_input,
                fmt::format("'{}' is a motion, not a scene; expected the text it was made from", file));
  const Scene scene = load_scene(find_scene(file));
  if (answer == Answer::json) return say_json(file, scene);
  say(file, scene);
  if (answer == Answer::masses) print_masses(scene);
}

// All are checked, whatever the first one holds; the worst decides.
ExitCode check_scenes(const std::vector<std::string>& files, Answer answer) {
  ExitCode code = ExitCode::done;
  for (const std::string& file : files) {
    try {
      check_scene(file, answer);
    } catch (const Error& error) {
      std::fflush(stdout);
      fmt::print(stderr, "marey: {}\n", error.what());
      if (code != ExitCode::bad_input) code = exit_code_of(error.kind());
    }
  }
  return code;
}

}  // namespace

void add_check(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("check", "Say whether scenes are sound, and where they are not");
  auto files = std::make_shared<std::vector<std::string>>();
  auto schema = std::make_shared<bool>(false), reference = std::make_shared<bool>(false);
  auto mass = std::make_shared<bool>(false), json = std::make_shared<bool>(false);
  CLI::Option* scenes = command->add_option("SCENE", *files, "Scene files, or names of scenes of the gallery");
  command->add_flag("--schema", *schema, "Print the JSON Schema of scenes, for editors")->excludes(scenes);
  command->add_flag("--reference", *reference, "Print what every key of a scene takes and means, as Markdown")
      ->excludes(scenes)
      ->excludes("--schema");
  CLI::Option* masses = command->add_flag("--mass", *mass,
                                          "Print masses, centres of mass, principal moments and axes: of every link in "
                                          "its frame, of every figure in the world at the start");
  command->add_flag("--json", *json, "With --mass, of one scene: as one JSON object")->needs(masses);
  command->footer(
      "Examples:\n  marey check my.yaml gallery/*.yaml\n  marey check --mass tumbling-human\n"
      "  marey check --schema > marey-scene.schema.json");
  command->callback([files, schema, reference, mass, json, &job] {
    if (!*schema && !*reference && files->empty()) throw CLI::RequiredError("SCENE");
    if (*json && files->size() > 1) throw CLI::ValidationError("--json", "one SCENE at a time");
    const Answer answer = *json ? Answer::json : *mass ? Answer::masses : Answer::words;
    job = [files, schema, reference, answer] {
      if (!*schema && !*reference) return check_scenes(*files, answer);
      fmt::print("{}", *schema ? scene_schema() : scene_reference());
      return ExitCode::done;
    };
  });
}

}  // namespace marey::cli
