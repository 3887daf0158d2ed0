// A torque in a joint that is given as a function of time, along a named angle θ with gradient g, θ̇ = g·v: τ = T(t) g, times
// modes[0] of its schedule. Joints act between a link and its parent: the opposite torque is the parent's.
#include <fmt/core.h>

#include "force/along_angle.h"
#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"

namespace marey {

template <>
struct Descriptor<JointTorque> : SwitchesBySchedule<JointTorque> {
  static constexpr const char* word = "torque";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::active;

  static Scheduled scheduled(const JointTorque& e) { return {e.schedule, {&e.value, 1}}; }

  static JointSlope slope_in_joint(const JointTorque&, std::span<const double>) {
    return {JointSlope::Kind::of_coordinates};
  }
  template <class T>
  static void act(const JointTorque& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    const AngleAndGradient<T> a = named_angle(e.angle, at, e.link);
    const double value = e.value.at(at.t, scheduled(e).since(at.t, modes)).value;
    torque_along(a.gradient, a.first, T(modes[0] * value), at, e.link, sum);
  }

  static std::string refusal(const Model& model, const JointTorque& e) {
    return first_of({refusal_of_angle(model, e.link, e.angle), refusal_of_functions({&e.value, 1}),
                     refusal_of_schedule(model, e.schedule)});
  }
  static constexpr NoStiffness stiffness{};
  static void numbers(JointTorque& e, Numbers& n) {
    if (double* constant = constant_of(e.value)) n.add("value", *constant);
  }
};
MAREY_ELEMENT(JointTorque)

// ---- in scenes
namespace {

void make_torque(MapReader& map, ElementMaker& maker) {
  const Value &node = map.node(), &value = map.need("value");
  const Value *angle = map.get("angle"), *coordinate = map.get("coordinate"), *name = map.get("name");
  const std::vector<int> joints = maker.joints_with(angle, coordinate, map.need("joint"));
  const QuantityKind& kind = maker.all_lengths(joints, coordinate, node) ? kinds::force : kinds::torque;
  JointTorque torque;
  torque.value = read_time_function(value, kind, read_constants(map.get("constants")),
                                    read_curve(map, curves_of_forces, {&value}));
  if (is_constant(torque.value) && torque.value.at(0).value == 0)
    remark(map.key_place("value"), "a torque of 0 has no effect");
  read_times(map, torque.schedule);
  for (const int link : joints) {
    torque.link = link;
    torque.angle = maker.named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    maker.add(name, joints.size() > 1, link, "torque", torque);
  }
}

}  // namespace

extern const ElementForm torque_form{
    "a torque that is given as a function of time",
    {"torque",
     "A torque in a joint, as a function of time: on the link, and the opposite one on its parent.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"angle", "=coordinate or @angle", "along which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "along which coordinate, by name or number, of a joint that has several"},
      {"value", "q:torque or q:force or formula or t:torque or t:force",
       "the torque (along a displacement the force): a number, a quoted formula of t, or a table", true},
      curve_key(curves_of_forces),
      {"from", "q:time>=0", "when it begins; default: 0"},
      {"until", "q:time>0", "when it ends; default: never"},
      {"constants", "constants", "names to numbers, for the formula"}}},
    make_torque,
    {"{joint: figure.hand, value: [[0 s, 0 N m], [0.5 s, 2 N m], [1 s, 0 N m]]}",
     "{joint: figure.arm, angle: {twist: x}, value: 'a*sin(t)', constants: {a: 0.2}, from: 0.1 s, until: 2 s, name: "
     "turn}",
     "{joint: figure.bolt, coordinate: slide, value: [[0 s, 1 N], [1 s, 3 N]], curve: hold}",
     "{joint: figure.tray, value: 2 N}"}};

}  // namespace marey
