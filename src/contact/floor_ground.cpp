// Ground that gives way.
//
// R (3.32): with the depth z of the point, F_n = a z^b + d ż. While a point is pressed into the ground the law is used as
// it stands, also a little beyond the instant at which F_n falls below zero, so that steps are smooth; that instant is an
// event. Along the plane the point slides, F_t = −μ_k F_n s, or sticks to the place δ = 0 at which it came to a stop, and
// the ground gives way there, too:
//   F_t = −k_t δ − d u_t   until |F_t| = μ_s F_n                                                                     (1)
// Were it held rigidly instead, two points of one body that tilts would be held by contradictions. Potentials:
// a z^(b+1)/(b+1) while the ground is pressed, and ½ k_t δ² while it sticks; what the ledger books is the rest of the
// power,
//   P = F · u − a z^b u_n + k_t δ · u_t                                                                              (2)
// and, where a phase ends, what is stored there and not in the phase that follows: once the ground has let go of a point
// it relaxes by itself, and after sticking what was stored along the plane is lost.
#include <algorithm>
#include <cmath>

#include "marey/contact/floor.h"
#include "marey/contact/floor_limits.h"
#include "marey/force/cast.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

using Stage = ContactPhase::Stage;
constexpr int normal_slot = 0;

// a z^b, continued beyond z = 0.
template <class T>
T spring_force(const CompliantGround& g, const T& depth) {
  if (g.exponent == 1) return T(g.stiffness) * depth;
  if (!(value_of(depth) > 0)) return T(0);
  return T(g.stiffness) * exp(T(g.exponent) * log(depth));
}

// k_t: as given, or that of the spring a millimetre deep.
double stiffness_along(const CompliantGround& g) {
  if (g.tangential > 0) return g.tangential;
  return g.stiffness * g.exponent * std::pow(1e-3, g.exponent - 1);
}

}  // namespace

// ---- forces
// F_n, F_t in the plane's axes; `place`: of the point along t₁ and t₂.
template <class T>
std::array<T, 3> FloorContacts::ground_force_of(std::size_t i, const T& depth, const std::array<T, 2>& place,
                                                const std::array<T, 3>& u) const {
  const FloorContact& c = contact(i);
  const ContactPhase& p = phase(i);
  const T F = spring_force(c.ground, depth) - T(c.ground.damping) * u[0];
  if (p.mode == Mode::stick) {  // (1)
    const T k(stiffness_along(c.ground)), d(c.ground.damping);
    return {F, -k * (place[0] - T(p.anchor[0])) - d * u[1], -k * (place[1] - T(p.anchor[1])) - d * u[2]};
  }
  if (c.friction_kinetic == 0) return {F, T(0), T(0)};
  const T rub = T(c.friction_kinetic) * F;
  const std::array<T, 2> s = friction_direction(u[1], u[2], p.direction, turning_floor_);
  return {F, -rub * s[0], -rub * s[1]};
}

std::array<double, 2> FloorContacts::place_of(std::size_t i) const {
  return {dot(axes_[i][1], motion_[i].p_WoC_W), dot(axes_[i][2], motion_[i].p_WoC_W)};
}

void FloorContacts::look_at_ground(std::size_t i) {
  const CompliantGround& g = contact(i).ground;
  const std::array<double, 3>& u = motion_[i].velocity;
  const double spring = spring_force(g, -motion_[i].gap);
  spring_[i] = std::max(0.0, spring);
  push_[i] = spring - g.damping * u[0];
  if (!pressed(i)) return;
  const Triple force = ground_force_of<double>(i, -motion_[i].gap, place_of(i), u);
  std::copy(force.begin(), force.end(), lambda_.begin() + static_cast<std::ptrdiff_t>(3 * i));
}

template <class T>
void FloorContacts::add_ground(const Instant<T>& now, ForceSum<T>& forces) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const FloorContact& c = contact(i);
    if (!(c.compliant || is_stepped(i)) || !pressed(i)) continue;
    const std::size_t link = static_cast<std::size_t>(c.link);
    const Transform<T>& X = now.X_WB[link];
    const Twist<T>& V = now.V_WB[link];
    const Vec3<T> r = X.R * cast<T>(c.point_B) + cast<T>(beyond_[i]), p = X.p + r, v = V.v + cross(V.w, r);
    const Vec3<T> n = cast<T>(axes_[i][0]), t_1 = cast<T>(axes_[i][1]), t_2 = cast<T>(axes_[i][2]);
    const auto constant = [&]() -> std::array<T, 3> {
      const std::array<double, 3>& force = phase(i).force;
      return {T(force[0]), T(force[1]), T(force[2])};
    };
    const std::array<T, 3> F = is_stepped(i)
                                   ? constant()
                                   : ground_force_of<T>(i, T(c.plane.offset) - dot(n, p), {dot(t_1, p), dot(t_2, p)},
                                                        {dot(n, v), dot(t_1, v), dot(t_2, v)});
    const Vec3<T> f = F[0] * n + F[1] * t_1 + F[2] * t_2;
    forces.F_Bo_W[link] += Wrench<T>{cross(r, f), f};
  }
}
template void FloorContacts::add_ground(const Instant<double>&, ForceSum<double>&) const;
template void FloorContacts::add_ground(const Instant<Dual1>&, ForceSum<Dual1>&) const;

// The power of the springs on the figure, the part of (2) that is not booked.
double FloorContacts::spring_power(std::size_t i) const {
  if (!pressed(i)) return 0;
  const std::array<double, 3>& u = motion_[i].velocity;
  const double power = spring_[i] * u[0];
  if (phase(i).mode != Mode::stick) return power;
  const std::array<double, 2> place = place_of(i), &anchor = phase(i).anchor;
  return power - stiffness_along(contact(i).ground) * ((place[0] - anchor[0]) * u[1] + (place[1] - anchor[1]) * u[2]);
}

double FloorContacts::stored(std::size_t i, const Vec3<double>& p_WoC_W) const {
  if (!pressed(i)) return 0;
  const CompliantGround& g = contact(i).ground;
  const double depth = contact(i).plane.offset - dot(axes_[i][0], p_WoC_W);
  const double across = depth > 0 ? spring_force(g, depth) * depth / (g.exponent + 1) : 0;
  if (phase(i).mode != Mode::stick) return across;
  const double x = dot(axes_[i][1], p_WoC_W) - phase(i).anchor[0], y = dot(axes_[i][2], p_WoC_W) - phase(i).anchor[1];
  return across + 0.5 * stiffness_along(g) * (x * x + y * y);
}

double FloorContacts::potential_on_top(double energy, const Instant<double>&,
                                       const Kinematics<double>& kinematics) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const FloorContact& c = contact(i);
    if (!c.compliant) continue;
    const Transform<double>& X = kinematics.X_WB[static_cast<std::size_t>(c.link)];
    sum += stored(i, X.p + X.R * c.point_B);
  }
  return energy + sum;
}

// ---- phases
void FloorContacts::ground_switches(std::size_t i, std::span<double> values) const {
  const FloorContact& c = contact(i);
  const ContactPhase& p = phase(i);
  const double depth = -motion_[i].gap;
  if (p.mode == Mode::free) {
    values[0] = -depth;
    if (p.stage == Stage::released) {
      values[0] = depth >= 0 ? -push_[i] : 1;
      values[1] = depth;
    }
    return;
  }
  values[0] = c.ground.damping > 0 ? push_[i] : depth;
  if (c.friction_static == 0) return;
  const std::array<double, 3>& u = motion_[i].velocity;
  if (p.mode == Mode::slide)
    values[1] = u[1] * p.direction[0] + u[2] * p.direction[1] + (p.stage == Stage::fresh ? limits::slip_floor : 0);
  else  // with a margin: at touch-down both forces are zero
    values[1] = c.friction_static * push_[i] - std::hypot(lambda_[3 * i + 1], lambda_[3 * i + 2]) +
                stiffness_along(c.ground) * nearness(i);
}

// A point pressed into the ground: slides if it is faster than `stuck_below`, or sticks where it is.
ContactPhase FloorContacts::pressed_phase(std::size_t i, double stuck_below) const {
  const std::array<double, 3>& u = motion_[i].velocity;
  const double speed = std::hypot(u[1], u[2]);
  ContactPhase phase;
  phase.mode = Mode::slide;
  phase.direction = {1, 0};
  if (speed > limits::slip_floor) phase.direction = {u[1] / speed, u[2] / speed};
  if (speed > stuck_below || contact(i).friction_static == 0) return phase;
  phase.mode = Mode::stick;
  phase.anchor = place_of(i);
  return phase;
}

void FloorContacts::start_ground(std::size_t i) {
  now_[i] = {};
  if (motion_[i].gap >= 0) return;
  if (push_[i] > 0)
    now_[i] = pressed_phase(i, limits::slip_floor);
  else
    now_[i].stage = Stage::released;
}

// The event ends a phase of the contact.
void FloorContacts::turn_ground(std::size_t i, int slot) {
  const ContactPhase before = now_[i];
  const double before_that = stored(i, motion_[i].p_WoC_W);
  ContactPhase& phase = now_[i];
  if (before.mode == Mode::free) {
    const bool came_out = before.stage == Stage::released && slot != normal_slot;
    phase = came_out ? ContactPhase{} : pressed_phase(i, limits::slip_floor);
  } else if (slot == normal_slot) {
    phase = {};
    if (contact(i).ground.damping > 0 && -motion_[i].gap > resolution(i)) phase.stage = Stage::released;
  } else if (before.mode == Mode::slide) {
    // It has stopped, or its slip has turned far from where it began. A slip so slow that friction has no sharp direction
    // any more would go round and round: the ground can hold it as it is.
    phase = pressed_phase(i, 2 * limits::turning_floor);
  } else {  // it slips: along its motion, or where the ground gives way to
    phase = pressed_phase(i, limits::slip_floor);
    if (phase.mode == Mode::stick) {
      const double x = lambda_[3 * i + 1], y = lambda_[3 * i + 2], force = std::hypot(x, y);
      phase = {};
      phase.mode = Mode::slide, phase.stage = Stage::fresh;
      phase.direction = force > 0 ? std::array{-x / force, -y / force} : std::array{1.0, 0.0};
    }
  }
  loss_[i] += before_that - stored(i, motion_[i].p_WoC_W);
}

}  // namespace marey
