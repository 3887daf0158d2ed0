// Inputs as items of a motion: recorded as they come, so that a run that is killed can be replayed, too.
#pragma once

#include <span>
#include <vector>

#include "marey/sim.h"

namespace marey {

ItemList input_list();
// The numbers of an item, added at the end.
void add_item(const Input&, std::vector<double>& to);
// Throws Error(bad_input) for numbers that no input has.
Input input_of_item(std::span<const double>);

}  // namespace marey
