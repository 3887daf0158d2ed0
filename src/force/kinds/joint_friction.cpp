// Viscous friction of a joint: τ = −c v; on a ball v is the angular velocity of the link relative to its parent.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "force/descriptor.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<JointFriction> {
  static constexpr const char* word = "friction";
  static constexpr bool acts_in_joint = true;
  static constexpr Nature nature = Nature::passive;

  static JointSlope slope_in_joint(const JointFriction& e, std::span<const double>) {
    return {JointSlope::Kind::friction, e.coefficient, e.freedom};
  }
  template <class T>
  static void act(const JointFriction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const LinkTopology& joint = at.model.links[index(e.link)];
    if (joint.joint == JointType::free || joint.joint == JointType::weld) return;
    const std::size_t n = index(freedom_count(joint));
    std::array<T, most_freedoms> tau;
    tau.fill(T(0));
    for (std::size_t i = 0; i < n; ++i)
      if (e.freedom < 0 || index(e.freedom) == i) tau[i] = T(-e.coefficient) * at.v[index(joint.v) + i];
    sum.joint(at, e.link, std::span<const T>(tau).first(n));
  }

  static std::string refusal(const Model& model, const JointFriction& e) {
    const JointType joint = model.links[index(e.link)].joint;
    if (joint == JointType::free) return "a free joint has no friction; a support with damping slows a free link";
    if (joint == JointType::weld) return "a weld has no friction";
    const std::vector<JointCoordinate> freedoms = freedoms_of(model, e.link);
    if (e.freedom < -1 || e.freedom >= static_cast<int>(freedoms.size()))
      return "its joint has no freedom number " + std::to_string(e.freedom);
    for (const JointCoordinate& c : freedoms)
      if (e.freedom < 0 && c.is_length != freedoms[0].is_length)
        return "its joint turns and slides; name the coordinate that has the friction";
    return refusal_of_constant("coefficient", e.coefficient);
  }

  static void stiffness(const JointFriction& e, AdviserRows& rows) {
    const LinkTopology& link = rows.at.model.links[index(e.link)];
    if (link.joint == JointType::free || !(e.coefficient > 0)) return;
    for (int i = 0; i < freedom_count(link); ++i)
      if (e.freedom < 0 || e.freedom == i) rows.in_joint(rows.dampers, e.link, unit_vectors[0], i, e.coefficient);
  }
  static std::string describe(const Model& model, const JointFriction& e, const std::string& name) {
    return "friction " + name + " in the joint of '" + model.names[index(e.link)] + "'";
  }
  static void numbers(JointFriction& e, Numbers& n) { n.add("coefficient", e.coefficient); }
};
MAREY_ELEMENT(JointFriction)

// ---- in scenes: in the list of torques, and as `friction` of links and torque functions
void make_joint_friction(ElementMaker& maker, const Value* given_name, bool several, int link, const Value& coefficient,
                         int freedom) {
  const JointType joint = maker.joint_of(link);
  const std::string& name = maker.name_of_link(link);
  if (joint == JointType::weld || joint == JointType::free)
    refuse(coefficient.at, fmt::format("found friction on the {} joint of '{}'; expected it on a hinge, slider or "
                                       "ball (a free link is damped by its support)",
                                       name_of(joint), name));
  const std::vector<JointCoordinate> freedoms = freedoms_of(maker.model(), link);
  for (int k = 0; k < static_cast<int>(freedoms.size()); ++k) {
    if (freedom >= 0 && freedom != k) continue;
    if (freedom < 0 && freedoms[index(k)].is_length != freedoms[0].is_length)
      refuse(coefficient.at,
             fmt::format("found friction on the whole {} joint of '{}', which turns and slides; expected a torque "
                         "friction: {{joint: {}, coordinate: {}, coefficient: ...}}",
                         name_of(joint), name, name, freedoms[0].name));
    if (!maker.may_rub(maker.model().links[index(link)].v + k))
      refuse(coefficient.at, fmt::format("found friction on the joint of '{}' a second time; expected it once", name));
  }
  const QuantityKind& kind = freedoms[index(std::max(freedom, 0))].is_length ? kinds::damping : kinds::turning_damping;
  const double c = read_number(coefficient, kind, Range::not_negative);
  if (c > 0) maker.add(given_name, several, link, "friction", JointFriction{link, c, freedom});
}

static void make_friction(MapReader& map, ElementMaker& maker) {
  const Value* coordinate = map.get("coordinate");
  const auto rubs = [](JointType j) { return j == JointType::hinge || j == JointType::ball; };
  const std::vector<int> joints = coordinate ? maker.joints_with(nullptr, coordinate, map.need("joint"))
                                             : maker.links().find_all(map.need("joint"), rubs);
  for (const int link : joints) {
    const int freedom = coordinate ? maker.named_angle_of(nullptr, coordinate, link, coordinate->at).coordinate : -1;
    make_joint_friction(maker, map.get("name"), joints.size() > 1, link, map.need("coefficient"), freedom);
  }
}
extern const ElementForm friction_form{
    "viscous friction",
    {"friction",
     "Viscous friction of joints.",
     {{"name", "text", "what the ledger calls it"},
      {"joint", "name or names", "figure.link: the joint of this link; several in a list; figure.* for all", true},
      {"coordinate", "text", "which coordinate, by name or number; default: all"},
      {"coefficient", "q:turning_damping>=0 or q:damping>=0", "per angular rate; for a slider, per speed", true}}},
    make_friction,
    {"{joint: figure.*, coefficient: 0.2 N m s/rad}",
     "{joint: figure.tray, coordinate: slide, coefficient: 3 N s/m, name: rub}"}};

}  // namespace marey
