// Limits of joints that give way: springs (W4), exponentials (W4), and (4.2) of R8.
//
// θ the angle with gradient g, θ̇ = g·v; δ = to − θ at the upper limit, θ − from at the lower one; f(δ) ≥ 0 as marey/force/joint_limit.h
// says. The torque away from the limit is f (1 + d r), r = −δ̇ the rate of approach, and it never pulls:
//   spring   τ = (f(θ − from) − f(to − θ)) g,     V = ∫_δ^∞ f                                                       (1)
//   damper   τ = ± f max(d r, −1) g away from the limit, power −f d r² or −f |r| ≤ 0                                (2)
// Printed, (4.2) is [a |δ|^b + c]⁻¹ (1 + d φ̇): here φ̇ is the rate of approach and the torque away from the limit; beyond the limit,
// where |δ| grows again, it does not become less; and what it jumps to at φ_on = begins is taken off all of it.
//
// The integral of (4.2) has no closed form for any b: Gauss and Legendre's 16 points on panels that halve towards the limit.
//
// modes[0] of the spring is the zone, as of free play: by the angle, or frozen between events, where steps would lose their order at
// the corner.
#include "marey/force/joint_limit.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>

#include "force/along_angle.h"
#include "force/descriptor.h"
#include "marey/force/element_maker.h"

namespace marey {
namespace {

enum class LimitZone { by_angle, below, inside, above };
LimitZone limit_zone_of(std::span<const double> modes) {
  return modes.empty() ? LimitZone::by_angle : static_cast<LimitZone>(static_cast<int>(modes[0]));
}

using LimitKind = LimitLaw::Kind;

template <class T>
T raised(const T& x, double b) {
  return b == 1 ? x : b == 2 ? x * x : exp(T(b) * log(max(x, T(1e-12))));
}

// f, as it is before the limit, continued beyond where it begins.
template <class T>
T smooth_torque(const LimitLaw& law, const T& delta) {
  if (law.kind == LimitKind::spring) return T(law.stiffness) * (T(law.begins) - delta);
  if (law.kind == LimitKind::exponential) return T(law.torque) * exp(T(-1 / law.over) * delta);
  const T inside = T(1) / (T(law.a) * raised(max(delta, T(0)), law.b) + T(law.c));
  return inside - T(1 / (law.a * std::pow(law.begins, law.b) + law.c));
}
template <class T>
T torque_of(const LimitLaw& law, const T& delta) {
  return max(smooth_torque(law, delta), T(0));
}

// Points and weights of (−1, 1), the positive half.
constexpr std::array<std::array<double, 2>, 8> gauss{{{0.0950125098376374, 0.1894506104550685},
                                                      {0.2816035507792589, 0.1826034150449236},
                                                      {0.4580167776572274, 0.1691565193950025},
                                                      {0.6178762444026438, 0.1495959888165767},
                                                      {0.7554044083550030, 0.1246289712555339},
                                                      {0.8656312023878318, 0.0951585116824928},
                                                      {0.9445750230732326, 0.0622535239386479},
                                                      {0.9894009349916499, 0.0271524594117541}}};

template <class T>
T integral_of(const LimitLaw& law, const T& from, const T& to) {
  const T half = T(0.5) * (to - from), middle = T(0.5) * (to + from);
  T sum(0);
  for (const auto& [x, w] : gauss)
    sum += T(w) * (smooth_torque(law, middle + T(x) * half) + smooth_torque(law, middle - T(x) * half));
  return half * sum;
}

template <class T>
T potential_of(const LimitLaw& law, const T& delta) {
  if (law.kind == LimitKind::spring) {
    const T e = max(T(law.begins) - delta, T(0));
    return T(0.5 * law.stiffness) * e * e;
  }
  if (law.kind == LimitKind::exponential) return T(law.over) * torque_of(law, delta);
  if constexpr (std::is_same_v<T, double>)
    if (delta >= law.begins) return 0;
  const T inside = max(delta, T(0));
  T V = (inside - delta) * smooth_torque(law, T(0));  // beyond the limit
  double upper = law.begins;
  constexpr int panels = 14;
  for (int k = 0; k < panels; ++k, upper *= 0.5) {
    const double lower = k + 1 < panels ? 0.5 * upper : 0;
    V += integral_of(law, min(max(inside, T(lower)), T(upper)), T(upper));
  }
  return V;
}

bool limit_comes_round(const JointLimit& e, const Model& model) {
  using Angle = NamedAngle::Kind;
  return has_attitude(model.links[index(e.link)].joint) &&
         (e.angle.kind == Angle::twist || e.angle.kind == Angle::euler_x || e.angle.kind == Angle::euler_z);
}

// The distances to both limits; `forever` where there is none.
template <class T>
struct Distances {
  T below, above;
  Vec3<T> gradient;  // g
  int first;
};
template <class T>
Distances<T> distances(const JointLimit& e, const Instant<T>& at) {
  const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
  T angle = a.angle;
  if (limit_comes_round(e, at.model)) {  // the turn that is nearest to the middle
    constexpr double pi = std::numbers::pi;
    const double middle = 0.5 * (e.from + e.to), turns = 2 * pi * std::round(middle / (2 * pi));
    const double rest = middle - turns;
    angle = angle + T(turns);
    angle = select(angle > T(turns + rest + pi), angle - T(2 * pi),
                   select(angle < T(turns + rest - pi), angle + T(2 * pi), angle));
  }
  return {angle - T(e.from), T(e.to) - angle, a.gradient, a.first};
}
bool has_lower(const JointLimit& e) { return std::isfinite(e.from); }
bool has_upper(const JointLimit& e) { return std::isfinite(e.to); }
// How far before its limit a torque begins; of an exponential nowhere.
bool has_corner(const JointLimit& e) { return e.law.kind != LimitKind::exponential; }

std::string refusal_of_law(const LimitLaw& law) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  if (!(std::isfinite(law.begins) && law.begins >= 0)) return "it begins beyond its limit";
  switch (law.kind) {
    case LimitKind::spring:
      return refusal_of_constant("stiffness", law.stiffness);
    case LimitKind::exponential:
      if (!positive(law.over)) return "'over' is not above zero";
      return refusal_of_constant("torque", law.torque);
    case LimitKind::power:
      break;
  }
  if (!positive(law.a) || !positive(law.c)) return "a or c is not above zero";
  if (!(law.b >= 1 && law.b <= 20)) return "b is not from 1 to 20";
  return positive(law.begins) ? "" : "it has no zone to act in: 'begins' is not above zero";
}

std::string refusal_of_limit(const Model& model, const JointLimit& e) {
  if (std::string why = refusal_of_angle(model, e.link, e.angle); !why.empty()) return why;
  if (std::isnan(e.from) || std::isnan(e.to) || !(e.from < e.to)) return "its range is empty: 'from' is not below 'to'";
  if (limit_comes_round(e, model) && !(has_lower(e) && has_upper(e)))
    return "it has one end of an angle that comes round after a whole turn";
  return refusal_of_law(e.law);
}

// −df/dδ at δ.
double slope_at(const LimitLaw& law, double delta) {
  if (law.kind == LimitKind::spring) return law.stiffness;
  if (law.kind == LimitKind::exponential) return law.torque / law.over * std::exp(-delta / law.over);
  const double x = std::max(delta, 0.0), inverse = law.a * std::pow(x, law.b) + law.c;
  return law.a * law.b * std::pow(x, law.b - 1) / (inverse * inverse);
}
double steepest(const LimitLaw& law) {
  if (law.kind != LimitKind::power) return slope_at(law, 0);
  double most = 0;
  constexpr int points = 64;
  for (int i = 0; i <= points; ++i) most = std::max(most, slope_at(law, law.begins * i / points));
  return most;
}

void add_numbers(Numbers& n, LimitLaw& law) {
  if (law.kind == LimitKind::spring) n.add("slope", law.stiffness);
  if (law.kind == LimitKind::power) n.add("power/a", law.a), n.add("power/b", law.b), n.add("power/c", law.c);
  if (law.kind == LimitKind::exponential) n.add("exponential/torque", law.torque), n.add("exponential/over", law.over);
  if (law.kind != LimitKind::exponential) n.add("begins", law.begins);
}

}  // namespace

template <>
struct Descriptor<JointLimit> {
  static constexpr const char* word = "limit";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::conservative;

  static JointSlope slope_in_joint(const JointLimit& e, std::span<const double> modes) {
    const bool idle = has_corner(e) && limit_zone_of(modes) == LimitZone::inside;
    return {idle ? JointSlope::Kind::none : JointSlope::Kind::of_coordinates};
  }
  template <class T>
  static void act(const JointLimit& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    const LimitZone zone = limit_zone_of(modes);
    if (zone == LimitZone::inside) return;
    const Distances<T> d = distances(e, at);
    T torque(0);
    if (has_lower(e) && zone != LimitZone::above)
      torque += zone == LimitZone::below ? smooth_torque(e.law, d.below) : torque_of(e.law, d.below);
    if (has_upper(e) && zone != LimitZone::below)
      torque -= zone == LimitZone::above ? smooth_torque(e.law, d.above) : torque_of(e.law, d.above);
    torque_along(d.gradient, d.first, torque, at, e.link, sum);  // (1)
  }
  template <class T>
  static T energy(const JointLimit& e, const Instant<T>& at) {
    const Distances<T> d = distances(e, at);
    T V(0);
    if (has_lower(e)) V += potential_of(e.law, d.below);
    if (has_upper(e)) V += potential_of(e.law, d.above);
    return V;
  }

  // ---- switches: where the torque begins
  static constexpr bool switches_at_corners_alone = true;
  static int mode_count(const JointLimit&) { return 1; }
  static void start_modes(const JointLimit& e, const Instant<double>& at, bool smooth, std::span<double> modes) {
    LimitZone zone = LimitZone::by_angle;
    if (smooth && has_corner(e)) {
      const Distances<double> d = distances(e, at);
      zone = d.below < e.law.begins ? LimitZone::below : d.above < e.law.begins ? LimitZone::above : LimitZone::inside;
    }
    modes[0] = static_cast<double>(zone);
  }
  static double next_instant(const JointLimit&, double, std::span<const double>) { return forever; }
  static int switch_count(const JointLimit& e) { return has_corner(e) ? 2 : 0; }
  static void switch_values(const JointLimit& e, const Instant<double>& at, std::span<const double> modes,
                            std::span<double> values) {
    const LimitZone zone = limit_zone_of(modes);
    if (values.empty()) return;
    values[0] = values[1] = 1;
    if (zone == LimitZone::by_angle) return;
    const Distances<double> d = distances(e, at);
    const double below = d.below - e.law.begins, above = d.above - e.law.begins;
    if (zone != LimitZone::above && has_lower(e)) values[0] = zone == LimitZone::below ? -below : below;
    if (zone != LimitZone::below && has_upper(e)) values[1] = zone == LimitZone::above ? -above : above;
  }
  static void switch_modes(const JointLimit&, const Instant<double>&, int which, std::span<double> modes) {
    if (which == by_clock || limit_zone_of(modes) == LimitZone::by_angle) return;
    const LimitZone beyond = limit_zone_of(modes) != LimitZone::inside ? LimitZone::inside
                             : which == 0                              ? LimitZone::below
                                                                       : LimitZone::above;
    modes[0] = static_cast<double>(beyond);
  }

  static std::string refusal(const Model& model, const JointLimit& e) {
    if (std::string why = refusal_of_limit(model, e); !why.empty()) return why;
    if (has_corner(e) && has_lower(e) && has_upper(e) && !(e.to - e.from > 2 * e.law.begins))
      return "its torques at both ends begin before they have left each other";
    return {};
  }
  static void stiffness(const JointLimit& e, AdviserRows& rows) {
    const JointType joint = rows.at.model.links[index(e.link)].joint;
    if (joint == JointType::weld || joint == JointType::point) return;
    const double k = steepest(e.law);
    if (k > 0) rows.along_angle(rows.springs, e.link, e.angle, k);
  }
  static void numbers(JointLimit& e, Numbers& n) { add_numbers(n, e.law); }
};
MAREY_ELEMENT(JointLimit)

template <>
struct Descriptor<JointLimitDamper> {
  static constexpr const char* word = "damping of a limit";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const JointLimitDamper& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Distances<T> d = distances(e.limit, at);
    const std::size_t v = index(at.model.links[index(e.link)].v + d.first);
    const int freedoms = freedom_count(at.model.links[index(e.link)]);
    T rate(0);
    for (int k = 0; k < 3 && d.first + k < freedoms; ++k) rate += d.gradient[k] * at.v[v + index(k)];
    const auto damped = [&](const T& delta, const T& approach) {
      return torque_of(e.limit.law, delta) * max(T(e.damping) * approach, T(-1));
    };
    T torque(0);
    if (has_lower(e.limit)) torque += damped(d.below, -rate);
    if (has_upper(e.limit)) torque -= damped(d.above, rate);
    torque_along(d.gradient, d.first, torque, at, e.link, sum);  // (2)
  }

  static std::string refusal(const Model& model, const JointLimitDamper& e) {
    if (e.link != e.limit.link) return "it is not in the joint of its limit";
    if (std::string why = refusal_of_limit(model, e.limit); !why.empty()) return why;
    return refusal_of_constant("damping", e.damping);
  }
  // With the torque of now, or that at the limit where it is more.
  static void stiffness(const JointLimitDamper& e, AdviserRows& rows) {
    const JointType joint = rows.at.model.links[index(e.link)].joint;
    if (joint == JointType::weld || joint == JointType::point) return;
    const Distances<double> d = distances(e.limit, rows.at);
    const double least = std::min({d.below, d.above, 0.0});
    const double c = e.damping * torque_of(e.limit.law, least);
    if (c > 0) rows.along_angle(rows.dampers, e.link, e.limit.angle, c);
  }
  static void numbers(JointLimitDamper& e, Numbers& n) {
    n.add("damping", e.damping);
    add_numbers(n, e.limit.law);
  }
};
MAREY_ELEMENT(JointLimitDamper)

// ---- in scenes
namespace {

LimitLaw read_law(MapReader& map) {
  LimitLaw law;
  const std::string form = map.one_of({"slope", "power", "exponential"});
  if (form.empty()) refuse(map.node().at, "found a limit without a torque; expected slope, power or exponential");
  if (form == "slope") {
    law.stiffness = map.number("slope"), law.begins = map.number_or("begins", 0);
  } else if (form == "power") {
    MapReader of(map.need("power"), power_limit_keys());
    law.kind = LimitKind::power;
    law.a = of.number("a"), law.b = of.number("b"), law.c = of.number("c");
    law.begins = map.number("begins");
    if (!(law.b >= 1 && law.b <= 20)) refuse_value(of.need("b"), "an exponent from 1 to 20");
    if (!(law.begins > 0)) refuse_value(map.need("begins"), "an angle above zero: the zone in which the torque acts");
  } else {
    MapReader of(map.need("exponential"), exponential_limit_keys());
    law.kind = LimitKind::exponential, law.torque = of.number("torque"), law.over = of.number("over");
  }
  return law;
}

void make_limit(MapReader& map, ElementMaker& maker) {
  const Value *which = map.get("angle"), *coordinate = map.get("coordinate"), *name = map.get("name");
  const std::vector<int> joints = maker.joints_with(which, coordinate, map.need("joint"));
  if (maker.all_lengths(joints, coordinate, map.node()))
    refuse(map.need("joint").at, "found a limit of a joint that slides; expected one that turns, or a stop");
  JointLimit limit;
  const std::optional<double> from = map.number_if("from"), to = map.number_if("to"),
                              damping = map.number_if("damping");
  if (!from && !to) refuse(map.node().at, "found a limit without an end; expected from, to or both");
  limit.from = from.value_or(-forever), limit.to = to.value_or(forever);
  if (!(limit.from < limit.to)) refuse_value(map.need("to"), "an end above the other, 'from'");
  limit.law = read_law(map);
  map.done("of a limit of this law");
  if (from && to && !(limit.to - limit.from > 2 * limit.law.begins))
    refuse_value(map.need("begins"), "less than half the range: the torques of both ends would meet");
  for (const int link : joints) {
    limit.link = link;
    limit.angle = maker.named_angle_of(which, coordinate, link, which ? which->at : map.node().at);
    if (limit_comes_round(limit, maker.model()) && !(from && to))
      refuse(map.node().at,
             "found a limit with one end of an angle that comes round after a whole turn; expected from and to");
    maker.add(name, joints.size() > 1, link, "limit", limit);
    if (damping && *damping > 0)
      maker.add_checked(maker.made().back().name + "/damping", name != nullptr, JointLimitDamper{limit, *damping, link},
                        map.entry_at());
  }
}

}  // namespace

const KeyTable& power_limit_keys() {
  static const KeyTable table{"power_limit",
                              "The torque 1/(a d^b + c) at the distance d before the limit.",
                              {{"a", "q:number>0", "in 1/(N m rad^b)", true},
                               {"b", "q:number>0", "1 or more", true},
                               {"c", "q:number>0", "in 1/(N m): the torque at the limit is nearly its inverse", true}}};
  return table;
}
const KeyTable& exponential_limit_keys() {
  static const KeyTable table{"exponential_limit",
                              "A torque that grows exponentially towards the limit, and beyond.",
                              {{"torque", "q:torque>0", "at the limit", true},
                               {"over", "q:angle>0", "the angle over which it grows e-fold", true}}};
  return table;
}

extern const ElementForm limit_form{
    "a torque that keeps a joint from its limits",
    {"limit",
     "A torque that grows as an angle comes near the ends of its range, and gives way: a spring, the law (4.2), or an "
     "exponential.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"angle", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"from", "q:angle", "the lower end of the range; default: none"},
      {"to", "q:angle", "the upper end; default: none"},
      {"slope", "q:turning_stiffness>=0", "a spring: torque per angle"},
      {"power", "@power_limit", "a, b, c of the torque 1/(a d^b + c), d the distance before the limit"},
      {"exponential", "@exponential_limit", "a torque that grows e-fold over an angle"},
      {"begins", "q:angle>=0", "how far before the limit the torque begins; of a spring default: 0"},
      {"damping", "q:number>=0",
       "times the rate of approach in rad/s: by which part the torque is larger; default: 0"}}},
    make_limit,
    {"{joint: figure.hand, from: -20 deg, to: 10 deg, slope: 20 N m/rad, begins: 2 deg, damping: 0.5}",
     "{joint: figure.hand, to: 10 deg, power: {a: 30, b: 2, c: 0.05}, begins: 5 deg, damping: 0.2, name: end}",
     "{joint: figure.arm, angle: {twist: x}, from: -60 deg, to: 40 deg, exponential: {torque: 2 N m, over: 3 deg}}",
     "{joint: figure.bolt, coordinate: angle, from: -2 rad, slope: 5 N m/rad, begins: 0.1 rad}"},
    {"from", "to"}};

}  // namespace marey
