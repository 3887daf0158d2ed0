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

  // ∂V/∂m of what a link's mass makes of a potential V, which is read by `energy()` from this model: a central difference, which is
  // as good as exact where V is in proportion to the mass, as all but formulas are.
  template <class Energy>
  double per_mass(int link, const Energy& energy) {
    double& m = scene_.model.params.links[static_cast<std::size_t>(link)].I.m;
    const double now = m, h = 0x1p-13 * now;
    m = now + h;
    const double more = energy();
    m = now - h;
    const double less = energy();
    m = now;
    return (more - less) / (2 * h);
  }

 private:
  explicit ChangingMasses(const Scene&);
  Scene scene_;
  std::vector<int> links_;
  std::vector<const TimeFunction*> masses_;  // [links]
};

}  // namespace marey
