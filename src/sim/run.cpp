// Running a scene from start to end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "marey/sim/input_items.h"
#include "marey/sim/overlaps.h"
#include "marey/sim/scripted.h"
#include "marey/sim/touching_items.h"
#include "sim/breakdown.h"
#include "sim/simulation_parts.h"
#include "sim/verify.h"

namespace marey {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

constexpr double checkpoint_interval = 0.5;  // s of wall time: what a kill can cost
constexpr double progress_interval = 0.05;
constexpr long long steps_of_pace = 20'000;
constexpr double slowest_pace = 1e-8;  // of what is left, in so many steps

// Counts of frames and the clocks of a run; the part of a run's state that is not physics.
class Run {
 public:
  Run(Scene scene, Sink& sink, const RunHooks& hooks) : sink_(sink), hooks_(hooks), simulation_(std::move(scene)) {
    if (hooks.verify) verifier_.emplace(world_.scene());  // whose masses are those of the instant
  }

  void start_afresh() {
    sink_.begin(header());
    RunSummary unused;
    record_until(0, unused);
  }
  void start_from(const Checkpoint& c) {
    world_.restore(take_inputs_from(c.bytes));
    for (const Input& i : inputs_before_)
      if (i.kind == Input::Kind::limit) simulation_.parts().limit = i.values[0];
    for (; next_input_ < hooks_.replay.size() && hooks_.replay[next_input_].step < world_.steps(); ++next_input_)
      if (hooks_.replay[next_input_].kind == Input::Kind::limit) limit_ = hooks_.replay[next_input_].values[0];
    if (!(world_.time() >= 0 && world_.time() <= scene_.duration) || world_.broken_link() >= 0)
      throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it holds no state that the run could have been in");
    frames_ = c.frames;
    sink_.begin(header());
  }

  RunSummary go() {
    const long long first = world_.steps();
    const double first_time = world_.time();
    pace_ = {first, first_time};
    RunSummary summary;
    summary.breakdown = account();
    try {
      while (world_.time() < scene_.duration && !summary.interrupted && summary.breakdown.empty()) {
        summary.breakdown = step();
        hand_over_inputs();
        if (summary.breakdown.empty()) summary.breakdown = creeping();
        if (!summary.breakdown.empty()) break;
        summary.breakdown = broken_by([&] {
          record_until(world_.time(), summary);
          look_around(summary);
        });
      }
    } catch (const std::exception& thrown) {  // by somebody's source or hook: what was recorded is kept
      summary.breakdown = fmt::format("at t = {:.6g} s: {}", world_.time(), thrown.what());
      hand_over_inputs();
      describe(summary, first, first_time);
      sink_.finish(to_json(summary));
      throw;
    }
    describe(summary, first, first_time);
    // Sums of what is finite may not be.
    if (summary.breakdown.empty() && !is_finite(summary.ledger)) summary.breakdown = account_text(scene_, world_);
    // What is saved is the last checkpoint from which the run goes on bit for bit; a finished run needs none.
    if (summary.breakdown.empty() && world_.may_save()) summary.breakdown = broken_by([&] { save_checkpoint(); });
    sink_.finish(to_json(summary));
    return summary;
  }

 private:
  MotionHeader header() const {
    MotionHeader h{version, scene_, recorder_.channels(), {}};
    if (scene_.takes_inputs) h.lists.push_back(input_list());
    if (records_touching(scene_)) h.lists.push_back(touching_list(scene_));
    return h;
  }
  double frame_time(std::size_t k) const { return static_cast<double>(k) * scene_.record.every; }
  double slack() const { return 1e-9 * std::min(scene_.solver.step, scene_.record.every); }

  // Why the run cannot go on, by what the work has found, or nothing. Steps are evaluated where they end by whoever looks there.
  template <class Work>
  static std::string broken_by(Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cannot_go_on) throw;
      return error.what();
    }
    return {};
  }
  std::string step() {
    return broken_by([&] {
      limit_ = simulation_.parts().take_due(hooks_.replay, next_input_, limit_);
      if (hooks_.before_step) hooks_.before_step(simulation_);
      simulation_.step(std::min(limit_, scene_.duration));
    });
  }
  // Steps may get ever shorter without any of them failing. At a pace at which the rest would take a million million of them or so
  // nobody sees the end.
  std::string creeping() {
    if (world_.steps() < pace_.steps + steps_of_pace) return {};
    const double gone = world_.time() - pace_.t, left = scene_.duration - world_.time();
    pace_ = {world_.steps(), world_.time()};
    if (gone >= slowest_pace * left) return {};
    return fmt::format("at t = {:.9g} s time hardly goes on: the last {} steps have brought {:.2g} s{}", world_.time(),
                       steps_of_pace, gone, world_.constraints() == nullptr ? "" : world_.constraints()->hardest());
  }
  // What is wrong with the account of energy and momentum, or nothing.
  std::string account() {
    return is_finite(world_.ledger(), world_.integrals()) ? std::string() : account_text(scene_, world_);
  }

  void record_until(double t, RunSummary& summary) {
    // The instants that are verified are the ends of steps in which a frame was recorded.
    if (verifier_ && frame_time(frames_) <= t + slack()) verifier_->compare(world_);
    while (frame_time(frames_) <= t + slack() && frame_time(frames_) <= scene_.duration + slack()) {
      const std::span<const double> row = recorder_.row_at(frame_time(frames_), world_);
      if (!recorder_.touching().empty()) sink_.items(scene_.takes_inputs ? 1 : 0, recorder_.touching());
      sink_.frame(row);
      overlaps_.look(recorder_.instant());
      ++frames_;
      if ((frames_ & 63) == 0 && hooks_.stop && hooks_.stop()) {
        summary.interrupted = true;
        return;
      }
    }
  }
  void save_checkpoint() {
    // Frames up to the time of the checkpoint are on record, unless an interrupt came between them.
    if (frame_time(frames_) <= std::min(world_.time(), scene_.duration) + slack()) return;
    sink_.checkpoint({world_.time(), frames_, with_inputs(world_.save())});
    last_checkpoint_ = Clock::now();
  }
  // ---- what was done from outside, recorded as it comes
  void hand_over_inputs() {
    if (!scene_.takes_inputs || handed_over_ >= simulation_.inputs().size()) return;
    std::vector<double> items;
    for (const Input& i : simulation_.inputs().subspan(handed_over_)) add_item(i, items);
    handed_over_ = simulation_.inputs().size();
    sink_.items(0, items);
  }
  // Kept in checkpoints behind the world's own bytes: the inputs, then their number.
  std::vector<Input> all_inputs() const {
    std::vector<Input> all = inputs_before_;
    all.insert(all.end(), simulation_.inputs().begin(), simulation_.inputs().end());
    return all;
  }
  std::vector<std::byte> with_inputs(std::vector<std::byte> bytes) const {
    if (!scene_.takes_inputs) return bytes;
    const std::vector<Input> inputs = all_inputs();
    const std::size_t count = inputs.size();
    const auto add = [&](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); };
    add(std::as_bytes(std::span(inputs)));
    add(std::as_bytes(std::span(&count, 1)));
    return bytes;
  }
  std::span<const std::byte> take_inputs_from(std::span<const std::byte> bytes) {
    if (!scene_.takes_inputs) return bytes;
    std::size_t count = 0;
    if (bytes.size() >= sizeof count) std::memcpy(&count, bytes.data() + bytes.size() - sizeof count, sizeof count);
    if (bytes.size() < sizeof count || count > (bytes.size() - sizeof count) / sizeof(Input))
      throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
    const std::size_t own = bytes.size() - sizeof count - count * sizeof(Input);
    inputs_before_.resize(count);
    if (count > 0) std::memcpy(inputs_before_.data(), bytes.data() + own, count * sizeof(Input));
    return bytes.first(own);
  }

  void look_around(RunSummary& summary) {
    if (hooks_.stop && hooks_.stop()) summary.interrupted = true;
    if ((++looks_ & 15) != 0 && world_.steps() > 16) return;  // clocks cost more than a step of a small figure
    if (world_.may_save() && seconds_since(last_checkpoint_) > checkpoint_interval) save_checkpoint();
    if (hooks_.progress && seconds_since(last_progress_) > progress_interval) {
      hooks_.progress(world_.time(), scene_.duration);
      last_progress_ = Clock::now();
    }
  }
  void describe(RunSummary& s, long long first_step, double first_time) {
    s.title = scene_.title;
    s.dynamics = name_of(scene_.solver.dynamics);
    const bool stepping = scene_.solver.contact == ContactDriver::stepping;
    s.integrator = stepping ? name_of(scene_.solver.contact) : name_of(scene_.solver.integrator);
    s.simulated = world_.time();
    s.steps = world_.steps();
    s.steps_this_time = world_.steps() - first_step;
    s.evaluations = world_.evaluations();
    s.events = world_.events();
    s.wall = seconds_since(began_);
    s.realtime_factor = s.wall > 0 ? (world_.time() - first_time) / s.wall : 0;
    s.warnings = scene_.warnings;
    s.warnings.insert(s.warnings.end(), scene_.remarks.begin(), scene_.remarks.end());
    s.notes = scene_.notes;
    if (!overlaps_.found().empty()) s.notes.push_back(overlaps_.found());
    // Where nothing can be evaluated any more, as with a mass that is gone, there are no books to close.
    const std::string fault = broken_by([&] { s.ledger = simulation_.ledger(); });
    if (s.breakdown.empty()) s.breakdown = fault;
    s.inputs = all_inputs();
    if (const HeldConstraints* constraints = world_.constraints(); constraints != nullptr) {
      s.constraint_error = constraints->drift_error();
      s.constraint_drift = constraints->drift_energy();
    }
    if (const Welds* welds = world_.welds(); welds != nullptr) {
      s.welded = welds->count(), s.most_welded = welds->most();
      s.welds_made = welds->made(), s.welds_woken = welds->woken();
    }
    if (world_.contacts() != nullptr) describe_contacts(s, *world_.contacts());
    if (world_.stepped() != nullptr) describe_steps(s, *world_.stepped());
    if (verifier_) s.verification = verifier_->result();
  }

  void describe_steps(RunSummary& s, const SteppedContacts& contacts) const {
    const CertificateSums& sums = contacts.sums();
    if (const SteppedContacts::Leap& leap = contacts.leap(); leap.count > 0)
      s.warnings.push_back(fmt::format(
          "at t = {:.6g} s {} came near each other so fast that within a step one might pass through the other ({}): a "
          "step of at most {:.2g} s is advised",
          leap.t, contacts.name_of_pair(leap.a, leap.b),
          leap.count == 1 ? "once" : fmt::format("in {} steps", leap.count), leap.step));
    if (const SteppedContacts::Haste& haste = contacts.haste(); haste.count > 0)
      s.warnings.push_back(fmt::format(
          "at t = {:.6g} s '{}' turns by {:.2g} rad within a step ({}), which is more than steps can follow there: a "
          "step of at most {:.2g} s is advised",
          haste.t, scene_.model.names[static_cast<std::size_t>(haste.link)], haste.turn,
          haste.count == 1 ? "once" : fmt::format("so fast in {} steps", haste.count), haste.step));
    const StepCertificate& most = sums.largest;
    constexpr double deep = 0.5, shallow = 0.1;  // of a size
    if (const std::string overlap = overlaps_at_start(scene_); !overlap.empty())
      s.notes.push_back(overlap);
    else if (most.penetration > deep)
      s.warnings.push_back(fmt::format(
          "what came together was {:.2g} of its size deep in each other in the middle of a step, and was put apart: a "
          "step of at most {:.2g} s is advised",
          most.penetration, scene_.solver.step * shallow / most.penetration));
    s.impacts = sums.strikes;
    s.certificate = ContactCertificate{sums.steps_with_contacts,
                                       most.natural_map,
                                       sums.percentile_95(),
                                       most.cone_excess,
                                       most.penetration,
                                       most.momentum,
                                       sums.not_converged,
                                       sums.corrected,
                                       most.points,
                                       most.bounds,
                                       sums.largest_at,
                                       contacts.name_of_pair(most.a, most.b),
                                       sums.swept,
                                       contacts.certificate().asleep,
                                       most.asleep};
    constexpr int many = 100;  // points; accuracy: auto sweeps more
    if (sums.swept == 0 && scene_.solver.accuracy == ContactAccuracy::tight && most.points > many)
      s.notes.push_back(
          fmt::format("up to {} points were solved tightly, whose cost grows with their cube where they hang together: "
                      "accuracy: auto sweeps heaps",
                      most.points));
    if (sums.swept > 0 && scene_.solver.accuracy == ContactAccuracy::tight)
      s.warnings.push_back(
          fmt::format("in {} of {} steps with contacts too many hung together to be solved tightly: they were swept, "
                      "as by accuracy: auto",
                      sums.swept, sums.steps_with_contacts));
  }

  void describe_contacts(RunSummary& s, const FloorContacts& contacts) const {
    s.impacts = contacts.impacts();
    for (const CountedNote& n : contacts.counted_notes()) {
      (is_warning(n.kind) ? s.warnings : s.notes).push_back(text_of(n));
      s.noted.push_back({name_of(n.kind), n.of, is_warning(n.kind), n.count, n.first, n.last});
    }
  }

  Sink& sink_;
  const RunHooks& hooks_;
  Simulation simulation_;
  const Scene& scene_ = simulation_.system().scene();
  World& world_ = simulation_.parts().world;
  Recorder recorder_{world_.scene(), chosen_channels(scene_)};
  OverlapWatch overlaps_{scene_};
  std::optional<Verifier> verifier_;
  std::vector<Input> inputs_before_;  // before the checkpoint the run goes on from
  std::size_t next_input_ = 0;        // of those that are replayed
  std::size_t handed_over_ = 0;       // of the simulation's own
  double limit_ = forever;
  struct Pace {
    long long steps = 0;
    double t = 0;
  } pace_;  // when it was last looked at
  std::size_t frames_ = 0;
  unsigned looks_ = 0;
  Clock::time_point began_ = Clock::now(), last_checkpoint_ = began_, last_progress_ = began_;
};

}  // namespace

double closed_within(const Scene& scene) {
  const SolverOptions& o = scene.solver;
  if (scene.closed_within) return *scene.closed_within;
  if (has_fixed_step(o.integrator)) return loosest_ledger;
  return std::min(loosest_ledger, 100 * std::max(o.tolerance, o.absolute_tolerance.value_or(o.tolerance)));
}

std::string refusal(const Model& model, const SolverOptions& options) {
  if (options.slow_band < 1) return "slow_band must be at least 1";
  if (options.dynamics == Dynamics::armstrong && !armstrong_applies(model)) {
    for (int i = 1; i < model.nlink(); ++i) {
      const LinkTopology& link = model.links[i];
      if (link.joint == JointType::ball) continue;
      if (link.parent == 0 && (link.joint == JointType::free || link.joint == JointType::weld)) continue;
      return "armstrong knows ball joints, and roots that are free, balled or welded to the world; link '" +
             model.names[i] + "' hangs on " + (link.joint == JointType::ellipsoid ? "an " : "a ") +
             name_of(link.joint) + ": use dynamics: aba";
    }
  }
  if (options.slow_band > 1 && options.dynamics != Dynamics::armstrong)
    return "slow_band belongs to dynamics: armstrong";
  if (options.slow_band > 1 && (order_of(options.integrator) > 1 || !has_fixed_step(options.integrator)))
    return "slow_band above 1 goes with the Euler methods: use integrator: semi_implicit, or slow_band: 1";
  if (options.spread && options.slow_band < 2) return "spread needs slow_band of 2 or more";
  if (options.reuse != 0 && !(options.reuse > 0 && options.reuse <= largest_reuse))
    return fmt::format("reuse is a part of the mass matrix, above 0 and at most {}", largest_reuse);
  if (options.reuse > 0 && options.dynamics != Dynamics::crba)
    return fmt::format("reuse belongs to dynamics: crba, and {} factors no mass matrix", name_of(options.dynamics));
  if (options.dynamics == Dynamics::multipliers && options.integrator == Integrator::midpoint)
    if (const int link = link_without_inertia(model); link > 0)
      return fmt::format(
          "midpoint with dynamics: multipliers asks every link for mass and moments of inertia of its own, which '{}' "
          "has not: use dynamics: aba, or another integrator",
          model.names[static_cast<std::size_t>(link)]);
  if (options.dynamics == Dynamics::crba && model.nv > 10000)
    return "crba keeps a dense matrix, too large for this figure: use dynamics: aba";
  if (options.dynamics == Dynamics::dense && model.nlink() > 300)
    return "dense is a reference for small figures (at most 300 links): use dynamics: aba";
  return {};
}

std::string refusal_of_constraints(const Model& model, std::span<const Constraint> constraints,
                                   const SolverOptions& solver) {
  if (constraints.empty()) return {};
  for (const Constraint& c : constraints)
    if (const std::string why = refusal(model, c); !why.empty()) return fmt::format("'{}': {}", c.name, why);
  if (solver.integrator == Integrator::midpoint)
    for (const Constraint& c : constraints)
      if (const Coupler* coupler = c.kind.get_if<Coupler>(); coupler && coupler->level == Coupler::Level::acceleration)
        return fmt::format(
            "'{}' asks for accelerations, and midpoint holds places and velocities alone: use integrator: rk4, rk45, "
            "adams "
            "or bdf",
            c.name);
  return {};
}

std::string refusal_of_delay(const Element& e, const SolverOptions& solver) {
  return refusal_of_delay(e.name, delay_of(e), solver);
}

std::string refusal_of_delay(const std::string& name, double delay, const SolverOptions& solver) {
  if (!(delay > 0) || !has_fixed_step(solver.integrator) || solver.step <= delay * (1 + 1e-9)) return {};
  return fmt::format("'{}' has a delay of {:.6g} s, shorter than the step of {:.6g} s: use a step of at most the delay",
                     name, delay, solver.step);
}

RunSummary run(const Scene& given, Sink& sink, const RunHooks& hooks, const Checkpoint* from) {
  Scene scene = given;
  if (scene.duration < 0 || !(scene.record.every > 0))
    throw Error(ErrorKind::bad_input, fmt::format("found a duration of {} s and a frame every {} s; expected a finite "
                                                  "duration, and frames at some distance",
                                                  scene.duration, scene.record.every));
  if (const double frames = scene.duration / scene.record.every; !(frames <= most_frames))
    throw Error(ErrorKind::bad_input,
                fmt::format("found {:.3g} frames to record (a frame every {:.3g} s); expected at most {:.0g}", frames,
                            scene.record.every, most_frames));
  check_that_it_can_run(scene);  // what cannot be run cannot be advised
  if (scene.kinematic) return run_scripts(scene, sink, hooks);
  for (const std::string& warning : warnings_before(scene)) scene.warnings.push_back(warning);
  Run run(std::move(scene), sink, hooks);
  if (from)
    run.start_from(*from);
  else
    run.start_afresh();
  return run.go();
}

}  // namespace marey
