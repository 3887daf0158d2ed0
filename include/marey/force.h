// Elements: everything that pushes on a figure besides gravity, which the solvers handle themselves.
//
// An element is conservative (it has a potential, and its force is minus that potential's derivative), passive (its
// power is never positive) or active. It reads an Instant and says what it does through a ForceSum; power is computed
// there from wrench · twist, never from τ·v, so that the ledger is an independent account. Switches (a spike's window,
// a condition) are frozen between events: each step is smooth.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "marey/core/any_kind.h"
#include "marey/force/formula.h"
#include "marey/force/time_function.h"
#include "marey/model.h"

namespace marey {

inline constexpr double forever = std::numeric_limits<double>::infinity();

// ---- the parts of elements
// A number that may change in time: linear between (time, value) knots, constant before and after them.
struct TimeTable {
  std::vector<double> t, value;  // t ascending; one knot is a constant
  double at(double time) const;
  double rate(double time) const;  // right-sided
};

// One angle of a joint. On a hinge: its coordinate (on a slider, its displacement), whatever the kind. On a universal,
// cylindrical, planar, screw or custom joint: the coordinate with that number, angle or displacement. On a ball, free
// or ellipsoid joint: the twist of R_FB about `axis` (in F; of any nonzero length), the swing of `axis` away from its
// own direction in F (≥ 0), or one of the three Euler angles of R_FB = Rx(a) Ry(b) Rz(c). Twist and the Euler angles x
// and z are known up to whole turns and lie in [−π, π]; Euler y in [−π/2, π/2].
struct NamedAngle {
  enum class Kind { coordinate, twist, swing, euler_x, euler_y, euler_z };
  Kind kind = Kind::coordinate;
  Vec3<double> axis{0, 0, 1};
  int coordinate = 0;
};

// Who touches whom: links, figures, scenery or contacts by name or pattern; `b` empty: anything at all.
struct TouchingNames {
  std::string a, b;
  bool operator==(const TouchingNames&) const = default;
};
// What is known of it, frozen between events.
struct TouchFacts {
  std::vector<TouchingNames> of;
  std::vector<char> hold;  // [of]
  bool touching(const TouchingNames&) const;
};
// When an active element acts.
struct Condition {
  enum class Quantity { height, speed, angle, distance_from_start, touching };
  // Of `point` on `link` in the world (height above Wo, speed, distance from where it was when the run
  // started), or of `link`'s joint (angle).
  Quantity quantity = Quantity::height;
  int link = 0;
  Vec3<double> point;
  NamedAngle angle;
  bool above =
      false;  // holds when the quantity is above (or below) the threshold; of touching, while it is (or is not) so
  double threshold = 0;
  TouchingNames names{};
};
// By time alone: on in the windows [from + n every, from + n every + lasts), n = 0, 1, …
// With conditions: starts at the first instant between `from` and `until` at which all of them hold, and stays on for
// `lasts`, whatever they do meanwhile; with `every` it may start again when they hold and that much time has passed
// since it last started. When `lasts` is infinite it is on while they hold. Nothing acts after `until`.
struct Schedule {
  double from = 0, lasts = forever;
  double every = 0;  // 0: once
  double until = forever;
  std::vector<Condition> conditions;
};

// ---- the elements
// A4, fig. 2: no torque between `from` and `to`; outside, a torque towards the zone, proportional to the distance.
struct FreePlay {
  int link = 0;  // whose inner joint it acts in
  NamedAngle angle;
  TimeTable from, to, slope_below, slope_above;  // rad, rad, N m/rad, N m/rad
};
// Viscous friction of a joint: −coefficient × joint velocity (angular; for a slider, linear), in all its degrees of
// freedom or in one. Free joints have none.
struct JointFriction {
  int link = 0;
  double coefficient = 0;  // N m s/rad, N s/m
  int freedom = -1;        // which; −1: all
};
// A torque in a joint as a function of time, along an angle (N m) or a displacement (N); the opposite one acts on the parent.
struct JointTorque {
  int link = 0;
  NamedAngle angle;
  TimeFunction value;
  Schedule schedule;
};
// An angle (of a slider: its displacement) goes no farther than `from` and `to`. Struck, it comes back with the part `restitution` of its
// rate. A bound of the motion, and no force at an instant: it acts in steps alone (SolverOptions::contact).
struct JointStop {
  int link = 0;
  NamedAngle angle;
  double from = -forever, to = forever;  // rad, m
  double restitution = 0;
};
// An angle, or its rate, follows a function of time as well as a torque of at most `most` can make it. In steps alone, likewise.
struct JointMotor {
  int link = 0;
  NamedAngle angle;
  TimeFunction script;  // rad, m; of the rate rad/s, m/s
  bool of_rate = false;
  double most = 0;    // N m, N
  Schedule schedule;  // by the clock alone: from, until
};
// A5: a spring that pulls a point of the link to a point of the world, and one that turns the link towards an attitude.
struct SupportSpring {
  int link = 0;
  Vec3<double> point_B, target_W;
  double stiffness = 0;            // N/m
  double turning_stiffness = 0;    // N m/rad
  Quaternion<double> target_turn;  // of R_WB
};
struct SupportDamper {
  int link = 0;
  Vec3<double> point_B;
  double damping = 0;          // N s/m
  double turning_damping = 0;  // N m s/rad
};
// A5: a spring that pulls the common centre of mass of links to a point of the world, and a constant force there.
struct CenterSpring {
  std::vector<int> links;
  Vec3<double> target_W;
  double stiffness = 0;  // N/m
  Vec3<double> lift_W;   // N
};
struct CenterDamper {
  std::vector<int> links;
  double damping = 0;  // N s/m
};
// A5, A6: force at a point and torque, in the axes of the world or of the link, always or by schedule (a spike).
struct Push {
  int link = 0;
  Vec3<double> point_B;
  Vec3<double> force, torque;
  bool body_axes = false;
  Schedule schedule;
  // In the place of the two, where they change.
  std::optional<std::array<TimeFunction, 3>> force_in_time = {}, torque_in_time = {};
};

// ---- elements of particles, and of any links
// A point of a link, in B; or of the world (link 0), in W.
struct Anchor {
  int link = 0;
  Vec3<double> point;
};
// Springs between points: one, or a whole net of them with one entry in the ledger. Each pulls its points together when
// it is longer than its rest length and pushes them apart when it is shorter.
struct SpringNet {
  struct Spring {
    Anchor a, b;
    double stiffness = 0;  // N/m
    double rest = 0;       // m
  };
  std::vector<Spring> springs;
};
// Dampers between points: they oppose the rate at which the distance changes, along the line between the points.
struct DamperNet {
  struct Damper {
    Anchor a, b;
    double damping = 0;  // N s/m
  };
  std::vector<Damper> dampers;
};
// Newton's attraction of links towards a fixed point, at their centres of mass. `softening` s replaces the distance r
// by √(r² + s²) in the potential.
struct Attraction {
  std::vector<int> links;
  Vec3<double> center_W;
  double strength = 0;   // G M, m³/s²
  double softening = 0;  // m
};
// Newton's attraction between links: of each of `links` and each of `others`; where there are no others, of every pair
// of `links`.
struct MutualAttraction {
  std::vector<int> links, others;
  double constant = 0;   // G, m³/(kg s²)
  double softening = 0;  // m
};
// Resistance of still air: −(linear + quadratic |v|) v at the centre of mass.
struct Drag {
  std::vector<int> links;
  double linear = 0;     // N s/m
  double quadratic = 0;  // N s²/m²
};
// A force at the centre of mass of each link, given by formulas in its position, velocity and mass and in time. With a
// potential the force is minus its gradient, and the formulas of the force are not used.
struct Field {
  std::vector<int> links;
  std::array<Formula, 3> force;
  Formula potential;  // empty: none
};
// What every link feels because the scene's world W moves: W turns with ω (in its own axes), its origin has the
// acceleration a₀ (likewise), both given over time. One part of it:
//   acceleration −m a₀    coriolis −2 m ω × v    centrifugal −m ω × (ω × r)    euler −m ω̇ × r
// summed over the mass of each body.
struct MovingFrame {
  enum class Part { acceleration, coriolis, centrifugal, euler };
  Part part = Part::acceleration;
  TimeVector motion;  // a₀ for the acceleration, ω for the others
};
// R11: a torque on a named angle θ of a joint, from the value of that angle a reaction time T ago,
//   −stiffness (θ(t − T) − target) − damping θ̇(t − T)
// Before the start of a run everything is taken to have been as it is at the start.
struct Reflex {
  int link = 0;
  NamedAngle angle;
  double target = 0;     // rad
  double stiffness = 0;  // N m/rad
  double damping = 0;    // N m s/rad
  double delay = 0;      // s
};

// What the engine asks of a kind; each has it in its own file (src/force/kinds).
class ElementLaw;
const ElementLaw& law_of(const FreePlay*);
const ElementLaw& law_of(const JointFriction*);
const ElementLaw& law_of(const JointTorque*);
const ElementLaw& law_of(const JointStop*);
const ElementLaw& law_of(const JointMotor*);
const ElementLaw& law_of(const SupportSpring*);
const ElementLaw& law_of(const SupportDamper*);
const ElementLaw& law_of(const CenterSpring*);
const ElementLaw& law_of(const CenterDamper*);
const ElementLaw& law_of(const Push*);
const ElementLaw& law_of(const SpringNet*);
const ElementLaw& law_of(const DamperNet*);
const ElementLaw& law_of(const Attraction*);
const ElementLaw& law_of(const MutualAttraction*);
const ElementLaw& law_of(const Drag*);
const ElementLaw& law_of(const Field*);
const ElementLaw& law_of(const MovingFrame*);
const ElementLaw& law_of(const Reflex*);

// A value of any of these kinds, and of any other that has a descriptor (docs/guide/extending.md).
using ElementKind = AnyKind<ElementLaw>;

struct Element {
  std::string name;  // unique; the ledger's source
  ElementKind kind;
};

// What messages call its kind: "drag".
const char* word_of(const Element&);
enum class Nature { conservative, passive, active };
Nature nature_of(const Element&);

// Why the element cannot act on this model (no such link, friction of a free joint, an angle the joint does
// not have, a table whose times do not ascend, numbers that are not finite …). Empty when all is well.
std::string refusal(const Model&, const Element&);

// The link that the element acts on, or in whose joint it acts; 0 where there is none or are several.
int link_of(const Element&);
// Why a stop cannot be, beside those before it: of the same joint, they leave it no place. Empty for all else.
std::string refusal_beside_other_stops(std::span<const Element>, std::size_t which);

// Whether that is all it does: a torque in the joint of that link.
bool acts_in_joint(const Element&);

// Whether it is a stop or a motor, which bound the motion in steps.
bool acts_in_steps_alone(const Element&);

// How far back in time the element looks, s; 0: it uses only the present.
double delay_of(const Element&);

// Its numbers that may be changed while it acts, by name (for a net, one number for all its members; for a vector,
// force/x).
std::vector<std::string> numbers_of(const Element&);
double number_of(const Element&, std::size_t which);
void set_number(Element&, std::size_t which, double value);

// ---- evaluating elements
// The past states of a run.
class Past {
 public:
  virtual ~Past() = default;
  struct View {
    std::span<const double> q, v, z;
  };
  virtual View at(double t) const = 0;  // to be read before the next call
};

// What an element may read. Twists are of link B at Bo in the axes of W.
class ParticleStore;
template <class T>
struct Instant {
  const Model& model;
  double t = 0;
  std::span<const T> q, v;
  std::span<const Transform<T>> X_WB;    // [nlink]
  std::span<const Twist<T>> V_WB;        // [nlink]
  const Past* past = nullptr;            // none: everything was always as it is now
  std::span<const T> z{};                // continuous states of all sources (marey/source.h)
  ParticleStore* particles = nullptr;    // as arrays, where the maker of the instant keeps them so; internal to Marey
  const TouchFacts* touching = nullptr;  // none: nothing touches
};

// Sums what elements do. `tau` and `F_Bo_W` accumulate over all of them; power and external are the current element's.
template <class T>
class ForceSum {
 public:
  explicit ForceSum(const Model& model)
      : tau(static_cast<std::size_t>(model.nv)), F_Bo_W(static_cast<std::size_t>(model.nlink())) {}

  void clear();
  void begin_element() { power = T(0), external = {}; }
  // An external wrench, about Bo in W.
  void wrench(const Instant<T>&, int link, const Wrench<T>& F);
  // A force f on link a at p_AoQ_W = r_a and −f on link b at r_b, along the line between the two points. Either may be
  // the world; the force on the other is then external.
  void pair(const Instant<T>&, int a, const Vec3<T>& r_a, int b, const Vec3<T>& r_b, const Vec3<T>& f);
  // A force between a link and its parent in the joint's own degrees of freedom, [freedom_count]. Where the parent is
  // the world it is external.
  void joint(const Instant<T>&, int link, std::span<const T> joint_tau);

  std::vector<T> tau;             // [nv]
  std::vector<Wrench<T>> F_Bo_W;  // [nlink]
  T power{};                      // of the current element, W
  Wrench<T> external;             // of the current element: total on the figures, about Wo in W
};

// ---- switches
// Whatever switches is frozen between events, so that every step is smooth; its memory is a few numbers, the element's
// modes. Two things end a step: instants known beforehand, and functions of the state that change sign.
int mode_count(const Element&);
// At the start of a run. `smooth`: corners of force laws (the ends of a zone of free play) are switches as well, for
// methods whose order they would spoil; otherwise they are left to the force law.
bool switches_at_corners_alone(const Element&);
void start_modes(const Element&, const Instant<double>&, bool smooth, std::span<double> modes);
// The next instant after t at which something switches by the clock; `forever` when nothing does.
double next_instant(const Element&, double t, std::span<const double> modes);
// Functions of the state that are positive as long as the modes are right.
int switch_count(const Element&);
void switch_values(const Element&, const Instant<double>&, std::span<const double> modes, std::span<double> values);
// Resets the modes at the instant at which function `which` has become negative, or (by_clock) a known instant has
// come.
inline constexpr int by_clock = -1;
void switch_modes(const Element&, const Instant<double>&, int which, std::span<double> modes);

template <class T>
void evaluate(const Element&, const Instant<T>&, std::span<const double> modes, ForceSum<T>&);
// Potential energy; zero for elements that are not conservative.
template <class T>
T potential(const Element&, const Instant<T>&);
// ∂V/∂t at a fixed state: the power put in by whatever moves the element's own parameters.
template <class T>
T potential_rate(const Element&, const Instant<T>&);
// The value of a named angle, and the gradient g with d(angle)/dt = g · v_joint.
template <class T>
struct AngleAndGradient {
  T angle;
  Vec3<T> gradient;  // hinge: in x alone; ball: in B; free: of the angular part
  int first = 0;     // the freedom of the joint to which gradient.x belongs
};
template <class T>
AngleAndGradient<T> named_angle(const NamedAngle&, const Instant<T>&, int link);

// ---- what is stiff
// A displacement through which an element acts on links: g x = a · w + b · v of link, and the same of the other (0: none), twists of Bo in W; its
// force along g grows by `stiffness` and `damping` with g x and its rate.
struct StiffRow {
  int link = 0, other = 0;
  Vec3<double> a, b, a_other, b_other;
  double stiffness = 0, damping = 0;  // N/m, N s/m; N m/rad, N m s/rad
};
// Those of elements that act between links, not in joints, at an instant. Keeps its room.
class StiffRows {
 public:
  StiffRows();
  ~StiffRows();
  std::span<const StiffRow> of(std::span<const Element>, const Instant<double>&);

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
  std::vector<StiffRow> rows_;
};

// ---- the step-size adviser
// A4: the step must be several times smaller than the period of any frequency present, or the motion blows up. What can
// be known at the start: the springs (at their full slope, whether they act yet or not) against the inertia that
// opposes them, dampers likewise, links that swing under gravity, links that turn.
struct StepAdvice {
  double shortest_period = forever;  // s; for a damper 2π / its rate of decay
  std::string cause;                 // "torque function 'curl' on the long axis of 'finger.tip'"
  double advised_step = forever;     // a tenth of that period
  double unstable_step = forever;    // beyond it semi-implicit Euler is unstable: 2/ω for a spring alone
};
StepAdvice advise_step(const Model&, std::span<const Element>, const State&);

}  // namespace marey
