// Rows of sums of joints' coordinates.
#pragma once

#include "marey/constraint.h"

namespace marey {

// `since` as of Constraint.
ConstraintRow coupler_row(const Coupler&, const Instant<double>&, double since);
// Σ factor × coordinate, and how far that is from what the sum is to be (without the offset).
double coupled_value(const Coupler&, const Instant<double>&);
double off_script(const Coupler&, const Instant<double>&);
std::string refusal_of_coupler(const Model&, const Coupler&);

}  // namespace marey
