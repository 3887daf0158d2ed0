// The resistance of still air, at the centre of mass: f = −(c₁ + c₂ |v|) v, power −(c₁ + c₂ |v|) v²           (1)
#include "force/descriptor.h"
#include "force/mass_center.h"
#include "marey/force/element_maker.h"

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

// ---- in scenes
static void make_drag(MapReader& map, ElementMaker& maker) {
  Drag e{maker.links().find_moving(map.need("links")), map.number_or("linear", 0), map.number_or("quadratic", 0)};
  if (!(e.linear > 0 || e.quadratic > 0))
    refuse(map.node().at, "found a drag that does nothing; expected linear, quadratic or both");
  maker.add_checked(map.text_or("name", "drag"), map.has("name"), e, map.entry_at());
}
extern const ElementForm drag_form{
    "the resistance of still air",
    {"drag",
     "The resistance of still air, at the centre of mass.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names", "which feel it: figure.link, several in a list, figure.* for all", true},
      {"linear", "q:damping>=0", "force per speed"},
      {"quadratic", "q:quadratic_drag>=0", "force per speed squared"}}},
    make_drag,
    {"{links: figure.*, linear: 0.3 N s/m}", "{links: figure.hand, quadratic: 0.2 N s^2/m^2}",
     "{links: [figure.arm, figure.hand], linear: 0.1 N s/m, quadratic: 0.2 N s^2/m^2, name: air}"}};

}  // namespace marey
