// Whether a run can set out.
#pragma once

#include <string>

#include "marey/sim.h"

namespace marey {

struct StuckLink {
  int link = 0;       // 0: there is none
  std::string fault;  // of which element; empty: its joint's own, one of whose coordinates moves nothing
};
// The first link whose acceleration at the start is not finite. Throws Error with the reason where no run can set out.
StuckLink stuck_at_start(const Scene&);

}  // namespace marey
