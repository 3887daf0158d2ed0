// Torque function with free play (A4, fig. 2), on a named angle θ with gradient g, θ̇ = g·v:
//   e₊ = max(θ − to, 0),  e₋ = max(from − θ, 0)
//   V = ½ k₊ e₊² + ½ k₋ e₋²,   τ = (k₋ e₋ − k₊ e₊) g                                               (1)
//   −∂τ/∂q = (k₊ or k₋) g gᵀ + (k₊ e₊ − k₋ e₋) H, symmetric part, H of src/force/named_angle.cpp      (3)
//   ∂V/∂t = ½ k̇₊ e₊² + ½ k̇₋ e₋² − k₊ e₊ d(to)/dt + k₋ e₋ d(from)/dt                                (2)
// V is C¹. An angle that is known up to whole turns (twist, Euler x and z) is taken in the turn nearest to the middle
// of the zone, so that a zone may lie anywhere, even across ±π; half a turn away from the middle the torque changes
// sides. The coordinate of a hinge counts its turns and is taken as it is.
//
// modes[0] is the zone: by_angle where the force law looks at the angle itself; otherwise frozen between events.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "force/along_angle.h"
#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/force/attitude_angle.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"
#include "marey/shape.h"

namespace marey {
namespace {

enum class Zone { by_angle, below, inside, above };
Zone zone_of(std::span<const double> modes) {
  return modes.empty() ? Zone::by_angle : static_cast<Zone>(static_cast<int>(modes[0]));
}

bool counts_no_turns(const FreePlay& e, const Model& model) {
  const JointType joint = model.links[index(e.link)].joint;
  return has_attitude(joint) && e.angle.kind != NamedAngle::Kind::swing;
}

bool changes(const FreePlay& e) {
  return std::max({e.from.t.size(), e.to.t.size(), e.slope_below.t.size(), e.slope_above.t.size()}) > 1;
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
    from -= turns, to -= turns;  // now −π ≤ middle ≤ π, and the angle is at most one turn away from it
    const double middle = (from + to) / 2;
    angle = select(angle > T(middle + pi), angle - T(turn), select(angle < T(middle - pi), angle + T(turn), angle));
  }
  return {angle - T(to), T(from) - angle, a.gradient, a.first};
}

// e₊, e₋. In a frozen zone the law of that zone continues beyond its edge, until the event that ends it.
template <class T>
Excess<T> excess(const FreePlay& e, const Instant<T>& at, Zone zone = Zone::by_angle) {
  const Excess<T> x = signed_excess(e, at);
  if (zone == Zone::by_angle) return {max(x.above, T(0)), max(x.below, T(0)), x.gradient, x.first};
  return {zone == Zone::above ? x.above : T(0), zone == Zone::below ? x.below : T(0), x.gradient, x.first};
}

// Whether an axis is the one about which a slender link turns most easily.
bool is_long_axis(const Model& model, int link, const Vec3<double>& axis) {
  const PrincipalAxes p = principal_axes(model.params.links[index(link)].I);
  const Vec3<double> easiest{p.R_BP.xx, p.R_BP.yx, p.R_BP.zx};
  return p.moments.x < 0.5 * p.moments.y && std::abs(dot(easiest, axis)) > 0.98;
}

std::string name_of_angle(const Model& model, const FreePlay& e) {
  const JointType joint = model.links[index(e.link)].joint;
  if (joint == JointType::slider) return "displacement";
  if (is_general(joint) && !has_attitude(joint))
    return "coordinate '" + freedoms_of(model, e.link)[index(e.angle.coordinate)].name + "'";
  if (e.angle.kind == NamedAngle::Kind::swing && joint != JointType::hinge) return "swing";
  return is_long_axis(model, e.link, axis_of(model, e.link, e.angle)) ? "long axis" : "angle";
}

}  // namespace

template <>
struct Descriptor<FreePlay> {
  static constexpr const char* word = "torque function";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::conservative;

  static JointSlope slope_in_joint(const FreePlay&, std::span<const double> modes) {
    using Kind = JointSlope::Kind;
    return {zone_of(modes) == Zone::inside ? Kind::none : Kind::of_coordinates};
  }
  // (3)
  static bool stiffness_in_joint(const FreePlay& e, const Instant<double>& at, std::span<const double> modes,
                                 JointStiffness& out) {
    const Excess<double> x = excess(e, at, zone_of(modes));
    const double above = e.slope_above.at(at.t), below = e.slope_below.at(at.t);
    const bool is_above = zone_of(modes) == Zone::above || (zone_of(modes) == Zone::by_angle && x.above > 0);
    const bool is_below = zone_of(modes) == Zone::below || (zone_of(modes) == Zone::by_angle && x.below > 0);
    const double slope = (is_above ? above : 0) + (is_below ? below : 0), force = above * x.above - below * x.below;
    const LinkTopology& joint = at.model.links[index(e.link)];
    out = {x.first, 1, {slope}};
    if (!has_attitude(joint.joint) || (slope == 0 && force == 0)) return true;
    const double* q = at.q.data() + joint.q;
    Sym3<double> H;
    if (!curvature_of_attitude(e.angle, {q[0], q[1], q[2], q[3]}, x.gradient, H)) return false;
    const Vec3<double>& g = x.gradient;
    out.rows = 3;
    out.K = {slope * g.x * g.x + force * H.xx, slope * g.x * g.y + force * H.xy, slope * g.x * g.z + force * H.xz,
             slope * g.y * g.x + force * H.xy, slope * g.y * g.y + force * H.yy, slope * g.y * g.z + force * H.yz,
             slope * g.z * g.x + force * H.xz, slope * g.z * g.y + force * H.yz, slope * g.z * g.z + force * H.zz};
    return true;
  }
  template <class T>
  static void act(const FreePlay& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    if (zone_of(modes) == Zone::inside) return;  // without asking for the angle, which costs the most
    const Excess<T> x = excess(e, at, zone_of(modes));
    const T slope = T(e.slope_below.at(at.t)) * x.below - T(e.slope_above.at(at.t)) * x.above;  // (1)
    if constexpr (std::is_same_v<T, double>)
      if (slope == 0) return;  // in its zone
    torque_along(x.gradient, x.first, slope, at, e.link, sum);
  }
  template <class T>
  static T energy(const FreePlay& e, const Instant<T>& at) {
    const Excess<T> x = excess(e, at);
    return T(0.5 * e.slope_above.at(at.t)) * x.above * x.above + T(0.5 * e.slope_below.at(at.t)) * x.below * x.below;
  }
  template <class T>
  static T energy_rate(const FreePlay& e, const Instant<T>& at) {  // (2)
    if (!changes(e)) return T(0);                                  // likewise
    const Excess<T> x = excess(e, at);
    const double t = at.t;
    return x.above * (T(0.5 * e.slope_above.rate(t)) * x.above - T(e.slope_above.at(t) * e.to.rate(t))) +
           x.below * (T(0.5 * e.slope_below.rate(t)) * x.below + T(e.slope_below.at(t) * e.from.rate(t)));
  }

  // ---- switches: the edges of the zone, and the knots of its tables
  static constexpr bool switches_at_corners_alone = true;
  static int mode_count(const FreePlay&) { return 1; }
  static void start_modes(const FreePlay& e, const Instant<double>& at, bool smooth, std::span<double> modes) {
    Zone zone = Zone::by_angle;
    if (smooth) {
      const Excess<double> x = signed_excess(e, at);
      zone = x.above > 0 ? Zone::above : x.below > 0 ? Zone::below : Zone::inside;
    }
    modes[0] = static_cast<double>(zone);
  }
  static double next_instant(const FreePlay& e, double t, std::span<const double>) {
    return std::min(
        {next_knot(e.from, t), next_knot(e.to, t), next_knot(e.slope_below, t), next_knot(e.slope_above, t)});
  }
  static int switch_count(const FreePlay&) { return 2; }
  // [0] the edge `from`, [1] the edge `to`.
  static void switch_values(const FreePlay& e, const Instant<double>& at, std::span<const double> modes,
                            std::span<double> values) {
    const Zone zone = zone_of(modes);
    values[0] = values[1] = 1;
    if (zone == Zone::by_angle) return;
    const Excess<double> x = signed_excess(e, at);
    if (zone != Zone::above) values[0] = zone == Zone::below ? x.below : -x.below;
    if (zone != Zone::below) values[1] = zone == Zone::above ? x.above : -x.above;
  }
  static void switch_modes(const FreePlay&, const Instant<double>&, int which, std::span<double> modes) {
    if (which == by_clock) return;
    const Zone beyond = zone_of(modes) != Zone::inside ? Zone::inside : which == 0 ? Zone::below : Zone::above;
    modes[0] = static_cast<double>(beyond);
  }

  // |θ̇| ≤ |g| |w|. A hinge's g is 1, and so is that of a swing. Of a twist it is 1/c, c the cosine of half of the swing, which changes by
  // ½|w| at most.
  static double fastest_switch(const FreePlay& e, const Instant<double>& end, std::span<const double> v_start,
                               double h) {
    if (e.from.t.size() > 1 || e.to.t.size() > 1) return forever;
    const LinkTopology& joint = end.model.links[index(e.link)];
    const auto v = static_cast<std::size_t>(joint.v);
    if (!has_attitude(joint.joint)) {
      const std::size_t k = v + (is_general(joint.joint) ? static_cast<std::size_t>(e.angle.coordinate) : 0);
      return std::max(std::abs(v_start[k]), std::abs(end.v[k]));
    }
    const double w = std::sqrt(std::max(norm_squared(Vec3<double>{v_start[v], v_start[v + 1], v_start[v + 2]}),
                                        norm_squared(Vec3<double>{end.v[v], end.v[v + 1], end.v[v + 2]})));
    if (e.angle.kind == NamedAngle::Kind::swing) return w;
    if (e.angle.kind != NamedAngle::Kind::twist) return forever;
    const double* q = end.q.data() + joint.q;
    const Vec3<double> u{q[1], q[2], q[3]};
    const double p = dot(u, e.angle.axis) / norm(e.angle.axis);
    const double c = std::sqrt((q[0] * q[0] + p * p) / (q[0] * q[0] + norm_squared(u))) - 0.5 * h * w;
    return c > 0 ? w / c : forever;
  }

  static std::string refusal(const Model& model, const FreePlay& e) {
    const std::string reason =
        first_of({refusal_of_angle(model, e.link, e.angle), refusal_of_table("from", e.from, true),
                  refusal_of_table("to", e.to, true), refusal_of_table("slope_below", e.slope_below, false),
                  refusal_of_table("slope_above", e.slope_above, false)});
    if (!reason.empty()) return reason;
    for (const TimeTable* table : {&e.from, &e.to}) {  // between knots both are linear: checking the knots suffices
      for (double t : table->t) {
        if (e.from.at(t) > e.to.at(t)) return "its zone of free play ends before it begins at t = " + std::to_string(t);
      }
    }
    return "";
  }

  // A swing has no direction of its own at rest: take the two across its axis.
  static void stiffness(const FreePlay& e, AdviserRows& rows) {
    const double k = std::max(largest(e.slope_below), largest(e.slope_above));
    const JointType joint = rows.at.model.links[index(e.link)].joint;
    if (!(k > 0) || joint == JointType::weld || joint == JointType::point) return;
    if (e.angle.kind == NamedAngle::Kind::swing && has_attitude(joint)) {
      for (const Vec3<double>& u : across(e.angle.axis)) rows.in_joint(rows.springs, e.link, u, 0, k);
      return;
    }
    rows.along_angle(rows.springs, e.link, e.angle, k);
  }
  static std::string describe(const Model& model, const FreePlay& e, const std::string& name) {
    return "torque function " + name + " on the " + name_of_angle(model, e) + " of '" + model.names[index(e.link)] +
           "'";
  }
  static void numbers(FreePlay&, Numbers&) {}  // its tables may not be changed during a run
};
MAREY_ELEMENT(FreePlay)

// ---- in scenes
namespace {

// Refuses a zone whose upper end is ever below its lower one: linear between knots, so checking the knots suffices.
void check_zone(const FreePlay& play, const Value& to, const char* unit) {
  for (const TimeTable* table : {&play.from, &play.to})
    for (const double t : table->t)
      if (play.from.at(t) > play.to.at(t))
        refuse(to.at, fmt::format("found the zone's end ({:.6g} {}) below its beginning ({:.6g} {}) at {:.6g} s; "
                                  "expected it above",
                                  play.to.at(t), unit, play.from.at(t), unit, t));
}

void read_slopes(MapReader& map, const QuantityKind& slope, FreePlay& play) {
  if (map.has("slope")) {
    play.slope_below = play.slope_above = read_table(map.need("slope"), slope, Range::not_negative);
    return;
  }
  if (!map.has("slope_below") && !map.has("slope_above"))
    refuse(map.node().at, "found a free play without slopes; expected slope, or slope_below and slope_above");
  play.slope_below = read_table(map.need("slope_below"), slope, Range::not_negative);
  play.slope_above = read_table(map.need("slope_above"), slope, Range::not_negative);
}

void make_free_play(MapReader& map, ElementMaker& maker) {
  const Value& node = map.node();
  const Value *angle = map.get("angle"), *coordinate = map.get("coordinate");
  const std::vector<int> joints = maker.joints_with(angle, coordinate, map.need("joint"));
  const bool length = maker.all_lengths(joints, coordinate, node);
  const QuantityKind& place = length ? kinds::length : kinds::angle;
  FreePlay play;
  play.from = read_table(map.need("from"), place);
  play.to = read_table(map.need("to"), place);
  check_zone(play, map.need("to"), length ? "m" : "rad");
  read_slopes(map, length ? kinds::stiffness : kinds::turning_stiffness, play);
  if (largest(play.slope_below) == 0 && largest(play.slope_above) == 0 && !map.has("friction"))
    remark(map.entry_at(), "a free play with slopes of 0 has no effect");
  const Value *name = map.get("name"), *rub = map.get("friction");
  map.done("beside 'slope'");
  for (const int link : joints) {
    play.link = link;
    play.angle = maker.named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    maker.add(name, joints.size() > 1, link, "free_play", play);
    if (rub) make_joint_friction(maker, nullptr, false, link, *rub, coordinate ? play.angle.coordinate : -1);
  }
}

}  // namespace

extern const ElementForm free_play_form{
    "no torque in a zone, outside it one towards the zone",
    {"free_play",
     "No torque between two angles; outside them one towards the zone, proportional to the distance.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"angle", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"from", "q:angle or q:length or t:angle or t:length", "the lower end of the zone", true},
      {"to", "q:angle or q:length or t:angle or t:length", "the upper end", true},
      {"slope", "q:turning_stiffness>=0 or q:stiffness>=0 or t:turning_stiffness>=0 or t:stiffness>=0",
       "torque per angle (force per length) outside, on both sides"},
      {"slope_below", "q:turning_stiffness>=0 or q:stiffness>=0 or t:turning_stiffness>=0 or t:stiffness>=0",
       "below the zone"},
      {"slope_above", "q:turning_stiffness>=0 or q:stiffness>=0 or t:turning_stiffness>=0 or t:stiffness>=0",
       "above the zone"},
      {"friction", "q:turning_damping>=0 or q:damping>=0",
       "viscous friction of the whole joint, or of the coordinate that is named"}}},
    make_free_play,
    {"{joint: figure.hand, from: -20 deg, to: 10 deg, slope: 2 N m/rad}",
     "{joint: figure.arm, angle: {twist: x}, from: [[0 s, -10 deg], [1 s, 5 deg]], to: [[0 s, 0 deg], [2 s, 30 deg]], "
     "slope_below: 1 N m/rad, slope_above: [[0 s, 1 N m/rad], [1 s, 3 N m/rad]], friction: 0.1 N m s/rad, name: elbow}",
     "{joint: figure.bolt, coordinate: slide, from: -1 cm, to: 1 cm, slope: 100 N/m}"},
    {"from", "to", "slope", "slope_below", "slope_above"}};

}  // namespace marey
