// What each element does, its potential, and the power of its moving parameters.
//
// Torque function with free play (A4, fig. 2), on a named angle θ with gradient g, θ̇ = g·v:
//   e₊ = max(θ − to, 0),  e₋ = max(from − θ, 0)
//   V = ½ k₊ e₊² + ½ k₋ e₋²,   τ = (k₋ e₋ − k₊ e₊) g                                               (1)
//   ∂V/∂t = ½ k̇₊ e₊² + ½ k̇₋ e₋² − k₊ e₊ d(to)/dt + k₋ e₋ d(from)/dt                                (2)
// V is C¹. An angle that is known up to whole turns (twist, Euler x and z) is taken in the turn nearest to the middle
// of the zone, so that a zone may lie anywhere, also across ±π; half a turn away from the middle the torque changes
// side. The coordinate of a hinge counts its turns and is taken as it is.
//
// Friction of a joint: τ = −c v; on a ball v is the angular velocity of the link relative to its parent.
//
// Support spring (A5; proportional to the distance, where the print says inversely): with r = R_WB p_BoQ_B,
//   V = ½ k |p_WoQ − target|²,   f = −k (p_WoQ − target) at Q                                      (3)
// and, turning the axes b_i of the link (columns of R_WB) to those of the target t_i, φ the angle between the two,
//   V = ¼ k Σ |b_i − t_i|² = k (1 − cos φ),   n = ½ k Σ b_i × t_i = −k sin φ (axis of the turn)    (4)
// which is ½ k φ² for small φ but smooth for all: no angle, no branch, no singular pose but the unstable rest at π.
//
// Support damper: f = −c (velocity of Q) at Q, n = −c w_WB. Push: force at Q and torque, times its mode.
#include <array>
#include <cmath>
#include <numbers>

#include "core/index.h"
#include "force/along_angle.h"
#include "force/cast.h"
#include "force/kinds.h"
#include "force/zone.h"
#include "marey/force.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

template <class T>
Wrench<T> force_at(const Vec3<T>& r, const Vec3<T>& f) {  // r = p_BoQ_W; about Bo
  return {cross(r, f), f};
}

// -------------------------------------------------------------------------------------- torque functions
bool counts_no_turns(const FreePlay& e, const Model& model) {
  const JointType joint = model.links[index(e.link)].joint;
  return has_attitude(joint) && e.angle.kind != NamedAngle::Kind::swing;
}

// How far the angle lies above `to` and below `from`; negative within.
template <class T>
struct Excess {
  T above, below;
  Vec3<T> gradient;  // g
  int first;
};

template <class T>
Excess<T> signed_excess(const FreePlay& e, const Instant<T>& at) {
  const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
  double from = e.from.at(at.t), to = e.to.at(at.t);
  T angle = a.angle;
  if (counts_no_turns(e, at.model)) {
    constexpr double pi = std::numbers::pi, turn = 2 * pi;
    const double turns = turn * std::round((from + to) / 2 / turn);
    from -= turns, to -= turns;  // now −π ≤ middle ≤ π, and one turn at most separates the angle from it
    const double middle = (from + to) / 2;
    angle = select(angle > T(middle + pi), angle - T(turn), select(angle < T(middle - pi), angle + T(turn), angle));
  }
  return {angle - T(to), T(from) - angle, a.gradient, a.first};
}

// e₊, e₋. In a frozen zone the law of that zone goes on beyond its edge, until the event that ends it.
template <class T>
Excess<T> excess(const FreePlay& e, const Instant<T>& at, Zone zone = Zone::by_angle) {
  const Excess<T> x = signed_excess(e, at);
  if (zone == Zone::by_angle) return {max(x.above, T(0)), max(x.below, T(0)), x.gradient, x.first};
  return {zone == Zone::above ? x.above : T(0), zone == Zone::below ? x.below : T(0), x.gradient, x.first};
}

template <class T>
void act(const FreePlay& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
  const Excess<T> x = excess(e, at, modes.empty() ? Zone::by_angle : static_cast<Zone>(static_cast<int>(modes[0])));
  const T slope = T(e.slope_below.at(at.t)) * x.below - T(e.slope_above.at(at.t)) * x.above;  // (1)
  torque_along(x.gradient, x.first, slope, at, e.link, sum);
}

template <class T>
T energy(const FreePlay& e, const Instant<T>& at) {
  const Excess<T> x = excess(e, at);
  return T(0.5 * e.slope_above.at(at.t)) * x.above * x.above + T(0.5 * e.slope_below.at(at.t)) * x.below * x.below;
}

template <class T>
T energy_rate(const FreePlay& e, const Instant<T>& at) {  // (2)
  const Excess<T> x = excess(e, at);
  const double t = at.t;
  return x.above * (T(0.5 * e.slope_above.rate(t)) * x.above - T(e.slope_above.at(t) * e.to.rate(t))) +
         x.below * (T(0.5 * e.slope_below.rate(t)) * x.below + T(e.slope_below.at(t) * e.from.rate(t)));
}

// ----------------------------------------------------------------------------------------------- friction
template <class T>
void act(const JointFriction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  const LinkTopology& joint = at.model.links[index(e.link)];
  if (joint.joint == JointType::free || joint.joint == JointType::weld) return;
  const std::size_t n = index(freedom_count(joint));
  std::array<T, most_freedoms> tau;
  tau.fill(T(0));
  for (std::size_t i = 0; i < n; ++i)
    if (e.freedom < 0 || index(e.freedom) == i) tau[i] = T(-e.coefficient) * at.v[index(joint.v) + i];
  sum.joint(at, e.link, std::span<const T>(tau).first(n));
}

// ------------------------------------------------------------------------------------------------ supports
template <class T>
void act(const SupportSpring& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  const Transform<T>& X_WB = at.X_WB[index(e.link)];
  const Vec3<T> r = X_WB.R * cast<T>(e.point_B);
  Wrench<T> F = force_at(r, T(-e.stiffness) * (X_WB.p + r - cast<T>(e.target_W)));  // (3)
  if (e.turning_stiffness != 0) {                                                   // (4), Σ b_i × t_i
    const Mat3<T> A = X_WB.R * transpose(cast<T>(rotation(e.target_turn)));
    F.n += T(0.5 * e.turning_stiffness) * Vec3<T>{A.yz - A.zy, A.zx - A.xz, A.xy - A.yx};
  }
  sum.wrench(at, e.link, F);
}

template <class T>
T energy(const SupportSpring& e, const Instant<T>& at) {
  const Transform<T>& X_WB = at.X_WB[index(e.link)];
  T V = T(0.5 * e.stiffness) * norm_squared(X_WB * cast<T>(e.point_B) - cast<T>(e.target_W));
  if (e.turning_stiffness != 0) {
    const Mat3<T> d = X_WB.R - cast<T>(rotation(e.target_turn));
    V += T(0.25 * e.turning_stiffness) * (d.xx * d.xx + d.xy * d.xy + d.xz * d.xz + d.yx * d.yx + d.yy * d.yy +
                                          d.yz * d.yz + d.zx * d.zx + d.zy * d.zy + d.zz * d.zz);
  }
  return V;
}

template <class T>
void act(const SupportDamper& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  const Twist<T>& V_WB = at.V_WB[index(e.link)];
  const Vec3<T> r = at.X_WB[index(e.link)].R * cast<T>(e.point_B);
  Wrench<T> F = force_at(r, T(-e.damping) * (V_WB.v + cross(V_WB.w, r)));
  F.n -= T(e.turning_damping) * V_WB.w;
  sum.wrench(at, e.link, F);
}

// -------------------------------------------------------------------------------------------------- pushes
template <class T>
void act(const Push& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
  const Mat3<T>& R_WB = at.X_WB[index(e.link)].R;
  const T acting(modes[0]);
  Vec3<T> f = acting * cast<T>(e.force), n = acting * cast<T>(e.torque);
  if (e.body_axes) f = R_WB * f, n = R_WB * n;
  Wrench<T> F = force_at(R_WB * cast<T>(e.point_B), f);
  F.n += n;
  sum.wrench(at, e.link, F);
}

// Elements without a potential.
template <class E, class T>
T energy(const E&, const Instant<T>&) {
  return T(0);
}
template <class E, class T>
T energy_rate(const E&, const Instant<T>&) {
  return T(0);
}

}  // namespace

Zone zone_at(const FreePlay& e, const Instant<double>& at) {
  const Excess<double> x = signed_excess(e, at);
  return x.above > 0 ? Zone::above : x.below > 0 ? Zone::below : Zone::inside;
}

void zone_margins(const FreePlay& e, const Instant<double>& at, Zone zone, std::span<double> margins) {
  margins[0] = margins[1] = 1;
  if (zone == Zone::by_angle) return;
  const Excess<double> x = signed_excess(e, at);
  if (zone != Zone::above) margins[0] = zone == Zone::below ? x.below : -x.below;
  if (zone != Zone::below) margins[1] = zone == Zone::above ? x.above : -x.above;
}

Zone zone_beyond(Zone zone, int edge) {
  if (zone != Zone::inside) return Zone::inside;
  return edge == 0 ? Zone::below : Zone::above;
}

Nature nature_of(const Element& element) {
  struct {
    Nature operator()(const FreePlay&) const { return Nature::conservative; }
    Nature operator()(const SupportSpring&) const { return Nature::conservative; }
    Nature operator()(const JointFriction&) const { return Nature::passive; }
    Nature operator()(const SupportDamper&) const { return Nature::passive; }
    Nature operator()(const Push&) const { return Nature::active; }
    Nature operator()(const SpringNet&) const { return Nature::conservative; }
    Nature operator()(const DamperNet&) const { return Nature::passive; }
    Nature operator()(const Attraction&) const { return Nature::conservative; }
    Nature operator()(const MutualAttraction&) const { return Nature::conservative; }
    Nature operator()(const Drag&) const { return Nature::passive; }
    Nature operator()(const Field& e) const { return e.potential.empty() ? Nature::active : Nature::conservative; }
    Nature operator()(const MovingFrame& e) const { return nature_of(e.part); }
    Nature operator()(const Reflex&) const { return Nature::active; }
  } nature;
  return std::visit(nature, element.kind);
}

template <class T>
void evaluate(const Element& element, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
  sum.begin_element();
  std::visit([&](const auto& e) { act(e, at, modes, sum); }, element.kind);
}

template <class T>
T potential(const Element& element, const Instant<T>& at) {
  return std::visit([&](const auto& e) { return energy(e, at); }, element.kind);
}

template <class T>
T potential_rate(const Element& element, const Instant<T>& at) {
  return std::visit([&](const auto& e) { return energy_rate(e, at); }, element.kind);
}

#define MAREY_INSTANTIATE(T)                                                                        \
  template void evaluate(const Element&, const Instant<T>&, std::span<const double>, ForceSum<T>&); \
  template T potential(const Element&, const Instant<T>&);                                          \
  template T potential_rate(const Element&, const Instant<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
