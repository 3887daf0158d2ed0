#include "marey/constraint/constraint_maker.h"

#include <fmt/core.h>

#include <cmath>

#include "marey/core/text.h"
#include "marey/force/time_text.h"
#include "marey/model/joint_forms.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

}  // namespace

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

int ConstraintMaker::link_or_world(const Value* node) const {
  if (!node || (node->kind == Value::Kind::scalar && node->text == "world")) return 0;
  return links().find(*node);
}

std::string ConstraintMaker::hanging(int link) const {
  const JointType type = model().links[static_cast<std::size_t>(link)].joint;
  return fmt::format("'{}', which hangs on {} {} joint", model().names[static_cast<std::size_t>(link)],
                     type == JointType::ellipsoid ? "an" : "a", marey::name_of(type));
}

// ---- ends
void ConstraintMaker::ends(MapReader& map, Constraint& c) const {
  c.a.link = link_or_world(map.get("a"));
  const Value& b = map.need("b");
  c.b.link = link_or_world(&b);
  if (c.a.link == c.b.link)
    refuse(b.at, fmt::format("found {} as both a and b, which would tie it to itself; expected two links",
                             c.b.link == 0 ? "the world" : "'" + b.text + "'"));
  c.a.X_LC.p = map.vector_or("at");
}

void ConstraintMaker::set_b(MapReader& map, Constraint& c, const Mat3<double>& R_AB) const {
  const Transform<double> X_bA = inverse(pose(c.b.link)) * pose(c.a.link) * c.a.X_LC;
  c.b.X_LC = {X_bA.R * R_AB, map.vector_or("at_b", X_bA.p)};
}

// ---- coordinates of joints
// Those that have a value; the place of a free joint's origin is called as a point's is.
std::vector<JointCoordinate> ConstraintMaker::coordinates_of(int link) const {
  const JointType joint = model().links[static_cast<std::size_t>(link)].joint;
  if (joint == JointType::free) return {{"x", true}, {"y", true}, {"z", true}};
  return has_attitude(joint) ? std::vector<JointCoordinate>{} : freedoms_of(model(), link);
}

MeantCoordinate ConstraintMaker::own_coordinate(int link, const Value* named, const Place& at) const {
  const JointType joint = model().links[static_cast<std::size_t>(link)].joint;
  const std::vector<JointCoordinate> names = coordinates_of(link);
  const std::string whose =
      fmt::format("the {} joint of '{}'", name_of(joint), printable(model().names[static_cast<std::size_t>(link)]));
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
  MeantCoordinate out;
  const int k = named ? read_coordinate(*named, names) : 0;
  out.term.link = link;
  out.term.freedom = joint == JointType::free ? 3 + k : k;
  out.length = names[static_cast<std::size_t>(k)].is_length;
  if (joint != JointType::hinge && joint != JointType::slider)
    out.words = fmt::format("the coordinate '{}' is {}", printable(names[static_cast<std::size_t>(k)].name),
                            out.length ? "a length" : "an angle");
  return out;
}

MeantCoordinate ConstraintMaker::named_angle_of(int link, const Value& node) const {
  MeantCoordinate out;
  out.term.link = link;
  out.term.angle = read_named_angle(node);
  out.words = "a named angle is one";
  if (const JointType joint = model().links[static_cast<std::size_t>(link)].joint; !has_attitude(joint))
    refuse(node.at, fmt::format("found a named angle of the {} joint of '{}'; expected coordinate, since it has some",
                                name_of(joint), printable(model().names[static_cast<std::size_t>(link)])));
  return out;
}

// What `joint`, `coordinate`, `which` and, of drives, `freedom` say.
MeantCoordinate ConstraintMaker::coordinate_of(MapReader& map) const {
  const Value& name = map.need("joint");
  const int link = links().find(name);
  const bool attitude = has_attitude(model().links[static_cast<std::size_t>(link)].joint);
  const std::string by = map.one_of({"coordinate", "which", "freedom"});
  if (by == "which") return named_angle_of(link, map.need(by));
  if (by == "freedom" && attitude) {
    MeantCoordinate out;
    out.term.link = link;
    out.term.freedom = static_cast<int>(read_choice(map.need(by), {"x", "y", "z"}));
    out.rate_alone = true;
    return out;
  }
  if (by == "freedom")
    refuse(map.key_place(by), fmt::format("found 'freedom' for {}; expected 'coordinate'", hanging(link)));
  return own_coordinate(link, map.get("coordinate"), name.at);
}

TimeFunction ConstraintMaker::script_of(MapReader& map, const std::string& mode, const MeantCoordinate& meant) const {
  const Value& node = map.need(mode);
  if (meant.rate_alone)
    refuse(map.key_place(mode),
           fmt::format("found '{}' for an axis of the link {}; expected velocity, acceleration or locked, or "
                       "which: {{twist: x}} in the place of freedom",
                       mode, hanging(meant.term.link)));
  if (meant.length != (mode == "slide"))
    refuse(map.key_place(mode),
           fmt::format("found '{}' for {}; expected '{}'{}", mode, hanging(meant.term.link),
                       meant.length ? "slide" : "angle", meant.words.empty() ? "" : ", since " + meant.words));
  return read_time_function(node, meant.length ? kinds::length : kinds::angle, read_constants(map.get("constants")),
                            read_curve(map, curves_of_places, {&node}));
}

void ConstraintMaker::when(MapReader& map, Constraint& c) const {
  c.from = map.number_or("from", c.from);
  if (const std::optional<double> until = map.number_if("until")) {
    c.until = *until;
    if (!(c.until > c.from)) refuse_value(map.need("until"), "a time after it begins");
  }
  if (const Value* n = map.get("when")) c.when = elements_.condition_of(*n);
}

std::vector<KeyInfo> constraint_keys_with(std::vector<KeyInfo> own) {
  own.insert(own.begin(), {"name", "text", "what the ledger calls it"});
  own.insert(own.end(), {{"from", "q:time>=0", "from when it holds; default: the start"},
                         {"until", "q:time>0", "until when; default: the end"},
                         {"when", "@condition", "from the first instant at which this holds"}});
  return own;
}
std::vector<KeyInfo> two_link_keys_with(std::vector<KeyInfo> own) {
  own.insert(own.begin(),
             {{"a", "name", "figure.link, or world; default: world"}, {"b", "name", "figure.link, or world", true}});
  return constraint_keys_with(std::move(own));
}

}  // namespace marey
