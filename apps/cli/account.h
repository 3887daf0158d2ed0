// The account of energy and momentum that a run ends with.
#pragma once

#include "marey/sim.h"

namespace marey::cli {

void print_account(const Scene&, const Ledger&);

}  // namespace marey::cli
