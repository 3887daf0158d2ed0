// Constraints of a running world: their forces between events, their making and breaking, and drift.
//
// With the rows J of all constraints that hold, J v + ∂g/∂t = ġ and J v̇ + bias = g̈, the multipliers follow from
//   A λ = −(J v̇_free + bias),   A = J M⁻¹ Jᵀ,   v̇ = v̇_free + M⁻¹ Jᵀ λ                                            (1)
// by least norm (marey/rows/row_system.h), since rows may say the same twice and A is singular where a mechanism stands
// in line.
//
// Contacts c see the constraints b eliminated: with G = A_bb⁺ A_bc an impulse or force on the rows of a contact calls
// for −G times it in the constraints,
//   A_cc′ = A_cc − A_cb G,   response′ = response_c − response_b G                                                  (2)
#pragma once

#include <cmath>
#include <functional>

#include "marey/constraint.h"
#include "marey/constraint/constraint_rows.h"
#include "marey/plant/books.h"
#include "marey/plant/part.h"
#include "marey/plant/plant.h"
#include "marey/solver.h"

namespace marey {

// What else is asked of them in a run.
struct HeldOptions {
  bool commands = false;         // whether drives are told where to go while it runs
  std::size_t contact_rows = 0;  // at most: that they are eliminated from
};

class HeldConstraints final : public Part {
 public:
  // The constraints are to stay alive. `coordinates`: whose velocities rows are of at most (Plant::coordinates).
  HeldConstraints(const Model& figure, std::span<const Constraint>, const SolverOptions&, const Model& coordinates,
                  const HeldOptions& = {});
  std::size_t size() const { return constraints_.size(); }
  bool any_active() const;

  // ---- between events
  // The rows at an instant, their Delassus matrix, its factors. The plant is there.
  void compute_rows(const Instant<double>&, Plant&);
  // g and ġ alone.
  void measure(const Instant<double>&);
  // ġ alone, of other velocities at the same place.
  void measure_rates(const Instant<double>&);
  // (1): adds what the constraints bring to v̇. After compute_rows().
  void add_to(std::span<double> vdot);
  bool has_rows() const override { return any_active(); }
  void add_rows_to(const Instant<double>&, Plant&, std::span<double> vdot) override;
  // The multipliers stay what they are.
  void add_half_rows_to(bool anew, std::span<double> vdot) override;
  // (2), for the rows of contacts at the same instant: their matrix, with the constraints holding.
  void eliminate_from(const RowSet& contact_rows, Plant&, Delassus&);
  // Room for that many of them.
  void expect_contact_rows(std::size_t rows);
  // What forces λ_c, of the rows last eliminated from, change in the multipliers.
  void yield_to(std::span<const double> lambda_c);
  void add_wrenches(const Kinematics<double>&, std::span<Wrench<double>> F_Bo_W) const override;
  // Without drives and couplings of joints, which act through the joints.
  void add_wrenches_beside_joints(const Kinematics<double>&, std::span<Wrench<double>> F_Bo_W) const override;
  void book(const RateLayout&, const Kinematics<double>&, std::span<double> rates) const override;

  // ---- at the ends of steps, for the variational method: by impulses (marey/integrate.h, EndRows)
  // Whether they do nothing between the ends.
  void hold_at_ends_alone(bool yes) { at_ends_alone_ = yes; }
  std::size_t row_count_now() const { return count_; }  // by compute_rows() or measure()
  std::span<const ConstraintRow> rows_now() const { return std::span(link_rows_).first(count_); }
  const ConstraintRows& rows() const { return rows_; }
  void hold_freedoms_from(int fewest) {
    rows_.hold_from(fewest);
    forget_factors();
  }
  // p += Jᵀ x, with J of compute_rows().
  void add_momentum(std::span<const double> x, std::span<double> p) const;
  // Of rows measured at the end of a step over h, and in its middle: the largest |g|; and what impulses at its start, where
  // compute_rows() was called, are to be changed by. `middle`: ġ there, of rows that are not holonomic.
  double miss(double h, std::span<const double> middle, std::span<double> change);
  void rates(std::span<double> out) const;  // ġ
  bool all_holonomic() const;
  // The impulses x on the rows of compute_rows() change v, and are kept for the books, alone; their work by the mean of J v
  // before and after, or, where they are a step's share of a force that held all along, by what J v is meant to be.
  enum class Work { at_once, along_a_step };
  void push(std::span<const double> x, Plant&, std::span<double> v, Work);
  // Those that make ġ vanish; and v as they change it.
  void stop(std::span<double> x);
  void stop(std::span<double> x, std::span<double> v);

  // ---- what makes and breaks them
  std::size_t switch_count() const override { return switch_start_.back(); }
  void switch_values(const Instant<double>&, const Kinematics<double>&, std::span<double> values) override;
  double next_instant(const State&) const override;
  // A drive (a coupler) is to go to a constant value, within the time `blend` from where it is; velocities at once. The
  // impulse comes with the next make_and_break().
  void command(std::size_t i, double target, double blend, const Instant<double>&);
  // At an event; `which` as in marey::switch_modes, `by_clock_now` likewise. True when something was made, broken or commanded.
  bool make_and_break(const Instant<double>&, int which, bool by_clock_now);
  bool go_round_kinks(const Instant<double>&);

  // Which of them hold at a start.
  void start(const Instant<double>&);
  void begin_run(Surroundings&, State&) override;
  void resolve(Surroundings&, State&, const Happening&) override;
  // The impulse of what was just made, inelastic: ġ = 0 in all rows.
  void strike(Surroundings&, State&);
  // What the impulses P_c, on the rows last eliminated from, call for.
  void take_impulse(std::span<const double> P_c, std::span<const double> v_before, std::span<const double> v_after);
  void clear_impulses();
  bool has_entries() const override { return struck_; }
  void book_impulses(const RateLayout&, const Kinematics<double>&, std::span<double> integrals) const override;
  void add_impulses(const Kinematics<double>&, std::span<Wrench<double>> P_Bo_W) const override;
  void freedoms_changed() override { rank_ = -1, floor_ = 0, forget_factors(), rows_.forget(); }
  // What constraints have drifted by is taken out, and what that does to the energy is counted.
  bool remove_drift(Surroundings&, State&) override;
  bool hold_again(Surroundings& around, State& state) override { return remove_drift(around, state); }
  // Whether |g| or |ġ| is above `drift`; after compute_rows().
  bool drifted(double drift) const;
  // Rows that ask for accelerations alone have no ġ to be put right.
  void keep_velocities(Surroundings&, const State&) override;
  void forget_velocities() override { kept_velocities_.clear(); }
  // Back onto g = 0 and ġ = 0 by the smallest change in the norm of the kinetic energy. Throws when it cannot be done.
  void project(Surroundings&, State&);
  // The same from farther away, for a start.
  void project_start(Surroundings&, struct ConstraintProjection&);

  // ---- for the record
  // On link a by b: moment about the origin of B, and force, in W.
  Wrench<double> wrench_on_a(std::size_t i, const Kinematics<double>&) const;
  double multiplier(std::size_t i) const { return active(i) ? lambda_[first_[i]] : 0; }  // of the first row
  bool active(std::size_t i) const { return (*in_use_)[i] != 0; }
  const Constraint& constraint(std::size_t i) const { return constraints_[i]; }
  double largest_error() const;  // |g|, by compute_rows() or measure()
  double largest_rate() const;   // |ġ|
  double error_of(std::size_t i) const;
  double drift_energy() const { return drift_energy_; }  // J, that projections have added so far
  double drift_error() const { return drift_error_; }  // the largest |g| that a step has left, before it was put right
  void count_drift(double error, double energy);
  // "; of the constraints 'NAME' takes the largest force there …"; empty where none holds.
  std::string hardest() const;
  // Those that ask for velocities, or accelerations, which no motion has together. After compute_rows().
  std::vector<std::size_t> contradict_in_velocity();
  // Throws where the velocities that are asked for at the instant of the rows contradict each other.
  void check_velocities(ErrorKind, const std::string& when);
  std::vector<std::size_t> contradict_in_acceleration();
  void begin_step(double t) override;
  double longest_step(const State&) const override;
  void begin_record(bool within_last_step) override;
  void end_record() override;
  void exchange(const Archive& archive) override {
    archive(std::as_writable_bytes(std::span(now_)));
    archive(std::as_writable_bytes(std::span(modes_)));
    archive(std::as_writable_bytes(std::span(frames_)));
    archive(std::as_writable_bytes(std::span(made_first_)));
    archive(std::as_writable_bytes(std::span(made_second_)));
    archive(std::as_writable_bytes(std::span(commands_)));
    archive(std::as_writable_bytes(std::span(&drift_energy_, 1)));
    archive(std::as_writable_bytes(std::span(&drift_error_, 1)));
    archive(std::as_writable_bytes(std::span(&floor_, 1)));
    archive(std::as_writable_bytes(std::span(&rank_, 1)));
  }
  void restored() override;

 private:
  struct Command {
    double given = 0;  // not 0: there is one
    double target = 0, blend = 0;
  };
  // What rows and their factors were made for, velocities aside; nothing where they are to be made anew.
  struct Made {
    bool is(double t, const Plant&) const;
    const Plant* plant = nullptr;
    double t = 0;
    std::vector<double> q;
  };
  // Rows are made, and factored, anew when they are next asked for.
  bool keeps_velocity(std::size_t row) const {
    return row < kept_velocities_.size() && !std::isnan(kept_velocities_[row]);
  }
  void forget_factors() { factored_for_.plant = nullptr, at_hand_ = false; }
  // Of one constraint: its rows among those of the last measure(), where it holds; otherwise none.
  // Numbers one after another, for loops. (clang cannot read the standard library's iota.)
  struct Numbers {
    struct Iterator {
      std::size_t operator*() const { return k; }
      void operator++() { ++k; }
      bool operator!=(const Iterator& other) const { return k != other.k; }
      std::size_t k;
    };
    Iterator begin() const { return {first}; }
    Iterator end() const { return {last}; }
    std::size_t first, last;
  };
  Numbers rows_held_by(std::size_t i) const { return {first_[i], active(i) ? first_[i + 1] : first_[i]}; }
  void obey(std::size_t i);
  std::span<const double> modes_of(std::size_t i) const;
  std::span<double> own_modes(std::size_t i);
  bool gated(std::size_t i) const { return mode_start_[i] != mode_start_[i + 1]; }
  bool act_now() const { return any_active() && !at_ends_alone_; }
  void check_start(Surroundings&, State&);
  void make(std::size_t i, const Instant<double>&);
  void keep_as_made(std::size_t i);
  void compute_rows_at(Surroundings&, const State&);
  double shift(Surroundings&, State&);
  void move_towards_rows(Surroundings&, State&);
  bool project_with_factors_at_hand(Surroundings&, State&);
  void keep_impulse(std::span<const double> x, std::span<const double> v_before, std::span<const double> v_after,
                    Work = Work::at_once);
  void book_outside(const RateLayout&, std::span<const ConstraintRow>, std::span<const double> lambda,
                    std::span<const Transform<double>> X_WB, std::span<double> out) const;
  std::size_t worst() const;  // which is farthest off
  std::vector<std::size_t> left_without(std::span<const double> asked, double least);
  bool can_together(std::span<const std::size_t> which, Plant&);
  std::string why_not_held(Plant&);

  bool projects_;
  double drift_bound_;
  bool meets_knots_;     // whether the method begins anew at all knots of tables, not where they have kinks alone
  bool of_first_order_;  // the method
  bool looks_ahead_;     // whether the method evaluates close to the end of its steps, too
  double beta_;          // of Baumgarte
  std::span<const Constraint> given_;    // the scene's
  std::vector<Constraint> constraints_;  // with the frames they were made with
  std::vector<Element> gates_;           // [constraints]: a push of nothing that acts when the constraint holds
  std::vector<std::size_t> mode_start_, switch_start_;  // [constraints + 1]
  std::vector<double> modes_, now_, before_;
  const std::vector<double>* in_use_ = &now_;
  std::vector<Transform<double>> frames_;         // [constraints] of B
  std::vector<double> made_first_, made_second_;  // [constraints] numbers they took over when they were made
  std::vector<Command> commands_;                 // [constraints] of a scene that takes inputs
  bool at_ends_alone_ = false;
  bool commanded_ = false;                                 // since make_and_break()
  double drift_energy_ = 0, drift_error_ = 0, floor_ = 0;  // J; |g| that projections could not take away
  double rank_ = -1, rank_kept_ = -1;                      // of the last step's rows; −1: not known

  // at an instant
  std::vector<ConstraintRow> link_rows_;  // those of active constraints, one after another
  std::vector<std::size_t> first_;        // [constraints + 1] where its rows begin
  std::size_t count_ = 0;
  std::vector<SingleFreedom> single_of_;  // [constraints]
  std::vector<SingleFreedom> single_;     // of the rows
  ConstraintRows rows_;
  Made factored_for_;
  bool stepping_ = false;  // between the start of a step and what is put right after it
  bool at_hand_ = false;   // the factors are of an evaluation since the step began
  std::vector<double> lambda_, rhs_, x_;
  std::vector<double> rates_before_, rates_after_;  // [count] scratch
  std::vector<double> kept_velocities_;             // [count], NaN where none is kept; or empty
  std::vector<double> dv_;                          // [velocities] a change of them
  std::vector<double> across_, G_;                  // [count × contact rows]
  std::size_t contact_rows_ = 0;
  // at an event
  std::vector<double> impulse_, work_;
  std::vector<ConstraintRow> struck_rows_;
  bool struck_ = false;
};

// m, rad, m/s, rad/s: what a start written by hand may be off.
inline constexpr double start_error = 1e-7;
// Whether it is made or broken on the way.
bool takes_turns(const Constraint&);
// Which part of a row's bias a semi-implicit step answers at the old place, where `part` is to be; the projection gives the
// rest.
double part_of_bias(const Constraint&, double part);

// The given state, put where all constraints that hold at the start allow it; throws nothing.
struct ConstraintProjection {
  State state;
  bool found = false;
  double before = 0, left = 0;  // |g|, the largest
  double slowed = 0;            // |ġ|, the largest, taken out
  int rounds = 0;
};
ConstraintProjection project_on_constraints(const Model&, std::span<const Constraint>, const SolverOptions&,
                                            const State& given);
std::string describe(const ConstraintProjection&);
// Those of the constraints that hold in a state which ask there for velocities, or for accelerations, that no motion has together.
struct Contradictions {
  std::vector<std::size_t> in_velocity, in_acceleration;
};
Contradictions find_contradictions(const Model&, std::span<const Constraint>, const SolverOptions&, const State&);
// "'a', 'b' and 'c'": those of the constraints.
std::string names_of(std::span<const Constraint>, std::span<const std::size_t> which);

}  // namespace marey
