#include "scene/contacts.h"

#include <fmt/core.h>

#include <cmath>
#include <unordered_set>

#include "marey/contact/surface.h"
#include "marey/dynamics.h"
#include "marey/force/link_names.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
constexpr std::size_t most_contacts = 300;  // all of them may touch at once, and are solved together
constexpr double on_the_floor = 1e-9;       // m

// Points of a link, and the surface about them.
struct Points {
  std::vector<Vec> at_B;
  ContactSurface surface{};
};
ContactSurface ball_of(double radius) { return {ContactSurface::Kind::ball, radius}; }

class ContactReader {
 public:
  ContactReader(const Model& model, const State& start, std::span<const Element> elements, bool may_be_below)
      : model_(model), may_be_below_(may_be_below), kinematics_(model), links_(model) {
    forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
    for (const Element& e : elements) names_.insert(e.name);
  }
  void contact(const Value&);
  std::vector<FloorContact> take() { return std::move(contacts_); }

 private:
  Points points_of(const Value*, int link, const Place&) const;
  Points by_shape(const Value*, int link, const Place&) const;
  void add(FloorContact, const Value* given_name, const std::string& base, const Place&);
  void make_group(std::size_t first, const std::string& base);

  const Model& model_;
  bool may_be_below_;
  Kinematics<double> kinematics_;  // at the start
  LinkNames links_;
  std::unordered_set<std::string> names_, groups_;
  std::vector<FloorContact> contacts_;
};

}  // namespace

Plane read_plane(const Value& node) {
  Plane plane;
  if (node.kind != Value::Kind::map) {
    plane.offset = read_number(node, kinds::length);
    return plane;
  }
  MapReader map(node, key_table("floor"));
  if (const Value* n = map.get("normal")) plane.normal_W = read_axis(*n);
  const std::string form = map.one_of({"height", "through"});
  if (form == "height") plane.offset = read_number(map.need("height"), kinds::length);
  if (form == "through") plane.offset = dot(plane.normal_W, read_vector(map.need("through"), kinds::length));
  return plane;
}

namespace {

void read_friction(const Value* node, FloorContact& c) {
  if (!node) return;
  if (node->kind == Value::Kind::map) {
    MapReader map(*node, key_table("grip"));
    c.friction_kinetic = read_number(map.need("kinetic"), kinds::number, Range::not_negative);
    const Value& at_rest = map.need("static");
    c.friction_static = read_number(at_rest, kinds::number, Range::not_negative);
    if (c.friction_static < c.friction_kinetic)
      refuse_value(at_rest, fmt::format("at least the kinetic friction, {}", c.friction_kinetic));
  } else {
    c.friction_static = c.friction_kinetic = read_number(*node, kinds::number, Range::not_negative);
  }
  c.law.friction = c.friction_kinetic;
}

void read_ground(const Value& node, FloorContact& c) {
  MapReader map(node, key_table("ground"));
  c.compliant = true;
  if (const Value* n = map.get("exponent")) {
    c.ground.exponent = read_number(*n, kinds::number);
    if (!(c.ground.exponent >= 1 && c.ground.exponent <= 10)) refuse_value(*n, "an exponent from 1 to 10");
  }
  // A force per length to the power of the exponent has a unit of its own: then it is a plain number.
  const QuantityKind& kind = c.ground.exponent == 1 ? kinds::stiffness : kinds::number;
  c.ground.stiffness = read_number(map.need("stiffness"), kind, Range::positive);
  if (const Value* n = map.get("tangential")) {
    c.ground.tangential = read_number(*n, kinds::stiffness, Range::positive);
    if (c.friction_static == 0)
      remark(map.key_place("tangential"),
             "'tangential' has no effect without friction: nothing holds the point along the floor");
  }
  if (const Value* n = map.get("damping")) c.ground.damping = read_number(*n, kinds::damping, Range::not_negative);
}

void read_law(MapReader& map, FloorContact& c) {
  if (const Value* n = map.get("restitution")) {
    c.law.restitution = read_number(*n, kinds::number, Range::not_negative);
    if (c.law.restitution > 1) refuse_value(*n, "a coefficient of restitution from 0 to 1");
  }
  if (const Value* n = map.get("impact"))
    c.law.kind = static_cast<ImpactKind>(read_choice(*n, {"coulomb", "smooth", "rough", "stick"}));
  if (const Value* n = map.get("rule"))
    c.law.hypothesis = static_cast<Hypothesis>(read_choice(*n, {"stronge", "poisson", "newton"}));
  if (map.has("rule") && c.law.restitution == 0)
    remark(map.key_place("rule"), "'rule' has no effect without restitution: whatever it relates is 0");
}

// Ground that gives way holds points, not surfaces that roll: there a ball is a point at the distance of its radius.
void set_surface(const ContactSurface& of_shape, const Value* radius, const Value* clearance, FloorContact& c) {
  c.surface = of_shape, c.clearance = 0;
  if (radius) c.surface = ball_of(read_number(*radius, kinds::length, Range::positive));
  if (!clearance && !c.compliant) return;
  if (clearance) c.clearance = read_number(*clearance, kinds::length, Range::not_negative);
  if (!clearance && c.surface.kind == ContactSurface::Kind::ball) c.clearance = c.surface.radius;
  c.surface = {};
}

// Where the shapes of a link touch first: centres of spheres, corners of boxes, ends of capsules and cylinders.
Points points_of_shape(const Shape& shape) {
  Points points;
  const auto add = [&](const Vec& p_S) { points.at_B.push_back(shape.X_BS * p_S); };
  if (const Sphere* sphere = std::get_if<Sphere>(&shape.solid)) {
    add({});
    points.surface = ball_of(sphere->radius);
  } else if (const Box* box = std::get_if<Box>(&shape.solid)) {
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        for (const double z : {-0.5, 0.5}) add({x * box->size.x, y * box->size.y, z * box->size.z});
  } else if (const Capsule* capsule = std::get_if<Capsule>(&shape.solid)) {
    for (const double z : {-0.5, 0.5}) add({0, 0, z * capsule->length});
    points.surface = ball_of(capsule->radius);
  } else if (const Cylinder* cylinder = std::get_if<Cylinder>(&shape.solid)) {
    for (const double z : {-0.5, 0.5}) add({0, 0, z * cylinder->length});
    points.surface = {ContactSurface::Kind::rim, cylinder->radius, shape.X_BS.R * Vec{0, 0, 1}};
  }
  return points;
}

Points ContactReader::by_shape(const Value* node, int link, const Place& at) const {
  const std::vector<Shape>& shapes = model_.shapes[static_cast<std::size_t>(link)];
  const std::string word = node ? read_text(*node) : "";
  for (const Shape& shape : shapes) {
    const bool fits = word.empty() || (word == "center" && std::holds_alternative<Sphere>(shape.solid)) ||
                      (word == "corners" && std::holds_alternative<Box>(shape.solid)) ||
                      (word == "ends" &&
                       (std::holds_alternative<Capsule>(shape.solid) || std::holds_alternative<Cylinder>(shape.solid)));
    if (!fits) continue;
    Points points = points_of_shape(shape);
    if (!points.at_B.empty()) return points;
  }
  if (!node && shapes.empty()) return {{Vec{}}};
  refuse(at, fmt::format("found no shape of '{}' that has {}; expected at: joint, or the points: [[0, 0, 4 cm], …]",
                         model_.names[static_cast<std::size_t>(link)], word.empty() ? "such points" : word));
}

Points ContactReader::points_of(const Value* node, int link, const Place& at) const {
  if (!node) return by_shape(nullptr, link, at);
  if (node->kind == Value::Kind::scalar) {
    if (read_choice(*node, {"joint", "center", "corners", "ends"}) == 0) return {{Vec{}}};
    return by_shape(node, link, node->at);
  }
  Points points;
  if (node->kind == Value::Kind::list && !node->items.empty() && node->items[0]->kind == Value::Kind::list) {
    for (const ValuePtr& item : node->items) points.at_B.push_back(read_vector(*item, kinds::length));
  } else {
    points.at_B.push_back(read_vector(*node, kinds::length));
  }
  return points;
}

void ContactReader::add(FloorContact c, const Value* given_name, const std::string& base, const Place& at) {
  c.name = base;
  if (given_name && names_.count(base)) refuse_value(*given_name, "a name that no torque, force or contact has");
  for (int n = 2; !names_.insert(c.name).second; ++n) c.name = fmt::format("{} {}", base, n);
  const Transform<double>& X = kinematics_.X_WB[static_cast<std::size_t>(c.link)];
  const double gap = dot(c.plane.normal_W, X.p + offset_of_contact(c, X.R)) - c.plane.offset;
  if (!c.compliant && !may_be_below_ && gap < -on_the_floor)
    refuse(at, fmt::format("found a point of '{}' {:.4g} m below the floor at the start; expected it on the floor or "
                           "above it, or start: projected",
                           model_.names[static_cast<std::size_t>(c.link)], -gap));
  if (contacts_.size() == most_contacts)
    refuse(at, fmt::format("found more than {} points of contact; expected fewer", most_contacts));
  contacts_.push_back(std::move(c));
}

// The points read since the first one, under a name that no other group has. A single point is its own sum.
void ContactReader::make_group(std::size_t first, const std::string& base) {
  if (contacts_.size() < first + 2) return;
  std::string group = base;
  for (int n = 2; !groups_.insert(group).second; ++n) group = fmt::format("{} {}", base, n);
  for (std::size_t i = first; i < contacts_.size(); ++i) contacts_[i].group = group;
}

void ContactReader::contact(const Value& node) {
  MapReader map(node, key_table("contact"));
  FloorContact c;
  const Value* name = map.get("name");
  const std::vector<int> links = links_.find_moving(map.need("link"));
  if (const Value* floor = map.get("floor")) c.plane = read_plane(*floor);
  read_friction(map.get("friction"), c);
  if (const Value* n = map.get("compliant"))
    read_ground(*n, c);
  else
    read_law(map, c);
  const Value *at = map.get("at"), *clearance = map.get("clearance"), *radius = map.get("radius");
  if (radius && clearance)
    refuse(map.key_place("radius"),
           "found 'radius' and 'clearance'; expected one of them: with a radius the point is the "
           "centre of a ball that rolls, with a clearance it is a point that stays that far away");
  const double offset = c.plane.offset;
  const std::size_t first = contacts_.size();
  for (const int link : links) {
    const Points points = points_of(at, link, node.at);
    c.link = link;
    set_surface(points.surface, radius, clearance, c);
    c.plane.offset = offset + c.clearance;
    const std::string& link_name = model_.names[static_cast<std::size_t>(link)];
    std::string base = name ? read_text(*name) + (links.size() > 1 ? "/" + link_name : "") : link_name + "/floor";
    const std::size_t first_of_link = contacts_.size();
    for (std::size_t k = 0; k < points.at_B.size(); ++k) {
      c.point_B = points.at_B[k];
      add(c, name, points.at_B.size() > 1 ? fmt::format("{} {}", base, k + 1) : base, node.at);
    }
    if (!name) make_group(first_of_link, base);
  }
  if (name) make_group(first, read_text(*name));
  map.done("on ground that gives way");
}

}  // namespace

std::vector<FloorContact> read_contacts(const Model& model, const State& start, std::span<const Element> elements,
                                        const Value* contacts, bool may_be_below) {
  if (!contacts) return {};
  if (contacts->kind != Value::Kind::list) refuse_value(*contacts, "a list of contacts, each on a '- ' line");
  ContactReader reader(model, start, elements, may_be_below);
  for (const ValuePtr& item : contacts->items) reader.contact(*item);
  return reader.take();
}

}  // namespace marey
