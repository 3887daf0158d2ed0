#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"
#include "marey/force/element_maker.h"
#include "marey/force/link_names.h"
#include "marey/scene.h"
#include "marey/scene/keys.h"
#include "marey/scene/marks.h"
#include "marey/sim/channel_names.h"
#include "marey/sim/scripted.h"
#include "marey/sim/touching_items.h"
#include "marey/spec/values.h"
#include "scene/constraints.h"
#include "scene/contacts.h"
#include "scene/elements.h"
#include "scene/figures.h"
#include "scene/idle_keys.h"
#include "scene/materials.h"
#include "scene/particles.h"
#include "scene/recorded.h"
#include "scene/scenery.h"
#include "scene/start.h"
#include "scene/start_by_name.h"
#include "scene/wants.h"

namespace marey {

namespace {

const std::vector<std::string> dynamics_names{"armstrong", "aba", "crba", "dense", "multipliers"};
constexpr const char* no_dynamics = "none";
const std::vector<std::string> integrator_names = [] {
  std::vector<std::string> names;
  for (const Integrator i : all_integrators()) names.emplace_back(name_of(i));
  return names;
}();
const std::vector<std::string> stabilisation_names{"projection", "baumgarte", "none"};
constexpr double tightest = 1e-14, loosest = 0.1;  // of tolerances
constexpr double most_steps = 1e10;
constexpr double most_spikes = 1e7;  // each ends a step twice

// Where an option of a run came from: a place in the scene, or the command line.
struct Origin {
  Place at;
  std::string option;  // empty for the scene
  bool given = false;  // in the scene; if not, the default was taken

  [[noreturn]] void refuse(const std::string& what) const {
    if (option.empty()) marey::refuse(at, what);
    throw Error(ErrorKind::bad_input, option + ": " + what);
  }
};
// Of two incompatible numbers, the one to blame: the one from the command line, else the one from the scene, and if
// both are from there, the first.
const Origin& to_blame(const Origin& first, const Origin& second) {
  return first.option.empty() && (!second.option.empty() || !first.given) ? second : first;
}
struct Origins {
  Origin duration, step, record, solver, dynamics, integrator, tolerance, stabilisation_time;
};

// One number, or one for relative and one for absolute errors.
void read_tolerance(const Value& node, SolverOptions& solver) {
  if (node.kind != Value::Kind::map) {
    solver.tolerance = read_number(node, kinds::number, Range::positive);
    return;
  }
  MapReader map(node, key_table("tolerance"));
  solver.tolerance = read_number(map.need("relative"), kinds::number, Range::positive);
  if (const Value* n = map.get("absolute")) solver.absolute_tolerance = read_number(*n, kinds::number, Range::positive);
  map.done("in a tolerance");
}

Vec3<double> read_gravity(const Value* node) {
  if (!node) return {0, 0, -9.81};
  if (node->kind == Value::Kind::list) return read_vector(*node, kinds::acceleration);
  if (node->kind != Value::Kind::scalar) refuse_value(*node, "an acceleration downwards, or three in a list");
  const double down = read_number(*node, kinds::acceleration);
  if (down < 0)
    refuse_value(*node,
                 "an acceleration of zero or more, which is counted downwards, or a vector: [0, 0, -9.81 m/s^2]");
  return {0, 0, -down};
}

void read_stabilisation(MapReader& map, SolverOptions& solver, Origins& origins) {
  const Value *way = map.get("stabilisation"), *time = map.get("stabilisation_time");
  if (way) solver.stabilisation = static_cast<Stabilisation>(read_choice(*way, stabilisation_names));
  if (time) {
    solver.stabilisation_time = read_number(*time, kinds::time, Range::positive);
    origins.stabilisation_time.at = time->at, origins.stabilisation_time.given = true;
  }
  if (time && solver.stabilisation != Stabilisation::baumgarte)
    refuse(time->at, "found stabilisation_time, which belongs to stabilisation: baumgarte");
  if (way && solver.dynamics != Dynamics::multipliers)
    refuse(way->at, fmt::format("found a stabilisation with {}; expected dynamics: multipliers, whose joints drift",
                                name_of(solver.dynamics)));
}

void read_solver(const Value* node, SolverOptions& solver, bool& kinematic, Origins& origins) {
  if (!node) return;
  for (Origin* o : {&origins.solver, &origins.dynamics, &origins.integrator, &origins.step}) o->at = node->at;
  MapReader map(*node, key_table("solver"));
  if (const Value* n = map.get("dynamics")) {
    std::vector<std::string> words = dynamics_names;
    words.emplace_back(no_dynamics);
    const std::size_t word = read_choice(*n, words);
    kinematic = word == dynamics_names.size();
    if (!kinematic) solver.dynamics = static_cast<Dynamics>(word);
    origins.dynamics.at = n->at;
  }
  if (const Value* n = map.get("integrator")) {
    solver.integrator = static_cast<Integrator>(read_choice(*n, integrator_names));
    origins.integrator.at = n->at;
  }
  if (const Value* n = map.get("contact"))
    solver.contact = static_cast<ContactDriver>(read_choice(*n, {"events", "stepping"}));
  if (const Value* n = map.get("accuracy"))
    solver.accuracy = static_cast<ContactAccuracy>(read_choice(*n, {"tight", "fast", "auto"}));
  if (const Value* n = map.get("threads")) solver.threads = static_cast<int>(read_whole(*n, 1, most_threads));
  if (const Value* n = map.get("sleep")) {
    MapReader sleep(*n, key_table("sleep"));
    SleepOptions& o = solver.sleep.emplace();
    if (const Value* x = sleep.get("below")) o.below = read_number(*x, kinds::speed, Range::positive);
    if (const Value* x = sleep.get("for")) o.lasts = read_number(*x, kinds::time, Range::positive);
  }
  if (!has_fixed_step(solver.integrator)) solver.step = forever;
  if (const Value* n = map.get("step")) {
    solver.step = read_number(*n, kinds::time, Range::positive);
    origins.step.at = n->at, origins.step.given = true;
  }
  if (const Value* n = map.get("tolerance")) {
    if (has_fixed_step(solver.integrator))
      refuse(n->at,
             fmt::format("found a tolerance with {}, whose steps are fixed; expected integrator: rk45, adams or bdf",
                         name_of(solver.integrator)));
    origins.tolerance.at = n->at;
    read_tolerance(*n, solver);
  }
  if (const Value* n = map.get("slow_band")) solver.slow_band = static_cast<int>(read_whole(*n, 1, largest_slow_band));
  if (const Value* n = map.get("spread")) solver.spread = read_flag(*n);
  if (const Value* n = map.get("reuse")) solver.reuse = read_number(*n, kinds::number, Range::positive);
  if (const Value* n = map.get("weld")) {
    MapReader weld(*n, key_table("weld"));
    WeldOptions& w = solver.weld.emplace();
    if (const Value* x = weld.get("below")) w.below = read_number(*x, kinds::angular_rate, Range::positive);
    if (const Value* x = weld.get("for")) w.lasts = read_number(*x, kinds::time, Range::positive);
    if (const Value* x = weld.get("wake")) w.wake = read_number(*x, kinds::torque, Range::positive);
  }
  read_stabilisation(map, solver, origins);
}

// Stepping where shapes may touch, or joints have stops or motors, unless the scene says otherwise. It advances by its own rule, in fixed steps.
void choose_contact_driver(const Value* solver, Scene& scene) {
  const ValueEntry* given = solver ? solver->find("contact") : nullptr;
  SolverOptions& o = scene.solver;
  const auto bound = std::ranges::find_if(scene.elements, acts_in_steps_alone);
  const bool bounds = bound != scene.elements.end();
  if (given == nullptr && (scene.collide || bounds)) o.contact = ContactDriver::stepping;
  if (given != nullptr && bounds && o.contact == ContactDriver::events)
    refuse(given->value->at,
           fmt::format("found contact: events with the {} '{}'; expected contact: stepping, in which alone "
                       "stops and motors act",
                       word_of(*bound), bound->name));
  if (given != nullptr && scene.collide && o.contact == ContactDriver::events)
    refuse(given->value->at,
           "found contact: events with collide; expected contact: stepping, or points of links under 'contacts' "
           "instead: impacts of shapes are not located in time yet");
  const ValueEntry* accuracy = solver ? solver->find("accuracy") : nullptr;
  if (o.contact != ContactDriver::stepping) {
    if (accuracy != nullptr)
      remark(accuracy->key_at, "'accuracy' has no effect with contact: events, which solves all contacts tightly");
    if (const ValueEntry* threads = solver ? solver->find("threads") : nullptr)
      remark(threads->key_at, "'threads' has no effect with contact: events, which goes by one");
    return;
  }
  if (given == nullptr)
    scene.notes.push_back(fmt::format("{}: the run goes on by contact: stepping, in fixed steps",
                                      scene.collide ? "shapes may touch" : "joints have stops or motors"));
  if (solver == nullptr) return;
  if (const ValueEntry* method = solver->find("integrator")) {
    remark(method->key_at,
           "'integrator' has no effect with contact: stepping, which advances by a midpoint rule of its own");
    o.integrator = Integrator::rk4;
    if (!std::isfinite(o.step)) o.step = SolverOptions().step;
  }
}

// Patterns of channels; whether they name any is known once the rest of the scene is read (check_channels).
void read_channels(const Value& node, RecordOptions& record) {
  const char* expected = "patterns of channels in a list, such as [link/*/position, energy]";
  if (node.kind != Value::Kind::list || node.items.empty()) refuse_value(node, expected);
  for (const auto& pattern : node.items) record.channels.push_back(read_text(*pattern));
}

void read_record(const Value* node, RecordOptions& record, Origins& origins) {
  if (!node) return;
  MapReader map(*node, key_table("record"));
  if (const Value* channels = map.get("channels")) read_channels(*channels, record);
  for (const char* of_links : {"paths", "euler_zyz", "compare", "touch"})
    map.get(of_links);  // by read_recorded(), later
  const std::string form = map.one_of({"every", "per_second"});
  if (form.empty() && node->entries.empty()) refuse_value(*node, "every: 0.1 s, or per_second: 60");
  if (form.empty()) return;
  const Value& value = map.need(form);
  origins.record.at = value.at, origins.record.given = true;
  record.every = form == "every" ? read_number(value, kinds::time, Range::positive)
                                 : 1 / read_number(value, kinds::number, Range::positive);
}

// Every pattern has to name something that can be recorded. Inputs are what a program may switch on later.
void check_channels(const Value* record, Scene& scene) {
  if (scene.record.channels.empty()) return;
  std::vector<Channel> all = channels_of(scene);
  for (Channel& of_inputs : channels_of_inputs()) all.push_back(std::move(of_inputs));
  const ColumnFinder finder(all);
  for (const auto& pattern : record->find("channels")->value->items) {
    if (!finder.named(pattern->text).empty()) continue;
    if (names_touching(pattern->text) && records_touching(scene)) continue;
    const std::string near = nearest_pattern(all, pattern->text), request = how_to_ask_for(pattern->text);
    if (!request.empty() && near.empty())
      refuse(pattern->at,
             fmt::format("found '{}', which this scene does not ask for; expected a key beside 'channels': {}",
                         printable(pattern->text), request));
    refuse(pattern->at,
           fmt::format("found '{}', which is no channel of this scene{} expected channels such as "
                       "link/*/position, joint/*/angle, energy ('marey plot RUN.h5 --list' shows them)",
                       printable(pattern->text), near.empty() ? ";" : fmt::format("; did you mean '{}'?", near)));
  }
}

void read_ledger(const Value* node, std::optional<double>& closed_within) {
  if (!node) return;
  MapReader map(*node, key_table("ledger"));
  const Value* n = map.get("closed_within");
  if (!n) refuse_value(*node, "closed_within: 1e-4");
  closed_within = read_number(*n, kinds::number, Range::positive);
  if (*closed_within > loosest_ledger)
    refuse_value(*n, fmt::format("{} or less: a ledger further off is never called closed", loosest_ledger));
}

void apply(const SceneOverrides& overrides, bool recorded, Scene& scene, Origins& origins) {
  if (!recorded && !overrides.goes_on && overrides.integrator && scene.solver.contact == ContactDriver::stepping)
    throw Error(ErrorKind::bad_input,
                "--integrator: found a method for a scene with contact: stepping, which advances by a rule of its own; "
                "expected "
                "none");
  const auto set = [](const auto& given, auto& value, Origin& origin, const char* option) {
    if (given) value = *given, origin.option = option;
  };
  set(overrides.duration, scene.duration, origins.duration, "--duration");
  // Steps of another kind have another length.
  if (overrides.integrator && has_fixed_step(*overrides.integrator) != has_fixed_step(scene.solver.integrator)) {
    const bool fixed = has_fixed_step(*overrides.integrator);
    if (!overrides.step)
      scene.notes.push_back(fixed ? fmt::format("{} has fixed steps: {:g} s, unless --step says otherwise",
                                                name_of(*overrides.integrator), SolverOptions().step)
                                  : fmt::format("{} chooses its steps: the scene's step of {:g} s does not hold",
                                                name_of(*overrides.integrator), scene.solver.step));
    scene.solver.step = fixed ? SolverOptions().step : forever;
  }
  set(overrides.step, scene.solver.step, origins.step, "--step");
  set(overrides.tolerance, scene.solver.tolerance, origins.tolerance, "--tolerance");
  if (overrides.tolerance) scene.solver.absolute_tolerance.reset();
  if (overrides.absolute_tolerance) scene.solver.absolute_tolerance = overrides.absolute_tolerance;
  set(overrides.record_every, scene.record.every, origins.record, "--record-every");
  set(overrides.dynamics, scene.solver.dynamics, origins.solver, "--solver");
  set(overrides.dynamics, scene.solver.dynamics, origins.dynamics, "--solver");
  set(overrides.integrator, scene.solver.integrator, origins.solver, "--integrator");
  set(overrides.integrator, scene.solver.integrator, origins.integrator, "--integrator");
  set(overrides.slow_band, scene.solver.slow_band, origins.solver, "--slow-band");
  set(overrides.spread, scene.solver.spread, origins.solver, "--spread");
  if (overrides.threads) scene.solver.threads = *overrides.threads;
}

void check_tolerance(const Scene& scene, const Origins& origins) {
  const double t = scene.solver.tolerance;
  if (!(t >= tightest && t <= loosest))
    origins.tolerance.refuse(
        fmt::format("found a tolerance of {:.3g}; expected one from {:.0e} to {}", t, tightest, loosest));
  if (has_fixed_step(scene.solver.integrator) && !origins.tolerance.option.empty())
    origins.tolerance.refuse(
        fmt::format("{} has fixed steps; a tolerance goes with rk45, adams and bdf", name_of(scene.solver.integrator)));
}

void check_time(double t, const Origin& origin, const char* what) {
  if (!(t > 0) || !std::isfinite(t))
    origin.refuse(fmt::format("found a {} of {:.6g} s; expected a time above zero, such as 10 ms", what, t));
}

// Names under `touching`, wherever a condition stands.
void check_touching(const Value* node, const Scene& scene) {
  if (node == nullptr) return;
  for (const ValuePtr& item : node->items) check_touching(item.get(), scene);
  for (const ValueEntry& entry : node->entries)
    if (entry.key != "touching")
      check_touching(entry.value.get(), scene);
    else if (const std::string why = refusal_of_touching(scene, read_touching(*entry.value)); !why.empty())
      refuse(entry.value->at, why);
}

// What maximal coordinates require.
void check_multipliers(const Scene& scene, const Origins& origins) {
  const SolverOptions& solver = scene.solver;
  if (solver.dynamics != Dynamics::multipliers) return;
  if (solver.stabilisation == Stabilisation::baumgarte && has_fixed_step(solver.integrator) &&
      solver.stabilisation_time < solver.step)
    to_blame(origins.stabilisation_time, origins.step)
        .refuse(fmt::format("found a stabilisation_time of {:.6g} s with steps of {:.6g} s, within which it would "
                            "overshoot; expected a time of at least a step",
                            solver.stabilisation_time, solver.step));
}

// What must hold between the numbers of a run.
void check_run(Scene& scene, const Origins& origins, bool recorded) {
  check_time(scene.duration, origins.duration, "duration");
  if (has_fixed_step(scene.solver.integrator) || std::isfinite(scene.solver.step))
    check_time(scene.solver.step, origins.step, "step");
  check_tolerance(scene, origins);
  check_time(scene.record.every, origins.record, "time between frames");
  const double duration = scene.duration, step = scene.solver.step, every = scene.record.every;
  const Origin &step_origin = to_blame(origins.step, origins.duration),
               &record_origin = to_blame(origins.record, origins.duration);
  if (step > duration && has_fixed_step(scene.solver.integrator))
    step_origin.refuse(
        fmt::format("found a step of {:.6g} s in a duration of {:.6g} s; expected a shorter step or a longer duration",
                    step, duration));
  if (duration / step > most_steps)
    step_origin.refuse(fmt::format("found {:.3g} steps of {:.6g} s in {:.6g} s; expected at most {:.0e}",
                                   duration / step, step, duration, most_steps));
  for (const Element& e : scene.elements)
    if (const Push* push = e.kind.get_if<Push>(); push && push->schedule.every > 0)
      if (const double spikes = duration / push->schedule.every; spikes > most_spikes)
        origins.duration.refuse(fmt::format("found {:.3g} spikes of '{}', one every {:.6g} s; expected at most {:.0e}",
                                            spikes, e.name, push->schedule.every, most_spikes));
  if (duration / every > most_frames)
    record_origin.refuse(fmt::format("found {:.3g} frames to record, one every {:.6g} s; expected at most {:.0e}",
                                     duration / every, every, most_frames));
  if (scene.solver.slow_band < 1)
    origins.solver.refuse(fmt::format("found a slow band of {}; expected 1 or more", scene.solver.slow_band));
  const auto check_stepping = [&] {
    if (const std::string why = refusal_of_stepping(scene); !why.empty())
      origins.solver.refuse("found a solver that cannot do this: " + why);
  };
  if (scene.solver.contact == ContactDriver::stepping) check_stepping();  // first: other advice would lead astray
  const std::string refused = refusal(scene.model, scene.solver);
  if (!refused.empty()) origins.solver.refuse("found a solver that cannot do this: " + refused);
  if (!recorded) check_multipliers(scene, origins);
  for (const Element& e : scene.elements)
    if (const std::string why = refusal_of_delay(e, scene.solver); !why.empty())
      origins.step.refuse("found a step that is too long: " + why);
  if (const std::string why = refusal_of_constraints(scene.model, scene.constraints, scene.solver); !why.empty())
    origins.integrator.refuse("found a solver that cannot do this: " + why);
  if (const std::string why = refusal_of_mass_flows(scene.model, scene.elements, scene.solver); !why.empty())
    origins.solver.refuse("found a solver that cannot do this: " + why);
  if (const std::string why = refusal_of_welding(scene.solver); !why.empty())
    origins.solver.refuse("found a solver that cannot do this: " + why);
  check_stepping();
  if (every < step && has_fixed_step(scene.solver.integrator))
    scene.warnings.push_back(
        fmt::format("frames are recorded every {:.6g} s, more often than the step of {:.6g} s", every, step));
  if (every > duration)
    scene.warnings.push_back(
        fmt::format("frames are recorded every {:.6g} s, but the scene lasts {:.6g} s", every, duration));
}

void read_markers(const Value* node, Scene& scene) {
  if (!node) return;
  if (node->kind != Value::Kind::map || node->entries.empty())
    refuse_value(*node, "markers by name, such as knee: {link: leg.shank, point: [0, 5 cm, 0]}");
  const LinkNames links(scene.model);
  for (const ValueEntry& entry : node->entries) {
    if (entry.key.empty() || entry.key.find('/') != std::string::npos || entry.key.find('*') != std::string::npos)
      refuse(entry.key_at, fmt::format("found the marker {}; expected a name without / and *", found_text(entry.key)));
    MapReader map(*entry.value, key_table("marker"));
    Marker m{entry.key, links.find(map.need("link")), map.vector_or("point"), 0};
    if (const Value* against = map.get("against")) m.against = links.find(*against);
    scene.markers.push_back(std::move(m));
  }
}

Scene scene_of(const SceneSpec& spec, const SceneOverrides& overrides, SceneFiles* files, bool recorded) {
  const ValuePtr settled = without_found_marks(spec.root_ptr());
  const Value& root = *settled;
  if (root.kind == Value::Kind::map && !root.find("marey")) {
    std::vector<std::string> keys;
    for (const ValueEntry& entry : root.entries) keys.push_back(entry.key);
    const std::string near = closest("marey", keys);
    refuse(root.at, fmt::format("found no 'marey'{}; expected a scene, beginning with 'marey: 1'",
                                near.empty() ? "" : fmt::format(", but {}", found_text(near))));
  }
  MapReader map(root, key_table("scene"));
  Scene scene;
  scene.file = spec.file();
  scene.text = spec.text();
  Origins origins;
  for (Origin* o : {&origins.duration, &origins.step, &origins.record, &origins.solver, &origins.dynamics,
                    &origins.integrator, &origins.tolerance, &origins.stabilisation_time})
    o->at = root.at;
  if (const Value& version = map.need("marey"); version.kind != Value::Kind::scalar || version.text != "1")
    refuse_value(version, "1, the only version of the format there is");
  const Value* title = map.get("title");
  scene.title = title ? read_text(*title) : std::filesystem::path(scene.file).stem().string();
  if (const Value* source = map.get("source")) scene.source = read_text(*source);
  const Value& duration = map.need("duration");
  scene.duration = read_number(duration, kinds::time, Range::positive);
  origins.duration.at = duration.at;
  read_solver(map.get("solver"), scene.solver, scene.kinematic, origins);
  if (overrides.dynamics && !overrides.goes_on) scene.kinematic = false;
  read_record(map.get("record"), scene.record, origins);
  read_ledger(map.get("ledger"), scene.closed_within);
  const Vec3<double> gravity = read_gravity(map.get("gravity"));
  const Value *figures = map.get("figures"), *bodies = map.get("bodies"), *particles = map.get("particles");
  if (!figures && !bodies && !particles)
    refuse(root.at, "found no 'figures' in scene; expected figures, bodies or particles");
  SolidReader solids(files);
  FiguresDraft draft(solids);
  if (figures || bodies) draft = read_figures(figures, bodies, solids);
  if (particles) read_particles(*particles, draft);
  scene.notes.insert(scene.notes.end(), draft.people.begin(), draft.people.end());
  if (const std::string note = note_of_default_density(draft); !note.empty()) scene.notes.push_back(note);
  scene.model = freeze_figures(draft, gravity, (figures ? figures : bodies ? bodies : particles)->at);
  scene.start = read_start(draft, scene.model);
  std::vector<ScriptedJoint> scripts = read_scripts(draft, scene.model, files, scene.start, scene.notes);
  scene.elements =
      read_elements(draft, scene.model, scene.start, map.get("torques"), map.get("forces"), map.get("frame"));
  if (!scripts.empty()) put_at_rest(scene.model, tissues_of(scene.elements), scene.start);  // scripts move the start
  const Value* wants = map.get("want");
  const StartPlaces places = read_contacts_and_start(map.get("contacts"), map.get("constraints"), map.get("drives"),
                                                     std::move(scripts), map.get("start"), root.at, recorded, scene);
  read_markers(map.get("markers"), scene);
  scene.scenery = read_scenery(map.get("scenery"), scene.model, solids);
  scene.collide = read_collide(map.get("collide"), scene.model, scene.scenery);
  scene.materials = read_materials({map.get("materials"), map.get("material_pairs"), map.get("scenery")}, draft, scene);
  choose_contact_driver(map.get("solver"), scene);
  for (const char* key : {"forces", "constraints", "drives"}) check_touching(map.get(key), scene);
  read_recorded(map.get("record"), recorded, scene);
  if (scene.kinematic) start_by_scripts(map.get("solver")->find("dynamics")->value->at, root, scene);
  map.done("in a scene");
  if (files) scene.files = files->used();
  apply(overrides, recorded, scene, origins);
  remark_what_does_nothing(root, scene.duration);
  check_run(scene, origins, recorded);
  if (!recorded) check_channels(map.get("record"), scene);
  read_wants(wants, recorded, scene);
  if (!recorded) check_start(scene, places, draft);
  return scene;
}

double quantity_from(const std::string& text, const std::string& option, const QuantityKind& kind) {
  const QuantityReading reading = read_quantity(text, kind);
  std::string problem = reading.problem;
  if (problem.empty()) problem = problem_of_size(reading.quantity.value, "'" + printable(text) + "'", kind);
  if (!problem.empty()) throw Error(ErrorKind::bad_input, option + ": " + problem);
  return reading.quantity.value;
}

// The index of the word; for options of the command line.
std::size_t choose(const std::string& text, const std::string& option, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (text == words[i]) return i;
  throw Error(ErrorKind::bad_input, fmt::format("{}: found {};{} expected {}", option, found_text(text),
                                                did_you_mean(text, words), either(words)));
}

// What is said of a value that was made in code is said of its path.
std::string with_path(const SceneSpec& numbered, const Place& at, const std::string& what) {
  const std::string path = numbered.path_of(at);
  return (path.empty() ? "the scene" : path) + ": " + what;
}

Scene build_scene(const SceneSpec& spec, const SceneOverrides& overrides, SceneFiles* files, bool recorded) {
  const bool in_file = spec.places_are_in_file();
  const SceneSpec numbered = in_file ? SceneSpec() : spec.numbered();
  Remarks remarks;
  try {
    Scene scene = scene_of(in_file ? spec : numbered, overrides, files, recorded);
    if (recorded) return scene;
    for (const Remarks::Remark& r : remarks.all())
      scene.remarks.push_back(in_file ? with_place(r.at, r.what) : with_path(numbered, r.at, r.what));
    return scene;
  } catch (const PlacedError& e) {
    if (in_file) throw;
    throw Error(ErrorKind::bad_input, with_path(numbered, e.place(), e.what()));
  }
}

}  // namespace

Scene build(const SceneSpec& spec, const SceneOverrides& overrides, SceneFiles* files) {
  return build_scene(spec, overrides, files, false);
}

Scene build_recorded(const SceneSpec& spec, const SceneOverrides& overrides, SceneFiles* files) {
  return build_scene(spec, overrides, files, true);
}

double time_from(const std::string& text, const std::string& option) {
  return quantity_from(text, option, kinds::time);
}

double length_from(const std::string& text, const std::string& option) {
  return quantity_from(text, option, kinds::length);
}

int whole_from(const std::string& text, const std::string& option, int least, int most) {
  int value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last || value < least || value > most)
    throw Error(ErrorKind::bad_input, fmt::format("{}: found {}; expected a whole number from {} to {}", option,
                                                  found_text(text), least, most));
  return value;
}

double number_from(const std::string& text, const std::string& option) {
  return quantity_from(text, option, kinds::number);
}

Dynamics dynamics_from(const std::string& text, const std::string& option) {
  return static_cast<Dynamics>(choose(text, option, dynamics_names));
}

Integrator integrator_from(const std::string& text, const std::string& option) {
  return static_cast<Integrator>(choose(text, option, integrator_names));
}

}  // namespace marey
