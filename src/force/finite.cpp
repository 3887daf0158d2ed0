#include "marey/force/finite.h"

#include <cmath>

namespace marey {
int link_without_finite_force(const Element& element, const Instant<double>& now, std::span<const double> modes) {
  ForceSum<double> sum(now.model);
  evaluate<double>(element, now, modes, sum);
  for (int i = 1; i < now.model.nlink(); ++i) {
    const LinkTopology& link = now.model.links[static_cast<std::size_t>(i)];
    const Wrench<double>& F = sum.F_Bo_W[static_cast<std::size_t>(i)];
    if (!finite(F.n) || !finite(F.f)) return i;
    for (int k = 0; k < freedom_count(link); ++k)
      if (!std::isfinite(sum.tau[static_cast<std::size_t>(link.v + k)])) return i;
  }
  return -1;
}

}  // namespace marey
