// A damper at the common centre of mass c of links: F = −d ċ there, with the power −d ċ². See common_center.h.
#include "force/common_center.h"
#include "force/descriptor.h"

namespace marey {

template <>
struct Descriptor<CenterDamper> {
  static constexpr const char* word = "damping of the hold";
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const CenterDamper& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const CommonCenter<T> center(at, e.links);
    center.push(T(-e.damping) * center.velocity(), sum);
  }

  static std::string refusal(const Model& model, const CenterDamper& e) {
    if (!(common_mass(model, e.links) > 0)) return "its links have no mass";
    return refusal_of_constant("damping", e.damping);
  }

  // As for the spring (center_spring.cpp): never less than it is.
  static void stiffness(const CenterDamper& e, AdviserRows& rows) {
    const double mass = common_mass(rows.at.model, e.links);
    for (const int link : e.links) rows.on_center(rows.dampers, link, e.damping * rows.mass(link) / mass);
  }
  static void numbers(CenterDamper& e, Numbers& n) { n.add("damping", e.damping); }
};
MAREY_ELEMENT(CenterDamper)

}  // namespace marey
