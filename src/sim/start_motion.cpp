#include "marey/sim/start_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/breakdown.h"

namespace marey {

StuckLink stuck_at_start(const Scene& given) {
  std::optional<Scene> without_bands;  // slow coefficients are found when a step begins, and not before
  if (given.solver.slow_band > 1) {
    without_bands = given;
    without_bands->solver.slow_band = 1, without_bands->solver.spread = false;
  }
  const Scene& scene = without_bands ? *without_bands : given;
  std::vector<double> vdot(static_cast<std::size_t>(scene.model.nv));
  World world(scene);
  world.everything_that_acts(vdot);
  for (int i = 1; i < scene.model.nlink(); ++i) {
    const LinkTopology& link = scene.model.links[static_cast<std::size_t>(i)];
    const auto own =
        std::span(vdot).subspan(static_cast<std::size_t>(link.v), static_cast<std::size_t>(freedom_count(link)));
    if (!std::ranges::all_of(own, [](double x) { return std::isfinite(x); }))
      return {i, element_at_fault(scene, world, world.state())};
  }
  return {};
}

}  // namespace marey
