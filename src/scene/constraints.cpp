#include "scene/constraints.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "marey/constraint/constraint_maker.h"
#include "marey/constraint/held_constraints.h"
#include "marey/core/text.h"

namespace marey {

namespace {

constexpr std::size_t most_constraints = 300;    // solved together, as a dense system
constexpr std::size_t most_with_scripts = 1000;  // scripts of single joints are not solved so, unless they conflict
constexpr std::size_t longest_name = 200;

// Reads constraints one after another; knows which names are taken, and what drives what.
class ConstraintReader {
 public:
  ConstraintReader(const Model& model, const State& start, std::span<const Element> elements,
                   std::span<const FloorContact> contacts, bool recorded)
      : recorded_(recorded), maker_(model, start, recorded) {
    for (const Element& e : elements) names_.insert(e.name);
    for (const FloorContact& c : contacts) names_.insert(c.name);
  }
  void constraint(const Value&);
  void joint_drive(const Value&);
  void script(ScriptedJoint&&);
  PlacedConstraints take() { return {std::move(constraints_), std::move(places_)}; }

 private:
  std::vector<int> driven_joints(const Value& drive) const;
  void drive_of_one(const Value&, const std::string& of_several);
  void add(MapReader&, const std::string& kind, Constraint&&, const std::string& of_several = {});
  void add_named(const Place&, const std::string& base, Constraint&&);
  std::string name_of_target(const Constraint&) const;
  void refuse_overlap(const Place&, const Constraint&, const Coupler::Term&, const std::string& found) const;
  void refuse_too_many_turns(const Place&, const Constraint&, const Coupler::Term&) const;
  void refuse_second_script(const Place&, const Constraint&) const;
  void remark_what_is_taken_over(MapReader&, const Constraint&) const;

  const bool recorded_;
  ConstraintMaker maker_;
  std::unordered_set<std::string> names_;
  std::vector<Constraint> constraints_;
  std::vector<Place> places_;
};

std::string ConstraintReader::name_of_target(const Constraint& c) const {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  const int link = coupler ? coupler->terms[0].link : c.b.link != 0 ? c.b.link : c.a.link;
  return maker_.model().names[static_cast<std::size_t>(link)];
}

void ConstraintReader::constraint(const Value& node) {
  MapReader outer(node, constraint_keys());
  const std::string kind = outer.one_of(constraint_keys().words());
  if (kind.empty()) refuse(node.at, "found an empty constraint; expected a kind, such as hinge: {…}");
  for (const ConstraintForm* form : constraint_forms()) {
    if (form->key != kind) continue;
    MapReader map(outer.need(kind), form->keys, kind);
    Constraint c;
    make_constraint(map, *form, maker_, c);
    if (!recorded_) refuse_second_script(map.node().at, c);
    remark_what_is_taken_over(map, c);
    add(map, kind, std::move(c));
  }
}

void ConstraintReader::add(MapReader& map, const std::string& kind, Constraint&& c, const std::string& of_several) {
  const Value* given = map.get("name");
  const std::string base = (given ? read_text(*given) : name_of_target(c) + "/" + kind) + of_several;
  if (given && (base.find_first_of("/\n\r\t") != std::string::npos || base[0] == '.' || base.size() > longest_name))
    refuse_value(*given, fmt::format("a name of at most {} letters that is no path", longest_name));
  if (given && names_.count(base)) refuse_value(*given, "a name that nothing else in the account has");
  map.done(kind == "drive" && map.has("joint") ? "for " + maker_.hanging(c.kind.get_if<Coupler>()->terms[0].link)
                                               : "in a constraint of this kind");
  add_named(map.node().at, base, std::move(c));
}

void ConstraintReader::add_named(const Place& at, const std::string& base, Constraint&& c) {
  c.name = base;
  for (int n = 2; !names_.insert(c.name).second; ++n) c.name = fmt::format("{} {}", base, n);
  if (const std::string why = refusal(maker_.model(), c); !why.empty())
    refuse(at, fmt::format("found a constraint that cannot be: {}", why));
  const auto is_script = [](const Constraint& other) {
    const Coupler* coupler = other.kind.get_if<Coupler>();
    return coupler != nullptr && coupler->terms.size() == 1;
  };
  const auto scripts = static_cast<std::size_t>(std::ranges::count_if(constraints_, is_script));
  if ((!is_script(c) && constraints_.size() - scripts == most_constraints) || constraints_.size() == most_with_scripts)
    refuse(at, fmt::format("found more than {} constraints; expected fewer",
                           is_script(c) ? most_with_scripts : most_constraints));
  constraints_.push_back(std::move(c));
  places_.push_back(at);
}

void ConstraintReader::script(ScriptedJoint&& joint) {
  const Coupler::Term& term = joint.drive.kind.get_if<Coupler>()->terms[0];
  refuse_overlap(joint.at, joint.drive, term, "a script of a freedom");
  const std::string freedom = freedoms_of(maker_.model(), term.link)[static_cast<std::size_t>(term.freedom)].name;
  add_named(joint.at, name_of_target(joint.drive) + "/script " + freedom, std::move(joint.drive));
}

namespace {

// The one coordinate that it moves by itself, at times that are known; null for others.
const Coupler::Term* scripted_by_the_clock(const Constraint& c) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  return coupler != nullptr && coupler->terms.size() == 1 && !c.when ? &coupler->terms[0] : nullptr;
}
bool at_the_same_time(const Constraint& a, const Constraint& b) { return a.from < b.until && b.from < a.until; }

}  // namespace

void ConstraintReader::refuse_overlap(const Place& at, const Constraint& c, const Coupler::Term& term,
                                      const std::string& found) const {
  if (c.when) return;
  for (const Constraint& other : constraints_) {
    const Coupler::Term* their = scripted_by_the_clock(other);
    if (their == nullptr) continue;
    const bool same_axis = term.angle.axis.x == their->angle.axis.x && term.angle.axis.y == their->angle.axis.y &&
                           term.angle.axis.z == their->angle.axis.z;
    if (their->link != term.link || their->freedom != term.freedom || their->angle.kind != term.angle.kind ||
        !same_axis)
      continue;
    if (at_the_same_time(c, other))
      refuse(at, fmt::format("found {} that '{}' drives at the same time; expected times that do not overlap", found,
                             other.name));
  }
}

// An attitude turns in three ways, whatever names its angles have: of four scripts one says what the others have said, or
// contradicts them.
void ConstraintReader::refuse_too_many_turns(const Place& at, const Constraint& c, const Coupler::Term& term) const {
  constexpr std::size_t most_turns = 3;
  const auto turns = [&](const Coupler::Term& t) {
    return t.link == term.link && (t.angle.kind != NamedAngle::Kind::coordinate || t.freedom < 3);
  };
  if (c.when || !has_attitude(maker_.model().links[static_cast<std::size_t>(term.link)].joint) || !turns(term)) return;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < constraints_.size(); ++i)
    if (const Coupler::Term* their = scripted_by_the_clock(constraints_[i]);
        their != nullptr && turns(*their) && at_the_same_time(c, constraints_[i]))
      others.push_back(i);
  if (others.size() < most_turns) return;
  refuse(at, fmt::format("found a fourth script of how '{}' turns, beside {} at the same time; expected three at most, "
                         "or times that do not overlap",
                         maker_.model().names[static_cast<std::size_t>(term.link)], names_of(constraints_, others)));
}

void ConstraintReader::refuse_second_script(const Place& at, const Constraint& c) const {
  const Coupler::Term* term = scripted_by_the_clock(c);
  if (term == nullptr) return;
  refuse_overlap(
      at, c, *term,
      fmt::format("a second script for a freedom of '{}'", maker_.model().names[static_cast<std::size_t>(term->link)]));
  refuse_too_many_turns(at, c, *term);
}

// What is made on the way is made of what it finds (taken_as_is).
void ConstraintReader::remark_what_is_taken_over(MapReader& map, const Constraint& c) const {
  if (c.from <= 0 && !c.when) return;
  const bool loop = c.kind.get_if<LoopJoint>() != nullptr, rod = c.kind.get_if<FixedDistance>() != nullptr;
  for (const char* key : {"at_b", "axis_b", "length"})
    if (map.has(key) && (std::string_view(key) == "length" ? rod : loop))
      remark(map.key_place(key), fmt::format("'{}' has no effect on a constraint that is made during the run: it takes "
                                             "over what it then finds",
                                             key));
}

// The joints that a list or a pattern means: of a pattern those that can do what the drive says. What is free in the world is left
// out: all joints of a diver are those between his links.
std::vector<int> ConstraintReader::driven_joints(const Value& node) const {
  const auto has = [&](const char* key) { return node.find(key) != nullptr; };
  const Value& joint = *node.find("joint")->value;
  if (has("which") || has("freedom"))
    return maker_.links().find_all(joint, [](JointType j) { return has_attitude(j) && j != JointType::free; });
  if (has("locked"))
    return maker_.links().find_all(
        joint, [](JointType j) { return j != JointType::weld && j != JointType::free && j != JointType::point; });
  if (has("coordinate")) return maker_.links().find_all(joint, [](JointType j) { return is_general(j); });
  if (has("slide")) return maker_.links().find_all(joint, [](JointType j) { return j == JointType::slider; });
  return maker_.links().find_all(joint, [](JointType j) { return j == JointType::hinge || j == JointType::screw; });
}

// A drive of several joints is one of each.
void ConstraintReader::joint_drive(const Value& node) {
  const ValueEntry* joint = node.kind == Value::Kind::map ? node.find("joint") : nullptr;
  const bool several = joint != nullptr &&
                       (joint->value->kind == Value::Kind::list || joint->value->text.find('*') != std::string::npos);
  if (!several) return drive_of_one(node, {});
  for (const int link : driven_joints(node)) {
    const std::string& name = maker_.model().names[static_cast<std::size_t>(link)];
    Value one = node, word(name);
    word.at = joint->value->at;
    for (ValueEntry& entry : one.entries)
      if (entry.key == "joint") entry.value = std::make_shared<const Value>(std::move(word));
    drive_of_one(one, " " + name);
  }
}

void ConstraintReader::drive_of_one(const Value& node, const std::string& of_several) {
  MapReader map(node, joint_drive_keys(), "drives");
  for (JointDrive& drive : make_joint_drives(map, maker_)) {
    const Coupler::Term& term = drive.constraint.kind.get_if<Coupler>()->terms[0];
    refuse_overlap(node.at, drive.constraint, term, "a drive of a freedom");
    if (!recorded_) refuse_too_many_turns(node.at, drive.constraint, term);
    const std::string own = map.has("name") ? of_several : "";  // otherwise it is called by its joint
    add(map, "drive", std::move(drive.constraint), own + drive.of_several);
  }
}

}  // namespace

PlacedConstraints read_constraints(const Model& model, const State& start, std::span<const Element> elements,
                                   std::span<const FloorContact> contacts, const Value* constraints,
                                   const Value* drives, std::vector<ScriptedJoint> scripts, bool recorded) {
  ConstraintReader reader(model, start, elements, contacts, recorded);
  if (constraints && constraints->kind != Value::Kind::list)
    refuse_value(*constraints, "a list of constraints, each on a '- ' line");
  if (drives && drives->kind != Value::Kind::list) refuse_value(*drives, "a list of drives, each on a '- ' line");
  if (constraints)
    for (const ValuePtr& item : constraints->items) reader.constraint(*item);
  if (drives)
    for (const ValuePtr& item : drives->items) reader.joint_drive(*item);
  for (ScriptedJoint& joint : scripts) reader.script(std::move(joint));
  return reader.take();
}

}  // namespace marey
