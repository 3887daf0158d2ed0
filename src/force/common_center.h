// The common centre of mass of several links, and forces there. It is no point of any of them; what a force F there is follows
// from its power, which must be F · ċ. With the links' masses m_i, their sum m and their centres c_i,
//   c = Σ (m_i/m) c_i   ⇒   F · ċ = Σ (m_i/m) F · ċ_i
// so that each link gets its share of the force by its share of the mass, at its own centre of mass, as from gravity.
#pragma once

#include <span>

#include "force/mass_center.h"

namespace marey {

// Of the links' masses.
inline double common_mass(const Model& model, std::span<const int> links) {
  double m = 0;
  for (const int link : links) m += model.params.links[static_cast<std::size_t>(link)].I.m;
  return m;
}

template <class T>
class CommonCenter {
 public:
  CommonCenter(const Instant<T>& at, std::span<const int> links)
      : at_(at), links_(links), mass_(common_mass(at.model, links)) {}

  Vec3<T> place() const {
    return mean([this](const MassCenter<T>& c, int) { return c.p; });
  }
  Vec3<T> velocity() const {
    return mean([this](const MassCenter<T>& c, int link) { return c.velocity(at_, link); });
  }
  void push(const Vec3<T>& F, ForceSum<T>& sum) const {
    for (const int link : links_) {
      const MassCenter<T> c(at_, link);
      sum.wrench(at_, link, c.wrench(T(c.mass / mass_) * F));
    }
  }

 private:
  template <class Of>
  Vec3<T> mean(Of of) const {
    Vec3<T> sum{T(0), T(0), T(0)};
    for (const int link : links_) {
      const MassCenter<T> c(at_, link);
      sum += T(c.mass / mass_) * of(c, link);
    }
    return sum;
  }

  const Instant<T>& at_;
  std::span<const int> links_;
  double mass_;
};

}  // namespace marey
