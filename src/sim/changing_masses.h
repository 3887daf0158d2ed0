// Masses that are functions of time (marey/force/mass_flow.h). Plants, sources and recordings read the mass of a link in the model:
// a world in which masses change has a scene of its own, whose model is brought to the time of each instant before anybody looks.
// Nothing of it is kept in checkpoints, as time says all.
#pragma once

#include <memory>

#include "marey/force/mass_flow.h"
#include "marey/sim.h"

namespace marey {

class ChangingMasses {
 public:
  // Null where no mass changes.
  static std::unique_ptr<ChangingMasses> of(const Scene&);

  const Scene& scene() const { return scene_; }
  std::span<const int> links() const { return links_; }
  // As they are at that time. True when one of them is another than before; throws where one is not above zero.
  bool put(double t);

  // Σ ∂V/∂m over the links of a flow, which all have one mass m, of a potential V that is read by `energy()` from this model. With
  //   D(h) = (V(m + h) − V(m − h)) / 2h,   (4 D(h) − D(2h)) / 3
  // is exact where V is a polynomial of the fourth degree in the masses, and off by O(h⁴) elsewhere (formulas; springs at a common
  // centre of mass, which is a quotient of masses).
  template <class Energy>
  double per_mass(std::span<const int> links, const Energy& energy) {
    if (links.empty()) return 0;
    const auto mass = [&](int link) -> double& {
      return scene_.model.params.links[static_cast<std::size_t>(link)].I.m;
    };
    const double now = mass(links[0]), h = 0x1p-10 * now;
    const auto energy_at = [&](double m) {
      for (const int link : links) mass(link) = m;
      return energy();
    };
    const auto slope = [&](double by) {
      const double more = energy_at(now + by), less = energy_at(now - by);
      return (more - less) / (2 * by);
    };
    const double near = slope(h), far = slope(2 * h);
    for (const int link : links) mass(link) = now;
    return (4 * near - far) / 3;
  }

 private:
  explicit ChangingMasses(const Scene&);
  [[noreturn]] void refuse_no_mass(std::size_t k, double t) const;
  Scene scene_;
  std::vector<int> links_;
  std::vector<const TimeFunction*> masses_;  // [links]
  double sound_until_ = 0;                   // s: until then all of them are above zero
};

}  // namespace marey
