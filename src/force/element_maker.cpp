#include "marey/force/element_maker.h"

#include <fmt/core.h>

#include "marey/core/text.h"
#include "marey/force/finite.h"
#include "marey/model/joint_forms.h"

namespace marey {

ElementMaker::ElementMaker(const Model& model, const State& start)
    : model_(model),
      kinematics_(model),
      start_{model, 0, start.q, start.v, kinematics_.X_WB, kinematics_.V_WB},
      links_(model) {
  forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
}

// ------------------------------------------------------------------------------------------------------- making
void ElementMaker::add(const Value* given_name, bool several, int link, const char* what, ElementKind kind) {
  std::string name = name_of_link(link) + "/" + what;
  if (given_name) {
    name = read_text(*given_name) + (several ? "/" + name_of_link(link) : "");
    if (names_.count(name)) refuse_value(*given_name, "a name that no other torque or force has");
  }
  std::string unique = name;
  for (int n = 2; !names_.insert(unique).second; ++n) unique = fmt::format("{} {}", name, n);
  elements_.push_back({unique, std::move(kind)});
}

void ElementMaker::add_checked(const std::string& name, bool given, ElementKind kind, const Place& at) {
  std::string unique = name;
  for (int n = 2; !names_.insert(unique).second; ++n) {
    if (given)
      refuse(at, fmt::format("found '{}'; expected a name that no other torque or force has", printable(name)));
    unique = fmt::format("{} {}", name, n);
  }
  elements_.push_back({unique, std::move(kind)});
  // Formulas and attractions may be NaN or infinite at some places; a run cannot begin there.
  std::vector<double> modes(static_cast<std::size_t>(mode_count(elements_.back())));
  start_modes(elements_.back(), start_, true, modes);
  const int link = link_without_finite_force(elements_.back(), start_, modes);
  if (link < 0) return;
  const Vec3<double>& p = X_WB(link).p;
  refuse(at, fmt::format("found that the force of '{}' on '{}' is not finite where the link starts, ({:.4g}, {:.4g}, "
                         "{:.4g}) m; expected a finite force, or another start",
                         printable(unique), name_of_link(link), p.x, p.y, p.z));
}

// -------------------------------------------------------------------------------------- angles and coordinates
std::vector<int> ElementMaker::joints_with(const Value* angle, const Value* coordinate, const Value& joint) const {
  if (coordinate) return links_.find_all(joint, [](JointType j) { return is_general(j) && !has_attitude(j); });
  const bool of_hinges = !angle || angle->kind == Value::Kind::scalar;
  const auto is_hinge = [](JointType j) { return j == JointType::hinge; };
  const auto is_slider = [](JointType j) { return j == JointType::slider; };
  const auto is_ball = [](JointType j) { return j == JointType::ball; };
  if (!of_hinges) return links_.find_all(joint, is_ball);
  if (joint.kind != Value::Kind::list) return links_.find_all(joint, only_sliders(joint) ? +is_slider : +is_hinge);
  std::vector<int> all;
  for (const ValuePtr& item : joint.items)
    for (const int link : joints_with(angle, coordinate, *item)) all.push_back(link);
  return all.empty() ? links_.find_all(joint, is_hinge) : all;  // which says what is expected
}

// A pattern stands for hinges, and where it fits none of them, for sliders.
bool ElementMaker::only_sliders(const Value& pattern) const {
  bool sliders = false;
  for (int i = 1; i < model_.nlink(); ++i)
    if (is_name_pattern(pattern.text) && name_matches(pattern.text, name_of_link(i))) {
      if (joint_of(i) == JointType::hinge) return false;
      sliders = sliders || joint_of(i) == JointType::slider;
    }
  return sliders;
}

bool ElementMaker::all_lengths(const std::vector<int>& joints, const Value* coordinate, const Value& at) const {
  std::size_t lengths = 0;
  for (const int link : joints) {
    if (!coordinate && !has_coordinates(link) && joint_of(link) != JointType::slider) continue;
    const int k = named_angle_of(nullptr, coordinate, link, coordinate ? coordinate->at : at.at).coordinate;
    lengths += is_length(link, k) ? 1 : 0;
  }
  if (lengths != 0 && lengths != joints.size())
    refuse(at.at, "found angles and displacements together; expected joints whose coordinates are of one kind");
  return lengths > 0;
}

NamedAngle ElementMaker::named_angle_of(const Value* node, const Value* coordinate, int link, const Place& at) const {
  const JointType joint = joint_of(link);
  const bool single = joint == JointType::hinge || joint == JointType::slider;
  if (has_coordinates(link) || (coordinate && single) || (!node && joint == JointType::slider)) {
    const std::vector<JointCoordinate> names = freedoms_of(model_, link);
    std::vector<std::string> words;
    for (const JointCoordinate& c : names) words.push_back(c.name);
    if (node && node->kind == Value::Kind::map)
      refuse(node->at, fmt::format("found an angle of the {} joint of '{}'; expected coordinate: {}", name_of(joint),
                                   name_of_link(link), either(words)));
    if (!coordinate && names.size() > 1)
      refuse(at, fmt::format("found no coordinate of the {} joint of '{}', which has several; expected coordinate: {}",
                             name_of(joint), name_of_link(link), either(words)));
    NamedAngle angle;
    if (coordinate) angle.coordinate = read_coordinate(*coordinate, names);
    return angle;
  }
  if (coordinate)
    refuse(coordinate->at, fmt::format("found a coordinate of the {} joint of '{}', which has none that adds up; "
                                       "expected angle: {{twist: x}}, {{swing: x}} or {{euler: x}}",
                                       name_of(joint), name_of_link(link)));
  if (joint == JointType::weld || joint == JointType::slider || joint == JointType::point)
    refuse(at, fmt::format("found an angle of the {} joint of '{}'; expected a hinge, ball or free joint",
                           name_of(joint), name_of_link(link)));
  NamedAngle angle;
  if (!node || node->kind == Value::Kind::scalar) {
    if (node) read_choice(*node, {"coordinate"});
    if (joint != JointType::hinge)
      refuse(at, fmt::format("found no named angle of the {} joint of '{}'; expected angle: {{twist: x}}, {{swing: x}} "
                             "or {{euler: x}}",
                             name_of(joint), name_of_link(link)));
    return angle;
  }
  if (joint == JointType::hinge)
    refuse(at, fmt::format("found a named angle on the hinge of '{}', which has one angle; expected angle: coordinate",
                           name_of_link(link)));
  return read_named_angle(*node);
}

NamedAngle read_named_angle(const Value& node) {
  MapReader map(node, angle_keys());
  const std::string form = map.one_of({"twist", "swing", "euler"});
  if (form.empty()) refuse(node.at, "found an empty angle; expected twist, swing or euler");
  NamedAngle angle;
  if (form == "euler") {
    constexpr NamedAngle::Kind which[] = {NamedAngle::Kind::euler_x, NamedAngle::Kind::euler_y,
                                          NamedAngle::Kind::euler_z};
    angle.kind = which[read_choice(map.need("euler"), {"x", "y", "z"})];
  } else {
    angle.kind = form == "twist" ? NamedAngle::Kind::twist : NamedAngle::Kind::swing;
    angle.axis = read_axis(map.need(form));
  }
  return angle;
}

const KeyTable& angle_keys() {
  static const KeyTable table{"angle",
                              "An angle of a ball, free or ellipsoid joint.",
                              {{"twist", "axis", "the turn about this axis"},
                               {"swing", "axis", "the angle of this axis with where it is when the joint is straight"},
                               {"euler", "=x,y,z", "an Euler angle of Rx Ry Rz"}}};
  return table;
}

// -------------------------------------------------------------------------------------------------- conditions
TouchingNames read_touching(const Value& node) {
  if (node.kind != Value::Kind::list) return {read_text(node), ""};
  if (node.items.size() != 2) refuse_value(node, "one name, or two: [ball, floor]");
  return {read_text(*node.items[0]), read_text(*node.items[1])};
}

Condition ElementMaker::condition_of(const Value& node) const {
  MapReader map(node, condition_keys());
  const std::string of = map.one_of({"height_of", "speed_of", "distance_of", "angle_of", "touching", "not"});
  if (of.empty())
    refuse(node.at, "found no quantity; expected height_of, speed_of, distance_of, angle_of, touching or not");
  Condition condition;
  if (of == "not") {
    condition = condition_of(map.need(of));
    condition.above = !condition.above;
    map.done("beside 'not'");
    return condition;
  }
  if (of == "touching") {
    condition.quantity = Condition::Quantity::touching;
    condition.names = read_touching(map.need(of));
    condition.above = true;
    map.done("with touching");
    return condition;
  }
  condition.link = links_.find(map.need(of));
  const QuantityKind* kind = &kinds::length;
  if (of == "angle_of") {
    condition.quantity = Condition::Quantity::angle;
    const Value* angle = map.get("angle");
    condition.angle = named_angle_of(angle, map.get("coordinate"), condition.link, angle ? angle->at : node.at);
    const bool coordinate = has_coordinates(condition.link) || joint_of(condition.link) == JointType::slider;
    kind = coordinate && is_length(condition.link, condition.angle.coordinate) ? &kinds::length : &kinds::angle;
  } else {
    if (of == "speed_of") condition.quantity = Condition::Quantity::speed, kind = &kinds::speed;
    if (of == "distance_of") condition.quantity = Condition::Quantity::distance_from_start;
    condition.point = map.vector_or("point");
  }
  const std::string side = map.one_of({"above", "below"});
  if (side.empty()) refuse(node.at, "found no threshold; expected above or below");
  condition.above = side == "above";
  condition.threshold = read_number(map.need(side), *kind);
  map.done("with " + of);
  return condition;
}

const KeyTable& condition_keys() {
  static const KeyTable table{
      "condition",
      "A quantity above or below a threshold, or what touches.",
      {{"height_of", "name", "the height of a point of this link, along z"},
       {"speed_of", "name", "the speed of a point of this link"},
       {"distance_of", "name", "how far a point of this link is from where it started"},
       {"angle_of", "name", "an angle of this link's joint"},
       {"touching", "name or names",
        "a link, figure, piece of scenery or contact that anything touches, or two that touch each other"},
       {"not", "@condition", "it holds while this does not"},
       {"point", "v:length", "the point, in the link's frame; default: the joint"},
       {"angle", "=coordinate or @angle", "with angle_of: which angle"},
       {"coordinate", "text", "with angle_of: which coordinate, by name or number, of a joint that has several"},
       {"above", "q:length or q:speed or q:angle", "it holds above this"},
       {"below", "q:length or q:speed or q:angle", "it holds below this"}}};
  return table;
}

}  // namespace marey
