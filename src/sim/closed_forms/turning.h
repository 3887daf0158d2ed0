// Bodies that nothing turns: about their centre of mass where they are free, about their joint where that is a ball.
#pragma once

#include "sim/closed_forms/form.h"

namespace marey {

// Why something turns the link; empty: nothing does.
std::string why_turned(const ComparedScene&, int link);
// In B, about the point about which it turns.
Sym3<double> turning_inertia(const ComparedScene&, int link);

}  // namespace marey
