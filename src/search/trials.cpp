#include "search/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/simulation.h"
#include "marey/spec/values.h"

namespace marey {
namespace {

constexpr double failure = 1e30;  // badness of a run that failed at once, more than that of any that did not
constexpr long long steps_of_pace = 20'000;
constexpr double slowest_pace = 1e-3;  // of what is left, in so many steps: slower runs are given up
constexpr double noise_fixed = 1e-12;  // of a motion in steps of a fixed length, and of where its events are
constexpr int all_digits = 17;

const ValueEntry* wanted_in(const Value& root) { return root.kind == Value::Kind::map ? root.find("want") : nullptr; }

// A run that creeps does not come to its end in a reasonable time.
class Pace {
 public:
  explicit Pace(double duration) : duration_(duration) {}
  bool stalls(const Simulation& s) {
    if (s.steps() < steps_ + steps_of_pace) return false;
    const double gone = s.time() - t_, left = duration_ - s.time();
    steps_ = s.steps(), t_ = s.time();
    return gone < slowest_pace * left;
  }

 private:
  double duration_, t_ = 0;
  long long steps_ = 0;
};

}  // namespace

Trials::Trials(const SceneSpec& spec, std::vector<SearchMark> marks, const SearchOptions& options,
               const SearchHooks& hooks, SceneFiles* files)
    : spec_(spec), marks_(std::move(marks)), options_(options), hooks_(hooks), files_(files) {
  best_.badness = std::numeric_limits<double>::infinity();
  if (marks_.empty())
    refuse(spec.root().at,
           "found no number that is to be searched for; expected one at least: {search: [low, high]} where a number "
           "may stand");
  if (wanted_in(spec.root()) == nullptr)
    refuse(spec.root().at,
           "found no 'want' in the scene; expected it: what is to come true, such as\n"
           "  want:\n    - place: {link: ball.body, at: [3 m, 0, 1 m], within: 1 cm}");
}

std::vector<std::string> Trials::numbers_at(std::span<const double> x, int digits) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const SearchMark& m = marks_[i];
    double number = std::clamp(m.low + x[i] * (m.high - m.low), m.low, m.high);
    if (digits < all_digits) number = std::clamp(std::stod(fmt::format("{:.{}g}", number, digits)), m.low, m.high);
    all.push_back(with_unit(number, m));
  }
  return all;
}

std::vector<double> Trials::start() const {
  std::vector<double> x;
  for (const SearchMark& m : marks_)
    x.push_back(options_.from_found && m.found ? (*m.found - m.low) / (m.high - m.low) : 0.5);
  return x;
}

Scene Trials::build_with(std::span<const std::string> numbers) const {
  return build(SceneSpec(without_marks(spec_.root_ptr(), marks_, numbers),
                         std::make_shared<const std::string>(spec_.file()), spec_.text()),
               options_.overrides, files_);
}

void Trials::check_that_some_can_be_built() {
  constexpr double elsewhere[] = {0.5, 0.25, 0.75, 0.1, 0.9, 0.4, 0.6, 0, 1};
  std::string why;
  for (int k = -1; k < static_cast<int>(std::size(elsewhere)); ++k) {
    const std::vector<double> x = k < 0 ? start() : std::vector<double>(marks_.size(), elsewhere[k]);
    try {
      const Scene scene = build_with(numbers_at(x, all_digits));
      if (scene.kinematic)
        refuse(spec_.find("solver/dynamics")->at,
               "found a search without dynamics, whose motion is given; expected one of "
               "a motion that follows from forces");
      wants_ = scene.wants;
      const SolverOptions& solver = scene.solver;
      const bool chosen = !has_fixed_step(solver.integrator) && solver.contact != ContactDriver::stepping;
      difference_ = std::cbrt(chosen ? solver.tolerance : noise_fixed);
      return;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::bad_input) throw;
      if (why.empty()) why = e.what();
    }
  }
  throw Error(ErrorKind::bad_input, why);
}

void Trials::tell(double badness) const {
  if (hooks_.progress) hooks_.progress({runs_, options_.runs, std::sqrt(badness), phase_});
}

Trial Trials::run(std::span<const double> x) { return run_numbers(x, numbers_at(x, all_digits)); }

Trial Trials::run_rounded(const Trial& trial, int digits) { return run_numbers(trial.x, numbers_at(trial.x, digits)); }

Trial Trials::run_numbers(std::span<const double> x, std::vector<std::string> numbers) {
  if (runs_ >= options_.runs) throw SearchEnd::no_runs_left;
  Trial trial;
  trial.x.assign(x.begin(), x.end());
  trial.numbers = std::move(numbers);
  double lived = 0;  // of the duration
  try {
    const Scene scene = build_with(trial.numbers);
    trial.stepping = scene.solver.contact == ContactDriver::stepping;
    Simulation simulation(scene);
    Pace pace(scene.duration);
    OutcomeWatch watch(simulation, scene.wants);
    watch.look();
    while (simulation.time() < scene.duration) {
      if (hooks_.stop && hooks_.stop()) throw SearchEnd::stopped;
      simulation.step(scene.duration);
      watch.look();
      lived = simulation.time() / scene.duration;
      if (pace.stalls(simulation))
        throw Error(ErrorKind::cannot_go_on,
                    fmt::format("at t = {:.6g} s time hardly goes on: the run was given up", simulation.time()));
    }
    trial.events = simulation.events(), trial.impacts = simulation.impacts();
    trial.outcomes = watch.outcomes();
    trial.holds = all_hold(trial.outcomes);
    for (const WantedOutcome& o : trial.outcomes)
      trial.misses.insert(trial.misses.end(), o.misses.begin(), o.misses.end());
    trial.badness = std::min(badness(trial.outcomes), failure);
    if (!std::isfinite(trial.badness)) trial.badness = failure;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::file_trouble) throw;
    trial.outcomes.clear(), trial.misses.clear();
    trial.badness = failure * (2 - lived);
    ++failed_;
    last_failure_ = e.what();
  }
  ++runs_;
  if (trial.badness < best_.badness || (trial.holds && !best_.holds)) best_ = trial;
  tell(best_.badness);
  if (hooks_.stop && hooks_.stop()) throw SearchEnd::stopped;
  return trial;
}

}  // namespace marey
