// Viscous friction of a joint: τ = −c v; on a ball v is the angular velocity of the link relative to its parent.
#include <array>

#include "force/descriptor.h"

namespace marey {

template <>
struct Descriptor<JointFriction> {
  static constexpr const char* word = "friction";
  static constexpr Nature nature = Nature::passive;

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

}  // namespace marey
