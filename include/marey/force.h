// Elements: everything that pushes on a figure beside gravity, which the solvers carry themselves.
//
// An element is conservative (it has a potential, and its force is minus that potential's derivative),
// passive (its power is never positive) or active. It reads an Instant and says what it does through a
// ForceSum; power is computed there from wrench · twist, never from τ·v, so that the ledger is an account of
// its own. Switches (a spike's window, a condition) are frozen at the start of every step: each step is
// smooth.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "marey/model.h"

namespace marey {

inline constexpr double forever = std::numeric_limits<double>::infinity();

// ---- the parts of elements
// A number that may move in time: straight lines between (time, value) knots, constant before and
// after them.
struct TimeTable {
  std::vector<double> t, value;  // t ascending; one knot is a constant
  double at(double time) const;
  double rate(double time) const;  // right-sided
};

// One angle of a joint. On a hinge: its coordinate. On a ball or free joint: the twist of R_FB about `axis`
// (unit, in F), the swing of `axis` away from itself (≥ 0), or one of the three Euler angles of R_FB = Rx(a)
// Ry(b) Rz(c).
struct NamedAngle {
  enum class Kind { coordinate, twist, swing, euler_x, euler_y, euler_z };
  Kind kind = Kind::coordinate;
  Vec3<double> axis{0, 0, 1};
};

// When an active element acts.
struct Condition {
  enum class Quantity { height, speed, angle, distance_from_start };
  Quantity quantity = Quantity::height;  // of `point` on `link` (height, speed), or of `link`'s joint (angle)
  int link = 0;
  Vec3<double> point;
  NamedAngle angle;
  bool above = false;  // holds when the quantity is above (or below) the threshold
  double threshold = 0;
};
struct Schedule {
  double from = 0, lasts = forever;  // window [from, from + lasts)
  double every = 0;                  // repeats with this period; 0: once
  double until = forever;
  std::vector<Condition> conditions;  // none: by time alone; else it starts when all hold, and stays on for `lasts`
};

// ---- the elements
// A4, fig. 2: no torque between `from` and `to`, outside it a torque towards the zone, proportional
// to the distance.
struct FreePlay {
  int link = 0;  // the joint on which this link hangs
  NamedAngle angle;
  TimeTable from, to, slope_below, slope_above;  // rad, rad, N m/rad, N m/rad
};
// Viscous friction of a joint: −coefficient × joint velocity (angular; for a slider, linear). Free joints
// have none.
struct JointFriction {
  int link = 0;
  double coefficient = 0;  // N m s/rad, N s/m
};
// A5: a spring that draws a point of the link to a point of the world, and one that turns the link towards a
// pose.
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
// A5, A6: force at a point and torque, in the axes of the world or of the link, always or by schedule (a
// spike).
struct Push {
  int link = 0;
  Vec3<double> point_B;
  Vec3<double> force, torque;
  bool body_axes = false;
  Schedule schedule;
};
using ElementKind = std::variant<FreePlay, JointFriction, SupportSpring, SupportDamper, Push>;

struct Element {
  std::string name;  // unique; the ledger's source
  ElementKind kind;
};

enum class Nature { conservative, passive, active };
Nature nature_of(const Element&);

// ---- evaluating elements
// What an element may read. Twists are of link B at Bo in the axes of W.
template <class T>
struct Instant {
  const Model& model;
  double t = 0;
  std::span<const T> q, v;
  std::span<const Transform<T>> X_WB;  // [nlink]
  std::span<const Twist<T>> V_WB;      // [nlink]
};

// Sums what elements do. `tau` and `F_Bo_W` add up over all of them; power and external are the current
// element's.
template <class T>
class ForceSum {
 public:
  explicit ForceSum(const Model& model)
      : tau(static_cast<std::size_t>(model.nv)), F_Bo_W(static_cast<std::size_t>(model.nlink())) {}

  void clear();
  void begin_element() { power = T(0), external = {}; }
  // A wrench from outside, about Bo in W.
  void wrench(const Instant<T>&, int link, const Wrench<T>& F);
  // A force between a link and its parent through the joint's own freedoms, [freedom_count]; for a free joint
  // whose parent is the world it comes from outside.
  void joint(const Instant<T>&, int link, std::span<const T> joint_tau);

  std::vector<T> tau;             // [nv]
  std::vector<Wrench<T>> F_Bo_W;  // [nlink]
  T power{};                      // of the current element, W
  Wrench<T> external;             // of the current element: total on the figures, about Wo in W
};

// How many numbers of memory (switches, instants of triggering) an element keeps.
int mode_count(const Element&);
// At the start of a step of length dt: sets the switches for the whole step. A timed window scales the push
// by the share of the step it covers, so that its impulse is right for any step.
void update_modes(const Element&, const Instant<double>&, double dt, std::span<double> modes);

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
};
template <class T>
AngleAndGradient<T> named_angle(const NamedAngle&, const Instant<T>&, int link);

}  // namespace marey
