// Contacts of a world that goes on in fixed steps: found in the middle of each step, and solved together.
//
// Frames: W the world, B a link, C a contact with the axes n (from body a to body b), t₁, t₂ at one point p of both.
// A step over h begins at (q⁻, v⁻), and the contacts are looked at in its middle, q = q⁻ ⊕ ½h v⁻ (sim/stepping.cpp). With the
// rows J of all points that may touch before it ends, u = J v the velocity of b against a at p in the axes of C, and impulses P
// of a on b
//   v⁺ = v_free + M⁻¹ Jᵀ P        v_free = v⁻ + h v̇ of all else that acts                                           (1)
//   q⁺ = q ⊕ ½h v⁺                so that a gap φ, linear in the step, ends as φ⁺ = φ + ½h u_n⁺                     (2)
// P solves the contact problem (marey/contact/cone_problem.h) of û = u⁺ + o n + c P with
//   o = 2φ/h     φ > 0: the point comes down to its surface, and no farther, by (2)
//   o = 0        φ ≤ 0: it does not go deeper; what is deep is put apart by positions alone (4)
//   o = κ e u_n⁻ it strikes, that is −u_n⁻ > max(2 |Δu_n|, h g, 1 µm/s) and φ + ½h u_n⁻ ≤ 0; restitution e, Newton's  (3)
//                Δu: of u_free, and of the motors of the island with their impulses of the step before
//   o = g φ      of surfaces with compliance s and damping d, g = 1/(½h + s d), for either sign of φ, with c = g s/h: so that
//                P = h F, F = −φ⁺/s − d u_n⁺, the spring and damper as they are at the end of the step
// κ ≤ 1 is the largest with which the contacts of an island together do no positive work Σ P·½(u⁻ + u⁺).
// Overlap is taken out by a shift x of the positions, without friction and without velocities:
//   0 ≤ φ + J_n x ⊥ λ ≥ 0,  x = M⁻¹ J_nᵀ λ                                                                          (4)
// Contacts that influence each other are an island: trees joined by contacts; all of them, where constraints hold between
// links, since these are eliminated (marey/constraint/held_constraints.h) from all rows together.
// Which μ holds, at rest or in motion, is that of the mode at the start of the step.
// Two that may leap over each other (marey/contact/leaps.h) are found where they touch, not before: who calls ends the step so that they
// do in its middle, or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "marey/constraint/held_constraints.h"
#include "marey/contact/collision_world.h"
#include "marey/contact/cone_problem.h"
#include "marey/contact/joint_bounds.h"
#include "marey/contact/leaps.h"
#include "marey/contact/materials.h"
#include "marey/contact/point_contacts.h"
#include "marey/contact/sleeping.h"
#include "marey/core/threads.h"
#include "marey/plant/books.h"
#include "marey/plant/part.h"
#include "marey/plant/plant.h"

namespace marey {

class ContactSweeps;
class HeapSweeps;

// A point at which two bodies touch, or may touch before the step ends.
struct TouchingPoint {
  ContactKey key;
  int link_a = 0, link_b = 0;  // 0: the world, scenery
  Vec3<double> p_WoC_W;
  std::array<Vec3<double>, 3> axes_W;  // n, t₁, t₂
  double gap = 0;                      // φ, m
  double size = 1;                     // m, of the smaller body
  SurfaceLaw law;
  bool slides = false, strikes = false, was_there = false;
  bool in_heap = false;                  // of loose bodies, swept in packs
  int first = 0, rows = 3;               // of the rows of the problem
  Vec3<double> force_W;                  // P/h on b
  Vec3<double> moment_W;                 // likewise, of torsion and rolling
  std::array<double, 6> u_minus{}, u{};  // u⁻, u⁺
};

// How exact the steps were, as numbers that a checkpoint can copy.
struct StepCertificate {
  double natural_map =
      0;  // the contact problem's residual over its scale; ρ is of an earlier step where its matrices served (sim/kept_matrices.h)
  double cone_excess = 0;
  double penetration = 0;  // over the size of the smaller body
  double momentum = 0;     // |M (v⁺ − v_free) − Jᵀ P| over its largest term
  int points = 0;
  int bounds = 0;      // ends of joints and motors
  int swept = 0;       // of them in islands that were swept
  int asleep = 0;      // bodies
  int a = -1, b = -1;  // the pair with the largest natural map
};
struct CertificateSums {
  static constexpr std::size_t bins = 80;  // of a quarter of a power of ten, from 1e-18 on
  StepCertificate largest;
  double largest_at = 0;  // s
  long long steps = 0, steps_with_contacts = 0, not_converged = 0, strikes = 0, corrected = 0, swept = 0;
  std::array<long long, bins> natural_maps{};
  void add(const StepCertificate&, double t);
  // The natural map that 95 % of the steps with contacts stay below.
  double percentile_95() const;
};

class SteppedContacts final : public Part, public PointContacts {
 public:
  // `bodies`: none where no shapes may touch. `constraints`: those that hold beside the contacts, or null. All to stay alive.
  // `elements`: of which ends of joints and motors are solved together with the contacts. `accuracy`: which islands are swept.
  SteppedContacts(const Model& figure, std::span<const FloorContact>, std::optional<CollisionWorld> bodies,
                  const MaterialRule&, const Model& coordinates, HeldConstraints* constraints,
                  std::span<const Element> elements, ContactAccuracy accuracy = ContactAccuracy::tight,
                  Threads threads = Threads());
  ~SteppedContacts() override;
  // From now on what has come to rest sleeps.
  void let_sleep(const Model& figure, const SleepOptions&, std::span<const char> alone);
  Threads* threads() { return &threads_; }
  Sleeping* sleeping() { return sleeping_ ? &*sleeping_ : nullptr; }  // null: nothing ever does

  // ---- a step, in this order
  // A step over h that ends at t begins, perhaps once more: what is remembered is what the steps before it have left. `guarded`: what
  // may leap is looked after by meeting_before() and meeting_after(); else it is noted.
  void begin_attempt(double t, double h, bool guarded);
  // Ends of joints and motors, in the middle of the step; before find().
  bool has_joint_bounds() const { return !joint_bounds_.empty(); }
  void find_joint_bounds(const Instant<double>&);
  // The plant is in the middle of the step and moves with v⁻: finds what may touch. `response`: M⁻¹ of (1), or null for the plant's.
  void find(Plant&, Response* response = nullptr);
  // The same places with another M⁻¹, which may answer through rows between links: trees that these join are of one island. It knows of
  // constraints.
  void use(Plant&, Response*, std::span<const ConstraintRow> joining);
  bool any() const { return row_count_ > 0; }
  bool prefers_sweeps() const { return accuracy_ != ContactAccuracy::tight; }
  // The change of a velocity that the solution does not feel, m/s, rad/s.
  double not_felt() const;
  // Where fast bodies meet on their way through half of the step, if they do.
  struct Meeting {
    double s = 0;     // s
    double half = 0;  // s: half of a step in which they come closer by a quarter of τ at most
  };
  // Whether anything is so fast that it may have met something on the way after the middle, which is to be asked for then.
  bool may_meet_before() const { return guarded_ && leaps_ && !leaps_->pairs.empty(); }
  bool may_meet_after() const { return guarded_ && leaps_ && (struck_ || !leaps_->pairs.empty()); }
  // Along q⁻ ⊕ s v⁻, after find().
  std::optional<Meeting> meeting_before(std::span<const double> q, std::span<const double> v);
  // Along q ⊕ s v⁺ from the middle on, of those that do not touch there already, or not at that place. After solve().
  std::optional<Meeting> meeting_after(std::span<const double> q, std::span<const double> v_plus);
  // Whether steps may end early, which they may only so often on the way to where they were to end; and that this one does.
  bool may_end_early() const { return early_ < most_early; }
  void end_early(bool early) { ends_early_ = early; }
  // (4): whether there is anything to put apart, and by which shift.
  bool any_overlaps() const;
  bool put_apart(Plant&, std::span<double> x);
  // (1), for another v_free at the same place if wished.
  void solve(Plant&, std::span<const double> v_free, std::span<double> v_plus);
  // Jᵀ P of the solved step; and what was found to be wrong with M (v⁺ − v_free), for the certificate.
  std::span<const double> momentum() const { return p_; }
  void certify_momentum(double error) { certificate_.momentum = error; }
  // ---- for who solves (1) by itself (sim/kept_matrices.h)
  // Whether all there is is one island with its matrix, of points of three rows that rub and neither give way nor strike.
  bool are_plain_points() const;
  // o of a plain point's normal; s of the certificate; ρ of a point, by the matrix.
  double plain_offset(const TouchingPoint&) const;
  double plain_scale() const;
  double plain_rho(std::size_t point) const;
  // Of all rows: u⁻; P of the solved step; A, and what it was made of, after solve().
  std::span<const double> u_minus() const { return u_minus_; }
  std::span<const double> solved_impulses() const { return P_; }
  std::span<const double> plain_matrix() const { return A_; }
  const HalfResponse& plain_half() const { return delassus_->half(); }
  // What solve() would have found. `worst`: the point with the largest natural map.
  void take_plain_answer(std::span<const double> P, std::span<const double> u, double natural_map, int worst);
  // What the contacts of the solved step have put in. `between`: work of what was struck, beyond that by the mean of v⁻ and v⁺.
  struct Solved {
    std::span<const double> v_minus, v_plus;
    double between = 0;
  };
  void book_step(const RateLayout&, Plant&, const Solved&, std::span<double> integrals);
  // On links, about Bo in W, by contacts and by constraints in answer to them; after book_step().
  std::span<const Wrench<double>> impulses() const { return P_Bo_W_; }
  // The step counts.
  void accept();
  // What points on floors show: by the solved step, whether or not it counts.
  void show_floors();

  // A link turns by so much within the step that its velocities are not found by it; and a step in which they would be.
  struct Haste {
    int link = -1;  // -1: none
    double turn = 0, t = 0, step = 0;
    long long count = 0;
  };
  void note_haste(int link, double turn, double step) { haste_now_ = {link, turn, t_, step, 1}; }
  const Haste& haste() const { return haste_; }

  // ---- for the record
  std::span<const TouchingPoint> points() const { return points_; }
  // And those of islands that sleep, as they were when these fell asleep.
  std::span<const TouchingPoint> resting_points() const { return resting_; }
  template <class F>
  void for_each_point(F&& f) const {
    for (const TouchingPoint& c : points_) f(c);
    for (const TouchingPoint& c : resting_) f(c);
  }
  bool struck() const { return struck_; }  // in the last step
  const StepCertificate& certificate() const { return certificate_; }
  const CertificateSums& sums() const { return sums_; }
  const CollisionWorld* bodies() const { return bodies_ ? &*bodies_ : nullptr; }
  std::string name_of_pair(int a, int b) const;
  // Two that came near each other so fast that one might have leapt over the other within a step, and were not looked after; a −1: none
  // did.
  struct Leap {
    int a = -1, b = -1;
    double t = 0;     // s: where they were fastest, for their size
    double step = 0;  // s: in which they would not
    long long count = 0;
  };
  const Leap& leap() const { return leap_; }
  // On a body by all that touches it, in the last step: about a point of the world, in W.
  Wrench<double> wrench_on_body(int body, const Vec3<double>& p_WoQ_W) const;
  int points_on_body(int body) const;
  // Of a stop or a motor, by its number among the elements, in the last step: torque (force) along its angle, and its mean power.
  struct Bounding {
    double torque = 0, power = 0;
  };
  Bounding bounding(std::size_t element) const;
  const ContactMotion& motion(std::size_t i) const override { return motion_[i]; }
  Mode mode(std::size_t i) const override { return modes_[i]; }
  Vec3<double> force_W(std::size_t i) const override { return forces_[i]; }
  Vec3<double> impulse_W(std::size_t i) const override { return impulses_[i]; }

  // ---- as a part: forces of contacts are those of a step, and show as forces only in what is recorded
  void add_forces(const Instant<double>&, const Kinematics<double>&, ForceSum<double>&) override;
  void begin_record(bool) override { recording_ = true; }
  void end_record() override { recording_ = false; }
  void exchange(const Archive&) override;
  void restored() override;

 private:
  // What a point leaves to the next step.
  struct Remembered {
    ContactKey key;
    Vec3<double> force_W;  // on b, of a step; moments are not remembered
    double slides = 0;
  };
  struct Island {
    std::size_t first_point = 0, points = 0;
    std::size_t first_bound = 0, bounds = 0;
    std::size_t first_block = 0;  // of its points, then of its bounds
    std::size_t first_row = 0, rows = 0;
    bool swept = false;  // it has no matrix
    bool heap = false;   // of loose bodies alone, swept in packs (contact/heap_sweeps.h): it has no rows_ either
    std::size_t heap_number = 0;  // among these
    std::size_t A = 0;            // where its matrix begins
    double scale = 1;
  };

  // Of an island that is swept, and no heap: as it was placed for the points that were found, by the first of them.
  struct Swept {
    std::unique_ptr<ContactSweeps> sweeps;
    std::optional<std::size_t> placed;
  };

  void find_floors(const Kinematics<double>&);
  void find_pairs(Plant&);
  bool may_leap(const CollisionWorld::Pair&, double way);
  void note_leap(const CollisionWorld::Pair&, double thin);
  static bool is_open(std::span<const Manifold>, double thin);
  void find_fast_after();
  std::optional<Meeting> first_meeting(std::span<const double> q, std::span<const double> v);
  void find_all(Plant&);
  bool wake_what_is_met(const Kinematics<double>&);
  bool is_idle(const CollisionWorld::Pair&) const;
  bool sleeps(int link) const { return link != 0 && sleeping_ && sleeping_->is_asleep(link); }
  bool sleeps(const ContactKey&) const;
  void send_to_sleep();
  void keep_sleepers();
  bool is_settled(std::span<const TouchingPoint>);
  void check_sleepers() const;
  template <class F>
  void for_sleeping_points(F&& f) const {
    for (const auto* list : {&resting_, &falling_})
      for (const TouchingPoint& c : *list)
        if (sleeps(c.link_a) || sleeps(c.link_b)) f(c);
  }
  void find_margins(const Kinematics<double>&);
  void find_points_of(std::size_t pair, const CollisionWorld::Pair&, std::size_t slot, std::vector<TouchingPoint>& out);
  void gather_points(std::size_t pieces);
  void forget_places();
  void add_manifold(const CollisionWorld::Pair&, const Manifold&, std::vector<TouchingPoint>& out) const;
  void recall_points();
  int tree_of(int link) const { return trees_[static_cast<std::size_t>(link)]; }
  // Whether a link is one of several of its tree.
  bool is_limb(std::size_t link) const { return links_of_tree_[static_cast<std::size_t>(trees_[link])] > 1; }
  void divide_into_islands();
  template <class IslandOf>
  void sort_points_by(const IslandOf&);
  void make_rows();
  void number_rows(Island&);
  void ensure_rows(const Kinematics<double>&);
  bool wants_rows() const;
  void number_rows_of_heap(Island&);
  void compute_matrices(Plant&);
  void eliminate_constraints(std::span<const ConstraintRow>, Plant&);
  Response& response(Plant& plant) { return response_ != nullptr ? *response_ : plant; }
  void write_rows(std::span<const ConstraintRow>);
  [[noreturn]] void refuse_heap(const Island&) const;
  void ensure_capacity(std::size_t rows);
  void measure(const Kinematics<double>&, std::span<const Twist<double>> V_WB, std::span<double> u);
  double approach_margin(int link, const Twist<double>& V_WB) const;
  void ensure_matrices(Plant& plant) {
    if (std::exchange(matrices_due_, false)) compute_matrices(plant);
  }
  static bool is_deep(const TouchingPoint&, double slack);
  bool overlaps(const Island&) const;
  bool is_swept(const Island&) const;
  bool is_heap(const Island&) const;
  void count_rows(Island&);
  HeapSweeps& place_heap(const Island&, Plant&, std::size_t slot);
  ConeCertificate solve_heap(const Island&, Plant&, std::size_t slot);
  void solve_heaps(Plant&);
  double scale_of(const Island&) const;
  // f(number, island, slot) for islands that are heaps, which have no moving body in common.
  template <class F>
  void for_heaps(F&& f) {
    threads_.in_pieces(heaps_.size(), 1, [&](std::size_t i, std::size_t, std::size_t, std::size_t slot) {
      f(i, islands_[heaps_[i]], slot);
    });
  }
  ConeCertificate solve_problem(const Island&);
  std::optional<ConeCertificate> solve_tightly(const Island&, Plant&);
  static void add_rows_of(const TouchingPoint&, const Kinematics<double>&, std::vector<ConstraintRow>& out);
  void find_heap_shift(const Island&, Plant&, std::size_t slot);
  static void measure_in_heap(const TouchingPoint&, const Kinematics<double>&, std::span<const Twist<double>> V_WB,
                              std::span<double> u);
  void add_heap_wrenches(const Island&, const Kinematics<double>&, std::span<const double> P);
  ContactSweeps& place_swept(const Island&, Plant&);
  Swept& room_for(const Island&);
  const ContactSweeps& swept(const Island&) const;
  void find_swept_shift(const Island&, Plant&);
  static bool is_beyond(const BoundedRow&);
  bool held() const { return constraints_ != nullptr && constraints_->any_active(); }
  bool eliminates_constraints() const { return held() && response_ == nullptr; }
  void find_shift(const Island&);
  void guess_impulses();
  void set_offsets(const Island&, double kappa);
  void set_offset(const Island&, TouchingPoint&, RowBlock&, double kappa);
  void set_offset(const Island&, BoundedRow&, RowBlock&, double kappa);
  bool strikes(const Island&, double gap, std::size_t row) const;
  double response_between(const Island&, std::size_t row, std::size_t column) const;
  double pushed_by_motors(const Island&, std::size_t row) const;
  double normal_gap(const Island&, std::size_t block, bool& gives_way) const;
  double came_in(const Island&, const TouchingPoint&) const;
  void book_bound(const RateLayout&, Plant&, const BoundedRow&, std::span<double> integrals) const;
  void solve_island(const Island&, Plant&);
  void solve_with(const Island&, Plant&, double kappa);
  void take_solution(const Island&, Plant&, ConeCertificate);
  bool does_work(const Island&) const;
  void respond(Plant&, std::span<const double> P, std::span<double> dv);
  void sum_wrenches(const Kinematics<double>&, std::span<const double> P);
  void sum_wrenches_of_rows(std::span<const double> P);  // those of heaps left out
  void keep_results();
  void keep_result(TouchingPoint&) const;
  bool slides_on(const TouchingPoint&) const;

  const Model &figure_, &coordinates_;
  std::span<const FloorContact> floors_;
  std::optional<CollisionWorld> bodies_;
  std::size_t links_;  // bodies from here on are scenery
  SurfaceLaws laws_;
  Vec3<double> gravity_;
  double weight_ = 0;  // |g|
  HeldConstraints* constraints_;
  std::vector<int> trees_;          // [nlink] the root it hangs on; 0: the world
  std::vector<int> links_of_tree_;  // [nlink] of roots: how many
  std::vector<double> reach_;       // [nlink] of its points on floors from its origin

  double t_ = 0, h_ = 0;
  bool struck_ = false, recording_ = false;
  bool matrices_due_ =
      false;  // of the points that were found; only some steps ask for them with the plant's own response
  std::vector<TouchingPoint> points_;
  JointBounds joint_bounds_;
  std::vector<BoundedRow> bounds_;
  std::vector<Remembered> now_, before_;
  std::optional<Sleeping> sleeping_;
  std::vector<TouchingPoint> resting_, falling_;  // of islands that sleep, and that will with the next step
  std::vector<Island> islands_;
  std::size_t row_count_ = 0;        // of all islands
  std::vector<ConstraintRow> rows_;  // of those that are no heaps, which come first; made where they are wanted
  bool rows_due_ = false;
  bool roots_are_held_ = false;   // of some tree, so that impulses on links are wanted
  std::vector<RowBlock> blocks_;  // one for each point and bound
  std::vector<double> A_, compliance_, offset_, u_minus_, u_free_, u_, P_;  // P of the step
  std::vector<double> rhs_, sub_A_, sub_P_, sub_u_;                         // scratch
  std::vector<RowBlock> sub_blocks_;
  std::vector<int> parent_of_tree_, island_of_point_, island_of_sorted_, in_tree_;  // scratch of divide_into_islands()
  std::vector<TouchingPoint> other_points_;                                         // likewise
  std::vector<std::size_t> rank_;                                                   // [points_] by their keys
  std::vector<double> margins_;                                                     // [bodies] scratch
  std::vector<Wrench<double>> P_Bo_W_, carried_;                                    // [nlink]
  std::vector<Twist<double>> V_WB_;                                                 // [nlink]
  std::vector<double> p_, dv_;                                                      // [nv]
  Response* response_ = nullptr;                                                    // null: the plant's
  std::span<const ConstraintRow> joining_;                                          // that it answers through
  MotionAxes axes_;
  BiasMotion no_bias_;
  std::size_t capacity_ = 0;
  std::optional<RowSet> row_set_;
  std::optional<Delassus> delassus_;
  ConeSolver solver_;
  const Island* solved_ =
      nullptr;  // whose problem the solver has had last, if nothing but its u_free has changed since
  ContactAccuracy accuracy_;
  std::vector<Swept> swept_;
  static constexpr std::size_t points_at_once = 256;  // that a thread takes
  // What a thread works with.
  struct Slot {
    std::unique_ptr<HeapSweeps> heap;
    std::optional<std::size_t> placed;  // the first point of the heap that is placed there
    CollisionWorld::Scratch queries;
    std::vector<Manifold> manifolds;
    std::vector<double> gaps;
    std::vector<char> left_out;
  };
  Threads threads_;
  std::vector<Slot> slots_;  // [threads]
  std::vector<std::vector<TouchingPoint>> points_in_piece_;
  std::vector<std::size_t> first_in_piece_;
  std::vector<char> looked_after_;           // [pairs that are near]
  std::vector<std::size_t> heaps_;           // of the islands
  std::vector<ConeCertificate> heap_found_;  // [heaps_]
  std::vector<double> found_in_piece_;       // scratch
  std::vector<double> looked_within_;        // [near pairs] how far apart what is looked for may be
  std::vector<char> left_out_;               // scratch
  std::vector<ConstraintRow> tight_rows_;    // likewise, of a heap that is solved tightly

  StepCertificate certificate_;
  CertificateSums sums_;
  Leap leap_, leap_now_;  // of all steps; of this one
  Haste haste_, haste_now_;
  std::optional<Leaps> leaps_;
  bool guarded_ = true, ends_early_ = false;
  static constexpr double slowest_scale = 1e-6;  // m/s: below it nothing is told apart
  static constexpr int most_early = 64;
  int early_ = 0;  // steps that have ended early since one did not
  long long corrected_ = 0;
  // [floors]
  std::vector<ContactMotion> motion_;
  std::vector<Mode> modes_;
  std::vector<Vec3<double>> carried_by_;  // [links] by contacts, of one island after the other
  std::vector<Vec3<double>> forces_, impulses_;
};

}  // namespace marey
