// Rows put together from what they do to links.
#pragma once

#include "marey/rows.h"

namespace marey {

// What acts on the world is left out, and what acts on one link is added up. `moment`: as in LinkWrench.
inline void put_part(ConstraintRow& row, int link, const Wrench<double>& F_Bo_W, double moment) {
  if (link == 0) return;
  for (int i = 0; i < row.part_count; ++i)
    if (LinkWrench& part = row.parts[static_cast<std::size_t>(i)]; part.link == link) {
      part.F_Bo_W += F_Bo_W;
      part.moment += moment;
      return;
    }
  row.parts[static_cast<std::size_t>(row.part_count++)] = {link, F_Bo_W, moment};
}

// What the row's multiplier does to links, added to wrenches about Bo in W: forces, or impulses.
inline void add_force(const ConstraintRow& row, double lambda, std::span<Wrench<double>> F_Bo_W) {
  for (int i = 0; i < row.part_count; ++i) {
    const LinkWrench& part = row.parts[static_cast<std::size_t>(i)];
    if (part.link == 0) continue;
    F_Bo_W[static_cast<std::size_t>(part.link)] += Wrench<double>{lambda * part.F_Bo_W.n, lambda * part.F_Bo_W.f};
  }
}

}  // namespace marey
