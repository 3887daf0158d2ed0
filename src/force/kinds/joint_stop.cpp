// A joint that goes so far and no farther. Under contact: stepping it is a row of the contact problem (marey/contact/joint_bounds.h):
//   0 ≤ φ ⊥ τ ≥ 0      φ = θ − from, and to − θ                                                                       (1)
// so that it pushes and never pulls. At an instant it does nothing.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "force/descriptor.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<JointStop> {
  static constexpr const char* word = "stop";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::passive;

  static JointSlope slope_in_joint(const JointStop&, std::span<const double>) { return {}; }
  template <class T>
  static void act(const JointStop&, const Instant<T>&, std::span<const double>, ForceSum<T>&) {}

  static std::string refusal(const Model& model, const JointStop& e) {
    if (std::string why = refusal_of_angle(model, e.link, e.angle); !why.empty()) return why;
    if (std::isnan(e.from) || std::isnan(e.to) || !(e.from < e.to))
      return "its range is empty: 'from' is not below 'to'";
    if (!(e.restitution >= 0 && e.restitution <= 1)) return "its restitution is not from 0 to 1";
    return {};
  }
  static constexpr NoStiffness stiffness{};
  static void numbers(JointStop& e, Numbers& n) {
    n.add("from", e.from), n.add("to", e.to), n.add("restitution", e.restitution);
  }
};
MAREY_ELEMENT(JointStop)

namespace {

bool are_the_same(const NamedAngle& a, const NamedAngle& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == NamedAngle::Kind::coordinate) return a.coordinate == b.coordinate;
  const bool by_axis = a.kind == NamedAngle::Kind::twist || a.kind == NamedAngle::Kind::swing;
  return !by_axis || norm_squared(a.axis - b.axis) == 0;
}

}  // namespace

std::string refusal_beside_other_stops(std::span<const Element> elements, std::size_t which) {
  const auto* stop = elements[which].kind.get_if<JointStop>();
  for (std::size_t i = 0; stop != nullptr && i < which; ++i) {
    const auto* other = elements[i].kind.get_if<JointStop>();
    if (other == nullptr || other->link != stop->link || !are_the_same(other->angle, stop->angle)) continue;
    if (std::max(other->from, stop->from) > std::min(other->to, stop->to))
      return fmt::format("the stops '{}' and '{}' are of the same joint, which cannot be within both", elements[i].name,
                         elements[which].name);
  }
  return {};
}

// ---- in scenes
namespace {

constexpr double start_error = 1e-7;  // rad, m: what a start written by hand may be off

bool comes_round(const NamedAngle& angle) {
  using Kind = NamedAngle::Kind;
  return angle.kind == Kind::twist || angle.kind == Kind::euler_x || angle.kind == Kind::euler_z;
}

void make_stop(MapReader& map, ElementMaker& maker) {
  const Value *which = map.get("which"), *coordinate = map.get("coordinate"), *name = map.get("name");
  const std::vector<int> joints = maker.joints_with(which, coordinate, map.need("joint"));
  const bool lengths = maker.all_lengths(joints, coordinate, map.node());
  const auto number = [&](const char* key, double otherwise) {
    const Value* node = map.get(key);
    return node ? read_number(*node, lengths ? kinds::length : kinds::angle) : otherwise;
  };
  JointStop stop;
  stop.from = number("from", -forever), stop.to = number("to", forever);
  if (!map.has("from") && !map.has("to"))
    refuse(map.node().at, "found a stop without an end; expected from, to or both");
  if (!(stop.from < stop.to)) refuse_value(map.need("to"), "an end above the other, 'from'");
  stop.restitution = map.number_or("restitution", 0);
  if (stop.restitution > 1) refuse_value(map.need("restitution"), "a number from 0 to 1");
  for (const int link : joints) {
    stop.link = link;
    stop.angle = maker.named_angle_of(which, coordinate, link, which ? which->at : map.node().at);
    if (comes_round(stop.angle) && !(map.has("from") && map.has("to")))
      refuse(map.node().at,
             "found a stop with one end of an angle that comes round after a whole turn; expected from and to");
    maker.add(name, joints.size() > 1, link, "stop", stop);
    if (const std::string why = refusal_beside_other_stops(maker.made(), maker.made().size() - 1); !why.empty())
      refuse(map.node().at, fmt::format("found stops that leave no place: {}; expected ranges that meet", why));
    const double now = named_angle<double>(stop.angle, maker.start(), link).angle;
    if (now < stop.from - start_error || now > stop.to + start_error)
      refuse(
          map.node().at,
          fmt::format(
              "found the joint of '{}' at {:.6g} {} at the start, beyond its stop; expected a start within its range",
              maker.name_of_link(link), lengths ? now : now * 180 / std::numbers::pi, lengths ? "m" : "deg"));
  }
}

}  // namespace

extern const ElementForm stop_form{
    "a joint goes so far and no farther",
    {"stop",
     "A joint goes so far and no farther: hard ends, which push and never pull. Scenes with stops go by contact: "
     "stepping.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"which", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"from", "q:angle or q:length", "the lower end; default: none"},
      {"to", "q:angle or q:length", "the upper end; default: none"},
      {"restitution", "q:number>=0", "0 to 1: the part of its rate with which it comes back; default: 0"}},
     {{"angle", "which"}}},
    make_stop,
    {"{joint: figure.hand, from: -10 deg, to: 120 deg, restitution: 0.3, name: elbow}",
     "{joint: figure.arm, which: {twist: z}, from: -20 deg, to: 40 deg}",
     "{joint: figure.bolt, coordinate: slide, from: -2 cm}", "{joint: figure.tray, from: 0 cm, to: 20 cm}"}};

}  // namespace marey
