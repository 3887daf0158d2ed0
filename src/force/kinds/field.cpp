// Forces given by formulas. With a potential V(x, y, z, t, m): f = −∇V, and ∂V/∂t is the power of what changes it.
#include "force/descriptor.h"
#include "force/mass_center.h"

namespace marey {
namespace {

template <class T>
FormulaInput<T> input_at(const Instant<T>& at, int link, const MassCenter<T>& c) {
  const Vec3<T> v = c.velocity(at, link);
  return {c.p.x, c.p.y, c.p.z, v.x, v.y, v.z, T(at.t), T(c.mass)};
}

}  // namespace

template <>
struct Descriptor<Field> {
  static constexpr const char* word = "field";
  static Nature nature(const Field& e) { return e.potential.empty() ? Nature::active : Nature::conservative; }

  template <class T>
  static void act(const Field& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      const FormulaInput<T> in = input_at(at, link, c);
      const Vec3<T> f = e.potential.empty()
                            ? Vec3<T>{evaluate(e.force[0], in), evaluate(e.force[1], in), evaluate(e.force[2], in)}
                            : -evaluate_with_slopes(e.potential, in).gradient;
      sum.wrench(at, link, c.wrench(f));
    }
  }
  template <class T>
  static T energy(const Field& e, const Instant<T>& at) {
    T V(0);
    for (const int link : e.links) V += evaluate(e.potential, input_at(at, link, MassCenter<T>(at, link)));
    return V;
  }
  template <class T>
  static T energy_rate(const Field& e, const Instant<T>& at) {
    T rate(0);
    if (e.potential.empty()) return rate;
    for (const int link : e.links)
      rate += evaluate_with_slopes(e.potential, input_at(at, link, MassCenter<T>(at, link))).rate;
    return rate;
  }

  static std::string refusal(const Model&, const Field& e) {
    return first_of({refusal_of_formula(e.force[0]), refusal_of_formula(e.force[1]), refusal_of_formula(e.force[2]),
                     refusal_of_formula(e.potential)});
  }

  static constexpr NoStiffness stiffness{};  // it would take the formulas' derivatives, which nobody has asked for yet
  static void numbers(Field&, Numbers&) {}
};
MAREY_ELEMENT(Field)

}  // namespace marey
