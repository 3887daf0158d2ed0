// marey run: a scene becomes a motion.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.h"
#include "interrupt.h"
#include "marey/core/text.h"
#include "marey/io/disk.h"
#include "marey/io/motion.h"
#include "marey/io/recorded.h"
#include "marey/io/scene.h"
#include "progress.h"
#include "run_summary.h"
#include "scenes.h"

namespace marey::cli {

namespace fs = std::filesystem;

namespace {

struct RunArguments {
  std::string scene, output, duration, step, record_every, solver, integrator, tolerance, slow_band, threads;
  bool json = false, force = false, resume = false, verify = false, strict = false;
};

SceneOverrides overrides_of(const RunArguments& a) {
  SceneOverrides o;
  if (!a.duration.empty()) o.duration = time_from(a.duration, "--duration");
  if (!a.step.empty()) o.step = time_from(a.step, "--step");
  if (!a.record_every.empty()) o.record_every = time_from(a.record_every, "--record-every");
  if (!a.solver.empty()) o.dynamics = dynamics_from(a.solver, "--solver");
  if (!a.integrator.empty()) o.integrator = integrator_from(a.integrator, "--integrator");
  if (!a.tolerance.empty()) o.tolerance = number_from(a.tolerance, "--tolerance");
  if (!a.slow_band.empty()) o.slow_band = whole_from(a.slow_band, "--slow-band", 1, largest_slow_band);
  if (!a.threads.empty()) o.threads = whole_from(a.threads, "--threads", 1, most_threads);
  return o;
}

// What the first leaves open, the second decides.
SceneOverrides over(const SceneOverrides& first, const SceneOverrides& second) {
  SceneOverrides o = second;
  o.goes_on = !first.integrator;
  if (first.duration) o.duration = first.duration;
  if (first.step) o.step = first.step;
  if (first.record_every) o.record_every = first.record_every;
  if (first.dynamics) o.dynamics = first.dynamics;
  if (first.integrator) o.integrator = first.integrator;
  if (first.tolerance) o.tolerance = first.tolerance, o.absolute_tolerance.reset();
  if (first.slow_band) o.slow_band = first.slow_band;
  if (first.threads) o.threads = first.threads;
  return o;
}

bool named_as_motion(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending == ".h5" || ending == ".hdf5";
}

bool is_motion(const std::string& file) { return named_as_motion(file) || looks_like_hdf5(file); }

// Where a motion without a given name goes: out/ in the current folder.
std::string default_output(const std::string& scene_file) {
  return (fs::path("out") / fs::path(scene_file).stem()).string() + ".h5";
}

void make_default_folder() {
  std::error_code error;
  fs::create_directories("out", error);
  if (error) throw Error(ErrorKind::file_trouble, fmt::format("cannot make the folder 'out': {}", error.message()));
}

// ----------------------------------------------------------------------------------------------- what to do
struct Plan {
  Scene scene;
  std::string output;
  std::unique_ptr<MotionFile> file;  // none: the run is already finished
};

Plan plan_new(const RunArguments& a) {
  const std::string scene_file = find_scene(a.scene);
  if (is_motion(scene_file))
    throw Error(ErrorKind::bad_input,
                fmt::format("'{}' is a motion, not a scene; to go on with its run say --resume", scene_file));
  Plan plan{load_scene(scene_file, overrides_of(a)), a.output, nullptr};
  Existing existing = a.force ? Existing::replace : Existing::refuse;
  if (a.output.empty()) {
    plan.output = default_output(scene_file);
    make_default_folder();
    if (!a.force) existing = Existing::keep_previous;
  }
  plan.file = std::make_unique<MotionFile>(plan.output, existing);
  return plan;
}

// The options of the interrupted run hold; asking for others is refused.
Plan plan_again(const RunArguments& a, const std::string& scene_file, const std::string& motion) {
  const MotionInfo info = read_motion_info(motion);
  const SceneOverrides options = over(overrides_of(a), options_of(info));
  Plan plan{scene_file.empty() ? scene_to_repeat(info, options) : load_scene(scene_file, options), motion, nullptr};
  if (const std::string why = difference(info, plan.scene); !why.empty())
    throw Error(ErrorKind::bad_input, fmt::format("cannot go on with '{}': {}", motion, why));
  if (info.end == MotionEnd::broke_down)
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("the run in '{}' broke down, and would do so again: {}", motion, info.breakdown()));
  if (info.end != MotionEnd::done) plan.file = std::make_unique<MotionFile>(MotionFile::resume(motion));
  return plan;
}

Plan make_plan(const RunArguments& a) {
  if (!a.output.empty() && !named_as_motion(a.output))
    throw Error(ErrorKind::bad_input,
                fmt::format("--output: found '{}'; expected a name that ends with .h5 or .hdf5, the "
                            "format of motions; 'export' makes tables of them",
                            printable(a.output, 200)));
  if (!a.resume) return plan_new(a);
  if (a.force) throw Error(ErrorKind::bad_input, "--resume goes on with a file and --force replaces it; choose one");
  if (is_motion(a.scene)) {
    if (!a.output.empty() && a.output != a.scene)
      throw Error(ErrorKind::bad_input, "a run goes on in its own file; leave -o away");
    return plan_again(a, "", a.scene);
  }
  const std::string scene_file = find_scene(a.scene);
  const std::string motion = a.output.empty() ? default_output(scene_file) : a.output;
  if (!fs::exists(motion)) return plan_new(a);  // nothing was begun yet
  return plan_again(a, scene_file, motion);
}

// ----------------------------------------------------------------------------------------------- doing it
RunSummary compute(const Plan& plan, bool verify) {
  watch_for_interrupts();
  const Checkpoint* from = plan.file->from() ? &*plan.file->from() : nullptr;
  ProgressBar bar(from ? from->t : 0);
  RunHooks hooks;
  hooks.stop = interrupted;
  hooks.verify = verify;
  hooks.progress = [&](double t, double duration) {
    plan.file->keep_fresh();
    bar.show(t, duration);
  };
  return run(plan.scene, *plan.file, hooks, from);
}

// What a script is told about a completed run.
ExitCode verdict(bool agree, bool closed, bool strict) {
  const bool disagree = !agree, open = strict && !closed;
  if (disagree) fmt::print(stderr, "marey: the solvers do not agree\n");
  if (open) fmt::print(stderr, "marey: the account is not closed\n");
  return disagree || open ? ExitCode::doubtful : ExitCode::done;
}

// A run that was already finished is reported as it ended then.
ExitCode say_finished(const Plan& plan, const RunArguments& a) {
  const MotionInfo info = read_motion_info(plan.output);
  if (a.json)
    fmt::print("{}\n", info.summary);
  else
    fmt::print("The run in {} is finished; there is nothing left to do.\n", plan.output);
  if (a.verify && !solvers_agreed(info))
    fmt::print(stderr, "warning: the run was finished without --verify; its solvers have not been compared\n");
  return verdict(solvers_agreed(info).value_or(true), was_closed(info).value_or(false), a.strict);
}

ExitCode run_scene(const RunArguments& a) {
  Plan plan = make_plan(a);
  if (!plan.file) return say_finished(plan, a);
  if (const std::string cost = warning_of_cost(plan.scene); !cost.empty()) fmt::print(stderr, "warning: {}\n", cost);
  const RunSummary summary = compute(plan, a.verify);
  const Saved saved{plan.output, plan.file->displaced()};
  plan.file.reset();
  a.json ? print_summary_json(summary, saved) : print_summary(plan.scene, summary, saved);
  if (!summary.breakdown.empty())
    throw Error(ErrorKind::cannot_go_on,
                fmt::format("the simulation could not go on: {}. What was recorded until then is in '{}'",
                            summary.breakdown, saved.file));
  if (summary.interrupted) return ExitCode::interrupted;
  return verdict(!summary.verification || summary.verification->agree, summary.ledger.closed, a.strict);
}

constexpr const char* notes = R"(Examples:
  marey run finger-tap                           a scene of the gallery, by its name
  marey run my.yaml -o my.h5 --step '5 ms'       a scene of your own, with another step
  marey run finger-tap --json | jq .ledger       for programs
  marey run --resume my.h5                       resumes after an interrupt, a crash or a full disk

Without -o the motion goes to out/SCENE.h5, and one that is already there becomes out/SCENE.previous.h5.
A file named with -o is never replaced unless --force says so, and then only once the new run has frames on disk.
With --resume, SCENE may be the motion itself, which holds its scene; when nothing was begun yet, the run begins.

Exit status: 0 when the run came to its end, closed or NOT CLOSED; 5 for NOT CLOSED with --strict, and whenever --verify
finds solvers that do not agree: the motion is saved then, too. 2, 3, 4 and 130 as everywhere.)";

}  // namespace

void add_run(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("run", "Compute the motion of a scene and save it");
  auto a = std::make_shared<RunArguments>();
  command->add_option("SCENE", a->scene, "A scene file, or the name of a scene of the gallery")->required();
  command->add_option("-o,--output", a->output, "Where to save the motion (HDF5)")->type_name("RUN.h5");
  command->add_option("--duration", a->duration, "How long to simulate, e.g. '2 s'")->type_name("TIME");
  command->add_option("--step", a->step, "Length of a step, e.g. '5 ms'")->type_name("TIME");
  command->add_option("--record-every", a->record_every, "Time between recorded frames")->type_name("TIME");
  command->add_option("--solver", a->solver, "armstrong, aba, crba, dense or multipliers")->type_name("NAME");
  std::vector<std::string> methods;
  for (const Integrator i : all_integrators()) methods.emplace_back(name_of(i));
  command->add_option("--integrator", a->integrator, either(methods))->type_name("NAME");
  command->add_option("--tolerance", a->tolerance, "rk45, adams, bdf: the error allowed in a step, e.g. 1e-8")
      ->type_name("X");
  command->add_option("--slow-band", a->slow_band, "armstrong: slow coefficients computed only every N steps")
      ->type_name("N");
  command->add_option("--threads", a->threads, "contact: stepping: how many share the work; the motion stays the same")
      ->type_name("N");
  command->add_flag("--verify", a->verify, "Recompute recorded instants with every solver that applies, and compare");
  command->add_flag("--strict", a->strict, "Exit with status 5 when the account of energy and momentum is not closed");
  command->add_flag("--json", a->json, "Print the summary as one JSON object");
  command->add_flag("--force", a->force, "Replace an existing output");
  command->add_flag("--resume", a->resume, "Resume a run that was interrupted");
  command->footer(notes);
  command->callback([a, &job] { job = [a] { return run_scene(*a); }; });
}

}  // namespace marey::cli
