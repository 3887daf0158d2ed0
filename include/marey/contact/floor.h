// Contacts of a running world: their forces between events, and what becomes of them at events.
//
// Between events each contact is in a phase, and phases are frozen. With the rows J of the contacts that touch
//   v̇ = v̇_free + M⁻¹ Jᵀ λ                                                                                            (1)
// where λ follows from the modes (contact.h). Ground that gives way is a force as any other (floor_ground.cpp).
// At an event (floor_events.cpp) everything that touches is looked at together: impact, then the modes that follow.
#pragma once

#include <cstdint>

#include "marey/constraint/held_constraints.h"
#include "marey/contact.h"
#include "marey/contact/floor_limits.h"
#include "marey/contact/point_contacts.h"
#include "marey/plant/books.h"
#include "marey/plant/part.h"
#include "marey/plant/plant.h"
#include "marey/rows/least_norm.h"
#include "marey/scalar.h"
#include "marey/solver.h"

namespace marey {

// A phase of one contact; plain numbers, so that a checkpoint can copy it.
struct ContactPhase {
  enum class Stage : std::int32_t {
    plain,
    fresh,     // just let go, or just begun to slide: what ends the phase is still about zero, and has a margin
    released,  // ground that gives way has let go, but the point has not come out of it yet
    stepped,   // slips turned to and fro: the force is constant until `until` (floor_steps.cpp)
  };
  Mode mode = Mode::free;
  Stage stage = Stage::plain;
  std::array<double, 2> direction{};  // of slip at the start of the phase
  double watches_jam = 0;          // not 0: the inverse inertia Λ along the normal was positive when the phase began
  std::array<double, 2> anchor{};  // ground that gives way: where the point sticks, along t₁ and t₂
  // Free and fresh: the gap may fall below zero by `margin`; where it opens with a speed the margin is used up by `until`.
  double margin = 0, since = 0, until = 0;
  std::array<double, 3> force{};  // stepped: in the plane's axes
};
static_assert(sizeof(ContactPhase) == 96);

// Something that a person may want to know.
struct ContactNote {
  enum class Kind : std::int32_t {
    rest,           // bounces that pile up have come to their end
    indeterminate,  // Painlevé: the point could have stayed as well as lifted off
    inconsistent,   // Painlevé: an impact without collision
    replaced,       // the law of impact asked for would have pulled or created energy
    unsolved,       // no solution of an impact of several contacts; the best there was
  };
  double t = 0;
  Kind kind = Kind::rest;
  std::int32_t contact = 0;
};
std::string text_of(const ContactNote&, std::span<const FloorContact>);
bool is_warning(ContactNote::Kind);
inline constexpr int contact_note_kinds = static_cast<int>(ContactNote::Kind::unsolved) + 1;
const char* name_of(ContactNote::Kind);

// How often something was noted of one contact, and when.
struct ContactTally {
  long long count = 0;
  double first = 0, last = 0;
};
// The same of all points that are recorded together, under the name of their group; a point that is alone has its own.
struct CountedNote {
  ContactNote::Kind kind = ContactNote::Kind::rest;
  std::string of;
  long long count = 0;
  int points = 0;  // of which it was noted
  double first = 0, last = 0;
  std::vector<std::string> links{};  // whose points these are, where the name does not say it
};
// "t = 0.2 s: 'box/floor' has … (66 times at 4 of its points, last at t = 3.1 s)"
std::string text_of(const CountedNote&);

// Which function ended the step; contact −1: something else did.
struct ContactEvent {
  int contact = -1;
  int slot = 0;
};

// What friction opposes in a phase that began with the direction s: the line of the slip, seen from s, so that it does not
// turn round when a trial step runs a little beyond the instant at which the slip stops.
template <class T>
std::array<T, 2> friction_direction(const T& u_1, const T& u_2, const std::array<double, 2>& s, double floor) {
  const double sign = value_of(u_1) * s[0] + value_of(u_2) * s[1] < 0 ? -1 : 1;
  const T x = T(sign) * u_1 + T(floor * s[0]), y = T(sign) * u_2 + T(floor * s[1]);
  const T length = sqrt(x * x + y * y);
  return {x / length, y / length};
}

class FloorContacts final : public Part, public PointContacts {
 public:
  // `constraints`: those that hold beside the contacts, looked at before them at each instant; null: none.
  // `coordinates`: whose velocities rows are of at most (Plant::coordinates).
  FloorContacts(const Model& figure, std::span<const FloorContact>, const SolverOptions&, const Model& coordinates,
                HeldConstraints* constraints = nullptr);
  std::size_t size() const { return contacts_.size(); }

  // ---- between events
  // Those of ground that gives way. Finds what all points do.
  void add_forces(const Instant<double>&, const Kinematics<double>&, ForceSum<double>&) override;
  bool add_dual_forces(const Instant<Dual<1>>&, ForceSum<Dual<1>>&, std::span<Dual<1>> z_rate) const override;
  // (1). After add_forces().
  bool has_rows() const override { return !active_.empty(); }
  void add_rows_to(const Instant<double>&, Plant&, std::span<double> vdot) override;
  // Contacts are answered whole, with constraints and joints by halves: friction is that of the whole load, and their events
  // look at velocities within steps.
  void add_half_rows_to(bool anew, std::span<double> vdot) override;
  void add_wrenches(const Kinematics<double>&, std::span<Wrench<double>> F_Bo_W) const override;
  void book(const RateLayout&, const Kinematics<double>&, std::span<double> rates) const override;
  double potential_on_top(double energy, const Instant<double>&, const Kinematics<double>&) const override;
  // That of the slowest point that slides with friction, of those last looked at; infinite for none.
  double turning_speed() const override;

  // Functions that are positive until a phase ends, five for each contact:
  //   0   free: gap    held: λ_n    idle: a_n    ground that gives way: its force, its depth
  //   1   stick: μ_s λ_n − |λ_t|    slide: u_t · s    released: depth
  //   2   slide: inverse inertia Λ along the normal
  //   3   a rim on the floor: how far it is from lying flat
  //   4   slide, in fixed steps: how much of limits::cosine_of_widest_turn and of Λ is left, of what the step may use up
  static constexpr std::size_t slots = 5;
  std::size_t switch_count() const override { return slots * size(); }
  bool switches_by_forces() const override { return has_rows(); }
  void switch_values(const Instant<double>&, const Kinematics<double>&, std::span<double> values) override;

  // ---- events
  // Before a run: which points touch; those within a nanometre are put on their floor. Throws for a point below it.
  void begin_run(Surroundings&, State&) override;
  // Impacts and new phases.
  void resolve(Surroundings&, State&, const Happening&) override;
  bool has_entries() const override { return struck_ || lost_; }
  void book_impulses(const RateLayout&, const Kinematics<double>&, std::span<double> integrals) const override;
  void add_impulses(const Kinematics<double>&, std::span<Wrench<double>> P_Bo_W) const override;
  bool remove_drift(Surroundings&, State&) override;
  bool hold_again(Surroundings&, State&) override;
  // Forces are to be constant for a short time (floor_steps.cpp) from the next event on. False where none hold, or they are already.
  bool take_steps_next();
  // Chosen steps have been far shorter than that for a while, since a slip creeps.
  bool creeps() const;
  // With which points slide, while others are answered by halves.
  void keep_velocities(Surroundings&, const State&) override;
  void forget_velocities() override { keeps_ = false; }
  bool any_touches() const;

  // ---- for the record
  long long impacts() const { return impacts_; }
  // The first ones, as they came; and all of them counted, by when they first came.
  std::span<const ContactNote> notes() const { return {notes_.data(), static_cast<std::size_t>(note_count_)}; }
  std::vector<CountedNote> counted_notes() const;
  const ContactPhase& phase(std::size_t i) const { return (*in_use_)[i]; }
  const ContactMotion& motion(std::size_t i) const override { return motion_[i]; }
  Mode mode(std::size_t i) const override { return phase(i).mode; }
  Vec3<double> force_W(std::size_t i) const override;
  // The sum of its impulses at impacts since the start; while phases of the last step are in use, without those at its
  // end.
  Vec3<double> impulse_W(std::size_t i) const override;
  // Phases of the last step instead of those after what happened at its end.
  void begin_step(double t) override {
    step_began_ = t;
    before_ = now_;
    impulses_before_ = impulses_;
  }
  void begin_record(bool within_last_step) override;
  void end_record() override { begin_record(false); }
  void exchange(const Archive& archive) override {
    archive(std::as_writable_bytes(std::span(now_)));
    archive(std::as_writable_bytes(std::span(notes_)));
    archive(std::as_writable_bytes(std::span(&note_count_, 1)));
    archive(std::as_writable_bytes(std::span(&impacts_, 1)));
    archive(std::as_writable_bytes(std::span(impulses_)));
    archive(std::as_writable_bytes(std::span(tallies_)));
    archive(std::as_writable_bytes(std::span(&turns_, 1)));
    archive(std::as_writable_bytes(std::span(turned_)));
  }
  void restored() override;  // throws for what no run can have written

 private:
  using Triple = std::array<double, 3>;
  struct Member {  // of what touches at an event
    int contact = 0;
    bool chosen = false;  // takes part in the choice of modes
    // Bounces too small to be told apart: 1, struck without restitution; 2, brought to u_n = 0.
    int damped = 0;
    bool stepped = false;  // lambda is constant for a while (floor_steps.cpp)
    double u_before = 0;   // u_n
    double rest = 0;       // the instant at which its bounces end
    ContactMode mode;
    Triple P{}, u{}, a_free{}, a{}, lambda{};
    double work = 0;
    Triple P_settled{};  // what came before all else, in P and work, too
    double work_settled = 0;
  };

  const FloorContact& contact(std::size_t i) const { return contacts_[i]; }
  Vec3<double> in_world(std::size_t i, std::span<const double> x) const;  // x [3m], in the planes' axes
  bool pressed(std::size_t i) const { return phase(i).mode != Mode::free; }
  ContactPoint point_of(std::size_t i) const;
  ContactMode mode_of(std::size_t i) const;
  double resolution(std::size_t i) const;
  double nearness(std::size_t i) const { return 1e3 * resolution(i); }
  double least_height(std::size_t i) const;
  static bool is_held(Mode mode) { return mode == Mode::slide || mode == Mode::stick; }
  bool is_rim(std::size_t i) const { return contact(i).surface.kind == ContactSurface::Kind::rim; }
  double force_margin(std::size_t k) const;
  void rigid_switches(double t, std::size_t i, std::size_t k, std::span<double> values) const;
  struct Sliding {
    std::array<double, 2> direction{};  // what friction opposes
    double inertia = 0;                 // Λ/A_nn
  };
  Sliding sliding(std::size_t i, std::size_t k) const;
  double turn_left(double t, std::size_t i, std::size_t k);
  void refresh();
  bool too_small(const Member&) const;
  void note(double t, ContactNote::Kind, std::size_t contact);

  bool has_constraints() const { return constraints_ != nullptr && constraints_->any_active(); }
  void measure(const Kinematics<double>&);
  void look_at_surface(std::size_t i, const Kinematics<double>&);
  void compute_rows(std::span<const int> which, Plant&);
  double row_dot(int row, std::span<const double> x) const;

  // floor_ground.cpp
  template <class T>
  void add_ground(const Instant<T>&, ForceSum<T>&) const;
  template <class T>
  std::array<T, 3> ground_force_of(std::size_t i, const T& depth, const std::array<T, 2>& place,
                                   const std::array<T, 3>& u) const;
  std::array<double, 2> place_of(std::size_t i) const;
  void look_at_ground(std::size_t i);
  double spring_power(std::size_t i) const;
  double stored(std::size_t i, const Vec3<double>& p_WoC_W) const;
  void ground_switches(std::size_t i, std::span<double> values) const;
  ContactPhase pressed_phase(std::size_t i, double stuck_below) const;
  void start_ground(std::size_t i);
  void turn_ground(std::size_t i, int slot);

  // floor_steps.cpp
  struct Turns {
    double since = 0;           // s: from when on turned_ counts
    double not_before = 0;      // s: forces stay constant until then, since no modes were found
    long long in_vain = 0;      // how often, one time after another
    long long short_steps = 0;  // one after another, in which a slip creeps
  };
  bool any_slip_creeps() const;
  void count_short_steps(double t);
  void go_by_steps_for_a_while();
  bool is_stepped(std::size_t i) const { return phase(i).stage == ContactPhase::Stage::stepped; }
  bool turn_to_and_fro(const ContactEvent&);
  bool breaks_away(const ContactEvent&) const;
  void begin_counting(double since);
  void put_back(Surroundings&, State&);
  void settle(State&);
  void damp_short_flights(Surroundings&, State&);
  bool keep_to_steps(Surroundings&, State&);
  void take_forces_of_step(Surroundings&, const State&);
  bool may_go_on_by_itself() const;

  // floor_drift.cpp
  void solve_rows(std::span<const int> rows, std::span<const double> rhs, std::span<double> x, bool drift);
  void correct(std::span<const int> rows, std::span<const double> rhs, std::span<double> v);
  bool project(Surroundings&, State&, bool everything_that_touches);

  // floor_events.cpp
  [[noreturn]] void refuse_flat(std::size_t i) const;
  bool calls_for_impulse(const ContactEvent&) const;
  void resolve_touching(Surroundings&, State&, const ContactEvent&, bool jolted);
  void gather(Surroundings&, State&, const ContactEvent&);
  void find_modes(Surroundings&, State&, const ContactEvent&, int leaving);
  void strike(State&, double t);
  void hold_down(State&);
  void stop_rows(State&);
  void apply(State&, std::span<const int> locals, std::span<const double> P, std::span<const ImpactOfContact>);
  void read_velocities(const State&);
  void accelerate(Surroundings&, const State&);
  ModeChoice choose(const ContactEvent&, int leaving);
  void hold_without_load(Member&) const;
  std::size_t culprit_of(const ModeChoice&) const;
  std::size_t taking_part(int local) const;
  std::string described(const ModeChoice&) const;
  bool damp_small_bounces(State&);
  bool jolt(State&, const ModeChoice&);
  bool without_load(std::size_t k) const;  // a member
  void release_those_without_load();
  int grips_still(const ContactEvent&) const;
  void set_phases();
  void set_phase(Member&);
  void extract(std::span<const int> locals, std::span<const double> from, std::span<double> to) const;
  std::size_t row_at(std::size_t a) const { return static_cast<std::size_t>(row_list_[a]); }

  Vec3<double> gravity_;
  double drift_bound_;
  bool in_halves_, keeps_ = false;
  std::vector<std::array<double, 2>> kept_;  // [m] along t₁ and t₂
  HeldConstraints* constraints_;
  std::span<const FloorContact> contacts_;
  // What the method can tell: s, of steps of first order; of chosen steps as a part of lengths, and in m.
  double turning_floor_ = 0;  // m/s; see floor_limits.h
  double shortest_flight_ = 0, relative_ = 0, absolute_ = 0;
  std::vector<std::array<Vec3<double>, 3>> axes_;  // [m], of the planes
  std::vector<std::string> link_names_;            // [m]
  std::vector<ContactPhase> now_, before_;         // [m]
  const std::vector<ContactPhase>* in_use_ = &now_;
  std::vector<ContactNote> notes_;
  std::vector<ContactTally> tallies_;  // [kinds of notes × m]
  long long note_count_ = 0, impacts_ = 0;
  std::vector<double> impulses_, impulses_before_;  // [3m] in the planes' axes: now, and when the last step began

  // at an instant
  std::vector<ContactMotion> motion_;  // [m]; by measure, with its bias by compute_rows
  // Ground that gives way: a z^b, and a z^b + d ż, by measure; J lost at an event, by resolve.
  std::vector<double> spring_, loss_, push_;  // [m]
  std::vector<double> lambda_, a_;            // [3m]; by measure and add_rows_to
  std::vector<Vec3<double>> beyond_;          // [m], by measure: from the point to where its surface touches
  std::vector<double> tilt_;                  // [m], by measure, of rims
  std::vector<int> active_;                   // contacts that have rows
  std::vector<char> in_rows_;                 // [m]
  BiasMotion bias_, no_bias_;
  RowSet rows_;
  Delassus delassus_;
  ContactWorkspace workspace_;
  std::vector<double> vdot_, v_before_, v_start_;
  std::vector<double> dx_;    // [velocities] a change of the place
  std::vector<double> ends_;  // [2m], of those with rows; see share_multipliers

  // at an event
  std::vector<Member> members_;
  double t_ = 0, u_tolerance_ = 0;
  bool struck_ = false, lost_ = false, settled_ = false;
  Turns turns_;
  std::vector<long long> turned_;  // [m]: how often phases of a point have ended of late
  std::vector<char> was_stepped_;  // [m], before the event
  bool steps_next_ = false;
  bool chosen_steps_ = false, ends_with_turns_ = false;
  double step_began_ = 0;                 // s
  std::vector<Sliding> when_step_began_;  // [m]
  double step_of_forces_ = 0;             // s
  bool must_slip_ = false;                // the grip that has just given way is not to be found holding by rounding
  std::vector<int> locals_, which_, row_list_;
  std::vector<double> sub_A_, sub_1_, sub_2_, sub_3_, sub_4_;
  std::vector<ContactPoint> points_;
  std::vector<ContactMode> modes_;
  std::vector<ImpulseLaw> laws_;
  std::vector<ImpactOfContact> reports_;
  LeastNorm system_;
};

}  // namespace marey
