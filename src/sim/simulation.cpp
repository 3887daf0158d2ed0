#include "marey/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/breakdown.h"
#include "sim/input_source.h"
#include "sim/simulation_parts.h"

namespace marey {

// ------------------------------------------------------------------------------------------------- Simulation
Simulation::Parts::Parts(std::shared_ptr<const System> of)
    : system(std::move(of)), world(system->scene()), kinematics(system->model()) {}

Recorder& Simulation::Parts::recorder() {
  const Scene& scene = world.scene();
  return recorder_ ? *recorder_ : recorder_.emplace(scene, recorded_channels(scene));
}

Simulation::Simulation(Scene scene) : Simulation(std::make_shared<const System>(std::move(scene))) {}
Simulation::Simulation(std::shared_ptr<const System> system) {
  if (!system) throw Error(ErrorKind::bad_input, "found no system; expected one to simulate");
  if (system->scene().kinematic)
    throw Error(ErrorKind::bad_input,
                "found a scene without dynamics, which has no steps; expected one with dynamics, or marey::run()");
  parts_ = std::make_unique<Parts>(std::move(system));
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

const System& Simulation::system() const { return *parts_->system; }
double Simulation::time() const { return parts_->world.time(); }
long long Simulation::steps() const { return parts_->world.steps(); }
long long Simulation::events() const { return parts_->world.events(); }
long long Simulation::evaluations() const { return parts_->world.evaluations(); }
long long Simulation::impacts() const {
  World& world = parts_->world;
  if (world.contacts() != nullptr) return world.contacts()->impacts();
  return world.stepped() != nullptr ? world.stepped()->sums().strikes : 0;
}
const State& Simulation::state() const { return parts_->world.state(); }

void Simulation::step(double limit) {
  World& world = parts_->world;
  if (!(limit > time()))
    throw Error(ErrorKind::bad_input,
                fmt::format("found a step that is to end at {:.9g} s; expected a time after {:.9g} s", limit, time()));
  const Scene& scene = parts_->system->scene();
  State& before = parts_->before;
  before = world.state();
  parts_->changed();
  if (limit != parts_->limit) {
    parts_->limit = limit;
    parts_->inputs.push_back({Input::Kind::limit, 0, steps(), time(), {limit}});
  }
  try {
    world.step(limit);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cannot_go_on) throw;
    throw Error(ErrorKind::cannot_go_on, fmt::format("at t = {:.6g} s {}{}", world.time(), error.what(),
                                                     cause_besides(error.what(), scene, world, before)));
  }
  if (const int broken = world.broken_link(); broken >= 0)
    throw Error(ErrorKind::cannot_go_on, breakdown_text(scene, world, before, broken));
  if (const std::string text = states_text(world); !text.empty()) throw Error(ErrorKind::cannot_go_on, text);
  if (!is_finite(world.ledger(), world.integrals())) throw Error(ErrorKind::cannot_go_on, account_text(scene, world));
}

void Simulation::run_until(double t) {
  if (std::isnan(t)) throw Error(ErrorKind::bad_input, "found a time that is not a number; expected one to run to");
  while (time() < t) step(t);
}

// ---- from outside
void Simulation::Parts::take(const Input& input) {
  if (!system->scene().takes_inputs)
    throw Error(ErrorKind::bad_input, "found an input for a scene that takes none; expected takes_inputs to be set");
  if (const std::string why = refusal(system->scene(), world.sources().elements(), input); !why.empty())
    throw Error(ErrorKind::bad_input, why);
  const std::size_t which = static_cast<std::size_t>(input.link);
  if (input.kind == Input::Kind::number)
    world.change_number(which, static_cast<std::size_t>(input.values[0]), input.values[1]);
  else if (input.kind == Input::Kind::command)
    world.command(which, input.values[0], input.values[1]);
  else
    world.change_modes(system->scene().elements.size() + input_source_of(system->scene()),
                       [&](std::span<double> modes) { take_input(system->model(), input, modes); });
  inputs.push_back(input);
  inputs.back().step = world.steps(), inputs.back().t = world.time();
  changed();
}

void Simulation::push(int link, const Vec3<double>& force, const Vec3<double>& torque, const Vec3<double>& point_B) {
  Input input{Input::Kind::push, link, 0, 0, {}};
  const Vec3<double>* const parts[] = {&force, &torque, &point_B};
  for (std::size_t k = 0; k < 9; ++k) input.values[k] = (*parts[k / 3])[static_cast<int>(k % 3)];
  parts_->take(input);
}

void Simulation::drive(int link, std::span<const double> forces) {
  Input input{Input::Kind::drive, link, 0, 0, {}};
  const Model& model = parts_->system->model();
  if (link >= 1 && link < model.nlink()) {
    const auto freedoms = static_cast<std::size_t>(freedom_count(model.links[static_cast<std::size_t>(link)]));
    if (forces.size() != freedoms)
      throw Error(ErrorKind::bad_input, fmt::format("found {} forces for the joint of '{}'; expected {}", forces.size(),
                                                    model.names[static_cast<std::size_t>(link)], freedoms));
    std::copy(forces.begin(), forces.end(), input.values.begin());
  }
  parts_->take(input);
}

void Simulation::set(std::string_view element, std::string_view number, double value) {
  const std::vector<Element>& all = parts_->system->scene().elements;
  const auto at = std::ranges::find(all, element, &Element::name);
  if (at == all.end())
    throw Error(ErrorKind::bad_input, fmt::format("there is no element '{}' whose numbers could be set", element));
  const std::vector<std::string> names = numbers_of(*at);
  const auto which = std::ranges::find(names, number);
  if (which == names.end())
    throw Error(ErrorKind::bad_input,
                names.empty()
                    ? fmt::format("found '{}' of '{}', which has no number that could be set", number, element)
                    : fmt::format("found '{}' of '{}'; expected one of its numbers: {}", number, element,
                                  fmt::join(names, ", ")));
  Input input{Input::Kind::number, static_cast<int>(at - all.begin()), 0, 0, {}};
  input.values[0] = static_cast<double>(which - names.begin()), input.values[1] = value;
  parts_->take(input);
}

void Simulation::command(std::string_view drive, double target, double within) {
  const std::vector<Constraint>& all = parts_->system->scene().constraints;
  const auto at = std::ranges::find(all, drive, &Constraint::name);
  if (at == all.end()) throw Error(ErrorKind::bad_input, fmt::format("there is no drive '{}' to command", drive));
  Input input{Input::Kind::command, static_cast<int>(at - all.begin()), 0, 0, {}};
  input.values[0] = target, input.values[1] = within;
  parts_->take(input);
}

std::span<const Input> Simulation::inputs() const { return parts_->inputs; }

double Simulation::Parts::take_due(std::span<const Input> record, std::size_t& next, double last) {
  for (; next < record.size() && record[next].step <= world.steps(); ++next) {
    if (record[next].step < world.steps())
      throw Error(ErrorKind::bad_input,
                  fmt::format("found an input for step {}, which was done; expected inputs from step {} on",
                              record[next].step, world.steps()));
    if (record[next].kind == Input::Kind::limit)
      last = record[next].values[0];
    else
      take(record[next]);
  }
  return last;
}

void Simulation::replay(std::span<const Input> inputs, double until) {
  std::size_t next = 0;
  for (double limit = parts_->limit; time() < until;) {
    limit = parts_->take_due(inputs, next, limit);
    step(limit);
  }
}

// ---- what there is now
Transform<double> Simulation::pose(int link) const {
  const Model& model = parts_->system->model();
  if (link < 0 || link >= model.nlink())
    throw Error(ErrorKind::bad_input, fmt::format("found link {}; expected 0 to {}", link, model.nlink() - 1));
  if (!parts_->knows_poses) forward_kinematics<double>(model, model.params, state().q, state().v, parts_->kinematics);
  parts_->knows_poses = true;
  return parts_->kinematics.X_WB[static_cast<std::size_t>(link)];
}

Twist<double> Simulation::velocity(int link) const {
  pose(link);
  return parts_->kinematics.V_WB[static_cast<std::size_t>(link)];
}

double Simulation::kinetic_energy() const { return parts_->world.balance(state()).kinetic; }

double Simulation::potential_energy() const {
  const Balance balance = parts_->world.balance(state());
  return balance.energy - balance.kinetic;
}

Ledger Simulation::ledger() const {
  World& world = parts_->world;
  const Scene& scene = parts_->system->scene();
  return close_ledger(world.layout(), world.ledger(), world.balance(state()), world.integrals(), scene,
                      closed_within(scene));
}

std::span<const double> Simulation::row_at(double t) const {
  const double slack = 1e-9 * std::max(1.0, std::abs(time()));
  if (!(t >= parts_->world.step_began() - slack && t <= time() + slack))
    throw Error(ErrorKind::bad_input,
                fmt::format("found {:.9g} s; expected a time within the last step, {:.9g} to {:.9g} s", t,
                            parts_->world.step_began(), time()));
  parts_->knows_row = false;
  return parts_->recorder().row_at(t, parts_->world);
}

std::span<const double> Simulation::row() const {
  if (!parts_->knows_row) parts_->row = row_at(time());
  parts_->knows_row = true;
  return parts_->row;
}

std::span<const double> Simulation::values(std::string_view channel) const {
  const System::Columns at = parts_->system->columns_of(channel);
  return row().subspan(at.first, at.count);
}

double Simulation::value(std::string_view channel) const {
  const std::span<const double> all = values(channel);
  if (all.size() != 1)
    throw Error(ErrorKind::bad_input,
                fmt::format("the channel '{}' has {} columns; ask for its values", channel, all.size()));
  return all[0];
}

// ---- going back
bool Simulation::may_save() const { return parts_->world.may_save(); }

SavedState Simulation::save() const {
  if (!may_save())
    throw Error(
        ErrorKind::bad_input,
        "adams and bdf remember many steps, and go on bit for bit only from where they start anew: ask may_save()");
  return {time(), parts_->world.save(), parts_->system->fingerprint()};
}

void Simulation::restore(const SavedState& saved) {
  if (saved.system != parts_->system->fingerprint())
    throw Error(ErrorKind::bad_input,
                "found a state of another system (other names, figures, gravity or solver); expected one of this");
  World& world = parts_->world;
  const std::vector<std::byte> present = world.save();
  parts_->changed();
  try {
    world.restore(saved.bytes);
    if (world.time() != saved.t || world.broken_link() >= 0)
      throw Error(ErrorKind::bad_input, "the saved state is damaged: it holds no state that a simulation could be in");
    parts_->inputs.clear();
    parts_->limit = forever;
  } catch (...) {
    world.restore(present);
    throw;
  }
}

}  // namespace marey
