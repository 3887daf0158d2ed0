// A world: a plant, what acts on it, and a driver, put together. It knows nothing of files or channels.
#pragma once

#include <memory>
#include <optional>

#include "marey/constraint/end_constraints.h"
#include "marey/constraint/held_constraints.h"
#include "marey/contact/floor.h"
#include "marey/contact/stepped_contacts.h"
#include "marey/plant/reduced_plant.h"
#include "marey/plant/welds.h"
#include "marey/sim.h"
#include "sim/changing_masses.h"
#include "sim/delay_memory.h"
#include "sim/energy_bound.h"
#include "sim/event_driver.h"
#include "sim/implicit_forces.h"
#include "sim/ledger.h"
#include "sim/sources.h"
#include "sim/stepping.h"
#include "sim/touch_watch.h"

namespace marey {

class World : private Driven, private Surroundings, private TorquesInJoints {
 public:
  explicit World(const Scene&);
  ~World() override;

  // One step, ended early by whatever switches first, and never beyond `end`.
  void step(double end = forever);

  // What it runs: the scene it was given, or its own, where masses change.
  const Scene& scene() const { return scene_; }
  bool masses_change() const { return masses_ != nullptr; }
  // Brings them to a time; before anything is made of an instant.
  void put_masses(double t) {
    if (masses_ && masses_->put(t)) plant_->masses_changed();
  }

  long long steps() const { return driver_->steps(); }
  long long events() const { return driver_->events(); }
  double time() const { return state_.t; }
  // Where the last step began; before the first one, the present time.
  double step_began() const { return driver_->step_began(); }
  // In the joints' coordinates, whatever is integrated.
  const State& state() const { return plant_->in_joints(state_); }
  // In maximal coordinates, how far links are from their joints at a time within the last step.
  JointError drift_at(double t) const;
  std::span<const double> integrals() const { return driver_->integrals(); }
  const RateLayout& layout() const { return layout_; }
  const LedgerState& ledger() const { return ledger_; }
  // Elements and the caller's own sources, and what they remember.
  const Sources& sources() const { return sources_; }
  // All that it is made of, in order (marey/plant/part.h).
  std::span<Part* const> parts() const { return parts_; }
  // Around a recording (Part::begin_record).
  void begin_record(bool within_last_step) const;
  void end_record() const;
  // The contacts, or null where the scene has none.
  FloorContacts* contacts() { return contacts_.get(); }
  // Those of a world that goes on in steps, or null.
  SteppedContacts* stepped() { return stepped_.get(); }
  // Of either, for points on floors.
  const PointContacts* point_contacts() const {
    return stepped_ ? static_cast<const PointContacts*>(stepped_.get()) : contacts_.get();
  }
  // The constraints, or null.
  HeldConstraints* constraints() { return constraints_.get(); }
  const HeldConstraints* constraints() const { return constraints_.get(); }
  // The welds made on the fly, or null where none are asked for.
  Welds* welds() { return welds_.get(); }
  // What is known only from the whole way, or null where none of it is asked for.
  class Followed* followed() {
    return followed_.get();
  }
  long long evaluations() const { return driver_->evaluations(); }

  // What delayed elements read; none when there is no such element.
  const Past* past() const { return past_ ? &*past_ : nullptr; }
  // The solver of joints' coordinates, or null in maximal ones.
  const Solver* solver() const { return reduced_ != nullptr ? &reduced_->solver() : nullptr; }
  const Tally& tally() const { return driver_->tally(); }  // since the start or the restore

  // Changes what a source remembers, between steps: something from outside, which everything that switches has to look at.
  template <class Change>
  void change_modes(std::size_t source, Change change) {
    complete_last_step();
    change(sources_.own_modes(source));
    switch_over(nullptr, true);
  }

  // A number of an element is another one from now on; what that does to its potential is its work.
  void change_number(std::size_t element, std::size_t which, double value);
  // A drive goes to another place, or at another pace, from now on.
  void command(std::size_t constraint, double target, double blend);

  // The state and the integrals within the last step, before what happened at its end.
  void at(double t, State&, std::span<double> integrals) const;

  // Energy and momentum of any state, potentials of elements included.
  Balance balance(const State&);
  // The forces on the figure in its present state, contacts included, and the accelerations the run goes on with.
  Forces<double> everything_that_acts(std::span<double> vdot);
  // The link that holds the first number that is not finite, or −1.
  int broken_link() const;

  // Whether a checkpoint taken now would go on bit for bit.
  bool may_save() const { return driver_->may_save(); }
  // Everything that makes the future: state, switches, account, band coefficients, the method's memory.
  std::vector<std::byte> save();
  void restore(std::span<const std::byte>);

 private:
  // Driven: what happens around a step
  State& present() override { return state_; }
  void begin_step(long long step) override;
  double next_instant() const override;
  double longest_step() const override;
  bool follows_curves() const override;
  void follow(const Segment&, double length) override;
  void end_step(const Event*, bool by_clock_now) override;
  bool ease_step() override;
  // Flow: what the method integrates between events
  const Model& model() const override { return plant_->coordinates(); }
  std::size_t rate_count() const override { return layout_.count(); }
  std::size_t state_count() const override { return sources_.state_count() + plant_->way_count(); }
  std::span<const LinkTopology> moving_links() const override {
    return moves_with_welds() ? welds_->figure()->moving_links() : model().links;
  }
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override;
  void jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) override;
  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) override;
  void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) override;
  void force(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> g,
             std::span<double> rates) override;
  // v̇ (with ż behind it, as v has z) and rates as they are; evaluate() says what the method is to go on with. Afterwards forces_
  // are all that acts. `alone`: v̇ and rates are all that is asked for, and joints that are held leave out their own elements
  // (Sources::act).
  void right_hand_side(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> vdot_z,
                       std::span<double> rates, bool alone = false);
  // Where nothing but gravity acts on what moves, and nobody looks at single links; and where that is merged by welds.
  bool only_gravity_acts() const;
  std::span<const char> held_joints() const { return welds_ ? welds_->held() : std::span<const char>{}; }
  bool moves_as_groups() const { return moves_with_welds() && only_gravity_acts(); }
  bool moves_with_welds() const { return welds_ && welds_->figure() != nullptr; }
  void evaluate_under_gravity(double t, std::span<const double> q, std::span<const double> v_z,
                              std::span<double> vdot_z, std::span<double> rates);
  // Constraints of the variational method hold at the ends of its steps. While others have rows, which are forces,
  // constraints are forces, too; and in maximal coordinates, where joints are.
  EndRows* end_rows() override { return holds_at_ends() ? &*ends_ : nullptr; }
  bool holds_at_ends() const;
  // Switches: what ends a step
  std::size_t switch_count() const override;
  void switch_values(double t, std::span<const double> q, std::span<const double> v, std::span<double> values) override;
  bool nothing_switched(double t, std::span<const double> q, std::span<const double> v_z, double h) override;

  // Surroundings: what parts ask for at events
  Plant& plant() override { return *plant_; }
  Instant<double> place(const State& s) override { return place(s.t, s.q, s.v, s.z); }
  void free_motion(const Part*, const State&, std::span<double> vdot) override;
  Balance energies(const State&) override;
  void follow_energies();
  double largest_energy() const override { return ledger_.largest_energy; }
  bool force_alone(double t, std::span<const double> q, std::span<const double> v, std::span<double> Q,
                   std::span<double> rates) override;
  bool torques_alone(double t, std::span<const double> q, std::span<const double> v,
                     std::span<const Twist<double>> V_WB, std::span<double> tau, std::span<double> rates) override;
  bool act_in_joints_alone() const override { return in_joints_alone_; }
  // Of what looks at nothing but joints.
  Instant<double> in_joints(const State& s) const {
    return {scene_.model, s.t, s.q, s.v, kinematics().X_WB, kinematics().V_WB, nullptr, {}};
  }
  bool holds_constraints() const override { return constraints_ && constraints_->any_active(); }
  void expect_impulse() override { wake_all_joints(); }

  std::unique_ptr<Method> make_stepping_method();
  void rehearse();
  // How many of the numbers that a method calls v are velocities; behind them are the states z.
  std::size_t velocity_count() const { return static_cast<std::size_t>(model().nv); }
  Instant<double> place(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z) {
    if (past_) past_->read_at(t);
    put_masses(t);
    Instant<double> now = plant_->place(t, q, v, z, past());
    if (touch_) now.touching = &touch_->facts();
    return now;
  }
  // The same, of what needs no places of links.
  Instant<double> place_without_links(double t, std::span<const double> q, std::span<const double> v,
                                      std::span<const double> z) {
    reduced_->place_without_links(q, v);
    return {scene_.model, t, q, v, {}, {}, past(), z};
  }
  Instant<double> place_for_totals(const State& s) {
    put_masses(s.t);
    reduced_->place_for_totals(s.q, s.v);
    return {scene_.model, s.t, s.q, s.v, {}, {}, past(), s.z};
  }
  const Kinematics<double>& kinematics() const { return plant_->kinematics(); }
  // Which of a part's switches it was; −1 for none of them.
  int switch_of(const Part*, const Event*) const;
  void switch_over(const Event*, bool by_clock_now);
  bool touching_changed();
  void guard_against_stalls(const Event&);
  // Makes the curve of the last step where nobody has asked for it yet, with what acted then and without a trace.
  void complete_last_step() const;
  bool any_part(bool (Part::*)() const) const;
  void resolve(const Event*, bool by_clock_now, bool jolted = false);
  void book_jumps();
  void book_jump();
  void put_right(bool something_happens);
  bool hold_again();
  void remove_joint_drift();
  void remove_drift();
  void start_welds();
  void mind_welds();
  bool wake_joints();
  bool weld_joints();
  void weigh_welds();
  void book_welding();
  void wake_all_joints();
  void tell_of_freedoms();
  void compute_weld_forces(std::span<const double> vdot, std::span<const Wrench<double>> F_Bo_W);
  Balance balance_of(const Instant<double>&, const Kinematics<double>&, const Totals<double>&);
  void jacobian_by_differences(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows);
  // v̇ of all that acts and of rows, of those parts alone that are behind `front` (null: of all); ż, and the rates of
  // sources. Leaves the forces, without those of rows, in forces_.
  void accelerate(const Instant<double>&, const Part* front, std::span<double> rates, std::span<double> vdot,
                  std::span<double> z_rate, std::span<const char> held = {});
  void book_gravity(std::span<double> rates) const;
  void exchange(const Part::Archive&, std::vector<double>& memory, std::vector<double>& factors);

  std::unique_ptr<ChangingMasses> masses_;  // null: they stay as they are
  const Scene& scene_;
  ReducedPlant* reduced_ = nullptr;  // where it is in the joints' coordinates: the plant, or that beside its particles
  class ParticlePlant* apart_ = nullptr;  // the plant, where it keeps particles apart
  std::unique_ptr<Plant> plant_;
  Sources sources_;
  State state_;
  RateLayout layout_;
  LedgerState ledger_;
  bool in_joints_alone_ = false;  // beside gravity and contacts in steps nothing acts but what acts in a joint
  std::optional<EnergyBound> energy_bound_;      // of figures on which nothing but gravity, contacts and torques act
  MovingMass moving_;                            // as the run started
  std::vector<double> jumped_rates_, v_before_;  // of what happens at once: what is booked; velocities before it
  std::vector<double> quotients_[3];             // scratch of jacobian_by_differences
  std::optional<DelayMemory> past_;
  ForceSum<double> forces_;                            // that act at the instant the plant is at
  Kinematics<double> of_joints_;                       // of balance()
  std::vector<double> tau_;                            // of welds, in the joints' coordinates
  std::vector<double> answered_, z_rate_;              // v̇ and ż of an answer that nobody integrates
  std::vector<double> z_before_;                       // states before an event
  std::vector<std::size_t> switched_lately_;           // contacts, the last one last
  std::unique_ptr<struct DualFlow> dual_;              // for derivatives; made when first asked for
  std::unique_ptr<HeldConstraints> constraints_;       // null: none
  std::unique_ptr<FloorContacts> contacts_;            // null: none
  std::unique_ptr<SteppedContacts> stepped_;           // null: contacts are events
  std::unique_ptr<ImplicitForces> implicit_;           // of steps; null: nothing is taken so
  std::unique_ptr<TouchWatch> touch_;                  // null: nothing depends on who touches whom
  std::unique_ptr<Welds> welds_;                       // null: none
  mutable std::vector<double> q_scratch_, v_scratch_;  // of a method: maximal coordinates, or with states
  std::vector<Part*> parts_;                           // all there are; see marey/plant/part.h for their order
  std::unique_ptr<EventDriver> driver_;
  std::unique_ptr<Followed> followed_;  // null: nothing
  std::optional<EndConstraints> ends_;  // of the variational method
};

}  // namespace marey
