// Newton's attraction, and the resistance of air.
//
// Towards a point C, with r = p_CBcm and s the softening:
//   V = −G M m/√(r² + s²),   f = −G M m r/(r² + s²)^{3/2}                                                 (1)
// Between two links the same with G m₁ m₂, on both with opposite signs (2). A body is drawn at its centre of mass, as if
// it were a sphere: there is no moment.
//
// Drag at the centre of mass: f = −(c₁ + c₂ |v|) v, power −(c₁ + c₂ |v|) v²                                  (3)
#include "force/kinds.h"
#include "force/mass_center.h"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

template <class T>
T inverse_distance(const Vec3<T>& r, double softening) {
  return T(1) / sqrt(norm_squared(r) + T(softening * softening));
}

// Every pair of links that attract each other, once.
template <class Use>
void for_each_pair(const MutualAttraction& e, Use use) {
  for (std::size_t i = 0; i < e.links.size(); ++i) {
    if (e.others.empty())
      for (std::size_t j = i + 1; j < e.links.size(); ++j) use(e.links[i], e.links[j]);
    for (const int other : e.others)
      if (other != e.links[i]) use(e.links[i], other);
  }
}

}  // namespace

template <class T>
void act(const Attraction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  for (const int link : e.links) {
    const MassCenter<T> c(at, link);
    const Vec3<T> r = c.p - cast<T>(e.center_W);
    const T u = inverse_distance(r, e.softening);
    sum.wrench(at, link, c.wrench((T(-e.strength * c.mass) * u * u * u) * r));  // (1)
  }
}

template <class T>
T energy(const Attraction& e, const Instant<T>& at) {
  T V(0);
  for (const int link : e.links) {
    const MassCenter<T> c(at, link);
    V -= T(e.strength * c.mass) * inverse_distance(c.p - cast<T>(e.center_W), e.softening);
  }
  return V;
}

template <class T>
void act(const MutualAttraction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  for_each_pair(e, [&](int a, int b) {
    const MassCenter<T> A(at, a), B(at, b);
    const Vec3<T> r = B.p - A.p;
    const T u = inverse_distance(r, e.softening);
    sum.pair(at, a, A.e, b, B.e, (T(e.constant * A.mass * B.mass) * u * u * u) * r);  // (2)
  });
}

template <class T>
T energy(const MutualAttraction& e, const Instant<T>& at) {
  T V(0);
  for_each_pair(e, [&](int a, int b) {
    const MassCenter<T> A(at, a), B(at, b);
    V -= T(e.constant * A.mass * B.mass) * inverse_distance(B.p - A.p, e.softening);
  });
  return V;
}

template <class T>
void act(const Drag& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
  constexpr double still = 1e-30;  // m²/s²: keeps the derivative of |v| finite at rest
  for (const int link : e.links) {
    const MassCenter<T> c(at, link);
    const Vec3<T> v = c.velocity(at, link);
    T coefficient(-e.linear);
    if (e.quadratic != 0) coefficient -= T(e.quadratic) * sqrt(max(norm_squared(v), T(still)));
    sum.wrench(at, link, c.wrench(coefficient * v));  // (3)
  }
}

#define MAREY_INSTANTIATE(T)                                                                            \
  template void act(const Attraction&, const Instant<T>&, std::span<const double>, ForceSum<T>&);       \
  template T energy(const Attraction&, const Instant<T>&);                                              \
  template void act(const MutualAttraction&, const Instant<T>&, std::span<const double>, ForceSum<T>&); \
  template T energy(const MutualAttraction&, const Instant<T>&);                                        \
  template void act(const Drag&, const Instant<T>&, std::span<const double>, ForceSum<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
