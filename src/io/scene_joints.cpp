#include "io/scene_joints.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "io/scene_values.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

bool has_axis(JointType j) {
  return j == JointType::hinge || j == JointType::slider || j == JointType::cylindrical || j == JointType::planar ||
         j == JointType::screw;
}

// What is missing where a joint is given by its name alone, or without a key it needs.
std::string example_of(JointType j) {
  const char* name = name_of(j);
  switch (j) {
    case JointType::universal:
      return "two axes too: {type: universal, axes: [x, y]}";
    case JointType::screw:
      return "axis and pitch too: {type: screw, axis: z, pitch: 5 mm}";
    case JointType::ellipsoid:
      return "radii too: {type: ellipsoid, radii: [3 cm, 3 cm, 4 cm]}";
    case JointType::custom:
      return "coordinates and functions too: {type: custom, coordinates: [bend], angles: {about_y: {slope: 1}}}";
    default:
      return fmt::format("an axis too: {{type: {}, axis: y}}", name);
  }
}

const YamlNode& need(MapReader& map, const char* key, JointType j) {
  const YamlNode* value = map.get(key);
  if (!value) refuse_value(map.node(), example_of(j));
  return *value;
}

// ------------------------------------------------------------------------------------------------ functions
const QuantityKind& kind_of(bool length) { return length ? kinds::length : kinds::angle; }

void read_knots(const YamlNode& node, const QuantityKind& x, const QuantityKind& y, JointFunction& f) {
  const std::string expected = fmt::format("at least two points, each {} and {}, such as [[0, 0], [{}, {}]]", x.name,
                                           y.name, x.example, y.example);
  if (node.kind != YamlNode::Kind::list || node.items.size() < 2) refuse_value(node, expected);
  for (const YamlPtr& item : node.items) {
    if (item->kind != YamlNode::Kind::list || item->items.size() != 2) refuse_value(*item, expected);
    const double at = read_number(*item->items[0], x);
    if (!f.x.empty() && !(at > f.x.back()))
      refuse_value(*item->items[0], fmt::format("more than the {:.6g} before it", f.x.back()));
    f.x.push_back(at);
    f.y.push_back(read_number(*item->items[1], y));
  }
}

std::vector<double> read_numbers(const YamlNode& node, std::size_t least, std::size_t most, const char* expected) {
  if (node.kind != YamlNode::Kind::list || node.items.size() < least || node.items.size() > most)
    refuse_value(node, expected);
  std::vector<double> out;
  for (const YamlPtr& item : node.items) out.push_back(read_number(*item, kinds::number));
  return out;
}

// One function, or a constant alone.
void read_function(const YamlNode& node, std::size_t channel, CustomJoint& joint) {
  const QuantityKind& kind = kind_of(channel >= 3);
  if (node.kind == YamlNode::Kind::scalar) {
    joint.constants[channel] += read_number(node, kind);
    return;
  }
  MapReader map(node, "function");
  if (const YamlNode* constant = map.get("constant")) joint.constants[channel] += read_number(*constant, kind);
  const std::string form = map.one_of({"slope", "polynomial", "table"});
  if (form.empty()) {
    if (!map.has("constant"))
      refuse(node.at, "found a function without slope, polynomial or table; expected one of them");
    map.done("without a function");
    return;
  }
  JointFunction f;
  if (const YamlNode* of = map.get("of"))
    f.coordinate = read_coordinate(*of, joint.coordinates);
  else if (joint.coordinates.size() > 1)
    refuse(node.at, "found a function without 'of' in a joint of several coordinates; expected of: its coordinate");
  const YamlNode& value = map.need(form);
  if (form == "slope") {
    f.polynomial = {0, read_number(value, kinds::number)};
  } else if (form == "polynomial") {
    f.polynomial = read_numbers(value, 1, most_degree + 1, "1 to 10 coefficients in SI units, the constant first");
  } else {
    read_knots(value, kind_of(joint.coordinates[static_cast<std::size_t>(f.coordinate)].is_length), kind, f);
    if (const YamlNode* ends = map.get("ends"); ends && ends->kind == YamlNode::Kind::list) {
      const std::vector<double> slopes = read_numbers(*ends, 2, 2, "natural, or the two slopes at its ends");
      f.end_slopes = {slopes[0], slopes[1]};
    } else if (ends) {
      read_choice(*ends, {"natural"});
    }
  }
  map.done("without a table");
  for (const JointFunction& other : joint.functions[channel])
    if (other.coordinate == f.coordinate)
      refuse(node.at, "found a second function of the same coordinate; expected them put into one");
  joint.functions[channel].push_back(f);
}

void read_channels(const YamlNode& node, std::size_t first, CustomJoint& joint) {
  MapReader map(node, first == 0 ? "angles" : "displacements");
  constexpr const char* keys[] = {"about_x", "about_y", "about_z", "along_x", "along_y", "along_z"};
  for (std::size_t i = 0; i < 3; ++i) {
    const YamlNode* channel = map.get(keys[first + i]);
    if (!channel) continue;
    if (channel->kind != YamlNode::Kind::list) {
      read_function(*channel, first + i, joint);
      continue;
    }
    for (const YamlPtr& item : channel->items) read_function(*item, first + i, joint);
  }
  map.done("in a custom joint");
}

void read_coordinates(const YamlNode& node, CustomJoint& joint) {
  const char* expected = "1 to 6 coordinates: [bend, glide], or {bend: angle, glide: length}";
  const auto add = [&](const YamlNode& at, const std::string& name, bool length) {
    for (const JointCoordinate& c : joint.coordinates)
      if (c.name == name) refuse_value(at, "a name that no other coordinate of the joint has");
    joint.coordinates.push_back({name, length});
  };
  if (node.kind == YamlNode::Kind::list)
    for (const YamlPtr& item : node.items) add(*item, read_text(*item), false);
  else if (node.kind == YamlNode::Kind::map)
    for (const YamlEntry& entry : node.entries)
      add(*entry.value, entry.key, read_choice(*entry.value, {"angle", "length"}) == 1);
  if (joint.coordinates.empty() || joint.coordinates.size() > most_freedoms) refuse_value(node, expected);
}

void read_custom(MapReader& map, CustomJoint& joint) {
  read_coordinates(need(map, "coordinates", JointType::custom), joint);
  const YamlNode *angles = map.get("angles"), *displacements = map.get("displacements");
  if (angles) read_channels(*angles, 0, joint);
  if (displacements) read_channels(*displacements, 3, joint);
  for (std::size_t k = 0; k < joint.coordinates.size(); ++k) {
    const auto moves = [&](const std::vector<JointFunction>& channel) {
      return std::any_of(channel.begin(), channel.end(),
                         [&](const JointFunction& f) { return f.coordinate == static_cast<int>(k); });
    };
    if (!std::any_of(joint.functions.begin(), joint.functions.end(), moves))
      refuse(map.node().at,
             fmt::format("found the coordinate '{}' in no function; expected it in angles or displacements",
                         printable(joint.coordinates[k].name)));
  }
}

// ---------------------------------------------------------------------------------------------------- joints
// The direction that follows the largest part of the normal: z is followed by x, x by y, y by z.
Vec next_axis(const Vec& normal) {
  const double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  if (z >= x && z >= y) return {1, 0, 0};
  return x >= y ? Vec{0, 1, 0} : Vec{0, 0, 1};
}

void read_axes(MapReader& map, LinkSpec& spec) {
  const YamlNode& axes = need(map, "axes", JointType::universal);
  if (axes.kind != YamlNode::Kind::list || axes.items.size() != 2) refuse_value(axes, "two axes: [x, y]");
  spec.axis = read_axis(*axes.items[0]);
  spec.axis_2 = read_axis(*axes.items[1]);
  if (norm(cross(spec.axis, spec.axis_2)) < 1e-6) refuse_value(axes, "two axes that are not parallel");
}

void read_parts(MapReader& map, LinkSpec& spec) {
  const JointType j = spec.joint;
  if (has_axis(j)) spec.axis = read_axis(need(map, "axis", j));
  if (j == JointType::universal) read_axes(map, spec);
  if (j == JointType::screw) spec.pitch = read_number(need(map, "pitch", j), kinds::length);
  if (j == JointType::ellipsoid) spec.radii = read_vector(need(map, "radii", j), kinds::length, Range::positive);
  if (j == JointType::custom) read_custom(map, spec.custom);
  if (j != JointType::planar) return;
  const YamlNode* along = map.get("along");
  spec.axis_2 = along ? read_axis(*along) : next_axis(spec.axis);
  if (norm(cross(spec.axis, spec.axis_2)) < 1e-6) refuse_value(*along, "a direction in the plane, across its axis");
}

// ----------------------------------------------------------------------------------------------------- start
void read_by_name(const YamlNode* node, const std::vector<JointCoordinate>& names, bool rates,
                  std::vector<double>& into, int at) {
  if (!node) return;
  if (node->kind != YamlNode::Kind::map) refuse_value(*node, "coordinates by their names: {bend: 20 deg}");
  for (const YamlEntry& entry : node->entries) {
    YamlNode key;
    key.kind = YamlNode::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    const int k = read_coordinate(key, names);
    const bool length = names[static_cast<std::size_t>(k)].is_length;
    const QuantityKind& kind = rates ? (length ? kinds::speed : kinds::angular_rate) : kind_of(length);
    put(into, at + k, {read_number(*entry.value, kind)});
  }
}

}  // namespace

const std::vector<std::string>& joint_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int j = 0; j <= static_cast<int>(JointType::custom); ++j) all.emplace_back(name_of(static_cast<JointType>(j)));
    return all;
  }();
  return names;
}

void read_joint(const YamlNode& node, LinkSpec& spec) {
  if (node.kind == YamlNode::Kind::map) {
    MapReader map(node, "joint");
    spec.joint = static_cast<JointType>(read_choice(map.need("type"), joint_names()));
    read_parts(map, spec);
    map.done(fmt::format("on a {} joint", name_of(spec.joint)));
    return;
  }
  spec.joint = static_cast<JointType>(read_choice(node, joint_names()));
  if (has_axis(spec.joint) || is_general(spec.joint)) refuse_value(node, example_of(spec.joint));
}

int read_coordinate(const YamlNode& node, const std::vector<JointCoordinate>& names) {
  const std::string word = read_text(node);
  std::vector<std::string> words;
  for (std::size_t k = 0; k < names.size(); ++k) {
    words.push_back(names[k].name);
    if (word == names[k].name || word == std::to_string(k + 1)) return static_cast<int>(k);
  }
  refuse(node.at, fmt::format("found the unknown coordinate '{}';{} expected {}, or its number from 1 to {}",
                              printable(word), did_you_mean(word, words), either(words), names.size()));
}

void read_joint_start(const YamlNode& node, const LinkTopology& link, const std::vector<JointCoordinate>& names,
                      State& state) {
  MapReader map(node, "start");
  const auto number = [&](const char* key, const QuantityKind& kind, std::vector<double>& into, int at) {
    if (const YamlNode* value = map.get(key)) put(into, at, {read_number(*value, kind)});
  };
  if (link.joint == JointType::hinge) {
    number("angle", kinds::angle, state.q, link.q);
    number("rate", kinds::angular_rate, state.v, link.v);
  } else if (link.joint == JointType::slider) {
    number("slide", kinds::length, state.q, link.q);
    number("speed", kinds::speed, state.v, link.v);
  } else if (has_attitude(link.joint)) {
    Quaternion<double> q;
    if (const YamlNode* turned = map.get("turned")) q = read_rotation(*turned);
    put(state.q, link.q, {q.w, q.x, q.y, q.z});
    if (const YamlNode* spin = map.get("spin")) {
      const Vec w_B = transpose_times(rotation(q), read_vector(*spin, kinds::angular_rate));
      put(state.v, link.v, {w_B.x, w_B.y, w_B.z});
    }
  } else if (is_general(link.joint)) {
    read_by_name(map.get("coordinates"), names, false, state.q, link.q);
    read_by_name(map.get("rates"), names, true, state.v, link.v);
  }
  if (link.joint == JointType::free || link.joint == JointType::point) {
    const int skip_q = link.joint == JointType::free ? 4 : 0, skip_v = link.joint == JointType::free ? 3 : 0;
    if (const YamlNode* position = map.get("position")) {
      const Vec p = read_vector(*position, kinds::length);
      put(state.q, link.q + skip_q, {p.x, p.y, p.z});
    }
    if (const YamlNode* velocity = map.get("velocity")) {
      const Vec v = read_vector(*velocity, kinds::speed);
      put(state.v, link.v + skip_v, {v.x, v.y, v.z});
    }
  }
  map.done(fmt::format("at the start of a {} joint", name_of(link.joint)));
}

}  // namespace marey
