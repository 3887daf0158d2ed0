// Contact of points of links with fixed planes: rows, impacts, friction, resting; no time stepping.
//
// A point on a floor has three rows (constraint.h), in the axes (n, t₁, t₂) of its plane: index 3 i + {0, 1, 2} for
// contact i. A contact's law closes the rows' equations a = A λ + a_free and u⁺ = A P + u⁻:
//   0 ≤ a_n ⊥ λ_n ≥ 0,  |λ_t| ≤ μ_s λ_n where it sticks (a_t = 0),  λ_t = −μ_k λ_n s where it slides along s, |s| = 1.
// Directions: n points away from the floor; λ_n > 0 pushes the figure away from it.
//
// All functions are for double only; workspaces are made once, for the largest number of contacts, and no call
// allocates after that; but the contact problem of redundant contacts has scratch that grows with the largest it has seen.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "marey/rows.h"

namespace marey {

// ---- laws
// How a contact responds to an impact.
enum class ImpactKind {
  coulomb,  // friction by Coulomb's law throughout the impact; coefficient 0 is the smooth floor
  smooth,   // no friction: the root c_x = 0 of R (3.30)
  rough,  // the tangential velocity is reversed, u_t⁺ = −u_t⁻: the other root of R (3.30); with e = 1 no energy is lost
  stick,  // the point stops sliding, u_t⁺ = 0: with e = 0 R (3.31), with e > 0 H (9)(11)
};
const char* name_of(ImpactKind);

// What the coefficient of restitution e relates.
//   newton    velocities     u_n⁺ = −e u_n⁻
//   poisson   impulses       P_n of the restitution = e P_n of the compression
//   stronge   energies       work of P_n in restitution = −e² its work in compression
// They agree where slip neither stops nor turns during the impact. Where it does, Newton's rule may create energy (a
// rod can gain half of what it has), and Poisson's gives back the wrong amount even for e = 1. Stronge's rule, the
// default, cannot create energy: the normal force returns at most what it absorbed, and friction, opposed to slip at
// each instant, only dissipates. The other two are checked: where they would create energy, Stronge's rule is used, and
// the report says so.
enum class Hypothesis { stronge, poisson, newton };
const char* name_of(Hypothesis);

struct ImpulseLaw {
  ImpactKind kind = ImpactKind::coulomb;
  Hypothesis hypothesis = Hypothesis::stronge;
  double restitution = 0;  // e in [0, 1]
  double friction = 0;  // μ ≥ 0, for the kinds coulomb (always), rough and stick (where they cannot hold: see impact())
};

// ---- a point on a floor
// The points p with normal_W · p = offset; the figure belongs on the side to which the normal points.
struct Plane {
  Vec3<double> normal_W{0, 0, 1};  // of unit length
  double offset = 0;
};
// The plane's axes in W: n, t₁, t₂, right-handed. For a level floor z, x, y.
std::array<Vec3<double>, 3> axes_of(const Plane&);

// Compliant ground, R (3.32) as corrected: with the depth z ≥ 0 of the point below the plane, F_n = a z^b + d ż,
// and never less than zero. The potential a z^(b+1)/(b+1) belongs to the ground's spring; what is left of the force's
// power, (a z^b − F_n) ż ≤ 0, is lost. With d > 0 the force jumps at touch-down, and vanishes before the point is out
// again.
struct CompliantGround {
  double stiffness = 0;   // a, N/m^b
  double exponent = 1;    // b ≥ 1
  double damping = 0;     // d, N s/m
  double tangential = 0;  // N/m, along the plane, for a point that sticks; 0: that of the spring at 1 mm depth
};
struct GroundForce {
  double force = 0;        // F_n ≥ 0
  double unclamped = 0;    // a z^b + d ż, which changes sign where the ground lets go
  double potential = 0;    // J
  double dissipation = 0;  // power of the part that is not the spring's, W; ≤ 0
};
GroundForce ground_force(const CompliantGround&, double depth, double depth_rate);
// Rate of `unclamped` for a depth with the given first two derivatives.
double ground_force_rate(const CompliantGround&, double depth, double depth_rate, double depth_acceleration);

// What a link touches with: a point of it; a ball of that radius about the point; or the rim of a disc, with that radius and axis,
// about it (surface.h).
struct ContactSurface {
  enum class Kind { point, ball, rim };
  Kind kind = Kind::point;
  double radius = 0;
  Vec3<double> axis_B{0, 0, 1};  // of a rim
};

struct FloorContact {
  int link = 0;
  Vec3<double> point_B;
  Plane plane;
  ImpulseLaw law;
  double friction_static = 0, friction_kinetic = 0;
  bool compliant = false;
  CompliantGround ground;
  double clearance = 0;  // how far above the floor itself the plane lies on which the point stays
  std::string name{};    // unique among all sources of the ledger
  std::string group{};   // points of the same group are also recorded together; empty: on its own
  ContactSurface surface{};
};

// Motion of a contact's point; components in the plane's axes (n, t₁, t₂).
struct ContactMotion {
  Vec3<double> p_WoC_W;
  double gap = 0;                    // above the plane
  std::array<double, 3> velocity{};  // J v; velocity[0] is the rate of the gap
  std::array<double, 3> bias{};      // J̇ v
};
ContactMotion contact_motion(const FloorContact&, const Kinematics<double>&, const BiasMotion&);
// Adds the three rows of a contact.
void add_rows(const Model&, const Params<double>&, const FloorContact&, const Kinematics<double>&, const ContactMotion&,
              RowSet&);
// What a contact's force (or impulse) λ is for the momentum: about Wo, in W.
Wrench<double> external_wrench(const Plane&, const Vec3<double>& p_WoC_W, std::span<const double, 3> lambda);

// Scratch of all functions below.
class ContactWorkspace {
 public:
  explicit ContactWorkspace(int max_contacts);
  ~ContactWorkspace();
  ContactWorkspace(ContactWorkspace&&) noexcept;
  ContactWorkspace& operator=(ContactWorkspace&&) noexcept;
  struct Scratch;
  Scratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<Scratch> scratch_;
};

// ---- impact
// What a contact went through; sums of these bits.
enum ImpactCourse : unsigned {
  course_none = 0,             // it was not struck
  course_slid = 1,             // slip in some part of the impact
  course_stopped = 2,          // slip came to an end
  course_stuck = 4,            // it held after that
  course_reversed = 8,         // it slipped again after that, in another direction
  course_recompressed = 16,    // a second compression, when friction pressed the point back
  course_simultaneous = 32,    // solved together with other contacts
  course_one_by_one = 64,      // the simultaneous rule found no solution: contacts one after another
  course_rule_replaced = 128,  // the chosen law would pull or create energy: Coulomb with Stronge's rule instead
};
struct ImpactOfContact {
  double work = 0;  // impulse · mean of the velocities before and after; the sum over contacts is the change of energy
  unsigned course = course_none;
};
// Impact of all contacts that touch: those with u_n⁻ < 0 are struck, the others may be needed to hold.
//
// Contacts that do not influence each other are solved separately. A single contact with friction is followed along its
// normal impulse (Routh 1860, Keller 1986): slip that turns in space, stops, holds or reverses; exactly where slip
// stays on a line. Contacts that do influence each other are solved together (src/contact/impact.cpp): compression ends
// with 0 ≤ u_n ⊥ P_n ≥ 0 and Coulomb's law; restitution adds κ e P_n, κ such that the normal work given back is the sum
// of e² times what was absorbed. Redundant contacts share by least norm. No result has positive total work (beyond
// rounding).
//
// A [3m × 3m], u_minus and results [3m], laws and reports [m]. False when no solution was found within the limits: the
// velocities after the impact are then the best that were found, with no energy created.
bool impact(std::span<const double> A, std::span<const double> u_minus, std::span<const ImpulseLaw> laws,
            ContactWorkspace&, std::span<double> P, std::span<double> u_plus, std::span<ImpactOfContact> reports);
// An impact without a collision (Painlevé): contacts slide with u_n = 0, and friction presses them into the floor
// faster than it can lift them, so that no forces are consistent (Choice::inconsistent). A single contact is followed
// until its slip stops, and then holds or reverses; its restitution counts. For several together: the impulse that the
// laws of impact without restitution give in the limit of a vanishing push by a_free (u_n⁺ is then zero to 1e-4 of the
// slip or better). False when nothing presses, or when no such impulse was found, which is rare and happens only with
// several contacts.
bool impact_without_collision(std::span<const double> A, std::span<const double> u_minus,
                              std::span<const double> a_free, std::span<const ImpulseLaw> laws, ContactWorkspace&,
                              std::span<double> P, std::span<double> u_plus, std::span<ImpactOfContact> reports);

// ---- resting and sliding
enum class Mode {
  free,   // no force; the point is off the floor, or leaving it
  idle,   // on the floor and staying, but the load is carried by others
  slide,  // on the floor, λ_t = −μ_k λ_n s
  stick,  // on the floor and held
};
const char* name_of(Mode);

// A phase of one contact, frozen between events.
struct ContactMode {
  Mode mode = Mode::free;
  std::array<double, 2> direction{};  // s: of slip, unit; only for slide
  bool together = false;              // as of ModeChoice, of the contacts that this one influences
};
inline constexpr int contact_mode_doubles = 3;  // what a checkpoint keeps of it
void save(const ContactMode&, std::span<double, contact_mode_doubles>);
ContactMode load(std::span<const double, contact_mode_doubles>);

// One contact as the equations see it at an instant.
struct ContactPoint {
  double friction_static = 0, friction_kinetic = 0;  // μ_s ≥ μ_k
  std::array<double, 2> slip{};                      // u_t
  // Compliant ground: the normal force is given by the law; only the tangential directions are rows.
  bool normal_given = false;
  double normal_force = 0;
};

// The direction of slip to be used in a phase that began with direction s: the line of u_t, in the sense of s. It does
// not reverse when a trial step of an integrator runs a little beyond the instant at which the slip stops. Below
// `floor` (m/s) it is s.
std::array<double, 2> slip_direction(std::span<const double, 2> slip, std::span<const double, 2> s, double floor);

// In all that follows, contacts that do not influence each other are solved separately.

// Multipliers and accelerations of given modes: a = 0 where the mode holds, by least norm where contacts are redundant.
// False when the rows cannot be met (the accelerations returned show by how much).
bool contact_multipliers(std::span<const double> A, std::span<const double> a_free, std::span<const ContactPoint>,
                         std::span<const ContactMode>, ContactWorkspace&, std::span<double> lambda,
                         std::span<double> a);

// What becomes of multipliers with which points would pull, or leave their cones, where there are others for the same motion.
enum class Holding {
  alone,   // nothing of the kind: multipliers are as they were
  shared,  // others were found, within all cones; of these the shortest are taken
  gives_way,  // there are none: multipliers are those with which something leaves or slips, and modes are to be chosen again
};
// After contact_multipliers, with its λ and a. `ends` [2m]: what is positive until contact i leaves (2 i) or slips (2 i + 1);
// no number where it is alone.
Holding share_multipliers(std::span<const double> A, std::span<const double> a_free, std::span<const ContactPoint>,
                          std::span<const ContactMode>, ContactWorkspace&, std::span<double> lambda,
                          std::span<double> a, std::span<double> ends);

// Impulses P over a short time τ, at the end of which the contacts obey the laws of contact with the velocities u⁺ that they then
// have: u_free = u + τ a_free. What slides may turn or stop within it. Where modes find no rest this goes on all the same.
// modes, out: free, slide or stick at the end. False where it was not solved; P is then the best there was.
bool contact_step(std::span<const double> A, std::span<const double> u_free, std::span<const ContactPoint>,
                  double slip_floor, ContactWorkspace&, std::span<ContactMode> modes, std::span<double> P);

// A quantity that is positive in its mode and ends it by falling through zero, with its rate where it is known.
struct Crossing {
  double value = unbounded;  // ∞: does not apply
  double rate = std::numeric_limits<double>::quiet_NaN();
};
struct ModeEnds {
  Crossing touch;     // free: the gap
  Crossing lift_off;  // slide, stick: λ_n. idle: a_n, which presses when it falls below zero
  Crossing slip;      // stick: μ_s λ_n − |λ_t|
  Crossing stop;      // slide: u_t · s
  Crossing jam;  // slide: Λ = A_nn − μ_k A_nt · s, an inverse inertia along the normal; Painlevé's region: Λ < 0
};
ModeEnds mode_ends(std::span<const double, 9> A_own, const ContactPoint&, const ContactMode&, const ContactMotion&,
                   std::span<const double, 3> lambda, std::span<const double, 3> a);

// What choosing modes found.
enum class Choice {
  consistent,
  // Painlevé: contacts that slide with Λ = A_nn − μ A_nt · s ≤ 0 (the inverse inertia along the normal of a point under
  // friction), or several that behave so together.
  indeterminate,  // the point may lift off as well as stay; lifting off is chosen, since its forces are continuous
  inconsistent,   // neither is possible: an impact without collision must stop or reverse the slip
  unresolved,     // no consistent modes were found, though nothing slides: a system too large to try all combinations
};
const char* name_of(Choice);
struct ModeChoice {
  Choice choice = Choice::consistent;
  int contact = -1;       // in Painlevé's cases: the sliding contact with the smallest Λ/A_nn
  bool together = false;  // by one contact problem of all, since they are redundant or nothing else was found
};
// The modes in which a phase starts: contacts that touch with u_n = 0, sliding ones (|slip| > slip_floor) in the
// direction of their slip, the others free to stick or to start sliding. `modes` holds a guess (the previous modes) and
// receives the choice. Active sets: modes that are violated are switched, all at once and later one at a time; then the
// same starting from what projected Gauss–Seidel sweeps suggest; each for a bounded number of rounds. Finally all
// combinations are tried, if there are at most 1,024. Modes are accepted only when they satisfy all laws. Where contacts are
// redundant, laws of each for itself are not enough (src/contact/touching.h): modes follow from the accelerations that the
// contact problem of all of them has.
ModeChoice choose_modes(std::span<const double> A, std::span<const double> a_free, std::span<const ContactPoint>,
                        double slip_floor, ContactWorkspace&, std::span<ContactMode> modes, std::span<double> lambda,
                        std::span<double> a);

}  // namespace marey
