// A motor of limited strength: an angle θ, or its rate, follows a script s(t) as long as that takes no more than `most`. Under contact:
// stepping it is a row of the contact problem (marey/contact/joint_bounds.h), |τ| ≤ most; at an instant it does nothing.
#include <fmt/core.h>

#include <cmath>

#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"

namespace marey {

template <>
struct Descriptor<JointMotor> : SwitchesBySchedule<JointMotor> {
  static constexpr const char* word = "motor";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::active;

  static Scheduled scheduled(const JointMotor& e) { return {e.schedule, {}}; }  // knots of scripts end no steps

  static JointSlope slope_in_joint(const JointMotor&, std::span<const double>) { return {}; }
  template <class T>
  static void act(const JointMotor&, const Instant<T>&, std::span<const double>, ForceSum<T>&) {}

  static std::string refusal(const Model& model, const JointMotor& e) {
    return first_of({refusal_of_angle(model, e.link, e.angle), refusal_of_functions({&e.script, 1}),
                     refusal_of_constant("most", e.most), refusal_of_schedule(model, e.schedule)});
  }
  static constexpr NoStiffness stiffness{};
  static void numbers(JointMotor& e, Numbers& n) { n.add("most", e.most); }
};
MAREY_ELEMENT(JointMotor)

bool acts_in_steps_alone(const Element& e) {
  return e.kind.get_if<JointStop>() != nullptr || e.kind.get_if<JointMotor>() != nullptr;
}

// ---- in scenes
namespace {

void make_motor(MapReader& map, ElementMaker& maker) {
  const Value& node = map.node();
  const Value *which = map.get("which"), *coordinate = map.get("coordinate"), *name = map.get("name");
  const std::vector<int> joints = maker.joints_with(which, coordinate, map.need("joint"));
  const bool lengths = maker.all_lengths(joints, coordinate, node);
  const std::string mode = map.one_of({"angle", "slide", "velocity"});
  if (mode.empty()) refuse(node.at, "found a motor without a script; expected angle, slide or velocity");
  const Value& script = map.need(mode);
  if (mode != "velocity" && (mode == "slide") != lengths)
    refuse(map.key_place(mode.c_str()),
           fmt::format("found '{}' for {}; expected '{}' or velocity", mode, lengths ? "a displacement" : "an angle",
                       lengths ? "slide" : "angle"));
  JointMotor motor;
  motor.of_rate = mode == "velocity";
  const QuantityKind& kind =
      motor.of_rate ? (lengths ? kinds::speed : kinds::angular_rate) : (lengths ? kinds::length : kinds::angle);
  const Join join =
      motor.of_rate ? read_curve(map, curves_of_forces, {&script}) : read_curve(map, curves_of_places, {&script});
  motor.script = read_time_function(script, kind, read_constants(map.get("constants")), join);
  motor.most = read_number(map.need("most"), lengths ? kinds::force : kinds::torque);
  if (!(motor.most > 0)) refuse_value(map.need("most"), "more than 0");
  read_times(map, motor.schedule);
  for (const int link : joints) {
    motor.link = link;
    motor.angle = maker.named_angle_of(which, coordinate, link, which ? which->at : node.at);
    maker.add(name, joints.size() > 1, link, "motor", motor);
  }
}

}  // namespace

extern const ElementForm motor_form{
    "a motor of limited strength makes a joint follow a script",
    {"motor",
     "A joint follows a script as well as a motor of limited strength can make it. Scenes with motors go by contact: "
     "stepping.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"which", "=coordinate or @angle", "which angle; a hinge has only its coordinate"},
      {"coordinate", "text", "which coordinate, by name or number, of a joint that has several"},
      {"angle", "q:angle or formula or t:angle", "the script: a number, a quoted formula of t, or a table"},
      {"slide", "q:length or formula or t:length", "of a displacement: likewise"},
      {"velocity", "q:angular_rate or q:speed or formula or t:angular_rate or t:speed", "or its rate, likewise"},
      {"most", "q:torque or q:force", "the largest torque (along a displacement the largest force)", true},
      {"curve", "=smooth,spline,linear,hold",
       "of a table: how its knots are joined; default: smooth for angle and slide, linear for velocity, which alone "
       "may hold"},
      {"from", "q:time>=0", "when it begins; default: 0"},
      {"until", "q:time>0", "when it ends; default: never"},
      {"constants", "constants", "names to numbers, for the formula"}}},
    make_motor,
    {"{joint: figure.hand, angle: [[0 s, 0 deg], [0.5 s, 40 deg]], curve: linear, most: 20 N m, name: servo}",
     "{joint: figure.arm, which: {twist: x}, velocity: 'a*sin(t)', constants: {a: 0.2}, most: 5 N m}",
     "{joint: figure.bolt, coordinate: slide, slide: 2 cm, most: 30 N}",
     "{joint: figure.tray, velocity: 10 cm/s, most: 3 N, from: 0.1 s, until: 2 s}"}};

}  // namespace marey
