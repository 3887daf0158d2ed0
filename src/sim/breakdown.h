// Why a run could not go on.
#pragma once

#include "sim/world.h"

namespace marey {

// The motion of a link is no longer a number; `before` is the state at the beginning of the step.
std::string breakdown_text(const Scene&, const World&, const State& before, int link);
// A state of a source is no longer a number; empty while all are.
std::string states_text(const World&);
// Energy, momentum or what was booked of them is no longer finite, while the state still is: at which time, which body or
// source, how much. To be asked when is_finite (ledger.h) says no.
std::string account_text(const Scene&, World&);
// "; the force of 'field' on link 'p.a' is not finite there", or nothing.
std::string element_at_fault(const Scene&, const World&, const State& before);
// That, or which constraint takes the most; nothing where `said` speaks of constraints itself.
std::string cause_besides(std::string_view said, const Scene&, const World&, const State& before);

}  // namespace marey
