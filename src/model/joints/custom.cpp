// Joints with 1 to 6 coordinates, given by functions (marey/model/general_joint.h, (1)), and all named joints that are
// made from them.
//
// Cubic spline through (x_i, y_i), i = 0 … n, with h_i = x_(i+1) − x_i, slopes d_i = (y_(i+1) − y_i)/h_i and second
// derivatives m_i at the knots (C. de Boor, A Practical Guide to Splines, ch. IV):
//   h_(i−1) m_(i−1) + 2 (h_(i−1) + h_i) m_i + h_i m_(i+1) = 6 (d_i − d_(i−1)),   0 < i < n                           (1)
//   natural  m_0 = m_n = 0
//   clamped  2 h_0 m_0 + h_0 m_1 = 6 (d_0 − y_0′)    h_(n−1) m_(n−1) + 2 h_(n−1) m_n = 6 (y_n′ − d_(n−1))             (2)
// and between x_i and x_(i+1), with u = x − x_i,
//   y = y_i + (d_i − h_i (2 m_i + m_(i+1))/6) u + m_i/2 u² + (m_(i+1) − m_i)/(6 h_i) u³                               (3)
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "marey/core/text.h"
#include "marey/model/joint_forms.h"

namespace marey {
namespace {

using Coefficients = std::vector<double>;

// (1)(2): the second derivatives at the knots, by elimination from the top.
std::vector<double> second_derivatives(const JointFunction& f) {
  const std::size_t n = f.x.size() - 1;
  std::vector<double> lower(n + 1), diagonal(n + 1, 1.0), upper(n + 1), m(n + 1);
  const auto h = [&](std::size_t i) { return f.x[i + 1] - f.x[i]; };
  const auto d = [&](std::size_t i) { return (f.y[i + 1] - f.y[i]) / h(i); };
  for (std::size_t i = 1; i < n; ++i)
    lower[i] = h(i - 1), diagonal[i] = 2 * (h(i - 1) + h(i)), upper[i] = h(i), m[i] = 6 * (d(i) - d(i - 1));
  if (f.end_slopes) {
    diagonal[0] = 2 * h(0), upper[0] = h(0), m[0] = 6 * (d(0) - (*f.end_slopes)[0]);
    lower[n] = h(n - 1), diagonal[n] = 2 * h(n - 1), m[n] = 6 * ((*f.end_slopes)[1] - d(n - 1));
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const double r = lower[i] / diagonal[i - 1];
    diagonal[i] -= r * upper[i - 1], m[i] -= r * m[i - 1];
  }
  m[n] /= diagonal[n];
  for (std::size_t i = n; i-- > 0;) m[i] = (m[i] - upper[i] * m[i + 1]) / diagonal[i];
  return m;
}

// (3), with straight lines before and after.
Coefficients spline_pieces(const JointFunction& f) {
  const std::size_t n = f.x.size() - 1;
  const std::vector<double> m = second_derivatives(f);
  Coefficients pieces;
  const auto add = [&](double from, double a, double b, double c, double d) {
    pieces.insert(pieces.end(), {from, from, a, b, c, d});
  };
  double slope = 0, h = 0;
  for (std::size_t i = 0; i < n; ++i) {
    h = f.x[i + 1] - f.x[i];
    slope = (f.y[i + 1] - f.y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6;
    if (i == 0) add(f.x[0], f.y[0], slope, 0, 0);
    add(f.x[i], f.y[i], slope, m[i] / 2, (m[i + 1] - m[i]) / (6 * h));
  }
  add(f.x[n], f.y[n], slope + h * (m[n - 1] + m[n]) / 2, 0, 0);
  return pieces;
}

void check_table(const LinkSpec& link, const JointFunction& f) {
  if (f.x.size() != f.y.size() || f.x.size() < 2)
    throw InvalidSpec(link.name, "a table of its joint needs at least two points, each with two numbers");
  for (std::size_t i = 0; i < f.x.size(); ++i) {
    if (!std::isfinite(f.x[i]) || !std::isfinite(f.y[i]))
      throw InvalidSpec(link.name, "a table of its joint holds a number that is not finite");
    if (i > 0 && !(f.x[i] > f.x[i - 1]))
      throw InvalidSpec(link.name, "a table of its joint has coordinates that do not ascend");
  }
  if (f.end_slopes && !(std::isfinite((*f.end_slopes)[0]) && std::isfinite((*f.end_slopes)[1])))
    throw InvalidSpec(link.name, "the slopes at the ends of a table of its joint are not finite numbers");
}

void add_polynomial(const LinkSpec& link, int channel, const JointFunction& f, const JointWriter& write) {
  for (const double c : f.polynomial)
    if (!std::isfinite(c)) throw InvalidSpec(link.name, "a polynomial of its joint holds a number that is not finite");
  const int degree = static_cast<int>(f.polynomial.size()) - 1;
  if (degree < 0 || degree > most_degree)
    throw InvalidSpec(link.name,
                      "a polynomial of its joint needs 1 to " + std::to_string(most_degree + 1) + " coefficients");
  Coefficients piece{0, 0};
  piece.insert(piece.end(), f.polynomial.begin(), f.polynomial.end());
  write.add(channel, f.coordinate, degree, piece);
}

void check_coordinates(const LinkSpec& link) {
  const auto& names = link.custom.coordinates;
  if (names.empty() || names.size() > most_freedoms)
    throw InvalidSpec(link.name, "a custom joint needs 1 to 6 coordinates");
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (names[i].name == names[k].name)
        throw InvalidSpec(link.name, "two coordinates of its joint are called '" + names[i].name + "'");
}

void freeze_custom(const LinkSpec& link, FrozenJoint& out) {
  check_coordinates(link);
  const CustomJoint& custom = link.custom;
  const JointWriter write{out};
  out.coordinates = custom.coordinates;
  for (std::size_t k = 0; k < 6; ++k) out.params.axes[k] = unit_axis(link, custom.axes[k], "axis");
  std::vector<bool> moves(custom.coordinates.size());
  for (int channel = 0; channel < 6; ++channel) {
    const auto at = static_cast<std::size_t>(channel);
    if (!std::isfinite(custom.constants[at])) throw InvalidSpec(link.name, "a constant of its joint is not finite");
    out.params.constants[at] = custom.constants[at];
    if (custom.constants[at] != 0) out.joint.used[at] = true;
    std::vector<bool> has(custom.coordinates.size());
    for (const JointFunction& f : custom.functions[at]) {
      if (f.coordinate < 0 || f.coordinate >= static_cast<int>(has.size()))
        throw InvalidSpec(link.name, "a function of its joint is of a coordinate that is not there");
      const auto k = static_cast<std::size_t>(f.coordinate);
      if (has[k])
        throw InvalidSpec(link.name, "an angle or displacement of its joint has two functions of '" +
                                         custom.coordinates[k].name + "'; put them into one");
      has[k] = moves[k] = true;
      if (f.polynomial.empty())
        check_table(link, f), write.add(channel, f.coordinate, 3, spline_pieces(f));
      else
        add_polynomial(link, channel, f, write);
    }
  }
  for (std::size_t k = 0; k < moves.size(); ++k)
    if (!moves[k])
      throw InvalidSpec(link.name, "coordinate '" + custom.coordinates[k].name + "' of its joint moves nothing");
}

// ------------------------------------------------------------------------------------------------ functions
const QuantityKind& kind_of(bool length) { return length ? kinds::length : kinds::angle; }

void read_knots(const Value& node, const QuantityKind& x, const QuantityKind& y, JointFunction& f) {
  const std::string expected = fmt::format("at least two points, each {} and {}, such as [[0, 0], [{}, {}]]", x.name,
                                           y.name, x.example, y.example);
  if (node.kind != Value::Kind::list || node.items.size() < 2) refuse_value(node, expected);
  for (const ValuePtr& item : node.items) {
    if (item->kind != Value::Kind::list || item->items.size() != 2) refuse_value(*item, expected);
    const double at = read_number(*item->items[0], x);
    if (!f.x.empty() && !(at > f.x.back()))
      refuse_value(*item->items[0], fmt::format("more than the {:.6g} before it", f.x.back()));
    f.x.push_back(at);
    f.y.push_back(read_number(*item->items[1], y));
  }
}

std::vector<double> read_numbers(const Value& node, std::size_t least, std::size_t most, const char* expected) {
  if (node.kind != Value::Kind::list || node.items.size() < least || node.items.size() > most)
    refuse_value(node, expected);
  std::vector<double> out;
  for (const ValuePtr& item : node.items) out.push_back(read_number(*item, kinds::number));
  return out;
}

// One function, or only a constant.
void read_function(const Value& node, std::size_t channel, CustomJoint& joint) {
  const QuantityKind& kind = kind_of(channel >= 3);
  if (node.kind == Value::Kind::scalar) {
    joint.constants[channel] += read_number(node, kind);
    return;
  }
  MapReader map(node, joint_function_keys());
  if (const Value* constant = map.get("constant")) joint.constants[channel] += read_number(*constant, kind);
  const std::string form = map.one_of({"slope", "polynomial", "table"});
  if (form.empty()) {
    if (!map.has("constant"))
      refuse(node.at, "found a function without slope, polynomial or table; expected one of them");
    map.done("without a function");
    return;
  }
  JointFunction f;
  if (const Value* of = map.get("of"))
    f.coordinate = read_coordinate(*of, joint.coordinates);
  else if (joint.coordinates.size() > 1)
    refuse(node.at, "found a function without 'of' in a joint of several coordinates; expected of: its coordinate");
  const Value& value = map.need(form);
  if (form == "slope") {
    f.polynomial = {0, read_number(value, kinds::number)};
  } else if (form == "polynomial") {
    f.polynomial = read_numbers(value, 1, most_degree + 1, "1 to 10 coefficients in SI units, the constant first");
  } else {
    read_knots(value, kind_of(joint.coordinates[static_cast<std::size_t>(f.coordinate)].is_length), kind, f);
    if (const Value* ends = map.get("ends"); ends && ends->kind == Value::Kind::list) {
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

void read_channels(const Value& node, std::size_t first, CustomJoint& joint) {
  MapReader map(node, first == 0 ? joint_angles_keys() : joint_displacements_keys());
  constexpr const char* keys[] = {"about_x", "about_y", "about_z", "along_x", "along_y", "along_z"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Value* channel = map.get(keys[first + i]);
    if (!channel) continue;
    if (channel->kind != Value::Kind::list) {
      read_function(*channel, first + i, joint);
      continue;
    }
    for (const ValuePtr& item : channel->items) read_function(*item, first + i, joint);
  }
  map.done("in a custom joint");
}

void read_coordinates(const Value& node, CustomJoint& joint) {
  const char* expected = "1 to 6 coordinates: [bend, glide], or {bend: angle, glide: length}";
  const auto add = [&](const Value& at, const std::string& name, bool length) {
    for (const JointCoordinate& c : joint.coordinates)
      if (c.name == name) refuse_value(at, "a name that no other coordinate of the joint has");
    joint.coordinates.push_back({name, length});
  };
  if (node.kind == Value::Kind::list)
    for (const ValuePtr& item : node.items) add(*item, read_text(*item), false);
  else if (node.kind == Value::Kind::map)
    for (const ValueEntry& entry : node.entries)
      add(*entry.value, entry.key, read_choice(*entry.value, {"angle", "length"}) == 1);
  if (joint.coordinates.empty() || joint.coordinates.size() > most_freedoms) refuse_value(node, expected);
}

void read_custom(JointReader& reader, LinkSpec& spec) {
  MapReader& map = reader.map;
  CustomJoint& joint = spec.custom;
  read_coordinates(reader.need("coordinates"), joint);
  const Value *angles = map.get("angles"), *displacements = map.get("displacements");
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

}  // namespace

const KeyTable& joint_angles_keys() {
  static const KeyTable table{
      "angles",
      "Angles of a custom joint: each a constant, a function of a coordinate, or a sum of functions.",
      {{"about_x", "q:angle or @function or [@function]", "about x"},
       {"about_y", "q:angle or @function or [@function]", "about the new y"},
       {"about_z", "q:angle or @function or [@function]", "about the new z"}}};
  return table;
}
const KeyTable& joint_displacements_keys() {
  static const KeyTable table{
      "displacements",
      "Displacements of a custom joint: each a constant, a function of a coordinate, or a sum of functions.",
      {{"along_x", "q:length or @function or [@function]", "along x"},
       {"along_y", "q:length or @function or [@function]", "along y"},
       {"along_z", "q:length or @function or [@function]", "along z"}}};
  return table;
}
const KeyTable& joint_function_keys() {
  static const KeyTable table{
      "function",
      "A function of one coordinate of a custom joint.",
      {{"of", "text", "the coordinate, by name or number; may be left out where there is one"},
       {"constant", "q:angle or q:length", "added to it"},
       {"slope", "q:number", "a straight line through zero, in rad or m per rad or m"},
       {"polynomial", "n:number", "its coefficients in SI units, the constant first"},
       {"table", "knots", "coordinates and values, joined by a cubic spline; straight on beyond both ends"},
       {"ends", "=natural or n:number", "table: no curvature at its ends, or the two slopes there; default: natural"}}};
  return table;
}

extern const JointForm custom_joint{
    "custom",
    JointType::custom,
    "coordinates and functions too: {type: custom, coordinates: [bend], angles: {about_y: {slope: 1}}}",
    {{"coordinates", "names or coordinates", "custom: the names of 1 to 6 coordinates; angles, unless said"},
     {"angles", "@angles", "custom: turns about x, then the new y, then the new z"},
     {"displacements", "@displacements", "custom: along x, y and z of the joint's frame"}},
    read_custom,
    freeze_custom,
    {"{type: custom, coordinates: [bend], angles: {about_y: {slope: 1}}, displacements: {along_z: {polynomial: [0, "
     "0.01, "
     "0.02]}}}",
     "{type: custom, coordinates: {bend: angle, glide: length}, angles: {about_x: {of: bend, table: [[0, 0], [1, 0.4], "
     "[2, "
     "1]], ends: [0.2, 0.6]}}, displacements: {along_x: [{of: glide, slope: 1}, {of: bend, constant: 1 cm, slope: "
     "0.02}]}}"}};

}  // namespace marey
