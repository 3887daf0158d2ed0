// Recording. Rows fall on the asked times; the steps are not bent to meet them.
#include "sim/recorder.h"

#include <algorithm>
#include <cassert>

#include "marey/core/afterwards.h"
#include "marey/sim/touching_items.h"
#include "sim/followed.h"

namespace marey {

Observed::Observed(const Scene& scene, const RateLayout& layout)
    : scene(scene),
      now(scene.start),
      integrals(layout.count()),
      kinematics(scene.model),
      turns(scene.model, scene.start),
      forces(scene.model),
      powers(scene.elements.size() + scene.sources.size()),
      outside_Wo_W(powers.size()),
      vdot(static_cast<std::size_t>(scene.model.nv)),
      joints(scene.model) {
  if (scene.solver.dynamics == Dynamics::armstrong) hinges.emplace(scene);
}

std::size_t MotionHeader::row_width() const {
  std::size_t n = 0;
  for (const Channel& c : channels) n += c.columns.size();
  return n;
}

std::size_t ItemList::width() const {
  std::size_t n = 0;
  for (const Channel& c : fields) n += c.columns.size();
  return n;
}

Recorder::Recorder(const Scene& scene, std::vector<RecordedChannel> channels)
    : layout_(layout_of(scene)),
      channels_(std::move(channels)),
      seen_(scene, layout_),
      plant_(scene.model, {}),
      tau_(static_cast<std::size_t>(scene.model.nv)),
      wants_touching_(records_touching(scene)) {
  std::size_t width = 0;
  for (const RecordedChannel& r : channels_) {
    width += r.channel.columns.size();
    needs_.accelerations |= r.needs.accelerations, needs_.joint_forces |= r.needs.joint_forces;
    needs_.account |= r.needs.account, needs_.turns |= r.needs.turns;
  }
  if (wants_touching_ && !scene.contacts.empty()) needs_.accelerations = true;  // forces of floors are found with them
  row_.resize(width);
}

std::vector<Channel> Recorder::channels() const {
  std::vector<Channel> all;
  for (const RecordedChannel& r : channels_) all.push_back(r.channel);
  return all;
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
  touching_.clear();
  if (wants_touching_) add_touching_items(seen_, touching_);
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
  const State& now = seen_.now;
  world.put_masses(now.t);
  if (world.masses_change()) plant_.masses_changed();
  plant_.weld(world.welds());
  const Instant<double> instant = plant_.place(now.t, now.q, now.v, now.z, world.past());
  seen_.kinematics = plant_.kinematics();
  seen_.contacts = world.point_contacts(), seen_.touching = world.stepped(), seen_.constraints = world.constraints(),
  seen_.welds = world.welds();
  if (needs_.turns) seen_.turns.follow(now);
  if (needs_.accelerations || needs_.joint_forces) find_accelerations(instant, world);
  if (needs_.account) balance(world);
}

void Recorder::find_accelerations(const Instant<double>& instant, World& world) {
  const Model& model = seen_.scene.model;
  const State& now = seen_.now;
  ForceSum<double>& forces = seen_.forces;
  forces.clear();
  for (std::size_t i = 0; i < world.sources().size(); ++i) {
    world.sources().act(i, instant, forces);
    seen_.powers[i] = forces.power, seen_.outside_Wo_W[i] = forces.external;
  }
  if (world.stepped() != nullptr && world.stepped()->has_joint_bounds())
    for (std::size_t i = 0; i < seen_.scene.elements.size(); ++i)
      if (acts_in_steps_alone(seen_.scene.elements[i])) seen_.powers[i] = world.stepped()->bounding(i).power;
  const std::span<Part* const> parts = world.parts();
  for (Part* part : parts) part->add_forces(instant, seen_.kinematics, forces);
  plant_.accelerate({forces.tau, forces.F_Bo_W}, seen_.vdot);
  for (Part* part : Backwards{parts}) part->add_rows_to(instant, plant_, seen_.vdot);
  if (!needs_.joint_forces) return;
  for (const Part* part : parts) part->add_wrenches_beside_joints(seen_.kinematics, forces.F_Bo_W);
  rnea<double>(model, model.params, now.q, now.v, seen_.vdot, forces.F_Bo_W, seen_.joints, tau_);
  if (seen_.hinges) seen_.hinges->solve(world, now, forces, tau_);
}

void Recorder::balance(World& world) {
  const Scene& scene = seen_.scene;
  seen_.total = totals(scene.model, scene.model.params, seen_.kinematics);
  seen_.balance = world.balance(seen_.now);
  seen_.residual = residual_of(layout_, world.ledger(), seen_.balance, seen_.integrals);
  if (scene.solver.dynamics == Dynamics::multipliers)
    seen_.drift = world.drift_at(seen_.within_step ? seen_.now.t : world.time());
}

}  // namespace marey
