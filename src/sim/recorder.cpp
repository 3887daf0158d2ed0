// Recording. Rows fall on the asked times; the steps are not bent to meet them.
#include "sim/recorder.h"

#include <algorithm>
#include <cassert>

#include "marey/core/afterwards.h"
#include "sim/followed.h"

namespace marey {

Observed::Observed(const Scene& scene, const RateLayout& layout)
    : scene(scene),
      now(scene.start),
      integrals(layout.count()),
      kinematics(scene.model),
      forces(scene.model),
      powers(scene.elements.size() + scene.sources.size()),
      outside_Wo_W(powers.size()),
      vdot(static_cast<std::size_t>(scene.model.nv)),
      joints(scene.model) {}

std::size_t MotionHeader::row_width() const {
  std::size_t n = 0;
  for (const Channel& c : channels) n += c.columns.size();
  return n;
}

std::vector<Channel> channels_of(const Scene& scene) {
  std::vector<Channel> channels;
  for (RecordedChannel& r : recorded_channels(scene)) channels.push_back(std::move(r.channel));
  return channels;
}

Recorder::Recorder(const Scene& scene)
    : layout_(layout_of(scene)),
      channels_(recorded_channels(scene)),
      seen_(scene, layout_),
      plant_(scene.model, {}),
      tau_(static_cast<std::size_t>(scene.model.nv)) {
  std::size_t width = 0;
  for (const RecordedChannel& r : channels_) width += r.channel.columns.size();
  row_.resize(width);
}

std::span<const double> Recorder::row_at(double t, World& world) {
  take_state(t, world);
  world.begin_record(seen_.within_step);
  const Afterwards present([&] { world.end_record(); });
  solve(world);
  RowWriter row(row_);
  for (const RecordedChannel& r : channels_) {
    [[maybe_unused]] const std::size_t before = row.written();
    r.write(seen_, row);
    assert(row.written() - before == r.channel.columns.size());
  }
  return row_;
}

// A time that falls on the end of the step is the world's own state, bit for bit, after whatever happened there.
void Recorder::take_state(double t, World& world) {
  seen_.now.t = t;
  const double slack = 1e-9 * std::min(seen_.scene.solver.step, 1.0);
  seen_.within_step = t < world.time() - slack;
  if (Followed* followed = world.followed()) {
    if (seen_.within_step)
      followed->at(t, world, seen_.followed);
    else
      seen_.followed.assign(followed->values().begin(), followed->values().end());
  }
  if (seen_.within_step) return world.at(t, seen_.now, seen_.integrals);
  seen_.now = world.state();
  seen_.now.t = t;
  seen_.integrals.assign(world.integrals().begin(), world.integrals().end());
}

// Accelerations and joint forces are worked out anew for the instant, whatever solver steps the scene.
void Recorder::solve(World& world) {
  const Scene& scene = seen_.scene;
  const Model& model = scene.model;
  const State& now = seen_.now;
  ForceSum<double>& forces = seen_.forces;
  plant_.weld(world.welds());
  const Instant<double> instant = plant_.place(now.t, now.q, now.v, now.z, world.past());
  const Kinematics<double>& kinematics = seen_.kinematics = plant_.kinematics();
  forces.clear();
  for (std::size_t i = 0; i < world.sources().size(); ++i) {
    world.sources().act(i, instant, forces);
    seen_.powers[i] = forces.power, seen_.outside_Wo_W[i] = forces.external;
  }
  const std::span<Part* const> parts = world.parts();
  for (Part* part : parts) part->add_forces(instant, kinematics, forces);
  plant_.accelerate({forces.tau, forces.F_Bo_W}, seen_.vdot);
  for (Part* part : Backwards{parts}) part->add_rows_to(instant, plant_, seen_.vdot);
  for (const Part* part : parts) part->add_wrenches_beside_joints(kinematics, forces.F_Bo_W);
  rnea<double>(model, model.params, now.q, now.v, seen_.vdot, forces.F_Bo_W, seen_.joints, tau_);
  seen_.contacts = world.contacts(), seen_.constraints = world.constraints(), seen_.welds = world.welds();
  seen_.total = totals(model, model.params, kinematics);
  seen_.balance = world.balance(now);
  seen_.residual = residual_of(layout_, world.ledger(), seen_.balance, seen_.integrals);
  if (scene.solver.dynamics == Dynamics::multipliers)
    seen_.drift = world.drift_at(seen_.within_step ? now.t : world.time());
}

}  // namespace marey
