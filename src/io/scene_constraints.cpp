#include "io/scene_constraints.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "constraint/coupler.h"
#include "core/text.h"
#include "io/formula_text.h"
#include "io/path_crossing.h"
#include "io/scene_elements.h"
#include "io/scene_joints.h"
#include "io/scene_links.h"
#include "marey/dynamics.h"

namespace marey {

namespace {

using Vec = Vec3<double>;
using Kind = LoopJoint::Kind;
constexpr std::size_t most_constraints = 300;    // solved together, as a dense system
constexpr std::size_t most_with_scripts = 1000;  // of single joints, which are not, unless they contradict each other
constexpr std::size_t longest_name = 200;
constexpr const char* loop_kinds[] = {"ball",        "hinge",  "slider",  "weld",    "universal",
                                      "cylindrical", "planar", "on_line", "on_plane"};

// Axes of which z is the given one.
Mat3<double> axes_with_z(const Vec& z) {
  const Vec along = std::abs(z.x) < 0.9 ? Vec{1, 0, 0} : Vec{0, 1, 0};
  Vec x = along - dot(along, z) * z;
  x = (1 / norm(x)) * x;
  const Vec y = cross(z, x);
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
Mat3<double> axes_with_x(const Vec& x) {
  const Mat3<double> R = axes_with_z(x);  // columns y, z, x of the new ones
  return {R.xz, R.xx, R.xy, R.yz, R.yx, R.yy, R.zz, R.zx, R.zy};
}

class ConstraintReader {
 public:
  ConstraintReader(const Model& model, const State& start, std::span<const Element> elements,
                   std::span<const FloorContact> contacts, bool recorded)
      : model_(model), start_(start), recorded_(recorded), kinematics_(model), links_(model) {
    forward_kinematics<double>(model, model.params, start.q, start.v, kinematics_);
    for (const Element& e : elements) names_.insert(e.name);
    for (const FloorContact& c : contacts) names_.insert(c.name);
  }
  void constraint(const YamlNode&);
  void joint_drive(const YamlNode&);
  PlacedConstraints take() { return {std::move(constraints_), std::move(places_)}; }

 private:
  const Transform<double>& pose(int link) const { return kinematics_.X_WB[static_cast<std::size_t>(link)]; }
  int link_or_world(const YamlNode*) const;
  std::string hanging(int link) const;
  void ends(MapReader&, Constraint&) const;
  void set_b(MapReader&, Constraint&, const Mat3<double>& R_AB) const;
  void loop(MapReader&, Kind, Constraint&) const;
  void rod(MapReader&, Constraint&) const;
  void path(MapReader&, Constraint&) const;
  void surface(MapReader&, Constraint&) const;
  void couple(MapReader&, Constraint&) const;
  void drive(MapReader&, Constraint&) const;
  void follow(MapReader&, Constraint&) const;
  void roll(MapReader&, Constraint&) const;
  void when(MapReader&, Constraint&) const;
  void add(MapReader&, const std::string& kind, Constraint&&, const std::string& of_several = {});
  std::string name_of_target(const Constraint&) const;
  // Which coordinate of a joint is meant.
  struct Meant {
    Coupler::Term term;
    bool length = false;
    bool rate_alone = false;  // a turn about an axis of the link: it has a velocity and no value
    std::string words;        // "the coordinate 'bend' is an angle"; empty where the joint says it
  };
  std::vector<JointCoordinate> coordinates_of(int link) const;
  Meant own_coordinate(int link, const YamlNode* named, const Place& at) const;
  Meant named_angle_of(int link, const YamlNode&) const;
  Meant coordinate_of(MapReader&) const;
  void add_terms(int link, const YamlNode& factors, std::vector<Meant>&) const;
  TimeFunction script_of(MapReader&, const std::string& mode, const Meant&) const;
  Instant<double> at_start() const { return {model_, 0, start_.q, start_.v, kinematics_.X_WB, kinematics_.V_WB}; }
  void add_drive(MapReader&, const Meant&, const std::string& of_several);
  void refuse_overlap(const Place&, const Constraint&, const Coupler::Term&) const;

  const Model& model_;
  const State& start_;
  bool recorded_;
  Kinematics<double> kinematics_;  // at the start
  LinkNames links_;
  std::unordered_set<std::string> names_;
  std::vector<Constraint> constraints_;
  std::vector<Place> places_;
};

int ConstraintReader::link_or_world(const YamlNode* node) const {
  if (!node || (node->kind == YamlNode::Kind::scalar && node->text == "world")) return 0;
  return links_.find(*node);
}

// "'arm.lower', which hangs on a ball joint": what errors say of a joint of the wrong type.
std::string ConstraintReader::hanging(int link) const {
  const JointType type = model_.links[static_cast<std::size_t>(link)].joint;
  return fmt::format("'{}', which hangs on {} {} joint", model_.names[static_cast<std::size_t>(link)],
                     type == JointType::ellipsoid ? "an" : "a", marey::name_of(type));
}

// ---- ends
// a with its frame A: a place and, where the kind has one, an axis, both in a.
void ConstraintReader::ends(MapReader& map, Constraint& c) const {
  c.a.link = link_or_world(map.get("a"));
  const YamlNode& b = map.need("b");
  c.b.link = link_or_world(&b);
  if (c.a.link == c.b.link)
    refuse(b.at, fmt::format("found {} as both a and b, which would tie it to itself; expected two links",
                             c.b.link == 0 ? "the world" : "'" + b.text + "'"));
  if (const YamlNode* n = map.get("at")) c.a.X_LC.p = read_vector(*n, kinds::length);
}

// B: its place as given, or where A is at the start; its axes R_AB from those of A at the start.
void ConstraintReader::set_b(MapReader& map, Constraint& c, const Mat3<double>& R_AB) const {
  const Transform<double> X_bA = inverse(pose(c.b.link)) * pose(c.a.link) * c.a.X_LC;
  const YamlNode* at = map.get("at_b");
  c.b.X_LC = {X_bA.R * R_AB, at ? read_vector(*at, kinds::length) : X_bA.p};
}

void ConstraintReader::loop(MapReader& map, Kind kind, Constraint& c) const {
  c.kind = LoopJoint{kind};
  ends(map, c);
  if (kind != Kind::ball && kind != Kind::weld)
    c.a.X_LC.R = axes_with_z(map.has("axis") ? read_axis(*map.get("axis")) : Vec{0, 0, 1});
  set_b(map, c, Mat3<double>::identity());
  if (kind == Kind::universal) {
    c.b.X_LC.R = axes_with_x(read_axis(map.need("axis_b")));
  } else if (const YamlNode* n = kind == Kind::ball || kind == Kind::weld ? nullptr : map.get("axis_b")) {
    c.b.X_LC.R = axes_with_z(read_axis(*n));
  }
}

void ConstraintReader::rod(MapReader& map, Constraint& c) const {
  ends(map, c);
  c.b.X_LC.p = map.has("at_b") ? read_vector(*map.get("at_b"), kinds::length) : Vec{};
  FixedDistance rod;
  rod.length = norm(pose(c.b.link) * c.b.X_LC.p - pose(c.a.link) * c.a.X_LC.p);
  if (const YamlNode* n = map.get("length")) rod.length = read_number(*n, kinds::length, Range::positive);
  if (!(rod.length > 0))
    refuse(map.node().at, "found a rod whose two points are at the same place at the start; expected them apart");
  c.kind = rod;
}

// A curve through points, apart and without crossings: where two stretches meet, a point would not know its way.
SplinePath read_wire(const YamlNode& node, const std::vector<Vec>& points, bool closed, bool recorded) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i + (closed ? 0 : 1) < n; ++i)
    if (!(norm(points[(i + 1) % n] - points[i]) > 0))
      refuse(node.items[(i + 1) % n]->at,
             fmt::format("found the same point twice in a row{}; expected points apart",
                         i + 1 < n ? "" : " (a closed path leads back to its first point by itself)"));
  const SplinePath path = spline_path(points, closed);
  if (recorded) return path;
  if (const std::optional<Vec> at = where_it_crosses(path))
    refuse(node.at, fmt::format("found a path that crosses itself at ({:.3g}, {:.3g}, {:.3g}) m, where it would not "
                                "tell which way goes on; expected one that does not, such as one that passes a little "
                                "beside itself",
                                at->x, at->y, at->z));
  return path;
}

void ConstraintReader::path(MapReader& map, Constraint& c) const {
  ends(map, c);
  c.b.X_LC.p = map.has("at_b") ? read_vector(*map.get("at_b"), kinds::length) : Vec{};
  const std::string form = map.one_of({"circle", "ellipse", "points"});
  if (form.empty()) refuse(map.node().at, "found a path without a curve; expected circle, ellipse or points");
  OnPath path;
  if (form == "points") {
    const YamlNode& node = map.need(form);
    if (node.kind != YamlNode::Kind::list) refuse_value(node, "a list of points: [[0, 0, 0], [10 cm, 0, 0]]");
    std::vector<Vec> points;
    for (const YamlPtr& item : node.items) points.push_back(read_vector(*item, kinds::length));
    const bool closed = map.has("closed") && read_flag(*map.get("closed"));
    if (points.size() < (closed ? 3U : 2U)) refuse_value(node, "two points or more; three of a closed path");
    path.spline = read_wire(node, points, closed, recorded_);
  } else {
    if (const YamlNode* n = map.get("axis")) c.a.X_LC.R = axes_with_z(read_axis(*n));
    const YamlNode& node = map.need(form);
    if (form == "circle") {
      path.radii[0] = path.radii[1] = read_number(node, kinds::length, Range::positive);
    } else {
      if (node.kind != YamlNode::Kind::list || node.items.size() != 2)
        refuse_value(node, "two half axes: [20 cm, 10 cm]");
      for (std::size_t k = 0; k < 2; ++k) path.radii[k] = read_number(*node.items[k], kinds::length, Range::positive);
    }
  }
  c.kind = path;
}

void ConstraintReader::surface(MapReader& map, Constraint& c) const {
  ends(map, c);
  c.b.X_LC.p = map.has("at_b") ? read_vector(*map.get("at_b"), kinds::length) : Vec{};
  if (const YamlNode* n = map.get("turned")) c.a.X_LC.R = rotation(read_rotation(*n));
  const std::string form = map.one_of({"sphere", "ellipsoid", "plane"});
  if (form.empty()) refuse(map.node().at, "found a surface without a shape; expected sphere, ellipsoid or plane");
  const YamlNode& node = map.need(form);
  if (form == "plane") {
    c.a.X_LC.R = axes_with_z(read_axis(node));
    c.kind = LoopJoint{Kind::on_plane};
  } else if (form == "sphere") {
    const double r = read_number(node, kinds::length, Range::positive);
    c.kind = OnSurface{{r, r, r}};
  } else {
    c.kind = OnSurface{read_vector(node, kinds::length, Range::positive)};
  }
}

// ---- functions of time
// A number with a unit, a quoted formula of t in SI units, or a table of times and values.
TimeFunction function_of(const YamlNode& node, const QuantityKind& kind, const FormulaConstants& constants) {
  if (node.kind == YamlNode::Kind::scalar) {
    TimeFunction f;
    f.formula = node.quoted ? read_time_formula(node, constants, kind) : constant_formula(read_number(node, kind));
    return f;
  }
  const TimeTable table = read_table(node, kind);
  if (table.t.size() < 2) refuse_value(node, "two knots or more: [[0 s, 0], [1 s, 30 deg]]");
  return spline_in_time(table.t, table.value);
}

std::array<TimeFunction, 3> waypoints(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::list || node.items.size() < 2)
    refuse_value(node, "two waypoints or more: [[0 s, 0, 0, 1 m], [2 s, 0, 0, 2 m]]");
  std::vector<double> t;
  std::array<std::vector<double>, 3> x;
  for (const YamlPtr& item : node.items) {
    if (item->kind != YamlNode::Kind::list || item->items.size() != 4)
      refuse_value(*item, "a time and a place: [2 s, 0, 0, 1 m]");
    t.push_back(read_number(*item->items[0], kinds::time));
    if (t.size() > 1 && !(t.back() > t[t.size() - 2])) refuse_value(*item, "times that ascend");
    for (std::size_t k = 0; k < 3; ++k) x[k].push_back(read_number(*item->items[k + 1], kinds::length));
  }
  return {spline_in_time(t, x[0]), spline_in_time(t, x[1]), spline_in_time(t, x[2])};
}

void ConstraintReader::drive(MapReader& map, Constraint& c) const {
  ends(map, c);
  const FormulaConstants constants = read_constants(map.get("constants"));
  c.b.X_LC.p = map.has("at_b") ? read_vector(*map.get("at_b"), kinds::length) : Vec{};
  Drive drive;
  const std::string form = map.one_of({"place", "through"});
  if (form == "through") drive.place = waypoints(map.need(form));
  if (form == "place") {
    const YamlNode& node = map.need(form);
    if (node.kind != YamlNode::Kind::list || node.items.size() != 3)
      refuse_value(node, "three numbers or quoted formulas of t: [0, 0, '0.1*sin(t)']");
    drive.place.emplace();
    for (std::size_t k = 0; k < 3; ++k) (*drive.place)[k] = function_of(*node.items[k], kinds::length, constants);
  }
  if (const YamlNode* n = map.get("angle")) {
    drive.angle = function_of(*n, kinds::angle, constants);
    if (const YamlNode* axis = map.get("axis")) drive.axis = read_axis(*axis);
    // B is set so that the angle at the start is the one the link then has.
    const Transform<double> X_WA = pose(c.a.link) * c.a.X_LC;
    const Mat3<double> R_0 = rotation_about(drive.axis, drive.angle->at(0).value);
    c.b.X_LC.R = transpose(pose(c.b.link).R) * X_WA.R * R_0;
  }
  if (!drive.place && !drive.angle) refuse(map.node().at, "found a drive of nothing; expected place, through or angle");
  c.kind = drive;
}

// ---- coordinates of joints
// Those that have a value; the place of a free joint's origin is called as a point's is.
std::vector<JointCoordinate> ConstraintReader::coordinates_of(int link) const {
  const JointType joint = model_.links[static_cast<std::size_t>(link)].joint;
  if (joint == JointType::free) return {{"x", true}, {"y", true}, {"z", true}};
  return has_attitude(joint) ? std::vector<JointCoordinate>{} : freedoms_of(model_, link);
}

ConstraintReader::Meant ConstraintReader::own_coordinate(int link, const YamlNode* named, const Place& at) const {
  const JointType joint = model_.links[static_cast<std::size_t>(link)].joint;
  const std::vector<JointCoordinate> names = coordinates_of(link);
  const std::string whose =
      fmt::format("the {} joint of '{}'", name_of(joint), printable(model_.names[static_cast<std::size_t>(link)]));
  const char* turns = has_attitude(joint)
                          ? "which: {twist: x}, {swing: x} or {euler: x}, or of drives freedom: x, y or z"
                          : "another joint";
  if (names.empty())
    refuse(named ? named->at : at, fmt::format("found {}, which has no coordinate; expected {}", whose, turns));
  std::vector<std::string> words;
  for (const JointCoordinate& c : names) words.push_back(c.name);
  if (!named && names.size() > 1)
    refuse(at, fmt::format("found no coordinate of {}, which has several; expected coordinate: {}{}", whose,
                           either(words), joint == JointType::free ? fmt::format(", or {}", turns) : ""));
  Meant out;
  const int k = named ? read_coordinate(*named, names) : 0;
  out.term.link = link;
  out.term.freedom = joint == JointType::free ? 3 + k : k;
  out.length = names[static_cast<std::size_t>(k)].is_length;
  if (joint != JointType::hinge && joint != JointType::slider)
    out.words = fmt::format("the coordinate '{}' is {}", printable(names[static_cast<std::size_t>(k)].name),
                            out.length ? "a length" : "an angle");
  return out;
}

ConstraintReader::Meant ConstraintReader::named_angle_of(int link, const YamlNode& node) const {
  Meant out;
  out.term.link = link;
  out.term.angle = read_named_angle(node);
  out.words = "a named angle is one";
  if (const JointType joint = model_.links[static_cast<std::size_t>(link)].joint; !has_attitude(joint))
    refuse(node.at, fmt::format("found a named angle of the {} joint of '{}'; expected coordinate, since it has some",
                                name_of(joint), printable(model_.names[static_cast<std::size_t>(link)])));
  return out;
}

// What `joint`, `coordinate`, `which` and, of drives, `freedom` say.
ConstraintReader::Meant ConstraintReader::coordinate_of(MapReader& map) const {
  const YamlNode& name = map.need("joint");
  const int link = links_.find(name);
  const bool attitude = has_attitude(model_.links[static_cast<std::size_t>(link)].joint);
  const std::string by = map.one_of({"coordinate", "which", "freedom"});
  if (by == "which") return named_angle_of(link, map.need(by));
  if (by == "freedom" && attitude) {
    Meant out;
    out.term.link = link;
    out.term.freedom = static_cast<int>(read_choice(map.need(by), {"x", "y", "z"}));
    out.rate_alone = true;
    return out;
  }
  if (by == "freedom")
    refuse(map.key_place(by), fmt::format("found 'freedom' for {}; expected 'coordinate'", hanging(link)));
  return own_coordinate(link, map.get("coordinate"), name.at);
}

// A factor, of a joint with one coordinate; factors by the names of coordinates; or a named angle and its factor.
void ConstraintReader::add_terms(int link, const YamlNode& factors, std::vector<Meant>& out) const {
  const auto add = [&](Meant meant, const YamlNode& factor) {
    meant.term.factor = read_number(factor, kinds::number);
    if (meant.term.factor == 0) refuse_value(factor, "a factor other than zero, or the joint left out");
    out.push_back(std::move(meant));
  };
  if (factors.kind != YamlNode::Kind::map) return add(own_coordinate(link, nullptr, factors.at), factors);
  if (has_attitude(model_.links[static_cast<std::size_t>(link)].joint) && factors.find("which")) {
    MapReader map(factors, "coupled");
    add(named_angle_of(link, map.need("which")), map.need("factor"));
    return map.done("in a coupler");
  }
  if (factors.entries.empty()) refuse_value(factors, "coordinates and their factors: {first: 2}");
  for (const YamlEntry& entry : factors.entries) {
    YamlNode key;
    key.kind = YamlNode::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    add(own_coordinate(link, &key, key.at), *entry.value);
  }
}

void ConstraintReader::couple(MapReader& map, Constraint& c) const {
  const YamlNode& node = map.need("joints");
  if (node.kind != YamlNode::Kind::map || node.entries.empty())
    refuse_value(node, "joints and their factors: {arm.lower: 1, arm.upper: -2}");
  std::vector<Meant> meant;
  for (const YamlEntry& entry : node.entries) {
    YamlNode key;
    key.kind = YamlNode::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    add_terms(links_.find(key), *entry.value, meant);
  }
  Coupler coupler;
  std::size_t lengths = 0;
  std::unordered_set<int> links;
  for (const Meant& m : meant) {
    coupler.terms.push_back(m.term), lengths += m.length ? 1 : 0;
    for (const int moved : {m.term.link, model_.links[static_cast<std::size_t>(m.term.link)].parent})
      if (moved != 0) links.insert(moved);
  }
  constexpr std::size_t most_links = std::tuple_size_v<decltype(ConstraintRow::parts)>;
  if (links.size() > most_links)
    refuse_value(node, fmt::format("joints of at most {} links, their own and those they hang on; these are of {}",
                                   most_links, links.size()));
  const FormulaConstants constants = read_constants(map.get("constants"));
  const YamlNode* given = map.get("sum");
  const QuantityKind& kind = lengths == 0 ? kinds::angle : lengths == meant.size() ? kinds::length : kinds::number;
  coupler.sum = given ? function_of(*given, kind, constants) : constant_in_time(coupled_value(coupler, at_start()));
  coupler.from_where_it_is = !given;
  c.kind = coupler;
}

// A coordinate as a function of time: lengths by `slide`, angles by `angle`.
TimeFunction ConstraintReader::script_of(MapReader& map, const std::string& mode, const Meant& meant) const {
  const YamlNode& node = map.need(mode);
  if (meant.rate_alone)
    refuse(map.key_place(mode),
           fmt::format("found '{}' for an axis of the link {}; expected velocity, acceleration or locked, or "
                       "which: {{twist: x}} in the place of freedom",
                       mode, hanging(meant.term.link)));
  if (meant.length != (mode == "slide"))
    refuse(map.key_place(mode),
           fmt::format("found '{}' for {}; expected '{}'{}", mode, hanging(meant.term.link),
                       meant.length ? "slide" : "angle", meant.words.empty() ? "" : ", since " + meant.words));
  return function_of(node, meant.length ? kinds::length : kinds::angle, read_constants(map.get("constants")));
}

void ConstraintReader::follow(MapReader& map, Constraint& c) const {
  const Meant meant = coordinate_of(map);
  Coupler coupler;
  coupler.terms.push_back(meant.term);
  const std::string mode = map.one_of({"angle", "slide"});
  coupler.sum = script_of(map, mode.empty() ? (meant.length ? "slide" : "angle") : mode, meant);
  c.kind = coupler;
}

void ConstraintReader::roll(MapReader& map, Constraint& c) const {
  ends(map, c);
  c.a.X_LC.R = axes_with_z(map.has("axis") ? read_axis(*map.get("axis")) : Vec{0, 0, 1});
  c.b.X_LC.p = map.has("at_b") ? read_vector(*map.get("at_b"), kinds::length) : Vec{};
  const std::string form = map.one_of({"sphere", "disc"});
  if (form.empty()) refuse(map.node().at, "found nothing that rolls; expected sphere or disc, with a radius");
  Rolling rolling;
  rolling.radius = read_number(map.need(form), kinds::length, Range::positive);
  if (form == "disc") {
    rolling.body = Rolling::Body::disc;
    c.b.X_LC.R = axes_with_z(map.has("axis_b") ? read_axis(*map.get("axis_b")) : Vec{0, 0, 1});
  }
  c.kind = rolling;
}

// ---- names and times
void ConstraintReader::when(MapReader& map, Constraint& c) const {
  if (const YamlNode* n = map.get("from")) c.from = read_number(*n, kinds::time, Range::not_negative);
  if (const YamlNode* n = map.get("until")) {
    c.until = read_number(*n, kinds::time, Range::positive);
    if (!(c.until > c.from)) refuse_value(*n, "a time after it begins");
  }
  if (const YamlNode* n = map.get("when")) c.when = read_condition(model_, start_, *n);
}

std::string ConstraintReader::name_of_target(const Constraint& c) const {
  const Coupler* coupler = std::get_if<Coupler>(&c.kind);
  const int link = coupler ? coupler->terms[0].link : c.b.link != 0 ? c.b.link : c.a.link;
  return model_.names[static_cast<std::size_t>(link)];
}

void ConstraintReader::constraint(const YamlNode& node) {
  MapReader outer(node, "constraint");
  const std::string kind =
      outer.one_of({"ball", "hinge", "slider", "weld", "universal", "cylindrical", "planar", "on_line", "on_plane",
                    "rod", "path", "surface", "couple", "drive", "follow", "roll"});
  if (kind.empty()) refuse(node.at, "found an empty constraint; expected a kind, such as hinge: {…}");
  Constraint c;
  std::size_t which = 0;
  while (which < std::size(loop_kinds) && kind != loop_kinds[which]) ++which;
  MapReader map(outer.need(kind), which < std::size(loop_kinds) ? "loop" : kind, kind);
  if (which < std::size(loop_kinds)) loop(map, static_cast<Kind>(which), c);
  if (kind == "rod") rod(map, c);
  if (kind == "path") path(map, c);
  if (kind == "surface") surface(map, c);
  if (kind == "couple") couple(map, c);
  if (kind == "drive") drive(map, c);
  if (kind == "follow") follow(map, c);
  if (kind == "roll") roll(map, c);
  when(map, c);
  add(map, kind, std::move(c));
}

void ConstraintReader::add(MapReader& map, const std::string& kind, Constraint&& c, const std::string& of_several) {
  const YamlNode* given = map.get("name");
  const std::string base = (given ? read_text(*given) : name_of_target(c) + "/" + kind) + of_several;
  if (given && (base.find_first_of("/\n\r\t") != std::string::npos || base[0] == '.' || base.size() > longest_name))
    refuse_value(*given, fmt::format("a name of at most {} letters that is no path", longest_name));
  if (given && names_.count(base)) refuse_value(*given, "a name that nothing else in the account has");
  c.name = base;
  for (int n = 2; !names_.insert(c.name).second; ++n) c.name = fmt::format("{} {}", base, n);
  map.done(kind == "drive" && map.has("joint") ? "for " + hanging(std::get<Coupler>(c.kind).terms[0].link)
                                               : "in a constraint of this kind");
  if (const std::string why = refusal(model_, c); !why.empty())
    refuse(map.node().at, fmt::format("found a constraint that cannot be: {}", why));
  const auto is_script = [](const Constraint& other) {
    const Coupler* coupler = std::get_if<Coupler>(&other.kind);
    return coupler != nullptr && coupler->terms.size() == 1;
  };
  const auto scripts = static_cast<std::size_t>(std::ranges::count_if(constraints_, is_script));
  if ((!is_script(c) && constraints_.size() - scripts == most_constraints) || constraints_.size() == most_with_scripts)
    refuse(map.node().at, fmt::format("found more than {} constraints; expected fewer",
                                      is_script(c) ? most_with_scripts : most_constraints));
  constraints_.push_back(std::move(c));
  places_.push_back(map.node().at);
}

void ConstraintReader::refuse_overlap(const Place& at, const Constraint& c, const Coupler::Term& term) const {
  for (const Constraint& other : constraints_) {
    const Coupler* theirs = std::get_if<Coupler>(&other.kind);
    if (theirs == nullptr || theirs->terms.size() != 1 || c.when || other.when) continue;
    const Coupler::Term& their = theirs->terms[0];
    const bool same_axis = term.angle.axis.x == their.angle.axis.x && term.angle.axis.y == their.angle.axis.y &&
                           term.angle.axis.z == their.angle.axis.z;
    if (their.link != term.link || their.freedom != term.freedom || their.angle.kind != term.angle.kind || !same_axis)
      continue;
    if (c.from < other.until && other.from < c.until)
      refuse(at, fmt::format("found a drive of a freedom that '{}' drives at the same time; expected times that do "
                             "not overlap",
                             other.name));
  }
}

// One freedom of a joint that follows a script for a while: a coupler of one term that starts from where the joint is.
// A lock that says no more is of all its freedoms.
void ConstraintReader::joint_drive(const YamlNode& node) {
  MapReader map(node, "joint_drive", "drives");
  if (!map.has("locked") || !map.one_of({"coordinate", "which", "freedom"}).empty())
    return add_drive(map, coordinate_of(map), "");
  const int link = links_.find(map.need("joint"));
  const JointType joint = model_.links[static_cast<std::size_t>(link)].joint;
  const std::vector<JointCoordinate> freedoms = freedoms_of(model_, link);
  if (freedoms.size() < 2) return add_drive(map, coordinate_of(map), "");
  for (int k = 0; k < static_cast<int>(freedoms.size()); ++k) {
    Meant meant;
    meant.term.link = link, meant.term.freedom = k;
    meant.rate_alone = has_attitude(joint) && k < 3;
    add_drive(map, meant, " " + freedoms[static_cast<std::size_t>(k)].name);
  }
}

void ConstraintReader::add_drive(MapReader& map, const Meant& meant, const std::string& of_several) {
  const YamlNode& node = map.node();
  Constraint c;
  Coupler coupler;
  coupler.terms.push_back(meant.term);
  const std::string mode = map.one_of({"angle", "slide", "velocity", "acceleration", "locked"});
  if (mode.empty())
    refuse(node.at, "found a drive without a script; expected angle, slide, velocity, acceleration or locked");
  const YamlNode& script = map.need(mode);
  if (mode == "locked") {
    if (!read_flag(script)) refuse_value(script, "true, or the drive left out");
    coupler.sum = constant_in_time(meant.rate_alone ? 0 : coupled_value(coupler, at_start()));
    if (meant.rate_alone) coupler.level = Coupler::Level::velocity;
  } else if (mode == "velocity") {
    coupler.level = Coupler::Level::velocity;
    coupler.sum =
        function_of(script, meant.length ? kinds::speed : kinds::angular_rate, read_constants(map.get("constants")));
  } else if (mode == "acceleration") {
    coupler.level = Coupler::Level::acceleration;
    coupler.sum = function_of(script, meant.length ? kinds::acceleration : kinds::angular_acceleration,
                              read_constants(map.get("constants")));
  } else {
    coupler.sum = script_of(map, mode, meant);
  }
  if (const YamlNode* n = map.get("blend")) {
    if (mode != "angle" && mode != "slide") refuse_value(*n, "nothing, since only angle and slide are blended in");
    coupler.blend = read_number(*n, kinds::time, Range::positive);
  }
  coupler.from_where_it_is = coupler.level == Coupler::Level::coordinate;
  when(map, c);
  refuse_overlap(node.at, c, meant.term);
  if (coupler.blend > 0 && c.from == 0 && !c.when) coupler.offset = off_script(coupler, at_start());
  c.kind = coupler;
  add(map, "drive", std::move(c), of_several);
}

}  // namespace

PlacedConstraints read_constraints(const Model& model, const State& start, std::span<const Element> elements,
                                   std::span<const FloorContact> contacts, const YamlNode* constraints,
                                   const YamlNode* drives, bool recorded) {
  ConstraintReader reader(model, start, elements, contacts, recorded);
  if (constraints && constraints->kind != YamlNode::Kind::list)
    refuse_value(*constraints, "a list of constraints, each on a '- ' line");
  if (drives && drives->kind != YamlNode::Kind::list) refuse_value(*drives, "a list of drives, each on a '- ' line");
  if (constraints)
    for (const YamlPtr& item : constraints->items) reader.constraint(*item);
  if (drives)
    for (const YamlPtr& item : drives->items) reader.joint_drive(*item);
  return reader.take();
}

}  // namespace marey
