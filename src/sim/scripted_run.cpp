// A run by scripts alone: frames, and nothing between them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "marey/sim/scripted.h"
#include "sim/recorder.h"

namespace marey {
namespace {

using Clock = std::chrono::steady_clock;

// Rows of what there is without forces.
class ScriptedRecorder {
 public:
  ScriptedRecorder(const Scene& scene, std::vector<RecordedChannel> channels)
      : motion_(scene), channels_(std::move(channels)), seen_(scene, layout_of(scene)), tau_(seen_.vdot.size()) {
    std::size_t width = 0;
    for (const RecordedChannel& r : channels_) width += r.channel.columns.size();
    row_.resize(width);
  }
  std::vector<Channel> channels() const {
    std::vector<Channel> all;
    for (const RecordedChannel& r : channels_) all.push_back(r.channel);
    return all;
  }
  std::span<const double> row_at(double t) {
    const Model& model = seen_.scene.model;
    motion_.at(t, seen_.now, seen_.vdot);
    forward_kinematics<double>(model, model.params, seen_.now.q, seen_.now.v, seen_.kinematics);
    // For the accelerations of the links; its forces are those that nobody asks for.
    rnea<double>(model, model.params, seen_.now.q, seen_.now.v, seen_.vdot, {}, seen_.joints, tau_);
    seen_.total = totals(model, model.params, seen_.kinematics);
    seen_.turns.follow(seen_.now);
    RowWriter row(row_);
    for (const RecordedChannel& r : channels_) r.write(seen_, row);
    return row_;
  }

 private:
  ScriptedMotion motion_;
  std::vector<RecordedChannel> channels_;
  Observed seen_;
  std::vector<double> tau_, row_;
};

}  // namespace

RunSummary run_scripts(const Scene& scene, Sink& sink, const RunHooks& hooks) {
  if (const std::string why = refusal_of_kinematics(scene); !why.empty()) throw Error(ErrorKind::bad_input, why);
  const Clock::time_point began = Clock::now();
  ScriptedRecorder recorder(scene, chosen_channels(scene));
  sink.begin({version, scene, recorder.channels(), {}});
  RunSummary s;
  s.title = scene.title, s.dynamics = "none", s.integrator = "scripts";
  s.warnings = scene.remarks, s.notes = scene.notes;
  if (hooks.verify) s.warnings.emplace_back("without dynamics no solver is at work: there is nothing to verify");
  s.ledger.closed = true;  // no forces, no work: there is nothing to account for
  for (long long k = 0;; ++k) {
    const double t = static_cast<double>(k) * scene.record.every;
    if (t > scene.duration * (1 + 1e-12)) break;
    sink.frame(recorder.row_at(t));
    s.simulated = t, s.steps = s.steps_this_time = k, s.evaluations = k + 1;
    if ((k & 63) == 0 && hooks.progress) hooks.progress(t, scene.duration);
    if ((k & 63) == 0 && hooks.stop && hooks.stop()) {
      s.interrupted = true;
      break;
    }
  }
  if (!s.interrupted) s.simulated = scene.duration;
  s.wall = std::chrono::duration<double>(Clock::now() - began).count();
  s.realtime_factor = s.wall > 0 ? s.simulated / s.wall : 0;
  sink.finish(to_json(s));
  return s;
}

}  // namespace marey
