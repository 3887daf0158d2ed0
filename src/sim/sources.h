// Everything that acts by forces on the figures of a scene: its elements and the sources of its caller, one after another,
// and what they remember. The loops over them know no kind.
#pragma once

#include <algorithm>
#include <memory>

#include "marey/force/joint_slope.h"
#include "marey/force/particle_packs.h"
#include "marey/plant/part.h"
#include "marey/sim.h"
#include "sim/changing_masses.h"
#include "sim/joint_switches.h"
#include "sim/ledger.h"

namespace marey {

class Sources final : public Part {
 public:
  explicit Sources(const Scene&);

  std::size_t size() const { return all_.size(); }
  const Source& operator[](std::size_t i) const { return *all_[i]; }
  std::size_t state_count() const { return state_start_.back(); }
  std::vector<double> delays() const;  // ascending, each once

  // Elements on these particles act in packs from now on, at instants that know of them.
  void pack(const ParticleStore&);
  // Masses that change, in the model of all instants that they see from now on; null: none do.
  void use(ChangingMasses* masses) { masses_ = masses; }
  // Whether there is nothing that does not.
  bool all_packed() const { return packs_ && packs_->all() && size() == given_.size(); }

  // ---- what they remember
  void start(const Instant<double>&, std::span<double> z);
  void begin_step(double) override {
    step_modes_ = modes_;
    step_numbers_ = numbers_;
  }
  std::span<double> own_modes(std::size_t i);
  std::span<const double> modes_of(std::size_t i) const;
  void begin_record(bool within_last_step) override;
  void end_record() override { begin_record(false); }
  void exchange(const Archive& archive) override {
    archive(std::as_writable_bytes(std::span(modes_)));
    archive(std::as_writable_bytes(std::span(numbers_)));
  }
  void restored() override;
  // Of a scene that takes inputs: a number of an element is another one from now on.
  void change_number(std::size_t element, std::size_t which, double value);
  // The scene's elements as they have become.
  std::span<const Element> elements() const { return elements_.empty() ? std::span(given_) : std::span(elements_); }
  template <class T>
  Kept<T> kept(std::size_t i, const Instant<T>& at) const {
    return {at.z.subspan(state_start_[i], state_start_[i + 1] - state_start_[i]), modes_of(i)};
  }

  // ---- between events
  // Their forces, what is to be booked of them, and the rates of their states.
  // Of those within joints that are held ([nlink]; empty: none are) only what is booked: they do nothing to what moves.
  void act(const Instant<double>&, ForceSum<double>&, const RateLayout&, std::span<double> rates,
           std::span<double> z_rate, std::span<const char> held = {}) const;
  // Whether all there is are elements, each of which does nothing but act in one joint; and whether their switches see nothing else, at any
  // time.
  bool act_in_joints_alone() const { return in_joints_alone_; }
  bool switch_in_joints_alone() const { return switching_elsewhere_.empty(); }
  // act() where act_in_joints_alone(): friction in joints goes by its coefficients.
  void act_in_joints(const Instant<double>&, ForceSum<double>&, const RateLayout&, std::span<double> rates) const;
  bool has_potentials() const {
    return std::ranges::any_of(conservative_, [](char x) { return x != 0; });
  }
  // Whether all of them are within such joints.
  bool all_within(std::span<const char> held) const;
  // Of one alone; its power is in the sum.
  void act(std::size_t i, const Instant<double>&, ForceSum<double>&) const;
  // False where a source gives no derivatives.
  bool add_dual_forces(const Instant<Dual<1>>&, ForceSum<Dual<1>>&, std::span<Dual<1>> z_rate) const override;
  // Of one: its forces; what of them in which link's joint depends on that, 0 and all where it may do anything.
  bool add_dual_forces(std::size_t i, const Instant<Dual<1>>&, ForceSum<Dual<1>>&, std::span<Dual<1>> z_rate) const;
  struct InJoint {
    int link = 0;
    JointSlope slope;
  };
  InJoint slope_in_joint(std::size_t i) const;
  // Of an element, as marey/force/joint_slope.h has it.
  bool stiffness_in_joint(std::size_t i, const Instant<double>& now, JointStiffness& out) const {
    return i < given_.size() && marey::stiffness_in_joint(elements()[i], now, modes_of(i), out);
  }
  // Of one.
  double potential(std::size_t i, const Instant<double>& now) const { return all_[i]->potential(now, kept(i, now)); }
  double potential_on_top(double energy, const Instant<double>&, const Kinematics<double>&) const override;
  // The same at the end of a step in which nothing has switched, without those that are at rest.
  double potential_of_acting_on_top(double energy, const Instant<double>&) const;

  // ---- events
  std::size_t switch_count() const override { return switch_start_.back(); }
  void switch_values(const Instant<double>&, const Kinematics<double>&, std::span<double> values) override;
  // Whether no switch can have come to zero within a step that ends here, by bounds of their rates; and who is at rest from here on.
  bool nothing_switched(const Instant<double>& end, std::span<const double> v_start, double h);
  double next_instant(const State&) const override;
  // What function `which` belongs to switches to and fro by rounding, at a corner of its law (the edge of a zone, where a joint rests): the
  // law itself decides from now on, without switches. False: it is no such corner.
  bool leave_corners_to_the_law(const Instant<double>&, std::size_t which);
  // Function `which` of all has become negative (any other number: none), or an instant has come by the clock.
  void switch_over(const Instant<double>&, std::size_t which, bool by_clock_now, std::span<double> z);

 private:
  bool is_within(std::size_t i, std::span<const char> held) const {
    return joint_[i] > 0 && !held.empty() && held[static_cast<std::size_t>(joint_[i])] != 0;
  }

  // Elements that do nothing, and store nothing, as long as their modes stay: conservative, in one joint, the same at all times, and of no
  // slope there. Looked for at the end of a step, where modes have changed.
  void find_resting(const Instant<double>&);
  void find_frictions();
  void act_and_book(std::size_t i, const Instant<double>&, ForceSum<double>&, const RateLayout&,
                    std::span<double> rates, std::span<double> z_rate) const;
  bool is_resting(std::size_t i) const { return !in_last_step_ && !resting_due_ && resting_[i] != 0; }
  double add_potential(double energy, std::size_t i, const Instant<double>&) const;
  std::vector<char> resting_;   // [size]
  std::vector<char> timeless_;  // [size] whether it is the same at all times
  bool resting_due_ = true;
  // τ = −c v of some freedoms of a joint between links.
  struct Friction {
    std::size_t source = 0, v = 0, count = 0;
    double coefficient = 0;
  };
  std::vector<Friction> frictions_;
  std::vector<char> is_friction_;  // [size] whether it is among these
  void find_timeless();
  bool in_joints_alone_ = false;
  std::vector<std::size_t> with_clocks_, switching_elsewhere_;  // not timeless
  JointSwitches joint_switches_;                                // of those that are

  const Model& model_;
  std::vector<std::shared_ptr<const Source>> all_;
  std::vector<int> joint_;          // [size] the link between which and its parent it acts alone; 0: others
  std::vector<char> conservative_;  // [size] or stores energy
  std::vector<std::size_t> mode_start_, switch_start_, state_start_;  // [size + 1]
  std::vector<double> modes_, step_modes_;
  // Numbers of elements, one after another: whether they were changed, and what they are then.
  struct Number {
    double changed = 0;  // not 0: it was
    double value = 0;
    bool operator==(const Number&) const = default;
  };
  void apply(std::span<const Number>);
  std::span<const Element> given_;  // the scene's
  std::vector<Element> elements_;   // of a scene that takes inputs: as they have become
  std::vector<Number> numbers_, step_numbers_;
  std::vector<std::size_t> number_start_;  // [elements + 1]
  bool in_last_step_ = false;
  // Of a flow of mass: the power of the potentials of all sources that its mass brings along (force/kinds/mass_flow.cpp, (3)).
  double power_of_potentials(const MassFlow&, const Instant<double>&, std::span<const double> modes) const;
  const MassFlow* flow(std::size_t i) const { return flows_[i] ? elements()[i].kind.get_if<MassFlow>() : nullptr; }
  std::vector<char> flows_;  // [size] whether it is one
  ChangingMasses* masses_ = nullptr;
  std::unique_ptr<ParticlePacks> packs_;  // null: none
  bool packed(std::size_t i, const Instant<double>& now) const {
    return packs_ && now.particles != nullptr && packs_->covers(i);
  }
  mutable std::vector<double> unused_rates_;  // of z, where nobody asks
  std::vector<double> switch_scratch_;
};

// Why the caller's sources cannot act in this scene; empty when all is well.
std::string refusal_of_sources(const Scene&);

}  // namespace marey
