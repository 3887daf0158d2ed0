#include "sim/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace marey {
namespace {

// An element of the scene. Corners of force laws are switches for methods whose order they would spoil (smooth), and are
// left to the force law otherwise.
class ElementSource final : public Source {
 public:
  ElementSource(const Element& element, bool smooth) : element_(element), smooth_(smooth) {}

  std::string name() const override { return element_.name; }
  Nature nature() const override { return nature_of(element_); }
  double delay() const override { return delay_of(element_); }

  int mode_count() const override { return marey::mode_count(element_); }
  void start(const Instant<double>& now, std::span<double>, std::span<double> modes) const override {
    start_modes(element_, now, smooth_, modes);
  }

  void act(const Instant<double>& now, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double>) const override {
    evaluate<double>(element_, now, kept.modes, sum);
  }
  bool act(const Instant<Dual<1>>& now, const Kept<Dual<1>>& kept, ForceSum<Dual<1>>& sum,
           std::span<Dual<1>>) const override {
    evaluate<Dual<1>>(element_, now, kept.modes, sum);
    return true;
  }
  double potential(const Instant<double>& now, const Kept<double>&) const override {
    return marey::potential<double>(element_, now);
  }
  double potential_rate(const Instant<double>& now, const Kept<double>&) const override {
    return marey::potential_rate<double>(element_, now);
  }

  int switch_count() const override {
    return smooth_ || !switches_at_corners_alone(element_) ? marey::switch_count(element_) : 0;
  }
  void switch_values(const Instant<double>& now, const Kept<double>& kept, std::span<double> values) const override {
    marey::switch_values(element_, now, kept.modes, values);
  }
  double next_instant(double t, const Kept<double>& kept) const override {
    return marey::next_instant(element_, t, kept.modes);
  }
  void switch_over(const Instant<double>& now, int which, std::span<double>, std::span<double> modes) const override {
    switch_modes(element_, now, which, modes);
  }

 private:
  const Element& element_;
  bool smooth_;
};

// The link in whose joint alone an element acts, so that it does nothing where the joint is held, and has no states; 0: of
// others, and where the parent is the world, which then takes part.
int joint_of(const Model& model, const Element& e) {
  int link = 0;
  if (acts_in_joint(e)) link = link_of(e);
  return model.links[static_cast<std::size_t>(link)].parent == 0 ? 0 : link;
}

template <class X>
std::span<X> part(std::span<X> all, const std::vector<std::size_t>& start, std::size_t i) {
  return all.subspan(start[i], start[i + 1] - start[i]);
}

}  // namespace

Sources::Sources(const Scene& scene) : joint_switches_(scene.model), model_(scene.model), given_(scene.elements) {
  const bool smooth = order_of(scene.solver.integrator) > 1;
  if (scene.takes_inputs) elements_ = scene.elements;
  const std::vector<Element>& elements = scene.takes_inputs ? std::as_const(elements_) : scene.elements;
  for (const Element& e : elements) {
    std::shared_ptr<const Source> source = source_of(e);
    all_.push_back(source ? std::move(source) : std::make_shared<ElementSource>(e, smooth));
  }
  number_start_.push_back(0);
  for (const Element& e : elements_) {
    numbers_.resize(numbers_.size() + numbers_of(e).size());
    number_start_.push_back(numbers_.size());
  }
  for (const Element& e : elements) joint_.push_back(joint_of(scene.model, e));
  for (const Element& e : elements) flows_.push_back(e.kind.get_if<MassFlow>() != nullptr);
  all_.insert(all_.end(), scene.sources.begin(), scene.sources.end());
  joint_.resize(all_.size());
  flows_.resize(all_.size());
  for (const auto& source : all_)
    conservative_.push_back(source->nature() == Nature::conservative || source->stores_energy());
  std::size_t modes = 0, switches = 0, states = 0;
  const auto begin = [&] {
    mode_start_.push_back(modes), switch_start_.push_back(switches), state_start_.push_back(states);
  };
  for (const auto& source : all_) {
    begin();
    modes += static_cast<std::size_t>(source->mode_count());
    switches += static_cast<std::size_t>(source->switch_count());
    states += source->states().size();
  }
  begin();
  modes_.assign(modes, 0.0);
  step_modes_ = modes_;
  unused_rates_.resize(states), switch_scratch_.reserve(switches);
  find_timeless();
}

// Elements whose switches are corners of what acts in one joint, with parameters that never change.
void Sources::find_timeless() {
  in_joints_alone_ = size() == given_.size() && std::ranges::all_of(elements(), [](const Element& e) {
                       return acts_in_joint(e) && link_of(e) > 0;
                     });
  resting_.assign(size(), 0), timeless_.assign(size(), 0);
  for (std::size_t i = 0; i < size(); ++i) {
    const Element* e = i < given_.size() ? &elements()[i] : nullptr;
    const bool switches = switch_start_[i] != switch_start_[i + 1];
    timeless_[i] = e != nullptr && acts_in_joint(*e) && link_of(*e) > 0 && switches_at_corners_alone(*e) &&
                   marey::next_instant(*e, -forever, modes_of(i)) == forever;
    if (!timeless_[i] && (e == nullptr || mode_start_[i] != mode_start_[i + 1])) with_clocks_.push_back(i);
    if (switches && timeless_[i])
      joint_switches_.add(i, link_of(*e));
    else if (switches)
      switching_elsewhere_.push_back(i);
  }
  find_frictions();
}

void Sources::pack(const ParticleStore& particles) {
  packs_ = std::make_unique<ParticlePacks>(particles, elements());
  if (packs_->empty()) packs_.reset();
}

std::vector<double> Sources::delays() const {
  std::vector<double> delays;
  for (const auto& source : all_)
    if (const double delay = source->delay(); delay > 0) delays.push_back(delay);
  std::sort(delays.begin(), delays.end());
  delays.erase(std::unique(delays.begin(), delays.end()), delays.end());
  return delays;
}

// ------------------------------------------------------------------------------------------- what they remember
std::span<double> Sources::own_modes(std::size_t i) {
  resting_due_ = true;
  return part(std::span(modes_), mode_start_, i);
}
std::span<const double> Sources::modes_of(std::size_t i) const {
  return part(std::span<const double>(in_last_step_ ? step_modes_ : modes_), mode_start_, i);
}

void Sources::change_number(std::size_t element, std::size_t which, double value) {
  numbers_[number_start_[element] + which] = {1, value};
  resting_due_ = true;
  joint_switches_.forget();
  set_number(elements_[element], which, value);
  find_frictions();
  if (packs_) packs_->read_numbers(elements());
}

// The elements with these numbers, the others being the scene's.
void Sources::apply(std::span<const Number> numbers) {
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    elements_[e].kind = given_[e].kind;
    for (std::size_t k = number_start_[e]; k < number_start_[e + 1]; ++k)
      if (numbers[k].changed != 0) set_number(elements_[e], k - number_start_[e], numbers[k].value);
  }
  if (packs_) packs_->read_numbers(elements());
}

void Sources::restored() {
  if (!std::all_of(numbers_.begin(), numbers_.end(), [](const Number& n) { return std::isfinite(n.value); }))
    throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of numbers that cannot be");
  apply(numbers_);
  find_frictions();
  step_numbers_ = numbers_;
  resting_due_ = true;
  joint_switches_.forget();
}

void Sources::begin_record(bool within_last_step) {
  in_last_step_ = within_last_step;
  if (numbers_ != step_numbers_) apply(within_last_step ? step_numbers_ : numbers_);
}

void Sources::start(const Instant<double>& now, std::span<double> z) {
  for (std::size_t i = 0; i < size(); ++i) all_[i]->start(now, part(z, state_start_, i), own_modes(i));
}

// ----------------------------------------------------------------------------------------------- between events
bool Sources::all_within(std::span<const char> held) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (!is_within(i, held)) return false;
  return true;
}

void Sources::act(const Instant<double>& now, ForceSum<double>& sum, const RateLayout& layout, std::span<double> rates,
                  std::span<double> z_rate, std::span<const char> held) const {
  if (now.particles != nullptr) now.particles->clear_forces();
  if (packs_ && now.particles != nullptr) packs_->act(*now.particles);
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_resting(i)) continue;
    const bool within = is_within(i, held);
    if (within && !conservative_[i]) continue;
    if (within)
      rates[layout.power(i)] = all_[i]->potential_rate(now, kept(i, now));
    else
      act_and_book(i, now, sum, layout, rates, part(z_rate, state_start_, i));
  }
}

void Sources::act_and_book(std::size_t i, const Instant<double>& now, ForceSum<double>& sum, const RateLayout& layout,
                           std::span<double> rates, std::span<double> z_rate) const {
  const Source& source = *all_[i];
  const Kept<double> mine = kept(i, now);
  sum.begin_element();
  if (packed(i, now)) {
    if (const Element* rest = packs_->rest(i)) evaluate<double>(*rest, now, mine.modes, sum);
    sum.power += packs_->power(i);
    sum.external += packs_->external(i);
  } else {
    source.act(now, mine, sum, z_rate);
  }
  if (const MassFlow* f = flow(i)) sum.power += power_of_potentials(*f, now, mine.modes);
  rates[layout.power(i)] = conservative_[i] ? source.potential_rate(now, mine) : sum.power;
  book_wrench(rates, layout.outside(i), sum.external);
}

void Sources::act_in_joints(const Instant<double>& now, ForceSum<double>& sum, const RateLayout& layout,
                            std::span<double> rates) const {
  for (const Friction& f : frictions_) {
    double power = 0;
    for (std::size_t k = f.v; k < f.v + f.count; ++k)
      sum.tau[k] -= f.coefficient * now.v[k], power -= f.coefficient * now.v[k] * now.v[k];
    rates[layout.power(f.source)] = power;
  }
  for (std::size_t i = 0; i < size(); ++i)
    if (!is_friction_[i] && !is_resting(i)) act_and_book(i, now, sum, layout, rates, {});
}

void Sources::act(std::size_t i, const Instant<double>& now, ForceSum<double>& sum) const {
  sum.begin_element();
  all_[i]->act(now, kept(i, now), sum, part(std::span(unused_rates_), state_start_, i));
  if (const MassFlow* f = flow(i)) sum.power += power_of_potentials(*f, now, modes_of(i));
}

double Sources::power_of_potentials(const MassFlow& flow, const Instant<double>& now,
                                    std::span<const double> modes) const {
  const double rate = mass_rate(flow, now.t, modes);
  if (masses_ == nullptr || rate == 0 || !has_potentials()) return 0;
  const auto energy = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i)
      if (conservative_[i]) sum += potential(i, now);
    return sum;
  };
  return rate * masses_->per_mass(flow.links, energy);
}

bool Sources::add_dual_forces(const Instant<Dual<1>>& now, ForceSum<Dual<1>>& sum, std::span<Dual<1>> z_rate) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (!add_dual_forces(i, now, sum, z_rate)) return false;
  return true;
}

bool Sources::add_dual_forces(std::size_t i, const Instant<Dual<1>>& now, ForceSum<Dual<1>>& sum,
                              std::span<Dual<1>> z_rate) const {
  sum.begin_element();
  return all_[i]->act(now, kept(i, now), sum, part(z_rate, state_start_, i));
}

Sources::InJoint Sources::slope_in_joint(std::size_t i) const {
  if (i >= given_.size()) return {0, {JointSlope::Kind::of_both}};
  const Element& e = elements()[i];
  return {link_of(e), marey::slope_in_joint(e, modes_of(i))};
}

double Sources::add_potential(double energy, std::size_t i, const Instant<double>& now) const {
  if (!packed(i, now)) return energy + all_[i]->potential(now, kept(i, now));
  energy += packs_->energy(*now.particles, i);
  if (const Element* rest = packs_->rest(i)) energy += marey::potential<double>(*rest, now);
  return energy;
}

double Sources::potential_on_top(double energy, const Instant<double>& now, const Kinematics<double>&) const {
  for (std::size_t i = 0; i < size(); ++i) energy = add_potential(energy, i, now);
  return energy;
}

double Sources::potential_of_acting_on_top(double energy, const Instant<double>& now) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (conservative_[i] && !is_resting(i)) energy = add_potential(energy, i, now);
  return energy;
}

void Sources::find_frictions() {
  frictions_.clear(), is_friction_.assign(size(), 0);
  for (std::size_t i = 0; in_joints_alone_ && i < size(); ++i) {
    const auto [link, slope] = slope_in_joint(i);
    const LinkTopology& joint = model_.links[static_cast<std::size_t>(link)];
    const bool turns = joint.joint == JointType::hinge || joint.joint == JointType::ball;
    if (slope.kind != JointSlope::Kind::friction || !turns || joint.parent == 0) continue;
    const auto v = static_cast<std::size_t>(joint.v);
    if (slope.freedom < 0)
      frictions_.push_back({i, v, static_cast<std::size_t>(freedom_count(joint)), slope.coefficient});
    else
      frictions_.push_back({i, v + static_cast<std::size_t>(slope.freedom), 1, slope.coefficient});
    is_friction_[i] = 1;
  }
}

void Sources::find_resting(const Instant<double>& now) {
  resting_.assign(size(), 0), resting_due_ = false;
  ForceSum<double> sum(now.model);
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const Element& e = elements()[i];
    if (!timeless_[i] || !conservative_[i] || !acts_in_joint(e) || link_of(e) == 0 || packed(i, now)) continue;
    if (slope_in_joint(i).slope.kind != JointSlope::Kind::none) continue;
    sum.clear();
    act(i, now, sum);
    resting_[i] = std::ranges::all_of(sum.tau, [](double tau) { return tau == 0; }) && potential(i, now) == 0;
  }
}

// ------------------------------------------------------------------------------------------------------- events
void Sources::switch_values(const Instant<double>& now, const Kinematics<double>&, std::span<double> values) {
  for (std::size_t i = 0; i < size(); ++i)
    if (switch_start_[i] != switch_start_[i + 1])
      all_[i]->switch_values(now, kept(i, now), part(values, switch_start_, i));
  for (std::size_t i = given_.size(); i < size(); ++i)
    for (const double value : part(values, switch_start_, i))
      if (std::isnan(value) && std::ranges::all_of(now.v, [](double v) { return std::isfinite(v); }))
        throw Error(ErrorKind::cannot_go_on,
                    fmt::format("the source '{}' gives no number as the value of a switch at t = {:.6g} s",
                                all_[i]->name(), now.t));
}

// A function that is farther from zero than it can have come within the step. Its bound is of velocities at the ends; twice that is
// asked for, since they may be a little larger in between.
bool Sources::nothing_switched(const Instant<double>& end, std::span<const double> v_start, double h) {
  if (resting_due_) find_resting(end);
  const auto look = [&](std::size_t i, double& least) {
    if (i >= given_.size()) return false;
    const double rate = fastest_switch(elements()[i], end, v_start, h);
    if (!(rate < forever)) return false;
    switch_scratch_.resize(switch_start_[i + 1] - switch_start_[i]);
    all_[i]->switch_values(end, kept(i, end), switch_scratch_);
    least = std::ranges::min(switch_scratch_);
    return least > 2 * h * rate;
  };
  double least = 0;
  for (const std::size_t i : switching_elsewhere_)
    if (!look(i, least)) return false;
  return joint_switches_.all_kept(end, v_start, h, look,
                                  [&](std::size_t i, const Instant<double>& at, std::span<const double> v, double phi) {
                                    return fastest_switch(elements()[i], at, v, phi);
                                  });
}

double Sources::next_instant(const State& s) const {
  double next = forever;
  for (const std::size_t i : with_clocks_) {
    const double instant = all_[i]->next_instant(s.t, {part(std::span(s.z), state_start_, i), modes_of(i)});
    if (i >= given_.size() && !(instant > s.t))
      throw Error(ErrorKind::cannot_go_on,
                  fmt::format("the source '{}' names {} s as the next instant at which it switches; expected one that "
                              "is still to come",
                              all_[i]->name(), instant));
    next = std::min(next, instant);
  }
  return next;
}

void Sources::switch_over(const Instant<double>& now, std::size_t which, bool by_clock_now, std::span<double> z) {
  joint_switches_.forget();
  for (std::size_t i = 0; i < size(); ++i) {
    const std::span<double> own_z = part(z, state_start_, i);
    if (by_clock_now) all_[i]->switch_over(now, by_clock, own_z, own_modes(i));
    if (which >= switch_start_[i] && which < switch_start_[i + 1])
      all_[i]->switch_over(now, static_cast<int>(which - switch_start_[i]), own_z, own_modes(i));
  }
}

bool Sources::leave_corners_to_the_law(const Instant<double>& now, std::size_t which) {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (which < switch_start_[i] || which >= switch_start_[i + 1]) continue;
    if (!switches_at_corners_alone(elements()[i])) return false;
    constexpr bool smooth = false;
    start_modes(elements()[i], now, smooth, own_modes(i));
    return true;
  }
  return false;
}

// ----------------------------------------------------------------------------------------------------- refusals
std::string refusal_of_sources(const Scene& scene) {
  std::set<std::string> names;
  for (const Element& e : scene.elements) names.insert(e.name);
  for (const FloorContact& c : scene.contacts) names.insert(c.name);
  for (const Constraint& c : scene.constraints) names.insert(c.name);
  if (scene.solver.weld) names.insert(welds_name);
  for (const auto& source : scene.sources) {
    if (!source) return "found a source that is null; expected one that acts";
    const std::string name = source->name();
    if (name.empty()) return "found a source without a name; expected one, for the ledger";
    if (!names.insert(name).second)
      return fmt::format("found two things named '{}'; expected names of their own", name);
    if (const std::string why = source->refusal(scene.model); !why.empty()) return fmt::format("'{}': {}", name, why);
    if (const double delay = source->delay(); !(delay >= 0 && std::isfinite(delay)))
      return fmt::format("'{}': found a delay of {} s; expected 0 or more", name, delay);
    if (source->mode_count() < 0 || source->switch_count() < 0)
      return fmt::format("'{}': found {} modes and {} switches; expected 0 or more", name, source->mode_count(),
                         source->switch_count());
  }
  return {};
}

}  // namespace marey
