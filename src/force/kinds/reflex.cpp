// A torque by what an angle was a reaction time ago (R11).
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

namespace marey {
namespace {

// s of (1) at one instant, whichever it is.
template <class T>
T response(const Reflex& e, const Instant<T>& at) {
  const LinkTopology& joint = at.model.links[index(e.link)];
  const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
  T off = a.angle - T(e.target);
  const bool turns = has_attitude(joint.joint);
  if (turns && e.angle.kind != NamedAngle::Kind::swing) {
    constexpr double pi = std::numbers::pi, turn = 2 * pi;
    const double whole = turn * std::round(e.target / turn);  // now off is within a turn and a half
    off = off + T(whole);
    off = select(off > T(pi), off - T(turn), select(off < T(-pi), off + T(turn), off));
  }
  T rate(0);
  for (int k = 0; k < std::min(turns ? 3 : 1, freedom_count(joint)); ++k)
    rate += a.gradient[k] * at.v[index(joint.v + a.first + k)];
  return T(-e.stiffness) * off - T(e.damping) * rate;
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

  // As if it came at once.
  static void stiffness(const Reflex& e, AdviserRows& rows) {
    if (e.stiffness > 0) rows.along_angle(rows.springs, e.link, e.angle, e.stiffness);
    if (e.damping > 0) rows.along_angle(rows.dampers, e.link, e.angle, e.damping);
  }
  static void numbers(Reflex& e, Numbers& n) {
    n.add("target", e.target), n.add("stiffness", e.stiffness), n.add("damping", e.damping);
  }
};
MAREY_ELEMENT(Reflex)

}  // namespace marey
