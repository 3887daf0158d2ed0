// Newton's attraction of links towards a fixed point C, with r = p_CBcm and s the softening:
//   V = −G M m/√(r² + s²),   f = −G M m r/(r² + s²)^{3/2}                                                 (1)
// A body is drawn at its centre of mass, as if it were a sphere: there is no moment.
#include "force/descriptor.h"
#include "force/mass_center.h"
#include "force/newton.h"

namespace marey {

template <>
struct Descriptor<Attraction> {
  static constexpr const char* word = "attraction";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const Attraction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      const Vec3<T> r = c.p - cast<T>(e.center_W);
      const T u = inverse_distance(r, e.softening);
      sum.wrench(at, link, c.wrench((T(-e.strength * c.mass) * u * u * u) * r));  // (1)
    }
  }
  template <class T>
  static T energy(const Attraction& e, const Instant<T>& at) {
    T V(0);
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      V -= T(e.strength * c.mass) * inverse_distance(c.p - cast<T>(e.center_W), e.softening);
    }
    return V;
  }

  static std::string refusal(const Model&, const Attraction& e) {
    if (!finite(e.center_W)) return "its centre is not finite";
    return first_of({refusal_of_constant("strength", e.strength), refusal_of_constant("softening", e.softening)});
  }

  static void stiffness(const Attraction& e, AdviserRows& rows) {
    for (const int link : e.links)
      rows.on_center(rows.springs, link,
                     rows.mass(link) * rate_of_circle_squared(e.strength, rows.center(link) - e.center_W, e.softening));
  }
  static void numbers(Attraction& e, Numbers& n) { n.add("strength", e.strength), n.add("softening", e.softening); }
};
MAREY_ELEMENT(Attraction)

}  // namespace marey
