// The kinds of joints that scenes know, one line each.
#include "marey/model/joint_forms.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "marey/core/text.h"

namespace marey {

#define MAREY_JOINTS(X) \
  X(weld)               \
  X(hinge)              \
  X(slider)             \
  X(ball)               \
  X(free)               \
  X(point)              \
  X(universal)          \
  X(cylindrical)        \
  X(planar)             \
  X(screw)              \
  X(ellipsoid)          \
  X(custom)

#define MAREY_DECLARE(name) extern const JointForm name##_joint;
MAREY_JOINTS(MAREY_DECLARE)
#undef MAREY_DECLARE

const std::vector<const JointForm*>& joint_forms() {
#define MAREY_ADDRESS(name) &name##_joint,
  static const std::vector<const JointForm*> all{MAREY_JOINTS(MAREY_ADDRESS)};
#undef MAREY_ADDRESS
  return all;
}

// The type's own form: other forms may be based on it.
const JointForm& form_of(JointType type) {
  for (const JointForm* form : joint_forms())
    if (form->type == type && std::string_view(form->name) == name_of(type)) return *form;
  throw std::logic_error("a joint that no scene can have");
}

const std::vector<std::string>& joint_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const JointForm* form : joint_forms()) all.emplace_back(form->name);
    return all;
  }();
  return names;
}

namespace {

KeyTable gathered() {
  KeyTable table{"joint", "A joint with axes, radii or functions.", {{"type", "=", "the kind of joint", true}}};
  for (const JointForm* form : joint_forms()) {
    table.keys[0].form += (table.keys[0].form.size() > 1 ? "," : "") + std::string(form->name);
    for (const KeyInfo& info : form->keys)
      if (table.find(info.key) == nullptr) table.keys.push_back(info);
  }
  return table;
}

}  // namespace

const KeyTable& joint_keys() {
  static const KeyTable table = gathered();
  return table;
}

namespace {

// By its name; what other programs call it is not taken, but is answered with the name it has here (docs/glossary.md).
const JointForm& form_named(const Value& node) {
  struct Called {
    const char *elsewhere, *here;
  };
  static constexpr Called table[] = {
      {"revolute", "hinge"},       {"pin", "hinge"},     {"rotational", "hinge"},    {"prismatic", "slider"},
      {"translational", "slider"}, {"slide", "slider"},  {"spherical", "ball"},      {"socket", "ball"},
      {"fixed", "weld"},           {"rigid", "weld"},    {"floating", "free"},       {"cardan", "universal"},
      {"hooke", "universal"},      {"helical", "screw"}, {"cylinder", "cylindrical"}};
  if (node.kind == Value::Kind::scalar)
    for (const Called& called : table)
      if (node.text == called.elsewhere)
        refuse(node.at, fmt::format("found '{}', which is called '{}' here; expected {}", node.text, called.here,
                                    either(joint_names())));
  return *joint_forms()[read_choice(node, joint_names())];
}

}  // namespace

void read_joint(const Value& node, LinkSpec& spec) {
  if (node.kind != Value::Kind::map) {
    const JointForm& form = form_named(node);
    spec.joint = form.type;
    if (!form.needs.empty()) refuse_value(node, form.needs);
    return;
  }
  MapReader map(node, joint_keys());
  const JointForm& form = form_named(map.need("type"));
  spec.joint = form.type;
  JointReader reader{map, form};
  form.read(reader, spec);
  map.done(fmt::format("on a {} joint", form.name));
}

const Value& JointReader::need(const char* key) {
  const Value* value = map.get(key);
  if (value == nullptr) refuse_value(map.node(), form.needs);
  return *value;
}

void JointWriter::add(int channel, int coordinate, int degree, const std::vector<double>& pieces) const {
  const int first = static_cast<int>(out.params.coefficients.size());
  const int count = static_cast<int>(pieces.size()) / (degree + 3);
  out.joint.functions.push_back({channel, coordinate, degree, count, first});
  out.joint.used[static_cast<std::size_t>(channel)] = true;
  out.params.coefficients.insert(out.params.coefficients.end(), pieces.begin(), pieces.end());
}

int read_coordinate(const Value& node, const std::vector<JointCoordinate>& names) {
  const std::string word = read_text(node);
  std::vector<std::string> words;
  for (std::size_t k = 0; k < names.size(); ++k) {
    words.push_back(names[k].name);
    if (word == names[k].name || word == std::to_string(k + 1)) return static_cast<int>(k);
  }
  refuse(node.at, fmt::format("found the unknown coordinate '{}';{} expected {}, or its number from 1 to {}",
                              printable(word), did_you_mean(word, words), either(words), names.size()));
}

const KeyInfo& axis_key() {
  static const KeyInfo key{
      "axis", "axis", "of a hinge, slider, cylindrical or screw joint, in the joint's frame; of a plane its normal"};
  return key;
}

Vec3<double> unit_axis(const LinkSpec& link, const Vec3<double>& a, const char* what) {
  const double length = norm(a);
  if (!std::isfinite(length) || length < 1e-300)
    throw InvalidSpec(link.name, std::string("its joint's ") + what + " has no direction");
  return (1 / length) * a;
}

}  // namespace marey
