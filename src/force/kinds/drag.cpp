// The resistance of still air, at the centre of mass: f = −(c₁ + c₂ |v|) v, power −(c₁ + c₂ |v|) v²           (1)
#include "force/descriptor.h"
#include "force/mass_center.h"

namespace marey {

template <>
struct Descriptor<Drag> {
  static constexpr const char* word = "drag";
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const Drag& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    constexpr double still = 1e-30;  // m²/s²: keeps the derivative of |v| finite at rest
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      const Vec3<T> v = c.velocity(at, link);
      T coefficient(-e.linear);
      if (e.quadratic != 0) coefficient -= T(e.quadratic) * sqrt(max(norm_squared(v), T(still)));
      sum.wrench(at, link, c.wrench(coefficient * v));  // (1)
    }
  }

  static std::string refusal(const Model&, const Drag& e) {
    return first_of({refusal_of_constant("linear", e.linear), refusal_of_constant("quadratic", e.quadratic)});
  }

  // As fast as the links move now.
  static void stiffness(const Drag& e, AdviserRows& rows) {
    for (const int link : e.links) {
      const Twist<double>& V = rows.at.V_WB[index(link)];
      const double speed = norm(V.v + cross(V.w, rows.center(link) - rows.at.X_WB[index(link)].p));
      rows.on_center(rows.dampers, link, e.linear + 2 * e.quadratic * speed);
    }
  }
  static void numbers(Drag& e, Numbers& n) { n.add("linear", e.linear), n.add("quadratic", e.quadratic); }
};
MAREY_ELEMENT(Drag)

}  // namespace marey
