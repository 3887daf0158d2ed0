// What is done with an input: the calls that `marey check`, `marey run`, `marey run --resume` and `marey export` make,
// in this process. The verdict is the exit status that the program would have ended with, and a fault where it would have
// told less than it promises (CONVENTIONS: errors and exit codes).
#pragma once

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/workers.h"
#include "io/scene/yaml.h"
#include "marey/force/formula_text.h"
#include "marey/io/motion.h"
#include "marey/io/recorded.h"
#include "marey/io/scene.h"
#include "marey/spec/units.h"

namespace marey::fuzz {

inline const std::string scene_name = "fuzzed.yaml";
inline constexpr long long most_steps = 20;

// Rows are counted and looked through, and thrown away.
class NoFile final : public Sink {
 public:
  void begin(const MotionHeader& header) override { width_ = header.row_width(); }
  void frame(std::span<const double> row) override {
    ++frames, bad = bad || row.size() != width_ || !std::isfinite(row[0]);
  }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override { ++finishes; }

  std::size_t frames = 0, finishes = 0;
  bool bad = false;

 private:
  std::size_t width_ = 0;
};

// "fuzzed.yaml:12:3: found …"
inline bool has_place(const std::string& message, const std::string& file = scene_name) {
  if (!message.starts_with(file + ":")) return false;
  std::size_t at = file.size() + 1;
  for (int number = 0; number < 2; ++number) {
    const std::size_t begin = at;
    while (at < message.size() && message[at] >= '0' && message[at] <= '9') ++at;
    if (at == begin || message[begin] == '0' || at >= message.size() || message[at++] != ':') return false;
  }
  return true;
}

inline bool finite(const Ledger& l) {
  for (const auto& [name, work] : l.work_in)
    if (!std::isfinite(work)) return false;
  for (const double x : {l.energy_start, l.energy_end, l.energy_largest, l.energy_residual, l.energy_residual_relative,
                         l.linear_momentum_residual_relative, l.angular_momentum_residual_relative})
    if (!std::isfinite(x)) return false;
  return true;
}

// The program's exit status for an error.
inline int status_of(ErrorKind kind) {
  return kind == ErrorKind::bad_input ? 2 : kind == ErrorKind::cannot_go_on ? 3 : 4;
}

// What the program makes of exceptions; those that are not its own are faults here, since nobody foresaw them.
template <class Work>
Verdict caught(const char* doing, Work work) {
  try {
    return work();
  } catch (const Error& e) {
    return {status_of(e.kind()), ""};
  } catch (const std::exception& e) {
    return {3, std::string(doing) + ": an exception that is none of ours: " + e.what()};
  }
}

// Seconds of the processor.
inline double time_spent() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A step of such a figure takes seconds by its nature: matrices of nv² numbers, or a great many links under sanitizers.
inline bool is_dear(const Scene& scene) {
  const SolverOptions& o = scene.solver;
  const bool matrices = o.dynamics == Dynamics::crba || o.dynamics == Dynamics::dense || !scene.constraints.empty() ||
                        !scene.contacts.empty() || o.dynamics == Dynamics::multipliers ||
                        o.integrator == Integrator::bdf || o.integrator == Integrator::midpoint;
  return scene.model.nv > (matrices ? 400 : 3000);
}

// Twenty steps, or what comes in a second; no step of a figure that is too dear for that.
inline Verdict run_a_little(const Scene& scene, const Checkpoint* from, bool verify, Sink* into = nullptr) {
  NoFile none;
  RunHooks hooks;
  long long looks = 0;
  hooks.stop = [&, began = time_spent()] { return ++looks >= most_steps || time_spent() > began + 1; };
  hooks.verify = verify;
  const RunSummary s = run(scene, into != nullptr ? *into : none, hooks, from);
  if (into == nullptr && none.finishes != 1) return {3, "the motion was never finished"};
  if (none.bad) return {3, "a frame without a time, or of another width than promised"};
  if (!s.breakdown.empty())
    return {3,
            s.breakdown.find("t = ") == std::string::npos ? "a breakdown that does not say when: " + s.breakdown : ""};
  if (!finite(s.ledger)) return {0, "a run that came to its end with an account that is not finite"};
  return {s.verification && !s.verification->agree ? 5 : 0, ""};
}

// ---- scenes
inline Verdict check_and_run(const std::string& text, bool verify) {
  std::optional<Scene> scene;
  try {
    scene = parse_scene(text, scene_name);
    (void)warnings_before(*scene);
    (void)warning_of_cost(*scene);
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::bad_input && has_place(e.what())) return {2, ""};
    return {status_of(e.kind()), std::string("a refusal without a place: ") + e.what()};
  } catch (const std::exception& e) {
    return {3, std::string("check: an exception that is none of ours: ") + e.what()};
  }
  if (is_dear(*scene)) return {0, ""};
  return caught("run", [&]() -> Verdict {
    try {
      return run_a_little(*scene, nullptr, verify);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::bad_input) throw;
      return {2, std::string("a scene that was found sound is refused when it is run: ") + e.what()};
    }
  });
}

// ---- formulas and units
// Every kind of quantity reads it or says what is wrong; nothing comes out that is not a number.
inline Verdict read_as_quantities(const std::string& text) {
  using namespace kinds;
  bool refused = true;
  for (const QuantityKind& kind : {number, length, mass, time, angle, speed, angular_rate, acceleration, force, torque,
                                   stiffness, turning_stiffness, damping, turning_damping, density, inertia}) {
    const QuantityReading reading = read_quantity(text, kind);
    refused = refused && !reading.problem.empty();
    if (reading.problem.empty() ? !std::isfinite(reading.quantity.value) : !reading.problem.starts_with("found "))
      return {2, "read as " + std::string(kind.name) + ": '" + reading.problem + "'"};
  }
  return {refused ? 2 : 0, ""};
}

// Read as a value in quotes; then evaluated, with slopes, at places of all sizes.
inline Verdict read_as_formula(const std::string& text) {
  const YamlDocument document = parse_yaml("- \"" + text + "\"\n", scene_name);
  const FormulaConstants constants{{"k", 3}, {"omega", -2}};
  try {
    const Formula formula = read_formula(*document.root->items[0], constants, FormulaUse::place_and_velocity);
    for (const double size : {0.0, 1.0, -1e30, 1e200})
      (void)evaluate_with_slopes(formula, FormulaInput<double>{size, 2 * size, -size, 0, size, 1, size, 1});
    return {0, ""};
  } catch (const Error& e) {
    return {2, has_place(e.what()) ? "" : std::string("a refusal without a place: ") + e.what()};
  }
}

// ---- motions
// What `marey plot`, `export` and `inverse` read, then what `run --resume` does.
inline Verdict read_and_resume(const std::string& file, const std::string& table) {
  return caught("motion", [&]() -> Verdict {
    const Motion motion = read_motion(file);
    if (motion.frames > 0) (void)motion.frame_near(0.5);
    (void)motion.breakdown();
    (void)was_closed(motion);
    (void)solvers_agreed(motion);
    export_csv(file, table, {}, Existing::replace);
    const Scene scene = scene_of(motion);
    if (!difference(motion, scene).empty()) return {2, ""};
    if (motion.end == MotionEnd::done || motion.end == MotionEnd::broke_down) return {0, ""};
    MotionFile going_on = MotionFile::resume(file);
    const std::optional<Checkpoint> from = going_on.from();
    return run_a_little(scene, from ? &*from : nullptr, false, &going_on);
  });
}

}  // namespace marey::fuzz
