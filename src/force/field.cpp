// Forces given by formulas. With a potential V(x, y, z, t, m): f = −∇V, and ∂V/∂t is the power of what changes it.
#include "force/kinds.h"
#include "force/mass_center.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

template <class T>
FormulaInput<T> input_at(const Instant<T>& at, int link, const MassCenter<T>& c) {
  const Vec3<T> v = c.velocity(at, link);
  return {c.p.x, c.p.y, c.p.z, v.x, v.y, v.z, T(at.t), T(c.mass)};
}

}  // namespace

template <class T>
void act(const Field& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
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
T energy(const Field& e, const Instant<T>& at) {
  T V(0);
  for (const int link : e.links) V += evaluate(e.potential, input_at(at, link, MassCenter<T>(at, link)));
  return V;
}

template <class T>
T energy_rate(const Field& e, const Instant<T>& at) {
  T rate(0);
  if (e.potential.empty()) return rate;
  for (const int link : e.links)
    rate += evaluate_with_slopes(e.potential, input_at(at, link, MassCenter<T>(at, link))).rate;
  return rate;
}

#define MAREY_INSTANTIATE(T)                                                                 \
  template void act(const Field&, const Instant<T>&, std::span<const double>, ForceSum<T>&); \
  template T energy(const Field&, const Instant<T>&);                                        \
  template T energy_rate(const Field&, const Instant<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
