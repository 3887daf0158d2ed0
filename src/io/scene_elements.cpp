#include "io/scene_elements.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/text.h"
#include "io/scene_fields.h"
#include "io/scene_joints.h"
#include "io/scene_links.h"
#include "marey/dynamics.h"
#include "marey/force/finite.h"

namespace marey {

namespace {

constexpr double shortest_spike = 1e-9;  // s: far from where the clock cannot tell instants apart

using Vec = Vec3<double>;

// Reads elements one after another; knows the links by name and which names are taken.
class ElementReader {
 public:
  ElementReader(const FiguresDraft& draft, const Model& model, const State& start)
      : draft_(draft),
        model_(model),
        kinematics_(model),
        start_{model, 0, start.q, start.v, kinematics_.X_WB, kinematics_.V_WB},
        names_of_links_(model) {
    forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
  }

  void links();
  void torque(const YamlNode&);
  void force(const YamlNode&);
  void frame(const YamlNode&);
  void springs();
  std::vector<Element> take() { return std::move(elements_); }
  Condition condition_of(const YamlNode&) const;

 private:
  JointType joint_of(int link) const { return model_.links[static_cast<std::size_t>(link)].joint; }
  const std::string& name_of_link(int link) const { return model_.names[static_cast<std::size_t>(link)]; }
  int find_link(const YamlNode& node) const { return names_of_links_.find(node); }
  std::vector<int> find_joints(const YamlNode& node, bool (*fits)(JointType)) const {
    return names_of_links_.find_all(node, fits);
  }

  void add_all(std::vector<FieldDraft>, const Place&);
  void check_start(const Element&, const Place&) const;
  void add(const YamlNode* given_name, bool several, int link, const char* what, ElementKind);
  void joint_friction(const YamlNode* given_name, bool several, int link, const YamlNode& coefficient,
                      int freedom = -1);
  void support(const LinkDraft&, int link);
  void support_forces(MapReader&, int link, const Vec& point_B);
  void lift(const YamlNode&, const LinkDraft&, int link, const Vec& point_B);
  void free_play(const YamlNode&);
  void friction(const YamlNode&);
  void reflex(const YamlNode&);
  std::vector<int> joints_with(const YamlNode* angle, const YamlNode* coordinate, const YamlNode& joint) const;
  NamedAngle named_angle_of(const YamlNode* node, const YamlNode* coordinate, int link, const Place&) const;
  bool has_coordinates(int link) const { return is_general(joint_of(link)) && !has_attitude(joint_of(link)); }
  bool is_length(int link, int freedom) const {
    return freedoms_of(model_, link)[static_cast<std::size_t>(freedom)].is_length;
  }
  bool all_lengths(const std::vector<int>& joints, const YamlNode* coordinate, const YamlNode& at) const;
  Push push_of(MapReader&) const;

  const FiguresDraft& draft_;
  const Model& model_;
  Kinematics<double> kinematics_;  // at the start
  Instant<double> start_;
  LinkNames names_of_links_;
  std::unordered_set<std::string> names_;
  std::unordered_set<int> rubbed_;  // freedoms that have their friction
  std::vector<Element> elements_;
};

// ---------------------------------------------------------------------------------------------------- names
void ElementReader::add(const YamlNode* given_name, bool several, int link, const char* what, ElementKind kind) {
  std::string name = name_of_link(link) + "/" + what;
  if (given_name) {
    name = read_text(*given_name) + (several ? "/" + name_of_link(link) : "");
    if (names_.count(name)) refuse_value(*given_name, "a name that no other torque or force has");
  }
  std::string unique = name;
  for (int n = 2; !names_.insert(unique).second; ++n) unique = fmt::format("{} {}", name, n);
  elements_.push_back({unique, std::move(kind)});
}

// ---------------------------------------------------------------------------------------------------- links
void ElementReader::links() {
  for (const LinkDraft& draft : draft_.links) {
    const int link = names_of_links_.at(draft.spec.name);
    if (draft.friction) joint_friction(nullptr, false, link, *draft.friction);
    if (draft.support) support(draft, link);
  }
}

void ElementReader::joint_friction(const YamlNode* given_name, bool several, int link, const YamlNode& coefficient,
                                   int freedom) {
  const JointType joint = joint_of(link);
  if (joint == JointType::weld || joint == JointType::free)
    refuse(coefficient.at, fmt::format("found friction on the {} joint of '{}'; expected it on a hinge, slider or "
                                       "ball (a free link is damped by its support)",
                                       name_of(joint), name_of_link(link)));
  const std::vector<JointCoordinate> freedoms = freedoms_of(model_, link);
  for (int k = 0; k < static_cast<int>(freedoms.size()); ++k) {
    if (freedom >= 0 && freedom != k) continue;
    if (freedom < 0 && freedoms[static_cast<std::size_t>(k)].is_length != freedoms[0].is_length)
      refuse(coefficient.at,
             fmt::format("found friction on the whole {} joint of '{}', which turns and slides; expected a torque "
                         "friction: {{joint: {}, coordinate: {}, coefficient: ...}}",
                         name_of(joint), name_of_link(link), name_of_link(link), freedoms[0].name));
    if (!rubbed_.insert(model_.links[static_cast<std::size_t>(link)].v + k).second)
      refuse(coefficient.at,
             fmt::format("found friction on the joint of '{}' a second time; expected it once", name_of_link(link)));
  }
  const QuantityKind& kind =
      freedoms[static_cast<std::size_t>(std::max(freedom, 0))].is_length ? kinds::damping : kinds::turning_damping;
  const double c = read_number(coefficient, kind, Range::not_negative);
  if (c > 0) add(given_name, several, link, "friction", JointFriction{link, c, freedom});
}

void ElementReader::support(const LinkDraft& draft, int link) {
  MapReader map(*draft.support, "support");
  Vec point_B;
  if (const YamlNode* point = map.get("point")) point_B = read_vector(*point, kinds::length);
  bool something = false;
  for (const char* key : {"stiffness", "damping", "turning_stiffness", "turning_damping", "lift"})
    something = something || map.has(key);
  if (!something)
    refuse(
        draft.support->at,
        "found a support that holds nothing; expected stiffness, damping, turning_stiffness, turning_damping or lift");
  support_forces(map, link, point_B);
  if (const YamlNode* lift_node = map.get("lift")) lift(*lift_node, draft, link, point_B);
  map.done("without its stiffness");
}

void ElementReader::support_forces(MapReader& map, int link, const Vec& point_B) {
  const auto number = [&](const char* key, const QuantityKind& kind) {
    const YamlNode* node = map.get(key);
    return node ? read_number(*node, kind, Range::not_negative) : 0.0;
  };
  const Transform<double>& X_WB = kinematics_.X_WB[static_cast<std::size_t>(link)];
  SupportSpring spring{link, point_B, X_WB * point_B, 0, 0, quaternion_of(X_WB.R)};
  spring.stiffness = number("stiffness", kinds::stiffness);
  spring.turning_stiffness = number("turning_stiffness", kinds::turning_stiffness);
  if (map.has("stiffness"))
    if (const YamlNode* to = map.get("to")) spring.target_W = read_vector(*to, kinds::length);
  if (map.has("turning_stiffness"))
    if (const YamlNode* turned = map.get("turned")) spring.target_turn = read_rotation(*turned);
  SupportDamper damper{link, point_B, number("damping", kinds::damping),
                       number("turning_damping", kinds::turning_damping)};
  if (spring.stiffness > 0 || spring.turning_stiffness > 0) add(nullptr, false, link, "support", spring);
  if (damper.damping > 0 || damper.turning_damping > 0) add(nullptr, false, link, "support_damping", damper);
}

void ElementReader::lift(const YamlNode& node, const LinkDraft& draft, int link, const Vec& point_B) {
  const Vec g = model_.params.gravity;
  const double strength = norm(g);
  if (!(strength > 0)) refuse_value(node, "no lift in a scene without gravity");
  double force = 0;
  if (node.kind == YamlNode::Kind::scalar && node.text == "weight") {
    for (const LinkDraft& other : draft_.links)
      if (other.figure == draft.figure) force += strength * other.spec.inertia.m;
  } else {
    force = read_number(node, kinds::force, Range::not_negative);
  }
  Push push;
  push.link = link, push.point_B = point_B, push.force = (-force / strength) * g;
  add(nullptr, false, link, "lift", push);
}

// -------------------------------------------------------------------------------------------------- torques
void ElementReader::torque(const YamlNode& node) {
  MapReader map(node, "torque");
  const std::string kind = map.one_of({"free_play", "friction", "reflex"});
  if (kind.empty()) refuse(node.at, "found an empty torque; expected free_play, friction or reflex");
  if (kind == "free_play")
    free_play(map.need(kind));
  else if (kind == "reflex")
    reflex(map.need(kind));
  else
    friction(map.need(kind));
}

void ElementReader::friction(const YamlNode& node) {
  MapReader map(node, "friction");
  const YamlNode* coordinate = map.get("coordinate");
  const auto rubs = [](JointType j) { return j == JointType::hinge || j == JointType::ball; };
  const std::vector<int> joints =
      coordinate ? joints_with(nullptr, coordinate, map.need("joint")) : find_joints(map.need("joint"), rubs);
  for (const int link : joints) {
    const int freedom = coordinate ? named_angle_of(nullptr, coordinate, link, coordinate->at).coordinate : -1;
    joint_friction(map.get("name"), joints.size() > 1, link, map.need("coefficient"), freedom);
  }
}

// Refuses a zone whose upper end is ever below its lower one: lines between knots, so the knots suffice.
void check_zone(const FreePlay& play, const YamlNode& to, const char* unit) {
  for (const TimeTable* table : {&play.from, &play.to})
    for (const double t : table->t)
      if (play.from.at(t) > play.to.at(t))
        refuse(to.at, fmt::format("found the zone's end ({:.6g} {}) below its beginning ({:.6g} {}) at {:.6g} s; "
                                  "expected it above",
                                  play.to.at(t), unit, play.from.at(t), unit, t));
}

// The joints whose named angle is meant.
std::vector<int> ElementReader::joints_with(const YamlNode* angle, const YamlNode* coordinate,
                                            const YamlNode& joint) const {
  if (coordinate) return find_joints(joint, [](JointType j) { return is_general(j) && !has_attitude(j); });
  const bool of_hinges = !angle || angle->kind == YamlNode::Kind::scalar;
  const auto is_hinge = [](JointType j) { return j == JointType::hinge; };
  const auto is_ball = [](JointType j) { return j == JointType::ball; };
  return of_hinges ? find_joints(joint, is_hinge) : find_joints(joint, is_ball);
}

void ElementReader::reflex(const YamlNode& node) {
  MapReader map(node, "reflex");
  const YamlNode *angle = map.get("angle"), *target = map.get("target"), *stiffness = map.get("stiffness"),
                 *damping = map.get("damping"), *name = map.get("name"), *coordinate = map.get("coordinate");
  if (!stiffness && !damping) refuse(node.at, "found a reflex that does nothing; expected stiffness, damping or both");
  Reflex reflex;
  reflex.delay = read_number(map.need("delay"), kinds::time, Range::positive);
  const std::vector<int> joints = joints_with(angle, coordinate, map.need("joint"));
  const bool length = all_lengths(joints, coordinate, node);
  if (stiffness)
    reflex.stiffness = read_number(*stiffness, length ? kinds::stiffness : kinds::turning_stiffness, Range::positive);
  if (damping)
    reflex.damping = read_number(*damping, length ? kinds::damping : kinds::turning_damping, Range::positive);
  for (const int link : joints) {
    reflex.link = link;
    reflex.angle = named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    reflex.target = target ? read_number(*target, length ? kinds::length : kinds::angle)
                           : named_angle(reflex.angle, start_, link).angle;
    add(name, joints.size() > 1, link, "reflex", reflex);
  }
}

void ElementReader::free_play(const YamlNode& node) {
  MapReader map(node, "free_play");
  const YamlNode *angle = map.get("angle"), *coordinate = map.get("coordinate");
  const std::vector<int> joints = joints_with(angle, coordinate, map.need("joint"));
  const bool length = all_lengths(joints, coordinate, node);
  const QuantityKind& place = length ? kinds::length : kinds::angle;
  const QuantityKind& slope = length ? kinds::stiffness : kinds::turning_stiffness;
  FreePlay play;
  play.from = read_table(map.need("from"), place);
  play.to = read_table(map.need("to"), place);
  check_zone(play, map.need("to"), length ? "m" : "rad");
  if (map.has("slope")) {
    play.slope_below = play.slope_above = read_table(map.need("slope"), slope, Range::not_negative);
  } else {
    if (!map.has("slope_below") && !map.has("slope_above"))
      refuse(node.at, "found a free play without slopes; expected slope, or slope_below and slope_above");
    play.slope_below = read_table(map.need("slope_below"), slope, Range::not_negative);
    play.slope_above = read_table(map.need("slope_above"), slope, Range::not_negative);
  }
  const YamlNode *name = map.get("name"), *rub = map.get("friction");
  map.done("beside 'slope'");
  for (const int link : joints) {
    play.link = link;
    play.angle = named_angle_of(angle, coordinate, link, angle ? angle->at : node.at);
    add(name, joints.size() > 1, link, "free_play", play);
    if (rub) joint_friction(nullptr, false, link, *rub, coordinate ? play.angle.coordinate : -1);
  }
}

// Whether the coordinates meant are displacements; refuses some of each.
bool ElementReader::all_lengths(const std::vector<int>& joints, const YamlNode* coordinate, const YamlNode& at) const {
  std::size_t lengths = 0;
  for (const int link : joints) {
    if (!coordinate && !has_coordinates(link)) continue;
    const int k = named_angle_of(nullptr, coordinate, link, coordinate ? coordinate->at : at.at).coordinate;
    lengths += is_length(link, k) ? 1 : 0;
  }
  if (lengths != 0 && lengths != joints.size())
    refuse(at.at, "found angles and displacements together; expected joints whose coordinates are of one kind");
  return lengths > 0;
}

NamedAngle ElementReader::named_angle_of(const YamlNode* node, const YamlNode* coordinate, int link,
                                         const Place& at) const {
  const JointType joint = joint_of(link);
  const bool single = joint == JointType::hinge || joint == JointType::slider;
  if (has_coordinates(link) || (coordinate && single)) {
    const std::vector<JointCoordinate> names = freedoms_of(model_, link);
    std::vector<std::string> words;
    for (const JointCoordinate& c : names) words.push_back(c.name);
    if (node && node->kind == YamlNode::Kind::map)
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
  if (!node || node->kind == YamlNode::Kind::scalar) {
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

// --------------------------------------------------------------------------------------------------- forces
Push ElementReader::push_of(MapReader& map) const {
  Push push;
  push.link = find_link(map.need("link"));
  if (const YamlNode* point = map.get("point")) push.point_B = read_vector(*point, kinds::length);
  if (!map.has("force") && !map.has("torque"))
    refuse(map.node().at, "found neither force nor torque; expected one of them or both");
  if (const YamlNode* f = map.get("force")) push.force = read_vector(*f, kinds::force);
  if (const YamlNode* n = map.get("torque")) push.torque = read_vector(*n, kinds::torque);
  if (const YamlNode* axes = map.get("axes")) push.body_axes = read_choice(*axes, {"world", "body"}) == 1;
  if (const YamlNode* from = map.get("from")) push.schedule.from = read_number(*from, kinds::time, Range::not_negative);
  return push;
}

void read_until(MapReader& map, Schedule& schedule) {
  const YamlNode* until = map.get("until");
  if (!until) return;
  schedule.until = read_number(*until, kinds::time, Range::positive);
  if (!(schedule.until > schedule.from))
    refuse_value(*until, fmt::format("a time after it begins ({:.6g} s)", schedule.from));
}

void ElementReader::force(const YamlNode& node) {
  MapReader outer(node, "force");
  const std::string kind = outer.one_of({"spike", "push", "spring", "attraction", "drag", "field"});
  if (kind.empty()) refuse(node.at, "found an empty force; expected spike, push, spring, attraction, drag or field");
  if (kind != "spike" && kind != "push")
    return add_all(read_field(kind, outer.need(kind), names_of_links_, model_, kinematics_), node.at);
  MapReader map(outer.need(kind), kind);
  Push push = push_of(map);
  Schedule& schedule = push.schedule;
  read_until(map, schedule);
  if (kind == "push") {
    schedule.lasts = schedule.until - schedule.from;
  } else {
    schedule.lasts = read_number(map.need("lasts"), kinds::time, Range::positive);
    if (schedule.lasts < shortest_spike)
      refuse_value(map.need("lasts"), fmt::format("at least {:g} s, or a force that always acts", shortest_spike));
    if (const YamlNode* every = map.get("every")) {
      schedule.every = read_number(*every, kinds::time, Range::positive);
      if (schedule.every < schedule.lasts)
        refuse_value(*every, fmt::format("at least the {:.6g} s it lasts", schedule.lasts));
    }
    if (const YamlNode* when = map.get("when")) {
      if (when->kind == YamlNode::Kind::list)
        for (const YamlPtr& item : when->items) schedule.conditions.push_back(condition_of(*item));
      else
        schedule.conditions.push_back(condition_of(*when));
    }
  }
  add(map.get("name"), false, push.link, kind.c_str(), push);
}

void ElementReader::add_all(std::vector<FieldDraft> drafts, const Place& at) {
  for (FieldDraft& draft : drafts) {
    std::string unique = draft.name;
    for (int n = 2; !names_.insert(unique).second; ++n) {
      if (draft.named)
        refuse(at, fmt::format("found '{}'; expected a name that no other torque or force has", printable(draft.name)));
      unique = fmt::format("{} {}", draft.name, n);
    }
    elements_.push_back({unique, std::move(draft.kind)});
    check_start(elements_.back(), at);
  }
}

// Formulas and attractions have places where they are no numbers; a run cannot begin there.
void ElementReader::check_start(const Element& element, const Place& at) const {
  const int link = link_without_finite_force(element, start_, {});
  if (link < 0) return;
  const Vec& p = kinematics_.X_WB[static_cast<std::size_t>(link)].p;
  refuse(at, fmt::format("found that the force of '{}' on '{}' is not finite where the link starts, ({:.4g}, {:.4g}, "
                         "{:.4g}) m; expected a finite force, or another start",
                         printable(element.name), name_of_link(link), p.x, p.y, p.z));
}

void ElementReader::frame(const YamlNode& node) { add_all(read_frame(node), node.at); }

// The springs within groups of particles, each group one source of the ledger.
void ElementReader::springs() {
  for (const SpringsDraft& draft : draft_.springs) {
    SpringNet net;
    DamperNet dampers;
    for (const SpringsDraft::Pair& pair : draft.pairs) {
      const Anchor a{names_of_links_.at(draft_.links[pair.a].spec.name), {}},
          b{names_of_links_.at(draft_.links[pair.b].spec.name), {}};
      const double rest = norm(kinematics_.X_WB[static_cast<std::size_t>(b.link)].p -
                               kinematics_.X_WB[static_cast<std::size_t>(a.link)].p);
      net.springs.push_back({a, b, pair.stiffness, rest});
      if (pair.damping > 0) dampers.dampers.push_back({a, b, pair.damping});
    }
    std::vector<FieldDraft> both{{draft.group + "/springs", false, std::move(net)}};
    if (!dampers.dampers.empty()) both.push_back({draft.group + "/damping", false, std::move(dampers)});
    add_all(std::move(both), draft.at);
  }
}

Condition ElementReader::condition_of(const YamlNode& node) const {
  MapReader map(node, "condition");
  const std::string of = map.one_of({"height_of", "speed_of", "distance_of", "angle_of"});
  if (of.empty()) refuse(node.at, "found no quantity; expected height_of, speed_of, distance_of or angle_of");
  Condition condition;
  condition.link = find_link(map.need(of));
  const QuantityKind* kind = &kinds::length;
  if (of == "angle_of") {
    condition.quantity = Condition::Quantity::angle;
    const YamlNode* angle = map.get("angle");
    condition.angle = named_angle_of(angle, map.get("coordinate"), condition.link, angle ? angle->at : node.at);
    const bool coordinate = has_coordinates(condition.link) || joint_of(condition.link) == JointType::slider;
    kind = coordinate && is_length(condition.link, condition.angle.coordinate) ? &kinds::length : &kinds::angle;
  } else {
    if (of == "speed_of") condition.quantity = Condition::Quantity::speed, kind = &kinds::speed;
    if (of == "distance_of") condition.quantity = Condition::Quantity::distance_from_start;
    if (const YamlNode* point = map.get("point")) condition.point = read_vector(*point, kinds::length);
  }
  const std::string side = map.one_of({"above", "below"});
  if (side.empty()) refuse(node.at, "found no threshold; expected above or below");
  condition.above = side == "above";
  condition.threshold = read_number(map.need(side), *kind);
  map.done("with " + of);
  return condition;
}

}  // namespace

std::vector<Element> read_elements(const FiguresDraft& draft, const Model& model, const State& start,
                                   const YamlNode* torques, const YamlNode* forces, const YamlNode* frame) {
  ElementReader reader(draft, model, start);
  reader.links();
  reader.springs();
  if (frame) reader.frame(*frame);
  const auto each = [](const YamlNode* list, const char* what, auto&& read) {
    if (!list) return;
    if (list->kind != YamlNode::Kind::list) refuse_value(*list, fmt::format("a list of {}, each on a '- ' line", what));
    for (const YamlPtr& item : list->items) read(*item);
  };
  each(torques, "torques", [&](const YamlNode& node) { reader.torque(node); });
  each(forces, "forces", [&](const YamlNode& node) { reader.force(node); });
  return reader.take();
}

NamedAngle read_named_angle(const YamlNode& node) {
  MapReader map(node, "angle");
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

Condition read_condition(const Model& model, const State& start, const YamlNode& node) {
  const FiguresDraft none;
  return ElementReader(none, model, start).condition_of(node);
}

}  // namespace marey
