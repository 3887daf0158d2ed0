// A torque determined by the value of an angle a reaction time ago (R11).
//
// On a named angle θ with gradient g, θ̇ = g·v:
//   s = −k (θ(t − T) − θ₀) − d θ̇(t − T),   τ = s g(t)                                                              (1)
// The torque acts through the angle as it is now; the past enters as numbers, which do not depend on the present state. An
// angle known up to whole turns is taken in the turn nearest to θ₀.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "force/along_angle.h"
#include "force/descriptor.h"
#include "marey/force/element_maker.h"

namespace marey {
namespace {

// s of (1) at one instant, past or present.
template <class T>
T response(const Reflex& e, const Instant<T>& at) {
  const LinkTopology& joint = at.model.links[index(e.link)];
  const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
  T off = a.angle - T(e.target);
  const bool turns = has_attitude(joint.joint);
  if (turns && e.angle.kind != NamedAngle::Kind::swing) {
    constexpr double pi = std::numbers::pi, turn = 2 * pi;
    const double whole = turn * std::round(e.target / turn);  // now the deviation is within a turn and a half
    off = off + T(whole);
    off = select(off > T(pi), off - T(turn), select(off < T(-pi), off + T(turn), off));
  }
  return T(-e.stiffness) * off - T(e.damping) * rate_along(a, at, e.link);
}

template <class T>
T delayed_response(const Reflex& e, const Instant<T>& at) {
  if (at.past == nullptr) return response(e, at);
  const Past::View then = at.past->at(at.t - e.delay);
  return T(response(e, Instant<double>{at.model, at.t - e.delay, then.q, then.v, {}, {}}));
}

}  // namespace

template <>
struct Descriptor<Reflex> {
  static constexpr const char* word = "reflex";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::active;
  static double delay(const Reflex& e) { return e.delay; }

  template <class T>
  static void act(const Reflex& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const T s = delayed_response(e, at);
    const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
    torque_along(a.gradient, a.first, s, at, e.link, sum);
  }

  static std::string refusal(const Model& model, const Reflex& e) {
    if (!(e.delay > 0 && std::isfinite(e.delay))) return "'delay' must be a time above 0";
    if (!std::isfinite(e.target)) return "'target' is not finite";
    if (e.stiffness == 0 && e.damping == 0) return "it has neither stiffness nor damping";
    return first_of({refusal_of_angle(model, e.link, e.angle), refusal_of_constant("stiffness", e.stiffness),
                     refusal_of_constant("damping", e.damping)});
  }

  // As if there were no delay.
  static void stiffness(const Reflex& e, AdviserRows& rows) {
    if (e.stiffness > 0) rows.along_angle(rows.springs, e.link, e.angle, e.stiffness);
    if (e.damping > 0) rows.along_angle(rows.dampers, e.link, e.angle, e.damping);
  }
  static void numbers(Reflex& e, Numbers& n) {
    n.add("target", e.target), n.add("stiffness", e.stiffness), n.add("damping", e.damping);
  }
};
MAREY_ELEMENT(Reflex)

// ---- in scenes
static void make_reflex(MapReader& map, ElementMaker& maker) {
  const Value& node = map.node();
  const Value *angle = map.get("angle"), *target = map.get("target"), *stiffness = map.get("stiffness"),
              *damping = map.get("damping"), *name = map.get("name"), *coordinate = map.get("coordinate");
  if (!stiffness && !damping) refuse(node.at, "found a reflex that does nothing; expected stiffness, damping or both");
  Reflex reflex;
  reflex.delay = map.number("delay");
  const std::vector<int> joints = maker.joints_with(angle, coordinate, map.need("joint"));
  const bool length = maker.all_lengths(joints, coordinate, node);
  if (stiffness)
    reflex.stiffness = read_number(*stiffness, length ? kinds::stiffness : kinds::turning_stiffness, Range::positive);
  if (damping)
    reflex.damping = read_number(*damping, length ? kinds::damping : kinds::turning_damping, Range::positive);
  for (const int link : joints) {
    reflex.link = link;
    reflex.angle = maker.named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    reflex.target = target ? read_number(*target, length ? kinds::length : kinds::angle)
                           : named_angle(reflex.angle, maker.start(), link).angle;
    maker.add(name, joints.size() > 1, link, "reflex", reflex);
  }
}
extern const ElementForm reflex_form{
    "a torque by what an angle was a while ago",
    {"reflex",
     "A torque towards a target angle, by what the angle and its rate were a reaction time ago.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"angle", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"target", "q:angle or q:length", "the angle it steers to; default: the one at the start"},
      {"stiffness", "q:turning_stiffness>0 or q:stiffness>0", "torque per angle off the target"},
      {"damping", "q:turning_damping>0 or q:damping>0", "torque per rate of the angle"},
      {"delay", "q:time>0", "how long ago", true}}},
    make_reflex,
    {"{joint: figure.hand, stiffness: 2 N m/rad, damping: 0.1 N m s/rad, delay: 30 ms}",
     "{joint: figure.arm, angle: {swing: z}, target: 20 deg, stiffness: 1 N m/rad, delay: 50 ms, name: startle}",
     "{joint: figure.bolt, coordinate: slide, target: 5 cm, stiffness: 30 N/m, delay: 20 ms}"}};

}  // namespace marey
